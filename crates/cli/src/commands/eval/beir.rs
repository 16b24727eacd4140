//! `docent eval --beir`: a judged set in BEIR form, in the shortest way.

use std::path::Path;
use std::sync::Arc;

use docent_engine::{Cancel, ChunkOptions, Engine, EngineParts, Freshness, Mode};
use docent_eval::{EvalOptions, JudgedSet, Report};

use crate::errors::{CliError, Exit};
use crate::numbers::{bytes, count};
use crate::printer::Printer;
use crate::progress::Progress;
use crate::settings::{Origin, Settings};
use crate::wiring::{self, Vectors};

use super::args::BeirArgs;
use super::scratch::{COLLECTION, Scratch};

pub(super) fn run(
    dir: &Path,
    args: &BeirArgs,
    settings: &Settings,
    printer: &Printer,
    cancel: &Cancel,
) -> Result<Exit, CliError> {
    if !dir.join("corpus.jsonl").is_file() {
        return Err(CliError::usage(
            format!("there is no corpus.jsonl in {}", dir.display()),
            "name a folder with corpus.jsonl, queries.jsonl and qrels.tsv in BEIR form",
        ));
    }
    let set = JudgedSet::load(dir, args.queries.as_deref(), args.qrels.as_deref())?;
    let mut settings = settings.clone();
    let named = matches!(settings.index.origin, Origin::Flag(_));
    // Declared before the engine, so that the folder goes after everything in it is closed.
    let _folder = (!named).then(|| Scratch::at(&mut settings.index.value));
    let parts = EngineParts {
        aliases: Default::default(),
        expected: Vec::new(),
        store: wiring::open_store(&settings, printer)?,
        embedder: wiring::embedder(&settings.embedding, Vectors::Needed)?,
        embedder_problem: None,
        cache: if args.cached { wiring::cache(&settings, printer) } else { None },
        sources: Vec::new(),
        chunking: ChunkOptions { max_chars: settings.max_chars.value, ..ChunkOptions::default() },
        cookies: settings.index.value.join("watch"),
        library: None,
    };
    let engine = Arc::new(Engine::new(parts, Freshness::Synced)?);
    let mode = args.mode.map_or(Mode::Hybrid, Mode::from);
    let options = EvalOptions {
        collection: COLLECTION.to_owned(),
        mode,
        fusion: args.fusion.map_or_else(Default::default, Into::into),
    };
    let progress = Progress::new(printer);
    let report = docent_eval::run(&engine, &set, &options, &progress, cancel);
    drop(progress);
    let report = report?;
    if cancel.is_cancelled() {
        printer.info("stopped; nothing was measured");
        return Ok(Exit::Interrupted);
    }
    if args.json {
        printer.json(&report)?;
    } else {
        printer.view(&view(dir, &report))?;
    }
    Ok(Exit::Fine)
}

fn view(set: &Path, report: &Report) -> String {
    let figure = |name: &str, estimate: &docent_eval::Estimate| {
        format!("{name:<10} {:.3} ± {:.3}\n", estimate.mean, estimate.ci95)
    };
    let mut text = format!(
        "{}: {} documents, {} chunks, {} queries\n",
        set.display(),
        count(report.documents),
        count(report.chunks),
        count(report.queries)
    );
    text.push_str(&figure("nDCG@10", &report.ndcg_at_10));
    text.push_str(&figure("recall@10", &report.recall_at_10));
    text.push_str(&figure("MRR@10", &report.mrr_at_10));
    text.push_str(&format!(
        "latency    p50 {:.1} ms, p95 {:.1} ms\n",
        report.latency_ms.p50, report.latency_ms.p95
    ));
    text.push_str(&format!(
        "index      {}, built in {:.1} s\n",
        bytes(report.index_bytes),
        report.build_seconds
    ));
    text
}
