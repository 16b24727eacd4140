//! Where the working tree stands in git.
//!
//! The commit travels with every hit, so it is read straight from the repository's files (microseconds, no process).
//! Only `dirty` asks the git program, and only for a status report. Nothing here ever fails: no repository, no git,
//! a damaged repository all mean "unknown".

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use docent_git::{Place, Shadow};
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
    Place::around(folder).ok()?.head().ok().flatten()
}

/// The whole state; `None` outside a repository.
pub fn state(folder: &Path) -> Option<GitState> {
    let place = Place::around(folder).ok()?;
    let short = |hash: String| hash.chars().take(7).collect();
    Some(GitState {
        head_commit: place.head().ok().flatten().map(short),
        origin_main: place.resolve("refs/remotes/origin/main").ok().flatten().map(short),
        dirty: Files::of(&place).and_then(|files| files.are_changed(folder)),
    })
}

/// Whether another commit is known here and comes after HEAD. Unknown commits are not newer.
pub fn is_behind(folder: &Path, other: &str) -> bool {
    let behind = || {
        let place = Place::around(folder).ok()?;
        let head = place.head().ok()??;
        if !docent_git::is_id(other) || head == other {
            return None;
        }
        let shadow = Shadow::new(&place, Some(&head)).ok()?;
        let mut command = shadow.command();
        command.args(["merge-base", "--is-ancestor", &head, other]);
        docent_git::run(command, None).ok()?
    };
    behind().is_some()
}

/// When each of these files was last committed, in seconds since 1970; paths are relative to `folder`. Files that no
/// commit has in their present form are left out. One walk through the history, which ends when all are found.
pub fn last_commits(folder: &Path, wanted: &BTreeSet<String>) -> BTreeMap<String, i64> {
    let mut found = BTreeMap::new();
    let files = Place::around(folder).ok().and_then(|place| Files::of(&place));
    let Some(files) = files else { return found };
    let Some(changed) = files.changed(folder) else { return found };
    let mut wanted: BTreeSet<&str> = wanted.iter().map(String::as_str).collect();
    wanted.retain(|path| !changed.contains(*path));
    let log = ["log", "--format=%x00%ct", "--name-only", "--relative", "--no-renames", "-z", "--", "."];
    let mut command = files.command(folder);
    command.args(log);
    let (mut time, mut is_time, mut is_first) = (0, false, false);
    // It may have more to tell than anyone wants to know, and what it told before it failed is true.
    let _ = docent_git::pieces(command, None, |field| {
        // A commit is an empty field, its time, and the paths, the first of them after a line break.
        let text = String::from_utf8_lossy(field);
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
        !wanted.is_empty()
    });
    found
}

/// The files of a repository and git over them, in a folder of our own: hooks, filters and programs that the repository
/// names are not there.
struct Files {
    shadow: Shadow,
    work_tree: PathBuf,
}

impl Files {
    /// `None` for a bare repository, a damaged one, and one without a commit.
    fn of(place: &Place) -> Option<Self> {
        let shadow = Shadow::new(place, Some(&place.head().ok()??)).ok()?;
        Some(Self { work_tree: place.work_tree.clone()?, shadow })
    }

    fn command(&self, folder: &Path) -> Command {
        self.shadow.command_in(&self.work_tree, folder)
    }

    /// Whether anything below a folder is not as it was committed; `None` when git cannot tell.
    fn are_changed(&self, folder: &Path) -> Option<bool> {
        let mut command = self.command(folder);
        command.args(["status", "--porcelain", "-z", "--ignore-submodules=all", "--", "."]);
        let mut is_any = false;
        docent_git::pieces(command, None, |_| {
            is_any = true;
            false
        })
        .ok()?;
        Some(is_any)
    }

    /// Files that are not as they were committed; `None` when git cannot tell.
    fn changed(&self, folder: &Path) -> Option<BTreeSet<String>> {
        let mut command = self.command(folder);
        command.args(["diff", "--no-ext-diff", "--no-textconv", "--name-only", "--relative", "--no-renames"]);
        command.args(["--ignore-submodules=all", "-z", "HEAD", "--", "."]);
        let output = docent_git::run(command, None).ok()??;
        let paths = output.split(|byte| *byte == 0).filter(|path| !path.is_empty());
        Some(paths.map(|path| String::from_utf8_lossy(path).into_owned()).collect())
    }
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

    /// Everything that `git status`, `git diff` and `git log` in the repository itself would start.
    #[cfg(unix)]
    #[test]
    fn nothing_in_a_hostile_repository_is_started() {
        use std::os::unix::fs::PermissionsExt;
        let around = tempfile::tempdir().unwrap();
        let folder = around.path().join("repo");
        std::fs::create_dir(&folder).unwrap();
        git(&folder, &["init", "-q"]);
        std::fs::write(folder.join("a.md"), "one\n").unwrap();
        std::fs::write(folder.join("b.md"), "one\n").unwrap();
        git(&folder, &["add", "."]);
        git(&folder, &["commit", "-qm", "a"]);
        let (marker, script) = (around.path().join("marker"), around.path().join("script"));
        std::fs::write(&script, format!("#!/bin/sh\ntouch '{}'\ncat\n", marker.display())).unwrap();
        std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
        let program = script.display();
        let config = format!(
            "[core]\n\tfsmonitor = {program}\n\thooksPath = {hooks}\n\tpager = {program}\n\
             [filter \"evil\"]\n\tclean = {program}\n\tsmudge = {program}\n\trequired = true\n\
             [filter \"process\"]\n\tprocess = {program}\n\
             [diff]\n\texternal = {program}\n[diff \"evil\"]\n\ttextconv = {program}\n\tcommand = {program}\n\
             [log]\n\tshowSignature = true\n[gpg]\n\tprogram = {program}\n\
             [alias]\n\tstatus = !{program}\n\tdiff = !{program}\n\tlog = !{program}\n",
            hooks = around.path().join("hooks").display()
        );
        std::fs::write(folder.join(".git/config"), config).unwrap();
        std::fs::create_dir(around.path().join("hooks")).unwrap();
        std::fs::copy(&script, around.path().join("hooks/post-index-change")).unwrap();
        std::fs::create_dir_all(folder.join(".git/info")).unwrap();
        std::fs::write(folder.join(".git/info/attributes"), "a.md filter=evil diff=evil\n").unwrap();
        std::fs::write(folder.join(".gitattributes"), "*.md filter=process diff=evil\n").unwrap();
        std::fs::write(folder.join("a.md"), "two\n").unwrap();
        let index = std::fs::metadata(folder.join(".git/index")).unwrap().modified().unwrap();

        assert_eq!(state(&folder).unwrap().dirty, Some(true));
        let wanted = BTreeSet::from(["a.md".to_owned(), "b.md".to_owned()]);
        assert_eq!(last_commits(&folder, &wanted).into_keys().collect::<Vec<_>>(), ["b.md"]);
        assert!(!marker.exists(), "something was started");
        let after = std::fs::metadata(folder.join(".git/index")).unwrap().modified().unwrap();
        assert_eq!(index, after, "the index was written");
        // The trap is one: git in the repository itself walks into it.
        let _ = Command::new("git").args(["diff"]).current_dir(&folder).output();
        assert!(marker.exists());
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
