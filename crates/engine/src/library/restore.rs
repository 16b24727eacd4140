//! Index and `objects` are brought in line: what was half done is finished, what the index lost is put back.
//!
//! Whoever takes the library's turn finishes what a writer that was killed had marked. When an index is opened, documents
//! that have an entry and are not in the index come back from their texts, with the same uuids, and documents that have no
//! entry get one. So either of the two can be lost without the other.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, PoisonError};

use docent_index::{Change, DocumentRecord, FileStat, NewDocument, Snapshot};

use super::objects::{Entry, Mark, Objects};
use super::recovery::{self, Unrestored};
use super::turn::Turn;
use crate::EngineError;
use crate::engine::Inner;
use crate::ingest::BATCH_BYTES;
use crate::prepare::{self, Paged};
use crate::recut::page_starts;

/// Documents that are put back at a time.
const BATCH_DOCUMENTS: usize = 256;

impl Inner {
    /// Brings both in line, unless somebody is writing, who then does it. What cannot be done is told with every answer.
    pub(crate) fn restore_libraries(&self) {
        let outcome = self.try_restore();
        self.note_outcome("restoring libraries", outcome);
    }

    fn try_restore(&self) -> Result<(), EngineError> {
        let Some(objects) = self.objects.as_ref().filter(|_| self.store.built().is_none()) else {
            return Ok(());
        };
        let marks = objects.marks()?;
        let differences = self.differences(objects)?;
        if marks.is_empty() && differences.is_empty() && !objects.has_unfinished() {
            self.note_missing(Vec::new());
            return Ok(());
        }
        // What another process is at is not lost, and it need not be waited for.
        let is_under_way = |uuid: &String| {
            marks.iter().any(|(_, mark)| match mark {
                Some(Mark::Put(put)) => put == uuid,
                Some(Mark::Remove(removed)) => removed.contains(uuid),
                _ => false,
            })
        };
        let turn = match differences.lost.iter().all(is_under_way) {
            true => self.try_library_turn()?,
            false => Some(self.library_turn()?),
        };
        let Some(turn) = turn else { return Ok(()) };
        let missing = self.restore(objects, &turn)?;
        let outcome = recovery::outcome(&missing);
        self.note_missing(missing);
        outcome
    }

    fn note_missing(&self, missing: Vec<Unrestored>) {
        self.recovery.lock().unwrap_or_else(PoisonError::into_inner).missing = missing;
    }

    fn differences(&self, objects: &Objects) -> Result<Differences, EngineError> {
        let kept = objects.uuids()?;
        let snapshot = self.store.snapshot()?;
        let indexed = self.handed_documents(&*snapshot);
        let lost = {
            let known: HashSet<&str> = indexed.iter().map(|record| record.uuid.as_str()).collect();
            kept.iter().filter(|uuid| !known.contains(uuid.as_str())).cloned().collect()
        };
        let bare = indexed.into_iter().filter(|record| !kept.contains(&record.uuid)).collect();
        Ok(Differences { lost, bare })
    }

    /// Says what could not be put back.
    fn restore(&self, objects: &Objects, turn: &Turn<'_>) -> Result<Vec<Unrestored>, EngineError> {
        // Who is killed while writing a mark leaves half a file and no mark.
        objects.sweep()?;
        let Differences { lost, bare } = self.differences(objects)?;
        let (mut entries, mut unread) = (Vec::new(), Vec::new());
        for uuid in lost {
            match objects.entry(&uuid) {
                Some(entry) => entries.push(entry),
                None => unread.push(Unrestored {
                    uuid,
                    library: String::new(),
                    source: String::new(),
                    reason: "what is known of it cannot be read",
                }),
            }
        }
        let PutBack { restored, mut missing } = self.put_back(objects, entries, turn)?;
        missing.extend(unread);
        {
            let mut recovery = self.recovery.lock().unwrap_or_else(PoisonError::into_inner);
            for (library, count) in restored {
                *recovery.restored.entry(library).or_default() += count;
            }
        }
        let snapshot = self.store.snapshot()?;
        for record in bare {
            self.keep_entry(objects, &*snapshot, &record)?;
        }
        Ok(missing)
    }

    /// Puts documents into the index as their entries say.
    pub(super) fn put_back(
        &self,
        objects: &Objects,
        entries: Vec<Entry>,
        _turn: &Turn<'_>,
    ) -> Result<PutBack, EngineError> {
        let mut outcome = PutBack::default();
        let mut batch: Vec<Change> = Vec::new();
        let mut bytes = 0;
        for entry in entries {
            let snapshot = self.store.snapshot()?;
            let held = snapshot.document_at(&entry.library, &entry.source);
            if held.is_some_and(|held| held.uuid != entry.uuid) {
                // It was handed over again since, and is another document now.
                objects.remove_entry(&entry.uuid)?;
                self.drop_objects(objects, [entry.object])?;
                continue;
            }
            let Ok(known) = self.library(&*snapshot, &entry.library) else {
                outcome.miss(entry, "its library's name is taken by a collection");
                continue;
            };
            let Some(text) = objects.object(&entry.object) else {
                outcome.miss(entry, "its text is lost");
                continue;
            };
            *outcome.restored.entry(entry.library.clone()).or_default() += 1;
            if known.is_none() {
                self.store.put_collection(&self.new_library(&entry.library))?;
            }
            bytes += text.len();
            batch.push(Change::Put(Box::new(self.rows_of(entry, text))));
            if bytes >= BATCH_BYTES || batch.len() >= BATCH_DOCUMENTS {
                self.store.apply(&std::mem::take(&mut batch))?;
                bytes = 0;
            }
        }
        if !batch.is_empty() {
            self.store.apply(&batch)?;
        }
        self.signal_passages();
        Ok(outcome)
    }

    /// The rows that a document has by its entry.
    pub(super) fn rows_of(&self, entry: Entry, text: String) -> NewDocument {
        let stat = FileStat {
            size: text.len() as u64,
            mtime_ns: entry.modified_ns,
            settled: true,
            ..FileStat::default()
        };
        let text = Paged { text, pages: entry.pages, stat };
        let (made, _) =
            prepare::handed(&entry.library, &entry.source, Some(&entry.title), text, &self.chunking);
        let details = serde_json::to_string(&entry.details).unwrap_or_default();
        NewDocument { uuid: Some(entry.uuid), details, ..made }
    }

    /// Keeps the text and the entry of a document that is only in the index.
    fn keep_entry(
        &self,
        objects: &Objects,
        snapshot: &dyn Snapshot,
        record: &Arc<DocumentRecord>,
    ) -> Result<(), EngineError> {
        let Some(text) = snapshot.text(record.id)? else { return Ok(()) };
        let Ok(details) = serde_json::from_str(&record.details) else { return Ok(()) };
        let pages = page_starts(record, &snapshot.chunks_of(record.id)?);
        let object = objects.put_object(&text)?;
        objects.put_entry(&Entry {
            format: Entry::FORMAT,
            uuid: record.uuid.clone(),
            library: record.collection.clone(),
            source: record.path.clone(),
            title: record.title.clone(),
            object,
            pages,
            modified_ns: record.stat.mtime_ns,
            details,
        })
    }

    /// Finishes what writers that were killed had begun.
    pub(super) fn settle(&self, turn: &Turn<'_>) -> Result<(), EngineError> {
        let Some(objects) = &self.objects else { return Ok(()) };
        let marks = objects.marks()?;
        if marks.is_empty() {
            return Ok(());
        }
        for (name, mark) in marks {
            match mark {
                Some(Mark::Put(uuid)) => {
                    let entry = objects.entry(&uuid).into_iter().collect();
                    self.put_back(objects, entry, turn)?;
                }
                Some(Mark::Remove(uuids)) => self.remove_documents(&uuids, turn)?,
                Some(Mark::Rename { from, to }) => self.rename_entries(objects, &from, &to)?,
                None => {}
            }
            objects.unmark(&name)?;
        }
        objects.sweep()?;
        let mut used = self.used_objects(objects)?;
        used.extend(objects.uuids()?.iter().filter_map(|uuid| Some(objects.entry(uuid)?.object)));
        objects.keep_only(|object| used.contains(object))
    }
}

/// What came of putting documents back.
#[derive(Default)]
pub(super) struct PutBack {
    /// How many, by library.
    restored: BTreeMap<String, usize>,
    /// Those that could not be put back.
    missing: Vec<Unrestored>,
}

impl PutBack {
    fn miss(&mut self, entry: Entry, reason: &'static str) {
        let Entry { uuid, library, source, .. } = entry;
        self.missing.push(Unrestored { uuid, library, source, reason });
    }
}

/// Where the index and what is kept apart from it do not agree.
struct Differences {
    /// Uuids of documents that have an entry and are not in the index.
    lost: Vec<String>,
    /// Documents that are in the index and have no entry.
    bare: Vec<Arc<DocumentRecord>>,
}

impl Differences {
    fn is_empty(&self) -> bool {
        self.lost.is_empty() && self.bare.is_empty()
    }
}
