//! What happens when the server, or the way to it, does not do what it should.

use std::thread;
use std::time::{Duration, Instant};

use docent_index::{Filter, PassageHash, QuantisedVector, Role, Store, StoreError};
use docent_store_postgres::{PostgresOptions, PostgresStore};
use docent_testkit::{Database, Postgres, embed_all, model, put, query, vector};

fn open(url: &str) -> Result<PostgresStore, StoreError> {
    PostgresStore::open(url, PostgresOptions::default())
}

fn database() -> Option<Database> {
    Postgres::server(0).map(Postgres::database)
}

const KILL: &str = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";

#[test]
fn processes_that_start_together_make_the_tables_once() {
    let Some(database) = database() else { return };
    let url = database.url();
    let secrets: Vec<[u8; 32]> = thread::scope(|scope| {
        let start = || scope.spawn(|| open(&url).unwrap().secret().unwrap());
        let started: Vec<_> = (0..6).map(|_| start()).collect();
        started.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(secrets.iter().all(|secret| *secret == secrets[0]));
    assert_eq!(database.sql("SELECT count(*) FROM docent.migrations"), "4");
}

#[test]
fn connections_that_were_ended_are_made_anew() {
    let Some(database) = database() else { return };
    let store = open(&database.url()).unwrap();
    store.apply(&[put("docs", "a.md", "# A\n\nquartz\n")]).unwrap();
    embed_all(&store, &model("m"));
    let held = store.snapshot().unwrap();
    for round in 0..3 {
        database.sql(KILL);
        assert_eq!(held.lexical(&query("quartz"), &Filter::default(), 5).unwrap().chunks.len(), 1);
        database.sql(KILL);
        assert_eq!(store.snapshot().unwrap().documents(&Filter::default()).len(), 1 + round);
        database.sql(KILL);
        store.apply(&[put("docs", &format!("{round}.md"), "# More\n")]).unwrap();
        database.sql(KILL);
        assert_eq!(held.text(held.documents(&Filter::default())[0].id).unwrap().unwrap(), "# A\n\nquartz\n");
    }
    assert_eq!(store.check().unwrap().problems, Vec::<String>::new());
}

#[test]
fn a_server_that_is_not_there_is_told_within_seconds() {
    let start = Instant::now();
    let outcome = open("postgresql://me:secret@/none?host=/nonexistent");
    let Err(error @ StoreError::Unreachable { .. }) = outcome else { panic!("it is not there") };
    assert!(start.elapsed() < Duration::from_secs(5));
    assert!(error.to_string().contains("/nonexistent") && !error.to_string().contains("secret"), "{error}");
}

#[test]
fn a_role_that_may_only_read_searches_and_is_told_when_it_writes() {
    let Some(database) = database() else { return };
    let writer = open(&database.url()).unwrap();
    writer.apply(&[put("docs", "a.md", "# A\n\nquartz\n")]).unwrap();
    embed_all(&writer, &model("m"));
    let role = format!("reader_{}", database.sql("SELECT current_database()"));
    database.sql(&format!(
        "CREATE ROLE {role} LOGIN; GRANT USAGE ON SCHEMA docent TO {role};
         GRANT SELECT ON ALL TABLES IN SCHEMA docent TO {role}"
    ));
    let reader = open(&database.url().replace("postgres@", &format!("{role}@"))).unwrap();
    let snapshot = reader.snapshot().unwrap();
    assert_eq!(snapshot.lexical(&query("quartz"), &Filter::default(), 5).unwrap().chunks.len(), 1);
    let near = snapshot.nearest(&model("m"), &vector(&model("m"), "quartz"), &Filter::default(), 5);
    assert_eq!(near.unwrap().len(), 1);
    for path in ["a.md", "b.md"] {
        let refused = reader.apply(&[put("docs", path, "# B\n\nmica\n")]);
        assert!(matches!(refused, Err(StoreError::Forbidden { .. })), "{refused:?}");
    }
    assert!(snapshot.failures().unwrap().is_empty());
    database.sql(&format!("DROP OWNED BY {role}; DROP ROLE {role}"));
}

#[test]
fn a_schema_of_a_newer_docent_is_left_alone() {
    let Some(database) = database() else { return };
    drop(open(&database.url()).unwrap());
    database.sql("INSERT INTO docent.migrations (format) VALUES (99)");
    assert!(matches!(open(&database.url()), Err(StoreError::Newer { found: 99, .. })));
}

#[test]
fn an_index_that_was_lost_is_read_anew() {
    let Some(database) = database() else { return };
    let store = open(&database.url()).unwrap();
    store.apply(&[put("docs", "a.md", "# A\n\nquartz\n")]).unwrap();
    assert_eq!(store.snapshot().unwrap().documents(&Filter::default()).len(), 1);
    // Restored from another backup.
    database.sql("DROP SCHEMA docent CASCADE");
    let other = open(&database.url()).unwrap();
    other.apply(&[put("docs", "b.md", "# B\n\nmica\n"), put("docs", "c.md", "# C\n\nmica\n")]).unwrap();
    let snapshot = store.snapshot().unwrap();
    assert_eq!(snapshot.documents(&Filter::default()).len(), 2);
    assert_eq!(snapshot.lexical(&query("mica"), &Filter::default(), 5).unwrap().chunks.len(), 2);
}

#[test]
fn the_cache_keeps_vectors_until_they_are_forgotten() {
    let Some(database) = database() else { return };
    let cache = || open(&database.url()).unwrap().cache().unwrap();
    let (one, two) = (cache(), cache());
    let (model, other) = (model("m"), model("other"));
    let hashes = ["a", "b", "c"].map(PassageHash::of);
    let kept = |text: &str| QuantisedVector::new(&vector(&model, text));
    one.put(&model, &[(hashes[0], kept("a")), (hashes[2], kept("c"))]);
    one.put(&model, &[(hashes[0], kept("other"))]);
    assert_eq!(two.get(&model, &hashes), [Some(kept("a")), None, Some(kept("c"))]);
    assert_eq!(two.get(&other, &hashes), [None, None, None]);
    two.forget(&hashes[..1]).unwrap();
    assert_eq!(one.get(&model, &hashes), [None, None, Some(kept("c"))]);
}

#[test]
fn vectors_that_nobody_asks_for_leave_the_cache() {
    let Some(database) = database() else { return };
    let store = open(&database.url()).unwrap();
    let (cache, model) = (store.cache().unwrap(), model("m"));
    let hashes = ["old", "asked for", "young"].map(PassageHash::of);
    let vectors = hashes.map(|hash| (hash, QuantisedVector::new(&vector(&model, "same"))));
    cache.put(&model, &vectors[..2]);
    database.sql("UPDATE docent.embedding_cache SET used = current_date - 91");
    cache.put(&model, &vectors[2..]);
    assert!(cache.get(&model, &hashes[1..2])[0].is_some());
    store.purge(&[]).unwrap();
    let kept: Vec<bool> = cache.get(&model, &hashes).iter().map(Option::is_some).collect();
    assert_eq!(kept, [false, true, true]);
}

#[test]
fn collections_are_worked_on_at_the_same_time() {
    let Some(database) = database() else { return };
    let (one, two) = (open(&database.url()).unwrap(), open(&database.url()).unwrap());
    let (docs, other) = (["docs".to_owned()], ["other".to_owned()]);
    let first = one.try_lease(Role::Ingest, &docs).unwrap();
    let second = two.try_lease(Role::Ingest, &other).unwrap();
    assert!(first.is_some() && second.is_some());
    let both = [docs[0].clone(), other[0].clone()];
    assert!(two.try_lease(Role::Ingest, &both).unwrap().is_none());
    drop(first);
    // What could not be taken as a whole is not held in part.
    assert!(two.try_lease(Role::Ingest, &both).unwrap().is_none());
    assert!(one.try_lease(Role::Ingest, &docs).unwrap().is_some());
    assert!(one.try_lease(Role::Ingest, &[]).unwrap().is_none());
    drop(second);
    assert!(one.try_lease(Role::Ingest, &[]).unwrap().is_some());
}
