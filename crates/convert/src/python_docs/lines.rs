//! Cuts Python source into logical lines: brackets, strings and backslashes may spread one over many.

/// A statement, or the part of it before its block.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    pub(super) indent: usize,
    /// Without comment at its end, but with what brackets hold.
    pub(super) text: &'a str,
}

/// All logical lines with something on them.
pub(super) fn logical_lines(source: &str) -> Vec<Line<'_>> {
    let mut scanner = Scanner { text: source, bytes: source.as_bytes(), at: 0 };
    let mut found = Vec::new();
    while scanner.at < scanner.bytes.len() {
        let indent = scanner.indent();
        let start = scanner.at;
        let end = scanner.statement();
        let text = source.get(start..end).unwrap_or_default().trim_end();
        if !text.is_empty() {
            found.push(Line { indent, text });
        }
    }
    found
}

struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
}

impl Scanner<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// Passes over white space at the beginning of a line; a tab goes to the next multiple of eight.
    fn indent(&mut self) -> usize {
        let mut indent = 0;
        loop {
            match self.peek(0) {
                b' ' => indent += 1,
                b'\t' => indent = (indent / 8 + 1) * 8,
                b'\x0c' => indent = 0,
                _ => return indent,
            }
            self.at += 1;
        }
    }

    /// Reads to the end of a statement; returns where its text ends.
    fn statement(&mut self) -> usize {
        let mut depth = 0_usize;
        let mut end = None;
        while self.at < self.bytes.len() {
            match self.peek(0) {
                b'\n' if depth == 0 => {
                    let here = self.at;
                    self.at += 1;
                    return end.unwrap_or(here);
                }
                b'#' => {
                    if depth == 0 {
                        end = end.or(Some(self.at));
                    }
                    let rest = self.bytes.get(self.at..).unwrap_or_default();
                    self.at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
                }
                b'\\' => self.at += 2,
                b'"' | b'\'' => self.string(),
                b'(' | b'[' | b'{' => {
                    depth += 1;
                    self.at += 1;
                }
                b')' | b']' | b'}' => {
                    depth = depth.saturating_sub(1);
                    self.at += 1;
                }
                _ => self.at += 1,
            }
        }
        self.at = self.bytes.len();
        end.unwrap_or(self.text.len())
    }

    /// Passes over a string; one in single quotes ends with its line at the latest.
    fn string(&mut self) {
        let quote = self.peek(0);
        let is_triple = self.peek(1) == quote && self.peek(2) == quote;
        self.at += if is_triple { 3 } else { 1 };
        while self.at < self.bytes.len() {
            match self.peek(0) {
                b'\\' => self.at += 2,
                b'\n' if !is_triple => return,
                byte if byte == quote && !is_triple => {
                    self.at += 1;
                    return;
                }
                byte if byte == quote && self.peek(1) == quote && self.peek(2) == quote => {
                    self.at += 3;
                    return;
                }
                _ => self.at += 1,
            }
        }
    }
}
