//! `docent eval`: how good and how fast search is, on one's own documents or on a judged set.

mod args;
mod beir;
mod compare;
mod compare_view;
mod outputs;
mod run;
mod run_view;
mod scratch;
mod suggest;

use std::path::Path;

use docent_engine::Cancel;

use crate::errors::{CliError, Exit, plain_io};
use crate::printer::Printer;
use crate::settings::Settings;

use self::args::EvalCommand;
pub(crate) use self::args::{EVAL_EXAMPLES, EvalArgs};

pub(super) fn run(
    args: &EvalArgs,
    settings: &Settings,
    printer: &Printer,
    cancel: &Cancel,
) -> Result<Exit, CliError> {
    let beir = &args.beir;
    let is_misplaced = beir.beir.is_some()
        || beir.queries.is_some()
        || beir.qrels.is_some()
        || beir.mode.is_some()
        || beir.fusion.is_some()
        || beir.cached
        || beir.json;
    match (&args.command, &beir.beir) {
        (Some(_), _) if is_misplaced => Err(CliError::usage(
            "flags of a subcommand stand before its name, or --beir stands beside it",
            "write them after it, e.g. docent eval run cases.yaml --json",
        )),
        (Some(EvalCommand::Run(args)), _) => run::run(args, settings, printer, cancel),
        (Some(EvalCommand::Compare(args)), _) => compare::run(args, printer),
        (Some(EvalCommand::Suggest(args)), _) => suggest::run(args, settings, printer, cancel),
        (None, Some(dir)) => beir::run(dir, beir, settings, printer, cancel),
        (None, None) => Err(CliError::usage(
            "nothing says what to measure: neither a subcommand nor --beir DIR is given",
            "`docent eval suggest -o cases.yaml` drafts questions, `docent eval run cases.yaml` asks them; `docent eval --help` shows more",
        )),
    }
}

/// Writes a file of ours, in one step.
fn write(path: &Path, text: &str) -> Result<(), CliError> {
    let failed = |error: std::io::Error| {
        CliError::failed(
            format!("cannot write {}: {}", path.display(), plain_io(&error)),
            "choose a folder that exists and that you may write to",
        )
    };
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.tmp", std::process::id()));
    let beside = path.with_file_name(name);
    std::fs::write(&beside, text).map_err(failed)?;
    std::fs::rename(&beside, path).map_err(|error| {
        let _ = std::fs::remove_file(&beside);
        failed(error)
    })
}
