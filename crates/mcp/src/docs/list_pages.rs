//! `list_pages`: what pages there are.

use docent_engine::{Bound, PageSummary};
use rmcp::model::JsonObject;
use serde_json::{Value, json};

use crate::budget::{self, Piece};
use crate::call::{Answer, Call, Failure};
use crate::facets::Facets;
use crate::schema::{arguments, cursor, cut_fields, integer, list, max_chars, object, stale, text};
use crate::table::{Effect, ToolSpec, Toolset};

pub(crate) const TOOL: ToolSpec = ToolSpec {
    name: "list_pages",
    toolset: Toolset::Docs,
    effect: Effect::Reads,
    title: "List the pages",
    description: "Lists the pages of the documentation with title, h1/h2 headings, size and last change, by path. Use it to \
find out what exists before reading, or what is in one folder (`prefix`). To find an answer, search_docs is faster and costs less \
context; to read a page, use get_page.",
    input,
    output,
    run,
};

fn input(facets: &Facets) -> JsonObject {
    arguments(
        json!({
            "prefix": text("Only paths that start with this folder, e.g. `guides` or `guides/`."),
            "collection": facets.collection_parameter(),
            "max_chars": max_chars(),
            "cursor": cursor(),
        }),
        &[],
    )
}

fn output() -> JsonObject {
    let page = object(
        json!({
            "file_path": text("Path inside the documents: the argument of get_page."),
            "title": text("First h1, else the title in the front matter, else the file name."),
            "headings": list("Headings of level 1 and 2.", json!({"type": "string"})),
            "headings_total": integer("How many there are, when not all fitted."),
            "chunk_count": integer("Number of chunks."),
            "total_chars": integer("Characters over all chunks."),
            "last_modified": text("Last change of the file, ISO 8601."),
            "collection": text("Collection that the page belongs to."),
            "content_hash": text("BLAKE3 of the page as indexed."),
        }),
        &["file_path", "title", "headings", "chunk_count", "total_chars", "last_modified"],
    );
    let mut properties = json!({
        "pages": list("By path.", Value::Object(page)),
        "total_pages": integer("Pages under the prefix; fewer are in `pages` when the answer was cut."),
    });
    properties["stale"] = stale();
    properties["degraded"] = list(
        "What makes the list less than it could be, e.g. files still being indexed.",
        json!({"type": "string"}),
    );
    cut_fields(&mut properties);
    object(properties, &["pages", "total_pages"])
}

fn run(call: &Call<'_>) -> Result<Answer, Failure> {
    let mut list = call.engine.list(&call.collections()?, call.args.text("prefix")?)?;
    list.pages.sort_by(|one, other| one.file_path.cmp(&other.file_path));
    let mut state = Bound::default();
    for page in &list.pages {
        state.add(&page.file_path, &page.content_hash);
    }
    let mut answer = json!({"pages": [], "total_pages": list.total_pages});
    if list.stale {
        answer["stale"] = true.into();
    }
    if !list.degraded.is_empty() {
        answer["degraded"] = json!(list.degraded);
    }
    let mut budget = call.budget()?;
    budget.spend(&answer);
    let room = budget.left();
    let piece = |page| Piece { object: short(page, room), content: None };
    let fitted = budget.fit(list.pages.into_iter().map(piece).collect(), call.place(&state)?);
    answer["pages"] = fitted.pieces.into_iter().map(|(_, page)| page).collect();
    call.go_on_at(&mut answer, &state, fitted.rest)?;
    Ok(answer.into())
}

/// A page that would not fit by itself loses headings, and says so.
fn short(mut page: PageSummary, room: usize) -> Value {
    let total = page.headings.len();
    while budget::length(&page) > room.saturating_sub(100) && !page.headings.is_empty() {
        page.headings.truncate(page.headings.len() / 2);
    }
    let mut object = json!(page);
    if page.headings.len() < total {
        object["headings_total"] = total.into();
    }
    object
}
