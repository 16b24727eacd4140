//! `documents_get_document`: a whole document, byte for byte.

use docent_engine::Bound;
use docent_text::LineIndex;
use rmcp::model::JsonObject;
use serde_json::{Value, json};

use super::{
    Missed, about_document, answer, collection, collection_parameter, document, document_parameter,
    put_version, with_content,
};
use crate::call::{Answer, Call, Failure};
use crate::facets::Facets;
use crate::schema::{arguments, cursor, integer, max_chars, text};
use crate::table::{Effect, ToolSpec, Toolset};

pub(crate) const TOOL: ToolSpec = ToolSpec {
    name: "documents_get_document",
    toolset: Toolset::Collections,
    effect: Effect::Reads,
    title: "Read a document",
    description: "Reads a whole document as it was written. Use it when you need all of it; to read one section of a long \
document use documents_get_section, and documents_get_outline to see which sections it has. Ids come from documents_search \
(`documentId`) and documents_list_documents. Long documents are cut at `max_chars` and go on with `cursor`.",
    input,
    output,
    run,
};

fn input(_: &Facets) -> JsonObject {
    arguments(
        json!({
            "collection": collection_parameter(),
            "document": document_parameter(),
            "max_chars": max_chars(),
            "cursor": cursor(),
        }),
        &["collection", "document"],
    )
}

fn output() -> JsonObject {
    about_document(json!({
        "title": text("First h1, else the title in the front matter, else the file name."),
        "content": text("The document, byte for byte as indexed."),
        "size": integer("Characters of the whole document."),
        "startLine": integer("First line of `content`, from 1."),
        "endLine": integer("Last line of `content`, inclusive."),
        "lastModified": text("Last change of the file, ISO 8601."),
    }))
}

fn run(call: &Call<'_>) -> Result<Answer, Failure> {
    answer(whole(call))
}

fn whole(call: &Call<'_>) -> Result<Value, Missed> {
    let (id, shown) = collection(call)?;
    let page = document(call, id)?;
    let mut answer = Value::Object(shown.object(id));
    answer["document"] = page.file_path.as_str().into();
    answer["title"] = page.title.as_str().into();
    answer["content"] = "".into();
    answer["size"] = page.text.chars().count().into();
    answer["startLine"] = 1.into();
    answer["endLine"] = LineIndex::new(&page.text).count().into();
    answer["lastModified"] = page.last_modified.as_str().into();
    put_version(&mut answer, &page);
    let state = Bound::default().with("document", &page.content_hash);
    with_content(call, answer, page.text, &state)
}
