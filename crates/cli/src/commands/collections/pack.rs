//! `docent pack`: one collection in one file, with its vectors, to be added where there is no network and no time.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use docent_engine::{Cancel, split_version};
use docent_index::{ChunkRecord, DocumentRecord, Filter, Model, PassageHash, QuantisedVector, Snapshot};
use docent_sources::bundle::{BundleCard, BundleCounts, BundleModel, BundleSummary, ChunkLine, Writer};
use serde::Serialize;

use super::args::PackArgs;
use crate::args::ScopeArgs;
use crate::commands::build::document_times;
use crate::errors::{CliError, Exit, plain_io};
use crate::numbers::{bytes, counted, duration};
use crate::printer::{Printer, clean};
use crate::progress::Progress;
use crate::settings::Settings;
use crate::sync;
use crate::wiring::{self, Opened, Vectors};

/// What was packed, for `--json`.
#[derive(Serialize)]
struct Summary {
    name: String,
    version: Option<String>,
    out: PathBuf,
    /// Hash of the file, as `docent add --hash` takes it.
    hash: String,
    bytes: u64,
    documents: u64,
    chunks: u64,
    vectors: u64,
    /// Model of the vectors.
    model: Option<String>,
    seconds: f64,
}

pub(crate) fn run(
    args: &PackArgs,
    settings: &Settings,
    here: &Path,
    printer: &Printer,
    cancel: &Cancel,
) -> Result<Exit, CliError> {
    let begun = Instant::now();
    let out = here.join(&args.out);
    check_out(&out)?;
    let scope = ScopeArgs { collection: vec![args.name.clone()], all: false };
    let opened = wiring::open(settings, &scope, Vectors::Needed, printer)?;
    check_no_library(&opened)?;
    let reports = sync::bring_up_to_date(&opened.engine, None, printer, cancel)?;
    sync::tell_problems(reports.iter().flat_map(|report| &report.problems), printer);
    if !embed(&opened, printer, cancel)? {
        printer.info("stopped; nothing was written");
        return Ok(Exit::Interrupted);
    }
    let packer = Packer::new(&opened)?;
    let written = packer.write_to(&out, cancel)?;
    let Some(written) = written else {
        printer.info("stopped; nothing was written");
        return Ok(Exit::Interrupted);
    };
    let summary = Summary {
        name: packer.name.clone(),
        version: packer.card.version.clone(),
        out,
        hash: written.hash,
        bytes: written.bytes,
        documents: written.counts.documents,
        chunks: written.counts.chunks,
        vectors: written.counts.vectors,
        model: packer.model.map(|model| model.name.clone()),
        seconds: begun.elapsed().as_secs_f64(),
    };
    if args.json {
        printer.json(&summary)?;
    } else if !printer.is_quiet() {
        printer.view(&view(&summary))?;
    }
    Ok(Exit::Fine)
}

/// What was handed over came from many places, which are nobody's business where the pack goes.
fn check_no_library(opened: &Opened) -> Result<(), CliError> {
    let libraries = opened.engine.libraries()?;
    match opened.collections.iter().find(|name| libraries.contains(name)) {
        None => Ok(()),
        Some(name) => Err(CliError::usage(
            format!("`{name}` is a library, and only folders and fetched collections can be packed"),
            "put its files into a folder and pack that, or run `docent ingest` where they are needed",
        )),
    }
}

/// Gives every passage of the collection its vector. False when it was stopped.
fn embed(opened: &Opened, printer: &Printer, cancel: &Cancel) -> Result<bool, CliError> {
    if cancel.is_cancelled() {
        return Ok(false);
    }
    let progress = Progress::new(printer);
    let outcome = opened.engine.embed_in(&opened.collections, None, &progress, cancel);
    drop(progress);
    Ok(outcome? == docent_engine::Outcome::Complete)
}

/// A collection on its way into a file.
struct Packer<'a> {
    name: String,
    model: Option<&'a Model>,
    snapshot: Arc<dyn Snapshot>,
    documents: Vec<Arc<DocumentRecord>>,
    manifests: BTreeMap<String, String>,
    modified_ms: BTreeMap<String, i64>,
    vectors: BTreeMap<[u8; 16], QuantisedVector>,
    card: BundleCard,
}

impl<'a> Packer<'a> {
    fn new(opened: &'a Opened) -> Result<Self, CliError> {
        let engine = &opened.engine;
        let name = opened.collections.concat();
        let known = engine.catalogue(&opened.collections)?.into_iter().next();
        let known = known.filter(|known| known.documents > 0).ok_or_else(|| {
            CliError::problems(format!("collection `{name}` has no documents"), "there is nothing to pack")
        })?;
        let model = engine.embedder().map(|embedder| embedder.model());
        let snapshot = engine.snapshot()?;
        let filter = Filter { collections: Some(vec![name.clone()]), ..Filter::default() };
        let documents = snapshot.documents(&filter);
        let vectors = vectors(&*snapshot, model, &documents)?;
        let manifests = engine.manifests_of(&name)?;
        let files_ms = documents.iter().map(|it| (it.path.clone(), it.stat.mtime_ns / 1_000_000)).collect();
        let (modified_ms, commit) = match &known.root {
            Some(root) => {
                (document_times(Path::new(root), files_ms)?, docent_engine::git::head(Path::new(root)))
            }
            None => (files_ms, None),
        };
        let card = BundleCard {
            docent: env!("CARGO_PKG_VERSION").to_owned(),
            name: split_version(&name).0.to_owned(),
            version: known.card.version.clone(),
            description: known.card.description.clone(),
            metadata: known.card.metadata.clone(),
            source: known.card.source.clone(),
            revision: known.card.revision.clone().or(commit),
            model: model.map(|model| BundleModel {
                id: model.id.clone(),
                name: model.name.clone(),
                dimensions: u32::try_from(model.dimensions).unwrap_or(u32::MAX),
            }),
            counts: BundleCounts {
                documents: documents.len() as u64,
                manifests: manifests.len() as u64,
                chunks: documents.iter().map(|document| u64::from(document.chunk_count)).sum(),
                vectors: vectors.len() as u64,
            },
            // A time would make two files of the same content different.
            created: None,
        };
        Ok(Self { name, model, snapshot, documents, manifests, modified_ms, vectors, card })
    }

    /// Writes beside the file, then puts it in its place at once. `None` when it was stopped.
    fn write_to(&self, out: &Path, cancel: &Cancel) -> Result<Option<BundleSummary>, CliError> {
        let folder = out.parent().unwrap_or(Path::new("."));
        let cannot = |error: &std::io::Error| {
            CliError::failed(
                format!("cannot write {}: {}", out.display(), plain_io(error)),
                "check that the folder exists, that you may write to it, and that there is space",
            )
        };
        let mut beside = tempfile::Builder::new()
            .prefix(".docent-pack-")
            .tempfile_in(folder)
            .map_err(|error| cannot(&error))?;
        let mut file = BufWriter::new(beside.as_file_mut());
        let written = self.write(&mut file, cancel)?;
        file.flush().map_err(|error| cannot(&error))?;
        drop(file);
        let Some(written) = written else { return Ok(None) };
        readable_by_all(beside.as_file()).map_err(|error| cannot(&error))?;
        beside.as_file().sync_all().map_err(|error| cannot(&error))?;
        beside.persist(out).map_err(|error| cannot(&error.error))?;
        Ok(Some(written))
    }

    fn write(&self, out: &mut dyn Write, cancel: &Cancel) -> Result<Option<BundleSummary>, CliError> {
        let mut writer = Writer::create(out, &self.card)?;
        for (path, text) in &self.manifests {
            writer.manifest(path, text)?;
        }
        // The index sorts as databases do, the format by bytes.
        let by_path: BTreeMap<&str, &Arc<DocumentRecord>> =
            self.documents.iter().map(|document| (document.path.as_str(), document)).collect();
        for (path, document) in by_path {
            if cancel.is_cancelled() {
                return Ok(None);
            }
            let text = self.snapshot.text(document.id)?.unwrap_or_default();
            let chunks: Vec<ChunkLine> = self.snapshot.chunks_of(document.id)?.iter().map(line).collect();
            let modified = self.modified_ms.get(path).copied().unwrap_or(0);
            writer.document(path, text.as_bytes(), modified, &chunks)?;
        }
        if let Some(model) = &self.card.model {
            let vectors: Vec<(PassageHash, QuantisedVector)> =
                self.vectors.iter().map(|(hash, vector)| (PassageHash(*hash), vector.clone())).collect();
            writer.vectors(model, vectors)?;
        }
        Ok(Some(writer.finish()?))
    }
}

/// The vector of each different passage.
fn vectors(
    snapshot: &dyn Snapshot,
    model: Option<&Model>,
    documents: &[Arc<DocumentRecord>],
) -> Result<BTreeMap<[u8; 16], QuantisedVector>, CliError> {
    let Some(model) = model else { return Ok(BTreeMap::new()) };
    let mut vectors = BTreeMap::new();
    let mut missing = BTreeSet::new();
    for document in documents {
        for (hash, vector) in snapshot.vectors_of(model, document.id)? {
            match vector {
                Some(vector) => {
                    vectors.insert(hash.0, vector);
                }
                None => {
                    missing.insert(hash.0);
                }
            }
        }
    }
    missing.retain(|hash| !vectors.contains_key(hash));
    if missing.is_empty() {
        return Ok(vectors);
    }
    Err(CliError::failed(
        format!(
            "{} changed while they were packed and have no vector yet",
            counted(missing.len(), "passage")
        ),
        "pack again; nothing was written",
    ))
}

fn line(chunk: &ChunkRecord) -> ChunkLine {
    ChunkLine {
        id: chunk.chunk_id.clone(),
        headings: chunk.heading_path.split(" > ").map(str::to_owned).collect(),
        lines: (chunk.start_line, chunk.end_line),
    }
}

fn check_out(out: &Path) -> Result<(), CliError> {
    if out.is_dir() {
        return Err(CliError::usage(
            format!("{} is a folder", out.display()),
            "name the file to write, e.g. -o docs.docent",
        ));
    }
    if out.extension().is_some_and(|ending| ending == "docent") {
        return Ok(());
    }
    Err(CliError::usage(
        format!("{} does not end in .docent, by which a bundle is recognised", out.display()),
        format!("use -o {}.docent", out.display()),
    ))
}

/// What is made to be handed on is not for its owner alone, as temporary files are.
fn readable_by_all(file: &std::fs::File) -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        file.set_permissions(std::fs::Permissions::from_mode(0o644))?;
    }
    #[cfg(not(unix))]
    let _ = file;
    Ok(())
}

fn view(summary: &Summary) -> String {
    let model = summary.model.as_deref().map(|model| format!(" of {}", clean(model)));
    let number = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    format!(
        "Packed {}: {}, {}, {}{} in {}\nBundle: {} ({})\nHash: {}\n",
        clean(&summary.name),
        counted(number(summary.documents), "document"),
        counted(number(summary.chunks), "chunk"),
        counted(number(summary.vectors), "vector"),
        model.unwrap_or_default(),
        duration(Duration::from_secs_f64(summary.seconds)),
        summary.out.display(),
        bytes(summary.bytes),
        summary.hash,
    )
}
