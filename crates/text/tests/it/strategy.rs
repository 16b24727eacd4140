//! Where a strategy cuts: levels, sizes, and what chunks are called then.

use docent_text::{ChunkBy, ChunkOptions, chunks, parse};

const PAGE: &str = "intro\n\n# Guide\n\ntop\n\n## Auth\n\nauth\n\n### Token\n\ntoken\n\n#### Scope\n\nscope\n\n## Errors\n\nerrors\n";

fn cut(markdown: &str, options: &ChunkOptions) -> Vec<(String, String)> {
    let document = parse("a.md", markdown);
    let chunks = chunks("a.md", markdown, &document, options);
    assert_eq!(chunks.iter().map(|chunk| &markdown[chunk.bytes.clone()]).collect::<String>(), markdown);
    chunks.into_iter().map(|chunk| (chunk.chunk_id, chunk.heading_path)).collect()
}

fn check(markdown: &str, options: &ChunkOptions, expected: &[(&str, &str)]) {
    let expected: Vec<_> = expected.iter().map(|(id, path)| ((*id).to_owned(), (*path).to_owned())).collect();
    assert_eq!(cut(markdown, options), expected, "{markdown:?}");
}

fn by(chunk_by: ChunkBy) -> ChunkOptions {
    ChunkOptions { chunk_by, ..ChunkOptions::default() }
}

#[test]
fn h1_keeps_everything_below_together() {
    check(PAGE, &by(ChunkBy::H1), &[("a.md#_preamble", "(root)"), ("a.md#guide", "Guide")]);
}

#[test]
fn h2_starts_a_chunk_at_h1_and_h2() {
    check(
        PAGE,
        &by(ChunkBy::H2),
        &[
            ("a.md#_preamble", "(root)"),
            ("a.md#guide", "Guide"),
            ("a.md#guide/auth", "Guide > Auth"),
            ("a.md#guide/errors", "Guide > Errors"),
        ],
    );
}

#[test]
fn h3_goes_one_deeper() {
    let ids: Vec<_> = cut(PAGE, &by(ChunkBy::H3)).into_iter().map(|(id, _)| id).collect();
    assert!(ids.contains(&"a.md#guide/auth/token".to_owned()));
    assert!(!ids.contains(&"a.md#guide/auth/token/scope".to_owned()));
}

#[test]
fn every_heading_starts_a_chunk() {
    let ids: Vec<_> = cut(PAGE, &by(ChunkBy::Heading)).into_iter().map(|(id, _)| id).collect();
    assert!(ids.contains(&"a.md#guide/auth/token/scope".to_owned()));
}

#[test]
fn a_file_is_one_chunk_named_by_its_path() {
    check(PAGE, &by(ChunkBy::File), &[("a.md", "(root)")]);
}

#[test]
fn a_file_without_a_heading_that_counts_is_one_chunk_named_by_its_path() {
    check("text\n\n### Deep\n\nmore\n", &by(ChunkBy::H2), &[("a.md", "(root)")]);
    check("### Deep\n\nmore\n", &by(ChunkBy::H2), &[("a.md", "(root)")]);
}

#[test]
fn headings_that_do_not_count_before_one_that_does_are_the_preamble() {
    check(
        "### Deep\n\nmore\n\n## A\n\na\n",
        &by(ChunkBy::H2),
        &[("a.md#_preamble", "(root)"), ("a.md#a", "A")],
    );
}

#[test]
fn code_tables_and_lists_below_a_heading_stay_with_it() {
    let page = "## Method\n\ntext\n\n```sh\n# not a heading\n\n## nor this\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- item\n\n  ## in the item\n\n## Next\n\nx\n";
    check(page, &by(ChunkBy::H2), &[("a.md#method", "Method"), ("a.md#next", "Next")]);
}

#[test]
fn what_is_too_long_is_cut_at_the_next_deeper_headings_first() {
    let options = ChunkOptions { max_chars: 40, ..by(ChunkBy::H2) };
    check(
        "## A\n\naaaa aaaa\n\n### B\n\nbbbb bbbb\n\n### C\n\ncccc cccc\n\n## D\n\nd\n\n### E\n\ne\n",
        &options,
        &[("a.md#a", "A"), ("a.md#a/b", "A > B"), ("a.md#a/c", "A > C"), ("a.md#d", "D")],
    );
}

#[test]
fn levels_may_be_left_out() {
    let options = ChunkOptions { max_chars: 30, ..by(ChunkBy::H1) };
    check(
        "# A\n\naaaa aaaa\n\n#### B\n\nbbbb bbbb\n\n#### C\n\nc\n",
        &options,
        &[("a.md#a", "A"), ("a.md#a/b", "A > B"), ("a.md#a/c", "A > C")],
    );
}

#[test]
fn a_section_that_is_too_long_by_itself_is_split_into_parts() {
    let options = ChunkOptions { max_chars: 20, ..by(ChunkBy::File) };
    check(
        "aaaa aaaa aaaa\n\nbbbb bbbb bbbb\n",
        &options,
        &[("a.md", "(root) [part 1/2]"), ("a.md#_part-2", "(root) [part 2/2]")],
    );
}

#[test]
fn a_file_that_is_too_long_is_cut_at_its_headings() {
    let options = ChunkOptions { max_chars: 30, ..by(ChunkBy::File) };
    check(
        "intro intro\n\n# A\n\naaaa aaaa\n\n# B\n\nbbbb bbbb\n",
        &options,
        &[("a.md#_preamble", "(root)"), ("a.md#a", "A"), ("a.md#b", "B")],
    );
}

#[test]
fn short_chunks_join_their_parent_or_sibling() {
    let options = ChunkOptions { min_chars: 12, ..by(ChunkBy::H2) };
    check(
        "# A\n\naaaa aaaa aaaa\n\n## B\n\nb\n\n## C\n\ncccc cccc cccc\n\n## D\n\nd\n",
        &options,
        &[("a.md#a", "A"), ("a.md#a/c", "A > C")],
    );
}

#[test]
fn short_chunks_do_not_move_under_a_foreign_heading() {
    let options = ChunkOptions { min_chars: 12, ..by(ChunkBy::H2) };
    check(
        "# A\n\naaaa aaaa aaaa\n\n## B\n\nbbbb bbbb bbbb\n\n# C\n\nc\n",
        &options,
        &[("a.md#a", "A"), ("a.md#a/b", "A > B"), ("a.md#c", "C")],
    );
}

#[test]
fn what_is_embedded_does_not_depend_on_the_strategy() {
    let document = parse("a.md", PAGE);
    let passages = |chunk_by| {
        let chunks = chunks("a.md", PAGE, &document, &by(chunk_by));
        chunks.into_iter().flat_map(|chunk| chunk.passages).collect::<Vec<_>>()
    };
    let fine = passages(ChunkBy::Heading);
    assert!(fine.len() > 4);
    for chunk_by in ChunkBy::ALL {
        assert_eq!(passages(chunk_by), fine, "{chunk_by}");
    }
}

#[test]
fn text_added_below_a_heading_changes_no_id() {
    for chunk_by in ChunkBy::ALL {
        let longer = PAGE.replace("auth\n", "auth\n\nand more\n\n- of\n- it\n");
        let ids = |page: &str| cut(page, &by(chunk_by)).into_iter().map(|(id, _)| id).collect::<Vec<_>>();
        assert_eq!(ids(&longer), ids(PAGE), "{chunk_by}");
    }
}
