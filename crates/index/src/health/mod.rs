//! The seam to where the health of documents is kept: what they claim, how each claim fared, and what agents reported.
//!
//! It is apart from [`Store`](crate::Store) because it lives longer: an index can be built anew from the documents, a
//! report is somebody's words. Names of tables and columns in a backend are those of [`ClaimRow`], [`ReportRow`] and so
//! on, which are also those of DocAlign, so that the same queries work on a database that it has filled.

mod error;
mod rows;

pub use error::HealthError;
pub use rows::{
    ClaimRow, Decision, HealthCount, NewClaim, NewReport, Recorded, RecordedDocument, RepoRow, ReportRow,
    Status,
};

/// Keeps claims with their verdicts, and reports of drift. Everything belongs to a repository.
pub trait HealthStore: Send + Sync {
    /// The repository of that name; the one that was changed last where there are several.
    fn repo(&self, owner: &str, name: &str) -> Result<Option<RepoRow>, HealthError>;

    /// As [`HealthStore::repo`], and makes it known when it is not.
    fn put_repo(&self, owner: &str, name: &str, now: i64) -> Result<RepoRow, HealthError>;

    /// Whether what a verification finds of this repository can be kept; not where another program does that.
    fn takes_records(&self, _repo: &str) -> bool {
        true
    }

    /// Whether another program may keep repositories here too. A file is ours alone.
    fn is_shared(&self) -> bool {
        false
    }

    /// Another number after every change that an answer could depend on.
    fn generation(&self, repo: &str) -> Result<u64, HealthError>;

    /// Puts the claims of whole documents in the place of what was known of these documents, all or nothing. A claim that
    /// stays the same keeps its id; its verdict is added to its history when it is another one. A claim that a person
    /// agreed has drifted stays so until its words change.
    fn record(&self, repo: &str, recorded: &Recorded) -> Result<u64, HealthError>;

    /// All claims, by file and line.
    fn claims(&self, repo: &str) -> Result<Vec<ClaimRow>, HealthError>;

    /// What the content of each document was when it was last verified: path and hash.
    fn documents(&self, repo: &str) -> Result<Vec<(String, String)>, HealthError>;

    /// How many claims there are by file, type and status.
    fn counts(&self, repo: &str) -> Result<Vec<HealthCount>, HealthError>;

    /// Keeps a report; gives its id.
    fn add_report(&self, repo: &str, report: &NewReport) -> Result<String, HealthError>;

    /// Reports, the newest first; `status` names those wanted.
    fn reports(&self, repo: &str, status: Option<Decision>) -> Result<Vec<ReportRow>, HealthError>;

    /// Says what came of a report. Agreeing marks the claim that it names as drifted; taking that back lets the last
    /// verdict count again. `None` when there is no such report.
    fn decide(
        &self,
        repo: &str,
        report: &str,
        decision: Decision,
        now: i64,
    ) -> Result<Option<ReportRow>, HealthError>;
}
