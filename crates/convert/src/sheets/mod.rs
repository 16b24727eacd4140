//! Spreadsheets: each sheet becomes a section with one table.
//!
//! Readers yield sparse rows, because a sheet may have a cell in its last possible row and column. What is empty on all
//! sides is dropped, and rows and columns above the limits are cut with a note.

mod csv;
mod numbers;
mod ods;
mod xlsx;

pub(crate) use csv::convert as csv;
pub(crate) use ods::convert as ods;
pub(crate) use xlsx::convert as xlsx;

use std::collections::BTreeSet;

use crate::document::Draft;
use crate::{Limits, markdown};

/// A sheet with the cells that are not empty.
#[derive(Default)]
struct Sheet {
    name: String,
    /// Cells of a row by their columns, counted from 0; texts, not Markdown.
    rows: Vec<Vec<(usize, String)>>,
    /// Whether rows were left out.
    is_cut: bool,
    /// Bytes in all cells: few stored texts can stand in many cells.
    bytes: usize,
}

impl Sheet {
    /// Adds a row, unless the sheet is full; a full sheet is marked as cut.
    fn push(&mut self, cells: Vec<(usize, String)>, limits: &Limits) {
        let bytes: usize = cells.iter().map(|(_, text)| text.len()).sum();
        self.bytes = self.bytes.saturating_add(bytes);
        self.is_cut |= self.is_full(limits) && !cells.is_empty();
        if !self.is_cut {
            self.rows.push(cells);
        }
    }

    /// Whether there is a row more than the limits allow, which shows that the sheet is cut.
    fn is_full(&self, limits: &Limits) -> bool {
        self.bytes > limits.markdown_bytes || self.rows.len() > limits.rows.saturating_add(1)
    }

    /// Writes the section; a file that is one table has no heading.
    fn write(self, draft: &mut Draft, limits: &Limits, with_heading: bool) {
        let used: BTreeSet<usize> = self.rows.iter().flatten().map(|(column, _)| *column).collect();
        let total = used.len();
        let used: Vec<usize> = used.into_iter().take(limits.columns).collect();
        let mut rows: Vec<Vec<String>> = Vec::new();
        let mut is_cut = self.is_cut;
        for row in self.rows.iter().filter(|row| !row.is_empty()) {
            // One more than the limit, because the first one is the head.
            if rows.len() > limits.rows {
                is_cut = true;
                break;
            }
            let mut cells = vec![String::new(); used.len()];
            for (column, text) in row {
                let place = used.binary_search(column).ok().and_then(|at| cells.get_mut(at));
                if let Some(place) = place {
                    *place = markdown::escape(text);
                }
            }
            rows.push(cells);
        }
        if rows.is_empty() {
            draft.note(format!("sheet \"{}\" is empty", self.name));
            return;
        }
        if with_heading {
            draft.origin(None, Some(&self.name));
            draft.heading(2, &markdown::escape(&self.name));
        }
        let shown = rows.len().saturating_sub(1).min(limits.rows);
        draft.block(&markdown::table(&rows));
        if is_cut {
            let note = format!("{} was cut after {} rows", quoted(&self.name), shown);
            draft.block(&format!("*{note}.*"));
            draft.note(note);
        }
        if total > limits.columns {
            draft.note(format!("{} was cut after {} columns", quoted(&self.name), limits.columns));
        }
    }
}

fn quoted(name: &str) -> String {
    if name.is_empty() { "the table".to_owned() } else { format!("sheet \"{name}\"") }
}
