//! What documents say about a repository, checked against the repository and its history.
//!
//! A page names files, commands, flags, variables, routes, symbols and versions. [`extract()`] finds these [`Claim`]s in a
//! page, [`checks::check`] says of one claim whether it holds in one state of the repository ([`World`]), and verification
//! puts both together: what does not hold now is looked up as it was when its line was last written, and only what held
//! then and does not hold now has drifted. So an alarm always comes with the commit that broke the claim. Everything is
//! deterministic: no model, no network, and nothing of the repository is ever executed.

#![forbid(unsafe_code)]

mod bench;
mod calibration;
pub mod checks;
mod claim;
mod extract;
mod facts;
mod genre;
mod history;
mod judge;
mod outcome;
mod parallel;
mod repo;
mod suppress;
mod verdict;
mod verify;
mod world;

pub use bench::{BenchAlarm, BenchReport, BenchRow, BenchSpot, BenchVerdict, Fate, bench};
pub use claim::{Claim, ClaimType, Cues, Link, Source, Subject};
pub use extract::extract;
pub use facts::{FactStore, Facts, NoStore};
pub use genre::{Genre, genre};
pub use outcome::{Outcome, Place};
pub use repo::{BlamedLine, Change, Commit, Deletions, Listing, RepoError, Repository};
pub use suppress::{BASELINE, Baseline, InlineWaiver, Known, Waiver, is_pattern};
pub use verdict::{Blame, Breaking, Class, Evidence, Judged, Severity, Suggestion, Verdict};
pub use verify::{DocumentState, Judgement, Looked, Options, Step, Verification, Watch, verify};
pub use world::{Entry, Tree, WorkState, World};
