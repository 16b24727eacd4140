//! What every store must do, one function a rule; the name says the rule.
//!
//! [`store_suite!`](crate::store_suite) turns the list into tests. A rule takes the place under test, opens as many
//! handles as it needs and panics when the rule does not hold.

mod collections;
mod lexical;
mod pages;
mod readers;
mod vectors;
mod writing;

use std::sync::Arc;

use docent_index::{DocumentRecord, Filter, Snapshot, Store};

pub use collections::*;
pub use lexical::*;
pub use pages::*;
pub use readers::*;
pub use vectors::*;
pub use writing::*;

use crate::query;

/// An empty place for a store, made anew for each rule.
pub trait StoreUnderTest {
    /// Another handle on the same place, as another process would have it.
    fn open(&self) -> Arc<dyn Store>;

    /// Whether there is anything to test on. Who says no has told why.
    fn is_available(&self) -> bool {
        true
    }
}

/// Makes one test of each rule. `$make` is a function that gives a fresh [`StoreUnderTest`].
#[macro_export]
macro_rules! store_suite {
    ($make:expr) => {
        $crate::store_suite! { $make =>
            put_then_found_lexically,
            headings_and_titles_are_found,
            chunks_that_are_not_searchable_are_not_found,
            whole_documents_are_ranked_too,
            filters_are_applied_before_cutting_to_k,
            facet_expressions_filter,
            a_document_can_be_left_out,
            equal_scores_are_ordered_deterministically,
            weights_of_words_count,
            scores_of_given_chunks_are_those_of_a_search,
            unknown_words_and_empty_queries_find_nothing,
            depth_zero_finds_nothing,
            replacing_keeps_the_uuid_and_changes_the_row,
            replacing_replaces_what_is_found,
            putting_the_same_again_changes_nothing,
            putting_the_same_content_with_another_state_is_a_touch,
            touch_changes_only_the_state,
            touching_and_deleting_what_is_not_there_changes_nothing,
            deleted_documents_are_gone,
            a_failure_replaces_the_document_and_a_put_the_failure,
            a_batch_is_one_generation,
            the_last_change_of_a_path_in_a_batch_wins,
            a_bad_document_spoils_the_whole_batch,
            texts_come_back_byte_for_byte,
            chunks_come_back_in_the_order_asked_for,
            collections_are_separate,
            removing_a_collection_removes_its_documents,
            a_collection_gets_another_root_and_keeps_its_documents,
            what_is_said_about_a_collection_is_kept_and_is_content,
            facets_are_counted_under_a_filter,
            replacing_a_collection_leaves_exactly_what_was_said,
            replacing_a_collection_keeps_rows_and_vectors,
            replacing_with_the_same_changes_nothing,
            an_abandoned_replacement_leaves_the_old,
            an_outdated_replacement_changes_nothing,
            a_collection_is_wholly_old_or_new_for_readers,
            renaming_a_collection_keeps_its_documents,
            details_and_pages_come_back,
            a_document_gets_the_uuid_that_it_brings,
            other_details_are_another_version,
            a_condition_on_pages_counts_before_cutting_to_k,
            a_condition_on_ordinals_counts_before_cutting_to_k,
            only_the_named_rows_are_searched,
            the_first_chunk_that_passes,
            documents_can_come_with_their_vectors,
            vectors_that_do_not_fit_spoil_the_whole_batch,
            purging_keeps_what_is_there,
            purging_tells_which_passages_nobody_has,
            pending_shrinks_as_vectors_arrive,
            pending_is_oldest_first_and_limited,
            pending_of_some_collections_leaves_the_others,
            nearest_finds_the_same_words,
            nearest_filters_before_cutting_to_k,
            nearest_agrees_with_similarities,
            similarities_of_unembedded_chunks_are_none,
            nearest_leaves_out_a_document,
            several_nearest_queries_find_what_each_finds_alone,
            vectors_of_a_document_come_in_order,
            vectors_of_a_document_are_those_of_the_snapshot,
            an_edit_keeps_the_vectors_of_unchanged_passages,
            vectors_of_passages_that_are_gone_are_passed_over,
            vectors_of_the_wrong_length_are_refused,
            models_are_kept_apart,
            retiring_other_models_keeps_the_one,
            many_edits_keep_vectors_right,
            reopening_keeps_everything,
            two_handles_see_each_others_writes,
            a_snapshot_stays_what_it_is,
            a_document_is_wholly_old_or_new_for_readers,
            writers_of_two_handles_take_turns,
            only_one_holds_a_lease,
            the_secret_belongs_to_the_index,
            figures_are_plausible,
        }
    };
    ($make:expr => $($rule:ident),* $(,)?) => {
        $(
            #[test]
            fn $rule() {
                let place = $make();
                if $crate::StoreUnderTest::is_available(&place) {
                    $crate::suite::$rule(&place);
                }
            }
        )*
    };
}

/// Paths of the documents whose chunks were found, best first, each once.
fn found(snapshot: &dyn Snapshot, words: &str, filter: &Filter, depth: usize) -> Vec<String> {
    let hits = snapshot.lexical(&query(words), filter, depth).unwrap();
    let mut paths = Vec::new();
    for hit in hits.chunks {
        let path = snapshot.document(hit.document).unwrap().path.clone();
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    paths
}

fn at(snapshot: &dyn Snapshot, path: &str) -> Arc<DocumentRecord> {
    snapshot.document_at("docs", path).unwrap_or_else(|| panic!("{path} is not there"))
}

fn sound(store: &dyn Store) {
    let report = store.check().unwrap();
    assert_eq!(report.problems, Vec::<String>::new());
    assert!(!report.checked.is_empty());
}

fn all() -> Filter {
    Filter::default()
}
