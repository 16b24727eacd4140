//! A page as the extractors see it: code spans, links, fences, table rows and runs of prose, each with its exact bytes.
//!
//! pulldown-cmark reads the page with the options that the index uses. What is inline is grouped into blocks (a paragraph,
//! an item, a row of a table), because a sentence does not go beyond its block. Comments, raw HTML and front matter hold
//! no prose; of HTML only `src` and `href` are looked at.

mod admonitions;
mod checkouts;
mod comments;
mod html;
mod reader;
mod tags;

use std::ops::Range;

use docent_text::LineIndex;

pub(crate) use comments::as_html;
use reader::Reader;

/// Pages beyond this are data that somebody gave the ending of a document.
const MAX_BYTES: usize = 4 << 20;

pub(super) struct Page<'t> {
    pub(super) text: &'t str,
    pub(super) lines: LineIndex,
    pub(super) headings: Vec<Heading>,
    pub(super) blocks: Vec<Block>,
    pub(super) pieces: Vec<Piece>,
    pub(super) tables: Vec<Table>,
    /// What is about an old commit.
    checkouts: Vec<Range<usize>>,
    /// Components and imports may stand in it.
    pub(super) is_mdx: bool,
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
    /// It is the label of a link to a file.
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
            checkouts: Vec::new(),
            is_mdx: path.ends_with(".mdx"),
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
        page.is_mdx |= body.lines().any(is_component);
        let is_mdx = page.is_mdx;
        let mut reader = Reader::new(&mut page, start, is_mdx);
        reader.front_matter(0..start);
        reader.read(&admonitions::as_items(&comments::as_html(body)));
        for (at, target) in html::required(body) {
            reader.required(start + at.start..start + at.end, target);
        }
        page.pieces.sort_by_key(|piece| piece.bytes.start);
        page.checkouts = checkouts::checkouts(text, &page.headings);
        page
    }

    /// Whether a byte stands behind the checkout of an old commit, and is about that.
    pub(super) fn is_of_old_commit(&self, at: usize) -> bool {
        self.checkouts.iter().any(|part| part.contains(&at))
    }

    /// The source of some bytes.
    pub(super) fn source(&self, bytes: &Range<usize>) -> &'t str {
        self.text.get(bytes.clone()).unwrap_or_default()
    }

    /// The span, fence or target of a link in which a byte stands.
    pub(super) fn piece_at(&self, at: usize) -> Option<&Piece> {
        let next = self.pieces.partition_point(|piece| piece.bytes.start <= at);
        let before = next.checked_sub(1).and_then(|at| self.pieces.get(at));
        before.filter(|piece| at < piece.bytes.end)
    }

    /// The row of a table in which a byte stands.
    pub(super) fn row(&self, at: usize) -> Option<Row<'t>> {
        let start = |table: &Table| table.head.first().map_or(0, |cell| cell.start);
        let next = self.tables.partition_point(|table| start(table) <= at);
        let table = self.tables.get(next.checked_sub(1)?)?;
        let row = table.rows.partition_point(|row| row.first().is_some_and(|cell| cell.start <= at));
        let row = table.rows.get(row.checked_sub(1)?)?;
        let column = row.iter().position(|cell| cell.contains(&at))?;
        let plain = |cell: &Range<usize>| self.source(cell).trim_matches(['|', ' ', '*', '`']);
        let (titles, cells) = (table.head.iter().take(MOST_COLUMNS), row.iter().take(MOST_COLUMNS));
        Some(Row { titles: titles.map(plain).collect(), cells: cells.map(plain).collect(), column })
    }

    /// The nearest heading above a byte.
    pub(super) fn heading(&self, at: usize) -> Option<&Heading> {
        self.headings.get(self.headings.partition_point(|heading| heading.start <= at).checked_sub(1)?)
    }
}

/// Nobody compares more of a row.
const MOST_COLUMNS: usize = 40;

/// A row of a table, and the place in it that is asked about.
pub(super) struct Row<'t> {
    /// What stands above the columns.
    pub titles: Vec<&'t str>,
    /// What stands in the row.
    pub cells: Vec<&'t str>,
    /// Which of them it is.
    pub column: usize,
}

/// Where blocks start and end, by their starts.
pub(super) struct Blocks(Vec<(usize, usize, usize)>);

impl Blocks {
    pub(super) fn of(page: &Page<'_>) -> Self {
        let bytes = page.blocks.iter().enumerate();
        let mut blocks: Vec<_> =
            bytes.map(|(number, block)| (block.bytes.start, block.bytes.end, number)).collect();
        blocks.sort_unstable();
        Self(blocks)
    }

    /// The innermost block that holds a byte, by its number.
    pub(super) fn holding(&self, at: usize) -> Option<usize> {
        /// Blocks that end before the byte may stand between it and the start of its own.
        const NEAR: usize = 50;
        let before = self.0.get(..self.0.partition_point(|(start, ..)| *start <= at))?;
        let near = before.iter().rev().take(NEAR);
        near.filter(|(_, end, _)| at < *end).map(|(.., number)| *number).next()
    }
}
