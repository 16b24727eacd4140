//! What a team's database is reached with, and what callers do not learn about it.

use std::fs;
use std::time::{Duration, Instant};

use docent_testkit::Postgres;
use serde_json::json;

use crate::http::HttpServer;
use crate::postgres::Team;
use crate::support::{ran, set_mode};

#[test]
fn a_password_is_found_where_other_programs_find_it() {
    let ready =
        r#"printf 'local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n' >"$dir/data/pg_hba.conf""#;
    let Some(server) = Postgres::own(0, ready, &[]) else { return };
    let team = Team::with(server.database());
    let clone = team.clone_of("acme/shop", "one");
    server.sql("postgres", "ALTER ROLE postgres PASSWORD 'hush:\\hush'");
    let url = format!("postgresql://postgres@127.0.0.1:{}/{}", server.port(), team.database.name());
    let file = team.project.path("passwords");
    fs::write(&file, format!("127.0.0.1:{}:*:postgres:hush\\:\\\\hush\n", server.port())).unwrap();
    let run = |args: &[&str], variables: &[(&str, &str)]| {
        let mut command = team.command(&clone, &url, args);
        ran(command.envs(variables.iter().copied()).output().unwrap())
    };
    let shown = file.display().to_string();
    set_mode(&file, 0o644);
    let refused = run(&["index", "--quiet"], &[("PGPASSFILE", &shown)]);
    refused.check_error(3, "others may read it: chmod 600", "check the user, the password");
    set_mode(&file, 0o600);
    for variables in [("PGPASSFILE", shown.as_str()), ("PGPASSWORD", "hush:\\hush")] {
        // Docs health has connections of its own.
        for args in [&["index", "--quiet"][..], &["reports"]] {
            let ran = run(args, &[variables]);
            assert!(ran.code != Some(3) && !ran.err.contains("hush"), "{variables:?} {args:?} {ran:?}");
        }
    }
    drop(team);
    server.end();
}

#[test]
fn callers_learn_of_an_outage_and_not_where_the_database_is() {
    let Some(server) = Postgres::own(0, "", &["synchronous_commit=on", "full_page_writes=on"]) else {
        return;
    };
    let team = Team::with(server.database());
    let clone = team.clone_of("acme/shop", "shop");
    team.ok(&clone, &["index", "--quiet"]);
    let tokens = team.project.path("tokens.toml");
    let token = "0123456789abcdef-shop-alone";
    let scopes = "scopes = ['docs:read', 'collection:acme/shop']";
    fs::write(&tokens, format!("[shop]\nsecret = '{token}'\n{scopes}\n")).unwrap();
    set_mode(&tokens, 0o600);
    let url = format!("postgresql://postgres@127.0.0.1:{}/{}", server.port(), team.database.name());
    let secrets = [server.port().to_string(), team.database.name().to_owned()];
    let args = ["serve", "--all", "--http", "127.0.0.1:0", "--token-file", &tokens.display().to_string()];
    let served = HttpServer::by(team.command(&clone, &url, &args));
    let search = || served.call(token, "search_docs", json!({ "query": "retry backoff" })).to_string();
    assert!(search().contains("guides/retries.md"));
    server.stop();
    let mut answers = vec![search(), served.get("/readyz").1];
    for tool in ["get_status", "list_pages", "get_doc_health", "list_stale_docs"] {
        answers.push(served.call(token, tool, json!({})).to_string());
    }
    assert!(answers[0].contains("cannot be reached"), "{}", answers[0]);
    assert!(answers[1].contains("the database does not answer"), "{}", answers[1]);
    for secret in &secrets {
        assert!(!answers.iter().any(|answer| answer.contains(secret)), "{secret}: {answers:#?}");
    }
    server.restart();
    let back = Instant::now();
    while !search().contains("guides/retries.md") {
        assert!(back.elapsed() < Duration::from_secs(10), "the server is back, and nobody is answered");
    }
    // Rights that went are an error of another kind.
    team.database.sql("ALTER TABLE docent.state RENAME TO stolen");
    let told = search();
    assert!(!told.contains("guides/retries.md"), "{told}");
    for secret in &secrets {
        assert!(!told.contains(secret), "{secret}: {told}");
    }
    let said = served.said();
    let place = format!("127.0.0.1:{}", server.port());
    for word in ["is lost", "is back"] {
        let lines: Vec<&String> = said.iter().filter(|line| line.contains(word)).collect();
        assert!(lines.len() == 1 && lines[0].contains(&place), "{word}: {said:#?}");
    }
    drop((served, team));
    server.end();
}
