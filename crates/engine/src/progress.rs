//! How long work tells of itself and is told to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Something that happened during long work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The folder has been walked.
    Scanned {
        /// Documents found.
        files: usize,
        /// How many of them are new or changed.
        changed: usize,
    },
    /// Documents have been read and cut.
    Read {
        /// Files so far.
        files: usize,
        /// Files in all.
        total: usize,
        /// Chunks so far.
        chunks: usize,
    },
    /// Everything read so far can be found by its words.
    Searchable,
    /// Passages have got their vectors.
    Embedded {
        /// Passages that have one.
        done: usize,
        /// Passages in all.
        total: usize,
    },
    /// Another process does this work; we wait for it.
    Waiting,
    /// A file or folder was passed over.
    Problem {
        /// Which one.
        path: String,
        /// Why.
        reason: String,
    },
}

/// Listens to long work.
pub trait Observer: Sync {
    /// Called from any thread; must be quick.
    fn event(&self, event: Event);
}

/// Listens to nothing.
pub struct Silent;

impl Observer for Silent {
    fn event(&self, _: Event) {}
}

/// Tells long work to stop at the next safe point.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks the work to stop.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Whether it was asked to.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}
