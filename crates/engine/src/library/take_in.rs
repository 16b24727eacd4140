//! Keeping a document: cut, its first vectors made, written to `objects`, and put in the place of an older version, in one
//! generation. Whatever fails on the way leaves the older version.

use std::collections::HashSet;
use std::time::{SystemTime, UNIX_EPOCH};

use docent_index::{Change, Collection, FileStat, NewDocument, PassageHash, Snapshot};

use super::bounds::check;
use super::objects::{Entry, Mark};
use super::turn::large_turn;
use super::vectors::{Vectors, cancelled};
use super::{Became, Details, Handed, LibraryDocument, TakenIn};
use crate::EngineError;
use crate::about::About;
use crate::engine::{Engine, Inner};
use crate::prepare::{self, Paged};
use crate::progress::Cancel;

impl Engine {
    /// Keeps a document, in one generation; an older version of it stays until the new one is cut, its first vectors are made
    /// and it is kept. A collection of this name that is no library is an error.
    pub fn take_in(&self, handed: Handed, cancel: &Cancel) -> Result<TakenIn, EngineError> {
        let inner = self.inner.writer(&handed.library)?;
        check(&handed)?;
        let large = large_turn(handed.markdown.len(), cancel)?;
        let snapshot = inner.store.snapshot()?;
        inner.library(&*snapshot, &handed.library)?;
        let has_older = snapshot.document_at(&handed.library, &handed.source).is_some();
        let taken = inner.take_in(&*snapshot, handed, cancel);
        if large.is_some() {
            inner.store.give_back_memory();
        }
        drop(large);
        let taken = taken.map_err(|error| still_there(error, has_older))?;
        inner.signal_passages();
        inner.look_again();
        Ok(taken)
    }
}

impl Inner {
    fn take_in(
        &self,
        snapshot: &dyn Snapshot,
        handed: Handed,
        cancel: &Cancel,
    ) -> Result<TakenIn, EngineError> {
        let Handed { library, source, title, markdown, pages, mut details, force } = handed;
        let changed_ms = details.last_modified_ms.unwrap_or_else(now_ms);
        let stat = FileStat {
            size: markdown.len() as u64,
            mtime_ns: changed_ms.saturating_mul(1_000_000),
            settled: true,
            ..FileStat::default()
        };
        let text = Paged { text: markdown, pages: pages.clone(), stat };
        let (document, notes) = prepare::handed(&library, &source, title.as_deref(), text, &self.chunking);
        let held = self.held_vectors(snapshot, &library, &source)?;
        let vectors = self.first_vectors(&document, &held, cancel)?;
        if cancel.is_cancelled() {
            return Err(cancelled());
        }
        details.notes.extend(notes.iter().cloned());
        let taken = self.keep(document, pages, details, vectors, force)?;
        Ok(TakenIn { notes, ..taken })
    }

    /// Hashes of the passages of the older version that have a vector: it goes over to the new one.
    fn held_vectors(
        &self,
        snapshot: &dyn Snapshot,
        library: &str,
        source: &str,
    ) -> Result<HashSet<PassageHash>, EngineError> {
        let (Some(embedder), Some(older)) = (&self.embedder, snapshot.document_at(library, source)) else {
            return Ok(HashSet::new());
        };
        let passages = snapshot.vectors_of(embedder.model(), older.id)?;
        Ok(passages.into_iter().filter(|(_, vector)| vector.is_some()).map(|(hash, _)| hash).collect())
    }

    /// Writes a document that is ready, and says what came of it.
    fn keep(
        &self,
        mut document: NewDocument,
        pages: Vec<(u32, u32)>,
        details: Details,
        vectors: Vectors,
        force: bool,
    ) -> Result<TakenIn, EngineError> {
        let _turn = self.library_turn()?;
        // Others may have been here while the document was made ready.
        let snapshot = self.store.snapshot()?;
        let known = self.library(&*snapshot, &document.collection)?;
        let older = snapshot.document_at(&document.collection, &document.path).map(LibraryDocument::of);
        if let Some(same) = older.as_ref().filter(|older| !force && is_same(&older.details, &details)) {
            let (uuid, chunk_count) = (same.record.uuid.clone(), same.record.chunk_count as usize);
            return Ok(TakenIn { uuid, became: Became::Unchanged, chunk_count, notes: Vec::new() });
        }
        let created_ms = older.as_ref().map_or_else(now_ms, |older| older.details.created_ms);
        let uuid = older.as_ref().map_or_else(new_uuid, |older| older.record.uuid.clone());
        let details = Details { created_ms, ..details };
        document.details = serde_json::to_string(&details).unwrap_or_default();
        document.uuid = Some(uuid.clone());
        let chunk_count = document.chunks.len();
        let entry = Entry {
            format: Entry::FORMAT,
            uuid: uuid.clone(),
            library: document.collection.clone(),
            source: document.path.clone(),
            title: document.title.clone(),
            object: document.content_hash.to_hex(),
            pages,
            modified_ns: document.stat.mtime_ns,
            details,
        };
        self.write_ahead(&entry, document, |document| {
            if known.is_none() {
                self.store.put_collection(&self.new_library(&document.collection))?;
            }
            let changes = [Change::Put(Box::new(document))];
            match &self.embedder {
                Some(embedder) => self.store.apply_embedded(&changes, embedder.model(), &vectors)?,
                None => self.store.apply(&changes)?,
            };
            Ok(())
        })?;
        self.cache_vectors(vectors);
        let became = if older.is_some() { Became::Replaced } else { Became::New };
        Ok(TakenIn { uuid, became, chunk_count, notes: Vec::new() })
    }

    /// Keeps the text and the entry of a document, and puts it into the index with `write`. Who is killed on the way has
    /// left a mark, by which the next one goes on; when `write` fails, everything is as it was.
    fn write_ahead(
        &self,
        entry: &Entry,
        document: NewDocument,
        write: impl FnOnce(NewDocument) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        let Some(objects) = &self.objects else { return write(document) };
        let before = objects.entry(&entry.uuid);
        let mark = objects.mark(&Mark::Put(entry.uuid.clone()))?;
        let kept = objects.put_object(&document.text).and_then(|_| objects.put_entry(entry));
        let written = kept.and_then(|()| write(document));
        let unused = match (&written, &before) {
            (Ok(()), before) => before.as_ref().map(|before| &before.object),
            (Err(_), Some(before)) => {
                objects.put_entry(before)?;
                Some(&entry.object)
            }
            (Err(_), None) => {
                objects.remove_entry(&entry.uuid)?;
                Some(&entry.object)
            }
        };
        if let Some(object) = unused {
            self.drop_objects(objects, [object.clone()])?;
        }
        objects.unmark(&mark)?;
        written
    }

    /// A library without documents.
    pub(super) fn new_library(&self, name: &str) -> Collection {
        let about = About { library: true, ..About::default() };
        Collection {
            name: name.to_owned(),
            root: String::new(),
            cut: prepare::cut(&self.chunking, None),
            about: about.text(),
        }
    }
}

/// Whether both were made from the same bytes; what has no hash is never known to be.
fn is_same(one: &Details, other: &Details) -> bool {
    !one.sha256.is_empty() && one.sha256 == other.sha256
}

/// Adds to an error what became of the older version.
fn still_there(error: EngineError, has_older: bool) -> EngineError {
    let state = match has_older {
        true => "the version that was indexed before is kept",
        false => "nothing was indexed",
    };
    let hint = if error.hint.is_empty() { state.to_owned() } else { format!("{}; {state}", error.hint) };
    EngineError { hint, ..error }
}

fn new_uuid() -> String {
    uuid::Uuid::new_v4().to_string()
}

pub(super) fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
