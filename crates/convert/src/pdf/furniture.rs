//! Running heads, footers and page numbers: rows at the edge of a page that come back on others.

use std::collections::HashMap;

use super::lines::Piece;

/// How many rows from either edge are asked.
const EDGE_ROWS: usize = 3;

/// How far from the edge furniture stands, as a share of the page's height.
const EDGE: f32 = 0.13;

/// Takes the furniture out of all pages.
pub(super) fn remove(pages: &mut [Vec<Piece>], heights: &[f32]) {
    if pages.len() < 2 {
        return;
    }
    // Heads of pages are small; what is larger than the text is a heading, even if it comes back.
    let most = 1.15 * usual_size(pages);
    let edges: Vec<Vec<Row>> =
        pages.iter().zip(heights).map(|(pieces, height)| edge_rows(pieces, *height, most)).collect();
    let repeated = repeated_texts(&edges);
    let numbered = numbered_places(&edges);
    let mut all_gone: Vec<Vec<f32>> = Vec::with_capacity(pages.len());
    for ((index, rows), height) in edges.iter().enumerate().zip(heights) {
        // Furniture is a chain from the edge inwards: what stands behind body text stays.
        let mut gone: Vec<f32> = Vec::new();
        for from_top in [true, false] {
            let mut chain: Vec<&Row> = rows.iter().filter(|row| row.is_top == from_top).collect();
            chain.sort_by_key(|row| row.depth);
            for (depth, row) in chain.into_iter().enumerate() {
                let is_repeated = repeated.contains_key(&row.key());
                let is_numbered = row.numbers.iter().any(|(number, at_end)| {
                    let key = (row.place(), *number - index as i64, *at_end);
                    numbered.get(&key).is_some_and(|&count| count >= 3)
                });
                let is_lone = is_page_number(&row.text) && (row.y < 0.1 * height || row.y > 0.88 * height);
                if row.depth != depth || !(is_repeated || is_numbered || is_lone) {
                    break;
                }
                gone.push(row.y);
            }
        }
        all_gone.push(gone);
    }
    let is_gone = |piece: &Piece, gone: &[f32]| gone.iter().any(|y| (piece.y - y).abs() < 2.0);
    // Pages that say nothing but the same line have no furniture: that line is their text.
    let is_all =
        pages.iter().zip(&all_gone).all(|(pieces, gone)| pieces.iter().all(|piece| is_gone(piece, gone)));
    for (pieces, gone) in pages.iter_mut().zip(&all_gone).filter(|_| !is_all) {
        pieces.retain(|piece| !is_gone(piece, gone));
    }
}

struct Row {
    y: f32,
    is_top: bool,
    depth: usize,
    text: String,
    /// Numbers at its start and end: perhaps the page's.
    numbers: Vec<(i64, bool)>,
}

impl Row {
    fn place(&self) -> i32 {
        (self.y / 4.0).round() as i32
    }

    fn key(&self) -> (i32, String) {
        let text = self.text.chars().map(|char| if char.is_ascii_digit() { '#' } else { char }).collect();
        (self.place(), text)
    }
}

/// The size that most characters have.
fn usual_size(pages: &[Vec<Piece>]) -> f32 {
    let mut sizes: HashMap<i32, usize> = HashMap::new();
    for piece in pages.iter().flatten() {
        *sizes.entry((piece.size * 4.0).round() as i32).or_default() += piece.chars();
    }
    sizes.into_iter().max_by_key(|(size, chars)| (*chars, *size)).map_or(10.0, |(size, _)| size as f32 / 4.0)
}

fn edge_rows(pieces: &[Piece], height: f32, most: f32) -> Vec<Row> {
    // Pieces come row by row.
    let mut rows: Vec<(f32, String)> = Vec::new();
    for piece in pieces {
        match rows.last_mut() {
            Some((y, text)) if (piece.y - *y).abs() < 2.0 => {
                text.push(' ');
                text.push_str(&piece.text());
            }
            _ => rows.push((piece.y, piece.text())),
        }
    }
    let count = rows.len();
    let row = |depth: usize, is_top: bool, (y, text): &(f32, String)| {
        let text = text.trim().to_owned();
        let mut numbers = Vec::new();
        numbers.extend(
            text.split_whitespace().next().and_then(|word| word.parse().ok()).map(|number| (number, false)),
        );
        numbers.extend(
            text.split_whitespace().last().and_then(|word| word.parse().ok()).map(|number| (number, true)),
        );
        Row { y: *y, is_top, depth, text, numbers }
    };
    let top = rows.iter().take(EDGE_ROWS).enumerate().map(|(depth, found)| row(depth, true, found));
    let from_bottom = rows.iter().rev().take(EDGE_ROWS.min(count.saturating_sub(EDGE_ROWS)));
    let large = |y: f32| pieces.iter().any(|piece| (piece.y - y).abs() < 2.0 && piece.size > most);
    top.chain(from_bottom.enumerate().map(|(depth, found)| row(depth, false, found)))
        .filter(|row| if row.is_top { row.y < EDGE * height } else { row.y > (1.0 - EDGE) * height })
        .filter(|row| !large(row.y))
        .collect()
}

/// Texts that stand at the same place of several pages, digits aside.
fn repeated_texts(edges: &[Vec<Row>]) -> HashMap<(i32, String), usize> {
    let mut counts: HashMap<(i32, String), usize> = HashMap::new();
    for row in edges.iter().flatten() {
        *counts.entry(row.key()).or_default() += 1;
    }
    // A head that is rounded to the next place is still the same head.
    let near: Vec<((i32, String), usize)> = counts
        .iter()
        .map(|((place, text), count)| {
            let beside = [place - 1, place + 1];
            let more: usize = beside.iter().filter_map(|place| counts.get(&(*place, text.clone()))).sum();
            ((*place, text.clone()), count + more)
        })
        .collect();
    let enough = if edges.len() < 6 { 2 } else { 3 };
    near.into_iter().filter(|(key, count)| *count >= enough && !key.1.is_empty()).collect()
}

/// How often a number at a place runs along with the pages.
fn numbered_places(edges: &[Vec<Row>]) -> HashMap<(i32, i64, bool), usize> {
    let mut counts = HashMap::new();
    for (index, rows) in edges.iter().enumerate() {
        for row in rows {
            for (number, at_end) in &row.numbers {
                *counts.entry((row.place(), number - index as i64, *at_end)).or_default() += 1;
            }
        }
    }
    counts
}

fn is_page_number(text: &str) -> bool {
    let text = text.trim_matches(|char: char| matches!(char, '-' | '–' | '—' | ' ' | '.' | '|' | '[' | ']'));
    let text = text.strip_prefix("Page ").unwrap_or(text);
    let is_roman = text.len() <= 6 && text.chars().all(|char| "ivxlc".contains(char));
    let is_number = text.len() <= 4 && text.chars().all(|char| char.is_ascii_digit());
    let of = text.split_once(" of ").or_else(|| text.split_once('/')).or_else(|| text.split_once(" / "));
    let is_of = of.is_some_and(|(a, b)| a.trim().parse::<u32>().is_ok() && b.trim().parse::<u32>().is_ok());
    !text.is_empty() && (is_roman || is_number || is_of)
}
