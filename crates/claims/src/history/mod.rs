//! The past of a repository, as verification asks for it: states of commits, what existed once, and what broke a claim.

mod breaking;
mod existed;
mod moved;
mod pending;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::facts::FactStore;
use crate::repo::{Deletions, RepoError, Repository};
use crate::{Claim, Outcome, World, checks};

pub(crate) use breaking::is_telling;
pub(crate) use existed::{Existed, candidates};
pub(crate) use moved::{from_site_root, in_its_place, replacement};

/// So many entries of past states are kept in memory, all states together.
const MOST_ENTRIES: usize = 400_000;

/// The past of a repository.
pub(crate) struct History {
    repository: Repository,
    store: Arc<dyn FactStore>,
    deletions: OnceLock<Deletions>,
    renames: Arc<Mutex<Renames>>,
    /// What was moved and is not committed.
    pending: OnceLock<HashMap<String, String>>,
    worlds: Arc<Mutex<Worlds>>,
}

/// States by their commits, those that were asked for last at the end.
type Worlds = Vec<(String, Arc<World>)>;

/// Commit → old path → new path.
type Renames = HashMap<String, Arc<HashMap<String, String>>>;

impl History {
    pub(crate) fn new(repository: &Repository, store: Arc<dyn FactStore>) -> Self {
        Self {
            repository: repository.clone(),
            store,
            deletions: OnceLock::new(),
            renames: Arc::default(),
            pending: OnceLock::new(),
            worlds: Arc::default(),
        }
    }

    /// The past of the same repository when `commit` was checked out; everything that was found out is shared.
    pub(crate) fn at(&self, commit: &str, time: i64) -> Self {
        Self {
            repository: self.repository.at(commit),
            store: Arc::clone(&self.store),
            deletions: OnceLock::from(self.deletions().until(time)),
            renames: Arc::clone(&self.renames),
            pending: OnceLock::new(),
            worlds: Arc::clone(&self.worlds),
        }
    }

    /// The state of a commit; made once while it is among those that were asked for lately.
    pub(crate) fn world(&self, commit: &str) -> Result<Arc<World>, RepoError> {
        let take = |worlds: &mut Worlds| {
            let at = worlds.iter().position(|(known, _)| known == commit)?;
            let found = worlds.remove(at);
            worlds.push(found.clone());
            Some(found.1)
        };
        if let Some(known) = take(&mut self.worlds.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(known);
        }
        let world = Arc::new(World::of_commit(&self.repository, commit, Arc::clone(&self.store))?);
        let mut worlds = self.worlds.lock().unwrap_or_else(PoisonError::into_inner);
        worlds.push((commit.to_owned(), Arc::clone(&world)));
        let most = (MOST_ENTRIES / world.files().count().max(1)).clamp(2, 64);
        while worlds.len() > most {
            worlds.remove(0);
        }
        Ok(world)
    }

    /// What a check says about a claim at a commit. The document may have another name there than today.
    pub(crate) fn check(&self, claim: &Claim, paths: &[String], commit: &str) -> Option<Outcome> {
        let world = self.world(commit).ok()?;
        let path = paths.iter().find(|path| world.entry(path).is_some()).or(paths.first())?;
        world.look_for(&checks::words(claim));
        Some(checks::check(claim, path, &world))
    }

    /// Whether a file of this name was ever deleted.
    pub(crate) fn has_deleted(&self, name: &str) -> bool {
        !self.deletions().ending(name).is_empty()
    }

    /// All deletions; read when they are first asked for.
    pub(crate) fn deletions(&self) -> &Deletions {
        self.deletions.get_or_init(|| self.repository.kept_deletions(&*self.store).unwrap_or_default())
    }

    fn renames(&self, commit: &str) -> Arc<HashMap<String, String>> {
        if let Some(known) = self.renames.lock().unwrap_or_else(PoisonError::into_inner).get(commit) {
            return Arc::clone(known);
        }
        let renames = Arc::new(self.repository.renames(commit).unwrap_or_default());
        let mut known = self.renames.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(commit.to_owned(), Arc::clone(&renames));
        renames
    }
}
