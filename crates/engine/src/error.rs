//! The engine's one error type: what happened, the next step, and whose fault it is.

use std::fmt;

use docent_index::{EmbedError, StoreError};

/// An error for the person or the agent that asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineError {
    /// Who can do something about it.
    pub kind: ErrorKind,
    /// What happened, to what.
    pub message: String,
    /// The next step.
    pub hint: String,
}

/// Who can do something about an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The request itself is wrong.
    Usage,
    /// What was asked for is not there.
    NotFound,
    /// Something outside has to be mended: a disk, a folder, a service.
    Environment,
    /// The database that holds the index does not answer.
    Unreachable,
    /// Another process is writing and did not finish in time.
    Busy,
    /// We broke.
    Internal,
}

impl EngineError {
    /// The request itself is wrong.
    pub fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Usage, message: message.into(), hint: hint.into() }
    }

    /// What was asked for is not there.
    pub fn not_found(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { kind: ErrorKind::NotFound, message: message.into(), hint: hint.into() }
    }

    /// Something outside has to be mended.
    pub fn environment(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Environment, message: message.into(), hint: hint.into() }
    }
}

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for EngineError {}

impl From<StoreError> for EngineError {
    fn from(error: StoreError) -> Self {
        let kind = match error {
            StoreError::Internal { .. } => ErrorKind::Internal,
            StoreError::Unreachable { .. } => ErrorKind::Unreachable,
            StoreError::Busy { .. } => ErrorKind::Busy,
            StoreError::ReadOnly { .. } | StoreError::CollectionExists { .. } => ErrorKind::Usage,
            StoreError::NoCollection { .. } | StoreError::OutOfReach { .. } => ErrorKind::NotFound,
            _ => ErrorKind::Environment,
        };
        Self { kind, message: error.to_string(), hint: error.hint().to_owned() }
    }
}

impl From<EmbedError> for EngineError {
    fn from(error: EmbedError) -> Self {
        Self { kind: ErrorKind::Environment, message: error.message, hint: error.hint }
    }
}
