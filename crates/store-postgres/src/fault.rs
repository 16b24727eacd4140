//! What goes wrong inside, before it is told to anyone.
//!
//! Inside the crate errors travel as a [`Fault`]; at the public boundary [`Fault::at`] turns it into the [`StoreError`]
//! that says what the reader can do. The server's codes say more than its words, so they decide.

use docent_index::StoreError;
use tokio_postgres::error::{Severity, SqlState};

use crate::{schema, tls};

#[derive(Debug)]
pub(crate) enum Fault {
    Postgres(tokio_postgres::Error),
    /// No connection, or one that does not answer.
    Unreachable(String),
    /// The schema has a format from the future.
    Newer(u32),
    /// There are no tables, and this role may not make them.
    Unprepared(String),
    /// The tables have this older format, and this role may not change them.
    Older(u32),
    /// The tables are there, and this role may not read them.
    Unreadable(String),
    /// No index can be kept in this database.
    Unfit(String),
    /// There is no collection of this name.
    NoCollection(String),
    /// There is a collection of this name already.
    CollectionExists(String),
    /// Somebody else changed what was about to be written to.
    Busy,
    /// What is there contradicts itself.
    Damaged(String),
    /// A mistake of the caller or of this crate.
    Internal(String),
}

pub(crate) type Outcome<T> = Result<T, Fault>;

impl Fault {
    /// The error for the caller of the store at `place`.
    pub(crate) fn at(self, place: &str) -> StoreError {
        let place = place.to_owned();
        match self {
            Self::Unreachable(detail) => StoreError::Unreachable { place, detail },
            Self::Newer(found) => StoreError::Newer { place, found, supported: schema::FORMAT },
            Self::Unprepared(detail) => StoreError::Unprepared { place, detail },
            Self::Older(found) => StoreError::Older { place, found, needed: schema::FORMAT },
            Self::Unreadable(detail) => StoreError::Unreadable { place, detail },
            Self::Unfit(detail) => StoreError::Unfit { place, detail },
            Self::NoCollection(name) => StoreError::NoCollection { place, name },
            Self::CollectionExists(name) => StoreError::CollectionExists { place, name },
            Self::Busy => StoreError::Busy { place },
            Self::Damaged(detail) => StoreError::Damaged { place, detail },
            Self::Internal(detail) => StoreError::Internal { place, detail },
            Self::Postgres(error) => from_server(place, &error),
        }
    }

    /// What went wrong between here and the server.
    pub(crate) fn detail(&self) -> String {
        match self {
            Self::Postgres(error) => words(error),
            Self::Unreachable(detail) => detail.clone(),
            other => format!("{other:?}"),
        }
    }

    /// The same fault of somebody who only reads, for whom rights that are missing are those to read.
    pub(crate) fn while_reading(self) -> Self {
        match self {
            Self::Postgres(error) if error.code() == Some(&SqlState::INSUFFICIENT_PRIVILEGE) => {
                Self::Unreadable(words(&error))
            }
            other => other,
        }
    }

    /// Whether this role, or this server, does not allow what was asked.
    pub(crate) fn is_not_allowed(&self) -> bool {
        let Self::Postgres(error) = self else { return false };
        matches!(error.code(), Some(&SqlState::READ_ONLY_SQL_TRANSACTION | &SqlState::INSUFFICIENT_PRIVILEGE))
    }

    /// Whether nobody answers, or nobody is let in.
    pub(crate) fn is_of_the_way(&self) -> bool {
        self.is_cut_off() || matches!(self, Self::Postgres(error) if is_refusal(error))
    }

    /// Whether this is an error of a connection that is gone.
    pub(crate) fn from_is_cut_off(error: &tokio_postgres::Error) -> bool {
        match error.code() {
            Some(code) => code.code().starts_with("08") || code.code().starts_with("57P"),
            None => true,
        }
    }

    /// Whether somebody ended this connection, which says nothing about the next one.
    pub(crate) fn from_is_ended(error: &tokio_postgres::Error) -> bool {
        error.is_closed() || error.code() == Some(&SqlState::ADMIN_SHUTDOWN)
    }

    /// Whether the connection is gone, so that nobody knows whether the last statement was carried out.
    pub(crate) fn is_cut_off(&self) -> bool {
        match self {
            Self::Unreachable(_) => true,
            Self::Postgres(error) => Self::from_is_cut_off(error),
            _ => false,
        }
    }
}

fn from_server(place: String, error: &tokio_postgres::Error) -> StoreError {
    if let Some(detail) = tls::problem(error) {
        return StoreError::Untrusted { place, detail };
    }
    let detail = words(error);
    if is_refusal(error) {
        return StoreError::Refused { place, detail };
    }
    let Some(code) = error.code() else { return StoreError::Unreachable { place, detail } };
    match *code {
        SqlState::DISK_FULL => StoreError::Full { place },
        SqlState::READ_ONLY_SQL_TRANSACTION => StoreError::Standby { place, detail },
        SqlState::INSUFFICIENT_PRIVILEGE => StoreError::Forbidden { place, detail },
        // Only COPY says so, and only to roles that the policies of a table hold for.
        SqlState::FEATURE_NOT_SUPPORTED if detail.contains("row-level security") => {
            StoreError::Guarded { place, detail }
        }
        SqlState::LOCK_NOT_AVAILABLE
        | SqlState::T_R_DEADLOCK_DETECTED
        | SqlState::T_R_SERIALIZATION_FAILURE => StoreError::Busy { place },
        SqlState::TOO_MANY_CONNECTIONS => StoreError::Unreachable { place, detail },
        SqlState::DATA_CORRUPTED | SqlState::INDEX_CORRUPTED => StoreError::Damaged { place, detail },
        _ if Fault::from_is_cut_off(error) || is_hanging_up(error) => {
            StoreError::Unreachable { place, detail }
        }
        _ => StoreError::Internal { place, detail },
    }
}

/// Whether the server ended the connection with this, or made none: it has none left, say, or lets nobody in just now. Others may
/// be in order.
pub(crate) fn is_hanging_up(error: &tokio_postgres::Error) -> bool {
    let severity = error.as_db_error().and_then(tokio_postgres::error::DbError::parsed_severity);
    matches!(severity, Some(Severity::Fatal | Severity::Panic))
}

/// Whether somebody has to correct the address before a connection can be made.
pub(crate) fn is_refusal(error: &tokio_postgres::Error) -> bool {
    match error.code() {
        Some(code) => code.code().starts_with("28") || *code == SqlState::INVALID_CATALOG_NAME,
        // The server asks for a password and there is none; the library has no other way to tell.
        None => error.to_string().starts_with("invalid configuration"),
    }
}

/// The server's own words, or what the connection said.
pub(crate) fn words(error: &tokio_postgres::Error) -> String {
    if let Some(told) = error.as_db_error() {
        let code = told.code().code();
        return format!("{} ({code})", told.message());
    }
    if let Some(problem) = tls::problem(error) {
        return problem;
    }
    match std::error::Error::source(error) {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}

impl From<tokio_postgres::Error> for Fault {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Postgres(error)
    }
}

impl From<deadpool_postgres::PoolError> for Fault {
    fn from(error: deadpool_postgres::PoolError) -> Self {
        match error {
            // A connection may be ended between its first word and its settings.
            deadpool_postgres::PoolError::Backend(error)
            | deadpool_postgres::PoolError::PostCreateHook(deadpool_postgres::HookError::Backend(error)) => {
                Self::Postgres(error)
            }
            deadpool_postgres::PoolError::Timeout(_) => Self::Unreachable("no connection in time".to_owned()),
            other => Self::Unreachable(other.to_string()),
        }
    }
}

impl From<serde_json::Error> for Fault {
    fn from(error: serde_json::Error) -> Self {
        Self::Damaged(format!("a stored list does not parse: {error}"))
    }
}
