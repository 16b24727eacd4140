//! Broken requests of every kind, to both transports. Each gets the right answer, and the next proper call works.

use std::time::Duration;

use docent_web::{Limits, WebConfig};
use serde_json::{Value, json};

use crate::sse::Client;
use crate::support::*;

/// Frames that are refused by what is in them, whatever the transport: (what, frame, code).
fn frames() -> Vec<(&'static str, Vec<u8>, i64)> {
    let text = |text: &str| text.as_bytes().to_vec();
    vec![
        ("nothing", text(""), -32700),
        ("blanks", text("  \r\n\t"), -32700),
        ("half an object", text("{\"jsonrpc\":\"2.0\","), -32700),
        ("words", text("hello"), -32700),
        ("single quotes", text("{'jsonrpc':'2.0'}"), -32700),
        ("a comma too many", text("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",}"), -32700),
        ("two messages", text("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}{}"), -32700),
        ("a byte order mark", text("\u{feff}{}"), -32700),
        ("no UTF-8", b"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\xfe\",\"method\":\"ping\"}".to_vec(), -32700),
        ("half a surrogate", text(r#"{"jsonrpc":"2.0","id":"\ud800","method":"ping"}"#), -32700),
        ("a null byte", b"\0".to_vec(), -32700),
        ("NaN", text("{\"jsonrpc\":\"2.0\",\"id\":NaN,\"method\":\"ping\"}"), -32700),
        ("a huge exponent", text("{\"jsonrpc\":\"2.0\",\"id\":1e999,\"method\":\"ping\"}"), -32700),
        ("deep arrays", "[".repeat(200_000).into_bytes(), -32700),
        ("deep objects", "{\"a\":".repeat(200_000).into_bytes(), -32700),
        ("deep parameters", deep_parameters(), -32700),
        ("a number", text("7"), -32600),
        ("a string", text("\"ping\""), -32600),
        ("null", text("null"), -32600),
        ("true", text("true"), -32600),
        ("an empty batch", text("[]"), -32600),
        ("a batch", text(r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#), -32600),
        ("an empty object", text("{}"), -32600),
        ("no version", text(r#"{"id":1,"method":"ping"}"#), -32600),
        ("version 1.0", text(r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#), -32600),
        ("version as a number", text(r#"{"jsonrpc":2.0,"id":1,"method":"ping"}"#), -32600),
        ("no method", text(r#"{"jsonrpc":"2.0","id":1}"#), -32600),
        ("method as a number", text(r#"{"jsonrpc":"2.0","id":1,"method":1}"#), -32600),
        ("method as null", text(r#"{"jsonrpc":"2.0","id":1,"method":null}"#), -32600),
        ("id as null", text(r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#), -32600),
        ("id as a fraction", text(r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#), -32600),
        ("id as an object", text(r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#), -32600),
        ("id as an array", text(r#"{"jsonrpc":"2.0","id":[1],"method":"ping"}"#), -32600),
        ("id as a boolean", text(r#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#), -32600),
        ("id out of range", text(r#"{"jsonrpc":"2.0","id":99999999999999999999,"method":"ping"}"#), -32600),
        ("parameters as an array", text(r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#), -32602),
        ("parameters as a string", text(r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}"#), -32602),
        (
            "a call without a name",
            text(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}"#),
            -32602,
        ),
        ("a call of nothing", text(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#), -32602),
        (
            "arguments as a list",
            text(
                r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":[1]}}"#,
            ),
            -32602,
        ),
        (
            "initialize without a client",
            text(r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#),
            -32602,
        ),
        (
            "a read without a URI",
            text(r#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{}}"#),
            -32602,
        ),
    ]
}

fn deep_parameters() -> Vec<u8> {
    let nested = format!("{}1{}", "{\"a\":".repeat(5000), "}".repeat(5000));
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"echo","arguments":{nested}}}}}"#
    )
    .into()
}

fn giant() -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{}"}}"#, "x".repeat(5 * 1024 * 1024))
}

/// Bytes that are no HTTP, or not quite: (what, bytes, statuses that are fine; 0 is a closed connection).
fn garbage(server: &Server, path: &str) -> Vec<(&'static str, Vec<u8>, Vec<u16>)> {
    let host = format!("Host: {}", server.addr);
    let json = "Content-Type: application/json\r\nAccept: */*";
    let request = |text: String| text.into_bytes();
    vec![
        ("no HTTP at all", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".to_vec(), vec![0, 400]),
        ("a word", b"hello\r\n\r\n".to_vec(), vec![0, 400]),
        ("HTTP/2 preface", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(), vec![0, 400, 505]),
        ("HTTP/9.9", request(format!("GET {path} HTTP/9.9\r\n{host}\r\n\r\n")), vec![0, 400, 505]),
        (
            "a header without a colon",
            request(format!("GET {path} HTTP/1.1\r\n{host}\r\nnonsense\r\n\r\n")),
            vec![0, 400],
        ),
        (
            "a header with a blank name",
            request(format!("GET {path} HTTP/1.1\r\n{host}\r\n: x\r\n\r\n")),
            vec![0, 400],
        ),
        (
            "a null byte in a header",
            request(format!("GET {path} HTTP/1.1\r\n{host}\r\nX: a\0b\r\n\r\n")),
            vec![0, 400],
        ),
        ("a target with blanks", request(format!("GET {path} x HTTP/1.1\r\n{host}\r\n\r\n")), vec![0, 400]),
        (
            "two lengths",
            request(format!(
                "POST {path} HTTP/1.1\r\n{host}\r\n{json}\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{{}}"
            )),
            vec![0, 400],
        ),
        (
            "a negative length",
            request(format!("POST {path} HTTP/1.1\r\n{host}\r\n{json}\r\nContent-Length: -2\r\n\r\n{{}}")),
            vec![0, 400],
        ),
        (
            "length and chunks, as smugglers send them",
            request(format!(
                "POST {path} HTTP/1.1\r\n{host}\r\n{json}\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nZ\r\n0\r\n\r\n"
            )),
            vec![0, 400],
        ),
        (
            "chunks of no number",
            request(format!(
                "POST {path} HTTP/1.1\r\n{host}\r\n{json}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{{}}\r\n"
            )),
            vec![0, 400],
        ),
        (
            "an unknown coding",
            request(format!(
                "POST {path} HTTP/1.1\r\n{host}\r\n{json}\r\nTransfer-Encoding: gzip\r\n\r\n{{}}"
            )),
            vec![0, 400, 501],
        ),
        (
            "a head of a megabyte",
            request(format!("GET {path} HTTP/1.1\r\n{host}\r\nX: {}\r\n\r\n", "x".repeat(1024 * 1024))),
            vec![0, 400, 431],
        ),
        (
            "a thousand headers",
            request(format!("GET {path} HTTP/1.1\r\n{host}\r\n{}\r\n", "X: y\r\n".repeat(1000))),
            vec![0, 400, 431],
        ),
        (
            "CONNECT",
            request(format!("CONNECT evil.example.com:443 HTTP/1.1\r\n{host}\r\n\r\n")),
            vec![400, 404, 405, 421],
        ),
        (
            "a path that climbs",
            request(format!("GET /../../etc/passwd HTTP/1.1\r\n{host}\r\n\r\n")),
            vec![404],
        ),
    ]
}

#[test]
fn malformed_requests_to_mcp() {
    let server = Server::start(WebConfig::default());
    let session = server.session();
    let mut rows = 0;
    let mut check = |what: &str, answer: Answer, status: u16, code: i64| {
        rows += 1;
        assert_eq!((answer.status, answer.code()), (status, code), "{what}: {}", answer.text());
        let message = answer.json()["error"]["message"].as_str().map(str::to_owned).unwrap_or_default();
        assert!(!message.is_empty() && message.len() < 1000, "{what}: {message}");
        server.assert_alive(what);
        assert_eq!(server.legacy_call(&session, "echo").send().status, 200, "after {what}");
    };
    for (what, frame, code) in frames() {
        check(what, server.post(frame.clone()).send(), 400, code);
        check(what, server.post(frame).header("Mcp-Session-Id", &session).send(), 400, code);
    }
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    check("a giant", server.post(giant()).send(), 413, -32600);
    check("no session", server.post(ping).send(), 400, -32600);
    check("a forged session", server.post(ping).header("Mcp-Session-Id", "x").send(), 404, 404);
    check(
        "two sessions",
        server.legacy(&session, "ping", json!({})).header("Mcp-Session-Id", "x").send(),
        400,
        -32020,
    );
    check("an unknown method", server.modern("x/y", json!({})).send(), 404, -32601);
    check("a method of the other era", server.modern("ping", json!({})).send(), 404, -32601);
    check("a wrong type", server.modern_call("echo").set("Content-Type", "text/plain").send(), 415, -32600);
    check("two types", server.modern_call("echo").header("Content-Type", "text/plain").send(), 415, -32600);
    check("nothing acceptable", server.modern_call("echo").set("Accept", "image/png").send(), 406, -32600);
    check(
        "another method in the header",
        server.modern_call("echo").set("Mcp-Method", "ping").send(),
        400,
        -32020,
    );
    check("another name in the header", server.modern_call("echo").set("Mcp-Name", "x").send(), 400, -32020);
    check(
        "a name that is no base64",
        server.modern_call("echo").set("Mcp-Name", "=?base64?*?=").send(),
        400,
        -32020,
    );
    check("an unknown revision", server.post(ping).header("MCP-Protocol-Version", "9").send(), 400, -32022);
    check(
        "a revision with odd bytes",
        server.post(ping).header("MCP-Protocol-Version", "é").send(),
        400,
        -32022,
    );
    check("another host", server.post(ping).header("Host", "evil.example.com").send(), 421, 421);
    check("a host with a user", server.post(ping).header("Host", "localhost@evil.com").send(), 400, -32600);
    check(
        "two hosts",
        server.post(ping).header("Host", "localhost").header("Host", "localhost").send(),
        400,
        -32600,
    );
    check("no host", server.post(ping).without("Host").send(), 400, -32600);
    check("another origin", server.post(ping).header("Origin", "http://evil.example.com").send(), 403, 403);
    check("the origin null", server.post(ping).header("Origin", "null").send(), 403, 403);
    check("an answer to nothing", server.post(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#).send(), 400, -32600);
    check("PUT", server.post(ping).method("PUT").send(), 405, -32600);
    check(
        "a stream without a session",
        server.get("/mcp").header("Accept", "text/event-stream").send(),
        400,
        -32600,
    );
    check("an end without a session", server.get("/mcp").method("DELETE").send(), 400, -32600);
    for (what, bytes, statuses) in garbage(&server, "/mcp") {
        let answer = raw(server.addr, &bytes).finish();
        assert!(statuses.contains(&answer.status), "{what}: {} {}", answer.status, answer.text());
        server.assert_alive(what);
        rows += 1;
    }
    assert!(rows >= 100, "{rows}");
}

#[test]
fn malformed_requests_to_sse() {
    let server = Server::start(WebConfig { sse: true, ..WebConfig::default() });
    let mut client = Client::begin(&server);
    let mut next = 100;
    let mut still_works = |client: &mut Client<'_>, what: &str| {
        next += 1;
        let call = json!({"jsonrpc": "2.0", "id": next, "method": "tools/call", "params": {"name": "echo"}});
        assert!(client.ask(&call)["result"].is_object(), "after {what}");
    };
    let mut rows = 0;
    let mut check = |client: &mut Client<'_>, what: &str, answer: Answer, status: u16, code: i64| {
        rows += 1;
        assert_eq!((answer.status, answer.code()), (status, code), "{what}: {}", answer.text());
        still_works(client, what);
    };
    for (what, frame, code) in frames() {
        let answer = client.post(frame).send();
        check(&mut client, what, answer, 400, code);
    }
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let calls: Vec<(&str, Call, u16, i64)> = vec![
        ("a giant", client.post(giant()), 413, -32600),
        ("no session", client.post(ping).target("/messages"), 400, -32600),
        ("an empty session", client.post(ping).target("/messages?sessionId="), 400, -32600),
        ("a forged session", client.post(ping).target("/messages?sessionId=x"), 404, 404),
        ("half a session", client.post(ping).target(&client.endpoint[..client.endpoint.len() - 1]), 404, 404),
        ("a wrong type", client.post(ping).set("Content-Type", "text/plain"), 415, -32600),
        ("no type", client.post(ping).without("Content-Type"), 415, -32600),
        ("a stream that is not wanted", server.get("/sse").header("Accept", "text/html"), 406, -32600),
        ("POST to the stream", client.post(ping).target("/sse"), 405, -32600),
        ("GET for the messages", client.post(ping).method("GET"), 405, -32600),
        ("another host", client.post(ping).header("Host", "evil.example.com"), 421, 421),
        ("a host with a user", client.post(ping).header("Host", "localhost@evil.com"), 400, -32600),
        ("two hosts", client.post(ping).header("Host", "localhost").header("Host", "localhost"), 400, -32600),
        ("no host", client.post(ping).without("Host"), 400, -32600),
        ("another origin", client.post(ping).header("Origin", "http://evil.example.com"), 403, 403),
        ("the origin null", client.post(ping).header("Origin", "null"), 403, 403),
        ("another host on the stream", server.get("/sse").header("Host", "evil.example.com"), 421, 421),
    ];
    for (what, call, status, code) in calls {
        check(&mut client, what, call.send(), status, code);
    }
    for (what, bytes, statuses) in garbage(&server, &client.endpoint) {
        let answer = raw(server.addr, &bytes).finish();
        assert!(statuses.contains(&answer.status), "{what}: {} {}", answer.status, answer.text());
        still_works(&mut client, what);
        rows += 1;
    }
    let unknown: Value = client.ask(&json!({"jsonrpc": "2.0", "id": 1, "method": "no/such"}));
    assert_eq!(unknown["error"]["code"], -32601);
    assert!(rows >= 70, "{rows}");
}

/// Proper requests with a few bytes changed, the same ones in every run.
#[test]
fn damaged_requests_are_never_our_fault() {
    let quick = Duration::from_millis(100);
    let limits = Limits { head_timeout: quick, body_timeout: quick, ..Limits::default() };
    let server = Server::start(WebConfig { sse: true, limits, ..WebConfig::default() });
    let session = server.session();
    let originals = [
        server.modern_call("echo"),
        server.legacy_call(&session, "echo"),
        server.initialize().header("Origin", "http://localhost:1"),
        server.post("{}").target("/messages?sessionId=x").bearer("0123456789abcdef"),
    ]
    .map(|call| call.header("Connection", "close").bytes());
    let mut answered = 0;
    let mut state: u64 = 1;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    for round in 0..600 {
        let mut bytes = originals[round % originals.len()].clone();
        for _ in 0..1 + random(3) {
            let at = random(bytes.len());
            match random(3) {
                0 => bytes[at] = random(256) as u8,
                1 => drop(bytes.remove(at)),
                _ => bytes.insert(at, b" \r\n:;,\"{}[]\0@%="[random(15)]),
            }
        }
        let answer = raw(server.addr, &bytes).finish();
        assert!(answer.status < 500, "{}\n{}", bytes.escape_ascii(), answer.text());
        answered += usize::from(answer.status != 0);
    }
    assert!(answered > 500, "{answered}");
    server.assert_alive("damaged requests");
}
