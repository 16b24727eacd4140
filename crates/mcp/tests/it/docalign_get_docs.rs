//! DocAlign: `get_docs`.

use docent_claims::Verdict;
use serde_json::{Value, json};

use crate::docalign_world::{assert_refused, command, fill, record, setup, world};
use crate::world::{Keeping, NOW, Setup, Vectors};

fn sections(answer: &Value) -> Vec<(&str, &str)> {
    let sections = answer["sections"].as_array().unwrap();
    sections.iter().map(|it| (it["file"].as_str().unwrap(), it["section"].as_str().unwrap())).collect()
}

#[test]
fn docalign_get_docs_returns_sections_with_verification_metadata() {
    let world = world();
    let answer = world.client().call("get_docs", json!({"query": "password hashing"}));
    let section = &answer["sections"][0];
    assert_eq!(section["file"], "docs/auth.md");
    assert_eq!(section["section"], "Password Hashing");
    assert_eq!(
        section["content"],
        "Authentication uses argon2id with 64MB memory cost, see `src/auth/password.ts`."
    );
    assert_eq!(section["verification_status"], "verified");
    assert_eq!(section["last_verified"], "2026-02-02T02:40:00Z");
    assert_eq!((&section["claims_in_section"], &section["verified_claims"]), (&json!(1), &json!(1)));
    assert_eq!(section["health_score"], 1.0);
    assert_eq!((&section["start_line"], &section["end_line"]), (&json!(7), &json!(7)));
    assert_eq!(section.get("problems"), None);
}

#[test]
fn docalign_get_docs_finds_documents_outside_of_the_indexed_folder_by_their_claims() {
    let answer = world().client().call("get_docs", json!({"query": "AUTH_SECRET"}));
    assert_eq!(sections(&answer)[0], ("README.md", "Getting Started"));
    assert_eq!(answer["sections"][0]["verification_status"], "uncertain");
}

#[test]
fn docalign_get_docs_finds_a_section_by_words_that_no_claim_has() {
    // The claim says `make rollback`; the heading and the page are about deployment.
    let answer = world().client().call("get_docs", json!({"query": "deployment rollback"}));
    assert!(sections(&answer).contains(&("docs/deploy.md", "Rollback")), "{answer}");
}

#[test]
fn docalign_get_docs_says_what_broke_in_which_commit_and_what_to_write_instead() {
    let answer = world().client().call("get_docs", json!({"query": "rollback"}));
    let section = &answer["sections"][0];
    assert_eq!((&section["verification_status"], &section["health_score"]), (&json!("drifted"), &json!(0.0)));
    let problem = &section["problems"][0];
    assert_eq!((&problem["line"], &problem["named"]), (&json!(7), &json!("make rollback")));
    assert_eq!(
        (&problem["broke_commit"], &problem["suggested_fix"]),
        (&json!("4c1d77e0aa"), &json!("make undo"))
    );
    let reason = problem["reason"].as_str().unwrap();
    assert!(reason.contains("4c1d77e \"split server\" (2025-09-13)"), "{reason}");
}

#[test]
fn docalign_get_docs_verified_only_leaves_out_everything_else() {
    let world = world();
    let mut client = world.client();
    let all = client.call("get_docs", json!({"query": "authentication"}));
    assert!(sections(&all).iter().any(|(file, _)| *file == "README.md"), "{all}");
    let answer = client.call("get_docs", json!({"query": "authentication", "verified_only": true}));
    assert!(!sections(&answer).is_empty(), "{answer}");
    for section in answer["sections"].as_array().unwrap() {
        assert_eq!(
            (&section["verification_status"], &section["health_score"]),
            (&json!("verified"), &json!(1.0))
        );
    }
    assert_eq!(sections(&client.call("get_docs", json!({"query": "rollback", "verified_only": true}))), []);
}

#[test]
fn docalign_get_docs_refuses_an_empty_query() {
    let world = world();
    let mut client = world.client();
    for query in ["", "   ", "\n"] {
        let message = "query must be a non-empty string";
        assert_refused(&mut client, "get_docs", json!({"query": query}), -32602, message);
    }
    assert_refused(&mut client, "get_docs", json!({}), -32602, "query is required");
    assert_refused(&mut client, "get_docs", json!({"query": null}), -32602, "query is required");
    assert_refused(&mut client, "get_docs", json!({"query": 7}), -32602, "query must be a string");
    let odd = json!({"query": "x", "verified_only": "yes"});
    assert_refused(&mut client, "get_docs", odd, -32602, "verified_only must be true or false");
}

#[test]
fn docalign_get_docs_refuses_a_parameter_that_there_is_not() {
    let error = world().client().error("tools/call", json!({"name": "get_docs", "arguments": {"q": "x"}}));
    assert_eq!(error["code"], -32602);
    assert!(error["message"].as_str().unwrap().contains("query"), "{error}");
}

#[test]
fn docalign_get_docs_without_a_match_is_an_empty_list_and_no_error() {
    assert_eq!(world().client().call("get_docs", json!({"query": "zebra"})), json!({"sections": []}));
}

#[test]
fn docalign_get_docs_of_a_repository_without_claims_is_an_empty_list_and_no_error() {
    let world = setup().start();
    assert_eq!(world.client().call("get_docs", json!({"query": "authentication"})), json!({"sections": []}));
}

#[test]
fn docalign_get_docs_without_vectors_goes_by_words() {
    let world = Setup { vectors: Vectors::None, ..setup() }.start();
    fill(&world);
    let answer = world.client().call("get_docs", json!({"query": "password hashing"}));
    assert_eq!(sections(&answer)[0], ("docs/auth.md", "Password Hashing"));
}

#[test]
fn docalign_get_docs_takes_the_worst_status_of_a_section() {
    let world = setup().start();
    let both = |first: Verdict, second: Verdict| {
        let claims = vec![command(first, 3, "A", "make walrus"), command(second, 4, "A", "make otter")];
        record(&world, NOW, vec![("x.md", claims)]);
        let answer = world.client().call("get_docs", json!({"query": "walrus"}));
        answer["sections"][0]["verification_status"].as_str().unwrap().to_owned()
    };
    assert_eq!(both(Verdict::Verified, Verdict::Verified), "verified");
    assert_eq!(both(Verdict::Verified, Verdict::Uncertain), "uncertain");
    assert_eq!(both(Verdict::Drifted, Verdict::Uncertain), "drifted");
}

#[test]
fn docalign_get_docs_counts_all_claims_of_a_section_and_not_only_those_that_match() {
    let world = setup().start();
    let claims = vec![
        command(Verdict::Verified, 3, "A", "make walrus"),
        command(Verdict::Drifted, 4, "A", "make otter"),
        command(Verdict::Drifted, 5, "A", "make heron"),
    ];
    record(&world, NOW, vec![("x.md", claims)]);
    let section = &world.client().call("get_docs", json!({"query": "walrus"}))["sections"][0];
    assert_eq!((&section["claims_in_section"], &section["verified_claims"]), (&json!(3), &json!(1)));
    assert!((section["health_score"].as_f64().unwrap() - 1.0 / 3.0).abs() < 1e-9);
    assert_eq!(section["problems"].as_array().unwrap().len(), 2);
}

#[test]
fn docalign_get_docs_names_a_section_by_its_heading_and_by_the_file_only_without_headings() {
    let world = setup().start();
    record(&world, NOW, vec![("deep/plain.md", vec![command(Verdict::Verified, 1, "", "make walrus")])]);
    let answer = world.client().call("get_docs", json!({"query": "walrus"}));
    assert_eq!(sections(&answer), [("deep/plain.md", "plain.md")]);
}

#[test]
fn docalign_get_docs_answers_with_twenty_sections_at_most() {
    let world = setup().start();
    let names: Vec<String> = (0..30).map(|number| format!("f{number:02}.md")).collect();
    let documents =
        names.iter().map(|name| (name.as_str(), vec![command(Verdict::Verified, 1, "", "make walrus")]));
    record(&world, NOW, documents.collect());
    let answer = world.client().call("get_docs", json!({"query": "walrus"}));
    assert_eq!(answer["sections"].as_array().unwrap().len(), 20);
}

#[test]
fn docalign_get_docs_is_cut_to_max_chars_and_goes_on_with_its_cursor() {
    let world = setup().start();
    let names: Vec<String> = (0..9).map(|number| format!("f{number}.md")).collect();
    let documents =
        names.iter().map(|name| (name.as_str(), vec![command(Verdict::Verified, 1, "", "make walrus")]));
    record(&world, NOW, documents.collect());
    let mut client = world.client();
    let whole = sections(&client.call("get_docs", json!({"query": "walrus"}))).len();
    let mut found = 0;
    let mut arguments = json!({"query": "walrus", "max_chars": 900});
    loop {
        let answer = client.call("get_docs", arguments.clone());
        found += sections(&answer).len();
        let Some(cursor) = answer.get("cursor") else { break };
        assert_eq!(answer["truncated"], true);
        arguments["cursor"] = cursor.clone();
    }
    assert_eq!(found, whole);
}

#[test]
fn docalign_get_docs_sees_a_new_verification_at_once() {
    let world = world();
    let mut client = world.client();
    let ask = json!({"query": "rollback"});
    assert_eq!(client.call("get_docs", ask.clone())["sections"][0]["verification_status"], "drifted");
    let fixed = vec![command(Verdict::Verified, 7, "Rollback", "make rollback")];
    record(&world, NOW, vec![("docs/deploy.md", fixed)]);
    assert_eq!(client.call("get_docs", ask)["sections"][0]["verification_status"], "verified");
}

#[test]
fn docalign_get_docs_that_takes_too_long_is_a_timeout() {
    let first = setup().start();
    let many =
        (1..3000).map(|line| command(Verdict::Verified, line, "", &format!("make walrus{line}"))).collect();
    record(&first, NOW, vec![("x.md", many)]);
    let world = first.restart(Setup { health: Keeping::Impatient, ..setup() });
    let message = "Query timed out. Try a more specific search.";
    assert_refused(&mut world.client(), "get_docs", json!({"query": "make walrus"}), -32603, message);
}

#[test]
fn docalign_get_docs_over_a_broken_database_says_so_and_the_server_lives() {
    let world = setup().start();
    std::fs::write(world.index.join("health.sqlite"), "no database".repeat(200)).unwrap();
    let mut client = world.client();
    let message = "Database connection error. Check DOCALIGN_DATABASE_URL.";
    let error = assert_refused(&mut client, "get_docs", json!({"query": "x"}), -32603, message);
    assert!(error["data"]["hint"].is_string(), "{error}");
    assert_refused(&mut client, "get_doc_health", json!({}), -32603, message);
    assert_refused(&mut client, "list_stale_docs", json!({}), -32603, message);
    client.assert_alive("a broken database");
}
