//! Every hit of every search says how its lines agree with the code.

use docent_claims::Verdict;
use serde_json::{Value, json};

use crate::docalign_world::{command, fill, record, setup, world};
use crate::world::{NOW, World};

fn all_tools() -> World {
    let mut setup = setup();
    setup.options.choice.toolsets = vec!["all".to_owned()];
    let world = setup.start();
    fill(&world);
    world
}

#[test]
fn a_hit_of_every_search_carries_its_verification() {
    let world = all_tools();
    let mut client = world.client();
    for (tool, arguments) in [
        ("search_docs", json!({"query": "rollback"})),
        ("documents_search", json!({"query": "rollback"})),
        ("search", json!({"query": "rollback"})),
    ] {
        let answer = client.call(tool, arguments);
        let verification = &answer["results"][0]["verification"];
        assert_eq!(verification["status"], "drifted", "{tool}: {answer}");
        assert_eq!((&verification["verified"], &verification["drifted"]), (&json!(0), &json!(1)), "{tool}");
        assert_eq!(verification["last_verified"], "2026-02-02T02:40:00Z");
        let reason = verification["reasons"][0].as_str().unwrap();
        assert!(
            reason.starts_with("line 7: `make rollback` existed") && reason.contains("make undo"),
            "{reason}"
        );
    }
    let batch = client.call("documents_search_batch", json!({"queries": ["rollback"]}));
    assert_eq!(batch["results"][0]["results"][0]["verification"]["status"], "drifted");
}

#[test]
fn a_hit_that_claims_nothing_says_nothing() {
    let answer = world().client().call("search_docs", json!({"query": "how people get in", "top_k": 1}));
    assert_eq!(answer["results"][0]["metadata"]["heading_path"], "Authentication", "{answer}");
    assert_eq!(answer["results"][0].get("verification"), None, "{answer}");
}

#[test]
fn the_order_of_hits_does_not_depend_on_verdicts() {
    let plain = setup().start();
    let ids = |world: &World| -> Vec<Value> {
        let answer =
            world.client().call("search_docs", json!({"query": "make cluster rollback", "top_k": 9}));
        answer["results"].as_array().unwrap().iter().map(|hit| hit["chunk_id"].clone()).collect()
    };
    assert_eq!(ids(&plain), ids(&world()));
}

#[test]
fn verified_only_is_applied_before_cutting_to_k() {
    let world = all_tools();
    // Forty pages say the word more often than the one that was verified.
    for number in 0..40 {
        world.write(&format!("p{number}.md"), "# P\n\nwalrus walrus walrus `make x`\n");
    }
    world.write("z.md", "# Z\n\nOnce a walrus typed `make z`.\n");
    let mut client = world.client();
    client.call("search_docs", json!({"query": "walrus"}));
    record(&world, NOW, vec![("docs/z.md", vec![command(Verdict::Verified, 3, "Z", "make z")])]);
    for (tool, path) in
        [("search_docs", "/metadata/file_path"), ("documents_search", "/documentId"), ("search", "/source")]
    {
        let answer = client.call(tool, json!({"query": "walrus", "verified_only": true}));
        let hits: Vec<&Value> =
            answer["results"].as_array().unwrap().iter().map(|hit| hit.pointer(path).unwrap()).collect();
        assert!(hits.contains(&&json!("z.md")), "{tool}: {answer}");
        let all = answer["results"].as_array().unwrap();
        assert!(all.iter().all(|hit| hit["verification"]["status"] == "verified"), "{tool}: {answer}");
    }
}

#[test]
fn pages_of_verified_hits_go_on_and_a_new_verification_ends_them() {
    let world = world();
    let mut client = world.client();
    let ask = json!({"query": "authentication make", "verified_only": true, "top_k": 1});
    let first = client.call("search_docs", ask.clone());
    assert_eq!(first["total_chunks"], 3);
    let mut next = ask;
    next["cursor"] = first["next_cursor"].clone();
    let second = client.call("search_docs", next.clone());
    assert_ne!(first["results"][0]["chunk_id"], second["results"][0]["chunk_id"]);
    record(&world, NOW, vec![("docs/auth.md", Vec::new())]);
    assert!(client.refused("search_docs", next).contains("cursor"));
}

#[test]
fn a_page_that_has_changed_since_says_so_and_is_not_verified() {
    let world = world();
    world.write(
        "auth.md",
        "# Authentication\n\n## Password Hashing\n\nargon2id, see `src/other.ts`.\n\nmore\n",
    );
    let mut client = world.client();
    let answer = client.call("search_docs", json!({"query": "argon2id", "top_k": 1}));
    assert_eq!(answer["results"][0]["verification"]["outdated"], true, "{answer}");
    let answer = client.call("search_docs", json!({"query": "argon2id", "verified_only": true}));
    let is_old = |hit: &Value| hit["metadata"]["file_path"] == "auth.md";
    assert!(!answer["results"].as_array().unwrap().iter().any(is_old), "{answer}");
}
