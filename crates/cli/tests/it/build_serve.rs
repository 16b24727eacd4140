//! Built indexes in use: without their documents, without a trace, by every embedder, and replaced while served.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::build::{OUT, build, tree};
use crate::embedding_server::EmbeddingServer;
use crate::serve::Served;
use crate::support::{Project, is_root, ran, set_mode};

/// A project whose index is built and whose documents are gone.
fn built() -> Project {
    let project = Project::new();
    build(&project);
    fs::remove_dir_all(project.root().join("docs")).unwrap();
    project
}

fn serve(project: &Project, variables: &[(&str, &str)]) -> Served {
    let mut command = project.command(&["serve", "--index", OUT]);
    command.envs(variables.iter().copied());
    Served::by(command)
}

fn first_path(answer: &Value) -> &str {
    answer["results"][0]["metadata"]["file_path"].as_str().unwrap_or_default()
}

/// Asks a bit of everything.
fn converse(served: &mut Served) {
    let tools = served.ask("tools/list", json!({}));
    assert!(tools["result"]["tools"].as_array().is_some_and(|tools| tools.len() >= 6), "{tools}");
    let answer = served.call("search_docs", json!({"query": "expose a pod"}));
    assert_eq!(first_path(&answer), "services.md", "{answer}");
    assert_eq!(answer["results"][0]["stale"], Value::Null, "{answer}");
    assert_eq!(answer["searched"]["degraded"], json!([]), "{answer}");
    let page = served.call("get_page", json!({"file_path": "services.md"}));
    assert!(page.to_string().contains("NodePort"), "{page}");
    let section = served.call("get_doc", json!({"chunk_id": "guides/retries.md#limits"}));
    assert!(section.to_string().contains("ten attempts"), "{section}");
    assert_eq!(served.call("list_pages", json!({}))["total_pages"], 3);
    let status = served.call("get_status", json!({}));
    assert_eq!(status["index"]["read_only"], true, "{status}");
    assert!(status["index"]["built"]["at"].is_string(), "{status}");
    assert_eq!(status["server"]["docs_root"], Value::Null);
    assert_eq!(status["degraded"], json!([]), "{status}");
    let read = served.ask("resources/read", json!({"uri": "docent://docs/services.md"}));
    assert!(read.to_string().contains("NodePort"), "{read}");
}

#[test]
fn it_is_served_without_its_documents_and_without_a_trace() {
    let project = built();
    let (out, home) = (project.path("out"), project.path("home"));
    fs::remove_dir_all(&home).unwrap();
    let before = tree(&out);
    let mut served = serve(&project, &[]);
    converse(&mut served);
    assert_eq!(served.end(), (Some(0), String::new()));
    for args in [&["search", "pod"][..], &["get", "services.md"], &["list"], &["status"], &["check"]] {
        project.ok(&[args, &["--index", OUT]].concat());
    }
    assert_eq!(tree(&out), before);
    assert!(!home.exists(), "nothing is written elsewhere either");
    assert!(!project.root().join(".docent").exists());
}

/// A command as a user who may read everything and write nothing.
fn powerless(command: Command) -> Command {
    if !is_root() {
        return command;
    }
    let mut other = Command::new("setpriv");
    other.args(["--reuid", "65534", "--regid", "65534", "--clear-groups"]);
    other.arg(command.get_program()).args(command.get_args());
    other.current_dir(command.get_current_dir().unwrap());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => other.env(name, value),
            None => other.env_remove(name),
        };
    }
    other
}

fn forbid_writing(dir: &Path) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { forbid_writing(&path) } else { set_mode(&path, 0o444) }
    }
    set_mode(dir, 0o555);
}

fn allow_writing(dir: &Path) {
    set_mode(dir, 0o755);
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            allow_writing(&path);
        }
    }
}

#[test]
fn a_folder_that_cannot_be_written_to_is_served() {
    let project = built();
    let out = project.path("out");
    forbid_writing(&out);
    set_mode(&project.path("."), 0o755);
    let mut served = Served::by(powerless(project.command(&["serve", "--index", OUT])));
    converse(&mut served);
    assert_eq!(served.end(), (Some(0), String::new()));
    let mut check = powerless(project.command(&["check", "--index", OUT]));
    assert_eq!(ran(check.output().unwrap()).code, Some(0));
    allow_writing(&out);
}

#[test]
fn what_the_authors_say_travels_with_it() {
    let project = Project::new();
    project.write(
        "docs/.docs-mcp.json",
        "{\"version\": \"1\", \"mcpServerInstructions\": \"Ask for the platypus.\"}",
    );
    build(&project);
    fs::remove_dir_all(project.root().join("docs")).unwrap();
    let mut served = serve(&project, &[]);
    let client = json!({"name": "test", "version": "1"});
    let told = served.ask(
        "initialize",
        json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}),
    );
    assert!(told["result"]["instructions"].to_string().contains("platypus"), "{told}");
}

#[test]
fn it_is_served_over_http() {
    let project = built();
    let mut command = project.command(&["serve", "--index", OUT, "--http", "127.0.0.1:0", "--quiet"]);
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut said = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut said).unwrap();
    let address = said.trim().strip_prefix("listening on http://").unwrap().strip_suffix("/mcp").unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET /readyz HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_newer_build_is_served_by_the_running_server() {
    let project = Project::new();
    build(&project);
    let mut served = serve(&project, &[]);
    assert_eq!(first_path(&served.call("search_docs", json!({"query": "expose a pod"}))), "services.md");
    let before = served.call("get_status", json!({}));
    project.write("docs/zebra.md", "# Zebra\n\nA zebra has stripes.\n");
    fs::remove_file(project.root().join("docs/services.md")).unwrap();
    build(&project);
    let answer = served.call("search_docs", json!({"query": "zebra stripes"}));
    assert_eq!(first_path(&answer), "zebra.md", "{answer}");
    let pages = served.call("list_pages", json!({}));
    assert!(pages["total_pages"] == 3 && !pages.to_string().contains("services.md"), "{pages}");
    let after = served.call("get_status", json!({}));
    assert_ne!(before["index"]["built"]["at"], after["index"]["built"]["at"]);
    assert_eq!(served.end().0, Some(0));
}

/// Builds and searches with an embedder, and says how the first hit was found.
fn check_provider(name: &str, used: bool) {
    let project = Project::new();
    project.ok(&["build", "--out", OUT, "--embedding-provider", name, "--quiet"]);
    fs::remove_dir_all(project.root().join("docs")).unwrap();
    // Another embedder in the environment does not count: the index knows its own.
    let found = project.json(&["search", "--json", "--index", OUT, "expose a pod"]);
    assert_eq!(first_path(&found), "services.md", "{found}");
    assert_eq!(found["searched"]["vector"]["used"], used, "{found}");
    assert_eq!(found["searched"]["degraded"], json!([]), "{found}");
    project.ok(&["check", "--index", OUT]);
}

#[test]
fn words_alone_are_enough() {
    check_provider("none", false);
}

#[test]
fn hashed_words_make_vectors() {
    check_provider("hash", true);
}

#[test]
fn the_built_in_model_makes_vectors() {
    check_provider("minilm", true);
}

#[test]
fn a_server_makes_vectors_and_embeds_the_query_without_being_asked_for_a_length() {
    let server = EmbeddingServer::start();
    let project = Project::new();
    let mut command = project.command(&["build", "--out", OUT, "--quiet"]);
    server.use_in(&mut command);
    assert_eq!(ran(command.output().unwrap()).code, Some(0));
    server.take_texts();
    let mut command = project.command(&["search", "--json", "--index", OUT, "expose a pod"]);
    server.use_in(&mut command);
    command.env_remove("DOCENT_OPENAI_MODEL").env_remove("DOCENT_EMBEDDER");
    let found: Value = serde_json::from_str(&ran(command.output().unwrap()).out).unwrap();
    assert_eq!(found["searched"]["vector"]["used"], true, "{found}");
    assert_eq!(server.take_texts(), ["expose a pod"]);

    let mut served = serve(&project, &[]);
    let answer = served.call("search_docs", json!({"query": "expose a pod"}));
    assert_eq!(first_path(&answer), "services.md");
    let degraded = answer["searched"]["degraded"].to_string();
    assert!(degraded.contains("words only") && degraded.contains("OPENAI_API_KEY"), "{answer}");
    let status = served.call("get_status", json!({}));
    assert!(status["degraded"].to_string().contains("words only"), "{status}");
    assert_eq!(served.end().0, Some(0));
}

/// More answers than one page holds.
fn cursor_of(served: &mut Served) -> String {
    let answer = served.call("search_docs", json!({"query": "a", "top_k": 1}));
    answer["next_cursor"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

#[test]
fn cursors_are_taken_by_others_who_have_the_key() {
    let project = built();
    let key = [("DOCENT_CURSOR_KEY", "0123456789abcdef0123456789abcdef")];
    let (mut one, mut other, mut stranger) =
        (serve(&project, &key), serve(&project, &key), serve(&project, &[]));
    let cursor = cursor_of(&mut one);
    let next = |served: &mut Served| {
        let arguments = json!({"query": "a", "top_k": 1, "cursor": cursor});
        served.ask("tools/call", json!({"name": "search_docs", "arguments": arguments}))
    };
    assert_eq!(next(&mut other)["result"]["isError"], Value::from(false));
    let refused = next(&mut stranger).to_string();
    assert!(refused.contains("not one of ours"), "{refused}");
    let mut command = project.command(&["search", "x", "--index", OUT]);
    let short = ran(command.env("DOCENT_CURSOR_KEY", "short").output().unwrap());
    short.check_error(2, "DOCENT_CURSOR_KEY is shorter than 16", "openssl rand");
}

#[test]
fn what_would_change_it_is_refused() {
    let project = Project::new();
    let out = build(&project);
    let before = tree(&out);
    for args in [&["index"][..], &["index", "--rebuild"], &["watch"], &["index", "docs"]] {
        let ran = project.run(&[args, &["--index", OUT]].concat());
        ran.check_error(2, "was made by `docent build` and is never changed", "docent build");
    }
    let error = "is a built index and brings its documents";
    for command in ["search", "serve", "list"] {
        let mut args = vec![command, "--index", OUT, "--docs-dir", "docs"];
        args.extend((command == "search").then_some("x"));
        project.run(&args).check_error(2, error, "leave the folder out");
    }
    project.run(&["serve", "--index", OUT, "--embedder", "none"]).check_error(
        2,
        "was built with the embedder hash",
        "leave the embedder out",
    );
    project.ok(&["search", "--index", OUT, "--embedder", "hash", "pod"]);
    project.run(&["list", "--index", OUT, "-c", "other"]).check_error(1, "no collection `other`", "docs");
    assert_eq!(tree(&out), before);
}

#[test]
fn an_agent_is_given_the_index_alone() {
    let project = built();
    let out = project.path("out").display().to_string();
    let args = ["install", "claude-code", "--scope", "user", "--index", &out, "--dry-run", "--json"];
    assert_eq!(project.json(&args)["entry"]["args"], json!(["serve", "--index", out]));
}

/// An index that `spoil` was done to is refused by every reader and stays as it is.
fn check_spoilt(spoil: impl FnOnce(&Path), error: &str, hint: &str) {
    let project = built();
    let out = project.path("out");
    spoil(&out);
    let before = tree(&out);
    for args in [&["search", "x"][..], &["serve"], &["status"], &["check"], &["get", "services.md"]] {
        project.run(&[args, &["--index", OUT]].concat()).check_error(3, error, hint);
    }
    assert_eq!(tree(&out), before);
}

#[test]
fn what_is_missing_damaged_or_newer_is_told_and_left_alone() {
    check_spoilt(
        |out| fs::remove_file(out.join("record.sqlite")).unwrap(),
        "record.sqlite is missing",
        "copy the folder again",
    );
    check_spoilt(
        |out| fs::write(out.join("record.sqlite"), "this is no database, whatever its name says").unwrap(),
        "cannot be used",
        "docent build",
    );
    check_spoilt(|out| fs::remove_dir_all(out.join("lexical")).unwrap(), "lexical index", "docent build");
    check_spoilt(
        |out| fs::write(out.join("docent-index.json"), "{\"format\": 99}").unwrap(),
        "has format 99",
        "update docent",
    );
}

#[test]
fn questions_are_asked_of_it_without_a_trace() {
    let project = built();
    let out = project.path("out");
    let before = tree(&out);
    project.write("cases.yaml", "- query: expose a pod\n  expected: services.md\n- query: how many attempts\n  expected: guides/retries.md#limits\n");
    let run = project.json(&["eval", "run", "cases.yaml", "--json", "--index", OUT]);
    assert_eq!(run["overall"]["queries"], 2, "{run}");
    let drafts = project.run(&["eval", "suggest", "--index", OUT]);
    assert_eq!(drafts.code, Some(0), "{drafts:?}");
    assert_eq!(tree(&out), before);
    let refused = project.run(&["eval", "run", "cases.yaml", "--fresh", "--index", OUT]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
}

#[test]
fn what_is_left_of_one_is_not_written_to() {
    let project = built();
    let out = project.path("out");
    project.write("other/secret.md", "# Unrelated\n");
    for gone in ["docent-index.json", "docent-times.json"] {
        fs::remove_file(out.join(gone)).unwrap();
        let before = tree(&out);
        for args in [
            &["search", "unrelated", "--index", OUT][..],
            &["status", "--index", OUT],
            &["index", "--docs", "other", "--index", OUT],
        ] {
            let ran = project.run(args);
            assert!(!matches!(ran.code, Some(0)), "{args:?}: {ran:?}");
            assert_eq!(tree(&out), before, "{args:?}");
        }
        let ran = project.run(&["search", "unrelated", "--index", OUT]);
        assert!(ran.err.contains("docent-index.json is missing"), "{ran:?}");
    }
}

#[test]
fn a_mistyped_name_is_an_error_and_makes_nothing() {
    let project = Project::new();
    let nowhere = project.path("empty");
    fs::create_dir_all(&nowhere).unwrap();
    for command in [&["search", "pod"][..], &["status"], &["serve"]] {
        let mut typed = project.command(&[command, &["--index", "nope"]].concat());
        let ran = ran(typed.current_dir(&nowhere).stdin(Stdio::null()).output().unwrap());
        assert_eq!(ran.code, Some(2), "{command:?}: {ran:?}");
        assert!(ran.err.contains("there is no index at"), "{ran:?}");
        assert!(!nowhere.join("nope").exists());
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_in_its_place_does_not_make_it_wait() {
    let project = built();
    let vectors = project.path("out").join("vectors-1.bin");
    fs::remove_file(&vectors).unwrap();
    assert!(Command::new("mkfifo").arg(&vectors).status().unwrap().success());
    let ran = project.run(&["search", "pod", "--index", OUT]);
    assert!(ran.err.contains("vectors-1.bin is not a file"), "{ran:?}");
}
