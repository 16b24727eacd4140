//! Indexes a judged set and scores the answers, page by page.

use std::time::Instant;

use docent_engine::{Cancel, Engine, EngineError, Filter, Fusion, Mode, Observer, SearchRequest};
use serde::Serialize;

use crate::intervals::percentile;
use crate::judged::JudgedSet;
use crate::measure::index_corpus;
use crate::metrics::{Estimate, mrr_at, ndcg_at, recall_at};

/// The cut of all figures.
const CUT: usize = 10;

/// How to run.
#[derive(Debug, Clone)]
pub struct EvalOptions {
    /// Name of the collection that the corpus goes into.
    pub collection: String,
    /// Which sides take part.
    pub mode: Mode,
    /// How they are joined.
    pub fusion: Fusion,
}

/// The outcome.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// Documents in the corpus.
    pub documents: usize,
    /// Judged queries.
    pub queries: usize,
    /// Chunks in the index.
    pub chunks: usize,
    /// Mode that was used.
    pub mode: Mode,
    /// Discounted gain of the first ten pages.
    pub ndcg_at_10: Estimate,
    /// Share of the relevant pages among the first ten.
    pub recall_at_10: Estimate,
    /// Reciprocal rank of the first relevant page.
    pub mrr_at_10: Estimate,
    /// Time of a search, query embedding included.
    pub latency_ms: LatencyReport,
    /// Size of the index on disk.
    pub index_bytes: u64,
    /// Time to index and embed.
    pub build_seconds: f64,
    /// Per query, in the order of the set.
    #[serde(skip)]
    pub per_query: Vec<QueryScore>,
}

/// Percentiles of the time of a search.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LatencyReport {
    /// Half of the searches were faster.
    pub p50: f64,
    /// 95 % of the searches were faster.
    pub p95: f64,
}

/// One query's outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryScore {
    /// The query's name.
    pub id: String,
    /// Its nDCG at the cut.
    pub ndcg: f64,
    /// Pages found, best first.
    pub ranked: Vec<String>,
}

/// Indexes the corpus into `engine` and asks every query.
pub fn run(
    engine: &Engine,
    set: &JudgedSet,
    options: &EvalOptions,
    observer: &dyn Observer,
    cancel: &Cancel,
) -> Result<Report, EngineError> {
    let begun = Instant::now();
    let with_vectors = options.mode != Mode::Lexical;
    index_corpus(engine, &options.collection, &set.documents, with_vectors, observer, cancel)?;
    let build_seconds = begun.elapsed().as_secs_f64();

    let mut per_query = Vec::with_capacity(set.queries.len());
    let (mut ndcg, mut recall, mut mrr, mut times) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for query in &set.queries {
        let mut request = SearchRequest::new(&query.text);
        request.top_k = CUT;
        request.mode = options.mode;
        request.fusion = options.fusion;
        request.filter = Filter { collections: Some(vec![options.collection.clone()]), ..Filter::default() };
        let asked = Instant::now();
        engine.search(&request)?;
        times.push(asked.elapsed().as_secs_f64() * 1000.0);
        let ranked = engine.rank_pages(&request, 100)?;
        ndcg.push(ndcg_at(CUT, &ranked, &query.relevant));
        recall.push(recall_at(CUT, &ranked, &query.relevant));
        mrr.push(mrr_at(CUT, &ranked, &query.relevant));
        per_query.push(QueryScore {
            id: query.id.clone(),
            ndcg: ndcg.last().copied().unwrap_or(0.0),
            ranked,
        });
    }
    times.sort_by(f64::total_cmp);
    let status = engine.status()?;
    Ok(Report {
        documents: set.documents.len(),
        queries: set.queries.len(),
        chunks: status.index.total_chunks,
        mode: options.mode,
        ndcg_at_10: Estimate::of(&ndcg),
        recall_at_10: Estimate::of(&recall),
        mrr_at_10: Estimate::of(&mrr),
        latency_ms: LatencyReport { p50: percentile(&times, 0.50), p95: percentile(&times, 0.95) },
        index_bytes: status.index.db_size_bytes,
        build_seconds,
        per_query,
    })
}
