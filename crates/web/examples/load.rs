//! Load on a running server, over HTTP by many clients or over stdio by one.
//!
//! ```text
//! load http ADDRESS PID QUERIES.jsonl CLIENTS SECONDS [new]
//! load stdio QUERIES.jsonl COUNT COMMAND ARGS…
//! ```
//!
//! Four calls of five are searches for queries of the file (one JSON object with `text` a line), the fifth reads something
//! that an earlier search found. With `new` a number is added to each query, so that none is ever asked twice. Prints calls,
//! errors, percentiles, and the server's resident memory over time.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a tool for measuring")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

const VERSION: &str = "2026-07-28";
/// Hits that a client remembers to read from.
const SEEN: usize = 200;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args.as_slice() {
        ["http", address, pid, queries, clients, seconds, rest @ ..] => {
            let plan = Plan { queries: read_queries(queries), new: rest.contains(&"new") };
            http(address, pid, &plan, clients.parse().unwrap(), seconds.parse().unwrap());
        }
        ["stdio", queries, count, command, rest @ ..] => {
            stdio(&read_queries(queries), count.parse().unwrap(), command, rest);
        }
        _ => panic!("see the head of this file"),
    }
}

fn read_queries(path: &str) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let query =
        |line: &str| serde_json::from_str::<Value>(line).unwrap()["text"].as_str().unwrap().to_owned();
    text.lines().filter(|line| !line.trim().is_empty()).map(query).collect()
}

/// Small numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }
}

/// What is asked.
struct Plan {
    queries: Vec<String>,
    /// Whether each query is asked only once.
    new: bool,
}

#[derive(Default)]
struct Tally {
    searches: Vec<f64>,
    reads: Vec<f64>,
    errors: Vec<String>,
}

fn http(address: &str, pid: &str, plan: &Plan, clients: u64, seconds: u64) {
    let tally = Arc::new(Mutex::new(Tally::default()));
    let end = Instant::now() + Duration::from_secs(seconds);
    println!("memory at start: {} MB", memory(pid));
    std::thread::scope(|scope| {
        for client in 0..clients {
            let tally = Arc::clone(&tally);
            scope.spawn(move || run_client(address, client, plan, end, &tally));
        }
        while Instant::now() < end {
            std::thread::sleep(Duration::from_secs(10).min(end.saturating_duration_since(Instant::now())));
            println!("memory: {} MB", memory(pid));
        }
    });
    let mut tally = tally.lock().unwrap();
    let calls = tally.searches.len() + tally.reads.len();
    println!("{clients} clients, {seconds} s: {calls} calls, {:.0} a second", calls as f64 / seconds as f64);
    println!("errors: {}", tally.errors.len());
    for error in tally.errors.iter().take(5) {
        println!("  {error}");
    }
    let mut all: Vec<f64> = tally.searches.iter().chain(&tally.reads).copied().collect();
    tell("searches", &mut tally.searches);
    tell("reads", &mut tally.reads);
    tell("all", &mut all);
}

fn run_client(address: &str, client: u64, plan: &Plan, end: Instant, tally: &Mutex<Tally>) {
    let mut dice = Dice(client + 1);
    let mut seen: Vec<(String, String, String)> = Vec::new();
    let mut connection = Connection::open(address);
    let (mut own, mut id) = (Tally::default(), 0);
    while Instant::now() < end {
        id += 1;
        let is_search = seen.is_empty() || dice.roll(5) != 0;
        let (tool, arguments) = if is_search {
            let query = &plan.queries[dice.roll(plan.queries.len())];
            let query = if plan.new { format!("{query} {client}-{id}") } else { query.clone() };
            ("search_docs", json!({"query": query}))
        } else {
            let (chunk, path, heading) = &seen[dice.roll(seen.len())];
            match dice.roll(3) {
                0 => ("get_doc", json!({"chunk_id": chunk, "context": 1})),
                1 => ("get_page", json!({"file_path": path})),
                _ => ("get_section", json!({"file_path": path, "heading_path": heading})),
            }
        };
        let begun = Instant::now();
        let answer = connection.call(id, tool, &arguments);
        let took = begun.elapsed().as_secs_f64() * 1000.0;
        match answer {
            Ok(answer) if answer.contains("\"structuredContent\":{") => {
                // Reading every answer would cost the server's cores more than it tells.
                let wanted = seen.len() < SEEN;
                let answer: Value = if wanted { serde_json::from_str(&answer).unwrap() } else { Value::Null };
                for hit in answer["result"]["structuredContent"]["results"].as_array().into_iter().flatten() {
                    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
                    let metadata = &hit["metadata"];
                    if seen.len() < SEEN {
                        let (path, heading) = (&metadata["file_path"], &metadata["heading_path"]);
                        seen.push((text(&hit["chunk_id"]), text(path), text(heading)));
                    }
                }
                if is_search { own.searches.push(took) } else { own.reads.push(took) }
            }
            Ok(answer) => own.errors.push(answer),
            Err(error) => {
                own.errors.push(error);
                connection = Connection::open(address);
            }
        }
    }
    let mut tally = tally.lock().unwrap();
    tally.searches.append(&mut own.searches);
    tally.reads.append(&mut own.reads);
    tally.errors.append(&mut own.errors);
}

/// One kept-alive HTTP/1.1 connection.
struct Connection {
    stream: BufReader<TcpStream>,
    host: String,
}

impl Connection {
    fn open(address: &str) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        Self { stream: BufReader::new(stream), host: address.to_owned() }
    }

    fn call(&mut self, id: u64, tool: &str, arguments: &Value) -> Result<String, String> {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": VERSION,
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let params = json!({"name": tool, "arguments": arguments, "_meta": meta});
        let body = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string();
        let request = format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
             MCP-Protocol-Version: {VERSION}\r\nMcp-Method: tools/call\r\nMcp-Name: {tool}\r\nContent-Length: {}\r\n\r\n{body}",
            self.host,
            body.len()
        );
        let told = |error: std::io::Error| error.to_string();
        self.stream.get_mut().write_all(request.as_bytes()).map_err(told)?;
        let (mut length, mut chunked, mut line) = (0, false, String::new());
        loop {
            line.clear();
            if self.stream.read_line(&mut line).map_err(told)? == 0 {
                return Err("closed".to_owned());
            }
            let head = line.trim().to_ascii_lowercase();
            if let Some(value) = head.strip_prefix("content-length:") {
                length = value.trim().parse().map_err(|_| head.clone())?;
            }
            chunked |= head.starts_with("transfer-encoding:") && head.contains("chunked");
            if head.is_empty() {
                break;
            }
        }
        let mut body = Vec::new();
        loop {
            if chunked {
                line.clear();
                self.stream.read_line(&mut line).map_err(told)?;
                length = usize::from_str_radix(line.trim(), 16).map_err(|_| line.clone())?;
            }
            let start = body.len();
            body.resize(start + length, 0);
            self.stream.read_exact(&mut body[start..]).map_err(told)?;
            if chunked {
                line.clear();
                self.stream.read_line(&mut line).map_err(told)?;
            }
            if !chunked || length == 0 {
                break;
            }
        }
        let text = String::from_utf8(body).map_err(|error| error.to_string())?;
        if text.starts_with('{') {
            return Ok(text);
        }
        let mut data = text.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim);
        data.rfind(|data| data.starts_with('{')).map(str::to_owned).ok_or(text.clone())
    }
}

fn stdio(queries: &[String], count: usize, command: &str, args: &[&str]) {
    let mut child =
        Command::new(command).args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut ask = |id: usize, method: &str, params: Value| {
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        writeln!(input, "{message}").unwrap();
        loop {
            let mut line = String::new();
            assert!(output.read_line(&mut line).unwrap() > 0, "the server ended");
            let answer: Value = serde_json::from_str(&line).unwrap();
            if answer["id"] == id {
                return answer;
            }
        }
    };
    let client = json!({"name": "load", "version": "1"});
    ask(0, "initialize", json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}));
    let search = |query: &str| json!({"name": "search_docs", "arguments": {"query": query}});
    // Vectors are being made at first; the measurement starts when all are there.
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(600) {
        let answer = ask(1, "tools/call", search("vectors"));
        let vector = &answer["result"]["structuredContent"]["searched"]["vector"];
        if vector["embedded"] == vector["total"] {
            break;
        }
        std::thread::sleep(Duration::from_millis(200));
    }
    let mut times = Vec::new();
    for at in 0..count {
        let begun = Instant::now();
        let answer = ask(at + 2, "tools/call", search(&queries[at % queries.len()]));
        times.push(begun.elapsed().as_secs_f64() * 1000.0);
        assert!(answer["result"]["structuredContent"].is_object(), "{answer}");
    }
    tell("stdio search_docs", &mut times);
    child.kill().unwrap();
    child.wait().unwrap();
}

fn tell(what: &str, times: &mut [f64]) {
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times.get((times.len() as f64 * share) as usize).copied().unwrap_or(f64::NAN);
    println!(
        "{what}: {} calls, p50 {:.1} ms, p95 {:.1} ms, p99 {:.1} ms, max {:.1} ms",
        times.len(),
        at(0.5),
        at(0.95),
        at(0.99),
        times.last().copied().unwrap_or(f64::NAN)
    );
}

/// Resident memory of a process in MB.
fn memory(pid: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or("0");
    line.trim().trim_end_matches(" kB").trim().parse::<u64>().unwrap_or(0) / 1024
}
