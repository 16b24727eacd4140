//! How the server stops.

use std::time::{Duration, Instant};

use docent_web::{Limits, WebConfig};
use serde_json::json;

use crate::support::*;

fn server(grace: Duration) -> Server {
    let limits = Limits { grace, ..Limits::default() };
    Server::start(WebConfig { sse: true, limits, ..WebConfig::default() })
}

#[test]
fn open_streams_end_when_the_server_stops() {
    let server = server(Duration::from_secs(5));
    let session = server.session();
    let listen = server.modern("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}));
    let news = server.get("/mcp").header("Accept", "text/event-stream").header("Mcp-Session-Id", &session);
    let sse = server.get("/sse").header("Accept", "text/event-stream");
    let streams = [listen.open(), news.open(), sse.open()];
    // A request that is still running must not keep the streams open.
    let asking = std::thread::spawn({
        let call = server.modern_call("hold");
        move || call.send()
    });
    server.wait_for("held", 1);
    server.stop.cancel();
    let started = Instant::now();
    for stream in streams {
        stream.finish();
    }
    assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
    server.handler.release.cancel();
    assert_eq!(asking.join().unwrap().status, 200);
    server.finish().unwrap();
}

#[test]
fn requests_may_finish_when_the_server_stops() {
    let server = server(Duration::from_secs(10));
    let session = server.session();
    let (modern, legacy) = (server.modern_call("hold"), server.legacy_call(&session, "hold"));
    let asking = [modern, legacy].map(|call| std::thread::spawn(move || call.send()));
    server.wait_for("held", 2);
    let release = server.handler.release.clone();
    server.stop.cancel();
    std::thread::sleep(Duration::from_millis(100));
    release.cancel();
    for answer in asking {
        let answer = answer.join().unwrap();
        assert_eq!((answer.status, answer.tool_text().as_str()), (200, "released"), "{answer:?}");
    }
    server.finish().unwrap();
}

#[test]
fn a_request_that_does_not_end_is_given_up() {
    let server = server(Duration::from_millis(200));
    let held = server.modern_call("hold").fire();
    server.wait_for("held", 1);
    let started = Instant::now();
    server.finish().unwrap();
    assert!(started.elapsed() < Duration::from_secs(4), "{:?}", started.elapsed());
    drop(held);
}
