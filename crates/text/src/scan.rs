//! The line scanner: headings of bodies that nest too deep for the parser.
//!
//! It knows fences, indented code, HTML comments, ATX and setext headings at the left margin, and blank
//! lines as cuts. That is less than CommonMark, and enough for text that no person wrote: the point is
//! that its time never depends on nesting.

use pulldown_cmark::Event;

use crate::headings::HeadingText;
use crate::sections::MAX_SECTIONS;
use crate::structure::{Cut, Structure};

/// Containers that one line may open before the body counts as hostile.
const MAX_MARKERS: usize = 100;
/// Columns of indentation in front of a container marker, for the same reason.
const MAX_INDENT: usize = 1000;
/// Bytes of markup up to which a text is parsed.
const MAX_MARKUP: usize = 1_000_000;

/// Whether some line opens more quotes and list items than an author would write.
pub fn nests_too_deep(body: &str) -> bool {
    body.split('\n').any(|line| {
        let mut markers = 0;
        let mut indent = 0;
        let bytes = line.as_bytes();
        for (at, &byte) in bytes.iter().enumerate() {
            match byte {
                b' ' | b'\t' => indent += 1,
                b'>' => markers += 1,
                b'-' | b'+' | b'*' | b'.' | b')' if matches!(bytes.get(at + 1), Some(b' ' | b'\t')) => {
                    markers += 1
                }
                b'0'..=b'9' => {}
                _ => break,
            }
            if markers > MAX_MARKERS || (markers > 0 && indent > MAX_INDENT) {
                return true;
            }
        }
        false
    })
}

/// Whether there is so much markup that the parser, which keeps a node for each bit of it, would take hundreds of megabytes.
pub(crate) fn is_dense(text: &str) -> bool {
    let is_markup = |byte: &&u8| {
        matches!(byte, b'\n' | b'[' | b']' | b'*' | b'_' | b'`' | b'<' | b'!' | b'&' | b'\\' | b'|' | b'~')
    };
    text.len() > MAX_MARKUP
        && text.as_bytes().iter().filter(is_markup).take(MAX_MARKUP + 1).count() > MAX_MARKUP
}

/// Headings and cuts of `body`, which starts at byte `base` of its text.
pub(crate) fn read(body: &str, base: usize) -> Structure {
    let mut structure = Structure::default();
    let mut state = State::Blank;
    let mut at = 0;
    for line in body.split_inclusive('\n') {
        let (start, end) = (base + at, base + at + line.len());
        at += line.len();
        let content = line.trim_end();
        // More are not read anyway, and each takes many times its line.
        structure.headings.truncate(MAX_SECTIONS + 1);
        state = match state {
            State::Fence(marker, run) if closes(content, marker, run) => State::Blank,
            State::Comment if content.contains("-->") => State::Blank,
            State::Fence(..) | State::Comment => state,
            _ if content.trim_start().is_empty() => State::Blank,
            State::Paragraph(paragraph, text) if underline(content).is_some() => {
                if let Some(level) = underline(content) {
                    structure.headings.extend(heading(text, level, paragraph..end));
                }
                State::Other
            }
            previous => {
                if matches!(previous, State::Blank) {
                    structure.cuts.push(Cut { offset: start, top_level: true });
                }
                if let Some((marker, run)) = fence(content) {
                    State::Fence(marker, run)
                } else if content.starts_with("<!--") && !content.contains("-->") {
                    State::Comment
                } else if let Some((level, text)) = atx(content) {
                    structure.headings.extend(heading(text, level, start..end));
                    State::Blank
                } else if matches!(previous, State::Blank) && content.starts_with(char::is_alphanumeric) {
                    State::Paragraph(start, content)
                } else {
                    State::Other
                }
            }
        };
    }
    structure
}

#[derive(Clone, Copy)]
enum State<'t> {
    /// At the start of a block.
    Blank,
    Fence(u8, usize),
    Comment,
    /// After one line of a paragraph, which an underline would turn into a heading.
    Paragraph(usize, &'t str),
    Other,
}

fn heading(text: &str, level: u8, bytes: std::ops::Range<usize>) -> Option<crate::headings::Heading> {
    let mut heading = HeadingText::default();
    heading.push(&Event::Text(crate::plain::plain(text).into()));
    heading.finish(level, bytes)
}

fn fence(line: &str) -> Option<(u8, usize)> {
    let marker = *line.as_bytes().first().filter(|&&byte| byte == b'`' || byte == b'~')?;
    let run = line.bytes().take_while(|&byte| byte == marker).count();
    (run >= 3 && !(marker == b'`' && line[run..].contains('`'))).then_some((marker, run))
}

fn closes(line: &str, marker: u8, run: usize) -> bool {
    line.len() >= run && line.bytes().all(|byte| byte == marker)
}

fn atx(line: &str) -> Option<(u8, &str)> {
    let level = line.bytes().take_while(|&byte| byte == b'#').count();
    let rest = &line[level..];
    let starts = rest.is_empty() || rest.starts_with([' ', '\t']);
    if !(1..=6).contains(&level) || !starts {
        return None;
    }
    let open = rest.trim_end_matches('#');
    let text = if open.is_empty() || open.ends_with([' ', '\t']) { open } else { rest };
    Some((level as u8, text.trim()))
}

fn underline(line: &str) -> Option<u8> {
    match line.as_bytes().first() {
        Some(b'=') if line.bytes().all(|byte| byte == b'=') => Some(1),
        Some(b'-') if line.bytes().all(|byte| byte == b'-') => Some(2),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    fn check(body: &str, expected: &[(u8, &str)]) {
        let structure = read(body, 0);
        let headings: Vec<_> =
            structure.headings.iter().map(|heading| (heading.level, heading.text.as_str())).collect();
        assert_eq!(headings, expected, "{body:?}");
    }

    #[test]
    fn much_markup_is_looked_at_by_lines_and_in_bounds() {
        assert!(!is_dense(&"A sentence of [some](words).\n".repeat(50_000)));
        let text = format!("# A\n\n{}\n\n# B\n\n# C\n", "[".repeat(MAX_MARKUP + 1));
        assert!(is_dense(&text));
        let headings = |max: usize| -> Vec<String> {
            let sections = crate::parse_bounded("a.md", &text, max).sections;
            sections.into_iter().map(|section| section.heading).collect()
        };
        assert_eq!(headings(9), ["A", "B", "C"]);
        assert_eq!(headings(2), ["A", "B"]);
        assert_eq!(crate::parse_bounded("a.md", "# A\n\n- x\n", 9), parse("a.md", "# A\n\n- x\n"));
    }

    #[test]
    fn finds_what_the_parser_finds() {
        for body in [
            "# A\n\ntext\n\n## B *b* ##\n\nC\n===\n\nD\n---\n",
            "```\n# no\n```\n# yes\n~~~ x\n# no\n~~~\n",
            "<!--\n# no\n-->\n# yes\n<!-- x -->\n\n# yes\n",
            "#no\n\n####### no\n\n> # no\n\n- # no\n\n    # no\n",
            "# A\r\ntext\r\n## B\r\n",
            "- item\n---\n\ntext\n\n---\n",
            "```\n# unclosed\n",
        ] {
            let parsed = parse("x.md", body).structure.headings;
            let expected: Vec<_> =
                parsed.iter().map(|heading| (heading.level, heading.text.as_str())).collect();
            check(body, &expected);
            assert_eq!(read(body, 0).headings, parsed, "{body:?}");
        }
    }

    #[test]
    fn is_used_for_deep_nesting_only() {
        assert!(nests_too_deep(&"> ".repeat(101)));
        assert!(nests_too_deep(&"1. ".repeat(101)));
        assert!(!nests_too_deep("> > > - - 1. a"));
        assert!(!nests_too_deep(&"-".repeat(500)));
    }

    #[test]
    fn deep_documents_still_have_sections() {
        let text = format!("# A\n\n{}x\n\n## B\n\ntext\n", "> ".repeat(5000));
        let ids: Vec<_> = parse("x.md", &text).sections.into_iter().map(|section| section.id).collect();
        assert_eq!(ids, ["a", "a/b"]);
    }
}
