//! What can go wrong in a store, told apart by what the reader can do about it.

use thiserror::Error;

/// An error of a store.
#[derive(Debug, Error)]
pub enum StoreError {
    /// Another process is writing and did not finish in time.
    #[error("the index at {place} is being written by another process")]
    Busy {
        /// Where the index lives.
        place: String,
    },
    /// The index was written by a newer docent.
    #[error("the index at {place} has format {found}, and this docent reads up to {supported}")]
    Newer {
        /// Where the index lives.
        place: String,
        /// Its format number.
        found: u32,
        /// The newest format that this program knows.
        supported: u32,
    },
    /// What is on disk cannot be what docent wrote.
    #[error("the index at {place} is damaged: {detail}")]
    Damaged {
        /// Where the index lives.
        place: String,
        /// What was found.
        detail: String,
    },
    /// No space, or a quota.
    #[error("no space left for the index at {place}")]
    Full {
        /// Where the index lives.
        place: String,
    },
    /// The operating system refused.
    #[error("cannot access the index at {place}: {detail}")]
    Io {
        /// Which file or folder.
        place: String,
        /// The system's words.
        detail: String,
    },
    /// Anything else that the store's own parts reported.
    #[error("the index at {place} failed: {detail}")]
    Internal {
        /// Where the index lives.
        place: String,
        /// The part's words.
        detail: String,
    },
}

impl StoreError {
    /// The next step, for the line after the error.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Busy { .. } => {
                "wait for the other docent process to finish, or stop it; `write.lock` in the index folder holds its process number"
            }
            Self::Newer { .. } => "update docent, or use another index with --index DIR",
            Self::Damaged { .. } => {
                "`docent check` says what is wrong; `docent index --rebuild` builds it anew from the documents"
            }
            Self::Full { .. } => {
                "free some space or choose another place with --index DIR; what was indexed is kept"
            }
            Self::Io { .. } => {
                "check that the folder exists and that you may write to it, or choose another with --index DIR"
            }
            Self::Internal { .. } => "run the command again; if it stays, `docent check` tells more",
        }
    }
}
