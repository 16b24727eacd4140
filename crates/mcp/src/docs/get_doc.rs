//! `get_doc`: a chunk by its id, with its neighbours.

use docent_engine::Bound;
use rmcp::model::JsonObject;
use serde_json::{Value, json};

use super::{chunk_piece, chunk_schema, lines_of, metadata_schema, put_content};
use crate::budget::Piece;
use crate::call::{Answer, Call, Failure};
use crate::facets::Facets;
use crate::schema::{arguments, cursor, cut_fields, list, max_chars, object, stale, text};
use crate::table::{Effect, ToolSpec, Toolset};

/// More neighbours than this are a page.
const MAX_CONTEXT: i64 = 10;

pub(crate) const TOOL: ToolSpec = ToolSpec {
    name: "get_doc",
    toolset: Toolset::Docs,
    effect: Effect::Reads,
    title: "Read a chunk with its surroundings",
    description: "Reads exactly one chunk by the `chunk_id` that search_docs gave, and with `context` the chunks before and \
after it in the same page. Use it after search_docs when a hit is right but needs the text around it: it costs far less context \
than get_page. Also takes a path alone (`guides/retries.md`, the whole page) and a short id that only one section of the page \
has (`guides/retries.md#backoff`); when several have it, the answer lists them. When several collections are served, give the \
hit's `metadata.collection` as `collection`: a path that several of them have is an error that names them.",
    input,
    output,
    run,
};

fn input(facets: &Facets) -> JsonObject {
    arguments(
        json!({
            "chunk_id": text("Id of the chunk, e.g. `guides/retries.md#retries/backoff`."),
            "context": {
                "type": "integer", "minimum": 0, "maximum": MAX_CONTEXT, "default": 0,
                "description": "How many chunks before and after it to return as well.",
            },
            "collection": facets.collection_parameter(),
            "max_chars": max_chars(),
            "cursor": cursor(),
        }),
        &["chunk_id"],
    )
}

fn output() -> JsonObject {
    let mut properties = json!({
        "chunk_id": text("Id of the chunk."),
        "content": text("Raw Markdown of the chunk."),
        "metadata": metadata_schema(),
        "before": list("Chunks before it, in document order.", chunk_schema()),
        "after": list("Chunks after it, in document order.", chunk_schema()),
    });
    properties["stale"] = stale();
    cut_fields(&mut properties);
    object(properties, &["chunk_id", "content", "metadata", "before", "after"])
}

fn run(call: &Call<'_>) -> Result<Answer, Failure> {
    let target = call.args.required("chunk_id")?;
    let context = match call.args.whole("context")? {
        Some(negative) if negative < 0 => return Err(Failure::told("context must be 0 or more")),
        context => context.unwrap_or(0).min(MAX_CONTEXT),
    };
    let context = usize::try_from(context).unwrap_or(0);
    let around = call.engine.around(&call.collections()?, target, context)?;
    let state = Bound::default().with("document", &around.section.metadata.content_hash);
    let mut answer = json!({
        "chunk_id": around.section.chunk_id,
        "content": "",
        "metadata": around.section.metadata,
        "before": [],
        "after": [],
    });
    if around.section.stale {
        answer["stale"] = true.into();
    }
    let mut budget = call.budget()?;
    budget.spend(&answer);
    let before = around.before.len();
    let mut pieces =
        vec![Piece { object: lines_of(&answer["metadata"]), content: Some(around.section.content) }];
    pieces.extend(around.before.into_iter().chain(around.after).map(chunk_piece));
    let fitted = budget.fit(pieces, call.place(&state)?);
    for (at, object) in fitted.pieces {
        match at {
            0 => put_content(&mut answer, &object),
            at if at <= before => push(&mut answer["before"], object),
            _ => push(&mut answer["after"], object),
        }
    }
    call.go_on_at(&mut answer, &state, fitted.rest)?;
    Ok(answer.into())
}

fn push(list: &mut Value, item: Value) {
    if let Some(list) = list.as_array_mut() {
        list.push(item);
    }
}
