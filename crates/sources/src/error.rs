//! What can go wrong on the way, for a person.

/// What happened, to what, and the next step.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SourceError {
    /// What happened, to what.
    pub message: String,
    /// The next step.
    pub hint: String,
    /// Whether what was asked for makes no sense, rather than that something failed.
    pub is_usage: bool,
}

impl SourceError {
    /// A source that makes no sense.
    pub fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), hint: hint.into(), is_usage: true }
    }

    /// A source that could not be fetched.
    pub fn failed(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), hint: hint.into(), is_usage: false }
    }

    /// Whoever asked has changed their mind.
    pub fn cancelled() -> Self {
        Self::failed("fetching was cancelled", "run the command again")
    }
}
