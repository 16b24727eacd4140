//! Rules on several readers and writers, and on coming back later.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use docent_index::Role;

use super::{StoreUnderTest, all, at, found, sound};
use crate::{Over, delete, embed_all, model, put, query, vector};

/// Everything that was acknowledged is there for the next process.
pub fn reopening_keeps_everything(place: &dyn StoreUnderTest) {
    let model = model("m");
    let (generation, record) = {
        let store = place.open();
        store.apply(&[put("docs", "a.md", "# A\n\notter\n"), put("docs", "b.md", "# B\n\nheron\n")]).unwrap();
        embed_all(&*store, &model);
        store.apply(&[delete("docs", "b.md")]).unwrap();
        let snapshot = store.snapshot().unwrap();
        (snapshot.generation(), at(&*snapshot, "a.md"))
    };
    let store = place.open();
    let snapshot = store.snapshot().unwrap();
    assert_eq!(snapshot.generation(), generation);
    assert_eq!(at(&*snapshot, "a.md"), record);
    assert_eq!(found(&*snapshot, "otter", &all(), 10), ["a.md"]);
    assert!(found(&*snapshot, "heron", &all(), 10).is_empty());
    assert_eq!(snapshot.nearest(&model, &vector(&model, "otter"), &all(), 5).unwrap().len(), 1);
    assert!(store.pending(&model, 10).unwrap().is_empty());
    sound(&*store);
}

/// The next snapshot of any handle has what another handle wrote.
pub fn two_handles_see_each_others_writes(place: &dyn StoreUnderTest) {
    let (one, two, model) = (place.open(), place.open(), model("m"));
    for round in 0..6 {
        let (writer, reader) = if round % 2 == 0 { (&one, &two) } else { (&two, &one) };
        let word = ["otter", "heron", "lynx", "badger", "falcon", "salmon"][round];
        let path = format!("{}.md", round % 3);
        let generation = writer.apply(&[put("docs", &path, &format!("# Page\n\n{word}\n"))]).unwrap();
        let snapshot = reader.snapshot().unwrap();
        assert_eq!(snapshot.generation(), generation);
        assert_eq!(found(&*snapshot, word, &all(), 10), [path]);
        assert_eq!(embed_all(&**reader, &model), 1);
        let snapshot = writer.snapshot().unwrap();
        let hits = snapshot.nearest(&model, &vector(&model, &format!("Page {word}")), &all(), 1).unwrap();
        assert!(snapshot.chunks(&[hits[0].chunk]).unwrap()[0].content.contains(word));
    }
    assert_eq!(one.snapshot().unwrap().documents(&all()), two.snapshot().unwrap().documents(&all()));
    sound(&*one);
    sound(&*two);
}

/// Later writes do not reach into a snapshot: its documents and ranking stay.
pub fn a_snapshot_stays_what_it_is(place: &dyn StoreUnderTest) {
    let (store, model) = (place.open(), model("m"));
    store.apply(&[put("docs", "a.md", "# A\n\notter\n"), put("docs", "b.md", "# B\n\notter too\n")]).unwrap();
    embed_all(&*store, &model);
    let snapshot = store.snapshot().unwrap();
    let documents = snapshot.documents(&all());
    let hits = snapshot.lexical(&query("otter"), &all(), 10).unwrap();
    let near = snapshot.nearest(&model, &vector(&model, "otter"), &all(), 10).unwrap();
    store.apply(&[put("docs", "a.md", "# A\n\nheron\n"), put("docs", "c.md", "# C\n\notter\n")]).unwrap();
    place.open().apply(&[delete("docs", "b.md")]).unwrap();
    embed_all(&*store, &model);
    assert_eq!(snapshot.documents(&all()), documents);
    assert_eq!(snapshot.lexical(&query("otter"), &all(), 10).unwrap(), hits);
    assert_eq!(snapshot.nearest(&model, &vector(&model, "otter"), &all(), 10).unwrap(), near);
}

/// While one handle replaces a document again and again, no reader ever sees two versions at once or none.
pub fn a_document_is_wholly_old_or_new_for_readers(place: &dyn StoreUnderTest) {
    let (writer, reader) = (place.open(), place.open());
    let page = |round: usize| {
        let parts: String = (0..5).map(|i| format!("## Part {i}\n\nversion{round} marker\n\n")).collect();
        put("docs", "a.md", &format!("# Page\n\n{parts}"))
    };
    writer.apply(&[page(0)]).unwrap();
    // From here on a reader may be behind a write that has not ended, and never behind this one.
    assert!(reader.snapshot().unwrap().document_at("docs", "a.md").is_some());
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let over = Over(&done);
        let readers: Vec<_> = [&writer, &reader]
            .into_iter()
            .map(|handle| {
                scope.spawn(|| {
                    let mut seen = 0;
                    let mut last = None;
                    while !done.load(Ordering::Relaxed) {
                        let snapshot = handle.snapshot().unwrap();
                        assert!(last <= Some(snapshot.generation()), "went back in time");
                        last = Some(snapshot.generation());
                        let record = snapshot.document_at("docs", "a.md").expect("there at all times");
                        let hits = snapshot.lexical(&query("marker"), &all(), 10).unwrap();
                        assert_eq!(hits.chunks.len(), 5);
                        assert!(hits.chunks.iter().all(|hit| hit.document == record.id));
                        let chunks = snapshot.chunks_of(record.id).unwrap();
                        let versions: std::collections::HashSet<_> = chunks
                            .iter()
                            .filter_map(|chunk| chunk.content.split_once("version"))
                            .map(|(_, rest)| rest.split(' ').next().unwrap().to_owned())
                            .collect();
                        // None when that version is gone by now.
                        assert!(versions.len() <= 1, "{versions:?}");
                        seen += 1;
                    }
                    seen
                })
            })
            .collect();
        for round in 1..40 {
            writer.apply(&[page(round)]).unwrap();
        }
        drop(over);
        for handle in readers {
            assert!(handle.join().unwrap() > 0);
        }
    });
    sound(&*writer);
}

/// Nothing is lost when several write at once.
pub fn writers_of_two_handles_take_turns(place: &dyn StoreUnderTest) {
    let handles = [place.open(), place.open()];
    thread::scope(|scope| {
        for (number, handle) in handles.iter().enumerate() {
            scope.spawn(move || {
                for round in 0..15 {
                    let path = format!("{number}-{round}.md");
                    handle.apply(&[put("docs", &path, "# Page\n\nshared\n")]).unwrap();
                    assert!(handle.snapshot().unwrap().document_at("docs", &path).is_some());
                }
            });
        }
    });
    for handle in &handles {
        let snapshot = handle.snapshot().unwrap();
        assert_eq!(snapshot.documents(&all()).len(), 30);
        assert_eq!(snapshot.lexical(&query("shared"), &all(), 100).unwrap().chunks.len(), 30);
    }
    sound(&*handles[0]);
}

/// One holder a role; the roles do not hinder each other; a dropped lease is free.
pub fn only_one_holds_a_lease(place: &dyn StoreUnderTest) {
    let (one, two) = (place.open(), place.open());
    let docs = ["docs".to_owned()];
    let lease = one.try_lease(Role::Ingest, &docs).unwrap();
    assert!(lease.is_some());
    assert!(two.try_lease(Role::Ingest, &[]).unwrap().is_none());
    assert!(one.try_lease(Role::Ingest, &docs).unwrap().is_none());
    assert!(two.try_lease(Role::Embed, &[]).unwrap().is_some());
    two.apply(&[put("docs", "a.md", "# A\n")]).unwrap();
    drop(lease);
    let all = two.try_lease(Role::Ingest, &[]).unwrap();
    assert!(all.is_some());
    assert!(one.try_lease(Role::Ingest, &docs).unwrap().is_none());
    drop(all);
    assert!(one.try_lease(Role::Ingest, &docs).unwrap().is_some());
}

/// The same for every handle and every opening.
pub fn the_secret_belongs_to_the_index(place: &dyn StoreUnderTest) {
    let secret = place.open().secret().unwrap();
    assert_ne!(secret, [0; 32]);
    let (one, two) = (place.open(), place.open());
    one.apply(&[put("docs", "a.md", "# A\n")]).unwrap();
    assert_eq!(one.secret().unwrap(), secret);
    assert_eq!(two.secret().unwrap(), secret);
}

/// Place, format, size, time and models.
pub fn figures_are_plausible(place: &dyn StoreUnderTest) {
    let store = place.open();
    assert_eq!(store.stats().unwrap().last_applied_ms, None);
    store.apply(&[put("docs", "a.md", "# A\n\notter\n")]).unwrap();
    let model = model("m");
    embed_all(&*store, &model);
    let stats = store.stats().unwrap();
    assert!(!stats.place.is_empty());
    assert!(stats.format >= 1);
    assert!(stats.bytes > 0);
    assert!(stats.last_applied_ms.is_some_and(|ms| ms > 1_600_000_000_000));
    assert_eq!(stats.models, [(model.id, 1)]);
}
