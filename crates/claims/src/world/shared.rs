//! Facts as they are used, shared by all states of a run.
//!
//! States of a repository share most of their contents. Keeping facts as bytes alone would decode the same ones again for
//! each state, which was most of the time of a first run.

use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::facts::Facts;

/// So many bytes are kept, as they are when encoded; in memory facts are about three times as large.
const MOST: usize = 128 << 20;

/// Facts by kind and content.
#[derive(Default)]
pub struct SharedFacts {
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    facts: HashMap<String, Arc<dyn Any + Send + Sync>>,
    size: usize,
}

impl SharedFacts {
    pub(super) fn get<F: Facts>(&self, key: &str) -> Option<Arc<F>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(known.facts.get(key)?).downcast().ok()
    }

    pub(super) fn put<F: Facts>(&self, key: String, facts: Arc<F>, size: usize) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.size += size + key.len();
        if known.size > MOST {
            // Starting anew is cheaper than remembering who asked last.
            known.facts.clear();
            known.size = size + key.len();
        }
        known.facts.insert(key, facts);
    }
}

impl std::fmt::Debug for SharedFacts {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("SharedFacts")
    }
}
