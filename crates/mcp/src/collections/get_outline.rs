//! `documents_get_outline`: the headings of a document.

use docent_engine::Bound;
use docent_text::{Outline, OutlineHeading};
use rmcp::model::JsonObject;
use serde_json::{Value, json};

use super::{
    Missed, about_document, answer, collection, collection_parameter, document, document_parameter,
    put_version,
};
use crate::budget::Piece;
use crate::call::{Answer, Call, Failure};
use crate::facets::Facets;
use crate::schema::{arguments, cursor, integer, list, max_chars, object, text};
use crate::table::{Effect, ToolSpec, Toolset};

const DEFAULT_DEPTH: usize = 3;
const MAX_DEPTH: i64 = 6;

pub(crate) const TOOL: ToolSpec = ToolSpec {
    name: "documents_get_outline",
    toolset: Toolset::Collections,
    effect: Effect::Reads,
    title: "Outline of a document",
    description: "Gets the heading structure of a document: the headings with their levels and line numbers, without the \
text. Use it to see how a long document is organised before reading a part of it with documents_get_section; for all of a \
document use documents_get_document.",
    input,
    output,
    run,
};

fn input(_: &Facets) -> JsonObject {
    arguments(
        json!({
            "collection": collection_parameter(),
            "document": document_parameter(),
            "maxDepth": {
                "type": "integer", "minimum": 1, "maximum": MAX_DEPTH, "default": DEFAULT_DEPTH,
                "description": "Maximum heading depth (1-6).",
            },
            "max_chars": max_chars(),
            "cursor": cursor(),
        }),
        &["collection", "document"],
    )
}

fn output() -> JsonObject {
    about_document(json!({
        "title": text("First h1, else the title in the front matter, else the file name."),
        "outline": list("Headings in document order.", heading_schema()),
    }))
}

/// Schema of a heading.
pub(super) fn heading_schema() -> Value {
    let properties = json!({
        "level": integer("Heading level, 1 to 6."),
        "text": text("Heading text: the `section` of documents_get_section."),
        "line": integer("Line number in the document, from 1."),
    });
    Value::Object(object(properties, &["level", "text", "line"]))
}

/// A heading as answers show it.
pub(super) fn heading(heading: &OutlineHeading) -> Value {
    json!({"level": heading.level, "text": heading.text, "line": heading.line})
}

fn run(call: &Call<'_>) -> Result<Answer, Failure> {
    answer(outline(call))
}

fn outline(call: &Call<'_>) -> Result<Value, Missed> {
    let depth = call.args.whole_in("maxDepth", 1..=MAX_DEPTH, DEFAULT_DEPTH)?;
    let mut budget = call.budget()?;
    let (id, shown) = collection(call)?;
    let page = document(call, id)?;
    let mut answer = Value::Object(shown.object(id));
    answer["document"] = page.file_path.as_str().into();
    answer["title"] = page.title.as_str().into();
    answer["outline"] = json!([]);
    put_version(&mut answer, &page);
    budget.spend(&answer);
    let outline = Outline::of(&page.text);
    let within = outline.headings().iter().filter(|heading| usize::from(heading.level) <= depth);
    let pieces = within.map(|one| Piece { object: heading(one), content: None }).collect();
    let state = Bound::default().with("document", &page.content_hash);
    let fitted = budget.fit(pieces, call.place(&state)?);
    answer["outline"] = fitted.pieces.into_iter().map(|(_, heading)| heading).collect();
    call.go_on_at(&mut answer, &state, fitted.rest)?;
    Ok(answer)
}
