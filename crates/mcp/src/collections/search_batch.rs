//! `documents_search_batch`: several questions in one call.
//!
//! An answer that has to be cut keeps the best results of every query: they are fitted in the order of their rank, first
//! those of all queries that came first, then the second ones.

use docent_engine::{EngineError, SearchAnswer, SearchHit, SearchRequest};
use rmcp::model::JsonObject;
use serde_json::{Value, json};

use super::hits::{How, bind, collections_parameter, hit_schema, how_parameters, piece};
use super::search::QUERY;
use super::shown::Shown;
use super::{Missed, answer, answered, degraded, no_collection};
use crate::args::Args;
use crate::budget::Piece;
use crate::call::{Answer, Call, Failure};
use crate::facets::Facets;
use crate::query::Query;
use crate::schema::{arguments, cursor, flag, list, max_chars, object, text};
use crate::table::{Effect, ToolSpec, Toolset};

/// Queries in one call.
const MAX_QUERIES: usize = 10;

pub(crate) const TOOL: ToolSpec = ToolSpec {
    name: "documents_search_batch",
    toolset: Toolset::Collections,
    effect: Effect::Reads,
    title: "Search for several things at once",
    description: "Searches for several things in one call: as documents_search for each of up to 10 queries, answered in their \
order. Use it instead of several calls when you research several topics or try several phrasings; each query may name its own \
`collections`. For a single question use documents_search.",
    input,
    output,
    run,
};

fn input(_: &Facets) -> JsonObject {
    let mut queries = list("Search queries, 1 to 10.", Value::Object(query_schema()));
    queries["minItems"] = 1.into();
    queries["maxItems"] = MAX_QUERIES.into();
    let mut properties = json!({"queries": queries});
    how_parameters(&mut properties);
    properties["max_chars"] = max_chars();
    properties["cursor"] = cursor();
    arguments(properties, &["queries"])
}

fn query_schema() -> JsonObject {
    let query = json!({"type": "string", "minLength": 1, "description": "Search query, in plain words or identifiers."});
    arguments(json!({"query": query, "collections": collections_parameter()}), &["query"])
}

fn output() -> JsonObject {
    let entry = object(
        json!({
            "query": text("The query."),
            "results": list("Best first; as documents_search gives them.", hit_schema("documentId")),
            "message": text("Why this query could not be searched for, e.g. a collection that is not there."),
            "hint": text("What to try when nothing was found."),
            "truncated": flag("True when results of this query are left for the `cursor`."),
        }),
        &["query", "results"],
    );
    answered(json!({
        "results": list("One for each query, in the order of the queries.", Value::Object(entry)),
        "degraded": degraded(),
    }))
}

fn run(call: &Call<'_>) -> Result<Answer, Failure> {
    answer(search(call))
}

/// A query of the call.
struct Asked<'a> {
    /// As it was given.
    given: &'a str,
    query: Query<'a>,
    /// Where to look, or why it cannot be done.
    target: Result<Shown<'a>, String>,
}

/// What came of a query: its place in the answer, and the results to put there.
struct Outcome<'a> {
    entry: Value,
    hits: Vec<SearchHit>,
    shown: Shown<'a>,
}

fn search(call: &Call<'_>) -> Result<Value, Missed> {
    let how = How::of(call)?;
    let mut budget = call.budget()?;
    let groups = queries(call)?;
    let asked = groups.iter().enumerate().map(|(at, group)| read(call, at, group));
    let asked = asked.collect::<Result<Vec<_>, Failure>>()?;
    let request = |asked: &Asked<'_>| Some(how.request(call, asked.query.used, asked.target.as_ref().ok()?));
    let requests: Vec<SearchRequest> = asked.iter().filter_map(request).collect();
    let mut found = call.engine.search_many(&requests)?.into_iter();
    let mut reasons = Vec::new();
    let outcomes = asked.into_iter().map(|asked| outcome(call, asked, &mut found, &mut reasons));
    let mut outcomes: Vec<Outcome<'_>> = outcomes.collect();

    let entries: Vec<Value> = outcomes.iter_mut().map(|outcome| outcome.entry.take()).collect();
    let mut answer = json!({"results": entries});
    if !reasons.is_empty() {
        answer["degraded"] = json!(reasons);
    }
    budget.spend(&answer);
    let state = bind(outcomes.iter().flat_map(|outcome| &outcome.hits));
    let (owners, pieces) = by_rank(outcomes);
    let fitted = budget.fit(pieces, call.place(&state)?);
    for (at, hit) in fitted.pieces {
        let owner = owners.get(at).copied().unwrap_or_default();
        if let Some(results) = answer["results"][owner]["results"].as_array_mut() {
            results.push(hit);
        }
    }
    if let Some([rest, _]) = fitted.rest {
        for owner in owners.iter().skip(usize::try_from(rest).unwrap_or(usize::MAX)) {
            answer["results"][*owner]["truncated"] = true.into();
        }
    }
    call.go_on_at(&mut answer, &state, fitted.rest)?;
    Ok(answer)
}

/// The queries of a call, as many as there may be.
fn queries(call: &Call<'_>) -> Result<Vec<Args>, Failure> {
    let groups = call.args.groups("queries", "query")?.ok_or_else(|| {
        Failure::told("queries parameter is required: 1 to 10 objects such as {\"query\": \"how are retries configured\"}")
    })?;
    match groups.len() {
        1..=MAX_QUERIES => Ok(groups),
        0 => Err(Failure::told(format!(
            "queries must have 1 to {MAX_QUERIES} entries, not 0. Give at least one."
        ))),
        count => Err(Failure::told(format!(
            "queries must have 1 to {MAX_QUERIES} entries, not {count}. Split them over several calls."
        ))),
    }
}

fn read<'a>(call: &'a Call<'_>, at: usize, group: &'a Args) -> Result<Asked<'a>, Failure> {
    let read = || {
        group.check_known(&query_schema(), |_| false)?;
        let missing = |failure: Failure| Failure::told(format!("{}: {QUERY}", failure.text()));
        let given = group.required("query").map_err(missing)?;
        let named = group.texts("collections")?.unwrap_or_default();
        let target = Shown::of(&call.facets.names, &named).map_err(|name| no_collection(call, name).line());
        Ok(Asked { given, query: Query::new(given), target })
    };
    read().map_err(|failure: Failure| Failure::told(format!("queries[{at}]: {}", failure.text())))
}

/// What came of a query; a query that could be searched for takes the next answer.
fn outcome<'a>(
    call: &'a Call<'_>,
    asked: Asked<'a>,
    found: &mut impl Iterator<Item = Result<SearchAnswer, EngineError>>,
    reasons: &mut Vec<String>,
) -> Outcome<'a> {
    // A query of any length must not fill the answer.
    let query = if asked.query.shortened.is_some() { asked.query.used } else { asked.given };
    let mut entry = json!({"query": query, "results": []});
    let answer = asked.target.and_then(|shown| match found.next() {
        Some(Ok(answer)) => Ok((shown, answer)),
        Some(Err(error)) => Err(Failure::from(error).text().to_owned()),
        None => Err("This query was not searched for. Ask again.".to_owned()),
    });
    match answer {
        Ok((shown, mut answer)) => {
            call.mark(&mut answer.results);
            for reason in answer.searched.degraded.into_iter().chain(asked.query.shortened) {
                if !reasons.contains(&reason) {
                    reasons.push(reason);
                }
            }
            if let Some(hint) = answer.hint {
                entry["hint"] = hint.message.into();
            }
            Outcome { entry, hits: answer.results, shown }
        }
        // The other queries are answered all the same.
        Err(message) => {
            entry["message"] = message.into();
            Outcome { entry, hits: Vec::new(), shown: Shown::unnamed(&call.facets.names) }
        }
    }
}

/// All hits in the order of their rank, each with the number of its query.
fn by_rank(outcomes: Vec<Outcome<'_>>) -> (Vec<usize>, Vec<Piece>) {
    let mut ranked = Vec::new();
    for (owner, outcome) in outcomes.into_iter().enumerate() {
        for (rank, hit) in outcome.hits.into_iter().enumerate() {
            ranked.push((rank, owner, piece(&outcome.shown, "documentId", hit)));
        }
    }
    ranked.sort_by_key(|(rank, owner, _)| (*rank, *owner));
    ranked.into_iter().map(|(_, owner, piece)| (owner, piece)).unzip()
}
