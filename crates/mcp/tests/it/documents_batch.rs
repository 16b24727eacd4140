//! documents-tools-v2: several queries in one call.

use serde_json::{Value, json};

use crate::documents_world::{parts, setup, values, world};
use crate::world::World;

const BATCH: &str = "documents_search_batch";

fn queries(count: usize) -> Value {
    (0..count).map(|at| json!({"query": format!("question {at}")})).collect()
}

/// Checks that a batch answers as one search after the other.
fn check_same(world: &World, queries: &Value, how: Value) {
    let mut client = world.client();
    let mut batch = how.clone();
    batch["queries"] = queries.clone();
    let answer = client.call(BATCH, batch);
    assert_eq!(values(&answer["results"], "query"), values(queries, "query"), "answered in order");
    for (entry, query) in answer["results"].as_array().unwrap().iter().zip(queries.as_array().unwrap()) {
        let mut single = how.clone();
        single.as_object_mut().unwrap().extend(query.as_object().unwrap().clone());
        assert_eq!(entry["results"], client.call("documents_search", single)["results"], "{query}");
    }
}

#[test]
fn documents_tools_search_batch_executes_multiple_queries() {
    let world = world();
    let queries = json!([
        {"query": "useState keeps a value"},
        {"query": "holidays a year", "collections": ["hb"]},
        {"query": "useState keeps a value", "collections": ["react", "react@18"]},
        {"query": "walruses"},
    ]);
    for how in [
        json!({}),
        json!({"limit": 1}),
        json!({"limit": 50, "hybridSearch": false}),
        json!({"maxDistance": 0.8, "limit": 20}),
    ] {
        check_same(&world, &queries, how);
    }
}

#[test]
fn documents_tools_search_batch_respects_query_limit_of_ten() {
    let world = world();
    let mut client = world.client();
    assert_eq!(client.call(BATCH, json!({"queries": queries(10)}))["results"].as_array().unwrap().len(), 10);
    assert_eq!(client.call(BATCH, json!({"queries": queries(1)}))["results"].as_array().unwrap().len(), 1);
    assert_eq!(
        client.refused(BATCH, json!({"queries": queries(11)})),
        "queries must have 1 to 10 entries, not 11. Split them over several calls."
    );
    assert_eq!(
        client.refused(BATCH, json!({"queries": []})),
        "queries must have 1 to 10 entries, not 0. Give at least one."
    );
}

#[test]
fn documents_tools_search_batch_refuses_what_is_no_query_and_says_which() {
    let world = world();
    let mut client = world.client();
    let mut check = |queries: Value, expected: &str| {
        assert_eq!(client.refused(BATCH, json!({"queries": queries})), expected);
    };
    let required =
        "queries parameter is required: 1 to 10 objects such as {\"query\": \"how are retries configured\"}";
    check(json!(null), required);
    check(json!("state"), "queries must be a list of objects like [{\"query\": \"…\"}], not \"state\"");
    check(json!(["a", 1]), "queries must be a list of objects like [{\"query\": \"…\"}], not [\"a\",1]");
    check(
        json!([{"query": "a"}, {"query": " "}]),
        "queries[1]: query parameter is required: what you want to know, in plain words or identifiers",
    );
    check(
        json!([{"query": "a", "limit": 3}]),
        "queries[0]: There is no parameter `limit`. The parameters are: query, collections.",
    );
    check(
        json!([{"query": "a", "collections": [1]}]),
        "queries[0]: collections must be a list of strings, e.g. [\"docs\"], not [1]",
    );
}

#[test]
fn documents_tools_search_batch_checks_limits_as_a_search_does() {
    let world = world();
    let mut client = world.client();
    for (name, value) in [("limit", json!(0)), ("maxDistance", json!(3)), ("hybridSearch", json!("x"))] {
        let mut single = json!({"query": "a"});
        single[name] = value.clone();
        let mut batch = json!({"queries": [{"query": "a"}]});
        batch[name] = value;
        assert_eq!(client.refused(BATCH, batch), client.refused("documents_search", single), "{name}");
    }
}

#[test]
fn documents_tools_search_batch_tells_of_a_missing_collection_in_its_place() {
    let world = world();
    let queries = json!([
        {"query": "holidays", "collections": ["hb"]},
        {"query": "reactivity", "collections": ["vue"]},
        {"query": "walruses"},
    ]);
    let answer = world.client().call(BATCH, json!({"queries": queries}));
    assert_eq!(
        answer["results"][1],
        json!({
            "query": "reactivity",
            "results": [],
            "message": "Collection \"vue\" not found. The collections are: docs, hb, react@18, latest.",
        })
    );
    let alone = world.client().call(BATCH, json!({"queries": [queries[1]]}));
    assert_eq!(alone["results"], json!([answer["results"][1]]));
    assert_eq!(answer["results"][0]["results"][0]["documentId"], "holidays.md");
    assert_eq!(answer["results"][2]["results"][0]["documentId"], "z-last.md");
}

#[test]
fn documents_tools_search_batch_gives_five_results_a_query_unless_told_otherwise() {
    let files: Vec<(String, String)> =
        (0..9).map(|at| (format!("{at}.md"), format!("# Page {at}\n\nWalrus number {at}.\n"))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let world = setup().folder("many", &files).start();
    let answer = world.client().call(BATCH, json!({"queries": [{"query": "walrus"}, {"query": "page"}]}));
    for entry in answer["results"].as_array().unwrap() {
        assert_eq!(entry["results"].as_array().unwrap().len(), 5);
    }
}

#[test]
fn documents_tools_search_batch_repeats_a_query_as_it_was_given() {
    let world = world();
    let long = "walrus ".repeat(2_000);
    let queries = json!([{"query": "  spaces \n"}, {"query": "same"}, {"query": "same"}, {"query": long}]);
    let answer = world.client().call(BATCH, json!({"queries": queries}));
    let repeated = values(&answer["results"], "query");
    assert_eq!(repeated[..3], ["  spaces \n", "same", "same"]);
    assert_eq!(repeated[3].as_str().unwrap().len(), 4096, "a query must not fill the answer");
    assert!(answer["degraded"].to_string().contains("only its first 4096 bytes"), "{answer}");
}

#[test]
fn documents_tools_search_batch_cut_keeps_the_best_of_every_query_and_goes_on() {
    let page = |at: usize| format!("# Page {at}\n\n{}\n", format!("Walrus and penguin {at}. ").repeat(20));
    let files: Vec<(String, String)> = (0..12).map(|at| (format!("{at:02}.md"), page(at))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let world = setup().folder("many", &files).start();
    let mut client = world.client();
    let mut arguments = json!({
        "queries": [{"query": "walrus", "collections": ["many"]}, {"query": "penguin", "collections": ["many"]}],
        "limit": 10,
    });
    let whole = client.call(BATCH, arguments.clone());
    arguments["max_chars"] = json!(6_000);
    let parts = parts(&mut client, BATCH, arguments);
    assert!(parts.len() > 1);
    for part in &parts {
        assert!(part.to_string().chars().count() <= 6_000);
    }
    assert!(parts[0]["results"].as_array().unwrap().iter().all(|entry| entry["truncated"] == true));
    for query in 0..2 {
        assert!(
            !parts[0]["results"][query]["results"].as_array().unwrap().is_empty(),
            "query {query} has its best"
        );
        let joined: Vec<&Value> =
            parts.iter().flat_map(|part| values(&part["results"][query]["results"], "chunkId")).collect();
        let mut distinct = joined.clone();
        distinct.dedup();
        assert_eq!(distinct, values(&whole["results"][query]["results"], "chunkId"));
    }
    assert!(
        parts.last().unwrap()["results"]
            .as_array()
            .unwrap()
            .iter()
            .all(|entry| entry.get("truncated").is_none())
    );
}

#[test]
fn documents_tools_search_batch_takes_plain_strings_for_queries() {
    let world = world();
    let mut client = world.client();
    let plain = client.call(BATCH, json!({"queries": ["holidays", {"query": "walruses"}]}));
    let spelt = client.call(BATCH, json!({"queries": [{"query": "holidays"}, {"query": "walruses"}]}));
    assert_eq!(plain["results"], spelt["results"]);
    assert_eq!(plain["results"][0]["results"][0]["documentId"], "holidays.md");
    let items = client.parameters(BATCH)["queries"]["items"].clone();
    assert_eq!(items["type"], "object", "what is specified is what is announced");
}
