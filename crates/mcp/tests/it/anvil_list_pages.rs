//! `list_pages` as Anvil specifies it.

use serde_json::{Value, json};

use crate::world::{Setup, World};

fn world() -> World {
    World::new(&[
        ("readme.md", "# Read Me\n\nHello.\n\n## Use\n\nx\n\n### Deep\n\nx\n"),
        ("epics/one.md", "# One\n\ntext\n"),
        ("epics/sub/two.md", "text without a heading\n"),
        ("epics-old/three.md", "# Three\n\n# Again\n"),
        ("Zeta.md", "# Zeta\n"),
    ])
}

fn paths(list: &Value) -> Vec<&str> {
    list["pages"].as_array().unwrap().iter().map(|page| page["file_path"].as_str().unwrap()).collect()
}

fn check(world: &World, prefix: &str, expected: &[&str]) {
    let list = world.client().call("list_pages", json!({"prefix": prefix}));
    assert_eq!(paths(&list), expected, "{prefix}");
    assert_eq!(list["total_pages"], expected.len(), "{prefix}");
}

#[test]
fn list_pages_returns_all_indexed_files_sorted_by_path() {
    let world = world();
    let list = world.client().call("list_pages", json!({}));
    let expected = ["Zeta.md", "epics-old/three.md", "epics/one.md", "epics/sub/two.md", "readme.md"];
    assert_eq!(paths(&list), expected);
    assert_eq!(list["total_pages"], 5);
}

#[test]
fn pages_of_several_collections_are_sorted_by_path_together() {
    let world = Setup::new(&[("b.md", "# B\n"), ("d.md", "# D\n")])
        .folder("alpha", &[("c.md", "# C\n"), ("a.md", "# A\n")])
        .start();
    let list = world.client().call("list_pages", json!({}));
    assert_eq!(paths(&list), ["a.md", "b.md", "c.md", "d.md"]);
    let collections: Vec<&Value> =
        list["pages"].as_array().unwrap().iter().map(|page| &page["collection"]).collect();
    assert_eq!(collections, ["alpha", "docs", "alpha", "docs"]);
}

#[test]
fn headings_are_those_of_level_one_and_two() {
    let world = world();
    let list = world.client().call("list_pages", json!({}));
    let headings: Vec<&Value> =
        list["pages"].as_array().unwrap().iter().map(|page| &page["headings"]).collect();
    assert_eq!(
        headings,
        [
            &json!(["Zeta"]),
            &json!(["Three", "Again"]),
            &json!(["One"]),
            &json!([]),
            &json!(["Read Me", "Use"])
        ]
    );
}

#[test]
fn titles_are_the_first_h1_or_the_file_name() {
    let world = world();
    let list = world.client().call("list_pages", json!({}));
    let titles: Vec<&Value> = list["pages"].as_array().unwrap().iter().map(|page| &page["title"]).collect();
    assert_eq!(titles, ["Zeta", "Three", "One", "two.md", "Read Me"]);
}

#[test]
fn counts_and_times_agree_with_get_page() {
    let world = world();
    let mut client = world.client();
    let list = client.call("list_pages", json!({}));
    for entry in list["pages"].as_array().unwrap() {
        let page = client.call("get_page", json!({"file_path": entry["file_path"]}));
        assert_eq!(entry["chunk_count"], page["chunks"].as_array().unwrap().len(), "{entry}");
        assert_eq!(entry["total_chars"], page["total_chars"]);
        assert_eq!(entry["last_modified"], page["last_modified"]);
        assert_eq!(entry["title"], page["title"]);
        assert_eq!(entry["content_hash"], page["content_hash"]);
    }
    assert_eq!(list["pages"][4]["chunk_count"], 3);
    assert_eq!(list["pages"][4]["total_chars"], world.text("readme.md").chars().count());
}

#[test]
fn list_pages_with_prefix_returns_only_matching_paths() {
    let world = world();
    check(&world, "epics/", &["epics/one.md", "epics/sub/two.md"]);
    check(&world, "epics/sub", &["epics/sub/two.md"]);
    check(&world, "readme.md", &["readme.md"]);
}

#[test]
fn a_prefix_with_and_without_its_trailing_slash_is_the_same() {
    let world = world();
    check(&world, "epics", &["epics/one.md", "epics/sub/two.md"]);
    check(&world, "epics/", &["epics/one.md", "epics/sub/two.md"]);
    check(&world, "epics//", &["epics/one.md", "epics/sub/two.md"]);
}

#[test]
fn a_leading_slash_or_dot_slash_of_a_prefix_does_not_matter() {
    let world = world();
    check(&world, "./epics", &["epics/one.md", "epics/sub/two.md"]);
    check(&world, "/epics/", &["epics/one.md", "epics/sub/two.md"]);
}

#[test]
fn a_prefix_that_matches_nothing_returns_an_empty_array() {
    let world = world();
    check(&world, "nothing", &[]);
    check(&world, "epics/none/", &[]);
}

#[test]
fn an_empty_prefix_is_no_prefix() {
    let world = world();
    check(&world, "", &["Zeta.md", "epics-old/three.md", "epics/one.md", "epics/sub/two.md", "readme.md"]);
}

#[test]
fn an_empty_corpus_is_an_empty_array() {
    let world = World::new(&[]);
    let list = world.client().call("list_pages", json!({}));
    assert_eq!(list, json!({"pages": [], "total_pages": 0}));
}

#[test]
fn a_prefix_of_the_wrong_type_is_refused() {
    let world = world();
    let told = world.client().refused("list_pages", json!({"prefix": ["epics"]}));
    assert!(told.contains("prefix must be a string"), "{told}");
}

#[test]
fn one_collection_can_be_listed_alone() {
    let world = Setup::new(&[("b.md", "# B\n")]).folder("alpha", &[("a.md", "# A\n")]).start();
    let list = world.client().call("list_pages", json!({"collection": "alpha"}));
    assert_eq!(paths(&list), ["a.md"]);
    let told = world.client().refused("list_pages", json!({"collection": "beta"}));
    assert!(told.contains("alpha, docs"), "{told}");
}
