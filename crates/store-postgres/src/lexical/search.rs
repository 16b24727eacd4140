//! The best chunks and pages for a query, from the lists of its words.
//!
//! All postings are read: one word after the other is added to the scores of the entries that have it. That takes a few
//! nanoseconds a posting, needs no cap on common words and is exact, whatever the filter.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::sync::Arc;

use docent_index::LexicalQuery;

use super::bm25::{self, Norms, Totals};
use super::entries::Entries;
use super::postings::{Kind, PackedTerm, decode};

/// Scores that are looked at together.
const LANES: usize = 32;

/// A segment with the postings of a query's words.
pub(crate) struct Segment {
    /// Its entries; `None` where it is not searched and only counts.
    pub(crate) entries: Option<Arc<Entries>>,
    pub(crate) chunks: Totals,
    pub(crate) pages: Totals,
    /// In the order of the query's words.
    pub(crate) terms: Vec<Option<PackedTerm>>,
}

/// Scores of all entries of the segments that were searched.
#[derive(Default)]
pub(crate) struct Scores {
    segments: Vec<(Arc<Entries>, Vec<f32>, Vec<f32>)>,
    /// No chunk scores higher.
    pub(crate) chunk_bound: f32,
    /// No page scores higher.
    pub(crate) page_bound: f32,
}

/// Scores everything.
pub(crate) fn search(segments: Vec<Segment>, query: &LexicalQuery) -> Scores {
    let total = |of: fn(&Segment) -> Totals| {
        segments.iter().map(of).fold(Totals::default(), |sum, part| Totals {
            entries: sum.entries + part.entries,
            words: sum.words + part.words,
        })
    };
    let (chunks, pages) = (total(|segment| segment.chunks), total(|segment| segment.pages));
    let (chunk_norms, page_norms) = (Norms::new(chunks), Norms::new(pages));
    let weights: Vec<(f32, f32)> = query
        .terms
        .iter()
        .enumerate()
        .map(|(at, (_, boost))| {
            let terms = || segments.iter().filter_map(move |segment| segment.terms.get(at)?.as_ref());
            let chunks_having = terms().map(|term| u64::from(term.chunks)).sum();
            let pages_having = terms().map(|term| u64::from(term.pages)).sum();
            (bm25::weight(chunks, chunks_having, *boost), bm25::weight(pages, pages_having, *boost))
        })
        .collect();
    let chunk_bound = weights.iter().map(|(chunk, _)| chunk).sum();
    let page_bound = weights.iter().map(|(_, page)| page).sum();
    let mut scored = Vec::new();
    for segment in segments {
        let Some(entries) = segment.entries else { continue };
        let mut chunk_scores = vec![0.0; entries.chunks.len()];
        let mut page_scores = vec![0.0; entries.documents.len()];
        for (term, (chunk_weight, page_weight)) in segment.terms.iter().zip(&weights) {
            let Some(term) = term else { continue };
            add(
                &term.list,
                Kind::Chunks,
                &entries.chunk_steps,
                &chunk_norms,
                *chunk_weight,
                &mut chunk_scores,
            );
            add(&term.list, Kind::Pages, &entries.page_steps, &page_norms, *page_weight, &mut page_scores);
        }
        scored.push((entries, chunk_scores, page_scores));
    }
    Scores { segments: scored, chunk_bound, page_bound }
}

fn add(list: &[u8], kind: Kind, steps: &[u8], norms: &Norms, weight: f32, scores: &mut [f32]) {
    decode(list, kind, |entry, often| {
        if let (Some(score), Some(step)) = (scores.get_mut(entry as usize), steps.get(entry as usize)) {
            *score += norms.score(weight, *step, often);
        }
    });
}

impl Scores {
    /// The best `depth` chunks that `accept` takes, best first.
    pub(crate) fn best_chunks(&self, depth: usize, accept: impl FnMut(u64) -> bool) -> Vec<(u64, f32)> {
        let parts = self.segments.iter().map(|(entries, chunks, _)| (&entries.chunks, chunks));
        best(parts, depth, accept)
    }

    /// The best `depth` documents that `accept` takes, best first.
    pub(crate) fn best_pages(&self, depth: usize, accept: impl FnMut(u64) -> bool) -> Vec<(u64, f32)> {
        let parts = self.segments.iter().map(|(entries, _, pages)| (&entries.documents, pages));
        best(parts, depth, accept)
    }

    /// The score of a chunk; 0 for one without a word of the query.
    pub(crate) fn of_chunk(&self, chunk: u64) -> f32 {
        self.pick(chunk, |(entries, chunks, _)| (&entries.chunks, chunks))
    }

    /// The score of a whole document.
    pub(crate) fn of_page(&self, document: u64) -> f32 {
        self.pick(document, |(entries, _, pages)| (&entries.documents, pages))
    }

    fn pick<'a>(
        &'a self,
        key: u64,
        part: impl Fn(&'a (Arc<Entries>, Vec<f32>, Vec<f32>)) -> (&'a Vec<u64>, &'a Vec<f32>),
    ) -> f32 {
        let found = self.segments.iter().find_map(|segment| {
            let (keys, scores) = part(segment);
            keys.binary_search(&key).ok().and_then(|at| scores.get(at))
        });
        found.copied().unwrap_or(0.0)
    }
}

fn best<'a>(
    parts: impl Iterator<Item = (&'a Vec<u64>, &'a Vec<f32>)>,
    depth: usize,
    mut accept: impl FnMut(u64) -> bool,
) -> Vec<(u64, f32)> {
    let mut best = Best { depth, heap: BinaryHeap::with_capacity(depth.min(4096) + 1) };
    if depth == 0 {
        return Vec::new();
    }
    for (keys, scores) in parts {
        let mut bar = best.bar();
        for (scores, keys) in scores.chunks(LANES).zip(keys.chunks(LANES)) {
            // Most are below the bar, and many are compared faster together than one by one.
            if !scores.iter().fold(false, |any, score| any | (*score > bar)) {
                continue;
            }
            for (score, key) in scores.iter().zip(keys) {
                if *score > bar && accept(*key) {
                    best.offer(*key, *score);
                    bar = best.bar();
                }
            }
        }
    }
    best.into_sorted()
}

/// The best so far; the worst of them is on top of the heap. Equal scores are ordered by number.
struct Best {
    depth: usize,
    heap: BinaryHeap<Reverse<Hit>>,
}

struct Hit {
    score: f32,
    key: u64,
}

impl Best {
    /// Just below the worst, so that an equal one with a lower number still gets in.
    fn bar(&self) -> f32 {
        match self.heap.peek() {
            Some(Reverse(worst)) if self.heap.len() >= self.depth => worst.score.next_down().max(0.0),
            _ => 0.0,
        }
    }

    fn offer(&mut self, key: u64, score: f32) {
        self.heap.push(Reverse(Hit { score, key }));
        if self.heap.len() > self.depth {
            self.heap.pop();
        }
    }

    fn into_sorted(self) -> Vec<(u64, f32)> {
        self.heap.into_sorted_vec().into_iter().map(|Reverse(hit)| (hit.key, hit.score)).collect()
    }
}

impl Ord for Hit {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then(other.key.cmp(&self.key))
    }
}

impl PartialOrd for Hit {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Hit {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Hit {}
