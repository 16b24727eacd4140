//! Postings that were read before. A segment never changes, so what is kept never has to be looked at again.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use super::postings::PackedTerm;

/// What an entry costs beside its list.
const OVERHEAD: usize = 96;

/// What a segment has of a term.
#[derive(Clone)]
pub(crate) enum Kept {
    /// Nothing.
    None,
    /// How many entries have it; the list was not asked for.
    Counts(PackedTerm),
    /// All.
    Whole(PackedTerm),
}

/// The latest postings, up to a number of bytes.
pub(crate) struct PostingCache {
    most: usize,
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    bytes: usize,
    terms: HashMap<(i64, i64), Kept>,
    /// The oldest first.
    order: VecDeque<(i64, i64)>,
}

impl PostingCache {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, held: Mutex::default() }
    }

    /// What is known of a segment's term.
    pub(crate) fn get(&self, segment: i64, term: i64) -> Option<Kept> {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.terms.get(&(segment, term)).cloned()
    }

    pub(crate) fn put(&self, segment: i64, term: i64, kept: Kept) {
        let size = |kept: &Kept| match kept {
            Kept::None => OVERHEAD,
            Kept::Counts(term) | Kept::Whole(term) => OVERHEAD + term.list.len(),
        };
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.bytes += size(&kept);
        match held.terms.insert((segment, term), kept) {
            Some(before) => held.bytes -= size(&before),
            None => held.order.push_back((segment, term)),
        }
        while held.bytes > self.most
            && let Some(oldest) = held.order.pop_front()
        {
            if let Some(gone) = held.terms.remove(&oldest) {
                held.bytes -= size(&gone);
            }
        }
    }
}
