//! nDCG, recall and MRR at a cut, and the mean of each with its 95 % interval.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::score::total;

/// A mean over queries.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// Half the width of the 95 % interval (normal approximation).
    pub ci95: f64,
}

impl Estimate {
    /// Mean and interval of per-query values.
    pub fn of(values: &[f64]) -> Self {
        let count = values.len().max(1) as f64;
        let mean = total(values.iter().copied()) / count;
        let variance =
            values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0).max(1.0);
        Self { mean, ci95: 1.96 * (variance / count).sqrt() }
    }
}

/// Discounted gain of the first `cut` documents over the best possible.
pub fn ndcg_at(cut: usize, ranked: &[String], relevant: &BTreeMap<String, u32>) -> f64 {
    let discount = |rank: usize| ((rank + 2) as f64).log2();
    let gain = |document: &String| relevant.get(document).copied().map_or(0.0, f64::from);
    let found =
        total(ranked.iter().take(cut).enumerate().map(|(rank, document)| gain(document) / discount(rank)));
    let mut gains: Vec<f64> = relevant.values().copied().map(f64::from).collect();
    gains.sort_by(|a, b| b.total_cmp(a));
    let best: f64 = gains.iter().take(cut).enumerate().map(|(rank, gain)| gain / discount(rank)).sum();
    if best > 0.0 { found / best } else { 0.0 }
}

/// Share of the relevant documents among the first `cut`.
pub fn recall_at(cut: usize, ranked: &[String], relevant: &BTreeMap<String, u32>) -> f64 {
    let found = ranked.iter().take(cut).filter(|document| relevant.contains_key(*document)).count();
    found as f64 / relevant.len().max(1) as f64
}

/// One over the rank of the first relevant document, 0 beyond `cut`.
pub fn mrr_at(cut: usize, ranked: &[String], relevant: &BTreeMap<String, u32>) -> f64 {
    let first = ranked.iter().take(cut).position(|document| relevant.contains_key(document));
    first.map_or(0.0, |rank| 1.0 / (rank + 1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranked(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    fn relevant(names: &[(&str, u32)]) -> BTreeMap<String, u32> {
        names.iter().map(|&(name, gain)| (name.to_owned(), gain)).collect()
    }

    #[test]
    fn a_perfect_ranking_has_one() {
        assert_eq!(ndcg_at(10, &ranked(&["a", "b"]), &relevant(&[("a", 2), ("b", 1)])), 1.0);
    }

    #[test]
    fn second_place_is_discounted() {
        let value = ndcg_at(10, &ranked(&["x", "a"]), &relevant(&[("a", 1)]));
        assert!((value - 1.0 / 3f64.log2()).abs() < 1e-12);
        assert_eq!(mrr_at(10, &ranked(&["x", "a"]), &relevant(&[("a", 1)])), 0.5);
    }

    #[test]
    fn beyond_the_cut_nothing_counts() {
        let relevant = relevant(&[("a", 1)]);
        assert_eq!(ndcg_at(1, &ranked(&["x", "a"]), &relevant), 0.0);
        assert_eq!(recall_at(1, &ranked(&["x", "a"]), &relevant), 0.0);
        assert_eq!(mrr_at(1, &ranked(&["x", "a"]), &relevant), 0.0);
    }

    #[test]
    fn the_interval_narrows_with_more_queries() {
        let few = Estimate::of(&[0.0, 1.0]);
        let many = Estimate::of(&[0.0, 1.0].repeat(50));
        assert_eq!(few.mean, 0.5);
        assert!(many.ci95 < few.ci95);
    }
}
