//! Facts in memory in front of the store, because the states of one run share most of their files.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::facts::FactStore;

/// So many bytes are kept.
const MOST: usize = 192 << 20;

pub(crate) struct Remembered {
    below: Arc<dyn FactStore>,
    known: Mutex<(HashMap<String, Vec<u8>>, usize)>,
}

impl Remembered {
    pub(crate) fn over(below: Arc<dyn FactStore>) -> Self {
        Self { below, known: Mutex::default() }
    }

    fn remember(&self, key: &str, bytes: &[u8]) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.1 + bytes.len() + key.len() <= MOST {
            known.1 += bytes.len() + key.len();
            known.0.insert(key.to_owned(), bytes.to_vec());
        }
    }
}

impl FactStore for Remembered {
    fn get(&self, key: &str) -> Option<Vec<u8>> {
        if let Some(bytes) = self.known.lock().unwrap_or_else(PoisonError::into_inner).0.get(key) {
            return Some(bytes.clone());
        }
        let bytes = self.below.get(key)?;
        self.remember(key, &bytes);
        Some(bytes)
    }

    fn put(&self, key: &str, bytes: &[u8]) {
        self.remember(key, bytes);
        self.below.put(key, bytes);
    }
}
