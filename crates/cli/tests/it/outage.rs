//! The program while the database of its team crashes and comes back.

use std::io::{BufRead, BufReader, Lines, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use docent_testkit::Postgres;
use serde_json::{Value, json};

use crate::postgres::Team;
use crate::support::ran;

/// `docent serve` with a client that asks one thing after the other.
struct Session {
    child: Child,
    input: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
    asked: usize,
}

impl Session {
    fn start(team: &Team, folder: &Path) -> Self {
        let mut command = team.command(folder, &team.database.url(), &["serve"]);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let input = child.stdin.take().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut session = Self { child, input, lines, asked: 0 };
        let about = json!({ "name": "tests", "version": "1" });
        let version = "2025-06-18";
        session.ask(
            "initialize",
            json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": about }),
        );
        session
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.asked += 1;
        let question = json!({ "jsonrpc": "2.0", "id": self.asked, "method": method, "params": params });
        writeln!(self.input, "{question}").unwrap();
        loop {
            let line: Value = serde_json::from_str(&self.lines.next().unwrap().unwrap()).unwrap();
            if line["id"] == self.asked {
                return line;
            }
        }
    }

    /// The answer of a tool, and how long it took.
    fn call(&mut self, tool: &str, arguments: Value) -> (Value, Duration) {
        let begun = Instant::now();
        let answer = self.ask("tools/call", json!({ "name": tool, "arguments": arguments }));
        (answer, begun.elapsed())
    }

    fn end(mut self) {
        drop(self.input);
        self.child.wait().unwrap();
    }
}

#[test]
fn agents_are_told_of_an_outage_and_answered_after_it() {
    let Some(server) = Postgres::own(0, "", &["synchronous_commit=on", "full_page_writes=on"]) else {
        return;
    };
    let team = Team::with(server.database());
    let clone = team.clone_of("acme/shop", "one");
    team.ok(&clone, &["index"]);
    let mut session = Session::start(&team, &clone);
    let search = json!({ "query": "retry backoff" });
    let is_found = |answer: &Value| answer.to_string().contains("guides/retries.md");
    assert!(is_found(&session.call("search_docs", search.clone()).0));
    session.call("get_docs", json!({ "query": "retry" }));

    server.stop();
    let told = [
        ("search_docs", search.clone(), "cannot be reached"),
        ("get_docs", json!({ "query": "retry" }), "Database connection error. Check DOCALIGN_DATABASE_URL."),
        ("list_stale_docs", json!({}), "Database connection error. Check DOCALIGN_DATABASE_URL."),
    ];
    for (tool, arguments, expected) in told {
        let (answer, took) = session.call(tool, arguments);
        assert!(answer.to_string().contains(expected), "{tool}: {answer}");
        // Two seconds, and what a busy machine adds.
        assert!(took < Duration::from_secs(4), "{tool}: {took:?}");
    }
    let refused = ran(team.command(&clone, &team.database.url(), &["index", "--quiet"]).output().unwrap());
    refused.check_error(3, "cannot be reached", "it goes on where it was");

    server.restart();
    let back = Instant::now();
    while !is_found(&session.call("search_docs", search.clone()).0) {
        assert!(back.elapsed() < Duration::from_secs(8), "the server is back, and nobody is answered");
    }
    let (answer, _) = session.call("get_docs", json!({ "query": "retry" }));
    assert!(!answer.to_string().contains("Database connection error"), "{answer}");
    std::fs::write(clone.join("docs/new.md"), "# New\n\nquokka\n").unwrap();
    team.ok(&clone, &["index"]);
    let (answer, _) = session.call("search_docs", json!({ "query": "quokka" }));
    assert!(answer.to_string().contains("new.md"), "{answer}");
    assert!(team.ok(&clone, &["check"]).contains("sound"));
    session.end();
    drop(team);
    server.end();
}

#[test]
fn programs_that_start_together_make_the_tables_once() {
    let Some(team) = Team::on(0) else { return };
    let clone = team.clone_of("acme/shop", "one");
    let url = team.database.url();
    let start = |_| {
        let mut command = team.command(&clone, &url, &["index", "--quiet"]);
        command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let started: Vec<Child> = (0..4).map(start).collect();
    for child in started {
        let ran = ran(child.wait_with_output().unwrap());
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }
    assert_eq!(team.database.sql("SELECT count(*) = max(format) FROM docent.migrations"), "t");
    assert_eq!(team.database.sql("SELECT count(*) FROM docent.documents WHERE died IS NULL"), "3");
    assert!(team.ok(&clone, &["check"]).contains("sound"));
}
