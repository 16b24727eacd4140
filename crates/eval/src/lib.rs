//! Judged queries, metrics and reports: how good the answers are, and how fast.
//!
//! [`JudgedSet`] reads a set in BEIR form, [`run`] indexes its corpus through the same engine that serves users and
//! scores what comes back, and [`Report`] is the outcome with its uncertainty. Nothing in the engine knows of this.
#![forbid(unsafe_code)]

mod judged;
mod metrics;
mod run;

pub use judged::{Document, JudgedSet, Query};
pub use metrics::{Estimate, mrr_at, ndcg_at, recall_at};
pub use run::{EvalOptions, LatencyReport, QueryScore, Report, run};
