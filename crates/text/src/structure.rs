//! The block structure of a body: its headings, and the places where it may be cut.
//!
//! pulldown-cmark does the reading. Only headings at the top level count: one inside a quote or a list
//! item is content. The parser's work on a line grows with the depth of the containers around it, so a
//! body that nests deeper than any author writes is read by the line scanner in `scan.rs` instead.

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use crate::comments::{self, HintComment};
use crate::headings::{Heading, HeadingText};
use crate::lines::LineIndex;
use crate::scan;

/// Headings, cuts and opaque ranges in document order, as bytes of the whole text.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Structure {
    pub(crate) headings: Vec<Heading>,
    pub(crate) cuts: Vec<Cut>,
    /// Code blocks, tables and HTML blocks: text that has lines but no sentences.
    pub(crate) opaque: Vec<Range<usize>>,
    /// Comments that speak to docent.
    pub(crate) hints: Vec<HintComment>,
}

/// A line start at which a block begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cut {
    pub(crate) offset: usize,
    /// False for blocks inside lists, quotes and tables.
    pub(crate) top_level: bool,
}

impl Structure {
    /// Reads `text[body_start..]`.
    pub(crate) fn read(text: &str, body_start: usize, lines: &LineIndex) -> Structure {
        let body = &text[body_start..];
        // The parser knows LF and CRLF only. Both line ends are one byte, so offsets stay as they are.
        let body = with_line_feeds(body);
        if scan::nests_too_deep(&body) {
            return scan::read(&body, body_start);
        }
        let mut reader = Reader { base: body_start, lines, line: 1, structure: Structure::default() };
        reader.read(&body);
        reader.structure
    }

    /// The same from its lines alone, in little memory.
    pub(crate) fn scan(text: &str, body_start: usize, _: &LineIndex) -> Structure {
        scan::read(&with_line_feeds(&text[body_start..]), body_start)
    }

    /// The cuts inside `bytes`, without one at its very start.
    pub(crate) fn cuts_within(&self, bytes: &Range<usize>) -> &[Cut] {
        let from = self.cuts.partition_point(|cut| cut.offset <= bytes.start);
        let to = self.cuts.partition_point(|cut| cut.offset < bytes.end);
        self.cuts.get(from..to).unwrap_or_default()
    }
}

/// `text` with every lone CR as LF; borrowed when there is none.
pub(crate) fn with_line_feeds(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let is_lone = |at: usize| bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n');
    if !text.contains('\r') || !(0..bytes.len()).any(is_lone) {
        return Cow::Borrowed(text);
    }
    let mut owned = String::with_capacity(text.len());
    let mut done = 0;
    for at in (0..bytes.len()).filter(|&at| is_lone(at)) {
        owned.push_str(&text[done..at]);
        owned.push('\n');
        done = at + 1;
    }
    owned.push_str(&text[done..]);
    Cow::Owned(owned)
}

struct Reader<'l> {
    base: usize,
    lines: &'l LineIndex,
    /// The line of the last cut; block starts come in order, so it only moves forward.
    line: usize,
    structure: Structure,
}

impl Reader<'_> {
    fn read(&mut self, body: &str) {
        let options = Options::ENABLE_TABLES
            | Options::ENABLE_STRIKETHROUGH
            | Options::ENABLE_TASKLISTS
            | Options::ENABLE_FOOTNOTES;
        let mut depth = 0usize;
        let mut open: Option<(HeadingText, u8, usize)> = None;
        for (event, range) in Parser::new_ext(body, options).into_offset_iter() {
            match event {
                Event::Start(tag) => {
                    self.enter(body, &tag, &range, depth == 0);
                    if depth == 0
                        && let Tag::Heading { level, .. } = tag
                    {
                        open =
                            Some((HeadingText::default(), level_number(level), self.line_start(range.start)));
                    }
                    depth += 1;
                }
                Event::End(tag) => {
                    depth = depth.saturating_sub(1);
                    if depth == 0
                        && matches!(tag, TagEnd::Heading(_))
                        && let Some((mut text, level, start)) = open.take()
                    {
                        text.drop_closing(body.get(range.clone()).unwrap_or_default());
                        let end = self.base + range.end;
                        self.structure.headings.extend(text.finish(level, start..end));
                    }
                }
                Event::Rule if depth == 0 => self.cut(range.start, true),
                event => {
                    if let Event::InlineHtml(_) = event {
                        self.hints(body, range);
                    }
                    if let Some((text, ..)) = &mut open {
                        text.push(&event);
                    }
                }
            }
        }
    }

    fn enter(&mut self, body: &str, tag: &Tag<'_>, range: &Range<usize>, top_level: bool) {
        if let Tag::HtmlBlock = tag {
            self.hints(body, range.clone());
        }
        match tag {
            Tag::CodeBlock(_) | Tag::Table(_) | Tag::HtmlBlock => {
                let start = self.line_start(range.start);
                self.structure.opaque.push(start..self.base + range.end);
                self.cut(range.start, top_level);
            }
            Tag::Paragraph
            | Tag::Heading { .. }
            | Tag::BlockQuote(_)
            | Tag::List(_)
            | Tag::Item
            | Tag::TableRow
            | Tag::FootnoteDefinition(_) => self.cut(range.start, top_level),
            _ => {}
        }
    }

    fn hints(&mut self, body: &str, range: Range<usize>) {
        let Some(html) = body.get(range.clone()).filter(|html| html.contains("mcp_")) else { return };
        let lines = self.lines;
        comments::collect(html, self.base + range.start, |byte| lines.line(byte), &mut self.structure.hints);
    }

    fn cut(&mut self, offset: usize, top_level: bool) {
        let offset = self.line_start(offset);
        if self.structure.cuts.last().is_none_or(|last| last.offset < offset) {
            self.structure.cuts.push(Cut { offset, top_level });
        }
    }

    /// The start of the line that holds the body's byte at `offset`.
    fn line_start(&mut self, offset: usize) -> usize {
        let offset = self.base + offset;
        if self.lines.start(self.line) > offset {
            self.line = self.lines.line(offset);
        }
        while self.line < self.lines.count() && self.lines.start(self.line + 1) <= offset {
            self.line += 1;
        }
        self.lines.start(self.line).max(self.base)
    }
}

fn level_number(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}
