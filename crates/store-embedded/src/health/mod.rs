//! The health of documents in a SQLite file of its own, `health.sqlite` in the index folder.
//!
//! Apart from the record, because a record can be built anew from the documents and a report of drift cannot. The file is
//! made when something is first written; until then, everything that is read is empty. Whoever reads does so over
//! connections that cannot write, and every statement has a deadline.

mod connection;
mod queries;
mod record;
mod reports;
mod schema;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use docent_index::health::{
    ClaimRow, Decision, HealthCount, HealthError, HealthStore, NewReport, Recorded, RepoRow, ReportRow,
};
use rusqlite::{Connection, Transaction, TransactionBehavior};

use connection::{Timed, failure};

/// Name of the file.
const FILE: &str = "health.sqlite";
/// Connections that are kept for the next reader.
const KEPT: usize = 4;

/// How often a file that cannot be read is tried again, and after how long.
const AGAIN: usize = 3;
const PAUSE: Duration = Duration::from_millis(20);

/// How long statements may take.
#[derive(Debug, Clone, Copy)]
struct Limits {
    claims: Duration,
    others: Duration,
}

/// The health of documents beside an index.
pub struct EmbeddedHealth {
    path: PathBuf,
    is_writable: bool,
    limits: Limits,
    readers: Mutex<Vec<Timed>>,
    writer: Mutex<Option<Timed>>,
}

impl EmbeddedHealth {
    /// Of the index in `folder`, to read and write.
    pub fn new(folder: &Path) -> Self {
        Self::at(folder.join(FILE), true)
    }

    /// Of the index in `folder`, only to read.
    pub fn reading(folder: &Path) -> Self {
        Self::at(folder.join(FILE), false)
    }

    /// In the file at `path`.
    pub fn at(path: PathBuf, is_writable: bool) -> Self {
        let limits = Limits { claims: Duration::from_secs(5), others: Duration::from_secs(3) };
        Self { path, is_writable, limits, readers: Mutex::default(), writer: Mutex::default() }
    }

    /// With another time for every statement.
    #[must_use]
    pub fn with_limit(mut self, limit: Duration) -> Self {
        self.limits = Limits { claims: limit, others: limit };
        self
    }

    /// What `ask` reads; nothing while nothing was written yet. A file that another process is just making cannot be read
    /// for a moment.
    fn read<T: Default>(
        &self,
        limit: Duration,
        ask: impl Fn(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, HealthError> {
        for _ in 0..AGAIN {
            match self.read_once(limit, &ask) {
                Err(HealthError::Connection { .. }) => std::thread::sleep(PAUSE),
                read => return read,
            }
        }
        self.read_once(limit, &ask)
    }

    fn read_once<T: Default>(
        &self,
        limit: Duration,
        ask: &impl Fn(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, HealthError> {
        if !self.path.exists() {
            self.readers.lock().unwrap_or_else(PoisonError::into_inner).clear();
            return Ok(T::default());
        }
        let idle = self.readers.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let timed = match idle {
            Some(timed) => timed,
            None => Timed::open_reader(&self.path)?,
        };
        if !timed.is_made(&self.path)? {
            return Ok(T::default());
        }
        let answer = timed.within(limit, ask).map_err(|error| failure(&self.path, &error))?;
        let mut readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        if readers.len() < KEPT {
            readers.push(timed);
        }
        Ok(answer)
    }

    /// What `act` writes, all of it or nothing. A connection that was lost is opened again once.
    fn write<T>(
        &self,
        limit: Option<Duration>,
        act: impl Fn(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, HealthError> {
        if !self.is_writable {
            return Err(HealthError::ReadOnly { place: self.path.display().to_string() });
        }
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        for is_last in [false, true] {
            // Somebody may have moved the file away: then the connection leads nowhere.
            if !self.path.exists() {
                *writer = None;
            }
            let timed = match writer.take() {
                Some(timed) => timed,
                None => Timed::open_writer(&self.path)?,
            };
            let transact = |conn: &Connection| {
                let tx = Transaction::new_unchecked(conn, TransactionBehavior::Immediate)?;
                let done = act(&tx)?;
                tx.commit()?;
                Ok(done)
            };
            match timed.within(limit.unwrap_or(Duration::MAX), transact) {
                Ok(done) => {
                    *writer = Some(timed);
                    return Ok(done);
                }
                Err(error) => match failure(&self.path, &error) {
                    HealthError::Connection { .. } if !is_last => {}
                    told => return Err(told),
                },
            }
        }
        Err(HealthError::Connection {
            place: self.path.display().to_string(),
            detail: "it was lost".to_owned(),
        })
    }
}

impl HealthStore for EmbeddedHealth {
    fn repo(&self, owner: &str, name: &str) -> Result<Option<RepoRow>, HealthError> {
        self.read(self.limits.others, |conn| queries::repo(conn, owner, name))
    }

    fn put_repo(&self, owner: &str, name: &str, now: i64) -> Result<RepoRow, HealthError> {
        if let Some(known) = self.repo(owner, name)? {
            return Ok(known);
        }
        self.write(Some(self.limits.others), |tx| record::put_repo(tx, owner, name, now))
    }

    fn generation(&self, repo: &str) -> Result<u64, HealthError> {
        self.read(self.limits.others, |conn| queries::generation(conn, repo))
    }

    fn record(&self, repo: &str, recorded: &Recorded) -> Result<u64, HealthError> {
        // As long as it takes: nobody waits for it, and half of it is worth nothing.
        self.write(None, |tx| record::record(tx, repo, recorded))
    }

    fn claims(&self, repo: &str) -> Result<Vec<ClaimRow>, HealthError> {
        self.read(self.limits.claims, |conn| queries::claims(conn, repo))
    }

    fn documents(&self, repo: &str) -> Result<Vec<(String, String)>, HealthError> {
        self.read(self.limits.others, |conn| queries::documents(conn, repo))
    }

    fn counts(&self, repo: &str) -> Result<Vec<HealthCount>, HealthError> {
        self.read(self.limits.others, |conn| queries::counts(conn, repo))
    }

    fn add_report(&self, repo: &str, report: &NewReport) -> Result<String, HealthError> {
        self.write(Some(self.limits.others), |tx| reports::add(tx, repo, report))
    }

    fn reports(&self, repo: &str, status: Option<Decision>) -> Result<Vec<ReportRow>, HealthError> {
        self.read(self.limits.others, |conn| reports::list(conn, repo, status))
    }

    fn decide(
        &self,
        repo: &str,
        report: &str,
        decision: Decision,
        now: i64,
    ) -> Result<Option<ReportRow>, HealthError> {
        self.write(Some(self.limits.others), |tx| reports::decide(tx, repo, report, decision, now))
    }
}
