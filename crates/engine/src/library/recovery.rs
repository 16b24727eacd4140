//! What is told of documents that the index had lost: which came back, and which could not.

use std::collections::BTreeMap;
use std::sync::PoisonError;

use crate::EngineError;
use crate::engine::{Engine, Inner};

/// Documents that are named; the rest is counted.
const NAMED: usize = 5;

/// A document that was handed over, that the index has lost and that cannot be put back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unrestored {
    /// Its uuid.
    pub uuid: String,
    /// Its library; empty when nobody can tell.
    pub library: String,
    /// Where it came from; empty when nobody can tell.
    pub source: String,
    /// Why it cannot be put back.
    pub reason: &'static str,
}

/// What became of the documents that the index had lost.
#[derive(Debug, Default)]
pub(crate) struct Recovery {
    /// How many came back since the engine was made, by library.
    pub(super) restored: BTreeMap<String, usize>,
    /// Those that did not, as of the last time.
    pub(super) missing: Vec<Unrestored>,
}

impl Engine {
    /// What was put back when this engine was made, in a sentence; `None` when the index had lost nothing.
    pub fn restored(&self) -> Option<String> {
        let recovery = self.inner.recovery.lock().unwrap_or_else(PoisonError::into_inner);
        let libraries = recovery.restored.iter();
        let parts: Vec<String> = libraries.map(|(name, count)| format!("{count} of `{name}`")).collect();
        let what = "documents that were handed over were put back, because the index had lost them";
        (!parts.is_empty()).then(|| format!("{what}: {}", parts.join(", ")))
    }

    /// Documents that were handed over, that the index has lost and that cannot be put back.
    pub fn unrestored(&self) -> Vec<Unrestored> {
        self.inner.recovery.lock().unwrap_or_else(PoisonError::into_inner).missing.clone()
    }

    /// The same in a sentence that says what to do.
    pub fn unrestored_note(&self) -> Option<String> {
        note(&self.unrestored())
    }
}

impl Inner {
    /// Looks again when something could not be put back before: it may have been handed over again, or deleted.
    pub(super) fn look_again(&self) {
        let has_missing = || !self.recovery.lock().unwrap_or_else(PoisonError::into_inner).missing.is_empty();
        if has_missing() {
            self.restore_libraries();
        }
    }
}

/// The trouble that these are.
pub(super) fn outcome(missing: &[Unrestored]) -> Result<(), EngineError> {
    match note(missing) {
        None => Ok(()),
        Some(message) => Err(EngineError::environment(message, "ingest them again")),
    }
}

fn note(missing: &[Unrestored]) -> Option<String> {
    let first = missing.first()?;
    let name = |it: &Unrestored| match it.source.is_empty() {
        true => format!("{} ({})", it.uuid, it.reason),
        false => format!("{} of `{}` ({})", it.source, it.library, it.reason),
    };
    let mut names: Vec<String> = missing.iter().take(NAMED).map(name).collect();
    if missing.len() > NAMED {
        names.push(format!("and {} more", missing.len() - NAMED));
    }
    Some(format!(
        "{} that were handed over could not be restored: {}; ingest them again, or drop them: `docent forget {}`",
        if missing.len() == 1 { "1 document".to_owned() } else { format!("{} documents", missing.len()) },
        names.join(", "),
        first.uuid
    ))
}
