//! Runs a verification of the repository and keeps what it found.
//!
//! A verification starts from the one before, so that only what has changed is looked at again. That is kept in a file
//! beside the store, as a cache: without it the next one takes longer, and nothing else.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use docent_claims::{
    DocumentState, FactStore, Genre, Judged, NoStore, Options, Repository, Verification, Watch, verify,
};
use docent_index::ContentHash;

use crate::facade::Health;
use crate::findings::{Findings, VerifiedDocument};

/// Larger caches are not read: something else wrote them.
const MAX_BYTES: u64 = 256 << 20;

/// Verifies a repository again and again.
pub struct Service {
    health: Arc<Health>,
    facts: Arc<dyn FactStore>,
    /// Where the last verification is kept between processes.
    file: Option<PathBuf>,
    previous: Option<Verification>,
    /// Whether what is kept in the store is what `previous` says.
    is_kept: bool,
}

impl Service {
    /// For the repository of `health`. `file` keeps the last verification between processes, `facts` what was read out of
    /// files of the past.
    pub fn new(health: Arc<Health>, file: Option<PathBuf>, facts: Option<Arc<dyn FactStore>>) -> Self {
        let previous = file.as_deref().and_then(read);
        let facts = facts.unwrap_or_else(|| Arc::new(NoStore));
        Self { health, facts, file, previous, is_kept: false }
    }

    /// Verifies what has changed, keeps it, and gives back all there is. The error is told to a person.
    pub fn run(&mut self, options: &Options, watch: Watch<'_>) -> Result<&Verification, String> {
        let root = &self.health.identity().root;
        let repository = Repository::open(root).map_err(|error| error.to_string())?;
        let found = verify(&repository, options, self.previous.as_ref(), Arc::clone(&self.facts), watch);
        let found = found.map_err(|error| error.to_string())?;
        // Another process, or a person who moved the file away, may have changed what is kept.
        let known = self.health.view().map_err(|error| error.to_string())?.documents();
        let before = self.previous.as_ref().filter(|_| self.is_kept && known > 0);
        let findings = findings(&found, before, options.paths.is_empty(), root, self.health.now());
        self.health.record(&findings).map_err(|error| error.to_string())?;
        if let Some(file) = &self.file {
            // Only a cache: not being able to write it costs time later.
            let _ = write(file, &found);
        }
        self.is_kept = true;
        Ok(self.previous.insert(found))
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

fn read(file: &Path) -> Option<Verification> {
    let metadata = std::fs::metadata(file).ok()?;
    let bytes = (metadata.len() <= MAX_BYTES).then(|| std::fs::read(file).ok()).flatten()?;
    serde_json::from_slice(&bytes).ok()
}

/// In one step, so that nobody reads half of it.
fn write(file: &Path, found: &Verification) -> std::io::Result<()> {
    let draft = file.with_extension(format!("{}.tmp", std::process::id()));
    let written = std::fs::File::create(&draft).and_then(|created| {
        let mut created = std::io::BufWriter::new(created);
        serde_json::to_writer(&mut created, found)?;
        created.flush()
    });
    let done = written.and_then(|()| std::fs::rename(&draft, file));
    if done.is_err() {
        let _ = std::fs::remove_file(&draft);
    }
    done
}
