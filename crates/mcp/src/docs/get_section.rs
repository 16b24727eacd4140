//! `get_section`: one section by its exact heading path.

use docent_engine::Bound;
use rmcp::model::JsonObject;
use serde_json::json;

use super::{lines_of, metadata_schema, put_content};
use crate::budget::Piece;
use crate::call::{Answer, Call, Failure};
use crate::facets::Facets;
use crate::schema::{arguments, cursor, cut_fields, max_chars, object, stale, text};
use crate::table::{Effect, ToolSpec, Toolset};

pub(crate) const TOOL: ToolSpec = ToolSpec {
    name: "get_section",
    toolset: Toolset::Docs,
    effect: Effect::Reads,
    title: "Read a section",
    description: "Reads exactly one section of a page by its full heading breadcrumb, e.g. file_path \
`architecture.md` and heading_path `Architecture > Data Flow > Events`. Use it when you know page and heading; the breadcrumbs \
are in the results of search_docs and get_page (`heading_path`). The match is exact (a heading that repeats is `Guide > Limits [2]`); \
a miss names the closest headings. A section that was split comes back whole. When several collections are served, give the hit's \
`metadata.collection` as `collection`: a path that several of them have is an error that names them.",
    input,
    output,
    run,
};

fn input(facets: &Facets) -> JsonObject {
    arguments(
        json!({
            "file_path": text("Path of the page inside the documents, e.g. `architecture.md`."),
            "heading_path": text("Full breadcrumb of the section, e.g. `Architecture > Data Flow > Events`."),
            "collection": facets.collection_parameter(),
            "max_chars": max_chars(),
            "cursor": cursor(),
        }),
        &["file_path", "heading_path"],
    )
}

fn output() -> JsonObject {
    let mut properties = json!({
        "chunk_id": text("Id for get_doc."),
        "content": text("Raw Markdown of the section."),
        "metadata": metadata_schema(),
    });
    properties["stale"] = stale();
    cut_fields(&mut properties);
    object(properties, &["chunk_id", "content", "metadata"])
}

fn run(call: &Call<'_>) -> Result<Answer, Failure> {
    let (path, heading) = (call.args.required("file_path")?, call.args.required("heading_path")?);
    let section = call.engine.section(&call.collections()?, path, heading)?;
    let state = Bound::default().with("document", &section.metadata.content_hash);
    let mut answer = json!({"chunk_id": section.chunk_id, "content": "", "metadata": section.metadata});
    if section.stale {
        answer["stale"] = true.into();
    }
    let mut budget = call.budget()?;
    budget.spend(&answer);
    let piece = Piece { object: lines_of(&answer["metadata"]), content: Some(section.content) };
    let fitted = budget.fit(vec![piece], call.place(&state)?);
    if let Some((_, object)) = fitted.pieces.into_iter().next() {
        put_content(&mut answer, &object);
    }
    call.go_on_at(&mut answer, &state, fitted.rest)?;
    Ok(answer.into())
}
