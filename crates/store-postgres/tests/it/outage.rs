//! Servers that crash, connections that are ended, and ways to a server that are blocked.
//!
//! The promise is two seconds until a call fails and five until calls are answered again. A busy machine adds to both, so
//! the bars here are wider, and what was measured is printed.

use std::thread;
use std::time::{Duration, Instant};

use docent_index::{Filter, Role, Store, StoreError};
use docent_store_postgres::{PostgresOptions, PostgresStore};
use docent_testkit::{Postgres, embed_all, model, put, query};

use crate::load::under_load;
use crate::proxy::{Lost, Proxy};

/// Two seconds, and what a busy machine adds.
const UNTIL_TOLD: Duration = Duration::from_secs(4);
/// Five seconds, and what a busy machine adds.
const UNTIL_ANSWERED: Duration = Duration::from_secs(8);
/// What was committed survives a crash of the server; tests that crash none do without.
const DURABLE: [&str; 2] = ["synchronous_commit=on", "full_page_writes=on"];

fn open(url: &str) -> PostgresStore {
    PostgresStore::open(url, PostgresOptions::default()).unwrap()
}

#[test]
fn a_server_that_crashes_and_comes_back_loses_and_doubles_nothing() {
    let Some(server) = Postgres::own(0, "", &DURABLE) else { return };
    let database = server.database();
    let (reader, writer) = (open(&database.url()), open(&database.url()));
    let lease = writer.try_lease(Role::Ingest, &["docs".to_owned()]).unwrap();
    let (mut crashed, mut back) = (Instant::now(), Instant::now());
    let story = under_load(&reader, &writer, || {
        for _ in 0..2 {
            thread::sleep(Duration::from_millis(1500));
            server.stop();
            crashed = Instant::now();
            thread::sleep(Duration::from_secs(3));
            server.restart();
            back = Instant::now();
            thread::sleep(Duration::from_secs(4));
        }
    });
    assert!(story.failures() > 0 && story.kept.len() > 10, "{story:?}");
    let (failed, answered) = (story.slowest_failure(), story.answered_after(back));
    eprintln!(
        "crash: {} failures, the slowest {failed:.1?}; answered {answered:.1?} after",
        story.failures()
    );
    assert!(failed < UNTIL_TOLD, "{failed:?}");
    assert!(answered < UNTIL_ANSWERED, "{answered:?}");
    story.check(&reader);
    // The lease went with its connection.
    assert!(reader.try_lease(Role::Ingest, &["docs".to_owned()]).unwrap().is_some());
    drop((lease, database));
    server.end();
}

#[test]
fn readers_do_not_notice_that_their_connections_are_ended() {
    let Some(server) = Postgres::own(0, "", &[]) else { return };
    let database = server.database();
    let (reader, writer) = (open(&database.url()), open(&database.url()));
    let story = under_load(&reader, &writer, || {
        for _ in 0..10 {
            thread::sleep(Duration::from_millis(400));
            database.sql(
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                 WHERE datname = current_database() AND pid <> pg_backend_pid()",
            );
        }
        thread::sleep(Duration::from_millis(500));
    });
    let reads: Vec<_> = story.reads.iter().filter_map(|call| call.error.as_ref()).collect();
    assert!(reads.is_empty(), "{reads:?}");
    assert!(story.failures() < story.writes.len() / 2 && story.kept.len() > 5, "{story:?}");
    story.check(&reader);
    drop(database);
    server.end();
}

#[test]
fn a_way_that_is_blocked_is_told_in_time_and_left_for_a_new_one() {
    let Some(server) = Postgres::server(0) else { return };
    let database = server.database();
    let proxy = Proxy::to(server);
    let store = open(&proxy.url(&database));
    store.apply(&[put("docs", "a.md", "# A\n\nquartz\n")]).unwrap();
    embed_all(&store, &model("m"));
    let held = store.snapshot().unwrap();
    for _ in 0..2 {
        proxy.block();
        let check = |name: &str, call: &dyn Fn() -> Result<(), StoreError>| {
            let begun = Instant::now();
            let outcome = call();
            let took = begun.elapsed();
            assert!(matches!(outcome, Err(StoreError::Unreachable { .. })), "{name}: {outcome:?}");
            eprintln!("blocked: {name} failed after {took:.1?}");
            assert!(took < UNTIL_TOLD, "{name}: {took:?}");
        };
        check("a snapshot", &|| store.snapshot().map(drop));
        check("a search in a snapshot that is there", &|| {
            held.lexical(&query(&format!("new{:?}", Instant::now())), &Filter::default(), 5).map(drop)
        });
        check("a batch", &|| store.apply(&[put("docs", "b.md", "# B\n")]).map(drop));
        check("a lease", &|| store.try_lease(Role::Embed, &[]).map(drop));
        proxy.open();
        let begun = Instant::now();
        while store.snapshot().is_err() {
            assert!(begun.elapsed() < UNTIL_ANSWERED);
        }
        eprintln!("blocked: answered {:.1?} after", begun.elapsed());
        assert_eq!(store.snapshot().unwrap().documents(&Filter::default()).len(), 1);
    }
    store.apply(&[put("docs", "b.md", "# B\n")]).unwrap();
    assert_eq!(store.check().unwrap().problems, Vec::<String>::new());
}

#[test]
fn one_connection_that_falls_silent_is_no_outage() {
    let Some(server) = Postgres::server(0) else { return };
    let database = server.database();
    let proxy = Proxy::to(server);
    let store = open(&proxy.url(&database));
    store.apply(&[put("docs", "a.md", "# A\n\nquartz\n")]).unwrap();
    // A network in between forgets connections that were idle.
    proxy.block();
    proxy.open();
    let begun = Instant::now();
    assert_eq!(store.snapshot().unwrap().documents(&Filter::default()).len(), 1);
    assert!(begun.elapsed() < UNTIL_TOLD, "{:?}", begun.elapsed());
    proxy.block();
    proxy.open();
    store.apply(&[put("docs", "b.md", "# B\n")]).unwrap();
}

#[test]
fn a_batch_whose_answer_is_lost_is_there_once() {
    let Some(server) = Postgres::server(0) else { return };
    let database = server.database();
    let proxy = Proxy::to(server);
    let store = open(&proxy.url(&database));
    store.apply(&[put("docs", "first.md", "# First\n")]).unwrap();
    for (number, lost) in [Lost::Answer, Lost::Voice, Lost::Question].into_iter().enumerate() {
        let change = [put("docs", &format!("{number}.md"), "# New\n\nquartz\n")];
        let batches = || database.sql("SELECT count(*) FROM docent.batches").parse::<usize>().unwrap();
        let before = batches();
        proxy.withheld();
        proxy.lose(lost);
        let begun = Instant::now();
        let outcome = store.apply(&change);
        eprintln!("{lost:?} lost: {:.1?}", begun.elapsed());
        assert!(proxy.has_seen_it(), "{lost:?}");
        assert_eq!(proxy.withheld() > 0, lost != Lost::Question, "{lost:?}: the answer came through");
        assert!(begun.elapsed() < UNTIL_ANSWERED, "{lost:?}: {:?}", begun.elapsed());
        let has_arrived = lost != Lost::Question;
        assert_eq!(outcome.is_ok(), has_arrived, "{lost:?}: {outcome:?}");
        assert_eq!(batches(), before + usize::from(has_arrived), "{lost:?}");
        // Who was told of a failure tries again, and who was not finds it done.
        store.apply(&change).unwrap();
        assert_eq!(batches(), before + 1, "{lost:?}");
        assert_eq!(store.snapshot().unwrap().documents(&Filter::default()).len(), number + 2);
    }
    assert_eq!(store.check().unwrap().problems, Vec::<String>::new());
}
