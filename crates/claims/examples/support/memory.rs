//! Facts in memory, for examples that verify more than once.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use docent_claims::FactStore;

#[derive(Default)]
pub(crate) struct Memory(Mutex<HashMap<String, Vec<u8>>>);

impl FactStore for Memory {
    fn get(&self, key: &str) -> Option<Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    fn put(&self, key: &str, bytes: &[u8]) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(key.to_owned(), bytes.to_vec());
    }
}
