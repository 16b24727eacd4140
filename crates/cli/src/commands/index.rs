//! `docent index`: bring the index in line with the folder, then give every passage its vector.

use std::time::{Duration, Instant};

use docent_engine::{Cancel, IngestReport, Outcome, Problem};
use docent_index::{Counts, Filter};
use serde::Serialize;

use crate::args::IndexArgs;
use crate::errors::{CliError, Exit};
use crate::numbers::{bytes, counted, duration};
use crate::printer::{Printer, clean};
use crate::progress::Progress;
use crate::settings::Settings;
use crate::wiring::{Opened, Vectors};
use crate::{rebuild, sync, wiring};

/// What a run did, for `--json`.
#[derive(Serialize)]
struct Summary {
    /// Name of the collection.
    collection: String,
    /// Folder of the documents.
    docs: String,
    /// Folder of the index.
    index: String,
    /// Its size.
    index_bytes: u64,
    /// Documents in the folder, and what was done with them.
    #[serde(flatten)]
    report: IngestReport,
    /// Chunks of this collection.
    chunks: usize,
    /// Passages of this collection.
    passages: usize,
    /// How many of them have a vector.
    embedded: usize,
    /// Model of the vectors.
    model: Option<String>,
    /// Time until everything could be found by its words.
    read_seconds: f64,
    /// Time for the vectors.
    embed_seconds: f64,
}

pub(super) fn run(
    args: &IndexArgs,
    settings: &Settings,
    printer: &Printer,
    cancel: &Cancel,
) -> Result<Exit, CliError> {
    if args.rebuild {
        rebuild::start_anew(settings, printer)?;
    }
    let vectors = if args.no_embed { Vectors::Wanted } else { Vectors::Needed };
    let opened = wiring::open_own(settings, vectors, printer)?;
    let engine = &opened.engine;
    let begun = Instant::now();
    let mut reports = sync::bring_up_to_date(engine, None, printer, cancel)?;
    let reading = begun.elapsed();
    if cancel.is_cancelled() && !args.json {
        return sync::stopped(engine, &reports, printer);
    }
    let mut report = reports.pop().unwrap_or_default();
    add_known_problems(&opened, &mut report)?;
    sync::tell_problems(report.problems.iter(), printer);

    let before = counts(&opened)?;
    let begun = Instant::now();
    if !args.no_embed && before.embedded < before.passages && !cancel.is_cancelled() {
        let progress = Progress::new(printer);
        let outcome = engine.embed_in(&opened.collections, None, &progress, cancel);
        drop(progress);
        match outcome {
            Ok(Outcome::Complete) => {}
            Ok(_) if !args.json => return sync::stopped(engine, &[report], printer),
            Ok(_) => {}
            Err(error) => {
                printer.note(format_args!(
                    "{} can be found by their words",
                    counted(before.documents, "document")
                ));
                return Err(error.into());
            }
        }
    }
    let after = counts(&opened)?;
    report.cancelled |= cancel.is_cancelled();
    let summary = Summary {
        collection: opened.collections.concat(),
        docs: settings.docs.value.display().to_string(),
        index: settings.place(),
        index_bytes: opened.store.stats()?.bytes,
        chunks: after.chunks,
        passages: after.passages,
        embedded: after.embedded,
        model: engine.embedder().map(|embedder| embedder.model().name.clone()),
        read_seconds: reading.as_secs_f64(),
        embed_seconds: begun.elapsed().as_secs_f64(),
        report,
    };
    if args.json {
        printer.json(&summary)?;
    } else if !printer.is_quiet() {
        printer.view(&view(&summary, before.embedded))?;
    }
    Ok(match &summary.report {
        report if report.cancelled => Exit::Interrupted,
        report if report.problems.is_empty() => Exit::Fine,
        _ => Exit::Problems,
    })
}

/// How much of this collection is indexed and embedded.
fn counts(opened: &Opened) -> Result<Counts, CliError> {
    let model = opened.engine.embedder().map(|embedder| embedder.model());
    let filter = Filter { collections: Some(opened.collections.clone()), ..Filter::default() };
    Ok(opened.engine.snapshot()?.counts(model, &filter))
}

/// A file that failed before and has not changed since is not read again, and is still a problem.
fn add_known_problems(opened: &Opened, report: &mut IngestReport) -> Result<(), CliError> {
    for failure in opened.engine.snapshot()?.failures()? {
        let known = report.problems.iter().any(|problem| problem.path == failure.path);
        if !known && opened.collections.contains(&failure.collection) {
            report.problems.push(Problem { path: failure.path, reason: failure.reason });
        }
    }
    report.problems.sort();
    Ok(())
}

fn view(summary: &Summary, embedded_before: usize) -> String {
    let report = &summary.report;
    let name = clean(&summary.collection);
    let sizes = format!("{}, {}", counted(report.files, "file"), counted(summary.chunks, "chunk"));
    let done = sync::changes(report);
    let reading = duration(Duration::from_secs_f64(summary.read_seconds));
    let mut text = match done.is_empty() {
        true => format!("{name} is up to date: {sizes}\n"),
        false => format!("Indexed {name}: {sizes} ({}) in {reading}\n", done.join(", ")),
    };
    let made = summary.embedded.saturating_sub(embedded_before);
    if let Some(model) = summary.model.as_ref().filter(|_| made > 0) {
        let took = duration(Duration::from_secs_f64(summary.embed_seconds));
        text.push_str(&format!("Embedded {} in {took} with {model}\n", counted(made, "passage")));
    }
    let pending = summary.passages.saturating_sub(summary.embedded);
    if summary.model.is_some() && pending > 0 {
        text.push_str(&format!(
            "{} still to be embedded; search does so as it goes\n",
            counted(pending, "passage")
        ));
    }
    text.push_str(&format!("Index: {} ({})\n", clean(&summary.index), bytes(summary.index_bytes)));
    text
}
