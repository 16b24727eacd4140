//! `docent get`: a page or a section, as it was written; of a paged document perhaps one page.

use std::path::Path;

use docent_engine::{Cancel, EngineError, ErrorKind, Got, LibraryDocument, Page};
use owo_colors::OwoColorize;
use serde_json::{Value, json};

use crate::args::GetArgs;
use crate::errors::{CliError, Exit};
use crate::handed::{self, Libraries};
use crate::printer::{Printer, clean};
use crate::settings::Settings;
use crate::wiring::{Opened, Vectors};
use crate::{sync, wiring};

pub(super) fn run(
    args: &GetArgs,
    settings: &Settings,
    here: &Path,
    printer: &Printer,
    cancel: &Cancel,
) -> Result<Exit, CliError> {
    let opened = wiring::open(settings, &args.scope, Vectors::Unused, printer)?;
    if let Some(exit) = sync::before_answer(&opened.engine, printer, cancel)? {
        return Ok(exit);
    }
    if let Some(note) = opened.engine.unrestored_note() {
        printer.note(note);
    }
    let libraries = Libraries::of(&opened.engine, &opened.collections)?;
    let mut got = find(args, &opened, &libraries, here)?;
    let document = match &got {
        Got::Page(page) => libraries.at(&page.collection, &page.file_path),
        Got::Section(_) => None,
    };
    if let Some(number) = args.page {
        got = Got::Page(one_page(got, document, number)?);
    }
    if args.json {
        printer.json(&described(&got, document, args.page)?)?;
        return Ok(Exit::Fine);
    }
    let (header, text) = match &got {
        Got::Page(page) => (format!("{} · {}", page.file_path, page.title), page.text.as_str()),
        Got::Section(section) => {
            let meta = &section.metadata;
            let lines = format!("{}:{}-{}", meta.file_path, meta.start_line, meta.end_line);
            (format!("{lines} · {}", meta.heading_path), section.content.as_str())
        }
    };
    if printer.is_stderr_terminal() && printer.is_stdout_terminal() {
        printer.info(clean(&header).dimmed());
    }
    printer.raw(text)?;
    if printer.is_stdout_terminal() && !text.ends_with('\n') {
        printer.raw("\n")?;
    }
    Ok(Exit::Fine)
}

/// What no page is called may be a document of a library, as it was typed for `docent ingest`.
fn find(args: &GetArgs, opened: &Opened, libraries: &Libraries, here: &Path) -> Result<Got, CliError> {
    let missing = match opened.engine.get(&opened.collections, &args.target) {
        Err(error) if error.kind == ErrorKind::NotFound => error,
        outcome => return Ok(outcome?),
    };
    let (path, section) = match args.target.split_once('#') {
        Some((path, section)) => (path, Some(section)),
        None => (args.target.as_str(), None),
    };
    let Some(document) = libraries.named(path, here)? else { return Err(missing.into()) };
    let target = match section {
        Some(section) => format!("{}#{section}", document.record.path),
        None => document.record.path.clone(),
    };
    let got: Result<Got, EngineError> =
        opened.engine.get(std::slice::from_ref(&document.record.collection), &target);
    Ok(got?)
}

/// The text and the chunks of one page.
fn one_page(got: Got, document: Option<&LibraryDocument>, number: u32) -> Result<Page, CliError> {
    let Got::Page(mut page) = got else {
        return Err(CliError::usage("--page is for a whole document", "leave out what is after `#`"));
    };
    let pages: Vec<u32> = match document {
        Some(document) => (0..document.record.chunk_count).map(|at| document.record.page(at)).collect(),
        None => Vec::new(),
    };
    let last = pages.iter().copied().max().unwrap_or(0);
    if last == 0 {
        return Err(CliError::problems(
            format!("{} has no pages", page.file_path),
            format!("`docent get {}` prints all of it", page.file_path),
        ));
    }
    let mut numbers = pages.into_iter();
    page.chunks.retain(|_| numbers.next() == Some(number));
    let (Some(first), Some(end)) = (page.chunks.first(), page.chunks.last()) else {
        return Err(CliError::problems(
            format!("there is no text on page {number} of {}", page.file_path),
            format!("the last page with text is {last}"),
        ));
    };
    let from = usize::try_from(first.start_line.saturating_sub(1)).unwrap_or(usize::MAX);
    let lines = usize::try_from(end.end_line.saturating_sub(first.start_line)).unwrap_or(0) + 1;
    page.text = page.text.split_inclusive('\n').skip(from).take(lines).collect();
    page.total_chars = page.text.chars().count() as u64;
    Ok(page)
}

/// The answer for programs: of a document that was handed over also its id, what was said of it, and the page of each chunk,
/// which is `only` where one was asked for.
fn described(got: &Got, document: Option<&LibraryDocument>, only: Option<u32>) -> Result<Value, CliError> {
    let mut value = serde_json::to_value(got).map_err(|error| {
        CliError::failed(
            format!("the answer cannot be written as JSON: {error}"),
            "this is a bug in docent; please report it",
        )
    })?;
    let Some(document) = document else { return Ok(value) };
    handed::describe(&mut value, document);
    if let Some(chunks) = value.get_mut("chunks").and_then(Value::as_array_mut) {
        for (at, chunk) in (0..).zip(chunks) {
            match only.unwrap_or_else(|| document.record.page(at)) {
                0 => {}
                page => chunk["page"] = json!(page),
            }
        }
    }
    Ok(value)
}
