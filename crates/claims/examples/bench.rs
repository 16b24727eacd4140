//! Replays what authors mended: `cargo run --release -p docent-claims --example bench -- REPO [COMMITS] [OUT.json]`.
#![allow(clippy::print_stdout, reason = "an example that prints")]

use std::path::Path;
use std::sync::Arc;

use docent_claims::{NoStore, RepoError, Repository, Watch, bench};

fn main() -> Result<(), RepoError> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let path = arguments.first().map_or(".", String::as_str);
    let commits = arguments.get(1).and_then(|count| count.parse().ok()).unwrap_or(100);
    let report = bench(&Repository::open(Path::new(path))?, commits, Arc::new(NoStore), Watch::SILENT)?;
    println!(
        "{path}: {} commits, {} ms, {:.2} ms per claim",
        report.commits, report.took_ms, report.ms_per_claim
    );
    println!("{}", report.table());
    if let Some(out) = arguments.get(2) {
        let text = serde_json::to_string_pretty(&report).unwrap_or_default();
        std::fs::write(out, text)
            .map_err(|error| RepoError::NotARepository(format!("{out}: {error}").into()))?;
    }
    Ok(())
}
