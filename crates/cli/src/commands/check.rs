//! `docent check`: read the index back and compare its parts.

use std::fmt::Write;

use docent_index::CheckReport;
use owo_colors::OwoColorize;
use serde::Serialize;

use crate::args::CheckArgs;
use crate::errors::{CliError, Exit};
use crate::printer::{Printer, clean};
use crate::settings::Settings;
use crate::wiring;

/// The report, for `--json`.
#[derive(Serialize)]
struct Report<'a> {
    /// Folder of the index.
    index: String,
    /// Whether nothing is wrong.
    sound: bool,
    /// What was looked at.
    checked: &'a [String],
    /// What is wrong.
    problems: &'a [String],
}

pub(super) fn run(args: &CheckArgs, settings: &Settings, printer: &Printer) -> Result<Exit, CliError> {
    let index = settings.place();
    if !settings.has_index() {
        return Err(CliError::problems(format!("there is no index at {index}"), "`docent index` makes one"));
    }
    let report = wiring::open_store(settings, printer)?.check()?;
    let sound = report.problems.is_empty();
    if args.json {
        let CheckReport { checked, problems } = &report;
        printer.json(&Report { index: index.clone(), sound, checked, problems })?;
    } else {
        printer.view(&view(&report))?;
    }
    if sound {
        return Ok(Exit::Fine);
    }
    if args.json {
        return Ok(Exit::Problems);
    }
    let problems = report.problems.len();
    Err(CliError::problems(
        format!("the index at {} has {problems} problem{}", index, if problems == 1 { "" } else { "s" }),
        match settings.built {
            Some(_) => "copy the folder again as a whole, or build it anew with `docent build`",
            None => "`docent index --rebuild` builds it anew from the documents",
        },
    ))
}

fn view(report: &CheckReport) -> String {
    let mut text = String::new();
    for checked in &report.checked {
        let _ = writeln!(text, "{:>8}  {}", "checked".dimmed(), clean(checked));
    }
    for problem in &report.problems {
        let _ = writeln!(text, "{:>8}  {}", "problem".red().bold(), clean(problem));
    }
    if report.problems.is_empty() {
        let _ = writeln!(text, "{:>8}", "sound".green().bold());
    }
    text
}
