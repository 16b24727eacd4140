//! What happened in the history.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

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

/// Which commits deleted which files, renamed ones among them; the newest first.
#[derive(Debug, Clone)]
pub struct Deletions {
    all: Arc<All>,
    /// Later ones do not count.
    until: i64,
}

#[derive(Debug, Default)]
struct All {
    /// With their times.
    commits: Vec<(String, i64)>,
    /// Path → numbers of commits.
    files: HashMap<String, Vec<u32>>,
    /// Folder → commits that deleted something below it, and what.
    folders: HashMap<String, Vec<(u32, String)>>,
    /// Last component → files and folders.
    names: OnceLock<HashMap<String, Vec<String>>>,
}

impl Default for Deletions {
    fn default() -> Self {
        Self { all: Arc::default(), until: i64::MAX }
    }
}

impl Deletions {
    /// Commits that deleted a file, the newest first.
    pub fn of_file(&self, path: &str) -> impl Iterator<Item = &str> {
        let numbers = self.all.files.get(path).map_or(&[][..], Vec::as_slice);
        numbers.iter().filter_map(|number| self.commit(*number))
    }

    /// The newest commit that deleted a file below a folder, and that file.
    pub fn below_folder(&self, path: &str) -> Option<(&str, &str)> {
        let mut below = self.all.folders.get(path)?.iter();
        below.find_map(|(number, file)| Some((self.commit(*number)?, file.as_str())))
    }

    /// Whether there ever was such a file or folder.
    pub fn knows(&self, path: &str) -> bool {
        self.of_file(path).next().is_some() || self.below_folder(path).is_some()
    }

    /// Paths of all deleted files.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.all.files.keys().map(String::as_str).filter(|path| self.knows(path))
    }

    /// Paths of all folders that a file was deleted from.
    pub fn folders(&self) -> impl Iterator<Item = &str> {
        self.all.folders.keys().map(String::as_str).filter(|path| self.knows(path))
    }

    /// Those up to a time, in seconds since 1970.
    pub(crate) fn until(&self, time: i64) -> Self {
        Self { all: Arc::clone(&self.all), until: time }
    }

    fn commit(&self, number: u32) -> Option<&str> {
        let (commit, time) = self.all.commits.get(number as usize)?;
        (*time <= self.until).then_some(commit)
    }

    /// Deleted files and folders whose last components are those of `tail`.
    pub fn ending(&self, tail: &str) -> Vec<&str> {
        let last = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
        let names = self.all.names.get_or_init(|| {
            let mut names: HashMap<String, Vec<String>> = HashMap::new();
            for path in self.all.files.keys().chain(self.all.folders.keys()) {
                names.entry(last(path)).or_default().push(path.clone());
            }
            names.values_mut().for_each(|paths| paths.sort_unstable());
            names
        });
        let is_end = |path: &&str| {
            path.strip_suffix(tail).is_some_and(|before| before.is_empty() || before.ends_with('/'))
        };
        let found = names.get(&last(tail)).into_iter().flatten().map(String::as_str);
        found.filter(is_end).filter(|path| self.knows(path)).collect()
    }
}

impl All {
    fn add(&mut self, path: &str) {
        let number = self.commits.len().saturating_sub(1) as u32;
        self.files.entry(path.to_owned()).or_default().push(number);
        let mut rest = path;
        while let Some((folder, _)) = rest.rsplit_once('/') {
            let below = self.folders.entry(folder.to_owned()).or_default();
            if below.last().is_some_and(|(known, _)| *known == number) {
                break;
            }
            below.push((number, path.to_owned()));
            rest = folder;
        }
    }
}

impl Repository {
    /// All deletions up to `HEAD`, in one walk. Renames are deletions here: which file was renamed to what costs much more
    /// to find out, and is only asked for commits that matter ([`Repository::renames`]).
    pub fn deletions(&self) -> Result<Deletions, RepoError> {
        let mut deletions = All::default();
        let Some(head) = self.head() else { return Ok(Deletions::default()) };
        let mut command = self.git();
        command.args([
            "log",
            "--no-renames",
            "--diff-filter=D",
            "--name-only",
            "-z",
            "--format=%x01%H %ct",
            head,
        ]);
        command::pieces(command, None, |piece| {
            // A commit with files: `\1<id>`, then an empty piece or a line break before the first path.
            let Ok(text) = std::str::from_utf8(piece) else { return true };
            let text = text.strip_prefix('\n').unwrap_or(text);
            match text.strip_prefix('\u{1}') {
                Some(about) => {
                    let (id, time) = about.trim().split_once(' ').unwrap_or((about.trim(), ""));
                    deletions.commits.push((id.to_owned(), time.parse().unwrap_or(0)));
                }
                None if !text.is_empty() => deletions.add(text),
                None => {}
            }
            true
        })?;
        Ok(Deletions { all: Arc::new(deletions), until: i64::MAX })
    }

    /// Files that a commit renamed: old path → new path.
    pub fn renames(&self, commit: &str) -> Result<HashMap<String, String>, RepoError> {
        self.renames_with(commit, "-M").or_else(|_| self.renames_with(commit, "-M100%"))
    }

    /// Contents that are absent (a partial clone) cannot be compared, their names can.
    fn renames_with(&self, commit: &str, how: &str) -> Result<HashMap<String, String>, RepoError> {
        let mut command = self.git();
        command.args(["diff-tree", "-r", "--root", how, "--diff-filter=R", "--name-status", "-z"]);
        command.args(["--no-commit-id", commit]);
        let output = command::run(command, None)?.unwrap_or_default();
        let mut pieces =
            output.split(|byte| *byte == 0).map(|piece| String::from_utf8_lossy(piece).into_owned());
        let mut renames = HashMap::new();
        while let (Some(_status), Some(from), Some(to)) = (pieces.next(), pieces.next(), pieces.next()) {
            renames.insert(from, to);
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
