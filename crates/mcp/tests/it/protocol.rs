//! The lifecycle in both eras, tools/list, progress, cancellation, and the end of a connection.

use std::time::Duration;

use serde_json::{Value, json};

use crate::client::{Era, LEGACY, MODERN, initialize_params, modern_meta};
use crate::world::{MANY, Setup, World};

const TOOLS: [&str; 10] = [
    "search_docs",
    "get_doc",
    "get_page",
    "get_section",
    "list_pages",
    "get_status",
    "get_docs",
    "get_doc_health",
    "list_stale_docs",
    "report_drift",
];

fn world() -> World {
    World::new(&[("a.md", "# A\n\nwords\n"), ("b.md", "# B\n\nother\n")])
}

// tools/list.

#[test]
fn tools_are_listed_in_the_same_order_every_time() {
    let world = world();
    let mut client = world.client();
    let first = client.tools();
    let names: Vec<&Value> = first.iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, TOOLS);
    assert_eq!(first, client.tools());
    assert_eq!(first, world.modern().tools());
}

#[test]
fn every_tool_but_the_one_for_reports_is_annotated_as_reading_only() {
    let world = world();
    for tool in world.client().tools() {
        let (annotations, reads) = (&tool["annotations"], tool["name"] != "report_drift");
        assert_eq!(annotations["readOnlyHint"], reads, "{tool}");
        assert_eq!(annotations["destructiveHint"], false, "{tool}");
        assert_eq!(annotations["idempotentHint"], reads, "{tool}");
        assert_eq!(annotations["openWorldHint"], false, "{tool}");
        assert!(!tool["title"].as_str().unwrap().is_empty());
    }
}

#[test]
fn descriptions_are_under_two_kilobytes_and_name_another_tool() {
    let world = world();
    for tool in world.client().tools() {
        let description = tool["description"].as_str().unwrap();
        assert!(description.len() < 2048, "{}", tool["name"]);
        let other = TOOLS.iter().any(|name| tool["name"] != *name && description.contains(name));
        assert!(other, "{} names no other tool", tool["name"]);
    }
}

#[test]
fn every_tool_has_schemas_of_objects() {
    let world = world();
    for tool in world.client().tools() {
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{tool}");
        assert_eq!(tool["outputSchema"]["type"], "object", "{tool}");
        for (name, parameter) in tool["inputSchema"]["properties"].as_object().unwrap() {
            assert!(parameter["type"].is_string() && parameter["description"].is_string(), "{name}");
        }
    }
}

#[test]
fn only_the_chosen_tools_are_offered() {
    let mut setup = Setup::new(&[("a.md", "# A\n")]);
    setup.options.choice.tools = vec!["get_page".to_owned(), "search_docs".to_owned()];
    let world = setup.start();
    let mut client = world.client();
    let names: Vec<Value> = client.tools().iter().map(|tool| tool["name"].clone()).collect();
    assert_eq!(names, ["search_docs", "get_page"]);
    assert_eq!(client.error("tools/call", json!({"name": "get_status", "arguments": {}}))["code"], -32602);
}

#[test]
fn an_unknown_tool_is_minus_32602_in_both_eras() {
    let world = world();
    for mut client in [world.client(), world.modern()] {
        let error = client.error("tools/call", json!({"name": "nope", "arguments": {}}));
        assert_eq!(error["code"], -32602);
        assert!(error["message"].as_str().unwrap().contains("search_docs"), "{error}");
    }
}

#[test]
fn an_unknown_method_is_minus_32601_in_both_eras() {
    let world = world();
    for mut client in [world.client(), world.modern()] {
        assert_eq!(client.error("no/such/method", json!({}))["code"], -32601);
    }
}

#[test]
fn calls_without_arguments_are_fine_where_none_are_needed() {
    let world = world();
    let mut client = world.client();
    for params in [json!({"name": "get_status"}), json!({"name": "get_status", "arguments": null})] {
        assert!(client.request("tools/call", params)["structuredContent"]["server"].is_object());
    }
}

// The handshake era.

#[test]
fn initialize_says_who_we_are_and_what_we_can() {
    let world = world();
    let answer = world.connect(Era::Legacy).initialize();
    assert_eq!(answer["protocolVersion"], LEGACY);
    assert_eq!(answer["serverInfo"]["name"], "docent");
    assert_eq!(answer["serverInfo"]["version"], env!("CARGO_PKG_VERSION"));
    for capability in ["tools", "resources", "prompts", "completions"] {
        assert!(answer["capabilities"][capability].is_object(), "{capability}: {answer}");
    }
    assert_eq!(answer["capabilities"].get("logging"), None);
}

#[test]
fn the_instructions_are_under_two_kilobytes_and_name_the_tools() {
    let world = world();
    let answer = world.connect(Era::Legacy).initialize();
    let instructions = answer["instructions"].as_str().unwrap();
    assert!(instructions.len() < 2048);
    assert!(instructions.contains("search_docs") && instructions.contains("get_doc"), "{instructions}");
}

#[test]
fn every_older_version_is_spoken_as_asked() {
    let world = world();
    for version in ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] {
        let mut client = world.connect(Era::Legacy);
        let answer = client.request("initialize", initialize_params(version));
        assert_eq!(answer["protocolVersion"], version);
        client.notify("notifications/initialized", json!({}));
        client.call("search_docs", json!({"query": "words"}));
    }
}

#[test]
fn a_version_that_nobody_knows_is_answered_with_one_of_ours() {
    let world = world();
    for version in ["1999-01-01", "2999-01-01", "", "latest", MODERN] {
        let answer = world.connect(Era::Legacy).request("initialize", initialize_params(version));
        assert_eq!(answer["protocolVersion"], LEGACY, "{version}");
    }
}

#[test]
fn a_ping_is_answered_before_and_after_the_handshake() {
    let world = world();
    let mut client = world.connect(Era::Legacy);
    assert_eq!(client.request("ping", json!({})), json!({}));
    client.initialize();
    assert_eq!(client.request("ping", json!({})), json!({}));
}

#[test]
fn a_stray_notification_before_the_handshake_does_not_end_the_server() {
    let world = world();
    let mut client = world.connect(Era::Legacy);
    client.notify("notifications/initialized", json!({}));
    client.notify("notifications/cancelled", json!({"requestId": 1}));
    client.notify("notifications/unheard_of", json!({}));
    client.send(&json!({"jsonrpc": "2.0", "id": 9, "result": {}}));
    client.initialize();
    client.assert_alive("stray notifications");
}

#[test]
fn a_request_before_the_handshake_is_refused_and_the_handshake_still_works() {
    let world = world();
    let mut client = world.connect(Era::Legacy);
    assert_eq!(client.error("tools/list", json!({}))["code"], -32602);
    client.notify("notifications/initialized", json!({}));
    client.initialize();
    client.assert_alive("an early request");
}

#[test]
fn what_is_not_offered_is_not_found() {
    let world = world();
    let mut client = world.client();
    assert_eq!(client.error("logging/setLevel", json!({"level": "info"}))["code"], -32601);
    assert_eq!(client.error("tasks/list", json!({}))["code"], -32601);
}

#[test]
fn results_of_the_handshake_era_have_the_old_shape() {
    let world = world();
    let result = world.client().request("tools/call", json!({"name": "get_status", "arguments": {}}));
    assert_eq!(result.get("resultType"), None);
}

// 2026-07-28.

#[test]
fn a_request_with_its_own_metadata_needs_no_handshake() {
    let world = world();
    let mut client = world.modern();
    let answer = client.call("search_docs", json!({"query": "words"}));
    assert_eq!(answer["results"][0]["chunk_id"], "a.md#a");
    let result = client.request("tools/call", json!({"name": "get_status", "arguments": {}}));
    assert_eq!(result["resultType"], "complete");
}

#[test]
fn server_discover_is_answered_before_anything_else() {
    let world = world();
    let mut client = world.modern();
    let found = client.request("server/discover", json!({}));
    let versions = found["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!(MODERN)) && versions.contains(&json!(LEGACY)), "{found}");
    assert!(found["capabilities"]["tools"].is_object());
    assert!(found["instructions"].as_str().unwrap().contains("search_docs"));
    client.call("search_docs", json!({"query": "words"}));
}

#[test]
fn after_server_discover_the_handshake_is_still_open() {
    let world = world();
    let mut client = world.connect(Era::Legacy);
    let found = client.request("server/discover", json!({"_meta": modern_meta()}));
    assert!(found["supportedVersions"].is_array());
    client.notify("notifications/unheard_of", json!({}));
    client.initialize();
    client.assert_alive("server/discover");
}

#[test]
fn server_discover_without_metadata_is_an_error_at_once_and_the_handshake_works() {
    let world = world();
    let mut client = world.connect(Era::Legacy);
    assert_eq!(client.error("server/discover", json!({}))["code"], -32602);
    client.initialize();
    client.assert_alive("a probe without metadata");
}

#[test]
fn an_unsupported_version_is_minus_32022_with_those_that_are() {
    let world = world();
    let mut client = world.modern();
    for method in ["server/discover", "tools/list"] {
        let params = json!({"_meta": {"io.modelcontextprotocol/protocolVersion": "1999-01-01"}});
        let error = client.error(method, params);
        assert_eq!(error["code"], -32022, "{method}: {error}");
        assert_eq!(error["data"]["requested"], "1999-01-01");
        assert!(error["data"]["supported"].as_array().unwrap().contains(&json!(MODERN)));
    }
    client.assert_alive("an unsupported version");
}

#[test]
fn metadata_that_is_not_whole_is_minus_32602() {
    let world = world();
    let mut client = world.connect(Era::Legacy);
    let meta = json!({"io.modelcontextprotocol/protocolVersion": MODERN});
    assert_eq!(client.error("tools/list", json!({"_meta": meta}))["code"], -32602);
    client.request("tools/list", json!({"_meta": modern_meta()}));
    assert_eq!(
        client.error("tools/list", json!({}))["code"],
        -32602,
        "the opener decides for the connection"
    );
}

#[test]
fn both_eras_are_served_on_one_connection_that_began_with_the_handshake() {
    let world = world();
    let mut client = world.client();
    let modern =
        client.request("tools/call", json!({"name": "get_status", "arguments": {}, "_meta": modern_meta()}));
    assert_eq!(modern["resultType"], "complete");
    let legacy = client.request("tools/call", json!({"name": "get_status", "arguments": {}}));
    assert_eq!(legacy.get("resultType"), None);
    let missing = json!({"uri": "docent://docs/nope.md", "_meta": modern_meta()});
    assert_eq!(client.error("resources/read", missing)["code"], -32602);
    assert_eq!(client.error("resources/read", json!({"uri": "docent://docs/nope.md"}))["code"], -32002);
    assert_eq!(client.request("ping", json!({})), json!({}));
}

#[test]
fn ping_is_gone_in_2026_07_28() {
    let world = world();
    let mut client = world.modern();
    client.tools();
    assert_eq!(client.error("ping", json!({}))["code"], -32601);
}

// Waiting for the first indexing.

fn files(count: usize) -> Vec<(String, String)> {
    (0..count).map(|number| (format!("{number:04}.md"), format!("# Page {number}\n\nwords\n"))).collect()
}

/// A server that still has all these files to index, and does not get on until the gate is opened.
fn starting(count: usize) -> World {
    let files = files(count);
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    Setup { indexed: false, gated: true, ..Setup::new(&files) }.start()
}

#[test]
fn a_call_waits_for_the_first_indexing_and_tells_its_progress() {
    for era in [Era::Legacy, Era::Modern] {
        let world = starting(300);
        let mut client = world.connect(era);
        if era == Era::Legacy {
            client.initialize();
        }
        let params = json!({
            "name": "search_docs", "arguments": {"query": "words"}, "_meta": {"progressToken": "my token"},
        });
        let id = client.begin("tools/call", params);
        let notice = client.notice("notifications/progress");
        let progress = &notice["params"];
        assert_eq!(progress["progressToken"], "my token");
        assert_eq!((&progress["progress"], &progress["total"]), (&json!(300.0), &json!(300.0)), "{notice}");
        assert!(progress["message"].as_str().unwrap().contains("300 of 300 files"), "{notice}");
        world.gate.open();
        let answer = client.answer(&json!(id));
        let found = &answer["result"]["structuredContent"];
        assert_eq!(found["results"].as_array().unwrap().len(), 5);
        assert_eq!(found["total_chunks"], 300);
    }
}

#[test]
fn progress_grows_with_every_notice() {
    let (few, many) = (files(100), files(200));
    let few: Vec<(&str, &str)> = few.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let setup = Setup { indexed: false, gated: true, ..Setup::new(&few) };
    let world = setup.folder("more", &many).folder("again", &few).start();
    let mut client = world.client();
    let params = json!({"name": "list_pages", "arguments": {}, "_meta": {"progressToken": 7}});
    let id = client.begin("tools/call", params);
    assert_eq!(client.notice("notifications/progress")["params"]["progress"], 100.0);
    world.gate.pass_one();
    let next = client.notice("notifications/progress");
    assert_eq!((&next["params"]["progress"], &next["params"]["progressToken"]), (&json!(200.0), &json!(7)));
    world.gate.open();
    let answer = client.answer(&json!(id));
    assert_eq!(answer["result"]["structuredContent"]["total_pages"], 400);
    assert!(client.notices("notifications/progress").is_empty(), "{:?}", client.aside);
}

#[test]
fn progress_that_does_not_grow_is_not_told_again() {
    let world = starting(MANY);
    let mut client = world.client();
    // Each call begins after the one before was told, so the first has had several occasions to be told again.
    let begun: Vec<i64> = (1..=4)
        .map(|token| {
            let params = json!({"name": "list_pages", "arguments": {}, "_meta": {"progressToken": token}});
            let id = client.begin("tools/call", params);
            client.wait("its progress", |message| message["params"]["progressToken"] == token);
            id
        })
        .collect();
    world.gate.open();
    for id in begun {
        client.answer(&json!(id));
    }
    client.assert_no_notice("notifications/progress");
}

#[test]
fn without_a_token_no_progress_is_told() {
    let world = starting(MANY);
    let mut client = world.client();
    let silent = client.begin("tools/call", json!({"name": "list_pages", "arguments": {}}));
    let params = json!({"name": "list_pages", "arguments": {}, "_meta": {"progressToken": 1}});
    let told = client.begin("tools/call", params);
    client.notice("notifications/progress");
    world.gate.open();
    client.answer(&json!(silent));
    client.answer(&json!(told));
    let tokens: Vec<&Value> =
        client.notices("notifications/progress").iter().map(|one| &one["params"]["progressToken"]).collect();
    assert!(tokens.iter().all(|token| **token == json!(1)), "{tokens:?}");
}

#[test]
fn the_handshake_does_not_wait_for_the_first_indexing() {
    let world = starting(MANY);
    let mut client = world.client();
    assert_eq!(client.request("ping", json!({})), json!({}));
    client.request("prompts/list", json!({}));
    client.request("resources/templates/list", json!({}));
    world.gate.open();
    client.assert_alive("the first indexing");
}

/// Pages with a facet that are all still to be indexed.
fn starting_with_facets() -> World {
    let files: Vec<(String, String)> = (0..MANY)
        .map(|number| (format!("{number}.md"), "---\nmetadata:\n  language: go\n---\n# A\n".to_owned()))
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    Setup { indexed: false, gated: true, ..Setup::new(&files) }.start()
}

#[test]
fn the_list_of_documents_waits_for_the_first_indexing() {
    let world = starting_with_facets();
    let mut client = world.client();
    let resources = client.begin("resources/list", json!({}));
    world.gate.wait_for_writer();
    world.gate.open();
    let resources = client.answer(&json!(resources));
    assert_eq!(resources["result"]["resources"].as_array().unwrap().len(), MANY);
}

#[test]
fn the_list_of_tools_comes_without_the_facets_when_indexing_takes_long_and_its_change_is_told() {
    let world = starting_with_facets();
    let mut client = world.client();
    world.gate.wait_for_writer();
    let tools = client.tools();
    assert_eq!(tools.len(), TOOLS.len());
    assert_eq!(tools[0]["inputSchema"]["properties"].get("language"), None);
    world.gate.open();
    client.notice("notifications/tools/list_changed");
    assert_eq!(client.parameters("search_docs")["language"]["enum"], json!(["go"]));
}

// Cancellation.

#[test]
fn a_cancelled_request_gets_no_response_and_the_server_lives_on() {
    for era in [Era::Legacy, Era::Modern] {
        let world = starting(MANY);
        let mut client = world.connect(era);
        if era == Era::Legacy {
            client.initialize();
        }
        let params = json!({
            "name": "search_docs", "arguments": {"query": "words"}, "_meta": {"progressToken": 1},
        });
        let cancelled = client.begin("tools/call", params);
        client.notice("notifications/progress");
        let reason = json!({"requestId": cancelled, "reason": "the user stopped"});
        client.notify("notifications/cancelled", reason);
        client.request("prompts/list", json!({}));
        world.gate.open();
        client.assert_alive("a cancellation");
        client.assert_alive("a cancellation, again");
        let answered = client.aside.iter().any(|message| message["id"] == cancelled);
        assert!(!answered, "{:?}", client.aside);
    }
}

#[test]
fn cancelling_what_is_done_or_unknown_does_nothing() {
    let world = world();
    let mut client = world.client();
    let id = client.begin("tools/call", json!({"name": "list_pages", "arguments": {}}));
    client.answer(&json!(id));
    for request in [json!(id), json!(999), json!("x")] {
        client.notify("notifications/cancelled", json!({"requestId": request}));
    }
    client.assert_alive("cancellations of nothing");
    assert_eq!(client.aside, Vec::<Value>::new());
}

// The end.

#[test]
fn the_server_ends_when_its_input_does() {
    let world = world();
    world.client().hang_up().0.unwrap();
    let mut modern = world.modern();
    modern.tools();
    modern.hang_up().0.unwrap();
}

#[test]
fn the_server_ends_when_nobody_ever_said_anything() {
    let world = world();
    let (outcome, rest) = world.connect(Era::Legacy).hang_up();
    outcome.unwrap();
    assert!(rest.is_empty());
}

#[test]
fn the_server_ends_after_a_probe_and_after_garbage() {
    let world = world();
    let mut client = world.modern();
    client.request("server/discover", json!({}));
    client.hang_up().0.unwrap();
    let mut client = world.connect(Era::Legacy);
    client.send_line(b"garbage");
    client.receive().unwrap();
    client.hang_up().0.unwrap();
}

#[test]
fn the_server_ends_while_a_call_waits() {
    let world = starting(MANY);
    let mut client = world.client();
    client.begin("tools/call", json!({"name": "list_pages", "arguments": {}}));
    world.gate.wait_for_writer();
    assert!(client.is_silent_for(Duration::from_millis(50)));
    let started = std::time::Instant::now();
    client.hang_up().0.unwrap();
    assert!(started.elapsed() < Duration::from_secs(10), "it waited for the call");
}

#[test]
fn the_server_ends_at_once_while_its_client_waits_for_news() {
    let world = world();
    let mut client = world.modern();
    for _ in 0..3 {
        client.begin("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}));
        client.notice("notifications/subscriptions/acknowledged");
    }
    client.notify("notifications/cancelled", json!({"requestId": "unknown"}));
    let started = std::time::Instant::now();
    client.hang_up().0.unwrap();
    assert!(started.elapsed() < Duration::from_secs(3), "it waited for its own subscriptions");
}

#[test]
fn one_client_that_leaves_does_not_end_the_others() {
    let world = world();
    let mut stays = world.client();
    world.client().hang_up().0.unwrap();
    stays.assert_alive("another client left");
}

#[test]
fn a_second_request_with_the_id_of_an_open_one_is_refused() {
    let world = world();
    let mut client = world.modern();
    let listening =
        client.begin("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}));
    client.notice("notifications/subscriptions/acknowledged");
    let again = json!({"jsonrpc": "2.0", "id": listening, "method": "tools/list", "params": {"_meta": modern_meta()}});
    client.send(&again);
    let refused = client.wait("the refusal", |message| message["id"] == json!(listening));
    assert_eq!(refused["error"]["code"], -32600, "{refused}");
    client.assert_alive("a doubled id");
}
