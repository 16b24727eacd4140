//! What happened in the history.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::{RepoError, Repository, command};

/// A commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// Its full name.
    pub id: String,
    /// When it was committed, in seconds since 1970.
    pub time: i64,
    /// The first line of its message.
    pub subject: String,
    /// The commits before it.
    pub parents: Vec<String>,
}

/// So much of a file, in hundredths, has to stand in one of another name that it is the same file.
const TELLING: u32 = 60;

impl Repository {
    /// Files that a commit renamed: old path → new path.
    pub fn renames(&self, commit: &str) -> Result<HashMap<String, String>, RepoError> {
        self.renames_with(commit, "-M").or_else(|_| self.renames_with(commit, "-M100%"))
    }

    /// Contents that are absent (a partial clone) cannot be compared, their names can.
    fn renames_with(&self, commit: &str, how: &str) -> Result<HashMap<String, String>, RepoError> {
        let mut command = self.git();
        command.args(["diff-tree", "-r", "--root", how, "--diff-filter=R", "--name-status", "-z"]);
        // Two empty files are alike by chance.
        command.args(["--no-rename-empty", "--no-commit-id", commit]);
        let output = command::run(command, None)?.unwrap_or_default();
        let mut pieces =
            output.split(|byte| *byte == 0).map(|piece| String::from_utf8_lossy(piece).into_owned());
        let mut renames = HashMap::new();
        while let (Some(status), Some(from), Some(to)) = (pieces.next(), pieces.next(), pieces.next()) {
            let alike: u32 = status.trim_start_matches('R').parse().unwrap_or(0);
            let name = |path: &str| path.rsplit('/').next().map(str::to_owned);
            // What is left of a file that was taken apart is not what it became.
            if alike >= TELLING || name(&from) == name(&to) {
                renames.insert(from, to);
            }
        }
        Ok(renames)
    }

    /// A commit; `None` when it is not here.
    pub fn commit(&self, id: &str) -> Option<Commit> {
        let mut found = None;
        let read = |_, bytes: Arc<[u8]>| found = Some(parse(id, &String::from_utf8_lossy(&bytes)));
        self.inner.objects.read_all(|| self.git(), "commit", &[id], read).ok()?;
        found
    }

    /// Commits that are in `HEAD` and not in `since`, the newest first: those that changed one of `paths`, or all of the
    /// main line when there are none.
    pub fn commits_since(&self, since: &str, paths: &[&str]) -> Result<Vec<String>, RepoError> {
        let Some(head) = self.head() else { return Ok(Vec::new()) };
        self.commits_between(since, head, paths)
    }

    /// The same up to another commit.
    pub fn commits_between(
        &self,
        since: &str,
        until: &str,
        paths: &[&str],
    ) -> Result<Vec<String>, RepoError> {
        let mut command = self.git();
        command.args(["rev-list", "--topo-order"]);
        if paths.is_empty() {
            command.arg("--first-parent");
        }
        command.args([until, &format!("^{since}"), "--"]).args(paths);
        let output = command::run(command, None)?.unwrap_or_default();
        Ok(String::from_utf8_lossy(&output).lines().map(str::to_owned).collect())
    }

    /// Commits of the main line that have `since` in their past, the newest first; with paths only those that changed one.
    pub(crate) fn main_line_since(&self, since: &str, paths: &[&str]) -> Result<Vec<String>, RepoError> {
        let Some(head) = self.head() else { return Ok(Vec::new()) };
        let list = |how: &str, paths: &[&str]| {
            let mut command = self.git();
            command.args(["rev-list", how, head, &format!("^{since}"), "--"]).args(paths);
            let output = command::run(command, None)?.unwrap_or_default();
            Ok::<_, RepoError>(
                String::from_utf8_lossy(&output).lines().map(str::to_owned).collect::<Vec<_>>(),
            )
        };
        let whole = list("--first-parent", &[])?;
        let first = whole.last().and_then(|oldest| self.commit(oldest)?.parents.into_iter().next());
        let mut line = if paths.is_empty() { whole } else { list("--first-parent", paths)? };
        // A commit of a branch is in the main line's past only since it was merged.
        if first.as_deref() != Some(since) {
            let after: HashSet<String> = list("--ancestry-path", &[])?.into_iter().collect();
            line.retain(|commit| after.contains(commit));
        }
        Ok(line)
    }

    /// Whether the main line has at most so many commits.
    pub(crate) fn is_short(&self, most: usize) -> bool {
        let Some(head) = self.head() else { return true };
        let mut command = self.git();
        command.args(["rev-list", "--first-parent", &format!("--max-count={}", most + 1), head]);
        let output = command::run(command, None).ok().flatten().unwrap_or_default();
        String::from_utf8_lossy(&output).lines().count() <= most
    }

    /// The commits of the main line with their times, the newest first.
    pub(crate) fn main_line(&self) -> Result<Vec<(String, i64)>, RepoError> {
        let Some(head) = self.head() else { return Ok(Vec::new()) };
        let mut command = self.git();
        command.args(["log", "--first-parent", "--format=%H %ct", head]);
        let output = command::run(command, None)?.unwrap_or_default();
        let read =
            |line: &str| line.split_once(' ').map(|(id, time)| (id.to_owned(), time.parse().unwrap_or(0)));
        Ok(String::from_utf8_lossy(&output).lines().filter_map(read).collect())
    }

    /// All commits that are in `HEAD` and not in `since`, the newest first.
    pub fn commits_in(&self, since: &str) -> Result<Vec<String>, RepoError> {
        let Some(head) = self.head() else { return Ok(Vec::new()) };
        let mut command = self.git();
        command.args(["rev-list", head, &format!("^{since}"), "--"]);
        let output = command::run(command, None)?.unwrap_or_default();
        Ok(String::from_utf8_lossy(&output).lines().map(str::to_owned).collect())
    }

    /// Whether `older` is in the history of `HEAD`.
    pub fn is_in_history(&self, older: &str) -> bool {
        let Some(head) = self.head() else { return false };
        let mut command = self.git();
        command.args(["merge-base", "--is-ancestor", older, head]);
        command::run(command, None).is_ok_and(|output| output.is_some())
    }

    /// The newest commit that is in `HEAD`, not in `since`, and changed how often a word stands in one of `paths` (in any
    /// file without them). Reads many files; for what a bisection cannot find.
    pub fn last_change_of(
        &self,
        word: &str,
        since: &str,
        paths: &[&str],
    ) -> Result<Option<String>, RepoError> {
        let Some(head) = self.head() else { return Ok(None) };
        let mut command = self.git();
        command.args(["log", "-1", "--format=%H", "--no-renames", &format!("-S{word}"), head]);
        command.args([&format!("^{since}"), "--"]).args(paths);
        let output = command::run(command, None)?.unwrap_or_default();
        let id = String::from_utf8_lossy(&output).trim().to_owned();
        Ok((!id.is_empty()).then_some(id))
    }
}

fn parse(id: &str, text: &str) -> Commit {
    let (head, message) = text.split_once("\n\n").unwrap_or((text, ""));
    let parents = head.lines().filter_map(|line| line.strip_prefix("parent ")).map(str::to_owned).collect();
    let committer = head.lines().find_map(|line| line.strip_prefix("committer ")).unwrap_or_default();
    let time = committer.rsplit(' ').nth(1).and_then(|time| time.parse().ok()).unwrap_or(0);
    let subject = message.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim().to_owned();
    Commit { id: id.to_owned(), time, subject, parents }
}
