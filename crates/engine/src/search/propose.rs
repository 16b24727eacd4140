//! Candidates of several searches: what the words find, and what the meaning finds.
//!
//! What searches can share, they share: their queries go through the model together, and the vectors of the index are
//! read once for all of them. The two sides need nothing of each other, and a second core is idle more often than not,
//! so words are looked up beside. When other searches run it is not idle, and a second thread would only make them wait
//! for each other.

use std::sync::atomic::{AtomicUsize, Ordering};

use docent_index::{ChunkHit, Embedder, LexicalHits, Model, NearestQuery, Snapshot};

use super::query::lexical_query;
use super::share::share;
use super::{Job, Meant, Mode};
use crate::EngineError;

/// Candidates that each side proposes. The same for every page of an answer, or pages would overlap.
const DEPTH: usize = 200;

/// What both sides have to say on one search.
#[derive(Default)]
pub(super) struct Proposal<'a> {
    /// What the words found; `None` when they were not asked.
    pub(super) lexical: Option<LexicalHits>,
    /// What stands for the query.
    pub(super) vector: Option<(&'a Model, Vec<f32>)>,
    /// What the meaning found.
    pub(super) nearest: Vec<ChunkHit>,
    /// How many of them were asked for.
    pub(super) asked: usize,
    /// Why there is no vector.
    pub(super) problem: Option<String>,
}

/// How many candidates each side is asked for.
pub(super) fn depth(job: &Job) -> usize {
    DEPTH + job.without.len()
}

/// How many the meaning is asked for. Where words count as well, what is far down the list matters only if they name it, too.
fn nearest_depth(snapshot: &dyn Snapshot, model: &Model, job: &Job) -> usize {
    match job.request.mode {
        Mode::Hybrid => snapshot.affordable(model, &job.request.filter, DEPTH) + job.without.len(),
        Mode::Semantic | Mode::Lexical => depth(job),
    }
}

/// Asks the words.
pub(super) fn words(snapshot: &dyn Snapshot, job: &Job) -> Result<LexicalHits, EngineError> {
    Ok(snapshot.lexical(&lexical_query(&job.request.query), &job.request.filter, depth(job))?)
}

/// Asks both sides, as far as each search wants them.
pub(super) fn propose<'a>(
    snapshot: &dyn Snapshot,
    embedder: Option<&'a dyn Embedder>,
    jobs: &[&Job],
    running: &Running,
) -> Result<Vec<Proposal<'a>>, EngineError> {
    let ask_words = |at: usize| {
        let wants_words = jobs[at].request.mode != Mode::Semantic;
        wants_words.then(|| words(snapshot, jobs[at])).transpose()
    };
    let is_one_sided = |job: &&&Job| job.request.mode == Mode::Semantic;
    let has_help = running.is_alone() && !jobs.iter().all(|job| is_one_sided(&job));
    let (lexical, proposals) = share(has_help, jobs.len(), ask_words, || meanings(snapshot, embedder, jobs));
    let mut proposals = proposals?;
    for (proposal, lexical) in proposals.iter_mut().zip(lexical) {
        proposal.lexical = lexical?;
    }
    Ok(proposals)
}

/// Asks the meaning. Where only words count, it is told for what they found.
fn meanings<'a>(
    snapshot: &dyn Snapshot,
    embedder: Option<&'a dyn Embedder>,
    jobs: &[&Job],
) -> Result<Vec<Proposal<'a>>, EngineError> {
    let Some(embedder) = embedder else {
        let problem = || Some("no embedding model is configured".to_owned());
        return Ok(jobs.iter().map(|_| Proposal { problem: problem(), ..Proposal::default() }).collect());
    };
    let model = embedder.model();
    let vectors = vectors(embedder, jobs);
    let is_asked = |at: &usize| vectors[*at].is_ok() && jobs[*at].request.mode != Mode::Lexical;
    let asked: Vec<usize> = (0..jobs.len()).filter(is_asked).collect();
    let query = |at: &usize| NearestQuery {
        vector: vectors[*at].as_deref().unwrap_or_default(),
        filter: &jobs[*at].request.filter,
        depth: nearest_depth(snapshot, model, jobs[*at]),
    };
    let queries: Vec<NearestQuery<'_>> = asked.iter().map(query).collect();
    let nearest = snapshot.nearest_many(model, &queries)?;
    let depths: Vec<usize> = queries.iter().map(|query| query.depth).collect();
    let proposal = |vector| match vector {
        Ok(vector) => Proposal { vector: Some((model, vector)), ..Proposal::default() },
        Err(problem) => Proposal { problem: Some(problem), ..Proposal::default() },
    };
    let mut proposals: Vec<Proposal<'a>> = vectors.into_iter().map(proposal).collect();
    for (at, (nearest, depth)) in asked.into_iter().zip(nearest.into_iter().zip(depths)) {
        proposals[at].nearest = nearest;
        proposals[at].asked = depth;
    }
    Ok(proposals)
}

/// The vector that stands for each query, or why there is none.
fn vectors(embedder: &dyn Embedder, jobs: &[&Job]) -> Vec<Result<Vec<f32>, String>> {
    let is_text = |job: &&&Job| matches!(job.meaning, Meant::Query);
    let texts: Vec<&str> = jobs.iter().filter(is_text).map(|job| job.request.query.as_str()).collect();
    let embedded = match embedder.embed_queries(&texts) {
        Ok(vectors) if vectors.len() == texts.len() => vectors.into_iter().map(Ok).collect(),
        // One text that the model refuses must not cost the others their vectors. Where the model cannot be reached,
        // asking again for each would only take longer.
        Err(error) if error.retryable && texts.len() > 1 => vec![Err(error.message); texts.len()],
        _ => texts
            .iter()
            .map(|text| embedder.embed_query(text).map_err(|error| error.message))
            .collect::<Vec<_>>(),
    };
    let mut embedded = embedded.into_iter();
    let vector = |job: &&Job| match &job.meaning {
        Meant::Query => embedded.next().unwrap_or_else(|| Err("the model gave no vector".to_owned())),
        Meant::Vector(vector) => Ok(vector.clone()),
        Meant::Nothing(problem) => Err(problem.clone()),
    };
    jobs.iter().map(vector).collect()
}

/// Counts the calls of this process that search while they do.
pub(super) struct Running;

static RUNNING: AtomicUsize = AtomicUsize::new(0);

impl Running {
    pub(super) fn start() -> Self {
        RUNNING.fetch_add(1, Ordering::Relaxed);
        Self
    }

    pub(super) fn is_alone(&self) -> bool {
        RUNNING.load(Ordering::Relaxed) <= 1
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, Ordering::Relaxed);
    }
}
