//! Verifies a repository and says how long each step took: `cargo run --release -p docent-claims --example verify -- REPO`.
//!
//! `--findings` prints them, `--json=FILE` writes the whole result (for comparing two builds), `--edit=PATH` adds a line to a
//! file of the work tree for a third run.
#![allow(clippy::print_stdout, reason = "an example that prints")]

#[path = "support/memory.rs"]
mod memory;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use memory::Memory;

use docent_claims::{FactStore, Options, RepoError, Repository, Step, Verification, Watch, verify};

fn main() -> Result<(), RepoError> {
    let option = |name: &str| {
        let prefix = format!("--{name}=");
        std::env::args().find_map(|argument| argument.strip_prefix(&prefix).map(PathBuf::from))
    };
    let path = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let path = Path::new(&path);
    let store: Arc<dyn FactStore> = Arc::new(Memory::default());
    let graph = option("graph");
    let (first, took) = run(path, None, &store, graph.as_deref())?;
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for judged in first.judged() {
        let key = format!("{:18} {}", judged.claim.claim_type.name(), judged.class.name());
        *counts.entry(key).or_default() += 1;
    }
    for (key, count) in counts {
        println!("{count:7} {key}");
    }
    println!("{} documents, first run {took:.1?}", first.documents.len());
    let (_, took) = run(path, Some(&first), &store, graph.as_deref())?;
    println!("second run {took:.1?}");
    if let Some(file) = option("edit") {
        let text = std::fs::read_to_string(path.join(&file)).unwrap_or_default();
        let _ = std::fs::write(path.join(&file), format!("{text}\n// edited\n"));
        let (edited, took) = run(path, Some(&first), &store, graph.as_deref())?;
        println!("after an edit of {}: {took:.1?}, {} documents anew", file.display(), edited.fresh);
        let _ = std::fs::write(path.join(&file), text);
    }
    if let Some(file) = option("json") {
        let text = serde_json::to_string_pretty(&first).unwrap_or_default();
        let _ = std::fs::write(file, text);
    }
    if std::env::args().any(|argument| argument == "--findings") {
        for judged in first.findings() {
            let breaking = judged.evidence.breaking.as_ref();
            let commit = breaking.and_then(|it| it.commit.as_deref()).unwrap_or("-");
            let suggestion = judged.evidence.suggestion.as_ref().map_or("-", |it| it.replacement.as_str());
            let (claim, class) = (&judged.claim, judged.class.name());
            let (kind, named) = (&claim.kind, &claim.named);
            println!("{}:{} {class} {kind} `{named}` → {suggestion} {commit:.9}", claim.file, claim.line);
        }
    }
    Ok(())
}

fn run(
    path: &Path,
    previous: Option<&Verification>,
    store: &Arc<dyn FactStore>,
    graph: Option<&Path>,
) -> Result<(Verification, Duration), RepoError> {
    let start = Instant::now();
    let steps: Mutex<Vec<(&'static str, Instant)>> = Mutex::default();
    let progress = |step: Step| {
        if let Ok(mut steps) = steps.lock() {
            match steps.last_mut() {
                Some(last) if last.0 == step.name => last.1 = Instant::now(),
                _ => steps.push((step.name, Instant::now())),
            }
        }
    };
    let repository = Repository::open(path)?;
    if let Some(graph) = graph {
        repository.keep_in(graph);
    }
    let watch = Watch { progress: &progress, is_cancelled: &|| false };
    let verification = verify(&repository, &Options::default(), previous, Arc::clone(store), watch)?;
    for (name, end) in steps.into_inner().unwrap_or_default() {
        println!("{name:>20} until {:.1?}", end - start);
    }
    Ok((verification, start.elapsed()))
}
