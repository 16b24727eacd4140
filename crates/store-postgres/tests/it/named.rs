//! A process that serves named collections: for it the others are not there.

use std::sync::Arc;

use docent_index::{Collection, Filter, Snapshot, Store};
use docent_store_postgres::{PostgresOptions, PostgresStore};
use docent_testkit::{Database, Postgres, put, query};

fn paths(snapshot: &Arc<dyn Snapshot>) -> Vec<String> {
    let documents = snapshot.documents(&Filter::default());
    documents.iter().map(|document| format!("{}/{}", document.collection, document.path)).collect()
}

fn open(database: &Database, names: Option<&[&str]>) -> PostgresStore {
    let collections = names.map(|names| names.iter().map(|name| (*name).to_owned()).collect());
    PostgresStore::open(&database.url(), PostgresOptions { collections, ..PostgresOptions::default() })
        .unwrap()
}

#[test]
fn only_named_collections_are_there_and_their_changes_arrive() {
    for server in 0..3 {
        let Some(database) = Postgres::server(server).map(Postgres::database) else { return };
        let whole = open(&database, None);
        for (name, word) in [("one", "apple"), ("two", "platypus")] {
            let collection = Collection {
                name: name.to_owned(),
                root: String::new(),
                cut: String::new(),
                about: String::new(),
            };
            whole.put_collection(&collection).unwrap();
            whole.apply(&[put(name, "a.md", &format!("# A\n\n{word} and more\n"))]).unwrap();
        }
        let names = PostgresStore::collections(&database.url(), None, PostgresOptions::default()).unwrap();
        assert_eq!(names.iter().map(|known| known.name.as_str()).collect::<Vec<_>>(), ["one", "two"]);
        let some = open(&database, Some(&["one", "later"]));
        let found = |word: &str| {
            let hits = some.snapshot().unwrap().lexical(&query(word), &Filter::default(), 10).unwrap();
            hits.chunks.len()
        };
        assert_eq!(paths(&some.snapshot().unwrap()), ["one/a.md"]);
        assert_eq!((found("apple"), found("platypus")), (1, 0));
        whole
            .apply(&[put("one", "b.md", "# B\n\napple\n"), put("two", "b.md", "# B\n\nplatypus\n")])
            .unwrap();
        assert_eq!(paths(&some.snapshot().unwrap()), ["one/a.md", "one/b.md"]);
        assert_eq!((found("apple"), found("platypus")), (2, 0));
        // One that takes a name comes with all that it had before.
        whole.rename_collection("two", "later").unwrap();
        assert_eq!(paths(&some.snapshot().unwrap()), ["later/a.md", "later/b.md", "one/a.md", "one/b.md"]);
        assert_eq!((found("apple"), found("platypus")), (2, 2));
        whole.rename_collection("one", "gone").unwrap();
        assert_eq!(paths(&some.snapshot().unwrap()), ["later/a.md", "later/b.md"]);
        assert_eq!(whole.check().unwrap().problems, Vec::<String>::new());
    }
}
