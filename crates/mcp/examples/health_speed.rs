//! How long the tools of docs health take over the protocol, with 500 documents and 10,000 claims.
//!
//! cargo run --release -p docent-mcp --example health_speed [-- --keep FOLDER]
//!
//! Every call asks something else, so that none is answered from what was kept of an earlier one. With `--keep` the documents,
//! what is kept of them and the questions stay in a folder, for benches/health/plain_sql.py to ask the same.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a measurement for people")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use docent_embed::HashEmbedder;
use docent_engine::{Cancel, ChunkOptions, Engine, EngineParts, Freshness, Silent, Source, SourceRules};
use docent_health::{Health, Identity};
use docent_index::ContentHash;
use docent_index::health::{HealthStore, NewClaim, Recorded, RecordedDocument, Status};
use docent_mcp::{DocsServer, ServerOptions};
use docent_store_embedded::{EmbeddedHealth, EmbeddedStore, OpenOptions};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

const DOCUMENTS: usize = 500;
const CLAIMS: usize = 20;
const CALLS: usize = 100;
const WORDS: [&str; 12] = [
    "server", "token", "deploy", "cluster", "session", "password", "retry", "timeout", "queue", "cache",
    "metric", "release",
];

fn word(seed: usize) -> &'static str {
    WORDS[(seed * 7 + seed / 5) % WORDS.len()]
}

#[tokio::main]
async fn main() {
    let folder = tempfile::tempdir().unwrap();
    let mut arguments = std::env::args().skip_while(|argument| argument != "--keep").skip(1);
    let kept = arguments.next().map(std::path::PathBuf::from);
    let place = kept.as_deref().unwrap_or(folder.path());
    std::fs::create_dir_all(place).unwrap();
    let root = std::fs::canonicalize(place).unwrap();
    let (docs, index) = (root.join("docs"), root.join("index"));
    std::fs::create_dir_all(&docs).unwrap();
    let documents: Vec<RecordedDocument> = (0..DOCUMENTS).map(|number| write(&docs, number)).collect();
    let engine = engine(&docs, &index);
    let store = Arc::new(EmbeddedHealth::new(&index));
    let repo = store.put_repo("acme", "shop", 1).unwrap().id;
    let begun = Instant::now();
    let now = 1_770_000_000;
    store.record(&repo, &Recorded { verified_at: now, documents, ..Recorded::default() }).unwrap();
    println!("{} claims kept in {:.1?}", DOCUMENTS * CLAIMS, begun.elapsed());
    let asked = root.join("asked.jsonl");
    let identity = Identity {
        root,
        owner: "acme".to_owned(),
        name: "shop".to_owned(),
        others: Vec::new(),
        origin: None,
        is_git: true,
    };
    let health = Arc::new(Health::new(store, identity).with_clock(|| 1_770_000_000));
    let options = ServerOptions { health: Some(health), ..ServerOptions::default() };
    let server = DocsServer::new(Arc::new(engine), options).unwrap();
    let mut client = Client::connect(server).await;
    let mut lines = String::new();
    for (what, tool, arguments) in QUESTIONS {
        let measured = client.measure(what, tool, arguments).await;
        lines += &format!("{measured}\n");
    }
    std::fs::write(asked, lines).unwrap();
}

type Question = (&'static str, &'static str, fn(usize) -> Value);

/// What is asked: what it is, the tool, and its arguments by the number of the call.
const QUESTIONS: [Question; 10] = [
    (
        "two words",
        "get_docs",
        |number| json!({"query": format!("{} {} {number}", word(number), word(number + 3))}),
    ),
    (
        "words of every claim",
        "get_docs",
        |number| json!({"query": format!("what is made with make {}", WORDS[..number % WORDS.len()].join(" ") + &" ".repeat(number))}),
    ),
    (
        "verified only",
        "get_docs",
        |number| json!({"query": format!("make {} {number}", word(number)), "verified_only": true}),
    ),
    (
        "a file",
        "get_doc_health",
        |number| json!({"path": format!("docs/part{}/page{number}.md", number % 10)}),
    ),
    (
        "a folder of 50 files",
        "get_doc_health",
        |number| json!({"path": format!("{}docs/part{}", "./".repeat(number), number % 10)}),
    ),
    ("the repository of 500 files", "get_doc_health", |number| json!({"path": "./".repeat(number + 1)})),
    ("", "list_stale_docs", |number| json!({"max_results": number + 1})),
    ("", "report_drift", |number| {
        json!({
            "doc_file": format!("docs/part{}/page{number}.md", number % 10), "line_number": 9,
            "claim_text": format!("Type `make {}`", word(number)), "actual_behavior": "There is no such target",
        })
    }),
    (
        "two words",
        "search_docs",
        |number| json!({"query": format!("{} {} {number}", word(number), word(number + 3))}),
    ),
    (
        "two words, verified only",
        "search_docs",
        |number| json!({"query": format!("{} {} {number}", word(number), word(number + 3)), "verified_only": true}),
    ),
];

/// A page of ten sections with two claims each.
fn write(docs: &std::path::Path, number: usize) -> RecordedDocument {
    let mut text = format!("# Page {number}\n\n");
    let mut claims = Vec::new();
    for section in 0..CLAIMS / 2 {
        text += &format!("## Part {section}\n\n");
        for part in 0..2 {
            let seed = number * CLAIMS + section * 2 + part;
            let named = format!("make {}-{}", word(seed), seed % 97);
            let sentence =
                format!("The {} of the {} is made with `{named}`.", word(seed + 1), word(seed + 2));
            let line = text.lines().count() as u32 + 1;
            claims.push(claim(line, &format!("Part {section}"), &named, &sentence, seed));
            text += &format!("{sentence}\n\n");
        }
    }
    let path = format!("part{}/page{number}.md", number % 10);
    std::fs::create_dir_all(docs.join(&path).parent().unwrap()).unwrap();
    std::fs::write(docs.join(&path), &text).unwrap();
    let content_hash = ContentHash::of(text.as_bytes()).to_hex();
    RecordedDocument { source_file: format!("docs/{path}"), content_hash, claims }
}

fn claim(line: u32, heading: &str, named: &str, text: &str, seed: usize) -> NewClaim {
    let status = match seed % 25 {
        0 => Status::Drifted,
        1 => Status::Uncertain,
        _ => Status::Verified,
    };
    NewClaim {
        line_number: line,
        end_line: line,
        section_heading: Some(heading.to_owned()),
        claim_text: text.to_owned(),
        claim_type: ["command", "path_reference", "environment", "api_route"][seed % 4].to_owned(),
        kind: "span".to_owned(),
        named: named.to_owned(),
        keywords: vec![named.to_owned()],
        verification_status: status,
        class: if status == Status::Verified { "holds" } else { "broke_at" }.to_owned(),
        confidence: 0.95,
        severity: "medium".to_owned(),
        evidence: json!({"looked_at": "x".repeat(300)}).to_string(),
        blame_commit: Some("915a9df".repeat(5)),
        broke_commit: None,
        suppressed: None,
    }
}

fn engine(docs: &std::path::Path, index: &std::path::Path) -> Engine {
    let parts = EngineParts {
        aliases: Default::default(),
        expected: Vec::new(),
        store: Arc::new(EmbeddedStore::open(index, OpenOptions::default()).unwrap()),
        embedder: Some(Arc::new(HashEmbedder::default())),
        embedder_problem: None,
        cache: None,
        sources: vec![Source::new("docs", docs, &SourceRules::default()).unwrap()],
        chunking: ChunkOptions::default(),
        cookies: index.join("watch"),
        library: None,
    };
    let engine = Engine::new(parts, Freshness::EachCall).unwrap();
    engine.sync(None, &Silent, &Cancel::default()).unwrap();
    engine.embed(None, &Silent, &Cancel::default()).unwrap();
    engine.start_background().unwrap();
    engine.wait_for_first_pass(Duration::from_secs(60));
    engine
}

struct Client {
    input: tokio::io::WriteHalf<tokio::io::DuplexStream>,
    output: BufReader<tokio::io::ReadHalf<tokio::io::DuplexStream>>,
    last: u64,
}

impl Client {
    async fn connect(server: DocsServer) -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let (read, write) = tokio::io::split(theirs);
        tokio::spawn(docent_mcp::serve(server, BufReader::new(read), write));
        let (output, input) = tokio::io::split(ours);
        let mut client = Self { input, output: BufReader::new(output), last: 0 };
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "speed", "version": "1"}});
        client.ask("initialize", hello).await;
        client.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        client
    }

    async fn send(&mut self, message: Value) {
        self.input.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        self.send(json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params})).await;
        loop {
            let mut line = String::new();
            self.output.read_line(&mut line).await.unwrap();
            let answer: Value = serde_json::from_str(&line).unwrap();
            if answer["id"] == self.last {
                return answer;
            }
        }
    }

    /// Times of calls that each ask something else; the first is told apart, because it reads all claims once.
    async fn measure(&mut self, what: &str, tool: &str, arguments: fn(usize) -> Value) -> Value {
        let mut times = Vec::with_capacity(CALLS);
        let mut letters = 0;
        for number in 0..CALLS {
            let begun = Instant::now();
            let answer = self.ask("tools/call", json!({"name": tool, "arguments": arguments(number)})).await;
            times.push(begun.elapsed().as_secs_f64() * 1e3);
            assert!(answer["result"]["structuredContent"].is_object(), "{answer}");
            letters = letters.max(answer["result"]["structuredContent"].to_string().len());
        }
        let first = times.remove(0);
        times.sort_by(f64::total_cmp);
        let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
        let (half, most) = (at(0.5), at(0.95));
        let what = if what.is_empty() { tool.to_owned() } else { format!("{tool}, {what}") };
        println!(
            "{what:<44} first {first:>6.1} ms   p50 {half:>6.2} ms   p95 {most:>6.2} ms   ≤ {letters} bytes"
        );
        let asked: Vec<Value> = (0..CALLS).map(arguments).collect();
        json!({"what": what, "tool": tool, "p50": half, "p95": most, "arguments": asked})
    }
}
