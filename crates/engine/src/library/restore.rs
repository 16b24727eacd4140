//! Index and `objects` are brought in line: what was half done is finished, what the index lost is put back.
//!
//! Whoever takes the library's turn finishes what a writer that was killed had marked. When an index is opened, documents
//! that have an entry and are not in the index come back from their texts, with the same uuids, and documents that have no
//! entry get one. So either of the two can be lost without the other.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use docent_index::{Change, ContentHash, DocumentRecord, FileStat, Filter, NewDocument, Snapshot};

use super::objects::{Entry, Mark, Objects};
use super::take_in::Turn;
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
        if objects.marks()?.is_empty() && self.differences(objects)?.is_empty() {
            return Ok(());
        }
        let Some(turn) = self.try_library_turn()? else { return Ok(()) };
        self.restore(objects, &turn)
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

    fn restore(&self, objects: &Objects, turn: &Turn<'_>) -> Result<(), EngineError> {
        let Differences { lost, bare } = self.differences(objects)?;
        let mut unread = 0;
        let entries = lost.iter().filter_map(|uuid| {
            let entry = objects.entry(uuid);
            unread += usize::from(entry.is_none());
            entry
        });
        let entries: Vec<Entry> = entries.collect();
        let missing = self.put_back(objects, entries, turn)?;
        let snapshot = self.store.snapshot()?;
        for record in bare {
            self.keep_entry(objects, &*snapshot, &record)?;
        }
        match missing + unread {
            0 => Ok(()),
            count => Err(EngineError::environment(
                format!("{count} documents that were handed over could not be restored"),
                "hand them over again",
            )),
        }
    }

    /// Puts documents into the index as their entries say; says of how many the text is lost or the name taken.
    pub(super) fn put_back(
        &self,
        objects: &Objects,
        entries: Vec<Entry>,
        _turn: &Turn<'_>,
    ) -> Result<usize, EngineError> {
        let mut missing = 0;
        let mut batch: Vec<Change> = Vec::new();
        let mut bytes = 0;
        for entry in entries {
            let snapshot = self.store.snapshot()?;
            let known = self.library(&*snapshot, &entry.library);
            let (Ok(known), Some(text)) = (known, objects.object(&entry.object)) else {
                missing += 1;
                continue;
            };
            let held = snapshot.document_at(&entry.library, &entry.source);
            if held.is_some_and(|held| held.uuid != entry.uuid) {
                // It was handed over again since, and is another document now.
                objects.remove_entry(&entry.uuid)?;
                continue;
            }
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
        Ok(missing)
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
        // The index may have lost documents that are still to come back.
        let mut used = self.used_objects(&*self.store.snapshot()?);
        used.extend(objects.uuids()?.iter().filter_map(|uuid| Some(objects.entry(uuid)?.object)));
        objects.keep_only(|object| used.contains(object))
    }

    /// Gives a library another name, in the index and in what is kept apart from it.
    pub(crate) fn rename_library(&self, from: &str, to: &str) -> Result<(), EngineError> {
        super::check_library_name(to)?;
        let _turn = self.library_turn()?;
        let Some(objects) = &self.objects else { return Ok(self.store.rename_collection(from, to)?) };
        let mark = objects.mark(&Mark::Rename { from: from.to_owned(), to: to.to_owned() })?;
        let renamed = self.store.rename_collection(from, to);
        self.rename_entries(objects, from, to)?;
        objects.unmark(&mark)?;
        Ok(renamed?)
    }

    /// After a library was renamed in the index, its entries follow. When it was not, they stay.
    pub(super) fn rename_entries(&self, objects: &Objects, from: &str, to: &str) -> Result<(), EngineError> {
        let known = self.store.snapshot()?.collections();
        if known.iter().any(|known| known.name == from) {
            return Ok(());
        }
        for uuid in objects.uuids()? {
            if let Some(entry) = objects.entry(&uuid).filter(|entry| entry.library == from) {
                objects.put_entry(&Entry { library: to.to_owned(), ..entry })?;
            }
        }
        Ok(())
    }

    /// Documents of libraries.
    pub(super) fn handed_documents(&self, snapshot: &dyn Snapshot) -> Vec<Arc<DocumentRecord>> {
        let mut libraries = snapshot.collections();
        libraries.retain(|known| self.is_library(known));
        let names = libraries.into_iter().map(|known| known.name).collect();
        snapshot.documents(&Filter { collections: Some(names), ..Filter::default() })
    }

    /// Names of the texts that documents of libraries have.
    pub(super) fn used_objects(&self, snapshot: &dyn Snapshot) -> BTreeSet<String> {
        let hashes: HashSet<ContentHash> =
            self.handed_documents(snapshot).iter().map(|record| record.content_hash).collect();
        hashes.into_iter().map(ContentHash::to_hex).collect()
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
