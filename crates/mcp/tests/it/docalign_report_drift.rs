//! DocAlign: `report_drift`.

use docent_health::Decision;
use serde_json::{Value, json};

use crate::client::Era;
use crate::docalign_world::{assert_refused, setup, world};
use crate::world::{NOW, World};

fn report() -> Value {
    json!({
        "doc_file": "docs/deploy.md",
        "line_number": 9,
        "claim_text": "Type make rollback",
        "actual_behavior": "The Makefile has no target rollback",
        "evidence_files": ["Makefile"],
    })
}

fn kept(world: &World) -> Vec<docent_health::ReportRow> {
    world.health.as_ref().unwrap().reports(None).unwrap()
}

fn with(name: &str, value: Value) -> Value {
    let mut report = report();
    report[name] = value;
    report
}

#[test]
fn docalign_report_drift_is_acknowledged_and_kept_word_for_word() {
    let world = world();
    let answer = world.client().call("report_drift", report());
    assert_eq!(answer["acknowledged"], true);
    assert_eq!(answer["claim_id"], answer["report_id"]);
    let [row] = kept(&world).try_into().unwrap();
    assert_eq!(answer["report_id"], row.id.as_str());
    assert_eq!((row.report.doc_file.as_str(), row.report.line_number), ("docs/deploy.md", Some(9)));
    assert_eq!(row.report.claim_text, "Type make rollback");
    assert_eq!(row.report.actual_behavior, "The Makefile has no target rollback");
    assert_eq!((row.report.evidence_files, row.report.created_at), (vec!["Makefile".to_owned()], NOW));
    assert_eq!(row.verification_status, Decision::Pending);
}

#[test]
fn docalign_report_drift_names_the_client_as_agent_type() {
    let world = world();
    world.client().call("report_drift", report());
    world.connect(Era::Modern).call("report_drift", report());
    assert!(kept(&world).iter().all(|row| row.report.agent_type == "tests"), "{:?}", kept(&world));
}

#[test]
fn docalign_report_drift_matches_a_claim_near_the_line_or_very_much_alike() {
    let world = world();
    let mut client = world.client();
    let mut matched = |line: Option<u32>, text: &str| {
        let mut report = with("claim_text", json!(text));
        report["line_number"] = json!(line);
        !client.call("report_drift", report)["matched_claim_id"].is_null()
    };
    assert!(matched(Some(12), "you should type rollback"));
    assert!(!matched(Some(13), "you should type rollback"));
    assert!(!matched(Some(7), "walruses are large"));
    assert!(matched(None, "Type `make rollback`."));
    assert!(!matched(None, "rollback of things"));
}

#[test]
fn docalign_report_drift_without_a_line_or_of_a_file_never_seen_is_accepted() {
    let world = world();
    let arguments = json!({
        "doc_file": "docs/never.md",
        "claim_text": "Deploy using docker-compose up",
        "actual_behavior": "The project uses Kubernetes manifests in k8s/",
    });
    let answer = world.client().call("report_drift", arguments);
    assert_eq!((&answer["acknowledged"], &answer["matched_claim_id"]), (&json!(true), &Value::Null));
    assert!(answer["warning"].as_str().unwrap().contains("no document of this repository"), "{answer}");
    assert!(world.client().call("report_drift", report()).get("warning").is_none());
}

#[test]
fn docalign_report_drift_takes_a_path_as_search_docs_gives_it() {
    let world = world();
    let answer = world.client().call("report_drift", with("doc_file", json!("deploy.md")));
    assert!(answer["matched_claim_id"].is_string(), "{answer}");
    assert_eq!(kept(&world)[0].report.doc_file, "docs/deploy.md");
}

#[test]
fn docalign_report_drift_refuses_what_is_missing() {
    let world = world();
    let mut client = world.client();
    for name in ["doc_file", "claim_text", "actual_behavior"] {
        let message = format!("{name} is required");
        assert_refused(&mut client, "report_drift", with(name, Value::Null), -32602, &message);
        let message = format!("{name} must be a non-empty string");
        assert_refused(&mut client, "report_drift", with(name, json!(" ")), -32602, &message);
        let message = format!("{name} must be a string");
        assert_refused(&mut client, "report_drift", with(name, json!(["x"])), -32602, &message);
    }
    assert!(kept(&world).is_empty());
}

#[test]
fn docalign_report_drift_refuses_lines_and_files_that_cannot_be() {
    let world = world();
    let mut client = world.client();
    for odd in [json!(0), json!(-3), json!("x"), json!(1.5), json!(99_999_999_999i64)] {
        let message = "line_number must be a positive integer";
        assert_refused(&mut client, "report_drift", with("line_number", odd), -32602, message);
    }
    let many: Vec<String> = (0..21).map(|number| format!("f{number}")).collect();
    let message = "evidence_files must be at most 20 items";
    assert_refused(&mut client, "report_drift", with("evidence_files", json!(many)), -32602, message);
    let message = "evidence_files must be items of at most 512 characters";
    let long = json!(["x".repeat(513)]);
    assert_refused(&mut client, "report_drift", with("evidence_files", long), -32602, message);
    let message = "evidence_files must be an array of strings";
    assert_refused(&mut client, "report_drift", with("evidence_files", json!([1])), -32602, message);
    let message = "actual_behavior must be at most 2000 characters";
    let long = json!("x".repeat(2001));
    assert_refused(&mut client, "report_drift", with("actual_behavior", long), -32602, message);
    assert!(kept(&world).is_empty());
}

#[test]
fn docalign_report_drift_cuts_a_long_claim_to_2000_characters() {
    let world = world();
    let answer = world.client().call("report_drift", with("claim_text", json!("ä".repeat(2001))));
    assert_eq!(answer["truncated"], true);
    assert_eq!(kept(&world)[0].report.claim_text.chars().count(), 2000);
    let answer = world.client().call("report_drift", with("claim_text", json!("ä".repeat(2000))));
    assert_eq!(answer.get("truncated"), None);
}

#[test]
fn docalign_report_drift_accepts_evidence_outside_of_the_repository_with_a_warning() {
    let answer = world().client().call("report_drift", with("evidence_files", json!(["../../etc/passwd"])));
    assert_eq!(answer["acknowledged"], true);
    assert!(answer["warning"].is_string(), "{answer}");
}

#[test]
fn docalign_report_drift_of_the_same_claim_twice_is_two_reports() {
    let world = world();
    let mut client = world.client();
    let (one, other) = (client.call("report_drift", report()), client.call("report_drift", report()));
    assert_ne!(one["report_id"], other["report_id"]);
    assert_eq!(kept(&world).len(), 2);
}

#[test]
fn docalign_report_drift_changes_no_verdict_until_a_person_agrees() {
    let world = world();
    let mut client = world.client();
    let about_cluster = json!({
        "doc_file": "docs/deploy.md", "line_number": 3, "claim_text": "The cluster is made with make cluster",
        "actual_behavior": "It is made by hand",
    });
    let mut drifted =
        || client.call("get_doc_health", json!({"path": "docs/deploy.md"}))["health"]["drifted"].clone();
    assert_eq!(drifted(), 1);
    let id = world.client().call("report_drift", about_cluster)["report_id"].as_str().unwrap().to_owned();
    assert_eq!(drifted(), 1);
    world.health.as_ref().unwrap().decide(&id, Decision::Accepted).unwrap().unwrap();
    assert_eq!(drifted(), 2);
}

#[test]
fn docalign_report_drift_is_not_there_when_only_reading_and_says_so() {
    let mut reading = setup();
    reading.options.choice.read_only = true;
    let world = reading.start();
    let mut client = world.client();
    assert!(client.tools().iter().all(|tool| tool["name"] != "report_drift"));
    let message = "Drift reporting is not available in this version.";
    assert_refused(&mut client, "report_drift", report(), -32603, message);
}

#[test]
fn docalign_report_drift_that_cannot_be_kept_says_so() {
    let world = setup().start();
    std::fs::write(world.index.join("health.sqlite"), "no database".repeat(200)).unwrap();
    let error = world.client().error("tools/call", json!({"name": "report_drift", "arguments": report()}));
    assert_eq!(error["code"], -32603);
}

#[test]
fn docalign_report_drift_names_the_first_parameter_that_is_missing() {
    let world = world();
    let mut client = world.client();
    assert_refused(&mut client, "report_drift", json!({}), -32602, "doc_file is required");
    let file = json!({"doc_file": "README.md"});
    assert_refused(&mut client, "report_drift", file, -32602, "claim_text is required");
}

#[test]
fn docalign_report_drift_takes_the_whole_path_of_a_file_on_this_machine() {
    let world = world();
    let whole = world.docs.parent().unwrap().join("docs/deploy.md");
    let mut report = with("doc_file", json!(whole));
    report["evidence_files"] = json!([whole]);
    let answer = world.client().call("report_drift", report);
    assert_eq!(answer.get("warning"), None, "{answer}");
    assert!(answer["matched_claim_id"].is_string(), "{answer}");
    assert_eq!(kept(&world)[0].report.doc_file, "docs/deploy.md");
}
