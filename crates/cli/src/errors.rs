//! What a command ends with when it does not end well, and which exit code that is.

use std::io;

use docent_engine::{EngineError, ErrorKind};
use docent_index::StoreError;
use docent_sources::SourceError;

/// The next step of a command that a database did not answer.
pub(crate) const AFTER_OUTAGE: &str = "check the address, that the server runs and that it has connections left; then run it again: \
    what was written is kept, and it goes on where it was";

/// The program's exit codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done, and something to show for it.
    Fine,
    /// Nothing found, or problems reported.
    Problems,
    /// The command line or a setting is wrong.
    Usage,
    /// The surroundings or docent itself failed.
    Failed,
    /// Stopped by Ctrl-C.
    Interrupted,
}

impl Exit {
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Fine => 0,
            Self::Problems => 1,
            Self::Usage => 2,
            Self::Failed => 3,
            Self::Interrupted => 130,
        }
    }
}

/// Why a command could not do its work.
#[derive(Debug)]
pub(crate) enum CliError {
    /// To be told in two lines.
    Told {
        /// What it means for the exit code.
        exit: Exit,
        /// What happened, to what.
        message: String,
        /// The next step.
        hint: String,
    },
    /// Whoever read our output has gone; there is nobody to tell.
    OutputClosed,
}

impl CliError {
    pub(crate) fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Told { exit: Exit::Usage, message: message.into(), hint: hint.into() }
    }

    pub(crate) fn problems(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Told { exit: Exit::Problems, message: message.into(), hint: hint.into() }
    }

    pub(crate) fn failed(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Told { exit: Exit::Failed, message: message.into(), hint: hint.into() }
    }

    /// An error of writing to stdout.
    pub(crate) fn output(error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::OutputClosed;
        }
        Self::failed(format!("cannot write the output: {}", plain_io(error)), "check where stdout leads to")
    }
}

impl From<EngineError> for CliError {
    fn from(error: EngineError) -> Self {
        let exit = match error.kind {
            ErrorKind::Usage => Exit::Usage,
            ErrorKind::NotFound => Exit::Problems,
            ErrorKind::Environment | ErrorKind::Unreachable | ErrorKind::Busy | ErrorKind::Internal => {
                Exit::Failed
            }
        };
        let hint = match error.hint.is_empty() {
            // A command that ends does not connect again by itself.
            _ if error.kind == ErrorKind::Unreachable => AFTER_OUTAGE.to_owned(),
            true => "`docent list` shows the pages there are".to_owned(),
            false => error.hint.replace("name the collection: ", "name the collection with -c: "),
        };
        Self::Told { exit, message: without_tool_names(&error.message), hint }
    }
}

impl From<SourceError> for CliError {
    fn from(error: SourceError) -> Self {
        let exit = if error.is_usage { Exit::Usage } else { Exit::Failed };
        Self::Told { exit, message: error.message, hint: error.hint }
    }
}

impl From<StoreError> for CliError {
    fn from(error: StoreError) -> Self {
        EngineError::from(error).into()
    }
}

/// The engine's "not found" ends with the tool that an agent calls next; a person has the hint line instead.
fn without_tool_names(message: &str) -> String {
    match message.rsplit_once(". Use ") {
        Some((what, tool)) if tool.contains('_') => what.to_owned(),
        _ => message.to_owned(),
    }
}

/// An I/O error without the "(os error 2)" tail.
pub(crate) fn plain_io(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tool_names_are_for_agents() {
        let message = "No page found at path: a.md. Use list_pages to discover available pages.";
        assert_eq!(without_tool_names(message), "No page found at path: a.md");
        assert_eq!(without_tool_names("It failed. Use force."), "It failed. Use force.");
    }
}
