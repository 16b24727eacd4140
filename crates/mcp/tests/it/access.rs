//! A token that is limited to collections: whoever comes with it must not learn that there is anything else.
//!
//! Every request that there is is made with such a token beside a collection, a library and docs health full of secret words, on
//! every store. The same requests are made without a limit, to show that the words are there to be found.

use std::collections::BTreeSet;
use std::sync::Arc;

use docent_claims::Verdict;
use docent_index::Store;
use docent_mcp::{Choice, ServerOptions};
use docent_store_postgres::{PostgresOptions, PostgresStore};
use docent_testkit::{Database, Postgres};
use serde_json::{Value, json};

use crate::callers::{connect, with_token};
use crate::client::{Client, Era};
use crate::docalign_world::{command, record};
use crate::world::{NOW, Setup, World, wait_until};

/// What must not be learned, and what stands in its place where nothing of the kind is there.
const SECRETS: &[(&str, &str)] = &[
    ("obsidian", "aquarium"),
    ("onyx", "coal"),
    ("granite", "marble"),
    ("vault", "attic"),
    ("blueprint", "cupboard"),
    ("zanzibar", "timbuktu"),
    ("heron", "stork"),
    ("quetzal", "toucan"),
    ("quokka", "wombat"),
    ("clearance", "altitude"),
    ("cosmic", "alpine"),
    ("ocelot", "badger"),
    ("narwhal", "dolphin"),
];

const BLUEPRINT: &str = "---\nmetadata:\n  clearance: cosmic\n---\n# Zanzibar Heron\n\nThe heron nests.\n\n## Quetzal\n\n\
    Type `make quetzal` to build the widget.\n";
const GUIDE: &str =
    "# Guide\n\nHow to build the widget.\n\n## Build\n\nType `make build` to build the widget.\n";
/// The scopes of the limited token.
const SCOPES: [&str; 4] = ["docs:read", "docs:write", "collection:docs", "collection:mine*"];

/// What a request is expected to do for who may see everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Without {
    /// Tells a secret.
    Tells,
    /// Says nothing that was not in the request.
    Silent,
}

struct Place {
    world: World,
    /// The id of a document in a library that is not to be known of.
    secret_id: String,
    _database: Option<Database>,
}

/// A server on each store that there is.
fn places() -> Vec<Place> {
    let on = |database: Database| {
        let store = PostgresStore::open(&database.url(), PostgresOptions::default()).unwrap();
        place(Some(Arc::new(store)), Some(database))
    };
    let databases = (0..3).filter_map(|at| Some(Postgres::server(at)?.database()));
    std::iter::once(place(None, None)).chain(databases.map(on)).collect()
}

fn place(store: Option<Arc<dyn Store>>, database: Option<Database>) -> Place {
    let instructions = json!({"version": "1", "mcpServerInstructions": "Feed the quokka."}).to_string();
    let setup = Setup::new(&[("guide.md", GUIDE)]).folder(
        "obsidian",
        &[
            ("vault/blueprint.md", BLUEPRINT),
            (".docs-mcp.json", &instructions),
            // Twice the same key is a fault that the status names.
            ("ocelot/.docs-mcp.json", "{\"version\": 7}"),
        ],
    );
    let options = ServerOptions {
        choice: Choice { toolsets: vec!["all".to_owned()], ..Choice::default() },
        ..ServerOptions::default()
    };
    let setup = Setup {
        aliases: vec![("onyx", "obsidian"), ("rock", "docs")],
        expected: vec!["docs", "granite"],
        background: false,
        options,
        store,
        ..setup
    };
    let world = setup.writable().start();
    let mut client = world.client();
    let taken = |client: &mut Client, name: &str, library: &str, text: &str| {
        let arguments = json!({"content": text, "name": name, "library": library});
        client.call("ingest_content", arguments)["doc_id"].as_str().unwrap().to_owned()
    };
    let secret_id =
        taken(&mut client, "narwhal.md", "obsidian-memos", "# Narwhal\n\nA narwhal in the widget.\n");
    taken(&mut client, "own.md", "mine", "# Own\n\nMy own widget.\n");
    let documents = vec![
        ("docs/guide.md", vec![command(Verdict::Verified, 7, "Build", "make build")]),
        ("obsidian/vault/blueprint.md", vec![command(Verdict::Drifted, 11, "Quetzal", "make quetzal")]),
        ("vault/blueprint.md", vec![command(Verdict::Drifted, 1, "Quetzal", "make quetzal")]),
    ];
    record(&world, NOW, documents);
    Place { world, secret_id, _database: database }
}

/// Every call of a tool that could lead to something secret.
fn calls(secret_id: &str) -> Vec<(&'static str, Value, Without)> {
    use Without::{Silent, Tells};
    let page = "vault/blueprint.md";
    vec![
        ("search_docs", json!({"query": "widget"}), Tells),
        ("search_docs", json!({"query": "zanzibar heron"}), Tells),
        ("search_docs", json!({"query": "heron", "mode": "semantic", "top_k": 20}), Tells),
        ("search_docs", json!({"query": "heron", "mode": "lexical"}), Tells),
        ("search_docs", json!({"query": "widget", "collection": "obsidian"}), Tells),
        ("search_docs", json!({"query": "widget", "collection": "onyx"}), Tells),
        ("search_docs", json!({"query": "widget", "collection": "granite"}), Silent),
        ("search_docs", json!({"query": "widget", "file_filter": "vault/**"}), Tells),
        ("search_docs", json!({"query": "widget", "file_filter": "**/blueprint.md"}), Tells),
        ("search_docs", json!({"query": "widget", "clearance": "cosmic"}), Tells),
        ("search_docs", json!({"query": "widget", "clearance": "none"}), Tells),
        ("search_docs", json!({"query": "widget", "verified_only": true}), Silent),
        ("get_doc", json!({"chunk_id": format!("{page}#zanzibar-heron")}), Tells),
        ("get_doc", json!({"chunk_id": format!("{page}#zanzibar-heron"), "collection": "obsidian"}), Tells),
        ("get_doc", json!({"chunk_id": "blueprint"}), Silent),
        ("get_page", json!({"file_path": page}), Tells),
        ("get_page", json!({"file_path": "blueprint.md"}), Silent),
        ("get_page", json!({"file_path": "obsidian/vault/blueprint.md"}), Tells),
        ("get_page", json!({"file_path": page, "collection": "obsidian"}), Tells),
        ("get_page", json!({"file_path": "../obsidian/vault/blueprint.md", "collection": "docs"}), Silent),
        ("get_section", json!({"file_path": page, "heading_path": "Zanzibar Heron > Quetzal"}), Tells),
        ("get_section", json!({"file_path": page, "heading_path": "Quetzal", "collection": "onyx"}), Tells),
        ("list_pages", json!({}), Tells),
        ("list_pages", json!({"prefix": "vault"}), Tells),
        ("list_pages", json!({"collection": "obsidian"}), Tells),
        ("get_status", json!({}), Tells),
        ("get_docs", json!({"query": "widget build quetzal"}), Tells),
        ("get_docs", json!({"query": "make quetzal"}), Tells),
        ("get_docs", json!({"query": "make quetzal", "verified_only": true}), Silent),
        ("get_doc_health", json!({}), Tells),
        ("get_doc_health", json!({"path": "obsidian"}), Tells),
        ("get_doc_health", json!({"path": "obsidian/vault/blueprint.md"}), Tells),
        ("get_doc_health", json!({"path": page}), Tells),
        ("list_stale_docs", json!({"max_results": 100}), Tells),
        (
            "report_drift",
            json!({"doc_file": "obsidian/vault/blueprint.md", "claim_text": "make quetzal", "actual_behavior": "no"}),
            Silent,
        ),
        (
            "report_drift",
            json!({"doc_file": page, "claim_text": "make quetzal", "actual_behavior": "no"}),
            Silent,
        ),
        ("documents_list_collections", json!({}), Tells),
        ("documents_list_documents", json!({"collection": "obsidian"}), Tells),
        ("documents_list_documents", json!({"collection": "onyx"}), Tells),
        ("documents_search", json!({"query": "widget"}), Tells),
        ("documents_search", json!({"query": "heron", "hybridSearch": false}), Tells),
        ("documents_search", json!({"query": "widget", "collections": ["obsidian"]}), Tells),
        ("documents_search", json!({"query": "widget", "collections": ["docs", "obsidian"]}), Tells),
        ("documents_search_batch", json!({"queries": ["widget", "heron"]}), Tells),
        ("documents_get_document", json!({"collection": "obsidian", "document": page}), Tells),
        ("documents_get_document", json!({"collection": "docs", "document": page}), Silent),
        ("documents_get_outline", json!({"collection": "obsidian", "document": page}), Tells),
        (
            "documents_get_section",
            json!({"collection": "obsidian", "document": page, "section": "Quetzal"}),
            Tells,
        ),
        ("documents_find_related", json!({"collection": "docs", "document": "guide.md", "limit": 20}), Tells),
        ("documents_find_related", json!({"collection": "obsidian", "document": page}), Silent),
        ("ingest_file", json!({"path": "../obsidian/vault/blueprint.md", "library": "mine"}), Silent),
        ("ingest_folder", json!({"path": "../obsidian", "library": "mine"}), Silent),
        ("ingest_url", json!({"url": "http://127.0.0.1:1/", "library": "obsidian-memos"}), Silent),
        (
            "ingest_content",
            json!({"content": "x", "name": "narwhal.md", "library": "obsidian-memos"}),
            Silent,
        ),
        ("ingest_content", json!({"content": "x", "name": "x.md", "library": "obsidian"}), Silent),
        ("ingest_content", json!({"content": "x", "name": "x.md"}), Silent),
        ("search", json!({"query": "widget"}), Tells),
        ("search", json!({"query": "narwhal", "library": "obsidian-memos"}), Tells),
        ("search", json!({"query": "widget", "filter": {"library": "obsidian"}}), Tells),
        ("search", json!({"query": "widget", "filter": {"doc_id": secret_id}}), Tells),
        ("search", json!({"query": "widget", "filter": {"source": "narwhal.md"}}), Tells),
        ("search", json!({"query": "widget", "filter": {"title": "Narwhal"}}), Tells),
        ("list_documents", json!({"limit": 100}), Tells),
        ("list_documents", json!({"library": "obsidian-memos"}), Tells),
        ("list_libraries", json!({}), Tells),
        ("get_document", json!({"doc_id": secret_id}), Tells),
        ("delete_document", json!({"doc_id": secret_id}), Silent),
    ]
}

/// Every other request that could.
fn requests() -> Vec<(&'static str, Value, Without)> {
    use Without::{Silent, Tells};
    let page = "docent://obsidian/vault/blueprint.md";
    let complete = |part: &str, typed: &str, known: Value| {
        json!({
            "ref": {"type": "ref/resource", "uri": "docent://{collection}/{+path}"},
            "argument": {"name": part, "value": typed},
            "context": {"arguments": known},
        })
    };
    let drifted = json!({"ref": {"type": "ref/prompt", "name": "whats_drifted"}, "argument": {"name": "path", "value": ""}});
    vec![
        ("tools/list", json!({}), Tells),
        ("resources/list", json!({}), Tells),
        ("resources/templates/list", json!({}), Silent),
        ("resources/read", json!({"uri": page}), Tells),
        ("resources/read", json!({"uri": format!("{page}#quetzal")}), Silent),
        ("resources/read", json!({"uri": "docent://obsidian-memos/narwhal.md"}), Tells),
        ("resources/read", json!({"uri": "docent://onyx/vault/blueprint.md"}), Tells),
        ("resources/read", json!({"uri": "docent://docs/../obsidian/vault/blueprint.md"}), Silent),
        ("prompts/list", json!({}), Silent),
        ("prompts/get", json!({"name": "whats_drifted", "arguments": {"path": "x"}}), Silent),
        ("prompts/get", json!({"name": "nope"}), Silent),
        ("completion/complete", complete("collection", "", json!({})), Tells),
        ("completion/complete", complete("collection", "obs", json!({})), Tells),
        ("completion/complete", complete("path", "", json!({})), Tells),
        ("completion/complete", complete("path", "", json!({"collection": "obsidian"})), Tells),
        (
            "completion/complete",
            complete("section", "", json!({"collection": "obsidian", "path": "vault/blueprint.md"})),
            Tells,
        ),
        ("completion/complete", drifted, Tells),
    ]
}

/// What is secret in a text, apart from what stands in the request.
fn told(answer: &Value, request: &str) -> BTreeSet<&'static str> {
    let (answer, request) = (answer.to_string().to_lowercase(), request.to_lowercase());
    let secrets = SECRETS.iter().map(|(secret, _)| *secret);
    secrets.filter(|secret| answer.contains(secret) && !request.contains(secret)).collect()
}

/// The same text with everything that is secret put differently.
fn put_differently(text: &str) -> String {
    let mut text = text.to_owned();
    for (secret, other) in SECRETS {
        let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
        text = text.replace(secret, other).replace(&capital(secret), &capital(other));
    }
    text
}

/// An answer without what is never twice the same.
fn lasting(mut answer: Value) -> String {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                fields.retain(|name, _| {
                    !matches!(
                        name.as_str(),
                        "id" | "query_ms" | "uptime_seconds" | "text" | "report_id" | "claim_id"
                    )
                });
                fields.values_mut().for_each(strip);
            }
            Value::Array(items) => items.iter_mut().for_each(strip),
            _ => {}
        }
    }
    strip(&mut answer);
    answer.to_string()
}

/// What somebody learns from a request: what is secret in the answer and was not in the question, what is secret in the hits of a
/// search, and whether a question about nothing at all is answered differently.
fn learned(client: &mut Client, method: &str, params: &Value) -> Option<String> {
    let request = params.to_string();
    let answer = client.ask(method, params.clone());
    let secret = told(&answer, &request);
    if !secret.is_empty() {
        return Some(format!("{secret:?}: {answer:#}"));
    }
    let question = json!([params["arguments"]["query"], params["arguments"]["queries"]]);
    // Other words find other things.
    if !told(&question, "").is_empty() {
        let found = &answer["result"]["structuredContent"];
        let mut hits = json!([found["results"], found["sections"]]);
        // Several questions are repeated with their answers.
        hits[0].as_array_mut().into_iter().flatten().for_each(|hit| drop(hit["query"].take()));
        let secret = told(&hits, "");
        return (!secret.is_empty()).then(|| format!("{secret:?}: {answer:#}"));
    }
    let (answer, other) =
        (put_differently(&lasting(answer)), serde_json::from_str(&put_differently(&request)));
    let unknown = lasting(client.ask(method, other.unwrap()));
    (answer != unknown).then(|| format!("{answer}\ninstead of\n{unknown}"))
}

#[test]
fn no_request_with_a_limited_token_tells_anything_of_other_collections() {
    for place in places() {
        let mut client = with_token(&place.world, "ann", &SCOPES);
        let mut check = |method: &str, params: Value| {
            if let Some(learned) = learned(&mut client, method, &params) {
                panic!("{method} {params} tells {learned}");
            }
        };
        for (tool, arguments, _) in calls(&place.secret_id) {
            check("tools/call", json!({"name": tool, "arguments": arguments}));
        }
        requests().into_iter().for_each(|(method, params, _)| check(method, params));
        // Nothing was written that way, either.
        let kept = place.world.client().call("get_document", json!({"doc_id": place.secret_id}));
        assert!(kept["content"].as_str().unwrap().contains("narwhal in the widget"), "{kept}");
    }
}

#[test]
fn the_same_requests_without_a_limit_do() {
    let place = place(None, None);
    let mut client = place.world.client();
    let mut check = |method: &str, params: Value, without: Without| {
        if without == Without::Tells {
            assert!(learned(&mut client, method, &params).is_some(), "{method} {params} tells nothing");
        }
    };
    for (tool, arguments, without) in calls(&place.secret_id) {
        check("tools/call", json!({"name": tool, "arguments": arguments}), without);
    }
    requests().into_iter().for_each(|(method, params, without)| check(method, params, without));
}

#[test]
fn every_tool_is_tried() {
    let place = place(None, None);
    let tried: BTreeSet<String> = calls("").into_iter().map(|(tool, ..)| tool.to_owned()).collect();
    let tools = place.world.client().tools();
    let offered = tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect();
    assert_eq!(tried, offered);
}

#[test]
fn a_greeting_names_what_the_token_is_for() {
    let place = place(None, None);
    let legacy = connect(&place.world, "ann", &SCOPES, Era::Legacy).initialize();
    let modern = connect(&place.world, "ann", &SCOPES, Era::Modern).request("server/discover", json!({}));
    for greeting in [legacy, modern] {
        let said = greeting["instructions"].as_str().unwrap();
        assert!(said.contains("search_docs") && !said.contains("ingest_file"), "{said}");
        assert_eq!(told(&greeting, ""), BTreeSet::new(), "{said}");
    }
    let whole = place.world.connect(Era::Legacy).initialize();
    assert!(told(&whole, "").contains("quokka") && told(&whole, "").contains("obsidian"), "{whole}");
}

#[test]
fn a_limited_token_works_as_ever_on_what_it_is_for() {
    for place in places() {
        let mut client = with_token(&place.world, "ann", &SCOPES);
        let found = client.call("search_docs", json!({"query": "build the widget", "top_k": 20}));
        let paths: BTreeSet<&str> = found["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|hit| hit["metadata"]["file_path"].as_str().unwrap())
            .collect();
        assert_eq!(paths, ["guide.md", "own.md"].into(), "{found:#}");
        assert_eq!(found["searched"]["collections"].as_array().unwrap().len(), 2, "{found:#}");
        assert_eq!(found["results"][0]["verification"]["status"], "verified", "{found:#}");
        let status = client.call("get_status", json!({}));
        assert_eq!(status["index"]["total_pages"], 2, "{status:#}");
        assert_eq!(client.call("get_doc_health", json!({}))["health"]["total_claims"], 1);
        // Files are read again as for everybody.
        place.world.write("guide.md", "# Guide\n\nEntirely new words.\n");
        let page = client.call("get_page", json!({"file_path": "guide.md", "collection": "rock"}));
        assert!(page.to_string().contains("Entirely new"), "{page}");
        // A library that the pattern allows can be made, filled and deleted.
        let taken = client
            .call("ingest_content", json!({"content": "# New\n", "name": "new.md", "library": "mine-too"}));
        assert_eq!(taken["status"], "indexed", "{taken}");
        let deleted = client.call("delete_document", json!({"doc_id": taken["doc_id"]}));
        assert_eq!(deleted["status"], "deleted", "{deleted}");
    }
}

#[test]
fn what_a_limited_token_may_not_write_to_stays_as_it_is() {
    let place = place(None, None);
    let mut client = with_token(&place.world, "ann", &SCOPES);
    let refused = |client: &mut Client, library: &str| {
        client.fails("ingest_content", json!({"content": "x", "name": "x.md", "library": library}))
    };
    let told = refused(&mut client, "obsidian-memos");
    assert!(
        told.contains("not among those that may be used") && told.contains("scopes of your token"),
        "{told}"
    );
    assert_eq!(told.replace("obsidian-memos", "nothing"), refused(&mut client, "nothing"));
    let unknown = client.ask("tools/call", json!({"name": "ingest_file", "arguments": {"path": "a.md"}}));
    assert!(
        unknown["error"]["message"].as_str().unwrap().starts_with("Unknown tool: ingest_file"),
        "{unknown}"
    );
    let names: Vec<Value> = client.tools().into_iter().map(|tool| tool["name"].clone()).collect();
    assert!(
        names.contains(&json!("ingest_content")) && !names.contains(&json!("ingest_folder")),
        "{names:?}"
    );
}

#[test]
fn a_token_for_the_repository_sees_the_health_of_its_other_files() {
    let place = place(None, None);
    let total = |scopes: &[&str]| {
        let health = with_token(&place.world, "ann", scopes).call("get_doc_health", json!({}));
        let files: Vec<String> = health["health"]["by_file"].as_object().unwrap().keys().cloned().collect();
        files.join(" ")
    };
    assert_eq!(total(&["docs:read"]), "docs/guide.md obsidian/vault/blueprint.md vault/blueprint.md");
    assert_eq!(total(&["docs:read", "collection:docs"]), "docs/guide.md");
    assert_eq!(total(&["docs:read", "collection:acme/*"]), "vault/blueprint.md");
    assert_eq!(total(&["docs:read", "collection:nothing"]), "");
}

#[test]
fn changes_of_what_may_not_be_known_of_are_told_to_nobody() {
    let place = place(None, None);
    let mut client = with_token(&place.world, "ann", &SCOPES);
    let mut whole = place.world.client();
    for client in [&mut client, &mut whole] {
        for uri in ["docent://obsidian/vault/blueprint.md", "docent://docs/guide.md"] {
            client.request("resources/subscribe", json!({"uri": uri}));
        }
    }
    // Whatever came before is told with this change at the latest.
    place.world.write("guide.md", "# Settled\n");
    whole.call("list_pages", json!({}));
    for client in [&mut client, &mut whole] {
        client.notice("notifications/resources/updated");
        client.aside.clear();
    }
    place.world.write_in("obsidian", "vault/blueprint.md", "# Other\n");
    place.world.write_in("obsidian", "vault/new.md", "---\nmetadata:\n  level: high\n---\n# New\n");
    whole.call("list_pages", json!({}));
    let updated = whole.notice("notifications/resources/updated");
    assert_eq!(updated["params"]["uri"], "docent://obsidian/vault/blueprint.md");
    whole.notice("notifications/resources/list_changed");
    whole.notice("notifications/tools/list_changed");
    place.world.write("guide.md", "# Changed\n");
    client.call("list_pages", json!({}));
    let updated = client.notice("notifications/resources/updated");
    assert_eq!(updated["params"]["uri"], "docent://docs/guide.md");
    client.assert_no_notice("notifications/resources/updated");
    client.assert_no_notice("notifications/resources/list_changed");
    client.assert_no_notice("notifications/tools/list_changed");
    place.world.write("second.md", "# Second\n");
    wait_until("the list of pages to change", || {
        client.call("list_pages", json!({}));
        !client.notices("notifications/resources/list_changed").is_empty()
    });
}
