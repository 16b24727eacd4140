//! `get_docs`: sections about a topic, with whether what they claim still agrees with the code.
//!
//! Found twice: by the engine's search over chunks that claim something, and by the words of the claims themselves, which also
//! reaches documents outside of the indexed folder. The two orders are joined by reciprocal ranks.

use std::collections::HashMap;

use docent_engine::{Filter, SearchHit, SearchRequest};
use docent_health::{Health, SectionHealth, Status, View};
use rmcp::model::JsonObject;
use serde_json::{Value, json};

use super::{cut, invalid, last_verified, problem_schema, required, time};
use crate::call::{Answer, Call, Failure, INTERNAL};
use crate::facets::Facets;
use crate::query::Query;
use crate::schema::{arguments, cursor, integer, list, max_chars, nullable, number, object, text};
use crate::table::{Effect, ToolSpec, Toolset};

/// Most sections of an answer.
const MAX_SECTIONS: usize = 20;
/// Sections that are found by their words, before the two orders are joined.
const MAX_BY_WORDS: usize = 100;
/// A chunk without a word of the query counts when its meaning is at least this near.
const NEAR: f32 = 0.4;
/// How much the first ranks count before the others.
const RANK_OFFSET: f64 = 60.0;

pub(crate) const TOOL: ToolSpec = ToolSpec {
    name: "get_docs",
    toolset: Toolset::Health,
    effect: Effect::Reads,
    title: "Documentation with its verification",
    description: "Search project documentation for information about a topic. Returns relevant documentation sections with \
verification status indicating whether the content is confirmed accurate, potentially stale, or uncertain.\n\
The content of a section is what it claims about the code: files, commands, flags, variables, routes, versions. For claims that do \
not hold, `problems` says what broke, in which commit, and what to write instead. Sections that claim nothing are not in the answer. \
To judge a file or the whole repository use get_doc_health; for the worst files, list_stale_docs; when you find that a page is \
wrong, report_drift where it is offered.",
    input,
    output,
    run,
};

fn input(_: &Facets) -> JsonObject {
    arguments(
        json!({
            "query": {
                "type": "string", "minLength": 1,
                "description": "What you want to know about (e.g., 'authentication', 'API endpoints', 'deployment process')",
            },
            "verified_only": {
                "type": "boolean", "default": false,
                "description": "If true, only return documentation that has been verified as accurate. Default: false.",
            },
            "max_chars": max_chars(),
            "cursor": cursor(),
        }),
        &["query"],
    )
}

fn output() -> JsonObject {
    let section = object(
        json!({
            "file": text("The document, by its path in the repository."),
            "section": text("Nearest heading above the claims; the file's name when it has no headings."),
            "content": text("What the section claims, one sentence a line."),
            "verification_status": text("Worst of its claims: verified, pending, uncertain or drifted."),
            "last_verified": last_verified(),
            "claims_in_section": integer("Claims that can be checked, without waived ones."),
            "verified_claims": integer("Claims that hold."),
            "health_score": nullable(number("Share of the claims that hold, 0 to 1; null when all are waived.")),
            "start_line": integer("First line with a claim."),
            "end_line": integer("Last line with a claim."),
            "content_hash": text("BLAKE3 of the document that was checked."),
            "problems": list("Claims that do not hold, or of which nobody can tell; absent without any.", problem_schema()),
        }),
        &[
            "file",
            "section",
            "content",
            "verification_status",
            "last_verified",
            "claims_in_section",
            "verified_claims",
            "health_score",
            "start_line",
            "end_line",
        ],
    );
    let mut properties =
        json!({"sections": list("Most relevant first; at most 20.", Value::Object(section))});
    super::fields(&mut properties);
    object(properties, &["sections"])
}

fn run(call: &Call<'_>) -> Result<Answer, Failure> {
    let health = call.health()?;
    let query = Query::new(required(call, "query")?).used;
    let verified_only =
        call.args.flag("verified_only", false).map_err(|_| invalid("verified_only must be true or false"))?;
    health.ask_for_verification();
    health.wait_for_first_check(super::FIRST_CHECK);
    let internal = |failure: Failure| failure.with_code(INTERNAL);
    // A change of the documents changes what is found, too.
    let generation = call.engine.content_generation().map_err(|error| internal(error.into()))?;
    let key = format!("get_docs:{generation}:{}", call.args.question());
    let answer = health.cached(&key, || find(call, health, query, verified_only).map_err(internal))?;
    Ok(cut(call, answer, "sections")?.into())
}

fn find(call: &Call<'_>, health: &Health, query: &str, verified_only: bool) -> Result<Value, Failure> {
    let view = health.view()?;
    let by_meaning = view.sections(chunks(call, health, &view, query, verified_only)?);
    let by_words = view.find(query, verified_only, MAX_BY_WORDS);
    let folders = call.folders();
    let is_indexed = |file: &str| {
        let path = health.identity().root.join(file);
        folders.iter().any(|(_, folder)| path.starts_with(folder))
    };
    let mut sections = Vec::new();
    for place in join(by_meaning, by_words, is_indexed) {
        let section = view.section(place);
        sections.extend(section.filter(|section| !verified_only || section.status == Status::Verified));
        if sections.len() == MAX_SECTIONS {
            break;
        }
    }
    let shown: Vec<Value> = sections.into_iter().map(|section| show(&view, section)).collect();
    Ok(json!({"sections": shown}))
}

/// Where the claims stand in the chunks that the engine finds.
fn chunks(
    call: &Call<'_>,
    health: &Health,
    view: &View,
    query: &str,
    verified_only: bool,
) -> Result<Vec<(String, u32)>, Failure> {
    let folders = call.folders();
    let chosen = health.chosen(&*call.engine.snapshot()?, &folders, verified_only)?;
    if chosen.chunks.is_empty() {
        return Ok(Vec::new());
    }
    let mut request = SearchRequest::new(query);
    request.top_k = MAX_SECTIONS;
    request.explain = true;
    request.caller.clone_from(&call.caller.name);
    let collections = folders.iter().map(|(name, _)| name.clone()).collect();
    request.filter = Filter { collections: Some(collections), chosen: Some(chosen), ..Filter::default() };
    let mut spots = Vec::new();
    for hit in call.engine.search(&request)?.results.into_iter().filter(is_about_it) {
        let about = &hit.metadata;
        let folder = folders.iter().find(|(name, _)| *name == about.collection);
        let file = folder.and_then(|(_, folder)| health.file_of(folder, &about.file_path));
        let Some(file) = file else { continue };
        let lines = view.claimed_lines(&file, about.start_line..=about.end_line);
        spots.extend(lines.into_iter().map(|line| (file.clone(), line)));
    }
    Ok(spots)
}

/// Whether a hit has anything to do with the query: something is always nearest.
fn is_about_it(hit: &SearchHit) -> bool {
    let has_words = hit.explanation.as_ref().is_some_and(|parts| parts.chunk_bm25 > 0.0);
    has_words || hit.similarity.is_some_and(|cosine| cosine >= NEAR)
}

/// One order out of two, by reciprocal ranks. What only the second could find counts as if the first had found it there, too.
fn join(
    by_meaning: Vec<(String, u32)>,
    by_words: Vec<(String, u32)>,
    is_indexed: impl Fn(&str) -> bool,
) -> Vec<(String, u32)> {
    let mut scores: HashMap<(String, u32), f64> = HashMap::new();
    for list in [by_meaning, by_words] {
        for (rank, section) in list.into_iter().enumerate() {
            let weight = if is_indexed(&section.0) { 1.0 } else { 2.0 };
            *scores.entry(section).or_default() += weight / (RANK_OFFSET + rank as f64);
        }
    }
    let mut all: Vec<((String, u32), f64)> = scores.into_iter().collect();
    all.sort_by(|(one, score), (other, better)| better.total_cmp(score).then_with(|| one.cmp(other)));
    all.into_iter().map(|(section, _)| section).collect()
}

fn show(view: &View, section: SectionHealth) -> Value {
    let score = (section.claims > 0).then(|| section.score());
    let hash = view.verified_content(&section.file).filter(|hash| !hash.is_empty()).map(str::to_owned);
    let mut shown = json!({
        "file": section.file,
        "section": section.section,
        "content": section.content,
        "verification_status": section.status.name(),
        "last_verified": time(section.last_verified),
        "claims_in_section": section.claims,
        "verified_claims": section.verified,
        "health_score": score,
        "start_line": section.start_line,
        "end_line": section.end_line,
    });
    if let Some(hash) = hash {
        shown["content_hash"] = hash.into();
    }
    if !section.problems.is_empty() {
        shown["problems"] = json!(section.problems);
    }
    shown
}
