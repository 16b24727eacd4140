//! Measures searching many collections at once: one query, a batch of ten, and what is related.
//!
//! cargo run --release -p docent-eval --example collections_bench -- WORK QUERIES.jsonl DOCS...
//!
//! WORK keeps the documents and the index, so that a second run starts at once. Ten collections are made from the
//! given folders in turn. The first collection of each folder has its pages as they are; in the others a tenth of the
//! words is exchanged for other words of the page, and each passage has the vector of the original with some noise.
//! Queries are embedded by the real model, and none is asked twice. `BENCH_CACHE` names a folder of known vectors.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use docent_embed::MiniLm;
use docent_engine::{
    Cancel, ChunkOptions, Engine, EngineParts, Filter, Freshness, RelatedRequest, SearchRequest, Silent,
    Source, SourceRules,
};
use docent_index::{Embedder, PassageHash, QuantisedVector, Store};
use docent_store_embedded::{EmbeddedStore, OpenOptions, UserCache};

const COLLECTIONS: usize = 10;
const BATCH: usize = 10;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [work, queries, folders @ ..] = args.as_slice() else {
        println!("usage: collections_bench WORK QUERIES.jsonl DOCS...");
        return;
    };
    let work = Path::new(work);
    let names: Vec<String> = (0..COLLECTIONS).map(|number| format!("c{number}")).collect();
    if !work.join("index").exists() {
        write_pages(work, &names, folders);
    }
    let engine = filled(work, &names, folders.len());
    engine.start_background().unwrap();
    let status = engine.status().unwrap().index;
    println!("collections {COLLECTIONS}, documents {}, chunks {}", status.total_pages, status.total_chunks);
    println!("passages {}, index {:.0} MB", status.total_passages, status.db_size_bytes as f64 / 1e6);
    measure(&engine, &mut Questions::read(Path::new(queries)), &names);
}

/// Everything in one interleaved run, so that what else runs on the machine touches all figures alike.
fn measure(engine: &Engine, questions: &mut Questions, names: &[String]) {
    let rounds: usize = std::env::var("BENCH_ROUNDS").map_or(240, |rounds| rounds.parse().unwrap());
    // For a profile of one of them.
    let only = std::env::var("BENCH_ONLY").unwrap_or_default();
    let some = Filter { collections: Some(names[2..5].to_vec()), ..Filter::default() };
    let documents = engine.snapshot().unwrap().documents(&Filter::default());
    let mut times: HashMap<&str, Vec<f64>> = HashMap::new();
    for round in 0..rounds + 10 {
        let mut time = |name: &'static str, work: &mut dyn FnMut()| {
            if !only.is_empty() && name != only {
                return;
            }
            let begun = Instant::now();
            work();
            if round >= 10 {
                times.entry(name).or_default().push(begun.elapsed().as_secs_f64() * 1e3);
            }
        };
        let request = |question: String| SearchRequest::new(question);
        let one = request(questions.next());
        time("one query", &mut || drop(engine.search(&one).unwrap()));
        let mut few = request(questions.next());
        few.filter = some.clone();
        time("one query, 3 of 10 collections", &mut || drop(engine.search(&few).unwrap()));
        let again = one;
        time("the same query again", &mut || drop(engine.search(&again).unwrap()));
        if round % 4 == 0 {
            let batch: Vec<_> = (0..BATCH).map(|_| request(questions.next())).collect();
            time("a batch of 10 queries", &mut || drop(engine.search_many(&batch).unwrap()));
            let mut batch: Vec<_> = (0..BATCH).map(|_| request(questions.next())).collect();
            for (number, request) in batch.iter_mut().enumerate() {
                if number % 2 == 0 {
                    request.filter = some.clone();
                }
            }
            time("a batch with mixed filters", &mut || drop(engine.search_many(&batch).unwrap()));
        }
        let document = &documents[round * 7919 % documents.len()];
        let mut related = RelatedRequest::new(&document.collection, &document.path);
        time("related to a document", &mut || drop(engine.related(&related).unwrap()));
        let chunks = engine.snapshot().unwrap().chunks_of(document.id).unwrap();
        related.chunk =
            chunks.first().map(|chunk| chunk.content.clone()).filter(|text| !text.trim().is_empty());
        time("related to a chunk", &mut || drop(engine.related(&related).unwrap()));
    }
    let one = times.get("one query").map_or(f64::NAN, |times| median(times));
    println!("| {:<32} |    n | p50 ms | p95 ms | to one |", "");
    for name in [
        "one query",
        "one query, 3 of 10 collections",
        "the same query again",
        "a batch of 10 queries",
        "a batch with mixed filters",
        "related to a document",
        "related to a chunk",
    ] {
        let Some(times) = times.get(name) else { continue };
        let (p50, p95) = (median(times), at(times, 0.95));
        println!("| {name:<32} | {:>4} | {p50:>6.2} | {p95:>6.2} | {:>6.2} |", times.len(), p50 / one);
    }
}

fn median(times: &[f64]) -> f64 {
    at(times, 0.5)
}

fn at(times: &[f64], share: f64) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[((sorted.len() as f64 * share).ceil() as usize).clamp(1, sorted.len()) - 1]
}

/// Questions that are never the same twice: after the given ones, two halves of different ones.
struct Questions {
    given: Vec<String>,
    asked: usize,
}

impl Questions {
    fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap();
        let question = |line: &str| {
            serde_json::from_str::<serde_json::Value>(line).unwrap()["text"].as_str().unwrap().to_owned()
        };
        Self { given: text.lines().filter(|line| !line.trim().is_empty()).map(question).collect(), asked: 0 }
    }

    fn next(&mut self) -> String {
        let (count, asked) = (self.given.len(), self.asked);
        self.asked += 1;
        let (first, turn) = (&self.given[asked % count], asked / count);
        if turn == 0 {
            return first.clone();
        }
        let second = &self.given[(asked + turn * 37) % count];
        let half = |text: &str, of: fn(usize) -> std::ops::Range<usize>| {
            let words: Vec<&str> = text.split_whitespace().collect();
            words[of(words.len())].join(" ")
        };
        format!("{} {}", half(first, |n| 0..n.div_ceil(2)), half(second, |n| n / 2..n))
    }
}

/// The engine with all documents and vectors.
fn filled(work: &Path, names: &[String], originals: usize) -> Engine {
    let store: Arc<EmbeddedStore> =
        Arc::new(EmbeddedStore::open(&work.join("index"), OpenOptions::default()).unwrap());
    let embedder: Arc<dyn Embedder> = Arc::new(MiniLm::new());
    let begun = Instant::now();
    let first = engine(work, &names[..originals], store.clone(), embedder.clone());
    first.sync(None, &Silent, &Cancel::default()).unwrap();
    first.embed(None, &Silent, &Cancel::default()).unwrap();
    println!("originals embedded after {:.0} s", begun.elapsed().as_secs_f64());
    drop(first);
    let all = engine(work, names, store.clone(), embedder.clone());
    all.sync(None, &Silent, &Cancel::default()).unwrap();
    give_vectors(&*store, &*embedder, names, originals);
    println!("ready after {:.0} s", begun.elapsed().as_secs_f64());
    all
}

/// Gives the passages of the copies the vectors of the originals, with some noise.
fn give_vectors(store: &dyn Store, embedder: &dyn Embedder, names: &[String], originals: usize) {
    let model = embedder.model();
    let snapshot = store.snapshot().unwrap();
    let mut known: HashMap<PassageHash, QuantisedVector> = HashMap::new();
    for (number, name) in names.iter().enumerate().skip(originals) {
        let filter = Filter { collections: Some(vec![name.clone()]), ..Filter::default() };
        for document in snapshot.documents(&filter) {
            let Some(original) = snapshot.document_at(&names[number % originals], &document.path) else {
                continue;
            };
            let given = snapshot.vectors_of(model, original.id).unwrap();
            let wanted = snapshot.vectors_of(model, document.id).unwrap();
            for ((hash, has), (_, vector)) in wanted.into_iter().zip(given) {
                if let (None, Some(vector)) = (has, vector) {
                    known.insert(hash, noisy(&vector, hash));
                }
            }
        }
    }
    loop {
        let pending = store.pending(model, 8192).unwrap();
        if pending.is_empty() {
            return;
        }
        let mut vectors = Vec::new();
        for passage in pending {
            let vector = known.get(&passage.hash).cloned().unwrap_or_else(|| {
                QuantisedVector::new(&embedder.embed_documents(&[&passage.text]).unwrap()[0])
            });
            vectors.push((passage.id, vector));
        }
        store.put_vectors(model, &vectors).unwrap();
    }
}

fn noisy(vector: &QuantisedVector, hash: PassageHash) -> QuantisedVector {
    let mut random = Random(u64::from_le_bytes(hash.0[..8].try_into().unwrap()));
    let spread = 0.5 / (vector.values.len() as f32).sqrt();
    let mut values = vector.to_f32();
    values.iter_mut().for_each(|value| *value += spread * (2.0 * random.share() - 1.0));
    let length = values.iter().map(|value| value * value).sum::<f32>().sqrt();
    QuantisedVector::new(&values.iter().map(|value| value / length).collect::<Vec<_>>())
}

fn engine(work: &Path, names: &[String], store: Arc<EmbeddedStore>, embedder: Arc<dyn Embedder>) -> Engine {
    let cache = std::env::var_os("BENCH_CACHE").map(|path| UserCache::open(&PathBuf::from(path)));
    let source =
        |name: &String| Source::new(name, &work.join("docs").join(name), &SourceRules::default()).unwrap();
    let parts = EngineParts {
        expected: Vec::new(),
        aliases: Default::default(),
        store,
        embedder: Some(embedder),
        embedder_problem: None,
        cache: cache.map(|cache| Arc::new(cache) as _),
        sources: names.iter().map(source).collect(),
        chunking: ChunkOptions::default(),
        cookies: work.join("cookies"),
        library: None,
    };
    Engine::new(parts, Freshness::EachCall).unwrap()
}

fn write_pages(work: &Path, names: &[String], folders: &[String]) {
    for (number, name) in names.iter().enumerate() {
        let (from, copy) = (Path::new(&folders[number % folders.len()]), number / folders.len());
        write_tree(from, &work.join("docs").join(name), copy);
    }
}

fn write_tree(from: &Path, to: &Path, copy: usize) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            write_tree(&path, &target, copy);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            let text = std::fs::read_to_string(&path).unwrap();
            std::fs::write(target, varied(&text, copy)).unwrap();
        }
    }
}

/// The text with a tenth of its longer words exchanged for words of the same length, so that it is cut alike.
fn varied(text: &str, copy: usize) -> String {
    let mut random = Random(copy as u64 ^ text.len() as u64);
    let is_word = |word: &&str| word.len() > 3 && word.bytes().all(|byte| byte.is_ascii_lowercase());
    let mut by_length: HashMap<usize, Vec<&str>> = HashMap::new();
    for word in text.split(' ').filter(is_word) {
        by_length.entry(word.len()).or_default().push(word);
    }
    let exchanged = |word| match by_length.get(&str::len(word)) {
        Some(words) if copy > 0 && is_word(&word) && random.share() < 0.1 => {
            words[(random.share() * words.len() as f32) as usize % words.len()]
        }
        _ => word,
    };
    text.split(' ').map(exchanged).collect::<Vec<_>>().join(" ")
}

/// Numbers that look random and are the same each time.
struct Random(u64);

impl Random {
    fn share(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1u64 << 24) as f32
    }
}
