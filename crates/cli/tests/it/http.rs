//! A server over HTTP, and a client that makes one request at a time.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpStream, UdpSocket};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

const VERSION: &str = "2026-07-28";

/// A server over HTTP; ends when it is dropped.
pub(crate) struct HttpServer {
    child: Child,
    address: String,
    /// What it said on stderr since it listens.
    said: Arc<Mutex<Vec<String>>>,
}

impl HttpServer {
    /// Starts it; the command must name a port of its own choice.
    pub(crate) fn by(mut command: Command) -> Self {
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let said = lines.by_ref().map(Result::unwrap).find(|line| line.contains("listening on"));
        let said = said.unwrap_or_else(|| panic!("it ended"));
        let address = said.split("http://").nth(1).unwrap().strip_suffix("/mcp").unwrap();
        let address = address.replace("0.0.0.0", &own_address());
        // Whoever says something must not be stopped by nobody reading it.
        let said = Arc::<Mutex<Vec<String>>>::default();
        let heard = Arc::clone(&said);
        std::thread::spawn(move || {
            lines.map_while(Result::ok).for_each(|line| heard.lock().unwrap().push(line))
        });
        Self { child, address, said }
    }

    /// What it said on stderr since it listens.
    pub(crate) fn said(&self) -> Vec<String> {
        self.said.lock().unwrap().clone()
    }

    /// The status and the body of an answer.
    pub(crate) fn get(&self, path: &str) -> (u16, String) {
        self.send(&format!("GET {path} HTTP/1.1"), &[], "")
    }

    /// Calls a tool with a token; the whole answer.
    pub(crate) fn call(&self, token: &str, tool: &str, arguments: Value) -> Value {
        self.request(token, "tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// Makes a request with a token; the whole answer.
    pub(crate) fn request(&self, token: &str, method: &str, mut params: Value) -> Value {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": VERSION,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
        });
        let name = params.get("name").or(params.get("uri")).and_then(Value::as_str).unwrap_or_default();
        let named = format!("Mcp-Name: {name}");
        let headers = [
            format!("Authorization: Bearer {token}"),
            format!("MCP-Protocol-Version: {VERSION}"),
            format!("Mcp-Method: {method}"),
            "Content-Type: application/json".to_owned(),
            "Accept: application/json, text/event-stream".to_owned(),
            if name.is_empty() { "X-None: none".to_owned() } else { named },
        ];
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        let (status, body) = self.send("POST /mcp HTTP/1.1", &headers, &body);
        let json = body.lines().find_map(|line| {
            serde_json::from_str::<Value>(line.strip_prefix("data:").unwrap_or(line).trim()).ok()
        });
        json.filter(Value::is_object).unwrap_or_else(|| panic!("{status} {body}"))
    }

    fn send(&self, first: &str, headers: &[String], body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let headers = headers.join("\r\n") + if headers.is_empty() { "" } else { "\r\n" };
        let (host, length) = (&self.address, body.len());
        let head = format!(
            "{first}\r\nHost: {host}\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n"
        );
        write!(stream, "{head}{body}").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        (status, answer.split_once("\r\n\r\n").unwrap().1.to_owned())
    }
}

/// The address of this machine as others see it, where it has one: a supervisor asks a server by that.
fn own_address() -> String {
    let outward = UdpSocket::bind("0.0.0.0:0").and_then(|socket| {
        // Nothing is sent: the system only says which address it would send from.
        socket.connect("192.0.2.1:9")?;
        socket.local_addr()
    });
    outward.map_or_else(|_| "127.0.0.1".to_owned(), |address| address.ip().to_string())
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
