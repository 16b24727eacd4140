//! Rules on batches: what changes, what stays, what a reader gets back.

use docent_index::{Change, ChunkId, Collection, DocumentId, Failure, FileStat, Filter};

use super::{StoreUnderTest, all, at, found, sound};
use crate::{delete, document, embed_all, model, put, query, touch, vector};

/// The uuid names the document, the row one version of it.
pub fn replacing_keeps_the_uuid_and_changes_the_row(place: &dyn StoreUnderTest) {
    let store = place.open();
    store.apply(&[put("docs", "a.md", "# A\n\nold\n")]).unwrap();
    let old = at(&*store.snapshot().unwrap(), "a.md");
    store.apply(&[put("docs", "a.md", "# A\n\nnew\n")]).unwrap();
    let snapshot = store.snapshot().unwrap();
    let new = at(&*snapshot, "a.md");
    assert_eq!(new.uuid, old.uuid);
    assert_ne!(new.id, old.id);
    assert!(snapshot.document(old.id).is_none());
    assert!(snapshot.text(old.id).unwrap().is_none());
    assert!(snapshot.chunks_of(old.id).unwrap().is_empty());
}

/// The old text is not found any more, the new one is.
pub fn replacing_replaces_what_is_found(place: &dyn StoreUnderTest) {
    let store = place.open();
    store.apply(&[put("docs", "a.md", "# A\n\nquartz\n"), put("docs", "b.md", "# B\n\nquartz\n")]).unwrap();
    store.apply(&[put("docs", "a.md", "# A\n\nfeldspar\n")]).unwrap();
    let snapshot = store.snapshot().unwrap();
    assert_eq!(found(&*snapshot, "quartz", &all(), 10), ["b.md"]);
    assert_eq!(found(&*snapshot, "feldspar", &all(), 10), ["a.md"]);
    assert_eq!(snapshot.counts(None, &all()).documents, 2);
    sound(&*store);
}

/// A batch without effect is no generation.
pub fn putting_the_same_again_changes_nothing(place: &dyn StoreUnderTest) {
    let store = place.open();
    let first = store.apply(&[put("docs", "a.md", "# A\n\nquartz\n")]).unwrap();
    let old = at(&*store.snapshot().unwrap(), "a.md");
    assert_eq!(store.apply(&[put("docs", "a.md", "# A\n\nquartz\n")]).unwrap(), first);
    assert_eq!(store.apply(&[]).unwrap(), first);
    let snapshot = store.snapshot().unwrap();
    assert_eq!(snapshot.generation(), first);
    assert_eq!(at(&*snapshot, "a.md"), old);
}

/// Only the file's state is new: the row, and with it the vectors, stay.
pub fn putting_the_same_content_with_another_state_is_a_touch(place: &dyn StoreUnderTest) {
    let store = place.open();
    store.apply(&[put("docs", "a.md", "# A\n\nquartz\n")]).unwrap();
    let old = at(&*store.snapshot().unwrap(), "a.md");
    let mut again = document("docs", "a.md", "# A\n\nquartz\n");
    again.stat.mtime_ns += 5;
    store.apply(&[Change::Put(Box::new(again.clone()))]).unwrap();
    let new = at(&*store.snapshot().unwrap(), "a.md");
    assert_eq!(new.id, old.id);
    assert_eq!(new.stat, again.stat);
    // Other facets are another document, though the bytes are the same.
    again.facets.insert("kind".to_owned(), "guide".to_owned());
    store.apply(&[Change::Put(Box::new(again))]).unwrap();
    let newest = at(&*store.snapshot().unwrap(), "a.md");
    assert_ne!(newest.id, old.id);
    assert_eq!(newest.facets["kind"], "guide");
}

/// A touch keeps row, text and what is found.
pub fn touch_changes_only_the_state(place: &dyn StoreUnderTest) {
    let store = place.open();
    store.apply(&[put("docs", "a.md", "# A\n\nquartz\n")]).unwrap();
    let old = at(&*store.snapshot().unwrap(), "a.md");
    store.apply(&[touch("docs", "a.md", 99)]).unwrap();
    let snapshot = store.snapshot().unwrap();
    let new = at(&*snapshot, "a.md");
    assert_eq!(new.stat.mtime_ns, 99);
    assert_eq!((new.id, &new.uuid, new.content_hash), (old.id, &old.uuid, old.content_hash));
    assert_eq!(found(&*snapshot, "quartz", &all(), 10), ["a.md"]);
    // Another process sees the new state too.
    assert_eq!(at(&*place.open().snapshot().unwrap(), "a.md").stat.mtime_ns, 99);
}

/// What is not there cannot be touched or deleted, and that is not an error.
pub fn touching_and_deleting_what_is_not_there_changes_nothing(place: &dyn StoreUnderTest) {
    let store = place.open();
    let first = store.apply(&[put("docs", "a.md", "# A\n")]).unwrap();
    let again =
        store.apply(&[touch("docs", "b.md", 1), delete("docs", "b.md"), delete("x", "b.md")]).unwrap();
    assert_eq!(first, again);
}

/// Deleted documents are gone from every answer.
pub fn deleted_documents_are_gone(place: &dyn StoreUnderTest) {
    let store = place.open();
    store.apply(&[put("docs", "a.md", "# A\n\nquartz\n"), put("docs", "b.md", "# B\n\nquartz\n")]).unwrap();
    let id = at(&*store.snapshot().unwrap(), "a.md").id;
    store.apply(&[delete("docs", "a.md")]).unwrap();
    let snapshot = store.snapshot().unwrap();
    assert_eq!(found(&*snapshot, "quartz", &all(), 10), ["b.md"]);
    assert!(snapshot.document(id).is_none());
    assert!(snapshot.document_at("docs", "a.md").is_none());
    assert!(snapshot.chunk_ids(id).is_empty());
    sound(&*store);
}

/// A file that cannot be indexed loses its old entry and is listed until it works again or goes.
pub fn a_failure_replaces_the_document_and_a_put_the_failure(place: &dyn StoreUnderTest) {
    let store = place.open();
    let failure = |path: &str, reason: &str| Failure {
        collection: "docs".to_owned(),
        path: path.to_owned(),
        reason: reason.to_owned(),
        stat: FileStat { size: 7, mtime_ns: -5, ctime_ns: 1, inode: u64::MAX, settled: false },
    };
    store.apply(&[put("docs", "a.md", "# A\n\nquartz\n")]).unwrap();
    store.apply(&[Change::Fail(failure("a.md", "first")), Change::Fail(failure("b.md", "other"))]).unwrap();
    store.apply(&[Change::Fail(failure("a.md", "not text"))]).unwrap();
    let snapshot = store.snapshot().unwrap();
    assert!(snapshot.document_at("docs", "a.md").is_none());
    assert!(found(&*snapshot, "quartz", &all(), 10).is_empty());
    assert_eq!(snapshot.failures().unwrap(), [failure("a.md", "not text"), failure("b.md", "other")]);
    store.apply(&[put("docs", "a.md", "# A\n\nquartz\n"), delete("docs", "b.md")]).unwrap();
    let snapshot = store.snapshot().unwrap();
    assert!(snapshot.failures().unwrap().is_empty());
    assert_eq!(found(&*snapshot, "quartz", &all(), 10), ["a.md"]);
}

/// One batch, one step forward.
pub fn a_batch_is_one_generation(place: &dyn StoreUnderTest) {
    let store = place.open();
    let first = store.apply(&[put("docs", "a.md", "# A\n"), put("docs", "b.md", "# B\n")]).unwrap();
    assert_eq!(store.snapshot().unwrap().generation(), first);
    let second = store.apply(&[delete("docs", "a.md"), put("docs", "c.md", "# C\n")]).unwrap();
    assert!(second > first);
    assert_eq!(store.snapshot().unwrap().generation(), second);
}

/// Changes of a batch are applied in order.
pub fn the_last_change_of_a_path_in_a_batch_wins(place: &dyn StoreUnderTest) {
    let store = place.open();
    store
        .apply(&[
            put("docs", "a.md", "# A\n\nquartz\n"),
            put("docs", "a.md", "# A\n\nfeldspar\n"),
            put("docs", "b.md", "# B\n\nquartz\n"),
            delete("docs", "b.md"),
        ])
        .unwrap();
    let snapshot = store.snapshot().unwrap();
    assert!(found(&*snapshot, "quartz", &all(), 10).is_empty());
    assert_eq!(found(&*snapshot, "feldspar", &all(), 10), ["a.md"]);
    assert_eq!(snapshot.documents(&all()).len(), 1);
    sound(&*store);
}

/// All or none: the good documents of a refused batch are not there either.
pub fn a_bad_document_spoils_the_whole_batch(place: &dyn StoreUnderTest) {
    let store = place.open();
    let before = store.apply(&[put("docs", "a.md", "# A\n")]).unwrap();
    let mut bad = document("docs", "bad.md", "# Bad\n");
    bad.chunks[0].bytes = 0..1_000_000;
    assert!(store.apply(&[put("docs", "b.md", "# B\n"), Change::Put(Box::new(bad))]).is_err());
    let snapshot = store.snapshot().unwrap();
    assert_eq!(snapshot.generation(), before);
    assert!(snapshot.document_at("docs", "b.md").is_none());
    store.apply(&[put("docs", "b.md", "# B\n")]).unwrap();
    sound(&*store);
}

/// Texts, whole and in chunks, also long ones and ones with letters of many bytes.
pub fn texts_come_back_byte_for_byte(place: &dyn StoreUnderTest) {
    let store = place.open();
    let long: String = (0..4000).map(|i| format!("# Kapitel {i}\r\n\r\nÄpfel für {i} 🍎.\n\n")).collect();
    assert!(long.len() > 128 << 10);
    store.apply(&[put("docs", "long.md", &long), put("docs", "empty.md", "")]).unwrap();
    let snapshot = store.snapshot().unwrap();
    let record = at(&*snapshot, "long.md");
    assert_eq!(snapshot.text(record.id).unwrap().unwrap(), long);
    let empty = at(&*snapshot, "empty.md");
    assert_eq!(snapshot.text(empty.id).unwrap().unwrap(), "");
    let expected = document("docs", "long.md", &long);
    let chunks = snapshot.chunks_of(record.id).unwrap();
    assert_eq!(chunks.len(), expected.chunks.len());
    assert_eq!(record.chunk_count as usize, chunks.len());
    for (at, (chunk, wanted)) in chunks.iter().zip(&expected.chunks).enumerate() {
        assert_eq!(chunk.content, long[wanted.bytes.clone()]);
        assert_eq!(chunk.ordinal as usize, at);
        assert_eq!(chunk.chunk_id, wanted.chunk_id);
        assert_eq!(chunk.heading_path, wanted.heading_path);
        assert_eq!((chunk.start_line, chunk.end_line), (wanted.start_line, wanted.end_line));
        assert_eq!(chunk.char_count as usize, chunk.content.chars().count());
    }
    let ids: Vec<ChunkId> = chunks.iter().map(|chunk| chunk.id).collect();
    assert_eq!(snapshot.chunks(&ids).unwrap(), chunks);
}

/// In the order asked for, without those that do not exist.
pub fn chunks_come_back_in_the_order_asked_for(place: &dyn StoreUnderTest) {
    let store = place.open();
    store.apply(&[put("docs", "a.md", "# A\n\none\n\n# B\n\ntwo\n\n# C\n\nthree\n")]).unwrap();
    let snapshot = store.snapshot().unwrap();
    let ids = snapshot.chunk_ids(at(&*snapshot, "a.md").id);
    let asked = [ids[2], ChunkId(u64::MAX >> 1), ids[0], ids[2]];
    let given: Vec<_> = snapshot.chunks(&asked).unwrap().iter().map(|chunk| chunk.id).collect();
    assert_eq!(given, [ids[2], ids[0], ids[2]]);
    assert!(snapshot.document(DocumentId(u64::MAX >> 1)).is_none());
}

/// The same path in two collections is two documents.
pub fn collections_are_separate(place: &dyn StoreUnderTest) {
    let store = place.open();
    store
        .apply(&[put("docs", "a.md", "# A\n\nquartz\n"), put("more", "a.md", "# A\n\nquartz too\n")])
        .unwrap();
    let snapshot = store.snapshot().unwrap();
    let one = snapshot.document_at("docs", "a.md").unwrap();
    let two = snapshot.document_at("more", "a.md").unwrap();
    assert_ne!(one.id, two.id);
    assert_ne!(one.uuid, two.uuid);
    let filter = Filter { collections: Some(vec!["more".to_owned()]), ..all() };
    let hits = snapshot.lexical(&crate::query("quartz"), &filter, 10).unwrap();
    assert_eq!(hits.chunks.iter().map(|hit| hit.document).collect::<Vec<_>>(), [two.id]);
    assert_eq!(snapshot.documents(&filter), [two]);
    assert_eq!(snapshot.counts(None, &filter).documents, 1);
}

/// Documents and failures go with their collection; other collections stay.
pub fn removing_a_collection_removes_its_documents(place: &dyn StoreUnderTest) {
    let store = place.open();
    store.apply(&[put("docs", "a.md", "# A\n\nquartz\n"), put("more", "a.md", "# A\n\nquartz\n")]).unwrap();
    store.remove_collection("more").unwrap();
    store.remove_collection("unknown").unwrap();
    let snapshot = store.snapshot().unwrap();
    assert_eq!(snapshot.collections().len(), 1);
    assert_eq!(snapshot.documents(&all()).len(), 1);
    assert_eq!(found(&*snapshot, "quartz", &all(), 10).len(), 1);
    sound(&*store);
}

/// Known collections keep their documents.
pub fn a_collection_gets_another_root_and_keeps_its_documents(place: &dyn StoreUnderTest) {
    let store = place.open();
    let rooted = |root: &str| Collection {
        name: "docs".to_owned(),
        root: root.to_owned(),
        cut: "1".to_owned(),
        about: String::new(),
    };
    store.put_collection(&rooted("/one")).unwrap();
    store.apply(&[put("docs", "a.md", "# A\n")]).unwrap();
    store.put_collection(&rooted("/two")).unwrap();
    let other = Collection { name: "api".to_owned(), ..unsaid("") };
    store.put_collection(&other).unwrap();
    let snapshot = store.snapshot().unwrap();
    assert_eq!(snapshot.collections(), [other, rooted("/two")]);
    assert_eq!(snapshot.documents(&all()).len(), 1);
}

/// What authors say of a collection comes back as it was, and another word counts as a change of content.
pub fn what_is_said_about_a_collection_is_kept_and_is_content(place: &dyn StoreUnderTest) {
    let store = place.open();
    let said = |about: &str| Collection { about: about.to_owned(), ..unsaid("docs") };
    store.put_collection(&said("")).unwrap();
    store.apply(&[put("docs", "a.md", "# A\n\nquartz\n")]).unwrap();
    let content = || store.snapshot().unwrap().content_generation();
    let before = content();
    store.put_collection(&said("{\"instructions\":\"Ask “why”.\"}")).unwrap();
    let told = content();
    assert!(told > before);
    store.put_collection(&said("{\"instructions\":\"Ask “why”.\"}")).unwrap();
    assert_eq!(content(), told);
    let snapshot = place.open().snapshot().unwrap();
    assert_eq!(snapshot.collections(), [said("{\"instructions\":\"Ask “why”.\"}")]);
    assert_eq!(found(&*snapshot, "quartz", &all(), 10), ["a.md"]);
    store.put_collection(&said("")).unwrap();
    assert!(content() > told);
    sound(&*store);
}

fn unsaid(name: &str) -> Collection {
    Collection { name: name.to_owned(), root: String::new(), cut: String::new(), about: String::new() }
}

/// How many documents have each value.
pub fn facets_are_counted_under_a_filter(place: &dyn StoreUnderTest) {
    let store = place.open();
    let with = |path: &str, kind: &str| {
        let mut document = document("docs", path, "# Page\n");
        document.facets.insert("kind".to_owned(), kind.to_owned());
        Change::Put(Box::new(document))
    };
    store.apply(&[with("x/a.md", "guide"), with("x/b.md", "guide"), with("y/c.md", "api")]).unwrap();
    let snapshot = store.snapshot().unwrap();
    let facets = snapshot.facets(&all());
    assert_eq!(facets["kind"]["guide"], 2);
    assert_eq!(facets["kind"]["api"], 1);
    let filter = Filter { path: Some(docent_index::PathGlob::new("y/*").unwrap()), ..all() };
    assert_eq!(snapshot.facets(&filter)["kind"].len(), 1);
}

/// Whatever is written anew, documents, vectors and answers stay.
pub fn purging_keeps_what_is_there(place: &dyn StoreUnderTest) {
    let (store, model) = (place.open(), model("m"));
    let pages: Vec<_> = (0..30)
        .map(|at| put("docs", &format!("{at}.md"), &format!("# Page {at}\n\nquartz {at}\n")))
        .collect();
    store.apply(&pages).unwrap();
    embed_all(&*store, &model);
    let other = place.open();
    let held = other.snapshot().unwrap();
    let removed: Vec<_> = (0..30).step_by(3).map(|at| delete("docs", &format!("{at}.md"))).collect();
    store.apply(&removed).unwrap();
    assert!(store.purge(&[]).unwrap().is_complete);
    for store in [&store, &other] {
        let snapshot = store.snapshot().unwrap();
        assert_eq!(found(&*snapshot, "quartz", &all(), 50).len(), 20);
        let near = snapshot.nearest(&model, &vector(&model, "quartz 7"), &all(), 50).unwrap();
        assert_eq!((near.len(), snapshot.counts(Some(&model), &all()).embedded), (20, 20));
        let best = snapshot.document(near[0].document).unwrap();
        assert!(snapshot.text(best.id).unwrap().is_some());
        sound(&**store);
    }
    // A snapshot from before goes on finding, and leaves out what it cannot read any more.
    let hits = held.lexical(&query("quartz"), &all(), 50).unwrap().chunks;
    let ids: Vec<_> = hits.iter().map(|hit| hit.chunk).collect();
    assert!(held.chunks(&ids).unwrap().len() >= 20);
    store.apply(&[put("docs", "new.md", "# New\n\nquartz\n")]).unwrap();
    assert_eq!(found(&*other.snapshot().unwrap(), "quartz", &all(), 50).len(), 21);
    sound(&*store);
}

/// Equal passages are one: who has the other keeps it.
pub fn purging_tells_which_passages_nobody_has(place: &dyn StoreUnderTest) {
    let (store, model) = (place.open(), model("m"));
    store.apply(&[put("docs", "a.md", "# A\n\nshared\n"), put("docs", "b.md", "# B\n\nown\n")]).unwrap();
    store.apply(&[put("more", "c.md", "# A\n\nshared\n")]).unwrap();
    let hashes = |path: &str| {
        let snapshot = store.snapshot().unwrap();
        let passages = snapshot.vectors_of(&model, at(&*snapshot, path).id).unwrap();
        passages.into_iter().map(|(hash, _)| hash).collect::<Vec<_>>()
    };
    let (shared, own) = (hashes("a.md"), hashes("b.md"));
    let asked: Vec<_> = shared.iter().chain(&own).copied().collect();
    assert_eq!(store.purge(&asked).unwrap().unused, []);
    store.apply(&[delete("docs", "a.md"), delete("docs", "b.md")]).unwrap();
    assert_eq!(store.purge(&asked).unwrap().unused, own);
}
