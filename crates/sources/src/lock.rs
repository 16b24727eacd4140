//! Two processes that fetch the same source take turns: one lock file each, held by the operating system.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::{Context, SourceError};

const POLL: Duration = Duration::from_millis(50);
/// Longer than a fetch may take.
const PATIENCE: Duration = Duration::from_secs(30 * 60);

/// Held until dropped.
#[derive(Debug)]
pub(crate) struct Turn(#[expect(dead_code, reason = "kept for its drop")] File);

impl Turn {
    /// Waits until nobody else holds the lock file at `path`.
    pub(crate) fn wait(path: &Path, context: &Context<'_>) -> Result<Self, SourceError> {
        let failed = |error| cache_failed(path, &error);
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let file = file.map_err(failed)?;
        let deadline = Instant::now() + PATIENCE;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self(file)),
                Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                    context.go_on()?;
                    thread::sleep(POLL);
                }
                Err(TryLockError::WouldBlock) => {
                    let message = "another process is fetching the same source and does not finish";
                    return Err(SourceError::failed(message, "end it, and try again"));
                }
                Err(TryLockError::Error(error)) => return Err(failed(error)),
            }
        }
    }
}

/// The error for a cache that does not work.
pub(crate) fn cache_failed(path: &Path, error: &std::io::Error) -> SourceError {
    SourceError::failed(
        format!("the cache cannot be used at {}: {error}", path.display()),
        "check that the folder can be written and that the disk has room",
    )
}
