//! What came of each file: a line as it is done, a sum at the end, or one JSON document.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use docent_library::{FileReport, Receipt, Report, Status};
use owo_colors::OwoColorize;
use serde_json::{Value, json};

use super::bar::{Bar, MANY};
use super::lines::{failure, line, row, shell_hint};
use crate::errors::{CliError, Exit};
use crate::numbers::{count, counted, duration};
use crate::printer::{Printer, clean};

/// Counts and tells.
pub(super) struct Tally<'a> {
    library: String,
    json: bool,
    printer: &'a Printer,
    bar: Arc<Bar>,
    /// Lines that were written, and the failures among them with their places.
    written: Mutex<(usize, Vec<(usize, String)>)>,
    /// Notes on files that have not changed, and how many files each is about.
    notes: Mutex<BTreeMap<String, usize>>,
    report: Report,
}

impl<'a> Tally<'a> {
    pub(super) fn new(library: &str, json: bool, bar: Arc<Bar>, printer: &'a Printer) -> Self {
        Self {
            library: library.to_owned(),
            json,
            printer,
            bar,
            written: Mutex::default(),
            notes: Mutex::default(),
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

    /// What has not changed is worth a line only among few, or when there is something new to say of it.
    fn is_told(&self, receipt: &Receipt) -> bool {
        let is_skipped = receipt.status == Status::Skipped && !self.says_something_new(receipt);
        !self.printer.is_quiet() && (self.printer.is_verbose() || !is_skipped || !self.bar.is_long())
    }

    fn says_something_new(&self, receipt: &Receipt) -> bool {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        let mut is_new = false;
        for note in &receipt.notes {
            let files = notes.entry(note.clone()).or_default();
            *files += 1;
            is_new |= *files == 1;
        }
        is_new
    }

    /// Notes that were shown on one file, and are about others as well.
    fn repeated_notes(&self) -> Vec<String> {
        let notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        let others = notes.iter().filter(|(_, files)| **files > 1);
        others.map(|(note, files)| format!("{} unchanged: {note}", count(*files))).collect()
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
            if self.bar.is_long() && !self.printer.is_verbose() {
                self.repeated_notes().iter().for_each(|note| self.printer.note(note));
            }
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
}
