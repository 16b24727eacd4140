//! The deprecated pair of endpoints.

use std::time::Duration;

use docent_mcp::Scope;
use docent_web::{Auth, Limits, WebConfig};
use serde_json::{Value, json};

use crate::support::*;

/// A client with an open stream.
pub(crate) struct Client<'a> {
    pub(crate) server: &'a Server,
    pub(crate) stream: Stream,
    pub(crate) endpoint: String,
    secret: Option<String>,
}

impl<'a> Client<'a> {
    pub(crate) fn open(server: &'a Server) -> Self {
        Self::open_as(server, None)
    }

    fn open_as(server: &'a Server, secret: Option<String>) -> Self {
        let mut call = server.get("/sse").header("Accept", "text/event-stream");
        if let Some(secret) = &secret {
            call = call.bearer(secret);
        }
        let mut stream = call.open();
        assert_eq!(stream.answer.status, 200);
        let (event, endpoint) = stream.event().unwrap();
        assert_eq!(event, "endpoint");
        Self { server, stream, endpoint, secret }
    }

    pub(crate) fn post(&self, body: impl Into<Vec<u8>>) -> Call {
        let call = self.server.post(body).target(&self.endpoint);
        match &self.secret {
            Some(secret) => call.bearer(secret),
            None => call,
        }
    }

    /// Sends a request and reads its answer from the stream.
    pub(crate) fn ask(&mut self, message: &Value) -> Value {
        let answer = self.post(message.to_string()).send();
        assert_eq!(answer.status, 202, "{answer:?}");
        let answer = self.stream.message().unwrap();
        assert_eq!(answer["id"], message["id"], "{answer}");
        answer
    }

    pub(crate) fn begin(server: &'a Server) -> Self {
        let mut client = Self::open(server);
        client.ask(&initialize());
        client
    }
}

fn server() -> Server {
    Server::start(WebConfig { sse: true, ..WebConfig::default() })
}

fn call(id: u64, tool: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": {}}})
}

#[test]
fn it_is_off_unless_asked_for() {
    let server = Server::start(WebConfig::default());
    assert_eq!(server.get("/sse").header("Accept", "text/event-stream").send().status, 404);
}

#[test]
fn a_client_of_2024_is_served() {
    let server = server();
    let mut client = Client::open(&server);
    let answer = client.ask(&initialize());
    assert_eq!(answer["result"]["protocolVersion"], LEGACY);
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(client.post(ready.to_string()).send().status, 202);
    assert_eq!(client.ask(&call(2, "echo"))["result"]["content"][0]["text"], "{}");
    assert_eq!(client.ask(&json!({"jsonrpc": "2.0", "id": 3, "method": "ping"}))["result"], json!({}));
    assert_eq!(client.ask(&json!({"jsonrpc": "2.0", "id": 4, "method": "x"}))["error"]["code"], -32601);
}

#[test]
fn discover_is_answered_at_once_and_leaves_the_choice() {
    let server = server();
    let mut client = Client::open(&server);
    let discover = |id| json!({"jsonrpc": "2.0", "id": id, "method": "server/discover", "params": {"_meta": meta(MODERN)}});
    assert!(client.ask(&discover(1))["result"]["supportedVersions"].is_array());
    assert_eq!(client.ask(&initialize())["result"]["protocolVersion"], LEGACY);
    let mut client = Client::open(&server);
    client.ask(&discover(1));
    let mut modern = call(2, "echo");
    modern["params"]["_meta"] = meta(MODERN);
    assert_eq!(client.ask(&modern)["result"]["content"][0]["text"], "{}");
    let mut client = Client::open(&server);
    let bare = json!({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {}});
    assert_eq!(client.ask(&bare)["error"]["code"], -32602);
    client.ask(&initialize());
}

#[test]
fn notices_before_initialize_do_no_harm() {
    let server = server();
    let mut client = Client::open(&server);
    for stray in [
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}),
        json!({"jsonrpc": "2.0", "method": "no/such"}),
        json!({"jsonrpc": "2.0", "id": 9, "result": {}}),
        json!({"jsonrpc": "2.0", "id": 9, "error": {"code": 1, "message": "x"}}),
    ] {
        assert_eq!(client.post(stray.to_string()).send().status, 202, "{stray}");
    }
    let early = json!({"jsonrpc": "2.0", "id": 5, "method": "tools/list"});
    assert!(client.ask(&early)["error"].is_object());
    let stray = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(client.post(stray.to_string()).send().status, 202);
    client.ask(&initialize());
    client.ask(&call(2, "echo"));
}

#[test]
fn a_broken_message_is_answered_where_it_was_posted() {
    let server = server();
    let mut client = Client::begin(&server);
    let answer = client.post("{").send();
    assert_eq!((answer.status, answer.code()), (400, -32700));
    // The next thing on the stream is the answer to the next request.
    client.ask(&call(2, "echo"));
}

#[test]
fn hanging_up_ends_the_session() {
    let server = server();
    let client = Client::begin(&server);
    assert_eq!(client.post(call(2, "hold").to_string()).send().status, 202);
    server.wait_for("held", 1);
    let late = client.post(call(3, "echo").to_string());
    client.stream.close();
    server.wait_for("cancelled", 1);
    wait_until("the end of the session", || late.send().status == 404);
}

#[test]
fn a_session_belongs_to_the_caller_that_made_it() {
    let auth =
        Auth::Required { tokens: vec![token("ann", &Scope::ALL), token("bob", &Scope::ALL)], oauth: None };
    let server = Server::start(WebConfig { sse: true, auth, ..WebConfig::default() });
    assert_eq!(server.get("/sse").header("Accept", "text/event-stream").send().status, 401);
    let mut ann = Client::open_as(&server, Some(secret("ann")));
    ann.ask(&initialize());
    let bob = ann.post(call(2, "who").to_string()).bearer(&secret("bob"));
    assert_eq!(bob.send().status, 404);
    assert_eq!(ann.post("{}").without("Authorization").send().status, 401);
    assert_eq!(ann.ask(&call(2, "who"))["result"]["content"][0]["text"], "token|ann docs:read,docs:write");
}

#[test]
fn a_session_has_only_so_many_unanswered_requests() {
    let server = server();
    let mut client = Client::begin(&server);
    for id in 0..16 {
        assert_eq!(client.post(call(100 + id, "hold").to_string()).send().status, 202);
    }
    let answer = client.post(call(200, "echo").to_string()).send();
    assert_eq!((answer.status, answer.json()["id"].clone()), (503, json!(200)));
    assert!(answer.header("retry-after").is_some());
    let notice = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 100}});
    assert_eq!(client.post(notice.to_string()).send().status, 202);
    assert_eq!(client.ask(&call(201, "echo"))["id"], 201);
    server.handler.release.cancel();
    for _ in 0..15 {
        client.stream.message().unwrap();
    }
    client.ask(&call(202, "echo"));
}

#[test]
fn an_id_is_taken_until_its_request_is_answered() {
    let server = server();
    let mut client = Client::begin(&server);
    assert_eq!(client.post(call(2, "hold").to_string()).send().status, 202);
    let answer = client.post(call(2, "echo").to_string()).send();
    assert_eq!((answer.status, answer.code()), (400, -32600), "{answer:?}");
    server.handler.release.cancel();
    assert_eq!(client.stream.message().unwrap()["id"], 2);
    client.ask(&call(2, "echo"));
}

#[test]
fn a_subscription_does_not_count_as_a_request() {
    let limits = Limits { requests: 1, ..Limits::default() };
    let server = Server::start(WebConfig { sse: true, limits, ..WebConfig::default() });
    let mut client = Client::open(&server);
    let params = json!({"notifications": {"toolsListChanged": true}, "_meta": meta(MODERN)});
    let listen = json!({"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": params});
    assert_eq!(client.post(listen.to_string()).send().status, 202);
    assert_eq!(client.stream.message().unwrap()["method"], "notifications/subscriptions/acknowledged");
    let mut modern = call(2, "echo");
    modern["params"]["_meta"] = meta(MODERN);
    client.ask(&modern);
}

#[test]
fn comments_keep_the_stream_open() {
    let server = Server::start(WebConfig {
        sse: true,
        limits: Limits { keep_alive: Duration::from_millis(50), ..Limits::default() },
        ..WebConfig::default()
    });
    let mut client = Client::begin(&server);
    let mut text = String::new();
    wait_until("a comment", || {
        text.push_str(&client.stream.skim(Duration::from_millis(100)));
        text.lines().any(|line| line.starts_with(':'))
    });
}
