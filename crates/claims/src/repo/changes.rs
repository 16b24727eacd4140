//! What each commit changed, by names alone.

use super::{RepoError, Repository, command};

/// A commit with one parent, and the files that it changed.
#[derive(Debug, Clone)]
pub(crate) struct Changed {
    pub(crate) commit: String,
    pub(crate) parent: String,
    /// In seconds since 1970.
    pub(crate) time: i64,
    pub(crate) files: Vec<ChangedFile>,
}

/// A file with the names of its contents before and after; a renamed one is gone here, and another one new.
#[derive(Debug, Clone)]
pub(crate) struct ChangedFile {
    pub(crate) path: String,
    pub(crate) before: Option<String>,
    pub(crate) after: Option<String>,
}

impl Repository {
    /// Commits up to `HEAD` that are no merges, the newest first; `each` says whether to go on.
    pub(crate) fn each_change(&self, mut each: impl FnMut(Changed) -> bool) -> Result<(), RepoError> {
        let Some(head) = self.head() else { return Ok(()) };
        let mut command = self.git();
        command.args(["log", "--no-merges", "--no-renames", "--raw", "--no-abbrev", "-z"]);
        command.args(["--format=%x01%H %ct %P", head]);
        let mut current: Option<Changed> = None;
        let mut file: Option<(Option<String>, Option<String>)> = None;
        let mut has_enough = false;
        command::pieces(command, None, |piece| {
            let text = String::from_utf8_lossy(piece);
            let text = text.strip_prefix('\n').unwrap_or(&text);
            if let Some((before, after)) = file.take() {
                if let Some(changed) = &mut current {
                    changed.files.push(ChangedFile { path: text.to_owned(), before, after });
                }
            } else if let Some(about) = text.strip_prefix('\u{1}') {
                let done = std::mem::replace(&mut current, commit_of(about));
                has_enough = done.is_some_and(|done| !each(done));
            } else {
                file = contents_of(text);
            }
            !has_enough
        })?;
        if let Some(last) = current.filter(|_| !has_enough) {
            each(last);
        }
        Ok(())
    }
}

/// `<commit> <time> <parent>`; `None` for one without a parent.
fn commit_of(about: &str) -> Option<Changed> {
    let mut words = about.split_whitespace();
    let (commit, time, parent) = (words.next()?, words.next()?, words.next()?);
    let time = time.parse().unwrap_or(0);
    Some(Changed { commit: commit.to_owned(), parent: parent.to_owned(), time, files: Vec::new() })
}

/// `:<mode> <mode> <before> <after> <status>`
fn contents_of(about: &str) -> Option<(Option<String>, Option<String>)> {
    let mut words = about.strip_prefix(':')?.split(' ').skip(2);
    let mut id = || words.next().map(|id| id.bytes().any(|byte| byte != b'0').then(|| id.to_owned()));
    Some((id()?, id()?))
}
