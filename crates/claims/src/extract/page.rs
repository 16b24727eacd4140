//! A page as the extractors see it: code spans, links, fences, table rows and runs of prose, each with its exact bytes.
//!
//! pulldown-cmark reads the page with the options that the index uses. What is inline is grouped into blocks (a paragraph,
//! an item, a row of a table), because a sentence does not go beyond its block. Comments, raw HTML and front matter hold
//! no prose; of HTML only `src` and `href` are looked at.

use std::ops::Range;

use docent_text::LineIndex;
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd};

use super::admonitions;
use super::html;
use super::paths::is_relative;

/// Pages beyond this are data that somebody gave the ending of a document.
const MAX_BYTES: usize = 4 << 20;
/// More pieces than this are not looked at.
const MAX_PIECES: usize = 200_000;

pub(super) struct Page<'t> {
    pub(super) text: &'t str,
    pub(super) lines: LineIndex,
    pub(super) headings: Vec<Heading>,
    pub(super) blocks: Vec<Block>,
    pub(super) pieces: Vec<Piece>,
    pub(super) tables: Vec<Table>,
}

pub(super) struct Heading {
    pub(super) start: usize,
    pub(super) level: u8,
    pub(super) text: String,
}

/// What a sentence cannot go beyond.
pub(super) struct Block {
    pub(super) bytes: Range<usize>,
    /// Its headings are its own words; the text of a fence is none.
    pub(super) is_prose: bool,
}

/// Something that may hold claims.
pub(super) struct Piece {
    /// Of a span and a fence what is inside, of a link the target as written.
    pub(super) bytes: Range<usize>,
    pub(super) block: usize,
    pub(super) kind: Kind,
    /// It is the label of a link to somewhere in the repository.
    pub(super) is_label: bool,
}

pub(super) enum Kind {
    Span,
    /// The target with entities and escapes resolved.
    Link(String),
    Image(String),
    /// The language in lower case; empty without one.
    Fence(String),
}

/// A table: the cells of its head and its rows, by their bytes.
#[derive(Default)]
pub(super) struct Table {
    pub(super) head: Vec<Range<usize>>,
    pub(super) rows: Vec<Vec<Range<usize>>>,
    /// The block of each row.
    pub(super) blocks: Vec<usize>,
}

impl<'t> Page<'t> {
    pub(super) fn read(path: &str, text: &'t str) -> Self {
        let mut page = Self {
            text,
            lines: LineIndex::new(text),
            headings: Vec::new(),
            blocks: Vec::new(),
            pieces: Vec::new(),
            tables: Vec::new(),
        };
        let start = docent_text::parse_bounded(path, text, 1).body_start;
        let body = text.get(start..).unwrap_or_default();
        // Nobody wrote such a page, and the parser would take long over it.
        if body.len() > MAX_BYTES || docent_text::nests_too_deep(body) {
            return page;
        }
        // Some generators read every page as MDX; a component gives them away.
        let is_component = |line: &str| {
            let tag = line.trim_start().strip_prefix('<');
            tag.is_some_and(|tag| tag.starts_with(|c: char| c.is_ascii_uppercase()))
        };
        let is_mdx = path.ends_with(".mdx") || body.lines().any(is_component);
        let mut reader = Reader::new(&mut page, start, is_mdx);
        reader.front_matter(0..start);
        reader.read(&admonitions::as_items(body));
        for (at, target) in html::required(body) {
            reader.required(start + at.start..start + at.end, target);
        }
        page.pieces.sort_by_key(|piece| piece.bytes.start);
        page
    }

    /// The source of some bytes.
    pub(super) fn source(&self, bytes: &Range<usize>) -> &'t str {
        self.text.get(bytes.clone()).unwrap_or_default()
    }

    /// The nearest heading above a byte.
    pub(super) fn heading(&self, at: usize) -> Option<&Heading> {
        self.headings.get(self.headings.partition_point(|heading| heading.start <= at).checked_sub(1)?)
    }
}

struct Reader<'p, 't> {
    page: &'p mut Page<'t>,
    base: usize,
    /// The block that is being read, and whether it has an end.
    block: Option<Range<usize>>,
    heading: Option<(usize, u8, String)>,
    row: Option<usize>,
    /// Bytes of an HTML block.
    html: Option<Range<usize>>,
    /// What stands between the tags of a component is Markdown, too.
    is_mdx: bool,
    /// Inside of a link to somewhere in the repository.
    in_link: bool,
    /// Where the content of a `<code>` starts.
    code: Option<usize>,
}

impl<'p, 't> Reader<'p, 't> {
    fn new(page: &'p mut Page<'t>, base: usize, is_mdx: bool) -> Self {
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
        }
    }
}

impl Reader<'_, '_> {
    fn read(&mut self, body: &str) {
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
    fn front_matter(&mut self, bytes: Range<usize>) {
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
                self.in_link |= !is_image && is_relative(&dest_url);
                self.target(bytes, dest_url.into_string(), is_image);
            }
            Tag::Link { dest_url, .. } => {
                self.in_link |= is_relative(&dest_url);
                self.inline(&bytes);
            }
            Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Image { .. } => self.inline(&bytes),
            Tag::Heading { level, .. } => {
                self.end_block();
                self.heading = Some((bytes.start, level_number(level), String::new()));
            }
            // A component's content is indented, and is no code.
            Tag::CodeBlock(CodeBlockKind::Indented) if self.is_mdx => {
                self.end_block();
                self.between_tags(bytes);
            }
            Tag::CodeBlock(kind) => {
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
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Image => {}
            TagEnd::TableCell => {}
            TagEnd::TableHead | TagEnd::TableRow => self.row = None,
            TagEnd::HtmlBlock => {
                if let Some(html) = self.html.take() {
                    self.page.blocks.push(Block { bytes, is_prose: false });
                    self.attributes(html.clone());
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

    fn piece(&mut self, bytes: Range<usize>, kind: Kind) {
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
        if let Some(at) = source.rfind(&target).filter(|_| !target.is_empty()) {
            let start = from + at;
            let kind = if is_image { Kind::Image(target.clone()) } else { Kind::Link(target.clone()) };
            self.piece(start..start + target.len(), kind);
        }
    }

    /// The lines of a component that are not tags. Fences are found here, because the parser does not know how deep a
    /// component's content is indented.
    fn between_tags(&mut self, html: Range<usize>) {
        if !self.is_mdx {
            return;
        }
        let text = self.page.text;
        let mut at = html.start;
        let mut run: Option<Range<usize>> = None;
        let mut fence: Option<(usize, String)> = None;
        for line in text.get(html).unwrap_or_default().split_inclusive('\n').chain(["<"]) {
            let (line_start, content) = (at, line.trim());
            at += line.len();
            if let Some((inside, language)) = fence.take_if(|_| content.starts_with("```")) {
                self.page.blocks.push(Block { bytes: inside..line_start, is_prose: false });
                self.piece(inside..line_start, Kind::Fence(language));
                continue;
            }
            if fence.is_some() {
                continue;
            }
            let is_tag =
                content.starts_with(['<', '{', '}', '/', '>']) || content.ends_with(['>', '{', '(', ';']);
            if let Some(info) = content.strip_prefix("```") {
                fence = Some((at, language(info)));
            } else if !is_tag && !content.is_empty() {
                let start = line_start + (line.len() - line.trim_start().len());
                run.get_or_insert(start..at).end = at;
                continue;
            }
            if let Some(run) = run.take() {
                let inside = text.get(run.clone()).unwrap_or_default();
                Reader::new(self.page, run.start, false).read(inside);
            }
        }
    }

    /// A file that a component gets: `src={require('./image.png')}`, where the parser sees no tag.
    fn required(&mut self, at: Range<usize>, target: &str) {
        let holds = |block: &Block| block.bytes.start <= at.start && at.end <= block.bytes.end;
        match self.page.blocks.iter().position(holds) {
            Some(block) if !self.page.blocks.get(block).is_some_and(|block| block.is_prose) => {}
            Some(block) => {
                let kind = Kind::Image(target.to_owned());
                self.page.pieces.push(Piece { bytes: at, block, kind, is_label: false });
            }
            None => {}
        }
    }

    /// What stands between `<code>` and `</code>`, when it is as plain as a span.
    fn coded(&mut self, bytes: Range<usize>) {
        let source = self.page.text.get(bytes.clone()).unwrap_or_default();
        let (start, trimmed) = (bytes.start + (source.len() - source.trim_start().len()), source.trim());
        if !trimmed.is_empty() && !trimmed.contains(['\n', '<', '&', '`']) {
            self.piece(start..start + trimmed.len(), Kind::Span);
        }
    }

    fn attributes(&mut self, bytes: Range<usize>) {
        for (at, is_image) in html::targets(self.page.text, bytes) {
            let target = self.page.text.get(at.clone()).unwrap_or_default().to_owned();
            self.piece(at, if is_image { Kind::Image(target) } else { Kind::Link(target) });
        }
    }
}

/// Whether a tag opens such an element.
fn is_open(tag: &str, element: &str) -> bool {
    let rest = tag.strip_prefix('<').and_then(|rest| rest.strip_prefix(element));
    rest.is_some_and(|rest| rest.starts_with(['>', ' ']))
}

fn level_number(level: HeadingLevel) -> u8 {
    level as u8
}

/// The first word after the fence, without what generators append: `rust,ignore`, `{.python}`, `ts{1,3}`.
fn language(info: &str) -> String {
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
