//! Hanging up cancels a request of 2026-07-28, and does not cancel one of 2025-11-25.

use std::net::Shutdown;
use std::time::Duration;

use serde_json::json;

use crate::support::*;

#[test]
fn hanging_up_cancels_a_modern_request() {
    let server = Server::start(Default::default());
    let stream = server.modern_call("hold").fire();
    server.wait_for("held", 1);
    stream.shutdown(Shutdown::Both).unwrap();
    server.wait_for("cancelled", 1);
}

#[test]
fn hanging_up_cancels_a_modern_request_that_streams() {
    let server = Server::start(Default::default());
    let mut stream =
        server.modern("tools/call", json!({"name": "hold", "arguments": {"progress": true}})).open();
    assert_eq!(stream.message().unwrap()["method"], "notifications/progress");
    server.wait_for("held", 1);
    stream.close();
    server.wait_for("cancelled", 1);
}

#[test]
fn hanging_up_ends_a_subscription() {
    let server = Server::start(Default::default());
    let mut stream =
        server.modern("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}})).open();
    assert_eq!(stream.answer.status, 200);
    assert_eq!(stream.message().unwrap()["method"], "notifications/subscriptions/acknowledged");
    server.wait_for("listening", 1);
    stream.close();
    server.wait_for("stopped listening", 1);
}

#[test]
fn hanging_up_does_not_cancel_an_older_request() {
    let server = Server::start(Default::default());
    let session = server.session();
    let stream = server.legacy_call(&session, "hold").open();
    server.wait_for("held", 1);
    stream.close();
    std::thread::sleep(Duration::from_millis(200));
    assert!(!server.saw("cancelled"));
    server.handler.release.cancel();
    server.wait_for("finished", 1);
}

#[test]
fn a_notice_cancels_an_older_request() {
    let server = Server::start(Default::default());
    let session = server.session();
    let stream = server.legacy_call(&session, "hold").open();
    server.wait_for("held", 1);
    let notice = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}});
    assert_eq!(server.post(notice.to_string()).header("Mcp-Session-Id", &session).send().status, 202);
    server.wait_for("cancelled", 1);
    stream.finish();
}
