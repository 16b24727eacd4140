//! Judged queries, metrics and reports: how good the answers are, and how fast.
//!
//! [`CaseSet`] reads questions in one of five formats, [`measure`] asks them of the same engine that serves users,
//! [`Run`] is the outcome with its uncertainty, [`compare`] sets two runs side by side, [`suggest`] drafts questions from
//! the documents themselves, and `report` makes a page of it all. [`run`] is the older, shorter way for BEIR sets.
//! Nothing in the engine knows of this.
#![forbid(unsafe_code)]

mod cases;
mod compare;
mod comparison;
mod filters;
mod intervals;
mod judged;
mod judged_run;
mod measure;
mod metrics;
mod outcome;
mod random;
mod randomisation;
mod regular;
mod report;
mod score;
mod suggest;
mod targets;
mod url_map;

pub use cases::{Case, CaseFormat, CaseSet, Expected, MAX_K, MAX_ROUNDS, Target};
pub use compare::compare;
pub use comparison::{
    CategoryDifference, Change, Comparison, Difference, Gate, LatencyRatio, Metric, SIGNIFICANT,
};
pub use intervals::Mean;
pub use judged::{Document, JudgedSet, Query};
pub use judged_run::{EvalOptions, LatencyReport, QueryScore, Report, run};
pub use measure::{DEFAULT_K, DEFAULT_ROUNDS, MeasureOptions, Measured, index_corpus, measure};
pub use metrics::{Estimate, mrr_at, ndcg_at, recall_at};
pub use outcome::{
    CaseOutcome, CaseProblem, Category, ExpectedTarget, Facts, Latency, Returned, Run, Summary,
};
pub use report::{is_report, report};
pub use score::Scores;
pub use suggest::{Draft, suggest, to_yaml};
