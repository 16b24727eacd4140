//! `documents_search`: one question to all collections, or to some.

use rmcp::model::JsonObject;
use serde_json::{Value, json};

use super::hits::{How, bind, collections_parameter, hit_schema, how_parameters, piece, searched_schema};
use super::shown::Shown;
use super::{Missed, answer, answered, no_collection, required};
use crate::call::{Answer, Call, Failure};
use crate::facets::Facets;
use crate::query::Query;
use crate::schema::{arguments, cursor, list, max_chars, text};
use crate::table::{Effect, ToolSpec, Toolset};

pub(crate) const TOOL: ToolSpec = ToolSpec {
    name: "documents_search",
    toolset: Toolset::Collections,
    effect: Effect::Reads,
    title: "Search the collections",
    description: "Finds the passages that answer a question in all collections of documents, or in those that `collections` names, \
by words and by meaning together. Ask in plain words or with exact identifiers. Every result has the raw Markdown, its document and \
heading, the lines to cite, a relevance from 0 to 1 and the cosine distance; `searched.degraded` says when the answer is less than it \
could be.\n\
For several questions at once use documents_search_batch; to read on, documents_get_section with a result's `sectionHeading`, or \
documents_get_document; for more like a result, documents_find_related. To browse instead, use documents_list_documents.",
    input,
    output,
    run,
};

/// What a query is.
pub(super) const QUERY: &str = "what you want to know, in plain words or identifiers";

fn input(_: &Facets) -> JsonObject {
    let mut properties = json!({
        "query": {"type": "string", "minLength": 1, "description": "What you want to know, in plain words or identifiers."},
        "collections": collections_parameter(),
    });
    how_parameters(&mut properties);
    properties["max_chars"] = max_chars();
    properties["cursor"] = cursor();
    arguments(properties, &["query"])
}

fn output() -> JsonObject {
    answered(json!({
        "results": list("Best first.", hit_schema("documentId")),
        "searched": searched_schema(),
        "hint": text("What to try when nothing was found."),
    }))
}

fn run(call: &Call<'_>) -> Result<Answer, Failure> {
    answer(search(call))
}

fn search(call: &Call<'_>) -> Result<Value, Missed> {
    let query = Query::new(required(call, "query", QUERY)?);
    let how = How::of(call)?;
    let mut budget = call.budget()?;
    let named = call.args.texts("collections")?.unwrap_or_default();
    let shown =
        Shown::of(&call.facets.names, &named).map_err(|name| Missed::Told(no_collection(call, name)))?;
    let mut found = call.engine.search(&how.request(call, query.used, &shown))?;
    call.mark(&mut found.results);
    found.searched.degraded.extend(query.shortened);
    let mut answer = json!({"results": [], "searched": found.searched});
    if let Some(hint) = found.hint {
        answer["hint"] = hint.message.into();
    }
    budget.spend(&answer);
    let state = bind(found.results.iter());
    let pieces = found.results.into_iter().map(|hit| piece(&shown, "documentId", hit)).collect();
    let fitted = budget.fit(pieces, call.place(&state)?);
    answer["results"] = fitted.pieces.into_iter().map(|(_, hit)| hit).collect();
    call.go_on_at(&mut answer, &state, fitted.rest)?;
    Ok(answer)
}
