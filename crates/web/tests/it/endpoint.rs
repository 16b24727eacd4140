//! `/mcp` in both eras: what is answered, and with which status and code.

use base64::Engine;
use serde_json::json;

use crate::support::*;

fn server() -> Server {
    Server::start(Default::default())
}

fn check(answer: &Answer, status: u16, code: i64) {
    assert_eq!((answer.status, answer.code()), (status, code), "{}", answer.text());
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert!(!answer.json()["error"]["message"].as_str().unwrap_or_default().is_empty(), "{}", answer.text());
}

#[test]
fn a_modern_request_needs_no_session() {
    let server = server();
    let answer = server.modern_call("echo").send();
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")));
    assert_eq!(answer.json()["result"]["resultType"], "complete");
    assert_eq!(answer.header("mcp-session-id"), None);
    assert!(
        server.modern("server/discover", json!({})).send().json()["result"]["supportedVersions"].is_array()
    );
}

#[test]
fn an_older_client_gets_a_session() {
    let server = server();
    let answer = server.initialize().send();
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.json()["result"]["protocolVersion"], LEGACY);
    let session = answer.header("mcp-session-id").unwrap();
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(server.post(ready.to_string()).header("Mcp-Session-Id", session).send().status, 202);
    assert_eq!(server.legacy(session, "ping", json!({})).send().json()["result"], json!({}));
    assert_eq!(server.legacy_call(session, "echo").send().tool_text(), "{}");
}

#[test]
fn every_older_revision_is_spoken() {
    let server = server();
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut body = initialize();
        body["params"]["protocolVersion"] = json!(version);
        let answer = server.post(body.to_string()).send();
        assert_eq!(answer.json()["result"]["protocolVersion"], version);
    }
}

#[test]
fn progress_turns_the_answer_into_a_stream() {
    let server = server();
    let answer = server.modern_call("progress").send();
    assert_eq!(answer.header("content-type"), Some("text/event-stream"));
    assert_eq!(answer.tool_text(), "done");
    assert!(answer.text().contains("notifications/progress"));
}

#[test]
fn anything_that_covers_both_types_is_accepted() {
    let server = server();
    for accept in ["*/*", "text/event-stream, application/json", "application/*;q=0.2, TEXT/EVENT-STREAM"] {
        assert_eq!(server.modern_call("echo").set("Accept", accept).send().status, 200, "{accept}");
    }
    for accept in ["application/json", "text/event-stream", "text/html", ""] {
        check(&server.modern_call("echo").set("Accept", accept).send(), 406, -32600);
    }
    check(&server.modern_call("echo").without("Accept").send(), 406, -32600);
}

#[test]
fn only_json_is_read() {
    let server = server();
    assert_eq!(
        server.modern_call("echo").set("Content-Type", "Application/JSON; charset=utf-8").send().status,
        200
    );
    for sent in ["text/plain", "application/jsonp", "application/x-www-form-urlencoded"] {
        check(&server.modern_call("echo").set("Content-Type", sent).send(), 415, -32600);
    }
    check(&server.modern_call("echo").without("Content-Type").send(), 415, -32600);
}

#[test]
fn headers_must_say_what_the_message_says() {
    let server = server();
    check(&server.modern_call("echo").set("Mcp-Method", "tools/list").send(), 400, -32020);
    check(&server.modern_call("echo").without("Mcp-Method").send(), 400, -32020);
    check(&server.modern_call("echo").set("Mcp-Name", "who").send(), 400, -32020);
    check(&server.modern_call("echo").without("Mcp-Name").send(), 400, -32020);
    check(&server.modern_call("echo").set("MCP-Protocol-Version", LEGACY).send(), 400, -32020);
    check(&server.modern_call("echo").without("MCP-Protocol-Version").send(), 400, -32020);
    check(&server.modern_call("echo").header("Mcp-Name", "who").send(), 400, -32020);
    check(&server.modern_call("echo").header("MCP-Protocol-Version", MODERN).send(), 400, -32020);
}

#[test]
fn a_name_may_come_in_base64() {
    let server = server();
    let encode = |name: &str| format!("=?base64?{}?=", base64::prelude::BASE64_STANDARD.encode(name));
    assert_eq!(server.modern_call("echo").set("Mcp-Name", &encode("echo")).send().status, 200);
    check(&server.modern_call("echo").set("Mcp-Name", &encode("who")).send(), 400, -32020);
    check(&server.modern_call("echo").set("Mcp-Name", "=?base64?!!?=").send(), 400, -32020);
}

#[test]
fn an_unknown_revision_is_told_which_ones_are_known() {
    let server = server();
    let inside = {
        let params = json!({"name": "echo", "_meta": meta("2099-01-01")});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let call = server.post(body.to_string()).header("MCP-Protocol-Version", "2099-01-01");
        call.header("Mcp-Method", "tools/call").header("Mcp-Name", "echo")
    };
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
    for call in [
        inside,
        server.post(ping).header("MCP-Protocol-Version", "1999-01-01"),
        server.legacy_call(&server.session(), "echo").set("MCP-Protocol-Version", "1.0"),
        server.get("/mcp").header("Accept", "text/event-stream").header("MCP-Protocol-Version", "x"),
    ] {
        let answer = call.send();
        check(&answer, 400, -32022);
        let data = &answer.json()["error"]["data"];
        assert!(data["supported"].as_array().unwrap().contains(&json!(MODERN)), "{data}");
        assert!(data["requested"].is_string(), "{data}");
    }
}

#[test]
fn an_unknown_method_is_not_found_in_the_modern_era_only() {
    let server = server();
    check(&server.modern("no/such", json!({})).send(), 404, -32601);
    let answer = server.legacy(&server.session(), "no/such", json!({})).send();
    assert_eq!((answer.status, answer.code()), (200, -32601), "{answer:?}");
}

#[test]
fn a_method_that_the_modern_era_has_removed_is_not_found() {
    let server = server();
    for method in ["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"] {
        check(&server.modern(method, json!({})).send(), 404, -32601);
    }
    check(&server.modern("tools/call", json!({"name": 7})).send(), 400, -32602);
}

#[test]
fn missing_metadata_is_a_bad_request() {
    let server = server();
    let params = json!({"_meta": {"io.modelcontextprotocol/protocolVersion": MODERN}});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params});
    let call = server
        .post(body.to_string())
        .header("MCP-Protocol-Version", MODERN)
        .header("Mcp-Method", "tools/list");
    check(&call.send(), 400, -32602);
}

#[test]
fn other_methods_are_told_which_ones_work() {
    let server = server();
    for method in ["PUT", "PATCH", "HEAD", "OPTIONS", "BREW"] {
        let answer = server.get("/mcp").method(method).send();
        assert_eq!((answer.status, answer.header("allow")), (405, Some("GET, POST, DELETE")), "{method}");
    }
    for (method, path, allow) in [("POST", "/livez", "GET,HEAD"), ("DELETE", "/metrics", "GET,HEAD")] {
        let answer = server.get(path).method(method).send();
        assert_eq!((answer.status, answer.header("allow")), (405, Some(allow)), "{method} {path}");
        check(&answer, 405, -32600);
    }
    let modern =
        server.get("/mcp").header("Accept", "text/event-stream").header("MCP-Protocol-Version", MODERN);
    let answer = modern.send();
    assert_eq!(answer.header("allow"), Some("POST"));
    check(&answer, 405, -32600);
}

#[test]
fn paths_that_are_not_there_say_where_mcp_is() {
    let server = server();
    for path in ["/", "/mcp/", "/sse", "/messages", "/mcp/x", "/%2e%2e/mcp", "//mcp"] {
        check(&server.get(path).send(), 404, 404);
    }
}

/// Alone in a process of its own, where no other test takes memory.
#[test]
fn ten_thousand_requests_leave_nothing_behind() {
    const ALONE: &str = "DOCENT_WEB_TEST_ALONE";
    if std::env::var_os(ALONE).is_none() {
        let name = "endpoint::ten_thousand_requests_leave_nothing_behind";
        let mut alone = std::process::Command::new(std::env::current_exe().unwrap());
        let output = alone.args(["--exact", name]).env(ALONE, "1").output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        return;
    }
    let server = server();
    let session = server.session();
    let rounds = |count: usize| {
        for _ in 0..count {
            assert_eq!(server.modern_call("echo").send().status, 200);
            assert_eq!(server.legacy_call(&session, "echo").send().status, 200);
            assert_eq!(server.post("{").send().status, 400);
            assert_eq!(server.initialize().set("Mcp-Session-Id", "forged").send().status, 404);
        }
    };
    rounds(500);
    let before = resident_bytes();
    rounds(2000);
    let grown = resident_bytes().saturating_sub(before);
    assert!(grown < 4 * 1024 * 1024, "{grown} bytes more");
}

/// Memory of this process, in which the server runs too.
fn resident_bytes() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    statm.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4096
}
