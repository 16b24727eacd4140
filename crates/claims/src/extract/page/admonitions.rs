//! Notes and tabs of some site generators: a marker (`!!! note`, `??? tip`, `=== "Tab"`) and a body that is indented.
//!
//! CommonMark takes the body for code, in which there are no links. Written as items of a list, with every byte where it
//! was, the same text is read as what it is.

use std::borrow::Cow;

/// How far a body is indented beyond its marker.
const INDENT: usize = 4;

/// The text with markers written as items; as it is where there are none.
pub(super) fn as_items(body: &str) -> Cow<'_, str> {
    let mut changed: Option<Vec<u8>> = None;
    let mut fence: Option<&str> = None;
    let mut at = 0;
    for line in body.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let content = line.trim_start_matches(' ');
        let indent = line.len() - content.len();
        match fence {
            Some(mark) => {
                if content.starts_with(mark) {
                    fence = None;
                }
                continue;
            }
            None => fence = ["```", "~~~"].into_iter().find(|mark| content.starts_with(mark)),
        }
        let Some(length) = marker(content).filter(|_| is_indented(&body[at..], indent + INDENT)) else {
            continue;
        };
        let bytes = changed.get_or_insert_with(|| body.as_bytes().to_vec());
        bytes[start + indent] = b'-';
        bytes[start + indent + 1..start + indent + INDENT].fill(b' ');
        // What is left of a longer marker is the item's first word.
        bytes[(start + indent + INDENT).min(start + indent + length)..start + indent + length].fill(b'.');
    }
    // Only ASCII was written over ASCII.
    match changed.and_then(|bytes| String::from_utf8(bytes).ok()) {
        Some(text) => Cow::Owned(text),
        None => Cow::Borrowed(body),
    }
}

/// Bytes of the marker that a line begins with, the space behind it included.
fn marker(content: &str) -> Option<usize> {
    let length =
        ["!!! ", "??? ", "???+ "].iter().find(|mark| content.starts_with(**mark)).map(|mark| mark.len());
    let is_tab = || content.starts_with("=== \"") || content.starts_with("=== '");
    length.or_else(|| is_tab().then_some(INDENT))
}

/// Whether the next line that is not empty is indented that far.
fn is_indented(rest: &str, by: usize) -> bool {
    let next = rest.lines().find(|line| !line.trim().is_empty());
    next.is_some_and(|line| line.len() - line.trim_start_matches(' ').len() >= by)
}

#[cfg(test)]
mod tests {
    use super::as_items;

    #[test]
    fn every_byte_stays_where_it_was() {
        for (text, expected) in [
            ("!!! note\n\n    See [a](b.md).\n", "-   note\n\n    See [a](b.md).\n"),
            ("???+ tip \"ü\"\n    x\n", "-   .tip \"ü\"\n    x\n"),
            ("=== \"Go\"\n\n    !!! x\n        y\n", "-   \"Go\"\n\n    -   x\n        y\n"),
            ("```\n!!! note\n\n    a\n```\n", "```\n!!! note\n\n    a\n```\n"),
            ("!!! wow\n\nplain\n", "!!! wow\n\nplain\n"),
            ("Title\n=== \n", "Title\n=== \n"),
            ("!!! ", "!!! "),
        ] {
            assert_eq!(as_items(text), expected, "{text:?}");
            assert_eq!(as_items(text).len(), text.len());
        }
    }
}
