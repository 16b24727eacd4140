//! Others who may make things in the same database, and damage to it.

use crate::access::{SECRET_OF_LIMITED, limited_server};
use crate::postgres::Team;
use crate::support::ran;
use crate::team_origin::verified;
use serde_json::json;

/// Functions that fit better than those of the server, and tell who called them.
const PLANTED: &str = "
CREATE TABLE public.loot (what text);
CREATE FUNCTION public.to_timestamp(bigint) RETURNS timestamptz LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO public.loot VALUES ('to_timestamp'); RETURN pg_catalog.to_timestamp($1::double precision); END $$;
CREATE FUNCTION public.has_database_privilege(name, text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO public.loot VALUES ('has_database_privilege'); RETURN true; END $$;
CREATE FUNCTION public.quote_ident(name) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO public.loot VALUES ('quote_ident'); RETURN pg_catalog.quote_ident($1::text); END $$";

#[test]
fn functions_of_others_are_not_called() {
    let Some(team) = Team::on(0) else { return };
    team.database.sql(PLANTED);
    verified(&team, "acme/shop", "one");
    let outside = team.project.root();
    team.ok(&outside, &["search", "wallaby"]);
    team.ok(&outside, &["check"]);
    assert_eq!(team.database.sql("SELECT count(*) FROM public.loot"), "0");
}

#[test]
fn what_is_damaged_is_mended_by_a_rebuild() {
    let Some(team) = Team::on(0) else { return };
    let clone = team.clone_of("acme/shop", "one");
    team.ok(&clone, &["index"]);
    for damage in [
        "DELETE FROM docent.chunks",
        "UPDATE docent.texts SET bytes = 'junk'",
        "UPDATE docent.postings SET list = ''",
        "DELETE FROM docent.postings",
    ] {
        team.database.sql(damage);
        let check = || ran(team.command(&clone, &team.database.url(), &["check"]).output().unwrap());
        assert_eq!(check().code, Some(1), "{damage}");
        team.ok(&clone, &["index", "--rebuild"]);
        assert_eq!(check().code, Some(0), "{damage}: {:?}", check());
    }
}

#[test]
fn a_schema_of_somebody_else_is_an_error() {
    for tables in [
        "CREATE SCHEMA docent; CREATE TABLE docent.migrations (format text)",
        "CREATE SCHEMA docent; CREATE TABLE docent.migrations (format integer); INSERT INTO docent.migrations VALUES (-3)",
    ] {
        let Some(team) = Team::on(0) else { return };
        team.database.sql(tables);
        let clone = team.clone_of("acme/shop", "one");
        for command in ["index", "search", "status", "check"] {
            let args: &[&str] = if command == "search" { &["search", "x"] } else { &[command] };
            let ran = ran(team.command(&clone, &team.database.url(), args).output().unwrap());
            assert!(!ran.err.contains("panicked") && ran.code == Some(3), "{command}: {ran:?}");
        }
    }
}

#[test]
fn docs_health_tells_nothing_of_a_collection_inside_of_another_repository() {
    let Some(team) = Team::on(0) else { return };
    verified(&team, "acme/shop", "one");
    let clone = team.project.path("one");
    std::fs::create_dir_all(clone.join("packages/secret/docs")).unwrap();
    let text = "# Plan\n\nThe takeover uses `src/server.py`.\n";
    std::fs::write(clone.join("packages/secret/docs/plan.md"), text).unwrap();
    team.commit(&clone);
    team.ok(&clone, &["index", "--docs", "packages/secret/docs"]);
    team.ok(&clone, &["verify"]);
    let server = limited_server(&team, &clone);
    for (tool, arguments) in [
        ("get_docs", json!({"query": "takeover"})),
        ("get_doc_health", json!({})),
        ("list_stale_docs", json!({})),
    ] {
        let told = server.call(SECRET_OF_LIMITED, tool, arguments).to_string();
        assert!(!told.contains("takeover") && !told.contains("plan.md"), "{tool}: {told}");
    }
    let told = server.call(SECRET_OF_LIMITED, "get_docs", json!({"query": "wallaby"})).to_string();
    assert!(told.contains("setup.md"), "{told}");
}
