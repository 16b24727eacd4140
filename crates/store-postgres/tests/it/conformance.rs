//! The Store conformance suite, once for each server.

use std::sync::Arc;
use std::time::Duration;

use docent_index::Store;
use docent_store_postgres::{PostgresOptions, PostgresStore};
use docent_testkit::{Database, Postgres, StoreUnderTest};

struct Place {
    database: Option<Database>,
    options: PostgresOptions,
}

impl Place {
    fn new(server: usize) -> Self {
        // A busy machine is no outage.
        let options = PostgresOptions { outage: Duration::from_secs(60), ..PostgresOptions::default() };
        Self { database: Postgres::server(server).map(Postgres::database), options }
    }

    /// No vectors in memory, and none read one by one: everything goes through the server.
    fn without_vectors(server: usize) -> Self {
        let mut place = Self::new(server);
        place.options.vectors_in_memory = Some(0);
        place.options.vectors_read = 0;
        place
    }
}

impl StoreUnderTest for Place {
    fn open(&self) -> Arc<dyn Store> {
        let url = self.database.as_ref().expect("only what is available is opened").url();
        Arc::new(PostgresStore::open(&url, self.options.clone()).unwrap())
    }

    fn is_available(&self) -> bool {
        self.database.is_some()
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

mod vectors_on_the_server {
    docent_testkit::store_suite! { || super::Place::without_vectors(0) =>
        a_document_can_be_left_out,
        a_condition_on_pages_counts_before_cutting_to_k,
        a_condition_on_ordinals_counts_before_cutting_to_k,
        only_the_named_rows_are_searched,
        documents_can_come_with_their_vectors,
        purging_keeps_what_is_there,
        nearest_finds_the_same_words,
        nearest_filters_before_cutting_to_k,
        nearest_agrees_with_similarities,
        similarities_of_unembedded_chunks_are_none,
        nearest_leaves_out_a_document,
        several_nearest_queries_find_what_each_finds_alone,
        vectors_of_a_document_come_in_order,
        vectors_of_a_document_are_those_of_the_snapshot,
        an_edit_keeps_the_vectors_of_unchanged_passages,
        models_are_kept_apart,
        retiring_other_models_keeps_the_one,
        many_edits_keep_vectors_right,
        a_snapshot_stays_what_it_is,
    }
}
