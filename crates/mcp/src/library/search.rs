//! `search`: the best chunks for a question, with page and lines to cite.

use docent_engine::{Bound, Filter, SearchHit, SearchRequest};
use rmcp::model::JsonObject;
use serde_json::{Value, json};

use super::filter::Conditions;
use super::{library_filter_parameter, metadata_field, no_library, read_answer, required, times};
use crate::budget::Piece;
use crate::call::{Answer, Call, Failure};
use crate::decimal::decimal;
use crate::facets::Facets;
use crate::schema::{arguments, cursor, flag, integer, list, max_chars, nullable, number, object, text};
use crate::table::{Effect, ToolSpec, Toolset};
use crate::verification::{verification, verified_only};

const DEFAULT_TOP_K: usize = 5;
const MAX_TOP_K: i64 = 100;

pub(crate) const TOOL: ToolSpec = ToolSpec {
    name: "search",
    toolset: Toolset::Library,
    effect: Effect::Reads,
    title: "Search the libraries",
    description: "Finds the passages that answer a question in all libraries, or in one, by words and by meaning together. Ask in \
plain words or with exact identifiers. Every result has the Markdown of the chunk, the document it is from, the page (1-based, 0 where \
there are none) and the lines to cite. `filter` narrows the search before ranking by what documents are: \
`{\"file_type\": \"pdf\", \"page\": 3}`, `{\"metadata.author\": \"Ada\"}`. With no result, `hint` says what to try; \
`searched.degraded` says when the answer is less than it could be.\n\
To read all of a document use get_document with its `doc_id`; to browse, list_documents and list_libraries. What is not here yet is \
taken in with ingest_file or ingest_url, where these are offered.",
    input,
    output,
    run,
};

fn input(_: &Facets) -> JsonObject {
    arguments(
        json!({
            "query": {"type": "string", "minLength": 1, "description": "What you want to know, in plain words or identifiers."},
            "top_k": {
                "type": "integer", "minimum": 1, "maximum": MAX_TOP_K, "default": DEFAULT_TOP_K,
                "description": "Most results to return.",
            },
            "library": library_filter_parameter(),
            "filter": nullable(json!({
                "type": "object",
                "description": "Fields and the values they must have, all of them: doc_id, library, source, title, content_hash, \
                                created_at, last_modified, file_type, page, chunk_index, and metadata.KEY for what was said of a \
                                document, e.g. {\"file_type\": \"pdf\", \"page\": 3}. Default: none.",
            })),
            "verified_only": verified_only(),
            "max_chars": max_chars(),
            "cursor": cursor(),
        }),
        &["query"],
    )
}

fn output() -> JsonObject {
    let hit = object(
        json!({
            "doc_id": text("Id of the document: the argument of get_document."),
            "source": text("Where it came from: absolute path, URL, or a name."),
            "title": text("Title of the document."),
            "library": text("Library that it is in."),
            "file_type": text("What kind of file it was, e.g. `pdf`."),
            "last_modified": text("When the source last changed, ISO 8601."),
            "page": integer("Page that the chunk stands on, from 1; 0 when there are none."),
            "content": text("Markdown of the chunk."),
            "chunk_index": integer("Position of the chunk in the document, from 0."),
            "metadata": metadata_field(),
            "start_line": integer("First line in the document, from 1."),
            "end_line": integer("Last line in the document, inclusive."),
            "content_hash": text("SHA-256 of the source's bytes: cite it to prove which version was read."),
            "score": number("Relevance from 0 to 1, best first."),
            "heading_path": text("Headings above it, e.g. `Retries > Backoff`."),
            "chunk_id": text("Id of the chunk: the source and the headings."),
            "verification": verification(),
            "stale": flag("True when the file has changed and could not be read again in time."),
            "truncated": flag("True when this is only a part of the content."),
        }),
        &[
            "doc_id",
            "source",
            "title",
            "library",
            "file_type",
            "last_modified",
            "page",
            "content",
            "chunk_index",
            "metadata",
            "start_line",
            "end_line",
            "content_hash",
            "score",
            "heading_path",
            "chunk_id",
        ],
    );
    read_answer(json!({
        "results": list("Best first.", Value::Object(hit)),
        "searched": {
            "type": "object",
            "description": "What was searched: collections with sizes, words and vectors used, and `degraded` reasons.",
        },
        "hint": text("What to try when nothing was found."),
    }))
}

fn run(call: &Call<'_>) -> Result<Answer, Failure> {
    let query = required(call, "query", "what you want to know, in plain words or identifiers")?.trim();
    let top_k = call.args.whole_in("top_k", 1..=MAX_TOP_K, DEFAULT_TOP_K)?;
    let conditions = call.args.object("filter")?.map(Conditions::new).transpose()?.unwrap_or_default();
    let budget = call.budget()?;
    let collections = match libraries(call, &conditions)? {
        Ok(collections) => collections,
        Err(hint) => return Ok(json!({"results": [], "hint": hint}).into()),
    };
    let mut request = SearchRequest::new(query);
    request.top_k = top_k;
    request.caller.clone_from(&call.caller.name);
    request.filter = Filter { collections: Some(collections), ..Filter::default() };
    request.conditions = conditions.others;
    call.narrow(&mut request.filter)?;
    let mut found = call.engine.search(&request)?;
    call.mark(&mut found.results);
    let mut answer = json!({"results": [], "searched": found.searched});
    if let Some(hint) = found.hint {
        answer["hint"] = hint.message.into();
    }
    let mut state = Bound::default();
    let mut pieces = Vec::with_capacity(found.results.len());
    for hit in found.results {
        state.add(&hit.chunk_id, &hit.metadata.content_hash);
        pieces.push(piece(call, hit)?);
    }
    Ok(call.list(budget, answer, "results", pieces, &state)?.answer.into())
}

/// A hit, with what is known of its document.
fn piece(call: &Call<'_>, hit: SearchHit) -> Result<Piece, Failure> {
    let document = call.engine.document_of(&hit)?;
    let last_modified = times::last_modified(&document);
    let (record, details, about) = (document.record, document.details, hit.metadata);
    let mut object = json!({
        "doc_id": record.uuid,
        "source": record.path,
        "title": record.title,
        "library": record.collection,
        "file_type": details.file_type,
        "last_modified": last_modified,
        "page": about.page,
        "content": "",
        "chunk_index": hit.ordinal,
        "metadata": Value::Object(details.metadata),
        "start_line": about.start_line,
        "end_line": about.end_line,
        "content_hash": details.sha256,
        "score": decimal(hit.score.clamp(0.0, 1.0)),
        "heading_path": about.heading_path,
        "chunk_id": hit.chunk_id,
    });
    if let Some(verification) = hit.verification {
        object["verification"] = verification;
    }
    if hit.stale {
        object["stale"] = true.into();
    }
    Ok(Piece { object, content: Some(hit.content) })
}

/// The collections to search; the inner error says which library is not there.
fn libraries(call: &Call<'_>, conditions: &Conditions) -> Result<Result<Vec<String>, String>, Failure> {
    let names = &call.facets.names;
    let mut ids = names.ids().to_vec();
    let named = call.args.text("library")?.into_iter();
    for name in named.chain(conditions.libraries.iter().map(String::as_str)) {
        let Some(id) = names.resolve(name) else { return Ok(Err(no_library(call, name))) };
        ids.retain(|known| known == id);
    }
    Ok(match ids.is_empty() {
        false => Ok(ids),
        true if names.ids().is_empty() => {
            Err("There is no library yet. Take a document in first.".to_owned())
        }
        true => {
            Err("library and filter.library name different libraries, and a document is in one.".to_owned())
        }
    })
}
