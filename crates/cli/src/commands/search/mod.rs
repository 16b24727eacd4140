//! `docent search`: bring the index up to date, ask, and show the hits.

mod request;
mod view;

use std::path::Path;

use docent_engine::{Cancel, Engine, Mode, SearchAnswer, SearchRequest};
use docent_index::{Filter, PathGlob};

use self::request::{request, wait};
use self::view::view;
use crate::args::SearchArgs;
use crate::errors::{CliError, Exit};
use crate::handed;
use crate::numbers::count;
use crate::printer::Printer;
use crate::settings::Settings;
use crate::wiring::Vectors;
use crate::{health, sync, wiring};

pub(super) fn run(
    args: &SearchArgs,
    settings: &Settings,
    here: &Path,
    printer: &Printer,
    cancel: &Cancel,
) -> Result<Exit, CliError> {
    let mut request = request(args, settings, here)?;
    let wait = wait(args.wait)?;
    let vectors = if request.mode == Mode::Lexical { Vectors::Unused } else { Vectors::Wanted };
    let opened = wiring::open(settings, &args.scope, vectors, printer)?;
    if let Some(exit) = sync::before_answer(&opened.engine, printer, cancel)? {
        return Ok(exit);
    }
    let own = own(&opened.engine, settings)?;
    if request.mode != Mode::Lexical {
        sync::embed_for(&opened.engine, &own, wait, printer, cancel)?;
    }
    if cancel.is_cancelled() {
        return sync::stopped(&opened.engine, &[], printer);
    }
    request.filter.collections = Some(opened.collections).filter(|names| !names.is_empty());
    let is_from_here = look_from_here(&opened.engine, &mut request.filter, here)?;
    if is_from_here {
        printer.detail(format_args!("--path is taken from {}", here.display()));
    }
    let health = health::open_beside(settings, &opened.store.snapshot()?.collections())?;
    health::adopt(settings, &health);
    if args.verified_only {
        health::narrow(&health, &opened.engine, &mut request.filter)?;
    }
    let mut answer = opened.engine.search(&request)?;
    health::mark(&health, &opened.engine, &mut answer.results);
    if args.json {
        printer.json(&answer)?;
    } else {
        printer.view(&view(&answer, &request.query, printer.width()))?;
    }
    for reason in &answer.searched.degraded {
        printer.note(reason);
    }
    let vector = &answer.searched.vector;
    if vector.used && vector.embedded < vector.total {
        let own = sync::counts(&opened.engine, own)?;
        let command = if own.embedded < own.passages { "docent index" } else { "docent sync" };
        printer.note(format_args!("`{command}` makes the rest of the vectors"));
    }
    if !answer.results.is_empty() {
        return Ok(Exit::Fine);
    }
    if args.json {
        return Ok(Exit::Problems);
    }
    if args.verified_only && !health.is_known()? {
        return Err(CliError::problems(
            format!("nothing found for \"{}\" that was verified", request.query),
            "nothing was checked yet: `docent verify` does that",
        ));
    }
    Err(nothing_found(&opened.engine, &answer, &request)?)
}

/// The folders that a search waits for: not those that the settings list, which `docent sync` and `docent serve` look after.
/// What was handed over has nobody else to look after it.
fn own(engine: &Engine, settings: &Settings) -> Result<Vec<String>, CliError> {
    let names = engine.sources().iter().map(|source| &source.collection);
    let is_listed = |name: &String| settings.collections.iter().any(|listed| listed.name == *name);
    let folders = names.filter(|name| !is_listed(name)).cloned();
    Ok(folders.chain(engine.libraries()?).collect())
}

/// A path that no page has may be one of the current folder, from where it was handed over: libraries know absolute paths.
fn look_from_here(engine: &Engine, filter: &mut Filter, here: &Path) -> Result<bool, CliError> {
    let Some(given) = &filter.path else { return Ok(false) };
    if given.as_str().starts_with('/') || given.as_str().contains("://") || engine.has_documents(filter)? {
        return Ok(false);
    }
    let absolute = handed::absolute(given.as_str(), here);
    let Some(Ok(path)) = absolute.to_str().map(PathGlob::new) else { return Ok(false) };
    let moved = Filter { path: Some(path), ..filter.clone() };
    let is_there = engine.has_documents(&moved)?;
    if is_there {
        *filter = moved;
    }
    Ok(is_there)
}

fn nothing_found(
    engine: &Engine,
    answer: &SearchAnswer,
    request: &SearchRequest,
) -> Result<CliError, CliError> {
    if !engine
        .has_documents(&Filter { collections: request.filter.collections.clone(), ..Filter::default() })?
    {
        return Ok(CliError::problems(
            format!("nothing found for \"{}\"", request.query),
            format!("Nothing is indexed yet: {}", handed::FIRST_STEP),
        ));
    }
    let is_relative = |path: &PathGlob| !path.as_str().starts_with('/');
    if request.filter.path.as_ref().is_some_and(is_relative)
        && !engine.has_documents(&request.filter)?
        && !engine.libraries()?.is_empty()
    {
        return Ok(CliError::problems(
            format!(
                "no document has a path that matches {}",
                request.filter.path.as_ref().map_or("", PathGlob::as_str)
            ),
            handed::ABSOLUTE,
        ));
    }
    Ok(nothing_matches(answer, request))
}

fn nothing_matches(answer: &SearchAnswer, request: &SearchRequest) -> CliError {
    let message = format!("nothing found for \"{}\" in {} chunks", request.query, count(answer.total_chunks));
    let Some(hint) = &answer.hint else { return CliError::problems(message, "try other words") };
    let suggested =
        hint.suggested_filters.iter().map(|facet| format!("{}={}", facet.key, facet.values.join("|")));
    let suggested: Vec<String> = suggested.collect();
    let hint = match suggested.is_empty() {
        true => hint.message.clone(),
        false => format!("{} There is: {}", hint.message, suggested.join(", ")),
    };
    CliError::problems(message, hint)
}
