//! Splitting a section that is too long for one chunk.
//!
//! Parts tile the section. They end where a block ends; only a block that is itself too long is cut, at
//! its inner blocks (list items, table rows), else at a line, else at a space, else at a character.
//! Among the places of the best kind the one that makes the remaining parts most equal wins.

use std::ops::Range;

use crate::lines::LineIndex;
use crate::structure::Structure;

/// `bytes` of `text` in parts of at most `max_chars` characters, in order and without gaps.
pub(crate) fn split(
    text: &str,
    bytes: &Range<usize>,
    structure: &Structure,
    lines: &LineIndex,
    max_chars: usize,
) -> Vec<Range<usize>> {
    let max_chars = max_chars.max(1);
    let lines = measure(text, bytes, structure, lines);
    let total = lines.last().map_or(0, |end| end.chars);
    let mut parts = Vec::new();
    let mut from = Place { byte: bytes.start, chars: 0, kind: Kind::Top };
    // The first line that starts after `from`; the last entry is the end of the section.
    let mut next = 0;
    while total - from.chars > max_chars {
        while lines[next].chars <= from.chars {
            next += 1;
        }
        let to = choose(&lines[next..], from, total, max_chars)
            .unwrap_or_else(|| inside_line(text, bytes, from, max_chars));
        parts.push(from.byte..to.byte);
        from = to;
    }
    parts.push(from.byte..bytes.end);
    parts
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Line,
    Nested,
    Top,
}

/// A line start, with the characters of the section in front of it.
#[derive(Clone, Copy)]
struct Place {
    byte: usize,
    chars: usize,
    kind: Kind,
}

/// Every line start of the section after its first, and its end.
fn measure(text: &str, bytes: &Range<usize>, structure: &Structure, lines: &LineIndex) -> Vec<Place> {
    let mut cuts = structure.cuts_within(bytes).iter().peekable();
    let mut places = Vec::new();
    let mut chars = 0;
    let mut byte = bytes.start;
    let mut line = lines.line(byte);
    while byte < bytes.end {
        line += 1;
        let start = byte;
        byte = lines.start(line).clamp(start + 1, bytes.end);
        chars += text.get(start..byte).unwrap_or_default().chars().count();
        while cuts.peek().is_some_and(|cut| cut.offset < byte) {
            cuts.next();
        }
        let kind = match cuts.peek() {
            Some(cut) if cut.offset == byte && cut.top_level => Kind::Top,
            Some(cut) if cut.offset == byte => Kind::Nested,
            _ => Kind::Line,
        };
        places.push(Place { byte, chars, kind });
    }
    if let Some(end) = places.last_mut() {
        end.kind = Kind::Top;
    }
    places
}

/// The best place to end the part that starts at `from`; `None` when its first line is too long.
fn choose(lines: &[Place], from: Place, total: usize, max_chars: usize) -> Option<Place> {
    let reach = lines.iter().take_while(|place| place.chars - from.chars <= max_chars).count();
    let window = &lines[..reach];
    let left = total - from.chars;
    let ideal = from.chars + left.div_ceil(left.div_ceil(max_chars));
    for kind in [Kind::Top, Kind::Nested, Kind::Line] {
        let best = window.iter().filter(|place| place.kind >= kind);
        let Some(best) = best.min_by_key(|place| place.chars.abs_diff(ideal)) else { continue };
        // A part with little more than a heading is only right when what follows fits into one part.
        let tiny = best.chars - from.chars < max_chars / 4;
        if !tiny || kind == Kind::Line || block_fits(lines, *best, kind, max_chars) {
            return Some(*best);
        }
    }
    None
}

fn block_fits(lines: &[Place], start: Place, kind: Kind, max_chars: usize) -> bool {
    let next = lines.iter().find(|place| place.chars > start.chars && place.kind >= kind);
    next.is_some_and(|next| next.chars - start.chars <= max_chars)
}

/// Ends a part inside of a line: after its last space within reach, else at the last character.
fn inside_line(text: &str, bytes: &Range<usize>, from: Place, max_chars: usize) -> Place {
    let rest = &text[from.byte..bytes.end];
    let hard = rest.char_indices().nth(max_chars).map_or(rest.len(), |(at, _)| at);
    let reach = &rest[..hard];
    let end = reach.rfind(char::is_whitespace).map(|space| {
        let width = reach[space..].chars().next().map_or(1, char::len_utf8);
        space + width
    });
    let end = end.filter(|&end| end > hard / 2).unwrap_or(hard);
    Place { byte: from.byte + end, chars: from.chars + rest[..end].chars().count(), kind: Kind::Line }
}
