//! The outcome of a run: what `--json` prints and `--out` keeps, to be compared later.

use std::collections::BTreeMap;
use std::io::Read;

use docent_engine::EngineError;
use serde::{Deserialize, Serialize};

use crate::intervals::{Mean, percentile};
use crate::score::Scores;

/// What the file of a run says it is.
pub(crate) const RUN_FORMAT: &str = "docent-eval-run";
const RUN_VERSION: u32 = 1;
/// Stands for the category of cases that have none.
const NO_CATEGORY: &str = "(none)";
/// Larger files are not a run of ours.
const MAX_RUN_BYTES: u64 = 512 * 1024 * 1024;

/// A run with all its figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Always `docent-eval-run`.
    pub format: String,
    /// Version of this shape.
    pub version: u32,
    /// What was run, on what.
    pub facts: Facts,
    /// Figures over all questions.
    pub overall: Summary,
    /// Figures of each category, by name; those of cases without one come last, as `(none)`.
    pub categories: Vec<Category>,
    /// Expected targets that are not in the index, and filters that nothing can pass.
    pub problems: Vec<CaseProblem>,
    /// URLs that no page of the index has.
    pub unmapped: Vec<CaseProblem>,
    /// Question by question, in the order of the set.
    pub cases: Vec<CaseOutcome>,
}

/// What was run, on what.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// Version of docent.
    pub docent: String,
    /// When, ISO 8601 in UTC.
    pub date: String,
    /// The command line.
    pub command: String,
    /// The file or folder with the questions.
    pub cases: String,
    /// Its format.
    pub cases_format: String,
    /// Model of the vectors; `None` without.
    pub model: Option<String>,
    /// How words and meaning were joined.
    pub fusion: String,
    /// Documents in the index.
    pub documents: usize,
    /// Chunks in the index.
    pub chunks: usize,
    /// Size of the index on disk.
    pub index_bytes: u64,
    /// Time to index and embed; `None` when the index was there already.
    pub build_seconds: Option<f64>,
    /// Most memory that the process had; `None` where the system does not tell.
    pub peak_rss_bytes: Option<u64>,
}

/// Figures over some questions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// How many questions.
    pub queries: usize,
    /// Discounted gain of the first five.
    pub ndcg_at_5: Option<Mean>,
    /// Discounted gain of the first ten.
    pub ndcg_at_10: Option<Mean>,
    /// One over the place of the first right answer.
    pub mrr: Option<Mean>,
    /// Share of the targets at the first place.
    pub recall_at_1: Option<Mean>,
    /// Share of the targets among the first five.
    pub recall_at_5: Option<Mean>,
    /// Share of the targets among the first ten.
    pub recall_at_10: Option<Mean>,
    /// Share of the questions with a target on the first page of results.
    pub hit_at_k: Option<Mean>,
    /// Share of the returned hits that pass the question's filters; `None` when no question has any.
    pub facet_precision: Option<Mean>,
    /// Pages of results until a target shows, of the questions for which one does.
    pub rounds: Option<Mean>,
    /// Questions for which no target shows within their rounds.
    pub never_found: usize,
    /// Time of a search, the query's vector included.
    pub latency_ms: Latency,
}

/// Percentiles of the time of a search.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    /// Half of the searches were faster.
    pub p50: f64,
    /// 95 % of the searches were faster.
    pub p95: f64,
}

/// A category and its figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Category {
    /// Its name.
    pub name: String,
    /// Its figures.
    #[serde(flatten)]
    pub summary: Summary,
}

/// Something about a case that could not be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaseProblem {
    /// Id of the case.
    pub case: String,
    /// Where the case was written.
    pub place: String,
    /// The target, URL or filter.
    pub target: String,
    /// What is wrong with it.
    pub reason: String,
}

/// One question's outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CaseOutcome {
    /// Id of the case.
    pub id: String,
    /// What was asked.
    pub query: String,
    /// Its category.
    pub category: Option<String>,
    /// What should come back.
    pub expected: Vec<ExpectedTarget>,
    /// `pages` or `chunks`: what places are counted in.
    pub scored_on: String,
    /// How it was searched.
    pub mode: String,
    /// Size of a page of results.
    pub k: usize,
    /// Place of the first target, from 1; `None` when it is not among the first hundred.
    pub rank: Option<usize>,
    /// Page of results on which the first target showed, from 1.
    pub rounds: Option<usize>,
    /// Pages of results that could be looked at.
    pub max_rounds: usize,
    /// Its figures.
    pub scores: Scores,
    /// Share of the returned hits that pass the filters; `None` without filters or hits.
    pub facet_precision: Option<f64>,
    /// Time of the search.
    pub latency_ms: f64,
    /// The first page of results.
    pub returned: Vec<Returned>,
}

/// What should come back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExpectedTarget {
    /// As the case names it.
    pub target: String,
    /// What that is in the index.
    pub found_as: String,
    /// How good it is as an answer.
    pub gain: f64,
}

/// A hit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Returned {
    /// Its id.
    pub chunk_id: String,
    /// Title of the page and the headings above.
    pub title: String,
    /// Its score.
    pub score: f64,
    /// Whether it is, or holds, what was expected.
    pub expected: bool,
}

impl Run {
    /// Adds up the cases.
    pub fn new(
        facts: Facts,
        cases: Vec<CaseOutcome>,
        problems: Vec<CaseProblem>,
        unmapped: Vec<CaseProblem>,
    ) -> Self {
        let categories = by_category(cases.iter().map(|case| (case.category.as_deref(), case)))
            .into_iter()
            .map(|(name, cases)| Category { name: name.to_owned(), summary: Summary::of(&cases) })
            .collect();
        let overall = Summary::of(&cases.iter().collect::<Vec<_>>());
        let format = RUN_FORMAT.to_owned();
        Self { format, version: RUN_VERSION, facts, overall, categories, problems, unmapped, cases }
    }

    /// Reads the file of an earlier run.
    pub fn load(path: &std::path::Path) -> Result<Self, EngineError> {
        let shown = path.display();
        let not_a_run = |reason: &str| {
            EngineError::usage(
                format!("{shown} {reason}"),
                "name a file that `docent eval run --out FILE` has written",
            )
        };
        let unreadable = |error: std::io::Error| {
            let text = error.to_string();
            not_a_run(&format!(
                "cannot be read: {}",
                text.split(" (os error").next().unwrap_or(&text).to_lowercase()
            ))
        };
        let (file, metadata) = crate::regular::open(path).map_err(unreadable)?;
        if metadata.len() > MAX_RUN_BYTES {
            return Err(not_a_run("is too large for a run"));
        }
        let mut text = String::new();
        file.take(MAX_RUN_BYTES).read_to_string(&mut text).map_err(unreadable)?;
        let run: Self = serde_json::from_str(&text)
            .map_err(|error| not_a_run(&format!("is not the result of a run: {error}")))?;
        match (run.format.as_str(), run.version) {
            (RUN_FORMAT, RUN_VERSION) => Ok(run),
            (RUN_FORMAT, version) => Err(not_a_run(&format!(
                "has version {version} of the format and this docent reads {RUN_VERSION}"
            ))),
            _ => Err(not_a_run("is not the result of a run")),
        }
    }
}

/// Groups by name; what has no category comes last, under a name of its own. Without any category there are no groups.
pub(crate) fn by_category<'a, T>(all: impl Iterator<Item = (Option<&'a str>, T)>) -> Vec<(&'a str, Vec<T>)> {
    let (mut named, mut rest): (BTreeMap<&str, Vec<T>>, Vec<T>) = (BTreeMap::new(), Vec::new());
    for (category, one) in all {
        match category {
            Some(name) => named.entry(name).or_default().push(one),
            None => rest.push(one),
        }
    }
    let mut groups: Vec<_> = named.into_iter().collect();
    if !groups.is_empty() && !rest.is_empty() {
        groups.push((NO_CATEGORY, rest));
    }
    groups
}

impl Summary {
    fn of(cases: &[&CaseOutcome]) -> Self {
        let mean = |value: fn(&Scores) -> f64| {
            Mean::of_shares(&cases.iter().map(|case| value(&case.scores)).collect::<Vec<_>>())
        };
        let precision: Vec<f64> = cases.iter().filter_map(|case| case.facet_precision).collect();
        let rounds: Vec<f64> =
            cases.iter().filter_map(|case| case.rounds).map(|rounds| rounds as f64).collect();
        let most = cases.iter().map(|case| case.max_rounds).max().unwrap_or(1).max(2) as f64;
        let mut times: Vec<f64> = cases.iter().map(|case| case.latency_ms).collect();
        times.sort_by(f64::total_cmp);
        Self {
            queries: cases.len(),
            ndcg_at_5: mean(|scores| scores.ndcg_at_5),
            ndcg_at_10: mean(|scores| scores.ndcg_at_10),
            mrr: mean(|scores| scores.mrr),
            recall_at_1: mean(|scores| scores.recall_at_1),
            recall_at_5: mean(|scores| scores.recall_at_5),
            recall_at_10: mean(|scores| scores.recall_at_10),
            hit_at_k: mean(|scores| scores.hit_at_k),
            facet_precision: Mean::of_shares(&precision),
            rounds: Mean::of_range(&rounds, 1.0, most),
            never_found: cases.iter().filter(|case| case.rounds.is_none()).count(),
            latency_ms: Latency { p50: percentile(&times, 0.5), p95: percentile(&times, 0.95) },
        }
    }
}
