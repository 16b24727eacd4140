//! What can go wrong where health is kept, told apart by what a caller is told.

use thiserror::Error;

/// An error of a [`HealthStore`](super::HealthStore).
#[derive(Debug, Error)]
pub enum HealthError {
    /// The database cannot be reached.
    #[error("cannot reach the database of docs health at {place}: {detail}")]
    Connection {
        /// Which one.
        place: String,
        /// Its words, or the system's.
        detail: String,
    },
    /// A query took too long and was ended.
    #[error("a query of docs health took too long and was ended")]
    Timeout,
    /// The database was written by a newer docent.
    #[error("docs health at {place} has format {found}, and this docent reads up to {supported}")]
    Newer {
        /// Which one.
        place: String,
        /// Its format number.
        found: i64,
        /// The newest format that this program knows.
        supported: i64,
    },
    /// It was opened for reading alone.
    #[error("docs health at {place} is only read")]
    ReadOnly {
        /// Which one.
        place: String,
    },
    /// Anything else that the database reported.
    #[error("the database of docs health at {place} failed: {detail}")]
    Query {
        /// Which one.
        place: String,
        /// Its words.
        detail: String,
    },
}

impl HealthError {
    /// The next step, for the line after the error.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Connection { place, .. } if place.starts_with("postgresql:") => {
                "check the address of the database and that its server runs; docent connects again by itself"
            }
            Self::Connection { .. } => "check that the folder exists and that you may read and write it",
            Self::Timeout => "ask for less at once, or try again when the machine is less busy",
            Self::Newer { .. } => "update docent, or use another index with --index DIR",
            Self::ReadOnly { place } if place.starts_with("postgresql:") => {
                "name a role that may write to docent's tables; what DocAlign keeps is only ever read"
            }
            Self::ReadOnly { .. } => "start docent on an index that can be written to",
            Self::Query { place, .. } if place.starts_with("postgresql:") => {
                "run the command again; if it stays, `docent check` tells more"
            }
            Self::Query { .. } => {
                "run the command again; if it stays, move health.sqlite out of the index folder and verify anew"
            }
        }
    }
}
