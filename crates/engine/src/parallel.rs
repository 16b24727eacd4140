//! Work on many things at once, whose results are taken one at a time.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use crate::progress::Cancel;

/// Results that may wait to be taken.
const AHEAD: usize = 64;
const MAX_WORKERS: usize = 8;

/// Runs `make` on all items, a little ahead of `take`, which gets the results in any order. There are fewer results than
/// items when the work is cancelled; when `take` returns early, the rest is not done.
pub(crate) fn in_parallel<T: Sync, R: Send, O>(
    items: &[T],
    cancel: &Cancel,
    make: impl Fn(&T) -> R + Sync,
    take: impl FnOnce(&mut dyn Iterator<Item = R>) -> O,
) -> O {
    let next = AtomicUsize::new(0);
    let workers = thread::available_parallelism().map_or(1, usize::from).min(items.len()).min(MAX_WORKERS);
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::sync_channel(AHEAD);
        for _ in 0..workers {
            let (sender, next, make) = (sender.clone(), &next, &make);
            scope.spawn(move || {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if cancel.is_cancelled() || sender.send(make(item)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        // Dropping the receiver afterwards ends the workers at their next send.
        take(&mut receiver.into_iter())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_worked_on_once() {
        let items: Vec<usize> = (0..1000).collect();
        let mut results: Vec<usize> =
            in_parallel(&items, &Cancel::default(), |item| item * 2, |results| results.collect());
        results.sort_unstable();
        assert_eq!(results, items.iter().map(|item| item * 2).collect::<Vec<_>>());
    }

    #[test]
    fn who_stops_taking_does_not_wait_for_the_rest() {
        let (items, made) = (vec![(); 10_000], AtomicUsize::new(0));
        let make = |(): &()| made.fetch_add(1, Ordering::Relaxed);
        in_parallel(&items, &Cancel::default(), make, |results| results.next());
        assert!(made.load(Ordering::Relaxed) < 1000);
    }
}
