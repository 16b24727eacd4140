//! Candidates from both sides and their fused score.
//!
//! The lexical side gives chunks and whole pages by BM25; the vector side gives chunks by the cosine of their best
//! passage. Whatever one side proposes is scored by the other as well, so that the sum compares like with like.
//!
//! BM25 is divided by the score that nothing can exceed for this query, not by the best score found. A query whose
//! words are not in the documents thus leans on meaning by itself, which measured better on judged questions, and a
//! chunk's score does not depend on what else was found.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use docent_index::{ChunkHit, ChunkId, DocumentId, Embedder, LexicalHits, LexicalQuery, Model, Snapshot};

use super::collapse::collapse;
use super::fuse::{Fusion, reciprocal_ranks};
use super::query::lexical_query;
use super::{Job, Meant, Mode, SearchRequest};
use crate::EngineError;

/// Weight of the vector side in the convex sum.
const VECTOR_WEIGHT: f32 = 0.46;
/// Candidates that each side proposes. The same for every page of an answer, or pages would overlap.
const DEPTH: usize = 200;

/// A scored chunk.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Ranked {
    /// The chunk.
    pub(crate) chunk: ChunkId,
    /// Its document.
    pub(crate) document: DocumentId,
    /// 0 to 1.
    pub(crate) score: f32,
    /// Cosine of its best passage, when it has a vector.
    pub(crate) similarity: Option<f32>,
    /// BM25 of the chunk; 0 when it was not among the candidates.
    pub(crate) chunk_bm25: f32,
    /// BM25 of the page; 0 when it was not among the candidates.
    pub(crate) page_bm25: f32,
    /// Share of the score that came from words.
    pub(crate) lexical_part: f32,
    /// Share of the score that came from the vector.
    pub(crate) vector_part: f32,
}

/// The outcome of ranking.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ranking {
    /// Best first.
    pub(crate) hits: Vec<Ranked>,
    /// What was folded into a hit, because a sibling page says the same.
    pub(crate) folded: HashMap<ChunkId, Vec<ChunkId>>,
    /// Whether there were more candidates than are looked at.
    pub(crate) is_cut: bool,
    /// Whether words were used.
    pub(crate) used_lexical: bool,
    /// Whether vectors were used.
    pub(crate) used_vectors: bool,
    /// Why the vector side was left out although it was asked for.
    pub(crate) vector_problem: Option<String>,
}

/// Ranks all candidates.
pub(crate) fn rank(
    snapshot: &dyn Snapshot,
    embedder: Option<&dyn Embedder>,
    job: &Job,
) -> Result<Ranking, EngineError> {
    let request = &job.request;
    let depth = DEPTH + job.without.len();
    let words = || snapshot.lexical(&lexical_query(&request.query), &request.filter, depth);
    let running = Running::start();
    // The two sides need nothing of each other, and a second core is idle more often than not. When other searches run,
    // it is not, and a second thread would only make them wait for each other.
    let (lexical, meaning) = match request.mode {
        Mode::Lexical => (Some(words()?), Meaning::default()),
        Mode::Semantic => (None, meaning(snapshot, embedder, job, depth)?),
        Mode::Hybrid if !running.is_alone() => (Some(words()?), meaning(snapshot, embedder, job, depth)?),
        Mode::Hybrid => thread::scope(|scope| {
            let words = scope.spawn(words);
            let meaning = meaning(snapshot, embedder, job, depth)?;
            let lexical = words.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            Ok::<_, EngineError>((Some(lexical), meaning))
        })?,
    };
    // Without a vector, semantic search has nothing to go by: words are better than nothing, and the answer says so.
    let lexical = match (lexical, &meaning.vector) {
        (None, None) => Some(words()?),
        (lexical, _) => lexical,
    };
    let mut ranking = Ranking {
        used_lexical: lexical.is_some(),
        used_vectors: meaning.vector.is_some(),
        vector_problem: meaning.problem,
        ..Ranking::default()
    };
    let lexical = lexical.unwrap_or_default();
    ranking.is_cut = lexical.chunks.len() >= depth || meaning.nearest.len() >= depth;

    let mut pool = Pool::default();
    for hit in &lexical.chunks {
        pool.entry(hit.chunk, hit.document).chunk_bm25 = hit.score;
    }
    for hit in &meaning.nearest {
        pool.entry(hit.chunk, hit.document).similarity = Some(hit.score);
    }
    // A page may be found by its title, or by words that are spread over its chunks, and by none of them alone.
    for (document, _) in &lexical.documents {
        if !pool.documents.contains(document)
            && let Some(first) = snapshot.chunk_ids(*document).first()
        {
            pool.entry(*first, *document);
        }
    }
    let mut hits = pool.hits;
    if ranking.used_lexical {
        add_word_scores(snapshot, &lexical_query(&request.query), &lexical, depth, &mut hits)?;
    }
    if let Some((model, vector)) = &meaning.vector {
        let missing: Vec<usize> = (0..hits.len()).filter(|&at| hits[at].similarity.is_none()).collect();
        let ids: Vec<ChunkId> = missing.iter().map(|&at| hits[at].chunk).collect();
        for (at, similarity) in missing.into_iter().zip(snapshot.similarities(model, vector, &ids)?) {
            hits[at].similarity = similarity;
        }
    }
    score(&mut hits, &ranking, &lexical, request);
    if let Some(distance) = request.max_distance {
        if request.mode == Mode::Lexical {
            ranking.vector_problem = add_similarities(snapshot, embedder, job, &mut hits)?;
        }
        hits.retain(|hit| hit.similarity.is_some_and(|similarity| 1.0 - similarity <= distance));
    }
    hits.retain(|hit| !job.without.contains(&hit.chunk));
    order(snapshot, &mut hits);
    ranking.hits = hits;
    collapse(snapshot, &job.collapse, &mut ranking)?;
    if request.mode == Mode::Lexical && request.max_distance.is_none() {
        let end = ranking.hits.len().min(request.offset + request.top_k);
        add_similarities(snapshot, embedder, job, &mut ranking.hits[request.offset.min(end)..end])?;
    }
    Ok(ranking)
}

/// Counts the searches of this process while they run.
struct Running;

static RUNNING: AtomicUsize = AtomicUsize::new(0);

impl Running {
    fn start() -> Self {
        RUNNING.fetch_add(1, Ordering::Relaxed);
        Self
    }

    fn is_alone(&self) -> bool {
        RUNNING.load(Ordering::Relaxed) <= 1
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, Ordering::Relaxed);
    }
}

/// BM25 of what the vector side proposed, and of the pages. A list shorter than asked for names all that match.
fn add_word_scores(
    snapshot: &dyn Snapshot,
    query: &LexicalQuery,
    lexical: &LexicalHits,
    depth: usize,
    hits: &mut [Ranked],
) -> Result<(), EngineError> {
    let mut pages: HashMap<DocumentId, f32> = lexical.documents.iter().copied().collect();
    let mut chunks: Vec<ChunkId> = Vec::new();
    if lexical.chunks.len() >= depth {
        chunks.extend(hits.iter().filter(|hit| hit.chunk_bm25 == 0.0).map(|hit| hit.chunk));
    }
    let mut documents: Vec<DocumentId> = Vec::new();
    if lexical.documents.len() >= depth {
        documents.extend(hits.iter().map(|hit| hit.document).filter(|id| !pages.contains_key(id)));
        documents.sort_unstable();
        documents.dedup();
    }
    let (chunk_scores, document_scores) = snapshot.lexical_scores(query, &chunks, &documents)?;
    pages.extend(documents.into_iter().zip(document_scores));
    let mut chunk_scores = chunk_scores.into_iter();
    for hit in hits {
        if lexical.chunks.len() >= depth && hit.chunk_bm25 == 0.0 {
            hit.chunk_bm25 = chunk_scores.next().unwrap_or(0.0);
        }
        hit.page_bm25 = pages.get(&hit.document).copied().unwrap_or(0.0);
    }
    Ok(())
}

/// The cosine is told in every mode; where it does not count, only for the hits that are shown. Says why there is none.
fn add_similarities(
    snapshot: &dyn Snapshot,
    embedder: Option<&dyn Embedder>,
    job: &Job,
    hits: &mut [Ranked],
) -> Result<Option<String>, EngineError> {
    let (model, vector) = match vector_of(embedder, job) {
        Ok(known) => known,
        Err(problem) => return Ok(Some(problem)),
    };
    let ids: Vec<ChunkId> = hits.iter().map(|hit| hit.chunk).collect();
    for (hit, similarity) in hits.iter_mut().zip(snapshot.similarities(model, &vector, &ids)?) {
        hit.similarity = similarity;
    }
    Ok(None)
}

/// The vector that stands for the query, or why there is none.
fn vector_of<'a>(embedder: Option<&'a dyn Embedder>, job: &Job) -> Result<(&'a Model, Vec<f32>), String> {
    let embedder = embedder.ok_or("no embedding model is configured")?;
    let vector = match &job.meaning {
        Meant::Query => embedder.embed_query(&job.request.query).map_err(|error| error.message)?,
        Meant::Vector(vector) => vector.clone(),
        Meant::Nothing(problem) => return Err(problem.clone()),
    };
    Ok((embedder.model(), vector))
}

/// What the vector side has to say.
#[derive(Default)]
struct Meaning<'a> {
    vector: Option<(&'a Model, Vec<f32>)>,
    nearest: Vec<ChunkHit>,
    problem: Option<String>,
}

fn meaning<'a>(
    snapshot: &dyn Snapshot,
    embedder: Option<&'a dyn Embedder>,
    job: &Job,
    depth: usize,
) -> Result<Meaning<'a>, EngineError> {
    match vector_of(embedder, job) {
        Ok((model, vector)) => {
            let nearest = snapshot.nearest(model, &vector, &job.request.filter, depth)?;
            Ok(Meaning { vector: Some((model, vector)), nearest, problem: None })
        }
        Err(problem) => Ok(Meaning { problem: Some(problem), ..Meaning::default() }),
    }
}

fn score(hits: &mut [Ranked], ranking: &Ranking, lexical: &LexicalHits, request: &SearchRequest) {
    if !ranking.used_lexical {
        for hit in hits {
            let cosine = hit.similarity.unwrap_or(0.0);
            (hit.score, hit.vector_part) = (cosine.clamp(0.0, 1.0), cosine);
        }
        return;
    }
    let mut words: Vec<f32> = hits.iter().map(|hit| word_score(hit, lexical)).collect();
    let mut cosines: Vec<f32> = hits.iter().map(|hit| hit.similarity.unwrap_or(0.0).max(0.0)).collect();
    if request.fusion == Fusion::Rrf {
        (words, cosines) = (ranks_of(&words), ranks_of(&cosines));
    }
    let weight = if ranking.used_vectors { VECTOR_WEIGHT } else { 0.0 };
    for (hit, (words, cosine)) in hits.iter_mut().zip(words.into_iter().zip(cosines)) {
        // What is not embedded yet is judged by its words alone, not as if it were unrelated.
        let cosine = if hit.similarity.is_some() { cosine } else { words };
        hit.lexical_part = (1.0 - weight) * words;
        hit.vector_part = weight * cosine;
        hit.score = (hit.lexical_part + hit.vector_part).clamp(0.0, 1.0);
    }
}

/// Page and chunk BM25 together, from 0 to 1.
fn word_score(hit: &Ranked, lexical: &LexicalHits) -> f32 {
    let share = |score: f32, bound: f32| if bound > 0.0 { (score / bound).clamp(0.0, 1.0) } else { 0.0 };
    0.5 * share(hit.page_bm25, lexical.document_bound) + 0.5 * share(hit.chunk_bm25, lexical.chunk_bound)
}

fn ranks_of(scores: &[f32]) -> Vec<f32> {
    let mut order: Vec<usize> = (0..scores.len()).filter(|&at| scores[at] > 0.0).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
    let ranks = reciprocal_ranks(order.into_iter());
    (0..scores.len()).map(|at| ranks.get(&at).copied().unwrap_or(0.0)).collect()
}

/// Best first; equal scores by path, then by position (a document's chunks have ascending ids).
fn order(snapshot: &dyn Snapshot, hits: &mut [Ranked]) {
    let mut documents = HashMap::new();
    for hit in hits.iter() {
        documents.entry(hit.document).or_insert_with(|| snapshot.document(hit.document));
    }
    let place = |hit: &Ranked| {
        let document = documents.get(&hit.document).and_then(Option::as_ref);
        document.map(|document| (document.path.as_str(), document.collection.as_str()))
    };
    hits.sort_by(|a, b| {
        let by_score = b.score.total_cmp(&a.score);
        by_score.then_with(|| place(a).cmp(&place(b))).then_with(|| a.chunk.cmp(&b.chunk))
    });
}

#[derive(Default)]
struct Pool {
    hits: Vec<Ranked>,
    places: HashMap<ChunkId, usize>,
    documents: HashSet<DocumentId>,
}

impl Pool {
    fn entry(&mut self, chunk: ChunkId, document: DocumentId) -> &mut Ranked {
        self.documents.insert(document);
        let place = *self.places.entry(chunk).or_insert_with(|| {
            self.hits.push(Ranked {
                chunk,
                document,
                score: 0.0,
                similarity: None,
                chunk_bm25: 0.0,
                page_bm25: 0.0,
                lexical_part: 0.0,
                vector_part: 0.0,
            });
            self.hits.len() - 1
        });
        &mut self.hits[place]
    }
}
