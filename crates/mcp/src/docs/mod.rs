//! The `docs` toolset: one file a tool.

pub(crate) mod get_doc;
pub(crate) mod get_page;
pub(crate) mod get_section;
pub(crate) mod get_status;
pub(crate) mod list_pages;
pub(crate) mod search_docs;

use docent_engine::PageChunk;
use serde_json::{Value, json};

use crate::budget::Piece;
use crate::schema::{integer, object, text};

/// A chunk of a page as a piece of an answer.
fn chunk_piece(chunk: PageChunk) -> Piece {
    let object = json!({
        "chunk_id": chunk.chunk_id,
        "content": "",
        "heading_path": chunk.heading_path,
        "heading_level": chunk.heading_level,
        "char_count": chunk.char_count,
        "start_line": chunk.start_line,
        "end_line": chunk.end_line,
    });
    Piece { object, content: Some(chunk.content) }
}

/// The lines in an answer's metadata, for its content to be cut with.
fn lines_of(metadata: &Value) -> Value {
    json!({"start_line": metadata["start_line"], "end_line": metadata["end_line"]})
}

/// Puts what is left of the content into an answer, with its lines.
fn put_content(answer: &mut Value, part: &Value) {
    answer["content"] = part["content"].clone();
    for line in ["start_line", "end_line"] {
        answer["metadata"][line] = part[line].clone();
    }
}

/// Schema of a chunk of a page.
fn chunk_schema() -> Value {
    let properties = json!({
        "chunk_id": text("Id for get_doc, e.g. `guides/retries.md#retries/backoff`."),
        "content": text("Raw Markdown."),
        "heading_path": text("Breadcrumb, e.g. `Retries > Backoff`; the argument of get_section."),
        "heading_level": integer("1 to 6; 0 for text before the first heading."),
        "char_count": integer("Characters of the whole chunk."),
        "start_line": integer("First line in the file, from 1."),
        "end_line": integer("Last line in the file, inclusive."),
    });
    Value::Object(object(
        properties,
        &["chunk_id", "content", "heading_path", "heading_level", "char_count", "start_line", "end_line"],
    ))
}

/// Schema of where a chunk or a section comes from.
fn metadata_schema() -> Value {
    let properties = json!({
        "file_path": text("Path inside the documents, e.g. `guides/retries.md`."),
        "heading_path": text("Breadcrumb, e.g. `Retries > Backoff`."),
        "heading_level": integer("1 to 6; 0 for text before the first heading."),
        "last_modified": text("Last change of the file, ISO 8601."),
        "char_count": integer("Characters of the content."),
        "start_line": integer("First line in the file, from 1."),
        "end_line": integer("Last line in the file, inclusive."),
        "page": integer("Page of the source that it stands or begins on, from 1; absent where there are none."),
        "title": text("Title of the page."),
        "collection": text("Collection that the page belongs to."),
        "content_hash": text("BLAKE3 of the page as indexed: cite it to prove which version was read."),
        "commit": text("Commit that the working tree is at; absent outside a git repository."),
    });
    let mut schema = object(
        properties,
        &[
            "file_path",
            "heading_path",
            "heading_level",
            "last_modified",
            "char_count",
            "start_line",
            "end_line",
            "title",
            "collection",
            "content_hash",
        ],
    );
    schema.insert(
        "description".to_owned(),
        "Where the content comes from; facets of the page are in it too.".into(),
    );
    Value::Object(schema)
}
