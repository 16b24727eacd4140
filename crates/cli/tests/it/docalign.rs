//! Rules of DocAlign's specification for the server as a whole, each by its section: how it starts, and what its tools say when
//! the database fails.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::postgres::Team;
use crate::serve::Served;
use crate::support::ran;

/// DocAlign's tables with one repository and one claim.
const TABLES: &str = "
CREATE TABLE repos (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), github_owner text, github_repo text,
    updated_at timestamptz DEFAULT now());
CREATE TABLE claims (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), repo_id uuid REFERENCES repos (id), source_file text,
    line_number integer, claim_text text, claim_type text, keywords text[], verification_status text,
    last_verified_at timestamptz);
CREATE TABLE agent_drift_reports (id uuid PRIMARY KEY, repo_id uuid NOT NULL, claim_id uuid, doc_file text NOT NULL,
    line_number integer, claim_text text NOT NULL, actual_behavior text NOT NULL, evidence_files text[], agent_type text,
    verification_status text NOT NULL DEFAULT 'pending', created_at timestamptz NOT NULL DEFAULT now());
INSERT INTO repos (id, github_owner, github_repo) VALUES ('00000000-0000-0000-0000-000000000001', 'acme', 'shop');
INSERT INTO claims (repo_id, source_file, line_number, claim_text, claim_type, verification_status) VALUES
    ('00000000-0000-0000-0000-000000000001', 'docs/start.md', 1, 'Uses bcrypt', 'behavior', 'drifted')";

/// A team whose database is DocAlign's, with a role that may read it and report.
fn docaligns(server: usize) -> Option<(Team, String, String)> {
    let team = Team::on(server)?;
    team.database.sql(TABLES);
    let grants = "GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role}; GRANT INSERT ON agent_drift_reports TO {role}";
    let (url, role) = team.role("docalign", grants);
    Some((team, url, role))
}

/// A clone with these remotes.
fn clone(team: &Team, folder: &str, remotes: &[(&str, &str)]) -> PathBuf {
    let root = team.clone_of("acme/none", folder);
    let remotes = remotes.iter().map(|(name, url)| format!("[remote \"{name}\"]\n\turl = {url}\n"));
    fs::write(root.join(".git/config"), remotes.collect::<String>()).unwrap();
    root
}

fn served(team: &Team, url: &str, folder: &Path) -> Served {
    Served::by(team.command(folder, url, &["serve", "--quiet"]))
}

#[test]
fn docalign_6_4_and_b_4_a_repository_is_known_by_every_form_and_every_remote() {
    let Some((team, url, role)) = docaligns(0) else { return };
    let other = ("origin", "https://github.com/me/fork.git");
    let remotes: &[&[(&str, &str)]] = &[
        &[("origin", "https://github.com/acme/shop.git")],
        &[("origin", "https://github.com/acme/shop")],
        &[("origin", "git@github.com:acme/shop.git")],
        &[("origin", "ssh://git@github.com/acme/shop.git")],
        &[("up", "git@github.com:acme/shop.git")],
        &[("mirror", "https://example.org/x/y.git"), ("up", "https://github.com/acme/shop")],
        &[other, ("upstream", "git@github.com:acme/shop.git")],
        &[other, ("second", "git@github.com:x/y.git"), ("upstream", "ssh://git@github.com/acme/shop.git")],
    ];
    for (number, remotes) in remotes.iter().enumerate() {
        let folder = clone(&team, &format!("clone{number}"), remotes);
        let mut served = served(&team, &url, &folder);
        let stale = served.call("list_stale_docs", json!({}));
        assert_eq!(stale["stale_docs"][0]["file"], "docs/start.md", "{remotes:?}: {stale}");
        let report =
            json!({"doc_file": "docs/start.md", "claim_text": "Uses bcrypt", "actual_behavior": "argon2"});
        assert_eq!(served.call("report_drift", report)["acknowledged"], true, "{remotes:?}");
        served.end();
    }
    assert_eq!(team.database.sql("SELECT count(DISTINCT repo_id) FROM agent_drift_reports"), "1");
    assert_eq!(team.database.sql("SELECT to_regnamespace('docent') IS NULL"), "t");
    team.drop_role(&role);
}

#[test]
fn docalign_4_0_1_what_is_wrong_at_the_start_ends_with_code_1() {
    let Some((team, url, role)) = docaligns(0) else { return };
    let check = |folder: &Path, url: &str, error: &str, hint: &str| {
        let ran = ran(team.command(folder, url, &["serve", "--quiet"]).output().unwrap());
        ran.check_error(1, error, hint);
    };
    let unknown = clone(&team, "unknown", &[("origin", "git@github.com:acme/unknown.git")]);
    check(
        &unknown,
        &url,
        "Repository acme/unknown not found in DocAlign database.",
        "Is the DocAlign GitHub App installed",
    );
    let bare = clone(&team, "bare", &[("origin", "/srv/git/shop.git")]);
    check(&bare, &url, "Could not parse GitHub owner/repo", "https://github.com/OWNER/NAME");
    let plain = team.clone_of("acme/shop", "plain");
    fs::remove_dir_all(plain.join(".git")).unwrap();
    check(&plain, &url, "Not a git repository: ", "--repo DIR");
    let known = clone(&team, "known", &[("origin", "git@github.com:acme/shop.git")]);
    check(
        &known,
        &url.replace(&format!("{role}@"), "nobody_of_this_name@"),
        "does not let docent in",
        "check the user",
    );
    check(&known, "postgresql://127.0.0.1:1/docs", "cannot be reached", "check the address");
    team.drop_role(&role);
}

fn error(answer: &Value) -> (i64, &str) {
    (
        answer["error"]["code"].as_i64().unwrap_or_default(),
        answer["error"]["message"].as_str().unwrap_or_default(),
    )
}

/// Calls every tool of docs health.
fn all(served: &mut Served) -> Vec<Value> {
    let report =
        json!({"doc_file": "docs/start.md", "claim_text": "Uses bcrypt", "actual_behavior": "argon2"});
    let calls = [
        ("get_docs", json!({"query": "bcrypt"})),
        ("get_doc_health", json!({})),
        ("list_stale_docs", json!({})),
        ("report_drift", report),
    ];
    let call = |(tool, arguments)| served.ask("tools/call", json!({"name": tool, "arguments": arguments}));
    calls.into_iter().map(call).collect()
}

#[test]
fn docalign_appendix_d_an_outage_is_told_and_is_over_when_it_is_over() {
    for server in 0..3 {
        let Some((team, url, role)) = docaligns(server) else { return };
        let folder = clone(&team, "known", &[("origin", "git@github.com:acme/shop.git")]);
        let mut served = served(&team, &url, &folder);
        let name = team.database.sql("SELECT current_database()");
        team.database.sql(&format!(
            "ALTER ROLE {role} NOLOGIN; SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
             WHERE datname = '{name}' AND pid <> pg_backend_pid()"
        ));
        for answer in all(&mut served) {
            let expected = match answer.to_string().contains("record drift") {
                true => (-32603, "Failed to record drift report. Please try again."),
                false => (-32603, "Database connection error. Check DOCALIGN_DATABASE_URL."),
            };
            assert_eq!(error(&answer), expected, "{answer}");
        }
        team.database.sql(&format!("ALTER ROLE {role} LOGIN"));
        for answer in all(&mut served) {
            assert!(answer["result"]["structuredContent"].is_object(), "{answer}");
        }
        served.end();
        team.drop_role(&role);
    }
}

#[test]
fn docalign_appendix_d_a_query_that_takes_too_long_or_fails_is_told() {
    let Some((team, url, role)) = docaligns(0) else { return };
    let folder = clone(&team, "known", &[("origin", "git@github.com:acme/shop.git")]);
    let mut served = served(&team, &url, &folder);
    let replace = |condition: &str| {
        team.database.sql(&format!(
            "CREATE OR REPLACE FUNCTION tell() RETURNS boolean VOLATILE LANGUAGE plpgsql AS $$ BEGIN {condition} RETURN true; END $$"
        ));
    };
    replace("PERFORM pg_sleep(60);");
    team.database.sql(&format!(
        "ALTER TABLE claims RENAME TO kept; CREATE VIEW claims AS SELECT * FROM kept WHERE tell(); GRANT SELECT ON claims TO {role}"
    ));
    let slow = served.ask("tools/call", json!({"name": "get_doc_health", "arguments": {}}));
    assert_eq!(error(&slow), (-32603, "Query timed out. Try a more specific search."), "{slow}");
    replace("RAISE EXCEPTION 'broken';");
    let broken = served.ask("tools/call", json!({"name": "list_stale_docs", "arguments": {}}));
    assert_eq!(error(&broken), (-32603, "Internal database error."), "{broken}");
    served.end();
    team.drop_role(&role);
}

#[test]
fn docalign_appendix_d_parameters_are_told_by_name() {
    let Some((team, url, role)) = docaligns(0) else { return };
    let folder = clone(&team, "known", &[("origin", "git@github.com:acme/shop.git")]);
    let mut served = served(&team, &url, &folder);
    let mut check = |tool: &str, arguments: Value, code: i64, message: &str| {
        let answer = served.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        assert_eq!(error(&answer), (code, message), "{tool}: {answer}");
    };
    check("get_docs", json!({}), -32602, "query is required");
    check("get_docs", json!({"query": ""}), -32602, "query must be a non-empty string");
    check("list_stale_docs", json!({"max_results": 0}), -32602, "max_results must be between 1 and 100");
    check(
        "get_doc_health",
        json!({"path": "none.md"}),
        -32000,
        "No documentation claims found for path 'none.md'.",
    );
    let report =
        |text: &str| json!({"doc_file": "docs/start.md", "claim_text": text, "actual_behavior": "argon2"});
    check("report_drift", report("a\u{0}b"), -32602, "claim_text must be free of NUL characters");
    check(
        "report_drift",
        json!({"doc_file": "docs/start.md", "claim_text": "x"}),
        -32602,
        "actual_behavior is required",
    );
    served.end();
    assert_eq!(team.database.sql("SELECT count(*) FROM agent_drift_reports"), "0");
    team.drop_role(&role);
}

#[test]
fn docalign_appendix_d_without_a_table_for_reports_none_is_taken() {
    let Some((team, url, role)) = docaligns(0) else { return };
    team.database.sql("DROP TABLE agent_drift_reports");
    let folder = clone(&team, "known", &[("origin", "git@github.com:acme/shop.git")]);
    let mut served = served(&team, &url, &folder);
    let answers = all(&mut served);
    assert_eq!(
        error(&answers[3]),
        (-32603, "Drift reporting is not available in this version."),
        "{}",
        answers[3]
    );
    assert!(answers[..3].iter().all(|answer| answer["error"].is_null()), "{answers:?}");
    served.end();
    team.drop_role(&role);
}
