//! Gives every passage its vector, newest model first, in small steps that can stop at any moment.
//!
//! One process at a time does this for an index on one machine (a lease decides); in a database several do, and each claims
//! what it works on. What was embedded before, for any collection of the user, comes from the cache. A failing provider leaves the passages pending and says why.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use docent_index::{
    Counts, Embedder, EmbeddingCache, Filter, PassageHash, PassageId, Pending, QuantisedVector, Role, Store,
};

use crate::EngineError;
use crate::progress::{Cancel, Event, Observer};

/// Passages looked at in one step: small enough that a stop is quick, large enough to keep two cores busy.
const STEP: usize = 128;

/// How an embedding run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Every passage has its vector.
    Complete,
    /// Stopped by request or by the deadline.
    Stopped,
    /// Another process is doing it.
    Elsewhere,
}

/// What is to be embedded, with what.
pub(crate) struct Work<'a> {
    pub(crate) store: &'a dyn Store,
    pub(crate) embedder: &'a dyn Embedder,
    pub(crate) cache: Option<&'a dyn EmbeddingCache>,
    /// Only passages of these collections; `None` means all.
    pub(crate) collections: Option<&'a [String]>,
}

/// Embeds pending passages until none is left, `deadline` passes, or `cancel` is set.
pub(crate) fn embed_pending(
    work: &Work<'_>,
    deadline: Option<Instant>,
    observer: &dyn Observer,
    cancel: &Cancel,
) -> Result<Outcome, EngineError> {
    let Work { store, embedder, cache, collections } = *work;
    let model = embedder.model();
    let Some(_lease) = store.try_lease(Role::Embed, collections.unwrap_or_default())? else {
        return Ok(Outcome::Elsewhere);
    };
    let start = work.counts()?;
    let mut done = start.embedded;
    let mut after: Option<PassageId> = None;
    loop {
        if cancel.is_cancelled() || deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Ok(Outcome::Stopped);
        }
        let pending = store.claim(model, Pending { collections, after }, STEP)?;
        let Some(last) = pending.last() else {
            // Nothing after the last one; whether nothing at all is another question.
            if after.take().is_some() {
                continue;
            }
            if !store.pending_in(model, Pending { collections, after }, 1)?.is_empty() {
                return Ok(Outcome::Elsewhere);
            }
            if collections.is_none() || store.pending(model, 1)?.is_empty() {
                store.retire_other_models(model)?;
            }
            return Ok(Outcome::Complete);
        };
        after = Some(last.id);
        let hashes: Vec<PassageHash> = pending.iter().map(|passage| passage.hash).collect();
        let mut known: HashMap<PassageHash, QuantisedVector> = HashMap::new();
        if let Some(cache) = cache {
            let found = hashes.iter().zip(cache.get(model, &hashes));
            known.extend(found.filter_map(|(hash, vector)| Some((*hash, vector?))));
        }
        let mut fresh: Vec<(PassageHash, &str)> = Vec::new();
        for passage in &pending {
            if !known.contains_key(&passage.hash) && !fresh.iter().any(|(hash, _)| *hash == passage.hash) {
                fresh.push((passage.hash, &passage.text));
            }
        }
        if !fresh.is_empty() {
            let texts: Vec<&str> = fresh.iter().map(|(_, text)| *text).collect();
            let vectors = embedder.embed_documents(&texts)?;
            let made: Vec<_> = fresh
                .iter()
                .zip(vectors)
                .map(|((hash, _), vector)| (*hash, QuantisedVector::new(&vector)))
                .collect();
            if let Some(cache) = cache {
                cache.put(model, &made);
            }
            known.extend(made);
        }
        let rows: Vec<_> = pending
            .iter()
            .filter_map(|passage| known.get(&passage.hash).map(|vector| (passage.id, vector.clone())))
            .collect();
        store.put_vectors(model, &rows)?;
        done += rows.len();
        observer.event(Event::Embedded { done, total: start.passages.max(done) });
    }
}

/// Waits until another process has embedded everything, may have left something to do, or `deadline` passes.
pub(crate) fn wait_elsewhere(
    work: &Work<'_>,
    deadline: Option<Instant>,
    observer: &dyn Observer,
    cancel: &Cancel,
) -> Result<Outcome, EngineError> {
    loop {
        let counts = work.counts()?;
        observer.event(Event::Embedded { done: counts.embedded, total: counts.passages });
        if counts.embedded >= counts.passages {
            return Ok(Outcome::Complete);
        }
        if cancel.is_cancelled() || deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Ok(Outcome::Stopped);
        }
        std::thread::sleep(Duration::from_millis(200));
        if work.store.try_lease(Role::Embed, work.collections.unwrap_or_default())?.is_some() {
            return Ok(Outcome::Elsewhere);
        }
    }
}

impl Work<'_> {
    fn counts(&self) -> Result<Counts, EngineError> {
        let filter = Filter { collections: self.collections.map(<[_]>::to_vec), ..Filter::default() };
        Ok(self.store.snapshot()?.counts(Some(self.embedder.model()), &filter))
    }
}
