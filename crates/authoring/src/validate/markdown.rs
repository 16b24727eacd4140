//! One pass over a page's Markdown: its links, its blocks, and headings that are no sections.

use std::collections::HashMap;
use std::ops::Range;

use docent_text::{Document, LineIndex};
use pulldown_cmark::{BrokenLink, Event, LinkType, Options, Parser, Tag, TagEnd};

/// What the pass finds.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) links: Vec<Link>,
    /// Blocks that have no smaller ones inside, with what they are.
    pub(crate) blocks: Vec<(Range<usize>, &'static str)>,
    /// Headings inside of quotes and lists.
    pub(crate) nested_headings: Vec<String>,
}

/// A link to somewhere in the documents, perhaps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Link {
    /// As it is written, entities aside.
    pub(crate) target: String,
    pub(crate) line: usize,
    /// Where the target is written, if that is at one place.
    pub(crate) bytes: Option<Range<usize>>,
}

/// Reads a page's body.
pub(crate) fn read(text: &str, document: &Document, lines: &LineIndex) -> Found {
    let mut found = Found::default();
    let base = document.body_start;
    let Some(body) = text.get(base..).filter(|body| !docent_text::nests_too_deep(body)) else { return found };
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES;
    let nothing = |_: BrokenLink<'_>| None;
    let parser = Parser::new_with_broken_link_callback(body, options, Some(nothing));
    // Where each target is defined; nowhere if that is at several places.
    let mut definitions: HashMap<String, Option<Range<usize>>> = HashMap::new();
    for (_, definition) in parser.reference_definitions().iter() {
        let place = definitions.entry(definition.dest.to_string());
        place.and_modify(|place| *place = None).or_insert_with(|| Some(definition.span.clone()));
    }
    let mut depth = 0usize;
    let mut heading: Option<String> = None;
    for (event, range) in parser.into_offset_iter() {
        match event {
            Event::Start(tag) => {
                match &tag {
                    Tag::Link { link_type, dest_url, .. } => {
                        let at = written(body, &range, *link_type, dest_url, &definitions);
                        found.links.push(Link {
                            target: dest_url.to_string(),
                            line: lines.line(base + range.start),
                            bytes: at.map(|at| base + at.start..base + at.end),
                        });
                    }
                    Tag::Heading { .. } if depth > 0 => heading = Some(String::new()),
                    _ => {}
                }
                if let Some(kind) = block(&tag) {
                    found.blocks.push((base + range.start..base + range.end, kind));
                }
                depth += 1;
            }
            Event::End(end) => {
                depth = depth.saturating_sub(1);
                if let TagEnd::Heading(_) = end {
                    found.nested_headings.extend(heading.take());
                }
            }
            Event::Text(text) | Event::Code(text) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&text);
                }
            }
            _ => {}
        }
    }
    found
}

fn block(tag: &Tag<'_>) -> Option<&'static str> {
    match tag {
        Tag::CodeBlock(_) => Some("code block"),
        Tag::Table(_) => Some("table"),
        Tag::Paragraph => Some("paragraph"),
        Tag::HtmlBlock => Some("HTML block"),
        _ => None,
    }
}

/// Where a target is written: in the link itself, or in the one definition that it refers to.
fn written(
    body: &str,
    range: &Range<usize>,
    link_type: LinkType,
    target: &str,
    definitions: &HashMap<String, Option<Range<usize>>>,
) -> Option<Range<usize>> {
    let within = match link_type {
        LinkType::Inline => {
            // The text of a link may hold its target too; what counts is the one after the last `](`.
            let source = body.get(range.clone())?;
            let open = source.rfind("](")?;
            range.start + open..range.end
        }
        LinkType::Reference | LinkType::Collapsed | LinkType::Shortcut => definitions.get(target)?.clone()?,
        _ => return None,
    };
    let source = body.get(within.clone())?;
    let at = source.find(target).filter(|_| !target.is_empty() && source.matches(target).count() == 1)?;
    Some(within.start + at..within.start + at + target.len())
}
