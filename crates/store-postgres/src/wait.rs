//! Waits for a future on the thread that calls.
//!
//! The trait is synchronous and its callers may be threads of another runtime, where entering a second one panics. The
//! connections are driven by the store's own runtime; what is waited for here only sends to them and receives, so a
//! parked thread is enough.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

struct Parked {
    thread: Thread,
    is_woken: AtomicBool,
}

impl Wake for Parked {
    fn wake(self: Arc<Self>) {
        self.is_woken.store(true, Ordering::Release);
        self.thread.unpark();
    }
}

/// Runs `work` to its end.
pub(crate) fn block_on<F: Future>(work: F) -> F::Output {
    let mut work = pin!(work);
    let parked = Arc::new(Parked { thread: thread::current(), is_woken: AtomicBool::new(false) });
    let waker = Waker::from(parked.clone());
    let mut context = Context::from_waker(&waker);
    loop {
        if let Poll::Ready(done) = work.as_mut().poll(&mut context) {
            return done;
        }
        while !parked.is_woken.swap(false, Ordering::Acquire) {
            thread::park();
        }
    }
}
