//! One score from several: a convex sum of normalised scores, or reciprocal ranks.
//!
//! The convex sum keeps how sure each side is and measured better on every judged set; rank fusion forgets that and is
//! kept because clients may ask for it by name.

use std::collections::HashMap;
use std::hash::Hash;

/// How the lexical and the vector side are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Fusion {
    /// Weighted sum of scores, each divided by its largest.
    #[default]
    Convex,
    /// Sum of 1 / (60 + rank).
    Rrf,
}

/// Constant of reciprocal rank fusion, as published.
const RRF_K: f32 = 60.0;

/// Divides by the largest, so that the best has 1; everything stays 0 when the largest is not positive.
pub(super) fn normalise(scores: &mut [f32]) {
    let largest = scores.iter().copied().fold(0.0f32, f32::max);
    for score in scores {
        *score = if largest > 0.0 { (*score / largest).max(0.0) } else { 0.0 };
    }
}

/// 1 / (k + rank) for each id, given from best to worst, scaled so that the first has 1.
pub(super) fn reciprocal_ranks<T: Hash + Eq + Copy>(best_first: impl Iterator<Item = T>) -> HashMap<T, f32> {
    let scaled = |rank: usize| (RRF_K + 1.0) / (RRF_K + 1.0 + rank as f32);
    best_first.enumerate().map(|(rank, id)| (id, scaled(rank))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_gets_one() {
        let mut scores = [2.0, 4.0, -1.0];
        normalise(&mut scores);
        assert_eq!(scores, [0.5, 1.0, 0.0]);
    }

    #[test]
    fn ranks_fall_slowly() {
        let ranks = reciprocal_ranks(["a", "b"].into_iter());
        assert_eq!(ranks["a"], 1.0);
        assert!(ranks["b"] > 0.98 && ranks["b"] < 1.0);
    }
}
