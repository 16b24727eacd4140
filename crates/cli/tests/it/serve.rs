//! `docent serve` as an agent starts it, and what it refuses to be started with.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::support::{Project, ran};

/// A server that speaks on stdin and stdout.
pub(crate) struct Served {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    asked: u64,
}

impl Served {
    fn start(project: &Project, args: &[&str]) -> Self {
        let mut command = project.command(&["serve"]);
        command.args(args);
        Self::by(command)
    }

    /// Starts the server with a command of one's own.
    pub(crate) fn by(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        let mut served = Self { child, input, output, asked: 0 };
        let client = json!({"name": "test", "version": "1"});
        served.ask(
            "initialize",
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}),
        );
        served
    }

    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        self.asked += 1;
        let message = json!({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params});
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "the server ended");
            let answer: Value = serde_json::from_str(&line).unwrap();
            if answer["id"] == self.asked {
                return answer;
            }
        }
    }

    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        answer["result"]["structuredContent"].clone()
    }

    /// Ends the input and gives the exit code and what was said on stderr.
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        drop(self.input.take());
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "", "nothing but answers on stdout");
        let ran = ran(self.child.wait_with_output().unwrap());
        (ran.code, ran.err)
    }
}

#[test]
fn it_answers_on_stdio_and_ends_with_its_input() {
    let project = Project::new();
    let mut served = Served::start(&project, &[]);
    let answer = served.call("search_docs", json!({"query": "expose a pod"}));
    assert_eq!(answer["results"][0]["metadata"]["file_path"], "services.md");
    assert_eq!(served.end(), (Some(0), String::new()));
}

#[test]
fn processes_share_one_index_and_see_every_edit() {
    let project = Project::new();
    let mut servers: Vec<Served> = (0..3).map(|_| Served::start(&project, &[])).collect();
    for round in 0..5 {
        project.write("docs/new.md", format!("# New\n\nzebra{round} is here\n"));
        for server in &mut servers {
            let answer = server.call("search_docs", json!({"query": format!("zebra{round}")}));
            let content = answer["results"][0]["content"].as_str().unwrap_or_default();
            assert!(content.contains(&format!("zebra{round}")), "{answer}");
        }
    }
    for server in servers {
        assert_eq!(server.end().0, Some(0));
    }
    assert_eq!(project.json(&["status", "--json"])["index"]["total_pages"], 4);
}

#[test]
fn it_serves_the_documents_folder_and_no_other_collection() {
    let project = Project::new();
    project.write("other/secret.md", "# Secret\n\nplatypus\n");
    project.ok(&["index", "other", "--quiet", "--index", ".docent"]);
    let mut served = Served::start(&project, &[]);
    assert_eq!(served.call("list_pages", json!({}))["total_pages"], 3);
    let answer = served.call("search_docs", json!({"query": "platypus", "mode": "lexical"}));
    assert_eq!(answer["results"], json!([]));
    let read = served.ask("resources/read", json!({"uri": "docent://other/secret.md"}));
    assert_eq!(read["error"]["code"], -32002, "{read}");
}

#[test]
fn prompts_of_the_settings_are_offered() {
    let project = Project::new();
    let prompt = "[prompts.review]\ndescription = 'Reviews'\ntext = 'Review {{change}}.'\n";
    project.write("docent.toml", prompt);
    let mut served = Served::start(&project, &[]);
    let prompts = served.ask("prompts/list", json!({}));
    assert_eq!(prompts["result"]["prompts"][2]["name"], "review");
    let filled = served.ask("prompts/get", json!({"name": "review", "arguments": {"change": "it"}}));
    assert_eq!(filled["result"]["messages"][0]["content"]["text"], "Review it.");
}

#[test]
fn tools_are_chosen_on_the_command_line() {
    let project = Project::new();
    let mut served = Served::start(&project, &["--tools", "get_page,search_docs"]);
    let tools = served.ask("tools/list", json!({}));
    let names: Vec<&str> = tools["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    assert_eq!(names, ["search_docs", "get_page"]);
}

#[test]
fn it_listens_where_it_was_told_and_says_so() {
    let project = Project::new();
    let mut command = project.command(&["serve", "--http", "127.0.0.1:0", "--quiet"]);
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut said = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut said).unwrap();
    let address = said.trim().strip_prefix("listening on http://").unwrap().strip_suffix("/mcp").unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET /livez HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    child.kill().unwrap();
    child.wait().unwrap();
}

fn check_refused(args: &[&str], error: &str, hint: &str) {
    let project = Project::new();
    let ran = project.run(&[&["serve"], args].concat());
    ran.check_error(2, error, hint);
    assert!(!project.root().join(".docent").exists(), "nothing was made");
}

#[test]
fn an_address_for_others_needs_a_token() {
    check_refused(&["--http", "0.0.0.0:0"], "reached from other machines", "DOCENT_TOKEN");
    check_refused(&["--http", "[::]:0"], "reached from other machines", "DOCENT_TOKEN");
}

#[test]
fn what_cannot_be_served_is_refused_before_anything_is_made() {
    check_refused(&["--http", "nowhere"], "no address to listen on", "127.0.0.1:7331");
    check_refused(&["--toolsets", "nope"], "there is no toolset `nope`", "docent serve --help");
    check_refused(&["--tools", "nope"], "there is no tool `nope`", "docent serve --help");
    check_refused(&["--http", "127.0.0.1:0", "--token", "short"], "shorter than 16", "16 letters");
}

#[test]
fn a_broken_prompt_is_refused_with_its_place() {
    let project = Project::new();
    project.write("docent.toml", "[prompts.review]\ntext = 'Review {{change'\n");
    project.run(&["serve"]).check_error(2, "[prompts.review]", "{{name}}");
}

#[test]
fn a_port_in_use_is_told() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let ran = Project::new().run(&["serve", "--http", &address]);
    ran.check_error(3, "cannot listen on", "another");
}

/// The variable may be meant for a client on the same machine.
#[test]
fn a_token_in_the_environment_does_not_concern_stdio() {
    let project = Project::new();
    let mut command = project.command(&["serve"]);
    let ran = ran(command.env("DOCENT_TOKEN", "0123456789abcdef").output().unwrap());
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""), "{ran:?}");
}

#[test]
fn a_token_in_the_environment_that_cannot_be_used_is_named() {
    let project = Project::new();
    let mut command = project.command(&["serve", "--http", "127.0.0.1:0"]);
    let ran = ran(command.env("DOCENT_TOKEN", "short").output().unwrap());
    ran.check_error(2, "the token DOCENT_TOKEN cannot be used", "16 letters");
}
