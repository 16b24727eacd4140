//! The writers' way: in-process mutex, lock file, SQLite transaction, lexical catch-up, new view. What a write leaves behind for readers of
//! older views goes when the next one begins.

use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{PoisonError, TryLockError};

use docent_index::{Change, Generation, NewDocument};
use rusqlite::{Connection, Transaction};

use super::Shared;
use super::views::{Searching, repairable, same_documents};
use crate::fault::{Fault, Outcome};
use crate::lock::LockFile;
use crate::record::Applied;
use crate::rows::State;
use crate::{embeddings, leftovers, purge, record, rows};

impl Shared {
    /// Runs `write` as the only writer of all processes.
    pub(crate) fn writing<T>(&self, write: impl FnOnce(&mut Connection) -> Outcome<T>) -> Outcome<T> {
        let mut conn = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let _lock = LockFile::take(&self.files.dir.join("write.lock"), self.options.patience)?;
        write(&mut conn)
    }

    /// The same for what changes the record, or looks at all of it. What the change before has left is cleared away first.
    pub(crate) fn changing<T>(&self, change: impl FnOnce(&mut Connection) -> Outcome<T>) -> Outcome<T> {
        self.writing(|conn| {
            self.clear_leftovers(conn)?;
            let changed = change(conn)?;
            self.purge_if_due(conn);
            Ok(changed)
        })
    }

    /// Applies changes, and what `along` writes in the same transaction.
    pub(crate) fn apply(
        &self,
        changes: &[Change],
        along: impl FnOnce(&Transaction<'_>, &Applied) -> Outcome<()>,
    ) -> Outcome<Generation> {
        self.changing(|conn| {
            let applied = record::apply(conn, changes, along)?;
            let mut fresh = HashMap::new();
            for (id, index) in applied.added {
                if let Some(Change::Put(document)) = changes.get(index) {
                    fresh.insert(id, &**document);
                }
            }
            self.follow(conn, &fresh)?;
            Ok(Generation(rows::generation(conn)?))
        })
    }

    /// After a write: the lexical indexes and the view follow the record.
    pub(crate) fn follow(&self, conn: &mut Connection, fresh: &HashMap<u64, &NewDocument>) -> Outcome<()> {
        let state = rows::state(conn)?;
        if let Err(fault) = self.files.lexical.catch_up(conn, &state, fresh) {
            if !repairable(&fault) {
                return Err(fault);
            }
            self.rebuild_lexical(conn, &state, fresh)?;
        }
        let published = self.publish(|| Ok(&*conn));
        let published = match published {
            Err(Fault::Tantivy(_)) => {
                self.rebuild_lexical(conn, &state, fresh)?;
                self.publish(|| Ok(&*conn))?
            }
            Err(fault) if repairable(&fault) => {
                self.forget_damaged_vectors(conn)?;
                self.publish(|| Ok(&*conn))?
            }
            other => other?,
        };
        match published {
            true => Ok(()),
            false => Err(Fault::Internal("the lexical index does not follow the record".to_owned())),
        }
    }

    /// Brings the derived parts up to the record, if nobody is writing. False when somebody is.
    pub(super) fn finish_for_others(&self) -> Outcome<bool> {
        let mut conn = match self.writer.try_lock() {
            Ok(conn) => conn,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return Ok(false),
        };
        let Some(_lock) = LockFile::try_take(&self.files.dir.join("write.lock"))? else { return Ok(false) };
        self.forget_damaged_vectors(&mut conn)?;
        self.follow(&mut conn, &HashMap::new())?;
        Ok(true)
    }

    fn rebuild_lexical(
        &self,
        conn: &Connection,
        state: &State,
        fresh: &HashMap<u64, &NewDocument>,
    ) -> Outcome<()> {
        self.notice("the lexical index was damaged and was built anew".to_owned());
        self.files.lexical.discard()?;
        self.files.lexical.catch_up(conn, state, fresh)
    }

    fn forget_damaged_vectors(&self, conn: &mut Connection) -> Outcome<()> {
        for model in embeddings::forget_damaged(conn, &self.files.dir)? {
            self.notice(format!("the vectors of {model} were damaged and are computed again"));
        }
        Ok(())
    }

    /// Takes what was removed off the disk; says whether nothing is left.
    pub(crate) fn purge(&self, conn: &mut Connection, is_first: bool) -> Outcome<bool> {
        let is_complete = purge::run(conn, &self.files.dir, &self.files.lexical, is_first)?;
        // Searchers that are in use know segments that are gone now; whoever holds one keeps its files open.
        self.publish_with(Searching::Anew, || Ok(&*conn))?;
        Ok(is_complete)
    }

    /// Goes on with what somebody else could not finish, without waiting. What still cannot be done is tried again.
    fn purge_if_due(&self, conn: &mut Connection) {
        if purge::is_due(&self.files.dir) {
            let outcome = self.clear_leftovers(conn).and_then(|()| self.purge(conn, false));
            if let Err(fault) = outcome {
                self.notice(format!("what was deleted is not off the disk yet: {}", self.files.tell(fault)));
            }
        }
    }

    pub(crate) fn clear_leftovers(&self, conn: &mut Connection) -> Outcome<()> {
        let removal = leftovers::last_removal(conn)?;
        if self.cleared.load(Ordering::Relaxed) == removal {
            return Ok(());
        }
        // Whoever left them may have been killed before the lexical indexes could follow.
        let state = rows::state(conn)?;
        if !self.current.load().as_ref().is_some_and(|view| same_documents(&view.state, &state)) {
            self.follow(conn, &HashMap::new())?;
        }
        leftovers::clear(conn)?;
        self.cleared.store(removal, Ordering::Relaxed);
        Ok(())
    }
}
