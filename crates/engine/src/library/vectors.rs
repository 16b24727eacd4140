//! The first vectors of a document that was handed over: made before it takes the place of an older version, so that a
//! provider that fails is told to the caller instead of being found out by the next search.
//!
//! A provider that is slow is no reason to wait: what is not done in time is left to the background. It is asked on a
//! thread of its own, because nothing else can be done about a call that does not come back.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use docent_index::{EmbedError, Embedder, NewDocument, NewPassage, PassageHash, QuantisedVector};

use crate::engine::Inner;
use crate::progress::Cancel;
use crate::{EngineError, ErrorKind};

/// How long a caller waits for vectors.
const BUDGET: Duration = Duration::from_secs(3);
/// The same for a document so long that most of them are made in the background anyway.
const LONG_BUDGET: Duration = Duration::from_secs(1);
/// Passages of such a document.
const LONG: usize = 2000;
/// Passages that the provider is given at a time.
const STEP: usize = 16;
const POLL: Duration = Duration::from_millis(50);

/// Vectors by the passage that they are of.
pub(super) type Vectors = HashMap<PassageHash, QuantisedVector>;

impl Inner {
    /// Vectors of the document's passages, as many as can be had in time, without those in `held`. An error when the
    /// provider fails.
    pub(super) fn first_vectors(
        &self,
        document: &NewDocument,
        held: &HashSet<PassageHash>,
        cancel: &Cancel,
    ) -> Result<Vectors, EngineError> {
        let Some(embedder) = &self.embedder else { return Ok(Vectors::new()) };
        let passages = || {
            let searchable = document.chunks.iter().filter(|chunk| chunk.searchable);
            searchable.flat_map(|chunk| &chunk.passages).filter(|passage| !held.contains(&passage.hash))
        };
        let mut vectors = Vectors::new();
        if let Some(cache) = &self.cache {
            let hashes: Vec<PassageHash> = passages().map(|passage| passage.hash).collect();
            let found = hashes.iter().zip(cache.get(embedder.model(), &hashes));
            vectors.extend(found.filter_map(|(hash, vector)| Some((*hash, vector?))));
        }
        let mut seen = HashSet::new();
        let mut is_new = |hash: &PassageHash| !vectors.contains_key(hash) && seen.insert(*hash);
        let new: Vec<&NewPassage> = passages().filter(|passage| is_new(&passage.hash)).collect();
        if !new.is_empty() {
            make_vectors(Arc::clone(embedder), &new, cancel, &mut vectors)?;
        }
        Ok(vectors)
    }

    /// Keeps vectors for other collections of the user, once their document is kept.
    pub(super) fn cache_vectors(&self, vectors: Vectors) {
        if let (Some(embedder), Some(cache)) = (&self.embedder, &self.cache) {
            let vectors: Vec<_> = vectors.into_iter().collect();
            cache.put(embedder.model(), &vectors);
        }
    }
}

/// Makes vectors until the time is up. The provider is handed a few texts at a time, so that not all of them are held twice.
fn make_vectors(
    embedder: Arc<dyn Embedder>,
    new: &[&NewPassage],
    cancel: &Cancel,
    vectors: &mut Vectors,
) -> Result<(), EngineError> {
    let deadline = Instant::now() + if new.len() > LONG { LONG_BUDGET } else { BUDGET };
    let (asking, asked) = mpsc::sync_channel::<Vec<(PassageHash, String)>>(1);
    let (telling, told) = mpsc::sync_channel::<Result<Vectors, EmbedError>>(1);
    thread::spawn(move || {
        for step in asked {
            let texts: Vec<&str> = step.iter().map(|(_, text)| text.as_str()).collect();
            let made = embedder.embed_documents(&texts).map(|made| {
                let made = made.iter().map(|vector| QuantisedVector::new(vector));
                step.iter().map(|(hash, _)| *hash).zip(made).collect()
            });
            // Nobody waits any more when the time is up.
            if telling.send(made).is_err() {
                return;
            }
        }
    });
    for step in new.chunks(STEP) {
        let texts = step.iter().map(|passage| (passage.hash, passage.text.clone())).collect();
        if asking.send(texts).is_err() {
            return Ok(());
        }
        loop {
            if cancel.is_cancelled() {
                return Err(cancelled());
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            match told.recv_timeout(left.min(POLL)) {
                Ok(made) => {
                    vectors.extend(made?);
                    break;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
        }
    }
    Ok(())
}

/// The error for work that was stopped before anything was written.
pub(super) fn cancelled() -> EngineError {
    EngineError {
        kind: ErrorKind::Usage,
        message: "stopped before it was done".to_owned(),
        hint: "nothing was changed; start again when you like".to_owned(),
    }
}
