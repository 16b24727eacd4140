//! Reading from a standby that follows the primary by streaming, and is sometimes behind or away.

use std::thread;
use std::time::{Duration, Instant};

use docent_index::{Filter, Role, Store, StoreError};
use docent_store_postgres::{PostgresOptions, PostgresStore};
use docent_testkit::{Postgres, embed_all, model, put, query, vector};

const WHO: &str =
    "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'docent' AND query LIKE '%docent.%'";

struct Pair {
    primary: &'static Postgres,
    standby: &'static Postgres,
}

impl Pair {
    fn new() -> Option<Self> {
        let primary = Postgres::own(0, "", &[])?;
        drop(writer(primary));
        let pair = Self { primary, standby: primary.standby() };
        pair.is_caught_up();
        Some(pair)
    }

    fn open(&self, options: PostgresOptions) -> PostgresStore {
        let [primary, standby] = [self.primary, self.standby].map(|server| server.url("postgres"));
        PostgresStore::open_with_replica(&primary, &standby, options).unwrap()
    }

    fn is_caught_up(&self) {
        let reached = self.primary.sql("postgres", "SELECT pg_current_wal_insert_lsn()");
        let asked = format!("SELECT pg_last_wal_replay_lsn() >= '{reached}'");
        until("the standby follows", || self.standby.sql("postgres", &asked) == "t");
    }
}

fn writer(primary: &Postgres) -> PostgresStore {
    PostgresStore::open(&primary.url("postgres"), PostgresOptions::default()).unwrap()
}

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(20), "{what}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// Documents, and hits by words and by meaning.
fn found(store: &PostgresStore) -> (usize, usize, usize) {
    let model = model("m");
    let snapshot = store.snapshot().unwrap();
    let near = snapshot.nearest(&model, &vector(&model, "quartz"), &Filter::default(), 9).unwrap();
    let named = snapshot.lexical(&query("quartz"), &Filter::default(), 9).unwrap();
    let chunks: Vec<_> = named.chunks.iter().map(|hit| hit.chunk).collect();
    assert_eq!(snapshot.chunks(&chunks).unwrap().len(), chunks.len());
    (snapshot.documents(&Filter::default()).len(), near.len(), named.chunks.len())
}

#[test]
fn questions_go_to_the_standby_and_see_what_this_process_wrote() {
    let Some(pair) = Pair::new() else { return };
    let other = writer(pair.primary);
    other.apply(&[put("docs", "a.md", "# A\n\nquartz\n")]).unwrap();
    embed_all(&other, &model("m"));
    drop(other);
    pair.is_caught_up();

    let store = pair.open(PostgresOptions { follows: true, ..PostgresOptions::default() });
    assert_eq!(store.notices(), Vec::<String>::new());
    assert_eq!(found(&store), (1, 1, 1));
    assert_ne!(pair.standby.sql("postgres", WHO), "0");

    // Behind, and this process has written: the primary is asked, after a moment.
    pair.standby.sql("postgres", "SELECT pg_wal_replay_pause()");
    store.apply(&[put("docs", "b.md", "# B\n\nquartz\n")]).unwrap();
    let start = Instant::now();
    assert_eq!(found(&store), (2, 1, 2));
    assert!(start.elapsed() >= Duration::from_millis(200), "the standby was not waited for");
    // What was seen once is not unseen.
    for _ in 0..3 {
        assert_eq!(found(&store).0, 2);
    }
    assert!(start.elapsed() < Duration::from_secs(2), "everybody waited for the standby");

    // Another process wrote, and this one was not told: it may be behind, not go back.
    let other = writer(pair.primary);
    other.apply(&[put("docs", "c.md", "# C\n\nquartz\n")]).unwrap();
    let fresh = pair.open(PostgresOptions::default());
    assert_eq!(found(&fresh).0, 1);
    // Who takes a lease builds on what others did.
    let lease = fresh.try_lease(Role::Ingest, &[]).unwrap();
    assert!(lease.is_some());
    assert_eq!(found(&fresh).0, 3);
    drop(lease);

    pair.standby.sql("postgres", "SELECT pg_wal_replay_resume()");
    pair.is_caught_up();
    embed_all(&store, &model("m"));
    assert_eq!(found(&store), (3, 3, 3));
    let generation = other.apply(&[put("docs", "d.md", "# D\n\nquartz\n")]).unwrap();
    until("it hears of it", || store.read_generation() >= Some(generation));
    assert_eq!(store.check().unwrap().problems, Vec::<String>::new());

    // The primary is away, and what was there can be read.
    pair.is_caught_up();
    pair.primary.stop();
    assert_eq!(found(&store).0, 4);
    let refused = store.apply(&[put("docs", "e.md", "# E\n")]);
    assert!(matches!(refused, Err(StoreError::Unreachable { .. })), "{refused:?}");
    assert_eq!(found(&store).0, 4);
    // Also for who begins now.
    let alone = pair.open(PostgresOptions::default());
    assert_eq!(found(&alone).0, 4);
    assert_eq!(alone.secret().unwrap(), store.secret().unwrap());
    pair.primary.restart();
    until("it is written to again", || store.apply(&[put("docs", "e.md", "# E\n\nquartz\n")]).is_ok());
    assert_eq!(found(&store).0, 5);
}

#[test]
fn a_standby_that_is_away_or_another_is_done_without() {
    let Some(pair) = Pair::new() else { return };
    let store = pair.open(PostgresOptions::default());
    store.apply(&[put("docs", "a.md", "# A\n\nquartz\n")]).unwrap();
    pair.is_caught_up();
    let held = store.snapshot().unwrap();
    pair.standby.stop();
    let start = Instant::now();
    let hits = held.lexical(&query("quartz"), &Filter::default(), 9).unwrap();
    assert_eq!(hits.chunks.len(), 1);
    for _ in 0..3 {
        assert_eq!(found(&store).0, 1);
    }
    assert!(start.elapsed() < Duration::from_secs(3));
    let notices = store.notices();
    let about =
        |notices: &[String]| notices.iter().filter(|notice| notice.contains("the replica at")).count();
    assert_eq!(about(&notices), 1, "{notices:?}");
    let late = pair.open(PostgresOptions::default());
    assert_eq!((found(&late).0, about(&late.notices())), (1, 1));

    pair.standby.restart();
    until("it is asked again", || {
        assert_eq!(found(&store).0, 1);
        pair.standby.sql("postgres", WHO) != "0"
    });
    assert_eq!(about(&store.notices()), 1);

    // A standby alone is a store that cannot be written to, and nobody can listen there.
    let options = PostgresOptions { follows: true, ..PostgresOptions::default() };
    let alone = PostgresStore::open(&pair.standby.url("postgres"), options).unwrap();
    assert_eq!(found(&alone).0, 1);
    let refused = alone.apply(&[put("docs", "b.md", "# B\n")]);
    assert!(matches!(refused, Err(StoreError::Standby { .. })), "{refused:?}");

    // Somebody names another index.
    let Some(other) = Postgres::server(0).map(Postgres::database) else { return };
    drop(PostgresStore::open(&other.url(), PostgresOptions::default()).unwrap());
    let confused = PostgresStore::open_with_replica(
        &pair.primary.url("postgres"),
        &other.url(),
        PostgresOptions::default(),
    );
    let confused = confused.unwrap();
    assert_eq!(found(&confused).0, 1);
    assert!(confused.notices().iter().any(|notice| notice.contains("is not a replica")));
}
