//! `get_page` as Anvil specifies it.

use serde_json::{Value, json};

use crate::world::{World, fixture};

fn contents(page: &Value) -> String {
    page["chunks"].as_array().unwrap().iter().map(|chunk| chunk["content"].as_str().unwrap()).collect()
}

fn headings(page: &Value) -> Vec<&str> {
    page["chunks"].as_array().unwrap().iter().map(|chunk| chunk["heading_path"].as_str().unwrap()).collect()
}

fn check(file: &str, text: &str, expected: &[(&str, u64)]) {
    let world = World::new(&[(file, text)]);
    let page = world.client().call("get_page", json!({"file_path": file}));
    let chunks = page["chunks"].as_array().unwrap();
    let shown: Vec<(&str, u64)> = chunks
        .iter()
        .map(|chunk| (chunk["heading_path"].as_str().unwrap(), chunk["heading_level"].as_u64().unwrap()))
        .collect();
    assert_eq!(shown, expected, "{text}");
}

#[test]
fn get_page_returns_all_chunks_in_document_order() {
    let text = fixture("docs-tools/nested-headings.md");
    let world = World::new(&[("nested.md", &text)]);
    let page = world.client().call("get_page", json!({"file_path": "nested.md"}));
    assert_eq!(
        headings(&page),
        [
            "(root)",
            "Observatory",
            "Observatory > Dome",
            "Observatory > Dome > Drive",
            "Observatory > Dome > Drive > Gearbox",
            "Observatory > Dome > Drive > Gearbox > Bearings",
            "Observatory > Dome > Drive > Gearbox > Bearings > Grease",
            "Observatory > Dome > Shutter",
            "Observatory > Telescopes",
            "Observatory > Telescopes > Drive",
            "Observatory > Größe der Spiegel",
            "Observatory > 観測記録",
            "Observatory > Staff & Visitors (2026)",
        ]
    );
    assert_eq!(contents(&page), text, "the chunks together are not the page");
}

#[test]
fn get_page_returns_every_section_of_a_large_page_in_order() {
    let sections: String =
        (0..60).map(|number| format!("## Section {number}\n\nText {number}.\n\n")).collect();
    let text = format!("# Large\n\n{sections}");
    let world = World::new(&[("large-page.md", &text)]);
    let page = world.client().call("get_page", json!({"file_path": "large-page.md"}));
    let expected: Vec<String> = std::iter::once("Large".to_owned())
        .chain((0..60).map(|number| format!("Large > Section {number}")))
        .collect();
    assert_eq!(headings(&page), expected);
    assert_eq!(contents(&page), text);
    assert_eq!(page.get("truncated"), None);
}

#[test]
fn get_page_keeps_the_parts_of_a_split_section_in_order() {
    let text = fixture("docs-tools/multi-part-section.md");
    let world = World::new(&[("clock.md", &text)]);
    let page = world.client().call("get_page", json!({"file_path": "clock.md"}));
    assert_eq!(
        headings(&page),
        [
            "Tower Clock",
            "Tower Clock > Yearly Inspection [part 1/3]",
            "Tower Clock > Yearly Inspection [part 2/3]",
            "Tower Clock > Yearly Inspection [part 3/3]",
            "Tower Clock > After The Inspection",
        ]
    );
    assert_eq!(contents(&page), text);
    for chunk in page["chunks"].as_array().unwrap() {
        assert!(chunk["char_count"].as_u64().unwrap() <= 6000, "a chunk is longer than the default allows");
    }
}

#[test]
fn get_page_returns_raw_markdown_and_line_numbers() {
    let text = "# A\n\n| a | b |\n|---|---|\n| *1* | `2` |\n\n## B\n\n<b>x</b> &amp; [l](u)\r\n";
    let world = World::new(&[("a.md", text)]);
    let page = world.client().call("get_page", json!({"file_path": "a.md"}));
    assert_eq!(contents(&page), text);
    let chunks = &page["chunks"];
    assert_eq!((&chunks[0]["start_line"], &chunks[0]["end_line"]), (&json!(1), &json!(6)));
    assert_eq!((&chunks[1]["start_line"], &chunks[1]["end_line"]), (&json!(7), &json!(9)));
}

#[test]
fn headings_come_from_commonmark() {
    check("a.md", "Setext\n===\n\ntext\n\nSub\n---\n\ntext\n", &[("Setext", 1), ("Setext > Sub", 2)]);
    check("a.md", "# A\n\n```\n# no heading\n```\n\n    # none either\n", &[("A", 1)]);
    check("a.md", "text\n\n### Deep\n\nx\n\n# Top\n\nx\n", &[("(root)", 0), ("Deep", 3), ("Top", 1)]);
}

#[test]
fn two_sections_with_the_same_breadcrumb_are_told_apart() {
    check(
        "a.md",
        "# A\n\n## Example\n\none\n\n## Example\n\ntwo\n",
        &[("A", 1), ("A > Example", 2), ("A > Example [2]", 2)],
    );
}

#[test]
fn total_chars_is_the_sum_of_the_char_counts() {
    let text = fixture("docs-tools/nested-headings.md");
    let world = World::new(&[("nested.md", &text)]);
    let page = world.client().call("get_page", json!({"file_path": "nested.md"}));
    let chunks = page["chunks"].as_array().unwrap();
    for chunk in chunks {
        assert_eq!(chunk["char_count"], chunk["content"].as_str().unwrap().chars().count(), "{chunk}");
    }
    let sum: u64 = chunks.iter().map(|chunk| chunk["char_count"].as_u64().unwrap()).sum();
    assert_eq!(page["total_chars"], sum);
    assert_eq!(page["total_chars"], text.chars().count());
}

fn check_title(file: &str, text: &str, expected: &str) {
    let world = World::new(&[(file, text)]);
    assert_eq!(world.client().call("get_page", json!({"file_path": file}))["title"], expected, "{text}");
}

#[test]
fn the_title_is_the_first_h1() {
    check_title("a.md", "# First *one*\n\n# Second\n", "First one");
    check_title("a.md", "## Before\n\ntext\n\n# The Title\n", "The Title");
    check_title("a.md", "Underlined\n==========\n", "Underlined");
}

#[test]
fn without_an_h1_the_title_is_the_file_name() {
    check_title("guides/set-up.md", "## Only a subheading\n\ntext\n", "set-up.md");
    check_title("a.md", "```\n# not a heading\n```\n", "a.md");
    check_title("empty.md", "", "empty.md");
}

#[test]
fn an_unknown_path_is_refused_with_the_message_of_the_specification() {
    let world = World::new(&[("guides/retries.md", "# Retries\n")]);
    let told = world.client().refused("get_page", json!({"file_path": "nope.md"}));
    let expected = "No page found at path: nope.md. Use list_pages to discover available pages.";
    assert!(told.starts_with(expected), "{told}");
}

#[test]
fn a_path_that_is_nearly_right_names_the_near_one() {
    let world = World::new(&[("guides/retries.md", "# Retries\n")]);
    let told = world.client().refused("get_page", json!({"file_path": "guides/retry.md"}));
    assert!(told.contains("guides/retries.md"), "{told}");
}

#[test]
fn a_leading_slash_or_dot_slash_is_stripped() {
    let world = World::new(&[("guides/a.md", "# A\n"), ("b.md", "# B\n")]);
    for given in ["guides/a.md", "./guides/a.md", "/guides/a.md", "././guides/a.md"] {
        let page = world.client().call("get_page", json!({"file_path": given}));
        assert_eq!(page["file_path"], "guides/a.md", "{given}");
    }
}

#[test]
fn paths_with_spaces_signs_and_other_scripts_are_read() {
    let paths = ["a b.md", "c#.md", "100%.md", "日本/語.md", "ünï.md", "a&b=c.md", "what?.md"];
    let world = World::new(&paths.map(|path| (path, "# A\n\ntext\n")));
    for path in paths {
        let page = world.client().call("get_page", json!({"file_path": path}));
        assert_eq!(page["file_path"], path);
    }
}

#[test]
fn nothing_outside_the_documents_is_read() {
    let world = World::new(&[("a.md", "# A\n")]);
    std::fs::write(world.docs.parent().unwrap().join("secret.md"), "# Secret\n").unwrap();
    let outside = world.docs.parent().unwrap().join("secret.md");
    let mut client = world.client();
    for path in
        ["../secret.md", "./../secret.md", "a.md/../../secret.md", outside.to_str().unwrap(), "/etc/passwd"]
    {
        let told = client.refused("get_page", json!({"file_path": path}));
        assert!(told.starts_with(&format!("No page found at path: {path}.")), "{told}");
    }
}

#[test]
fn a_folder_is_no_page() {
    let world = World::new(&[("guides/a.md", "# A\n")]);
    assert!(world.client().refused("get_page", json!({"file_path": "guides"})).starts_with("No page found"));
}

#[test]
fn get_page_without_a_path_is_refused() {
    let world = World::new(&[("a.md", "# A\n")]);
    let mut client = world.client();
    for arguments in [json!({}), json!({"file_path": ""}), json!({"file_path": null})] {
        let told = client.refused("get_page", arguments);
        assert!(told.contains("file_path parameter is required"), "{told}");
    }
    assert!(client.refused("get_page", json!({"file_path": 7})).contains("file_path must be a string"));
}

#[test]
fn a_page_without_headings_is_one_chunk_at_the_root() {
    check("a.md", "Only text.\n\nMore text.\n", &[("(root)", 0)]);
}

#[test]
fn front_matter_is_not_content() {
    let world = World::new(&[("a.md", "---\ntitle: T\n---\n# A\n\ntext\n")]);
    let page = world.client().call("get_page", json!({"file_path": "a.md"}));
    assert_eq!(contents(&page), "# A\n\ntext\n");
    assert_eq!(page["chunks"][0]["start_line"], 4);
}

#[test]
fn get_page_says_when_the_page_was_changed_and_which_version_it_is() {
    let world = World::new(&[("a.md", "# A\n")]);
    let page = world.client().call("get_page", json!({"file_path": "a.md"}));
    assert!(page["last_modified"].as_str().unwrap().ends_with('Z'), "{page}");
    assert_eq!(page["content_hash"], blake3_of("# A\n"));
}

/// Every tool names the same version of a page.
fn blake3_of(text: &str) -> Value {
    let world = World::new(&[("x.md", text)]);
    let answer = world.client().call("search_docs", json!({"query": "a"}));
    answer["results"][0]["metadata"]["content_hash"].clone()
}
