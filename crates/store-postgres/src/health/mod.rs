//! The health of documents in the database: what was found by docent, for everybody, or by DocAlign, to be read.
//!
//! Ours is in the schema `docent`. Where DocAlign's own tables know a repository that ours do not, that repository is served
//! as it is there ([`docalign`]), and nothing of it is ever written but reports of drift. Connections read unless a
//! transaction says otherwise, and every statement has a limit on the server.

pub(crate) mod docalign;
mod queries;
mod record;
mod reports;

use std::collections::HashSet;
use std::future::Future;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use deadpool_postgres::Client;
use docent_index::health::{
    ClaimRow, Decision, HealthCount, HealthError, HealthStore, NewReport, Recorded, RepoRow, ReportRow,
};
use tokio_postgres::error::SqlState;

use crate::fault::{Fault, Outcome, is_hanging_up, is_refusal, words};
use crate::link::Link;
use crate::schema;

/// Connections that are open at a time.
const CONNECTIONS: usize = 4;
/// How long claims are read.
const CLAIMS: &str = "5s";
/// How long the server goes on with any other statement.
const OTHERS: Duration = Duration::from_secs(3);
/// How long a connection is waited for.
const OUTAGE: Duration = Duration::from_secs(2);

/// The health of documents in a database.
pub struct PostgresHealth {
    link: Link,
    is_writable: bool,
    /// Repositories that are DocAlign's.
    foreign: Mutex<HashSet<String>>,
}

impl PostgresHealth {
    /// In the database at `url`, to read and write where the role may. Nothing is connected yet.
    pub fn open(url: &str, is_writable: bool) -> Result<Self, HealthError> {
        let link = Link::reading(url, CONNECTIONS, OUTAGE, OTHERS)
            .map_err(|detail| HealthError::Connection { place: "postgresql://".to_owned(), detail })?;
        Ok(Self { link, is_writable, foreign: Mutex::default() })
    }

    fn read<T>(&self, ask: impl AsyncFn(&mut Client) -> Outcome<T>) -> Result<T, HealthError> {
        // Longer than the server goes on with the slowest statement.
        let limit = OTHERS + OUTAGE + OUTAGE;
        self.told(self.link.read(limit, || async { ask(&mut self.link.client().await?).await }))
    }

    fn write<T>(&self, act: impl Future<Output = Outcome<T>>) -> Result<T, HealthError> {
        if !self.is_writable {
            return Err(HealthError::ReadOnly { place: self.link.place.clone() });
        }
        self.told(self.link.attend(act))
    }

    fn told<T>(&self, outcome: Outcome<T>) -> Result<T, HealthError> {
        outcome.map_err(|fault| told(fault, &self.link.place))
    }

    fn is_foreign(&self, repo: &str) -> bool {
        self.foreign.lock().unwrap_or_else(PoisonError::into_inner).contains(repo)
    }

    /// Nothing of a repository that is DocAlign's is changed.
    fn own(&self, repo: &str) -> Result<(), HealthError> {
        match self.is_foreign(repo) {
            true => Err(HealthError::ReadOnly { place: self.link.place.clone() }),
            false => Ok(()),
        }
    }
}

impl HealthStore for PostgresHealth {
    fn repo(&self, owner: &str, name: &str) -> Result<Option<RepoRow>, HealthError> {
        let found = self.read(async |client| {
            if has_tables(client).await?
                && let Some(row) = queries::repo(client, "docent.repos", owner, name).await?
            {
                return Ok(Some((row, false)));
            }
            let row = docalign::repo(client, owner, name).await?;
            Ok(row.map(|row| (row, true)))
        })?;
        Ok(found.map(|(row, is_foreign)| {
            if is_foreign {
                self.foreign.lock().unwrap_or_else(PoisonError::into_inner).insert(row.id.clone());
            }
            row
        }))
    }

    fn put_repo(&self, owner: &str, name: &str, now: i64) -> Result<RepoRow, HealthError> {
        if let Some(known) = self.repo(owner, name)? {
            return Ok(known);
        }
        self.write(async {
            let mut client = self.link.sound_client().await?;
            client.batch_execute("SET default_transaction_read_only = off").await?;
            let made = schema::migrate(&mut client).await;
            client.batch_execute("SET default_transaction_read_only = on").await?;
            made?;
            record::put_repo(&mut client, owner, name, now).await
        })
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn takes_records(&self, repo: &str) -> bool {
        self.is_writable && !self.is_foreign(repo)
    }

    fn generation(&self, repo: &str) -> Result<u64, HealthError> {
        let is_foreign = self.is_foreign(repo);
        self.read(async |client| match is_foreign {
            true => docalign::generation(client, repo).await,
            false if !has_tables(client).await? => Ok(0),
            false => queries::generation(client, repo).await,
        })
    }

    fn record(&self, repo: &str, recorded: &Recorded) -> Result<u64, HealthError> {
        self.own(repo)?;
        self.write(async {
            let mut client = self.link.sound_client().await?;
            record::record(&mut client, repo, recorded).await
        })
    }

    fn claims(&self, repo: &str) -> Result<Vec<ClaimRow>, HealthError> {
        let is_foreign = self.is_foreign(repo);
        self.read(async |client| {
            // Only claims may take longer than all else.
            let tx = client.transaction().await?;
            tx.batch_execute(&format!("SET LOCAL statement_timeout = '{CLAIMS}'")).await?;
            match is_foreign {
                true => docalign::claims(&tx, repo).await,
                false => queries::claims(&tx, repo).await,
            }
        })
    }

    fn documents(&self, repo: &str) -> Result<Vec<(String, String)>, HealthError> {
        if self.is_foreign(repo) {
            // DocAlign does not say what it read.
            return Ok(Vec::new());
        }
        self.read(async |client| queries::documents(client, repo).await)
    }

    fn counts(&self, repo: &str) -> Result<Vec<HealthCount>, HealthError> {
        let is_foreign = self.is_foreign(repo);
        self.read(async |client| match is_foreign {
            true => docalign::counts(client, repo).await,
            false => queries::counts(client, "docent.claims", "$1", "suppressed IS NOT NULL", repo).await,
        })
    }

    fn add_report(&self, repo: &str, report: &NewReport) -> Result<String, HealthError> {
        self.told(reports::check(report))?;
        let is_foreign = self.is_foreign(repo);
        let made = self.write(async {
            let mut client = self.link.sound_client().await?;
            match is_foreign {
                true => docalign::add_report(&mut client, repo, report).await,
                false => reports::add(&mut client, repo, report).await.map(Some),
            }
        })?;
        made.ok_or_else(|| HealthError::ReadOnly { place: self.link.place.clone() })
    }

    fn reports(&self, repo: &str, status: Option<Decision>) -> Result<Vec<ReportRow>, HealthError> {
        let is_foreign = self.is_foreign(repo);
        self.read(async |client| match is_foreign {
            true => docalign::reports(client, repo, status).await,
            false => reports::list(client, repo, status).await,
        })
    }

    fn decide(
        &self,
        repo: &str,
        report: &str,
        decision: Decision,
        now: i64,
    ) -> Result<Option<ReportRow>, HealthError> {
        self.own(repo)?;
        self.write(async {
            let mut client = self.link.sound_client().await?;
            reports::decide(&mut client, repo, report, decision, now).await
        })
    }
}

/// Whether docent has made its tables, health included.
async fn has_tables(client: &Client) -> Outcome<bool> {
    // A role that may read DocAlign's tables need not know of ours.
    let may = client.query_one("SELECT has_schema_privilege(oid, 'USAGE') FROM pg_namespace WHERE nspname = 'docent' UNION ALL SELECT false LIMIT 1", &[]).await?;
    Ok(may.get(0) && schema::is_there(client).await?)
}

fn told(fault: Fault, place: &str) -> HealthError {
    let place = place.to_owned();
    match fault {
        Fault::Newer(found) => {
            HealthError::Newer { place, found: found.into(), supported: schema::FORMAT.into() }
        }
        Fault::Unreachable(detail) => HealthError::Connection { place, detail },
        Fault::Busy => HealthError::Timeout,
        Fault::Unprepared(_) | Fault::Older(_) | Fault::Unreadable(_) => HealthError::ReadOnly { place },
        Fault::Damaged(detail) | Fault::Internal(detail) | Fault::Unfit(detail) => {
            HealthError::Query { place, detail }
        }
        Fault::NoCollection(name) | Fault::CollectionExists(name) => {
            HealthError::Query { place, detail: name }
        }
        Fault::Postgres(error) => match error.code() {
            Some(&SqlState::QUERY_CANCELED | &SqlState::LOCK_NOT_AVAILABLE) => HealthError::Timeout,
            Some(&SqlState::READ_ONLY_SQL_TRANSACTION | &SqlState::INSUFFICIENT_PRIVILEGE) => {
                HealthError::ReadOnly { place }
            }
            _ if Fault::from_is_cut_off(&error) || is_refusal(&error) || is_hanging_up(&error) => {
                HealthError::Connection { place, detail: words(&error) }
            }
            _ => HealthError::Query { place, detail: words(&error) },
        },
    }
}
