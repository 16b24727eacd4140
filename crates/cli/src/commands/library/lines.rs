//! What is said of one file: a line for a person, a row of JSON, and the hint that fits a shell.

use std::fmt::Write;

use docent_library::{FileReport, LibraryError, Receipt, Status};
use owo_colors::OwoColorize;
use serde_json::{Value, json};

use crate::errors::CliError;
use crate::numbers::counted;
use crate::printer::clean;

pub(super) fn failure(name: &str, source: &str, error: &LibraryError) -> String {
    // The name is told once.
    let told = match error.message.strip_prefix(source) {
        Some(rest) => format!("{name}{rest}"),
        None => format!("{name}: {}", error.message),
    };
    let hint = format!("({})", clean(&shell_hint(error)));
    format!("{} {} {}", "failed:".red().bold(), clean(&told), hint.dimmed())
}

/// The error of a whole run.
pub(super) fn error(error: LibraryError) -> CliError {
    let hint = shell_hint(&error);
    CliError::usage(error.message, hint)
}

/// The hint for somebody at a shell, who has a flag where others have a setting.
pub(super) fn shell_hint(error: &LibraryError) -> String {
    const SETTING: &str = "library.allow_private_networks";
    if !error.hint.contains(SETTING) {
        return error.hint.clone();
    }
    match error.message.contains("private network") {
        true => "only public addresses are fetched; if this one is meant, add --allow-private-networks".to_owned(),
        false => "--allow-private-networks lifts this, and also lets pages come from private networks and this machine"
            .to_owned(),
    }
}

pub(super) fn line(name: &str, receipt: &Receipt) -> String {
    let mut text = String::new();
    let status = format!("{:>9}", receipt.status.name());
    let status = match receipt.status {
        Status::Skipped => status.dimmed().to_string(),
        _ => status.green().bold().to_string(),
    };
    let _ = writeln!(text, "{status}  {name}  {}", counted(receipt.chunk_count, "chunk").dimmed());
    for note in &receipt.notes {
        let _ = writeln!(text, "{:>9}  {}", "", clean(note).dimmed());
    }
    text
}

pub(super) fn row(file: &FileReport) -> Value {
    match &file.outcome {
        Ok(done) => json!({
            "source": file.source,
            "status": done.status.name(),
            "doc_id": done.doc_id,
            "library": done.library,
            "chunk_count": done.chunk_count,
            "notes": done.notes,
        }),
        Err(error) => json!({
            "source": file.source,
            "status": "error",
            "error": error.message,
            "hint": error.hint,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_has_a_flag_where_others_have_a_setting() {
        let hint = |message: &str, hint: &str| {
            shell_hint(&LibraryError { message: message.to_owned(), hint: hint.to_owned() })
        };
        let setting = "set library.allow_private_networks";
        assert!(hint("it leads into a private network", setting).contains("add --allow-private-networks"));
        assert!(hint("only on these ports", setting).contains("also lets pages come from private networks"));
        assert_eq!(hint("x", "check the path"), "check the path");
    }
}
