//! What is known of how documents agree with their repository.
//!
//! [`Health`] keeps what a verification found, answers how a repository, a folder, a file or some lines of it stand, and
//! takes reports of drift. How claims are found and judged is up to `docent_claims`; where things are kept, to a
//! [`HealthStore`](docent_index::health::HealthStore). Documents are called what the repository calls them;
//! [`Health::file_of`] says what that is for a page of a collection.
#![forbid(unsafe_code)]

mod book;
mod cache;
mod chosen;
mod facade;
mod findings;
mod identity;
mod limited;
mod lines;
mod marker;
mod path;
mod problem;
mod reason;
mod reports;
mod score;
mod sections;
mod service;
mod tally;
mod verifier;
mod view;
mod words;

pub use docent_index::health::{Decision, HealthError, HealthStore, NewReport, ReportRow, Status};
pub use facade::Health;
pub use findings::{Findings, VerifiedDocument};
pub use identity::Identity;
pub use limited::Sees;
pub use lines::LinesHealth;
pub use marker::Marker;
pub use path::normal;
pub use problem::Problem;
pub use reason::{Reason, commit};
pub use reports::{Filed, similarity};
pub use score::{FileHealth, HealthScore};
pub use sections::SectionHealth;
pub use service::Service;
pub use tally::StaleFile;
pub use verifier::{Verifier, Verify};
pub use view::View;

/// A time as every answer writes it.
pub fn iso(seconds: i64) -> String {
    jiff::Timestamp::from_second(seconds).unwrap_or_default().to_string()
}
