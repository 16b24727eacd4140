//! Headings as plain text.
//!
//! Inline markup goes, its text stays. A trailing `{#custom-id}` becomes the anchor; this is done here
//! and not by the parser, which would also swallow the `{id}` of `## PUT /users/{id}`. A heading without
//! any text names nothing and is not a section boundary.

use std::ops::Range;

use pulldown_cmark::Event;

use crate::plain;

/// Longer headings are cut: breadcrumbs repeat them in every subsection.
const MAX_CHARS: usize = 200;

/// A top-level heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Heading {
    pub(crate) level: u8,
    pub(crate) text: String,
    pub(crate) anchor: Option<String>,
    /// From the start of its first line to the end of its last.
    pub(crate) bytes: Range<usize>,
}

/// Collects a heading's text from parser events.
#[derive(Debug, Default)]
pub(crate) struct HeadingText {
    text: String,
    /// Where the last code span ends: braces inside of it are not attributes.
    code_end: usize,
    /// What images in HTML say, for headings that are only a logo.
    alt: String,
}

impl HeadingText {
    pub(crate) fn push(&mut self, event: &Event<'_>) {
        match event {
            Event::Text(text) => self.text.push_str(text),
            Event::Code(code) => {
                self.text.push_str(code);
                self.code_end = self.text.len();
            }
            Event::SoftBreak | Event::HardBreak => self.text.push(' '),
            // `{{<note>}}` looks like HTML to a CommonMark parser.
            Event::InlineHtml(html) if self.text.ends_with("{{") => self.text.push_str(html),
            Event::InlineHtml(html) => {
                if let Some(alt) = plain::attribute(html, "alt") {
                    self.alt.push_str(alt);
                }
            }
            _ => {}
        }
    }

    /// The heading, or `None` when no text is left.
    pub(crate) fn finish(self, level: u8, bytes: Range<usize>) -> Option<Heading> {
        let (title, anchor) = split_attributes(&self.text, self.code_end);
        let mut text = collapse(&plain::without_shortcodes(title));
        if text.is_empty() {
            text = collapse(&self.alt);
        }
        (!text.is_empty()).then_some(Heading { level, text, anchor, bytes })
    }
}

/// Cuts `{#id .class}`, `{: #id}` and `{/* #id */}` off the end of a heading.
fn split_attributes(text: &str, code_end: usize) -> (&str, Option<String>) {
    let trimmed = text.trim_end();
    let unchanged = (text, None);
    let Some(inner_end) = trimmed.strip_suffix('}') else { return unchanged };
    let Some(open) = inner_end.rfind('{').filter(|&open| open >= code_end) else { return unchanged };
    let title = &trimmed[..open];
    let inner = inner_end[open + 1..].trim();
    let (inner, comment) = match inner.strip_prefix("/*").and_then(|inner| inner.strip_suffix("*/")) {
        Some(inner) => (inner, true),
        None => (inner.strip_prefix(':').unwrap_or(inner), false),
    };
    let is_attribute = |word: &str| {
        let name = word.strip_prefix(['#', '.']).unwrap_or_default();
        name.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '-') || word.contains('=')
    };
    let mut words = inner.split_whitespace().peekable();
    if title.trim().is_empty() || words.peek().is_none() || !(comment || words.all(is_attribute)) {
        return unchanged;
    }
    let anchor = inner.split_whitespace().find_map(|word| word.strip_prefix('#'));
    (title, anchor.filter(|anchor| !anchor.is_empty()).map(str::to_owned))
}

/// One space between words, no control characters, at most [`MAX_CHARS`] characters.
fn collapse(text: &str) -> String {
    let mut collapsed = String::with_capacity(text.len().min(MAX_CHARS * 4));
    let mut count = 0;
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()) {
        if !collapsed.is_empty() {
            collapsed.push(' ');
            count += 1;
        }
        for c in word.chars() {
            if count >= MAX_CHARS {
                collapsed.push('…');
                return collapsed;
            }
            collapsed.push(c);
            count += 1;
        }
    }
    collapsed
}
