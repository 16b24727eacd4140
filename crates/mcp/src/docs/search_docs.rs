//! `search_docs`: hybrid search. One tool for two specifications: `top_k` is clamped, `limit` is checked.

use docent_engine::{
    FacetExpr, FacetHint, Filter, Hint, Mode, PathGlob, SearchAnswer, SearchHit, SearchRequest, auto_include,
};
use rmcp::model::JsonObject;
use serde_json::{Value, json};

use super::metadata_schema;
use crate::budget::{self, Budget};
use crate::call::{Answer, Call, Failure};
use crate::decimal::decimal;
use crate::facets::Facets;
use crate::query::Query;
use crate::schema::{arguments, cut_fields, flag, integer, list, max_chars, nullable, number, object, text};
use crate::table::{Effect, ToolSpec, Toolset};
use crate::verification::{verification, verified_only};

const DEFAULT_TOP_K: usize = 5;
const MAX_TOP_K: i64 = 20;
const MAX_LIMIT: i64 = 50;

pub(crate) const TOOL: ToolSpec = ToolSpec {
    name: "search_docs",
    toolset: Toolset::Docs,
    effect: Effect::Reads,
    title: "Search the documentation",
    description: "Finds the passages of this project's documentation that answer a question, by words and by meaning \
together. Start here whenever you need to know how something works, is configured or is meant to be used; ask in plain \
words or with exact identifiers (`how are retries configured`, `--max-retries`). Every hit has the raw Markdown, a score \
from 0 to 1, the file, the heading breadcrumb and the line numbers to cite.\n\
Filters narrow the search before ranking: `file_filter` by path, and one parameter per facet. With no hit, `hint` says \
what to try. `searched.degraded` says when the answer is less than it could be.\n\
Next: get_doc with a hit's `chunk_id` and `context: 1` for the text around it, get_page for the whole page. When you know \
the page and heading, get_section is exact; to browse, use list_pages. When several collections are served, pass a hit's \
`metadata.collection` on to these tools as `collection`.",
    input,
    output,
    run,
};

fn input(facets: &Facets) -> JsonObject {
    let mut properties = json!({
        "query": {
            "type": "string",
            "minLength": 1,
            "description": "What you want to know, in plain words or identifiers, e.g. `how do I rotate tokens`.",
        },
        "top_k": {"type": "integer", "default": DEFAULT_TOP_K, "description": "Number of results, 1 to 20 (clamped)."},
        "limit": {
            "type": "integer", "minimum": 1, "maximum": MAX_LIMIT,
            "description": "The same number under another name, 1 to 50. Give one of the two.",
        },
        "file_filter": text(
            "Only files that match this glob, from the documents folder: `guides/**`, `**/*.md`, `architecture.md`. \
             `*` stays inside one folder, `**` crosses folders.",
        ),
        "cursor": text("The `next_cursor` of an earlier answer to the same search: its next page."),
        "mode": {
            "type": "string", "enum": ["hybrid", "semantic", "lexical"], "default": "hybrid",
            "description": "hybrid: words and meaning. semantic: meaning only, the score is the cosine. lexical: words only.",
        },
        "collection": facets.collection_parameter(),
        "verified_only": verified_only(),
        "max_chars": max_chars(),
    });
    if let Some(properties) = properties.as_object_mut() {
        facets.add_parameters(properties);
    }
    arguments(properties, &["query"])
}

fn output() -> JsonObject {
    let hit = object(
        json!({
            "chunk_id": text("Id for get_doc, e.g. `guides/retries.md#retries/backoff`."),
            "content": text("Raw Markdown of the chunk."),
            "score": number("Relevance from 0 to 1, best first; in semantic mode the cosine."),
            "similarity": nullable(number("Cosine to the query; null while the chunk has no vector.")),
            "metadata": metadata_schema(),
            "variants": list("The same passage in sibling pages (other language, version …), folded into this hit.", text("Its chunk_id.")),
            "verification": verification(),
            "stale": flag("True when the file has changed and could not be read again in time."),
            "truncated": flag("True when the content was cut; get_doc has it whole."),
        }),
        &["chunk_id", "content", "score", "similarity", "metadata"],
    );
    let hint = object(
        json!({
            "message": text("What to try."),
            "suggested_filters": list("Facet values under which there are hits.", json!({"type": "object"})),
        }),
        &["message"],
    );
    let mut properties = json!({
        "results": list("Best first.", Value::Object(hit)),
        "total_chunks": integer("Chunks that were searched, after filters."),
        "query_ms": number("Time that the search took, in milliseconds."),
        "next_cursor": nullable(text("Hand this back as `cursor` for the next page; null when there is none.")),
        "hint": nullable(Value::Object(hint)),
        "searched": {
            "type": "object",
            "description": "What was searched: collections with sizes, words and vectors used, and `degraded` reasons.",
        },
    });
    cut_fields(&mut properties);
    object(properties, &["results", "total_chunks", "query_ms", "next_cursor", "hint", "searched"])
}

fn run(call: &Call<'_>) -> Result<Answer, Failure> {
    let query = Query::new(call.args.required("query")?);
    let mut request = SearchRequest::new(query.used);
    request.top_k = count(call)?;
    request.mode = mode(call)?;
    request.cursor = call.args.text("cursor")?.map(str::to_owned);
    request.caller.clone_from(&call.caller.name);
    request.filter = filter(call)?;
    let budget = call.budget()?;
    let mut answer = call.engine.search(&request)?;
    call.mark(&mut answer.results);
    if let Some(hint) = &mut answer.hint {
        keep_named(call, hint);
    }
    answer.searched.degraded.extend(query.shortened);
    let cut = fit(call, &request, &mut answer, budget)?;
    let mut value = serde_json::to_value(&answer).map_err(|error| Failure::told(error.to_string()))?;
    for (at, hit) in answer.results.iter().enumerate() {
        value["results"][at]["score"] = decimal(hit.score);
        value["results"][at]["similarity"] = hit.similarity.map_or(Value::Null, decimal);
    }
    if cut {
        value["truncated"] = true.into();
        if let Some(cursor) = answer.next_cursor {
            value["cursor"] = cursor.into();
        }
    }
    Ok(value.into())
}

/// Leaves out the scopes that only the auto-include rule asked for, unless they are all there is to suggest.
fn keep_named(call: &Call<'_>, hint: &mut Hint) {
    let is_named = |facet: &FacetHint| call.args.text(&facet.key).is_ok_and(|value| value.is_some());
    if hint.suggested_filters.iter().any(is_named) {
        hint.suggested_filters.retain(is_named);
    }
}

fn count(call: &Call<'_>) -> Result<usize, Failure> {
    let (top_k, limit) = (call.args.whole("top_k")?, call.args.whole("limit")?);
    let count = match (top_k, limit) {
        (Some(top_k), Some(limit)) if top_k != limit => {
            return Err(Failure::told(format!(
                "top_k ({top_k}) and limit ({limit}) name the same number and differ. Give one of the two."
            )));
        }
        (_, Some(limit)) if !(1..=MAX_LIMIT).contains(&limit) => {
            return Err(Failure::told(format!("limit must be between 1 and {MAX_LIMIT}, not {limit}")));
        }
        (_, Some(limit)) => limit,
        (Some(top_k), None) => top_k.clamp(1, MAX_TOP_K),
        (None, None) => return Ok(DEFAULT_TOP_K),
    };
    Ok(usize::try_from(count).unwrap_or(DEFAULT_TOP_K))
}

fn mode(call: &Call<'_>) -> Result<Mode, Failure> {
    match call.args.text("mode")? {
        None | Some("hybrid") => Ok(Mode::Hybrid),
        Some("semantic") => Ok(Mode::Semantic),
        Some("lexical") => Ok(Mode::Lexical),
        Some(_) => Err(Failure::told("mode must be one of: hybrid, semantic, lexical")),
    }
}

fn filter(call: &Call<'_>) -> Result<Filter, Failure> {
    let collections = call.collections()?;
    let path = match call.args.text("file_filter")? {
        Some(pattern) if !pattern.trim().is_empty() => Some(path_filter(call, pattern.trim(), &collections)?),
        _ => None,
    };
    let mut given = Vec::new();
    for (key, _) in &call.facets.values {
        if let Some(value) = call.args.text(key)?.filter(|value| !value.trim().is_empty()) {
            given.push((key.as_str(), value));
        }
    }
    let facets = facet_filter(call.facets, &given);
    let mut filter = Filter { collections: Some(collections), path, facets, ..Filter::default() };
    call.narrow(&mut filter)?;
    Ok(filter)
}

/// The pattern, or what is left of it without the documents folder's own name (`docs/guides/**`) when only that matches.
fn path_filter(call: &Call<'_>, pattern: &str, collections: &[String]) -> Result<PathGlob, Failure> {
    let glob = |pattern: &str| {
        PathGlob::new(pattern).map_err(|error| Failure::told(format!("file_filter: {error}")))
    };
    let given = glob(pattern)?;
    let Some(inside) = call.engine.without_folder(pattern) else { return Ok(given) };
    let matches = |path: &PathGlob| {
        let filter =
            Filter { collections: Some(collections.to_vec()), path: Some(path.clone()), ..Filter::default() };
        call.engine.has_documents(&filter)
    };
    let inside = glob(inside)?;
    Ok(if !matches(&given)? && matches(&inside)? { inside } else { given })
}

/// All given facets together. A language without a scope also lets the guides through that are for every language.
fn facet_filter(facets: &Facets, given: &[(&str, &str)]) -> Option<FacetExpr> {
    let is = |key: &str, value: &str| FacetExpr::Is { key: key.to_owned(), value: value.to_owned() };
    let has_scope = given.iter().any(|(key, _)| *key == auto_include::SCOPE);
    let mut parts: Vec<FacetExpr> = Vec::new();
    for (key, value) in given {
        // A language that no page has finds nothing, and the hint names those that there are.
        let expands = *key == auto_include::LANGUAGE && !has_scope && facets.has(key, value);
        let has = |scope: &str| facets.has(auto_include::SCOPE, scope);
        parts.push(if expands { auto_include::with_guides(value, has) } else { is(key, value) });
    }
    (!parts.is_empty()).then_some(FacetExpr::All(parts))
}

/// Cuts the answer to its budget; says whether anything was left out. At least a little of the next hit is always in it.
fn fit(
    call: &Call<'_>,
    request: &SearchRequest,
    answer: &mut SearchAnswer,
    mut budget: Budget,
) -> Result<bool, Failure> {
    let mut results = std::mem::take(&mut answer.results);
    budget.spend(&*answer);
    if let Some(hit) = results.first_mut().filter(|_| answer.inside > 0) {
        keep_part(hit, answer.inside, usize::MAX);
    }
    let fits = |hit: &&SearchHit| budget.take(budget::length(hit) + 1);
    let count = results.iter().take_while(fits).count();
    answer.results = results;
    if count == answer.results.len() {
        return Ok(false);
    }
    if count > 0 {
        call.engine.go_on_at(request, answer, count, 0)?;
        answer.results.truncate(count);
        return Ok(true);
    }
    let room = budget.room_beside(&answer.results[0], &answer.results[0].content);
    let kept = budget::prefix(&answer.results[0].content, room).len();
    let is_whole = kept == answer.results[0].content.len();
    let is_last = answer.results.len() == 1;
    if is_whole {
        call.engine.go_on_at(request, answer, 1, 0)?;
    } else {
        call.engine.go_on_at(request, answer, 0, answer.inside + kept)?;
        keep_part(&mut answer.results[0], 0, kept);
    }
    answer.results.truncate(1);
    Ok(!(is_whole && is_last))
}

/// Leaves `length` bytes of a hit's content from `start` on; its lines are those of what is left.
fn keep_part(hit: &mut SearchHit, start: usize, length: usize) {
    let end = start.saturating_add(length).min(hit.content.len());
    let (first, last) = budget::lines(&hit.content, start, end, hit.metadata.start_line);
    (hit.metadata.start_line, hit.metadata.end_line) = (first, last);
    hit.content = hit.content.get(start..end).unwrap_or_default().to_owned();
    hit.truncated = true;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facets(values: &[(&str, &[&str])]) -> Facets {
        let own = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect();
        let values = values.iter().map(|(key, of)| ((*key).to_owned(), own(of))).collect();
        Facets { values, ..Facets::default() }
    }

    fn check(known: &[(&str, &[&str])], given: &[(&str, &str)], expected: &str) {
        let shown = facet_filter(&facets(known), given).map_or_else(String::new, |expr| show(&expr));
        assert_eq!(shown, expected);
    }

    fn show(expr: &FacetExpr) -> String {
        let all = |parts: &[FacetExpr], by: &str| parts.iter().map(show).collect::<Vec<_>>().join(by);
        match expr {
            FacetExpr::Is { key, value } => format!("{key}={value}"),
            FacetExpr::All(parts) if parts.len() == 1 => show(&parts[0]),
            FacetExpr::All(parts) => format!("({})", all(parts, " & ")),
            FacetExpr::Any(parts) => format!("({})", all(parts, " | ")),
        }
    }

    const LANGUAGE: (&str, &[&str]) = ("language", &["go", "rust"]);
    const SCOPE: (&str, &[&str]) = ("scope", &["global-guide", "sdk-specific"]);

    #[test]
    fn a_language_without_a_scope_includes_the_global_guides() {
        check(
            &[LANGUAGE, SCOPE],
            &[("language", "rust")],
            "((scope=sdk-specific & language=rust) | scope=global-guide)",
        );
        check(
            &[LANGUAGE, ("scope", &["global-guide", "library"])],
            &[("language", "rust")],
            "(language=rust | scope=global-guide)",
        );
        check(&[LANGUAGE, SCOPE], &[("language", "cobol")], "language=cobol");
    }

    #[test]
    fn an_explicit_scope_is_respected_exactly() {
        let given = [("language", "rust"), ("scope", "sdk-specific")];
        check(&[LANGUAGE, SCOPE], &given, "(language=rust & scope=sdk-specific)");
    }

    #[test]
    fn without_a_scope_facet_nothing_is_included() {
        check(&[LANGUAGE], &[("language", "rust")], "language=rust");
        check(&[LANGUAGE, ("scope", &["internal"])], &[("language", "rust")], "language=rust");
    }

    #[test]
    fn other_facets_narrow_the_included_guides_too() {
        check(
            &[LANGUAGE, SCOPE, ("version", &["1"])],
            &[("language", "rust"), ("version", "1")],
            "(((scope=sdk-specific & language=rust) | scope=global-guide) & version=1)",
        );
    }
}
