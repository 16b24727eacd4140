//! `docent list`: the pages, one a line. Columns on a terminal, tabs for programs.

use std::fmt::Write;

use docent_engine::{Cancel, PageList};
use owo_colors::OwoColorize;

use crate::args::ListArgs;
use crate::errors::{CliError, Exit};
use crate::printer::{Printer, clean};
use crate::settings::Settings;
use crate::wiring::Vectors;
use crate::{sync, wiring};

/// Longer paths push their title to the right instead of all titles.
const WIDEST_PATH: usize = 60;
/// Titles are cut to the width of the terminal, but not to nothing.
const SHORTEST_TITLE: usize = 20;

pub(super) fn run(
    args: &ListArgs,
    settings: &Settings,
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
    let list = opened.engine.list(&opened.collections, args.prefix.as_deref())?;
    if args.json {
        printer.json(&list)?;
        return Ok(if list.pages.is_empty() { Exit::Problems } else { Exit::Fine });
    }
    if list.pages.is_empty() {
        return Err(match &args.prefix {
            Some(prefix) => {
                CliError::problems(format!("no pages under {prefix}"), "`docent list` shows all pages")
            }
            None => CliError::problems(
                format!("no documents in {}", settings.docs.value.display()),
                "name another folder with --docs, or the files to read with `include` in docent.toml",
            ),
        });
    }
    printer.view(&view(&list, printer.is_stdout_terminal().then(|| printer.width())))?;
    Ok(Exit::Fine)
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
