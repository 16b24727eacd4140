//! The headings of a document, and the lines that each of them owns.
//!
//! This is how a reader takes a document apart: a section is whole lines, from its heading up to the next one that ends
//! it. Together with the text before the first heading, sections are the document, byte for byte, whatever line ends it has.
//! How a document is cut for the index is decided elsewhere.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;

use crate::front_matter;
use crate::lines::{LineIndex, LineRange};
use crate::structure::Structure;

/// The headings of one text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outline {
    headings: Vec<OutlineHeading>,
    lines: LineIndex,
}

/// A heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutlineHeading {
    /// 1 to 6.
    pub level: u8,
    /// Its plain text.
    pub text: String,
    /// The line that it begins on, from 1; front matter counts.
    pub line: usize,
}

/// How far a section reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Up to the next heading of any level.
    Own,
    /// Up to the next heading of the same or a higher level.
    WithSubsections,
}

/// A run of whole lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extent {
    /// Where in the text, line ends included.
    pub bytes: Range<usize>,
    /// The same as lines.
    pub lines: LineRange,
}

impl Outline {
    /// Reads a text once.
    pub fn of(text: &str) -> Outline {
        let lines = LineIndex::new(text);
        let (_, body_start) = front_matter::read(text, &mut Vec::new());
        let headings = Structure::read(text, body_start, &lines).headings.into_iter();
        let headings = headings.map(|heading| OutlineHeading {
            level: heading.level,
            text: heading.text,
            line: lines.line(heading.bytes.start),
        });
        Outline { headings: headings.collect(), lines }
    }

    /// All headings in document order.
    pub fn headings(&self) -> &[OutlineHeading] {
        &self.headings
    }

    /// The text before the first heading.
    pub fn preamble(&self) -> Range<usize> {
        0..self.start(0)
    }

    /// The section of heading number `at`; `None` when there is no such heading.
    pub fn section(&self, at: usize, reach: Reach) -> Option<Extent> {
        let heading = self.headings.get(at)?;
        let ends = |next: &OutlineHeading| reach == Reach::Own || next.level <= heading.level;
        let following = self.headings.get(at + 1..).unwrap_or_default();
        let next = following.iter().position(ends).map_or(self.headings.len(), |ahead| at + 1 + ahead);
        let bytes = self.start(at)..self.start(next);
        Some(Extent { lines: self.lines.range(&bytes), bytes })
    }

    /// The headings that contain `wanted`, letter case, runs of spaces and the way letters are composed aside: those that are exactly it first, then in
    /// document order. Nothing contains a blank text.
    pub fn find(&self, wanted: &str) -> Vec<usize> {
        let wanted = folded(wanted);
        if wanted.is_empty() {
            return Vec::new();
        }
        let texts = self.headings.iter().map(|heading| folded(&heading.text)).enumerate();
        let mut found: Vec<_> = texts.filter(|(_, text)| text.contains(&wanted)).collect();
        found.sort_by_key(|(_, text)| *text != wanted);
        found.into_iter().map(|(at, _)| at).collect()
    }

    /// Where heading number `at` begins; the end of the text behind the last one.
    fn start(&self, at: usize) -> usize {
        // A byte order mark is part of the first line.
        self.lines.start(self.headings.get(at).map_or(self.lines.count() + 1, |heading| heading.line))
    }
}

/// Without the differences that a reader does not see: case, composed and decomposed letters, widths, kinds of spaces.
fn folded(text: &str) -> String {
    let lower: String = text.nfkd().flat_map(char::to_lowercase).nfkc().collect();
    // What `to_lowercase` alone does not bring together with its upper case.
    let lower = lower.replace('ß', "ss").replace('ς', "σ");
    lower.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(u8, &str, usize)]) {
        let outline = Outline::of(text);
        let found: Vec<_> = outline
            .headings()
            .iter()
            .map(|heading| (heading.level, heading.text.as_str(), heading.line))
            .collect();
        assert_eq!(found, expected, "{text:?}");
    }

    fn check_section(text: &str, wanted: &str, reach: Reach, expected: &str, lines: (usize, usize)) {
        let outline = Outline::of(text);
        let section = outline.section(outline.find(wanted)[0], reach).unwrap();
        assert_eq!(&text[section.bytes], expected, "{text:?}");
        assert_eq!((section.lines.start, section.lines.end), lines, "{text:?}");
    }

    #[test]
    fn every_kind_of_heading_has_its_level_and_first_line() {
        check("# A\n\n### B ###\n", &[(1, "A", 1), (3, "B", 3)]);
        check("text\n\nTwo\nlines\n===\n\nLow\n---\n", &[(1, "Two lines", 3), (2, "Low", 7)]);
        check("---\ntitle: x\n---\n# A\n", &[(1, "A", 4)]);
        check("\u{feff}# A\r\n## B\r\n", &[(1, "A", 1), (2, "B", 2)]);
        check("```\n# no\n```\n\n~~~\n## no\n~~~\n# yes", &[(1, "yes", 8)]);
        check("", &[]);
        check("\n\n", &[]);
    }

    #[test]
    fn a_section_ends_where_its_reach_ends() {
        let text = "# A\na\n## B\nb\n### C\nc\n## D\nd";
        check_section(text, "a", Reach::WithSubsections, text, (1, 8));
        check_section(text, "a", Reach::Own, "# A\na\n", (1, 2));
        check_section(text, "b", Reach::WithSubsections, "## B\nb\n### C\nc\n", (3, 6));
        check_section(text, "b", Reach::Own, "## B\nb\n", (3, 4));
        check_section(text, "d", Reach::WithSubsections, "## D\nd", (7, 8));
        check_section("\u{feff}# A\r\na\r\n# B", "a", Reach::Own, "\u{feff}# A\r\na\r\n", (1, 2));
    }

    #[test]
    fn an_exact_heading_is_found_before_those_that_contain_it() {
        let outline = Outline::of("# Set up a host\n# Hosts\n# host\n# Other\n");
        assert_eq!(outline.find("HOST"), [2, 0, 1]);
        assert_eq!(outline.find("  set   UP "), [0]);
        assert!(outline.find("nothing").is_empty() && outline.find(" ").is_empty());
    }

    #[test]
    fn headings_are_found_however_their_letters_are_written() {
        let check = |heading: &str, wanted: &str| {
            assert_eq!(Outline::of(&format!("# {heading}\n")).find(wanted), [0], "{heading}: {wanted}");
        };
        check("\u{e9}clair", "e\u{301}clair");
        check("e\u{301}clair", "\u{c9}CLAIR");
        check("Straße", "STRASSE");
        check("STRASSE", "straße");
        check("ΟΔΟΣ", "οδος");
        check("Ａｐｉ\u{a0}１", "api 1");
        check("ﬁle", "FILE");
        assert!(Outline::of("# eclair\n").find("\u{e9}clair").is_empty());
    }
}
