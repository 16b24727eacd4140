//! mcpvectordb: libraries that come while the server runs, and calls that are stopped, many or refused.

use std::sync::{Arc, Mutex};

use docent_engine::Cancel;
use docent_library::{Conversion, Convert, InProcess, LibraryError};
use serde_json::{Value, json};

use crate::mcpvectordb_world::{NOTES, ingest, results, setup};
use crate::world::{Setup, World, wait_until};

const TOOLS: &str = "notifications/tools/list_changed";
const LIST: &str = "notifications/resources/list_changed";
const UPDATED: &str = "notifications/resources/updated";

/// A server of all toolsets that was told to serve `docs` and nothing else.
fn scoped() -> World {
    let mut setup = setup().folder("secret", &[("plan.md", "# Plan\n\nThe numbat plan.\n")]);
    setup.options.choice.toolsets = vec!["all".to_owned()];
    setup.options.collections = vec!["docs".to_owned()];
    setup.start()
}

#[test]
fn mcpvectordb_a_new_library_is_in_every_tool_at_once_although_others_are_not_served() {
    let world = scoped();
    let mut client = world.client();
    client.tools();
    ingest(&mut client, "zoo", "notes.md", NOTES);
    let found = client.call("search_docs", json!({"query": "quokka"}));
    assert_eq!(found["results"][0]["metadata"]["collection"], "zoo", "{found}");
    let found = client.call("documents_search", json!({"query": "quokka", "collections": ["zoo"]}));
    assert_eq!(found["results"][0]["documentId"], "notes.md");
    let listed = client.call("documents_list_collections", json!({}))["collections"].clone();
    let names: Vec<&Value> = listed.as_array().unwrap().iter().map(|it| &it["collection"]).collect();
    assert_eq!(names, ["docs", "zoo"]);
    let listed = client.call("list_libraries", json!({}))["libraries"].clone();
    let names: Vec<&Value> = listed.as_array().unwrap().iter().map(|it| &it["library"]).collect();
    assert_eq!(names, ["docs", "zoo"]);
    let found = client.call("search_docs", json!({"query": "quokka", "collection": "zoo"}));
    assert_eq!(found["results"][0]["metadata"]["file_path"], "notes.md", "{found}");
}

#[test]
fn mcpvectordb_the_tools_stay_the_same_whatever_is_taken_in() {
    let setup = || {
        let mut setup = setup();
        setup.options.choice.toolsets = vec!["all".to_owned()];
        setup
    };
    let world = setup().start();
    let mut client = world.client();
    let before = client.request("tools/list", json!({})).to_string();
    ingest(&mut client, "zoo", "notes.md", NOTES);
    ingest(&mut client, "other", "tagged.md", "---\nlanguage: zig\n---\n# Tagged\n");
    assert_eq!(client.request("tools/list", json!({})).to_string(), before);
    drop(client);
    let world = world.restart(setup());
    assert_eq!(world.client().request("tools/list", json!({})).to_string(), before);
}

#[test]
fn mcpvectordb_what_is_not_served_is_neither_searched_nor_read_nor_deleted() {
    let all = setup().folder("secret", &[("plan.md", "# Plan\n\nThe numbat plan.\n")]).start();
    let id =
        results(&mut all.client(), json!({"query": "numbat plan", "library": "secret"}))[0]["doc_id"].clone();
    let mut again = setup().folder("secret", &[]);
    again.options.collections = vec!["docs".to_owned()];
    let world = all.restart(again);
    let mut client = world.client();
    assert!(results(&mut client, json!({"query": "numbat"})).iter().all(|hit| hit["library"] == "docs"));
    let read = client.fails("get_document", json!({"doc_id": id}));
    let deleted = client.fails("delete_document", json!({"doc_id": id}));
    assert!(read.starts_with("No document with id") && read == deleted, "{read} {deleted}");
    assert_eq!(client.call("list_documents", json!({}))["total"], 1);
}

#[test]
fn mcpvectordb_clients_are_told_when_a_document_comes_changes_and_goes() {
    let world = scoped();
    let mut client = world.client();
    client.tools();
    let receipt = ingest(&mut client, "zoo", "notes.md", NOTES);
    client.notice(LIST);
    client.request("resources/subscribe", json!({"uri": "docent://zoo/notes.md"}));
    ingest(&mut client, "zoo", "notes.md", "# Other\n");
    assert_eq!(client.notice(UPDATED)["params"]["uri"], "docent://zoo/notes.md");
    client.call("delete_document", json!({"doc_id": receipt["doc_id"]}));
    client.notice(LIST);
    client.assert_no_notice(TOOLS);
}

#[test]
fn mcpvectordb_library_documents_are_resources_whatever_their_source() {
    let world = scoped();
    let path = world.file("field notes.md", NOTES);
    let mut client = world.client();
    client.call("ingest_file", json!({"path": path, "library": "zoo"}));
    ingest(&mut client, "zoo", "odd #name?.md", "# Odd\n");
    let listed = client.request("resources/list", json!({}))["resources"].clone();
    let resources: Vec<&Value> = listed
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["uri"].as_str().unwrap().starts_with("docent://zoo/"))
        .collect();
    assert_eq!(resources.len(), 2, "{listed:#}");
    for (resource, text) in resources.iter().zip([NOTES, "# Odd\n"]) {
        let read = client.request("resources/read", json!({"uri": resource["uri"]}));
        assert_eq!(read["contents"][0]["text"], text, "{resource}");
    }
}

/// Converts when it is let, and says how many wait.
#[derive(Default)]
struct Held {
    waiting: Mutex<usize>,
    stopped: Mutex<usize>,
    open: Mutex<bool>,
}

impl Held {
    fn open(&self) {
        *self.open.lock().unwrap() = true;
    }

    fn close(&self) {
        *self.open.lock().unwrap() = false;
    }

    fn wait_for(&self, count: usize) {
        wait_until("calls to be held", || *self.waiting.lock().unwrap() == count);
    }
}

impl Convert for Held {
    fn convert(&self, bytes: Vec<u8>, name: &str, cancel: &Cancel) -> Result<Conversion, LibraryError> {
        *self.waiting.lock().unwrap() += 1;
        wait_until("the converter to be opened", || *self.open.lock().unwrap() || cancel.is_cancelled());
        *self.waiting.lock().unwrap() -= 1;
        if cancel.is_cancelled() {
            *self.stopped.lock().unwrap() += 1;
            return Err(LibraryError { message: "stopped".to_owned(), hint: "try again".to_owned() });
        }
        InProcess.convert(bytes, name, cancel)
    }
}

fn held() -> (World, Arc<Held>) {
    let held = Arc::new(Held::default());
    let converter: Arc<dyn Convert> = Arc::clone(&held) as _;
    let world = Setup { converter: Some(converter), ..setup() }.start();
    (world, held)
}

fn ingesting(number: usize) -> Value {
    let name = format!("{number}.html");
    json!({"name": "ingest_content", "arguments": {"content": format!("<p>text {number}"), "name": name}})
}

#[test]
fn mcpvectordb_a_cancelled_call_stops_the_work() {
    let (world, held) = held();
    let mut client = world.client();
    let id = client.begin("tools/call", ingesting(0));
    held.wait_for(1);
    client.notify("notifications/cancelled", json!({"requestId": id, "reason": "enough"}));
    wait_until("the work to stop", || *held.stopped.lock().unwrap() == 1);
    held.open();
    assert_eq!(client.call("list_libraries", json!({}))["libraries"].as_array().unwrap().len(), 1);
    let receipt = client.request("tools/call", ingesting(0))["structuredContent"].clone();
    assert_eq!(receipt["status"], "indexed", "{receipt}");
}

#[test]
fn mcpvectordb_a_client_that_goes_stops_its_work() {
    let (world, held) = held();
    let mut client = world.client();
    client.begin("tools/call", ingesting(0));
    held.wait_for(1);
    drop(client);
    wait_until("the work to stop", || *held.stopped.lock().unwrap() == 1);
}

#[test]
fn mcpvectordb_many_calls_at_once_wait_for_each_other_and_all_succeed() {
    let world = setup().start();
    let mut client = world.client();
    let begun: Vec<i64> = (0..12).map(|number| client.begin("tools/call", ingesting(number))).collect();
    for id in begun {
        let answer = client.answer(&json!(id))["result"]["structuredContent"].clone();
        assert_eq!(answer["status"], "indexed", "{answer}");
    }
    assert_eq!(client.call("list_documents", json!({"library": "default"}))["total"], 12);
}

#[test]
fn mcpvectordb_while_many_wait_others_read_and_delete_and_too_many_are_told_to_come_back() {
    let (world, held) = held();
    let mut client = world.client();
    held.open();
    let gone = ingest(&mut client, "zoo", "gone.md", "x")["doc_id"].clone();
    held.close();
    // Four at once and 64 that wait.
    let mut begun: Vec<i64> = (0..69).map(|number| client.begin("tools/call", ingesting(number))).collect();
    let refused = client.wait("a refusal", |message| message.get("result").is_some());
    let error = refused["result"]["structuredContent"]["error"].as_str().unwrap();
    assert!(error.contains("64 calls like this one are waiting") && error.contains("try again"), "{error}");
    begun.retain(|id| refused["id"] != *id);
    for _ in 0..10 {
        assert_eq!(results(&mut client, json!({"query": "backoff"}))[0]["source"], "guides/retries.md");
    }
    assert_eq!(client.call("delete_document", json!({"doc_id": gone}))["status"], "deleted");
    held.open();
    for id in &begun {
        let answer = client.answer(&json!(id));
        assert_eq!(answer["result"]["structuredContent"]["status"], "indexed", "{answer}");
    }
    assert_eq!(begun.len(), 68);
}

#[test]
fn mcpvectordb_a_call_that_waits_for_its_turn_can_be_cancelled() {
    let (world, held) = held();
    let mut client = world.client();
    let begun: Vec<i64> = (0..4).map(|number| client.begin("tools/call", ingesting(number))).collect();
    held.wait_for(2);
    let waiting = client.begin("tools/call", ingesting(4));
    client.notify("notifications/cancelled", json!({"requestId": waiting}));
    // Answered after the notice was read, because messages are read in turn.
    client.call("list_libraries", json!({}));
    held.open();
    for id in &begun {
        assert_eq!(client.answer(&json!(id))["result"]["structuredContent"]["status"], "indexed");
    }
    ingest(&mut client, "default", "last.md", "x");
    assert_eq!(client.call("list_documents", json!({"library": "default"}))["total"], 5);
}

#[test]
fn mcpvectordb_the_same_text_twice_at_once_is_indexed_once_and_skipped_once() {
    let (world, held) = held();
    let mut client = world.client();
    let begun = [client.begin("tools/call", ingesting(0)), client.begin("tools/call", ingesting(0))];
    held.wait_for(2);
    held.open();
    let mut answers = begun.map(|id| client.answer(&json!(id))["result"]["structuredContent"].clone());
    answers.sort_by_key(|answer| answer["status"].to_string());
    assert_eq!((&answers[0]["status"], &answers[1]["status"]), (&json!("indexed"), &json!("skipped")));
    assert_eq!(answers[0]["doc_id"], answers[1]["doc_id"]);
}

#[test]
fn mcpvectordb_long_work_says_that_it_goes_on() {
    let (world, held) = held();
    let mut client = world.client();
    let mut params = ingesting(0);
    params["_meta"] = json!({"progressToken": 7});
    let id = client.begin("tools/call", params);
    let first = client.notice("notifications/progress")["params"].clone();
    let second = client.notice("notifications/progress")["params"].clone();
    assert_eq!(first["progressToken"], 7);
    assert!(second["progress"].as_f64() > first["progress"].as_f64(), "{first} {second}");
    held.open();
    assert_eq!(client.answer(&json!(id))["result"]["structuredContent"]["status"], "indexed");
}
