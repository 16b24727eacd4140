//! How far a run of `docent ingest` is.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::printer::{Printer, clean};
use crate::progress::Progress;

/// More files than this are a long run: what is skipped is only counted, and failures that have scrolled away are told again.
pub(super) const MANY: usize = 20;

/// How far it is.
pub(super) struct Bar {
    pub(super) progress: Progress,
    here: PathBuf,
    pub(super) done: AtomicUsize,
    /// 0 when it is not known.
    pub(super) total: AtomicUsize,
}

impl Bar {
    pub(super) fn new(here: &Path, printer: &Printer) -> Arc<Self> {
        Arc::new(Self {
            progress: Progress::new(printer),
            here: here.to_owned(),
            done: AtomicUsize::new(0),
            total: AtomicUsize::new(0),
        })
    }

    /// Says how many there will be.
    pub(super) fn expect(&self, total: usize) {
        self.total.store(total, Ordering::Relaxed);
    }

    /// Shows what is worked on now.
    pub(super) fn current(&self, source: &str) {
        let (done, total) = (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed));
        self.progress.taking(done, total, &self.short(source));
    }

    /// Whether this is a long run.
    pub(super) fn is_long(&self) -> bool {
        self.total.load(Ordering::Relaxed).max(self.done.load(Ordering::Relaxed)) > MANY
    }

    /// The path as a user would write it here.
    pub(super) fn short(&self, source: &str) -> String {
        let below = Path::new(source).strip_prefix(&self.here).ok().and_then(Path::to_str);
        clean(below.unwrap_or(source))
    }
}
