//! Chunks: what a tool returns and a chunk id names.
//!
//! A chunk is a section with the deeper ones below it, as the strategy says (see `groups`), or a part of a section that
//! is too long. Chunks are in document order and tile the body, so a page can be put together again from them. The
//! first part of a split section keeps the section's clean id; the others append `/_part-2`, which no heading can
//! produce. Passages never reach over a heading: how coarse the chunks are does not change what is embedded.

use std::ops::Range;

use crate::document::Document;
use crate::groups::{Group, Name, groups};
use crate::lines::LineRange;
use crate::passages::{self, Passage};
use crate::sections::ROOT;
use crate::split::split;
use crate::strategy::ChunkBy;

/// Where documents are cut, and how long chunks and passages may be, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkOptions {
    /// Which headings start a chunk.
    pub chunk_by: ChunkBy,
    /// The longest chunk; longer ones are cut at deeper headings, then split.
    pub max_chars: usize,
    /// Shorter chunks join the one before, if that is their parent or their sibling; 0 for never.
    pub min_chars: usize,
    /// What a passage aims at; from half of it to one and a half times as much are fine.
    pub passage_chars: usize,
}

impl Default for ChunkOptions {
    fn default() -> ChunkOptions {
        ChunkOptions { chunk_by: ChunkBy::Heading, max_chars: 6000, min_chars: 0, passage_chars: 700 }
    }
}

/// One unit of retrieval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// `path#id`; the bare path for a document that is one chunk and starts none at a heading.
    pub chunk_id: String,
    /// The sections in it, as indexes into the document's; only the first one names it.
    pub sections: Range<usize>,
    /// Its place in the document, from 0.
    pub ordinal: u32,
    /// The section's breadcrumb, with ` [part 1/3]` when it was split.
    pub heading_path: String,
    /// The level of the section's heading; 0 for text before the first one.
    pub heading_level: u8,
    /// Which part of how many; `None` when nothing was split.
    pub part: Option<(u32, u32)>,
    /// Its text.
    pub bytes: Range<usize>,
    /// The lines of `bytes`.
    pub lines: LineRange,
    /// Unicode characters in `bytes`.
    pub char_count: usize,
    /// False when there is nothing to find: no text at all, or a heading that only holds subsections.
    pub searchable: bool,
    /// What is embedded of it; at least one when it is searchable.
    pub passages: Vec<Passage>,
}

/// Cuts a parsed document into chunks. `text` is what `doc` was parsed from.
pub fn chunks(path: &str, text: &str, doc: &Document, options: &ChunkOptions) -> Vec<Chunk> {
    chunks_of_pages(path, text, doc, options, &[])
}

/// The same for a document with pages: no chunk reaches from one onto the next. `page_lines` are the lines, from 1, at
/// which a page begins.
pub fn chunks_of_pages(
    path: &str,
    text: &str,
    doc: &Document,
    options: &ChunkOptions,
    page_lines: &[usize],
) -> Vec<Chunk> {
    let mut pages: Vec<usize> = page_lines.iter().map(|&line| doc.lines.start(line)).collect();
    pages.sort_unstable();
    pages.dedup();
    let mut chunks = Vec::with_capacity(doc.sections.len());
    for group in groups(text, doc, options) {
        let parts = parts(text, doc, &group, &pages, options);
        let total = parts.len() as u32;
        for (number, bytes) in (1u32..).zip(parts) {
            let part = (total > 1).then_some((number, total));
            let content = text.get(bytes.clone()).unwrap_or_default();
            let is_blank = !pages.is_empty() && total > 1 && content.trim().is_empty();
            let (passages, searchable) = match is_blank {
                true => (Vec::new(), false),
                false => content_of(text, doc, &group, &bytes, options),
            };
            chunks.push(Chunk {
                chunk_id: chunk_id(path, doc, &group, number),
                sections: group.sections.clone(),
                ordinal: chunks.len() as u32,
                heading_path: heading_path(doc, &group, part),
                heading_level: if group.name == Name::Section { group.head(doc).level } else { 0 },
                part,
                lines: doc.lines.range(&bytes),
                char_count: if total > 1 { content.chars().count() } else { group.char_count },
                searchable,
                passages,
                bytes,
            });
        }
    }
    chunks
}

/// The stretches that a group is returned in: one for each page that it is on, and more where those are too long.
fn parts(
    text: &str,
    doc: &Document,
    group: &Group,
    pages: &[usize],
    options: &ChunkOptions,
) -> Vec<Range<usize>> {
    let whole = group.bytes(doc);
    // Only a single section can be too long: groups of several were made short enough.
    let is_long = group.sections.len() == 1 && group.char_count > options.max_chars.max(1);
    let of_page = |bytes: Range<usize>| match is_long {
        true => split(text, &bytes, &doc.structure, &doc.lines, options.max_chars),
        false => vec![bytes],
    };
    let inside = pages.partition_point(|&page| page <= whole.start);
    let inside = &pages[inside..pages.partition_point(|&page| page < whole.end).max(inside)];
    let starts = std::iter::once(whole.start).chain(inside.iter().copied());
    let ends = inside.iter().copied().chain([whole.end]);
    starts.zip(ends).flat_map(|(start, end)| of_page(start..end)).collect()
}

/// The passages of those of the group's sections in which there is something to find, and whether there is any.
fn content_of(
    text: &str,
    doc: &Document,
    group: &Group,
    bytes: &Range<usize>,
    options: &ChunkOptions,
) -> (Vec<Passage>, bool) {
    let is_whole = *bytes == group.bytes(doc);
    let mut found = Vec::new();
    for index in group.sections.clone() {
        let section = &doc.sections[index];
        let own = section.bytes.start.max(bytes.start)..section.bytes.end.min(bytes.end);
        // Sections that are all on other pages have no share in this one.
        if own.is_empty() && !is_whole {
            continue;
        }
        let Some(content) = text.get(own.clone()) else { continue };
        let has_children = doc.sections.get(index + 1).is_some_and(|next| next.parent == Some(index));
        let searchable = match section.level {
            // Before the first heading often stands nothing but a comment; without headings it is all there is.
            0 => section.has_body || (doc.sections.len() == 1 && !content.trim().is_empty()),
            _ => section.has_body || !has_children,
        };
        if searchable {
            found.extend(passages::cut(text, index, section, &own, &doc.structure, options.passage_chars));
        }
    }
    let searchable = !found.is_empty();
    (found, searchable)
}

/// A heading path without its ` [part 1/3]`. A heading may itself end like that, so a lookup tries the
/// path as it came first.
pub fn strip_part(heading_path: &str) -> &str {
    let number = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let stripped = heading_path.strip_suffix(']').and_then(|rest| {
        let (base, part) = rest.rsplit_once(" [part ")?;
        let (index, total) = part.split_once('/')?;
        (number(index) && number(total)).then_some(base)
    });
    stripped.unwrap_or(heading_path)
}

fn chunk_id(path: &str, doc: &Document, group: &Group, part: u32) -> String {
    let id = match group.name {
        Name::Section => group.head(doc).id.as_str(),
        Name::Preamble => "_preamble",
        Name::File => "",
    };
    match (id, part) {
        ("", 1) => path.to_owned(),
        ("", part) => format!("{path}#_part-{part}"),
        (id, 1) => format!("{path}#{id}"),
        (id, part) => format!("{path}#{id}/_part-{part}"),
    }
}

fn heading_path(doc: &Document, group: &Group, part: Option<(u32, u32)>) -> String {
    let breadcrumb = match group.name {
        Name::Section => group.head(doc).breadcrumb.as_str(),
        Name::Preamble | Name::File => ROOT,
    };
    match part {
        Some((number, total)) => format!("{breadcrumb} [part {number}/{total}]"),
        None => breadcrumb.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    fn cut(markdown: &str, max_chars: usize) -> Vec<Chunk> {
        let document = parse("a/b.md", markdown);
        chunks(
            "a/b.md",
            markdown,
            &document,
            &ChunkOptions { max_chars, passage_chars: 400, ..ChunkOptions::default() },
        )
    }

    fn check(markdown: &str, max_chars: usize, expected: &[&str]) {
        let texts: Vec<_> =
            cut(markdown, max_chars).into_iter().map(|chunk| &markdown[chunk.bytes]).collect();
        assert_eq!(texts, expected, "{markdown:?}");
    }

    fn check_ids(markdown: &str, max_chars: usize, expected: &[&str]) {
        let ids: Vec<_> = cut(markdown, max_chars).into_iter().map(|chunk| chunk.chunk_id).collect();
        assert_eq!(ids, expected, "{markdown:?}");
    }

    #[test]
    fn ids_are_path_and_section() {
        check_ids("t\n# A\n## B\n", 100, &["a/b.md#_preamble", "a/b.md#a", "a/b.md#a/b"]);
        check_ids("no headings", 100, &["a/b.md"]);
        check_ids("", 100, &["a/b.md"]);
    }

    #[test]
    fn a_comment_before_the_first_heading_is_not_found() {
        let found = |markdown: &str| cut(markdown, 100).first().is_some_and(|chunk| chunk.searchable);
        assert!(!found("<!-- hint -->\n# A\n\ntext\n"));
        assert!(found("words\n# A\n\ntext\n"));
        assert!(found("<!-- all there is -->\n"));
    }

    #[test]
    fn later_parts_are_numbered() {
        check_ids("# A\n\nbbbbb\n\nccccc\n", 12, &["a/b.md#a", "a/b.md#a/_part-2"]);
        check_ids("bbbbb\n\nccccc\n", 8, &["a/b.md", "a/b.md#_part-2"]);
        let paths: Vec<_> =
            cut("# A\n\nbbbbb\n\nccccc\n", 12).into_iter().map(|chunk| chunk.heading_path).collect();
        assert_eq!(paths, ["A [part 1/2]", "A [part 2/2]"]);
    }

    #[test]
    fn parts_end_where_blocks_end() {
        check("one one\n\ntwo two\n\nthree\n", 18, &["one one\n\n", "two two\n\nthree\n"]);
        check("one\ntwo\n\nthree\nfour\n", 14, &["one\ntwo\n\n", "three\nfour\n"]);
    }

    #[test]
    fn a_fence_that_fits_is_not_cut() {
        let markdown = "text text\n\n```\na\n\nb\n\nc\n```\n\nend\n";
        check(markdown, 22, &["text text\n\n", "```\na\n\nb\n\nc\n```\n\nend\n"]);
    }

    #[test]
    fn a_fence_that_is_too_long_is_cut_at_lines() {
        check("```\naaaa\nbbbb\ncccc\n```\n", 10, &["```\naaaa\n", "bbbb\n", "cccc\n```\n"]);
    }

    #[test]
    fn a_heading_is_not_left_alone_before_a_long_block() {
        let markdown = format!("# A\n\n```\n{}```\n", "aaaa\n".repeat(20));
        let parts = cut(&markdown, 60);
        assert!(parts[0].char_count > 30, "{parts:?}");
    }

    #[test]
    fn tables_are_cut_between_rows() {
        let markdown = "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n";
        check(markdown, 32, &["| a | b |\n|---|---|\n", "| 1 | 2 |\n| 3 | 4 |\n"]);
    }

    #[test]
    fn lists_are_cut_between_items() {
        check("- aaaa\n  aaaa\n- bbbb\n  bbbb\n", 16, &["- aaaa\n  aaaa\n", "- bbbb\n  bbbb\n"]);
    }

    #[test]
    fn long_lines_are_cut_at_spaces_then_anywhere() {
        check("aaaa bbbb cccc", 6, &["aaaa ", "bbbb ", "cccc"]);
        check("éééééééé", 3, &["ééé", "ééé", "éé"]);
    }

    #[test]
    fn lone_carriage_returns_end_lines() {
        check("one\rtwo\r\rthree\rfour\r", 14, &["one\rtwo\r\r", "three\rfour\r"]);
    }

    #[test]
    fn characters_are_counted_not_bytes() {
        assert_eq!(cut("日本語\n", 100)[0].char_count, 4);
        check("ééééé\n", 6, &["ééééé\n"]);
    }

    #[test]
    fn a_heading_that_only_holds_subsections_is_not_searchable() {
        let searchable: Vec<_> =
            cut("# A\n## B\n## C\ntext\n", 100).into_iter().map(|chunk| chunk.searchable).collect();
        assert_eq!(searchable, [false, true, true]);
        assert!(!cut("", 100)[0].searchable);
    }

    #[test]
    fn ordinals_lines_and_levels() {
        let chunks = cut("t\n# A\n## B\nb\n", 100);
        let facts: Vec<_> = chunks
            .iter()
            .map(|chunk| (chunk.ordinal, chunk.lines.start, chunk.lines.end, chunk.heading_level))
            .collect();
        assert_eq!(facts, [(0, 1, 1, 0), (1, 2, 2, 1), (2, 3, 4, 2)]);
    }

    #[test]
    fn part_marks_are_stripped() {
        assert_eq!(strip_part("A > B [part 1/3]"), "A > B");
        assert_eq!(strip_part("A > B"), "A > B");
        assert_eq!(strip_part("A [part x/3]"), "A [part x/3]");
        assert_eq!(strip_part("A [2] [part 12/30]"), "A [2]");
    }

    #[test]
    fn no_chunk_reaches_over_the_end_of_a_page() {
        let markdown = "# A\n\none\n\ntwo\n\n# B\n\nthree\n";
        let document = parse("a.md", markdown);
        let cut = |pages: &[usize]| -> Vec<(String, String)> {
            let chunks = chunks_of_pages("a.md", markdown, &document, &ChunkOptions::default(), pages);
            chunks.into_iter().map(|chunk| (chunk.heading_path, markdown[chunk.bytes].to_owned())).collect()
        };
        let of = |path: &str, text: &str| (path.to_owned(), text.to_owned());
        let whole = [of("A", "# A\n\none\n\ntwo\n\n"), of("B", "# B\n\nthree\n")];
        let parted =
            [of("A [part 1/2]", "# A\n\none\n\n"), of("A [part 2/2]", "two\n\n"), of("B", "# B\n\nthree\n")];
        assert_eq!(cut(&[]), whole);
        // A page that begins where a chunk does, or outside of the text, parts nothing.
        assert_eq!(cut(&[1, 7, 40]), whole);
        assert_eq!(cut(&[7, 1, 5, 5]), parted);
    }

    #[test]
    fn a_group_of_sections_is_parted_at_pages() {
        let markdown = "# A\n\none\n\n## B\n\ntwo\n\n## C\n\n\n\n";
        let document = parse("a.md", markdown);
        let options = ChunkOptions { chunk_by: ChunkBy::File, ..ChunkOptions::default() };
        let chunks = chunks_of_pages("a.md", markdown, &document, &options, &[1, 5, 11]);
        let facts: Vec<_> = chunks
            .iter()
            .map(|chunk| (chunk.chunk_id.as_str(), chunk.lines.start, chunk.passages.len(), chunk.searchable))
            .collect();
        let expected = [("a.md", 1, 1, true), ("a.md#_part-2", 5, 2, true), ("a.md#_part-3", 11, 0, false)];
        assert_eq!(facts, expected);
    }

    #[test]
    fn another_text_does_not_panic() {
        let document = parse("a.md", "# é é é\n\ntext text text\n");
        chunks("a.md", "ééé", &document, &ChunkOptions::default());
    }
}
