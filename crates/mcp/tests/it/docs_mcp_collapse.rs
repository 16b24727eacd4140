//! `vector_collapse`: the same passage of pages that differ only in a facet's value is one hit.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::authored::{MANIFEST, all_hits, manifest};
use crate::world::World;

const MODES: [&str; 3] = ["hybrid", "semantic", "lexical"];

/// A manifest that labels paths by pattern with one collapsing key.
fn collapsing(key: &str, labels: &[(&str, &str)]) -> String {
    let overrides: Vec<Value> =
        labels.iter().map(|(pattern, value)| json!({"pattern": pattern, "metadata": {key: value}})).collect();
    manifest(json!({"taxonomy": {key: {"vector_collapse": true}}, "overrides": overrides}))
}

fn world(manifest: &str, pages: &[(&str, &str)]) -> World {
    let mut files = pages.to_vec();
    files.push((MANIFEST, manifest));
    World::quiet(&files)
}

/// A hit with those that were folded into it.
type Hit = (String, BTreeSet<String>);

fn hits(world: &World, arguments: Value) -> Vec<Hit> {
    let hits = all_hits(&mut world.client(), arguments);
    let id = |value: &Value| value.as_str().unwrap().to_owned();
    let folded = |hit: &Value| hit["variants"].as_array().into_iter().flatten().map(id).collect();
    hits.iter().map(|hit| (id(&hit["chunk_id"]), folded(hit))).collect()
}

/// Every hit as the set of chunks that it stands for, in every mode.
fn check(world: &World, arguments: Value, expected: &[&[&str]]) {
    let expected: BTreeSet<BTreeSet<String>> =
        expected.iter().map(|group| group.iter().map(|id| (*id).to_owned()).collect()).collect();
    for mode in MODES {
        let mut arguments = arguments.clone();
        arguments["mode"] = json!(mode);
        arguments["limit"] = json!(50);
        let hits = hits(world, arguments.clone());
        let groups: Vec<BTreeSet<String>> =
            hits.into_iter().map(|(id, folded)| folded.into_iter().chain([id]).collect()).collect();
        let distinct: BTreeSet<BTreeSet<String>> = groups.iter().cloned().collect();
        assert_eq!(distinct, expected, "{arguments}");
        assert_eq!(groups.len(), expected.len(), "{arguments}");
    }
}

const RETRIES: &str = "## Retries\n\nretry with backoff\n";

#[test]
fn programming_languages_in_folders_are_one_hit() {
    let manifest = collapsing("language", &[("sdk/go/**", "go"), ("sdk/rust/**", "rust")]);
    let world = world(&manifest, &[("sdk/go/retry.md", RETRIES), ("sdk/rust/retry.md", RETRIES)]);
    check(&world, json!({"query": "retry"}), &[&["sdk/go/retry.md#retries", "sdk/rust/retry.md#retries"]]);
}

#[test]
fn programming_languages_in_file_names_are_one_hit() {
    for (go, rust) in
        [("retry.go.md", "retry.rust.md"), ("retry-go.md", "retry-rust.md"), ("go_retry.md", "rust_retry.md")]
    {
        let manifest = collapsing("language", &[(go, "go"), (rust, "rust")]);
        let world = world(&manifest, &[(go, RETRIES), (rust, RETRIES)]);
        let (go, rust) = (format!("{go}#retries"), format!("{rust}#retries"));
        check(&world, json!({"query": "retry"}), &[&[&go, &rust]]);
    }
}

#[test]
fn headings_that_name_the_value_are_the_same_heading() {
    let manifest = collapsing("language", &[("go/**", "go"), ("rust/**", "rust")]);
    let page = |name: &str| format!("## {name} SDK\n\nretry with backoff\n");
    let world = world(&manifest, &[("go/retry.md", &page("Go")), ("rust/retry.md", &page("Rust"))]);
    check(&world, json!({"query": "retry"}), &[&["go/retry.md#go-sdk", "rust/retry.md#rust-sdk"]]);
}

#[test]
fn three_siblings_are_one_hit() {
    let manifest = collapsing("language", &[("go/**", "go"), ("rust/**", "rust"), ("zig/**", "zig")]);
    let pages = [("go/retry.md", RETRIES), ("rust/retry.md", RETRIES), ("zig/retry.md", RETRIES)];
    let world = world(&manifest, &pages);
    check(
        &world,
        json!({"query": "retry"}),
        &[&["go/retry.md#retries", "rust/retry.md#retries", "zig/retry.md#retries"]],
    );
}

#[test]
fn natural_languages_with_translated_headings_are_one_hit() {
    let manifest = collapsing("locale", &[("en/**", "en"), ("de/**", "de")]);
    let world = world(
        &manifest,
        &[
            (
                "en/client.md",
                "# Client\n\nclient\n\n## Retries\n\nRetry with backoff.\n\n## Limits\n\nlimits\n",
            ),
            (
                "de/client.md",
                "# Verbindung\n\nx\n\n## Wiederholungen\n\nRetry: mit backoff.\n\n## Grenzen\n\ny\n",
            ),
        ],
    );
    let hits = hits(&world, json!({"query": "retry backoff", "mode": "lexical"}));
    let groups: Vec<BTreeSet<String>> =
        hits.into_iter().map(|(id, folded)| folded.into_iter().chain([id]).collect()).collect();
    let expected: BTreeSet<String> =
        ["en/client.md#client/retries", "de/client.md#verbindung/wiederholungen"].map(str::to_owned).into();
    assert_eq!(groups, [expected]);
}

#[test]
fn the_best_of_the_siblings_is_kept() {
    let manifest = collapsing("language", &[("go/**", "go"), ("rust/**", "rust")]);
    let world = world(
        &manifest,
        &[("go/retry.md", RETRIES), ("rust/retry.md", "## Retries\n\nretry with backoff, the jitter kind\n")],
    );
    for (query, best) in [
        ("retry backoff jitter kind", "rust/retry.md#retries"),
        ("retry with backoff", "go/retry.md#retries"),
    ] {
        let hits = hits(&world, json!({"query": query}));
        assert_eq!(hits[0].0, best, "{query}");
    }
}

#[test]
fn a_folded_chunk_can_be_read() {
    let manifest = collapsing("language", &[("go/**", "go"), ("rust/**", "rust")]);
    let world = world(&manifest, &[("go/retry.md", RETRIES), ("rust/retry.md", RETRIES)]);
    let (_, folded) = hits(&world, json!({"query": "retry"})).remove(0);
    assert_eq!(folded.len(), 1);
    for id in folded {
        assert_eq!(world.client().call("get_doc", json!({"chunk_id": id}))["content"], RETRIES);
    }
}

#[test]
fn who_filters_by_the_facet_gets_its_pages_unfolded() {
    let manifest = collapsing("language", &[("go/**", "go"), ("rust/**", "rust")]);
    let world = world(&manifest, &[("go/retry.md", RETRIES), ("rust/retry.md", RETRIES)]);
    check(&world, json!({"query": "retry", "language": "go"}), &[&["go/retry.md#retries"]]);
    check(&world, json!({"query": "retry", "language": "rust"}), &[&["rust/retry.md#retries"]]);
}

#[test]
fn a_filter_by_another_facet_does_not_stop_folding() {
    let manifest = manifest(json!({
        "metadata": {"tier": "gold"},
        "taxonomy": {"language": {"vector_collapse": true}},
        "overrides": [
            {"pattern": "go/**", "metadata": {"language": "go"}},
            {"pattern": "rust/**", "metadata": {"language": "rust"}},
        ],
    }));
    let world = world(&manifest, &[("go/retry.md", RETRIES), ("rust/retry.md", RETRIES)]);
    let both: &[&str] = &["go/retry.md#retries", "rust/retry.md#retries"];
    check(&world, json!({"query": "retry", "tier": "gold"}), &[both]);
    check(&world, json!({"query": "retry", "file_filter": "**/retry.md"}), &[both]);
}

#[test]
fn two_collapsing_facets_fold_over_both() {
    let manifest = manifest(json!({
        "taxonomy": {"language": {"vector_collapse": true}, "release": {"vector_collapse": true}},
        "overrides": [
            {"pattern": "*/go/**", "metadata": {"language": "go"}},
            {"pattern": "*/rust/**", "metadata": {"language": "rust"}},
            {"pattern": "v1/**", "metadata": {"release": "v1"}},
            {"pattern": "v2/**", "metadata": {"release": "v2"}},
        ],
    }));
    let paths = ["v1/go/retry.md", "v1/rust/retry.md", "v2/go/retry.md", "v2/rust/retry.md"];
    let world = world(&manifest, &paths.map(|path| (path, RETRIES)));
    let ids = paths.map(|path| format!("{path}#retries"));
    let ids = ids.each_ref().map(String::as_str);
    check(&world, json!({"query": "retry"}), &[&ids]);
    check(&world, json!({"query": "retry", "language": "go"}), &[&[ids[0], ids[2]]]);
}

#[test]
fn pages_without_the_authors_word_are_not_folded() {
    let labels = collapsing("language", &[("go/**", "go"), ("rust/**", "rust")]);
    for word in ["false", "\"yes\""] {
        let world =
            world(&labels.replace("true", word), &[("go/retry.md", RETRIES), ("rust/retry.md", RETRIES)]);
        check(&world, json!({"query": "retry"}), &[&["go/retry.md#retries"], &["rust/retry.md#retries"]]);
    }
}

#[test]
fn pages_that_differ_in_more_than_the_value_are_not_folded() {
    let manifest = collapsing("language", &[("*/go/**", "go"), ("*/rust/**", "rust")]);
    let pages =
        [("sdk/go/retry.md", RETRIES), ("cli/rust/retry.md", RETRIES), ("sdk/rust/again.md", RETRIES)];
    check(
        &world(&manifest, &pages),
        json!({"query": "retry"}),
        &[&["sdk/go/retry.md#retries"], &["cli/rust/retry.md#retries"], &["sdk/rust/again.md#retries"]],
    );
}

#[test]
fn pages_with_the_same_value_are_not_folded() {
    let manifest = collapsing("language", &[("go/**", "go")]);
    let world = world(&manifest, &[("go/a.md", RETRIES), ("go/b.md", RETRIES)]);
    check(&world, json!({"query": "retry"}), &[&["go/a.md#retries"], &["go/b.md#retries"]]);
}

#[test]
fn different_headings_are_not_folded() {
    let manifest = collapsing("language", &[("go/**", "go"), ("rust/**", "rust")]);
    let go = "# Client\n\nclient\n\n## Retries\n\nretry with backoff\n";
    let rust = "# Client\n\nclient\n\n## Pooling\n\npools retry with backoff\n\n## Drop\n\ndrop\n";
    let world = world(&manifest, &[("go/client.md", go), ("rust/client.md", rust)]);
    let found = hits(&world, json!({"query": "retry backoff", "mode": "lexical"}));
    let found: BTreeSet<Hit> = found.into_iter().collect();
    let alone = |id: &str| (id.to_owned(), BTreeSet::new());
    assert_eq!(found, [alone("go/client.md#client/retries"), alone("rust/client.md#client/pooling")].into());
}

#[test]
fn different_headings_at_the_same_place_are_not_folded() {
    let manifest = collapsing("language", &[("go/**", "go"), ("rust/**", "rust")]);
    let go = "# Client\n\nclient\n\n## Retries\n\nretry with backoff\n";
    let rust = "# Client\n\nclient\n\n## Pooling\n\npools retry with backoff\n";
    let world = world(&manifest, &[("go/client.md", go), ("rust/client.md", rust)]);
    let found = hits(&world, json!({"query": "retry backoff", "mode": "lexical"}));
    assert_eq!(found.len(), 2, "{found:?}");
}

#[test]
fn sections_in_another_order_are_folded_by_their_headings() {
    let manifest = collapsing("language", &[("go/**", "go"), ("rust/**", "rust")]);
    let go = "## Retries\n\nretry alpha\n\n## Limits\n\nretry beta\n";
    let rust = "## Limits\n\nretry beta\n\n## Retries\n\nretry alpha\n";
    let world = world(&manifest, &[("go/client.md", go), ("rust/client.md", rust)]);
    check(
        &world,
        json!({"query": "retry"}),
        &[
            &["go/client.md#retries", "rust/client.md#retries"],
            &["go/client.md#limits", "rust/client.md#limits"],
        ],
    );
}

#[test]
fn two_sections_of_one_page_are_never_folded_into_each_other() {
    let manifest = collapsing("language", &[("go/**", "go"), ("rust/**", "rust")]);
    let page = "## Retries\n\nretry alpha\n\n## Retries\n\nretry alpha\n";
    let world = world(&manifest, &[("go/client.md", page), ("rust/client.md", page)]);
    check(
        &world,
        json!({"query": "retry"}),
        &[
            &["go/client.md#retries", "rust/client.md#retries"],
            &["go/client.md#retries-2", "rust/client.md#retries-2"],
        ],
    );
}

/// Ten pages in three languages, and ten that have none.
fn many() -> World {
    let manifest = collapsing("language", &[("go/**", "go"), ("rust/**", "rust"), ("zig/**", "zig")]);
    let mut files = vec![(MANIFEST.to_owned(), manifest)];
    for number in 0..10 {
        let text = format!("## Topic {number}\n\n{} number{number}\n", "retry ".repeat(number + 1));
        for language in ["go", "rust", "zig"] {
            files.push((format!("{language}/{number}.md"), text.clone()));
        }
        files.push((format!("plain/{number}.md"), text));
    }
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    World::quiet(&files)
}

#[test]
fn pages_of_an_answer_do_not_repeat_what_was_folded() {
    let world = many();
    for mode in MODES {
        let whole = hits(&world, json!({"query": "retry", "mode": mode, "limit": 50}));
        assert_eq!(whole.len(), 20, "{mode}");
        for limit in [1, 3, 7] {
            let paged = hits(&world, json!({"query": "retry", "mode": mode, "limit": limit}));
            assert_eq!(paged, whole, "{mode} {limit}");
        }
        let shown: Vec<&String> = whole.iter().flat_map(|(id, folded)| folded.iter().chain([id])).collect();
        assert_eq!(shown.len(), 40, "{mode}");
        assert_eq!(shown.iter().collect::<BTreeSet<_>>().len(), 40, "{mode}");
    }
}

#[test]
fn folding_does_not_shorten_a_page_of_the_answer() {
    let world = many();
    for limit in [1, 5, 20] {
        let answer = world.client().call("search_docs", json!({"query": "retry", "limit": limit}));
        assert_eq!(answer["results"].as_array().unwrap().len(), limit);
    }
}

#[test]
fn a_changed_taxonomy_is_heeded_by_the_next_call() {
    let folding = collapsing("language", &[("go/**", "go"), ("rust/**", "rust")]);
    let world =
        world(&folding.replace("true", "false"), &[("go/retry.md", RETRIES), ("rust/retry.md", RETRIES)]);
    assert_eq!(hits(&world, json!({"query": "retry"})).len(), 2);
    world.write(MANIFEST, &folding);
    assert_eq!(hits(&world, json!({"query": "retry"})).len(), 1);
    world.remove(MANIFEST);
    assert_eq!(hits(&world, json!({"query": "retry"})).len(), 2);
}

#[test]
fn a_cursor_is_outdated_when_the_authors_change_what_is_folded() {
    let folding = collapsing("language", &[("go/**", "go"), ("rust/**", "rust")]);
    let pages = ["go/a.md", "rust/a.md", "go/b.md", "rust/b.md"].map(|path| (path, RETRIES));
    for (before, after) in [("false", "true"), ("true", "false")] {
        let world = world(&folding.replace("true", before), &pages);
        let mut client = world.client();
        let first = client.call("search_docs", json!({"query": "retry", "limit": 1}));
        let cursor = first["next_cursor"].clone();
        assert!(cursor.is_string(), "{first}");
        world.write(MANIFEST, &folding.replace("true", after));
        let told = client.refused("search_docs", json!({"query": "retry", "limit": 1, "cursor": cursor}));
        assert!(told.contains("outdated"), "{told}");
    }
}

#[test]
fn a_page_of_many_common_headings_is_no_translation() {
    let manifest = collapsing("language", &[("go/**", "go"), ("rust/**", "rust")]);
    let page = |last: &str| {
        format!("# Client\n\nx\n\n## Setup\n\ny\n\n## Limits\n\nz\n\n## {last}\n\nretry with backoff\n")
    };
    let world = world(&manifest, &[("go/client.md", &page("Retries")), ("rust/client.md", &page("Drop"))]);
    assert_eq!(hits(&world, json!({"query": "retry", "mode": "lexical"})).len(), 2);
}

#[test]
fn a_translation_may_keep_some_headings() {
    let manifest = collapsing("locale", &[("en/**", "en"), ("de/**", "de")]);
    let page = |names: [&str; 3]| {
        format!("# FAQ\n\nx\n\n## {}\n\nretry\n\n## {}\n\ny\n\n## {}\n\nz\n", names[0], names[1], names[2])
    };
    let world = world(
        &manifest,
        &[
            ("en/faq.md", &page(["Retries", "Limits", "Errors"])),
            ("de/faq.md", &page(["Wiederholungen", "Grenzen", "Fehler"])),
        ],
    );
    assert_eq!(hits(&world, json!({"query": "retry", "mode": "lexical"})).len(), 1);
}
