//! `docent sync`: bring collections in line with where they come from. One that fails stays as it was; the others go on.

use std::time::{Duration, Instant};

use docent_engine::Cancel;
use serde::Serialize;

use super::args::SyncArgs;
use super::fetching::{Brought, Desk, State};
use crate::collections::{self, Listed};
use crate::errors::{CliError, Exit};
use crate::numbers::duration;
use crate::printer::Printer;
use crate::settings::Settings;
use crate::wiring::Vectors;

/// What a run did, for `--json`.
#[derive(Serialize)]
struct Summary {
    collections: Vec<Brought>,
    failed: Vec<Failed>,
    seconds: f64,
}

#[derive(Serialize)]
struct Failed {
    name: String,
    error: String,
    hint: String,
}

pub(crate) fn run(
    args: &SyncArgs,
    settings: &Settings,
    printer: &Printer,
    cancel: &Cancel,
) -> Result<Exit, CliError> {
    let begun = Instant::now();
    let chosen = chosen(args, settings)?;
    let vectors = if args.no_embed { Vectors::Wanted } else { Vectors::Needed };
    let desk = Desk::open(settings, vectors, printer, cancel)?;
    let mut summary = Summary { collections: Vec::new(), failed: Vec::new(), seconds: 0.0 };
    for listed in chosen {
        if cancel.is_cancelled() {
            break;
        }
        match desk.bring(listed, args.force) {
            Ok(brought) => {
                if !args.json && !printer.is_quiet() {
                    printer.view(&format!("{}\n", brought.line()))?;
                }
                crate::sync::tell_problems(brought.report.problems.iter(), printer);
                summary.collections.push(brought);
            }
            Err(CliError::Told { message, hint, .. }) => {
                printer.error(&format!("{}: {message}; it stays as it was", listed.name), &hint);
                summary.failed.push(Failed { name: listed.name.clone(), error: message, hint });
            }
            Err(other) => return Err(other),
        }
    }
    let is_complete = args.no_embed || cancel.is_cancelled() || desk.embed(&summary.collections)?;
    summary.seconds = begun.elapsed().as_secs_f64();
    if args.json {
        printer.json(&summary)?;
    } else {
        printer.detail(format_args!("in {}", duration(Duration::from_secs_f64(summary.seconds))));
    }
    Ok(exit(&summary, cancel.is_cancelled() || !is_complete))
}

fn exit(summary: &Summary, is_stopped: bool) -> Exit {
    let was_stopped = |brought: &Brought| brought.state == State::Stopped;
    if is_stopped || summary.collections.iter().any(was_stopped) {
        return Exit::Interrupted;
    }
    if !summary.failed.is_empty() {
        return Exit::Failed;
    }
    let has_problems = summary.collections.iter().any(|brought| !brought.report.problems.is_empty());
    if has_problems { Exit::Problems } else { Exit::Fine }
}

fn chosen<'a>(args: &SyncArgs, settings: &'a Settings) -> Result<Vec<&'a Listed>, CliError> {
    if settings.collections.is_empty() {
        return Err(CliError::usage(
            "no collection is listed",
            "`docent add NAME SOURCE` adds one; the documents folder itself is brought up to date by `docent index`",
        ));
    }
    if args.names.is_empty() {
        return Ok(settings.collections.iter().collect());
    }
    args.names.iter().map(|name| find(settings, name)).collect()
}

/// The listed collection of this name, alias or newest version.
pub(super) fn find<'a>(settings: &'a Settings, name: &str) -> Result<&'a Listed, CliError> {
    let ids: Vec<String> = settings.collections.iter().map(|listed| listed.name.clone()).collect();
    let names = docent_engine::Names::new(ids, collections::aliases(&settings.collections));
    let id = names.resolve(name);
    let listed = id.and_then(|id| settings.collections.iter().find(|listed| listed.name == id));
    listed.ok_or_else(|| {
        let hint = match names.ids().is_empty() {
            true => "none is; `docent add NAME SOURCE` adds one".to_owned(),
            false => format!("there are: {}", names.ids().join(", ")),
        };
        CliError::problems(format!("no collection `{name}` is listed"), hint)
    })
}
