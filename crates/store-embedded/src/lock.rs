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

    /// Takes the lock, waiting for it at most `patience`. Who waits is let in before those who come later, so that a process
    /// that writes batch after batch does not keep everybody else out.
    pub(crate) fn take(path: &Path, patience: Duration) -> Outcome<Self> {
        let deadline = Instant::now() + patience;
        let waiting = open(&path.with_extension("waiting"))?;
        if waiting.try_lock().is_err() {
            thread::sleep(POLL * 4);
        } else {
            waiting.unlock()?;
        }
        if let Some(lock) = Self::try_take(path)? {
            return Ok(lock);
        }
        // Everybody who waits holds a share of this lock; that it is held is all that matters.
        let _ = waiting.try_lock_shared();
        while Instant::now() < deadline {
            thread::sleep(POLL);
            if let Some(lock) = Self::try_take(path)? {
                return Ok(lock);
            }
        }
        Err(Fault::Busy)
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

    #[test]
    fn who_waits_is_let_in_before_those_who_come_again() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.lock");
        let is_done = std::sync::atomic::AtomicBool::new(false);
        let order = std::sync::atomic::Ordering::SeqCst;
        let held = LockFile::take(&path, Duration::from_secs(60)).unwrap();
        thread::scope(|scope| {
            scope.spawn(|| {
                let _lock = LockFile::take(&path, Duration::from_secs(60)).unwrap();
                is_done.store(true, order);
            });
            thread::sleep(Duration::from_millis(50));
            drop(held);
            let mut turns = 0;
            while !is_done.load(order) {
                let _lock = LockFile::take(&path, Duration::from_secs(60)).unwrap();
                thread::sleep(Duration::from_millis(50));
                turns += 1;
            }
            assert!(turns < 20, "{turns} turns of somebody else");
        });
    }
}
