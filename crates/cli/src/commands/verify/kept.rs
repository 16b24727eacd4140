//! What a run leaves for the next one: the result, and facts about files of all times. Losing it costs time, nothing else.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use docent_claims::{FactStore, NoStore, RepoError, Repository, Verification};

use super::facts::FactFile;
use crate::project;
use crate::settings::Settings;

const RESULT: &str = "verification.json";
const FACTS: &str = "facts.log";

/// The folder.
pub(crate) struct Kept {
    folder: PathBuf,
}

impl Kept {
    /// In the index folder where there is one, otherwise in the user's cache. What was kept in the cache before there was an
    /// index moves into it.
    pub(crate) fn of(settings: &Settings, root: &Path) -> Self {
        let index = &settings.index.value;
        let is_ours = settings
            .project
            .as_deref()
            .is_some_and(|project| root.starts_with(project) || project.starts_with(root));
        // One project may hold several repositories.
        let name = project::cache_name(root);
        let cached = settings.cache.value.join("verify").join(&name);
        if !(index.is_dir() && is_ours) {
            return Self { folder: cached };
        }
        let folder = index.join("verify").join(&name);
        if !folder.exists() && cached.is_dir() {
            // Where it cannot be moved, the next run starts from the beginning.
            let _ = std::fs::create_dir_all(index.join("verify"));
            let _ = std::fs::rename(&cached, &folder);
        }
        Self { folder }
    }

    /// The same in the user's cache, where the repository has committed something at its place: whoever made the repository may
    /// have written what an earlier run is to have found out.
    pub(super) fn unless_committed(
        self,
        settings: &Settings,
        root: &Path,
        repository: &Repository,
    ) -> Result<Self, RepoError> {
        let (Some(head), Ok(below)) = (repository.head(), self.folder.strip_prefix(root)) else {
            return Ok(self);
        };
        let is_committed = |path: &String| Path::new(path).starts_with(below);
        if !repository.tree(head)?.entries.keys().any(is_committed) {
            return Ok(self);
        }
        Ok(Self { folder: settings.cache.value.join("verify").join(project::cache_name(root)) })
    }

    /// That of the repository in a folder.
    pub(crate) fn of_folder(settings: &Settings, root: &Path) -> Self {
        let in_index = Self::of(settings, root);
        let Ok(repository) = Repository::open_or_plain(root) else { return in_index };
        // What cannot be read here is told by whoever verifies.
        in_index.unless_committed(settings, root, &repository).unwrap_or_else(|_| Self::of(settings, root))
    }

    /// Where it is; made when it is not there.
    pub(crate) fn folder(&self) -> &Path {
        let _ = std::fs::create_dir_all(&self.folder);
        &self.folder
    }

    /// The result of the last run; one that cannot be read is none.
    pub(crate) fn previous(&self) -> Option<Verification> {
        let path = self.folder.join(RESULT);
        // A pipe would be waited for, a device never ends.
        std::fs::symlink_metadata(&path).ok().filter(std::fs::Metadata::is_file)?;
        let file = std::fs::File::open(path).ok()?;
        let bytes = std::io::read_to_string(file).ok()?;
        serde_json::from_str(&bytes).ok()
    }

    /// Where facts are kept; nowhere when the folder cannot be written.
    pub(crate) fn facts(&self) -> Arc<dyn FactStore> {
        let made = std::fs::create_dir_all(&self.folder);
        match made.and_then(|()| FactFile::open(&self.folder.join(FACTS))) {
            Ok(facts) => Arc::new(facts),
            Err(_) => Arc::new(NoStore),
        }
    }

    /// Keeps a result. A run that could not has still done its work.
    pub(crate) fn keep(&self, verification: &Verification) {
        let Ok(text) = serde_json::to_vec(verification) else { return };
        let beside = self.folder.join(format!("{RESULT}.{}", std::process::id()));
        let written =
            std::fs::write(&beside, text).and_then(|()| std::fs::rename(&beside, self.folder.join(RESULT)));
        if written.is_err() {
            let _ = std::fs::remove_file(&beside);
        }
    }

    /// Starts from the beginning.
    pub(crate) fn forget(&self) {
        for name in [RESULT, FACTS] {
            let _ = std::fs::remove_file(self.folder.join(name));
        }
    }
}
