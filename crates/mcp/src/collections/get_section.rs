//! `documents_get_section`: one section of a document, by its heading.

use docent_engine::Bound;
use docent_text::{Outline, Reach};
use rmcp::model::JsonObject;
use serde_json::{Value, json};

use super::get_outline::{heading, heading_schema};
use super::{
    Missed, about_document, answer, collection, collection_parameter, document, document_parameter, line,
    put_version, required, with_content,
};
use crate::call::{Answer, Call, Failure, Told};
use crate::facets::Facets;
use crate::schema::{arguments, cursor, integer, list, max_chars, text};
use crate::table::{Effect, ToolSpec, Toolset};

/// How many of the other headings that match are named.
const MAX_OTHERS: usize = 10;
/// How many headings are named when none is like the one that was asked for.
const MAX_FIRST: usize = 5;

pub(crate) const TOOL: ToolSpec = ToolSpec {
    name: "documents_get_section",
    toolset: Toolset::Collections,
    effect: Effect::Reads,
    title: "Read a section of a document",
    description: "Gets one section of a document by its heading, without fetching the rest. The heading may be given in part \
and in any letter case; one that is exactly it wins, else the first in the document, and `otherMatches` names the others. Use it when you \
know which section you need: headings come from documents_get_outline and from the `sectionHeading` of documents_search. For the \
whole document use documents_get_document.",
    input,
    output,
    run,
};

fn input(_: &Facets) -> JsonObject {
    arguments(
        json!({
            "collection": collection_parameter(),
            "document": document_parameter(),
            "section": text("Section heading text to match, e.g. `Backoff`."),
            "line": {
                "type": "integer", "minimum": 1,
                "description": "Line of the heading, to choose between several that match.",
            },
            "includeSubsections": {
                "type": "boolean", "default": true,
                "description": "Include nested subsections.",
            },
            "max_chars": max_chars(),
            "cursor": cursor(),
        }),
        &["collection", "document", "section"],
    )
}

fn output() -> JsonObject {
    about_document(json!({
        "section": text("The heading that matched."),
        "level": integer("Its level, 1 to 6."),
        "content": text("The section with its heading line, exactly as it stands in the document."),
        "startLine": integer("First line of `content` in the document, from 1."),
        "endLine": integer("Last line of `content` in the document, inclusive."),
        "otherMatches": list("Other headings that match; choose one with `line`. The first ten.", heading_schema()),
    }))
}

fn run(call: &Call<'_>) -> Result<Answer, Failure> {
    answer(section(call))
}

fn section(call: &Call<'_>) -> Result<Value, Missed> {
    let wanted = required(call, "section", "a heading or a part of one, from documents_get_outline")?;
    let at_line = heading_line(call)?;
    let reach = match call.args.flag("includeSubsections", true)? {
        true => Reach::WithSubsections,
        false => Reach::Own,
    };
    let (id, shown) = collection(call)?;
    let page = document(call, id)?;
    let outline = Outline::of(&page.text);
    let headings = outline.headings();
    let found = outline.find(wanted);
    let line_of = |at: usize| headings.get(at).map(|heading| heading.line);
    let is_meant = |at: &&usize| at_line.is_none() || at_line == line_of(**at);
    let missing = || no_section(call, wanted, &outline);
    let at = *found.iter().find(is_meant).ok_or_else(missing)?;
    let (Some(matched), Some(extent)) = (headings.get(at), outline.section(at, reach)) else {
        return Err(missing());
    };

    let mut answer = Value::Object(shown.object(id));
    answer["document"] = page.file_path.as_str().into();
    answer["section"] = matched.text.as_str().into();
    answer["level"] = matched.level.into();
    answer["content"] = "".into();
    answer["startLine"] = extent.lines.start.into();
    answer["endLine"] = extent.lines.end.into();
    let others = found.iter().filter(|other| **other != at).filter_map(|other| headings.get(*other));
    let others: Vec<Value> = others.take(MAX_OTHERS).map(heading).collect();
    if !others.is_empty() {
        answer["otherMatches"] = others.into();
    }
    put_version(&mut answer, &page);
    let content = page.text.get(extent.bytes).unwrap_or_default().to_owned();
    let state = Bound::default().with("document", &page.content_hash);
    with_content(call, answer, content, &state)
}

fn heading_line(call: &Call<'_>) -> Result<Option<usize>, Failure> {
    match call.args.whole("line")? {
        Some(line) if line < 1 => Err(Failure::told(format!(
            "line must be a whole number of 1 or more, not {line}. Take it from documents_get_outline or leave it out."
        ))),
        line => Ok(line.map(|line| usize::try_from(line).unwrap_or(usize::MAX))),
    }
}

fn no_section(call: &Call<'_>, wanted: &str, outline: &Outline) -> Missed {
    let texts = || outline.headings().iter().map(|heading| heading.text.as_str());
    let mut near = docent_text::near(wanted, texts());
    if near.is_empty() {
        near = texts().take(MAX_FIRST).collect();
    }
    let next = match near.as_slice() {
        [] => "It has no headings; documents_get_document reads all of it.".to_owned(),
        near => format!("Closest headings: {}.", near.join("; ")),
    };
    let document = call.args.text("document").ok().flatten().map(line).unwrap_or_default();
    let message = format!("Section \"{}\" not found in document \"{document}\".", line(wanted));
    Missed::Told(Told { message, hint: next })
}
