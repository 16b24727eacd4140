//! Where the working tree stands in git.
//!
//! The commit travels with every hit, so it is read straight from the repository's files (microseconds, no process).
//! Only `dirty` asks the git program, and only for a status report. Nothing here ever fails: no repository, no git,
//! a damaged repository all mean "unknown".

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Serialize;

/// The state of the repository around a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GitState {
    /// Short hash of HEAD.
    pub head_commit: Option<String>,
    /// Short hash of origin/main as last fetched.
    pub origin_main: Option<String>,
    /// Whether the folder has uncommitted changes.
    pub dirty: Option<bool>,
}

/// Full hash of HEAD of the repository that `folder` is in.
pub fn head(folder: &Path) -> Option<String> {
    let repository = Repository::around(folder)?;
    let head = std::fs::read_to_string(repository.own.join("HEAD")).ok()?;
    match head.trim().strip_prefix("ref: ") {
        Some(name) => repository.resolve(name),
        None => Some(head.trim().to_owned()),
    }
}

/// The whole state; `None` outside a repository.
pub fn state(folder: &Path) -> Option<GitState> {
    let repository = Repository::around(folder)?;
    let short = |hash: String| hash.chars().take(7).collect();
    Some(GitState {
        head_commit: head(folder).map(short),
        origin_main: repository.resolve("refs/remotes/origin/main").map(short),
        dirty: dirty(folder),
    })
}

/// When each of these files was last committed, in seconds since 1970; paths are relative to `folder`. Files that no
/// commit has in their present form are left out. One walk through the history, which ends when all are found.
pub fn last_commits(folder: &Path, wanted: &BTreeSet<String>) -> BTreeMap<String, i64> {
    let mut found = BTreeMap::new();
    if Repository::around(folder).is_none() {
        return found;
    }
    let Some(changed) = changed(folder) else { return found };
    let mut wanted: BTreeSet<&str> = wanted.iter().map(String::as_str).collect();
    wanted.retain(|path| !changed.contains(*path));
    let log = ["log", "--format=%x00%ct", "--name-only", "--relative", "--no-renames", "-z", "--", "."];
    let Ok(mut child) = command(folder).args(log).stdout(Stdio::piped()).spawn() else { return found };
    let Some(output) = child.stdout.take() else { return found };
    let mut output = BufReader::new(output);
    let (mut time, mut is_time, mut is_first) = (0, false, false);
    let mut field = Vec::new();
    while !wanted.is_empty() {
        field.clear();
        // A commit is an empty field, its time, and the paths, the first of them after a line break.
        if output.read_until(0, &mut field).is_ok_and(|read| read == 0) || field.pop() != Some(0) {
            break;
        }
        let text = String::from_utf8_lossy(&field);
        if text.is_empty() {
            is_time = true;
        } else if is_time {
            (time, is_time, is_first) = (text.trim().parse().unwrap_or(0), false, true);
        } else {
            let path = if is_first { text.strip_prefix('\n').unwrap_or(&text) } else { &text };
            if wanted.remove(path) {
                found.insert(path.to_owned(), time);
            }
            is_first = false;
        }
    }
    // It may have more to tell than anyone wants to know.
    let _ = child.kill();
    let _ = child.wait();
    found
}

/// Files that are not as they were committed; `None` when git cannot tell.
fn changed(folder: &Path) -> Option<BTreeSet<String>> {
    let diff =
        ["diff", "--no-ext-diff", "--name-only", "--relative", "--no-renames", "-z", "HEAD", "--", "."];
    let output = command(folder).args(diff).output().ok().filter(|output| output.status.success())?;
    let paths = output.stdout.split(|byte| *byte == 0).filter(|path| !path.is_empty());
    Some(paths.map(|path| String::from_utf8_lossy(path).into_owned()).collect())
}

struct Repository {
    /// Where HEAD is: for a linked worktree its own folder.
    own: PathBuf,
    /// Where the branches are.
    common: PathBuf,
}

impl Repository {
    fn around(folder: &Path) -> Option<Self> {
        let dot_git = folder.ancestors().map(|folder| folder.join(".git")).find(|path| path.exists())?;
        let own = if dot_git.is_dir() {
            dot_git
        } else {
            let pointer = std::fs::read_to_string(&dot_git).ok()?;
            dot_git.parent()?.join(pointer.trim().strip_prefix("gitdir: ")?)
        };
        let common = match std::fs::read_to_string(own.join("commondir")) {
            Ok(path) => own.join(path.trim()),
            Err(_) => own.clone(),
        };
        Some(Self { own, common })
    }

    fn resolve(&self, name: &str) -> Option<String> {
        if let Ok(hash) = std::fs::read_to_string(self.common.join(name)) {
            return Some(hash.trim().to_owned());
        }
        let packed = std::fs::read_to_string(self.common.join("packed-refs")).ok()?;
        packed.lines().find_map(|line| Some(line.strip_suffix(name)?.strip_suffix(' ')?.to_owned()))
    }
}

fn dirty(folder: &Path) -> Option<bool> {
    let output = command(folder).args(["status", "--porcelain", "--", "."]).output().ok()?;
    output.status.success().then_some(!output.stdout.is_empty())
}

/// Hardened: no hooks, no optional locks, no prompts, no configuration of the repository that could start programs.
fn command(folder: &Path) -> Command {
    let mut command = Command::new("git");
    command
        .args(["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"])
        .current_dir(folder)
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        .stdin(Stdio::null())
        .stderr(Stdio::null());
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    fn git(folder: &Path, args: &[&str]) {
        let identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
        let status =
            Command::new("git").args(identity).args(args).current_dir(folder).output().unwrap().status;
        assert!(status.success());
    }

    #[test]
    fn outside_a_repository_there_is_no_state() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(state(folder.path()), None);
    }

    #[test]
    fn each_file_has_the_time_of_its_last_commit() {
        let repository = tempfile::tempdir().unwrap();
        let folder = repository.path().join("docs");
        std::fs::create_dir(&folder).unwrap();
        git(&folder, &["init", "-q", ".."]);
        let commit = |second: i64, files: &[(&str, &str)]| {
            for (path, text) in files {
                std::fs::write(folder.join(path), text).unwrap();
            }
            git(&folder, &["add", ".."]);
            let date = format!("{second} +0000");
            let identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
            let mut command = Command::new("git");
            command.args(identity).args(["commit", "-qm", "x"]).current_dir(&folder);
            command.env("GIT_COMMITTER_DATE", &date).env("GIT_AUTHOR_DATE", "900000000 +0000");
            assert!(command.status().unwrap().success());
        };
        commit(1_000_000_000, &[("old.md", "1"), ("tübingen .md", "1"), ("edited.md", "1")]);
        commit(1_100_000_000, &[("tübingen .md", "2"), ("../outside.md", "1")]);
        std::fs::write(folder.join("edited.md"), "2").unwrap();
        std::fs::write(folder.join("new.md"), "1").unwrap();
        let wanted = ["old.md", "tübingen .md", "edited.md", "new.md"].map(str::to_owned);
        let found = last_commits(&folder, &BTreeSet::from(wanted));
        let expected = [("old.md", 1_000_000_000), ("tübingen .md", 1_100_000_000)];
        assert_eq!(found, expected.map(|(path, time)| (path.to_owned(), time)).into());
        let outside = tempfile::tempdir().unwrap();
        assert!(last_commits(outside.path(), &BTreeSet::new()).is_empty());
    }

    #[test]
    fn head_is_found_loose_and_packed() {
        let folder = tempfile::tempdir().unwrap();
        git(folder.path(), &["init", "-q"]);
        std::fs::write(folder.path().join("a.md"), "# A\n").unwrap();
        git(folder.path(), &["add", "."]);
        git(folder.path(), &["commit", "-qm", "a"]);
        let loose = head(folder.path()).unwrap();
        assert_eq!(loose.len(), 40);
        git(folder.path(), &["pack-refs", "--all"]);
        assert_eq!(head(folder.path()), Some(loose));
        assert_eq!(state(folder.path()).unwrap().dirty, Some(false));
        std::fs::write(folder.path().join("b.md"), "# B\n").unwrap();
        assert_eq!(state(folder.path()).unwrap().dirty, Some(true));
    }
}
