//! Who may see which collections: tokens with scopes, servers of named collections, roles of the database.

use std::path::Path;

use serde_json::{Value, json};

use crate::http::HttpServer;
use crate::postgres::Team;
use crate::serve::Served;
use crate::support::{Project, ran, set_mode};

const SECRET: &str = "0123456789abcdef-everything";
const LIMITED: &str = "0123456789abcdef-shop-alone";
const TOKENS: &str = "[everything]\nsecret = '0123456789abcdef-everything'\nscopes = ['docs:read', 'docs:write']\n\
    [shop]\nsecret = '0123456789abcdef-shop-alone'\nscopes = ['docs:read', 'collection:acme/shop', 'collection:docs']\n";

fn tokens(project: &Project, text: &str, mode: u32) -> String {
    project.write("tokens.toml", text);
    let file = project.root().join("tokens.toml");
    set_mode(&file, mode);
    file.display().to_string()
}

/// The token that is for `acme/shop` alone.
pub(crate) const SECRET_OF_LIMITED: &str = LIMITED;

/// A server over the database of a team, with all toolsets, in a clone.
pub(crate) fn limited_server(team: &Team, clone: &Path) -> HttpServer {
    let file = tokens(&team.project, TOKENS, 0o600);
    let args = ["serve", "--all", "--http", "127.0.0.1:0", "--token-file", &file, "--toolsets", "all"];
    HttpServer::by(team.command(clone, &team.database.url(), &args))
}

/// Two collections, of which one holds what no other has.
fn check_tokens(server: &HttpServer, secret: &str) {
    for (method, params) in [
        ("tools/list", json!({})),
        ("resources/list", json!({})),
        ("server/discover", json!({})),
        ("tools/call", json!({"name": "list_pages", "arguments": {}})),
        ("tools/call", json!({"name": "get_status", "arguments": {}})),
        ("tools/call", json!({"name": "search_docs", "arguments": {"query": "platypus"}})),
        ("tools/call", json!({"name": "documents_list_collections", "arguments": {}})),
    ] {
        let all = server.request(SECRET, method, params.clone()).to_string();
        let some = server.request(LIMITED, method, params.clone()).to_string();
        assert!(all.contains(secret) || all.contains("platypus"), "{method} {params}: {all}");
        assert!(!some.contains(secret) && !some.contains("platypus"), "{method} {params}: {some}");
    }
    let found = server.call(LIMITED, "search_docs", json!({"query": "retry backoff"}));
    assert!(found.to_string().contains("guides/retries.md"), "{found}");
}

#[test]
fn a_token_of_the_file_sees_its_collections_and_nothing_else() {
    let project = Project::new();
    project.write("other/secret.md", "# Platypus\n\nplatypus\n");
    project.write("docent.toml", "[collections.hushed]\nsource = './other'\n");
    let file = tokens(&project, TOKENS, 0o600);
    let mut command = project.command(&["serve", "--http", "127.0.0.1:0", "--token-file", &file]);
    command.args(["--toolsets", "docs,collections"]);
    check_tokens(&HttpServer::by(command), "hushed");
}

#[test]
fn tokens_hold_on_a_database_too() {
    for server in 0..3 {
        let Some(team) = Team::on(server) else { return };
        let (shop, bank) = (team.clone_of("acme/shop", "shop"), team.clone_of("acme/bank", "bank"));
        std::fs::write(bank.join("docs/secret.md"), "# Platypus\n\nplatypus\n").unwrap();
        team.ok(&shop, &["index", "--quiet"]);
        team.ok(&bank, &["index", "--quiet"]);
        let file = tokens(&team.project, TOKENS, 0o600);
        let args = [
            "serve",
            "--all",
            "--http",
            "127.0.0.1:0",
            "--token-file",
            &file,
            "--toolsets",
            "docs,collections",
        ];
        let command = team.command(&team.project.root(), &team.database.url(), &args);
        check_tokens(&HttpServer::by(command), "acme/bank");
    }
}

#[test]
fn a_file_of_tokens_is_checked_before_anything_is_opened() {
    let project = Project::new();
    let check = |text: &str, mode: u32, error: &str, hint: &str| {
        let file = tokens(&project, text, mode);
        let ran = project.run(&["serve", "--http", "127.0.0.1:0", "--token-file", &file]);
        ran.check_error(2, error, hint);
        assert!(!ran.err.contains("0123456789"), "{ran:?}");
    };
    let sound = "[a]\nsecret = '0123456789abcdef'\nscopes = ['docs:read']\n";
    #[cfg(unix)]
    check(sound, 0o644, "everybody on this machine may read", "chmod o=");
    check("", 0o600, "there is none", "[NAME]");
    check("secret = '0123456789abcdef'", 0o600, "line 1", "[NAME]");
    check("[a]\nsecret = '0123456789abcdef", 0o600, "line 2", "[NAME]");
    check("[a]\nsecret = '0123456789abcdef'\n", 0o600, "line 1", "scopes = [");
    check(&sound.replace("docs:read", "docs:reed"), 0o600, "docs:reed", "docs:read");
    check(&sound.replace("docs:read", "collection:"), 0o600, "names no collection", "collection:NAME");
    check(&sound.replace("0123456789abcdef", "short"), 0o600, "shorter than 16", "16 letters");
    check(&format!("{sound}{}", sound.replace("[a]", "[b]")), 0o600, "the same secret", "of its own");
    project.run(&["serve", "--token-file", "x"]).check_error(2, "--http", "--help");
    project.run(&["serve", "--http", "0", "--token-file", "nothing"]).check_error(2, "nothing", "[NAME]");
    assert!(!project.root().join(".docent").exists(), "nothing was made");
}

#[test]
fn a_server_of_named_collections_serves_nothing_else() {
    let project = Project::new();
    project.write("other/secret.md", "# Platypus\n\nplatypus\n");
    project.write("docent.toml", "[collections.hushed]\nsource = './other'\n");
    project.ok(&["index", "--quiet"]);
    project.write("note.md", "# Note\n\nplatypus\n");
    project.ok(&["ingest", "note.md", "--library", "memos", "--quiet"]);
    let mut served = Served::by(project.command(&["serve", "-c", "docs", "--toolsets", "all"]));
    check_named(&mut served, &["hushed", "memos", "platypus"], 3);
    let refused = served.call("ingest_content", json!({"content": "x", "name": "x.md", "library": "memos"}));
    assert!(refused["error"].as_str().unwrap().contains("not among those"), "{refused}");
    assert_eq!(served.end().0, Some(0));
    project.run(&["serve", "-c", "nothing"]).check_error(
        1,
        "there is no collection `nothing`",
        "there are: docs",
    );
}

fn check_named(served: &mut Served, secrets: &[&str], pages: u64) {
    for (method, params) in [
        ("tools/list", json!({})),
        ("resources/list", json!({})),
        ("tools/call", json!({"name": "get_status", "arguments": {}})),
        ("tools/call", json!({"name": "search_docs", "arguments": {"query": "platypus"}})),
        ("tools/call", json!({"name": "list_libraries", "arguments": {}})),
        ("tools/call", json!({"name": "documents_list_collections", "arguments": {}})),
    ] {
        let answer = served.ask(method, params.clone()).to_string();
        for secret in secrets {
            assert!(!answer.contains(secret), "{method} {params}: {answer}");
        }
    }
    assert_eq!(served.call("list_pages", json!({}))["total_pages"], pages);
}

#[test]
fn a_server_of_named_collections_holds_only_those_of_a_database() {
    for server in 0..3 {
        let Some(team) = Team::on(server) else { return };
        let (shop, bank) = (team.clone_of("acme/shop", "shop"), team.clone_of("acme/bank", "bank"));
        std::fs::write(bank.join("docs/secret.md"), "# Platypus\n\nplatypus\n").unwrap();
        team.ok(&shop, &["index", "--quiet"]);
        team.ok(&bank, &["index", "--quiet"]);
        let url = team.database.url();
        let args = ["serve", "-c", "acme/shop", "--toolsets", "all"];
        let mut served = Served::by(team.command(&team.project.root(), &url, &args));
        check_named(&mut served, &["acme/bank", "platypus"], 3);
        // What others write meanwhile counts, of this collection alone.
        std::fs::write(shop.join("docs/new.md"), "# Wombat\n\nwombat\n").unwrap();
        std::fs::write(bank.join("docs/more.md"), "# Platypus\n\nplatypus again\n").unwrap();
        team.ok(&shop, &["index", "--quiet"]);
        team.ok(&bank, &["index", "--quiet"]);
        check_named(&mut served, &["acme/bank", "platypus"], 4);
        assert!(served.call("search_docs", json!({"query": "wombat"})).to_string().contains("new.md"));
        assert_eq!(served.end().0, Some(0));
        let found = team.json(&team.project.root(), &["search", "-c", "acme/shop", "platypus", "--json"]);
        assert!(!found["results"].to_string().contains("platypus"), "{found}");
    }
}

#[test]
fn a_role_for_some_collections_reads_no_others() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/postgresql/limited-reader.sql");
    for server in 0..3 {
        let Some(team) = Team::on(server) else { return };
        let (shop, bank) = (team.clone_of("acme/shop", "shop"), team.clone_of("other/bank", "bank"));
        std::fs::write(bank.join("docs/secret.md"), "# Platypus\n\nType `make platypus`.\n").unwrap();
        team.ok(&shop, &["index", "--quiet"]);
        team.ok(&bank, &["index", "--quiet"]);
        team.commit(&bank);
        team.ok(&bank, &["verify", "--quiet", "--fail-on", "none"]);
        let role = format!("acme_{}", team.database.sql("SELECT current_database()"));
        // Twice is as good as once.
        for _ in 0..2 {
            team.database.script(&script, &[("role", &role), ("collections", "acme/%")]);
        }
        let url = team.database.url().replace("postgres@", &format!("{role}@"));
        let outside = team.project.root();
        let run = |args: &[&str]| {
            let ran = ran(team.command(&outside, &url, args).output().unwrap());
            assert_eq!(ran.code, Some(0), "{args:?}: {ran:?}");
            ran.out
        };
        let json = |args: &[&str]| serde_json::from_str::<Value>(&run(args)).unwrap();
        let found = json(&["search", "retry backoff", "--json"]);
        assert_eq!(found["results"][0]["metadata"]["file_path"], "guides/retries.md", "{found}");
        assert_eq!(found["searched"]["vector"]["used"], true, "{found}");
        assert!(!json(&["search", "platypus", "--json"]).to_string().contains("secret.md"));
        assert!(!run(&["collections"]).contains("bank"));
        assert!(run(&["get", "start.md"]).contains("# Getting started"));
        let mut served = Served::by(team.command(&outside, &url, &["serve", "--toolsets", "all"]));
        check_named(&mut served, &["bank", "platypus"], 3);
        // What comes later is hidden as well, and what is theirs is found.
        std::fs::write(bank.join("docs/more.md"), "# Platypus\n\nplatypus again\n").unwrap();
        std::fs::write(shop.join("docs/new.md"), "# Wombat\n\nwombat\n").unwrap();
        team.ok(&bank, &["index", "--quiet"]);
        team.ok(&shop, &["index", "--quiet"]);
        check_named(&mut served, &["bank", "platypus"], 4);
        assert_eq!(served.end().0, Some(0));
        // With the role itself there is no more to be had.
        let tables = team.database.sql(
            "SELECT format('%I.%I', n.nspname, c.relname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
             WHERE n.nspname = 'docent' AND c.relkind IN ('r', 'p')",
        );
        for table in tables.lines() {
            let rows = team.database.sql_as(&role, &format!("SELECT t::text FROM {table} t"));
            let rows = rows.unwrap_or_default().to_lowercase();
            assert!(!rows.contains("bank") && !rows.contains("platypus"), "{table}: {rows}");
        }
        let count = |table: &str, role: &str| {
            team.database.sql_as(role, &format!("SELECT count(*) FROM docent.{table}")).unwrap()
        };
        for table in ["documents", "texts", "chunks", "passages", "segments", "vectors", "vectors_m1"] {
            let (seen, all): (u64, u64) =
                (count(table, &role).parse().unwrap(), count(table, "postgres").parse().unwrap());
            assert!(seen > 0 && seen < all, "{table}: {seen} of {all}");
        }
        let refused = team.database.sql_as(&role, "DELETE FROM docent.documents").unwrap_err();
        assert!(refused.contains("permission denied"), "{refused}");
        // Others see what they saw.
        assert_eq!(json(&["collections", "--json"])["collections"].as_array().unwrap().len(), 1);
        assert_eq!(
            team.json(&outside, &["collections", "--json"])["collections"].as_array().unwrap().len(),
            2
        );
        team.drop_role(&role);
    }
}
