//! The one owner of stdout and stderr.
//!
//! Results go to stdout, everything about the run goes to stderr, and colour is there only on a terminal (or when it is
//! forced). Views hand in text with colour codes; they are taken out here when nobody can see them.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};

use anstream::{AutoStream, ColorChoice};
use owo_colors::OwoColorize;
use serde::Serialize;

use crate::args::{Color, GlobalArgs};
use crate::errors::{CliError, plain_io};

/// Width of output that does not go to a terminal.
const PLAIN_WIDTH: usize = 100;
/// Lines longer than this are hard to read, however wide the terminal is.
const MAX_WIDTH: usize = 110;

/// Writes results and tells about the run.
#[derive(Debug, Clone)]
pub(crate) struct Printer {
    choice: ColorChoice,
    quiet: bool,
    verbose: bool,
}

impl Printer {
    pub(crate) fn new(global: &GlobalArgs) -> Self {
        let choice = match global.color {
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
        };
        Self { choice, quiet: global.quiet, verbose: global.verbose }
    }

    /// Writes a view to stdout.
    pub(crate) fn view(&self, text: &str) -> Result<(), CliError> {
        let mut out = AutoStream::new(io::stdout().lock(), self.choice);
        out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|error| CliError::output(&error))
    }

    /// Writes documents to stdout: byte for byte, except that a terminal gets no control characters.
    pub(crate) fn raw(&self, text: &str) -> Result<(), CliError> {
        let cleaned = self.is_stdout_terminal().then(|| clean_lines(text));
        let mut out = io::stdout().lock();
        let bytes = cleaned.as_deref().unwrap_or(text).as_bytes();
        out.write_all(bytes).and_then(|()| out.flush()).map_err(|error| CliError::output(&error))
    }

    /// Writes one JSON document to stdout, for people and programs alike.
    pub(crate) fn json(&self, value: &impl Serialize) -> Result<(), CliError> {
        let text = serde_json::to_string_pretty(value).map_err(|error| not_serialisable(&error))?;
        self.plain(&text)
    }

    /// Writes one JSON object on one line to stdout.
    pub(crate) fn json_line(&self, value: &impl Serialize) -> Result<(), CliError> {
        let text = serde_json::to_string(value).map_err(|error| not_serialisable(&error))?;
        self.plain(&text)
    }

    /// Says something worth knowing about the answer.
    pub(crate) fn note(&self, text: impl Display) {
        if !self.quiet {
            self.err(format_args!("{} {}", "note:".yellow().bold(), clean(&text.to_string())));
        }
    }

    /// Says what was done, in passing.
    pub(crate) fn info(&self, text: impl Display) {
        if !self.quiet {
            self.err(text);
        }
    }

    /// Says what must be heard even with `--quiet`.
    pub(crate) fn always(&self, text: impl Display) {
        self.err(text);
    }

    /// Says what only the curious want to know.
    pub(crate) fn detail(&self, text: impl Display) {
        if self.verbose {
            self.err(text.dimmed());
        }
    }

    /// Names a file that was passed over.
    pub(crate) fn skipped(&self, path: &str, reason: &str) {
        self.err(format_args!("{} {}: {}", "skipped:".yellow().bold(), clean(path), clean(reason)));
    }

    /// Tells an error in its two lines.
    pub(crate) fn error(&self, message: &str, hint: &str) {
        let one_line = |text: &str| clean(&text.split_whitespace().collect::<Vec<_>>().join(" "));
        self.err(format_args!("{} {}", "error:".red().bold(), one_line(message)));
        self.err(format_args!("{} {}", "hint:".cyan().bold(), one_line(hint)));
    }

    /// Whether somebody is there to answer a question.
    pub(crate) fn can_ask(&self) -> bool {
        io::stdin().is_terminal() && self.is_stderr_terminal()
    }

    /// Asks a question. Enter means yes, no answer means no.
    pub(crate) fn ask(&self, question: &str) -> Result<bool, CliError> {
        let mut err = AutoStream::new(io::stderr().lock(), self.choice);
        let _ = write!(err, "{question} [Y/n] ").and_then(|()| err.flush());
        let mut answer = String::new();
        let read = io::stdin().read_line(&mut answer).map_err(|error| {
            let message = format!("cannot read the answer: {}", plain_io(&error));
            CliError::failed(message, "use --yes to go on without asking")
        })?;
        Ok(read > 0 && ["", "y", "yes"].contains(&answer.trim().to_lowercase().as_str()))
    }

    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet
    }

    pub(crate) fn is_verbose(&self) -> bool {
        self.verbose
    }

    pub(crate) fn is_stdout_terminal(&self) -> bool {
        io::stdout().is_terminal()
    }

    pub(crate) fn is_stderr_terminal(&self) -> bool {
        io::stderr().is_terminal()
    }

    /// Columns that a view may use.
    pub(crate) fn width(&self) -> usize {
        match console::Term::stdout().size_checked() {
            Some((_, columns)) => usize::from(columns).clamp(30, MAX_WIDTH),
            None => PLAIN_WIDTH,
        }
    }

    fn plain(&self, text: &str) -> Result<(), CliError> {
        let mut out = io::stdout().lock();
        writeln!(out, "{text}").and_then(|()| out.flush()).map_err(|error| CliError::output(&error))
    }

    /// Nobody can be told when stderr itself fails.
    fn err(&self, text: impl Display) {
        let _ = writeln!(AutoStream::new(io::stderr().lock(), self.choice), "{text}");
    }
}

fn not_serialisable(error: &serde_json::Error) -> CliError {
    CliError::failed(
        format!("the answer cannot be written as JSON: {error}"),
        "this is a bug in docent; please report it",
    )
}

/// One line of foreign text without anything that could steer a terminal.
pub(crate) fn clean(text: &str) -> String {
    let spaced: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    docent_text::visible(&spaced)
}

fn clean_lines(text: &str) -> String {
    docent_text::visible(text).replace('\r', "")
}

#[cfg(test)]
mod tests {
    use super::{clean, clean_lines};

    #[test]
    fn foreign_text_cannot_steer_the_terminal() {
        assert_eq!(clean("a\u{1b}[31mb\tc\u{202e}d"), "a [31mb cd");
        assert_eq!(clean_lines("a\u{1b}]0;x\u{7}\n\tb\r\n"), "a]0;x\n\tb\n");
    }
}
