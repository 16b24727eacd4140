//! `docent eval run`: ask the questions of a file, score the answers, and say whether they got worse.

use std::time::Instant;

use docent_engine::{Cancel, ChunkOptions, Engine, EngineParts, Freshness, Mode};
use docent_eval::{CaseSet, Comparison, Facts, Gate, MeasureOptions, Run};
use serde::Serialize;

use crate::args::{FusionArg, Provider};
use crate::errors::{CliError, Exit};
use crate::printer::Printer;
use crate::progress::Progress;
use crate::settings::{Origin, Settings};
use crate::sync;
use crate::wiring::{self, Vectors};

use super::args::RunArgs;
use super::scratch::{COLLECTION, Scratch};
use super::{compare, compare_view, outputs, run_view};

/// An engine with everything in it that will be asked for.
struct Ready {
    engine: Engine,
    collections: Vec<String>,
    build_seconds: Option<f64>,
}

/// What `--json` prints: the run, and the comparison where there is one.
#[derive(Serialize)]
struct Printed<'a> {
    #[serde(flatten)]
    run: &'a Run,
    #[serde(skip_serializing_if = "Option::is_none")]
    comparison: Option<&'a Comparison>,
}

pub(super) fn run(
    args: &RunArgs,
    settings: &Settings,
    printer: &Printer,
    cancel: &Cancel,
) -> Result<Exit, CliError> {
    let gate = compare::gate(&args.gate)?;
    outputs::check(args)?;
    let mut set = CaseSet::load(&args.cases, args.queries.as_deref(), args.qrels.as_deref())?;
    if !args.filter_category.is_empty() {
        set.keep_categories(&args.filter_category)?;
    }
    // Read before anything is measured, so that a wrong name costs no time.
    let baseline = args.baseline.as_deref().map(Run::load).transpose()?;
    let default_mode = match settings.embedding.provider.value {
        Provider::None => Mode::Lexical,
        _ => Mode::Hybrid,
    };
    let mut options = MeasureOptions {
        mode: args.mode.map(Mode::from),
        default_mode,
        fusion: args.fusion.into(),
        k: args.k.map(usize::from),
        collections: Vec::new(),
    };
    if args.fresh && settings.built.is_some() {
        return Err(CliError::usage(
            format!(
                "{} is a built index, and --fresh would index documents anew",
                settings.index.value.display()
            ),
            "leave --fresh out, or name the documents with --docs instead of --index",
        ));
    }
    let mut settings = settings.clone();
    let is_throwaway = match set.corpus {
        Some(_) => !matches!(settings.index.origin, Origin::Flag(_)),
        None => args.fresh,
    };
    // Declared before the engine, so that the folder goes after everything in it is closed.
    let scratch = is_throwaway.then(|| Scratch::at(&mut settings.index.value));
    if is_throwaway {
        settings.database.value = None;
    }
    if let Some(scratch) = scratch.as_ref().filter(|_| !args.cached) {
        settings.cache.value = scratch.join("cache");
    }
    let with_vectors = options.mode != Some(Mode::Lexical);
    let ready = match &set.corpus {
        Some(_) => own_corpus(&set, args.cached, with_vectors, &settings, printer, cancel)?,
        None => project(args.fresh, with_vectors, &settings, printer, cancel)?,
    };
    options.collections.clone_from(&ready.collections);
    let measured = if cancel.is_cancelled() {
        None
    } else {
        Some(docent_eval::measure(&ready.engine, &set, &options, cancel)?)
    };
    let Some(measured) = measured.filter(|_| !cancel.is_cancelled()) else {
        printer.info("stopped; nothing was measured");
        return Ok(Exit::Interrupted);
    };
    let facts = facts(args, &set, &ready)?;
    let run = Run::new(facts, measured.cases, measured.problems, measured.unmapped);
    finish(args, &run, baseline.as_ref(), gate, printer)
}

/// Writes, prints and decides.
fn finish(
    args: &RunArgs,
    run: &Run,
    baseline: Option<&Run>,
    gate: Gate,
    printer: &Printer,
) -> Result<Exit, CliError> {
    let comparison = baseline.map(|baseline| docent_eval::compare(baseline, run, gate)).transpose()?;
    if let Some(path) = &args.out {
        let text = serde_json::to_string_pretty(run).map_err(|error| {
            CliError::failed(
                format!("the run cannot be written as JSON: {error}"),
                "this is a bug in docent; please report it",
            )
        })?;
        super::write(path, &(text + "\n"))?;
        printer.info(format_args!("run kept in {}", path.display()));
    }
    if let Some(path) = &args.report {
        super::write(path, &docent_eval::report(run, comparison.as_ref()))?;
        printer.info(format_args!("report written to {}", path.display()));
    }
    match &comparison {
        _ if args.json => printer.json(&Printed { run, comparison: comparison.as_ref() })?,
        Some(comparison) if args.markdown => printer.raw(&compare_view::markdown(comparison))?,
        _ => {
            printer.view(&run_view::view(run))?;
            if let Some(comparison) = &comparison {
                printer.view(&format!("\n{}", compare_view::view(comparison)))?;
            }
        }
    }
    if !run.unmapped.is_empty() {
        printer.note(run_view::problems(
            "no page of the index has these URLs; they were left out",
            &run.unmapped,
        ));
    }
    if !run.problems.is_empty() {
        printer.always(run_view::problems(
            "what these cases expect or filter by is not in the index; it was left out",
            &run.problems,
        ));
    }
    let failed = comparison.is_some_and(|comparison| comparison.failed);
    Ok(if failed || !run.problems.is_empty() { Exit::Problems } else { Exit::Fine })
}

/// The project's own documents, brought up to date; or indexed anew in the folder that the settings name now.
fn project(
    fresh: bool,
    with_vectors: bool,
    settings: &Settings,
    printer: &Printer,
    cancel: &Cancel,
) -> Result<Ready, CliError> {
    let vectors = if with_vectors { Vectors::Needed } else { Vectors::Unused };
    let opened = wiring::open_own(settings, vectors, printer)?;
    let begun = Instant::now();
    let reports = sync::bring_up_to_date(&opened.engine, None, printer, cancel)?;
    if !printer.is_quiet() {
        sync::tell_problems(reports.iter().flat_map(|report| &report.problems), printer);
    }
    // A built index has all the vectors that it will ever have.
    if with_vectors && settings.built.is_none() && !cancel.is_cancelled() {
        embed(&opened.engine, printer, cancel)?;
    }
    let build_seconds = fresh.then(|| begun.elapsed().as_secs_f64());
    Ok(Ready { engine: opened.engine, collections: opened.collections, build_seconds })
}

fn embed(engine: &Engine, printer: &Printer, cancel: &Cancel) -> Result<(), CliError> {
    let progress = Progress::new(printer);
    let outcome = engine.embed(None, &progress, cancel);
    drop(progress);
    Ok(outcome.map(drop)?)
}

/// The documents that a BEIR set brings.
fn own_corpus(
    set: &CaseSet,
    cached: bool,
    with_vectors: bool,
    settings: &Settings,
    printer: &Printer,
    cancel: &Cancel,
) -> Result<Ready, CliError> {
    let parts = EngineParts {
        aliases: Default::default(),
        expected: Vec::new(),
        store: wiring::open_store(settings, printer)?,
        embedder: wiring::embedder(&settings.embedding, Vectors::Needed)?,
        embedder_problem: None,
        cache: if cached { wiring::cache(settings, printer) } else { None },
        sources: Vec::new(),
        chunking: ChunkOptions { max_chars: settings.max_chars.value, ..ChunkOptions::default() },
        cookies: settings.index.value.join("watch"),
        library: None,
    };
    let engine = Engine::new(parts, Freshness::Synced)?;
    let begun = Instant::now();
    let documents = set.corpus.as_deref().unwrap_or_default();
    let progress = Progress::new(printer);
    let indexed = docent_eval::index_corpus(&engine, COLLECTION, documents, with_vectors, &progress, cancel);
    drop(progress);
    indexed?;
    let build_seconds = Some(begun.elapsed().as_secs_f64());
    Ok(Ready { engine, collections: vec![COLLECTION.to_owned()], build_seconds })
}

fn facts(args: &RunArgs, set: &CaseSet, ready: &Ready) -> Result<Facts, CliError> {
    let status = ready.engine.status()?;
    let own = |name: &String| ready.collections.is_empty() || ready.collections.contains(name);
    let mine: Vec<_> = status.index.collections.iter().filter(|collection| own(&collection.name)).collect();
    Ok(Facts {
        docent: status.server.version,
        date: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        command: command_line(std::env::args().skip(1)),
        cases: args.cases.display().to_string(),
        cases_format: set.format.to_string(),
        model: ready.engine.embedder().map(|embedder| embedder.model().name.clone()),
        fusion: match args.fusion {
            FusionArg::Convex => "convex",
            FusionArg::Rrf => "rrf",
        }
        .to_owned(),
        documents: mine.iter().map(|collection| collection.documents).sum(),
        chunks: mine.iter().map(|collection| collection.chunks).sum(),
        index_bytes: status.index.db_size_bytes,
        build_seconds: ready.build_seconds,
        peak_rss_bytes: peak_rss(),
    })
}

/// The command as it could be typed again.
fn command_line(args: impl Iterator<Item = String>) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./=@:,".contains(c);
    let word = |arg: String| match !arg.is_empty() && arg.chars().all(is_plain) {
        true => arg,
        false => format!("'{}'", arg.replace('\'', r"'\''")),
    };
    std::iter::once("docent".to_owned()).chain(args.map(word)).collect::<Vec<_>>().join(" ")
}

/// The most memory that this process had, where the system tells.
fn peak_rss() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_can_be_typed_again() {
        let args = ["eval", "run", "a b.yaml", "it's", ""].map(str::to_owned);
        assert_eq!(command_line(args.into_iter()), r"docent eval run 'a b.yaml' 'it'\''s' ''");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn memory_is_told() {
        assert!(peak_rss().is_some_and(|bytes| bytes > 1 << 20));
    }
}
