//! A view handed out to a reader, with the way to the texts.
//!
//! Texts and chunks are read from the record when asked for. Row numbers are never used twice, so what comes back is
//! either the version this snapshot knows or nothing.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use docent_index::{
    ChunkHit, ChunkId, ChunkRecord, Collection, Counts, DocumentId, DocumentRecord, Failure, Filter,
    Generation, LexicalHits, LexicalQuery, LexicalScores, Model, NearestQuery, PassageHash, QuantisedVector,
    Snapshot, StoreError,
};
use docent_store_common::{Rows, hit, keys, together};
use rusqlite::Connection;

use crate::fault::Outcome;
use crate::files::Files;
use crate::rows::ChunkReader;
use crate::vectors::RowMap;
use crate::view::View;
use crate::{query, rows};

pub(crate) struct EmbeddedSnapshot {
    pub(crate) files: Arc<Files>,
    pub(crate) view: Arc<View>,
}

impl EmbeddedSnapshot {
    fn told<T>(&self, outcome: Outcome<T>) -> Result<T, StoreError> {
        self.files.told(outcome)
    }

    fn read_chunks(&self, ids: &[ChunkId]) -> Outcome<Vec<ChunkRecord>> {
        let conn = self.files.readers.lend()?;
        // One transaction, so that a document that is being replaced is not read half.
        let transaction = conn.unchecked_transaction()?;
        let mut reader = ChunkReader::new(&transaction);
        let known = ids.iter().filter(|id| self.view.catalog.contains(keys::document_of_chunk(id.0)));
        let mut chunks = Vec::with_capacity(ids.len());
        for id in known {
            chunks.extend(reader.read(id.0)?);
        }
        Ok(chunks)
    }

    fn read_vectors(
        &self,
        model: &Model,
        document: DocumentId,
    ) -> Outcome<Vec<(PassageHash, Option<QuantisedVector>)>> {
        if !self.view.catalog.contains(document.0) {
            return Ok(Vec::new());
        }
        self.files.reading(|conn| {
            let known = rows::models(conn)?.into_iter().find(|known| known.name == model.id);
            let held = self.view.table(&model.id);
            // The record names rows of the file as it is now, which may have been written anew since.
            let newer = match (held, &known) {
                (Some(held), Some(known)) if held.model().file != known.file => {
                    Some(RowMap::open(&self.files.dir, known)?)
                }
                _ => None,
            };
            let map = newer.as_ref().or_else(|| held.map(|held| held.rows()));
            let vector = |number: Option<usize>| {
                let (values, scale) = map?.row(number?)?;
                Some(QuantisedVector { scale, values: values.to_vec() })
            };
            let id = known.map_or(0, |known| known.id);
            let passages = rows::passages_of(conn, id, document.0)?;
            let moved = match passages.iter().all(|(_, number)| number.is_some()) {
                true => HashMap::new(),
                false => self.moved_vectors(conn, id, document)?,
            };
            let found = |(hash, number): (PassageHash, Option<usize>)| {
                (hash, vector(number.or_else(|| moved.get(&hash).copied())))
            };
            Ok(passages.into_iter().map(found).collect())
        })
    }

    /// Vectors that have gone over to the next version of the document, which this view does not know yet: those of
    /// passages that an edit did not touch.
    fn moved_vectors(
        &self,
        conn: &Connection,
        model: i64,
        document: DocumentId,
    ) -> Outcome<HashMap<PassageHash, usize>> {
        let Some(held) = self.view.catalog.get(document.0) else { return Ok(HashMap::new()) };
        let next = rows::document_at(conn, &held.collection, &held.path)?.filter(|next| *next != document.0);
        let Some(next) = next else { return Ok(HashMap::new()) };
        let passages = rows::passages_of(conn, model, next)?;
        Ok(passages.into_iter().filter_map(|(hash, number)| Some((hash, number?))).collect())
    }

    fn read_lexical(&self, query: &LexicalQuery, filter: &Filter, depth: usize) -> Outcome<LexicalHits> {
        let allowed = self.view.allowed(filter);
        let searchers = &self.view.searchers;
        let words = searchers.fields.words;
        let chunks =
            query::best(&searchers.chunks, query, words, depth, |chunk| allowed.contains_chunk(chunk))?;
        let documents =
            query::best(&searchers.pages, query, words, depth, |document| allowed.contains(document))?;
        let scores = chunks.scores.zip(documents.scores).map(|(chunks, documents)| {
            let (files, view) = (self.files.clone(), self.view.clone());
            Arc::new(AllScores { files, view, chunks, documents }) as Arc<dyn LexicalScores>
        });
        Ok(LexicalHits {
            chunks: chunks.best.into_iter().map(hit).collect(),
            documents: documents.best.into_iter().map(|(id, score)| (DocumentId(id), score)).collect(),
            scores,
            chunk_bound: query::bound(&searchers.chunks, query, words)?,
            document_bound: query::bound(&searchers.pages, query, words)?,
        })
    }
}

/// The scores of a query for all entries of both lexical indexes, by segment.
struct AllScores {
    files: Arc<Files>,
    view: Arc<View>,
    chunks: Vec<Vec<f32>>,
    documents: Vec<Vec<f32>>,
}

impl LexicalScores for AllScores {
    fn of(&self, chunks: &[ChunkId], documents: &[DocumentId]) -> Result<(Vec<f32>, Vec<f32>), StoreError> {
        let (places, searchers) = (&self.files.lexical.places, &self.view.searchers);
        let chunks: Vec<u64> = chunks.iter().map(|id| id.0).collect();
        let documents: Vec<u64> = documents.iter().map(|id| id.0).collect();
        Ok((
            self.files.told(places.pick(&searchers.chunks, &self.chunks, &chunks))?,
            self.files.told(places.pick(&searchers.pages, &self.documents, &documents))?,
        ))
    }
}

impl Snapshot for EmbeddedSnapshot {
    fn generation(&self) -> Generation {
        Generation(self.view.state.generation)
    }

    fn lexical_scores(
        &self,
        query: &LexicalQuery,
        chunks: &[ChunkId],
        documents: &[DocumentId],
    ) -> Result<(Vec<f32>, Vec<f32>), StoreError> {
        let searchers = &self.view.searchers;
        let score = |searcher, keys: Vec<u64>| {
            self.told(self.files.lexical.places.scores(searcher, query, searchers.fields.words, &keys))
        };
        Ok((
            score(&searchers.chunks, chunks.iter().map(|id| id.0).collect())?,
            score(&searchers.pages, documents.iter().map(|id| id.0).collect())?,
        ))
    }

    fn content_generation(&self) -> Generation {
        Generation(self.view.state.documents_generation)
    }

    fn collections(&self) -> Vec<Collection> {
        self.view.catalog.collections.clone()
    }

    fn documents(&self, filter: &Filter) -> Vec<Arc<DocumentRecord>> {
        self.view.catalog.matching(filter).cloned().collect()
    }

    fn document_at(&self, collection: &str, path: &str) -> Option<Arc<DocumentRecord>> {
        self.view.catalog.at(collection, path).cloned()
    }

    fn document(&self, id: DocumentId) -> Option<Arc<DocumentRecord>> {
        self.view.catalog.get(id.0).cloned()
    }

    fn text(&self, id: DocumentId) -> Result<Option<String>, StoreError> {
        if !self.view.catalog.contains(id.0) {
            return Ok(None);
        }
        self.told(self.files.reading(|conn| rows::text(conn, id.0)))
    }

    fn chunks_of(&self, id: DocumentId) -> Result<Vec<ChunkRecord>, StoreError> {
        if !self.view.catalog.contains(id.0) {
            return Ok(Vec::new());
        }
        self.told(self.files.reading(|conn| rows::chunks_of(conn, id.0)))
    }

    fn chunk_ids(&self, id: DocumentId) -> Vec<ChunkId> {
        self.view.catalog.chunk_ids(id.0)
    }

    fn first_chunk(&self, id: DocumentId, filter: &Filter) -> Option<ChunkId> {
        self.view.catalog.first_chunk(id.0, filter).map(ChunkId)
    }

    fn chunks(&self, ids: &[ChunkId]) -> Result<Vec<ChunkRecord>, StoreError> {
        self.told(self.read_chunks(ids))
    }

    fn lexical(
        &self,
        query: &LexicalQuery,
        filter: &Filter,
        depth: usize,
    ) -> Result<LexicalHits, StoreError> {
        self.told(self.read_lexical(query, filter, depth))
    }

    fn nearest_many(
        &self,
        model: &Model,
        queries: &[NearestQuery<'_>],
    ) -> Result<Vec<Vec<ChunkHit>>, StoreError> {
        let Some(table) = self.view.table(&model.id) else { return Ok(vec![Vec::new(); queries.len()]) };
        Ok(together(queries, |filter, sought| {
            let allowed = self.view.allowed(filter);
            table.nearest(sought, |document| allowed.contains(document), allowed.chunks())
        }))
    }

    fn similarities(
        &self,
        model: &Model,
        query: &[f32],
        chunks: &[ChunkId],
    ) -> Result<Vec<Option<f32>>, StoreError> {
        let Some(table) = self.view.table(&model.id) else { return Ok(vec![None; chunks.len()]) };
        let chunks: Vec<u64> = chunks.iter().map(|chunk| chunk.0).collect();
        Ok(table.similarities(query, &chunks))
    }

    fn vectors_of(
        &self,
        model: &Model,
        document: DocumentId,
    ) -> Result<Vec<(PassageHash, Option<QuantisedVector>)>, StoreError> {
        if !self.view.catalog.contains(document.0) {
            return Ok(Vec::new());
        }
        self.told(self.read_vectors(model, document))
    }

    fn counts(&self, model: Option<&Model>, filter: &Filter) -> Counts {
        let allowed = self.view.allowed(filter);
        let mut counts = allowed.counts(&self.view.catalog);
        if let Some(table) = model.and_then(|model| self.view.table(&model.id)) {
            counts.embedded = allowed.embedded(&**table);
        }
        counts
    }

    fn facets(&self, filter: &Filter) -> BTreeMap<String, BTreeMap<String, usize>> {
        self.view.catalog.facets(filter)
    }

    fn failures(&self) -> Result<Vec<Failure>, StoreError> {
        self.told(self.files.reading(rows::failures))
    }
}
