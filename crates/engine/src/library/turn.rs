//! Taking turns: one at a time keeps or deletes something, of all threads and processes.

use std::sync::{MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use docent_index::{Lease, Role};

use crate::engine::Inner;
use crate::{EngineError, ErrorKind};

/// How long to wait for others who keep or delete something.
const PATIENCE: Duration = Duration::from_secs(60);
const POLL: Duration = Duration::from_millis(5);

/// Held by the one that keeps or deletes something.
pub(crate) struct Turn<'a> {
    _lease: Lease,
    _mine: MutexGuard<'a, ()>,
}

impl Inner {
    /// Waits until nobody else keeps or deletes something, in this process or another. What others have begun and did not
    /// finish is finished first.
    pub(crate) fn library_turn(&self) -> Result<Turn<'_>, EngineError> {
        let mine = self.handing.lock().unwrap_or_else(PoisonError::into_inner);
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(lease) = self.store.try_lease(Role::Library)? {
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
        let lease = self.store.try_lease(Role::Library)?;
        lease.map(|lease| self.settled(Turn { _lease: lease, _mine: mine })).transpose()
    }

    fn settled<'a>(&self, turn: Turn<'a>) -> Result<Turn<'a>, EngineError> {
        self.settle(&turn)?;
        Ok(turn)
    }
}
