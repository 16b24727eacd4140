//! `docent forget`: delete documents that were handed over, and every trace of them.

use std::path::Path;

use docent_engine::{Engine, LibraryDocument};
use serde_json::json;

use super::args::ForgetArgs;
use crate::errors::{CliError, Exit};
use crate::handed::{Libraries, spellings};
use crate::numbers::counted;
use crate::printer::{Printer, clean};
use crate::settings::Settings;
use crate::wiring::{self, Vectors};

pub(crate) fn run(
    args: &ForgetArgs,
    settings: &Settings,
    here: &Path,
    printer: &Printer,
) -> Result<Exit, CliError> {
    let engine = wiring::open_alone(settings, Vectors::Unused, printer)?.engine;
    // All are looked for before any is deleted.
    let lost = engine.unrestored();
    let is_lost = |what: &&String| lost.iter().any(|lost| lost.uuid == **what);
    let (lost_ids, what): (Vec<_>, Vec<_>) = args.what.iter().partition(is_lost);
    let found = what.into_iter().map(|what| find(&engine, args.library.as_deref(), what, here));
    let found = found.collect::<Result<Vec<_>, _>>().map_err(|error| nothing_deleted(error, args))?;
    let mut deleted = Vec::new();
    for lost in lost.iter().filter(|lost| lost_ids.contains(&&lost.uuid)) {
        engine.take_out(&lost.uuid)?;
        let (uuid, source, library) = (&lost.uuid, &lost.source, &lost.library);
        deleted.push(json!({ "doc_id": uuid, "source": source, "library": library, "deleted_chunks": 0 }));
        if !args.json && !printer.is_quiet() {
            printer.view(&format!("Forgot {} in {} (its text was lost)\n", clean(source), clean(library)))?;
        }
    }
    for document in found {
        let record = &document.record;
        let chunks = engine.take_out(&record.uuid)?.unwrap_or(0);
        deleted.push(json!({
            "doc_id": record.uuid,
            "source": record.path,
            "library": record.collection,
            "deleted_chunks": chunks,
        }));
        if !args.json && !printer.is_quiet() {
            let (source, library) = (clean(&record.path), clean(&record.collection));
            printer.view(&format!("Forgot {source} in {library} ({})\n", counted(chunks, "chunk")))?;
        }
    }
    if args.json {
        printer.json(&json!({ "deleted": deleted }))?;
    }
    Ok(Exit::Fine)
}

/// Who names several learns that none of them was deleted.
fn nothing_deleted(error: CliError, args: &ForgetArgs) -> CliError {
    match error {
        CliError::Told { exit, message, hint } if args.what.len() > 1 => {
            CliError::Told { exit, message: format!("{message}; nothing was deleted"), hint }
        }
        other => other,
    }
}

/// The document that is meant: by its id, its source, a path that leads to its source, or an end of its source that no other
/// has.
fn find(
    engine: &Engine,
    library: Option<&str>,
    what: &str,
    here: &Path,
) -> Result<LibraryDocument, CliError> {
    let libraries = match library {
        Some(library) => vec![library.to_owned()],
        None => engine.libraries()?,
    };
    let sources = spellings(what, here);
    let mut found = Vec::new();
    for library in &libraries {
        let by_source = |source: &String| engine.handed(library, source).transpose();
        if let Some(document) = sources.iter().find_map(by_source) {
            found.push(document?);
        }
    }
    if found.is_empty()
        && !libraries.is_empty()
        && let Some((document, _)) = engine.library_document(&libraries, what)?
    {
        found.push(document);
    }
    if found.is_empty() && !libraries.is_empty() {
        found.extend(Libraries::of(engine, &libraries)?.named(what, here)?.cloned());
    }
    match (found.pop(), found.is_empty()) {
        (Some(document), true) => Ok(document),
        (Some(document), false) => {
            found.push(document);
            let names: Vec<&str> = found.iter().map(|document| document.record.collection.as_str()).collect();
            Err(CliError::usage(
                format!("{what} is in several libraries: {}", names.join(", ")),
                "name one with --library",
            ))
        }
        (None, _) => Err(CliError::problems(
            format!("there is no document {what} in {}", library.unwrap_or("any library")),
            "`docent list -c LIBRARY` shows the documents; those of folders are deleted by deleting the file",
        )),
    }
}
