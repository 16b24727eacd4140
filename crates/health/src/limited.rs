//! Docs health as somebody sees it who may know of some files only: of all others nothing is kept.

use std::sync::Arc;

use docent_index::health::{
    ClaimRow, Decision, HealthCount, HealthError, HealthStore, NewReport, Recorded, RepoRow, ReportRow,
};

/// Which files, by their path in the repository, may be known of.
pub type Sees = Arc<dyn Fn(&str) -> bool + Send + Sync>;

/// A store that knows of some files only.
pub(crate) struct LimitedHealth {
    store: Arc<dyn HealthStore>,
    sees: Sees,
}

impl LimitedHealth {
    pub(crate) fn new(store: Arc<dyn HealthStore>, sees: Sees) -> Self {
        Self { store, sees }
    }

    fn refused<T>() -> Result<T, HealthError> {
        Err(HealthError::ReadOnly { place: "what this token is for".to_owned() })
    }
}

impl HealthStore for LimitedHealth {
    fn repo(&self, owner: &str, name: &str) -> Result<Option<RepoRow>, HealthError> {
        self.store.repo(owner, name)
    }

    fn put_repo(&self, owner: &str, name: &str, now: i64) -> Result<RepoRow, HealthError> {
        self.store.put_repo(owner, name, now)
    }

    fn takes_records(&self, _: &str) -> bool {
        false
    }

    fn is_shared(&self) -> bool {
        self.store.is_shared()
    }

    fn generation(&self, repo: &str) -> Result<u64, HealthError> {
        self.store.generation(repo)
    }

    /// A verification is of the whole repository.
    fn record(&self, _: &str, _: &Recorded) -> Result<u64, HealthError> {
        Self::refused()
    }

    fn claims(&self, repo: &str) -> Result<Vec<ClaimRow>, HealthError> {
        let mut claims = self.store.claims(repo)?;
        claims.retain(|claim| (self.sees)(&claim.source_file));
        Ok(claims)
    }

    fn documents(&self, repo: &str) -> Result<Vec<(String, String)>, HealthError> {
        let mut documents = self.store.documents(repo)?;
        documents.retain(|(file, _)| (self.sees)(file));
        Ok(documents)
    }

    fn counts(&self, repo: &str) -> Result<Vec<HealthCount>, HealthError> {
        let mut counts = self.store.counts(repo)?;
        counts.retain(|count| (self.sees)(&count.source_file));
        Ok(counts)
    }

    fn add_report(&self, repo: &str, report: &NewReport) -> Result<String, HealthError> {
        match (self.sees)(&report.doc_file) {
            true => self.store.add_report(repo, report),
            false => Self::refused(),
        }
    }

    fn reports(&self, repo: &str, status: Option<Decision>) -> Result<Vec<ReportRow>, HealthError> {
        let mut reports = self.store.reports(repo, status)?;
        reports.retain(|row| (self.sees)(&row.report.doc_file));
        Ok(reports)
    }

    fn decide(
        &self,
        repo: &str,
        report: &str,
        decision: Decision,
        now: i64,
    ) -> Result<Option<ReportRow>, HealthError> {
        match self.reports(repo, None)?.iter().any(|row| row.id == report) {
            true => self.store.decide(repo, report, decision, now),
            false => Ok(None),
        }
    }
}
