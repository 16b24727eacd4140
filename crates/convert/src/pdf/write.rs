//! Blocks become Markdown, and each line of it keeps its page.

use std::collections::HashMap;

use crate::Origin;

use super::blocks::{Block, CodeLine};
use super::inline::{as_paragraph, markdown};
use super::lines::Span;

/// The text and where it comes from.
#[derive(Debug, Default)]
pub(super) struct Written {
    pub(super) text: String,
    pub(super) origins: Vec<Origin>,
    /// Whether the limit cut it.
    pub(super) is_cut: bool,
    lines: u32,
}

/// Writes blocks. `links` has the addresses of each page, from 1.
pub(super) fn write(blocks: &[Block], links: &[Vec<String>], mono_is_code: bool, most: usize) -> Written {
    let mut out = Written::default();
    let of_page = |page: u32| links.get((page as usize).wrapping_sub(1)).map_or(&[][..], Vec::as_slice);
    let inline = |page: u32, spans: &[Span]| markdown(spans, of_page(page), mono_is_code);
    let mut before: Option<&Block> = None;
    for block in blocks {
        if out.text.len() > most {
            out.is_cut = true;
            break;
        }
        let is_tight = matches!((before, block), (Some(Block::Item { .. }), Block::Item { .. }));
        if before.is_some() && !is_tight {
            out.blank();
        }
        match block {
            Block::Heading { level, page, spans } => {
                let plain = markdown(spans, &[], false);
                out.line(*page, &crate::markdown::heading_line(*level, &plain));
            }
            Block::Paragraph { parts } => {
                for (page, spans) in parts {
                    let text = inline(*page, spans);
                    if !text.is_empty() {
                        out.line(*page, &as_paragraph(text));
                    }
                }
            }
            Block::Item { depth, marker, parts } => {
                for (index, (page, spans)) in parts.iter().enumerate() {
                    let indent = "   ".repeat((*depth).min(8));
                    let lead = if index == 0 { format!("{marker} ") } else { "   ".to_owned() };
                    out.line(*page, &format!("{indent}{lead}{}", inline(*page, spans)));
                }
            }
            Block::Code { lines } => out.code(lines),
            Block::Table { rows } => {
                for (index, (page, row)) in rows.iter().enumerate() {
                    let cells: Vec<String> =
                        row.iter().map(|cell| inline(*page, cell).replace('|', "\\|")).collect();
                    out.line(*page, &format!("| {} |", cells.join(" | ")));
                    if index == 0 {
                        out.line(*page, &format!("|{}", " --- |".repeat(cells.len())));
                    }
                }
            }
        }
        before = Some(block);
    }
    out
}

impl Written {
    fn line(&mut self, page: u32, text: &str) {
        self.lines = self.lines.saturating_add(1);
        if self.origins.last().is_none_or(|last| last.page != Some(page)) {
            self.origins.push(Origin { line: self.lines, page: Some(page), label: None });
        }
        self.text.push_str(text.trim_end());
        self.text.push('\n');
    }

    fn blank(&mut self) {
        self.lines = self.lines.saturating_add(1);
        self.text.push('\n');
    }

    fn code(&mut self, lines: &[CodeLine]) {
        let Some(first) = lines.first() else { return };
        let ticks = lines
            .iter()
            .map(|line| line.text.trim_start().bytes().take_while(|&byte| byte == b'`').count())
            .max();
        let fence = "`".repeat(ticks.unwrap_or(0).saturating_add(1).max(3));
        self.line(first.page, &fence);
        let mut last = first.page;
        // Pages may have different margins, so each page has its own left edge.
        let mut edges: HashMap<u32, f32> = HashMap::new();
        for line in lines {
            let edge = edges.entry(line.page).or_insert(line.x0);
            *edge = edge.min(line.x0);
        }
        for line in lines {
            let edge = edges.get(&line.page).copied().unwrap_or(line.x0);
            let columns = ((line.x0 - edge) / line.cell.max(0.5)).round().clamp(0.0, 120.0) as usize;
            for _ in 0..line.blanks {
                self.line(line.page, "");
            }
            self.line(line.page, &format!("{}{}", " ".repeat(columns), line.text));
            last = line.page;
        }
        self.line(last, &fence);
    }
}
