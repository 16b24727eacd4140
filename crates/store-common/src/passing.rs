//! Which documents and chunks pass a filter, and how much that is.
//!
//! A search asks several times: for either side of the ranking and for what it tells of each collection. Searches of
//! one agent mostly have the same filters, so a view keeps the latest. A document that is left out is not part of what
//! is kept: it is another one each time.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use docent_index::{Counts, Filter};

use crate::{Catalog, keys};

/// The vectors of one model in a view, as far as counting them goes.
pub trait EmbeddedRows {
    /// A number of the model's own in this view.
    fn model(&self) -> i64;
    /// How many there are.
    fn live(&self) -> usize;
    /// How many a document has.
    fn live_of(&self, document: u64) -> usize;
    /// How many the documents have that pass.
    fn live_where(&self, accept: &dyn Fn(u64) -> bool) -> usize;
}

/// Filters that are kept. Every collection by itself is one.
const KEPT: usize = 64;
/// Words of 64 documents that are sent with a search: half a million documents.
const MOST_SENT: usize = 8192;

/// What passes the latest filters, the latest last.
#[derive(Default)]
pub struct Recent(Mutex<Vec<(Filter, Arc<Passing>)>>);

impl Recent {
    /// What passes `filter` in `catalog`, which is always the same one.
    pub fn allowed(&self, catalog: &Catalog, filter: &Filter) -> Allowed {
        let except = filter.except.map(|document| document.0);
        let filter = Filter { except: None, ..filter.clone() };
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = match kept.iter().position(|(known, _)| *known == filter) {
            Some(at) => kept.remove(at),
            None => {
                let passing = Arc::new(Passing::new(catalog, &filter));
                (filter, passing)
            }
        };
        let passing = entry.1.clone();
        if kept.len() >= KEPT {
            kept.remove(0);
        }
        kept.push(entry);
        let except = except.filter(|document| passing.documents.contains(*document));
        Allowed { passing, except }
    }
}

/// The documents that pass a filter, to be asked many times.
pub struct Allowed {
    passing: Arc<Passing>,
    /// One of them that does not.
    except: Option<u64>,
}

impl Allowed {
    /// Whether every document of the view passes.
    pub fn is_everything(&self) -> bool {
        matches!(self.passing.documents, Documents::All) && self.except.is_none() && self.chunks().is_none()
    }

    /// Whether a document passes.
    pub fn contains(&self, document: u64) -> bool {
        self.passing.documents.contains(document) && self.except != Some(document)
    }

    /// Whether a chunk passes.
    pub fn contains_chunk(&self, chunk: u64) -> bool {
        self.chunks().is_none_or(|chunks| chunks.contains(&chunk))
            && self.contains(keys::document_of_chunk(chunk))
    }

    /// The chunks that pass, where the filter has a condition on chunks.
    pub fn chunks(&self) -> Option<&HashSet<u64>> {
        self.passing.chunks.as_ref()
    }

    /// The documents that pass as one bit for each number, for a server that is to pick them; the one that is left out is
    /// among them. `None` where all pass, or where that is too long to be sent with each search.
    pub fn picked(&self) -> Option<Picked> {
        let Documents::Dense { first, bits } = &self.passing.documents else { return None };
        if bits.len() > MOST_SENT {
            return None;
        }
        Some(Picked { first: *first, bits: bits.iter().flat_map(|word| word.to_le_bytes()).collect() })
    }

    /// Documents, chunks and passages that pass.
    pub fn counts(&self, catalog: &Catalog) -> Counts {
        let mut counts = self.passing.counts;
        if let Some(out) = self.except.map(|document| catalog.counts_of(document, &self.passing.filter)) {
            counts.documents -= out.documents;
            counts.chunks -= out.chunks;
            counts.passages -= out.passages;
        }
        counts
    }

    /// Vectors of documents that pass.
    pub fn embedded(&self, table: &dyn EmbeddedRows) -> usize {
        let out = self.except.map_or(0, |document| table.live_of(document));
        self.passing.embedded(table) - out
    }
}

/// Document numbers from the first on: the lowest bit of the first byte is the first one's.
pub struct Picked {
    /// The number that the first bit stands for.
    pub first: u64,
    /// A whole number of words of eight bytes.
    pub bits: Vec<u8>,
}

struct Passing {
    documents: Documents,
    filter: Filter,
    chunks: Option<HashSet<u64>>,
    counts: Counts,
    /// Vectors of these documents, by the model's number; counted when first asked for.
    embedded: Mutex<Vec<(i64, usize)>>,
}

impl Passing {
    fn new(catalog: &Catalog, filter: &Filter) -> Self {
        let (documents, counts) = match catalog.lets_all_through(filter) {
            true => (Documents::All, catalog.totals()),
            false => {
                let ids: Vec<u64> = catalog.matching(filter).map(|record| record.id.0).collect();
                (Documents::new(&ids), catalog.counts(filter))
            }
        };
        let chunks = catalog.chunks(filter);
        Self { documents, filter: filter.clone(), chunks, counts, embedded: Mutex::default() }
    }

    fn embedded(&self, table: &dyn EmbeddedRows) -> usize {
        if let Documents::All = self.documents {
            return table.live();
        }
        let mut known = self.embedded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, count)) = known.iter().find(|(model, _)| *model == table.model()) {
            return *count;
        }
        let count = table.live_where(&|document| self.documents.contains(document));
        known.push((table.model(), count));
        count
    }
}

/// A set of document numbers.
enum Documents {
    /// Every document of the view. Its searchers and tables hold no others, so nobody has to be asked.
    All,
    /// One bit for each number from the first on. Numbers are given out in order, so there are few gaps.
    Dense { first: u64, bits: Vec<u64> },
    /// After very many edits there are.
    Sparse(HashSet<u64>),
}

impl Documents {
    fn new(ids: &[u64]) -> Self {
        let (Some(first), Some(last)) = (ids.iter().min(), ids.iter().max()) else {
            return Self::Sparse(HashSet::new());
        };
        let words = (last - first) as usize / 64 + 1;
        if words > 64 + ids.len() {
            return Self::Sparse(ids.iter().copied().collect());
        }
        let mut bits = vec![0; words];
        for id in ids {
            let at = id - first;
            bits[at as usize / 64] |= 1 << (at % 64);
        }
        Self::Dense { first: *first, bits }
    }

    fn contains(&self, document: u64) -> bool {
        match self {
            Self::All => true,
            Self::Dense { first, bits } => {
                let Some(at) = document.checked_sub(*first) else { return false };
                bits.get((at / 64) as usize).is_some_and(|word| word >> (at % 64) & 1 == 1)
            }
            Self::Sparse(ids) => ids.contains(&document),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Documents;

    fn check(ids: &[u64]) {
        let set = Documents::new(ids);
        for id in ids.iter().flat_map(|id| [id.saturating_sub(1), *id, id + 1, id + 64]) {
            assert_eq!(set.contains(id), ids.contains(&id), "{id} in {ids:?}");
        }
        assert!(!set.contains(u64::MAX >> 18) && (ids.contains(&0) || !set.contains(0)));
    }

    #[test]
    fn a_set_has_what_was_put_in() {
        check(&[]);
        check(&[0]);
        check(&[5, 1000, 63, 64, 65, 127, 128]);
        check(&[7, 1 << 40]);
        check(&(1..5000).step_by(3).collect::<Vec<_>>());
    }
}
