//! Repositories for tests: made in a temporary folder, with the same commits every time.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use docent_claims::Repository;

/// A repository in a temporary folder.
pub(crate) struct Desk {
    folder: tempfile::TempDir,
    commits: i64,
}

impl Desk {
    pub(crate) fn new() -> Self {
        Self::with(&[])
    }

    /// With further arguments for `git init`.
    pub(crate) fn with(args: &[&str]) -> Self {
        let desk = Self { folder: tempfile::tempdir().unwrap(), commits: 0 };
        std::fs::create_dir(desk.path("repo")).unwrap();
        let init: Vec<&str> = ["init", "-q", "-b", "main"].iter().chain(args).copied().collect();
        desk.git(&init);
        desk
    }

    /// A path beside the repository.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.path("repo")
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let place = self.root().join(path);
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        std::fs::write(place, text).unwrap();
    }

    pub(crate) fn delete(&self, path: &str) {
        let place = self.root().join(path);
        if place.is_dir() { std::fs::remove_dir_all(place) } else { std::fs::remove_file(place) }.unwrap();
    }

    pub(crate) fn rename(&self, from: &str, to: &str) {
        let to = self.root().join(to);
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::rename(self.root().join(from), to).unwrap();
    }

    /// Commits everything, a day after the commit before; gives its name.
    pub(crate) fn commit(&mut self, subject: &str) -> String {
        self.git(&["add", "-A"]);
        self.commits += 1;
        let date = format!("{} +0000", 1_700_000_000 + self.commits * 86_400);
        let commit = ["commit", "-q", "--allow-empty", "-m", subject];
        let mut command = program(&self.root());
        command.args(commit).env("GIT_COMMITTER_DATE", &date).env("GIT_AUTHOR_DATE", &date);
        run(command);
        self.git(&["rev-parse", "HEAD"])
    }

    /// A commit four weeks later, with nothing in it: what was gone before is not fresh any more.
    pub(crate) fn weeks_pass(&mut self) {
        self.commits += 28;
        self.commit("weeks later");
    }

    /// Writes a file and commits.
    pub(crate) fn commit_file(&mut self, path: &str, text: &str) -> String {
        self.write(path, text);
        self.commit(&format!("write {path}"))
    }

    /// What git says.
    pub(crate) fn git(&self, args: &[&str]) -> String {
        self.git_in(&self.root(), args)
    }

    pub(crate) fn git_in(&self, folder: &Path, args: &[&str]) -> String {
        let mut command = program(folder);
        command.args(args);
        String::from_utf8_lossy(&run(command).stdout).trim().to_owned()
    }

    pub(crate) fn open(&self) -> Repository {
        Repository::open(&self.root()).unwrap()
    }
}

fn program(folder: &Path) -> Command {
    let mut command = Command::new("git");
    let identity =
        ["-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always"];
    command.args(identity).current_dir(folder);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    command
}

fn run(mut command: Command) -> Output {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}
