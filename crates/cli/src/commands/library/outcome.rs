//! What came of each file: a line as it is done, a sum at the end, or one JSON document.

use std::fmt::Write;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use docent_library::{FileReport, LibraryError, Receipt, Report, Status};
use owo_colors::OwoColorize;
use serde_json::{Value, json};

use crate::errors::{CliError, Exit};
use crate::numbers::{count, counted, duration};
use crate::printer::{Printer, clean};
use crate::progress::Progress;

/// Counts and tells.
pub(super) struct Tally<'a> {
    library: String,
    here: &'a Path,
    json: bool,
    printer: &'a Printer,
    progress: Progress,
    done: AtomicUsize,
    report: Report,
}

impl<'a> Tally<'a> {
    pub(super) fn new(library: &str, here: &'a Path, json: bool, printer: &'a Printer) -> Self {
        Self {
            library: library.to_owned(),
            here,
            json,
            printer,
            progress: Progress::new(printer),
            done: AtomicUsize::new(0),
            report: Report::default(),
        }
    }

    /// Tells of one file.
    pub(super) fn told(&self, file: &FileReport) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        let name = self.short(&file.source);
        self.progress.aside(|| match &file.outcome {
            // A reader who has gone is noticed at the end.
            Ok(receipt) if !self.json && !self.printer.is_quiet() => {
                let _ = self.printer.view(&line(&name, receipt));
            }
            Err(error) if !self.json => self.tell_failure(&name, &file.source, error),
            // One document says it all in the end.
            _ => {}
        });
        self.progress.taking(done, &name);
    }

    pub(super) fn add(&mut self, mut report: Report) {
        for file in &mut report.files {
            if let Err(error) = &mut file.outcome {
                error.hint = shell_hint(error);
            }
        }
        self.report = report;
    }

    /// Whether there is something that was not there before.
    pub(super) fn has_new(&self) -> bool {
        self.count(Status::Indexed) + self.count(Status::Replaced) > 0
    }

    /// The sum, and what it means for the exit code.
    pub(super) fn finish(self, took: Duration, cancelled: bool) -> Result<Exit, CliError> {
        self.progress.clear();
        let failed = self.report.files.iter().filter(|file| file.outcome.is_err()).count();
        if self.json {
            self.printer.json(&self.document(failed, cancelled))?;
        } else {
            for note in &self.report.notes {
                self.printer.note(note);
            }
            if !self.printer.is_quiet() {
                self.printer.view(&self.sum(failed, took))?;
            }
        }
        Ok(match () {
            () if cancelled => Exit::Interrupted,
            () if failed > 0 => Exit::Problems,
            () => Exit::Fine,
        })
    }

    fn sum(&self, failed: usize, took: Duration) -> String {
        let chunks = |file: &FileReport| file.outcome.as_ref().map_or(0, |done| done.chunk_count);
        let chunks: usize = self.report.files.iter().map(chunks).sum();
        let parts = [
            (self.count(Status::Indexed), "new"),
            (self.count(Status::Replaced), "replaced"),
            (self.count(Status::Skipped), "unchanged"),
            (failed, "failed"),
        ];
        let parts: Vec<String> =
            parts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{} {what}", count(*n))).collect();
        let parts = if parts.is_empty() { "nothing to take in".to_owned() } else { parts.join(", ") };
        let rest = format!("{} · {}", counted(chunks, "chunk"), duration(took));
        format!("{} {parts} · {}\n", format_args!("{}:", clean(&self.library)).bold(), rest.dimmed())
    }

    fn document(&self, failed: usize, cancelled: bool) -> Value {
        json!({
            "library": self.library,
            "indexed": self.count(Status::Indexed),
            "replaced": self.count(Status::Replaced),
            "skipped": self.count(Status::Skipped),
            "failed": failed,
            "results": self.report.files.iter().map(row).collect::<Vec<_>>(),
            "notes": self.report.notes,
            "cancelled": cancelled,
        })
    }

    fn count(&self, wanted: Status) -> usize {
        let is_wanted = |file: &&FileReport| file.outcome.as_ref().is_ok_and(|done| done.status == wanted);
        self.report.files.iter().filter(is_wanted).count()
    }

    fn tell_failure(&self, name: &str, source: &str, error: &LibraryError) {
        // The name is told once.
        let told = match error.message.strip_prefix(source) {
            Some(rest) => format!("{name}{rest}"),
            None => format!("{name}: {}", error.message),
        };
        let text = format!("{} {}", "failed:".red().bold(), clean(&told));
        self.printer.always(format_args!("{text} {}", format!("({})", clean(&shell_hint(error))).dimmed()));
    }

    /// The path as a user would write it here.
    fn short(&self, source: &str) -> String {
        let below = Path::new(source).strip_prefix(self.here).ok().and_then(Path::to_str);
        clean(below.unwrap_or(source))
    }
}

/// The error of a whole run.
pub(super) fn error(error: LibraryError) -> CliError {
    let hint = shell_hint(&error);
    CliError::usage(error.message, hint)
}

/// The hint for somebody at a shell, who has a flag where others have a setting.
fn shell_hint(error: &LibraryError) -> String {
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

fn line(name: &str, receipt: &Receipt) -> String {
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

fn row(file: &FileReport) -> Value {
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
