//! `documents_list_documents`: what documents a collection has.

use docent_engine::Bound;
use rmcp::model::JsonObject;
use serde_json::{Value, json};

use super::{Missed, answer, answered, collection, collection_parameter, degraded};
use crate::call::{Answer, Call, Failure};
use crate::facets::Facets;
use crate::listing::Listed;
use crate::schema::{arguments, cursor, flag, integer, list, max_chars, object, stale, text};
use crate::table::{Effect, ToolSpec, Toolset};

const DEFAULT_LIMIT: usize = 100;
const MAX_LIMIT: i64 = 1_000;

pub(crate) const TOOL: ToolSpec = ToolSpec {
    name: "documents_list_documents",
    toolset: Toolset::Collections,
    effect: Effect::Reads,
    title: "List the documents of a collection",
    description: "Lists the documents of a collection by path, with title and size: its table of contents. Use it to see what \
is available before reading; `limit` and `offset` page through large collections. To find an answer, documents_search is faster and \
costs less context; to read, use documents_get_outline and documents_get_section, or documents_get_document for all of it.",
    input,
    output,
    run,
};

fn input(_: &Facets) -> JsonObject {
    arguments(
        json!({
            "collection": collection_parameter(),
            "limit": {
                "type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": DEFAULT_LIMIT,
                "description": "Maximum documents to return.",
            },
            "offset": {"type": "integer", "minimum": 0, "default": 0, "description": "Offset for pagination."},
            "max_chars": max_chars(),
            "cursor": cursor(),
        }),
        &["collection"],
    )
}

fn output() -> JsonObject {
    let document = object(
        json!({
            "id": text("Document id, its path: the argument of the other tools."),
            "title": text("First h1, else the title in the front matter, else the file name."),
            "size": integer("Characters of the whole document."),
            "contentHash": text("BLAKE3 of the document as indexed."),
        }),
        &["id", "title", "size"],
    );
    answered(json!({
        "collection": text("Collection as it was named in the call."),
        "collectionId": text("Its id, when that is not the name above."),
        "documents": list("By path.", Value::Object(document)),
        "total": integer("Documents of the collection."),
        "hasMore": flag("Whether there are more after these."),
        "stale": stale(),
        "degraded": degraded(),
    }))
}

fn run(call: &Call<'_>) -> Result<Answer, Failure> {
    answer(documents(call))
}

fn documents(call: &Call<'_>) -> Result<Value, Missed> {
    let limit = call.args.whole_in("limit", 1..=MAX_LIMIT, DEFAULT_LIMIT)?;
    let offset = call.args.whole_in("offset", 0..=i64::MAX, 0)?;
    let budget = call.budget()?;
    let (id, shown) = collection(call)?;
    let listed = call.engine.documents(id, offset, limit)?;
    let mut state = Bound::default();
    for document in &listed.documents {
        state.add("document", &document.path);
    }
    let mut answer = Value::Object(shown.object(id));
    answer["documents"] = json!([]);
    answer["total"] = listed.total.into();
    answer["hasMore"] = false.into();
    if listed.stale {
        answer["stale"] = true.into();
    }
    if !listed.degraded.is_empty() {
        answer["degraded"] = json!(listed.degraded);
    }
    let items = listed.documents.into_iter().map(|document| {
        let object = json!({
            "id": document.path,
            "title": document.title,
            "size": document.size,
            "contentHash": document.content_hash,
        });
        object.into()
    });
    let Listed { mut answer, last, .. } = call.list(budget, answer, "documents", items.collect(), &state)?;
    let end = last.map_or(listed.total, |at| offset.saturating_add(at + 1));
    answer["hasMore"] = (end < listed.total).into();
    Ok(answer)
}
