//! `list_libraries`: which libraries there are, and how much is in each.

use docent_engine::{Bound, CatalogueEntry};
use rmcp::model::JsonObject;
use serde_json::{Value, json};

use super::read_answer;
use crate::budget::Piece;
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
    call.engine.look_for_changes();
    let libraries = call.engine.libraries()?;
    let entries = match call.facets.names.ids() {
        [] => Vec::new(),
        ids => call.engine.catalogue(ids)?,
    };
    let mut state = Bound::default();
    for entry in &entries {
        state.add("library", &entry.name);
    }
    let shape = |entry: CatalogueEntry| {
        let writable = libraries.contains(&entry.name);
        let object = json!({
            "library": entry.name,
            "document_count": entry.documents,
            "chunk_count": entry.chunks,
            "writable": writable,
        });
        Piece { object, content: None }
    };
    let mut answer = json!({"libraries": []});
    let mut budget = call.budget()?;
    budget.spend(&answer);
    let fitted = budget.fit(entries.into_iter().map(shape).collect(), call.place(&state)?);
    answer["libraries"] = fitted.pieces.into_iter().map(|(_, library)| library).collect();
    call.go_on_at(&mut answer, &state, fitted.rest)?;
    Ok(answer.into())
}
