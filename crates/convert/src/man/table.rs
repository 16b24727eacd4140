//! Tables of tbl(1).

use super::control::{control, split_arguments};
use super::roff::Page;
use super::spans::{Span, Style, markdown};

/// Tables with more columns are written as text.
const MAX_COLUMNS: usize = 24;

impl Page {
    /// Reads from behind `.TS` to `.TE`.
    pub(super) fn table(&mut self) {
        let mut lines = Vec::new();
        while let Some(line) = self.next_line() {
            if control(&line).is_some_and(|(name, _)| name == "TE") {
                break;
            }
            lines.push(line);
        }
        let mut lines = lines.into_iter().peekable();
        let mut separator = '\t';
        if let Some(options) = lines.next_if(|line| line.trim_end().ends_with(';')) {
            let tab = options.split_once("tab").map(|(_, tab)| tab.trim_start());
            separator = tab.and_then(|tab| tab.strip_prefix('(')?.chars().next()).unwrap_or('\t');
        }
        let shapes = formats(&mut lines);
        let has_header = shapes.first().is_some_and(|format| format.contains(['b', 'B']));
        let mut rows: Vec<Vec<String>> = Vec::new();
        let mut rule_after = None;
        while let Some(line) = lines.next() {
            match (control(&line), line.trim()) {
                (_, "_" | "=" | "\\_") => rule_after = rule_after.or(Some(rows.len())),
                (Some(("T&", _)), _) => {
                    // From here on columns look different; what they hold is all that matters.
                    let _ = formats(&mut lines);
                }
                (Some((name, rest)), _) => {
                    if let Some(text) = self.cell_macro(name, rest) {
                        rows.push(vec![text]);
                    }
                }
                (None, _) => {
                    let row = self.row(&line, separator, &mut lines);
                    rows.push(row);
                }
            }
        }
        self.reset_font();
        self.push_table(&rows, has_header || rule_after == Some(1));
    }

    /// A row, with the blocks of text that go over several lines.
    fn row(&mut self, line: &str, separator: char, lines: &mut dyn Iterator<Item = String>) -> Vec<String> {
        let mut cells = Vec::new();
        let mut parts: Vec<String> = line.split(separator).map(str::to_owned).collect();
        parts.reverse();
        while let Some(part) = parts.pop() {
            if part.trim() != "T{" {
                cells.push(self.cell(&part));
                continue;
            }
            let mut text = Vec::new();
            for line in &mut *lines {
                if let Some(rest) = line.strip_prefix("T}") {
                    let more = rest.strip_prefix(separator).map(|rest| rest.split(separator));
                    parts.extend(more.into_iter().flatten().map(str::to_owned).rev());
                    break;
                }
                match control(&line) {
                    Some((name, rest)) => text.extend(self.cell_macro(name, rest)),
                    None => text.push(self.cell(&line)),
                }
            }
            cells.push(text.join(" "));
        }
        cells
    }

    fn cell(&mut self, text: &str) -> String {
        if matches!(text.trim(), "\\^" | "_" | "=" | "\\_") {
            return String::new();
        }
        let line = self.expand(text);
        self.reset_font();
        markdown(&line.spans)
    }

    /// Text of the macros that stand in cells; nothing for those that are about layout.
    fn cell_macro(&mut self, name: &str, rest: &str) -> Option<String> {
        let style = |letter: char| match letter {
            'B' => Style::Bold,
            'I' => Style::Italic,
            _ => Style::Roman,
        };
        if !matches!(name, "B" | "I" | "R" | "SM" | "SB" | "BR" | "RB" | "BI" | "IB" | "IR" | "RI") {
            return None;
        }
        let is_alternating = name.len() == 2 && !name.starts_with('S');
        let styles: Vec<Style> = name.chars().map(style).collect();
        let mut spans = Vec::new();
        for (at, (argument, style)) in split_arguments(rest).iter().zip(styles.iter().cycle()).enumerate() {
            if at > 0 && !is_alternating {
                spans.push(Span::new(Style::Roman, " "));
            }
            self.font = *style;
            spans.extend(self.expand(argument).spans);
        }
        self.reset_font();
        Some(markdown(&spans))
    }

    pub(super) fn push_table(&mut self, rows: &[Vec<String>], has_header: bool) {
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        if columns == 0 {
            return;
        }
        if columns == 1 || columns > MAX_COLUMNS || self.out.is_code() {
            for row in rows {
                self.out.text(vec![Span::new(Style::Raw, row.join(" "))], false);
                self.out.line_break();
            }
            self.out.end_paragraph();
            return;
        }
        let mut block = String::new();
        let mut push = |cells: &[String]| {
            block.push('|');
            for at in 0..columns {
                let cell = cells.get(at).map(|cell| cell.replace('|', "\\|")).unwrap_or_default();
                block.push_str(&format!(" {} |", cell.trim()));
            }
            block.push('\n');
        };
        let (header, body) = match (rows.split_first(), has_header) {
            (Some((header, body)), true) => (header.clone(), body),
            _ => (Vec::new(), rows),
        };
        push(&header);
        push(&vec!["---".to_owned(); columns]);
        for row in body {
            push(row);
        }
        self.out.push_block(block.trim_end());
    }
}

/// The lines that say how columns look; the last one ends in a full stop.
fn formats(lines: &mut dyn Iterator<Item = String>) -> Vec<String> {
    let mut found = Vec::new();
    for line in lines {
        let is_last = line.trim_end().ends_with('.');
        found.push(line);
        if is_last {
            break;
        }
    }
    found
}
