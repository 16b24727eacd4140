//! docs-mcp §3, "Intelligent Chunking": where each strategy cuts, and that nothing under a heading is torn from it.

use serde_json::json;

use crate::authored::{
    LEVELS, MANIFEST, breadcrumbs, chunks, contents, cut_at, level_ids, manifest, page_ids,
};
use crate::world::World;

const ALL: [&str; 5] = ["file", "h1", "h2", "h3", "heading"];

/// Every kind of block that Markdown knows. None of its lines starts a section.
const BLOCKS: &str = "A paragraph of\ntwo lines.

```sh
# a comment in a fence
## another
---
```

~~~~text
```
# in a fence that holds a fence
```
~~~~

    # in indented code

| name | value |
|------|-------|
| # a  | ## b  |

- one
- two

  # in a list item

  still two
1. first

> ## in a quote
>
> quoted

<div>
<h2>in HTML</h2>
# in HTML
</div>

<!--
# in a comment
-->

Text with a [link]. \\# no heading. #nor this.

***

[link]: https://example.org
";

/// A heading of each level down to six, each over all kinds of blocks.
fn blocks_at_every_level() -> String {
    (1..=6).map(|level| format!("{} Level {level}\n\n{BLOCKS}\n", "#".repeat(level))).collect()
}

fn check_cut(chunk_by: &str, text: &str, expected: &[String]) {
    let world = World::quiet(&[("a.md", text), (MANIFEST, &cut_at(chunk_by))]);
    assert_eq!(contents(&mut world.client(), "a.md"), expected, "{chunk_by}");
}

/// Cuts before headings down to that level and nowhere else.
fn check_atomic(chunk_by: &str, deepest: usize) {
    let section = |level: usize| format!("{} Level {level}\n\n{BLOCKS}\n", "#".repeat(level));
    let mut expected: Vec<String> = (1..=deepest.max(1)).map(section).collect();
    let rest: String = (deepest.max(1) + 1..=6).map(section).collect();
    expected.last_mut().unwrap().push_str(&rest);
    check_cut(chunk_by, &blocks_at_every_level(), &expected);
}

#[test]
fn atomic_grouping_by_file() {
    check_cut("file", &blocks_at_every_level(), &[blocks_at_every_level()]);
}

#[test]
fn atomic_grouping_by_h1() {
    check_atomic("h1", 1);
}

#[test]
fn atomic_grouping_by_h2() {
    check_atomic("h2", 2);
}

#[test]
fn atomic_grouping_by_h3() {
    check_atomic("h3", 3);
}

#[test]
fn atomic_grouping_by_every_heading() {
    check_atomic("heading", 6);
}

#[test]
fn siblings_of_the_same_level_are_chunks_of_their_own() {
    let text = "# A\n\na\n\n## B\n\nb\n\n### C\n\nc\n\n## D\n\nd\n\n# E\n\ne\n";
    let expect = |parts: &[&str]| parts.iter().map(|part| (*part).to_owned()).collect::<Vec<_>>();
    let of_a = "# A\n\na\n\n## B\n\nb\n\n### C\n\nc\n\n## D\n\nd\n\n";
    check_cut("h1", text, &expect(&[of_a, "# E\n\ne\n"]));
    check_cut(
        "h2",
        text,
        &expect(&["# A\n\na\n\n", "## B\n\nb\n\n### C\n\nc\n\n", "## D\n\nd\n\n", "# E\n\ne\n"]),
    );
}

#[test]
fn without_any_manifest_or_hint_every_heading_is_cut_at() {
    let world = World::quiet(&[("a.md", LEVELS)]);
    assert_eq!(page_ids(&mut world.client(), "a.md"), level_ids("a.md", "heading"));
}

#[test]
fn the_default_under_a_manifest_is_h2() {
    for silent in [json!({}), json!({"metadata": {"tier": "gold"}}), json!({"overrides": []})] {
        let world = World::quiet(&[("a.md", LEVELS), (MANIFEST, &manifest(silent.clone()))]);
        assert_eq!(page_ids(&mut world.client(), "a.md"), level_ids("a.md", "h2"), "{silent}");
    }
}

#[test]
fn the_default_of_a_page_outside_a_manifests_folder_is_every_heading() {
    let world =
        World::quiet(&[("a.md", LEVELS), ("sub/b.md", LEVELS), ("sub/.docs-mcp.json", &manifest(json!({})))]);
    let mut client = world.client();
    assert_eq!(page_ids(&mut client, "a.md"), level_ids("a.md", "heading"));
    assert_eq!(page_ids(&mut client, "sub/b.md"), level_ids("sub/b.md", "h2"));
}

#[test]
fn every_strategy_names_its_chunks_after_their_first_heading() {
    for chunk_by in ALL {
        let world = World::quiet(&[("a.md", LEVELS), (MANIFEST, &cut_at(chunk_by))]);
        assert_eq!(page_ids(&mut world.client(), "a.md"), level_ids("a.md", chunk_by), "{chunk_by}");
    }
}

#[test]
fn the_text_before_the_first_heading_is_a_chunk_of_its_own() {
    let text = format!("intro\n\n{LEVELS}");
    for chunk_by in ["h1", "h2", "h3", "heading"] {
        let world = World::quiet(&[("a.md", &text), (MANIFEST, &cut_at(chunk_by))]);
        let chunks = chunks(&mut world.client(), "a.md");
        assert_eq!(
            (&chunks[0]["chunk_id"], &chunks[0]["content"], &chunks[0]["heading_path"]),
            (&json!("a.md#_preamble"), &json!("intro\n\n"), &json!("(root)")),
            "{chunk_by}"
        );
        assert_eq!(chunks[1]["chunk_id"], "a.md#guide");
    }
}

#[test]
fn deeper_headings_before_the_first_that_is_cut_at_belong_to_the_preamble() {
    let text = "### Note\n\nnote\n\n## A\n\na\n";
    let world = World::quiet(&[("a.md", text), (MANIFEST, &cut_at("h2"))]);
    let mut client = world.client();
    assert_eq!(page_ids(&mut client, "a.md"), ["a.md#_preamble", "a.md#a"]);
    let section = client.call("get_section", json!({"file_path": "a.md", "heading_path": "Note"}));
    assert_eq!(section["content"], "### Note\n\nnote\n\n");
}

#[test]
fn the_chunks_of_a_page_together_are_the_page() {
    let text = format!("---\ntitle: T\n---\nintro\n\n{}", blocks_at_every_level());
    for chunk_by in ALL {
        let world = World::quiet(&[("a.md", &text), (MANIFEST, &cut_at(chunk_by))]);
        let together = contents(&mut world.client(), "a.md").concat();
        assert!(text.ends_with(&together), "{chunk_by}: {together:?}");
        assert!(together.starts_with("---\n") || together.starts_with("intro\n"), "{chunk_by}: {together:?}");
    }
}

#[test]
fn line_numbers_are_those_of_the_file() {
    let text = format!("---\ntitle: T\n---\n\n{LEVELS}");
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for chunk_by in ["h1", "h2", "h3", "heading"] {
        let world = World::quiet(&[("a.md", &text), (MANIFEST, &cut_at(chunk_by))]);
        for chunk in chunks(&mut world.client(), "a.md") {
            let line = |field: &str| usize::try_from(chunk[field].as_u64().unwrap()).unwrap();
            let shown = lines[line("start_line") - 1..line("end_line")].concat();
            assert_eq!(chunk["content"], shown, "{chunk_by}");
        }
    }
}

#[test]
fn setext_headings_are_cut_at() {
    let text = "Guide\n=====\n\ntop\n\nAuth\n----\n\nauth\n\n### Token\n\ntoken\n";
    for (chunk_by, count) in [("h1", 1), ("h2", 2), ("h3", 3)] {
        let world = World::quiet(&[("a.md", text), (MANIFEST, &cut_at(chunk_by))]);
        assert_eq!(page_ids(&mut world.client(), "a.md"), level_ids("a.md", "h3")[..count]);
    }
}

#[test]
fn carriage_returns_stay_and_change_nothing() {
    let text = blocks_at_every_level().replace('\n', "\r\n");
    let section =
        |level: usize| format!("{} Level {level}\n\n{BLOCKS}\n", "#".repeat(level)).replace('\n', "\r\n");
    let below: String = (2..=6).map(section).collect();
    check_cut("h2", &text, &[section(1), below]);
}

#[test]
fn a_fence_that_is_never_closed_reaches_to_the_end() {
    let text = "# A\n\na\n\n```\n# B\n\n## C\n";
    for chunk_by in ["h1", "h2", "heading"] {
        check_cut(chunk_by, text, &[text.to_owned()]);
    }
}

#[test]
fn sections_inside_a_chunk_can_be_read_by_their_headings() {
    let deepest = "#### Scope\n\nscope\n";
    for chunk_by in ALL {
        let world = World::quiet(&[("a.md", LEVELS), (MANIFEST, &cut_at(chunk_by))]);
        let mut client = world.client();
        let path = "Guide > Auth > Token > Scope";
        let section = client.call("get_section", json!({"file_path": "a.md", "heading_path": path}));
        assert_eq!(section["content"], deepest, "{chunk_by}");
        let doc = client.call("get_doc", json!({"chunk_id": "a.md#guide/auth/token/scope"}));
        assert_eq!(doc["content"], deepest, "{chunk_by}");
    }
}

#[test]
fn a_search_returns_the_chunk_that_the_strategy_makes() {
    for (chunk_by, id) in
        [("file", "a.md"), ("h1", "a.md#guide"), ("h2", "a.md#guide/auth"), ("h3", "a.md#guide/auth/token")]
    {
        let world = World::quiet(&[("a.md", LEVELS), (MANIFEST, &cut_at(chunk_by))]);
        for mode in ["hybrid", "semantic", "lexical"] {
            let arguments = json!({"query": "scope", "mode": mode});
            let answer = world.client().call("search_docs", arguments);
            assert_eq!(answer["results"][0]["chunk_id"], id, "{chunk_by} {mode}");
        }
    }
}

#[test]
fn the_breadcrumb_of_a_whole_file_is_the_root() {
    let world = World::quiet(&[("a.md", LEVELS), (MANIFEST, &cut_at("file"))]);
    assert_eq!(breadcrumbs(&mut world.client(), "a.md"), ["(root)"]);
}
