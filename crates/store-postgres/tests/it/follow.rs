//! What one process writes is read by another before it asks.

use std::thread;
use std::time::{Duration, Instant};

use docent_index::{Filter, Generation, Store};
use docent_store_postgres::{PostgresOptions, PostgresStore};
use docent_testkit::{Postgres, embed_all, model, put, query, vector};

/// Keeps everybody from reading documents and vectors for a while.
const LOCK: &str =
    "BEGIN; LOCK TABLE docent.documents, docent.vectors, docent.segments; SELECT pg_sleep(3); COMMIT";
const KILL: &str = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";

fn hears(store: &PostgresStore, generation: Generation) {
    let start = Instant::now();
    while store.read_generation().is_none_or(|read| read < generation) {
        assert!(start.elapsed() < Duration::from_secs(20), "{:?}", store.read_generation());
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_process_that_stays_reads_what_another_writes_before_it_is_asked() {
    let Some(database) = Postgres::server(0).map(Postgres::database) else { return };
    let writer = PostgresStore::open(&database.url(), PostgresOptions::default()).unwrap();
    writer.apply(&[put("docs", "a.md", "# A\n\nquartz\n")]).unwrap();
    let model = model("m");
    embed_all(&writer, &model);
    let options = PostgresOptions { follows: true, ..PostgresOptions::default() };
    let reader = PostgresStore::open(&database.url(), options).unwrap();
    let search = || {
        let snapshot = reader.snapshot().unwrap();
        let near = snapshot.nearest(&model, &vector(&model, "quartz"), &Filter::default(), 9).unwrap();
        let named = snapshot.lexical(&query("quartz"), &Filter::default(), 9).unwrap();
        (snapshot.documents(&Filter::default()).len(), near.len(), named.chunks.len())
    };
    assert_eq!(search(), (1, 1, 1));

    writer.apply(&[put("docs", "b.md", "# B\n\nquartz\n")]).unwrap();
    embed_all(&writer, &model);
    hears(&reader, writer.snapshot().unwrap().generation());
    // The segment is read a moment after its generation.
    thread::sleep(Duration::from_millis(500));
    thread::scope(|scope| {
        scope.spawn(|| database.sql(LOCK));
        let waits = "SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted
                     AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
        while database.sql(waits) == "0" {}
        let start = Instant::now();
        assert_eq!(reader.snapshot().unwrap().documents(&Filter::default()).len(), 2);
        let snapshot = reader.snapshot().unwrap();
        let near = snapshot.nearest(&model, &vector(&model, "quartz"), &Filter::default(), 9).unwrap();
        assert_eq!(near.len(), 2);
        assert!(start.elapsed() < Duration::from_secs(2), "something was left to read");
    });
    assert_eq!(search(), (2, 2, 2));

    // An outage ends it, and it begins anew.
    database.sql(KILL);
    let generation = writer.apply(&[put("docs", "c.md", "# C\n\nquartz\n")]).unwrap();
    hears(&reader, generation);
    thread::sleep(Duration::from_secs(2));
    let generation = writer.apply(&[put("docs", "d.md", "# D\n\nquartz\n")]).unwrap();
    hears(&reader, generation);
    assert_eq!(search().0, 4);
}
