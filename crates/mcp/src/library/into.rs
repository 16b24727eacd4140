//! What the tools that take documents in have in common: where a document goes, what is said of it, and what came of it.

use docent_library::{Into, Receipt};
use rmcp::model::JsonObject;
use serde_json::{Map, Value, json};

use super::answered;
use crate::budget::length;
use crate::call::{Call, Failure};
use crate::schema::{integer, list, nullable, text};

/// The library that is meant when none is named.
const DEFAULT_LIBRARY: &str = "default";
/// Longest metadata of a document, in characters of JSON: all of it comes with every result of a search.
const MAX_METADATA: usize = 16 * 1024;

/// Where the call wants its document, and what it says of it.
pub(super) fn into(call: &Call<'_>) -> Result<Into, Failure> {
    let library = match call.args.text("library")? {
        None => DEFAULT_LIBRARY,
        Some(name) if name.trim().is_empty() => {
            return Err(Failure::told(format!(
                "library is empty. Give a name, e.g. `papers`, or leave it out to get `{DEFAULT_LIBRARY}`."
            )));
        }
        Some(name) => name,
    };
    Ok(Into { library: library.to_owned(), metadata: metadata(call)?, force: false })
}

fn metadata(call: &Call<'_>) -> Result<Map<String, Value>, Failure> {
    let metadata = call.args.object("metadata")?.cloned().unwrap_or_default();
    let chars = length(&metadata);
    if chars > MAX_METADATA {
        return Err(Failure::told(format!(
            "metadata has {chars} characters and the limit is {MAX_METADATA}. Say less; long texts can be documents of their own."
        )));
    }
    Ok(metadata)
}

/// The parameters of [`into`].
pub(super) fn into_parameters(properties: &mut Value) {
    properties["library"] = json!({
        "type": "string", "default": DEFAULT_LIBRARY,
        "description": "Library that it goes into, made if it is not there: 1 to 64 letters, digits, `-`, `_` and `.`.",
    });
    properties["metadata"] = nullable(json!({
        "type": "object",
        "description": "Anything to be known of it, e.g. {\"author\": \"Ada\"}; `search` can filter by it as `metadata.author`. \
                        Default: nothing.",
    }));
}

/// What came of it.
pub(super) fn receipt(receipt: Receipt) -> Value {
    let mut answer = json!({
        "status": receipt.status.name(),
        "doc_id": receipt.doc_id,
        "source": receipt.source,
        "library": receipt.library,
        "chunk_count": receipt.chunk_count,
    });
    if !receipt.notes.is_empty() {
        answer["notes"] = json!(receipt.notes);
    }
    answer
}

/// The schema of what came of it.
pub(super) fn receipt_schema() -> JsonObject {
    answered(json!({
        "status": {
            "type": "string", "enum": ["indexed", "replaced", "skipped", "error"],
            "description": "indexed: it is new. replaced: it took the place of its older version. skipped: it is here already, \
                            unchanged. error: see `error`; an older version stays as it was.",
        },
        "doc_id": text("Id of the document; stays the same when it is replaced."),
        "source": text("Where it came from: absolute path, URL, or the given name."),
        "library": text("Library that it is in."),
        "chunk_count": integer("Number of its chunks: the units that a search returns."),
        "notes": list("What a reader should know, e.g. what the conversion had to leave out.", json!({"type": "string"})),
    }))
}
