//! A view handed out to a reader, with the way to the rows.
//!
//! Texts, postings and vectors are read when asked for. Row numbers are never used twice, so what comes back is either the
//! version this snapshot knows or nothing.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use docent_index::{
    ChunkHit, ChunkId, ChunkRecord, Collection, Counts, DocumentId, DocumentRecord, Failure, Filter,
    Generation, LexicalHits, LexicalQuery, LexicalScores, Model, NearestQuery, PassageHash, QuantisedVector,
    Snapshot, StoreError,
};
use docent_store_common::{hit, keys, together};

use crate::fault::Outcome;
use crate::lexical::Scores;
use crate::link::Link;
use crate::shared::{Reading, Server, Shared};
use crate::view::View;
use crate::{find, nearest, rows};

pub(crate) struct PostgresSnapshot {
    pub(crate) shared: Arc<Shared>,
    pub(crate) view: Arc<View>,
    pub(crate) server: Server,
}

impl PostgresSnapshot {
    fn reading<'s, T, F>(&'s self, work: impl Fn(Reading<'s>) -> F) -> Result<T, StoreError>
    where
        F: Future<Output = Outcome<T>>,
    {
        let (shared, view) = (&*self.shared, &*self.view);
        shared
            .told(shared.read(self.server, shared.link.search(), |link| work(Reading { shared, link, view })))
    }

    /// Numbers of the collections that a filter names; `None` when it names none.
    fn named(&self, filter: &Filter) -> Option<HashSet<i32>> {
        let names = filter.collections.as_ref()?;
        Some(names.iter().filter_map(|name| self.view.collections.get(name).copied()).collect())
    }

    async fn read_chunks(&self, link: &Link, ids: &[ChunkId]) -> Outcome<Vec<ChunkRecord>> {
        let known = ids.iter().filter_map(|id| {
            let collection = self.view.collection_of(keys::document_of_chunk(id.0))?;
            Some((collection, i64::try_from(id.0).ok()?))
        });
        let unique: HashSet<(i32, i64)> = known.collect();
        let (collections, numbers): (Vec<i32>, Vec<i64>) = unique.into_iter().unzip();
        let client = link.client().await?;
        let found = rows::chunks(&client, &collections, &numbers).await?;
        Ok(ids.iter().filter_map(|id| found.get(&id.0).cloned()).collect())
    }
}

impl LexicalScores for Scores {
    fn of(&self, chunks: &[ChunkId], documents: &[DocumentId]) -> Result<(Vec<f32>, Vec<f32>), StoreError> {
        Ok((
            chunks.iter().map(|id| self.of_chunk(id.0)).collect(),
            documents.iter().map(|id| self.of_page(id.0)).collect(),
        ))
    }
}

impl Snapshot for PostgresSnapshot {
    fn generation(&self) -> Generation {
        Generation(self.view.state.generation)
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
        let Some(collection) = self.view.collection_of(id.0) else { return Ok(None) };
        self.reading(|at| async move { rows::text(&at.link.client().await?, collection, id.0).await })
    }

    fn chunks_of(&self, id: DocumentId) -> Result<Vec<ChunkRecord>, StoreError> {
        let Some(collection) = self.view.collection_of(id.0) else { return Ok(Vec::new()) };
        self.reading(|at| async move { rows::chunks_of(&at.link.client().await?, collection, id.0).await })
    }

    fn chunk_ids(&self, id: DocumentId) -> Vec<ChunkId> {
        self.view.catalog.chunk_ids(id.0)
    }

    fn first_chunk(&self, id: DocumentId, filter: &Filter) -> Option<ChunkId> {
        self.view.catalog.first_chunk(id.0, filter).map(ChunkId)
    }

    fn chunks(&self, ids: &[ChunkId]) -> Result<Vec<ChunkRecord>, StoreError> {
        self.reading(|at| self.read_chunks(at.link, ids))
    }

    fn lexical(
        &self,
        query: &LexicalQuery,
        filter: &Filter,
        depth: usize,
    ) -> Result<LexicalHits, StoreError> {
        let named = self.named(filter);
        let scores = self.reading(|at| find::scores(at, query, named.as_ref()))?;
        let (view, allowed) = (&self.view, self.view.allowed(filter));
        let is_there = |document: u64| view.catalog.contains(document);
        let chunks = scores.best_chunks(depth, |chunk| {
            allowed.contains_chunk(chunk) && is_there(keys::document_of_chunk(chunk))
        });
        let documents = scores.best_pages(depth, |document| allowed.contains(document) && is_there(document));
        Ok(LexicalHits {
            chunks: chunks.into_iter().map(hit).collect(),
            documents: documents.into_iter().map(|(id, score)| (DocumentId(id), score)).collect(),
            chunk_bound: scores.chunk_bound,
            document_bound: scores.page_bound,
            scores: Some(Arc::new(scores)),
        })
    }

    fn lexical_scores(
        &self,
        query: &LexicalQuery,
        chunks: &[ChunkId],
        documents: &[DocumentId],
    ) -> Result<(Vec<f32>, Vec<f32>), StoreError> {
        let owners = chunks.iter().map(|chunk| keys::document_of_chunk(chunk.0));
        let asked = owners.chain(documents.iter().map(|id| id.0));
        let named: HashSet<i32> = asked.filter_map(|id| self.view.collection_of(id)).collect();
        self.reading(|at| find::scores(at, query, Some(&named)))?.of(chunks, documents)
    }

    fn nearest_many(
        &self,
        model: &Model,
        queries: &[NearestQuery<'_>],
    ) -> Result<Vec<Vec<ChunkHit>>, StoreError> {
        let Some(row) = self.view.model(&model.id) else { return Ok(vec![Vec::new(); queries.len()]) };
        if let Some(table) = self.reading(|at| nearest::table(at, row))? {
            return Ok(together(queries, |filter, sought| {
                let allowed = self.view.allowed(filter);
                table.owners.nearest(&*table.bytes, sought, |id| allowed.contains(id), allowed.chunks())
            }));
        }
        let one = |query: &NearestQuery<'_>| {
            let near = |at| nearest::nearest(at, row, query.vector, query.filter, query.depth);
            Ok(self.reading(near)?.into_iter().map(hit).collect())
        };
        queries.iter().map(one).collect()
    }

    fn affordable(&self, model: &Model, filter: &Filter, most: usize) -> usize {
        let row = self.view.model(&model.id);
        row.map_or(most, |row| nearest::affordable(&self.shared, &self.view, row, filter, most))
    }

    fn similarities(
        &self,
        model: &Model,
        query: &[f32],
        chunks: &[ChunkId],
    ) -> Result<Vec<Option<f32>>, StoreError> {
        let Some(row) = self.view.model(&model.id) else { return Ok(vec![None; chunks.len()]) };
        let chunks: Vec<u64> = chunks.iter().map(|chunk| chunk.0).collect();
        match self.reading(|at| nearest::table(at, row))? {
            Some(table) => Ok(table.owners.similarities(&*table.bytes, query, &chunks)),
            None => self.reading(|at| nearest::similarities(at, row, query, &chunks)),
        }
    }

    fn vectors_of(
        &self,
        model: &Model,
        document: DocumentId,
    ) -> Result<Vec<(PassageHash, Option<QuantisedVector>)>, StoreError> {
        let Some(collection) = self.view.collection_of(document.0) else { return Ok(Vec::new()) };
        self.reading(|at| async move {
            let client = at.link.client().await?;
            let passages = rows::passages_of(&client, collection, document.0).await?;
            drop(client);
            let mut vectors = match at.view.model(&model.id) {
                Some(row) => nearest::vectors_of(at, row, document.0).await?,
                None => Default::default(),
            };
            Ok(passages.into_iter().map(|(id, hash)| (hash, vectors.remove(&id))).collect())
        })
    }

    fn counts(&self, model: Option<&Model>, filter: &Filter) -> Counts {
        let allowed = self.view.allowed(filter);
        let mut counts = allowed.counts(&self.view.catalog);
        let model = model.and_then(|model| self.view.model(&model.id));
        if let Some(embedded) = model.and_then(|model| self.view.embedded(model.id)) {
            counts.embedded = allowed.embedded(embedded);
        }
        counts
    }

    fn facets(&self, filter: &Filter) -> BTreeMap<String, BTreeMap<String, usize>> {
        self.view.catalog.facets(filter)
    }

    fn failures(&self) -> Result<Vec<Failure>, StoreError> {
        let mut failures =
            self.reading(|at| async move { rows::failures(&at.link.client().await?).await })?;
        failures.retain(|failure| self.view.collections.contains_key(&failure.collection));
        Ok(failures)
    }
}
