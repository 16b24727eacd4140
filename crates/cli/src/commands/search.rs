//! `docent search`: bring the index up to date, ask, and show the hits.

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use docent_engine::{Cancel, Condition, Engine, HitMetadata, Mode, SearchAnswer, SearchHit, SearchRequest};
use docent_index::{FacetExpr, Filter, PathGlob};
use owo_colors::OwoColorize;

use crate::args::{Provider, SearchArgs};
use crate::errors::{CliError, Exit};
use crate::handed::{self, plain_value};
use crate::numbers::count;
use crate::printer::{Printer, clean};
use crate::settings::Settings;
use crate::snippet::{QueryWords, snippet};
use crate::wiring::Vectors;
use crate::{health, sync, wiring};

const DEFAULT_TOP_K: i64 = 5;
const MAX_TOP_K: i64 = 20;
const MAX_LIMIT: i64 = 50;
/// Longer waits than a day are as good as for ever.
const MAX_WAIT: f64 = 86_400.0;
/// Lines of text shown of a hit.
const SNIPPET_LINES: usize = 3;
const INDENT: &str = "   ";

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
    let health = health::open(settings);
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

fn request(args: &SearchArgs, settings: &Settings, here: &Path) -> Result<SearchRequest, CliError> {
    let mut request = SearchRequest::new(args.query.join(" "));
    request.top_k = how_many(args)?;
    request.mode = match args.mode {
        Some(mode) => mode.into(),
        None if settings.embedding.provider.value == Provider::None => Mode::Lexical,
        None => Mode::Hybrid,
    };
    request.fusion = args.fusion.into();
    request.explain = args.explain;
    request.cursor.clone_from(&args.cursor);
    request.conditions = conditions(&args.filter, here)?;
    request.filter = Filter {
        path: args.path.as_deref().map(path_glob).transpose()?,
        facets: facets(&args.facet)?,
        ..Filter::default()
    };
    Ok(request)
}

/// `--top-k` is clamped and `--limit` is checked; both name the same number.
fn how_many(args: &SearchArgs) -> Result<usize, CliError> {
    let number = match (args.top_k, args.limit) {
        (Some(top_k), Some(limit)) if top_k != limit => {
            return Err(CliError::usage(
                format!("--top-k is {top_k} and --limit is {limit}, and both say how many hits you want"),
                "give one of them",
            ));
        }
        (_, Some(limit)) if !(1..=MAX_LIMIT).contains(&limit) => {
            return Err(CliError::usage(
                format!("--limit is {limit} and must be from 1 to {MAX_LIMIT}"),
                "narrow the search with --path or --facet instead of asking for more",
            ));
        }
        (_, Some(limit)) => limit,
        (top_k, None) => top_k.unwrap_or(DEFAULT_TOP_K).clamp(1, MAX_TOP_K),
    };
    Ok(usize::try_from(number).unwrap_or(1))
}

fn wait(seconds: f64) -> Result<Duration, CliError> {
    if seconds >= 0.0 {
        return Ok(Duration::from_secs_f64(seconds.min(MAX_WAIT)));
    }
    Err(CliError::usage(
        format!("--wait is {seconds} and cannot be less than 0"),
        "give a number of seconds, e.g. --wait 5",
    ))
}

fn path_glob(pattern: &str) -> Result<PathGlob, CliError> {
    PathGlob::new(pattern)
        .map_err(|message| CliError::usage(message, "patterns look like guides/**/*.md, or name a folder"))
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

/// Values are taken as `docent ingest --meta` takes them.
fn conditions(given: &[String], here: &Path) -> Result<Vec<Condition>, CliError> {
    let condition = |pair: &String| {
        let (field, value) =
            pair.split_once('=').filter(|(field, _)| !field.trim().is_empty()).ok_or_else(|| {
                CliError::usage(
                    format!("--filter {pair} is not FIELD=VALUE"),
                    "write it like --filter metadata.year=2024",
                )
            })?;
        let field = field.trim();
        let value = match field {
            "page" | "chunk_index" => plain_value(value),
            "file_type" => file_type(value).into(),
            "source" if here.join(value).exists() => {
                handed::spellings(value, here).pop().unwrap_or_else(|| value.to_owned()).into()
            }
            _ if field.starts_with("metadata.") => plain_value(value),
            _ => value.into(),
        };
        Ok(Condition::new(field, value)?)
    };
    given.iter().map(condition).collect()
}

/// A type may be written as an extension or in full.
fn file_type(given: &str) -> String {
    let lower = given.trim_start_matches('.').to_lowercase();
    match lower.as_str() {
        "markdown" => "md".to_owned(),
        "text" => "txt".to_owned(),
        "htm" => "html".to_owned(),
        "yml" => "yaml".to_owned(),
        _ => lower,
    }
}

/// The same key again means "or", another key means "and".
fn facets(given: &[String]) -> Result<Option<FacetExpr>, CliError> {
    let mut keys: Vec<(&str, Vec<FacetExpr>)> = Vec::new();
    for facet in given {
        let pair = facet.split_once('=').filter(|(key, value)| !key.is_empty() && !value.is_empty());
        let (key, value) = pair.ok_or_else(|| {
            CliError::usage(
                format!("--facet {facet} is not KEY=VALUE"),
                "write it like --facet language=rust",
            )
        })?;
        let is = FacetExpr::Is { key: key.to_owned(), value: value.to_owned() };
        match keys.iter_mut().find(|(known, _)| *known == key) {
            Some((_, values)) => values.push(is),
            None => keys.push((key, vec![is])),
        }
    }
    let all: Vec<FacetExpr> = keys.into_iter().map(|(_, values)| FacetExpr::Any(values)).collect();
    Ok((!all.is_empty()).then_some(FacetExpr::All(all)))
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

fn view(answer: &SearchAnswer, query: &str, width: usize) -> String {
    if answer.results.is_empty() {
        return String::new();
    }
    let words = QueryWords::new(query);
    let mut text = String::new();
    for (at, hit) in answer.results.iter().enumerate() {
        view_hit(&mut text, at + 1, hit, &words, width, answer.searched.collections.len() > 1);
    }
    let footer = format!(
        "{} of {} chunks · {:.1} ms · {}",
        answer.results.len(),
        count(answer.total_chunks),
        answer.query_ms,
        sides(answer)
    );
    let _ = writeln!(text, "{}", footer.dimmed());
    text
}

fn view_hit(
    text: &mut String,
    number: usize,
    hit: &SearchHit,
    words: &QueryWords,
    width: usize,
    names_collection: bool,
) {
    let meta = &hit.metadata;
    // A page is what a person can look up; the line is one of the Markdown that was made of it.
    let place = match meta.page {
        0 => format!("{}:{}", clean(&meta.file_path), meta.start_line),
        page => format!("{} page {page}", clean(&meta.file_path)),
    };
    let collection =
        if names_collection { format!("{} · ", clean(&meta.collection)) } else { String::new() };
    let stale = if hit.stale { "  changed since" } else { "" };
    let _ = writeln!(text, "{} {}", format_args!("{number}.").dimmed(), clean(&breadcrumb(meta)).bold());
    let _ = writeln!(
        text,
        "{INDENT}{}{}  {}{}",
        collection.dimmed(),
        place.cyan(),
        format_args!("{:.2}", hit.score).green(),
        stale.yellow()
    );
    if let Some(parts) = &hit.explanation {
        let cosine =
            hit.similarity.map_or_else(|| "no vector".to_owned(), |cosine| format!("cosine {cosine:.2}"));
        let explained = format!(
            "lexical {:.2} (chunk bm25 {:.1}, page bm25 {:.1}) · vector {:.2} ({cosine})",
            parts.lexical, parts.chunk_bm25, parts.page_bm25, parts.vector
        );
        let _ = writeln!(text, "{INDENT}{}", explained.dimmed());
    }
    let heading = docent_text::strip_part(&meta.heading_path).rsplit(" > ").next().unwrap_or_default();
    for line in snippet(&hit.content, heading, words, width.saturating_sub(INDENT.len() + 2), SNIPPET_LINES) {
        let _ = writeln!(text, "{INDENT}{line}");
    }
    for reason in drift(hit) {
        let _ = writeln!(text, "{INDENT}{}", format_args!("⚠ {}", clean(reason)).yellow());
    }
    if !hit.variants.is_empty() {
        let also = format!("the same in {}", hit.variants.join(", "));
        let _ = writeln!(text, "{INDENT}{}", clean(&also).dimmed());
    }
    text.push('\n');
}

/// What does not agree with the code any more.
fn drift(hit: &SearchHit) -> impl Iterator<Item = &str> {
    let known = hit.verification.as_ref().filter(|known| known["status"] == "drifted");
    let reasons = known.and_then(|known| known["reasons"].as_array()).into_iter().flatten();
    reasons.filter_map(serde_json::Value::as_str)
}

/// The heading's path, starting with the page's title even where that is not a heading.
fn breadcrumb(meta: &HitMetadata) -> String {
    let (title, path) = (&meta.title, &meta.heading_path);
    let first = docent_text::strip_part(path).split(" > ").next().unwrap_or_default();
    match meta.heading_level {
        0 => title.clone(),
        _ if first == title => path.clone(),
        _ => format!("{title} > {path}"),
    }
}

/// What was really used, whatever was asked for.
fn sides(answer: &SearchAnswer) -> &'static str {
    match (answer.searched.lexical, answer.searched.vector.used) {
        (true, true) => "hybrid",
        (false, _) => "semantic",
        (true, false) => "lexical",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facets_of_one_key_are_alternatives() {
        let is = |key: &str, value: &str| FacetExpr::Is { key: key.to_owned(), value: value.to_owned() };
        let given = ["a=1", "b=2", "a=3=4"].map(str::to_owned);
        let expected = FacetExpr::All(vec![
            FacetExpr::Any(vec![is("a", "1"), is("a", "3=4")]),
            FacetExpr::Any(vec![is("b", "2")]),
        ]);
        assert_eq!(facets(&given).unwrap(), Some(expected));
        assert_eq!(facets(&[]).unwrap(), None);
        assert!(facets(&["=x".to_owned()]).is_err());
    }
}
