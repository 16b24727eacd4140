//! DocAlign: `get_doc_health`.

use docent_claims::{ClaimType, Judged, Verdict};
use serde_json::{Value, json};

use crate::client::Client;
use crate::docalign_world::{assert_refused, command, judged, record, setup, world};
use crate::world::{NOW, World};

fn health(client: &mut Client, path: Option<&str>) -> Value {
    let arguments = path.map_or_else(|| json!({}), |path| json!({"path": path}));
    client.call("get_doc_health", arguments)["health"].clone()
}

/// As many claims of each kind.
fn claims(verified: u32, drifted: u32, uncertain: u32) -> Vec<Judged> {
    let kinds = [(Verdict::Verified, verified), (Verdict::Drifted, drifted), (Verdict::Uncertain, uncertain)];
    let all = kinds.into_iter().flat_map(|(verdict, count)| (0..count).map(move |_| verdict));
    all.zip(1..).map(|(verdict, line)| command(verdict, line, "", &format!("make {line}"))).collect()
}

fn filled(documents: Vec<(&str, Vec<Judged>)>) -> World {
    let world = setup().start();
    record(&world, NOW, documents);
    world
}

#[test]
fn docalign_get_doc_health_of_a_file_counts_its_claims() {
    let world = filled(vec![("README.md", claims(9, 2, 1)), ("docs/api.md", claims(4, 0, 0))]);
    let health = health(&mut world.client(), Some("README.md"));
    assert_eq!(health["total_claims"], 12);
    assert_eq!((&health["verified"], &health["drifted"]), (&json!(9), &json!(2)));
    assert_eq!((&health["uncertain"], &health["pending"]), (&json!(1), &json!(0)));
    let file = &health["by_file"]["README.md"];
    assert_eq!(
        (&file["total"], &file["verified"], &file["drifted"], &file["uncertain"]),
        (&json!(12), &json!(9), &json!(2), &json!(1))
    );
    assert_eq!(health["by_type"], json!({"command": 12}));
    assert_eq!(health["hotspots"], json!(["README.md"]));
    assert_eq!(health["by_file"].as_object().unwrap().len(), 1);
}

#[test]
fn docalign_get_doc_health_score_is_verified_of_verified_and_drifted() {
    let world = filled(vec![("README.md", claims(9, 2, 1))]);
    assert_eq!(health(&mut world.client(), Some("README.md"))["score"], json!(9.0 / 11.0));
}

#[test]
fn docalign_get_doc_health_without_a_path_is_of_the_repository() {
    let world = filled(vec![
        ("README.md", claims(9, 2, 1)),
        ("docs/api.md", claims(4, 3, 0)),
        ("c.md", claims(1, 0, 0)),
    ]);
    let health = health(&mut world.client(), None);
    assert_eq!((&health["total_claims"], &health["verified"]), (&json!(20), &json!(14)));
    assert_eq!(health["hotspots"], json!(["docs/api.md", "README.md"]));
    assert_eq!(health["by_file"].as_object().unwrap().len(), 3);
}

#[test]
fn docalign_get_doc_health_of_a_directory_is_of_everything_below_it_with_or_without_a_slash() {
    let world = filled(vec![
        ("docs/a.md", claims(1, 0, 0)),
        ("docs/deep/b.md", claims(2, 0, 0)),
        ("docs2/c.md", claims(4, 0, 0)),
    ]);
    let mut client = world.client();
    for path in ["docs", "docs/", "./docs", "docs//", "/docs", "x/../docs"] {
        assert_eq!(health(&mut client, Some(path))["total_claims"], 3, "{path}");
    }
    assert_eq!(health(&mut client, Some("docs/deep"))["total_claims"], 2);
    for path in ["", ".", "/"] {
        assert_eq!(health(&mut client, Some(path))["total_claims"], 7, "{path}");
    }
}

#[test]
fn docalign_get_doc_health_prefers_a_file_to_a_directory_of_the_same_name() {
    let world = filled(vec![("docs", claims(1, 0, 0)), ("docs/a.md", claims(5, 0, 0))]);
    assert_eq!(health(&mut world.client(), Some("docs"))["total_claims"], 1);
}

#[test]
fn docalign_get_doc_health_takes_a_path_as_search_docs_gives_it() {
    let world = world();
    let mut client = world.client();
    assert_eq!(health(&mut client, Some("deploy.md")), health(&mut client, Some("docs/deploy.md")));
}

#[test]
fn docalign_get_doc_health_of_an_unknown_path_is_an_error() {
    let world = world();
    let mut client = world.client();
    let message = "No documentation claims found for path 'nonexistent/file.md'.";
    assert_refused(&mut client, "get_doc_health", json!({"path": "nonexistent/file.md"}), -32000, message);
    assert_refused(&mut client, "get_doc_health", json!({"path": 7}), -32602, "path must be a string");
}

#[test]
fn docalign_get_doc_health_cannot_be_led_out_of_the_repository() {
    let world = world();
    let mut client = world.client();
    for path in
        ["../docs/auth.md", "docs/../../etc/passwd", "..", "../", "docs/%", "docs/a_th.md", "' OR 1=1 --"]
    {
        let message = format!("No documentation claims found for path '{path}'.");
        let error = assert_refused(&mut client, "get_doc_health", json!({"path": path}), -32000, &message);
        assert!(!error.to_string().contains(world.docs.to_str().unwrap()), "{error}");
    }
}

#[test]
fn docalign_get_doc_health_of_a_repository_without_claims_has_no_score() {
    let world = setup().start();
    let health = health(&mut world.client(), None);
    assert_eq!((&health["score"], &health["total_claims"]), (&Value::Null, &json!(0)));
    assert_eq!((&health["by_file"], &health["hotspots"]), (&json!({}), &json!([])));
}

#[test]
fn docalign_get_doc_health_counts_waived_claims_apart() {
    let waived = Judged { suppressed: Some("old".to_owned()), ..command(Verdict::Drifted, 1, "", "make x") };
    let world = filled(vec![("a.md", vec![waived, command(Verdict::Verified, 2, "", "make y")])]);
    let health = health(&mut world.client(), None);
    assert_eq!(
        (&health["suppressed"], &health["drifted"], &health["score"]),
        (&json!(1), &json!(0), &json!(1.0))
    );
    assert_eq!((&health["total_claims"], &health["hotspots"]), (&json!(2), &json!([])));
}

#[test]
fn docalign_get_doc_health_of_a_single_claim_has_by_file_and_hotspots() {
    let one = judged(Verdict::Drifted, ClaimType::ApiRoute, (1, "", "GET /x", "`GET /x`"));
    let health = health(&mut filled(vec![("a.md", vec![one])]).client(), Some("a.md"));
    assert_eq!((&health["by_file"]["a.md"]["drifted"], &health["hotspots"]), (&json!(1), &json!(["a.md"])));
    assert_eq!((&health["score"], &health["by_type"]), (&json!(0.0), &json!({"api_route": 1})));
}

#[test]
fn docalign_get_doc_health_names_at_most_five_hotspots_by_drift_then_by_path() {
    let names = ["f", "b", "a", "c", "e", "d"];
    let drifted = [1, 2, 2, 9, 1, 1];
    let documents = names.into_iter().zip(drifted).map(|(name, count)| (name, claims(0, count, 0))).collect();
    let health = health(&mut filled(documents).client(), None);
    assert_eq!(health["hotspots"], json!(["c", "a", "b", "d", "e"]));
}

#[test]
fn docalign_get_doc_health_of_many_files_is_cut_and_goes_on() {
    let names: Vec<String> = (0..40).map(|number| format!("f{number:02}.md")).collect();
    let world = filled(names.iter().map(|name| (name.as_str(), claims(1, 0, 0))).collect());
    let mut client = world.client();
    let mut files = 0;
    let mut arguments = json!({"max_chars": 1500});
    loop {
        let answer = client.call("get_doc_health", arguments.clone());
        assert_eq!(answer["health"]["total_claims"], 40);
        files += answer["health"]["by_file"].as_object().unwrap().len();
        let Some(cursor) = answer.get("cursor") else { break };
        arguments["cursor"] = cursor.clone();
    }
    assert_eq!(files, 40);
}

#[test]
fn docalign_get_doc_health_takes_the_whole_path_of_a_file_on_this_machine() {
    let world = world();
    let root = world.docs.parent().unwrap();
    let mut client = world.client();
    for path in ["docs/deploy.md", "docs"] {
        let whole = root.join(path);
        assert_eq!(health(&mut client, whole.to_str()), health(&mut client, Some(path)), "{path}");
    }
}
