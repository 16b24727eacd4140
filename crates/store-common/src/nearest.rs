//! Nearest chunks for several queries at once.

use docent_index::{ChunkHit, ChunkId, DocumentId, Filter, NearestQuery};

use crate::keys;

/// A chunk's number and score as a hit.
pub fn hit((chunk, score): (u64, f32)) -> ChunkHit {
    ChunkHit { chunk: ChunkId(chunk), document: DocumentId(keys::document_of_chunk(chunk)), score }
}

/// Answers queries in order. Those with the same filter are looked up together, as vectors and how many of the nearest.
pub fn together(
    queries: &[NearestQuery<'_>],
    mut look_up: impl FnMut(&Filter, &[(&[f32], usize)]) -> Vec<Vec<(u64, f32)>>,
) -> Vec<Vec<ChunkHit>> {
    let mut found = vec![Vec::new(); queries.len()];
    let mut left: Vec<usize> = (0..queries.len()).collect();
    while let Some(first) = left.first() {
        let filter = queries[*first].filter;
        let (same, others): (Vec<_>, Vec<_>) = left.into_iter().partition(|at| queries[*at].filter == filter);
        let sought: Vec<_> = same.iter().map(|at| (queries[*at].vector, queries[*at].depth)).collect();
        for (at, hits) in same.into_iter().zip(look_up(filter, &sought)) {
            found[at] = hits.into_iter().map(hit).collect();
        }
        left = others;
    }
    found
}
