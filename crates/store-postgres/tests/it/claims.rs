//! Several processes embed at the same time, and every passage once.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use docent_engine::{Cancel, ChunkOptions, Engine, EngineParts, Freshness, Outcome, Silent};
use docent_index::{
    EmbedError, Embedder, Model, Pending, PendingPassage, QuantisedVector, Role, Store, StoreError,
};
use docent_store_postgres::{PostgresOptions, PostgresStore};
use docent_testkit::{Database, Postgres, model, put, vector};

const KILL: &str = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";

/// Remembers what it embedded, and takes its time.
struct Slow {
    model: Model,
    texts: Mutex<Vec<String>>,
    calls: AtomicUsize,
}

impl Slow {
    fn new() -> Arc<Self> {
        Arc::new(Self { model: model("m"), texts: Mutex::default(), calls: AtomicUsize::new(0) })
    }
}

impl Embedder for Slow {
    fn model(&self) -> &Model {
        &self.model
    }

    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        thread::sleep(Duration::from_millis(300));
        self.texts.lock().unwrap().extend(texts.iter().map(|text| (*text).to_owned()));
        Ok(texts.iter().map(|text| vector(&self.model, text)).collect())
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        Ok(vector(&self.model, text))
    }
}

fn open(database: &Database, options: PostgresOptions) -> Arc<PostgresStore> {
    Arc::new(PostgresStore::open(&database.url(), options).unwrap())
}

fn engine(store: Arc<dyn Store>, embedder: Arc<dyn Embedder>, folder: &std::path::Path) -> Engine {
    let parts = EngineParts {
        store,
        embedder: Some(embedder),
        embedder_problem: None,
        cache: None,
        sources: Vec::new(),
        aliases: Default::default(),
        expected: Vec::new(),
        chunking: ChunkOptions::default(),
        cookies: folder.join("watch"),
        library: None,
    };
    Engine::new(parts, Freshness::Synced).unwrap()
}

/// A database with so many pages of one passage each.
fn filled(pages: usize) -> Option<Database> {
    let database = Postgres::server(0).map(Postgres::database)?;
    let page = |number: usize| put("docs", &format!("{number}.md"), &format!("# Page\n\nword{number}\n"));
    let changes: Vec<_> = (0..pages).map(page).collect();
    open(&database, PostgresOptions::default()).apply(&changes).unwrap();
    Some(database)
}

fn claim(store: &PostgresStore, limit: usize) -> Result<Vec<PendingPassage>, StoreError> {
    store.claim(&model("m"), Pending::default(), limit)
}

#[test]
fn processes_that_embed_together_do_every_passage_once() {
    let Some(database) = filled(500) else { return };
    let folder = tempfile::tempdir().unwrap();
    let slow = Slow::new();
    let engines: Vec<Engine> = (0..3)
        .map(|_| engine(open(&database, PostgresOptions::default()), slow.clone(), folder.path()))
        .collect();
    thread::scope(|scope| {
        for engine in &engines {
            scope.spawn(|| {
                assert_eq!(engine.embed(None, &Silent, &Cancel::default()).unwrap(), Outcome::Complete);
            });
        }
    });
    let texts = slow.texts.lock().unwrap();
    let distinct: HashSet<&String> = texts.iter().collect();
    assert_eq!((texts.len(), distinct.len()), (500, 500));
    assert_eq!(slow.calls.load(Ordering::Relaxed), 500usize.div_ceil(128));
    assert_eq!(database.sql("SELECT count(*), count(DISTINCT passage) FROM docent.vectors"), "500|500");
    assert_eq!(database.sql("SELECT sum(passages) FROM docent.embedded"), "500");
    assert_eq!(database.sql("SELECT count(*) FROM docent.embedding_claims"), "0");
    assert_eq!(open(&database, PostgresOptions::default()).check().unwrap().problems, Vec::<String>::new());
}

#[test]
fn what_somebody_claimed_and_never_did_is_given_to_another() {
    let Some(database) = filled(10) else { return };
    let short = PostgresOptions { claim: Duration::from_millis(500), ..PostgresOptions::default() };
    let (one, two) = (open(&database, short), open(&database, PostgresOptions::default()));
    let first = claim(&one, 6).unwrap();
    let second = claim(&two, 10).unwrap();
    assert_eq!((first.len(), second.len()), (6, 4));
    assert!(first.iter().all(|passage| !second.contains(passage)));
    assert!(claim(&two, 10).unwrap().is_empty() && claim(&one, 10).unwrap().is_empty());
    assert_eq!(two.pending(&model("m"), 100).unwrap().len(), 10);
    // Too late for those that were claimed for a short time.
    thread::sleep(Duration::from_millis(600));
    assert_eq!(claim(&two, 10).unwrap(), first);
    let vectors: Vec<_> = first
        .iter()
        .map(|passage| (passage.id, QuantisedVector::new(&vector(&model("m"), &passage.text))))
        .collect();
    two.put_vectors(&model("m"), &vectors).unwrap();
    // Who was late after all does no harm.
    one.put_vectors(&model("m"), &vectors).unwrap();
    assert_eq!(database.sql("SELECT sum(passages) FROM docent.embedded"), "6");
    assert!(claim(&one, 10).unwrap().is_empty());
}

#[test]
fn claims_end_with_the_process_that_made_them() {
    let Some(database) = filled(10) else { return };
    let [one, two] = [0; 2].map(|_| open(&database, PostgresOptions::default()));
    let all = || {
        let start = Instant::now();
        loop {
            let claimed = claim(&two, 10).unwrap();
            if !claimed.is_empty() || start.elapsed() > Duration::from_secs(10) {
                return claimed.len();
            }
        }
    };
    // Anybody may embed, at the same time.
    let lease = one.try_lease(Role::Embed, &[]).unwrap().unwrap();
    let other = two.try_lease(Role::Embed, &[]).unwrap();
    assert!(other.is_some());
    assert_eq!(claim(&one, 10).unwrap().len(), 10);
    assert!(claim(&two, 10).unwrap().is_empty());
    drop(lease);
    assert_eq!(all(), 10);
    drop(other);
    // A process that was killed, as the server sees it.
    let lease = one.try_lease(Role::Embed, &[]).unwrap();
    let start = Instant::now();
    while claim(&one, 10).unwrap().is_empty() {
        assert!(start.elapsed() < Duration::from_secs(10));
    }
    database.sql(KILL);
    assert_eq!(all(), 10);
    drop(lease);
}
