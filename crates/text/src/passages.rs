//! Passages: the stretches of a chunk that are embedded, about 700 characters each.
//!
//! A passage ends where a block ends if one ends near the target length, else at an inner block, a
//! sentence (a line, in code and tables), a word. The heading line is left out, since the context line
//! in front of every passage has it. Stretches of markup alone are dropped.

use std::ops::Range;

use crate::plain;
use crate::sections::Section;
use crate::structure::Structure;

/// A stretch of a chunk's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// The section that it stands in, as an index into the document's.
    pub section: usize,
    /// Bytes of the document's text, without the blank space around.
    pub bytes: Range<usize>,
}

/// The passages of `section`, number `index` of the document, or of the part of it that a chunk has.
pub(crate) fn cut(
    text: &str,
    index: usize,
    section: &Section,
    chunk: &Range<usize>,
    structure: &Structure,
    target: usize,
) -> Vec<Passage> {
    let body = section.body_start.clamp(chunk.start, chunk.end)..chunk.end;
    let has_body = body.start == chunk.start || plain::has_words(&text[body.clone()]);
    let range = if has_body { body } else { chunk.clone() };
    let mut cutter = Cutter::new(text, &range, structure, target.max(8));
    let mut passages = Vec::new();
    while let Some(bytes) = cutter.next_passage() {
        passages.push(Passage { section: index, bytes });
    }
    if passages.iter().any(|passage| plain::has_words(&text[passage.bytes.clone()])) {
        passages.retain(|passage| plain::has_words(&text[passage.bytes.clone()]));
    } else {
        passages.truncate(1);
    }
    if passages.is_empty() {
        passages.push(Passage { section: index, bytes: chunk.clone() });
    }
    passages
}

struct Cutter<'t> {
    text: &'t str,
    structure: &'t Structure,
    at: usize,
    end: usize,
    target: usize,
    /// The first cut and the first opaque range that can still matter.
    cut: usize,
    opaque: usize,
}

/// How good a place is to end a passage at; the order is the preference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Character,
    Word,
    Line,
    Sentence,
    Nested,
    Block,
}

impl<'t> Cutter<'t> {
    fn new(text: &'t str, range: &Range<usize>, structure: &'t Structure, target: usize) -> Cutter<'t> {
        Cutter { text, structure, at: range.start, end: range.end, target, cut: 0, opaque: 0 }
    }

    fn next_passage(&mut self) -> Option<Range<usize>> {
        let rest = &self.text[self.at..self.end];
        self.at += rest.len() - rest.trim_start().len();
        let start = self.at;
        if start >= self.end {
            return None;
        }
        self.at = self.passage_end(start);
        Some(start..start + self.text[start..self.at].trim_end().len())
    }

    fn passage_end(&mut self, start: usize) -> usize {
        let (least, most) = (self.target / 2, self.target + self.target / 2);
        // The last passage looked further ahead than it went.
        self.cut = self.structure.cuts.partition_point(|cut| cut.offset <= start);
        self.opaque = self.structure.opaque.partition_point(|opaque| opaque.end <= start);
        let rest = &self.text[start..self.end];
        // What remains after this passage must not be a tiny tail, so look that much further.
        let reach = rest.char_indices().take(most + least + 1).count();
        if reach <= most {
            return self.end;
        }
        let most = most.min(reach - least);
        let mut best = (Rank::Character, start);
        let mut best_distance = usize::MAX;
        let mut previous = '\n';
        let mut before = '\n';
        for (position, (offset, c)) in rest.char_indices().enumerate().take(most + 1) {
            let byte = start + offset;
            if position >= least / 2 {
                let rank = self.rank(byte, before, previous, c);
                let distance = position.abs_diff(self.target);
                let early = position < least && rank < Rank::Block;
                if !early && (rank > best.0 || (rank == best.0 && distance <= best_distance)) {
                    best = (rank, byte);
                    best_distance = distance;
                }
            }
            if !(c.is_whitespace() && previous.is_whitespace()) {
                before = previous;
            }
            previous = c;
        }
        best.1
    }

    /// How good it is to cut between `previous` and `next`, the character at `byte`.
    fn rank(&mut self, byte: usize, before: char, previous: char, next: char) -> Rank {
        while self.structure.cuts.get(self.cut).is_some_and(|cut| cut.offset < byte) {
            self.cut += 1;
        }
        if let Some(cut) = self.structure.cuts.get(self.cut)
            && cut.offset == byte
        {
            return if cut.top_level { Rank::Block } else { Rank::Nested };
        }
        if next.is_whitespace() {
            return Rank::Character;
        }
        if !previous.is_whitespace() {
            return if matches!(previous, '。' | '！' | '？' | '．') {
                Rank::Sentence
            } else {
                Rank::Character
            };
        }
        let line_end = previous == '\n' || previous == '\r';
        if line_end && self.is_opaque(byte) || matches!(before, '.' | '!' | '?') && !next.is_lowercase() {
            return Rank::Sentence;
        }
        if line_end { Rank::Line } else { Rank::Word }
    }

    fn is_opaque(&mut self, byte: usize) -> bool {
        while self.structure.opaque.get(self.opaque).is_some_and(|range| range.end <= byte) {
            self.opaque += 1;
        }
        self.structure.opaque.get(self.opaque).is_some_and(|range| range.start <= byte)
    }
}

#[cfg(test)]
mod tests {
    use crate::{ChunkOptions, chunks, parse};

    fn cut(markdown: &str, passage_chars: usize) -> Vec<String> {
        let document = parse("x.md", markdown);
        let chunks =
            chunks("x.md", markdown, &document, &ChunkOptions { passage_chars, ..ChunkOptions::default() });
        let passages = chunks.into_iter().flat_map(|chunk| chunk.passages);
        passages.map(|passage| markdown[passage.bytes].to_owned()).collect()
    }

    fn check(markdown: &str, passage_chars: usize, expected: &[&str]) {
        assert_eq!(cut(markdown, passage_chars), expected, "{markdown:?}");
    }

    #[test]
    fn a_short_section_is_one_passage_without_its_heading() {
        check("# A\n\none two\n\nthree\n", 40, &["one two\n\nthree"]);
    }

    #[test]
    fn a_heading_alone_is_its_own_passage() {
        check("# A\n", 40, &["# A"]);
        check("# A\n<!-- x -->\n", 40, &["# A\n<!-- x -->"]);
    }

    #[test]
    fn blocks_come_first() {
        check("aaaa aaaa aaaa.\n\nbbbb bbbb bbbb bbbb.\n", 16, &["aaaa aaaa aaaa.", "bbbb bbbb bbbb bbbb."]);
    }

    #[test]
    fn then_items_and_sentences() {
        check("- aaaa aaaa\n- bbbb bbbb\n- cccc cccc\n", 20, &["- aaaa aaaa\n- bbbb bbbb", "- cccc cccc"]);
        check("Aaaa aa aaaa. Bbbb bb bbbb. Cccc cc.", 20, &["Aaaa aa aaaa.", "Bbbb bb bbbb. Cccc cc."]);
    }

    #[test]
    fn then_lines_of_code() {
        check(
            "```\naaaa aaaa\nbbbb bbbb\ncccc cccc\n```\n",
            16,
            &["```\naaaa aaaa", "bbbb bbbb\ncccc cccc\n```"],
        );
    }

    #[test]
    fn then_words_then_characters() {
        check("aaaa bbbb cccc dddd", 10, &["aaaa bbbb", "cccc dddd"]);
        check(&"é".repeat(20), 10, &[&"é".repeat(10), &"é".repeat(10)]);
    }

    #[test]
    fn markup_alone_is_no_passage() {
        check("<!-- overview -->\n\nSome words here.\n\n***\n", 16, &["Some words here.\n\n***"]);
        let long = format!("{}\n\nSome words.\n", "<!-- comment -->\n\n".repeat(9));
        assert_eq!(cut(&long, 40).len(), 1);
    }

    #[test]
    fn lengths_stay_near_the_target() {
        let prose = "The quick brown fox jumps over the lazy dog. ".repeat(100);
        let lengths: Vec<_> = cut(&prose, 400).into_iter().map(|passage| passage.chars().count()).collect();
        assert!(lengths.iter().all(|length| (199..=600).contains(length)), "{lengths:?}");
    }
}
