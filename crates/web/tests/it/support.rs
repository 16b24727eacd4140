//! The server under test, a handler that tells what it saw, and an HTTP client that can be as rude as needed.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use docent_mcp::{Caller, Scope};
use docent_web::{Probes, WebConfig, WebError};
use rmcp::model::*;
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

pub(crate) const LEGACY: &str = "2025-11-25";
pub(crate) const MODERN: &str = "2026-07-28";

/// What the handler saw.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) events: Vec<String>,
}

/// A handler with one tool per behaviour.
#[derive(Clone)]
pub(crate) struct Handler {
    pub(crate) seen: Arc<Mutex<Seen>>,
    /// Lets the tool `hold` go on.
    pub(crate) release: CancellationToken,
}

impl Handler {
    fn note(&self, event: impl Into<String>) {
        self.seen.lock().unwrap().events.push(event.into());
    }
}

fn caller(context: &RequestContext<RoleServer>) -> Option<Caller> {
    let parts = context.extensions.get::<http::request::Parts>()?;
    assert!(!parts.headers.contains_key("authorization"), "the handler can see the secret");
    parts.extensions.get::<Caller>().cloned()
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_tool_list_changed().build();
        ServerConfig::new(capabilities).with_server_info(Implementation::new("test", "1"))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = ["echo", "who", "hold", "progress"].map(|name| {
            let Value::Object(schema) = json!({"type": "object"}) else { unreachable!() };
            Tool::new(name, "a test", schema)
        });
        Ok(ListToolsResult::with_all_items(tools.to_vec())
            .with_ttl_ms(0)
            .with_cache_scope(CacheScope::Private))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let text = match request.name.as_ref() {
            "echo" => json!(request.arguments).to_string(),
            "who" => {
                let caller = caller(&context).map(|caller| {
                    let scopes: Vec<_> = caller.scopes.iter().map(|scope| scope.name()).collect();
                    let only = if caller.access.allows("anything at all") { "" } else { " only" };
                    format!("{} {}{only}", caller.name, scopes.join(","))
                });
                caller.unwrap_or_else(|| "nobody".to_owned())
            }
            "hold" => {
                if json!(request.arguments)["progress"] == true {
                    let token = ProgressToken(NumberOrString::Number(1));
                    let _ = context.peer.notify_progress(ProgressNotificationParam::new(token, 1.0)).await;
                }
                self.note("held");
                tokio::select! {
                    () = context.ct.cancelled() => self.note("cancelled"),
                    () = self.release.cancelled() => self.note("finished"),
                }
                "released".to_owned()
            }
            "progress" => {
                let token =
                    context.meta.get_progress_token().unwrap_or(ProgressToken(NumberOrString::Number(1)));
                let _ = context.peer.notify_progress(ProgressNotificationParam::new(token, 1.0)).await;
                "done".to_owned()
            }
            name => return Err(ErrorData::invalid_params(format!("unknown tool {name}"), None)),
        };
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.supported_by(&self.get_info().capabilities))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.note("listening");
        context.cancelled().await;
        self.note("stopped listening");
        Ok(())
    }
}

/// A server that stops when it is dropped.
pub(crate) struct Server {
    pub(crate) addr: SocketAddr,
    pub(crate) handler: Handler,
    pub(crate) stop: CancellationToken,
    done: Option<std::thread::JoinHandle<Result<(), WebError>>>,
}

impl Server {
    pub(crate) fn start(config: WebConfig) -> Self {
        Self::with_probes(config, Probes::default())
    }

    pub(crate) fn with_probes(config: WebConfig, probes: Probes) -> Self {
        let handler = Handler { seen: Arc::default(), release: CancellationToken::new() };
        let stop = CancellationToken::new();
        let (tell, told) = std::sync::mpsc::channel();
        let (served, stopped) = (handler.clone(), stop.clone());
        let done = std::thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
                tell.send(listener.local_addr().unwrap()).unwrap();
                docent_web::serve(listener, served, config, probes, stopped).await
            })
        });
        Self { addr: told.recv().unwrap(), handler, stop, done: Some(done) }
    }

    /// Tells the server to stop and waits until it has.
    pub(crate) fn finish(mut self) -> Result<(), WebError> {
        self.stop.cancel();
        self.done.take().unwrap().join().unwrap()
    }

    /// Waits until the handler saw this `times` times.
    pub(crate) fn wait_for(&self, event: &str, times: usize) {
        let saw = || self.handler.seen.lock().unwrap().events.iter().filter(|seen| *seen == event).count();
        wait_until(&format!("{event} × {times}"), || saw() >= times);
    }

    pub(crate) fn saw(&self, event: &str) -> bool {
        self.handler.seen.lock().unwrap().events.iter().any(|seen| seen == event)
    }

    pub(crate) fn get(&self, path: &str) -> Call {
        Call::new(self.addr, "GET", path)
    }

    /// A POST to `/mcp` with the headers that every client sends.
    pub(crate) fn post(&self, body: impl Into<Vec<u8>>) -> Call {
        let call = Call::new(self.addr, "POST", "/mcp").header("Content-Type", "application/json");
        call.header("Accept", "application/json, text/event-stream").body(body)
    }

    /// A request of 2026-07-28, with the headers that it needs.
    pub(crate) fn modern(&self, method: &str, params: Value) -> Call {
        let mut params = params;
        params["_meta"] = meta(MODERN);
        let name = params.get("name").or(params.get("uri")).and_then(Value::as_str).map(str::to_owned);
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let call =
            self.post(body.to_string()).header("MCP-Protocol-Version", MODERN).header("Mcp-Method", method);
        match name {
            Some(name) => call.header("Mcp-Name", &name),
            None => call,
        }
    }

    pub(crate) fn modern_call(&self, tool: &str) -> Call {
        self.modern("tools/call", json!({"name": tool, "arguments": {}}))
    }

    /// A request of 2025-11-25 in a session.
    pub(crate) fn legacy(&self, session: &str, method: &str, params: Value) -> Call {
        let body = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
        self.post(body.to_string()).header("MCP-Protocol-Version", LEGACY).header("Mcp-Session-Id", session)
    }

    pub(crate) fn legacy_call(&self, session: &str, tool: &str) -> Call {
        self.legacy(session, "tools/call", json!({"name": tool, "arguments": {}}))
    }

    pub(crate) fn initialize(&self) -> Call {
        self.post(initialize().to_string())
    }

    /// Opens a session.
    pub(crate) fn session(&self) -> String {
        let answer = self.initialize().send();
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.header("mcp-session-id").unwrap().to_owned()
    }

    /// Fails unless proper calls of both eras are answered.
    pub(crate) fn assert_alive(&self, after: &str) {
        let answer = self.modern_call("echo").send();
        assert_eq!(answer.status, 200, "after {after}: {answer:?}");
        assert!(answer.json()["result"].is_object(), "after {after}: {answer:?}");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.cancel();
        self.handler.release.cancel();
        if let Some(done) = self.done.take() {
            let _ = done.join();
        }
    }
}

pub(crate) fn meta(version: &str) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
    })
}

pub(crate) fn initialize() -> Value {
    let params =
        json!({"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
}

pub(crate) fn wait_until(what: &str, mut check: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !check() {
        assert!(Instant::now() < deadline, "waited too long for {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A token for tests.
pub(crate) fn token(name: &str, scopes: &[Scope]) -> docent_web::Token {
    docent_web::Token::new(name, &secret(name), scopes).unwrap()
}

pub(crate) fn secret(name: &str) -> String {
    format!("{name}-0123456789abcdef")
}

/// One HTTP request.
#[derive(Clone)]
pub(crate) struct Call {
    addr: SocketAddr,
    method: String,
    target: String,
    headers: Vec<(String, String)>,
    body: Option<Vec<u8>>,
    host: bool,
}

impl Call {
    pub(crate) fn new(addr: SocketAddr, method: &str, target: &str) -> Self {
        let headers = Vec::new();
        Self { addr, method: method.into(), target: target.into(), headers, body: None, host: true }
    }

    pub(crate) fn method(mut self, method: &str) -> Self {
        self.method = method.into();
        self
    }

    pub(crate) fn target(mut self, target: &str) -> Self {
        self.target = target.into();
        self
    }

    /// Adds a header. `Host` replaces the usual one.
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.host &= !name.eq_ignore_ascii_case("host");
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Replaces a header.
    pub(crate) fn set(self, name: &str, value: &str) -> Self {
        self.without(name).header(name, value)
    }

    pub(crate) fn without(mut self, name: &str) -> Self {
        self.host &= !name.eq_ignore_ascii_case("host");
        self.headers.retain(|(other, _)| !other.eq_ignore_ascii_case(name));
        self
    }

    pub(crate) fn bearer(self, secret: &str) -> Self {
        self.set("Authorization", &format!("Bearer {secret}"))
    }

    pub(crate) fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = Some(body.into());
        self
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut head = format!("{} {} HTTP/1.1\r\n", self.method, self.target);
        if self.host {
            head += &format!("Host: {}\r\n", self.addr);
        }
        for (name, value) in &self.headers {
            head += &format!("{name}: {value}\r\n");
        }
        if let Some(body) = &self.body {
            head += &format!("Content-Length: {}\r\n", body.len());
        }
        let mut bytes = (head + "\r\n").into_bytes();
        bytes.extend_from_slice(self.body.as_deref().unwrap_or_default());
        bytes
    }

    /// Sends it and reads the whole answer.
    pub(crate) fn send(&self) -> Answer {
        self.open().finish()
    }

    /// Sends it and reads the head of the answer.
    pub(crate) fn open(&self) -> Stream {
        raw(self.addr, &self.bytes())
    }

    /// Sends it without waiting for the answer.
    pub(crate) fn fire(&self) -> TcpStream {
        let mut stream = TcpStream::connect(self.addr).unwrap();
        stream.write_all(&self.bytes()).unwrap();
        stream
    }
}

/// Sends bytes and reads the head of the answer. Status 0: the server closed without one.
pub(crate) fn raw(addr: SocketAddr, bytes: &[u8]) -> Stream {
    let mut stream = TcpStream::connect(addr).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let mut writer = stream.try_clone().unwrap();
    let bytes = bytes.to_vec();
    // Beside the reading, as the server may answer before it has read everything.
    std::thread::spawn(move || {
        let _ = writer.write_all(&bytes);
    });
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let answer =
        read_head(&mut reader).unwrap_or(Answer { status: 0, headers: Vec::new(), body: Vec::new() });
    let _ = stream.flush();
    Stream { answer, reader, stream, left: 0 }
}

fn read_head(reader: &mut BufReader<TcpStream>) -> Option<Answer> {
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let status = line.split(' ').nth(1)?.parse().ok()?;
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let line = line.trim_end();
        if line.is_empty() {
            return Some(Answer { status, headers, body: Vec::new() });
        }
        let (name, value) = line.split_once(':')?;
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
}

/// An answer whose body is still being read.
pub(crate) struct Stream {
    pub(crate) answer: Answer,
    reader: BufReader<TcpStream>,
    stream: TcpStream,
    left: usize,
}

impl Stream {
    fn chunked(&self) -> bool {
        self.answer.header("transfer-encoding") == Some("chunked")
    }

    /// Reads to the end.
    pub(crate) fn finish(mut self) -> Answer {
        let mut body = Vec::new();
        if let Some(length) = self.answer.header("content-length") {
            body.resize(length.parse().unwrap(), 0);
            let _ = self.reader.read_exact(&mut body);
        } else if self.chunked() {
            while let Some(byte) = self.byte() {
                body.push(byte);
            }
        } else if self.answer.status != 204 && self.answer.status != 0 {
            let _ = self.reader.read_to_end(&mut body);
        }
        self.answer.body = body;
        self.answer.clone()
    }

    /// One byte of a chunked or endless body.
    fn byte(&mut self) -> Option<u8> {
        if self.chunked() && self.left == 0 {
            let mut line = String::new();
            self.reader.read_line(&mut line).ok()?;
            if line.trim().is_empty() {
                line.clear();
                self.reader.read_line(&mut line).ok()?;
            }
            self.left = usize::from_str_radix(line.trim(), 16).ok()?;
            if self.left == 0 {
                return None;
            }
        }
        let mut byte = [0];
        self.reader.read_exact(&mut byte).ok()?;
        self.left = self.left.saturating_sub(1);
        Some(byte[0])
    }

    /// The next event with data, as (name, data). `None` when the stream is over.
    pub(crate) fn event(&mut self) -> Option<(String, String)> {
        let (mut name, mut data) = ("message".to_owned(), String::new());
        loop {
            let mut line = Vec::new();
            loop {
                match self.byte()? {
                    b'\n' => break,
                    byte => line.push(byte),
                }
            }
            let line = String::from_utf8(line).unwrap();
            if line.is_empty() && !data.is_empty() {
                return Some((name, data));
            }
            if let Some(value) = line.strip_prefix("event:") {
                name = value.trim().to_owned();
            } else if let Some(value) = line.strip_prefix("data:") {
                data.push_str(value.trim());
            }
        }
    }

    /// The next message.
    pub(crate) fn message(&mut self) -> Option<Value> {
        self.event().map(|(_, data)| serde_json::from_str(&data).unwrap())
    }

    /// What arrives within that time, as it is.
    pub(crate) fn skim(&mut self, time: Duration) -> String {
        self.stream.set_read_timeout(Some(time)).unwrap();
        let mut buffer = [0; 4096];
        let read = self.reader.read(&mut buffer).unwrap_or_default();
        String::from_utf8_lossy(&buffer[..read]).into_owned()
    }

    /// Hangs up.
    pub(crate) fn close(self) {
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

/// An answer.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The message in the body, the last one where it is a stream of events.
    pub(crate) fn json(&self) -> Value {
        let text = self.text();
        let data = text
            .lines()
            .filter_map(|line| line.strip_prefix("data:"))
            .map(str::trim)
            .rfind(|data| !data.is_empty());
        serde_json::from_str(data.unwrap_or(&text)).unwrap_or(Value::Null)
    }

    /// The text that a tool returned.
    pub(crate) fn tool_text(&self) -> String {
        self.json()["result"]["content"][0]["text"].as_str().unwrap_or_default().to_owned()
    }

    /// The JSON-RPC error code.
    pub(crate) fn code(&self) -> i64 {
        self.json()["error"]["code"].as_i64().unwrap_or_default()
    }
}
