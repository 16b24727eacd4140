//! One question's figures from what came back, place by place.

use serde::{Deserialize, Serialize};

/// Figures of one question, each from 0 to 1.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Scores {
    /// Discounted gain of the first five places over the best possible.
    pub ndcg_at_5: f64,
    /// Discounted gain of the first ten places over the best possible.
    pub ndcg_at_10: f64,
    /// One over the place of the first right answer; 0 beyond ten.
    pub mrr: f64,
    /// Share of the targets at the first place.
    pub recall_at_1: f64,
    /// Share of the targets among the first five places.
    pub recall_at_5: f64,
    /// Share of the targets among the first ten places.
    pub recall_at_10: f64,
    /// 1 when a target is among the first k places, else 0.
    pub hit_at_k: f64,
}

/// What stood at each place, as far as it counts.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Places {
    /// For each place the gains of the targets that showed there for the first time.
    gains: Vec<Vec<f64>>,
    /// Gains of all targets.
    all: Vec<f64>,
}

impl Places {
    /// `matches(place, target)` says whether a target shows at a place. Each target counts once, where it shows first.
    pub(crate) fn new(places: usize, all: &[f64], matches: impl Fn(usize, usize) -> bool) -> Self {
        let mut open: Vec<usize> = (0..all.len()).collect();
        let mut gains = Vec::with_capacity(places);
        for place in 0..places {
            let (found, rest) = open.into_iter().partition(|&target| matches(place, target));
            let found: Vec<usize> = found;
            gains.push(found.into_iter().filter_map(|target| all.get(target).copied()).collect());
            open = rest;
        }
        Self { gains, all: all.to_vec() }
    }

    /// The place of the first target, from 1.
    pub(crate) fn rank(&self) -> Option<usize> {
        self.gains.iter().position(|gains| !gains.is_empty()).map(|place| place + 1)
    }

    pub(crate) fn scores(&self, k: usize) -> Scores {
        let within = |cut: usize| self.rank().is_some_and(|rank| rank <= cut);
        Scores {
            ndcg_at_5: self.ndcg(5),
            ndcg_at_10: self.ndcg(10),
            mrr: self.rank().filter(|_| within(10)).map_or(0.0, |rank| 1.0 / rank as f64),
            recall_at_1: self.recall(1),
            recall_at_5: self.recall(5),
            recall_at_10: self.recall(10),
            hit_at_k: if within(k) { 1.0 } else { 0.0 },
        }
    }

    fn recall(&self, cut: usize) -> f64 {
        let found: usize = self.gains.iter().take(cut).map(Vec::len).sum();
        found as f64 / self.all.len().max(1) as f64
    }

    /// A chunk with two targets in it earns both at one place, which could be more than the best order of single ones: 1 is
    /// the most.
    fn ndcg(&self, cut: usize) -> f64 {
        let discount = |place: usize| ((place + 2) as f64).log2();
        let gained = self.gains.iter().take(cut).enumerate();
        let found = total(gained.map(|(place, gains)| total(gains.iter().copied()) / discount(place)));
        let mut ideal = self.all.clone();
        ideal.sort_by(|a, b| b.total_cmp(a));
        let best: f64 = ideal.iter().take(cut).enumerate().map(|(place, gain)| gain / discount(place)).sum();
        if best > 0.0 { (found / best).min(1.0) } else { 0.0 }
    }
}

/// A sum that is 0 where there is nothing to add: the sum of no floats is -0, and its sign would show in every table.
pub(crate) fn total(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |sum, value| sum + value)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::metrics::{mrr_at, ndcg_at, recall_at};

    /// Places named by letters; `wanted` gives the targets their gains.
    fn check(shown: &str, wanted: &[(char, u32)], k: usize) -> Scores {
        let shown: Vec<char> = shown.chars().collect();
        let gains: Vec<f64> = wanted.iter().map(|(_, gain)| f64::from(*gain)).collect();
        let places = Places::new(shown.len(), &gains, |place, target| {
            shown.get(place) == wanted.get(target).map(|(name, _)| name)
        });
        let scores = places.scores(k);
        let ranked: Vec<String> = shown.iter().map(char::to_string).collect();
        let relevant: BTreeMap<String, u32> =
            wanted.iter().map(|(name, gain)| (name.to_string(), *gain)).collect();
        // Bit for bit what the BEIR figures are.
        assert_eq!(scores.ndcg_at_10.to_bits(), ndcg_at(10, &ranked, &relevant).to_bits());
        assert_eq!(scores.recall_at_10.to_bits(), recall_at(10, &ranked, &relevant).to_bits());
        assert_eq!(scores.mrr.to_bits(), mrr_at(10, &ranked, &relevant).to_bits());
        scores
    }

    #[test]
    fn figures_agree_with_those_of_pages() {
        assert_eq!(check("abcdefghij", &[('a', 1)], 5).ndcg_at_10, 1.0);
        assert_eq!(check("xa", &[('a', 2), ('b', 1)], 1).hit_at_k, 0.0);
        assert_eq!(check("xa", &[('a', 2), ('b', 1)], 2).hit_at_k, 1.0);
        let late = check("xxxxxxxxxxxa", &[('a', 1)], 20);
        assert_eq!((late.mrr, late.recall_at_10, late.hit_at_k), (0.0, 0.0, 1.0));
        let graded = check("bxa", &[('a', 3), ('b', 1)], 5);
        assert!(graded.ndcg_at_10 < 1.0 && graded.recall_at_5 == 1.0 && graded.recall_at_1 == 0.5);
    }

    #[test]
    fn nothing_found_is_a_plain_zero() {
        for shown in ["", "xyz"] {
            let scores = check(shown, &[('a', 1)], 5);
            assert!(scores.ndcg_at_10.is_sign_positive() && scores.ndcg_at_5.is_sign_positive(), "{shown:?}");
        }
    }

    #[test]
    fn a_target_counts_once_and_one_place_can_hold_several() {
        let repeated = Places::new(3, &[1.0], |_, _| true).scores(5);
        assert_eq!((repeated.ndcg_at_10, repeated.recall_at_10), (1.0, 1.0));
        let together = Places::new(1, &[1.0, 1.0], |_, _| true).scores(5);
        assert_eq!((together.ndcg_at_10, together.recall_at_1), (1.0, 1.0));
    }
}
