//! Which strategy suits a page, from its headings and its length.
//!
//! A level suits when no piece that it makes is longer than the longest chunk while there are deeper headings to cut at.
//! The coarsest level that suits is the best: a chunk should hold as much of one matter as it can. A page crumbles at a
//! level when more than half of four or more pieces are shorter than 200 characters; a minimum size keeps those
//! together. Only the levels that every reader of manifests knows are proposed; what is too long below h3 is cut at
//! deeper headings anyway.

use docent_text::{ChunkBy, Document};

/// Pieces shorter than this are crumbs.
pub(super) const CRUMB: usize = 200;
/// Pages up to this length are one piece, whatever their headings.
const SHORT: usize = 1500;

/// From coarse to fine.
const LEVELS: [ChunkBy; 4] = [ChunkBy::File, ChunkBy::H1, ChunkBy::H2, ChunkBy::H3];

/// What is known about a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shape {
    /// Levels that suit; never empty.
    pub(super) suits: Vec<ChunkBy>,
    /// Levels at which it crumbles.
    pub(super) crumbles: Vec<ChunkBy>,
    /// The best of them.
    pub(super) best: ChunkBy,
    /// Why, in words.
    pub(super) reason: String,
    /// The finest level that the page's headings have, up to h3.
    pub(super) finest: Option<u8>,
}

/// Looks at a page. `max` is the longest chunk.
pub(super) fn shape(text: &str, document: &Document, max: usize) -> Shape {
    let headings: Vec<u8> =
        document.sections.iter().map(|section| section.level).filter(|level| *level > 0).collect();
    let lengths: Vec<(u8, usize)> = document
        .sections
        .iter()
        .map(|section| (section.level, text.get(section.bytes.clone()).map_or(0, |own| own.chars().count())))
        .collect();
    let size: usize = lengths.iter().map(|(_, length)| length).sum();
    let finest = headings.iter().copied().filter(|level| *level <= 3).max();
    let too_long = |level: &ChunkBy| {
        pieces(&lengths, level.level()).iter().any(|piece| piece.length > max && piece.deeper)
    };
    let mut suits: Vec<ChunkBy> = LEVELS.into_iter().filter(|level| !too_long(level)).collect();
    let crumbles = LEVELS.into_iter().filter(|level| crumbles(&pieces(&lengths, level.level()))).collect();
    // One h1 is the title: it cuts nothing.
    let cuts = |level: &ChunkBy| {
        *level != ChunkBy::File && headings.iter().filter(|heading| **heading <= level.level()).count() > 1
    };
    let (best, reason) = if size <= SHORT {
        (ChunkBy::File, format!("short: {size} characters"))
    } else if let Some(level) = suits.iter().copied().find(cuts) {
        (level, format!("sections at {level} fit {max} characters"))
    } else {
        (ChunkBy::File, "no headings to cut at".to_owned())
    };
    if !suits.contains(&best) {
        suits.push(best);
    }
    Shape { suits, crumbles, best, reason, finest }
}

/// Whether a page's sections are too long where they are cut now, and deeper headings are there.
pub(super) fn is_outgrown(text: &str, document: &Document, level: ChunkBy, max: usize) -> bool {
    let lengths: Vec<(u8, usize)> = document
        .sections
        .iter()
        .map(|section| (section.level, text.get(section.bytes.clone()).map_or(0, |own| own.chars().count())))
        .collect();
    pieces(&lengths, level.level()).iter().any(|piece| piece.length > max && piece.deeper)
}

struct Piece {
    length: usize,
    /// Whether there is a heading inside at which a finer level would cut.
    deeper: bool,
}

fn crumbles(pieces: &[Piece]) -> bool {
    let crumbs = pieces.iter().filter(|piece| piece.length < CRUMB).count();
    pieces.len() >= 4 && crumbs * 2 > pieces.len()
}

fn pieces(lengths: &[(u8, usize)], cut: u8) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for (level, length) in lengths {
        match pieces.last_mut() {
            Some(last) if *level > cut => {
                last.length += length;
                last.deeper |= *level <= ChunkBy::H3.level();
            }
            _ => pieces.push(Piece { length: *length, deeper: false }),
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: ChunkBy) {
        let document = docent_text::parse("a.md", text);
        assert_eq!(shape(text, &document, 6000).best, expected, "{text:.60}");
    }

    fn section(heading: &str, words: usize) -> String {
        format!("{heading}\n\n{}\n\n", "word ".repeat(words))
    }

    #[test]
    fn short_pages_and_pages_without_headings_are_whole() {
        check("# A\n\n## B\n\ntext\n", ChunkBy::File);
        check(&"word ".repeat(5000), ChunkBy::File);
        check(&section("# A", 3000), ChunkBy::File);
    }

    #[test]
    fn the_coarsest_level_that_fits() {
        check(&("# A\n\n".to_owned() + &section("## B", 500) + &section("## C", 500)), ChunkBy::H2);
        let long = section("### D", 900) + &section("### E", 900);
        check(&("# A\n\n## B\n\n".to_owned() + &long + &section("## C", 300)), ChunkBy::H3);
        check(&(section("# A", 400) + &section("# B", 400)), ChunkBy::H1);
        let deep = section("#### D", 900) + &section("#### E", 900);
        check(&("# A\n\n## B\n\n### C\n\n".to_owned() + &deep), ChunkBy::H3);
    }

    #[test]
    fn crumbs_are_noticed() {
        let crumbs: String = (0..20).map(|number| section(&format!("### Option {number}"), 15)).collect();
        let text = "# A\n\n".to_owned() + &section("## B", 200) + &section("## C", 200) + &crumbs;
        assert_eq!(shape(&text, &docent_text::parse("a.md", &text), 6000).crumbles, [ChunkBy::H3]);
    }
}
