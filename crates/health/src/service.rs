//! Runs a verification of the repository and keeps what it found.
//!
//! A verification starts from the one before, so that only what has changed is looked at again, and only that is written.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use docent_claims::{
    DocumentState, FactStore, Genre, Judged, Options, Repository, Verification, Watch, verify,
};
use docent_index::ContentHash;
use docent_index::health::HealthError;

use crate::facade::Health;
use crate::findings::{Findings, VerifiedDocument};

/// Verifies a repository again and again.
pub struct Service {
    health: Arc<Health>,
    facts: Arc<dyn FactStore>,
    previous: Option<Verification>,
    /// Whether the store has what `previous` says.
    is_kept: bool,
    /// Where git's table of commits is kept.
    folder: Option<PathBuf>,
}

impl Service {
    /// For the repository of `health`, from what an earlier process found. `facts` keeps what was read out of files.
    pub fn new(health: Arc<Health>, previous: Option<Verification>, facts: Arc<dyn FactStore>) -> Self {
        Self { health, facts, previous, is_kept: false, folder: None }
    }

    /// Keeps what makes git fast in this folder.
    pub fn keep_in(&mut self, folder: &Path) {
        self.folder = Some(folder.to_owned());
    }

    /// Verifies what has changed, keeps it, and gives back all there is. The error is told to a person.
    pub fn run(&mut self, options: &Options, watch: Watch<'_>) -> Result<&Verification, String> {
        let repository =
            Repository::open_or_plain(&self.health.identity().root).map_err(|error| error.to_string())?;
        if let Some(folder) = &self.folder {
            repository.keep_in(folder);
        }
        let found = verify(&repository, options, self.previous.as_ref(), Arc::clone(&self.facts), watch);
        let found = found.map_err(|error| error.to_string())?;
        let before = self.previous.as_ref().filter(|_| self.is_kept);
        let kept = self.health.keep(&found, before, options.paths.is_empty());
        kept.map_err(|error| error.to_string())?;
        self.is_kept = true;
        self.health.warm();
        Ok(self.previous.insert(found))
    }
}

impl Health {
    /// Keeps what a verification of the repository found. `before` is what is kept already, where that is known.
    pub fn keep(
        &self,
        found: &Verification,
        before: Option<&Verification>,
        is_complete: bool,
    ) -> Result<u64, HealthError> {
        // Somebody may have moved the file away.
        let before = if self.view()?.documents().next().is_some() { before } else { None };
        self.record(&findings(found, before, is_complete, &self.identity().root, self.now()))
    }
}

/// What has to be written down: documents that are not as they were, and which ones are.
fn findings(
    found: &Verification,
    before: Option<&Verification>,
    is_complete: bool,
    root: &Path,
    now: i64,
) -> Findings {
    let mut findings =
        Findings { verified_at: now, commit: found.head.clone(), is_complete, ..Findings::default() };
    for (file, state) in &found.documents {
        if state.genre == Genre::Skipped {
            continue;
        }
        let claims: Vec<Judged> = state.judged().collect();
        let earlier = before.and_then(|before| before.documents.get(file));
        if earlier.is_some_and(|earlier| is_same(earlier, state, &claims)) {
            findings.confirmed.push(file.clone());
            continue;
        }
        let bytes = std::fs::read(root.join(file)).ok();
        let content_hash = bytes.map(|bytes| ContentHash::of(&bytes).to_hex()).unwrap_or_default();
        findings.documents.push(VerifiedDocument { file: file.clone(), content_hash, claims });
    }
    findings
}

fn is_same(earlier: &DocumentState, now: &DocumentState, claims: &[Judged]) -> bool {
    earlier.content == now.content
        && earlier.genre == now.genre
        && earlier.judged().eq(claims.iter().cloned())
}
