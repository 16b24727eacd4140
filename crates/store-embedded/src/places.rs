//! Where an entry stands in a lexical index, and its score there.
//!
//! The best entries come out of [`query`](crate::query); this answers for given ones, which the vector side proposed. A
//! segment never changes, so the list of who stands where is made once for each and shared by all views that hold it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use docent_index::LexicalQuery;
use tantivy::index::SegmentId;
use tantivy::query::{EnableScoring, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, DocSet, Searcher, SegmentReader, Term};

use crate::fault::Outcome;
use crate::guard::guarded;
use crate::lexical::KEY;

/// Numbers of a segment's entries with their places, by number.
type Places = Arc<Vec<(u64, DocId)>>;

/// The lists of all segments that were asked for.
#[derive(Default)]
pub(crate) struct PlaceCache(Mutex<HashMap<SegmentId, Places>>);

impl PlaceCache {
    /// BM25 of each of these entries; 0 for one that has no word of the query.
    pub(crate) fn scores(
        &self,
        searcher: &Searcher,
        query: &LexicalQuery,
        field: Field,
        keys: &[u64],
    ) -> Outcome<Vec<f32>> {
        guarded(|| self.compute(searcher, query, field, keys))
    }

    fn compute(
        &self,
        searcher: &Searcher,
        query: &LexicalQuery,
        field: Field,
        keys: &[u64],
    ) -> Outcome<Vec<f32>> {
        let mut scores = vec![0.0; keys.len()];
        let mut weights = Vec::with_capacity(query.terms.len());
        for (token, boost) in query.terms.iter().filter(|(_, boost)| boost.is_finite() && *boost > 0.0) {
            let term = TermQuery::new(Term::from_field_text(field, token), IndexRecordOption::WithFreqs);
            weights.push((term.weight(EnableScoring::enabled_from_searcher(searcher))?, *boost));
        }
        for segment in searcher.segment_readers() {
            let places = self.places(segment)?;
            let place = |(at, key): (usize, &u64)| {
                let found = places.binary_search_by_key(key, |(key, _)| *key).ok()?;
                Some((places[found].1, at))
            };
            let mut here: Vec<(DocId, usize)> = keys.iter().enumerate().filter_map(place).collect();
            here.sort_unstable();
            if here.is_empty() {
                continue;
            }
            for (weight, boost) in &weights {
                let mut scorer = weight.scorer(segment, *boost)?;
                for (doc, at) in &here {
                    if scorer.doc() < *doc {
                        scorer.seek(*doc);
                    }
                    if scorer.doc() == *doc {
                        scores[*at] += scorer.score();
                    }
                }
            }
        }
        Ok(scores)
    }

    /// The same from the scores of all entries of each segment.
    pub(crate) fn pick(&self, searcher: &Searcher, scores: &[Vec<f32>], keys: &[u64]) -> Outcome<Vec<f32>> {
        guarded(|| {
            let mut picked = vec![0.0; keys.len()];
            for (segment, scores) in searcher.segment_readers().iter().zip(scores) {
                let places = self.places(segment)?;
                // Entries come in the order of their numbers, so that segments mostly have ranges of their own.
                let (Some((lowest, _)), Some((highest, _))) = (places.first(), places.last()) else {
                    continue;
                };
                for (picked, key) in
                    picked.iter_mut().zip(keys).filter(|(_, key)| (lowest..=highest).contains(key))
                {
                    if let Ok(found) = places.binary_search_by_key(key, |(key, _)| *key) {
                        *picked = scores.get(places[found].1 as usize).copied().unwrap_or(0.0);
                    }
                }
            }
            Ok(picked)
        })
    }

    fn places(&self, segment: &SegmentReader) -> Outcome<Places> {
        let id = segment.segment_id();
        if let Some(places) = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&id) {
            return Ok(places.clone());
        }
        let column = segment.fast_fields().u64(KEY)?.first_or_default_col(0);
        let mut places: Vec<(u64, DocId)> =
            (0..segment.max_doc()).map(|doc| (column.get_val(doc), doc)).collect();
        places.sort_unstable();
        let places = Arc::new(places);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(id, places.clone());
        Ok(places)
    }

    /// Forgets segments that `searchers` do not hold.
    pub(crate) fn keep_only(&self, searchers: [&Searcher; 2]) {
        let readers = || searchers.iter().flat_map(|searcher| searcher.segment_readers());
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.retain(|id, _| readers().any(|segment| segment.segment_id() == *id));
    }
}
