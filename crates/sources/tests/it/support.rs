//! Folders, repositories and calls that the tests share.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use docent_sources::{Context, Fetched, Outcome, SourceError, Spec, fetch};

/// A place to work in: a cache and a folder to fetch into.
pub(crate) struct Desk {
    pub(crate) folder: tempfile::TempDir,
}

impl Desk {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn cache(&self) -> PathBuf {
        self.path("cache")
    }

    /// A folder with nothing in it.
    pub(crate) fn empty_folder(&self) -> PathBuf {
        let into = self.path("into");
        let _ = std::fs::remove_dir_all(&into);
        std::fs::create_dir(&into).unwrap();
        into
    }

    pub(crate) fn try_fetch(&self, source: &str, known: Option<&str>) -> Result<Outcome, SourceError> {
        self.fetch_with(source, known, None)
    }

    pub(crate) fn fetch_with(
        &self,
        source: &str,
        known_revision: Option<&str>,
        expected_hash: Option<&str>,
    ) -> Result<Outcome, SourceError> {
        let spec = Spec::parse(source, self.folder.path())?;
        let context = Context {
            cache: &self.cache(),
            project: None,
            known_revision,
            expected_hash,
            is_cancelled: &|| false,
        };
        let into = self.empty_folder();
        let outcome = fetch(&spec, &context, &into);
        if outcome.is_err() {
            assert!(files(&into).is_empty(), "something was left in the folder");
            assert_eq!(std::fs::read_dir(&into).unwrap().count(), 0);
        }
        outcome
    }

    /// Fetches what must be there.
    pub(crate) fn fetch(&self, source: &str) -> Fetched {
        match self.try_fetch(source, None).unwrap() {
            Outcome::Fetched(fetched) => *fetched,
            Outcome::Unchanged => panic!("{source} is unchanged"),
        }
    }

    /// The error of a fetch, as a person sees it.
    pub(crate) fn refusal(&self, source: &str) -> String {
        let error = self.try_fetch(source, None).unwrap_err();
        format!("{}\nhint: {}", error.message, error.hint)
    }
}

/// Path → text of all files below `root`.
pub(crate) fn files(root: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let kind = std::fs::symlink_metadata(&path).unwrap().file_type();
            if kind.is_dir() {
                folders.push(path);
                continue;
            }
            assert!(kind.is_file(), "{} is not a plain file", path.display());
            let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
            found.insert(path.strip_prefix(root).unwrap().to_string_lossy().into_owned(), text);
        }
    }
    found
}

/// Names of all files below `root`.
pub(crate) fn names(root: &Path) -> Vec<String> {
    files(root).into_keys().collect()
}

/// Writes files below `root`.
pub(crate) fn write(root: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

/// A repository with one commit of some files.
pub(crate) struct Repository {
    pub(crate) folder: PathBuf,
}

impl Repository {
    pub(crate) fn new(folder: PathBuf, files: &[(&str, &str)]) -> Self {
        std::fs::create_dir_all(&folder).unwrap();
        let repository = Self { folder };
        repository.git(&["init", "-q", "-b", "main"]);
        repository.commit(files);
        repository
    }

    pub(crate) fn commit(&self, files: &[(&str, &str)]) -> String {
        write(&self.folder, files);
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", "x"]);
        self.git(&["rev-parse", "HEAD"])
    }

    pub(crate) fn git(&self, args: &[&str]) -> String {
        let mut command = Command::new("git");
        command.args([
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@example.org",
            "-c",
            "core.hooksPath=/dev/null",
        ]);
        command.args(["-c", "core.fsmonitor=false", "-c", "commit.gpgsign=false"]).args(args);
        command.env("GIT_COMMITTER_DATE", "1000000000 +0000").env("GIT_AUTHOR_DATE", "900000000 +0000");
        let output = command.current_dir(&self.folder).output().unwrap();
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    pub(crate) fn url(&self) -> String {
        format!("git+file://{}", self.folder.display())
    }
}
