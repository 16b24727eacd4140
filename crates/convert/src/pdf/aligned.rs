//! Tables without lines: rows of short pieces that stand under each other.

use super::inline::join_line;
use super::layout::Line;
use super::lines::Span;
use super::words::Words;

/// Fewest rows that make a table.
const ROWS: usize = 3;

/// After this many rows their columns must still be apart.
const LOOK: usize = 16;

/// Rows with their page.
type Rows = Vec<(u32, Vec<Vec<Span>>)>;

/// The table that starts with the first line, and how many lines it takes; else how many lines were looked at in vain.
/// `is_other` names lines that are no cells.
pub(super) fn table_at(
    lines: &[Line],
    words: &Words,
    is_other: impl Fn(&Line) -> bool,
) -> Result<(Rows, usize), usize> {
    let taken = rows_at(lines, is_other);
    table_of(&taken, words).ok_or(taken.len())
}

/// Lines that could be the rows of one table.
fn rows_at(lines: &[Line], is_other: impl Fn(&Line) -> bool) -> Vec<&Line> {
    let is_row = |line: &Line| {
        line.pieces.len() >= 2
            && !line.is_table()
            && !line.is_marked()
            && !super::headings::has_leader(&line.text())
    };
    let mut taken: Vec<&Line> = Vec::new();
    for line in lines {
        let Some(last) = taken.last() else {
            if !is_row(line) || is_other(line) {
                break;
            }
            taken.push(line);
            continue;
        };
        let is_near = line.y > last.y && line.y - last.y < 3.2 * line.size;
        if line.is_first || line.is_table() || !is_near || is_other(line) {
            break;
        }
        if !is_row(line) && columns(&taken).is_none_or(|columns| column_of(&columns, line).is_none()) {
            break;
        }
        taken.push(line);
        if taken.len().is_multiple_of(LOOK) && columns(&taken).is_none() {
            break;
        }
    }
    while taken.last().is_some_and(|line| !is_row(line) && column_of_first(&taken, line)) {
        taken.pop();
    }
    taken
}

/// The cells of rows, when their columns are apart.
fn table_of(taken: &[&Line], words: &Words) -> Option<(Rows, usize)> {
    let columns = columns(taken)?;
    let full = taken.iter().filter(|line| line.pieces.len() >= 2).count();
    if columns.len() < 2 || full < ROWS || full * 2 < taken.len() {
        return None;
    }
    let mut rows: Rows = Vec::new();
    for line in taken {
        let mut cells: Vec<Vec<Span>> = vec![Vec::new(); columns.len()];
        for piece in &line.pieces {
            let column = columns.iter().position(|(x0, x1)| piece.x0 < *x1 && piece.x1 > *x0)?;
            let cell = cells.get_mut(column)?;
            join_line(cell, piece.spans.clone(), words);
        }
        let starts_row = cells.first().is_some_and(|cell| !cell.is_empty());
        match rows.last_mut() {
            Some((_, above)) if !starts_row => {
                for (cell, more) in above.iter_mut().zip(cells) {
                    join_line(cell, more, words);
                }
            }
            _ => rows.push((line.page, cells)),
        }
    }
    (rows.len() >= ROWS).then_some((rows, taken.len()))
}

/// Whether a line of one piece stands in the first column: then it is text below the table.
fn column_of_first(taken: &[&Line], line: &Line) -> bool {
    columns(taken).is_none_or(|columns| column_of(&columns, line) == Some(0))
}

/// The column that a line of one piece stands in, if it fits into one.
fn column_of(columns: &[(f32, f32)], line: &Line) -> Option<usize> {
    let [piece] = line.pieces.as_slice() else { return None };
    let slack = 0.5 * piece.size;
    columns.iter().position(|(x0, x1)| piece.x0 >= x0 - slack && piece.x1 <= x1 + slack)
}

/// What the pieces of all rows cover, from the left: one interval per column.
fn columns(lines: &[&Line]) -> Option<Vec<(f32, f32)>> {
    let rows = lines.iter().filter(|line| line.pieces.len() >= 2);
    let mut spans: Vec<(f32, f32)> =
        rows.flat_map(|line| &line.pieces).map(|piece| (piece.x0, piece.x1)).collect();
    spans.sort_by(|a, b| super::lines::order(a.0, b.0));
    let mut out: Vec<(f32, f32)> = Vec::new();
    for (x0, x1) in spans {
        match out.last_mut() {
            Some(last) if x0 <= last.1 => last.1 = last.1.max(x1),
            _ => out.push((x0, x1)),
        }
    }
    (out.len() >= 2).then_some(out)
}
