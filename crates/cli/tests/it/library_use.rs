//! What was taken in is found, named, opened and forgotten in a shell.

use std::fs;

use serde_json::{Value, json};

use crate::ingest::{fixture, found};
use crate::support::{Project, ran};

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
