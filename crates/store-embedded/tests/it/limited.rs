//! A store that is limited to some collections hands out nothing of the others, not even by the numbers of their rows.

use std::sync::Arc;

use docent_index::{Access, CollectionPattern, Filter, LimitedStore, Model, Pending, Store, StoreError};
use docent_store_embedded::{EmbeddedStore, OpenOptions};
use docent_testkit::{delete, embed_all, model, put, query, vector};

fn the_model() -> Model {
    model("m")
}

fn limited(store: &Arc<EmbeddedStore>, pattern: &str) -> LimitedStore {
    let access = Access::Only([CollectionPattern::new(pattern).unwrap()].into());
    LimitedStore::new(Arc::clone(store) as Arc<dyn Store>, access)
}

#[test]
fn rows_of_other_collections_cannot_be_read_by_their_numbers() {
    let dir = tempfile::tempdir().unwrap();
    let store = Arc::new(EmbeddedStore::open(dir.path(), OpenOptions::default()).unwrap());
    store
        .apply(&[put("open", "a.md", "# A\n\napple\n"), put("shut", "b.md", "# B\n\napple banana\n")])
        .unwrap();
    embed_all(&*store, &the_model());
    let (whole, some) = (store.snapshot().unwrap(), limited(&store, "op*").snapshot().unwrap());
    let hidden = whole.document_at("shut", "b.md").unwrap();
    let chunks = whole.chunk_ids(hidden.id);
    assert!(!chunks.is_empty() && whole.text(hidden.id).unwrap().is_some());
    assert_eq!(some.collections().len(), 1);
    assert!(some.document_at("shut", "b.md").is_none() && some.document(hidden.id).is_none());
    assert_eq!(some.text(hidden.id).unwrap(), None);
    assert!(some.chunks_of(hidden.id).unwrap().is_empty() && some.chunk_ids(hidden.id).is_empty());
    assert!(some.chunks(&chunks).unwrap().is_empty());
    assert_eq!(some.first_chunk(hidden.id, &Filter::default()), None);
    assert!(some.vectors_of(&the_model(), hidden.id).unwrap().is_empty());
    // Whatever a filter names, it reaches no further.
    let named = |names: &[&str]| Filter {
        collections: Some(names.iter().map(|name| (*name).to_owned()).collect()),
        ..Filter::default()
    };
    for (filter, count) in [(Filter::default(), 1), (named(&["shut"]), 0), (named(&["shut", "open"]), 1)] {
        assert_eq!(some.documents(&filter).len(), count);
        assert_eq!(some.counts(Some(&the_model()), &filter).documents, count);
        assert_eq!(some.lexical(&query("apple"), &filter, 10).unwrap().chunks.len(), count);
        assert_eq!(
            some.nearest(&the_model(), &vector(&the_model(), "apple"), &filter, 10).unwrap().len(),
            count
        );
    }
}

#[test]
fn other_collections_cannot_be_written_to() {
    let dir = tempfile::tempdir().unwrap();
    let store = Arc::new(EmbeddedStore::open(dir.path(), OpenOptions::default()).unwrap());
    store.apply(&[put("open", "a.md", "# A\n"), put("shut", "b.md", "# B\n\nbanana\n")]).unwrap();
    let some = limited(&store, "open");
    let is_refused = |outcome: Result<(), StoreError>| matches!(outcome, Err(StoreError::OutOfReach { .. }));
    // One step of many is enough.
    assert!(is_refused(some.apply(&[put("open", "c.md", "# C\n"), put("shut", "c.md", "# C\n")]).map(drop)));
    assert!(is_refused(some.apply(&[delete("shut", "b.md")]).map(drop)));
    assert!(is_refused(some.remove_collection("shut")));
    assert!(is_refused(some.rename_collection("shut", "open")));
    assert!(is_refused(some.rename_collection("open", "shut2")));
    assert!(is_refused(some.remove_collection("nothing")), "be there one or not");
    assert_eq!(store.snapshot().unwrap().counts(None, &Filter::default()).documents, 2);
    some.apply(&[put("open", "c.md", "# C\n\ncherry\n")]).unwrap();
    let pending = some.pending_in(&the_model(), Pending::default(), 10).unwrap();
    assert!(
        !pending.is_empty() && pending.iter().all(|passage| !passage.text.contains("banana")),
        "{pending:?}"
    );
}
