//! Asks every question of an engine and scores what comes back.
//!
//! A case whose targets are all pages is scored on pages, each by its best chunk, as BEIR sets are; any other on chunks.
//! The timed search asks for k hits, as an agent would; the places further down come from a second look, and pages of
//! results after the first are fetched with the cursors that an agent would use.

use std::collections::BTreeMap;
use std::time::Instant;

use docent_engine::{Cancel, Engine, EngineError, Fusion, Mode, Observer, SearchHit, SearchRequest};

use crate::cases::{Case, CaseSet};
use crate::filters::CaseFilter;
use crate::judged::Document;
use crate::outcome::{CaseOutcome, CaseProblem, ExpectedTarget, Returned};
use crate::score::Places;
use crate::targets::{Targets, Wanted};

/// Places that are looked at.
const DEPTH: usize = 100;
/// Documents handed to the engine at once.
const BATCH: usize = 2000;
/// Hits on a page of results, as `search_docs` has it.
pub const DEFAULT_K: usize = 5;
/// Pages of results that an agent would look at.
pub const DEFAULT_ROUNDS: usize = 5;

/// How to ask. What is given here wins over what the cases say.
#[derive(Debug, Clone, Default)]
pub struct MeasureOptions {
    /// Collections to search; none means all.
    pub collections: Vec<String>,
    /// Which sides take part.
    pub mode: Option<Mode>,
    /// Which sides take part when neither run nor case says so.
    pub default_mode: Mode,
    /// How they are joined.
    pub fusion: Fusion,
    /// Size of a page of results.
    pub k: Option<usize>,
}

/// What came back.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Measured {
    /// Question by question.
    pub cases: Vec<CaseOutcome>,
    /// Targets that are not in the index, and filters that nothing can pass.
    pub problems: Vec<CaseProblem>,
    /// URLs that no page has.
    pub unmapped: Vec<CaseProblem>,
}

/// Indexes a set's own documents.
pub fn index_corpus(
    engine: &Engine,
    collection: &str,
    documents: &[Document],
    with_vectors: bool,
    observer: &dyn Observer,
    cancel: &Cancel,
) -> Result<(), EngineError> {
    for batch in documents.chunks(BATCH) {
        let texts = batch.iter().map(|document| {
            let title = (!document.title.is_empty()).then_some(document.title.as_str());
            (document.id.as_str(), title, document.text.as_str())
        });
        engine.put_texts(collection, texts)?;
    }
    if with_vectors {
        engine.embed(None, observer, cancel)?;
    }
    Ok(())
}

/// Asks every question; stops early when cancelled.
pub fn measure(
    engine: &Engine,
    set: &CaseSet,
    options: &MeasureOptions,
    cancel: &Cancel,
) -> Result<Measured, EngineError> {
    let facets = engine.facets(&options.collections)?;
    let mut targets = Targets::new(engine, &options.collections);
    let mut measured = Measured::default();
    warm_up(engine, options)?;
    for case in &set.cases {
        if cancel.is_cancelled() {
            break;
        }
        let wanted = find_targets(case, &mut targets, &mut measured)?;
        let filter = CaseFilter::new(&case.filters, &facets);
        let is_askable = filter.problems.is_empty() && !wanted.is_empty();
        measured.problems.extend(filter.problems.iter().map(|reason| CaseProblem {
            case: case.id.clone(),
            place: case.place.clone(),
            target: "filters".to_owned(),
            reason: reason.clone(),
        }));
        // Without its filter it would be another question, and one that nothing can pass says nothing about search.
        if is_askable {
            measured.cases.push(ask(engine, case, &wanted, &filter, options)?);
        }
    }
    Ok(measured)
}

/// The first search of a process loads the model and opens files; no question should pay for that.
fn warm_up(engine: &Engine, options: &MeasureOptions) -> Result<(), EngineError> {
    let mut request = SearchRequest::new("warm up");
    request.filter.collections = some(&options.collections);
    request.mode = options.mode.unwrap_or(options.default_mode);
    engine.search(&request).map(drop)
}

fn some(collections: &[String]) -> Option<Vec<String>> {
    (!collections.is_empty()).then(|| collections.to_vec())
}

/// The targets that are there, each once. Those that are not are told, and the case is scored on the others.
fn find_targets(
    case: &Case,
    targets: &mut Targets<'_>,
    measured: &mut Measured,
) -> Result<Vec<(String, Wanted)>, EngineError> {
    let mut found: Vec<(String, Wanted)> = Vec::new();
    let mut known: BTreeMap<(String, Option<(u32, u32)>), usize> = BTreeMap::new();
    for expected in &case.expected {
        match targets.find(expected)? {
            Ok(wanted) => {
                let key = (wanted.path.clone(), wanted.lines);
                match known.get(&key).and_then(|&at| found.get_mut(at)) {
                    // Two names for one thing.
                    Some((_, first)) => first.gain = first.gain.max(wanted.gain),
                    None => {
                        known.insert(key, found.len());
                        found.push((expected.target.as_str().to_owned(), wanted));
                    }
                }
            }
            Err(missing) => {
                let problem = CaseProblem {
                    case: case.id.clone(),
                    place: case.place.clone(),
                    target: missing.target,
                    reason: missing.reason,
                };
                if missing.is_url { measured.unmapped.push(problem) } else { measured.problems.push(problem) }
            }
        }
    }
    Ok(found)
}

fn ask(
    engine: &Engine,
    case: &Case,
    wanted: &[(String, Wanted)],
    filter: &CaseFilter,
    options: &MeasureOptions,
) -> Result<CaseOutcome, EngineError> {
    let mut request = SearchRequest::new(&case.query);
    request.top_k = options.k.or(case.k).unwrap_or(DEFAULT_K);
    request.mode = options.mode.or(case.mode).unwrap_or(options.default_mode);
    request.fusion = options.fusion;
    request.filter = filter.filter.clone();
    request.filter.collections = some(&options.collections);

    let asked = Instant::now();
    let answer = engine.search(&request)?;
    let latency_ms = asked.elapsed().as_secs_f64() * 1000.0;

    let is_wanted = |hit: &SearchHit| wanted.iter().any(|(_, wanted)| wanted.is_in(hit));
    let max_rounds = case.max_rounds.unwrap_or(DEFAULT_ROUNDS);
    let first = (answer.results.as_slice(), answer.next_cursor.clone());
    let rounds = rounds(engine, &request, first, max_rounds, &is_wanted)?;
    let (scored_on, places) = places(engine, &request, wanted)?;
    let passing = answer.results.iter().filter(|hit| filter.lets_through(hit)).count();
    let has_precision = !filter.is_empty() && !answer.results.is_empty();
    Ok(CaseOutcome {
        id: case.id.clone(),
        query: case.query.clone(),
        category: case.category.clone(),
        expected: wanted
            .iter()
            .map(|(target, wanted)| ExpectedTarget {
                target: target.clone(),
                found_as: wanted.name.clone(),
                gain: wanted.gain,
            })
            .collect(),
        scored_on: scored_on.to_owned(),
        mode: mode_name(request.mode).to_owned(),
        k: request.top_k,
        rank: places.rank(),
        rounds,
        max_rounds,
        scores: places.scores(request.top_k),
        facet_precision: has_precision.then(|| passing as f64 / answer.results.len() as f64),
        latency_ms,
        returned: answer.results.iter().map(|hit| returned(hit, is_wanted(hit))).collect(),
    })
}

/// The page of results on which a target shows first.
fn rounds(
    engine: &Engine,
    request: &SearchRequest,
    first: (&[SearchHit], Option<String>),
    most: usize,
    is_wanted: &dyn Fn(&SearchHit) -> bool,
) -> Result<Option<usize>, EngineError> {
    let (hits, mut cursor) = first;
    if hits.iter().any(is_wanted) {
        return Ok(Some(1));
    }
    let mut request = request.clone();
    for round in 2..=most {
        if cursor.is_none() {
            break;
        }
        request.cursor = cursor;
        let answer = engine.search(&request)?;
        if answer.results.iter().any(is_wanted) {
            return Ok(Some(round));
        }
        cursor = answer.next_cursor;
    }
    Ok(None)
}

fn places(
    engine: &Engine,
    request: &SearchRequest,
    wanted: &[(String, Wanted)],
) -> Result<(&'static str, Places), EngineError> {
    let gains: Vec<f64> = wanted.iter().map(|(_, wanted)| wanted.gain).collect();
    if wanted.iter().all(|(_, wanted)| wanted.lines.is_none()) {
        // The same request as ever: how deep it asks has no influence on the order, but figures stay comparable.
        let mut request = request.clone();
        request.top_k = 10;
        let pages = engine.rank_pages(&request, DEPTH)?;
        let is_at = |place: usize, target: usize| match (pages.get(place), wanted.get(target)) {
            (Some(page), Some((_, wanted))) => *page == wanted.path,
            _ => false,
        };
        return Ok(("pages", Places::new(pages.len(), &gains, is_at)));
    }
    let mut request = request.clone();
    request.top_k = DEPTH;
    let hits = engine.search(&request)?.results;
    let is_at = |place: usize, target: usize| match (hits.get(place), wanted.get(target)) {
        (Some(hit), Some((_, wanted))) => wanted.is_in(hit),
        _ => false,
    };
    Ok(("chunks", Places::new(hits.len(), &gains, is_at)))
}

fn returned(hit: &SearchHit, expected: bool) -> Returned {
    let meta = &hit.metadata;
    let has_title = meta.heading_level > 0 && meta.heading_path.starts_with(&meta.title);
    let title = match (meta.heading_level, has_title) {
        (0, _) => meta.title.clone(),
        (_, true) => meta.heading_path.clone(),
        (_, false) => format!("{} > {}", meta.title, meta.heading_path),
    };
    // Four digits tell everything that a reader can use.
    let score = (f64::from(hit.score) * 1e4).round() / 1e4;
    Returned { chunk_id: hit.chunk_id.clone(), title, score, expected }
}

/// The name that a mode has everywhere else.
pub(crate) fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Hybrid => "hybrid",
        Mode::Semantic => "semantic",
        Mode::Lexical => "lexical",
    }
}
