//! What holds for every text, tried on random ones and on random Markdown.

use std::collections::HashSet;

use docent_text::{
    Chunk, ChunkBy, ChunkOptions, Document, LineIndex, chunks, chunks_of_pages, context_line, parse,
    passage_text, plain, slug, strip_part, tokens,
};
use proptest::prelude::*;

/// Pieces that mean something to one of the scanners.
const PIECES: &[&str] = &[
    "# ",
    "## ",
    "### ",
    "#",
    "=",
    "\n===\n",
    "\n---\n",
    "---\n",
    "+++\n",
    "...\n",
    "title: x\n",
    "\n",
    "\n\n",
    "\r",
    "\r\n",
    " ",
    "    ",
    "\t",
    "> ",
    "- ",
    "* ",
    "1. ",
    "```",
    "```sh\n",
    "~~~\n",
    "`",
    "``",
    "*",
    "**",
    "_",
    "~~",
    "[",
    "]",
    "](",
    ")",
    "[a](b)",
    "![",
    "[^1]",
    "[^1]: ",
    "[a]: b\n",
    "<div>",
    "</div>",
    "<!--",
    "-->",
    "<script>",
    "<a href=\"",
    "\">",
    "<",
    ">",
    "{{< ",
    " >}}",
    "{{% ",
    " %}}",
    "text=\"x\"",
    "{%",
    "%}",
    "{#id}",
    "{",
    "}",
    "|",
    "|---|\n",
    "| a | b |\n",
    "&amp;",
    "&#x41;",
    "&",
    "\\",
    "a",
    "word ",
    "Word. ",
    "é",
    "日本",
    "🚀",
    "\u{301}",
    "\u{feff}",
    "\0",
    "camelCase",
    "v1.2.3",
    "--flag",
    "C++",
    "import x from 'y'\n",
    "ไทย",
    "İ",
    "ß",
    "\u{3099}",
    "'s",
];

pub(crate) fn markdown() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..80).prop_map(|pieces| pieces.concat())
}

fn options() -> impl Strategy<Value = ChunkOptions> {
    let cuts = prop::sample::select(ChunkBy::ALL.to_vec());
    (cuts, 0usize..60, 0usize..30, 0usize..60).prop_map(|(chunk_by, max_chars, min_chars, passage_chars)| {
        ChunkOptions { chunk_by, max_chars, min_chars, passage_chars }
    })
}

fn check(text: &str, options: ChunkOptions) {
    let document = parse("a/b.md", text);
    let chunks = chunks("a/b.md", text, &document, &options);
    check_sections(text, &document);
    check_chunks(text, &document, &chunks, options);
    for chunk in &chunks {
        let raw = &text[chunk.bytes.clone()];
        let clean = plain(raw);
        assert!(clean.len() <= raw.len() + 8 * raw.matches(['&', '`']).count() + 1, "{raw:?} -> {clean:?}");
        passage_text(&context_line(&document.title, &chunk.heading_path, "a/b.md"), raw);
    }
    for token in tokens(text) {
        assert!(!token.is_empty() && token.len() <= 64, "{token:?}");
        assert!(!token.contains(char::is_whitespace), "{token:?}");
    }
    assert_eq!(document, parse("a/b.md", text));
}

fn check_sections(text: &str, document: &Document) {
    let lines = LineIndex::new(text);
    let mut ids = HashSet::new();
    let mut breadcrumbs = HashSet::new();
    let mut end = None;
    assert!(!document.sections.is_empty());
    for (index, section) in document.sections.iter().enumerate() {
        assert!(ids.insert(&section.id), "{:?} twice", section.id);
        assert!(breadcrumbs.insert(&section.breadcrumb), "{:?} twice", section.breadcrumb);
        assert!(end.is_none_or(|end| end == section.bytes.start), "sections leave no gap");
        end = Some(section.bytes.end);
        assert_eq!(section.lines, lines.range(&section.bytes));
        assert!(section.bytes.contains(&section.body_start) || section.body_start == section.bytes.end);
        assert!(section.subtree_end >= section.bytes.end);
        assert_eq!(section.path.is_empty(), section.level == 0);
        if let Some(parent) = section.parent {
            let parent = &document.sections[parent];
            assert!(parent.level < section.level && parent.subtree_end >= section.subtree_end);
            assert!(section.id.starts_with(&format!("{}/", parent.id)));
        }
        assert!(index > 0 || text[document.body_start..section.bytes.start].trim().is_empty());
    }
    assert_eq!(end, Some(text.len()));
}

fn check_chunks(text: &str, document: &Document, chunks: &[Chunk], options: ChunkOptions) {
    let mut ids = HashSet::new();
    let mut end = document.sections[0].bytes.start;
    for (ordinal, chunk) in chunks.iter().enumerate() {
        assert!(ids.insert(&chunk.chunk_id), "{:?} twice", chunk.chunk_id);
        assert_eq!(chunk.ordinal as usize, ordinal);
        assert_eq!(chunk.bytes.start, end, "chunks leave no gap");
        end = chunk.bytes.end;
        let content = &text[chunk.bytes.clone()];
        assert_eq!(chunk.char_count, content.chars().count());
        assert!(chunk.char_count <= options.max_chars.max(1));
        assert_eq!(chunk.lines, LineIndex::new(text).range(&chunk.bytes));
        if chunk.part.is_some() {
            assert_eq!(chunk.sections.len(), 1);
            let breadcrumb = document.sections[chunk.sections.start].breadcrumb.as_str();
            assert!([breadcrumb, "(root)"].contains(&strip_part(&chunk.heading_path)));
        }
        assert_eq!(chunk.passages.is_empty(), !chunk.searchable);
        let mut passage_end = chunk.bytes.start;
        for passage in &chunk.passages {
            let section = &document.sections[passage.section];
            assert!(chunk.sections.contains(&passage.section));
            assert!(section.bytes.start <= passage.bytes.start && passage.bytes.end <= section.bytes.end);
            assert!(passage.bytes.start >= passage_end && passage.bytes.end <= chunk.bytes.end);
            let alone = chunk.passages.iter().filter(|other| other.section == passage.section).count() == 1;
            assert!(!text[passage.bytes.clone()].trim().is_empty() || alone);
            passage_end = passage.bytes.end;
        }
    }
    assert_eq!(end, text.len());
}

/// Pages change nothing but where chunks end: each lies on one, and together they are the text as before.
fn check_pages(text: &str, options: ChunkOptions, page_lines: &[usize]) {
    let document = parse("a/b.md", text);
    let whole = chunks("a/b.md", text, &document, &options);
    assert_eq!(chunks_of_pages("a/b.md", text, &document, &options, &[]), whole);
    let paged = chunks_of_pages("a/b.md", text, &document, &options, page_lines);
    let lines = LineIndex::new(text);
    let mut ids = HashSet::new();
    let mut end = document.sections[0].bytes.start;
    for (ordinal, chunk) in paged.iter().enumerate() {
        assert!(ids.insert(&chunk.chunk_id), "{:?} twice", chunk.chunk_id);
        assert_eq!(chunk.ordinal as usize, ordinal);
        assert_eq!(chunk.bytes.start, end, "chunks leave no gap");
        end = chunk.bytes.end;
        assert_eq!(chunk.char_count, text[chunk.bytes.clone()].chars().count());
        assert!(chunk.char_count <= options.max_chars.max(1));
        for line in page_lines {
            let start = lines.start(*line);
            assert!(
                start <= chunk.bytes.start || start >= chunk.bytes.end,
                "a page begins inside of a chunk"
            );
        }
        assert_eq!(chunk.passages.is_empty(), !chunk.searchable);
        for passage in &chunk.passages {
            assert!(passage.bytes.start >= chunk.bytes.start && passage.bytes.end <= chunk.bytes.end);
        }
        let (number, total) = chunk.part.unwrap_or((1, 1));
        let same = |other: &&Chunk| other.sections == chunk.sections;
        assert_eq!(paged.iter().filter(same).count(), total as usize);
        assert_eq!(paged.iter().filter(same).position(|other| other == chunk), Some(number as usize - 1));
    }
    assert_eq!(end, text.len());
    let first = document.sections[0].bytes.start;
    let is_outside = |line: &usize| lines.start(*line) <= first || lines.start(*line) >= text.len();
    if page_lines.iter().all(is_outside) {
        let places = |chunks: &[Chunk]| -> Vec<_> {
            chunks.iter().map(|chunk| (chunk.bytes.clone(), chunk.heading_path.clone())).collect()
        };
        assert_eq!(places(&paged), places(&whole));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn random_markdown(text in markdown(), options in options()) {
        check(&text, options);
    }

    #[test]
    fn pages_of_random_markdown(
        text in markdown(),
        options in options(),
        pages in prop::collection::vec(0usize..40, 0..8),
    ) {
        check_pages(&text, options, &pages);
    }

    #[test]
    fn random_text(text in any::<String>(), options in options()) {
        check(&text, options);
    }

    #[test]
    fn slugs_are_never_empty_and_hold_no_separator(heading in any::<String>()) {
        let slug = slug(&heading);
        prop_assert!(!slug.is_empty() && !slug.contains(['/', '#', '_']) && !slug.contains("--"));
    }

    #[test]
    fn text_below_a_heading_does_not_change_ids(text in markdown()) {
        let ids = |text: &str| parse("x.md", text).sections.into_iter().map(|section| section.id).collect::<Vec<_>>();
        let longer = format!("# One\n\ntext\n\n# Two\n\n{text}");
        prop_assert!(ids(&longer).starts_with(&["one".to_owned(), "two".to_owned()]));
    }
}
