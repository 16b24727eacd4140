//! `.docs-mcp.json`: the nearest one governs alone, overrides count in order, and an edit is seen by the next call.

use serde_json::{Value, json};

use crate::anvil_search_docs::paths;
use crate::authored::{LEVELS, MANIFEST, cut_at, facet, level_ids, manifest, page_ids};
use crate::world::{World, wait_until};

fn check_cut(files: &[(&str, &str)], expected: &[(&str, &str)]) {
    let world = World::quiet(files);
    let mut client = world.client();
    for (path, level) in expected {
        assert_eq!(page_ids(&mut client, path), level_ids(path, level), "{files:?}");
    }
}

#[test]
fn the_nearest_manifest_wins() {
    check_cut(
        &[
            ("x.md", LEVELS),
            ("a/x.md", LEVELS),
            ("a/b/x.md", LEVELS),
            ("a/b/c/d/x.md", LEVELS),
            ("e/x.md", LEVELS),
            (MANIFEST, &cut_at("file")),
            ("a/.docs-mcp.json", &cut_at("h1")),
            ("a/b/.docs-mcp.json", &cut_at("h3")),
        ],
        &[("x.md", "file"), ("a/x.md", "h1"), ("a/b/x.md", "h3"), ("a/b/c/d/x.md", "h3"), ("e/x.md", "file")],
    );
}

#[test]
fn a_manifest_does_not_govern_a_folder_whose_name_only_starts_like_its_own() {
    check_cut(
        &[("a/x.md", LEVELS), ("ab/x.md", LEVELS), ("a.md", LEVELS), ("a/.docs-mcp.json", &cut_at("h1"))],
        &[("a/x.md", "h1"), ("ab/x.md", "heading"), ("a.md", "heading")],
    );
}

#[test]
fn the_strategy_of_a_manifest_further_up_does_not_count() {
    let silent = manifest(json!({}));
    check_cut(
        &[("a/x.md", LEVELS), (MANIFEST, &cut_at("file")), ("a/.docs-mcp.json", &silent)],
        &[("a/x.md", "h2")],
    );
}

#[test]
fn the_overrides_of_a_manifest_further_up_do_not_count() {
    let outer = manifest(json!({"overrides": [{"pattern": "a/**", "strategy": {"chunk_by": "file"}}]}));
    check_cut(&[("a/x.md", LEVELS), (MANIFEST, &outer)], &[("a/x.md", "file")]);
    check_cut(
        &[("a/x.md", LEVELS), (MANIFEST, &outer), ("a/.docs-mcp.json", &cut_at("h3"))],
        &[("a/x.md", "h3")],
    );
}

#[test]
fn the_metadata_of_a_manifest_further_up_does_not_count() {
    let world = World::quiet(&[
        ("a/x.md", LEVELS),
        ("y.md", LEVELS),
        (MANIFEST, &manifest(json!({"metadata": {"tier": "gold", "team": "core"}}))),
        ("a/.docs-mcp.json", &manifest(json!({"metadata": {"tier": "tin"}}))),
    ]);
    let mut client = world.client();
    assert_eq!(facet(&mut client, "y.md", "team"), "core");
    assert_eq!(facet(&mut client, "a/x.md", "tier"), "tin");
    assert_eq!(facet(&mut client, "a/x.md", "team"), Value::Null);
}

fn overrides(list: Value) -> String {
    manifest(json!({"strategy": {"chunk_by": "h2"}, "metadata": {"tier": "none"}, "overrides": list}))
}

#[test]
fn of_overrides_that_match_the_last_one_counts() {
    let one = json!({"pattern": "**/*.md", "strategy": {"chunk_by": "file"}, "metadata": {"tier": "gold"}});
    let other = json!({"pattern": "a.md", "strategy": {"chunk_by": "h3"}, "metadata": {"tier": "tin"}});
    for (list, level, tier) in [(json!([one, other]), "h3", "tin"), (json!([other, one]), "file", "gold")] {
        let world = World::quiet(&[("a.md", LEVELS), (MANIFEST, &overrides(list))]);
        let mut client = world.client();
        assert_eq!(page_ids(&mut client, "a.md"), level_ids("a.md", level));
        assert_eq!(facet(&mut client, "a.md", "tier"), tier);
    }
}

#[test]
fn an_override_that_says_nothing_of_the_strategy_leaves_it() {
    let list = json!([
        {"pattern": "a.md", "strategy": {"chunk_by": "h3"}},
        {"pattern": "*.md", "metadata": {"tier": "gold"}},
    ]);
    let world = World::quiet(&[("a.md", LEVELS), ("b.md", LEVELS), (MANIFEST, &overrides(list))]);
    let mut client = world.client();
    assert_eq!(page_ids(&mut client, "a.md"), level_ids("a.md", "h3"));
    assert_eq!(page_ids(&mut client, "b.md"), level_ids("b.md", "h2"));
    assert_eq!(facet(&mut client, "a.md", "tier"), "gold");
}

#[test]
fn an_override_that_does_not_match_does_not_count() {
    let list = json!([{"pattern": "b*.md", "strategy": {"chunk_by": "file"}, "metadata": {"tier": "gold"}}]);
    let world = World::quiet(&[("a.md", LEVELS), ("bb.md", LEVELS), (MANIFEST, &overrides(list))]);
    let mut client = world.client();
    assert_eq!(page_ids(&mut client, "a.md"), level_ids("a.md", "h2"));
    assert_eq!(facet(&mut client, "a.md", "tier"), "none");
    assert_eq!(page_ids(&mut client, "bb.md"), ["bb.md"]);
}

#[test]
fn patterns_are_relative_to_the_manifest() {
    let list = json!([{"pattern": "api/*.md", "strategy": {"chunk_by": "file"}}]);
    check_cut(
        &[
            ("a/api/x.md", LEVELS),
            ("a/api/deep/x.md", LEVELS),
            ("a/b/api/x.md", LEVELS),
            ("api/x.md", LEVELS),
            ("a/.docs-mcp.json", &overrides(list)),
        ],
        &[("a/api/x.md", "file"), ("a/api/deep/x.md", "h2"), ("a/b/api/x.md", "h2"), ("api/x.md", "heading")],
    );
}

#[test]
fn two_stars_cross_folders() {
    let list = json!([{"pattern": "api/**/*.md", "strategy": {"chunk_by": "file"}}]);
    check_cut(
        &[
            ("api/x.md", LEVELS),
            ("api/b/c/x.md", LEVELS),
            ("y/api/x.md", LEVELS),
            (MANIFEST, &overrides(list)),
        ],
        &[("api/x.md", "file"), ("api/b/c/x.md", "file"), ("y/api/x.md", "h2")],
    );
}

#[test]
fn a_manifest_is_not_a_page() {
    let world = World::quiet(&[("a.md", LEVELS), (MANIFEST, &cut_at("h2"))]);
    let mut client = world.client();
    assert_eq!(client.call("list_pages", json!({}))["total_pages"], 1);
    client.refused("get_page", json!({"file_path": MANIFEST}));
}

#[test]
fn a_manifest_of_one_collection_does_not_govern_another() {
    let setup = crate::world::Setup::new(&[("a.md", LEVELS), (MANIFEST, &cut_at("file"))]);
    let world = setup.folder("other", &[("b.md", LEVELS)]).start();
    let mut client = world.client();
    assert_eq!(page_ids(&mut client, "a.md"), ["a.md"]);
    assert_eq!(page_ids(&mut client, "b.md"), level_ids("b.md", "heading"));
}

// While somebody is connected.

/// Once with the watcher and once without.
fn worlds(files: &[(&str, &str)]) -> [World; 2] {
    [World::quiet(files), World::new(files)]
}

#[test]
fn a_manifest_that_is_added_is_seen_by_the_next_call() {
    for world in worlds(&[("a.md", LEVELS), ("sub/b.md", LEVELS)]) {
        let mut client = world.client();
        page_ids(&mut client, "a.md");
        world.write(MANIFEST, &cut_at("h1"));
        assert_eq!(page_ids(&mut client, "a.md"), level_ids("a.md", "h1"));
        assert_eq!(page_ids(&mut client, "sub/b.md"), level_ids("sub/b.md", "h1"));
        world.write("sub/.docs-mcp.json", &cut_at("file"));
        assert_eq!(page_ids(&mut client, "sub/b.md"), ["sub/b.md"]);
        assert_eq!(page_ids(&mut client, "a.md"), level_ids("a.md", "h1"));
    }
}

#[test]
fn a_manifest_that_is_edited_is_seen_by_the_next_call() {
    for world in worlds(&[("a.md", LEVELS), (MANIFEST, &cut_at("h1"))]) {
        let mut client = world.client();
        for level in ["h3", "h2", "file", "heading", "h1"] {
            world.write(MANIFEST, &cut_at(level));
            assert_eq!(page_ids(&mut client, "a.md"), level_ids("a.md", level));
        }
    }
}

#[test]
fn a_manifest_that_is_removed_is_seen_by_the_next_call() {
    for world in worlds(&[
        ("a.md", LEVELS),
        ("sub/b.md", LEVELS),
        (MANIFEST, &cut_at("h1")),
        ("sub/.docs-mcp.json", &cut_at("file")),
    ]) {
        let mut client = world.client();
        assert_eq!(page_ids(&mut client, "sub/b.md"), ["sub/b.md"]);
        world.remove("sub/.docs-mcp.json");
        assert_eq!(page_ids(&mut client, "sub/b.md"), level_ids("sub/b.md", "h1"));
        world.remove(MANIFEST);
        assert_eq!(page_ids(&mut client, "sub/b.md"), level_ids("sub/b.md", "heading"));
    }
}

#[test]
fn a_search_right_after_an_edit_finds_the_new_chunks() {
    for world in worlds(&[("a.md", LEVELS), (MANIFEST, &cut_at("h1"))]) {
        let mut client = world.client();
        for (level, id) in [("h2", "a.md#guide/auth"), ("h3", "a.md#guide/auth/token"), ("h1", "a.md#guide")]
        {
            world.write(MANIFEST, &cut_at(level));
            let answer = client.call("search_docs", json!({"query": "token", "mode": "lexical"}));
            assert_eq!(answer["results"][0]["chunk_id"], id, "{level}");
        }
    }
}

#[test]
fn a_label_right_after_an_edit_can_be_asked_for() {
    for world in worlds(&[("a.md", LEVELS), ("b.md", LEVELS)]) {
        let mut client = world.client();
        client.call("search_docs", json!({"query": "token"}));
        let labels = json!({"overrides": [{"pattern": "b.md", "metadata": {"tier": "gold"}}]});
        world.write(MANIFEST, &manifest(labels));
        let answer = client.call("search_docs", json!({"query": "token", "tier": "gold"}));
        assert_eq!(paths(&answer), ["b.md", "b.md"]);
    }
}

#[test]
fn a_folder_that_moves_takes_its_manifest_along() {
    for world in worlds(&[("a/x.md", LEVELS), ("a/.docs-mcp.json", &cut_at("h1"))]) {
        let mut client = world.client();
        page_ids(&mut client, "a/x.md");
        std::fs::rename(world.docs.join("a"), world.docs.join("b")).unwrap();
        assert_eq!(page_ids(&mut client, "b/x.md"), level_ids("b/x.md", "h1"));
    }
}

#[test]
fn an_edit_that_concerns_many_pages_is_seen_or_the_answer_says_that_it_is_behind() {
    let pages: Vec<String> = (0..150).map(|number| format!("{number:03}.md")).collect();
    let files: Vec<(&str, &str)> = pages.iter().map(|path| (path.as_str(), LEVELS)).collect();
    let world = World::new(&files);
    let mut client = world.client();
    world.write(MANIFEST, &cut_at("h1"));
    let answer = client.call("search_docs", json!({"query": "token", "limit": 50}));
    let is_new =
        answer["results"].as_array().unwrap().iter().all(|hit| hit["metadata"]["heading_path"] == "Guide");
    assert!(is_new || answer["searched"]["degraded"] != json!([]), "{answer}");
    wait_until("all pages to be cut anew", || {
        pages.iter().all(|path| page_ids(&mut client, path) == level_ids(path, "h1"))
    });
}

#[test]
fn a_cursor_is_outdated_after_an_edit_of_the_manifest() {
    let world = World::quiet(&[("a.md", LEVELS), ("b.md", LEVELS)]);
    let mut client = world.client();
    let arguments = json!({"query": "token", "limit": 2});
    let cursor = client.call("search_docs", arguments)["next_cursor"].clone();
    world.write(MANIFEST, &cut_at("h1"));
    let told = client.refused("search_docs", json!({"query": "token", "limit": 2, "cursor": cursor}));
    assert!(told.contains("outdated"), "{told}");
}

#[test]
fn the_neighbours_of_a_chunk_are_those_that_the_strategy_makes() {
    let text = format!("{LEVELS}\n## Errors\n\nerrors\n");
    let world = World::quiet(&[("a.md", &text), (MANIFEST, &cut_at("h2"))]);
    let doc = world.client().call("get_doc", json!({"chunk_id": "a.md#guide/auth", "context": 1}));
    let ids = |side: &str| {
        doc[side].as_array().unwrap().iter().map(|chunk| chunk["chunk_id"].clone()).collect::<Vec<_>>()
    };
    assert_eq!((ids("before"), ids("after")), (vec![json!("a.md#guide")], vec![json!("a.md#guide/errors")]));
}
