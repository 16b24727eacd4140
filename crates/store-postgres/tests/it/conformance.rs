//! The Store conformance suite, once for each server.

use std::sync::Arc;

use docent_index::Store;
use docent_store_postgres::{PostgresOptions, PostgresStore};
use docent_testkit::{Database, Postgres, StoreUnderTest};

struct Place(Option<Database>);

impl Place {
    fn new(server: usize) -> Self {
        Self(Postgres::server(server).map(Postgres::database))
    }
}

impl StoreUnderTest for Place {
    fn open(&self) -> Arc<dyn Store> {
        let url = self.0.as_ref().expect("only what is available is opened").url();
        Arc::new(PostgresStore::open(&url, PostgresOptions::default()).unwrap())
    }

    fn is_available(&self) -> bool {
        self.0.is_some()
    }
}

mod first_server {
    docent_testkit::store_suite!(|| super::Place::new(0));
}

mod second_server {
    docent_testkit::store_suite!(|| super::Place::new(1));
}

mod third_server {
    docent_testkit::store_suite!(|| super::Place::new(2));
}
