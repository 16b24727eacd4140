//! Deleting what was handed over.

use std::collections::BTreeSet;
use std::sync::Arc;

use docent_index::{Change, DocumentRecord, Filter, PassageHash, Snapshot};

use super::LibraryDocument;
use super::documents::by_uuid;
use super::objects::{Entry, Mark};
use super::turn::Turn;
use crate::EngineError;
use crate::engine::{Engine, Inner};

impl Engine {
    /// Deletes a document that was handed over, and every trace of it; says how many chunks it had, and `None` when there is no such
    /// document. A document that was not handed over is an error that says what to do instead.
    pub fn take_out(&self, uuid: &str) -> Result<Option<usize>, EngineError> {
        let is_seen =
            || Ok::<_, EngineError>(by_uuid(&*self.snapshot()?, &Filter::default(), uuid).is_some());
        if self.inner.part.is_some() && !is_seen()? {
            return Ok(None);
        }
        let inner = self.inner.whole();
        let turn = inner.library_turn()?;
        let snapshot = inner.store.snapshot()?;
        let Some(record) = by_uuid(&*snapshot, &Filter::default(), uuid) else {
            // One that the index has lost and that cannot come back has an entry at most.
            let is_kept = match &inner.objects {
                Some(objects) => objects.uuids()?.contains(uuid),
                None => false,
            };
            if is_kept {
                inner.take_out(vec![uuid.to_owned()], &turn)?;
            }
            drop(turn);
            inner.look_again();
            return Ok(is_kept.then_some(0));
        };
        let document = LibraryDocument::of(record);
        inner.refuse_foreign(&document)?;
        inner.take_out(vec![uuid.to_owned()], &turn)?;
        Ok(Some(document.record.chunk_count as usize))
    }

    /// Deletes a library with all of its documents and every trace of them; says how many there were.
    pub fn take_out_library(&self, library: &str) -> Result<Option<usize>, EngineError> {
        let Ok(inner) = self.inner.writer(library) else { return Ok(None) };
        let turn = inner.library_turn()?;
        let snapshot = inner.store.snapshot()?;
        let known = inner.library(&*snapshot, library)?;
        let lost = inner.lost_from(library)?;
        if known.is_none() && lost.is_empty() {
            return Ok(None);
        }
        let only = Filter { collections: Some(vec![library.to_owned()]), ..Filter::default() };
        let documents = if known.is_some() { snapshot.documents(&only) } else { Vec::new() };
        let uuids = documents.iter().map(|record| record.uuid.clone()).chain(lost).collect();
        inner.take_out(uuids, &turn)?;
        // One that was empty has nothing to take out, and goes as well.
        if known.is_some() {
            inner.store.remove_collection(library)?;
        }
        drop(turn);
        inner.look_again();
        Ok(Some(documents.len()))
    }
}

impl Inner {
    /// Deletes documents. Who is killed on the way has left a mark, by which the next one goes on.
    fn take_out(&self, uuids: Vec<String>, turn: &Turn<'_>) -> Result<(), EngineError> {
        let Some(objects) = &self.objects else { return self.remove_documents(&uuids, turn) };
        let mark = objects.mark(&Mark::Remove(uuids.clone()))?;
        self.remove_documents(&uuids, turn)?;
        objects.unmark(&mark)
    }

    /// Deletes documents from the index, from what is kept apart from it and from the user's cache, as far as they are there
    /// still.
    pub(super) fn remove_documents(&self, uuids: &[String], _turn: &Turn<'_>) -> Result<(), EngineError> {
        let snapshot = self.store.snapshot()?;
        let mut leaving = self.handed_documents(&*snapshot);
        leaving.retain(|record| uuids.contains(&record.uuid));
        let entries: Vec<Entry> = match &self.objects {
            Some(objects) => uuids.iter().filter_map(|uuid| objects.entry(uuid)).collect(),
            None => Vec::new(),
        };
        let passages = self.passages_of(&*snapshot, &leaving, &entries)?;
        let libraries: BTreeSet<&String> = leaving.iter().map(|record| &record.collection).collect();
        for library in libraries {
            let only = Filter { collections: Some(vec![library.clone()]), ..Filter::default() };
            let of_library: Vec<_> = leaving.iter().filter(|record| record.collection == *library).collect();
            // A library is what it holds: without documents there is none.
            if snapshot.counts(None, &only).documents == of_library.len() {
                self.store.remove_collection(library)?;
                continue;
            }
            let delete = |record: &&Arc<DocumentRecord>| Change::Delete {
                collection: record.collection.clone(),
                path: record.path.clone(),
            };
            self.store.apply(&of_library.iter().map(delete).collect::<Vec<_>>())?;
        }
        drop(snapshot);
        // The last thing that goes is the text, from which the passages can be told again.
        self.leave_no_trace(&passages)?;
        let Some(objects) = &self.objects else { return Ok(()) };
        uuids.iter().try_for_each(|uuid| objects.remove_entry(uuid))?;
        let texts = leaving.iter().map(|record| record.content_hash.to_hex());
        self.drop_objects(objects, texts.chain(entries.into_iter().map(|entry| entry.object)))
    }

    /// Uuids of documents of a library that the index has lost.
    fn lost_from(&self, library: &str) -> Result<Vec<String>, EngineError> {
        let Some(objects) = &self.objects else { return Ok(Vec::new()) };
        let mut lost = objects.uuids()?;
        for record in self.handed_documents(&*self.store.snapshot()?) {
            lost.remove(&record.uuid);
        }
        let is_of = |uuid: &String| objects.entry(uuid).is_some_and(|entry| entry.library == library);
        Ok(lost.into_iter().filter(is_of).collect())
    }

    /// Hashes of the passages of documents that are in the index, and of those that are only kept.
    fn passages_of(
        &self,
        snapshot: &dyn Snapshot,
        leaving: &[Arc<DocumentRecord>],
        entries: &[Entry],
    ) -> Result<Vec<PassageHash>, EngineError> {
        let mut passages = Vec::new();
        let (Some(embedder), Some(_)) = (&self.embedder, &self.cache) else { return Ok(passages) };
        for record in leaving {
            let vectors = snapshot.vectors_of(embedder.model(), record.id)?;
            passages.extend(vectors.into_iter().map(|(hash, _)| hash));
        }
        let is_gone = |entry: &&Entry| leaving.iter().all(|record| record.uuid != entry.uuid);
        for entry in entries.iter().filter(is_gone) {
            let text = self.objects.as_ref().and_then(|objects| objects.object(&entry.object));
            let chunks = text.map(|text| self.rows_of(entry.clone(), text).chunks).unwrap_or_default();
            passages.extend(chunks.iter().flat_map(|chunk| &chunk.passages).map(|passage| passage.hash));
        }
        Ok(passages)
    }

    /// Takes what was removed off the disk; where another process holds on to it, the next write does. And the vectors of passages that no document has out of the user's cache.
    fn leave_no_trace(&self, passages: &[PassageHash]) -> Result<(), EngineError> {
        let purged = self.store.purge(passages)?;
        let forgotten = match &self.cache {
            Some(cache) => cache.forget(&purged.unused),
            None => Ok(()),
        };
        let outcome = forgotten.map_err(|error| {
            EngineError::environment(
                format!("vectors of what was deleted are still in the user's cache: {error}"),
                "they tell no text; delete the cache's folder to be rid of them",
            )
        });
        self.note_outcome("deleting", outcome);
        Ok(())
    }

    fn refuse_foreign(&self, document: &LibraryDocument) -> Result<(), EngineError> {
        if document.is_handed {
            return Ok(());
        }
        let (collection, path) = (&document.record.collection, &document.record.path);
        let hint = match self.source(collection) {
            Some((_, source)) => format!("delete the file {}", source.root.join(path).display()),
            None => format!("`docent remove {collection}` removes the whole collection"),
        };
        Err(EngineError::usage(format!("{path} of `{collection}` was not handed over to a library"), hint))
    }
}
