//! XML: one section for each element inside of the outermost one.

use super::MOST_SECTIONS;
use crate::document::Draft;
use crate::markdown::escape;
use crate::xml::{self, Element, Node};
use crate::{ConvertError, Converted, Format, Source, format};

/// Texts longer than this are not taken for names.
const LONGEST_NAME: usize = 80;

/// Converts a file; one with a document type declaration is refused.
pub(crate) fn convert(file: Source<'_>) -> Result<Converted, ConvertError> {
    let root = xml::parse(file.bytes, file.limits)?;
    let mut draft = Draft::default();
    draft.set_title(&name_of(&root).unwrap_or_else(|| format::file_name(file.name).to_owned()));
    let parts: Vec<&Element> = root.elements().collect();
    let has_sections = (2..=MOST_SECTIONS).contains(&parts.len())
        && parts.iter().any(|part| part.elements().next().is_some());
    if !has_sections {
        let mut out = String::new();
        write(&root, 0, &mut out);
        draft.code("xml", &out);
        return draft.finish(Format::Xml, file.limits);
    }
    let mut short = String::new();
    for part in parts {
        if part.elements().next().is_none() {
            write(part, 0, &mut short);
            continue;
        }
        end_short(&mut draft, &mut short);
        let label = match name_of(part) {
            Some(name) => format!("{} {name}", part.name()),
            None => part.name().to_owned(),
        };
        draft.origin(None, Some(&label));
        draft.heading(2, &escape(&label));
        let mut out = String::new();
        write(part, 0, &mut out);
        draft.code("xml", &out);
    }
    end_short(&mut draft, &mut short);
    draft.finish(Format::Xml, file.limits)
}

fn end_short(draft: &mut Draft, short: &mut String) {
    if !short.is_empty() {
        draft.code("xml", short);
        short.clear();
    }
}

/// What an element is called: an attribute or a short child that names it.
fn name_of(element: &Element) -> Option<String> {
    let by_attribute =
        ["name", "id", "key", "title"].iter().find_map(|name| element.attribute(name)).map(str::to_owned);
    let by_child = || {
        ["title", "name", "id", "artifactId"].iter().find_map(|name| element.child(name)).map(Element::text)
    };
    let name = by_attribute.or_else(by_child)?.split_whitespace().collect::<Vec<_>>().join(" ");
    (!name.is_empty() && name.chars().count() <= LONGEST_NAME).then_some(name)
}

/// Writes an element, indented unless text and elements are mixed in it.
fn write(element: &Element, depth: usize, out: &mut String) {
    // Deep trees would be mostly indentation.
    let indent = "  ".repeat(depth.min(20));
    out.push_str(&indent);
    let has_text =
        element.children.iter().any(|node| matches!(node, Node::Text(text) if !text.trim().is_empty()));
    if has_text || element.children.is_empty() {
        write_inline(element, out);
        out.push('\n');
        return;
    }
    open(element, out);
    out.push_str(">\n");
    for inner in element.elements() {
        write(inner, depth + 1, out);
    }
    out.push_str(&format!("{indent}</{}>\n", element.name()));
}

fn write_inline(element: &Element, out: &mut String) {
    open(element, out);
    if element.children.is_empty() {
        out.push_str("/>");
        return;
    }
    out.push('>');
    for node in &element.children {
        match node {
            Node::Text(text) => out.push_str(&escaped(text)),
            Node::Element(inner) => write_inline(inner, out),
        }
    }
    out.push_str(&format!("</{}>", element.name()));
}

fn open(element: &Element, out: &mut String) {
    out.push('<');
    out.push_str(element.name());
    for (name, value) in element.attributes().filter(|(name, _)| !name.starts_with("xmlns")) {
        out.push_str(&format!(" {name}=\"{}\"", escaped(value).replace('"', "&quot;")));
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}
