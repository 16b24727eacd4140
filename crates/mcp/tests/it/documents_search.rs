//! documents-tools-v2: search over collections, and the fields of its results.

use serde_json::{Value, json};

use crate::documents_world::{at, setup, values, world};
use crate::world::{Setup, Vectors, World};

const SEARCH: &str = "documents_search";

/// The results of a search.
fn results(world: &World, arguments: Value) -> Vec<Value> {
    world.client().call(SEARCH, arguments)["results"].as_array().unwrap().clone()
}

fn number(hit: &Value, name: &str) -> f64 {
    hit[name].as_f64().unwrap_or_else(|| panic!("{name} of {hit}"))
}

#[test]
fn documents_tools_search_looks_in_all_collections() {
    let hits = Value::Array(results(&world(), json!({"query": "useState keeps a value", "limit": 50})));
    let collections = values(&hits, "collection");
    for name in ["docs", "hb", "react@18", "latest"] {
        assert!(collections.contains(&&json!(name)), "{name} in {collections:?}");
    }
}

#[test]
fn documents_tools_search_looks_only_in_collections_that_were_named() {
    let world = world();
    let check = |named: Value, expected: &[(&str, Option<&str>)]| {
        let hits =
            results(&world, json!({"query": "useState keeps a value", "collections": named, "limit": 50}));
        let mut found: Vec<_> = hits
            .iter()
            .map(|hit| (hit["collection"].as_str().unwrap(), hit["collectionId"].as_str()))
            .collect();
        found.sort_unstable();
        found.dedup();
        assert_eq!(found, expected, "{named}");
    };
    check(json!(["react@18"]), &[("react@18", None)]);
    check(json!(["react"]), &[("react", Some("react@19"))]);
    check(json!(["latest"]), &[("latest", Some("react@19"))]);
    check(json!(["react@19", "hb"]), &[("hb", Some("handbook")), ("react@19", None)]);
    check(json!(["react", "latest"]), &[("react", Some("react@19"))]);
    let every = [("docs", None), ("hb", Some("handbook")), ("latest", Some("react@19")), ("react@18", None)];
    check(json!([]), &every);
}

#[test]
fn documents_tools_search_says_what_was_searched() {
    let world = world();
    let answer = world.client().call(SEARCH, json!({"query": "useState", "collections": ["react", "hb"]}));
    assert_eq!(values(&answer["searched"]["collections"], "name"), ["handbook", "react@19"]);
    assert_eq!(answer["searched"]["mode"], "hybrid");
    assert_eq!(answer["searched"]["degraded"], json!([]));
}

#[test]
fn documents_tools_search_returns_five_results_unless_told_otherwise() {
    let files: Vec<(String, String)> =
        (0..60).map(|at| (format!("{at}.md"), format!("# Page {at}\n\nWalrus number {at}.\n"))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let world = setup().folder("many", &files).start();
    let mut client = world.client();
    let mut check = |arguments: Value, expected: usize| {
        let mut all = json!({"query": "walrus"});
        all.as_object_mut().unwrap().extend(arguments.as_object().unwrap().clone());
        assert_eq!(client.call(SEARCH, all)["results"].as_array().unwrap().len(), expected, "{arguments}");
    };
    check(json!({}), 5);
    check(json!({"limit": 1}), 1);
    check(json!({"limit": 50}), 50);
    for (limit, shown) in [(json!(0), "0"), (json!(51), "51"), (json!(1.5), "1.5")] {
        assert_eq!(
            client.refused(SEARCH, json!({"query": "walrus", "limit": limit})),
            format!("limit must be a whole number from 1 to 50, not {shown}. Leave it out to get 5.")
        );
    }
}

#[test]
fn documents_tools_search_results_have_every_field_of_the_specification() {
    let hits = results(
        &world(),
        json!({"query": "useState keeps a value between renders", "collections": ["react"]}),
    );
    let hit = &hits[0];
    assert_eq!(hit["collection"], "react");
    assert_eq!(hit["collectionId"], "react@19");
    assert_eq!(hit["documentId"], "hooks.md");
    assert_eq!(hit["documentTitle"], "Hooks of nineteen");
    assert_eq!(hit["sectionHeading"], "State");
    assert_eq!(hit["content"], "## State\n\nuseState keeps a value between renders.\n");
    assert_eq!((&hit["startLine"], &hit["endLine"]), (&json!(3), &json!(5)));
    assert_eq!(hit["chunkId"], "hooks.md#hooks-of-nineteen/state");
    assert!((0.0..=1.0).contains(&number(hit, "relevanceScore")), "{hit}");
    assert!((0.0..=2.0).contains(&number(hit, "distance")), "{hit}");
}

#[test]
fn documents_tools_search_section_heading_is_absent_before_the_first_heading() {
    let world = world();
    let hits =
        results(&world, json!({"query": "words before any heading", "collections": ["docs"], "limit": 50}));
    let of = |lines: &str| hits.iter().find(|hit| hit["content"].as_str().unwrap().contains(lines)).unwrap();
    assert_eq!(of("Words before any heading").get("sectionHeading"), None);
    assert_eq!(of("no heading at all").get("sectionHeading"), None);
    assert_eq!(of("Use the package")["sectionHeading"], "On Linux");
    assert_eq!(of("Set below its text")["sectionHeading"], "Second way");
}

#[test]
fn documents_tools_search_section_heading_has_no_marks_of_parts_or_repetitions() {
    let long = format!("# Guide\n\n## Limits\n\nshort\n\n## Limits\n\n{}", "walrus words. ".repeat(2_000));
    let world = setup().folder("x", &[("a.md", &long)]).start();
    let hits = results(&world, json!({"query": "walrus words", "collections": ["x"], "limit": 50}));
    assert!(hits.len() > 1, "the section is cut into parts");
    let mut client = world.client();
    for hit in hits.iter().filter(|hit| hit["content"].as_str().unwrap().contains("walrus")) {
        assert_eq!(hit["sectionHeading"], "Limits", "{}", hit["chunkId"]);
        client.call(
            "documents_get_section",
            json!({"collection": "x", "document": "a.md", "section": "Limits"}),
        );
    }
}

#[test]
fn documents_tools_search_chunk_index_is_the_position_in_the_document() {
    let world = world();
    let mut client = world.client();
    let page = client.call("get_page", json!({"file_path": "guides/set-up.md", "collection": "docs"}));
    let ids = values(&page["chunks"], "chunk_id");
    let hits =
        results(&world, json!({"query": "set up install linux", "collections": ["docs"], "limit": 50}));
    let hits: Vec<&Value> = hits.iter().filter(|hit| hit["documentId"] == "guides/set-up.md").collect();
    assert!(hits.len() > 3);
    for hit in hits {
        let place = ids.iter().position(|id| **id == hit["chunkId"]).unwrap();
        assert_eq!(hit["chunkIndex"], place + 1, "{hit}");
        assert_eq!(hit["totalChunks"], ids.len(), "{hit}");
    }
}

#[test]
fn documents_tools_search_distance_is_one_minus_the_cosine() {
    let world = world();
    let query = "how does state work";
    let cosines =
        world.client().call("search_docs", json!({"query": query, "limit": 50, "mode": "semantic"}));
    let hits = results(&world, json!({"query": query, "limit": 50}));
    assert!(hits.len() > 3);
    for hit in &hits {
        let is_same = |other: &&Value| {
            other["chunk_id"] == hit["chunkId"] && other["metadata"]["content_hash"] == hit["contentHash"]
        };
        let cosine = cosines["results"].as_array().unwrap().iter().find(is_same).unwrap();
        let expected = 1.0 - number(cosine, "similarity");
        assert!((number(hit, "distance") - expected).abs() < 1e-5, "{hit}");
    }
}

#[test]
fn documents_tools_search_distance_is_null_without_vectors() {
    let world = Setup { vectors: Vectors::None, ..setup() }.start();
    let answer = world.client().call(SEARCH, json!({"query": "useState"}));
    assert!(values(&answer["results"], "distance").iter().all(|distance| distance.is_null()));
    assert!(!answer["results"].as_array().unwrap().is_empty());
    assert_eq!(answer["searched"]["vector"]["used"], false);
}

#[test]
fn documents_tools_search_relevance_falls_from_one_towards_zero() {
    let world = world();
    for hybrid in [true, false] {
        let hits = results(&world, json!({"query": "state of hooks", "limit": 50, "hybridSearch": hybrid}));
        let scores: Vec<f64> = hits.iter().map(|hit| number(hit, "relevanceScore")).collect();
        assert!(scores.iter().all(|score| (0.0..=1.0).contains(score)), "{scores:?}");
        assert!(scores.is_sorted_by(|one, other| one >= other), "{scores:?}");
    }
}

#[test]
fn documents_tools_search_without_hybrid_goes_by_meaning_alone() {
    let world = world();
    let answer = world.client().call(SEARCH, json!({"query": "state", "hybridSearch": false, "limit": 50}));
    assert_eq!(answer["searched"]["mode"], "semantic");
    for hit in answer["results"].as_array().unwrap() {
        let expected = (1.0 - number(hit, "distance")).max(0.0);
        assert!((number(hit, "relevanceScore") - expected).abs() < 1e-5, "{hit}");
    }
    assert_eq!(
        world.client().refused(SEARCH, json!({"query": "state", "hybridSearch": 1})),
        "hybridSearch must be true or false, not 1. Leave it out to get true."
    );
}

#[test]
fn documents_tools_search_max_distance_leaves_out_what_is_further() {
    let world = world();
    let query = "useState keeps a value between renders";
    let all = results(&world, json!({"query": query, "limit": 50}));
    let mut distances: Vec<f64> = all.iter().map(|hit| number(hit, "distance")).collect();
    distances.sort_by(f64::total_cmp);
    let limit = distances[distances.len() / 2];
    for hybrid in [true, false] {
        let near = results(
            &world,
            json!({"query": query, "limit": 50, "maxDistance": limit + 1e-5, "hybridSearch": hybrid}),
        );
        assert!(near.iter().all(|hit| number(hit, "distance") <= limit + 1e-4), "{limit}");
        assert_eq!(near.len(), distances.iter().filter(|distance| **distance <= limit + 1e-5).count());
    }
    let none = world.client().call(SEARCH, json!({"query": query, "maxDistance": 0}));
    assert_eq!((&none["results"], none["hint"].is_string()), (&json!([]), true), "{none}");
}

#[test]
fn documents_tools_search_refuses_distances_that_there_are_not() {
    let world = world();
    let mut client = world.client();
    for (distance, shown) in [(json!(-0.1), "-0.1"), (json!(2.5), "2.5"), (json!("near"), "\"near\"")] {
        assert_eq!(
            client.refused(SEARCH, json!({"query": "state", "maxDistance": distance})),
            format!("maxDistance must be a number from 0 to 2, not {shown}. Leave it out to set no limit.")
        );
    }
}

#[test]
fn documents_tools_search_results_can_be_checked_against_the_document() {
    let world = world();
    let mut client = world.client();
    for hit in results(&world, json!({"query": "install the package on linux", "limit": 50})) {
        let collection = hit.get("collectionId").unwrap_or(&hit["collection"]).as_str().unwrap();
        let document =
            client.call("documents_get_document", at(collection, hit["documentId"].as_str().unwrap()));
        assert_eq!(hit["contentHash"], document["contentHash"]);
        let lines: Vec<&str> = document["content"].as_str().unwrap().split_inclusive('\n').collect();
        let line = |name: &str| hit[name].as_u64().unwrap() as usize;
        assert_eq!(hit["content"], lines[line("startLine") - 1..line("endLine")].concat(), "{hit}");
    }
}

#[test]
fn documents_tools_search_tells_of_a_missing_collection() {
    let world = world();
    assert_eq!(
        world.client().told(SEARCH, json!({"query": "state", "collections": ["docs", "vue", "svelte"]})),
        "Collection \"vue\" not found. The collections are: docs, hb, react@18, latest."
    );
}

#[test]
fn documents_tools_search_looks_only_in_what_is_served() {
    let mut setup = setup();
    setup.options.collections = vec!["docs".to_owned(), "react@18".to_owned()];
    let hits = Value::Array(results(&setup.start(), json!({"query": "useState holidays", "limit": 50})));
    assert!(values(&hits, "collection").iter().all(|name| **name == "docs" || **name == "latest"));
    let of_alias = values(&hits, "collectionId");
    assert!(of_alias.contains(&&json!("react@18")) && !of_alias.contains(&&json!("react@19")));
}

#[test]
fn documents_tools_search_needs_a_query() {
    let world = world();
    let mut client = world.client();
    let expected = "query parameter is required: what you want to know, in plain words or identifiers";
    for arguments in [json!({}), json!({"query": " "}), json!({"query": null})] {
        assert_eq!(client.refused(SEARCH, arguments), expected);
    }
    assert_eq!(
        client.refused(SEARCH, json!({"query": "x", "collections": "docs"})),
        "collections must be a list of strings, e.g. [\"docs\"], not \"docs\""
    );
}

#[test]
fn documents_tools_search_says_when_a_query_was_too_long() {
    let answer = world().client().call(SEARCH, json!({"query": "walrus ".repeat(2_000)}));
    let degraded = answer["searched"]["degraded"].to_string();
    assert!(degraded.contains("only its first 4096 bytes"), "{degraded}");
}

#[test]
fn documents_tools_search_sees_changes_on_disk() {
    let world = Setup { background: false, ..setup() }.start();
    let mut client = world.client();
    world.write_in("handbook", "new.md", "# Platypus\n\nThe platypus is new.\n");
    let answer = client.call(SEARCH, json!({"query": "platypus", "collections": ["hb"]}));
    assert_eq!(answer["results"][0]["documentId"], "new.md", "{answer}");
}
