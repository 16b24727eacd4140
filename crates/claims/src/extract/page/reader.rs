//! Turns what the parser reports into blocks and pieces.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd};

use super::{Block, Heading, Kind, Page, Piece, Table};
use crate::extract::paths::is_relative;

/// More pieces than this are not looked at.
const MAX_PIECES: usize = 200_000;

pub(super) struct Reader<'p, 't> {
    pub(super) page: &'p mut Page<'t>,
    base: usize,
    /// The block that is being read, and whether it has an end.
    block: Option<Range<usize>>,
    heading: Option<(usize, u8, String)>,
    row: Option<usize>,
    /// Bytes of an HTML block.
    html: Option<Range<usize>>,
    /// What stands between the tags of a component is Markdown, too.
    pub(super) is_mdx: bool,
    /// Inside of a link to somewhere in the repository.
    in_link: bool,
    /// Where the content of a `<code>` starts.
    code: Option<usize>,
    /// Inside of a fence, whose text is no prose.
    in_fence: bool,
}

impl<'p, 't> Reader<'p, 't> {
    pub(super) fn new(page: &'p mut Page<'t>, base: usize, is_mdx: bool) -> Self {
        Self {
            page,
            base,
            block: None,
            heading: None,
            row: None,
            html: None,
            is_mdx,
            in_link: false,
            code: None,
            in_fence: false,
        }
    }
}

impl Reader<'_, '_> {
    pub(super) fn read(&mut self, body: &str) {
        let options = Options::ENABLE_TABLES
            | Options::ENABLE_STRIKETHROUGH
            | Options::ENABLE_TASKLISTS
            | Options::ENABLE_FOOTNOTES;
        let parser = Parser::new_ext(body, options);
        let mut defined: Vec<(Range<usize>, String)> = parser
            .reference_definitions()
            .iter()
            .map(|(_, definition)| (self.in_text(definition.span.clone()), definition.dest.to_string()))
            .collect();
        for (event, bytes) in parser.into_offset_iter() {
            if self.page.pieces.len() >= MAX_PIECES {
                break;
            }
            let bytes = self.in_text(bytes);
            self.event(event, bytes);
        }
        self.end_block();
        defined.sort_by_key(|(span, _)| span.start);
        for (span, target) in defined {
            self.page.blocks.push(Block { bytes: span.clone(), is_prose: true });
            self.target(span, target, false);
        }
    }

    /// Front matter may hold tags with pictures and links.
    pub(super) fn front_matter(&mut self, bytes: Range<usize>) {
        if !bytes.is_empty() {
            self.page.blocks.push(Block { bytes: bytes.clone(), is_prose: false });
            self.attributes(bytes);
        }
    }

    fn in_text(&self, bytes: Range<usize>) -> Range<usize> {
        self.base + bytes.start..self.base + bytes.end
    }

    fn event(&mut self, event: Event<'_>, bytes: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, bytes),
            Event::End(tag) => self.end(tag, bytes),
            Event::Code(_) => {
                self.inline(&bytes);
                self.in_heading(&bytes, true);
                if let Some(inside) = inside_span(self.page.text, &bytes) {
                    self.piece(inside, Kind::Span);
                }
            }
            Event::Text(_) if self.in_fence => {}
            Event::Text(_) | Event::SoftBreak | Event::HardBreak => {
                self.inline(&bytes);
                self.in_heading(&bytes, false);
            }
            Event::InlineHtml(tag) => {
                self.inline(&bytes);
                if is_open(&tag, "code") {
                    self.code = Some(bytes.end);
                } else if let (Some(start), "</code>") = (self.code.take(), tag.as_ref()) {
                    self.coded(start..bytes.start);
                }
                self.attributes(bytes);
            }
            Event::Html(_) => match &mut self.html {
                Some(html) => html.end = bytes.end,
                None => self.html = Some(bytes),
            },
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>, bytes: Range<usize>) {
        match tag {
            Tag::Link { link_type, dest_url, .. } | Tag::Image { link_type, dest_url, .. }
                if matches!(link_type, LinkType::Inline) =>
            {
                self.inline(&bytes);
                let is_image = self.page.text.get(bytes.start..).is_some_and(|rest| rest.starts_with('!'));
                self.in_link |= !is_image && leads_to_file(&dest_url);
                self.target(bytes, dest_url.into_string(), is_image);
            }
            Tag::Link { dest_url, .. } => {
                self.in_link |= leads_to_file(&dest_url);
                self.inline(&bytes);
            }
            Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Image { .. } => self.inline(&bytes),
            Tag::Heading { level, .. } => {
                self.end_block();
                self.heading = Some((bytes.start, level_number(level), String::new()));
            }
            // A component's content is indented, and is no code.
            Tag::CodeBlock(CodeBlockKind::Indented) if self.is_mdx => {
                self.in_fence = true;
                self.end_block();
                self.page.blocks.push(Block { bytes: bytes.clone(), is_prose: false });
                self.codes(bytes.clone());
                self.between_tags(bytes);
            }
            Tag::CodeBlock(kind) => {
                self.in_fence = true;
                self.end_block();
                let language = match kind {
                    CodeBlockKind::Fenced(info) => language(&info),
                    CodeBlockKind::Indented => String::new(),
                };
                let inside = inside_fence(self.page.text, &bytes);
                self.page.blocks.push(Block { bytes, is_prose: false });
                self.piece(inside, Kind::Fence(language));
            }
            Tag::Table(_) => {
                self.end_block();
                self.page.tables.push(Table::default());
            }
            Tag::TableHead | Tag::TableRow => {
                self.end_block();
                // All cells are one sentence.
                self.page.blocks.push(Block { bytes, is_prose: true });
                self.row = Some(self.page.blocks.len() - 1);
                if !matches!(tag, Tag::TableHead)
                    && let Some(table) = self.page.tables.last_mut()
                {
                    table.rows.push(Vec::new());
                    table.blocks.push(self.page.blocks.len() - 1);
                }
            }
            Tag::TableCell => {
                if let Some(table) = self.page.tables.last_mut() {
                    table.rows.last_mut().unwrap_or(&mut table.head).push(bytes);
                }
            }
            Tag::HtmlBlock => {
                self.end_block();
                self.html = None;
            }
            _ => self.end_block(),
        }
    }

    fn end(&mut self, tag: TagEnd, bytes: Range<usize>) {
        match tag {
            TagEnd::Link => self.in_link = false,
            TagEnd::CodeBlock => self.in_fence = false,
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Image => {}
            TagEnd::TableCell => {}
            TagEnd::TableHead | TagEnd::TableRow => self.row = None,
            TagEnd::HtmlBlock => {
                if let Some(html) = self.html.take() {
                    self.page.blocks.push(Block { bytes, is_prose: false });
                    self.attributes(html.clone());
                    self.codes(html.clone());
                    self.between_tags(html);
                }
            }
            TagEnd::Heading(_) => {
                self.end_block();
                if let Some((start, level, text)) = self.heading.take() {
                    self.page.headings.push(Heading { start, level, text: text.trim().to_owned() });
                }
            }
            _ => self.end_block(),
        }
    }

    fn in_heading(&mut self, bytes: &Range<usize>, is_code: bool) {
        if let Some((_, _, text)) = &mut self.heading {
            let source = self.page.text.get(bytes.clone()).unwrap_or_default();
            text.push_str(if is_code { source.trim_matches('`') } else { source });
        }
    }

    /// Says that these bytes belong to the block that is being read.
    fn inline(&mut self, bytes: &Range<usize>) {
        if self.row.is_some() {
            return;
        }
        match &mut self.block {
            Some(block) => block.end = block.end.max(bytes.end),
            None => {
                self.block = Some(bytes.clone());
                self.page.blocks.push(Block { bytes: bytes.clone(), is_prose: true });
            }
        }
    }

    fn end_block(&mut self) {
        if let (Some(bytes), Some(block)) = (self.block.take(), self.page.blocks.last_mut()) {
            block.bytes = bytes;
        }
    }

    pub(super) fn piece(&mut self, bytes: Range<usize>, kind: Kind) {
        let block = self.row.unwrap_or(self.page.blocks.len().saturating_sub(1));
        let is_label = self.in_link && matches!(kind, Kind::Span);
        self.page.pieces.push(Piece { bytes, block, kind, is_label });
    }

    /// A link or image somewhere in `bytes`, near their end.
    fn target(&mut self, bytes: Range<usize>, target: String, is_image: bool) {
        // Only the end is looked at: links in images in links would otherwise be read again and again.
        let from = bytes.end.saturating_sub(target.len() * 3 + 300).max(bytes.start);
        let from = (from..bytes.end).find(|&at| self.page.text.is_char_boundary(at)).unwrap_or(bytes.end);
        let source = self.page.text.get(from..bytes.end).unwrap_or_default();
        // Behind the target there may be a title, with the same text.
        let open = source.rfind("](").unwrap_or(0);
        let behind = source.get(open..).and_then(|rest| rest.find(&target)).map(|at| open + at);
        if let Some(at) = behind.or_else(|| source.rfind(&target)).filter(|_| !target.is_empty()) {
            let start = from + at;
            let kind = if is_image { Kind::Image(target.clone()) } else { Kind::Link(target.clone()) };
            self.piece(start..start + target.len(), kind);
        }
    }
}

/// Whether a tag opens such an element.
pub(super) fn is_open(tag: &str, element: &str) -> bool {
    let rest = tag.strip_prefix('<').and_then(|rest| rest.strip_prefix(element));
    rest.is_some_and(|rest| rest.starts_with(['>', ' ']))
}

fn level_number(level: HeadingLevel) -> u8 {
    level as u8
}

/// The first word after the fence, without what generators append: `rust,ignore`, `{.python}`, `ts{1,3}`.
pub(super) fn language(info: &str) -> String {
    let info = info.trim().trim_start_matches(['{', '.']);
    let end = info
        .find(|c: char| !(c.is_alphanumeric() || matches!(c, '+' | '-' | '_' | '#')))
        .unwrap_or(info.len());
    info[..end].to_ascii_lowercase()
}

/// A span without its backticks and padding; `None` when it goes over a line's end.
fn inside_span(text: &str, bytes: &Range<usize>) -> Option<Range<usize>> {
    let source = text.get(bytes.clone())?;
    let ticks = source.bytes().take_while(|&byte| byte == b'`').count();
    let inside = source.get(ticks..source.len().checked_sub(ticks)?)?;
    let trimmed = inside.trim_start();
    let start = bytes.start + ticks + (inside.len() - trimmed.len());
    let trimmed = trimmed.trim_end();
    (!trimmed.is_empty() && !trimmed.contains('\n')).then(|| start..start + trimmed.len())
}

/// A code block without the lines of its fence.
fn inside_fence(text: &str, bytes: &Range<usize>) -> Range<usize> {
    let source = text.get(bytes.clone()).unwrap_or_default();
    let marker = source.trim_start().bytes().next().unwrap_or(b' ');
    if !matches!(marker, b'`' | b'~') {
        return bytes.clone();
    }
    let start = source.find('\n').map_or(source.len(), |at| at + 1);
    let inside = &source[start..];
    let last = inside.trim_end().rfind('\n').map_or(0, |at| at + 1);
    let closes = inside[last..].trim_matches([' ', '\t', '\r', '\n', '>']);
    let is_closed = closes.len() >= 3 && closes.bytes().all(|byte| byte == marker);
    let end = if is_closed { last } else { inside.len() };
    bytes.start + start..bytes.start + start + end
}

/// Whether a link leads to a file, here or at a host: then its label is no claim of its own.
fn leads_to_file(target: &str) -> bool {
    is_relative(target) || ["/blob/", "/tree/", "/src/branch/"].iter().any(|way| target.contains(way))
}
