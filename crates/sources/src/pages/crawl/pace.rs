//! Not faster than a site can bear.

use std::cell::Cell;
use std::thread;
use std::time::{Duration, Instant};

use crate::SourceError;

const POLL: Duration = Duration::from_millis(20);

/// Keeps requests apart.
#[derive(Debug)]
pub(super) struct Pace {
    between: Cell<Duration>,
    next: Cell<Option<Instant>>,
}

impl Pace {
    /// At most so many requests in a second. What is no usable number is one.
    pub(super) fn new(per_second: f64) -> Self {
        let per_second = if per_second.is_finite() && per_second > 0.0 { per_second } else { 1.0 };
        let between = Duration::from_secs_f64((1.0 / per_second).min(60.0));
        Self { between: Cell::new(between), next: Cell::new(None) }
    }

    /// From now on at least this long between two requests.
    pub(super) fn slow_down(&self, between: Option<Duration>) {
        self.between.set(self.between.get().max(between.unwrap_or_default()));
    }

    /// Waits until the next request may be made.
    pub(super) fn wait(&self, is_cancelled: &dyn Fn() -> bool) -> Result<(), SourceError> {
        if let Some(next) = self.next.get() {
            sleep_until(next, is_cancelled)?;
        }
        self.next.set(Some(Instant::now() + self.between.get()));
        Ok(())
    }
}

/// Sleeps, unless somebody changes their mind.
pub(super) fn sleep(time: Duration, is_cancelled: &dyn Fn() -> bool) -> Result<(), SourceError> {
    sleep_until(Instant::now() + time, is_cancelled)
}

fn sleep_until(end: Instant, is_cancelled: &dyn Fn() -> bool) -> Result<(), SourceError> {
    loop {
        if is_cancelled() {
            return Err(SourceError::cancelled());
        }
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(());
        }
        thread::sleep(left.min(POLL));
    }
}
