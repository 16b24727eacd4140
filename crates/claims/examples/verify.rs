//! Verifies a repository and says how long each step took: `cargo run --release -p docent-claims --example verify -- REPO`.
#![allow(clippy::print_stdout, reason = "an example that prints")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use docent_claims::{NoStore, Options, RepoError, Repository, Step, Verification, Watch, verify};

fn main() -> Result<(), RepoError> {
    let path = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let (first, took) = run(Path::new(&path), None)?;
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for judged in first.judged() {
        let key = format!("{:18} {}", judged.claim.claim_type.name(), judged.class.name());
        *counts.entry(key).or_default() += 1;
    }
    for (key, count) in counts {
        println!("{count:7} {key}");
    }
    println!("{} documents, first run {took:.1?}", first.documents.len());
    let (_, took) = run(Path::new(&path), Some(&first))?;
    println!("second run {took:.1?}");
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

fn run(path: &Path, previous: Option<&Verification>) -> Result<(Verification, Duration), RepoError> {
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
    let watch = Watch { progress: &progress, is_cancelled: &|| false };
    let verification = verify(&repository, &Options::default(), previous, Arc::new(NoStore), watch)?;
    for (name, end) in steps.into_inner().unwrap_or_default() {
        println!("{name:>20} until {:.1?}", end - start);
    }
    Ok((verification, start.elapsed()))
}
