//! What a fetched collection is to hold, on its way from several threads into one transaction.
//!
//! A batch of it is gathered before the store is asked, so that a small collection is all at hand and other writers wait
//! only for the writing. Of a large one never more than that batch is in memory; the rest is made while the first is
//! written, and others wait for both. Readers wait for neither.

use std::collections::VecDeque;

use docent_index::{Abandoned, Collection, Entry, Replaced, Replacement};

use crate::EngineError;
use crate::about::About;
use crate::engine::Inner;
use crate::ingest::BATCH_BYTES;
use crate::progress::{Cancel, Event, Observer};

/// The entries of a collection, one after the other.
pub(crate) struct Entries<'a> {
    /// Where they come from; it ends early when the work is cancelled.
    pub(crate) made: &'a mut dyn Iterator<Item = Result<Entry, EngineError>>,
    /// How many there should be.
    pub(crate) total: usize,
    /// Told of each, in the order in which they come.
    pub(crate) tally: &'a mut dyn FnMut(&Entry),
    /// The error for when there is no document among them.
    pub(crate) none: EngineError,
    pub(crate) observer: &'a dyn Observer,
    pub(crate) cancel: &'a Cancel,
    /// What has happened so far.
    pub(crate) progress: Progress,
}

#[derive(Default)]
pub(crate) struct Progress {
    ready: VecDeque<Entry>,
    taken: usize,
    documents: usize,
    chunks: usize,
    end: Option<Result<(), Abandoned>>,
    error: Option<EngineError>,
}

impl Inner {
    /// Makes a fetched collection hold these entries, as one generation.
    pub(crate) fn put_in_place(
        &self,
        before: Option<&Collection>,
        after: &Collection,
        mut entries: Entries<'_>,
    ) -> Result<Replaced, EngineError> {
        entries.gather();
        let outcome = match entries.progress.end {
            Some(Err(Abandoned)) => Ok(Replaced::Abandoned),
            _ => {
                let said = |collection| self.about_of(collection).without_date();
                let is_said_anew = before.is_none_or(|before| said(before) != said(after));
                let entries = &mut entries;
                self.store.replace_collection(Replacement {
                    collection: after,
                    before,
                    is_said_anew,
                    entries,
                })
            }
        };
        entries.progress.error.map_or_else(|| Ok(outcome?), Err)
    }
}

impl Entries<'_> {
    fn gather(&mut self) {
        let mut bytes = 0;
        while bytes < BATCH_BYTES
            && let Some(Ok(entry)) = self.take()
        {
            bytes += if let Entry::Put(document) = &entry { document.text.len() } else { 0 };
            self.progress.ready.push_back(entry);
        }
    }

    fn take(&mut self) -> Option<Result<Entry, Abandoned>> {
        let progress = &mut self.progress;
        match self.made.next() {
            Some(Ok(entry)) => {
                progress.taken += 1;
                progress.documents += usize::from(!matches!(entry, Entry::Fail(_)));
                progress.chunks += if let Entry::Put(document) = &entry { document.chunks.len() } else { 0 };
                let (files, chunks) = (progress.taken, progress.chunks);
                self.observer.event(Event::Read { files, total: self.total, chunks });
                (self.tally)(&entry);
                return Some(Ok(entry));
            }
            Some(Err(error)) => progress.error = Some(error),
            // What was not looked at would count as gone.
            None if progress.taken < self.total => {}
            None if progress.documents == 0 => progress.error = Some(self.none.clone()),
            None => {
                progress.end = Some(Ok(()));
                return None;
            }
        }
        progress.end = Some(Err(Abandoned));
        Some(Err(Abandoned))
    }
}

impl Iterator for Entries<'_> {
    type Item = Result<Entry, Abandoned>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.cancel.is_cancelled() {
            return Some(Err(Abandoned));
        }
        if let Some(entry) = self.progress.ready.pop_front() {
            return Some(Ok(entry));
        }
        match self.progress.end {
            Some(Ok(())) => None,
            Some(Err(Abandoned)) => Some(Err(Abandoned)),
            None => self.take(),
        }
    }
}

impl About {
    /// What is said apart from when it was fetched: a date is nothing that callers have to be told again for.
    fn without_date(&self) -> Self {
        let mut about = self.clone();
        about.card.synced_ms = None;
        about
    }
}
