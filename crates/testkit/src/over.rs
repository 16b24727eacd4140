//! The end of a test with threads that go on until somebody says so.

use std::sync::atomic::{AtomicBool, Ordering};

/// Says so when it is dropped, also by a test that fails: otherwise its threads would go on for ever.
pub struct Over<'a>(pub &'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}
