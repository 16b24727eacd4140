//! What came of each file: a line as it is done, a sum at the end, or one JSON document.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use docent_library::{FileReport, LibraryError, Receipt, Report, Status};
use owo_colors::OwoColorize;
use serde_json::{Value, json};

use crate::errors::{CliError, Exit};
use crate::numbers::{count, counted, duration};
use crate::printer::{Printer, clean};
use crate::progress::Progress;

/// More files than this are a long run: what is skipped is only counted, and failures that have scrolled away are told again.
const MANY: usize = 20;

/// Counts and tells.
pub(super) struct Tally<'a> {
    library: String,
    json: bool,
    printer: &'a Printer,
    bar: Arc<Bar>,
    /// Lines that were written, and the failures among them with their places.
    written: Mutex<(usize, Vec<(usize, String)>)>,
    report: Report,
}

/// How far it is.
pub(super) struct Bar {
    progress: Progress,
    here: PathBuf,
    done: AtomicUsize,
    /// 0 when it is not known.
    total: AtomicUsize,
}

impl Bar {
    pub(super) fn new(here: &Path, printer: &Printer) -> Arc<Self> {
        Arc::new(Self {
            progress: Progress::new(printer),
            here: here.to_owned(),
            done: AtomicUsize::new(0),
            total: AtomicUsize::new(0),
        })
    }

    /// Says how many there will be.
    pub(super) fn expect(&self, total: usize) {
        self.total.store(total, Ordering::Relaxed);
    }

    /// Shows what is worked on now.
    pub(super) fn current(&self, source: &str) {
        let (done, total) = (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed));
        self.progress.taking(done, total, &self.short(source));
    }

    /// Whether this is a long run.
    fn is_long(&self) -> bool {
        self.total.load(Ordering::Relaxed).max(self.done.load(Ordering::Relaxed)) > MANY
    }

    /// The path as a user would write it here.
    fn short(&self, source: &str) -> String {
        let below = Path::new(source).strip_prefix(&self.here).ok().and_then(Path::to_str);
        clean(below.unwrap_or(source))
    }
}

impl<'a> Tally<'a> {
    pub(super) fn new(library: &str, json: bool, bar: Arc<Bar>, printer: &'a Printer) -> Self {
        Self {
            library: library.to_owned(),
            json,
            printer,
            bar,
            written: Mutex::default(),
            report: Report::default(),
        }
    }

    /// Tells of one file.
    pub(super) fn told(&self, file: &FileReport) {
        self.bar.done.fetch_add(1, Ordering::Relaxed);
        let name = self.bar.short(&file.source);
        if !self.json {
            let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
            self.bar.progress.aside(|| match &file.outcome {
                Ok(receipt) if self.is_told(receipt) => {
                    written.0 += 1;
                    // A reader who has gone is noticed at the end.
                    let _ = self.printer.view(&line(&name, receipt));
                }
                Ok(_) => {}
                Err(error) => {
                    written.0 += 1;
                    let text = failure(&name, &file.source, error);
                    self.printer.always(&text);
                    let place = written.0;
                    written.1.push((place, text));
                }
            });
        }
        self.bar.current(&file.source);
    }

    /// What has not changed is worth a line only among few, or when there is something to say of it.
    fn is_told(&self, receipt: &Receipt) -> bool {
        let is_skipped = receipt.status == Status::Skipped && receipt.notes.is_empty();
        !self.printer.is_quiet() && (self.printer.is_verbose() || !is_skipped || !self.bar.is_long())
    }

    /// Takes the bar away, for another.
    pub(super) fn clear_bar(&self) {
        self.bar.progress.clear();
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
        self.clear_bar();
        let failed = self.report.files.iter().filter(|file| file.outcome.is_err()).count();
        if self.json {
            self.printer.json(&self.document(failed, cancelled))?;
        } else {
            self.repeat_failures();
            for note in &self.report.notes {
                self.printer.note(note);
            }
            if !self.printer.is_quiet() {
                self.printer.view(&self.sum(failed, took))?;
            }
            if cancelled {
                self.printer.info(self.stopped());
            }
        }
        Ok(match () {
            () if cancelled => Exit::Interrupted,
            () if failed > 0 => Exit::Problems,
            () => Exit::Fine,
        })
    }

    /// Failures that many lines came after would be overlooked.
    fn repeat_failures(&self) {
        let written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        if is_overlooked(written.0, &written.1) {
            self.printer.always("these failed:");
            written.1.iter().for_each(|(_, text)| self.printer.always(text));
        }
    }

    fn stopped(&self) -> String {
        let done = self.report.files.len();
        let of = match self.bar.total.load(Ordering::Relaxed) {
            total if total > done => format!(" of {}", count(total)),
            _ => String::new(),
        };
        format!("stopped; {}{of} done; run it again to go on", count(done))
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
}

/// Whether many lines came after one of these failures.
fn is_overlooked(lines: usize, failures: &[(usize, String)]) -> bool {
    failures.iter().any(|(place, _)| lines.saturating_sub(*place) > MANY)
}

fn failure(name: &str, source: &str, error: &LibraryError) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_repeated_once_they_have_scrolled_away() {
        let failed = |place: usize| [(place, "failed".to_owned())];
        assert!(is_overlooked(22, &failed(1)));
        assert!(!is_overlooked(21, &failed(1)));
        assert!(!is_overlooked(100, &failed(90)));
        assert!(!is_overlooked(100, &[]));
    }

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
