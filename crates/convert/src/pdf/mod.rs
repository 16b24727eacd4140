//! Portable Document Format: text in reading order, with headings, lists, code, tables, and the page of every line.
//!
//! A PDF says where glyphs stand, not what they are. `hayro-syntax` and `hayro-font` read the file, its encryption and its
//! fonts; everything after that is ours: `content` collects positioned glyphs, `lines` and `columns` find lines and their
//! order, `furniture` takes running heads away, `headings` and `blocks` find the structure, `write` makes Markdown of it.
//! `docs/dev/converters-pdf.md` says why, with the files that were compared.

mod aligned;
mod blocks;
mod bombs;
mod columns;
mod content;
mod filters;
mod font;
mod furniture;
mod geometry;
mod headings;
mod inline;
mod layout;
mod limits;
mod lines;
mod lists;
mod outline;
mod paths;
mod tables;
mod tags;
mod words;
mod write;

use std::panic::{AssertUnwindSafe, catch_unwind};

use hayro_syntax::{DecryptionError, LoadPdfError, Pdf};

use self::content::PageContent;
use self::lines::{Piece, Span};
use crate::{ConvertError, Converted, ErrorKind, Format, Limits};

/// Converts a PDF file.
///
/// The crates below read what strangers wrote and are young: a panic of theirs is caught and told as damage.
pub(crate) fn convert(bytes: &[u8], limits: &Limits) -> Result<Converted, ConvertError> {
    bombs::refuse(bytes)?;
    let attempt = AssertUnwindSafe(|| convert_unguarded(bytes, limits));
    catch_unwind(attempt).unwrap_or_else(|_| Err(ConvertError::damaged("its objects contradict each other")))
}

fn convert_unguarded(bytes: &[u8], limits: &Limits) -> Result<Converted, ConvertError> {
    let pdf = Pdf::new(bytes.to_vec()).map_err(load_error)?;
    let document = Document::read(&pdf);
    if document.page_count == 0 {
        return Err(ConvertError::damaged("it has no pages that can be found"));
    }
    if document.pages.iter().all(|page| page.pieces.is_empty()) {
        return Err(document.no_text());
    }
    let converted = document.convert(&pdf, limits);
    if converted.markdown.trim().is_empty() {
        return Err(ConvertError::new(
            ErrorKind::NoText,
            "no text in it but running heads and page numbers",
            "leave it out",
        ));
    }
    Ok(converted)
}

fn load_error(error: LoadPdfError) -> ConvertError {
    match error {
        LoadPdfError::Decryption(DecryptionError::PasswordProtected) => ConvertError::encrypted(),
        LoadPdfError::Decryption(DecryptionError::UnsupportedAlgorithm) => ConvertError::new(
            ErrorKind::Encrypted,
            "the file is encrypted in a way that is not supported",
            "save a copy without encryption",
        ),
        LoadPdfError::Decryption(_) => ConvertError::damaged("its encryption cannot be read"),
        LoadPdfError::Invalid => ConvertError::damaged("it has no pages that can be found"),
    }
}

/// What was read of all pages, before their layout.
struct Document {
    pages: Vec<PageText>,
    page_count: usize,
}

struct PageText {
    pieces: Vec<Piece>,
    tables: Vec<tables::RuledTable>,
    links: Vec<String>,
    height: f32,
    has_pictures: bool,
    unreadable: usize,
    glyphs: usize,
    turned: usize,
    is_cut: bool,
}

impl Document {
    fn read(pdf: &Pdf) -> Document {
        let mut fonts = font::Fonts::new();
        let mut budget = content::Budget::default();
        let all = pdf.pages();
        let pages = all.iter().take(limits::PAGES).map(|page| {
            let mut content = content::read_page(page, &mut fonts, &mut budget);
            let links = outline::links(page);
            for glyph in &mut content.glyphs {
                let (x, y) = ((glyph.x0 + glyph.x1) / 2.0, glyph.y - 0.3 * glyph.size);
                let hit = links.iter().position(|(area, _)| area.contains(x, y));
                glyph.link = hit.and_then(|hit| {
                    // The same address twice is one link.
                    let target = links.get(hit).map(|(_, target)| target);
                    let first = links.iter().position(|(_, other)| Some(other) == target)?;
                    u16::try_from(first).ok()
                });
            }
            PageText::new(content, links.into_iter().map(|(_, target)| target).collect())
        });
        Document { pages: pages.collect(), page_count: all.len() }
    }

    fn no_text(&self) -> ConvertError {
        let count = self.page_count;
        let pages = if count == 1 { "page" } else { "pages" };
        if self.pages.iter().any(|page| page.unreadable > 0) {
            ConvertError::no_text(format_args!(
                "{count} {pages} whose fonts do not say which letters they draw"
            ))
        } else if self.pages.iter().any(|page| page.has_pictures) {
            ConvertError::no_text(format_args!("{count} {pages} of pictures only"))
        } else {
            ConvertError::new(
                ErrorKind::NoText,
                format!("no text in it ({count} empty {pages})"),
                "leave it out",
            )
        }
    }

    fn convert(mut self, pdf: &Pdf, limits: &Limits) -> Converted {
        let heights: Vec<f32> = self.pages.iter().map(|page| page.height).collect();
        let mut pieces: Vec<Vec<Piece>> =
            self.pages.iter_mut().map(|page| std::mem::take(&mut page.pieces)).collect();
        let empty: Vec<bool> = pieces.iter().map(Vec::is_empty).collect();
        furniture::remove(&mut pieces, &heights);
        let roles = tags::Roles::read(pdf);
        let pages: Vec<Vec<layout::Line>> = pieces
            .into_iter()
            .zip(1..)
            .map(|(pieces, number)| layout::lines(pieces, number, &roles))
            .collect();
        let all: Vec<&layout::Line> = pages.iter().flatten().collect();
        let headings = headings::Headings::learn(&all, &outline::bookmarks(pdf));
        let mono =
            all.iter().filter(|line| line.is_all(|style| style.mono)).map(|line| line.chars()).sum::<usize>();
        let mono_is_code = mono * 100 < all.iter().map(|line| line.chars()).sum::<usize>() * 92;
        let mut words = words::Words::new(mono_is_code);
        all.iter().for_each(|line| words.learn(&line.text()));
        let cells =
            self.pages.iter().flat_map(|page| &page.tables).flat_map(|table| table.rows.iter().flatten());
        for piece in cells.flatten() {
            let text: String = piece.spans.iter().map(|span| span.text.as_str()).collect();
            words.learn(&text);
        }
        let mut builder = blocks::Builder::new(&headings, &words, mono_is_code);
        for (lines, page) in pages.iter().zip(&mut self.pages) {
            let tables = std::mem::take(&mut page.tables).into_iter();
            builder.page(lines, &mut tables.map(|table| Some(joined(table, &words))).collect::<Vec<_>>());
        }
        let links: Vec<Vec<String>> =
            self.pages.iter_mut().map(|page| std::mem::take(&mut page.links)).collect();
        let written = write::write(&builder.blocks, &links, mono_is_code, limits.markdown_bytes);
        let title = outline::title(pdf).or_else(|| crate::markdown::first_heading(&written.text));
        let notes = self.notes(&empty, &written);
        Converted { markdown: written.text, title, origins: written.origins, format: Format::Pdf, notes }
    }

    fn notes(&self, empty: &[bool], written: &write::Written) -> Vec<String> {
        let named = |is: &dyn Fn(usize, &PageText) -> bool| -> Vec<usize> {
            self.pages
                .iter()
                .enumerate()
                .filter(|(index, page)| is(*index, page))
                .map(|(index, _)| index + 1)
                .collect()
        };
        let mut notes = Vec::new();
        let mut note = |pages: Vec<usize>, what: &str| {
            if !pages.is_empty() {
                notes.push(format!("{}: {what}", page_list(&pages)));
            }
        };
        let is_empty = |index: usize| empty.get(index).copied().unwrap_or(false);
        note(
            named(&|index, page| is_empty(index) && page.has_pictures),
            "pictures only, no text; OCR is not included",
        );
        note(
            named(&|_, page| page.unreadable > 20 && page.unreadable * 5 > page.glyphs),
            "fonts do not say which letters they draw, so text is missing",
        );
        note(named(&|_, page| page.turned > 20), "text that runs in another direction is left out");
        note(named(&|_, page| page.is_cut), "too much content, the page is cut");
        if self.page_count > limits::PAGES {
            notes.push(format!("only the first {} of {} pages were read", limits::PAGES, self.page_count));
        }
        if written.is_cut {
            notes.push(format!("the text was cut after {}", crate::limits::size(written.text.len() as u64)));
        }
        notes
    }
}

impl PageText {
    fn new(mut content: PageContent, links: Vec<String>) -> PageText {
        let glyphs = content.glyphs.len() + content.unreadable;
        let tables = tables::take(&mut content);
        let mut pieces = lines::pieces(&content.glyphs);
        for (index, table) in tables.iter().enumerate() {
            let size = table.rows.iter().flatten().flatten().next().map_or(10.0, |piece| piece.size);
            let place = Piece {
                spans: Vec::new(),
                x0: table.x0,
                x1: table.x1,
                y: table.top + 0.7 * size,
                size,
                table: Some(index),
            };
            let at = pieces.partition_point(|piece| piece.y < place.y);
            pieces.insert(at, place);
        }
        PageText {
            pieces,
            tables,
            links,
            height: content.height,
            has_pictures: content.image_share > 0.02,
            unreadable: content.unreadable,
            glyphs,
            turned: content.turned,
            is_cut: content.is_cut,
        }
    }
}

/// The rows of a table, with the lines of each cell joined.
fn joined(table: tables::RuledTable, words: &words::Words) -> Vec<Vec<Vec<Span>>> {
    let cell = |pieces: Vec<Piece>| {
        let mut spans: Vec<Span> = Vec::new();
        for piece in pieces {
            inline::join_line(&mut spans, piece.spans, words);
        }
        spans
    };
    table.rows.into_iter().map(|row| row.into_iter().map(cell).collect()).collect()
}

/// `page 3`, `pages 3-5, 9`.
fn page_list(pages: &[usize]) -> String {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for &page in pages {
        match ranges.last_mut() {
            Some((_, end)) if *end + 1 == page => *end = page,
            _ => ranges.push((page, page)),
        }
    }
    let shown: Vec<String> = ranges
        .iter()
        .take(20)
        .map(|(start, end)| if start == end { start.to_string() } else { format!("{start}-{end}") })
        .collect();
    let more = if ranges.len() > shown.len() { " and more" } else { "" };
    format!("{} {}{more}", if pages.len() == 1 { "page" } else { "pages" }, shown.join(", "))
}
