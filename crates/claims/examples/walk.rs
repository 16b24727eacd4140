//! What verification would have told over the years: `--example walk -- BARE_REPO STEPS DAYS OUT.jsonl`. `HEAD` of the (spare)
//! repository is moved along the main line, so many days at a step, and each new finding is written down as a line of JSON.
#![allow(clippy::print_stdout, reason = "an example that prints")]

#[path = "support/memory.rs"]
mod memory;

use std::collections::HashSet;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use memory::Memory;

use docent_claims::{FactStore, Options, RepoError, Repository, Verdict, Watch, verify};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, steps, days, out] = arguments.as_slice() else {
        println!("BARE_REPO STEPS DAYS OUT.jsonl");
        return Ok(());
    };
    let (steps, days): (usize, i64) = (steps.parse()?, days.parse()?);
    let git = |args: &[&str]| {
        let output = Command::new("git").args(["-C", path]).args(args).output()?;
        Ok::<_, std::io::Error>(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let newest = git(&["rev-parse", "HEAD"])?;
    let line = git(&["log", "--first-parent", "--format=%H %ct", "HEAD"])?;
    let mut chosen: Vec<String> = Vec::new();
    let mut next = i64::MAX;
    for (commit, time) in line.lines().filter_map(|line| line.split_once(' ')) {
        let time: i64 = time.parse()?;
        if time <= next && chosen.len() < steps {
            chosen.push(commit.to_owned());
            next = time - days * 86_400;
        }
    }
    chosen.reverse();
    let store: Arc<dyn FactStore> = Arc::new(Memory::default());
    let mut out = std::fs::File::create(out)?;
    let mut previous = None;
    let mut told = HashSet::new();
    for commit in &chosen {
        git(&["update-ref", "--no-deref", "HEAD", commit])?;
        let start = std::time::Instant::now();
        let repository = Repository::open(Path::new(path))?;
        let graph = Path::new(path).join("docent-graph");
        repository.keep_in(&graph);
        let found: Result<_, RepoError> =
            verify(&repository, &Options::default(), previous.as_ref(), Arc::clone(&store), Watch::SILENT);
        let found = found?;
        let mut new = 0;
        for (file, document) in &found.documents {
            for looked in &document.claims {
                let Some(judgement) = looked.judgement.as_ref().filter(|it| it.verdict == Verdict::Drifted)
                else {
                    continue;
                };
                let claim = &looked.claim;
                if !told.insert((file.clone(), claim.named.clone())) {
                    continue;
                }
                new += 1;
                let breaking = judgement.evidence.breaking.as_ref();
                let line = serde_json::json!({
                    "commit": commit, "file": file, "line": claim.line, "type": claim.claim_type.name(),
                    "kind": claim.kind, "named": claim.named, "text": claim.text, "class": judgement.class.name(),
                    "fresh": judgement.is_fresh,
                    "later": judgement.later.as_ref().map(|it| (format!("{:?}", it.verdict), it.class.name())),
                    "now": format!("{:?}", looked.now).chars().take(80).collect::<String>(),
                    "found_then": judgement.evidence.found_then.iter().map(|it| &it.path).take(3).collect::<Vec<_>>(),
                    "broke": breaking.and_then(|it| it.commit.clone()), "subject": breaking.map(|it| it.subject.clone()),
                    "hint": judgement.evidence.suggestion.as_ref().map(|it| it.replacement.clone()),
                });
                writeln!(out, "{line}")?;
            }
        }
        println!("{commit:.9} {new} new, {} documents anew, {:.1?}", found.fresh, start.elapsed());
        previous = Some(found);
    }
    git(&["update-ref", "--no-deref", "HEAD", &newest])?;
    Ok(())
}
