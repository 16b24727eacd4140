//! Taking turns: one at a time keeps or deletes something, of all threads and processes, and one at a time of this process works
//! on a large document.

use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use docent_index::{Lease, Role};

use super::vectors::cancelled;
use crate::engine::Inner;
use crate::progress::Cancel;
use crate::{EngineError, ErrorKind};

/// Larger texts are worked on one at a time: cut, embedded and indexed they take twenty times their size.
const LARGE_BYTES: usize = 1 << 20;

/// How long to wait for others who keep or delete something.
const PATIENCE: Duration = Duration::from_secs(60);
const POLL: Duration = Duration::from_millis(5);

/// Held by the one that keeps or deletes something.
pub(crate) struct Turn<'a> {
    _lease: Lease,
    _mine: MutexGuard<'a, ()>,
}

/// Held by the one that works on a large document.
pub(super) type LargeTurn = MutexGuard<'static, ()>;

/// Waits until nobody else works on a large document; nothing for a small one. Who waits here holds no other turn.
pub(super) fn large_turn(bytes: usize, cancel: &Cancel) -> Result<Option<LargeTurn>, EngineError> {
    static LARGE: Mutex<()> = Mutex::new(());
    if bytes < LARGE_BYTES {
        return Ok(None);
    }
    loop {
        match LARGE.try_lock() {
            Ok(turn) => return Ok(Some(turn)),
            Err(TryLockError::Poisoned(poisoned)) => return Ok(Some(poisoned.into_inner())),
            Err(TryLockError::WouldBlock) if cancel.is_cancelled() => return Err(cancelled()),
            Err(TryLockError::WouldBlock) => std::thread::sleep(POLL),
        }
    }
}

impl Inner {
    /// Waits until nobody else keeps or deletes something, in this process or another. What others have begun and did not
    /// finish is finished first.
    pub(crate) fn library_turn(&self) -> Result<Turn<'_>, EngineError> {
        let mine = self.handing.lock().unwrap_or_else(PoisonError::into_inner);
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(lease) = self.store.try_lease(Role::Library, &[])? {
                return self.settled(Turn { _lease: lease, _mine: mine });
            }
            if Instant::now() >= deadline {
                return Err(EngineError {
                    kind: ErrorKind::Busy,
                    message: "another docent process is writing to the libraries of this index".to_owned(),
                    hint: "wait for it to finish, or stop it".to_owned(),
                });
            }
            std::thread::sleep(POLL);
        }
    }

    /// The same, without waiting.
    pub(super) fn try_library_turn(&self) -> Result<Option<Turn<'_>>, EngineError> {
        let mine = match self.handing.try_lock() {
            Ok(mine) => mine,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return Ok(None),
        };
        let lease = self.store.try_lease(Role::Library, &[])?;
        lease.map(|lease| self.settled(Turn { _lease: lease, _mine: mine })).transpose()
    }

    fn settled<'a>(&self, turn: Turn<'a>) -> Result<Turn<'a>, EngineError> {
        self.settle(&turn)?;
        Ok(turn)
    }
}
