//! docs-mcp §3, "Chunk Identity Scheme": formats, slugs, collisions, the reserved preamble.

use serde_json::json;

use crate::authored::{MANIFEST, breadcrumbs, check_page, cut_at, ids_of, page_ids};
use crate::world::World;

fn check(text: &str, expected: &[&str]) {
    let ids = ids_of("a.md", text);
    let ids: Vec<&str> = ids.iter().map(|id| id.strip_prefix("a.md#").unwrap_or(id)).collect();
    assert_eq!(ids, expected, "{text:?}");
}

/// One heading and what becomes of it.
fn check_slug(heading: &str, slug: &str) {
    check(&format!("# {heading}\n\nx\n"), &[slug]);
}

/// Headings of one level, one below the other.
fn check_siblings(headings: &[&str], slugs: &[&str]) {
    let text: String = headings.iter().map(|heading| format!("## {heading}\n\nx\n\n")).collect();
    check(&text, slugs);
}

// The table, row by row.

#[test]
fn whole_file_without_headings() {
    check_page(&[("models/user.md", "A user.\n")], "models/user.md", &["models/user.md"]);
}

#[test]
fn whole_file_by_strategy() {
    let files = [("models/user.md", "# User\n\n## Name\n\nx\n"), (MANIFEST, &cut_at("file"))];
    check_page(&files, "models/user.md", &["models/user.md"]);
}

#[test]
fn whole_file_when_no_heading_is_one_that_is_cut_at() {
    let files = [("models/user.md", "A user.\n\n### Name\n\nx\n"), (MANIFEST, &cut_at("h2"))];
    check_page(&files, "models/user.md", &["models/user.md"]);
}

#[test]
fn preamble_before_the_first_heading() {
    let text = "Words first.\n\n# Retries\n\nx\n";
    check_page(
        &[("guides/retries.md", text)],
        "guides/retries.md",
        &["guides/retries.md#_preamble", "guides/retries.md#retries"],
    );
}

#[test]
fn blank_lines_before_the_first_heading_are_no_preamble() {
    check("\n\n  \n# A\n\nx\n", &["a"]);
}

#[test]
fn top_level_heading() {
    let text = "## Backoff Strategy\n\nx\n";
    check_page(&[("guides/retries.md", text)], "guides/retries.md", &["guides/retries.md#backoff-strategy"]);
}

#[test]
fn nested_heading() {
    let text = "## Authentication\n\nx\n\n### Get Token\n\nx\n";
    let path = "sdks/typescript/auth.md";
    check_page(
        &[(path, text)],
        path,
        &["sdks/typescript/auth.md#authentication", "sdks/typescript/auth.md#authentication/get-token"],
    );
}

#[test]
fn nested_heading_contains_the_title_of_the_page() {
    check("# Retries\n\n## Backoff Strategy\n\nx\n", &["retries", "retries/backoff-strategy"]);
}

#[test]
fn nested_heading_whose_parent_is_not_one_level_above() {
    check("# A\n\nx\n\n#### B\n\nx\n\n## C\n\nx\n", &["a", "a/b", "a/c"]);
    check("### A\n\nx\n\n# B\n\nx\n", &["a", "b"]);
}

#[test]
fn duplicate_heading() {
    check_siblings(&["Examples", "Examples", "Examples"], &["examples", "examples-2", "examples-3"]);
}

#[test]
fn nested_heading_below_a_duplicate() {
    check("# A\n\n## B\n\n# A\n\n## B\n", &["a", "a/b", "a-2", "a-2/b"]);
}

#[test]
fn parents_that_do_not_start_a_chunk_are_part_of_the_id() {
    // An oversize chunk is cut at `###`; the id still names the heading above.
    let long = "word ".repeat(60);
    let text = format!("## A\n\n{long}\n\n### B\n\n{long}\n");
    let manifest = r#"{"version": "1", "strategy": {"chunk_by": "h2", "max_chunk_size": 400}}"#;
    check_page(&[("a.md", &text), (MANIFEST, manifest)], "a.md", &["a.md#a", "a.md#a/b"]);
}

#[test]
fn ids_are_the_primary_key_of_get_doc() {
    let text = "intro\n\n# A\n\n1\n\n## B\n\n2\n\n## B\n\n3\n\n## 日本\n\n4\n\n## !!!\n\n5\n\n## ???\n\n6\n";
    let world = World::quiet(&[("a b/c.md", text)]);
    let mut client = world.client();
    let ids = page_ids(&mut client, "a b/c.md");
    assert_eq!(ids.iter().collect::<std::collections::BTreeSet<_>>().len(), 7, "{ids:?}");
    for id in ids {
        assert_eq!(client.call("get_doc", json!({"chunk_id": id}))["chunk_id"], id);
    }
}

// The slug algorithm, step by step.

#[test]
fn slug_step_1_converts_to_lowercase() {
    check_slug("Backoff STRATEGY", "backoff-strategy");
    check_slug("HTTP2", "http2");
}

#[test]
fn slug_step_2_strips_all_but_letters_digits_spaces_and_hyphens() {
    check_slug("What's new? (v2.0)", "whats-new-v20");
    check_slug("snake_case_name", "snakecasename");
    check_slug("GET /users/{id}", "get-usersid");
    check_slug("C++ & C#", "c-c");
    check_slug("Café", "caf");
    check_slug("Retry 🚀 now", "retry-now");
}

#[test]
fn slug_step_3_replaces_spaces_with_hyphens() {
    check_slug("one two three", "one-two-three");
}

#[test]
fn slug_step_4_collapses_consecutive_hyphens() {
    check_slug("a -- b", "a-b");
    check_slug("a---b", "a-b");
    check_slug("a & b", "a-b");
}

#[test]
fn slugs_have_no_further_step() {
    check_slug("& more", "-more");
    check_slug("more &", "more-");
}

#[test]
fn slugs_are_made_of_a_headings_text_and_not_of_its_markup() {
    check_slug("The **bold** `code` [link](https://example.org/x) ##", "the-bold-code-link");
}

#[test]
fn a_heading_without_latin_letters_keeps_its_own() {
    check_slug("日本語", "日本語");
    check_slug("Привет, Мир!", "привет-мир");
    check_slug("한국어 문서", "한국어-문서");
}

#[test]
fn a_heading_with_some_latin_letters_keeps_only_those() {
    check_slug("日本語 API", "-api");
}

#[test]
fn a_heading_without_any_letter_still_has_an_id() {
    for heading in ["!!!", "🚀", "---", "__"] {
        let ids = ids_of("a.md", &format!("intro\n\n# {heading}\n\nx\n"));
        assert_eq!(ids[0], "a.md#_preamble");
        let slug = ids[1].strip_prefix("a.md#").unwrap();
        assert!(!slug.is_empty() && !slug.starts_with('_'), "{heading}: {slug}");
    }
}

// Collisions.

#[test]
fn collisions_are_scoped_to_the_parent_heading() {
    check("# A\n\n## X\n\n## X\n\n# B\n\n## X\n", &["a", "a/x", "a/x-2", "b", "b/x"]);
}

#[test]
fn collisions_of_cousins_do_not_count() {
    check("# A\n\n## B\n\n### X\n\n## C\n\n### X\n", &["a", "a/b", "a/b/x", "a/c", "a/c/x"]);
}

#[test]
fn collisions_count_slugs_and_not_texts() {
    check_siblings(&["Set up", "Set-up!", "set UP"], &["set-up", "set-up-2", "set-up-3"]);
}

#[test]
fn collisions_are_numbered_in_document_order() {
    check(
        "## X\n\nfirst\n\n### Deep\n\n## Y\n\n## X\n\nsecond\n\n### Deep\n",
        &["x", "x/deep", "y", "x-2", "x-2/deep"],
    );
}

#[test]
fn collisions_of_different_levels_below_one_parent_are_collisions() {
    check("# A\n\n### X\n\n## X\n", &["a", "a/x", "a/x-2"]);
}

#[test]
fn a_number_that_a_heading_has_by_itself_is_not_given_again() {
    check_siblings(&["X", "X 2", "X"], &["x", "x-2", "x-3"]);
    check_siblings(&["X", "X", "X 2"], &["x", "x-2", "x-2-2"]);
    check_siblings(&["X 2", "X", "X", "X"], &["x-2", "x", "x-3", "x-4"]);
}

#[test]
fn collisions_do_not_depend_on_the_strategy() {
    let text = "# A\n\n## X\n\n### X\n\n### X\n\n## X\n\n### X\n";
    let whole = ids_of("a.md", text);
    for chunk_by in ["h1", "h2", "h3"] {
        let world = World::quiet(&[("a.md", text), (MANIFEST, &cut_at(chunk_by))]);
        for id in page_ids(&mut world.client(), "a.md") {
            assert!(whole.contains(&id), "{chunk_by}: {id} is not among {whole:?}");
        }
    }
}

#[test]
fn two_sections_of_one_name_have_two_breadcrumbs() {
    let world = World::quiet(&[("a.md", "# A\n\n## X\n\n1\n\n## X\n\n2\n")]);
    assert_eq!(breadcrumbs(&mut world.client(), "a.md"), ["A", "A > X", "A > X [2]"]);
}

// The reserved prefix.

#[test]
fn preamble_cannot_collide_with_a_heading_of_that_name() {
    check("words\n\n# _preamble\n\nx\n", &["_preamble", "preamble"]);
    check("words\n\n# Preamble\n\nx\n", &["_preamble", "preamble"]);
    check("words\n\n# \\_preamble\n\n# Preamble\n\nx\n", &["_preamble", "preamble", "preamble-2"]);
}

#[test]
fn a_heading_never_takes_a_leading_underscore() {
    check_slug("_日本", "日本");
    check_slug("__init__", "init");
    check("# \\_part-2\n\nx\n", &["part-2"]);
}

#[test]
fn preamble_and_headings_called_so_lead_each_to_its_own_text() {
    let world = World::quiet(&[("a.md", "words\n\n# _preamble\n\nheading\n")]);
    let mut client = world.client();
    let read = |client: &mut crate::client::Client, id: &str| {
        client.call("get_doc", json!({"chunk_id": id}))["content"].as_str().unwrap().to_owned()
    };
    assert_eq!(read(&mut client, "a.md#_preamble"), "words\n\n");
    assert_eq!(read(&mut client, "a.md#preamble"), "# _preamble\n\nheading\n");
}
