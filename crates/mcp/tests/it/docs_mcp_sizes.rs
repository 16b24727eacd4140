//! The sizes of a strategy: oversize chunks are cut at deeper headings, then into parts; short ones join another only on request.

use serde_json::{Value, json};

use crate::authored::{MANIFEST, breadcrumbs, chunks, contents, manifest, page_ids};
use crate::client::Client;
use crate::world::World;

fn world(strategy: Value, text: &str) -> World {
    World::quiet(&[("a.md", text), (MANIFEST, &manifest(json!({"strategy": strategy})))])
}

fn check(strategy: Value, text: &str, expected: &[&str]) {
    let ids = page_ids(&mut world(strategy.clone(), text).client(), "a.md");
    let ids: Vec<&str> = ids.iter().map(|id| id.strip_prefix("a.md#").unwrap_or(id)).collect();
    assert_eq!(ids, expected, "{strategy} {text}");
}

/// A hundred characters.
fn words() -> String {
    format!("{}end\n\n", "word ".repeat(19))
}

/// Sections of about that many hundred characters.
fn page(sections: &[(&str, usize)]) -> String {
    sections.iter().map(|(heading, hundreds)| format!("{heading}\n\n{}", words().repeat(*hundreds))).collect()
}

#[test]
fn an_oversize_chunk_is_cut_at_the_next_deeper_headings() {
    let text = page(&[("## A", 2), ("### B", 2), ("### C", 2), ("## D", 1), ("### E", 1)]);
    check(json!({"chunk_by": "h2", "max_chunk_size": 400}), &text, &["a", "a/b", "a/c", "d"]);
}

#[test]
fn the_cut_goes_only_as_deep_as_it_must() {
    let text = page(&[("# A", 1), ("## B", 1), ("### C", 1), ("## D", 1), ("### E", 3), ("### F", 3)]);
    check(json!({"chunk_by": "h1", "max_chunk_size": 500}), &text, &["a", "a/b", "a/d", "a/d/e", "a/d/f"]);
}

#[test]
fn an_oversize_file_is_cut_at_its_headings() {
    let text = page(&[("# A", 2), ("# B", 2)]);
    check(json!({"chunk_by": "file", "max_chunk_size": 300}), &text, &["a", "b"]);
    check(json!({"chunk_by": "file", "max_chunk_size": 500}), &text, &["a.md"]);
}

#[test]
fn the_next_deeper_heading_may_be_several_levels_below() {
    let text = page(&[("## A", 2), ("##### B", 2)]);
    check(json!({"chunk_by": "h2", "max_chunk_size": 300}), &text, &["a", "a/b"]);
}

#[test]
fn a_section_too_long_by_itself_is_cut_into_parts() {
    let text = page(&[("# A", 1), ("## B", 6), ("## C", 1)]);
    let world = world(json!({"chunk_by": "h2", "max_chunk_size": 400}), &text);
    let mut client = world.client();
    assert_eq!(page_ids(&mut client, "a.md"), ["a.md#a", "a.md#a/b", "a.md#a/b/_part-2", "a.md#a/c"]);
    let expected = ["A", "A > B [part 1/2]", "A > B [part 2/2]", "A > C"];
    assert_eq!(breadcrumbs(&mut client, "a.md"), expected);
    assert_eq!(contents(&mut client, "a.md").concat(), text);
}

#[test]
fn headings_are_tried_before_parts() {
    let text = page(&[("## A", 1), ("### B", 6), ("### C", 1)]);
    check(json!({"chunk_by": "h2", "max_chunk_size": 400}), &text, &["a", "a/b", "a/b/_part-2", "a/c"]);
}

#[test]
fn no_chunk_is_longer_than_the_largest_size() {
    let text = page(&[("# A", 9), ("## B", 23), ("### C", 4), ("# D", 1)]);
    for chunk_by in ["file", "h1", "h2", "h3", "heading"] {
        let world = world(json!({"chunk_by": chunk_by, "max_chunk_size": 350}), &text);
        for chunk in chunks(&mut world.client(), "a.md") {
            assert!(chunk["char_count"].as_u64().unwrap() <= 350, "{chunk_by}: {chunk}");
        }
    }
}

#[test]
fn sizes_are_counted_in_characters() {
    let text = format!("## A\n\n{}\n\n### B\n\nx\n", "語".repeat(300));
    check(json!({"chunk_by": "h2", "max_chunk_size": 400}), &text, &["a"]);
}

#[test]
fn a_code_block_that_fits_is_never_torn() {
    let code = format!("```py\n{}```\n\n", "call()\n\n".repeat(30));
    let text = format!("## A\n\n{}{code}{}{code}{}", words(), words(), words());
    let world = world(json!({"chunk_by": "h2", "max_chunk_size": 300}), &text);
    let parts = contents(&mut world.client(), "a.md");
    assert!(parts.len() > 2, "{parts:?}");
    assert_eq!(parts.iter().filter(|part| part.contains(&code)).count(), 2, "{parts:?}");
}

#[test]
fn a_split_section_is_read_whole_by_its_heading() {
    let text = page(&[("# A", 1), ("## B", 6)]);
    let world = world(json!({"chunk_by": "h2", "max_chunk_size": 400}), &text);
    let mut client = world.client();
    for path in ["A > B", "A > B [part 1/2]", "A > B [part 2/2]"] {
        let section = client.call("get_section", json!({"file_path": "a.md", "heading_path": path}));
        assert_eq!(section["content"], format!("## B\n\n{}", words().repeat(6)), "{path}");
    }
}

#[test]
fn the_sizes_of_an_override_are_its_own() {
    let text = page(&[("## A", 3), ("### B", 3)]);
    let manifest = manifest(json!({
        "strategy": {"chunk_by": "h2"},
        "overrides": [{"pattern": "b.md", "strategy": {"chunk_by": "h2", "max_chunk_size": 400}}],
    }));
    let world = World::quiet(&[("a.md", &text), ("b.md", &text), (MANIFEST, &manifest)]);
    let mut client = world.client();
    assert_eq!(page_ids(&mut client, "a.md"), ["a.md#a"]);
    assert_eq!(page_ids(&mut client, "b.md"), ["b.md#a", "b.md#a/b"]);
}

// Short chunks.

const SHORT: &str = "# Guide\n\nAn introduction of some length to the guide.\n\n## Tiny\n\nzebra\n\n\
                     ## Long\n\nA section that is long enough to stand alone.\n\n## Small\n\nlion\n";

#[test]
fn short_chunks_stay_alone_unless_the_authors_say_otherwise() {
    check(json!({"chunk_by": "h2"}), SHORT, &["guide", "guide/tiny", "guide/long", "guide/small"]);
}

#[test]
fn a_short_chunk_joins_its_parent_or_the_sibling_before_it() {
    check(json!({"chunk_by": "h2", "min_chunk_size": 40}), SHORT, &["guide", "guide/long"]);
    let world = world(json!({"chunk_by": "h2", "min_chunk_size": 40}), SHORT);
    let contents = contents(&mut world.client(), "a.md");
    assert!(contents[0].ends_with("## Tiny\n\nzebra\n\n"), "{contents:?}");
    assert!(contents[1].ends_with("## Small\n\nlion\n"), "{contents:?}");
}

#[test]
fn a_short_chunk_never_joins_a_stranger() {
    let text = "# A\n\nA section that is long enough to stand alone.\n\n## B\n\nAnother section that is long enough.\n\n# C\n\nc\n";
    check(json!({"chunk_by": "h2", "min_chunk_size": 30}), text, &["a", "a/b", "c"]);
}

#[test]
fn a_chunk_that_is_short_enough_is_not_short() {
    let section = "## Tiny\n\nzebra\n\n";
    let count = section.chars().count();
    let text = format!("# Guide\n\n{section}## Long\n\nx\n");
    let ids = |size: usize| {
        page_ids(&mut world(json!({"chunk_by": "h2", "min_chunk_size": size}), &text).client(), "a.md")
    };
    assert!(ids(count - 3).contains(&"a.md#guide/tiny".to_owned()));
    assert!(!ids(count + 1).contains(&"a.md#guide/tiny".to_owned()));
}

#[test]
fn joining_never_makes_a_chunk_too_long() {
    let text = page(&[("# A", 3), ("## B", 1), ("## C", 3), ("## D", 1)]);
    let strategy = json!({"chunk_by": "h2", "min_chunk_size": 200, "max_chunk_size": 350});
    for chunk in chunks(&mut world(strategy, &text).client(), "a.md") {
        assert!(chunk["char_count"].as_u64().unwrap() <= 350, "{chunk}");
    }
}

fn joined() -> (World, Client) {
    let world = world(json!({"chunk_by": "h2", "min_chunk_size": 40}), SHORT);
    let client = world.client();
    (world, client)
}

#[test]
fn a_joined_section_keeps_its_breadcrumb() {
    let (_world, mut client) = joined();
    for (path, content) in [("Guide > Tiny", "## Tiny\n\nzebra\n\n"), ("Guide > Small", "## Small\n\nlion\n")]
    {
        let section = client.call("get_section", json!({"file_path": "a.md", "heading_path": path}));
        assert_eq!(section["content"], content);
        assert_eq!(section["metadata"]["heading_path"], path);
    }
}

#[test]
fn a_joined_section_keeps_its_id() {
    let (_world, mut client) = joined();
    for id in ["a.md#guide/tiny", "a.md#tiny"] {
        let doc = client.call("get_doc", json!({"chunk_id": id}));
        assert_eq!(
            (&doc["chunk_id"], &doc["content"]),
            (&json!("a.md#guide/tiny"), &json!("## Tiny\n\nzebra\n\n"))
        );
    }
}

#[test]
fn a_joined_section_is_found_in_the_chunk_that_it_joined() {
    let (_world, mut client) = joined();
    for (query, id) in [("zebra", "a.md#guide"), ("lion", "a.md#guide/long")] {
        let answer = client.call("search_docs", json!({"query": query, "mode": "lexical"}));
        assert_eq!(answer["results"][0]["chunk_id"], id);
    }
}

#[test]
fn joined_chunks_are_still_the_whole_page() {
    let (_world, mut client) = joined();
    assert_eq!(contents(&mut client, "a.md").concat(), SHORT);
}
