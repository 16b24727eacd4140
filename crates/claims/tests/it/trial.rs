//! A look at a real repository: how many claims there are, and what is said of those that do not hold.
//!
//! `DOCENT_TRIAL=/path/to/repository cargo test -p docent-claims --test it -- --ignored --nocapture trial`

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use docent_claims::{NoStore, Options, Outcome, Repository, Verdict, Watch, verify};

#[test]
#[ignore = "reads the repository that DOCENT_TRIAL names"]
fn trial() {
    let Ok(path) = std::env::var("DOCENT_TRIAL") else { return };
    let started = std::time::Instant::now();
    let repository = Repository::open(Path::new(&path)).unwrap();
    let found = verify(&repository, &Options::default(), None, Arc::new(NoStore), Watch::SILENT).unwrap();
    // Valid, missing, differs, not ours; verified, drifted, uncertain.
    let mut counts: BTreeMap<(&str, &str), [usize; 7]> = BTreeMap::new();
    for (file, document) in &found.documents {
        for looked in &document.claims {
            let claim = &looked.claim;
            let now = match &looked.now {
                Outcome::Valid { .. } => 0,
                Outcome::Missing { .. } => 1,
                Outcome::Differs { .. } => 2,
                Outcome::NotOurs => 3,
            };
            let verdict = looked.judgement.as_ref().map(|judgement| match judgement.verdict {
                Verdict::Verified => 4,
                Verdict::Drifted => 5,
                Verdict::Uncertain => 6,
            });
            let row = counts.entry((claim.claim_type.name(), claim.kind.as_str())).or_default();
            row[now] += 1;
            row[verdict.unwrap_or(now)] += usize::from(verdict.is_some());
            if matches!(now, 1 | 2) || matches!(verdict, Some(5 | 6)) {
                let word = verdict.map_or("dropped", |at| ["verified", "DRIFTED", "UNCERTAIN"][at - 4]);
                let evidence = looked.judgement.as_ref().map(|judgement| &judgement.evidence);
                let broke = evidence.and_then(|evidence| evidence.breaking.as_ref());
                let broke = broke.map_or("", |breaking| breaking.subject.as_str());
                let instead = evidence.and_then(|evidence| evidence.suggestion.as_ref());
                let instead = instead.map_or("", |suggestion| suggestion.replacement.as_str());
                println!(
                    "{word}\t{}\t{file}:{}\t{}\t→ {instead}\t{broke}\t{}",
                    claim.kind, claim.line, claim.named, claim.text
                );
            }
        }
    }
    println!("== {path}: {} documents, {} ms", found.documents.len(), started.elapsed().as_millis());
    println!("== type, kind: valid, missing, differs, not ours; verified, drifted, uncertain");
    for ((claim_type, kind), [valid, missing, differs, other, verified, drifted, uncertain]) in counts {
        println!(
            "== {claim_type:18} {kind:22} {valid:6} {missing:5} {differs:5} {other:6} {verified:6} {drifted:5} {uncertain:5}"
        );
    }
}
