//! The two threads of a long-lived process: one applies changes as they happen, one embeds.
//!
//! Both only make things ready sooner. Correctness does not hang on them: every call looks for changes itself.

use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::embedding::{self, Outcome};
use crate::engine::Inner;
use crate::progress::Silent;

/// Editors write in bursts; waiting this long gathers a burst into one batch.
const GATHER: Duration = Duration::from_millis(15);
/// A whole walk at least this often, should the system have lost events.
const SAFETY_WALK: Duration = Duration::from_secs(60);
/// Pause before a failed provider is tried again.
const RETRY: Duration = Duration::from_secs(10);

/// Running threads; they end when this is dropped.
pub(crate) struct Background {
    inner: Arc<Inner>,
    threads: Vec<JoinHandle<()>>,
}

impl Background {
    pub(crate) fn start(inner: &Arc<Inner>) -> Self {
        let mut threads = Vec::new();
        let indexer = Arc::clone(inner);
        threads.push(thread::spawn(move || keep_applying(&indexer)));
        if inner.embedder.is_some() {
            let embedder = Arc::clone(inner);
            threads.push(thread::spawn(move || keep_embedding(&embedder)));
        }
        Self { inner: Arc::clone(inner), threads }
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        self.inner.stop.cancel();
        self.inner.stop_waiting();
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

fn keep_applying(inner: &Inner) {
    inner.recut_in_background();
    // What happened before we watched is found by a walk.
    inner.note_outcome("indexing", inner.apply_everything(true, &inner.pass));
    inner.pass.end();
    while !inner.stop.is_cancelled() {
        let changed = match inner.watch.get() {
            Some(watch) => watch.wait(SAFETY_WALK),
            None => {
                inner.sleep(Duration::from_secs(2));
                false
            }
        };
        if inner.stop.is_cancelled() {
            return;
        }
        if changed {
            thread::sleep(GATHER);
        } else {
            inner.recut_in_background();
        }
        inner.note_outcome("indexing", inner.apply_everything(!changed, &Silent));
    }
}

fn keep_embedding(inner: &Inner) {
    while !inner.stop.is_cancelled() {
        let Some(embedder) = inner.embedder.as_deref() else { return };
        let (store, cache) = (&*inner.store, inner.cache.as_deref());
        let work = embedding::Work { store, embedder, cache, collections: None };
        let outcome = embedding::embed_pending(&work, None, &Silent, &inner.stop);
        let pause = match &outcome {
            Ok(Outcome::Complete) => Duration::from_secs(5),
            Ok(Outcome::Elsewhere) => Duration::from_secs(1),
            Ok(Outcome::Stopped) => return,
            Err(_) => RETRY,
        };
        inner.note_outcome("embedding", outcome.map(|_| ()));
        inner.wait_for_passages(pause);
    }
}
