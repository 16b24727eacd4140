//! docs/reference/cli.md is made from the help texts, and docs/reference/json.md names every field that is printed.
//!
//! After a change: UPDATE_DOCS=1 cargo test -p docent --test it reference

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{COMMANDS, Project};

#[test]
fn the_command_line_reference_is_current() {
    let project = Project::empty();
    let mut text =
        "# Command line reference\n\nMade from the help texts; a test fails when it is stale.\n".to_owned();
    for command in COMMANDS {
        let args: Vec<&str> = command.split(' ').chain(["--help"]).collect();
        let help = project.ok(&args);
        text += &format!("\n## docent {command}\n\n```text\n{}\n```\n", help.trim_end());
    }
    let path = reference("cli.md");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == text,
        "docs/reference/cli.md is stale: UPDATE_DOCS=1 cargo test -p docent --test it reference"
    );
}

#[test]
fn every_printed_json_field_is_documented() {
    let project = Project::new();
    project.write("docs/broken.md", b"\xff\xfe\xfd\xff");
    project.write(
        "cases.yaml",
        "- {query: retries, expected: services.md, category: a}\n- {query: limits, expected: gone.md}\n",
    );
    let mut printed = BTreeSet::new();
    let runs: &[&[&str]] = &[
        &["index", "--json"],
        &["search", "--json", "--explain", "-k", "1", "retries"],
        &["search", "--json", "--facet", "language=none", "--mode", "lexical", "retries"],
        &["get", "--json", "services.md"],
        &["get", "--json", "guides/retries.md#backoff-strategy"],
        &["list", "--json"],
        &["status", "--json"],
        &["ingest", "docs/start.md", "missing.md", "--json"],
        &["convert", "docs/start.md", "missing.md", "--json"],
        &["forget", "docs/start.md", "--json"],
        &["collections", "--json"],
        &["reports", "--json"],
        &["check", "--json"],
        &["build", "--json", "--out", "../out", "--docs", "docs/guides"],
        &["status", "--json", "--index", "../out"],
        &["config", "--json"],
        &["validate", "--json"],
        &["fix", "--json"],
        &["eval", "run", "cases.yaml", "--out", "run.json", "--json"],
        &["eval", "run", "cases.yaml", "--baseline", "run.json", "--mode", "lexical", "--json"],
        &["install", "--list", "--json"],
        &["install", "cursor", "--dry-run", "--json"],
    ];
    for run in runs {
        let ran = project.run(run);
        let value: Value = serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{run:?}: {ran:?}"));
        collect(&value, &mut printed);
    }
    let text = std::fs::read_to_string(reference("json.md")).unwrap();
    let missing: Vec<&String> =
        printed.iter().filter(|field| !text.contains(&format!("`{field}`"))).collect();
    assert!(missing.is_empty(), "docs/reference/json.md does not name {missing:?}");
}

fn reference(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference").join(file)
}

fn collect(value: &Value, fields: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                fields.insert(key.clone());
                collect(value, fields);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, fields)),
        _ => {}
    }
}
