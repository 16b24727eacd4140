//! `get_page`: a whole page, chunk by chunk.

use docent_engine::Bound;
use rmcp::model::JsonObject;
use serde_json::json;

use super::{chunk_piece, chunk_schema};
use crate::call::{Answer, Call, Failure};
use crate::facets::Facets;
use crate::schema::{arguments, cursor, cut_fields, integer, list, max_chars, object, stale, text};
use crate::table::{Effect, ToolSpec, Toolset};

pub(crate) const TOOL: ToolSpec = ToolSpec {
    name: "get_page",
    toolset: Toolset::Docs,
    effect: Effect::Reads,
    title: "Read a page",
    description: "Reads a whole page by its path, as chunks in document order with their heading breadcrumbs and line \
numbers. Use it when you know which file you need and want all of it. For one section use get_section; for the text around \
a search hit use get_doc; paths come from search_docs and list_pages. Long pages are cut at `max_chars` and go on with \
`cursor`. When several collections are served, give the hit's `metadata.collection` as `collection`: a path that several of \
them have is an error that names them.",
    input,
    output,
    run,
};

fn input(facets: &Facets) -> JsonObject {
    arguments(
        json!({
            "file_path": text("Path of the page inside the documents, e.g. `architecture/data-flow.md`."),
            "collection": facets.collection_parameter(),
            "max_chars": max_chars(),
            "cursor": cursor(),
        }),
        &["file_path"],
    )
}

fn output() -> JsonObject {
    let mut properties = json!({
        "file_path": text("Path inside the documents."),
        "title": text("First h1, else the title in the front matter, else the file name."),
        "last_modified": text("Last change of the file, ISO 8601."),
        "total_chars": integer("Characters over all chunks of the page."),
        "collection": text("Collection that the page belongs to."),
        "content_hash": text("BLAKE3 of the page as indexed."),
        "commit": text("Commit that the working tree is at; absent outside a git repository."),
        "total_chunks": integer("Chunks of the page; fewer are in `chunks` when the answer was cut."),
        "chunks": list("In document order.", chunk_schema()),
    });
    properties["stale"] = stale();
    cut_fields(&mut properties);
    object(
        properties,
        &["file_path", "title", "last_modified", "total_chars", "collection", "content_hash", "chunks"],
    )
}

fn run(call: &Call<'_>) -> Result<Answer, Failure> {
    let path = call.args.required("file_path")?;
    let mut page = call.engine.page(&call.collections()?, path).map_err(|error| {
        let failure = Failure::from(error);
        match path.contains('#') {
            true => Failure::told(format!("{} For one section of a page use get_doc.", failure.text())),
            false => failure,
        }
    })?;
    let state = Bound::default().with("document", &page.content_hash);
    let chunks = std::mem::take(&mut page.chunks);
    let mut answer = json!(page);
    answer["total_chunks"] = chunks.len().into();
    answer["chunks"] = json!([]);
    let mut budget = call.budget()?;
    budget.spend(&answer);
    let fitted = budget.fit(chunks.into_iter().map(chunk_piece).collect(), call.place(&state)?);
    answer["chunks"] = fitted.pieces.into_iter().map(|(_, chunk)| chunk).collect();
    call.go_on_at(&mut answer, &state, fitted.rest)?;
    Ok(answer.into())
}
