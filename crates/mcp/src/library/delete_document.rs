//! `delete_document`: a document and every trace of it go.

use rmcp::model::JsonObject;
use serde_json::json;

use super::{answered, doc_id_parameter, document, no_document};
use crate::call::{Answer, Call, Failure};
use crate::facets::Facets;
use crate::schema::{arguments, integer, text};
use crate::table::{Effect, ToolSpec, Toolset};

pub(crate) const TOOL: ToolSpec = ToolSpec {
    name: "delete_document",
    toolset: Toolset::Library,
    effect: Effect::Deletes,
    title: "Delete a document",
    description: "Deletes a document of a library for good, with its text, its chunks and its vectors; the file or page that it \
came from is not touched. Only documents that were taken in can be deleted: what is read from a folder or was fetched as a collection \
is an error that says what to do instead. To put a newer version in its place, ingest it again: ingest_file, ingest_url or \
ingest_content. The `doc_id` comes from list_documents or `search`.",
    input,
    output,
    run,
};

fn input(_: &Facets) -> JsonObject {
    arguments(
        json!({"doc_id": doc_id_parameter("Id of the document to delete, from list_documents.")}),
        &["doc_id"],
    )
}

fn output() -> JsonObject {
    answered(json!({
        "status": {"type": "string", "enum": ["deleted", "error"], "description": "deleted, or error: see `error`."},
        "doc_id": text("Id of the document that is gone."),
        "deleted_chunks": integer("Number of chunks that it had."),
    }))
}

fn run(call: &Call<'_>) -> Result<Answer, Failure> {
    let (document, _) = document(call)?;
    let id = &document.record.uuid;
    let chunks = call.engine.take_out(id)?.ok_or_else(|| no_document(id))?;
    Ok(json!({"status": "deleted", "doc_id": id, "deleted_chunks": chunks}).into())
}
