//! `/mcp` in both eras.

use serde_json::json;

use crate::support::*;

fn server() -> Server {
    Server::start(Default::default())
}

#[test]
fn a_modern_request_needs_no_session() {
    let server = server();
    let answer = server.modern_call("echo").send();
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")));
    assert_eq!(answer.json()["result"]["resultType"], "complete");
    assert_eq!(answer.header("mcp-session-id"), None);
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
