//! The readers' way: a view of one generation, published when the record and the lexical indexes agree.
//!
//! When another process is half-way through a write, readers keep the view before it; when that process died half-way, whoever comes next
//! and gets the lock finishes for it.

use std::sync::{Arc, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::Shared;
use crate::fault::{Fault, Outcome};
use crate::rows::State;
use crate::view::View;
use crate::{leftovers, rows};

/// How long a failed catch-up is not tried again: a full disk is not fuller for being asked every millisecond.
const PAUSE: Duration = Duration::from_secs(1);
const POLL: Duration = Duration::from_millis(5);

impl Shared {
    /// Makes the first view, waiting for another writer if there must be one.
    pub(super) fn first_view(&self) -> Outcome<()> {
        let deadline = Instant::now() + self.options.patience;
        loop {
            match self.publish(|| self.files.readers.lend()) {
                Ok(true) => return Ok(()),
                Ok(false) => {}
                Err(fault) if repairable(&fault) => {}
                Err(fault) => return Err(fault),
            }
            if self.finish_for_others()? {
                return Ok(());
            }
            if Instant::now() >= deadline {
                return Err(Fault::Busy);
            }
            thread::sleep(POLL);
        }
    }

    /// The newest view that is whole.
    pub(crate) fn view(&self) -> Outcome<Arc<View>> {
        let held = self.current.load_full();
        if let Some(held) = &held {
            let newest = self.files.readers.lend().and_then(|conn| rows::generation(&conn));
            if newest? == held.state.generation {
                return Ok(held.clone());
            }
        }
        let deadline = Instant::now() + self.options.patience;
        loop {
            match self.publish(|| self.files.readers.lend()) {
                Ok(true) => {}
                Err(fault) if !repairable(&fault) => return Err(fault),
                // Behind, or broken: finished here if nobody is writing. Until then the view before will do.
                _ if self.is_time_to_try() => {
                    if let Err(fault) = self.finish_for_others() {
                        self.notice(format!(
                            "the index could not be brought up to date: {}",
                            self.files.tell(fault)
                        ));
                        self.pause();
                    }
                }
                _ => {}
            }
            let held = self.current.load_full().ok_or(Fault::Busy)?;
            // A view that missed more than the write that is under way may name rows that are gone: nobody asked between
            // that write and the one before.
            let is_whole = self.files.reading(|conn| leftovers::serve(conn, held.state.generation))?;
            if is_whole || !self.is_time_to_try() || Instant::now() >= deadline {
                return Ok(held);
            }
            thread::sleep(POLL);
        }
    }

    /// Makes a view of what the record holds now and publishes it. False when the lexical indexes do not reflect it.
    pub(super) fn publish<'a, C: std::ops::Deref<Target = Connection> + 'a>(
        &'a self,
        connection: impl FnOnce() -> Outcome<C>,
    ) -> Outcome<bool> {
        self.publish_with(Searching::AsBefore, connection)
    }

    pub(super) fn publish_with<'a, C: std::ops::Deref<Target = Connection> + 'a>(
        &'a self,
        searching: Searching,
        connection: impl FnOnce() -> Outcome<C>,
    ) -> Outcome<bool> {
        let _order = self.publishing.lock().unwrap_or_else(PoisonError::into_inner);
        let conn = connection()?;
        let before = self.current.load_full();
        // The record may move on between looking at it and at the lexical indexes; then the next look succeeds.
        for _ in 0..3 {
            let transaction = conn.unchecked_transaction()?;
            let state = rows::state(&transaction)?;
            let is_anew = searching == Searching::Anew;
            if !is_anew && before.as_ref().is_some_and(|before| before.state == state) {
                return Ok(true);
            }
            let held = before.as_ref().filter(|before| !is_anew && same_documents(&before.state, &state));
            let searchers = match held {
                Some(before) => Some(before.searchers.clone()),
                None => self.files.lexical.searchers(&state)?,
            };
            if let Some(searchers) = searchers {
                let view = View::read(&transaction, &self.files.dir, state, searchers, before.as_deref())?;
                self.current.store(Some(Arc::new(view)));
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn is_time_to_try(&self) -> bool {
        let not_before = self.not_before.lock().unwrap_or_else(PoisonError::into_inner);
        not_before.is_none_or(|not_before| Instant::now() >= not_before)
    }

    fn pause(&self) {
        *self.not_before.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now() + PAUSE);
    }
}

/// Where the searchers of a view come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Searching {
    /// From the view before, where the documents are the same.
    AsBefore,
    /// From the files.
    Anew,
}

pub(super) fn same_documents(before: &State, now: &State) -> bool {
    before.uuid == now.uuid && before.documents_generation == now.documents_generation
}

/// Whether building derived parts anew may help.
pub(super) fn repairable(fault: &Fault) -> bool {
    match fault {
        Fault::Tantivy(_) | Fault::Damaged(_) => true,
        Fault::Io(error) => error.kind() == std::io::ErrorKind::NotFound,
        _ => false,
    }
}
