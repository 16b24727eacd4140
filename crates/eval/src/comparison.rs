//! The outcome of comparing two runs: what `docent eval compare --json` prints.

use serde::Serialize;

use crate::intervals::Mean;
use crate::score::Scores;

/// A difference is significant below this p-value.
pub const SIGNIFICANT: f64 = 0.05;

/// A figure that runs can be compared by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// nDCG@10.
    #[serde(rename = "ndcg_at_10")]
    Ndcg10,
    /// nDCG@5.
    #[serde(rename = "ndcg_at_5")]
    Ndcg5,
    /// MRR.
    Mrr,
    /// recall@1.
    #[serde(rename = "recall_at_1")]
    Recall1,
    /// recall@5.
    #[serde(rename = "recall_at_5")]
    Recall5,
    /// recall@10.
    #[serde(rename = "recall_at_10")]
    Recall10,
    /// hit@k.
    #[serde(rename = "hit_at_k")]
    Hit,
}

impl Metric {
    /// As people write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ndcg10 => "nDCG@10",
            Self::Ndcg5 => "nDCG@5",
            Self::Mrr => "MRR",
            Self::Recall1 => "recall@1",
            Self::Recall5 => "recall@5",
            Self::Recall10 => "recall@10",
            Self::Hit => "hit@k",
        }
    }

    /// The figure among all of a question.
    pub fn of(self, scores: &Scores) -> f64 {
        match self {
            Self::Ndcg10 => scores.ndcg_at_10,
            Self::Ndcg5 => scores.ndcg_at_5,
            Self::Mrr => scores.mrr,
            Self::Recall1 => scores.recall_at_1,
            Self::Recall5 => scores.recall_at_5,
            Self::Recall10 => scores.recall_at_10,
            Self::Hit => scores.hit_at_k,
        }
    }
}

/// When a comparison fails.
#[derive(Debug, Clone, Copy)]
pub struct Gate {
    /// The figure that decides.
    pub metric: Metric,
    /// How much its mean may fall.
    pub threshold: f64,
    /// Whether the fall must also be significant.
    pub require_significance: bool,
}

impl Default for Gate {
    fn default() -> Self {
        Self { metric: Metric::Ndcg10, threshold: 0.02, require_significance: false }
    }
}

/// The outcome of comparing two runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// Questions that both runs asked and judged alike.
    pub joined: usize,
    /// Ids of questions that only the old run has.
    pub only_old: Vec<String>,
    /// Ids of questions that only the new run has.
    pub only_new: Vec<String>,
    /// Ids of questions that were worded or judged differently; they are left out.
    pub rejudged: Vec<String>,
    /// Figure by figure; the deciding one first.
    pub differences: Vec<Difference>,
    /// The deciding figure in each category.
    pub categories: Vec<CategoryDifference>,
    /// Questions that got worse by the deciding figure, worst first.
    pub regressions: Vec<Change>,
    /// Questions that got better by the deciding figure, best first.
    pub improvements: Vec<Change>,
    /// Time of the new run over that of the old.
    pub latency: LatencyRatio,
    /// The figure that decides.
    pub metric: Metric,
    /// How much its mean may fall.
    pub threshold: f64,
    /// Whether the fall must also be significant.
    pub require_significance: bool,
    /// Whether it fell by more than that.
    pub failed: bool,
}

/// How one figure differs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    /// The figure.
    pub metric: Metric,
    /// Mean of the old run over the joined questions.
    pub old: f64,
    /// Mean of the new run over the joined questions.
    pub new: f64,
    /// New minus old, with its 95 % interval.
    pub difference: Mean,
    /// How often chance alone makes at least this difference.
    pub p_value: f64,
    /// Questions that got better.
    pub wins: usize,
    /// Questions that stayed the same.
    pub ties: usize,
    /// Questions that got worse.
    pub losses: usize,
}

impl Difference {
    /// The p-value as people write it: one that is too small for its three digits is not zero.
    pub fn p_text(&self) -> String {
        if self.p_value < 0.0005 { "<0.001".to_owned() } else { format!("{:.3}", self.p_value) }
    }
}

/// How the deciding figure differs in a category.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CategoryDifference {
    /// The category.
    pub name: String,
    /// Joined questions in it.
    pub queries: usize,
    /// The difference.
    #[serde(flatten)]
    pub difference: Difference,
}

/// A question whose deciding figure changed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// Its id.
    pub id: String,
    /// What was asked.
    pub query: String,
    /// Its category.
    pub category: Option<String>,
    /// Place of the first target in the old run.
    pub old_rank: Option<usize>,
    /// Place of the first target in the new run.
    pub new_rank: Option<usize>,
    /// The figure in the old run.
    pub old: f64,
    /// The figure in the new run.
    pub new: f64,
}

impl Change {
    /// `3 → 1`, where what is not among the first hundred is `–`. A place that stayed says nothing, so that the change of
    /// the figure stands in its stead: another target moved.
    pub fn moved(&self, metric: Metric) -> String {
        let place = |rank: Option<usize>| rank.map_or_else(|| "–".to_owned(), |rank| rank.to_string());
        match self.old_rank == self.new_rank {
            true => format!("{} {:+.3}", metric.name(), self.new - self.old),
            false => format!("{} → {}", place(self.old_rank), place(self.new_rank)),
        }
    }
}

/// New time over old.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LatencyRatio {
    /// Of the medians.
    pub p50: f64,
    /// Of the 95 % points.
    pub p95: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(ranks: (Option<usize>, Option<usize>), expected: &str) {
        let change = Change {
            id: "a".to_owned(),
            query: "q".to_owned(),
            category: None,
            old_rank: ranks.0,
            new_rank: ranks.1,
            old: 0.5,
            new: 0.75,
        };
        assert_eq!(change.moved(Metric::Ndcg10), expected);
    }

    #[test]
    fn a_place_that_stayed_gives_way_to_the_figure() {
        check((Some(3), Some(1)), "3 → 1");
        check((None, Some(2)), "– → 2");
        check((Some(1), Some(1)), "nDCG@10 +0.250");
        check((None, None), "nDCG@10 +0.250");
    }
}
