//! The same commands on a database that a team shares. Tests that need a server say so when none is named.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use docent_testkit::{Database, Postgres};
use serde_json::{Value, json};

use crate::support::{Project, Ran, ran};

/// A database, and clones of repositories in a temporary folder.
pub(crate) struct Team {
    pub(crate) database: Database,
    pub(crate) project: Project,
}

impl Team {
    /// On the server at this place in the list.
    pub(crate) fn on(server: usize) -> Option<Self> {
        Postgres::server(server).map(Postgres::database).map(Self::with)
    }

    pub(crate) fn with(database: Database) -> Self {
        Self { database, project: Project::new() }
    }

    /// A clone of a repository with the usual pages.
    pub(crate) fn clone_of(&self, repository: &str, folder: &str) -> PathBuf {
        let root = self.project.path(folder);
        let pages = self.project.root().join("docs");
        for page in ["guides/retries.md", "services.md", "start.md"] {
            let to = root.join("docs").join(page);
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::copy(pages.join(page), to).unwrap();
        }
        fs::create_dir_all(root.join(".git")).unwrap();
        let config = format!("[remote \"origin\"]\n\turl = https://github.com/{repository}.git\n");
        fs::write(root.join(".git/config"), config).unwrap();
        root
    }

    /// Makes a real repository of a clone, with one commit.
    pub(crate) fn commit(&self, clone: &Path) {
        let identity = ["-c", "user.name=tests", "-c", "user.email=tests@example.org"];
        for args in [&["init", "--quiet"][..], &["add", "."], &["commit", "--quiet", "--message", "all"]] {
            let mut git = Command::new("git");
            self.project.surround(&mut git);
            let git = git.args(identity).args(args).current_dir(clone).status().unwrap();
            assert!(git.success(), "{args:?}");
        }
    }

    pub(crate) fn command(&self, folder: &Path, url: &str, args: &[&str]) -> Command {
        let mut command = self.project.command(args);
        command.current_dir(folder).env("DOCENT_DATABASE_URL", url);
        command
    }

    fn run(&self, folder: &Path, args: &[&str]) -> Ran {
        ran(self.command(folder, &self.database.url(), args).output().unwrap())
    }

    pub(crate) fn ok(&self, folder: &Path, args: &[&str]) -> String {
        let ran = self.run(folder, args);
        assert_eq!(ran.code, Some(0), "docent {}: {ran:?}", args.join(" "));
        ran.out
    }

    pub(crate) fn json(&self, folder: &Path, args: &[&str]) -> Value {
        serde_json::from_str(&self.ok(folder, args)).unwrap()
    }

    /// A role that may do no more than this.
    pub(crate) fn role(&self, name: &str, grants: &str) -> (String, String) {
        let role = format!("{name}_{}", self.database.sql("SELECT current_database()"));
        self.database.sql(&format!("CREATE ROLE {role} LOGIN; {}", grants.replace("{role}", &role)));
        (self.database.url().replace("postgres@", &format!("{role}@")), role)
    }

    pub(crate) fn drop_role(&self, role: &str) {
        self.database.sql(&format!("DROP OWNED BY {role}; DROP ROLE {role}"));
    }
}

#[test]
fn what_one_clone_has_indexed_every_clone_finds() {
    for server in 0..3 {
        let Some(team) = Team::on(server) else { return };
        let (one, two) = (team.clone_of("acme/shop", "one"), team.clone_of("acme/shop", "elsewhere/two"));
        let indexed = team.json(&one, &["index", "--json"]);
        assert_eq!(
            (&indexed["collection"], &indexed["added"]),
            (&"acme/shop".into(), &3.into()),
            "{indexed}"
        );
        let again = team.json(&two, &["index", "--json"]);
        assert_eq!((&again["added"], &again["changed"]), (&0.into(), &0.into()), "{again}");
        fs::remove_dir_all(two.join("docs")).unwrap();
        let found = team.json(&two, &["search", "retry backoff", "--json"]);
        assert_eq!(found["results"][0]["metadata"]["file_path"], "guides/retries.md", "{found}");
        assert!(team.ok(&two, &["get", "start.md"]).contains("# Getting started"));
        assert_eq!(team.ok(&two, &["list"]).lines().count(), 3);
        assert!(team.ok(&two, &["status"]).contains("3 pages"));
        assert!(team.ok(&two, &["check"]).contains("sound"));
        let listed = team.json(&two, &["collections", "--json"]);
        assert_eq!(listed["collections"][0]["own"], true, "{listed}");
        assert!(!one.join(".docent").exists() && !two.join(".docent").exists());
    }
}

#[test]
fn repositories_are_indexed_at_the_same_time() {
    let Some(team) = Team::on(0) else { return };
    let folders = ["shop", "shop", "bank", "bank"].iter().zip(0..);
    let folders =
        folders.map(|(name, number)| team.clone_of(&format!("acme/{name}"), &format!("{name}{number}")));
    let url = team.database.url();
    let start = |folder: PathBuf| {
        let mut command = team.command(&folder, &url, &["index", "--quiet"]);
        command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let started: Vec<_> = folders.map(start).collect();
    for child in started {
        let ran = ran(child.wait_with_output().unwrap());
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }
    let outside = team.project.root();
    let listed = team.json(&outside, &["collections", "--json"]);
    let counts: Vec<_> =
        listed["collections"].as_array().unwrap().iter().map(|it| &it["documents"]).collect();
    assert_eq!(counts, [&json!(3), &json!(3)], "{listed}");
    assert!(team.ok(&outside, &["check"]).contains("sound"));
}

#[test]
fn what_was_handed_over_is_found_and_forgotten() {
    let Some(team) = Team::on(0) else { return };
    let clone = team.clone_of("acme/shop", "one");
    team.ok(&clone, &["index"]);
    fs::write(clone.join("note.md"), "# Note\n\nquokka\n").unwrap();
    team.ok(&clone, &["ingest", "note.md"]);
    let found = team.json(&clone, &["search", "quokka", "--json"]);
    assert!(found["results"][0]["metadata"]["file_path"].as_str().unwrap().ends_with("note.md"), "{found}");
    team.ok(&clone, &["forget", "note.md"]);
    let found = team.json(&clone, &["search", "quokka", "--json"]);
    assert!(!found["results"].to_string().contains("note.md"), "{found}");
}

#[test]
fn a_server_without_pgvector_says_what_that_costs() {
    let Some(team) = Team::on(2) else { return };
    let clone = team.clone_of("acme/shop", "one");
    let indexed = team.run(&clone, &["index"]);
    let has_vector = team.database.sql("SELECT count(*) FROM pg_extension WHERE extname = 'vector'") == "1";
    assert_eq!(indexed.err.contains("200,000 passages"), !has_vector, "{indexed:?}");
    assert_eq!(team.json(&clone, &["search", "retry", "--json"])["searched"]["mode"], "hybrid");
    // Who looks after the index is told, not everybody who asks it something.
    for (args, is_told) in [(&["search", "retry"][..], false), (&["status"], true), (&["check"], true)] {
        let ran = team.run(&clone, args);
        assert_eq!(ran.err.contains("200,000 passages"), is_told && !has_vector, "{args:?} {ran:?}");
    }
}

#[test]
fn agents_are_answered_from_the_database() {
    let Some(team) = Team::on(0) else { return };
    let clone = team.clone_of("acme/shop", "one");
    team.ok(&clone, &["index"]);
    let answers = serve(
        &team,
        &clone,
        &team.database.url(),
        &[
            ("search_docs", json!({ "query": "retry backoff" })),
            ("get_doc_health", json!({})),
            (
                "report_drift",
                json!({ "doc_file": "docs/start.md", "claim_text": "a", "actual_behavior": "b" }),
            ),
        ],
    );
    assert!(answers[0].to_string().contains("guides/retries.md"), "{}", answers[0]);
    assert!(answers[1].to_string().contains("total_claims"), "{}", answers[1]);
    assert!(answers[2].to_string().contains("acknowledged"), "{}", answers[2]);
    assert!(team.ok(&clone, &["reports"]).contains("docs/start.md"));
}

/// Starts `docent serve` and calls tools one after the other.
pub(crate) fn serve(team: &Team, folder: &Path, url: &str, calls: &[(&str, Value)]) -> Vec<Value> {
    let mut command = team.command(folder, url, &["serve"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut ask = |id: usize, method: &str, params: Value| {
        writeln!(input, "{}", json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
            .unwrap();
        loop {
            let line: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
            if line["id"] == id {
                return line;
            }
        }
    };
    let about = json!({ "name": "tests", "version": "1" });
    ask(0, "initialize", json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": about }));
    let call = |(number, (name, arguments)): (usize, &(&str, Value))| {
        ask(number + 1, "tools/call", json!({ "name": name, "arguments": arguments }))
    };
    let answers = calls.iter().enumerate().map(call).collect();
    drop(input);
    child.wait().unwrap();
    answers
}

#[test]
fn a_role_that_may_only_read_searches_and_is_told_when_it_indexes() {
    let Some(team) = Team::on(0) else { return };
    let clone = team.clone_of("acme/shop", "one");
    team.ok(&clone, &["index"]);
    let (url, role) = team.role(
        "reader",
        "GRANT USAGE ON SCHEMA docent TO {role}; GRANT SELECT ON ALL TABLES IN SCHEMA docent TO {role}",
    );
    let found = ran(team.command(&clone, &url, &["search", "retry"]).output().unwrap());
    assert_eq!(found.code, Some(0), "{found:?}");
    // Nothing is missing for who only reads, also after the background has had its turn.
    let asked = json!({ "query": "retry" });
    let calls: Vec<_> = (0..40).map(|_| ("search_docs", asked.clone())).collect();
    let answers = serve(&team, &clone, &url, &calls);
    for answer in &answers {
        let searched = &answer["result"]["structuredContent"]["searched"];
        let degraded = searched["degraded"].as_array();
        assert!(searched.is_object() && degraded.is_none_or(Vec::is_empty), "{answer}");
    }
    fs::write(clone.join("docs/new.md"), "# New\n").unwrap();
    let refused = ran(team.command(&clone, &url, &["index", "--quiet"]).output().unwrap());
    refused.check_error(3, "does not allow it: permission denied", "name a role that may write");
    team.drop_role(&role);
}

/// DocAlign's tables, as far as docent needs them, with one claim of `acme/shop`.
const DOCALIGN: &str = "
CREATE TABLE repos (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), github_owner text, github_repo text,
    updated_at timestamptz DEFAULT now());
CREATE TABLE claims (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), repo_id uuid REFERENCES repos (id), source_file text,
    line_number integer, claim_text text, claim_type text, keywords text[], verification_status text,
    last_verified_at timestamptz);
INSERT INTO repos (id, github_owner, github_repo) VALUES ('00000000-0000-0000-0000-000000000001', 'acme', 'shop');
INSERT INTO claims (repo_id, source_file, line_number, claim_text, claim_type, verification_status) VALUES
    ('00000000-0000-0000-0000-000000000001', 'docs/start.md', 1, 'Uses bcrypt', 'behavior', 'drifted')";

#[test]
fn a_database_of_docaligns_is_served_and_the_index_stays_here() {
    let Some(team) = Team::on(0) else { return };
    team.database.sql(DOCALIGN);
    let (url, role) = team.role("docalign", "GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role}");
    let clone = team.clone_of("acme/shop", "one");
    let indexed = ran(team.command(&clone, &url, &["index"]).output().unwrap());
    assert_eq!(indexed.code, Some(0), "{indexed:?}");
    assert!(indexed.err.contains("is DocAlign's") && clone.join(".docent").is_dir(), "{indexed:?}");
    let report = json!({ "doc_file": "docs/start.md", "claim_text": "a", "actual_behavior": "b" });
    let answers = serve(&team, &clone, &url, &[("list_stale_docs", json!({})), ("report_drift", report)]);
    assert!(answers[0].to_string().contains("docs/start.md"), "{}", answers[0]);
    let message = "Drift reporting is not available in this version.";
    assert!(answers[1].to_string().contains(message), "{}", answers[1]);
    assert_eq!(team.database.sql("SELECT to_regnamespace('docent') IS NULL"), "t");
    let other = team.clone_of("acme/unknown", "unknown");
    let refused = ran(team.command(&other, &url, &["serve", "--quiet"]).output().unwrap());
    refused.check_error(1, "acme/unknown not found in DocAlign database", "GitHub App");
    team.drop_role(&role);
}

#[test]
fn a_server_that_does_not_answer_is_told_in_time_and_without_the_password() {
    let project = Project::new();
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("postgresql://me:hush@127.0.0.1:{}/docs", silent.local_addr().unwrap().port());
    for (command, code) in [("search", 3), ("serve", 1)] {
        let args = if command == "search" { vec!["search", "x"] } else { vec!["serve"] };
        let begun = Instant::now();
        let ran = ran(project.command(&args).env("DOCENT_DATABASE_URL", &url).output().unwrap());
        ran.check_error(code, "cannot be reached", "check the address");
        assert!(!ran.err.contains("hush"), "{ran:?}");
        assert!(begun.elapsed() < Duration::from_secs(20), "a busy machine may take longer than two seconds");
    }
}

#[test]
fn no_output_shows_a_password() {
    let project = Project::new();
    let urls = [
        "postgresql://me:hush@127.0.0.1:1/docs",
        "postgresql://127.0.0.1:1/docs?user=me&password=hush",
        "postgresql://me:@hush@127.0.0.1:1/docs",
        "postgresql://me:1/hush@127.0.0.1:1/docs",
        "postgresql://me:hush@127.0.0.1:port/docs",
        "postgresql://127.0.0.1:1/docs?pass=hush",
    ];
    for url in urls {
        for args in
            [&["config"][..], &["config", "--json"], &["search", "x"], &["status", "--verbose"], &["serve"]]
        {
            let ran = project.run(&[args, &["--database-url", url]].concat());
            assert!(!ran.out.contains("hush") && !ran.err.contains("hush"), "{url}: {ran:?}");
            assert!(args[0] == "config" || ran.code != Some(0), "{url}: {ran:?}");
        }
    }
}

#[test]
fn a_project_cannot_choose_the_database() {
    let project = Project::new();
    project.write("docent.toml", "database_url = \"postgresql://me:hush@evil.example/x\"\n");
    let ran = project.run(&["status"]);
    ran.check_error(2, "names a database, and a project may not", "DOCENT_DATABASE_URL");
    assert!(!ran.err.contains("hush"), "{ran:?}");
}
