//! Byte offsets and line numbers.
//!
//! A line ends with LF, CRLF or a lone CR, as in CommonMark. Numbers are 1-based, and a range includes
//! both of its ends, which is how editors and citations count.

use std::ops::Range;

/// Lines from `start` to `end`, 1-based, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LineRange {
    /// The first line.
    pub start: usize,
    /// The last line.
    pub end: usize,
}

/// Where each line of a text starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineIndex {
    starts: Vec<usize>,
    len: usize,
}

impl LineIndex {
    /// Reads `text` once.
    pub fn new(text: &str) -> LineIndex {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        for (at, &byte) in bytes.iter().enumerate() {
            if byte == b'\n' || (byte == b'\r' && bytes.get(at + 1) != Some(&b'\n')) {
                starts.push(at + 1);
            }
        }
        // The end of the last line is not the start of another one.
        if starts.len() > 1 && starts.last() == Some(&bytes.len()) {
            starts.pop();
        }
        LineIndex { starts, len: bytes.len() }
    }

    /// How many lines there are; an empty text has one.
    pub fn count(&self) -> usize {
        self.starts.len()
    }

    /// The line that holds the byte at `offset`; offsets past the end belong to the last line.
    pub fn line(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start <= offset)
    }

    /// The lines that `bytes` touches. An empty range is on the line where it stands.
    pub fn range(&self, bytes: &Range<usize>) -> LineRange {
        let start = self.line(bytes.start);
        LineRange { start, end: self.line(bytes.end.saturating_sub(1)).max(start) }
    }

    /// The bytes of `lines` with their line ends; lines that do not exist are left out.
    pub fn bytes(&self, lines: LineRange) -> Range<usize> {
        let start = self.start(lines.start.max(1));
        start..self.start(lines.end.saturating_add(1)).max(start)
    }

    /// Where `line` starts; the end of the text for a line past the last.
    pub fn start(&self, line: usize) -> usize {
        match line.checked_sub(1) {
            None => 0,
            Some(index) => self.starts.get(index).copied().unwrap_or(self.len),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, offset: usize, line: usize) {
        assert_eq!(LineIndex::new(text).line(offset), line, "{text:?} at {offset}");
    }

    #[test]
    fn line_of_an_offset() {
        check("", 0, 1);
        check("a\nb", 0, 1);
        check("a\nb", 1, 1);
        check("a\nb", 2, 2);
        check("a\nb\n", 4, 2);
    }

    #[test]
    fn all_three_line_ends_count_once() {
        check("a\r\nb", 2, 1);
        check("a\r\nb", 3, 2);
        check("a\rb", 2, 2);
        check("a\r\rb", 3, 3);
    }

    #[test]
    fn ranges_include_both_ends() {
        let index = LineIndex::new("a\nb\nc\n");
        assert_eq!(index.count(), 3);
        assert_eq!(index.range(&(0..4)), LineRange { start: 1, end: 2 });
        assert_eq!(index.range(&(2..2)), LineRange { start: 2, end: 2 });
        assert_eq!(index.bytes(LineRange { start: 2, end: 3 }), 2..6);
        assert_eq!(index.bytes(LineRange { start: 9, end: 12 }), 6..6);
    }
}
