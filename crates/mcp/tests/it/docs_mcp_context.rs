//! docs-mcp §3, "Hierarchical Context Injection": ancestors go into what is embedded, and nowhere else.

use serde_json::json;

use crate::anvil_search_docs::ids;
use crate::authored::{MANIFEST, contents, cut_at, page_ids};
use crate::world::World;

const KESTREL: &str = "# Kestrel\n\nbird\n\n## Nesting\n\nbox\n\n### Height\n\nthree metres above ground\n";

fn hits(world: &World, mode: &str, query: &str) -> Vec<String> {
    let answer = world.client().call("search_docs", json!({"query": query, "mode": mode, "limit": 50}));
    ids(&answer).into_iter().map(str::to_owned).collect()
}

#[test]
fn stored_text_is_not_prefixed() {
    for chunk_by in ["file", "h1", "h2", "h3"] {
        let world = World::quiet(&[("a.md", KESTREL), (MANIFEST, &cut_at(chunk_by))]);
        let mut client = world.client();
        assert_eq!(contents(&mut client, "a.md").concat(), KESTREL, "{chunk_by}");
        for id in page_ids(&mut client, "a.md") {
            let doc = client.call("get_doc", json!({"chunk_id": id}));
            assert!(KESTREL.contains(doc["content"].as_str().unwrap()), "{doc}");
        }
        let answer = client.call("search_docs", json!({"query": "metres above ground"}));
        for hit in answer["results"].as_array().unwrap() {
            let content = hit["content"].as_str().unwrap();
            assert!(KESTREL.contains(content), "{content}");
            assert_eq!(hit["metadata"]["char_count"], content.chars().count());
        }
    }
}

#[test]
fn lexical_text_is_not_prefixed_with_ancestor_headings() {
    let world = World::quiet(&[("a.md", KESTREL), ("b.md", "# Other\n\ntext\n")]);
    assert_eq!(hits(&world, "lexical", "kestrel"), ["a.md#kestrel"]);
    assert_eq!(hits(&world, "lexical", "nesting"), ["a.md#kestrel/nesting"]);
    assert_eq!(hits(&world, "lexical", "height"), ["a.md#kestrel/nesting/height"]);
}

#[test]
fn lexical_text_is_not_prefixed_with_words_of_the_prefix_itself() {
    let world = World::quiet(&[("a.md", KESTREL)]);
    for word in ["Document", "Content", "part"] {
        assert_eq!(hits(&world, "lexical", word), Vec::<String>::new(), "{word}");
    }
}

/// Two pages whose deepest sections have the same words; only their ancestors differ.
fn twins(first: &str, second: &str) -> World {
    let page = |front: &str| format!("{front}\n## Setup\n\nturn the key and wait for the lamp\n");
    World::quiet(&[("one.md", &page(first)), ("two.md", &page(second))])
}

fn check_embedded(world: &World, query: &str, nearer: &str, further: &str) {
    let answer = world.client().call("search_docs", json!({"query": query, "mode": "semantic", "limit": 50}));
    let similarity = |id: &str| {
        let hits = answer["results"].as_array().unwrap();
        let hit = hits.iter().find(|hit| hit["chunk_id"] == id).unwrap_or_else(|| panic!("{id}: {answer}"));
        hit["similarity"].as_f64().unwrap()
    };
    assert!(similarity(nearer) > similarity(further) + 0.01, "{answer}");
}

#[test]
fn what_is_embedded_carries_the_ancestor_headings() {
    let world = twins("# Kestrel\n", "# Heron\n");
    let (one, two) = ("one.md#kestrel/setup", "two.md#heron/setup");
    check_embedded(&world, "kestrel setup key lamp", one, two);
    check_embedded(&world, "heron setup key lamp", two, one);
}

#[test]
fn what_is_embedded_carries_the_title_of_the_page() {
    let world = twins("---\ntitle: Kestrel\n---\n", "---\ntitle: Heron\n---\n");
    check_embedded(&world, "kestrel setup key lamp", "one.md#setup", "two.md#setup");
    check_embedded(&world, "heron setup key lamp", "two.md#setup", "one.md#setup");
}

#[test]
fn what_is_embedded_carries_the_heading_of_a_section_inside_a_larger_chunk() {
    let page =
        |name: &str| format!("# Manual\n\n## {name}\n\n### Setup\n\nturn the key and wait for the lamp\n");
    let world =
        World::quiet(&[("one.md", &page("Kestrel")), ("two.md", &page("Heron")), (MANIFEST, &cut_at("h1"))]);
    check_embedded(&world, "kestrel setup key lamp", "one.md#manual", "two.md#manual");
}

#[test]
fn what_is_embedded_carries_the_ancestors_for_every_part_of_a_split_section() {
    let words = "turn the key and wait for the lamp\n\n".repeat(20);
    let manifest = r#"{"version": "1", "strategy": {"chunk_by": "h2", "max_chunk_size": 400}}"#;
    let page = |name: &str| format!("# {name}\n\n## Setup\n\n{words}");
    let world =
        World::quiet(&[("one.md", &page("Kestrel")), ("two.md", &page("Heron")), (MANIFEST, manifest)]);
    let (one, two) = ("one.md#kestrel/setup/_part-2", "two.md#heron/setup/_part-2");
    check_embedded(&world, "kestrel setup key lamp", one, two);
}

#[test]
fn a_heading_ranks_its_own_section_first() {
    let world = World::quiet(&[
        ("a.md", "# Birds\n\nA kestrel is mentioned here in passing among many other birds.\n"),
        ("b.md", "# Kestrel\n\nA small falcon.\n"),
    ]);
    for mode in ["hybrid", "lexical"] {
        assert_eq!(hits(&world, mode, "kestrel")[0], "b.md#kestrel", "{mode}");
    }
}
