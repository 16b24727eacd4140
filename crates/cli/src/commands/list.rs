//! `docent list`: the pages, one a line. Columns on a terminal, tabs for programs.

use std::fmt::Write;
use std::path::Path;

use docent_engine::{Cancel, PageList};
use owo_colors::OwoColorize;
use serde_json::Value;

use crate::args::ListArgs;
use crate::errors::{CliError, Exit};
use crate::handed::{self, Libraries};
use crate::printer::{Printer, clean};
use crate::settings::Settings;
use crate::wiring::{Opened, Vectors};
use crate::{sync, wiring};

/// Longer paths push their title to the right instead of all titles.
const WIDEST_PATH: usize = 60;
/// Titles are cut to the width of the terminal, but not to nothing.
const SHORTEST_TITLE: usize = 20;

pub(super) fn run(
    args: &ListArgs,
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
    let list = find(args, &opened, here)?;
    let libraries = Libraries::of(&opened.engine, &opened.collections)?;
    if args.json {
        printer.json(&described(&list, &libraries)?)?;
        return Ok(if list.pages.is_empty() { Exit::Problems } else { Exit::Fine });
    }
    if list.pages.is_empty() {
        return Err(match &args.prefix {
            Some(prefix) if !libraries.is_empty() => {
                CliError::problems(format!("no pages under {prefix}"), handed::ABSOLUTE)
            }
            Some(prefix) => {
                CliError::problems(format!("no pages under {prefix}"), "`docent list` shows all pages")
            }
            None => CliError::problems(
                format!("no documents in {}", settings.docs.value.display()),
                "name another folder with --docs, or the files to read with `include` in docent.toml; `docent ingest FILE` takes in a document from anywhere",
            ),
        });
    }
    printer.view(&view(&list, printer.is_stdout_terminal().then(|| printer.width())))?;
    Ok(Exit::Fine)
}

/// The pages under a path of the documents, or of the current folder: libraries know absolute paths.
fn find(args: &ListArgs, opened: &Opened, here: &Path) -> Result<PageList, CliError> {
    let list = opened.engine.list(&opened.collections, args.prefix.as_deref())?;
    let Some(prefix) = args.prefix.as_deref().filter(|_| list.pages.is_empty()) else { return Ok(list) };
    let folder = handed::absolute(prefix, here);
    let mut all = opened.engine.list(&opened.collections, None)?;
    all.pages.retain(|page| Path::new(&page.file_path).starts_with(&folder));
    all.total_pages = all.pages.len();
    Ok(all)
}

/// The answer for programs: of documents that were handed over also their ids and what was said of them.
fn described(list: &PageList, libraries: &Libraries) -> Result<Value, CliError> {
    let mut value = serde_json::to_value(list).map_err(|error| {
        CliError::failed(
            format!("the answer cannot be written as JSON: {error}"),
            "this is a bug in docent; please report it",
        )
    })?;
    let rows = value.get_mut("pages").and_then(Value::as_array_mut);
    for (page, row) in list.pages.iter().zip(rows.into_iter().flatten()) {
        if let Some(document) = libraries.at(&page.collection, &page.file_path) {
            handed::describe(row, document);
        }
    }
    Ok(value)
}

/// `columns` is the width of the terminal, if there is one. Pages of several collections say which is theirs.
fn view(list: &PageList, columns: Option<usize>) -> String {
    let width = |path: &str| console::measure_text_width(path);
    let widest =
        list.pages.iter().map(|page| width(&page.file_path)).filter(|width| *width <= WIDEST_PATH).max();
    let mut text = String::new();
    let is_first = |name: &String| list.pages.first().is_some_and(|first| first.collection == *name);
    let has_several = list.pages.iter().any(|page| !is_first(&page.collection));
    let mut current: Option<&str> = None;
    for page in &list.pages {
        if has_several && columns.is_some() && current != Some(page.collection.as_str()) {
            let _ = writeln!(text, "{}", clean(&page.collection).bold());
            current = Some(&page.collection);
        }
        let (path, title) = (clean(&page.file_path), clean(&page.title));
        if let Some(columns) = columns {
            let gap = widest.unwrap_or(0).saturating_sub(width(&path)) + 2;
            let left = columns.saturating_sub(width(&path) + gap).max(SHORTEST_TITLE);
            let title = console::truncate_str(&title, left, "…");
            let _ = writeln!(text, "{}{}{}", path.cyan(), " ".repeat(gap), title.dimmed());
        } else if has_several {
            let _ = writeln!(text, "{}\t{path}\t{title}", clean(&page.collection));
        } else {
            let _ = writeln!(text, "{path}\t{title}");
        }
    }
    text
}
