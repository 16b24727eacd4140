//! Locks between processes: one file each, held by the operating system and gone with the process.
//!
//! The file's content is the holder's process id, for people only. Readers of the index never come here.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::fault::{Fault, Outcome};

const POLL: Duration = Duration::from_millis(5);

/// Held until dropped.
#[derive(Debug)]
pub(crate) struct LockFile(#[expect(dead_code, reason = "kept for its drop")] File);

impl LockFile {
    /// Takes the lock if it is free.
    pub(crate) fn try_take(path: &Path) -> Outcome<Option<Self>> {
        let mut file = open(path)?;
        match file.try_lock() {
            Ok(()) => {
                // The process id is a courtesy; a full disk must not keep anyone from the lock.
                let _ = file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id()));
                Ok(Some(Self(file)))
            }
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error.into()),
        }
    }

    /// Takes the lock, waiting for it at most `patience`.
    pub(crate) fn take(path: &Path, patience: Duration) -> Outcome<Self> {
        let deadline = Instant::now() + patience;
        loop {
            if let Some(lock) = Self::try_take(path)? {
                return Ok(lock);
            }
            if Instant::now() >= deadline {
                return Err(Fault::Busy);
            }
            thread::sleep(POLL);
        }
    }
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_free_again_when_dropped() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.lock");
        let held = LockFile::try_take(&path).unwrap().unwrap();
        assert!(LockFile::try_take(&path).unwrap().is_none());
        assert!(matches!(LockFile::take(&path, Duration::from_millis(20)), Err(Fault::Busy)));
        drop(held);
        assert!(LockFile::try_take(&path).unwrap().is_some());
    }
}
