//! Never stale after a finished write.
//!
//! Two gates. Before a call, changes that have happened are applied when they are few; when they are many the
//! background does it and the answer says so. Before an answer leaves, every file behind it is looked at once more:
//! what has vanished is left out, what has changed is read again, and what cannot be read again in time is marked.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::sync::{MutexGuard, TryLockError};
use std::time::{Duration, Instant};

use docent_index::DocumentRecord;

use crate::engine::{Freshness, Inner};
use crate::ingest;
use crate::prepare;
use crate::progress::{Cancel, Observer, Silent};
use crate::scan;
use crate::watch::Dirty;
use crate::{EngineError, Source};

/// Time that a call spends on changes before it answers with what it has.
const BUDGET: Duration = Duration::from_millis(250);
/// More changed files than this are left to the background.
pub(crate) const FEW: usize = 64;

/// What the look at a hit's file said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The file has the content that was indexed.
    Current,
    /// The file has other content now.
    Changed,
    /// There is no such document now.
    Gone,
    /// The whole folder is missing: nothing can be said.
    Unknown,
}

impl Inner {
    /// The gate before a call. The text says what is still behind; nothing that goes wrong here keeps an answer back.
    pub(crate) fn freshen(&self) -> Option<String> {
        // Whose files they are is nothing for somebody who sees a part.
        if let Some(part) = &self.part {
            return part.of.freshen().map(|_| "changed files are still being indexed".to_owned());
        }
        if self.freshness == Freshness::Synced {
            return None;
        }
        // Whoever deletes the index may be half-way through it: the second look finds one of the two states.
        self.apply_changes().or_else(|_| self.apply_changes()).unwrap_or_else(|error| Some(error.message))
    }

    fn apply_changes(&self) -> Result<Option<String>, EngineError> {
        let deadline = Instant::now() + BUDGET;
        let sure = self.watch.get().is_some_and(crate::watch::Watch::barrier);
        let Some(_applying) = self.lock_applying(deadline) else {
            return Ok(Some("changed files are still being indexed".to_owned()));
        };
        // An index that was deleted under us is empty now, and all files are new to it.
        let is_new = self.make_known()?;
        if is_new {
            self.restore_libraries();
        }
        let moved = self.moved_roots();
        let has_missed = self.has_missed.swap(false, Ordering::SeqCst);
        let dirty = if sure && !is_new && !has_missed {
            let mut dirty = self.watch.get().map(crate::watch::Watch::take).unwrap_or_default();
            dirty.walk.extend(moved);
            dirty.files.extend(self.changed_aliases()?);
            dirty
        } else {
            Dirty { walk: (0..self.sources.len()).collect(), files: BTreeSet::new() }
        };
        if dirty.is_empty() {
            return Ok(None);
        }
        self.apply_few(dirty).inspect_err(|_| self.has_missed.store(true, Ordering::SeqCst))
    }

    fn moved_roots(&self) -> BTreeSet<usize> {
        self.watch.get().map(|watch| watch.follow_roots(&self.sources)).unwrap_or_default()
    }

    /// Applies everything that is known to have changed, however much; with `walk`, looks at all files.
    pub(crate) fn apply_everything(&self, walk: bool, observer: &dyn Observer) -> Result<(), EngineError> {
        let _applying = self.applying.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let is_new = self.make_known()?;
        if is_new {
            self.restore_libraries();
        }
        let walk = is_new || self.has_missed.swap(false, Ordering::SeqCst) || walk;
        let mut dirty = self.watch.get().map(crate::watch::Watch::take).unwrap_or_default();
        dirty.walk.extend(self.moved_roots());
        if walk || self.watch.get().is_none() {
            dirty.walk.extend(0..self.sources.len());
        }
        let mut first_error = None;
        for (index, source) in self.sources.iter().enumerate() {
            let outcome = if dirty.walk.contains(&index) {
                ingest::ingest(&*self.store, source, &self.chunking, observer, &self.stop)
            } else {
                let paths = paths_of(&dirty, index);
                ingest::ingest_paths(&*self.store, source, &paths, &self.chunking)
            };
            match outcome {
                Ok(report) => {
                    if dirty.walk.contains(&index) {
                        self.note_aliases(index, report.aliases);
                    }
                    if report.added + report.changed > 0 {
                        self.signal_passages();
                    }
                }
                Err(error) => {
                    self.has_missed.store(true, Ordering::SeqCst);
                    first_error = first_error.or(Some(error));
                }
            }
        }
        first_error.map_or(Ok(()), Err)
    }

    /// Reads these files again.
    pub(crate) fn refresh(&self, files: &BTreeSet<(usize, String)>) -> Result<(), EngineError> {
        let dirty = Dirty { walk: BTreeSet::new(), files: files.clone() };
        for index in files.iter().map(|(index, _)| *index).collect::<BTreeSet<_>>() {
            let paths = paths_of(&dirty, index);
            ingest::ingest_paths(&*self.store, &self.sources[index], &paths, &self.chunking)?;
        }
        self.signal_passages();
        Ok(())
    }

    /// The gate before an answer leaves.
    pub(crate) fn verdict(&self, document: &DocumentRecord) -> Verdict {
        let source = self.source(&document.collection).filter(|_| document.details.is_empty());
        // What was handed over or fetched has no file to look at.
        let Some((_, source)) = source else { return Verdict::Current };
        match scan::stat(source, &document.path) {
            Some(now) if document.stat.proves_unchanged(&now) => Verdict::Current,
            Some(_) => match prepare::read(source, &document.path) {
                Ok(reading) if reading.hash == document.content_hash => Verdict::Current,
                Ok(_) | Err(prepare::Unread::Refused { .. }) => Verdict::Changed,
                Err(prepare::Unread::Gone) => Verdict::Gone,
            },
            None if std::fs::read_dir(&source.root).is_ok() => Verdict::Gone,
            None => Verdict::Unknown,
        }
    }

    fn apply_few(&self, dirty: Dirty) -> Result<Option<String>, EngineError> {
        let mut left = 0;
        for (index, source) in self.sources.iter().enumerate() {
            let paths = paths_of(&dirty, index);
            let (count, outcome) = if dirty.walk.contains(&index) {
                let survey = match ingest::survey(&*self.store, source, &self.chunking) {
                    Ok(survey) => survey,
                    // A folder that is missing is a state to report, not a reason to give no answer.
                    Err(error) => {
                        self.has_missed.store(true, Ordering::SeqCst);
                        return Ok(Some(error.message));
                    }
                };
                self.note_aliases(index, survey.found.aliases.clone());
                let count = survey.work.len();
                if survey.is_empty() {
                    continue;
                }
                let apply = || {
                    let cancel = Cancel::default();
                    ingest::carry_out(&*self.store, source, survey, &self.chunking, &Silent, &cancel)
                };
                (count, (count <= FEW).then(apply))
            } else {
                let apply = || ingest::ingest_paths(&*self.store, source, &paths, &self.chunking);
                (paths.len(), (1..=FEW).contains(&paths.len()).then(apply))
            };
            match outcome {
                Some(outcome) => {
                    outcome?;
                    self.signal_passages();
                }
                None => left += count,
            }
        }
        if left == 0 {
            if dirty.walk.len() == self.sources.len() {
                // Whatever kept the background from it before, all is in line now.
                self.note_outcome("indexing", Ok(()));
            }
            return Ok(None);
        }
        if let Some(watch) = self.watch.get() {
            watch.put_back(dirty);
        }
        Ok(Some(format!("{left} changed files are still being indexed")))
    }

    /// Remembers which documents the system does not tell everything about.
    pub(crate) fn note_aliases(&self, source: usize, found: BTreeSet<String>) {
        let mut aliases = self.aliases.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        aliases.resize(self.sources.len(), BTreeSet::new());
        if let Some(aliases) = aliases.get_mut(source) {
            *aliases = found;
        }
    }

    /// Those of them that have changed.
    fn changed_aliases(&self) -> Result<Vec<(usize, String)>, EngineError> {
        let aliases = self.aliases.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
        if aliases.iter().all(BTreeSet::is_empty) {
            return Ok(Vec::new());
        }
        let snapshot = self.store.snapshot()?;
        let is_current = |source: &Source, path: &String| {
            let now = scan::stat(source, path);
            let then = snapshot.document_at(&source.collection, path);
            then.zip(now).is_some_and(|(then, now)| then.stat.proves_unchanged(&now))
        };
        let mut changed = Vec::new();
        for (index, (source, aliases)) in self.sources.iter().zip(aliases).enumerate() {
            changed.extend(
                aliases.into_iter().filter(|path| !is_current(source, path)).map(|path| (index, path)),
            );
        }
        Ok(changed)
    }

    fn lock_applying(&self, deadline: Instant) -> Option<MutexGuard<'_, ()>> {
        loop {
            match self.applying.try_lock() {
                Ok(guard) => return Some(guard),
                Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
                Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                    std::thread::sleep(Duration::from_millis(1));
                }
                Err(TryLockError::WouldBlock) => return None,
            }
        }
    }
}

fn paths_of(dirty: &Dirty, source: usize) -> Vec<String> {
    dirty.files.iter().filter(|(index, _)| *index == source).map(|(_, path)| path.clone()).collect()
}
