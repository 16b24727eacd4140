//! `get_document`: the whole Markdown of a document, byte for byte as it was indexed.

use docent_engine::Bound;
use docent_text::LineIndex;
use rmcp::model::JsonObject;
use serde_json::{Value, json};

use super::{doc_id_parameter, document, metadata_field, read_answer, times};
use crate::call::{Answer, Call, Failure};
use crate::facets::Facets;
use crate::schema::{arguments, cursor, integer, text};
use crate::table::{Effect, ToolSpec, Toolset};

pub(crate) const TOOL: ToolSpec = ToolSpec {
    name: "get_document",
    toolset: Toolset::Library,
    effect: Effect::Reads,
    title: "Read a document",
    description: "Returns the whole Markdown text of a document by its `doc_id`, byte for byte as indexed. Use it when you need \
all of it: long documents cost a lot of context, so to find an answer use `search`, whose results are short and name the page and the \
lines. Give `max_chars` to read a long document in parts, each with the `cursor` of the one before. The `doc_id` comes from `search` \
or list_documents.",
    input,
    output,
    run,
};

fn input(_: &Facets) -> JsonObject {
    arguments(
        json!({
            "doc_id": doc_id_parameter("Id of the document, from `search` or list_documents."),
            "max_chars": {
                "type": "integer", "minimum": 0, "default": 0,
                "description": "Longest answer in characters; 0 is no limit. A cut answer has `truncated: true` and a `cursor`.",
            },
            "cursor": cursor(),
        }),
        &["doc_id"],
    )
}

fn output() -> JsonObject {
    read_answer(json!({
        "doc_id": text("Id of the document."),
        "source": text("Where it came from: absolute path, URL, or a name."),
        "title": text("Title of the document."),
        "library": text("Library that it is in."),
        "content": text("Markdown, byte for byte as indexed."),
        "chunk_count": integer("Number of its chunks."),
        "metadata": metadata_field(),
        "file_type": text("What kind of file it was, e.g. `pdf`."),
        "last_modified": text("When the source last changed, ISO 8601."),
        "content_hash": text("SHA-256 of the source's bytes."),
        "start_line": integer("First line of `content`, from 1."),
        "end_line": integer("Last line of `content`, inclusive."),
    }))
}

fn run(call: &Call<'_>) -> Result<Answer, Failure> {
    let budget = call.budget_or(Some(0))?;
    let (document, content) = document(call)?;
    let last_modified = times::last_modified(&document);
    let (record, details) = (document.record, document.details);
    let state = Bound::default().with("document", &record.content_hash.to_hex());
    let answer = json!({
        "doc_id": record.uuid,
        "source": record.path,
        "title": record.title,
        "library": record.collection,
        "content": "",
        "chunk_count": record.chunk_count,
        "metadata": Value::Object(details.metadata),
        "file_type": details.file_type,
        "last_modified": last_modified,
        "content_hash": details.sha256,
        "start_line": 1,
        "end_line": LineIndex::new(&content).count(),
    });
    Ok(call.with_content(budget, answer, content, &state)?.into())
}
