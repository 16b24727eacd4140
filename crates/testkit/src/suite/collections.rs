//! Rules on whole collections: replaced as one, renamed.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use docent_index::{
    Abandoned, Collection, Entry, Failure, FileStat, Filter, Replaced, Replacement, Store, StoreError,
};

use super::{StoreUnderTest, all, at, found, sound};
use crate::{Over, document, embed_all, model, put, query, vector};

/// Afterwards the collection holds what was said and nothing else; other collections stay.
pub fn replacing_a_collection_leaves_exactly_what_was_said(place: &dyn StoreUnderTest) {
    let store = place.open();
    store.apply(&[put("more", "a.md", "# A\n\nquartz\n")]).unwrap();
    replace(&*store, "one", vec![page("a.md", "quartz"), page("b.md", "quartz"), failure("x.md")]);
    let before = store.snapshot().unwrap().generation();
    replace(&*store, "two", vec![page("b.md", "feldspar"), page("c.md", "mica")]);
    let snapshot = store.snapshot().unwrap();
    assert_eq!(snapshot.generation().0, before.0 + 1);
    assert_eq!(known(&*store).unwrap().about, "two");
    assert_eq!(found(&*snapshot, "quartz", &only_docs(), 10), Vec::<String>::new());
    assert_eq!(found(&*snapshot, "feldspar", &all(), 10), ["b.md"]);
    assert_eq!(found(&*snapshot, "quartz", &all(), 10), ["a.md"]);
    assert_eq!(snapshot.documents(&only_docs()).len(), 2);
    assert_eq!(snapshot.failures().unwrap(), []);
    assert_eq!(found(&*place.open().snapshot().unwrap(), "mica", &all(), 10), ["c.md"]);
    sound(&*store);
}

/// What is kept keeps its row and vectors; what is put again as it was does too.
pub fn replacing_a_collection_keeps_rows_and_vectors(place: &dyn StoreUnderTest) {
    let (store, model) = (place.open(), model("m"));
    replace(&*store, "one", vec![page("a.md", "otter"), page("b.md", "heron"), page("c.md", "lynx")]);
    embed_all(&*store, &model);
    let (a, b) = (at(&*store.snapshot().unwrap(), "a.md"), at(&*store.snapshot().unwrap(), "b.md"));
    let stat = FileStat { mtime_ns: 77, ..a.stat };
    replace(
        &*store,
        "one",
        vec![Entry::Keep { id: a.id, stat }, page("b.md", "heron"), page("c.md", "badger")],
    );
    let snapshot = store.snapshot().unwrap();
    let now = at(&*snapshot, "a.md");
    assert_eq!((now.id, &now.uuid, now.stat), (a.id, &a.uuid, stat));
    assert_eq!(at(&*snapshot, "b.md").id, b.id);
    assert_eq!(store.pending(&model, 10).unwrap().len(), 1);
    let near = snapshot.nearest(&model, &vector(&model, "Page otter"), &all(), 1).unwrap();
    assert_eq!(near[0].document, a.id);
    sound(&*store);
}

/// Nothing new is no generation; another word that is not content leaves the content's generation.
pub fn replacing_with_the_same_changes_nothing(place: &dyn StoreUnderTest) {
    let store = place.open();
    let entries = || vec![page("a.md", "quartz"), failure("x.md")];
    replace(&*store, "one", entries());
    let first = store.snapshot().unwrap();
    replace(&*store, "one", entries());
    assert_eq!(store.snapshot().unwrap().generation(), first.generation());
    let outcome = try_replace(&*store, "dated", false, entries());
    let dated = store.snapshot().unwrap();
    assert_eq!(outcome.unwrap(), Replaced::Done(dated.generation()));
    assert!(dated.generation() > first.generation());
    assert_eq!(dated.content_generation(), first.content_generation());
    assert_eq!(known(&*store).unwrap().about, "dated");
    replace(&*store, "said", entries());
    assert!(store.snapshot().unwrap().content_generation() > first.content_generation());
    sound(&*store);
}

/// Whatever ends it early, the old content and what is said of it stay, and the next writer gets on.
pub fn an_abandoned_replacement_leaves_the_old(place: &dyn StoreUnderTest) {
    let store = place.open();
    replace(&*store, "one", vec![page("a.md", "quartz"), page("b.md", "quartz")]);
    let before = store.snapshot().unwrap();
    let check_old = |handle: &dyn Store| {
        let snapshot = handle.snapshot().unwrap();
        assert_eq!(snapshot.generation(), before.generation());
        assert_eq!(snapshot.documents(&all()), before.documents(&all()));
        assert_eq!(found(&*snapshot, "quartz", &all(), 10).len(), 2);
        assert!(found(&*snapshot, "feldspar", &all(), 10).is_empty());
        assert_eq!(known(handle).unwrap().about, "one");
    };
    let collection = collection("two");
    let held = known(&*store);
    let run = |entries: Vec<Result<Entry, Abandoned>>| {
        let replacement = Replacement {
            collection: &collection,
            before: held.as_ref(),
            is_said_anew: true,
            entries: &mut entries.into_iter(),
        };
        store.replace_collection(replacement)
    };
    let outcome = run(vec![Ok(page("a.md", "feldspar")), Err(Abandoned), Ok(page("b.md", "feldspar"))]);
    assert_eq!(outcome.unwrap(), Replaced::Abandoned);
    check_old(&*store);
    let mut bad = document("docs", "bad.md", "# Bad\n");
    bad.chunks[0].bytes = 0..1_000_000;
    assert!(run(vec![Ok(page("a.md", "feldspar")), Ok(Entry::Put(Box::new(bad)))]).is_err());
    let stray = Entry::Put(Box::new(document("other", "a.md", "# A\n")));
    assert!(run(vec![Ok(page("a.md", "feldspar")), Ok(stray)]).is_err());
    check_old(&*store);
    check_old(&*place.open());
    sound(&*store);
    replace(&*store, "two", vec![page("a.md", "feldspar")]);
    assert_eq!(found(&*store.snapshot().unwrap(), "feldspar", &all(), 10), ["a.md"]);
    sound(&*store);
}

/// Who decided by an older state is told so, instead of mixing two.
pub fn an_outdated_replacement_changes_nothing(place: &dyn StoreUnderTest) {
    let (one, two) = (place.open(), place.open());
    replace(&*one, "one", vec![page("a.md", "quartz"), page("b.md", "quartz")]);
    let (held, kept) = (known(&*one), at(&*one.snapshot().unwrap(), "a.md"));
    let late = |before: Option<&Collection>| {
        let keep = Entry::Keep { id: kept.id, stat: kept.stat };
        let collection = collection("late");
        let replacement = Replacement {
            collection: &collection,
            before,
            is_said_anew: true,
            entries: &mut [Ok(page("c.md", "mica")), Ok(keep)].into_iter(),
        };
        one.replace_collection(replacement).unwrap()
    };
    assert_eq!(late(None), Replaced::Outdated);
    replace(&*two, "two", vec![page("a.md", "feldspar")]);
    assert_eq!(late(held.as_ref()), Replaced::Outdated);
    // The collection looks the same, and one of the rows to keep is another by now.
    assert_eq!(late(known(&*two).as_ref()), Replaced::Outdated);
    two.rename_collection("docs", "away").unwrap();
    assert_eq!(late(known(&*two).as_ref()), Replaced::Outdated);
    assert_eq!(found(&*one.snapshot().unwrap(), "feldspar", &all(), 10), ["a.md"]);
    assert!(found(&*one.snapshot().unwrap(), "mica", &all(), 10).is_empty());
    sound(&*one);
}

/// Readers of every handle see all of one version at any time, and never a part of it.
pub fn a_collection_is_wholly_old_or_new_for_readers(place: &dyn StoreUnderTest) {
    let (writer, reader) = (place.open(), place.open());
    let version = |round: usize| {
        let word = ["alpha", "beta"][round % 2];
        (0..20).map(|number| page(&format!("{}.md", number + round % 3), word)).collect::<Vec<_>>()
    };
    replace(&*writer, "0", version(0));
    assert_eq!(reader.snapshot().unwrap().documents(&all()).len(), 20);
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let over = Over(&done);
        let readers: Vec<_> = [&writer, &reader]
            .into_iter()
            .map(|handle| {
                scope.spawn(|| {
                    let mut seen = HashSet::new();
                    while !done.load(Ordering::Relaxed) {
                        let snapshot = handle.snapshot().unwrap();
                        let [old, new] = ["alpha", "beta"]
                            .map(|word| snapshot.lexical(&query(word), &all(), 50).unwrap().documents.len());
                        assert_eq!((old.min(new), old.max(new)), (0, 20));
                        let round: usize = snapshot.collections()[0].about.parse().unwrap();
                        assert_eq!(old > 0, round.is_multiple_of(2));
                        assert_eq!(snapshot.documents(&all()).len(), 20);
                        let hits = snapshot.lexical(&query("alpha beta"), &all(), 50).unwrap().chunks;
                        let ids: Vec<_> = hits.iter().map(|hit| hit.chunk).collect();
                        let is_whole = snapshot.chunks(&ids).unwrap().len() == 20;
                        // What is gone by now is in no snapshot any more.
                        assert!(is_whole || handle.snapshot().unwrap().generation() > snapshot.generation());
                        seen.insert(round);
                    }
                    seen.len()
                })
            })
            .collect();
        for round in 1..15 {
            replace(&*writer, &round.to_string(), version(round));
        }
        drop(over);
        for handle in readers {
            assert!(handle.join().unwrap() > 0);
        }
    });
    sound(&*writer);
}

/// Documents keep rows, uuids and vectors under another name, for every handle; a taken or unknown name is an error.
pub fn renaming_a_collection_keeps_its_documents(place: &dyn StoreUnderTest) {
    let (store, other, model) = (place.open(), place.open(), model("m"));
    replace(&*store, "one", vec![page("a.md", "otter"), page("b.md", "heron"), failure("x.md")]);
    store.apply(&[put("more", "a.md", "# A\n\notter\n")]).unwrap();
    embed_all(&*store, &model);
    let old = store.snapshot().unwrap();
    let a = at(&*old, "a.md");
    assert_eq!(other.snapshot().unwrap().generation(), old.generation());

    store.rename_collection("docs", "zoo@2").unwrap();
    for handle in [&store, &other, &place.open()] {
        let snapshot = handle.snapshot().unwrap();
        assert_eq!(snapshot.generation().0, old.generation().0 + 1);
        assert!(snapshot.content_generation() > old.content_generation());
        let now = snapshot.document_at("zoo@2", "a.md").unwrap();
        assert_eq!((now.id, &now.uuid, now.collection.as_str()), (a.id, &a.uuid, "zoo@2"));
        assert!(snapshot.document_at("docs", "a.md").is_none());
        assert!(snapshot.documents(&only_docs()).is_empty());
        let zoo = Filter { collections: Some(vec!["zoo@2".to_owned()]), ..all() };
        assert_eq!(found(&*snapshot, "otter", &zoo, 10), ["a.md"]);
        assert_eq!(snapshot.nearest(&model, &vector(&model, "Page otter"), &zoo, 9).unwrap().len(), 2);
        assert_eq!(snapshot.counts(Some(&model), &zoo).embedded, 2);
        assert_eq!(snapshot.failures().unwrap()[0].collection, "zoo@2");
        let names: Vec<_> =
            snapshot.collections().into_iter().map(|known| (known.name, known.about)).collect();
        assert_eq!(names, [("more".into(), String::new()), ("zoo@2".into(), "one".into())]);
    }
    assert_eq!(at(&*old, "a.md"), a);
    assert!(matches!(store.rename_collection("docs", "x"), Err(StoreError::NoCollection { .. })));
    assert!(matches!(store.rename_collection("more", "zoo@2"), Err(StoreError::CollectionExists { .. })));
    assert!(matches!(store.rename_collection("more", "more"), Err(StoreError::CollectionExists { .. })));
    assert_eq!(store.snapshot().unwrap().generation().0, old.generation().0 + 1);
    assert!(store.pending(&model, 10).unwrap().is_empty());
    sound(&*store);
    sound(&*other);
}

fn collection(about: &str) -> Collection {
    let [name, about] = ["docs", about].map(str::to_owned);
    Collection { name, root: String::new(), cut: "1".to_owned(), about }
}

fn page(path: &str, word: &str) -> Entry {
    Entry::Put(Box::new(document("docs", path, &format!("# Page\n\n{word}\n"))))
}

fn failure(path: &str) -> Entry {
    let [collection, path, reason] = ["docs", path, "no text"].map(str::to_owned);
    Entry::Fail(Failure { collection, path, reason, stat: FileStat::default() })
}

fn known(store: &dyn Store) -> Option<Collection> {
    store.snapshot().unwrap().collections().into_iter().find(|known| known.name == "docs")
}

fn try_replace(
    store: &dyn Store,
    about: &str,
    is_said_anew: bool,
    entries: Vec<Entry>,
) -> Result<Replaced, StoreError> {
    let (collection, before) = (collection(about), known(store));
    store.replace_collection(Replacement {
        collection: &collection,
        before: before.as_ref(),
        is_said_anew,
        entries: &mut entries.into_iter().map(Ok),
    })
}

fn replace(store: &dyn Store, about: &str, entries: Vec<Entry>) {
    let outcome = try_replace(store, about, true, entries).unwrap();
    assert_eq!(outcome, Replaced::Done(store.snapshot().unwrap().generation()));
}

fn only_docs() -> Filter {
    Filter { collections: Some(vec!["docs".to_owned()]), ..all() }
}
