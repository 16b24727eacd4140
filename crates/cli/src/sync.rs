//! What commands do before they answer: bring the index in line with the files, then give new passages their vectors.

use std::time::{Duration, Instant};

use docent_engine::{Cancel, Engine, IngestReport, Outcome, Problem};
use docent_index::{Counts, Filter};

use crate::errors::{CliError, Exit};
use crate::numbers::{count, counted, duration};
use crate::printer::Printer;
use crate::progress::Progress;

/// How long an answer waits for another process that is indexing; then it comes from what is there and says so.
pub(crate) const PATIENCE: Duration = Duration::from_secs(3);

/// Passed-over files that are named; the rest is counted.
const NAMED: usize = 10;

/// Applies changed files; waits for another process that does, at most for `patience`.
pub(crate) fn bring_up_to_date(
    engine: &Engine,
    patience: Option<Duration>,
    printer: &Printer,
    cancel: &Cancel,
) -> Result<Vec<IngestReport>, CliError> {
    let begun = Instant::now();
    let progress = Progress::new(printer);
    let reports = engine.sync(patience, &progress, cancel)?;
    drop(progress);
    for report in &reports {
        printer.detail(format_args!(
            "looked at {} in {}: {} new, {} changed, {} gone",
            counted(report.files, "file"),
            duration(begun.elapsed()),
            report.added,
            report.changed,
            report.deleted
        ));
    }
    Ok(reports)
}

/// As [`bring_up_to_date`], for commands that only answer: names what was passed over, and stops on Ctrl-C.
pub(crate) fn before_answer(
    engine: &Engine,
    printer: &Printer,
    cancel: &Cancel,
) -> Result<Option<Exit>, CliError> {
    let reports = bring_up_to_date(engine, Some(PATIENCE), printer, cancel)?;
    if cancel.is_cancelled() {
        return stopped(engine, &reports, printer).map(Some);
    }
    if !printer.is_quiet() {
        tell_problems(reports.iter().flat_map(|report| &report.problems), printer);
    }
    Ok(None)
}

/// Embeds what is pending of these collections, for at most `limit`. A provider that fails is told and leaves search by
/// words.
pub(crate) fn embed_for(
    engine: &Engine,
    collections: &[String],
    limit: Duration,
    printer: &Printer,
    cancel: &Cancel,
) -> Result<(), CliError> {
    let counts = counts(engine, collections.to_vec())?;
    if engine.embedder().is_none() || counts.embedded >= counts.passages || limit.is_zero() {
        return Ok(());
    }
    let begun = Instant::now();
    let deadline = begun + limit;
    let progress = Progress::until(printer, deadline);
    let outcome = engine.embed_in(collections, Some(deadline), &progress, cancel);
    drop(progress);
    match outcome {
        Ok(Outcome::Complete) => {
            let made = counts.passages - counts.embedded;
            printer.detail(format_args!(
                "embedded {} in {}",
                counted(made, "passage"),
                duration(begun.elapsed())
            ));
        }
        // The answer itself says how much is missing.
        Ok(_) => {}
        Err(error) => printer.note(format_args!("no new vectors: {} ({})", error.message, error.hint)),
    }
    Ok(())
}

/// How much of these collections is indexed and embedded.
pub(crate) fn counts(engine: &Engine, names: Vec<String>) -> Result<Counts, CliError> {
    let model = engine.embedder().map(|embedder| embedder.model());
    Ok(engine.snapshot()?.counts(model, &Filter { collections: Some(names), ..Filter::default() }))
}

/// Names files that were passed over: the first ten, then a count.
pub(crate) fn tell_problems<'a>(problems: impl Iterator<Item = &'a Problem>, printer: &Printer) {
    let problems: Vec<&Problem> = problems.collect();
    for problem in problems.iter().take(NAMED) {
        printer.skipped(&problem.path, &problem.reason);
    }
    if problems.len() > NAMED {
        let more = problems.len() - NAMED;
        printer.skipped(&format!("and {} more", count(more)), "`docent status` names them");
    }
}

/// What was done with documents: `3 new`, `1 gone`.
pub(crate) fn changes(report: &IngestReport) -> Vec<String> {
    let parts = [(report.added, "new"), (report.changed, "changed"), (report.deleted, "gone")];
    let done = parts.iter().filter(|(number, _)| *number > 0);
    done.map(|(number, what)| format!("{} {what}", count(*number))).collect()
}

/// Says what was kept when Ctrl-C ended the work.
pub(crate) fn stopped(
    engine: &Engine,
    reports: &[IngestReport],
    printer: &Printer,
) -> Result<Exit, CliError> {
    let names: Vec<String> = engine.sources().iter().map(|source| source.collection.clone()).collect();
    let counts = counts(engine, names)?;
    // A run that was stopped after the files has no report to count them in: all of them are indexed then.
    let files: usize = reports.iter().map(|report| report.files).sum::<usize>().max(counts.documents);
    let vectors = match counts.embedded {
        0 => String::new(),
        embedded => format!(", {} % of the passages have vectors", 100 * embedded / counts.passages.max(1)),
    };
    printer.info(format_args!(
        "stopped; {} of {} are indexed{vectors}; the next run goes on",
        count(counts.documents.min(files)),
        counted(files, "file")
    ));
    Ok(Exit::Interrupted)
}
