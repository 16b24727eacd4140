//! What can go wrong on the way, for a person. Credentials in addresses are left out here, whoever writes the message.

use crate::without_credentials;

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
        Self::new(&message.into(), &hint.into(), true)
    }

    /// A source that could not be fetched.
    pub fn failed(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(&message.into(), &hint.into(), false)
    }

    /// Whoever asked has changed their mind.
    pub fn cancelled() -> Self {
        Self::failed("fetching was cancelled", "run the command again")
    }

    fn new(message: &str, hint: &str, is_usage: bool) -> Self {
        Self { message: without_credentials(message), hint: without_credentials(hint), is_usage }
    }
}
