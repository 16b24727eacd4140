//! Docs health on the command line: reports, marks on hits, and what `docent serve` is told about the repository.

use std::process::Command;
use std::time::{Duration, Instant};

use rusqlite::params;
use serde_json::json;

use crate::serve::Served;
use crate::support::Project;

/// A project with one drifted claim in `docs/services.md`, as a verification keeps it, and one report of it.
fn checked() -> Project {
    let project = Project::new();
    project.ok(&["index"]);
    let root = project.root();
    let name = root.file_name().unwrap().to_str().unwrap().to_owned();
    let folder = root.join(".docent");
    // What makes the tables is the store itself.
    let store = docent_store_embedded::EmbeddedHealth::new(&folder);
    docent_index::health::HealthStore::put_repo(&store, "", &name, 1_770_000_000).unwrap();
    drop(store);
    let text = std::fs::read(root.join("docs/services.md")).unwrap();
    let hash = docent_index::ContentHash::of(&text).to_hex();
    let conn = rusqlite::Connection::open(folder.join("health.sqlite")).unwrap();
    let repo: String = conn.query_row("SELECT id FROM repos", [], |row| row.get(0)).unwrap();
    let evidence = r#"{"found_then":[],"found_now":[],"looked_at":"","blame":null,"breaking":null,
        "suggestion":{"replacement":"make run","is_certain":false,"reason":"alike"}}"#;
    conn.execute("INSERT INTO documents VALUES (?1, 'docs/services.md', ?2)", params![repo, hash]).unwrap();
    conn.execute(
        "INSERT INTO claims (id, repo_id, source_file, line_number, end_line, claim_text, claim_type, kind, named, ordinal,
             keywords, verification_status, class, severity, evidence, last_verified_at, created_at)
         VALUES ('claim-1', ?1, 'docs/services.md', 1, 1, 'Type make serve', 'command', 'span', 'make serve', 0, '[]',
             'drifted', 'broke_at', 'high', ?2, '2026-02-02T00:00:00Z', '2026-02-02T00:00:00Z')",
        params![repo, evidence],
    )
    .unwrap();
    conn.execute(
        "INSERT INTO agent_drift_reports (id, repo_id, claim_id, doc_file, line_number, claim_text, actual_behavior,
             evidence_files, agent_type, verification_status, created_at)
         VALUES ('3f2a-report', ?1, 'claim-1', 'docs/services.md', 1, 'Type make serve', 'There is no such target',
             '[\"Makefile\"]', 'an agent', 'pending', '2026-02-02T00:00:00Z')",
        [&repo],
    )
    .unwrap();
    conn.execute("UPDATE repos SET generation = 1", []).unwrap();
    project
}

#[test]
fn reports_are_listed_shown_and_decided() {
    let project = checked();
    let list = project.ok(&["reports"]);
    assert!(list.contains("3f2a-rep") && list.contains("docs/services.md:1"), "{list}");
    let shown = project.ok(&["reports", "show", "3f2a"]);
    assert!(shown.contains("There is no such target") && shown.contains("an agent"), "{shown}");
    let accepted = project.json(&["reports", "accept", "3f2a", "--json"]);
    assert_eq!(
        (&accepted["verification_status"], &accepted["claim_id"]),
        (&"accepted".into(), &"claim-1".into())
    );
    assert!(accepted["decided_at"].is_string());
    assert_eq!(project.json(&["reports", "--json"])["reports"], serde_json::json!([]));
    let all = project.json(&["reports", "list", "--status", "all", "--json"]);
    assert_eq!(all["reports"][0]["actual_behavior"], "There is no such target");
    project.ok(&["reports", "reject", "3f2a-report"]);
    assert_eq!(project.json(&["reports", "show", "3f2a", "--json"])["verification_status"], "rejected");
}

#[test]
fn reports_are_found_where_the_environment_says_that_they_are_kept() {
    let project = checked();
    let elsewhere = project.root().join("elsewhere.sqlite");
    std::fs::rename(project.root().join(".docent/health.sqlite"), &elsewhere).unwrap();
    assert_eq!(project.json(&["reports", "--json"])["reports"], serde_json::json!([]));
    let mut command = project.command(&["reports"]);
    command.env("DOCALIGN_DATABASE_URL", format!("sqlite:{}", elsewhere.display()));
    let ran = command.output().unwrap();
    assert!(String::from_utf8_lossy(&ran.stdout).contains("3f2a-rep"), "{ran:?}");
}

#[test]
fn a_database_that_cannot_be_is_told_before_anybody_asks_it() {
    let project = checked();
    for command in [&["reports"][..], &["serve"]] {
        let mut command = project.command(command);
        command
            .env("DOCALIGN_DATABASE_URL", format!("sqlite:{}/docent.toml/x/y.db", project.root().display()));
        project.write("docent.toml", "");
        let ran = command.stdin(std::process::Stdio::null()).output().unwrap();
        let told = String::from_utf8_lossy(&ran.stderr);
        assert!(told.contains("cannot reach the database of docs health at"), "{told}");
        assert_eq!(ran.status.code(), Some(1), "{told}");
    }
}

#[test]
fn a_report_that_is_not_there_is_told() {
    let ran = checked().run(&["reports", "accept", "nope"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("there is no report nope") && ran.err.contains("--status all"), "{ran:?}");
    let none = Project::new();
    assert!(none.run(&["reports"]).err.contains("no pending reports"));
}

#[test]
fn a_drifted_hit_is_marked_with_the_reason() {
    let project = checked();
    let found = project.ok(&["search", "--path", "services.md", "service"]);
    assert!(found.contains("⚠ line 1: `make serve` existed when this line was written"), "{found}");
    let json = project.json(&["search", "--json", "--path", "services.md", "service"]);
    let hits = json["results"].as_array().unwrap();
    let marked: Vec<_> = hits.iter().filter(|hit| hit["verification"]["status"] == "drifted").collect();
    assert_eq!(marked.len(), 1, "{json}");
    assert!(!project.ok(&["search", "--path", "guides/retries.md", "retries"]).contains('⚠'));
}

#[test]
fn verified_only_leaves_out_what_was_not_verified() {
    let unchecked = Project::new().run(&["search", "--verified-only", "service"]);
    assert!(unchecked.err.contains("nothing was checked yet"), "{unchecked:?}");
    let project = checked();
    assert_eq!(project.run(&["search", "--verified-only", "service"]).code, Some(1));
    let conn = rusqlite::Connection::open(project.root().join(".docent/health.sqlite")).unwrap();
    conn.execute("UPDATE claims SET verification_status = 'verified'", []).unwrap();
    conn.execute("UPDATE repos SET generation = 2", []).unwrap();
    let json = project.json(&["search", "--json", "--verified-only", "service"]);
    let hits = json["results"].as_array().unwrap();
    assert!(!hits.is_empty() && hits.iter().all(|hit| hit["verification"]["status"] == "verified"), "{json}");
}

#[test]
fn serve_tells_what_is_wrong_with_the_repository_or_the_database() {
    let project = Project::new();
    let ran = project.run(&["serve", "--repo", "."]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("Not a git repository"), "{ran:?}");
    let ran = project.run(&["serve", "--database-url", "mysql://me:secret@localhost/x"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("`mysql` database") && !ran.err.contains("secret"), "{ran:?}");
}

#[test]
fn serve_takes_a_repository_from_anywhere() {
    let project = Project::new();
    let git = Command::new("git").args(["init", "-q"]).current_dir(project.root()).status().unwrap();
    assert!(git.success());
    let mut command = project.command(&["serve", "--repo", project.root().to_str().unwrap(), "--verbose"]);
    command.current_dir(project.path(""));
    let ran = command.output().unwrap();
    assert_eq!(ran.status.code(), Some(0));
    let err = String::from_utf8_lossy(&ran.stderr);
    assert!(err.contains("serving the documents of project"), "{err}");
    assert!(project.root().join(".docent").is_dir());
}

#[test]
fn serve_notices_what_changes_in_any_folder_before_it_is_staged() {
    let project = Project::new();
    project.write("src/deep/engine.rs", "fn start() {}\n");
    project.write("docs/engine.md", "# Engine\n\nIt is in [engine.rs](../src/deep/engine.rs).\n");
    let git = |args: &[&str]| {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=T", "-c", "user.email=t@example.org"]).args(args);
        assert!(command.current_dir(project.root()).status().unwrap().success(), "{args:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", "first"]);
    let mut served = Served::by(project.command(&["serve"]));
    let mut until = |what: &str, expected: u64| {
        let end = Instant::now() + Duration::from_secs(25);
        loop {
            let health = served.call("get_doc_health", json!({"path": "docs/engine.md"}));
            if health["health"][what] == expected {
                return;
            }
            assert!(Instant::now() < end, "{health}");
            std::thread::sleep(Duration::from_millis(100));
        }
    };
    until("verified", 1);
    std::fs::remove_file(project.root().join("src/deep/engine.rs")).unwrap();
    until("drifted", 1);
}
