//! The first look at all files after a start: how far it is, and waiting for it.
//!
//! A call that comes in before the first look is over would answer from an index that is empty or old. Whoever serves
//! calls waits here for a moment and can tell the caller how far the work is.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::Engine;
use crate::progress::{Event, Observer};

/// How far the first look is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FirstPass {
    /// Whether nothing was indexed before.
    pub cold: bool,
    /// Files read so far.
    pub files: usize,
    /// Files to read, as far as known.
    pub total: usize,
}

#[derive(Default)]
pub(crate) struct Pass {
    running: Mutex<Option<FirstPass>>,
    ended: Condvar,
}

impl Pass {
    pub(crate) fn begin(&self, cold: bool) {
        *self.lock() = Some(FirstPass { cold, files: 0, total: 0 });
    }

    pub(crate) fn end(&self) {
        *self.lock() = None;
        self.ended.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Option<FirstPass>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Pass {
    fn event(&self, event: Event) {
        if let (Event::Read { files, total, .. }, Some(pass)) = (event, &mut *self.lock()) {
            (pass.files, pass.total) = (files, total);
        }
    }
}

impl Engine {
    /// How far the first look is; `None` when it is over or nothing runs in the background.
    pub fn first_pass(&self) -> Option<FirstPass> {
        *self.inner.whole().pass.lock()
    }

    /// Waits until the first look is over, at most for `limit`. What is left when it is not.
    pub fn wait_for_first_pass(&self, limit: Duration) -> Option<FirstPass> {
        let until = Instant::now() + limit;
        let pass = &self.inner.whole().pass;
        let mut running = pass.lock();
        while running.is_some() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            running = pass.ended.wait_timeout(running, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        *running
    }
}
