//! Search: a query in, ranked chunks out.
//!
//! Reads as the pipeline it is: words and vector of the query, candidates from both sides, one fused score each,
//! the best chunks with their text. It works on one snapshot from start to end and knows nothing of files: whether an
//! answer is still true is asked by the caller.

mod answer;
mod collapse;
pub(crate) mod cursor;
mod fuse;
mod query;
mod rank;

use std::sync::Arc;

use docent_index::{ChunkRecord, DocumentRecord, Embedder, Filter, Snapshot};

pub use answer::{
    Explanation, FacetHint, Hint, HitMetadata, SearchAnswer, SearchHit, Searched, SearchedCollection,
    VectorState,
};
pub use fuse::Fusion;
pub(crate) use rank::{Ranked, Ranking, rank};

use crate::EngineError;

/// Longest query that is accepted, in bytes.
pub const MAX_QUERY_BYTES: usize = 4096;

/// Which sides take part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Words and meaning together.
    #[default]
    Hybrid,
    /// Meaning only: the score is the cosine.
    Semantic,
    /// Words only.
    Lexical,
}

/// A search.
#[derive(Debug, Clone)]
pub struct SearchRequest {
    /// What is looked for, in the user's words.
    pub query: String,
    /// How many chunks to return.
    pub top_k: usize,
    /// How many to skip, for a further page.
    pub offset: usize,
    /// The page to return, from an earlier answer to the same search; wins over `offset`.
    pub cursor: Option<String>,
    /// Who asks: a cursor works only for the caller that it was given to.
    pub caller: String,
    /// Where to look.
    pub filter: Filter,
    /// Facets over which siblings are folded; [`crate::Engine::search`] fills it in from what the authors say.
    pub(crate) collapse: Vec<String>,
    /// Which sides take part.
    pub mode: Mode,
    /// How the sides are joined.
    pub fusion: Fusion,
    /// Whether hits say how their score came about.
    pub explain: bool,
}

impl SearchRequest {
    /// A hybrid search for the best five chunks.
    pub fn new(query: impl Into<String>) -> Self {
        Self {
            query: query.into(),
            top_k: 5,
            offset: 0,
            cursor: None,
            caller: String::new(),
            filter: Filter::default(),
            collapse: Vec::new(),
            mode: Mode::default(),
            fusion: Fusion::default(),
            explain: false,
        }
    }

    /// Refuses what cannot be searched for.
    pub(crate) fn check(&self) -> Result<(), EngineError> {
        if self.query.trim().is_empty() {
            return Err(EngineError::usage(
                "query parameter is required",
                "say what you are looking for in a few words",
            ));
        }
        if self.query.len() > MAX_QUERY_BYTES {
            return Err(EngineError::usage(
                format!("the query has {} bytes and the limit is {MAX_QUERY_BYTES}", self.query.len()),
                "ask with fewer words; a sentence is enough",
            ));
        }
        Ok(())
    }
}

/// A ranked chunk with everything an answer says of it.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) ranked: Ranked,
    pub(crate) chunk: ChunkRecord,
    pub(crate) document: Arc<DocumentRecord>,
    /// Ids of the same passage in sibling pages.
    pub(crate) variants: Vec<String>,
}

/// Ranks and loads the chunks of the asked page. The flag says whether more follow.
pub(crate) fn find(
    snapshot: &dyn Snapshot,
    embedder: Option<&dyn Embedder>,
    request: &SearchRequest,
) -> Result<(Vec<Found>, bool, Ranking), EngineError> {
    let ranking = rank(snapshot, embedder, request)?;
    let ids: Vec<_> =
        ranking.hits.iter().skip(request.offset).take(request.top_k).map(|hit| hit.chunk).collect();
    let more = ranking.hits.len() > request.offset + ids.len();
    let mut found = Vec::with_capacity(ids.len());
    let mut chunks = snapshot.chunks(&ids)?.into_iter().peekable();
    for ranked in ranking.hits.iter().skip(request.offset).take(request.top_k) {
        // A chunk whose row is gone by now belongs to a document that has just been replaced.
        let Some(chunk) = chunks.next_if(|chunk| chunk.id == ranked.chunk) else { continue };
        let Some(document) = snapshot.document(chunk.document) else { continue };
        let variants = match ranking.folded.get(&ranked.chunk) {
            Some(folded) => snapshot.chunks(folded)?.into_iter().map(|chunk| chunk.chunk_id).collect(),
            None => Vec::new(),
        };
        found.push(Found { ranked: *ranked, chunk, document, variants });
    }
    Ok((found, more, ranking))
}
