//! The seam to storage.
//!
//! A [`Store`] takes batches and hands out [`Snapshot`]s. A snapshot is one generation: everything a query reads, it
//! reads from one snapshot, so that an answer never mixes two states. Batches are whole: a document is wholly old or
//! wholly new. The engine knows nothing else of a backend.

use std::any::Any;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;

use crate::{
    Change, ChunkId, ChunkRecord, DocumentId, DocumentRecord, Failure, Filter, Generation, Model,
    PassageHash, PassageId, PendingPassage, QuantisedVector, Replaced, Replacement, StoreError,
};

/// Keeps documents and finds them again.
pub trait Store: Send + Sync {
    /// The newest generation, including what other processes have written.
    fn snapshot(&self) -> Result<Arc<dyn Snapshot>, StoreError>;

    /// Vectors that were computed before, for all who use this store; `None` where each user has a cache of their own.
    fn cache(&self) -> Option<Arc<dyn EmbeddingCache>> {
        None
    }

    /// Applies all changes as one generation, or none. Searchable when it returns.
    fn apply(&self, changes: &[Change]) -> Result<Generation, StoreError>;

    /// Has every document of a collection written anew when it is put the next time, although it seems to be the same.
    fn distrust(&self, collection: &str) -> Result<(), StoreError> {
        let _ = collection;
        Ok(())
    }

    /// As [`Store::apply`], and gives the new documents' passages those vectors of `model` that are at hand for their
    /// hashes, in the same generation.
    fn apply_embedded(
        &self,
        changes: &[Change],
        model: &Model,
        vectors: &HashMap<PassageHash, QuantisedVector>,
    ) -> Result<Generation, StoreError>;

    /// Makes `name` known with the folder it is read from. Known collections keep their documents.
    fn put_collection(&self, collection: &Collection) -> Result<(), StoreError>;

    /// Puts a whole collection in the place of what it held, as one generation: readers see all of the old or all of the
    /// new, and whatever ends it early leaves the old. Other writers wait until it is done.
    fn replace_collection(&self, replacement: Replacement<'_>) -> Result<Replaced, StoreError>;

    /// Gives a collection another name that is not taken. Its documents keep rows, uuids and vectors.
    fn rename_collection(&self, from: &str, to: &str) -> Result<(), StoreError>;

    /// Drops a collection and all that is in it.
    fn remove_collection(&self, name: &str) -> Result<(), StoreError>;

    /// Takes every trace of what was removed or replaced off the disk, as far as this store has it, and says which of
    /// `passages` no document has any more.
    fn purge(&self, passages: &[PassageHash]) -> Result<Purged, StoreError>;

    /// Passages with no vector of `model` that are asked for, oldest first, at most `limit`.
    fn pending_in(
        &self,
        model: &Model,
        asked: Pending<'_>,
        limit: usize,
    ) -> Result<Vec<PendingPassage>, StoreError>;

    /// As [`Store::pending_in`], of the whole store.
    fn pending(&self, model: &Model, limit: usize) -> Result<Vec<PendingPassage>, StoreError> {
        self.pending_in(model, Pending::default(), limit)
    }

    /// As [`Store::pending_in`], for who is going to embed them. A store that many processes embed for at the same time
    /// gives each passage to one of them, and to another when nothing comes of it.
    fn claim(
        &self,
        model: &Model,
        asked: Pending<'_>,
        limit: usize,
    ) -> Result<Vec<PendingPassage>, StoreError> {
        self.pending_in(model, asked, limit)
    }

    /// Keeps vectors of `model`. Passages that are gone by now are passed over.
    fn put_vectors(
        &self,
        model: &Model,
        vectors: &[(PassageId, QuantisedVector)],
    ) -> Result<Generation, StoreError>;

    /// Drops the vectors of every other model. Called when `model` has caught up.
    fn retire_other_models(&self, model: &Model) -> Result<(), StoreError>;

    /// Tries to be the one process that does this work on what is named: collections, or a repository; nothing means all
    /// there are. A store that many share lets others work on something else meanwhile; a store of one machine may not.
    /// Any number may embed for a store that says who embeds what ([`Store::claim`]).
    /// The lease ends when it is dropped or the process dies.
    fn try_lease(&self, role: Role, of: &[String]) -> Result<Option<Lease>, StoreError>;

    /// A random key that belongs to this index and never leaves it, for signing what must come back unchanged.
    fn secret(&self) -> Result<[u8; 32], StoreError>;

    /// Figures for people.
    fn stats(&self) -> Result<StoreStats, StoreError>;

    /// Something large was done: memory that was used for it goes back to the system, where that takes asking.
    fn give_back_memory(&self) {}

    /// Reads everything back and compares the parts with each other.
    fn check(&self) -> Result<CheckReport, StoreError>;

    /// Where an index comes from that was built once and is only read since; `None` for one that can be written to.
    fn built(&self) -> Option<Built> {
        None
    }
}

/// One generation of a store, to read from.
pub trait Snapshot: Send + Sync {
    /// Which one.
    fn generation(&self) -> Generation;

    /// The last generation that changed what documents say. Vectors and touched files do not count.
    fn content_generation(&self) -> Generation;

    /// Known collections, by name.
    fn collections(&self) -> Vec<Collection>;

    /// Documents that pass, by collection and path.
    fn documents(&self, filter: &Filter) -> Vec<Arc<DocumentRecord>>;

    /// The document at a path.
    fn document_at(&self, collection: &str, path: &str) -> Option<Arc<DocumentRecord>>;

    /// The document of a row.
    fn document(&self, id: DocumentId) -> Option<Arc<DocumentRecord>>;

    /// The document's whole text, byte for byte as indexed.
    fn text(&self, id: DocumentId) -> Result<Option<String>, StoreError>;

    /// The document's chunks in order.
    fn chunks_of(&self, id: DocumentId) -> Result<Vec<ChunkRecord>, StoreError>;

    /// Rows of the document's searchable chunks, in order.
    fn chunk_ids(&self, id: DocumentId) -> Vec<ChunkId>;

    /// The first of them that passes.
    fn first_chunk(&self, id: DocumentId, filter: &Filter) -> Option<ChunkId>;

    /// These chunks, in this order; chunks that do not exist are left out.
    fn chunks(&self, ids: &[ChunkId]) -> Result<Vec<ChunkRecord>, StoreError>;

    /// The best `depth` chunks and the best `depth` documents by BM25.
    fn lexical(&self, query: &LexicalQuery, filter: &Filter, depth: usize)
    -> Result<LexicalHits, StoreError>;

    /// BM25 of each of these chunks and documents, for those that [`Snapshot::lexical`] did not name.
    fn lexical_scores(
        &self,
        query: &LexicalQuery,
        chunks: &[ChunkId],
        documents: &[DocumentId],
    ) -> Result<(Vec<f32>, Vec<f32>), StoreError>;

    /// The `depth` chunks whose best passage is nearest by cosine.
    fn nearest(
        &self,
        model: &Model,
        query: &[f32],
        filter: &Filter,
        depth: usize,
    ) -> Result<Vec<ChunkHit>, StoreError> {
        let found = self.nearest_many(model, &[NearestQuery { vector: query, filter, depth }])?;
        Ok(found.into_iter().next().unwrap_or_default())
    }

    /// [`Snapshot::nearest`] for several queries, in order. A store may read its vectors once for all of them.
    fn nearest_many(
        &self,
        model: &Model,
        queries: &[NearestQuery<'_>],
    ) -> Result<Vec<Vec<ChunkHit>>, StoreError>;

    /// How many of the nearest are worth asking for as candidates that are ranked by more than their cosine, `most` at most:
    /// fewer where a filter makes each of them costly to find.
    fn affordable(&self, model: &Model, filter: &Filter, most: usize) -> usize {
        let _ = (model, filter);
        most
    }

    /// Cosine of the best passage of each of these chunks; `None` where nothing is embedded yet.
    fn similarities(
        &self,
        model: &Model,
        query: &[f32],
        chunks: &[ChunkId],
    ) -> Result<Vec<Option<f32>>, StoreError>;

    /// The document's passages in order, each with its vector of `model`, if it has one.
    fn vectors_of(
        &self,
        model: &Model,
        document: DocumentId,
    ) -> Result<Vec<(PassageHash, Option<QuantisedVector>)>, StoreError>;

    /// How much there is under a filter.
    fn counts(&self, model: Option<&Model>, filter: &Filter) -> Counts;

    /// Facet keys, their values, and how many documents have each, under a filter.
    fn facets(&self, filter: &Filter) -> BTreeMap<String, BTreeMap<String, usize>>;

    /// Files that could not be indexed.
    fn failures(&self) -> Result<Vec<Failure>, StoreError>;
}

/// A named set of documents with one root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collection {
    /// Short name.
    pub name: String,
    /// Folder that is watched, absolute; empty for collections that have none.
    pub root: String,
    /// How its documents were cut; when the engine cuts otherwise now, it reads them all again.
    pub cut: String,
    /// What its authors say of it, as JSON (instructions, taxonomy); kept and not looked into. Empty for nothing.
    pub about: String,
}

/// What [`Store::purge`] did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Purged {
    /// Whether nothing is left. Where a reader holds on to an older state, a later write finishes it.
    pub is_complete: bool,
    /// Passages that no document has.
    pub unused: Vec<PassageHash>,
}

/// Which of the passages that have no vector are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pending<'a> {
    /// Only those of these collections; `None` means all.
    pub collections: Option<&'a [String]>,
    /// Only those that came after this one. Who takes them in turn need not look again at those that are done.
    pub after: Option<PassageId>,
}

/// The words of a query, each with its weight.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LexicalQuery {
    /// Token as `docent_text` makes it, and weight.
    pub terms: Vec<(String, f32)>,
}

/// What is looked for by meaning.
#[derive(Debug, Clone, Copy)]
pub struct NearestQuery<'a> {
    /// The query's vector.
    pub vector: &'a [f32],
    /// Where to look.
    pub filter: &'a Filter,
    /// How many chunks are wanted.
    pub depth: usize,
}

/// What BM25 found.
#[derive(Clone, Default)]
pub struct LexicalHits {
    /// Best chunks, best first.
    pub chunks: Vec<ChunkHit>,
    /// Best whole documents, best first.
    pub documents: Vec<(DocumentId, f32)>,
    /// The score that no chunk can exceed, however often it has every word of the query.
    pub chunk_bound: f32,
    /// The same for documents.
    pub document_bound: f32,
    /// BM25 of everything else, where the store has it at hand; [`Snapshot::lexical_scores`] otherwise.
    pub scores: Option<Arc<dyn LexicalScores>>,
}

/// What was found is compared, not how the store would find the rest.
impl PartialEq for LexicalHits {
    fn eq(&self, other: &Self) -> bool {
        self.chunks == other.chunks
            && self.documents == other.documents
            && self.chunk_bound == other.chunk_bound
            && self.document_bound == other.document_bound
    }
}

impl fmt::Debug for LexicalHits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LexicalHits")
            .field("chunks", &self.chunks)
            .field("documents", &self.documents)
            .finish_non_exhaustive()
    }
}

/// BM25 of a query for all there is.
pub trait LexicalScores: Send + Sync {
    /// Scores of these chunks, then of these documents.
    fn of(&self, chunks: &[ChunkId], documents: &[DocumentId]) -> Result<(Vec<f32>, Vec<f32>), StoreError>;
}

/// A chunk with a score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChunkHit {
    /// The chunk.
    pub chunk: ChunkId,
    /// Its document.
    pub document: DocumentId,
    /// BM25 or cosine.
    pub score: f32,
}

/// How much is indexed, and how much of that has vectors. Under a condition on chunks, passages are those of the documents
/// that have such chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Documents.
    pub documents: usize,
    /// Chunks.
    pub chunks: usize,
    /// Passages.
    pub passages: usize,
    /// Passages that have a vector.
    pub embedded: usize,
}

/// Work that only one process should do at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Bringing many files in.
    Ingest,
    /// Embedding in the background.
    Embed,
    /// Keeping and deleting what was handed over.
    Library,
    /// Checking what documents claim.
    Verify,
}

/// Held while a process has a [`Role`].
pub struct Lease(#[expect(dead_code, reason = "kept for its drop")] Box<dyn Any + Send>);

impl Lease {
    /// Wraps the guard that ends the lease when it is dropped.
    pub fn new(guard: impl Any + Send) -> Self {
        Self(Box::new(guard))
    }
}

/// Figures for people.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StoreStats {
    /// Where the index lives.
    pub place: String,
    /// Format number.
    pub format: u32,
    /// Size on disk.
    pub bytes: u64,
    /// When a batch was last applied, in milliseconds since 1970.
    pub last_applied_ms: Option<i64>,
    /// Models that have vectors, with the number of vectors.
    pub models: Vec<(String, usize)>,
}

/// Where a built index comes from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Built {
    /// When it was built, ISO 8601.
    pub at: String,
    /// Commit of the repository around the documents, if any.
    pub commit: Option<String>,
    /// Whether the documents had changes that were not in that commit.
    pub dirty: Option<bool>,
}

/// What a check found. Empty `problems` means sound.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CheckReport {
    /// What was looked at, for people.
    pub checked: Vec<String>,
    /// What is wrong.
    pub problems: Vec<String>,
}

/// Vectors that were computed before, for any collection of a user or of a team.
pub trait EmbeddingCache: Send + Sync {
    /// Looks up vectors; `None` where there is none.
    fn get(&self, model: &Model, hashes: &[PassageHash]) -> Vec<Option<QuantisedVector>>;

    /// Keeps vectors. Failure to keep is not an error: it only costs time later.
    fn put(&self, model: &Model, vectors: &[(PassageHash, QuantisedVector)]);

    /// Forgets vectors, of every model, and leaves no trace of them. The error says why it could not.
    fn forget(&self, passages: &[PassageHash]) -> Result<(), String>;
}
