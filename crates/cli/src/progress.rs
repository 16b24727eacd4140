//! The progress bar: on stderr, only on a terminal, and only once the work takes long enough to notice.

use std::fmt;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use docent_engine::{Event, Observer};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::numbers::{count, duration};
use crate::printer::Printer;

/// Work that is done sooner shows no bar: flicker helps nobody.
const PATIENCE: Duration = Duration::from_millis(300);
const DRAWS_PER_SECOND: u8 = 10;
const TICK: Duration = Duration::from_millis(200);

const READING: &str = "{prefix:>9.bold} [{bar:30.cyan/dim}] {human_pos}/{human_len} files · {msg}{rate}";
const EMBEDDING: &str =
    "{prefix:>9.bold} [{bar:30.cyan/dim}] {percent} % · {human_pos}/{human_len} passages{rate}{msg}";
const TAKING: &str = "{prefix:>9.bold} {spinner} {human_pos} done · {msg}";
const TAKING_OF: &str = "{prefix:>9.bold} [{bar:30.cyan/dim}] {human_pos}/{human_len} · {msg}";
const VERIFYING: &str = "{prefix:>9.bold} [{bar:30.cyan/dim}] {human_pos}/{human_len} · {msg}";
const WAITING: &str = "{prefix:>9.bold} {spinner} {msg}";

/// Shows long work on a terminal. The bar goes when this is dropped.
pub(crate) struct Progress {
    visible: bool,
    started: Instant,
    deadline: Option<Instant>,
    bar: Mutex<Option<(Phase, ProgressBar)>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Reading,
    Embedding,
    Taking,
    /// The same, of a known number.
    TakingOf,
    Verifying,
    Waiting,
}

impl Progress {
    pub(crate) fn new(printer: &Printer) -> Self {
        let visible = printer.is_stderr_terminal() && !printer.is_quiet();
        Self { visible, started: Instant::now(), deadline: None, bar: Mutex::new(None) }
    }

    /// The same for work that ends at a certain time, done or not.
    pub(crate) fn until(printer: &Printer, deadline: Instant) -> Self {
        let mut progress = Self::new(printer);
        progress.deadline = Some(deadline);
        progress
    }

    fn show(&self, phase: Phase, done: usize, total: usize, message: String) {
        if !self.visible || (phase != Phase::Waiting && self.started.elapsed() < PATIENCE) {
            return;
        }
        let mut slot = self.bar.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = slot.as_ref().is_some_and(|(shown, _)| *shown == phase);
        if !is_same {
            if let Some((_, old)) = slot.take() {
                old.finish_and_clear();
            }
            *slot = Some((phase, start(phase, done, total)));
        }
        if let Some((_, bar)) = slot.as_ref() {
            bar.set_length(total as u64);
            bar.set_message(message);
            bar.set_position(done as u64);
        }
    }

    /// Says how many files are done, of how many if that is known, and which one is worked on.
    pub(crate) fn taking(&self, done: usize, total: usize, current: &str) {
        let phase = if total == 0 { Phase::Taking } else { Phase::TakingOf };
        self.show(phase, done, total.max(done), current.to_owned());
    }

    /// Says how far a step of a verification is.
    pub(crate) fn verifying(&self, step: &str, done: usize, total: usize) {
        self.show(Phase::Verifying, done, total, step.to_owned());
    }

    /// Writes something while the bar is out of the way.
    pub(crate) fn aside(&self, write: impl FnOnce()) {
        let slot = self.bar.lock().unwrap_or_else(PoisonError::into_inner);
        match slot.as_ref() {
            Some((_, bar)) => bar.suspend(write),
            None => write(),
        }
    }

    /// Takes the bar away.
    pub(crate) fn clear(&self) {
        if let Some((_, bar)) = self.bar.lock().unwrap_or_else(PoisonError::into_inner).take() {
            bar.finish_and_clear();
        }
    }
}

impl Observer for Progress {
    fn event(&self, event: Event) {
        match event {
            Event::Read { files, total, chunks } => {
                self.show(Phase::Reading, files, total, format!("{} chunks", count(chunks)));
            }
            Event::Embedded { done, total } => {
                let patience =
                    |deadline: Instant| deadline.saturating_duration_since(Instant::now()).as_secs();
                let message = self
                    .deadline
                    .map(|deadline| format!(" · answer in {} s at the latest", patience(deadline)));
                self.show(Phase::Embedding, done, total, message.unwrap_or_default());
            }
            Event::Waiting => {
                self.show(Phase::Waiting, 0, 0, "for another docent process to finish".to_owned())
            }
            Event::Searchable => self.clear(),
            Event::Scanned { .. } | Event::Problem { .. } => {}
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}

fn start(phase: Phase, done: usize, total: usize) -> ProgressBar {
    let (template, prefix) = match phase {
        Phase::Reading => (READING, "Reading"),
        Phase::Embedding => (EMBEDDING, "Embedding"),
        Phase::Taking => (TAKING, "Ingesting"),
        Phase::TakingOf => (TAKING_OF, "Ingesting"),
        Phase::Verifying => (VERIFYING, "Verifying"),
        Phase::Waiting => (WAITING, "Waiting"),
    };
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    let style = style.with_key("rate", write_rate);
    let bar = ProgressBar::with_draw_target(
        Some(total as u64),
        ProgressDrawTarget::stderr_with_hz(DRAWS_PER_SECOND),
    );
    bar.set_style(style.progress_chars("━╸ "));
    bar.set_prefix(prefix);
    // The rate counts from where this run started, not from zero.
    bar.set_position(done as u64);
    bar.reset_eta();
    bar.enable_steady_tick(TICK);
    bar
}

/// Rate and time left, once there is something to go by.
fn write_rate(state: &ProgressState, out: &mut dyn fmt::Write) {
    if state.per_sec() >= 1.0 {
        let left = duration(state.eta().max(Duration::from_secs(1)));
        let _ = write!(out, " · {:.0}/s · {left} left", state.per_sec());
    }
}

#[cfg(test)]
mod tests {
    use indicatif::ProgressStyle;

    #[test]
    fn the_templates_are_well_formed() {
        for template in [
            super::READING,
            super::EMBEDDING,
            super::TAKING,
            super::TAKING_OF,
            super::VERIFYING,
            super::WAITING,
        ] {
            ProgressStyle::with_template(template).unwrap();
        }
    }
}
