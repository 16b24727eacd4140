//! The scan of a vector file: which chunks may be among the nearest.
//!
//! All rows that the filter lets through are compared with the query in whole numbers, in runs of neighbouring rows;
//! documents that do not pass are skipped as runs. The result is a list of candidates, good enough that comparing them
//! again exactly settles the order.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;
use std::thread;

use docent_kernels::{Isa, scan_i8};

use crate::keys;
use crate::vectors::RowMap;

/// Marks a row that belongs to nobody.
pub(crate) const DEAD: u64 = u64::MAX;
/// Rows compared at a time: their results stay in the nearest cache.
const RUN: usize = 2048;
/// Rows from which a second thread is worth starting.
const MANY: usize = 50_000;

/// What is scanned for.
pub(crate) struct Scan<'a, A> {
    pub(crate) rows: &'a RowMap,
    /// The chunk that each row belongs to.
    pub(crate) owners: &'a [u64],
    pub(crate) query: &'a [i8],
    /// Whether a document passes.
    pub(crate) accept: A,
    /// Candidates wanted.
    pub(crate) wanted: usize,
}

impl<A: Fn(u64) -> bool + Sync> Scan<'_, A> {
    /// Chunks that may be among the nearest, in no order, each once.
    pub(crate) fn candidates(&self) -> Vec<u64> {
        let all = self.owners.len();
        let mut found = if all > MANY {
            thread::scope(|scope| {
                let second = scope.spawn(|| self.part(all / 2..all));
                let mut found = self.part(0..all / 2);
                match second.join() {
                    Ok(more) => found.extend(more),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
                found
            })
        } else {
            self.part(0..all)
        };
        found.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        found.truncate(self.wanted);
        let mut chunks: Vec<u64> = found.into_iter().map(|(_, chunk)| chunk).collect();
        chunks.sort_unstable();
        chunks.dedup();
        chunks
    }

    fn part(&self, range: Range<usize>) -> Vec<(f32, u64)> {
        let mut best = Candidates { wanted: self.wanted, heap: BinaryHeap::new(), last: None };
        let mut results = vec![0; RUN];
        let mut at = range.start;
        while let Some(run) = self.next_run(at, range.end) {
            at = run.end;
            self.compare(run, &mut results, &mut best);
        }
        best.finish()
    }

    /// The next rows of documents that pass. Dead rows between them are cheaper to compare than to leave out.
    fn next_run(&self, from: usize, end: usize) -> Option<Range<usize>> {
        let mut verdict = (DEAD, false);
        let mut passes = |owner: u64| {
            let document = keys::document_of_chunk(owner);
            if verdict.0 != document {
                verdict = (document, owner != DEAD && (self.accept)(document));
            }
            verdict.1
        };
        let start = (from..end).find(|row| passes(self.owners[*row]))?;
        let limit = end.min(start + RUN);
        let stop = (start..limit).find(|row| self.owners[*row] != DEAD && !passes(self.owners[*row]));
        Some(start..stop.unwrap_or(limit))
    }

    fn compare(&self, run: Range<usize>, results: &mut [i32], best: &mut Candidates) {
        let stride = self.rows.stride();
        let dimensions = self.query.len();
        let bytes = &self.rows.bytes()[run.start * stride..run.end * stride];
        let results = &mut results[..run.len()];
        scan_i8(Isa::detect(), bytes, stride, dimensions, self.query, results);
        for ((row, owner), result) in bytes.chunks_exact(stride).zip(&self.owners[run]).zip(results) {
            if *owner != DEAD {
                let scale = [row[dimensions], row[dimensions + 1], row[dimensions + 2], row[dimensions + 3]];
                best.offer(*result as f32 * f32::from_le_bytes(scale), *owner);
            }
        }
    }
}

/// The best chunks so far. Neighbouring rows of one chunk count once.
struct Candidates {
    wanted: usize,
    heap: BinaryHeap<Reverse<(Ordered, u64)>>,
    last: Option<(f32, u64)>,
}

impl Candidates {
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
