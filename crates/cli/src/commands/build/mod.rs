//! `docent build`: a folder of documents becomes an index that can be copied anywhere and is only read from then on.
//!
//! Check, bring a staging index up to date, embed, export, put in place. Until the last step nothing changes where the
//! index goes; every step before it can be killed and is taken up again by the next run.

mod args;
mod gate;
mod place;
mod staging;
mod times;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use docent_engine::{Cancel, IngestReport, Outcome, git};
use docent_index::{Counts, Filter, Model, StoreError};
use docent_store_embedded::{Draft, Export, Exported, Marker, MarkerCounts, MarkerEmbedding, Times};
use serde::Serialize;

pub(crate) use self::args::{BuildArgs, EXAMPLES};
use self::staging::Staging;
use crate::errors::{CliError, Exit};
use crate::numbers::{bytes, counted, duration};
use crate::printer::{Printer, clean};
use crate::progress::Progress;
use crate::settings::Settings;
use crate::{sync, wiring};

/// When each document of a folder last changed, from when its file did; in a repository, when it was committed.
pub(crate) fn document_times(
    docs: &Path,
    files_ms: BTreeMap<String, i64>,
) -> Result<BTreeMap<String, i64>, CliError> {
    Ok(times::of_documents(docs, files_ms, times::fixed_ms()?))
}

/// What a build did, for `--json`.
#[derive(Serialize)]
struct Summary {
    /// What the index says of itself.
    #[serde(flatten)]
    marker: Marker,
    /// Folder of the documents.
    docs: String,
    /// Folder of the index.
    out: String,
    /// Its size.
    index_bytes: u64,
    /// Vectors in it.
    vectors: usize,
    /// What did not have to be made again.
    reused: Reused,
    /// Time from start to end.
    seconds: f64,
}

/// What an earlier build had made.
#[derive(Serialize)]
struct Reused {
    /// Documents that had not changed.
    documents: usize,
    /// Vectors that were there.
    vectors: usize,
}

pub(super) fn run(
    args: &BuildArgs,
    settings: &Settings,
    printer: &Printer,
    cancel: &Cancel,
) -> Result<Exit, CliError> {
    let begun = Instant::now();
    place::check_name(&args.name)?;
    let fixed_ms = times::fixed_ms()?;
    wiring::check_docs(settings)?;
    let place = place::check(&args.out, settings)?;
    let notes = gate::gate(settings, &args.allow, printer)?;
    let staging = Staging::open(settings, &place, &args.name, printer)?;
    let Some((report, embedded_before)) = bring_up_to_date(&staging, printer, cancel)? else {
        printer.info("stopped; the next build goes on, and what was built before is as it was");
        return Ok(Exit::Interrupted);
    };
    let model = staging.engine.embedder().map(|embedder| embedder.model());
    let draft = Draft::begin(&place).map_err(|error| in_place(error, &place))?;
    let what = Export { collection: &args.name, model };
    let exported = staging.store.export(&what, draft.dir()).map_err(|error| in_place(error, &place))?;
    let built_ms = fixed_ms.unwrap_or_else(times::now_ms);
    let marker = marker(args, settings, model, &exported, built_ms);
    let modified = times::of_documents(&settings.docs.value, exported.modified_ms, fixed_ms);
    draft
        .publish(&marker, &Times::from([(args.name.clone(), modified)]))
        .map_err(|error| in_place(error, &place))?;
    for note in notes {
        printer.note(note);
    }
    let summary = Summary {
        docs: settings.docs.value.display().to_string(),
        out: place.display().to_string(),
        index_bytes: size(&place),
        vectors: if model.is_some() { marker.counts.passages } else { 0 },
        reused: Reused { documents: report.unchanged, vectors: embedded_before },
        seconds: begun.elapsed().as_secs_f64(),
        marker,
    };
    if args.json {
        printer.json(&summary)?;
    } else if !printer.is_quiet() {
        printer.view(&view(&summary))?;
    }
    Ok(Exit::Fine)
}

/// Reads and embeds what changed. What was done, and how many vectors there were before; `None` when it was stopped.
fn bring_up_to_date(
    staging: &Staging,
    printer: &Printer,
    cancel: &Cancel,
) -> Result<Option<(IngestReport, usize)>, CliError> {
    let engine = &staging.engine;
    let report = sync::bring_up_to_date(engine, None, printer, cancel)?.pop().unwrap_or_default();
    if cancel.is_cancelled() {
        return Ok(None);
    }
    gate::check(&report.problems, printer)?;
    let counts = || -> Result<Counts, CliError> {
        let model = engine.embedder().map(|embedder| embedder.model());
        Ok(engine.snapshot()?.counts(model, &Filter::default()))
    };
    let before = counts()?;
    if engine.embedder().is_some() && before.embedded < before.passages {
        let progress = Progress::new(printer);
        let outcome = engine.embed(None, &progress, cancel);
        drop(progress);
        if outcome? != Outcome::Complete {
            return Ok(None);
        }
    }
    Ok(Some((report, before.embedded)))
}

fn marker(
    args: &BuildArgs,
    settings: &Settings,
    model: Option<&Model>,
    exported: &Exported,
    built_ms: i64,
) -> Marker {
    let docs = &settings.docs.value;
    let embedding = &settings.embedding;
    let commit = git::head(docs);
    Marker {
        format: exported.format,
        docent: env!("CARGO_PKG_VERSION").to_owned(),
        id: exported.id.clone(),
        collection: args.name.clone(),
        description: args.description.clone(),
        embedding: model.map(|model| MarkerEmbedding {
            provider: embedding.provider.value.as_str().to_owned(),
            model: model.name.clone(),
            dimensions: model.dimensions,
            id: model.id.clone(),
            asks_for_dimensions: embedding.dimensions.value.is_some() && model.provider == "openai",
            query_prefix: embedding.query_prefix.value.clone(),
            document_prefix: embedding.document_prefix.value.clone(),
        }),
        counts: MarkerCounts {
            documents: exported.documents,
            chunks: exported.chunks,
            passages: exported.passages,
        },
        dirty: commit.as_ref().and_then(|_| git::state(docs)?.dirty),
        source_commit: commit,
        built_at: Marker::time(built_ms),
    }
}

/// An error of writing the index, with a hint that fits.
fn in_place(error: StoreError, place: &Path) -> CliError {
    if let StoreError::Busy { .. } = error {
        let message = format!("another process is building {}", place.display());
        return CliError::failed(message, "wait for it to finish, or stop it");
    }
    let hint = match &error {
        StoreError::Full { .. } => "free some space; what was built before is as it was",
        StoreError::Io { .. } | StoreError::NotWritable { .. } => {
            "check that you may write to the folder around it; it must not be a mount point itself"
        }
        error => error.hint(),
    };
    CliError::failed(format!("cannot write {}: {error}", place.display()), hint)
}

fn size(dir: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(dir) else { return 0 };
    let size = |entry: std::fs::DirEntry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => size(&entry.path()),
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    };
    entries.flatten().map(size).sum()
}

fn view(summary: &Summary) -> String {
    let counts = &summary.marker.counts;
    let vectors = match &summary.marker.embedding {
        Some(made) => format!("{} of {}", counted(summary.vectors, "vector"), clean(&made.model)),
        None => "no vectors".to_owned(),
    };
    let mut text = format!(
        "Built {}: {}, {}, {vectors} in {}\n",
        clean(&summary.marker.collection),
        counted(counts.documents, "document"),
        counted(counts.chunks, "chunk"),
        duration(Duration::from_secs_f64(summary.seconds))
    );
    let reused = &summary.reused;
    if reused.documents > 0 {
        text.push_str(&format!(
            "Unchanged since the last build: {}, {}\n",
            counted(reused.documents, "document"),
            counted(reused.vectors, "vector")
        ));
    }
    if let Some(commit) = &summary.marker.source_commit {
        let dirty = if summary.marker.dirty == Some(true) { ", with changes" } else { "" };
        text.push_str(&format!("Commit: {}{dirty}\n", clean(commit)));
    }
    text.push_str(&format!("Index: {} ({})\n", clean(&summary.out), bytes(summary.index_bytes)));
    text
}
