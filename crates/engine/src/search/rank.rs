//! The fused score of what both sides proposed.
//!
//! The lexical side gives chunks and whole pages by BM25; the vector side gives chunks by the cosine of their best
//! passage. Whatever one side proposes is scored by the other as well, so that the sum compares like with like.
//!
//! BM25 is divided by the score that nothing can exceed for this query, not by the best score found. A query whose
//! words are not in the documents thus leans on meaning by itself, which measured better on judged questions, and a
//! chunk's score does not depend on what else was found.

use std::collections::{HashMap, HashSet};

use docent_index::{ChunkId, DocumentId, LexicalHits, LexicalQuery, Model, Snapshot};

use super::collapse::collapse;
use super::fuse::{Fusion, reciprocal_ranks};
use super::propose::{Proposal, depth, words};
use super::query::lexical_query;
use super::{Job, Mode, SearchRequest};
use crate::EngineError;

/// Weight of the vector side in the convex sum.
const VECTOR_WEIGHT: f32 = 0.46;

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
    /// Whether there were more candidates than are looked at, and hits may be among the others.
    pub(crate) is_cut: bool,
    /// How many candidates were looked at.
    pub(crate) considered: usize,
    /// Whether words were used.
    pub(crate) used_lexical: bool,
    /// Whether vectors were used.
    pub(crate) used_vectors: bool,
    /// Why the vector side was left out although it was asked for.
    pub(crate) vector_problem: Option<String>,
}

/// Ranks what was proposed for a search.
pub(super) fn rank(
    snapshot: &dyn Snapshot,
    job: &Job,
    proposal: &Proposal<'_>,
) -> Result<Ranking, EngineError> {
    let (request, depth) = (&job.request, depth(job));
    let Proposal { lexical, vector, nearest, asked, problem } = proposal;
    let (fallback, nothing);
    // Without a vector, semantic search has nothing to go by: words are better than nothing, and the answer says so.
    let lexical = match (lexical, vector) {
        (None, None) => {
            fallback = words(snapshot, job)?;
            Some(&fallback)
        }
        (lexical, _) => lexical.as_ref(),
    };
    let uses_vectors = request.mode != Mode::Lexical;
    let mut ranking = Ranking {
        used_lexical: lexical.is_some(),
        used_vectors: uses_vectors && vector.is_some(),
        vector_problem: problem.clone().filter(|_| uses_vectors || request.max_distance.is_some()),
        ..Ranking::default()
    };
    nothing = LexicalHits::default();
    let lexical = lexical.unwrap_or(&nothing);
    ranking.is_cut = lexical.chunks.len() >= depth || (*asked > 0 && nearest.len() >= *asked);
    if let (Some(distance), Some(furthest)) = (request.max_distance, nearest.last()) {
        // They are all that is near enough, when one of them is not any more.
        ranking.is_cut &= 1.0 - furthest.score <= distance;
    }

    let mut pool = Pool::default();
    for hit in &lexical.chunks {
        pool.entry(hit.chunk, hit.document).chunk_bm25 = hit.score;
    }
    for hit in nearest {
        pool.entry(hit.chunk, hit.document).similarity = Some(hit.score);
    }
    // A page may be found by its title, or by words that are spread over its chunks, and by none of them alone.
    for (document, _) in &lexical.documents {
        if !pool.documents.contains(document)
            && let Some(first) = snapshot.first_chunk(*document, &request.filter)
        {
            pool.entry(first, *document);
        }
    }
    let mut hits = pool.hits;
    if ranking.used_lexical {
        add_word_scores(snapshot, &lexical_query(&request.query), lexical, depth, &mut hits)?;
    }
    if let Some(vector) = vector.as_ref().filter(|_| uses_vectors) {
        add_similarities(snapshot, vector, &mut hits)?;
    }
    score(&mut hits, &ranking, lexical, request);
    ranking.considered = hits.len();
    if let Some(distance) = request.max_distance {
        if let Some(vector) = vector {
            add_similarities(snapshot, vector, &mut hits)?;
        }
        hits.retain(|hit| hit.similarity.is_some_and(|similarity| 1.0 - similarity <= distance));
    }
    hits.retain(|hit| !job.without.contains(&hit.chunk));
    order(snapshot, &mut hits);
    ranking.hits = hits;
    collapse(snapshot, &job.collapse, &mut ranking)?;
    // The cosine is told in every mode; where it does not count, only for the hits that are shown.
    if let Some(vector) = vector.as_ref().filter(|_| !uses_vectors) {
        let end = ranking.hits.len().min(request.offset + request.top_k);
        add_similarities(snapshot, vector, &mut ranking.hits[request.offset.min(end)..end])?;
    }
    Ok(ranking)
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
    let (chunk_scores, document_scores) = match &lexical.scores {
        Some(scores) => scores.of(&chunks, &documents)?,
        None => snapshot.lexical_scores(query, &chunks, &documents)?,
    };
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

/// The cosine of hits that have none yet.
fn add_similarities(
    snapshot: &dyn Snapshot,
    (model, vector): &(&Model, Vec<f32>),
    hits: &mut [Ranked],
) -> Result<(), EngineError> {
    let mut missing: Vec<&mut Ranked> = hits.iter_mut().filter(|hit| hit.similarity.is_none()).collect();
    let ids: Vec<ChunkId> = missing.iter().map(|hit| hit.chunk).collect();
    for (hit, similarity) in missing.iter_mut().zip(snapshot.similarities(model, vector, &ids)?) {
        hit.similarity = similarity;
    }
    Ok(())
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
    hits.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then(a.chunk.cmp(&b.chunk)));
    for equal in hits.chunk_by_mut(|a, b| a.score.total_cmp(&b.score).is_eq()).filter(|equal| equal.len() > 1)
    {
        equal.sort_by_cached_key(|hit| {
            let document = snapshot.document(hit.document);
            let place = document.map(|document| (document.path.clone(), document.collection.clone()));
            (place, hit.chunk)
        });
    }
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
