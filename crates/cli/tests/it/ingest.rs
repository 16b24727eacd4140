//! `docent ingest` and `forget` with the real program and its converter processes.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::serve::Served;
use crate::support::{Project, ran};

pub(crate) fn fixture(name: &str) -> String {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    fs::canonicalize(fixtures.join(name)).unwrap().display().to_string()
}

/// Sources and pages of what a search finds.
pub(crate) fn found(project: &Project, args: &[&str]) -> Vec<(String, u64)> {
    let ran = project.run(&[&["search", "--json"], args].concat());
    let answer: Value = serde_json::from_str(&ran.out).unwrap();
    let hits = answer["results"].as_array().unwrap().iter();
    hits.map(|hit| {
        let metadata = &hit["metadata"];
        (metadata["file_path"].as_str().unwrap().to_owned(), metadata["page"].as_u64().unwrap_or(0))
    })
    .collect()
}

fn statuses(report: &Value) -> Vec<&str> {
    report["results"].as_array().unwrap().iter().map(|row| row["status"].as_str().unwrap()).collect()
}

#[test]
fn every_format_is_taken_in_and_found() {
    let project = Project::empty();
    let cases = [
        ("convert/analysis.ipynb", "ZeroDivisionError"),
        ("convert/book.epub", "It began with a line"),
        ("convert/compose.yaml", "Where data lives"),
        ("convert/docs-page.html", "A call that fails is tried again"),
        ("convert/docs.zip", "docs/guide.md"),
        ("convert/feed.xml", "artifactId"),
        ("convert/guide.adoc", "pump install"),
        ("convert/handbook.docx", "Measure twice, cut once"),
        ("convert/latin.txt", "Café au lait"),
        ("convert/letter.rtf", "Dear reader"),
        ("convert/manual.rst", "Toctree"),
        ("convert/notes.md", "As they are"),
        ("convert/petstore.yaml", "Sells pets"),
        ("convert/prices.xlsx", "In stock"),
        ("convert/report.odt", "The main point is"),
        ("convert/review.pptx", "Say thanks to the team"),
        ("convert/settings.json", "burst"),
        ("convert/stock.ods", "Item Count same"),
        ("convert/table.csv", "Bolt long Nut"),
        ("convert/tool.1", "does things"),
        ("convert/users.swagger.json", "Adds a user"),
        ("convert-pdf/guide.pdf", "widget fallback official office"),
    ];
    let files: Vec<String> = cases.iter().map(|(file, _)| fixture(file)).collect();
    let mut args = vec!["ingest", "--library", "all", "--json"];
    args.extend(files.iter().map(String::as_str));
    let report = project.json(&args);
    assert_eq!(report["indexed"], cases.len(), "{report:#}");
    for ((_, query), file) in cases.iter().zip(&files) {
        let hits = found(&project, &["--mode", "lexical", query]);
        assert!(hits.iter().any(|(source, _)| source == file), "{query}: {hits:?}");
    }
}

#[test]
fn a_pdf_is_found_on_its_page() {
    let project = Project::empty();
    let report = fixture("convert-pdf/report.pdf");
    let out = project.ok(&["ingest", &report]);
    assert!(out.contains("indexed") && out.contains("report.pdf") && out.contains("default: 1 new"), "{out}");
    let hits = found(&project, &["the third page ends with this well-known sentence"]);
    assert_eq!(hits.first(), Some(&(report.clone(), 3)));
    let shown = project.ok(&["search", "the third page ends with this well-known sentence"]);
    assert!(shown.contains("report.pdf page 3"), "{shown}");
    assert!(project.ok(&["get", &report]).contains("# 1 Overview"));
    assert!(project.ok(&["list"]).contains("report.pdf"));
    let collections = project.ok(&["collections"]);
    assert!(collections.contains("a library; `docent ingest` adds to it"), "{collections}");
    assert!(project.ok(&["status"]).contains("default (1 page"));
}

#[test]
fn what_has_not_changed_is_skipped_and_what_has_is_replaced() {
    let project = Project::empty();
    project.write("papers/a.md", "# Whales\n\nNarwhals have a tusk.\n");
    let first = project.json(&["ingest", "papers/a.md", "--json"]);
    assert_eq!(statuses(&first), ["indexed"]);
    assert_eq!(statuses(&project.json(&["ingest", "papers/a.md", "--json"])), ["skipped"]);
    assert_eq!(statuses(&project.json(&["ingest", "papers/a.md", "--force", "--json"])), ["replaced"]);
    project.write("papers/a.md", "# Whales\n\nBelugas are white.\n");
    let changed = project.json(&["ingest", "papers/a.md", "--json"]);
    assert_eq!(statuses(&changed), ["replaced"]);
    assert_eq!(changed["results"][0]["doc_id"], first["results"][0]["doc_id"]);
    assert!(!found(&project, &["--mode", "lexical", "belugas"]).is_empty());
    assert!(found(&project, &["--mode", "lexical", "narwhals"]).is_empty());
    // A new version that cannot be converted leaves the one before.
    project.write("papers/a.md", [0x7f, b'E', b'L', b'F', 0, 1, 2, 3]);
    let failed = project.run(&["ingest", "papers/a.md"]);
    assert_eq!(failed.code, Some(1), "{failed:?}");
    assert!(failed.err.contains("the earlier version stays"), "{failed:?}");
    assert!(!found(&project, &["--mode", "lexical", "belugas"]).is_empty());
}

#[test]
fn documents_and_libraries_are_deleted() {
    let project = Project::empty();
    for (path, text) in [("in/a.md", "# A\n\nnarwhal\n"), ("in/b.md", "# B\n\nbeluga\n")] {
        project.write(path, text);
    }
    let report = project.json(&["ingest", "in", "--library", "one", "--json"]);
    project.ok(&["ingest", "in/a.md", "--library", "two"]);
    let ambiguous = project.run(&["forget", "in/a.md"]);
    assert_eq!(ambiguous.code, Some(2), "{ambiguous:?}");
    assert!(ambiguous.err.contains("several libraries"), "{ambiguous:?}");
    assert!(project.ok(&["forget", "in/a.md", "--library", "two"]).contains("1 chunk"));
    let id = report["results"][1]["doc_id"].as_str().unwrap();
    let deleted = project.json(&["forget", id, "--json"]);
    assert_eq!(deleted["deleted"][0]["deleted_chunks"], 1);
    assert!(found(&project, &["--mode", "lexical", "beluga"]).is_empty());
    assert_eq!(project.run(&["forget", id]).code, Some(1));
    project.ok(&["rename", "one", "three"]);
    assert!(project.ok(&["collections"]).contains("three"));
    assert!(project.ok(&["remove", "three"]).contains("1 document"));
    assert!(found(&project, &["--mode", "lexical", "narwhal"]).is_empty());
}

#[test]
fn files_that_hurt_fail_alone() {
    let project = Project::empty();
    project.write("docent.toml", "[library]\nconvert_memory_mb = 64\n");
    project.write("in/fine.md", "# Fine\n\nnarwhal\n");
    project.write("in/deep.html", "<div>".repeat(200_000));
    project.write("in/deep.xml", "<a>".repeat(200_000));
    project.write("in/broken.pdf", "%PDF-1.7\n1 0 obj\n<</Type/Catalog");
    project.write("in/program.md", [0x7f, b'E', b'L', b'F', 0, 1, 2, 3]);
    // More than fits, whatever is done with it.
    project.write("in/large.txt", "a line of text\n".repeat((60 << 20) / 15));
    let begun = Instant::now();
    let ran = project.run(&["ingest", "in", "--json"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    let outcome = |name: &str| {
        let rows = report["results"].as_array().unwrap();
        rows.iter().find(|row| row["source"].as_str().unwrap().ends_with(name)).cloned().unwrap()
    };
    assert_eq!(outcome("fine.md")["status"], "indexed");
    assert!(outcome("deep.html")["error"].as_str().unwrap().contains("nested deeper"));
    assert!(outcome("broken.pdf")["error"].as_str().unwrap().contains("damaged"));
    assert!(outcome("program.md")["error"].as_str().unwrap().contains("cannot be converted"));
    let large = outcome("large.txt");
    assert!(large["error"].as_str().unwrap().contains("ran out of memory (64 MB)"), "{large:#}");
    assert!(large["hint"].as_str().unwrap().contains("library.convert_memory_mb"));
    assert_eq!(report["failed"], 5);
    assert!(begun.elapsed() < Duration::from_secs(60));
    assert!(!found(&project, &["--mode", "lexical", "narwhal"]).is_empty());
    project.ok(&["check"]);
}

#[test]
fn ctrl_c_leaves_a_sound_index_and_no_child() {
    let project = Project::empty();
    for number in 0..400 {
        project.write(&format!("in/{number}.md"), format!("# Page {number}\n\ntext\n"));
    }
    let mut command = project.command(&["ingest", "in"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let record = project.root().join(".docent/record.sqlite");
    while !record.exists() {
        thread::sleep(Duration::from_millis(5));
    }
    std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let ran = ran(child.wait_with_output().unwrap());
    assert_eq!(ran.code, Some(130), "{ran:?}");
    let last = ran.err.lines().last().unwrap_or_default();
    assert!(last.starts_with("stopped; ") && last.ends_with("done; run it again to go on"), "{ran:?}");
    project.ok(&["check"]);
    assert_eq!(project.json(&["ingest", "in", "--json"])["results"].as_array().unwrap().len(), 400);
}

#[test]
fn a_text_comes_from_stdin_under_a_name() {
    let project = Project::empty();
    let file = project.root().join("input");
    fs::write(&file, "# Minutes\n\nWe met in Oslo.\n").unwrap();
    let mut command = project.command(&["ingest", "-", "--name", "minutes of May", "--meta", "year=2024"]);
    let ran = ran(command.stdin(fs::File::open(&file).unwrap()).output().unwrap());
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(found(&project, &["--mode", "lexical", "Oslo"]), [("minutes of May".to_owned(), 0)]);
}

#[test]
fn what_is_named_is_read_even_if_it_is_hidden_and_what_makes_no_sense_is_told() {
    let project = Project::empty();
    project.write(".notes/.secret.md", "# Secret\n\nnarwhal\n");
    project.write(".notes/other.md", "# Other\n\nbeluga\n");
    project.write("twice.md", "# Twice\n");
    assert_eq!(statuses(&project.json(&["ingest", "twice.md", "./twice.md", "--json"])), ["indexed"]);
    assert_eq!(statuses(&project.json(&["ingest", ".notes/.secret.md", "--json"])), ["indexed"]);
    assert_eq!(statuses(&project.json(&["ingest", ".notes", "--json"])), ["indexed"]);
    for (args, code, told) in [
        (&["ingest", "missing.pdf"][..], 1, "there is no file"),
        (&["ingest", "a.md", "--library", "../x"], 2, "not a name for a library"),
        (&["ingest", "a.md", "--meta", "x"], 2, "is not KEY=VALUE"),
        (&["ingest", "-"], 2, "belong together"),
        (&["ingest", "a.md", "--name", "b"], 2, "--name is only for `-`"),
        (&["ingest", ""], 2, "an argument is empty"),
        (&["ingest", "www.example.com"], 1, "did you mean https://www.example.com?"),
        (&["ingest", "ftp://example.com/a"], 1, "did you mean https://example.com/a?"),
        (&["ingest", "http://127.0.0.1/"], 1, "add --allow-private-networks"),
        (&["ingest", "http://93.184.216.34:99/"], 1, "also lets pages come from private networks"),
        (&["convert", "docs"], 1, "`docent ingest docs` takes in the whole folder"),
        (&["forget", ".notes/other.md", "missing.md"], 1, "; nothing was deleted"),
        (&["ingest", "a.md", "--crawl"], 2, "--crawl is for addresses"),
        (&["ingest", "http://127.0.0.1:1/"], 1, "failed:"),
        (&["pack", "default", "--out", "x.docent"], 2, "`default` is a library"),
        (&["ingest", "docs", "--library", "docs"], 2, "is the name of the documents folder"),
    ] {
        let ran = project.run(args);
        assert_eq!(ran.code, Some(code), "{args:?}: {ran:?}");
        assert!(ran.err.contains(told), "{args:?}: {ran:?}");
    }
}

/// A site of two pages on this machine, which says when a page has not changed. Gives its address.
fn site() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut lines =
                BufReader::new(&stream).lines().map_while(Result::ok).take_while(|line| !line.is_empty());
            let path = lines.next().unwrap_or_default().split(' ').nth(1).unwrap_or_default().to_owned();
            let is_known =
                lines.filter(|line| line.eq_ignore_ascii_case("if-none-match: \"v1\"")).count() > 0;
            let page = match path.as_str() {
                "/guide/" => {
                    "<html><title>Guide</title><h1>Guide</h1><p>narwhal</p><a href='next'>next</a></html>"
                }
                "/guide/next" => "<html><title>Next</title><h1>Next</h1><p>beluga</p></html>",
                _ => "",
            };
            let (status, body) = match (page, is_known) {
                ("", _) => ("404 Not Found", ""),
                (_, true) => ("304 Not Modified", ""),
                (page, false) => ("200 OK", page),
            };
            let head = "Content-Type: text/html\r\nETag: \"v1\"\r\nConnection: close";
            let length = body.len();
            let _ = write!(&stream, "HTTP/1.1 {status}\r\n{head}\r\nContent-Length: {length}\r\n\r\n{body}");
        }
    });
    address
}

#[test]
fn pages_are_fetched_where_that_is_allowed_and_only_when_they_change() {
    let project = Project::empty();
    let guide = format!("{}/guide/", site());
    let refused = project.run(&["ingest", &guide]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.err.contains("private network"), "{refused:?}");
    let take = |more: &[&str]| {
        project.json(&[&["ingest", &guide, "--allow-private-networks", "--json"], more].concat())
    };
    assert_eq!(statuses(&take(&[])), ["indexed"]);
    assert_eq!(statuses(&take(&[])), ["skipped"]);
    assert_eq!(statuses(&take(&["--force"])), ["replaced"]);
    let crawled = take(&["--crawl", "--rate", "100", "--library", "site"]);
    assert_eq!(statuses(&crawled), ["indexed", "indexed"], "{crawled:#}");
    assert_eq!(found(&project, &["--mode", "lexical", "beluga"]), [(format!("{guide}next"), 0)]);
}

#[test]
fn a_server_takes_files_in_and_only_those_it_may() {
    let project = Project::empty();
    project.write("papers/a.csv", "name,price\nnarwhal,3\n");
    fs::create_dir_all(project.path("shared")).unwrap();
    fs::write(project.path("shared/b.md"), "# B\n\nbeluga\n").unwrap();
    fs::write(project.path("c.md"), "# C\n").unwrap();
    let shared: PathBuf = project.path("shared");
    let mut command = project.command(&["serve", "--toolsets", "library", "--allow-private-networks"]);
    command.arg("--root").arg(&shared);
    let mut served = Served::by(command);
    let taken = served.call("ingest_file", json!({ "path": "papers/a.csv", "library": "papers" }));
    assert_eq!(taken["status"], "indexed", "{taken:#}");
    let taken = served.call("ingest_file", json!({ "path": shared.join("b.md"), "library": "papers" }));
    assert_eq!(taken["status"], "indexed", "{taken:#}");
    for path in [
        project.path("c.md").display().to_string(),
        "/etc/passwd".to_owned(),
        ".docent/record.sqlite".to_owned(),
    ] {
        let refused = served.call("ingest_file", json!({ "path": path }));
        assert_eq!(refused["status"], "error", "{refused:#}");
    }
    let answer = served.call("search", json!({ "query": "narwhal" }));
    assert_eq!(answer["results"][0]["file_type"], "csv", "{answer:#}");
    let (_, said) = served.end();
    assert!(said.contains("warning: addresses inside private networks may be fetched"), "{said}");
}

#[test]
fn no_vectors_are_made_when_none_are_wanted() {
    let project = Project::empty();
    project.write("in/a.md", "# Whales\n\nNarwhals have a tusk.\n");
    project.ok(&["ingest", "in", "--library", "papers", "--no-embed"]);
    let answer = project.json(&["search", "--json", "--wait", "0", "-c", "papers", "narwhals"]);
    let vector = &answer["searched"]["vector"];
    assert_eq!((&vector["embedded"], &vector["total"]), (&json!(0), &json!(1)), "{vector}");
}

#[test]
fn an_empty_file_is_a_document_without_chunks() {
    let project = Project::empty();
    for (path, text) in [("in/empty.md", ""), ("in/blank.txt", " \n\t \n")] {
        project.write(path, text);
        for status in ["indexed", "skipped"] {
            let report = project.json(&["ingest", path, "--json"]);
            let row = &report["results"][0];
            assert_eq!((&row["status"], &row["chunk_count"]), (&json!(status), &json!(0)), "{path}");
        }
    }
    assert!(project.ok(&["list"]).contains("empty.md"));
    project.ok(&["check"]);
}

#[test]
fn metadata_that_is_not_taken_is_said() {
    let project = Project::empty();
    project.write("in/a.md", "# Whales\n\nNarwhals.\n");
    project.ok(&["ingest", "in/a.md", "--meta", "year=2024"]);
    let check = |meta: &[&str], expected: bool| {
        let out = project.ok(&[&["ingest", "in/a.md"], meta].concat());
        assert_eq!(out.contains("the metadata was not changed"), expected, "{meta:?}: {out}");
    };
    check(&[], false);
    check(&["--meta", "year=2024"], false);
    check(&["--meta", "year=2025"], true);
    check(&["--meta", "year=2025", "--force"], false);
    check(&["--meta", "year=2025"], false);
}
