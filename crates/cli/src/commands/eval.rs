//! `docent eval`: how good and how fast search is on a judged set.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use docent_engine::{Cancel, ChunkOptions, Engine, EngineParts, Freshness, Mode};
use docent_eval::{EvalOptions, JudgedSet, Report};

use crate::args::EvalArgs;
use crate::errors::{CliError, Exit};
use crate::numbers::{bytes, count};
use crate::printer::Printer;
use crate::progress::Progress;
use crate::settings::{Origin, Settings};
use crate::wiring::{self, Vectors};

const COLLECTION: &str = "eval";

pub(super) fn run(
    args: &EvalArgs,
    settings: &Settings,
    printer: &Printer,
    cancel: &Cancel,
) -> Result<Exit, CliError> {
    if !args.beir.join("corpus.jsonl").is_file() {
        return Err(CliError::usage(
            format!("there is no corpus.jsonl in {}", args.beir.display()),
            "name a folder with corpus.jsonl, queries.jsonl and qrels.tsv in BEIR form",
        ));
    }
    let set = JudgedSet::load(&args.beir, args.queries.as_deref(), args.qrels.as_deref())?;
    let mut settings = settings.clone();
    let named = matches!(settings.index.origin, Origin::Flag(_));
    // Declared before the engine, so that the folder goes after everything in it is closed.
    let _folder = (!named).then(|| Scratch::at(&mut settings.index.value));
    let parts = EngineParts {
        store: wiring::open_store(&settings, printer)?,
        embedder: wiring::embedder(&settings.embedding, Vectors::Needed)?,
        embedder_problem: None,
        cache: if args.cached { wiring::cache(&settings, printer) } else { None },
        sources: Vec::new(),
        chunking: ChunkOptions { max_chars: settings.max_chars.value, ..ChunkOptions::default() },
        cookies: settings.index.value.join("watch"),
    };
    let engine = Arc::new(Engine::new(parts, Freshness::Synced)?);
    let mode = args.mode.map_or(Mode::Hybrid, Mode::from);
    let options = EvalOptions { collection: COLLECTION.to_owned(), mode, fusion: args.fusion.into() };
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
        printer.view(&view(&args.beir, &report))?;
    }
    Ok(Exit::Fine)
}

/// A folder that is removed when the run ends, however it ends.
struct Scratch(PathBuf);

impl Scratch {
    fn at(index: &mut PathBuf) -> Self {
        *index = std::env::temp_dir().join(format!("docent-eval-{}", std::process::id()));
        Self(index.clone())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
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
