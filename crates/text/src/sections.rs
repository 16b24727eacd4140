//! Sections: a heading and the text up to the next one.
//!
//! A section has two names. Its id, `retries/backoff-strategy`, is built from slugs and stays unique by
//! `-2`; its breadcrumb, `Retries > Backoff strategy`, is built from the headings and stays unique by
//! ` [2]`. Both follow the real hierarchy: the parent is the nearest earlier heading of a lower level.

use std::collections::HashMap;
use std::ops::Range;

use crate::document::Warning;
use crate::headings::Heading;
use crate::lines::{LineIndex, LineRange};
use crate::plain;
use crate::slug::SlugScopes;

/// More headings than this in one file stay text: each costs its whole breadcrumb in memory.
const MAX_SECTIONS: usize = 100_000;

/// The breadcrumb of text that no heading stands above.
pub(crate) const ROOT: &str = "(root)";

/// What one heading owns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The heading's plain text; empty for the text before the first heading.
    pub heading: String,
    /// 1-6; 0 for the text before the first heading.
    pub level: u8,
    /// `A > B > C`, unique in the file; `(root)` at level 0.
    pub breadcrumb: String,
    /// The headings from the outermost to this one; empty at level 0.
    pub path: Vec<String>,
    /// The part of a chunk id after `#`; empty in a document without headings.
    pub id: String,
    /// The id that the author gave the heading, as in `## Title {#id}`.
    pub anchor: Option<String>,
    /// The section that this one is in.
    pub parent: Option<usize>,
    /// Its own text: from the heading's line to the next heading of any level.
    pub bytes: Range<usize>,
    /// Where the text below the heading starts.
    pub body_start: usize,
    /// Where its last subsection ends.
    pub subtree_end: usize,
    /// The lines of `bytes`.
    pub lines: LineRange,
    /// Whether there is anything to read below the heading, markup aside.
    pub has_body: bool,
}

/// Cuts the body at its headings. There is always at least one section.
pub(crate) fn build(
    text: &str,
    body_start: usize,
    headings: &[Heading],
    lines: &LineIndex,
    warnings: &mut Vec<Warning>,
) -> Vec<Section> {
    let headings = limit(headings, lines, warnings);
    let mut sections = Vec::with_capacity(headings.len() + 1);
    let first = headings.first().map_or(text.len(), |heading| heading.bytes.start);
    let root_start = skip_blank_lines(text, body_start, first);
    if headings.is_empty() || root_start < first {
        let id = if headings.is_empty() { "" } else { "_preamble" };
        sections.push(root(text, root_start..first, id, lines));
    }
    let offset = sections.len();

    let mut scopes = SlugScopes::default();
    let mut open: Vec<usize> = Vec::new();
    for (index, heading) in headings.iter().enumerate() {
        let end = headings.get(index + 1).map_or(text.len(), |next| next.bytes.start);
        while let Some(&last) = open.last() {
            if sections[last].level < heading.level {
                break;
            }
            sections[last].subtree_end = heading.bytes.start;
            open.pop();
        }
        let parent = open.last().copied();
        let own = scopes.take(parent, &heading.text);
        let (path, id) = match parent {
            Some(parent) => {
                let mut path = sections[parent].path.clone();
                path.push(heading.text.clone());
                (path, format!("{}/{own}", sections[parent].id))
            }
            None => (vec![heading.text.clone()], own),
        };
        let bytes = heading.bytes.start..end;
        let body_start = heading.bytes.end.clamp(bytes.start, bytes.end);
        sections.push(Section {
            heading: heading.text.clone(),
            level: heading.level,
            breadcrumb: path.join(" > "),
            path,
            id,
            anchor: heading.anchor.clone(),
            parent,
            lines: lines.range(&bytes),
            has_body: plain::has_words(&text[body_start..end]),
            body_start,
            subtree_end: text.len(),
            bytes,
        });
        open.push(offset + index);
    }
    number_breadcrumbs(&mut sections);
    sections
}

fn root(text: &str, bytes: Range<usize>, id: &str, lines: &LineIndex) -> Section {
    Section {
        heading: String::new(),
        level: 0,
        breadcrumb: ROOT.to_owned(),
        path: Vec::new(),
        id: id.to_owned(),
        anchor: None,
        parent: None,
        body_start: bytes.start,
        subtree_end: bytes.end,
        lines: lines.range(&bytes),
        has_body: plain::has_words(&text[bytes.clone()]),
        bytes,
    }
}

fn limit<'h>(headings: &'h [Heading], lines: &LineIndex, warnings: &mut Vec<Warning>) -> &'h [Heading] {
    if let Some(extra) = headings.get(MAX_SECTIONS) {
        let line = lines.line(extra.bytes.start);
        let message = format!("more than {MAX_SECTIONS} headings; from here on they are part of the text");
        warnings.push(Warning { line, message });
    }
    headings.get(..MAX_SECTIONS).unwrap_or(headings)
}

/// The start of the first line in `from..to` that is not blank, or `to`.
fn skip_blank_lines(text: &str, from: usize, to: usize) -> usize {
    let body = &text[from..to];
    let Some(word) = body.find(|c: char| !c.is_whitespace()) else { return to };
    from + body[..word].rfind(['\n', '\r']).map_or(0, |newline| newline + 1)
}

/// Gives the second section with the same breadcrumb ` [2]`, the third ` [3]`.
fn number_breadcrumbs(sections: &mut [Section]) {
    let mut next: HashMap<String, u32> = HashMap::with_capacity(sections.len());
    for section in sections {
        let Some(&first) = next.get(&section.breadcrumb) else {
            next.insert(section.breadcrumb.clone(), 2);
            continue;
        };
        let mut number = first;
        loop {
            let candidate = format!("{} [{number}]", section.breadcrumb);
            number += 1;
            if !next.contains_key(&candidate) {
                next.insert(std::mem::replace(&mut section.breadcrumb, candidate.clone()), number);
                next.insert(candidate, 2);
                break;
            }
        }
    }
}
