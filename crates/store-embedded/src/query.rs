//! BM25 over one lexical index, with the filter applied before the best are chosen.
//!
//! tantivy skips whole blocks that cannot reach the score of the worst hit so far. An entry that the filter rejects
//! does not raise that score, so the result is exact: the best `depth` of those that pass. Equal scores are ordered by
//! number, and the bar is set just below the worst hit so that an equal one with a lower number still gets in.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use docent_index::LexicalQuery;
use tantivy::query::{BooleanQuery, BoostQuery, EnableScoring, Occur, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{Searcher, Term};

use crate::fault::Outcome;
use crate::guard::guarded;
use crate::lexical::KEY;

/// The best `depth` entries that `accept` takes, best first.
pub(crate) fn best(
    searcher: &Searcher,
    query: &LexicalQuery,
    field: Field,
    depth: usize,
    mut accept: impl FnMut(u64) -> bool,
) -> Outcome<Vec<(u64, f32)>> {
    let clauses = clauses(query, field);
    if clauses.is_empty() || depth == 0 {
        return Ok(Vec::new());
    }
    guarded(|| collect(searcher, clauses, depth, &mut accept))
}

fn collect(
    searcher: &Searcher,
    clauses: Vec<(Occur, Box<dyn Query>)>,
    depth: usize,
    accept: &mut dyn FnMut(u64) -> bool,
) -> Outcome<Vec<(u64, f32)>> {
    let weight = BooleanQuery::new(clauses).weight(EnableScoring::enabled_from_searcher(searcher))?;
    let mut best = Best { depth, heap: BinaryHeap::with_capacity(depth.min(4096) + 1) };
    for segment in searcher.segment_readers() {
        let column = segment.fast_fields().u64(KEY)?.first_or_default_col(0);
        let alive = segment.alive_bitset();
        weight.for_each_pruning(best.bar(), segment, &mut |doc, score| {
            if alive.is_none_or(|alive| alive.is_alive(doc)) {
                let key = column.get_val(doc);
                if accept(key) {
                    best.offer(key, score);
                }
            }
            best.bar()
        })?;
    }
    Ok(best.into_sorted())
}

/// The score that no entry can exceed: every word of the query as often as can be.
pub(crate) fn bound(searcher: &Searcher, query: &LexicalQuery, field: Field) -> Outcome<f32> {
    // tantivy's BM25 has k1 = 1.2, so a word that occurs without end counts its rarity times 2.2.
    const SATURATED: f32 = 2.2;
    guarded(|| {
        let total = searcher.num_docs() as f32;
        let mut bound = 0.0;
        for (token, weight) in query.terms.iter().filter(|(_, weight)| weight.is_finite() && *weight > 0.0) {
            let having = searcher.doc_freq(&Term::from_field_text(field, token))? as f32;
            let rarity = (1.0 + (total - having + 0.5).max(0.5) / (having + 0.5)).ln();
            bound += weight * rarity * SATURATED;
        }
        Ok(bound)
    })
}

fn clauses(query: &LexicalQuery, field: Field) -> Vec<(Occur, Box<dyn Query>)> {
    let mut clauses: Vec<(Occur, Box<dyn Query>)> = Vec::with_capacity(query.terms.len());
    for (token, weight) in query.terms.iter().filter(|(_, weight)| weight.is_finite() && *weight > 0.0) {
        let term = TermQuery::new(Term::from_field_text(field, token), IndexRecordOption::WithFreqs);
        clauses.push((Occur::Should, Box::new(BoostQuery::new(Box::new(term), *weight))));
    }
    clauses
}

/// The best so far; the worst of them is on top of the heap.
struct Best {
    depth: usize,
    heap: BinaryHeap<Reverse<Entry>>,
}

struct Entry {
    score: f32,
    key: u64,
}

impl Best {
    fn bar(&self) -> f32 {
        match self.heap.peek() {
            Some(Reverse(worst)) if self.heap.len() >= self.depth => worst.score.next_down(),
            _ => f32::MIN,
        }
    }

    fn offer(&mut self, key: u64, score: f32) {
        self.heap.push(Reverse(Entry { score, key }));
        if self.heap.len() > self.depth {
            self.heap.pop();
        }
    }

    fn into_sorted(self) -> Vec<(u64, f32)> {
        let entries = self.heap.into_sorted_vec();
        entries.into_iter().map(|Reverse(entry)| (entry.key, entry.score)).collect()
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then(other.key.cmp(&self.key))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Entry {}
