//! BM25 over one lexical index, with the filter applied before the best are chosen.
//!
//! Where there are few enough postings, all of them are read: one word after the other is added to the scores of the
//! entries that have it, which is faster than it sounds, because nothing is compared, sorted or jumped to. Where there
//! are more, tantivy skips whole blocks that cannot reach the score of the worst hit so far. An entry that the filter
//! rejects does not raise that score, so either way the result is exact: the best `depth` of those that pass. Equal
//! scores are ordered by number, and the bar is set just below the worst hit so that an equal one with a lower number
//! still gets in.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use docent_index::LexicalQuery;
use tantivy::postings::TermInfo;
use tantivy::query::{
    Bm25StatisticsProvider, Bm25Weight, BooleanQuery, BoostQuery, EnableScoring, Occur, Query, TermQuery,
};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{Searcher, SegmentReader, Term};

use crate::fault::Outcome;
use crate::guard::guarded;
use crate::lexical::KEY;

/// Postings of a segment up to which all are read. A posting takes about two nanoseconds.
const FEW: u64 = 2_000_000;
/// Entries of a segment up to which each is given a score, whether it has a word of the query or not.
const SMALL: u32 = 1_000_000;
/// Scores that are looked at together.
const LANES: usize = 32;

/// What was found.
#[derive(Default)]
pub(crate) struct Answer {
    /// The best entries, best first.
    pub(crate) best: Vec<(u64, f32)>,
    /// The scores of all entries of each segment, when all were read.
    pub(crate) scores: Option<Vec<Vec<f32>>>,
}

/// The best `depth` entries that `accept` takes.
pub(crate) fn best(
    searcher: &Searcher,
    query: &LexicalQuery,
    field: Field,
    depth: usize,
    accept: impl FnMut(u64) -> bool,
) -> Outcome<Answer> {
    best_reading(searcher, query, field, depth, FEW, accept)
}

/// [`best`], reading all postings of segments that have at most `few`.
fn best_reading(
    searcher: &Searcher,
    query: &LexicalQuery,
    field: Field,
    depth: usize,
    few: u64,
    mut accept: impl FnMut(u64) -> bool,
) -> Outcome<Answer> {
    if !query.terms.iter().any(is_sound) || depth == 0 {
        return Ok(Answer::default());
    }
    guarded(|| {
        let words = words(searcher, query, field)?;
        let mut best = Best { depth, heap: BinaryHeap::with_capacity(depth.min(4096) + 1) };
        let mut all = Some(Vec::new());
        for segment in searcher.segment_readers() {
            let lists = lists(segment, &words, field)?;
            let postings: u64 = lists.iter().map(|(list, _)| u64::from(list.doc_freq)).sum();
            if postings <= few && segment.max_doc() <= SMALL {
                let scores = add_up(segment, &lists, field)?;
                choose(segment, &scores, &mut best, &mut accept)?;
                if let Some(all) = &mut all {
                    all.push(scores);
                }
            } else {
                prune(searcher, segment, query, field, &mut best, &mut accept)?;
                all = None;
            }
        }
        Ok(Answer { best: best.into_sorted(), scores: all })
    })
}

/// The words of a query with their weight in BM25.
fn words(searcher: &Searcher, query: &LexicalQuery, field: Field) -> Outcome<Vec<(Term, Bm25Weight)>> {
    let total = searcher.total_num_docs()?;
    let average = searcher.total_num_tokens(field)? as f32 / total as f32;
    let weight = |(token, weight): &(String, f32)| {
        let term = Term::from_field_text(field, token);
        let having = Bm25StatisticsProvider::doc_freq(searcher, &term)?;
        let bm25 = Bm25Weight::for_one_term_without_explain(having, total, average);
        Ok((term, bm25.boost_by(*weight)))
    };
    query.terms.iter().filter(|term| is_sound(term)).map(weight).collect()
}

/// Where the postings of the words are that a segment has.
fn lists<'w>(
    segment: &SegmentReader,
    words: &'w [(Term, Bm25Weight)],
    field: Field,
) -> Outcome<Vec<(TermInfo, &'w Bm25Weight)>> {
    let index = segment.inverted_index(field)?;
    let mut lists = Vec::with_capacity(words.len());
    for (term, weight) in words {
        lists.extend(index.get_term_info(term)?.map(|list| (list, weight)));
    }
    Ok(lists)
}

/// Reads all postings: the score of every entry.
fn add_up(segment: &SegmentReader, lists: &[(TermInfo, &Bm25Weight)], field: Field) -> Outcome<Vec<f32>> {
    let index = segment.inverted_index(field)?;
    let lengths = segment.get_fieldnorms_reader(field)?;
    let mut scores = vec![0.0f32; segment.max_doc() as usize];
    for (list, weight) in lists {
        let mut postings = index.read_block_postings_from_terminfo(list, IndexRecordOption::WithFreqs)?;
        while postings.block_len() > 0 {
            for (doc, frequency) in postings.docs().iter().zip(postings.freqs()) {
                scores[*doc as usize] += weight.score(lengths.fieldnorm_id(*doc), *frequency);
            }
            postings.advance();
        }
    }
    Ok(scores)
}

/// The best of the scores.
fn choose(
    segment: &SegmentReader,
    scores: &[f32],
    best: &mut Best,
    accept: &mut dyn FnMut(u64) -> bool,
) -> Outcome<()> {
    let column = segment.fast_fields().u64(KEY)?.first_or_default_col(0);
    let alive = segment.alive_bitset();
    let mut bar = best.bar().max(0.0);
    for (scores, first) in scores.chunks(LANES).zip((0..).step_by(LANES)) {
        // Most are below the bar, and many are compared faster together than one by one.
        if !scores.iter().fold(false, |any, score| any | (*score > bar)) {
            continue;
        }
        for (score, doc) in scores.iter().zip(first..) {
            if *score > bar && alive.is_none_or(|alive| alive.is_alive(doc)) {
                let key = column.get_val(doc);
                if accept(key) {
                    best.offer(key, *score);
                    bar = best.bar().max(0.0);
                }
            }
        }
    }
    Ok(())
}

/// Reads only what can be among the best.
fn prune(
    searcher: &Searcher,
    segment: &SegmentReader,
    query: &LexicalQuery,
    field: Field,
    best: &mut Best,
    accept: &mut dyn FnMut(u64) -> bool,
) -> Outcome<()> {
    let clauses = clauses(query, field);
    let weight = BooleanQuery::new(clauses).weight(EnableScoring::enabled_from_searcher(searcher))?;
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
    Ok(())
}

fn is_sound((_, weight): &(String, f32)) -> bool {
    weight.is_finite() && *weight > 0.0
}

/// The score that no entry can exceed: every word of the query as often as can be.
pub(crate) fn bound(searcher: &Searcher, query: &LexicalQuery, field: Field) -> Outcome<f32> {
    // tantivy's BM25 has k1 = 1.2, so a word that occurs without end counts its rarity times 2.2.
    const SATURATED: f32 = 2.2;
    guarded(|| {
        let total = searcher.num_docs() as f32;
        let mut bound = 0.0;
        for (token, weight) in query.terms.iter().filter(|term| is_sound(term)) {
            let having = searcher.doc_freq(&Term::from_field_text(field, token))? as f32;
            let rarity = (1.0 + (total - having + 0.5).max(0.5) / (having + 0.5)).ln();
            bound += weight * rarity * SATURATED;
        }
        Ok(bound)
    })
}

fn clauses(query: &LexicalQuery, field: Field) -> Vec<(Occur, Box<dyn Query>)> {
    let mut clauses: Vec<(Occur, Box<dyn Query>)> = Vec::with_capacity(query.terms.len());
    for (token, weight) in query.terms.iter().filter(|term| is_sound(term)) {
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

#[cfg(test)]
mod tests {
    use tantivy::{Index, IndexWriter, TantivyDocument};

    use super::*;
    use crate::lexical::schema;

    const WORDS: [&str; 8] = ["otter", "heron", "lynx", "badger", "beaver", "falcon", "salmon", "newt"];

    /// Entries in several segments, with words more and less often, every seventh deleted.
    fn searcher() -> (Searcher, Field) {
        let (schema, fields) = schema();
        let index = Index::create_in_ram(schema);
        let mut writer: IndexWriter = index.writer_with_num_threads(1, 15_000_000).unwrap();
        for number in 0..3000u64 {
            let mut entry = TantivyDocument::default();
            let words = WORDS.iter().enumerate().flat_map(|(at, word)| {
                let often = (number * 31 + at as u64 * 17) % (at as u64 + 3);
                std::iter::repeat_n(*word, if often < 3 { often as usize } else { 0 })
            });
            entry.add_text(fields.words, words.collect::<Vec<_>>().join(" "));
            entry.add_u64(fields.document, number);
            entry.add_u64(fields.key, number);
            writer.add_document(entry).unwrap();
            if number % 1000 == 999 {
                writer.commit().unwrap();
            }
        }
        for number in (0..3000).step_by(7) {
            writer.delete_term(Term::from_field_u64(fields.document, number));
        }
        writer.commit().unwrap();
        (index.reader().unwrap().searcher(), fields.words)
    }

    #[test]
    fn reading_all_postings_finds_what_pruning_finds() {
        let (searcher, field) = searcher();
        for words in [&WORDS[..], &WORDS[2..3], &WORDS[1..6], &["unknown", "newt"], &["unknown"]] {
            let terms = words.iter().zip(1..).map(|(word, at)| ((*word).to_owned(), 1.0 + at as f32 / 8.0));
            let query = LexicalQuery { terms: terms.collect() };
            for (depth, step) in [(1, 1), (10, 1), (200, 3), (5000, 2)] {
                let find =
                    |few| best_reading(&searcher, &query, field, depth, few, |key| key % step == 0).unwrap();
                let (all, pruned) = (find(u64::MAX), find(0));
                assert!(all.scores.is_some());
                // The words are added up in another order, so that the last bits differ and with them the order of
                // entries that are as good as equal.
                assert_eq!(all.best.len(), pruned.best.len());
                for ((key, score), (_, expected)) in all.best.iter().zip(&pruned.best) {
                    assert!((score - expected).abs() < 1e-4 && key % step == 0 && key % 7 != 0);
                }
            }
        }
    }
}
