//! `list_documents`: which documents there are, in one library or in all.

use docent_engine::{Bound, LibraryDocument};
use rmcp::model::JsonObject;
use serde_json::{Value, json};

use super::{library_filter_parameter, metadata_field, no_library, read_answer, times};
use crate::call::{Answer, Call, Failure};
use crate::facets::Facets;
use crate::listing::Listed;
use crate::schema::{arguments, cursor, flag, integer, list, max_chars, object, text};
use crate::table::{Effect, ToolSpec, Toolset};

const DEFAULT_LIMIT: usize = 20;
const MAX_LIMIT: i64 = 1_000;

pub(crate) const TOOL: ToolSpec = ToolSpec {
    name: "list_documents",
    toolset: Toolset::Library,
    effect: Effect::Reads,
    title: "List the documents",
    description: "Lists documents with their source, title, size and metadata, in one `library` or in all; `limit` and `offset` page \
through long lists. Use it to see what is there or to get a `doc_id`. To find an answer in the documents, `search` is faster and \
costs less context; to read one, use get_document; list_libraries shows which libraries there are.",
    input,
    output,
    run,
};

fn input(_: &Facets) -> JsonObject {
    arguments(
        json!({
            "library": library_filter_parameter(),
            "limit": {
                "type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": DEFAULT_LIMIT,
                "description": "Most documents to return.",
            },
            "offset": {"type": "integer", "minimum": 0, "default": 0, "description": "How many to pass over first."},
            "max_chars": max_chars(),
            "cursor": cursor(),
        }),
        &[],
    )
}

fn output() -> JsonObject {
    let document = object(
        json!({
            "doc_id": text("Id of the document: the argument of get_document and delete_document."),
            "source": text("Where it came from: absolute path, URL, or a name."),
            "title": text("Title of the document."),
            "library": text("Library that it is in."),
            "content_hash": text("SHA-256 of the source's bytes."),
            "created_at": text("When it was first taken in, ISO 8601."),
            "metadata": metadata_field(),
            "chunk_count": integer("Number of its chunks."),
            "file_type": text("What kind of file it was, e.g. `pdf`."),
            "last_modified": text("When the source last changed, ISO 8601."),
            "writable": flag("Whether it was taken in, and can be replaced and deleted."),
        }),
        &["doc_id", "source", "title", "library", "content_hash", "created_at", "metadata", "chunk_count"],
    );
    read_answer(json!({
        "documents": list("Those that were taken in last come first.", Value::Object(document)),
        "count": integer("Documents in this answer."),
        "total": integer("Documents in all, with this `library`."),
        "hint": text("What there is instead, when there is no such library."),
    }))
}

fn run(call: &Call<'_>) -> Result<Answer, Failure> {
    let limit = call.args.whole_in("limit", 1..=MAX_LIMIT, DEFAULT_LIMIT)?;
    let offset = call.args.whole_in("offset", 0..=i64::MAX, 0)?;
    let budget = call.budget()?;
    let names = &call.facets.names;
    let collections = match call.args.text("library")? {
        None => names.ids().to_vec(),
        Some(name) => match names.resolve(name) {
            Some(id) => vec![id.to_owned()],
            None => {
                let hint = no_library(call, name);
                return Ok(json!({"documents": [], "count": 0, "total": 0, "hint": hint}).into());
            }
        },
    };
    call.engine.look_for_changes();
    let (documents, total) = match collections.as_slice() {
        [] => (Vec::new(), 0),
        some => call.engine.library_documents(some, limit, offset)?,
    };
    let mut state = Bound::default();
    for document in &documents {
        state.add(&document.record.uuid, &document.record.content_hash.to_hex());
    }
    let answer = json!({"documents": [], "count": 0, "total": total});
    let items = documents.into_iter().map(|document| shape(document).into()).collect();
    let Listed { mut answer, count, .. } = call.list(budget, answer, "documents", items, &state)?;
    answer["count"] = count.into();
    Ok(answer.into())
}

fn shape(document: LibraryDocument) -> Value {
    let last_modified = times::last_modified(&document);
    let (record, details) = (document.record, document.details);
    json!({
        "doc_id": record.uuid,
        "source": record.path,
        "title": record.title,
        "library": record.collection,
        "content_hash": details.sha256,
        "created_at": times::iso(details.created_ms),
        "metadata": Value::Object(details.metadata),
        "chunk_count": record.chunk_count,
        "file_type": details.file_type,
        "last_modified": last_modified,
        "writable": document.is_handed,
    })
}
