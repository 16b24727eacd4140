//! Pages as lines in reading order.

use super::columns::{Region, regions};
use super::font::Style;
use super::lines::{Piece, Span, order};
use super::tags::Roles;

/// A line of text, or the place of a ruled table.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) pieces: Vec<Piece>,
    /// From 1.
    pub(super) page: u32,
    pub(super) y: f32,
    pub(super) x0: f32,
    pub(super) x1: f32,
    pub(super) size: f32,
    /// Where the region that it is in starts and ends.
    pub(super) region: (f32, f32),
    /// The usual distance of lines in its region.
    pub(super) leading: f32,
    /// Whether it is the first of its region.
    pub(super) is_first: bool,
    /// Whether space or another look sets it apart from what stands above.
    pub(super) stands_alone: bool,
    /// The level that the file's structure tree gives it.
    pub(super) tagged_level: Option<usize>,
    /// The list item that the structure tree puts it in.
    pub(super) tagged_item: Option<super::tags::Item>,
}

impl Line {
    pub(super) fn text(&self) -> String {
        let texts: Vec<String> = self.pieces.iter().map(Piece::text).collect();
        texts.join(" ").trim().to_owned()
    }

    pub(super) fn chars(&self) -> usize {
        self.pieces.iter().map(Piece::chars).sum()
    }

    pub(super) fn spans(&self) -> Vec<Span> {
        let mut out: Vec<Span> = Vec::new();
        for piece in &self.pieces {
            if let Some(last) = out.last_mut() {
                last.text.push(' ');
            }
            out.extend(piece.spans.iter().cloned());
        }
        out
    }

    pub(super) fn is_all(&self, has: impl Fn(Style) -> bool + Copy) -> bool {
        !self.pieces.is_empty() && self.pieces.iter().all(|piece| piece.is_all(has))
    }

    pub(super) fn is_table(&self) -> bool {
        self.pieces.iter().any(|piece| piece.table.is_some())
    }

    /// Whether its first piece is the number of a heading: `2.1`, `A`, `Chapter 3`.
    pub(super) fn is_labelled(&self) -> bool {
        let label = self.pieces.first().map(Piece::text).unwrap_or_default();
        let label =
            label.strip_prefix("Chapter ").or_else(|| label.strip_prefix("Appendix ")).unwrap_or(&label);
        let label = label.trim_end_matches('.');
        !label.is_empty()
            && label.len() <= 8
            && label.split('.').all(|part| part.len() <= 3 && part.chars().all(char::is_alphanumeric))
    }

    /// Whether it starts with a bullet.
    pub(super) fn is_marked(&self) -> bool {
        self.text().starts_with(super::lists::is_bullet)
    }
}

/// The lines of a page in reading order.
pub(super) fn lines(pieces: Vec<Piece>, page: u32, roles: &Roles) -> Vec<Line> {
    let mut out = Vec::new();
    for region in regions(pieces) {
        region_lines(region, page, roles, &mut out);
    }
    out
}

fn region_lines(region: Region, page: u32, roles: &Roles, out: &mut Vec<Line>) {
    let x0 = region.iter().map(|piece| piece.x0).fold(f32::MAX, f32::min);
    let x1 = region.iter().map(|piece| piece.x1).fold(f32::MIN, f32::max);
    let mut lines: Vec<Line> = Vec::new();
    for piece in region {
        if let Some(line) = lines.last_mut()
            && (piece.y - line.y).abs() < 0.3 * piece.size.min(line.size)
            && !line.is_table()
            && piece.table.is_none()
        {
            line.x0 = line.x0.min(piece.x0);
            line.x1 = line.x1.max(piece.x1);
            line.pieces.push(piece);
            continue;
        }
        lines.push(Line {
            page,
            y: piece.y,
            x0: piece.x0,
            x1: piece.x1,
            size: piece.size,
            region: (x0, x1),
            leading: 0.0,
            is_first: lines.is_empty(),
            stands_alone: false,
            tagged_level: None,
            tagged_item: None,
            pieces: vec![piece],
        });
    }
    let leading = usual_leading(&lines);
    let mut above: Option<(f32, f32, bool)> = None;
    for line in &mut lines {
        line.pieces.sort_by(|a, b| order(a.x0, b.x0));
        let mut joined: Vec<Piece> = Vec::with_capacity(line.pieces.len());
        for piece in line.pieces.drain(..) {
            let apart = match joined.last_mut() {
                Some(last) => last.absorb(piece),
                None => Some(piece),
            };
            joined.extend(apart);
        }
        line.pieces = joined;
        let longest = line.pieces.iter().max_by_key(|piece| piece.chars());
        line.size = longest.map_or(line.size, |piece| piece.size);
        line.leading = leading;
        line.tagged_level = roles.heading_of(line, page);
        line.tagged_item = roles.item_of(line, page);
        let is_bold = line.is_all(|style| style.bold);
        line.stands_alone = above.is_none_or(|(y, size, bold)| {
            line.y - y > 1.15 * leading || (size - line.size).abs() > 0.08 * size || bold != is_bold
        });
        above = Some((line.y, line.size, is_bold));
    }
    let run_on: Vec<bool> = lines.windows(2).map(|pair| runs_on(pair, leading)).collect();
    for (line, runs_on) in lines.iter_mut().zip(run_on) {
        line.stands_alone &= !runs_on;
    }
    out.append(&mut lines);
}

/// Whether the bold text of a line goes on in the next one and ends there: the start of a paragraph, not a heading.
fn runs_on(pair: &[Line], leading: f32) -> bool {
    let [line, next] = pair else { return false };
    let starts_bold =
        next.pieces.first().and_then(|piece| piece.spans.first()).is_some_and(|span| span.style.bold);
    next.y - line.y < 1.3 * leading && starts_bold && !next.is_all(|style| style.bold)
}

/// The distance that most neighbouring lines have.
fn usual_leading(lines: &[Line]) -> f32 {
    let mut gaps: Vec<f32> = lines
        .windows(2)
        .filter_map(|pair| match pair {
            [above, below] => {
                let gap = below.y - above.y;
                (gap > 0.5 * below.size && gap < 2.2 * below.size.max(above.size)).then_some(gap)
            }
            _ => None,
        })
        .collect();
    gaps.sort_by(|a, b| order(*a, *b));
    let size = lines.first().map_or(10.0, |line| line.size);
    // The lower third: paragraphs of one line must not make their own distance the usual one.
    gaps.get(gaps.len() / 3).copied().unwrap_or(1.25 * size)
}
