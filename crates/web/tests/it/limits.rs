//! What happens when more is asked than the server takes on.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use docent_web::{Limits, WebConfig};
use serde_json::json;

use crate::support::*;

fn server(limits: Limits) -> Server {
    Server::start(WebConfig { sse: true, limits, ..WebConfig::default() })
}

#[test]
fn more_requests_than_allowed_are_told_to_come_back() {
    let server = server(Limits { requests: 2, ..Limits::default() });
    let held = [server.modern_call("hold").fire(), server.modern_call("hold").fire()];
    server.wait_for("held", 2);
    let answer = server.modern_call("echo").send();
    assert_eq!((answer.status, answer.header("retry-after"), answer.code()), (503, Some("1"), 503));
    assert!(answer.text().contains("the server is busy"), "{answer:?}");
    assert_eq!(answer.json()["id"], 1);
    assert_eq!(server.get("/livez").send().status, 200);
    drop(held);
    wait_until("a free place", || server.modern_call("echo").send().status == 200);
}

#[test]
fn notices_get_through_when_the_server_is_busy() {
    let server = server(Limits { requests: 1, ..Limits::default() });
    let session = server.session();
    let held = server.legacy_call(&session, "hold").open();
    server.wait_for("held", 1);
    assert_eq!(server.modern_call("echo").send().status, 503);
    let notice = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}});
    assert_eq!(server.post(notice.to_string()).header("Mcp-Session-Id", &session).send().status, 202);
    server.wait_for("cancelled", 1);
    held.finish();
    wait_until("a free place", || server.modern_call("echo").send().status == 200);
}

#[test]
fn an_older_request_counts_until_its_handler_is_done() {
    let server = server(Limits { requests: 1, ..Limits::default() });
    let session = server.session();
    server.legacy_call(&session, "hold").open().close();
    server.wait_for("held", 1);
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(server.modern_call("echo").send().status, 503);
    server.handler.release.cancel();
    wait_until("a free place", || server.modern_call("echo").send().status == 200);
}

#[test]
fn waiting_streams_count_by_themselves() {
    let server = server(Limits { requests: 1, streams: 3, ..Limits::default() });
    let session = server.session();
    let listen = server.modern("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}));
    let news = server.get("/mcp").header("Accept", "text/event-stream").header("Mcp-Session-Id", &session);
    let sse = server.get("/sse").header("Accept", "text/event-stream");
    let streams = [listen.open(), news.open(), sse.open()];
    assert!(streams.iter().all(|stream| stream.answer.status == 200));
    assert_eq!(server.modern_call("echo").send().status, 200);
    for more in [listen, news, sse] {
        let answer = more.send();
        assert_eq!((answer.status, answer.header("retry-after")), (503, Some("10")), "{answer:?}");
    }
}

#[test]
fn a_message_of_four_mib_is_read_and_a_longer_one_is_not() {
    let server = server(Limits::default());
    let body = |length: usize| {
        let frame = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#.to_owned();
        format!("{frame}{}", " ".repeat(length - frame.len()))
    };
    let session = server.session();
    let post = |length| server.post(body(length)).header("Mcp-Session-Id", &session).send();
    assert_eq!(post(4 * 1024 * 1024).status, 200);
    for length in [4 * 1024 * 1024 + 1, 8 * 1024 * 1024] {
        let answer = post(length);
        assert_eq!((answer.status, answer.code()), (413, -32600), "{length}");
    }
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nAccept: */*\r\nContent-Length: 99999999999\r\n\r\n",
        server.addr
    );
    assert_eq!(raw(server.addr, head.as_bytes()).finish().status, 413);
}

#[test]
fn a_head_that_never_ends_is_cut_off() {
    let server = server(Limits { head_timeout: Duration::from_millis(200), ..Limits::default() });
    let mut slow = TcpStream::connect(server.addr).unwrap();
    slow.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    slow.write_all(b"POST /mcp HTTP/1.1\r\nHost: ").unwrap();
    let started = Instant::now();
    let mut rest = Vec::new();
    let _ = slow.read_to_end(&mut rest);
    assert!(started.elapsed() < Duration::from_secs(5));
    server.assert_alive("a slow head");
}

#[test]
fn a_body_that_never_ends_is_cut_off() {
    let server = server(Limits { body_timeout: Duration::from_millis(200), ..Limits::default() });
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nAccept: */*\r\nContent-Length: 50\r\n\r\n{{",
        server.addr
    );
    let answer = raw(server.addr, head.as_bytes()).finish();
    assert_eq!((answer.status, answer.code()), (408, 408), "{answer:?}");
    server.assert_alive("a slow body");
}

#[test]
fn slow_senders_take_no_place() {
    let server = server(Limits { requests: 1, ..Limits::default() });
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nAccept: */*\r\nContent-Length: 50\r\n\r\n{{",
        server.addr
    );
    let mut slow = Vec::new();
    for _ in 0..5 {
        let mut stream = TcpStream::connect(server.addr).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        slow.push(stream);
    }
    server.assert_alive("slow bodies");
}

#[test]
fn connections_over_the_limit_wait_their_turn() {
    let limits = Limits { connections: 2, head_timeout: Duration::from_millis(300), ..Limits::default() };
    let server = server(limits);
    let idle = [TcpStream::connect(server.addr).unwrap(), TcpStream::connect(server.addr).unwrap()];
    std::thread::sleep(Duration::from_millis(50));
    let started = Instant::now();
    server.assert_alive("idle connections");
    assert!(started.elapsed() > Duration::from_millis(100), "the third connection did not wait");
    drop(idle);
}

#[test]
fn a_client_that_does_not_read_is_cut_off() {
    let limits = Limits { connections: 1, write_timeout: Duration::from_millis(300), ..Limits::default() };
    let server = server(limits);
    let mut deaf = TcpStream::connect(server.addr).unwrap();
    deaf.set_write_timeout(Some(Duration::from_millis(500))).unwrap();
    let request = format!("GET /metrics HTTP/1.1\r\nHost: {}\r\n\r\n", server.addr).repeat(1000);
    for _ in 0..100 {
        if deaf.write_all(request.as_bytes()).is_err() {
            break;
        }
    }
    server.assert_alive("a deaf client");
}
