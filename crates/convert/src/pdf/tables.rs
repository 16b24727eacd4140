//! Tables whose cells are ruled: lines that meet form a grid, and each glyph falls into one of its cells.

use std::collections::BTreeMap;

use super::content::{Glyph, PageContent, Rule};
use super::geometry::Area;
use super::lines::{self, Piece, order};

/// How far apart two lines may be and still count as one or as meeting.
const NEAR: f32 = 3.0;
/// A page with more lines than this shows a chart or a drawing.
const MOST_RULES: usize = 1500;

/// A grid with the text of its cells.
#[derive(Debug)]
pub(super) struct RuledTable {
    pub(super) top: f32,
    pub(super) x0: f32,
    pub(super) x1: f32,
    pub(super) rows: Vec<Vec<Vec<Piece>>>,
}

/// Takes the ruled tables and their glyphs out of a page.
pub(super) fn take(page: &mut PageContent) -> Vec<RuledTable> {
    if page.rules.len() > MOST_RULES {
        return Vec::new();
    }
    let mut out = Vec::new();
    for grid in grids(&page.rules) {
        let (inside, outside): (Vec<Glyph>, Vec<Glyph>) =
            page.glyphs.drain(..).partition(|glyph| grid.cell_of(glyph).is_some());
        match grid.fill(&inside) {
            Some(table) => {
                out.push(table);
                page.glyphs = outside;
            }
            None => {
                // The order of the file matters to what comes later, so the glyphs go back as they were.
                page.glyphs = outside;
                page.glyphs.extend(inside);
            }
        }
    }
    out
}

struct Grid {
    xs: Vec<f32>,
    ys: Vec<f32>,
    /// The upright lines, which may end where cells are joined.
    walls: Vec<Area>,
}

impl Grid {
    fn cell_of(&self, glyph: &Glyph) -> Option<(usize, usize)> {
        let x = (glyph.x0 + glyph.x1) / 2.0;
        let y = glyph.y - 0.3 * glyph.size;
        Some((slot(&self.ys, y)?, slot(&self.xs, x)?))
    }

    /// Which cells are joined with the one left of them: a word runs over the place between them, and no line stands there.
    /// Also how many words a line cuts: those of a table never do.
    fn joined(&self, glyphs: &[Glyph]) -> (Vec<Vec<bool>>, usize) {
        let mut joined = vec![vec![false; self.xs.len()]; self.ys.len()];
        let mut cuts = 0;
        for pair in glyphs.windows(2) {
            let [left, right] = pair else { continue };
            let (Some((row, from)), Some((other, to))) = (self.cell_of(left), self.cell_of(right)) else {
                continue;
            };
            let gap = right.x0 - left.x1;
            let is_word = row == other
                && (left.y - right.y).abs() < 0.1 * left.size
                && (-0.3..0.3).contains(&(gap / left.size))
                && !left.text.ends_with(' ');
            if !is_word || to != from + 1 {
                continue;
            }
            let y = left.y - 0.3 * left.size;
            let Some(&x) = self.xs.get(to) else { continue };
            let is_wall = |wall: &Area| wall.grown(NEAR).contains(x, y);
            if self.walls.iter().any(is_wall) {
                cuts += 1;
            } else if let Some(cell) = joined.get_mut(row).and_then(|row| row.get_mut(to)) {
                *cell = true;
            }
        }
        (joined, cuts)
    }

    /// The table, unless the grid is mostly empty: a form, a chart or a frame.
    fn fill(&self, glyphs: &[Glyph]) -> Option<RuledTable> {
        let (rows, columns) = (self.ys.len() - 1, self.xs.len() - 1);
        let mut cells: Vec<Vec<Vec<Glyph>>> = vec![vec![Vec::new(); columns]; rows];
        let (joined, cuts) = self.joined(glyphs);
        for glyph in glyphs {
            let (row, mut column) = self.cell_of(glyph)?;
            while column > 0 && joined.get(row).and_then(|row| row.get(column)) == Some(&true) {
                column -= 1;
            }
            cells.get_mut(row)?.get_mut(column)?.push(glyph.clone());
        }
        let mut rows: Vec<Vec<Vec<Piece>>> =
            cells.iter().map(|row| row.iter().map(|cell| lines::pieces(cell)).collect()).collect();
        rows.retain(|row| row.iter().any(|cell| !cell.is_empty()));
        let empty_columns: Vec<usize> = (0..columns)
            .filter(|&column| rows.iter().all(|row| row.get(column).is_none_or(Vec::is_empty)))
            .collect();
        for row in &mut rows {
            let mut column = 0;
            row.retain(|_| {
                column += 1;
                !empty_columns.contains(&(column - 1))
            });
        }
        let columns = columns - empty_columns.len();
        let filled = rows.iter().flatten().filter(|cell| !cell.is_empty()).count();
        let is_table =
            columns >= 2 && rows.len() >= 2 && filled * 5 >= rows.len() * columns * 2 && cuts * 4 <= filled;
        is_table.then(|| RuledTable {
            top: self.ys.first().copied().unwrap_or(0.0),
            x0: self.xs.first().copied().unwrap_or(0.0),
            x1: self.xs.last().copied().unwrap_or(0.0),
            rows,
        })
    }
}

/// Between which two of the sorted places a value lies.
fn slot(places: &[f32], value: f32) -> Option<usize> {
    let after = places.partition_point(|place| *place <= value);
    (after > 0 && after < places.len()).then(|| after - 1)
}

/// Groups of lines that meet, as far as they can be tables.
fn grids(rules: &[Rule]) -> Vec<Grid> {
    let mut group: Vec<usize> = (0..rules.len()).collect();
    for (index, rule) in rules.iter().enumerate() {
        let reach = rule.area.grown(NEAR);
        for (other_index, other) in rules.iter().enumerate().skip(index + 1) {
            let (Some(&into), Some(&from)) = (group.get(index), group.get(other_index)) else { continue };
            if into != from && meets(reach, other.area) {
                group.iter_mut().filter(|name| **name == from).for_each(|name| *name = into);
            }
        }
    }
    let mut groups: BTreeMap<usize, Vec<&Rule>> = BTreeMap::new();
    for (rule, name) in rules.iter().zip(group) {
        groups.entry(name).or_default().push(rule);
    }
    groups.values().filter_map(|members| grid(members)).collect()
}

fn grid(rules: &[&Rule]) -> Option<Grid> {
    let middle = |a: f32, b: f32| (a + b) / 2.0;
    let upright = rules.iter().filter(|rule| !rule.is_horizontal);
    let level = rules.iter().filter(|rule| rule.is_horizontal);
    let xs = distinct(upright.map(|rule| middle(rule.area.x0, rule.area.x1)));
    let ys = distinct(level.map(|rule| middle(rule.area.y0, rule.area.y1)));
    let walls = rules.iter().filter(|rule| !rule.is_horizontal).map(|rule| rule.area).collect();
    (xs.len() >= 3 && ys.len() >= 3).then_some(Grid { xs, ys, walls })
}

fn meets(a: Area, b: Area) -> bool {
    a.x0 <= b.x1 && b.x0 <= a.x1 && a.y0 <= b.y1 && b.y0 <= a.y1
}

fn distinct(places: impl Iterator<Item = f32>) -> Vec<f32> {
    let mut places: Vec<f32> = places.collect();
    places.sort_by(|a, b| order(*a, *b));
    places.dedup_by(|later, earlier| *later - *earlier < NEAR);
    places
}
