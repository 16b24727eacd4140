//! Search: a query in, ranked chunks out.
//!
//! Reads as the pipeline it is: words and vector of the query, candidates from both sides, one fused score each,
//! the best chunks with their text. It works on one snapshot from start to end and knows nothing of files: whether an
//! answer is still true is asked by the caller.

mod answer;
mod collapse;
pub(crate) mod cursor;
mod fuse;
mod propose;
mod query;
mod rank;
mod share;

use std::sync::Arc;

use docent_index::{ChunkId, ChunkRecord, DocumentRecord, Embedder, Filter, Snapshot};

pub use answer::{
    Explanation, FacetHint, Hint, HitMetadata, SearchAnswer, SearchHit, Searched, SearchedCollection,
    VectorState,
};
pub use fuse::Fusion;
pub(crate) use rank::{Ranked, Ranking};

use crate::{Condition, EngineError};
use propose::{Running, propose};
use rank::rank;
use share::share;

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
    /// Fields that what is found must have.
    pub conditions: Vec<Condition>,
    /// Which sides take part.
    pub mode: Mode,
    /// How the sides are joined.
    pub fusion: Fusion,
    /// Whether hits say how their score came about.
    pub explain: bool,
    /// Leaves out what is farther away than this by cosine distance (1 - similarity, from 0 to 2), and what has no vector.
    pub max_distance: Option<f32>,
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
            conditions: Vec::new(),
            mode: Mode::default(),
            fusion: Fusion::default(),
            explain: false,
            max_distance: None,
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
        if self.max_distance.is_some_and(|distance| !(0.0..=2.0).contains(&distance)) {
            return Err(EngineError::usage(
                "the largest distance must be a number from 0 to 2",
                "it is 1 minus the cosine: 0 is the same meaning, 1 is unrelated",
            ));
        }
        Ok(())
    }
}

/// A request as it is run on one snapshot.
#[derive(Debug, Clone)]
pub(crate) struct Job {
    /// With its place and its filter settled: whatever a cursor said is in `offset`, and what conditions come down to in
    /// `filter`.
    pub(crate) request: SearchRequest,
    /// How much of the first hit's content an earlier answer had, in bytes.
    pub(crate) inside: usize,
    /// Facets over which siblings are folded, from what the authors say.
    pub(crate) collapse: Vec<String>,
    /// What stands for the query on the vector side.
    pub(crate) meaning: Meant,
    /// Chunks that are not wanted back.
    pub(crate) without: Vec<ChunkId>,
}

/// Where the vector of a query comes from.
#[derive(Debug, Clone)]
pub(crate) enum Meant {
    /// The embedder makes it from the query's text.
    Query,
    /// It is known already.
    Vector(Vec<f32>),
    /// There is none, for this reason.
    Nothing(String),
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

impl Job {
    /// A search for the query's words and meaning.
    pub(crate) fn new(request: SearchRequest, collapse: Vec<String>) -> Self {
        Self { request, inside: 0, collapse, meaning: Meant::Query, without: Vec::new() }
    }
}

/// What a search found, without the look at files.
#[derive(Default)]
pub(crate) struct Page {
    /// The chunks of the asked page.
    pub(crate) found: Vec<Found>,
    /// Whether more follow.
    pub(crate) more: bool,
    pub(crate) ranking: Ranking,
}

impl Page {
    /// Whether a document was replaced between ranking and reading.
    pub(crate) fn is_short(&self, request: &SearchRequest) -> bool {
        let expected = self.ranking.hits.len().saturating_sub(request.offset).min(request.top_k);
        self.found.len() < expected
    }
}

/// Ranks and loads the chunks of the asked page.
pub(crate) fn find(
    snapshot: &dyn Snapshot,
    embedder: Option<&dyn Embedder>,
    job: &Job,
) -> Result<Page, EngineError> {
    Ok(find_all(snapshot, embedder, &[job], |_| ())?.swap_remove(0).0)
}

/// Several searches on the same snapshot, each with what `look` says of what was found. Each finds what it would have
/// found alone.
pub(crate) fn find_all<T: Send + Sync>(
    snapshot: &dyn Snapshot,
    embedder: Option<&dyn Embedder>,
    jobs: &[&Job],
    look: impl Fn(&[Found]) -> T + Sync,
) -> Result<Vec<(Page, T)>, EngineError> {
    ranked(snapshot, embedder, jobs, |job, ranking| {
        let page = load(snapshot, &job.request, ranking)?;
        let look = look(&page.found);
        Ok((page, look))
    })
}

/// Only ranks.
pub(crate) fn rank_only(
    snapshot: &dyn Snapshot,
    embedder: Option<&dyn Embedder>,
    job: &Job,
) -> Result<Ranking, EngineError> {
    Ok(ranked(snapshot, embedder, &[job], |_, ranking| Ok(ranking))?.swap_remove(0))
}

/// What `then` makes of each search's ranking.
fn ranked<T: Send + Sync>(
    snapshot: &dyn Snapshot,
    embedder: Option<&dyn Embedder>,
    jobs: &[&Job],
    then: impl Fn(&Job, Ranking) -> Result<T, EngineError> + Sync,
) -> Result<Vec<T>, EngineError> {
    let running = Running::start();
    let proposals = propose(snapshot, embedder, jobs, &running)?;
    let finish = |at: usize| then(jobs[at], rank(snapshot, jobs[at], &proposals[at])?);
    let has_help = jobs.len() > 1 && running.is_alone();
    let (finished, ()) = share(has_help, jobs.len(), finish, || ());
    finished.into_iter().collect()
}

fn load(snapshot: &dyn Snapshot, request: &SearchRequest, ranking: Ranking) -> Result<Page, EngineError> {
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
    Ok(Page { found, more, ranking })
}
