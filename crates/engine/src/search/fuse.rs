//! The two ways to make one score from several: a convex sum, or reciprocal ranks.
//!
//! The convex sum keeps how sure each side is and measured better on every judged set; rank fusion forgets that and is
//! kept because clients may ask for it by name.

use std::collections::HashMap;
use std::hash::Hash;

/// How the lexical and the vector side are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Fusion {
    /// Weighted sum of the cosine and of BM25, the latter as a share of the most it could be.
    #[default]
    Convex,
    /// Sum of 1 / (60 + rank).
    Rrf,
}

/// Constant of reciprocal rank fusion, as published.
const RRF_K: f32 = 60.0;

/// 1 / (k + rank) for each id, given from best to worst, scaled so that the first has 1.
pub(super) fn reciprocal_ranks<T: Hash + Eq + Copy>(best_first: impl Iterator<Item = T>) -> HashMap<T, f32> {
    let scaled = |rank: usize| (RRF_K + 1.0) / (RRF_K + 1.0 + rank as f32);
    best_first.enumerate().map(|(rank, id)| (id, scaled(rank))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_fall_slowly() {
        let ranks = reciprocal_ranks(["a", "b"].into_iter());
        assert_eq!(ranks["a"], 1.0);
        assert!(ranks["b"] > 0.98 && ranks["b"] < 1.0);
    }
}
