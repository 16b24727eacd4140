//! Reading order: a page is cut into regions that are read one after the other.
//!
//! A gutter is a place that no piece crosses over many rows, with running text on both sides. Rows above and below it are
//! regions of their own, so a title over two columns comes first. Tables have gutters too, but their cells are short.

use super::lines::{Piece, order};

/// Pieces that are read from the top to the bottom.
pub(super) type Region = Vec<Piece>;

/// How deep columns may stand within columns.
const DEPTH: usize = 4;
/// Fewest pieces that make a column.
const COLUMN_PIECES: usize = 4;

/// Cuts pieces into regions in reading order.
pub(super) fn regions(pieces: Vec<Piece>) -> Vec<Region> {
    let mut out = Vec::new();
    cut(pieces, DEPTH, &mut out);
    out
}

fn cut(mut pieces: Vec<Piece>, depth: usize, out: &mut Vec<Region>) {
    if pieces.is_empty() {
        return;
    }
    pieces.sort_by(|a, b| order(a.y, b.y).then(order(a.x0, b.x0)));
    let Some(gutter) = (depth > 0).then(|| best_gutter(&pieces)).flatten() else {
        out.push(pieces);
        return;
    };
    let mut parts: [Vec<Piece>; 4] = Default::default();
    for piece in pieces {
        let part = match piece.y {
            y if y < gutter.top => 0,
            y if y > gutter.bottom => 3,
            _ if piece.x0 < gutter.x => 1,
            _ => 2,
        };
        if let Some(part) = parts.get_mut(part) {
            part.push(piece);
        }
    }
    for part in parts {
        cut(part, depth - 1, out);
    }
}

struct Gutter {
    x: f32,
    top: f32,
    bottom: f32,
}

/// The gutter with the most text beside it.
fn best_gutter(pieces: &[Piece]) -> Option<Gutter> {
    let mut best: Option<(usize, Gutter)> = None;
    for x in left_edges(pieces) {
        let mut start = 0;
        while start < pieces.len() {
            let length = pieces.iter().skip(start).take_while(|piece| !crosses(piece, x)).count();
            let run = pieces.get(start..start + length).unwrap_or_default();
            if let Some(gutter) = columns_of(run, x)
                && best.as_ref().is_none_or(|(most, _)| run.len() > *most)
            {
                best = Some((run.len(), gutter));
            }
            start += length + 1;
        }
    }
    best.map(|(_, gutter)| gutter)
}

fn crosses(piece: &Piece, x: f32) -> bool {
    piece.x0 < x - 1.0 && piece.x1 > x + 1.0
}

/// Places where several pieces start, just left of them.
fn left_edges(pieces: &[Piece]) -> Vec<f32> {
    let mut edges: Vec<f32> = pieces.iter().map(|piece| piece.x0).collect();
    edges.sort_by(|a, b| order(*a, *b));
    let mut out = Vec::new();
    let mut group: Vec<f32> = Vec::new();
    for edge in edges {
        if group.first().is_some_and(|first| edge - first > 3.0) {
            if group.len() >= COLUMN_PIECES {
                out.extend(group.first().map(|first| first - 2.0));
            }
            group.clear();
        }
        group.push(edge);
    }
    if group.len() >= COLUMN_PIECES {
        out.extend(group.first().map(|first| first - 2.0));
    }
    out.truncate(64);
    out
}

/// The gutter at a place, when running text stands on both sides of it.
fn columns_of(run: &[Piece], x: f32) -> Option<Gutter> {
    let (left, right): (Vec<&Piece>, Vec<&Piece>) = run.iter().partition(|piece| piece.x0 < x);
    if !is_column(&left) || !is_column(&right) {
        return None;
    }
    let span = |side: &[&Piece]| {
        let top = side.iter().map(|piece| piece.y).fold(f32::MAX, f32::min);
        (top, side.iter().map(|piece| piece.y).fold(f32::MIN, f32::max))
    };
    let ((left_top, left_bottom), (right_top, right_bottom)) = (span(&left), span(&right));
    // They have to stand beside each other.
    let shared = left_bottom.min(right_bottom) - left_top.max(right_top);
    let shorter = (left_bottom - left_top).min(right_bottom - right_top);
    if shared < 0.5 * shorter {
        return None;
    }
    let size = run.first().map_or(10.0, |piece| piece.size);
    // What stands far below both columns, on one side alone, is not of them.
    let reach = left_bottom.min(right_bottom);
    let mut bottom = left_bottom.max(right_bottom);
    let mut last = reach;
    for piece in run.iter().filter(|piece| piece.y > reach) {
        if piece.y - last > 3.0 * size {
            bottom = last;
            break;
        }
        last = piece.y;
    }
    Some(Gutter { x, top: left_top.min(right_top) - 0.1, bottom: bottom + 0.1 })
}

/// Whether pieces are lines of running text: enough of them, and long. Several columns beside each other are, too.
fn is_column(pieces: &[&Piece]) -> bool {
    // A justified line may be in several pieces, so whole rows are measured.
    let mut rows: Vec<(f32, f32, f32, usize)> = Vec::new();
    for piece in pieces {
        match rows.last_mut() {
            Some((y, x0, x1, chars)) if (piece.y - *y).abs() < 0.3 * piece.size => {
                *x0 = x0.min(piece.x0);
                *x1 = x1.max(piece.x1);
                *chars += piece.chars();
            }
            _ => rows.push((piece.y, piece.x0, piece.x1, piece.chars())),
        }
    }
    if rows.len() < COLUMN_PIECES {
        return false;
    }
    let left = rows.iter().map(|row| row.1).fold(f32::MAX, f32::min);
    let right = rows.iter().map(|row| row.2).fold(f32::MIN, f32::max);
    let mut widths: Vec<f32> = rows.iter().map(|row| row.2 - row.1).collect();
    widths.sort_by(|a, b| order(*a, *b));
    let mut chars: Vec<usize> = rows.iter().map(|row| row.3).collect();
    chars.sort_unstable();
    let middle = rows.len() / 2;
    let is_wide = widths.get(middle).is_some_and(|width| *width >= 0.3 * (right - left));
    is_wide && chars.get(middle).is_some_and(|chars| *chars >= 16)
}
