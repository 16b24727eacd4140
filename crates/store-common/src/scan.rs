//! The scan of a vector file: which chunks may be among the nearest.
//!
//! All rows that the filter lets through are compared with the query in whole numbers, in runs of neighbouring rows;
//! documents that do not pass are skipped as runs. The result is a list of candidates, good enough that comparing them
//! again exactly settles the order. Several queries share one pass, for reading the rows is what a scan waits for.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};
use std::ops::Range;
use std::thread;

use docent_kernels::{Isa, scan_many_i8};

use crate::keys;
use crate::table::Rows;

/// Marks a row that belongs to nobody.
pub const DEAD: u64 = u64::MAX;
/// Rows compared at a time: their results stay in the nearest cache.
const RUN: usize = 2048;
/// Results that are looked at together.
const LANES: usize = 32;
/// Comparisons from which a second thread is worth starting.
const MANY: usize = 50_000;

/// What is scanned for.
pub(crate) struct Scan<'a, A> {
    pub(crate) rows: &'a dyn Rows,
    /// The chunk that each row belongs to.
    pub(crate) owners: &'a [u64],
    pub(crate) queries: Vec<Sought>,
    /// Whether a document passes.
    pub(crate) accept: A,
    /// The only chunks that pass, where not all of a document do.
    pub(crate) chunks: Option<&'a HashSet<u64>>,
}

/// One query of a scan.
pub(crate) struct Sought {
    /// Its vector.
    pub(crate) values: Vec<i8>,
    /// Candidates wanted.
    pub(crate) wanted: usize,
}

impl<A: Fn(u64) -> bool + Sync> Scan<'_, A> {
    /// For each query the chunks that may be among the nearest, in no order, each once.
    pub(crate) fn candidates(&self) -> Vec<Vec<u64>> {
        if self.queries.is_empty() {
            return Vec::new();
        }
        let all = self.owners.len();
        let found = if all * self.queries.len() > MANY {
            thread::scope(|scope| {
                let second = scope.spawn(|| self.part(all / 2..all));
                let mut found = self.part(0..all / 2);
                match second.join() {
                    Ok(more) => found.iter_mut().zip(more).for_each(|(found, more)| found.extend(more)),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
                found
            })
        } else {
            self.part(0..all)
        };
        found.into_iter().zip(&self.queries).map(|(found, query)| best_of(found, query.wanted)).collect()
    }

    fn part(&self, range: Range<usize>) -> Vec<Vec<(f32, u64)>> {
        let mut best: Vec<Candidates> =
            self.queries.iter().map(|query| Candidates::new(query.wanted)).collect();
        let mut results = vec![0; RUN * self.queries.len()];
        let mut at = range.start;
        while let Some(run) = self.next_run(at, range.end) {
            at = run.end;
            self.compare(run, &mut results, &mut best);
        }
        best.into_iter().map(Candidates::finish).collect()
    }

    /// The next rows of documents that pass. Dead rows between them are cheaper to compare than to leave out.
    fn next_run(&self, from: usize, end: usize) -> Option<Range<usize>> {
        let mut verdict = (DEAD, false);
        let mut passes = |owner: u64| {
            let document = keys::document_of_chunk(owner);
            if verdict.0 != document {
                verdict = (document, owner != DEAD && (self.accept)(document));
            }
            verdict.1 && self.chunks.is_none_or(|chunks| chunks.contains(&owner))
        };
        let start = (from..end).find(|row| passes(self.owners[*row]))?;
        let limit = end.min(start + RUN);
        let stop = (start..limit).find(|row| self.owners[*row] != DEAD && !passes(self.owners[*row]));
        Some(start..stop.unwrap_or(limit))
    }

    fn compare(&self, run: Range<usize>, results: &mut [i32], best: &mut [Candidates]) {
        let stride = self.rows.stride();
        let bytes = &self.rows.bytes()[run.start * stride..run.end * stride];
        let owners = &self.owners[run];
        let queries: Vec<&[i8]> = self.queries.iter().map(|query| query.values.as_slice()).collect();
        let dimensions = queries[0].len();
        let results = &mut results[..owners.len() * queries.len()];
        scan_many_i8(Isa::detect(), bytes, stride, dimensions, &queries, results);
        let scale = |row: &[u8]| {
            f32::from_le_bytes([
                row[dimensions],
                row[dimensions + 1],
                row[dimensions + 2],
                row[dimensions + 3],
            ])
        };
        let scales: Vec<f32> = bytes.chunks_exact(stride).map(scale).collect();
        for (results, best) in results.chunks_exact(owners.len()).zip(best) {
            let parts = results.chunks(LANES).zip(scales.chunks(LANES)).zip(owners.chunks(LANES));
            for ((results, scales), owners) in parts {
                let scores = || results.iter().zip(scales).map(|(result, scale)| *result as f32 * scale);
                // Most rows are worse than all that is held, and many are compared faster together than one by one.
                if !scores().fold(false, |any, score| any | (score > best.bar)) {
                    continue;
                }
                for (score, owner) in scores().zip(owners) {
                    if score > best.bar && *owner != DEAD {
                        best.offer(score, *owner);
                    }
                }
            }
        }
    }
}

fn best_of(mut found: Vec<(f32, u64)>, wanted: usize) -> Vec<u64> {
    found.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    found.truncate(wanted);
    let mut chunks: Vec<u64> = found.into_iter().map(|(_, chunk)| chunk).collect();
    chunks.sort_unstable();
    chunks.dedup();
    chunks
}

/// The best chunks so far. Neighbouring rows of one chunk count once.
struct Candidates {
    wanted: usize,
    heap: BinaryHeap<Reverse<(Ordered, u64)>>,
    last: Option<(f32, u64)>,
    /// The score of the worst one held, once there are as many as wanted; nothing below it can get in.
    bar: f32,
}

impl Candidates {
    fn new(wanted: usize) -> Self {
        Self { wanted, heap: BinaryHeap::new(), last: None, bar: f32::NEG_INFINITY }
    }

    fn offer(&mut self, score: f32, chunk: u64) {
        match &mut self.last {
            Some((held, owner)) if *owner == chunk => *held = held.max(score),
            _ => {
                let before = self.last.replace((score, chunk));
                self.settle(before);
            }
        }
    }

    fn settle(&mut self, entry: Option<(f32, u64)>) {
        let Some((score, chunk)) = entry else { return };
        if self.heap.len() < self.wanted {
            self.heap.push(Reverse((Ordered(score), chunk)));
        } else if let Some(mut worst) = self.heap.peek_mut()
            && score > worst.0.0.0
        {
            *worst = Reverse((Ordered(score), chunk));
        }
        if let Some(worst) = self.heap.peek()
            && self.heap.len() >= self.wanted
        {
            self.bar = worst.0.0.0;
        }
    }

    fn finish(mut self) -> Vec<(f32, u64)> {
        let last = self.last.take();
        self.settle(last);
        self.heap.into_iter().map(|Reverse((Ordered(score), chunk))| (score, chunk)).collect()
    }
}

/// A score with a total order.
#[derive(PartialEq)]
struct Ordered(f32);

impl Eq for Ordered {}

impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
