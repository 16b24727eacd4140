//! Work that two threads take from one list.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Does `count` pieces of work, in order of their numbers, with a second thread when `has_help`. The calling thread does
/// `first` before it takes from the list.
pub(super) fn share<T: Send + Sync, F>(
    has_help: bool,
    count: usize,
    work: impl Fn(usize) -> T + Sync,
    first: impl FnOnce() -> F,
) -> (Vec<T>, F) {
    let results: Vec<OnceLock<T>> = (0..count).map(|_| OnceLock::new()).collect();
    let next = AtomicUsize::new(0);
    let take = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(result) = results.get(at) else { break };
            let _ = result.set(work(at));
        }
    };
    let first = thread::scope(|scope| {
        if has_help {
            scope.spawn(take);
        }
        let first = first();
        take();
        first
    });
    // A scope ends when its threads have, and hands on their panics: every piece is done.
    (results.into_iter().filter_map(OnceLock::into_inner).collect(), first)
}

#[cfg(test)]
mod tests {
    use super::share;

    #[test]
    fn every_piece_is_done_once_and_stays_in_its_place() {
        for has_help in [false, true] {
            for count in [0, 1, 2, 100] {
                let (done, first) = share(has_help, count, |at| at * 2, || "first");
                assert_eq!(done, (0..count).map(|at| at * 2).collect::<Vec<_>>());
                assert_eq!(first, "first");
            }
        }
    }
}
