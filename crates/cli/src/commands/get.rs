//! `docent get`: a page or a section, as it was written.

use docent_engine::{Cancel, Got};
use owo_colors::OwoColorize;

use crate::args::GetArgs;
use crate::errors::{CliError, Exit};
use crate::printer::{Printer, clean};
use crate::settings::Settings;
use crate::wiring::Vectors;
use crate::{sync, wiring};

pub(super) fn run(
    args: &GetArgs,
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
    let got = opened.engine.get(&opened.collections, &args.target)?;
    if args.json {
        printer.json(&got)?;
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
