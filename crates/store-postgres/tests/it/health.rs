//! The conformance suite of docs health, once for each server, and what only a database can do.

use docent_index::health::{HealthError, HealthStore, NewReport, Recorded};
use docent_store_postgres::PostgresHealth;
use docent_testkit::health::{claim, document};
use docent_testkit::{Database, Postgres};

fn place(server: usize) -> Option<(PostgresHealth, Database)> {
    let database = Postgres::server(server).map(Postgres::database)?;
    Some((PostgresHealth::open(&database.url(), true).unwrap(), database))
}

mod first_server {
    docent_testkit::health_suite!(super::place(0));
}

mod second_server {
    docent_testkit::health_suite!(super::place(1));
}

mod third_server {
    docent_testkit::health_suite!(super::place(2));
}

#[test]
fn a_database_without_tables_is_empty_and_stays_so_for_readers() {
    let Some((_, database)) = place(0) else { return };
    let reader = PostgresHealth::open(&database.url(), false).unwrap();
    assert_eq!(reader.repo("acme", "shop").unwrap(), None);
    assert!(matches!(reader.put_repo("acme", "shop", 1), Err(HealthError::ReadOnly { .. })));
    assert_eq!(database.sql("SELECT to_regnamespace('docent') IS NULL"), "t");
}

#[test]
fn a_lost_connection_is_made_anew() {
    let Some((store, database)) = place(0) else { return };
    let repo = store.put_repo("acme", "shop", 1).unwrap().id;
    for _ in 0..2 {
        database.sql("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()");
        let documents = vec![document("a.md", vec![claim(1, "make x")])];
        store.record(&repo, &Recorded { verified_at: 5, documents, ..Recorded::default() }).unwrap();
        database.sql("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()");
        assert_eq!(store.claims(&repo).unwrap().len(), 1);
    }
}

#[test]
fn a_character_that_the_database_cannot_keep_is_refused_in_reports_and_replaced_in_claims() {
    let Some((store, _database)) = place(0) else { return };
    let repo = store.put_repo("acme", "shop", 1).unwrap().id;
    let report = NewReport { claim_text: "a\0b".to_owned(), ..NewReport::default() };
    let refused = store.add_report(&repo, &report);
    assert!(
        matches!(&refused, Err(HealthError::Query { detail, .. }) if detail.contains("NUL")),
        "{refused:?}"
    );
    let documents = vec![document("a.md", vec![claim(1, "a\0\"\\b")])];
    let recorded = Recorded { verified_at: 5, documents, ..Recorded::default() };
    store.record(&repo, &recorded).unwrap();
    let before = store.claims(&repo).unwrap();
    assert_eq!(before[0].claim.named, "a\u{fffd}\"\\b");
    assert_eq!(before[0].claim.keywords, ["a\u{fffd}\"\\b"]);
    store.record(&repo, &recorded).unwrap();
    assert_eq!(store.claims(&repo).unwrap()[0].id, before[0].id);
}

#[test]
fn the_server_sees_who_is_connected() {
    let Some((store, database)) = place(0) else { return };
    store.put_repo("acme", "shop", 1).unwrap();
    let shown = database.sql("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'docent' AND datname = current_database()");
    assert_ne!(shown, "0");
}
