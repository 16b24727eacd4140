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
fn found(project: &Project, args: &[&str]) -> Vec<(String, u64)> {
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

/// A project with a library `papers` of one document.
fn with_papers() -> Project {
    let project = Project::empty();
    project.write("in/a.md", "# Whales\n\nNarwhals have a tusk.\n");
    project.write("other/b.md", "# Birds\n\nHerons wade.\n");
    project.ok(&["ingest", "in/a.md", "--library", "papers"]);
    project
}

fn check_papers(project: &Project) {
    let source = project.root().join("in/a.md").display().to_string();
    for scope in [&["-c", "papers"][..], &[]] {
        let hits = found(project, &[scope, &["--mode", "lexical", "narwhals"]].concat());
        assert_eq!(hits.first().map(|hit| &hit.0), Some(&source), "{scope:?}");
    }
    assert!(project.ok(&["collections"]).contains("a library"));
}

fn lose_record(project: &Project) {
    for name in ["record.sqlite", "record.sqlite-wal", "record.sqlite-shm"] {
        let _ = fs::remove_file(project.root().join(".docent").join(name));
    }
}

#[test]
fn nothing_takes_the_name_of_a_library() {
    let project = with_papers();
    fs::create_dir_all(project.root().join("empty")).unwrap();
    let already = "there is a library `papers` already";
    for source in ["other", "empty"] {
        project.run(&["add", "papers", source]).check_error(2, already, "docent ingest --library papers");
        check_papers(&project);
    }
    project.ok(&["ingest", "other/b.md", "--library", "birds"]);
    project.run(&["rename", "birds", "papers"]).check_error(2, already, "choose another name");
    project.ok(&["add", "found", "other"]);
    project.run(&["rename", "found", "papers"]).check_error(2, already, "choose another name");
    project.run(&["ingest", "in/a.md", "--library", "found"]).check_error(2, "`found` is", "another");
    check_papers(&project);
}

#[test]
fn a_library_does_not_take_the_name_of_a_folder_that_is_indexed_later() {
    let project = Project::empty();
    project.write("x.md", "# X\n\nnarwhal\n");
    project.write("other/a.md", "# A\n\nbeluga\n");
    project.write("docent.toml", "[collections.other]\nsource = \"other\"\n");
    for (name, whose) in [("docs", "the documents folder"), ("other", "a collection that")] {
        let ran = project.run(&["ingest", "x.md", "--library", name]);
        ran.check_error(2, &format!("`{name}` is the name of {whose}"), "name another library");
    }
    project.write("docs/a.md", "# A\n\norca\n");
    project.ok(&["ingest", "x.md", "--library", "mine"]);
    project.ok(&["index"]);
    assert_eq!(found(&project, &["--mode", "lexical", "-c", "docs", "orca"]).len(), 1);
    project.run(&["ingest", "x.md", "--library", "docs"]).check_error(2, "`docs` is the name of", "another");
}

#[test]
fn a_listed_folder_with_the_name_of_a_library_is_left_out_and_both_stay() {
    let project = with_papers();
    let settings = "[collections.papers]\nsource = \"./other\"\n";
    project.write("docent.toml", settings);
    let synced = project.run(&["sync"]);
    assert!(synced.code == Some(3) && synced.err.contains("there is a library `papers`"), "{synced:?}");
    let searched = project.run(&["search", "--mode", "lexical", "herons"]);
    assert!(searched.err.contains("`papers` is left out: there is a library"), "{searched:?}");
    check_papers(&project);
    let removed = project.run(&["remove", "papers"]);
    removed.check_error(2, "`papers` is a library, and a collection that", "docent rename papers OTHER");
    check_papers(&project);
    assert_eq!(fs::read_to_string(project.root().join("docent.toml")).unwrap(), settings);
    project.ok(&["rename", "papers", "whales"]);
    assert_eq!(found(&project, &["-c", "papers", "--mode", "lexical", "herons"]).len(), 1);
    assert_eq!(found(&project, &["-c", "whales", "--mode", "lexical", "narwhals"]).len(), 1);
}

#[test]
fn a_lost_record_is_filled_again_before_the_first_answer() {
    let project = with_papers();
    let source = project.root().join("in/a.md").display().to_string();
    let answers = [
        vec!["search", "narwhals"],
        vec!["search", "-c", "papers", "narwhals"],
        vec!["list"],
        vec!["get", source.as_str()],
        vec!["collections"],
    ];
    for args in answers {
        lose_record(&project);
        let ran = project.run(&args);
        let is_found = ran.out.contains("a.md") || ran.out.contains("Narwhals") || ran.out.contains("papers");
        assert!(ran.code == Some(0) && is_found, "{args:?}: {ran:?}");
        assert!(ran.err.contains("put back") && ran.err.contains("1 of `papers`"), "{args:?}: {ran:?}");
        assert!(!project.run(&args).err.contains("put back"), "{args:?}");
    }
}

#[test]
fn what_cannot_be_restored_is_named_until_it_is_dropped() {
    for drop_it in [&["forget"][..], &["remove", "papers"]] {
        let project = with_papers();
        project.ok(&["ingest", "other/b.md", "--library", "birds"]);
        let listed = project.json(&["ingest", "in/a.md", "--library", "papers", "--json"]);
        let id = listed["results"][0]["doc_id"].as_str().unwrap().to_owned();
        let entry = project.root().join(format!(".docent/library/entries/{id}.json"));
        let entry: Value = serde_json::from_slice(&fs::read(entry).unwrap()).unwrap();
        let object = entry["object"].as_str().unwrap();
        fs::remove_file(project.root().join(".docent/library/objects").join(object)).unwrap();
        lose_record(&project);
        for args in [&["list"][..], &["search", "herons"]] {
            let ran = project.run(args);
            assert!(ran.err.contains("in/a.md of `papers`") && ran.err.contains(&id), "{args:?}: {ran:?}");
        }
        project.ok(&match drop_it {
            ["forget"] => vec!["forget", &id],
            other => other.to_vec(),
        });
        assert_eq!(project.run(&["search", "--mode", "lexical", "herons"]).err, "");
        assert_eq!(project.run(&["list"]).err, "");
    }
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

#[test]
fn what_was_said_of_documents_can_be_filtered_by() {
    let project = Project::empty();
    for (file, year) in [("in/a.md", "year=2024"), ("in/b.md", "year=2023")] {
        project.write(file, "# Whales\n\nnarwhal\n");
        project.ok(&["ingest", file, "--library", "whales", "--meta", year]);
    }
    let check = |filters: &[&str], expected: &[&str]| {
        let mut args = vec!["--mode", "lexical"];
        args.extend(filters.iter().flat_map(|filter| ["--filter", filter]));
        let found = found(&project, &[&args, &["narwhal"][..]].concat());
        let names: Vec<&str> = found.iter().map(|(path, _)| path.rsplit('/').next().unwrap()).collect();
        assert_eq!(names, expected, "{filters:?}");
    };
    check(&["metadata.year=2024"], &["a.md"]);
    check(&["metadata.year=2023", "file_type=markdown"], &["b.md"]);
    check(&["metadata.year=2023", "file_type=pdf"], &[]);
    check(&["source=in/a.md"], &["a.md"]);
    check(&["library=whales", "title=none"], &[]);
    for (filter, told) in [("year=2024", "there is no field"), ("page", "is not FIELD=VALUE")] {
        let ran = project.run(&["search", "--filter", filter, "narwhal"]);
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.err.contains(told), "{ran:?}");
    }
    let list = project.json(&["list", "-c", "whales", "--json"]);
    assert_eq!(list["pages"][0]["metadata"], json!({ "year": 2024 }));
    let got = project.json(&["get", "in/b.md", "--json"]);
    assert_eq!((&got["metadata"]["year"], got["doc_id"].is_string()), (&json!(2023), true));
}

#[test]
fn what_was_typed_to_ingest_works_elsewhere() {
    let project = Project::empty();
    project.write("papers/a.md", "# A\n\nnarwhal\n");
    project.write("papers/deep/b.md", "# B\n\nbeluga\n");
    project.write("other/b.md", "# Other\n\nbeluga\n");
    // The index lies beside, so that the papers are not the documents of the project as well.
    project.write("docs/start.md", "# Start\n");
    project.ok(&["ingest", "papers", "other"]);
    for target in ["papers/a.md", "./papers/a.md", "a.md", "a.md#a"] {
        assert!(project.ok(&["get", target]).contains("narwhal"), "{target}");
    }
    assert!(project.ok(&["get", "deep/b.md"]).contains("# B"));
    let several = project.run(&["get", "b.md"]);
    assert_eq!(several.code, Some(2), "{several:?}");
    assert!(several.err.contains("papers/deep/b.md") && several.err.contains("other/b.md"), "{several:?}");
    let absolute = fs::canonicalize(project.root().join("papers")).unwrap().display().to_string();
    for prefix in ["papers", "papers/", &absolute] {
        assert_eq!(project.json(&["list", prefix, "--json"])["total_pages"], 2, "{prefix}");
        let hits = found(&project, &["--mode", "lexical", "--path", prefix, "beluga"]);
        assert_eq!(hits.len(), 1, "{prefix}: {hits:?}");
    }
    for args in [&["list", "nowhere/"][..], &["search", "--path", "nowhere/", "beluga"]] {
        let ran = project.run(args);
        assert!(ran.code == Some(1) && ran.err.contains("absolute paths"), "{args:?}: {ran:?}");
    }
}

#[test]
fn a_cited_page_can_be_opened() {
    let project = Project::empty();
    let report = fixture("convert-pdf/report.pdf");
    project.ok(&["ingest", &report]);
    let page = project.ok(&["get", "report.pdf", "--page", "3"]);
    assert!(page.contains("well-known sentence") && !page.contains("# 1 Overview"), "{page}");
    let whole = project.json(&["get", &report, "--json"]);
    let pages: Vec<u64> =
        whole["chunks"].as_array().unwrap().iter().map(|chunk| chunk["page"].as_u64().unwrap()).collect();
    assert!(pages.is_sorted() && pages.first() == Some(&1) && pages.contains(&3), "{pages:?}");
    let third = project.json(&["get", &report, "--page", "3", "--json"]);
    assert!(third["chunks"].as_array().unwrap().iter().all(|chunk| chunk["page"] == 3), "{third:#}");
    let beyond = project.run(&["get", &report, "--page", "99"]);
    assert!(beyond.code == Some(1) && beyond.err.contains("no text on page 99"), "{beyond:?}");
    project.write("in/a.md", "# A\n");
    project.ok(&["ingest", "in/a.md"]);
    let unpaged = project.run(&["get", "in/a.md", "--page", "1"]);
    assert!(unpaged.code == Some(1) && unpaged.err.contains("has no pages"), "{unpaged:?}");
}

#[test]
fn a_long_run_counts_what_has_not_changed() {
    let project = Project::empty();
    for number in 0..30 {
        project.write(&format!("in/{number:02}.md"), format!("# Page {number}\n\nnarwhal\n"));
    }
    project.write("in/broken.pdf", "%PDF-1.7\n1 0 obj\n<</Type/Catalog");
    let first = project.run(&["ingest", "in"]);
    assert_eq!(first.code, Some(1), "{first:?}");
    assert_eq!(first.out.matches("indexed").count(), 30, "{first:?}");
    assert!(first.out.contains("30 new, 1 failed"), "{first:?}");
    let again = project.run(&["ingest", "in"]);
    assert_eq!(again.out.matches("skipped").count(), 0, "{again:?}");
    assert_eq!(again.err.matches("failed:").count(), 1, "{again:?}");
    assert!(again.out.contains("30 unchanged, 1 failed"), "{again:?}");
    assert_eq!(project.run(&["ingest", "in", "-v"]).out.matches("skipped").count(), 30);
    // The same note on many files is shown once, and counted.
    let noted = project.run(&["ingest", "in", "--meta", "year=2024"]);
    assert_eq!(noted.out.matches("the metadata was not changed").count(), 1, "{noted:?}");
    assert!(noted.err.contains("30 unchanged: the metadata was not changed"), "{noted:?}");
}

#[test]
fn an_index_that_is_named_elsewhere_is_not_filled_with_what_lies_there() {
    let project = Project::empty();
    project.write("in/a.md", "# A\n\nnarwhal\n");
    project.ok(&["ingest", "in"]);
    let index = project.root().join(".docent").display().to_string();
    let elsewhere = tempfile::tempdir().unwrap();
    fs::write(elsewhere.path().join("diary.md"), "# Diary\n\nnarwhal\n").unwrap();
    let mut command =
        project.command(&["search", "--json", "--mode", "lexical", "narwhal", "--index", &index]);
    let answer = ran(command.current_dir(elsewhere.path()).output().unwrap());
    let answer: Value = serde_json::from_str(&answer.out).unwrap();
    let paths = answer["results"].as_array().unwrap().iter().map(|hit| &hit["metadata"]["file_path"]);
    let paths: Vec<&str> = paths.filter_map(Value::as_str).collect();
    assert!(paths.len() == 1 && paths[0].ends_with("in/a.md"), "{answer:#}");
    assert!(!project.ok(&["collections", "--index", &index]).contains("diary"));
}

#[test]
fn documents_are_forgotten_by_the_names_by_which_they_are_got() {
    let project = Project::empty();
    project.write("docs/start.md", "# Start\n");
    for path in ["papers/a.md", "papers/deep/b.md", "other/b.md"] {
        project.write(path, format!("# {path}\n\nbeluga\n"));
    }
    project.ok(&["ingest", "papers", "other"]);
    let several = project.run(&["forget", "b.md"]);
    assert!(several.code == Some(2) && several.err.contains("papers/deep/b.md"), "{several:?}");
    for name in ["deep/b.md", "a.md"] {
        assert!(project.ok(&["get", name]).contains("beluga"), "{name}");
        assert!(project.ok(&["forget", name, "-c", "default"]).contains("Forgot"), "{name}");
    }
    assert_eq!(project.run(&["forget", ""]).code, Some(1));
    assert_eq!(project.json(&["list", "-c", "default", "--json"])["total_pages"], 1);
}

#[test]
fn an_empty_project_says_how_to_begin() {
    let project = Project::empty();
    for (args, code) in [(&["search", "narwhal"][..], 1), (&["list"], 1), (&["collections"], 0)] {
        let ran = project.run(args);
        assert!(ran.code == Some(code) && ran.err.contains("docent ingest"), "{args:?}: {ran:?}");
    }
    project.write("in/a.md", "# A\n\nnarwhal\n");
    project.ok(&["ingest", "in"]);
    let ran = project.run(&["search", "--mode", "lexical", "narwhal"]);
    assert!(ran.code == Some(0) && !ran.err.contains("docs"), "{ran:?}");
    assert!(!project.ok(&["collections"]).contains("0 documents"));
}

#[test]
fn passwords_in_addresses_are_not_repeated() {
    let project = Project::empty();
    for address in [
        "http://user:secret@host/",
        "https://secret@host/x",
        "http://user:secret@host:99999/",
        "http://user:p/secret@host/",
        "http:user:secret@host/",
        "http:\\\\user:secret@host/",
        "ftp://user:secret@host/x",
        "git+https://user:secret@host/x",
    ] {
        for args in
            [&["ingest"][..], &["ingest", "--json"], &["ingest", "--crawl"], &["add"], &["add", "name"]]
        {
            let ran = project.run(&[args, &[address]].concat());
            assert!(
                ran.code != Some(0) && !format!("{ran:?}").contains("secret"),
                "{args:?} {address}: {ran:?}"
            );
        }
    }
    let failed = project.run(&["ingest", "http://user:secret@host/"]);
    assert!(failed.err.contains("http://…@host/"), "{failed:?}");
    project.write("docent.toml", "[embedding]\nbase_url = \"http://user:secret@host/v1\"\n");
    let config = project.ok(&["config"]);
    assert!(config.contains("http://…@host/v1") && !config.contains("secret"), "{config}");
}
