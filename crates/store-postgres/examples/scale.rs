//! Fills a database with synthetic passages and measures what a search is made of.
//!
//! `cargo run --release -p docent-store-postgres --example scale -- URL PASSAGES [fill] [index] [search] [QUERIES.jsonl]`
//!
//! A search is made as the engine makes it: a look at the state, words beside meaning with 200 candidates each, what each side
//! does not know of the other's, and ten chunks. No query is asked twice. With a file name the queries are kept, for
//! `benches/postgres/reference.py` to ask them again.
//!
//! Words follow Zipf's law, so that every query meets common ones. Vectors lie near a few thousand centres in a space of 32
//! dimensions that is turned into one of 384: about as hard as those of real passages.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a measurement")]

use std::collections::{BTreeMap, HashMap, HashSet};
use std::env;
use std::io::Write;
use std::time::{Duration, Instant};

use docent_index::{
    Change, ContentHash, FacetExpr, FileStat, Filter, LexicalQuery, Model, NewChunk, NewDocument, NewPassage,
    PassageHash, PathGlob, QuantisedVector, Snapshot, Store,
};
use docent_store_postgres::{PostgresOptions, PostgresStore};

const DIMENSIONS: usize = 384;
const INNER: usize = 32;
const CENTRES: u64 = 3000;
const VOCABULARY: usize = 200_000;
const CHUNKS: usize = 10;
const WORDS: usize = 80;
/// Documents that are written at once, all of one collection, as when a repository is indexed.
const BATCH: usize = 1000;
const DEPTH: usize = 200;
const QUERIES: u64 = 200;
const JUDGED: u64 = 40;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// About a normal distribution.
    fn normal(&mut self) -> f32 {
        ((0..4).map(|_| self.unit()).sum::<f64>() - 2.0) as f32 * 1.73
    }
}

struct World {
    model: Model,
    /// From inner to outer dimensions.
    map: Vec<f32>,
    /// How often words occur, added up.
    often: Vec<f64>,
}

impl World {
    fn new() -> Self {
        let mut random = Random(1);
        let mut sum = 0.0;
        let often = (1..=VOCABULARY)
            .map(|rank| {
                sum += 1.0 / (rank as f64 + 2.0).powf(1.05);
                sum
            })
            .collect();
        let map = (0..DIMENSIONS * INNER).map(|_| random.normal()).collect();
        let model = Model {
            id: "synthetic".to_owned(),
            name: "synthetic".to_owned(),
            provider: "hash".to_owned(),
            dimensions: DIMENSIONS,
        };
        Self { model, map, often }
    }

    fn word(&self, random: &mut Random) -> usize {
        let at = random.unit() * self.often[VOCABULARY - 1];
        self.often.partition_point(|sum| *sum < at)
    }

    fn vector(&self, passage: u64, noise: f32) -> Vec<f32> {
        let mut random = Random(passage.wrapping_mul(77));
        let mut centre = Random(random.next() % CENTRES + 1_000_000);
        let mut inner: Vec<f32> = (0..INNER).map(|_| centre.normal() + 0.5 * random.normal()).collect();
        let mut extra = Random(passage + 5);
        inner.iter_mut().for_each(|value| *value += noise * extra.normal());
        let mut outer: Vec<f32> = self
            .map
            .chunks_exact(INNER)
            .map(|row| row.iter().zip(&inner).map(|(a, b)| a * b).sum::<f32>())
            .collect();
        let length = outer.iter().map(|value| value * value).sum::<f32>().sqrt();
        outer.iter_mut().for_each(|value| *value /= length);
        outer
    }

    fn document(&self, number: u64) -> (NewDocument, Vec<(PassageHash, QuantisedVector)>) {
        let mut random = Random(number * 1_000_003 + 17);
        let (mut text, mut chunks, mut vectors) = (String::new(), Vec::new(), Vec::new());
        for ordinal in 0..CHUNKS {
            let words: Vec<String> = (0..WORDS).map(|_| format!("w{}", self.word(&mut random))).collect();
            let (heading, body) = (words[..2].join(" "), words[2..].join(" "));
            let start = text.len();
            text.push_str(&format!("## {heading}\n\n{body}\n\n"));
            let passage = format!("{heading}: {body}");
            let hash = PassageHash::of(&passage);
            vectors.push((
                hash,
                QuantisedVector::new(&self.vector(number * CHUNKS as u64 + ordinal as u64, 0.0)),
            ));
            chunks.push(NewChunk {
                chunk_id: format!("{number}#{ordinal}"),
                heading_path: heading.clone(),
                heading_level: 2,
                start_line: ordinal as u32 * 4 + 1,
                end_line: ordinal as u32 * 4 + 4,
                char_count: (text.len() - start) as u32,
                bytes: start..text.len(),
                searchable: true,
                body_tokens: body,
                heading_tokens: heading,
                passages: vec![NewPassage { hash, text: passage }],
            });
        }
        let document = NewDocument {
            collection: format!("c{}", number / BATCH as u64 % 10),
            path: format!("f{:02}/{number}.md", number / 10 % 16),
            title: format!("w{}", number % VOCABULARY as u64),
            content_hash: ContentHash::of(text.as_bytes()),
            text,
            stat: FileStat::default(),
            headings: Vec::new(),
            facets: BTreeMap::from([("kind".to_owned(), format!("k{}", number / 160 % 100))]),
            chunks,
            uuid: None,
            details: String::new(),
            pages: Vec::new(),
        };
        (document, vectors)
    }
}

fn main() {
    let args: Vec<String> = env::args().collect();
    let (url, passages) = (&args[1], args[2].parse::<usize>().unwrap());
    let asked = |word: &str| args.len() == 3 || args[3..].iter().any(|arg| arg == word);
    let world = World::new();
    let options = PostgresOptions::default();
    let store = PostgresStore::open(url, options.clone()).unwrap();
    println!("notices: {:?}", store.lacks());
    if asked("fill") {
        fill(&world, &store, passages / CHUNKS);
    }
    if asked("index") {
        let start = Instant::now();
        store.build_vector_index(&world.model).unwrap();
        println!("vector index: {:.0?}", start.elapsed());
    }
    if asked("search") {
        let start = Instant::now();
        let snapshot = store.snapshot().unwrap();
        println!(
            "first snapshot of {} documents: {:.0?}",
            snapshot.documents(&Filter::default()).len(),
            start.elapsed()
        );
        let start = Instant::now();
        (0..100).for_each(|_| drop(store.snapshot().unwrap()));
        println!("snapshot again: {:.2?}", start.elapsed() / 100);
        let kept = args[3..].iter().find(|arg| arg.ends_with(".jsonl"));
        let database = url.split('?').next().unwrap().rsplit('/').next().unwrap();
        search(&world, &store, database, passages, kept.map(|path| std::fs::File::create(path).unwrap()));
        println!(
            "bytes: {}, processor time of this process: {}",
            store.stats().unwrap().bytes,
            processor_time()
        );
    }
}

/// Seconds of processor time so far, where the system tells: on a machine that does other things too, the better figure.
fn processor_time() -> String {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let ticks = stat.split(' ').skip(13).take(2).filter_map(|field| field.parse::<f64>().ok());
    format!("{:.1} s", ticks.sum::<f64>() / 100.0)
}

fn fill(world: &World, store: &PostgresStore, documents: usize) {
    let start = Instant::now();
    let there = store.snapshot().unwrap().documents(&Filter::default()).len();
    let mut slowest = Duration::ZERO;
    for first in (there..documents).step_by(BATCH) {
        let (mut changes, mut vectors) = (Vec::new(), HashMap::new());
        for number in first..documents.min(first + BATCH) {
            let (document, own) = world.document(number as u64);
            changes.push(Change::Put(Box::new(document)));
            vectors.extend(own);
        }
        let batch = Instant::now();
        store.apply_embedded(&changes, &world.model, &vectors).unwrap();
        slowest = slowest.max(batch.elapsed());
        if first % 10_000 == 0 {
            println!("{first} documents after {:.0?}, slowest batch {slowest:.0?}", start.elapsed());
        }
    }
    let rate = ((documents - there) * CHUNKS) as f64 / start.elapsed().as_secs_f64();
    println!("filled: {:.0?}, {rate:.0} passages/s", start.elapsed());
}

/// What the parts of a search took.
#[derive(Default)]
struct Times {
    state: Duration,
    words: Duration,
    nearest: Duration,
    rest: Duration,
    chunks: Duration,
    all: Duration,
    /// Processor time of this process and of the server's that work for the database: what the search would take at most on
    /// a machine that does nothing else.
    processor: Duration,
}

fn search(
    world: &World,
    store: &PostgresStore,
    database: &str,
    passages: usize,
    mut kept: Option<std::fs::File>,
) {
    let facet = |value: &str| FacetExpr::Is { key: "kind".to_owned(), value: value.to_owned() };
    let some = |count: usize| Some((0..count).map(|at| format!("c{at}")).collect::<Vec<_>>());
    let filters = [
        ("everything", Filter::default()),
        ("half of the collections", Filter { collections: some(5), ..Filter::default() }),
        ("one collection of ten", Filter { collections: some(1), ..Filter::default() }),
        ("one folder of 16", Filter { path: Some(PathGlob::new("f07").unwrap()), ..Filter::default() }),
        ("one value of 100", Filter { facets: Some(facet("k7")), ..Filter::default() }),
    ];
    println!(
        "{:24} {:>9} {:>12} {:>14} {:>14} {:>14} {:>12} {:>14} {:>14} {:>7}",
        "median / p95 in ms",
        "passages",
        "state",
        "words",
        "nearest",
        "each other's",
        "chunks",
        "hybrid",
        "processor",
        "recall"
    );
    let mut everything = Vec::new();
    for (number_of_filter, (name, filter)) in (0..).zip(&filters) {
        let count = store.snapshot().unwrap().counts(None, filter).passages;
        let mut times = Vec::new();
        let mut recall = 0.0;
        // The pool is filled by now, and which processes work for it is known.
        let processor = Processor::of(database);
        for number in 0..QUERIES {
            let mut random = Random((number + number_of_filter * 1000) * 31 + 7);
            let words = 2 + (number % 5) as usize;
            let terms: Vec<_> = (0..words).map(|_| (format!("w{}", world.word(&mut random)), 1.0)).collect();
            let query = LexicalQuery { terms };
            let vector = world.vector(random.next() % passages as u64, 0.2);
            let before = processor.spent();
            let (mut took, found) = hybrid(world, store, &query, &vector, filter);
            took.processor += processor.spent().saturating_sub(before);
            times.push(took);
            if number < JUDGED {
                recall += exact(world, &vector, &*store.snapshot().unwrap(), filter, passages, &found);
            }
            if let Some(kept) = &mut kept {
                let words: Vec<&str> = query.terms.iter().map(|(word, _)| word.as_str()).collect();
                let numbers: Vec<String> = vector.iter().map(|value| format!("{value:.5}")).collect();
                writeln!(
                    kept,
                    r#"{{"filter": "{name}", "words": "{}", "vector": [{}]}}"#,
                    words.join(" "),
                    numbers.join(",")
                )
                .unwrap();
            }
        }
        let told = |of: fn(&Times) -> Duration| {
            let mut times: Vec<f64> = times.iter().map(|times| of(times).as_secs_f64() * 1000.0).collect();
            times.sort_by(f64::total_cmp);
            format!("{:.1} / {:.1}", times[times.len() / 2], times[times.len() * 95 / 100])
        };
        println!(
            "{name:24} {count:>9} {:>12} {:>14} {:>14} {:>14} {:>12} {:>14} {:>14} {:>7.3}",
            told(|times| times.state),
            told(|times| times.words),
            told(|times| times.nearest),
            told(|times| times.rest),
            told(|times| times.chunks),
            told(|times| times.all),
            told(|times| times.processor),
            recall / JUDGED as f64
        );
        everything.extend(times);
    }
    for (name, of) in
        [("hybrid", (|times| times.all) as fn(&Times) -> Duration), ("processor", |times| times.processor)]
    {
        let mut sorted: Vec<Duration> = everything.iter().map(of).collect();
        sorted.sort();
        println!("p95 of all {} searches, {name}: {:.1?}", sorted.len(), sorted[sorted.len() * 95 / 100]);
    }
}

/// Processes whose time counts, where the system tells.
struct Processor(Vec<std::path::PathBuf>);

impl Processor {
    /// This process, and those of a server on this machine that are connected to a database.
    fn of(database: &str) -> Self {
        let own = [std::path::PathBuf::from("/proc/self")];
        let others = std::fs::read_dir("/proc").into_iter().flatten().flatten().map(|entry| entry.path());
        let works_for = |path: &std::path::PathBuf| {
            let title = std::fs::read_to_string(path.join("cmdline")).unwrap_or_default();
            title.starts_with("postgres: ") && title.split([' ', '\0']).any(|word| word == database)
        };
        Self(own.into_iter().chain(others.filter(works_for)).collect())
    }

    fn spent(&self) -> Duration {
        let tasks = self
            .0
            .iter()
            .flat_map(|path| std::fs::read_dir(path.join("task")).into_iter().flatten().flatten());
        let spent = tasks.filter_map(|task| {
            let told = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
            told.split(' ').next()?.parse::<u64>().ok()
        });
        Duration::from_nanos(spent.sum())
    }
}

/// One search, with the cosines of the ten nearest.
fn hybrid(
    world: &World,
    store: &PostgresStore,
    query: &LexicalQuery,
    vector: &[f32],
    filter: &Filter,
) -> (Times, Vec<f32>) {
    fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
        let start = Instant::now();
        let done = work();
        (start.elapsed(), done)
    }
    let start = Instant::now();
    let (state, snapshot) = timed(|| store.snapshot().unwrap());
    let (((words, by_words), spent), (nearest, near)) = std::thread::scope(|scope| {
        let words = scope.spawn(|| {
            let done = timed(|| snapshot.lexical(query, filter, DEPTH).unwrap());
            // What a thread took is told only for as long as it lives.
            let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
            (done, told.split(' ').next().and_then(|spent| spent.parse().ok()).unwrap_or(0))
        });
        let depth = snapshot.affordable(&world.model, filter, DEPTH);
        let near = timed(|| snapshot.nearest(&world.model, vector, filter, depth).unwrap());
        (words.join().unwrap(), near)
    });
    let (rest, ids) = timed(|| {
        let known: HashSet<_> = near.iter().map(|hit| hit.chunk).collect();
        let unknown: Vec<_> =
            by_words.chunks.iter().map(|hit| hit.chunk).filter(|chunk| !known.contains(chunk)).collect();
        snapshot.similarities(&world.model, vector, &unknown).unwrap();
        let ids: Vec<_> = near.iter().map(|hit| hit.chunk).collect();
        by_words.scores.as_ref().unwrap().of(&ids, &[]).unwrap();
        ids
    });
    let (chunks, _) = timed(|| snapshot.chunks(&ids[..ids.len().min(10)]).unwrap());
    let times = Times {
        state,
        words,
        nearest,
        rest,
        chunks,
        all: start.elapsed(),
        processor: Duration::from_nanos(spent),
    };
    (times, near.iter().take(10).map(|hit| hit.score).collect())
}

/// The share of the ten truly nearest that were found, told by their cosines.
fn exact(
    world: &World,
    query: &[f32],
    snapshot: &dyn Snapshot,
    filter: &Filter,
    passages: usize,
    found: &[f32],
) -> f64 {
    static ALL: std::sync::OnceLock<Vec<QuantisedVector>> = std::sync::OnceLock::new();
    let all = ALL.get_or_init(|| {
        (0..passages as u64).map(|number| QuantisedVector::new(&world.vector(number, 0.0))).collect()
    });
    let passing: HashSet<u64> = match filter.is_empty() {
        true => HashSet::new(),
        false => {
            let number =
                |path: &str| path.split('/').nth(1).unwrap().trim_end_matches(".md").parse::<u64>().unwrap();
            snapshot.documents(filter).iter().map(|record| number(&record.path)).collect()
        }
    };
    let mut cosines: Vec<f32> = all
        .iter()
        .enumerate()
        .filter(|(at, _)| filter.is_empty() || passing.contains(&(*at as u64 / CHUNKS as u64)))
        .map(|(_, row)| docent_kernels::dot_f32_i8(query, &row.values) * row.scale)
        .collect();
    cosines.sort_by(|a, b| b.total_cmp(a));
    let bar = cosines[9.min(cosines.len() - 1)] - 1e-6;
    found.iter().filter(|cosine| **cosine >= bar).count() as f64 / 10.0
}
