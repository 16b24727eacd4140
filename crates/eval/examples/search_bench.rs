//! Measures what a user feels on a folder of documents: time to the first lexical answer, search latency in process with
//! the watcher on, an edited file until it is found, and memory.
//!
//! cargo run --release -p docent-eval --example search_bench -- DOCS QUERIES.jsonl [--repeat N]
//!
//! `--repeat N` copies the folder N times under other names, to look at a larger index.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use docent_embed::MiniLm;
use docent_engine::{
    Cancel, ChunkOptions, Engine, EngineParts, Freshness, Mode, SearchRequest, Silent, Source, SourceRules,
};
use docent_store_embedded::{EmbeddedStore, OpenOptions, UserCache};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [docs, queries, rest @ ..] = args.as_slice() else {
        println!("usage: search_bench DOCS QUERIES.jsonl [--repeat N]");
        return;
    };
    let repeat: usize = rest.get(1).map_or(1, |number| number.parse().unwrap());
    let work = tempfile::tempdir().unwrap();
    let folder = work.path().join("docs");
    for copy in 0..repeat {
        copy_tree(Path::new(docs), &folder.join(format!("copy{copy}")));
    }
    let engine = engine(&folder, &work.path().join("index"));

    let begun = Instant::now();
    engine.sync(None, &Silent, &Cancel::default()).unwrap();
    let mut lexical = SearchRequest::new("how do I expose a pod");
    lexical.mode = Mode::Lexical;
    engine.search(&lexical).unwrap();
    println!("lexical search ready        {:>9.2} s", begun.elapsed().as_secs_f64());
    engine.embed(None, &Silent, &Cancel::default()).unwrap();
    println!("vectors complete            {:>9.2} s", begun.elapsed().as_secs_f64());
    engine.start_background().unwrap();
    let status = engine.status().unwrap();
    println!("documents                   {:>9}", status.index.total_pages);
    println!("chunks                      {:>9}", status.index.total_chunks);
    println!("passages                    {:>9}", status.index.total_passages);
    println!("index                       {:>9.1} MB", status.index.db_size_bytes as f64 / 1e6);

    let texts = read_queries(Path::new(queries));
    for mode in [Mode::Hybrid, Mode::Lexical, Mode::Semantic] {
        let mut times = Vec::new();
        for text in texts.iter().take(20).chain(&texts) {
            let mut request = SearchRequest::new(text);
            request.mode = mode;
            let begun = Instant::now();
            engine.search(&request).unwrap();
            times.push(begun.elapsed().as_secs_f64() * 1e3);
        }
        report(&format!("{mode:?} search").to_lowercase(), times.split_off(20));
    }
    report("edit until found", (0..20).map(|round| edit(&engine, &folder, round)).collect());
    println!("memory (peak)               {:>9} MB", peak_memory_mb());
}

/// Writes one file and asks until its new word is found.
fn edit(engine: &Engine, folder: &Path, round: usize) -> f64 {
    let word = format!("zyxword{round}q");
    let path = folder.join("copy0/edited-by-the-bench.md");
    let begun = Instant::now();
    std::fs::write(path, format!("# Edited\n\nThis page says {word} now.\n")).unwrap();
    let mut request = SearchRequest::new(&word);
    request.mode = Mode::Lexical;
    while !engine.search(&request).unwrap().results.first().is_some_and(|hit| hit.content.contains(&word)) {}
    let time = begun.elapsed().as_secs_f64() * 1e3;
    std::thread::sleep(Duration::from_millis(300));
    time
}

fn engine(folder: &Path, index: &Path) -> Engine {
    let store = EmbeddedStore::open(index, OpenOptions::default()).unwrap();
    let cache = std::env::var_os("BENCH_CACHE").map(|path| UserCache::open(&PathBuf::from(path)));
    let parts = EngineParts {
        aliases: Default::default(),
        expected: Vec::new(),
        store: Arc::new(store),
        embedder: Some(Arc::new(MiniLm::new())),
        embedder_problem: None,
        cache: cache.map(|cache| Arc::new(cache) as _),
        sources: vec![Source::new("docs", folder, &SourceRules::default()).unwrap()],
        chunking: ChunkOptions::default(),
        cookies: index.join("cookies"),
        library: None,
    };
    Engine::new(parts, Freshness::EachCall).unwrap()
}

fn read_queries(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let query = |line: &str| {
        serde_json::from_str::<serde_json::Value>(line).unwrap()["text"].as_str().unwrap().to_owned()
    };
    text.lines().filter(|line| !line.trim().is_empty()).map(query).collect()
}

fn report(name: &str, mut times: Vec<f64>) {
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((times.len() as f64 * share).ceil() as usize).clamp(1, times.len()) - 1];
    println!("{name:<27} {:>9.2} ms p50 {:>9.2} ms p95", at(0.5), at(0.95));
}

fn peak_memory_mb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kb| kb.parse::<u64>().ok()).unwrap_or(0) / 1000
}

fn copy_tree(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_tree(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}
