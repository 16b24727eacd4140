//! Glyphs become pieces of lines: words with their spaces, cut where a gap is too wide to be one.

use std::cmp::Ordering;

use super::content::Glyph;
use super::font::Style;

/// A gap as wide as this, in font sizes, ends a piece: what follows may be another column.
const PIECE_GAP: f32 = 0.6;
/// Within a column only a gap as wide as this keeps pieces apart: what follows is another cell.
const CELL_GAP: f32 = 0.95;

/// Text of one look inside a piece.
#[derive(Debug, Clone)]
pub(super) struct Span {
    pub(super) text: String,
    pub(super) style: Style,
    pub(super) mark: Option<u32>,
    pub(super) link: Option<u16>,
}

/// A part of a line without wide gaps.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub(super) spans: Vec<Span>,
    pub(super) x0: f32,
    pub(super) x1: f32,
    /// The baseline.
    pub(super) y: f32,
    /// The size of most of its text.
    pub(super) size: f32,
    /// Which ruled table of the page stands here instead of text.
    pub(super) table: Option<usize>,
}

impl Piece {
    pub(super) fn text(&self) -> String {
        self.spans.iter().map(|span| span.text.as_str()).collect()
    }

    pub(super) fn chars(&self) -> usize {
        self.spans.iter().map(|span| span.text.chars().count()).sum()
    }

    /// Takes the next piece of the same line in, if only a wide space is between them.
    pub(super) fn absorb(&mut self, next: Piece) -> Option<Piece> {
        let gap = next.x0 - self.x1;
        if self.table.is_some() || next.table.is_some() || gap > CELL_GAP * self.size.max(next.size) {
            return Some(next);
        }
        if let Some(last) = self.spans.last_mut() {
            last.text.push(' ');
        }
        self.spans.extend(next.spans);
        self.x1 = self.x1.max(next.x1);
        None
    }

    /// Whether all of its visible text has a look.
    pub(super) fn is_all(&self, has: impl Fn(Style) -> bool) -> bool {
        let mut seen = false;
        for span in self.spans.iter().filter(|span| !span.text.trim().is_empty()) {
            if !has(span.style) {
                return false;
            }
            seen = true;
        }
        seen
    }
}

/// The pieces that glyphs form, row by row from the top, each row from the left.
pub(super) fn pieces(glyphs: &[Glyph]) -> Vec<Piece> {
    let mut out = Vec::new();
    for row in rows(runs(glyphs)) {
        assemble(&row, &mut out);
    }
    out
}

/// Glyphs that follow each other in the file on one baseline.
struct Run<'g> {
    glyphs: Vec<&'g Glyph>,
    x0: f32,
    x1: f32,
    y: f32,
    size: f32,
}

fn runs(glyphs: &[Glyph]) -> Vec<Run<'_>> {
    let mut runs: Vec<Run<'_>> = Vec::new();
    for glyph in glyphs {
        if let Some(run) = runs.last_mut() {
            let size = run.size.max(glyph.size);
            let gap = glyph.x0 - run.x1;
            let same_line =
                (glyph.y - run.y).abs() < 0.1 * size && (glyph.size - run.size).abs() < 0.1 * size;
            if same_line && gap > -0.5 * size && gap < PIECE_GAP * size {
                run.x1 = run.x1.max(glyph.x1);
                run.glyphs.push(glyph);
                continue;
            }
        }
        runs.push(Run { glyphs: vec![glyph], x0: glyph.x0, x1: glyph.x1, y: glyph.y, size: glyph.size });
    }
    // A run of spaces alone would pull its neighbours together or stand on a line of its own.
    runs.retain(|run| run.glyphs.iter().any(|glyph| !glyph.text.trim().is_empty()));
    runs
}

/// Runs on the same baseline, or nearly: raised and lowered signs join the row they overlap.
fn rows(mut runs: Vec<Run<'_>>) -> Vec<Vec<Run<'_>>> {
    // Large runs first among equals, so that a row's baseline is that of its main text.
    runs.sort_by(|a, b| order(a.y, b.y).then(order(b.size, a.size)));
    let mut rows: Vec<(f32, f32, Vec<Run<'_>>)> = Vec::new();
    for run in runs {
        let fits = rows.iter_mut().rev().take(4).find(|(y, size, members)| {
            let distance = (run.y - *y).abs();
            let (small, large) = (run.size.min(*size), run.size.max(*size));
            if distance < 0.25 * small {
                return true;
            }
            // A raised sign touches the text that it belongs to.
            let touches = members
                .iter()
                .any(|other| run.x0 - other.x1 < 0.4 * large && other.x0 - run.x1 < 0.4 * large);
            small < 0.85 * large && distance < 0.5 * large && touches
        });
        match fits {
            Some((y, size, members)) => {
                if run.size > *size {
                    (*y, *size) = (run.y, run.size);
                }
                members.push(run);
            }
            None => rows.push((run.y, run.size, vec![run])),
        }
    }
    rows.sort_by(|a, b| order(a.0, b.0));
    rows.into_iter()
        .map(|(_, _, mut members)| {
            members.sort_by(|a, b| order(a.x0, b.x0));
            members
        })
        .collect()
}

/// Joins the runs of a row to pieces.
fn assemble(row: &[Run<'_>], out: &mut Vec<Piece>) {
    let has_spaces = row.iter().flat_map(|run| &run.glyphs).any(|glyph| glyph.text.starts_with(' '));
    // Where the file writes its spaces, a gap has to be wide to be another one.
    let word_gap = if has_spaces { 0.28 } else { 0.16 };
    let main_size = row.iter().map(|run| run.size).fold(0.0, f32::max);
    let mut piece: Option<Building> = None;
    for run in row {
        let gap = piece.as_ref().map_or(0.0, |piece| run.x0 - piece.x1);
        let is_mono = run.glyphs.first().is_some_and(|glyph| glyph.style.mono);
        let joins = piece.as_ref().is_some_and(|piece| {
            gap < PIECE_GAP * run.size.max(piece.last_size)
                || (is_mono && piece.is_mono && gap < 14.0 * run.size)
        });
        if !joins && let Some(done) = piece.take() {
            out.extend(done.finish());
        }
        let building = piece.get_or_insert_with(|| Building::new(run));
        let is_raised = building.y - run.y > 0.15 * main_size && run.size < 0.85 * main_size;
        if is_raised && building.is_after_word() && is_mark(run) {
            building.push_text("^", run.glyphs.first().copied());
        }
        for glyph in &run.glyphs {
            building.push(glyph, word_gap);
        }
    }
    if let Some(done) = piece {
        out.extend(done.finish());
    }
}

/// Whether a raised run is the mark of a footnote and not a part of a word (as in `1st`).
fn is_mark(run: &Run<'_>) -> bool {
    run.glyphs
        .iter()
        .all(|glyph| glyph.text.chars().all(|char| char.is_ascii_digit() || matches!(char, ',' | ' ')))
}

struct Building {
    spans: Vec<Span>,
    /// Characters by size, to find the main one.
    sizes: Vec<(f32, usize)>,
    x0: f32,
    x1: f32,
    y: f32,
    last_size: f32,
    last: Option<(String, f32)>,
    is_mono: bool,
}

impl Building {
    fn new(run: &Run<'_>) -> Building {
        Building {
            spans: Vec::new(),
            sizes: Vec::new(),
            x0: run.x0,
            x1: run.x0,
            y: run.y,
            last_size: run.size,
            last: None,
            is_mono: false,
        }
    }

    fn is_after_word(&self) -> bool {
        self.spans.last().is_some_and(|span| span.text.ends_with(|char: char| !char.is_whitespace()))
    }

    fn push(&mut self, glyph: &Glyph, word_gap: f32) {
        let gap = glyph.x0 - self.x1;
        // Some writers print a glyph twice to make it look bold.
        if let Some((text, x0)) = &self.last
            && text.as_str() == &*glyph.text
            && (glyph.x0 - x0).abs() < 0.12 * glyph.size
            && !text.trim().is_empty()
        {
            if let Some(span) = self.spans.last_mut() {
                span.style.bold = true;
            }
            return;
        }
        let is_space = glyph.text.starts_with(' ') || glyph.text.is_empty();
        let ends_in_space = self.spans.last().is_some_and(|span| span.text.ends_with(' '));
        if !self.spans.is_empty() && glyph.style.mono && self.is_mono {
            // In code every column counts.
            let cell = (glyph.x1 - glyph.x0).max(0.3 * glyph.size);
            let columns = (gap / cell).round().clamp(0.0, 60.0) as usize;
            self.push_text(&" ".repeat(columns), Some(glyph));
        } else if gap > word_gap * glyph.size && !is_space && !ends_in_space && !self.spans.is_empty() {
            self.push_text(" ", Some(glyph));
        }
        self.push_text(&glyph.text, Some(glyph));
        self.x1 = self.x1.max(glyph.x1);
        self.last = Some((glyph.text.to_string(), glyph.x0));
        self.last_size = glyph.size;
        self.is_mono = glyph.style.mono;
        match self.sizes.iter_mut().find(|(size, _)| (size - glyph.size).abs() < 0.05 * glyph.size) {
            Some((_, count)) => *count += 1,
            None => self.sizes.push((glyph.size, 1)),
        }
    }

    fn push_text(&mut self, text: &str, glyph: Option<&Glyph>) {
        let Some(glyph) = glyph else { return };
        match self.spans.last_mut() {
            // Spaces take the look of what stands before them.
            Some(span) if text.trim().is_empty() && span.link == glyph.link => span.text.push_str(text),
            Some(span) if span.style == glyph.style && span.link == glyph.link && span.mark == glyph.mark => {
                span.text.push_str(text);
            }
            _ => self.spans.push(Span {
                text: text.to_owned(),
                style: glyph.style,
                mark: glyph.mark,
                link: glyph.link,
            }),
        }
    }

    fn finish(mut self) -> Option<Piece> {
        if let Some(first) = self.spans.first_mut()
            && !first.style.mono
        {
            first.text = first.text.trim_start().to_owned();
        }
        if let Some(last) = self.spans.last_mut() {
            last.text.truncate(last.text.trim_end().len());
        }
        self.spans.retain(|span| !span.text.is_empty());
        let size =
            self.sizes.iter().max_by_key(|(_, count)| *count).map_or(self.last_size, |(size, _)| *size);
        (!self.spans.is_empty()).then_some(Piece {
            spans: self.spans,
            x0: self.x0,
            x1: self.x1,
            y: self.y,
            size,
            table: None,
        })
    }
}

pub(super) fn order(a: f32, b: f32) -> Ordering {
    a.total_cmp(&b)
}
