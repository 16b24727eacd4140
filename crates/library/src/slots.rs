//! A few places for work that takes memory; who finds none free waits, and can be told to stop waiting.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use docent_engine::Cancel;

/// How often a waiter looks whether it was told to stop.
const LOOK: Duration = Duration::from_millis(50);

/// A number of places.
#[derive(Debug)]
pub(crate) struct Slots {
    free: Mutex<usize>,
    freed: Condvar,
}

/// A place that is taken, until it is dropped.
#[derive(Debug)]
pub(crate) struct Slot<'a>(&'a Slots);

impl Slots {
    pub(crate) fn new(places: usize) -> Self {
        Self { free: Mutex::new(places), freed: Condvar::new() }
    }

    /// Takes a place, however long that takes; `None` when the work was cancelled meanwhile.
    pub(crate) fn take(&self, cancel: &Cancel) -> Option<Slot<'_>> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if cancel.is_cancelled() {
                return None;
            }
            if *free > 0 {
                *free -= 1;
                return Some(Slot(self));
            }
            (free, _) = self.freed.wait_timeout(free, LOOK).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_free_again_when_it_is_given_back() {
        let slots = Slots::new(1);
        let cancel = Cancel::default();
        let taken = slots.take(&cancel);
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| slots.take(&Cancel::default()).is_some());
            drop(taken);
            assert!(waiter.join().is_ok_and(|got| got));
        });
    }

    #[test]
    fn waiting_can_be_cancelled() {
        let slots = Slots::new(0);
        let cancel = Cancel::default();
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| slots.take(&cancel).is_none());
            cancel.cancel();
            assert!(waiter.join().is_ok_and(|got| got));
        });
    }
}
