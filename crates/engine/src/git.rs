//! Where the working tree stands in git.
//!
//! The commit travels with every hit, so it is read straight from the repository's files (microseconds, no process).
//! Only `dirty` asks the git program, and only for a status report. Nothing here ever fails: no repository, no git,
//! a damaged repository all mean "unknown".

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

/// Hardened: no hooks, no optional locks, no prompts, no configuration of the repository that could start programs.
fn dirty(folder: &Path) -> Option<bool> {
    let output = Command::new("git")
        .args([
            "-c",
            "core.fsmonitor=false",
            "-c",
            "core.hooksPath=/dev/null",
            "status",
            "--porcelain",
            "--",
            ".",
        ])
        .current_dir(folder)
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    output.status.success().then_some(!output.stdout.is_empty())
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
