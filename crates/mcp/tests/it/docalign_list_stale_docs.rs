//! DocAlign: `list_stale_docs`.

use docent_claims::Verdict;
use docent_health::Findings;
use serde_json::{Value, json};

use crate::docalign_world::{assert_refused, command, record, setup, world};
use crate::world::{NOW, World};

const DAY: i64 = 86_400;

fn files(answer: &Value) -> Vec<&str> {
    answer["stale_docs"].as_array().unwrap().iter().map(|it| it["file"].as_str().unwrap()).collect()
}

/// `three` and `one` have drifted, `unclear` is uncertain, `old` was last looked at 40 days ago, `fine` is fine.
fn stale() -> World {
    let world = setup().start();
    let drifted =
        |count: u32| (1..=count).map(|line| command(Verdict::Drifted, line, "", &line.to_string())).collect();
    let fine = || vec![command(Verdict::Verified, 1, "", "make x")];
    record(&world, NOW - 40 * DAY, vec![("old.md", fine())]);
    let unclear = vec![command(Verdict::Uncertain, 1, "", "make y")];
    record(
        &world,
        NOW,
        vec![("fine.md", fine()), ("one.md", drifted(1)), ("three.md", drifted(3)), ("unclear.md", unclear)],
    );
    world
}

#[test]
fn docalign_list_stale_docs_puts_drift_before_uncertainty_before_age() {
    let answer = stale().client().call("list_stale_docs", json!({}));
    assert_eq!(files(&answer), ["three.md", "one.md", "unclear.md", "old.md"]);
    let first = json!({"file": "three.md", "drifted_claims": 3, "uncertain_claims": 0, "last_verified": "2026-02-02T02:40:00Z"});
    assert_eq!(answer["stale_docs"][0], first);
    assert_eq!(answer["stale_docs"][3]["last_verified"], "2025-12-24T02:40:00Z");
}

#[test]
fn docalign_list_stale_docs_takes_max_results() {
    let world = stale();
    let mut client = world.client();
    assert_eq!(files(&client.call("list_stale_docs", json!({"max_results": 1}))), ["three.md"]);
    assert_eq!(files(&client.call("list_stale_docs", json!({"max_results": 100}))).len(), 4);
}

#[test]
fn docalign_list_stale_docs_lists_ten_by_default() {
    let world = setup().start();
    let names: Vec<String> = (0..30).map(|number| format!("f{number}.md")).collect();
    let documents =
        names.iter().map(|name| (name.as_str(), vec![command(Verdict::Drifted, 1, "", "make x")]));
    record(&world, NOW, documents.collect());
    assert_eq!(files(&world.client().call("list_stale_docs", json!({}))).len(), 10);
}

#[test]
fn docalign_list_stale_docs_refuses_max_results_out_of_range() {
    let world = stale();
    let mut client = world.client();
    for odd in [json!(-5), json!(0), json!(101), json!("ten"), json!(1.5)] {
        let message = "max_results must be between 1 and 100";
        assert_refused(&mut client, "list_stale_docs", json!({"max_results": odd}), -32602, message);
    }
}

#[test]
fn docalign_list_stale_docs_of_a_healthy_repository_is_empty() {
    let world = setup().start();
    assert_eq!(world.client().call("list_stale_docs", json!({})), json!({"stale_docs": []}));
    record(&world, NOW, vec![("a.md", vec![command(Verdict::Verified, 1, "", "make x")])]);
    assert_eq!(world.client().call("list_stale_docs", json!({})), json!({"stale_docs": []}));
}

#[test]
fn docalign_list_stale_docs_that_were_confirmed_are_not_stale_by_age() {
    let world = stale();
    let confirmed = vec!["old.md".to_owned()];
    let found = Findings { verified_at: NOW, confirmed, ..Findings::default() };
    world.health.as_ref().unwrap().record(&found).unwrap();
    assert!(!files(&world.client().call("list_stale_docs", json!({}))).contains(&"old.md"));
}

#[test]
fn docalign_list_stale_docs_names_files_as_the_repository_does() {
    let answer = world().client().call("list_stale_docs", json!({}));
    assert_eq!(files(&answer), ["docs/deploy.md", "README.md"]);
}
