//! `list_libraries`: which libraries there are, and how much is in each.

use docent_engine::CatalogueEntry;
use rmcp::model::JsonObject;
use serde_json::{Value, json};

use super::read_answer;
use crate::call::{Answer, Call, Failure};
use crate::facets::Facets;
use crate::schema::{arguments, cursor, flag, integer, list, max_chars, object, text};
use crate::table::{Effect, ToolSpec, Toolset};

pub(crate) const TOOL: ToolSpec = ToolSpec {
    name: "list_libraries",
    toolset: Toolset::Library,
    effect: Effect::Reads,
    title: "List the libraries",
    description: "Lists all libraries with the number of their documents and chunks: those that documents are taken into, and the \
folders and fetched collections that are served beside them (`writable` is false for these). Use it to choose a `library` for `search` \
or list_documents; `search` without one looks in all of them.",
    input,
    output,
    run,
};

fn input(_: &Facets) -> JsonObject {
    arguments(json!({"max_chars": max_chars(), "cursor": cursor()}), &[])
}

fn output() -> JsonObject {
    let library = object(
        json!({
            "library": text("Its name."),
            "document_count": integer("Number of documents."),
            "chunk_count": integer("Number of chunks: the units that a search returns."),
            "writable": flag("Whether documents can be taken into it and deleted from it."),
        }),
        &["library", "document_count", "chunk_count", "writable"],
    );
    read_answer(json!({"libraries": list("By name.", Value::Object(library))}))
}

fn run(call: &Call<'_>) -> Result<Answer, Failure> {
    let (entries, state) = call.catalogue()?;
    let libraries = call.engine.libraries()?;
    let shape = |entry: CatalogueEntry| {
        let writable = libraries.contains(&entry.name);
        json!({
            "library": entry.name,
            "document_count": entry.documents,
            "chunk_count": entry.chunks,
            "writable": writable,
        })
    };
    let items = entries.into_iter().map(|entry| shape(entry).into()).collect();
    let listed = call.list(call.budget()?, json!({"libraries": []}), "libraries", items, &state)?;
    Ok(listed.answer.into())
}
