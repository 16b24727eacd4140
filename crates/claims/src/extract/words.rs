//! Words of prose with their bytes, without the punctuation and markup around them.

use std::ops::Range;

use super::page::{Block, Page};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word<'t> {
    pub(super) text: &'t str,
    pub(super) bytes: Range<usize>,
}

/// The words of a block that stand in no span and no target of a link.
pub(super) fn unmarked<'t>(page: &Page<'t>, block: &Block) -> Vec<Word<'t>> {
    let mut found = words(page.text, &block.bytes);
    found.retain(|word| page.piece_at(word.bytes.start).is_none());
    found
}

/// The words of `text[bytes]`, as they follow each other.
pub(super) fn words<'t>(text: &'t str, bytes: &Range<usize>) -> Vec<Word<'t>> {
    let source = text.get(bytes.clone()).unwrap_or_default();
    let mut found = Vec::new();
    let mut start = None;
    for (at, c) in source.char_indices().chain([(source.len(), ' ')]) {
        let is_gap = c.is_whitespace() || matches!(c, '|' | '`' | '*' | '"' | '[' | ']');
        match (is_gap, start) {
            (false, None) => start = Some(at),
            (true, Some(from)) => {
                found.extend(trimmed(source, bytes.start, from..at));
                start = None;
            }
            _ => {}
        }
    }
    found
}

fn trimmed<'t>(source: &'t str, base: usize, bytes: Range<usize>) -> Option<Word<'t>> {
    let word = &source[bytes.clone()];
    let start = word.len() - word.trim_start_matches(['(', '_', ',', '\'', ';', ':']).len();
    let end = word.trim_end_matches([')', '_', ',', '\'', ';', ':', '.', '!', '?']).len();
    let text = word.get(start..end).filter(|text| !text.is_empty())?;
    let from = base + bytes.start + start;
    Some(Word { text, bytes: from..from + text.len() })
}

/// Whether it is a version number, such as `18`, `3.9`, `v1.2.x`; the bare number is returned.
pub(super) fn version(word: &str) -> Option<&str> {
    let number = word.trim_start_matches(['v', '^', '~', '=', '>', '<', '≥']).trim_end_matches('+');
    let number = number.strip_suffix(".x").or_else(|| number.strip_suffix(".*")).unwrap_or(number);
    let core = number.split(['-', '+']).next().unwrap_or(number);
    let is_part =
        |part: &str| !part.is_empty() && part.len() <= 6 && part.bytes().all(|b| b.is_ascii_digit());
    (core.split('.').all(is_part) && core.split('.').count() <= 4).then_some(number)
}
