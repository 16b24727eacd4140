//! Lines become blocks: headings, paragraphs, list items, code and tables.
//!
//! Each block keeps the page of each of its lines. A paragraph that runs over a page has one line of Markdown per page.

use super::headings::{Headings, has_leader};
use super::inline::join_line;
use super::layout::Line;
use super::lines::{Piece, Span};
use super::lists::{Marker, marker};
use super::words::Words;

/// So many rows without a table are no table at all.
const STREWN: usize = 48;

/// A block of Markdown to be.
#[derive(Debug)]
pub(super) enum Block {
    Heading { level: usize, page: u32, spans: Vec<Span> },
    Paragraph { parts: Vec<(u32, Vec<Span>)> },
    Item { depth: usize, marker: String, parts: Vec<(u32, Vec<Span>)> },
    Code { lines: Vec<CodeLine> },
    Table { rows: Vec<(u32, Vec<Vec<Span>>)> },
}

/// A line of code, still with its place.
#[derive(Debug)]
pub(super) struct CodeLine {
    pub(super) page: u32,
    pub(super) x0: f32,
    /// The width of one character.
    pub(super) cell: f32,
    pub(super) text: String,
    /// Empty lines before it.
    pub(super) blanks: usize,
}

/// Puts the lines of a document together.
pub(super) struct Builder<'d> {
    pub(super) headings: &'d Headings,
    pub(super) words: &'d Words,
    /// Whether a monospaced font means code; in a document that is set in one it does not.
    pub(super) mono_is_code: bool,
    pub(super) blocks: Vec<Block>,
    /// Where the text of the open paragraph or item starts, and the last line of it.
    open: Option<Open>,
    /// Left edges of the list items that are open.
    item_edges: Vec<f32>,
    /// The item of the structure tree that was last begun.
    tagged: Option<usize>,
}

struct Open {
    x0: f32,
    y: f32,
    x1: f32,
    size: f32,
    page: u32,
    lines: usize,
    ends_sentence: bool,
}

impl<'d> Builder<'d> {
    pub(super) fn new(headings: &'d Headings, words: &'d Words, mono_is_code: bool) -> Self {
        Builder {
            headings,
            words,
            mono_is_code,
            blocks: Vec::new(),
            open: None,
            item_edges: Vec::new(),
            tagged: None,
        }
    }

    /// Takes the lines of a page; `tables` are its ruled tables.
    pub(super) fn page(&mut self, lines: &[Line], tables: &mut [Option<Vec<Vec<Vec<Span>>>>]) {
        let mut at = 0;
        let mut tables_from = 0;
        while let Some(line) = lines.get(at) {
            if let Some(table) = line.pieces.first().and_then(|piece| piece.table) {
                if let Some(rows) = tables.get_mut(table).and_then(Option::take) {
                    self.table(rows.into_iter().map(|row| (line.page, row)).collect());
                }
                at += 1;
                continue;
            }
            let found = (at >= tables_from).then(|| {
                super::aligned::table_at(lines.get(at..).unwrap_or_default(), self.words, |line| {
                    self.is_code(line) || self.headings.level_of(line).is_some()
                })
            });
            match found {
                Some(Ok((rows, length))) => {
                    self.table(rows);
                    at += length;
                    continue;
                }
                // Text that is strewn over the page looks like rows; each of its lines must not look at all others again.
                Some(Err(looked)) if looked >= STREWN => tables_from = at + looked / 2,
                _ => {}
            }
            self.line(line);
            at += 1;
        }
    }

    fn table(&mut self, rows: Vec<(u32, Vec<Vec<Span>>)>) {
        self.open = None;
        self.item_edges.clear();
        let columns = |rows: &[(u32, Vec<Vec<Span>>)]| rows.first().map(|(_, row)| row.len());
        let page = rows.first().map(|(page, _)| *page);
        // A table that goes on at the top of the next page is one table.
        if let Some(Block::Table { rows: before }) = self.blocks.last_mut()
            && columns(before) == columns(&rows)
            && before.last().map(|(page, _)| page + 1) == page
        {
            let is_head_again = match (before.first(), rows.first()) {
                (Some((_, old)), Some((_, new))) => plain_row(old) == plain_row(new),
                _ => false,
            };
            before.extend(rows.into_iter().skip(usize::from(is_head_again)));
            return;
        }
        self.blocks.push(Block::Table { rows });
    }

    fn is_code(&self, line: &Line) -> bool {
        self.mono_is_code && line.is_all(|style| style.mono)
    }

    fn line(&mut self, line: &Line) {
        let level = self.headings.level_of(line).or_else(|| self.level_of_rest(line));
        if let Some(level) = level {
            self.heading(level, line);
            return;
        }
        let text = line.text();
        if has_leader(&text) {
            self.contents_entry(line);
            return;
        }
        let mark = marker(&text);
        if let Some(item) = line.tagged_item
            && self.tagged != Some(item.id)
        {
            // Browsers draw bullets as shapes: the structure tree alone knows where an item starts.
            self.tagged = Some(item.id);
            let drawn = Marker { markdown: "-".to_owned(), length: 0 };
            self.item(line, &mark.unwrap_or(drawn));
            if let Some(Block::Item { depth, .. }) = self.blocks.last_mut() {
                *depth = item.depth - 1;
            }
            return;
        }
        if self.is_code(line) && mark.as_ref().is_none_or(|mark| mark.markdown != "-") && !self.flows_on(line)
        {
            self.code(line);
            return;
        }
        if let Some(mark) = mark
            && (mark.markdown.starts_with('-') || !self.flows_on(line))
        {
            self.item(line, &mark);
            return;
        }
        if self.continues(line) {
            self.append(line);
        } else {
            self.paragraph(line);
        }
    }

    /// The level of the heading that goes on in this line: a bold line right below another one does not stand alone.
    fn level_of_rest(&self, line: &Line) -> Option<usize> {
        let (Block::Heading { level, page, spans }, open) = (self.blocks.last()?, self.open.as_ref()?) else {
            return None;
        };
        let is_below = *page == line.page && line.y > open.y && line.y - open.y < 1.5 * line.size;
        let is_alike = (line.size - open.size).abs() < 0.05 * line.size
            && line.pieces.len() == 1
            && line.is_all(|style| style.bold)
            && spans.iter().all(|span| span.style.bold);
        let is_short = line.text().split_whitespace().count() <= 14 && marker(&line.text()).is_none();
        // A heading whose first line has room for more was not broken.
        let is_full = open.x1 > line.region.1 - 0.5 * (line.region.1 - line.region.0);
        (is_below && is_alike && is_short && is_full && !open.ends_sentence).then_some(*level)
    }

    fn heading(&mut self, level: usize, line: &Line) {
        // A heading of two lines.
        if let (Some(Block::Heading { level: above, page, spans }), Some(open)) =
            (self.blocks.last_mut(), &self.open)
            && *above == level
            && *page == line.page
            && line.y > open.y
            && line.y - open.y < 1.5 * line.size
            && (line.size - open.size).abs() < 0.05 * line.size
        {
            join_line(spans, line.spans(), self.words);
        } else {
            self.item_edges.clear();
            self.blocks.push(Block::Heading { level, page: line.page, spans: line.spans() });
        }
        self.open(line);
    }

    /// A line of a table of contents: its dots become one sign.
    fn contents_entry(&mut self, line: &Line) {
        let text = line.text();
        let title: String = text
            .trim_end_matches(|char: char| char.is_ascii_digit() || matches!(char, '.' | ' ' | '·'))
            .into();
        let number = text.rsplit(['.', ' ', '·']).next().unwrap_or_default();
        let mut spans = line.spans();
        spans.truncate(1);
        if let Some(span) = spans.first_mut() {
            span.text = if number.is_empty() { title } else { format!("{title} … {number}") };
            span.style = super::font::Style::default();
        }
        let depth = self.depth_at(line.x0);
        self.blocks.push(Block::Item { depth, marker: "-".to_owned(), parts: vec![(line.page, spans)] });
        self.open = None;
    }

    fn item(&mut self, line: &Line, mark: &Marker) {
        let mut spans = line.spans();
        let mut cut = mark.length;
        while cut > 0
            && let Some(span) = spans.first_mut()
        {
            let count = span.text.chars().count();
            if count > cut {
                span.text = span.text.chars().skip(cut).collect();
                break;
            }
            cut -= count;
            spans.remove(0);
        }
        if let Some(span) = spans.first_mut() {
            span.text = span.text.trim_start().to_owned();
        }
        let depth = self.depth_at(line.x0);
        self.blocks.push(Block::Item {
            depth,
            marker: mark.markdown.clone(),
            parts: vec![(line.page, spans)],
        });
        self.open(line);
    }

    fn depth_at(&mut self, x: f32) -> usize {
        while self.item_edges.last().is_some_and(|edge| *edge > x + 3.0) {
            self.item_edges.pop();
        }
        if self.item_edges.last().is_none_or(|edge| *edge < x - 3.0) {
            self.item_edges.push(x);
        }
        self.item_edges.len() - 1
    }

    fn code(&mut self, line: &Line) {
        let text = line.pieces.iter().map(Piece::text).collect::<Vec<_>>().join("  ");
        let cell = (line.x1 - line.x0) / (text.chars().count().max(1) as f32);
        let mut blanks = 0;
        let mut is_new = true;
        if let (Some(Block::Code { lines }), Some(open)) = (self.blocks.last(), &self.open)
            && !lines.is_empty()
        {
            let leading = line.leading.min(1.6 * line.size).max(0.8 * line.size);
            let steps = ((line.y - open.y) / leading).round();
            let is_next_page = line.page == open.page + 1;
            is_new = !(is_next_page || (line.page == open.page && (0.0..=3.0).contains(&steps)));
            blanks = if is_next_page { 0 } else { (steps.max(1.0) as usize).saturating_sub(1).min(2) };
        }
        let new = CodeLine { page: line.page, x0: line.x0, cell, text, blanks };
        match self.blocks.last_mut() {
            Some(Block::Code { lines }) if !is_new => lines.push(new),
            _ => self.blocks.push(Block::Code { lines: vec![CodeLine { blanks: 0, ..new }] }),
        }
        self.open(line);
    }

    fn paragraph(&mut self, line: &Line) {
        let is_inside_item = self.item_edges.last().is_some_and(|edge| line.x0 > edge + 3.0);
        if !is_inside_item {
            self.item_edges.clear();
        }
        self.blocks.push(Block::Paragraph { parts: vec![(line.page, line.spans())] });
        self.open(line);
    }

    fn append(&mut self, line: &Line) {
        if let Some(Block::Paragraph { parts } | Block::Item { parts, .. }) = self.blocks.last_mut() {
            match parts.last_mut() {
                Some((page, spans)) if *page == line.page => join_line(spans, line.spans(), self.words),
                _ => self.append_on_next_page(line),
            }
        }
        let lines = self.open.as_ref().map_or(0, |open| open.lines);
        self.open(line);
        if let Some(open) = &mut self.open {
            open.lines = lines + 1;
        }
    }

    /// The rest of a paragraph on the next page; a word that is broken there stays whole on its first page.
    fn append_on_next_page(&mut self, line: &Line) {
        let mut rest = line.spans();
        let Some(Block::Paragraph { parts } | Block::Item { parts, .. }) = self.blocks.last_mut() else {
            return;
        };
        if let (Some((_, before)), Some(first)) = (parts.last_mut(), rest.first_mut())
            && let Some(last) = before.last_mut()
        {
            use super::words::Break;
            let how = self.words.between(last, first);
            if how != Break::Space {
                let end = first.text.find(' ').unwrap_or(first.text.len());
                if how == Break::DropHyphen {
                    last.text.pop();
                }
                last.text.push_str(first.text.get(..end).unwrap_or_default());
                first.text = first.text.get(end..).unwrap_or_default().trim_start().to_owned();
            }
        }
        rest.retain(|span| !span.text.is_empty());
        parts.push((line.page, rest));
    }

    fn open(&mut self, line: &Line) {
        let text = line.text();
        self.open = Some(Open {
            x0: line.x0,
            y: line.y,
            x1: line.x1,
            size: line.size,
            page: line.page,
            lines: 1,
            ends_sentence: text.ends_with(['.', '!', '?', ':', '。', '”', ';']),
        });
    }

    /// Whether a line goes on with the open paragraph or item.
    fn continues(&self, line: &Line) -> bool {
        let Some(open) = &self.open else { return false };
        let is_item = match self.blocks.last() {
            Some(Block::Item { .. }) => true,
            Some(Block::Paragraph { .. }) => false,
            _ => return false,
        };
        if (open.size - line.size).abs() > 0.12 * line.size {
            return false;
        }
        let starts_low =
            line.text().starts_with(|char: char| char.is_lowercase() || matches!(char, '(' | ','));
        if line.page != open.page || line.is_first {
            // Over a page or a column only what cannot stand alone.
            return !open.ends_sentence && starts_low;
        }
        let gap = line.y - open.y;
        let room = 1.3 * line.leading.min(1.9 * line.size) + 0.5;
        if gap > room || gap < -0.5 * line.size {
            return false;
        }
        if is_item && line.tagged_item.is_some() && line.tagged_item.map(|item| item.id) == self.tagged {
            return true;
        }
        if is_item && open.lines == 1 {
            // Its second line may begin at the margin, left of the mark.
            let is_full = open.x1 > line.region.1 - 0.35 * (line.region.1 - line.region.0);
            return line.x0 > open.x0 + 0.5 * line.size
                || !open.ends_sentence && ((line.x0 - open.x0).abs() < 1.0 || line.x0 < open.x0 && is_full);
        }
        let step = line.x0 - open.x0;
        let width = line.region.1 - line.region.0;
        let is_short = open.x1 < line.region.1 - 0.25 * width;
        if step > 0.8 * line.size {
            return !open.ends_sentence && (starts_low || !is_short);
        }
        if step < -0.8 * line.size {
            return open.lines == 1 || !open.ends_sentence;
        }
        !(is_short && open.ends_sentence)
    }

    /// Whether the line above runs to the edge without an end, so that this one is the middle of a sentence.
    fn flows_on(&self, line: &Line) -> bool {
        let Some(open) = &self.open else { return false };
        let width = line.region.1 - line.region.0;
        matches!(self.blocks.last(), Some(Block::Paragraph { .. } | Block::Item { .. }))
            && self.continues(line)
            && !open.ends_sentence
            && open.x1 > line.region.1 - 0.2 * width
    }
}

fn plain_row(row: &[Vec<Span>]) -> Vec<String> {
    row.iter().map(|cell| cell.iter().map(|span| span.text.trim()).collect()).collect()
}
