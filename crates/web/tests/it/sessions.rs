//! Sessions of older clients: how many, whose, how long.

use std::time::Duration;

use docent_mcp::Scope;
use docent_web::{Auth, Limits, WebConfig};
use serde_json::json;

use crate::support::*;

fn with_limits(limits: Limits) -> Server {
    Server::start(WebConfig { limits, sse: true, ..WebConfig::default() })
}

fn for_two() -> Server {
    let tokens = vec![token("ann", &Scope::ALL), token("bob", &[Scope::Read])];
    let auth = Auth::Required { tokens, oauth: None };
    Server::start(WebConfig { auth, sse: true, ..WebConfig::default() })
}

#[test]
fn an_unknown_session_is_not_found() {
    let server = with_limits(Limits::default());
    for session in ["forged", "", "00000000-0000-4000-8000-000000000000", "é"] {
        let answer = server.legacy_call(session, "echo").send();
        assert!([400, 404].contains(&answer.status), "{session}: {answer:?}");
        let stream =
            server.get("/mcp").header("Accept", "text/event-stream").header("Mcp-Session-Id", session);
        assert!([400, 404].contains(&stream.send().status), "{session}");
        let delete = server.get("/mcp").method("DELETE").header("Mcp-Session-Id", session);
        assert!([400, 404].contains(&delete.send().status), "{session}");
    }
    let answer = server.legacy_call("forged", "echo").send();
    assert_eq!((answer.status, answer.json()["id"].clone()), (404, json!(7)));
    assert_eq!(server.post(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#).send().status, 400);
}

#[test]
fn a_deleted_session_is_not_found() {
    let server = with_limits(Limits::default());
    let session = server.session();
    let mut news =
        server.get("/mcp").header("Accept", "text/event-stream").header("Mcp-Session-Id", &session).open();
    assert_eq!(news.answer.status, 200);
    let delete = server.get("/mcp").method("DELETE").header("Mcp-Session-Id", &session);
    assert_eq!(delete.send().status, 204);
    assert_eq!(delete.send().status, 404);
    assert_eq!(server.legacy_call(&session, "echo").send().status, 404);
    assert_eq!(news.event(), None, "the stream of a deleted session ends");
}

#[test]
fn an_idle_session_expires() {
    let server = with_limits(Limits { session_idle: Duration::from_millis(150), ..Limits::default() });
    let session = server.session();
    assert_eq!(server.legacy_call(&session, "echo").send().status, 200);
    std::thread::sleep(Duration::from_millis(400));
    assert_eq!(server.legacy_call(&session, "echo").send().status, 404);
}

#[test]
fn a_session_with_an_open_stream_or_a_running_request_is_not_idle() {
    let server = with_limits(Limits { session_idle: Duration::from_millis(150), ..Limits::default() });
    let (listening, working) = (server.session(), server.session());
    let stream =
        server.get("/mcp").header("Accept", "text/event-stream").header("Mcp-Session-Id", &listening).open();
    server.legacy_call(&working, "hold").open().close();
    server.wait_for("held", 1);
    std::thread::sleep(Duration::from_millis(500));
    let notice = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
    for session in [listening, working] {
        assert_eq!(server.post(notice.clone()).header("Mcp-Session-Id", &session).send().status, 202);
    }
    stream.close();
}

#[test]
fn a_session_that_never_begins_expires_sooner() {
    let server =
        with_limits(Limits { session_start: Duration::from_millis(100), sessions: 1, ..Limits::default() });
    let session = server.session();
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(server.legacy_call(&session, "echo").send().status, 404);
    server.session();
}

#[test]
fn too_many_sessions_are_told_to_come_back() {
    let server = with_limits(Limits { sessions: 2, ..Limits::default() });
    let first = server.session();
    let stream = server.get("/sse").header("Accept", "text/event-stream").open();
    assert_eq!(stream.answer.status, 200);
    let answer = server.initialize().send();
    assert_eq!((answer.status, answer.header("retry-after"), answer.code()), (503, Some("30"), 503));
    assert!(answer.text().contains("2 sessions are open"), "{answer:?}");
    assert_eq!(server.get("/sse").header("Accept", "text/event-stream").send().status, 503);
    assert_eq!(server.modern_call("echo").send().status, 200, "modern requests need no seat");
    server.get("/mcp").method("DELETE").header("Mcp-Session-Id", &first).send();
    server.session();
    stream.close();
    wait_until("the seat of the closed stream", || server.initialize().send().status == 200);
}

#[test]
fn a_session_belongs_to_the_caller_that_made_it() {
    let server = for_two();
    let (ann, bob) = (secret("ann"), secret("bob"));
    let answer = server.initialize().bearer(&ann).send();
    let session = answer.header("mcp-session-id").unwrap().to_owned();
    assert_eq!(
        server.legacy_call(&session, "who").bearer(&ann).send().tool_text(),
        "token|ann docs:read,docs:write"
    );
    assert_eq!(server.legacy_call(&session, "who").bearer(&bob).send().status, 404);
    let stream = server.get("/mcp").header("Accept", "text/event-stream").header("Mcp-Session-Id", &session);
    assert_eq!(stream.clone().bearer(&bob).send().status, 404);
    let delete = server.get("/mcp").method("DELETE").header("Mcp-Session-Id", &session);
    assert_eq!(delete.clone().bearer(&bob).send().status, 404);
    assert_eq!(delete.send().status, 401);
    assert_eq!(server.legacy_call(&session, "who").bearer(&ann).send().status, 200);
}

#[test]
fn a_stream_of_news_can_be_opened_again() {
    let server = with_limits(Limits::default());
    let session = server.session();
    for _ in 0..3 {
        let stream =
            server.get("/mcp").header("Accept", "text/event-stream").header("Mcp-Session-Id", &session);
        let stream = stream.open();
        assert_eq!(stream.answer.status, 200);
        stream.close();
    }
    assert_eq!(server.legacy_call(&session, "echo").send().status, 200);
}

#[test]
fn an_id_is_taken_while_its_request_is_worked_on() {
    let server = with_limits(Limits::default());
    let (session, other) = (server.session(), server.session());
    let held = server.legacy_call(&session, "hold").open();
    server.wait_for("held", 1);
    let answer = server.legacy_call(&session, "echo").send();
    assert_eq!((answer.status, answer.code(), answer.json()["id"].clone()), (400, -32600, json!(7)));
    assert_eq!(server.legacy_call(&other, "echo").send().status, 200);
    server.handler.release.cancel();
    assert_eq!(held.finish().tool_text(), "released");
    wait_until("the id", || server.legacy_call(&session, "echo").send().status == 200);
}
