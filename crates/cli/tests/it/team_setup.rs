//! Setting a database up for a team: every step that can be missing is named, and who has to take it.

use std::fs;
use std::path::Path;

use docent_testkit::Postgres;
use serde_json::{Value, json};

use crate::postgres::{Team, serve};
use crate::support::{Project, Ran, ran};

impl Team {
    fn try_with(&self, folder: &Path, url: &str, args: &[&str]) -> Ran {
        ran(self.command(folder, url, args).output().unwrap())
    }

    /// Makes tables of the format before.
    fn age(&self) -> u32 {
        let sql = "DELETE FROM docent.migrations WHERE format = (SELECT max(format) FROM docent.migrations)
                   RETURNING format";
        self.database.sql(sql).parse().unwrap()
    }
}

/// The statements of a part of the guide.
fn guide(heading: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/team.md");
    let text = fs::read_to_string(path).unwrap();
    let part = text.split(&format!("\n## {heading}\n")).nth(1).unwrap();
    let part = part.split("\n## ").next().unwrap();
    let blocks = part.split("```sql\n").skip(1).map(|block| block.split("```").next().unwrap());
    let lines = blocks.flat_map(str::lines).map(|line| line.split("--").next().unwrap().trim());
    lines.map(|line| line.trim_end_matches(';').to_owned()).collect()
}

#[test]
fn the_statements_of_the_guide_do_what_it_says() {
    let Some(server) = Postgres::own(0, "", &[]) else { return };
    let team = Team::with(server.database());
    let clone = team.clone_of("acme/shop", "one");
    let mut database = "postgres";
    for statement in guide("The first ten minutes") {
        match statement.strip_prefix("\\c ") {
            Some(_) => database = "docs",
            None => drop(server.sql(database, &statement)),
        }
    }
    let url = |role: &str| server.url("docs").replace("postgres@", &format!("{role}@"));
    let ok = |role: &str, args: &[&str]| {
        let ran = team.try_with(&clone, &url(role), args);
        assert_eq!(ran.code, Some(0), "{role} {args:?} {ran:?}");
        ran.out
    };
    ok("docent_writer", &["index", "--quiet"]);
    let statements = guide("Roles");
    let is_extra = |statement: &&String| statement.contains("drift_reports") || statement.contains("_editor");
    for statement in statements.iter().filter(|it| !is_extra(it)) {
        server.sql("docs", statement);
    }
    ok("docent_reader", &["search", "retry"]);
    fs::write(clone.join("docs/new.md"), "# New\n\nwombat\n").unwrap();
    ok("ci", &["index", "--quiet"]);
    let foreign =
        "SELECT count(*) FROM pg_tables WHERE schemaname = 'docent' AND tableowner <> 'docent_writer'";
    assert_eq!(server.sql("docs", foreign), "0");
    assert!(ok("docent_reader", &["search", "wombat"]).contains("new.md"));
    let report = json!({ "doc_file": "docs/start.md", "claim_text": "a", "actual_behavior": "b" });
    let reported =
        || serve(&team, &clone, &url("docent_reader"), &[("report_drift", report.clone())])[0].to_string();
    assert!(!reported().contains("acknowledged"));
    for statement in statements.iter().filter(is_extra) {
        server.sql("docs", statement);
    }
    let told = reported();
    assert!(told.contains("acknowledged"), "{told}");
    let listed: Value = serde_json::from_str(&ok("docent_reader", &["reports", "--json"])).unwrap();
    let id = listed["reports"][0]["report_id"].as_str().unwrap();
    let refused = team.try_with(&clone, &url("docent_reader"), &["reports", "accept", id]);
    assert_eq!(refused.code, Some(3), "{refused:?}");
    ok("docent_editor", &["reports", "accept", id]);
    drop(team);
    server.end();
}

#[test]
fn a_role_without_rights_is_told_which_are_missing() {
    for server in 0..3 {
        let Some(team) = Team::on(server) else { return };
        let clone = team.clone_of("acme/shop", "one");
        let (url, role) = team.role("reader", "");
        let check = |error: &str, hint: &str| {
            for (args, code) in [
                (&["search", "retry"][..], 3),
                (&["get", "start.md"], 3),
                (&["list"], 3),
                (&["status"], 3),
                (&["serve"], 1),
            ] {
                let mut told = team.try_with(&clone, &url, args);
                // Where the server has no pgvector, that is said before.
                told.err = told
                    .err
                    .lines()
                    .filter(|line| !line.starts_with("note: "))
                    .fold(String::new(), |all, line| all + line + "\n");
                told.check_error(code, error, hint);
            }
        };
        check("nothing has been indexed", "CREATE ON DATABASE");
        team.try_with(&clone, &url, &["index"]).check_error(3, "may not make the tables", "owner of the");
        team.ok(&clone, &["index", "--quiet"]);
        check("may not be read with this role", "USAGE on the schema docent and SELECT");
        team.database.sql(&format!("GRANT USAGE ON SCHEMA docent TO {role}"));
        check("may not be read with this role", "USAGE on the schema docent and SELECT");
        // The number of the format alone is not enough, either.
        team.database.sql(&format!("GRANT SELECT ON docent.migrations TO {role}"));
        check("may not be read with this role", "USAGE on the schema docent and SELECT");
        team.database.sql(&format!("GRANT SELECT ON ALL TABLES IN SCHEMA docent TO {role}"));
        assert_eq!(team.try_with(&clone, &url, &["search", "retry"]).code, Some(0));
        fs::write(clone.join("docs/new.md"), "# New\n").unwrap();
        team.try_with(&clone, &url, &["index", "--quiet"]).check_error(
            3,
            "does not allow it",
            "a role that may write",
        );
        fs::write(clone.join("note.md"), "# Note\n").unwrap();
        let refused = team.try_with(&clone, &url, &["ingest", "note.md"]);
        refused.check_error(3, "may not write to the tables", "a role that may write");
        let needed = team.age();
        let error = format!("have format {}, and this docent needs {needed}", needed - 1);
        check(&error, "with the role that owns the tables");
        team.drop_role(&role);
    }
}

#[test]
fn pgvector_that_came_later_keeps_no_reader_out() {
    let Some(team) = Team::on(0) else { return };
    let clone = team.clone_of("acme/shop", "one");
    team.ok(&clone, &["index", "--quiet"]);
    if team.database.sql("SELECT count(*) FROM pg_extension WHERE extname = 'vector'") == "0" {
        return;
    }
    team.database.sql("DROP EXTENSION vector CASCADE; CREATE EXTENSION vector");
    let (url, role) = team.role(
        "reader",
        "GRANT USAGE ON SCHEMA docent TO {role}; GRANT SELECT ON ALL TABLES IN SCHEMA docent TO {role}",
    );
    let asked = team.try_with(&clone, &url, &["status"]);
    assert!(asked.code == Some(0) && asked.err.contains("pgvector is there and not used yet"), "{asked:?}");
    team.ok(&clone, &["index", "--quiet"]);
    let asked = team.try_with(&clone, &url, &["status"]);
    assert!(asked.code == Some(0) && !asked.err.contains("pgvector"), "{asked:?}");
    team.drop_role(&role);
}

#[test]
fn a_database_that_cannot_hold_an_index_is_told_apart() {
    let Some(server) = Postgres::server(0) else { return };
    let team = Team::with(server.database_with("ENCODING 'LATIN1' LOCALE 'C'"));
    let clone = team.clone_of("acme/shop", "one");
    let url = team.database.url();
    team.try_with(&clone, &url, &["index"]).check_error(3, "encoded in LATIN1", "--encoding UTF8");
    for sql in ["CREATE TABLE docent.documents (mine integer)", "CREATE TABLE docent.migrations (mine text)"]
    {
        let team = Team::with(server.database());
        team.database.sql(&format!("CREATE SCHEMA docent; {sql}"));
        let refused = team.try_with(&clone, &team.database.url(), &["index"]);
        refused.check_error(3, "did not make", "docent's alone");
    }
}

#[test]
fn an_address_that_cannot_be_used_says_which_part() {
    let project = Project::new();
    for (query, error, hint) in [
        ("sslmode=verify", "has an sslmode that is none of", "verify-full"),
        ("sslrootcert=/nowhere/ca.crt", "cannot be read: /nowhere/ca.crt", "in PEM"),
        ("sslcert=/me.crt", "a parameter `sslcert` that docent does not know", "out of the address"),
    ] {
        let url = format!("postgresql://me@127.0.0.1:1/docs?{query}");
        project.run(&["search", "x", "--database-url", &url]).check_error(2, error, hint);
    }
}

#[test]
fn nobody_writes_to_a_standby() {
    let Some(primary) = Postgres::own(0, "", &[]) else { return };
    let team = Team::with(primary.database());
    let clone = team.clone_of("acme/shop", "one");
    team.ok(&clone, &["index", "--quiet"]);
    let standby = primary.standby();
    fs::write(clone.join("docs/new.md"), "# New\n").unwrap();
    let refused = team.try_with(&clone, &standby.url(team.database.name()), &["index", "--quiet"]);
    refused.check_error(3, "it is a standby", "name the primary");
    standby.end();
    drop(team);
    primary.end();
}

#[test]
fn who_may_write_and_is_kept_to_rows_is_told_so() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/postgresql/limited-reader.sql");
    let Some(team) = Team::on(0) else { return };
    let clone = team.clone_of("acme/shop", "one");
    team.ok(&clone, &["index", "--quiet"]);
    let limited = format!("limited_{}", team.database.name());
    team.database.script(&script, &[("role", &limited), ("collections", "acme/%")]);
    let (url, role) = team.role(
        "member",
        "GRANT ALL ON SCHEMA docent TO {role}; GRANT ALL ON ALL TABLES IN SCHEMA docent TO {role};
         GRANT ALL ON ALL SEQUENCES IN SCHEMA docent TO {role}",
    );
    fs::write(clone.join("docs/new.md"), "# New\n\nwombat\n").unwrap();
    team.try_with(&clone, &url, &["index", "--quiet"]).check_error(3, "guards its rows", "BYPASSRLS");
    // As the guide says: whoever writes acts as the owner.
    team.database.sql(&format!("GRANT postgres TO {role}; ALTER ROLE {role} SET role = 'postgres'"));
    let indexed = team.try_with(&clone, &url, &["index", "--quiet"]);
    assert_eq!(indexed.code, Some(0), "{indexed:?}");
    team.drop_role(&role);
    team.drop_role(&limited);
}

#[test]
fn a_collection_that_is_not_there_is_missed_in_the_database() {
    let Some(team) = Team::on(0) else { return };
    let (shop, bank) = (team.clone_of("acme/shop", "shop"), team.clone_of("acme/bank", "bank"));
    team.ok(&shop, &["index", "--quiet"]);
    let url = team.database.url();
    let refused = team.try_with(&bank, &url, &["search", "-c", "nothing", "retry"]);
    refused.check_error(
        1,
        &format!("in postgresql://{}", url.split("host=").nth(1).unwrap().split('&').next().unwrap()),
        "there are: acme/shop",
    );
    assert!(!refused.err.contains("acme/bank") && !refused.err.contains(".docent"), "{refused:?}");
}
