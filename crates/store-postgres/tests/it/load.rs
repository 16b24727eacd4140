//! Readers and a writer that go on whatever happens, and note what they are told.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use docent_index::{Filter, Store, StoreError};
use docent_store_postgres::PostgresStore;
use docent_testkit::{Over, embed_all, model, put, query, vector};

/// A call that ended.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) who: usize,
    pub(crate) begun: Instant,
    pub(crate) ended: Instant,
    pub(crate) error: Option<StoreError>,
}

/// All that happened.
#[derive(Debug, Default)]
pub(crate) struct Story {
    pub(crate) reads: Vec<Call>,
    pub(crate) writes: Vec<Call>,
    /// Paths that the store said it has.
    pub(crate) kept: BTreeSet<String>,
}

pub(crate) const READERS: usize = 4;

/// Runs readers on one store and a writer on another while `meanwhile` does its worst.
pub(crate) fn under_load(reader: &PostgresStore, writer: &PostgresStore, meanwhile: impl FnOnce()) -> Story {
    writer.apply(&[put("docs", "first.md", "# First\n\nquartz\n")]).unwrap();
    embed_all(writer, &model("m"));
    let (is_over, story) = (AtomicBool::new(false), Mutex::new(Story::default()));
    let note = |who: usize, begun: Instant, error: Option<StoreError>, is_write: bool| {
        let call = Call { who, begun, ended: Instant::now(), error };
        let mut story = story.lock().unwrap();
        if is_write { story.writes.push(call) } else { story.reads.push(call) }
    };
    let number = AtomicUsize::new(0);
    thread::scope(|scope| {
        let over = Over(&is_over);
        for who in 0..READERS {
            let (is_over, note) = (&is_over, &note);
            scope.spawn(move || {
                while !is_over.load(Ordering::Relaxed) {
                    let begun = Instant::now();
                    note(who, begun, search(reader).err(), false);
                    thread::sleep(Duration::from_millis(5));
                }
            });
        }
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                let path = format!("{}.md", number.load(Ordering::Relaxed));
                let begun = Instant::now();
                let outcome = writer.apply(&[put("docs", &path, &format!("# {path}\n\nquartz and mica\n"))]);
                if outcome.is_ok() {
                    story.lock().unwrap().kept.insert(path);
                    number.fetch_add(1, Ordering::Relaxed);
                }
                note(READERS, begun, outcome.err(), true);
                thread::sleep(Duration::from_millis(5));
            }
        });
        meanwhile();
        drop(over);
    });
    story.into_inner().unwrap()
}

fn search(store: &PostgresStore) -> Result<(), StoreError> {
    let (model, everything) = (model("m"), Filter::default());
    let snapshot = store.snapshot()?;
    let hits = snapshot.lexical(&query("quartz"), &everything, 10)?;
    assert!(!hits.chunks.is_empty());
    assert!(!snapshot.nearest(&model, &vector(&model, "quartz"), &everything, 10)?.is_empty());
    let ids: Vec<_> = hits.chunks.iter().map(|hit| hit.chunk).collect();
    assert_eq!(snapshot.chunks(&ids)?.len(), ids.len());
    Ok(())
}

impl Story {
    pub(crate) fn calls(&self) -> impl Iterator<Item = &Call> {
        self.reads.iter().chain(&self.writes)
    }

    /// Everything that was kept is there once, and nothing contradicts itself.
    pub(crate) fn check(&self, store: &PostgresStore) {
        let documents = store.snapshot().unwrap().documents(&Filter::default());
        let paths: BTreeSet<String> = documents.iter().map(|document| document.path.clone()).collect();
        assert_eq!(documents.len(), paths.len(), "a document is there twice");
        let lost: Vec<_> = self.kept.difference(&paths).collect();
        assert!(lost.is_empty(), "lost: {lost:?}");
        // The last one may have arrived without a word.
        assert!(documents.len() <= self.kept.len() + 2, "{} of {}", documents.len(), self.kept.len());
        assert_eq!(store.check().unwrap().problems, Vec::<String>::new());
    }

    /// How long after `moment` everybody had an answer again.
    pub(crate) fn answered_after(&self, moment: Instant) -> Duration {
        let first = |who: usize| {
            let answers = self.calls().filter(|call| call.who == who && call.error.is_none());
            let after = answers.filter(|call| call.ended > moment).map(|call| call.ended - moment);
            after.min().expect("it is answered again")
        };
        (0..=READERS).map(first).max().unwrap()
    }

    /// The longest that a call took that failed.
    pub(crate) fn slowest_failure(&self) -> Duration {
        let failed = self.calls().filter(|call| call.error.is_some());
        failed.map(|call| call.ended - call.begun).max().unwrap_or_default()
    }

    /// Failures are outages, and nothing else.
    pub(crate) fn failures(&self) -> usize {
        let errors = self.calls().filter_map(|call| call.error.as_ref());
        errors
            .inspect(|error| {
                assert!(matches!(error, StoreError::Unreachable { .. }), "{error}");
                assert!(error.to_string().contains("cannot be reached"), "{error}");
            })
            .count()
    }
}
