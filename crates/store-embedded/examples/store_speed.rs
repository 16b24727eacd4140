//! How fast the embedded store is on a large index.
//!
//! `cargo run --release -p docent-store-embedded --example store_speed [CHUNKS]` fills a temporary folder with made-up
//! documents of ten chunks each, gives every passage a vector, and prints the times that users wait for.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a measurement, run by hand")]

use std::time::{Duration, Instant};

use docent_index::{Change, Filter, LexicalQuery, Model, PathGlob, QuantisedVector, Store};
use docent_store_embedded::{EmbeddedStore, OpenOptions};
use docent_testkit::document;

const SECTIONS: usize = 10;
const WORDS: usize = 140;
const BATCH: usize = 200;

/// A small generator of numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A word; the n-th is about n times rarer than the first.
    fn word(&mut self) -> String {
        let rank = (50_000f64.powf(self.roll()) - 1.0) as u64;
        let mut n = rank + 1;
        let mut word = String::new();
        while n > 0 {
            word.push_str(["ba", "ko", "ri", "tu", "me", "sa", "lo", "ni"][(n % 8) as usize]);
            n /= 8;
        }
        word
    }

    fn page(&mut self, number: usize) -> Change {
        let mut text = format!("# Page {number} {}\n\n", self.word());
        for section in 0..SECTIONS {
            text.push_str(&format!("## Section {section} {}\n\n", self.word()));
            for at in 0..WORDS {
                text.push_str(&self.word());
                text.push_str(if at % 12 == 11 { ".\n" } else { " " });
            }
            text.push_str("\n\n");
        }
        let folder = number % 20;
        Change::Put(Box::new(document("docs", &format!("{folder}/{number}.md"), &text)))
    }

    fn vector(&mut self, dimensions: usize) -> Vec<f32> {
        let mut vector: Vec<f32> = (0..dimensions).map(|_| self.roll() as f32 - 0.5).collect();
        let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
        vector.iter_mut().for_each(|x| *x /= length);
        vector
    }
}

fn main() {
    let chunks: usize = std::env::args().nth(1).map_or(150_000, |arg| arg.parse().unwrap());
    let pages = chunks / SECTIONS;
    let dir = tempfile::tempdir().unwrap();
    let store = EmbeddedStore::open(dir.path(), OpenOptions::default()).unwrap();
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let model = Model { id: "m".into(), name: "m".into(), provider: "hash".into(), dimensions: 384 };

    let mut applying = Vec::new();
    let mut bytes = 0;
    for start in (0..pages).step_by(BATCH) {
        let batch: Vec<Change> = (start..pages.min(start + BATCH)).map(|number| dice.page(number)).collect();
        bytes += batch
            .iter()
            .map(|change| if let Change::Put(d) = change { d.text.len() } else { 0 })
            .sum::<usize>();
        applying.push(timed(|| store.apply(&batch).unwrap()));
    }
    let total: Duration = applying.iter().sum();
    println!("{pages} pages, {:.0} MB of text applied in {:.1} s", bytes as f64 / 1e6, total.as_secs_f64());
    report("apply a batch of 200 pages", &mut applying);

    let mut pending = Vec::new();
    let mut putting = Vec::new();
    loop {
        let mut passages = Vec::new();
        pending.push(timed(|| passages = store.pending(&model, 2000).unwrap()));
        if passages.is_empty() {
            break;
        }
        let vectors: Vec<_> =
            passages.iter().map(|p| (p.id, QuantisedVector::new(&dice.vector(384)))).collect();
        putting.push(timed(|| store.put_vectors(&model, &vectors).unwrap()));
    }
    report("pending(2000)", &mut pending);
    report("put_vectors(2000)", &mut putting);
    let counts = store.snapshot().unwrap().counts(Some(&model), &Filter::default());
    println!("{counts:?}, {:.0} MB on disk", store.stats().unwrap().bytes as f64 / 1e6);

    let mut edits: Vec<_> = (0..60)
        .map(|i| {
            let change = [dice.page(i * 37 % pages)];
            timed(|| store.apply(&change).unwrap())
        })
        .collect();
    report("apply one edited page", &mut edits);
    let mut after_edit: Vec<_> = (0..20)
        .map(|i| {
            store.apply(&[dice.page(i * 41 % pages)]).unwrap();
            let snapshot = store.snapshot().unwrap();
            let query = dice.vector(384);
            timed(|| snapshot.nearest(&model, &query, &Filter::default(), 100).unwrap())
        })
        .collect();
    report("first nearest(100) after an edit", &mut after_edit);

    let mut snapshots: Vec<_> = (0..1000).map(|_| timed(|| store.snapshot().unwrap())).collect();
    report("snapshot, nothing new", &mut snapshots);

    let snapshot = store.snapshot().unwrap();
    let folder = Filter { path: Some(PathGlob::new("7/**").unwrap()), ..Filter::default() };
    for (what, filter) in [("", Filter::default()), (", 5 % of the pages", folder)] {
        let mut lexical = Vec::new();
        let mut reading = Vec::new();
        let mut nearest = Vec::new();
        for _ in 0..200 {
            let words: Vec<String> = (0..6).map(|_| dice.word()).collect();
            let terms = docent_text::tokens(&words.join(" ")).into_iter().map(|t| (t, 1.0)).collect();
            let query = LexicalQuery { terms };
            let mut hits = Default::default();
            lexical.push(timed(|| hits = snapshot.lexical(&query, &filter, 100).unwrap()));
            let ids: Vec<_> = hits.chunks.iter().take(10).map(|hit| hit.chunk).collect();
            reading.push(timed(|| snapshot.chunks(&ids).unwrap()));
            let query = dice.vector(384);
            nearest.push(timed(|| snapshot.nearest(&model, &query, &filter, 100).unwrap()));
        }
        report(&format!("lexical, 6 words, depth 100{what}"), &mut lexical);
        report(&format!("nearest, depth 100{what}"), &mut nearest);
        report(&format!("read 10 chunks{what}"), &mut reading);
    }

    drop(snapshot);
    drop(store);
    let mut opening: Vec<_> =
        (0..5).map(|_| timed(|| EmbeddedStore::open(dir.path(), OpenOptions::default()).unwrap())).collect();
    report("open", &mut opening);
    let store = EmbeddedStore::open(dir.path(), OpenOptions::default()).unwrap();
    println!("check: {:?} in {:?}", store.check().unwrap(), timed(|| store.check().unwrap()));
    println!("rebuild of the lexical index: {:?}", timed(|| store.rebuild_lexical().unwrap()));
}

fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    let result = work();
    let elapsed = start.elapsed();
    drop(result);
    elapsed
}

fn report(what: &str, times: &mut [Duration]) {
    times.sort();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
    println!("{what}: median {:.3} ms, p95 {:.3} ms, worst {:.3} ms", at(0.5), at(0.95), at(1.0));
}
