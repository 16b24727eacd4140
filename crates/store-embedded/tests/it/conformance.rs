//! The Store conformance suite.

use std::sync::Arc;

use docent_index::Store;
use docent_store_embedded::{EmbeddedStore, OpenOptions};
use docent_testkit::StoreUnderTest;
use tempfile::TempDir;

struct Place(TempDir);

impl StoreUnderTest for Place {
    fn open(&self) -> Arc<dyn Store> {
        Arc::new(EmbeddedStore::open(self.0.path(), OpenOptions::default()).unwrap())
    }
}

docent_testkit::store_suite!(|| Place(tempfile::tempdir().unwrap()));
