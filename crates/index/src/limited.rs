//! A store as somebody sees it who may know of some collections only.
//!
//! Every other collection is not there: it is in no list and no count, no filter reaches it, its rows cannot be read by
//! their numbers, and it cannot be written to. Searches are narrowed before they rank. Since this is the seam itself,
//! whatever is built on top of it is limited without knowing.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::{
    Access, Built, Change, CheckReport, ChunkHit, ChunkId, ChunkRecord, Collection, Counts, DocumentId,
    DocumentRecord, Failure, Filter, Generation, Lease, LexicalHits, LexicalQuery, Model, NearestQuery,
    PassageHash, PassageId, Pending, PendingPassage, Purged, QuantisedVector, Replaced, Replacement, Role,
    Snapshot, Store, StoreError, StoreStats,
};

/// A store that knows of some collections only.
pub struct LimitedStore {
    store: Arc<dyn Store>,
    access: Access,
}

impl LimitedStore {
    /// What `access` lets through of `store`.
    pub fn new(store: Arc<dyn Store>, access: Access) -> Self {
        Self { store, access }
    }

    fn check_name(&self, name: &str) -> Result<(), StoreError> {
        match self.access.allows(name) {
            true => Ok(()),
            false => Err(StoreError::OutOfReach { name: name.to_owned() }),
        }
    }

    fn check_changes(&self, changes: &[Change]) -> Result<(), StoreError> {
        changes.iter().try_for_each(|change| self.check_name(change.collection()))
    }

    /// The collections that may be known of.
    fn names(&self) -> Result<Vec<String>, StoreError> {
        let known = self.store.snapshot()?.collections().into_iter();
        Ok(known.map(|known| known.name).filter(|name| self.access.allows(name)).collect())
    }
}

impl Store for LimitedStore {
    fn snapshot(&self) -> Result<Arc<dyn Snapshot>, StoreError> {
        Ok(Arc::new(LimitedSnapshot::new(self.store.snapshot()?, self.access.clone())))
    }

    fn apply(&self, changes: &[Change]) -> Result<Generation, StoreError> {
        self.check_changes(changes)?;
        self.store.apply(changes)
    }

    fn apply_embedded(
        &self,
        changes: &[Change],
        model: &Model,
        vectors: &HashMap<PassageHash, QuantisedVector>,
    ) -> Result<Generation, StoreError> {
        self.check_changes(changes)?;
        self.store.apply_embedded(changes, model, vectors)
    }

    fn put_collection(&self, collection: &Collection) -> Result<(), StoreError> {
        self.check_name(&collection.name)?;
        self.store.put_collection(collection)
    }

    fn replace_collection(&self, replacement: Replacement<'_>) -> Result<Replaced, StoreError> {
        self.check_name(&replacement.collection.name)?;
        self.store.replace_collection(replacement)
    }

    fn rename_collection(&self, from: &str, to: &str) -> Result<(), StoreError> {
        self.check_name(from)?;
        self.check_name(to)?;
        self.store.rename_collection(from, to)
    }

    fn remove_collection(&self, name: &str) -> Result<(), StoreError> {
        self.check_name(name)?;
        self.store.remove_collection(name)
    }

    fn purge(&self, passages: &[PassageHash]) -> Result<Purged, StoreError> {
        self.store.purge(passages)
    }

    fn pending_in(
        &self,
        model: &Model,
        asked: Pending<'_>,
        limit: usize,
    ) -> Result<Vec<PendingPassage>, StoreError> {
        let mut names = self.names()?;
        names.retain(|name| asked.collections.is_none_or(|asked| asked.contains(name)));
        self.store.pending_in(model, Pending { collections: Some(&names), ..asked }, limit)
    }

    fn put_vectors(
        &self,
        model: &Model,
        vectors: &[(PassageId, QuantisedVector)],
    ) -> Result<Generation, StoreError> {
        self.store.put_vectors(model, vectors)
    }

    /// Models are for all collections: who sees some of them does not decide about the others' vectors.
    fn retire_other_models(&self, _: &Model) -> Result<(), StoreError> {
        Ok(())
    }

    fn try_lease(&self, role: Role, of: &[String]) -> Result<Option<Lease>, StoreError> {
        self.store.try_lease(role, of)
    }

    fn secret(&self) -> Result<[u8; 32], StoreError> {
        self.store.secret()
    }

    /// Nothing that depends on how much else there is, or says where it is kept.
    fn stats(&self) -> Result<StoreStats, StoreError> {
        Ok(StoreStats { format: self.store.stats()?.format, ..StoreStats::default() })
    }

    fn give_back_memory(&self) {
        self.store.give_back_memory();
    }

    /// What is checked is checked as a whole, by whoever may see all of it.
    fn check(&self) -> Result<CheckReport, StoreError> {
        Err(StoreError::OutOfReach { name: "*".to_owned() })
    }

    fn built(&self) -> Option<Built> {
        self.store.built()
    }
}

/// One generation of a store that knows of some collections only.
struct LimitedSnapshot {
    snapshot: Arc<dyn Snapshot>,
    access: Access,
    /// The collections that may be known of.
    known: Vec<Collection>,
}

impl LimitedSnapshot {
    fn new(snapshot: Arc<dyn Snapshot>, access: Access) -> Self {
        let mut known = snapshot.collections();
        known.retain(|known| access.allows(&known.name));
        Self { snapshot, access, known }
    }

    /// The filter, and nothing that may not be known of.
    fn narrow(&self, filter: &Filter) -> Filter {
        let asked = |name: &String| filter.collections.as_ref().is_none_or(|names| names.contains(name));
        let names = self.known.iter().map(|known| &known.name).filter(|name| asked(name));
        Filter { collections: Some(names.cloned().collect()), ..filter.clone() }
    }

    fn has(&self, id: DocumentId) -> bool {
        self.snapshot.document(id).is_some_and(|document| self.access.allows(&document.collection))
    }
}

impl Snapshot for LimitedSnapshot {
    fn generation(&self) -> Generation {
        self.snapshot.generation()
    }

    fn content_generation(&self) -> Generation {
        self.snapshot.content_generation()
    }

    fn collections(&self) -> Vec<Collection> {
        self.known.clone()
    }

    fn documents(&self, filter: &Filter) -> Vec<Arc<DocumentRecord>> {
        self.snapshot.documents(&self.narrow(filter))
    }

    fn document_at(&self, collection: &str, path: &str) -> Option<Arc<DocumentRecord>> {
        self.access.allows(collection).then(|| self.snapshot.document_at(collection, path)).flatten()
    }

    fn document(&self, id: DocumentId) -> Option<Arc<DocumentRecord>> {
        self.snapshot.document(id).filter(|document| self.access.allows(&document.collection))
    }

    fn text(&self, id: DocumentId) -> Result<Option<String>, StoreError> {
        if self.has(id) { self.snapshot.text(id) } else { Ok(None) }
    }

    fn chunks_of(&self, id: DocumentId) -> Result<Vec<ChunkRecord>, StoreError> {
        if self.has(id) { self.snapshot.chunks_of(id) } else { Ok(Vec::new()) }
    }

    fn chunk_ids(&self, id: DocumentId) -> Vec<ChunkId> {
        if self.has(id) { self.snapshot.chunk_ids(id) } else { Vec::new() }
    }

    fn first_chunk(&self, id: DocumentId, filter: &Filter) -> Option<ChunkId> {
        self.has(id).then(|| self.snapshot.first_chunk(id, filter)).flatten()
    }

    fn chunks(&self, ids: &[ChunkId]) -> Result<Vec<ChunkRecord>, StoreError> {
        let mut chunks = self.snapshot.chunks(ids)?;
        chunks.retain(|chunk| self.has(chunk.document));
        Ok(chunks)
    }

    fn lexical(
        &self,
        query: &LexicalQuery,
        filter: &Filter,
        depth: usize,
    ) -> Result<LexicalHits, StoreError> {
        self.snapshot.lexical(query, &self.narrow(filter), depth)
    }

    /// Of rows that a search or a list gave, which are none of those that may not be known of.
    fn lexical_scores(
        &self,
        query: &LexicalQuery,
        chunks: &[ChunkId],
        documents: &[DocumentId],
    ) -> Result<(Vec<f32>, Vec<f32>), StoreError> {
        self.snapshot.lexical_scores(query, chunks, documents)
    }

    fn nearest_many(
        &self,
        model: &Model,
        queries: &[NearestQuery<'_>],
    ) -> Result<Vec<Vec<ChunkHit>>, StoreError> {
        let filters: Vec<Filter> = queries.iter().map(|query| self.narrow(query.filter)).collect();
        let narrowed = queries.iter().zip(&filters);
        let narrowed: Vec<NearestQuery<'_>> = narrowed
            .map(|(query, filter)| NearestQuery { vector: query.vector, filter, depth: query.depth })
            .collect();
        self.snapshot.nearest_many(model, &narrowed)
    }

    fn affordable(&self, model: &Model, filter: &Filter, most: usize) -> usize {
        self.snapshot.affordable(model, &self.narrow(filter), most)
    }

    /// See [`Snapshot::lexical_scores`] of this snapshot.
    fn similarities(
        &self,
        model: &Model,
        query: &[f32],
        chunks: &[ChunkId],
    ) -> Result<Vec<Option<f32>>, StoreError> {
        self.snapshot.similarities(model, query, chunks)
    }

    fn vectors_of(
        &self,
        model: &Model,
        document: DocumentId,
    ) -> Result<Vec<(PassageHash, Option<QuantisedVector>)>, StoreError> {
        if self.has(document) { self.snapshot.vectors_of(model, document) } else { Ok(Vec::new()) }
    }

    fn counts(&self, model: Option<&Model>, filter: &Filter) -> Counts {
        self.snapshot.counts(model, &self.narrow(filter))
    }

    fn facets(&self, filter: &Filter) -> BTreeMap<String, BTreeMap<String, usize>> {
        self.snapshot.facets(&self.narrow(filter))
    }

    fn failures(&self) -> Result<Vec<Failure>, StoreError> {
        let mut failures = self.snapshot.failures()?;
        failures.retain(|failure| self.access.allows(&failure.collection));
        Ok(failures)
    }
}
