//! Rules on documents with pages and details, and on filters that name chunks and rows.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use docent_index::{Change, ChunkFilter, Filter, NewDocument, PassageHash, QuantisedVector, Snapshot};

use super::{StoreUnderTest, all, at, found, sound};
use crate::{delete, document, embed_all, model, put, query, vector};

/// A document whose sections each say the word, one on each page from 1 on.
fn paged(path: &str, word: &str, pages: u32) -> NewDocument {
    let text: String = (1..=pages).map(|page| format!("# Part {page}\n\n{word} on {page}\n\n")).collect();
    let mut made = document("docs", path, &text);
    made.pages = (1..=pages).collect();
    assert_eq!(made.chunks.len(), made.pages.len());
    made
}

fn change(document: NewDocument) -> Change {
    Change::Put(Box::new(document))
}

fn on_page(page: u32) -> Filter {
    Filter { chunks: ChunkFilter { page: Some(page), ..ChunkFilter::default() }, ..all() }
}

fn at_ordinal(ordinal: u32) -> Filter {
    Filter { chunks: ChunkFilter { ordinal: Some(ordinal), ..ChunkFilter::default() }, ..all() }
}

/// What was said of a document comes back, whoever opens the store.
pub fn details_and_pages_come_back(place: &dyn StoreUnderTest) {
    let store = place.open();
    let mut made = paged("a.pdf", "walrus", 3);
    made.details = "{\"kind\":\"päpär\"}".to_owned();
    store.apply(&[change(made), put("docs", "b.md", "# B\n\nplain\n")]).unwrap();
    let check = |snapshot: &dyn Snapshot| {
        let with = at(snapshot, "a.pdf");
        assert_eq!((with.details.as_str(), with.pages.as_slice()), ("{\"kind\":\"päpär\"}", &[1, 2, 3][..]));
        assert_eq!((with.page(1), with.page(9)), (2, 0));
        let without = at(snapshot, "b.md");
        assert_eq!((without.details.as_str(), without.pages.len(), without.page(0)), ("", 0, 0));
    };
    check(&*store.snapshot().unwrap());
    check(&*place.open().snapshot().unwrap());
    let mut odd = paged("c.pdf", "walrus", 3);
    odd.pages.pop();
    assert!(store.apply(&[change(odd)]).is_err());
    sound(&*store);
}

/// A document that is put back after it was lost is the same one; one that is there keeps the uuid that it has.
pub fn a_document_gets_the_uuid_that_it_brings(place: &dyn StoreUnderTest) {
    let store = place.open();
    let uuid = "0b1e9a52-6d0c-4f7e-9a57-1f2f3f4f5f6f";
    let with = |text: &str, uuid: &str| {
        let made = document("docs", "a.md", text);
        change(NewDocument { uuid: Some(uuid.to_owned()), ..made })
    };
    store.apply(&[with("# A\n", uuid)]).unwrap();
    assert_eq!(at(&*store.snapshot().unwrap(), "a.md").uuid, uuid);
    store.apply(&[with("# A\n\nmore\n", "other")]).unwrap();
    assert_eq!(at(&*store.snapshot().unwrap(), "a.md").uuid, uuid);
    store.apply(&[delete("docs", "a.md")]).unwrap();
    store.apply(&[with("# A\n", uuid)]).unwrap();
    assert_eq!(at(&*store.snapshot().unwrap(), "a.md").uuid, uuid);
}

/// Details are part of what a document says; vectors stay.
pub fn other_details_are_another_version(place: &dyn StoreUnderTest) {
    let (store, model) = (place.open(), model("m"));
    let with = |details: &str, page: u32| {
        let mut made = paged("a.pdf", "walrus", 2);
        made.details = details.to_owned();
        made.pages = vec![1, page];
        change(made)
    };
    store.apply(&[with("{}", 2)]).unwrap();
    embed_all(&*store, &model);
    let content = || store.snapshot().unwrap().content_generation();
    for (details, page, is_new) in [("{\"a\":1}", 2, true), ("{\"a\":1}", 2, false), ("{\"a\":1}", 5, true)] {
        let before = content();
        store.apply(&[with(details, page)]).unwrap();
        assert_eq!(content() > before, is_new, "{details} {page}");
        let held = at(&*store.snapshot().unwrap(), "a.pdf");
        assert_eq!((held.details.as_str(), held.pages[1]), (details, page));
        assert!(store.pending(&model, 10).unwrap().is_empty());
    }
    sound(&*store);
}

/// Places of the chunks that both sides find under a filter, by path.
fn places(snapshot: &dyn Snapshot, word: &str, filter: &Filter, depth: usize) -> [Vec<(String, u32)>; 2] {
    let model = model("m");
    let words = snapshot.lexical(&query(word), filter, depth).unwrap().chunks;
    let near = snapshot.nearest(&model, &vector(&model, word), filter, depth).unwrap();
    [words, near].map(|hits| {
        let ids: Vec<_> = hits.iter().map(|hit| hit.chunk).collect();
        let chunks = snapshot.chunks(&ids).unwrap().into_iter();
        let place = |chunk: docent_index::ChunkRecord| {
            (snapshot.document(chunk.document).unwrap().path.clone(), chunk.ordinal)
        };
        let mut places: Vec<_> = chunks.map(place).collect();
        places.sort();
        places
    })
}

/// Only chunks on the page are found, however many better ones stand on others; 0 means documents without pages.
pub fn a_condition_on_pages_counts_before_cutting_to_k(place: &dyn StoreUnderTest) {
    let store = place.open();
    store
        .apply(&[
            change(paged("a.pdf", "walrus", 40)),
            change(paged("b.pdf", "walrus", 30)),
            put("docs", "c.md", "# C\n\nwalrus\n\n# D\n\nheron\n"),
        ])
        .unwrap();
    embed_all(&*store, &model("m"));
    let snapshot = store.snapshot().unwrap();
    let check = |page: u32, documents: usize, expected: &[(&str, u32)]| {
        let filter = on_page(page);
        let expected: Vec<_> = expected.iter().map(|(path, at)| ((*path).to_owned(), *at)).collect();
        let [words, near] = places(&*snapshot, "walrus", &filter, 2);
        assert_eq!((words, near), (expected.clone(), expected.clone()), "page {page}");
        let counts = snapshot.counts(Some(&model("m")), &filter);
        assert_eq!((counts.documents, counts.chunks), (documents, expected.len()), "page {page}");
        assert_eq!(counts.embedded, counts.passages);
        assert_eq!(snapshot.documents(&filter).len(), documents);
        let pages = snapshot.lexical(&query("walrus"), &filter, 10).unwrap().documents;
        assert_eq!(pages.len(), documents, "page {page}");
    };
    check(7, 2, &[("a.pdf", 6), ("b.pdf", 6)]);
    check(35, 1, &[("a.pdf", 34)]);
    check(41, 0, &[]);
    let [words, near] = places(&*snapshot, "walrus", &on_page(0), 1);
    assert_eq!((words, near), (vec![("c.md".to_owned(), 0)], vec![("c.md".to_owned(), 0)]));
    assert_eq!(snapshot.counts(None, &on_page(0)).chunks, 2);
}

/// The same for the position in the document, also together with a page and with a document that is left out.
pub fn a_condition_on_ordinals_counts_before_cutting_to_k(place: &dyn StoreUnderTest) {
    let store = place.open();
    store.apply(&[change(paged("a.pdf", "walrus", 40)), change(paged("b.pdf", "walrus", 3))]).unwrap();
    embed_all(&*store, &model("m"));
    let snapshot = store.snapshot().unwrap();
    let both = |expected: &[(&str, u32)], filter: &Filter| {
        let expected: Vec<_> = expected.iter().map(|(path, at)| ((*path).to_owned(), *at)).collect();
        assert_eq!(places(&*snapshot, "walrus", filter, 2), [expected.clone(), expected]);
    };
    both(&[("a.pdf", 2), ("b.pdf", 2)], &at_ordinal(2));
    both(&[("a.pdf", 30)], &at_ordinal(30));
    both(&[], &at_ordinal(u32::MAX));
    let page_and_ordinal = ChunkFilter { page: Some(3), ordinal: Some(2) };
    both(&[("a.pdf", 2), ("b.pdf", 2)], &Filter { chunks: page_and_ordinal, ..all() });
    both(&[], &Filter { chunks: ChunkFilter { page: Some(4), ordinal: Some(2) }, ..all() });
    let without = Filter { except: Some(at(&*snapshot, "a.pdf").id), ..at_ordinal(2) };
    both(&[("b.pdf", 2)], &without);
    assert_eq!(snapshot.counts(None, &without).chunks, 1);
}

/// Who knows which rows pass names them.
pub fn only_the_named_rows_are_searched(place: &dyn StoreUnderTest) {
    let store = place.open();
    let names = ["a.md", "b.md", "c.md", "d.md"];
    let changes: Vec<_> = names.iter().map(|path| put("docs", path, "# Page\n\nheron\n")).collect();
    store.apply(&changes).unwrap();
    embed_all(&*store, &model("m"));
    let snapshot = store.snapshot().unwrap();
    let check = |expected: &[&str]| {
        let rows: BTreeSet<_> = expected.iter().map(|path| at(&*snapshot, path).id).collect();
        let filter = Filter { only: Some(Arc::new(rows)), ..all() };
        let mut paths = found(&*snapshot, "heron", &filter, 10);
        paths.sort();
        assert_eq!(paths, expected);
        let near = snapshot.nearest(&model("m"), &vector(&model("m"), "heron"), &filter, 10).unwrap();
        assert_eq!(near.len(), expected.len());
        let counts = snapshot.counts(Some(&model("m")), &filter);
        assert_eq!((counts.documents, counts.embedded), (expected.len(), expected.len()));
    };
    check(&["b.md", "d.md"]);
    check(&[]);
    check(&names);
}

/// Hidden chunks and those that do not pass are passed over.
pub fn the_first_chunk_that_passes(place: &dyn StoreUnderTest) {
    let store = place.open();
    let mut made = paged("a.pdf", "walrus", 5);
    made.pages = vec![1, 1, 2, 2, 2];
    made.chunks[0].searchable = false;
    made.chunks[2].searchable = false;
    store.apply(&[change(made)]).unwrap();
    let snapshot = store.snapshot().unwrap();
    let record = at(&*snapshot, "a.pdf");
    let first = |filter: &Filter| {
        let chunk = snapshot.first_chunk(record.id, filter)?;
        Some(snapshot.chunks(&[chunk]).unwrap()[0].ordinal)
    };
    assert_eq!(first(&all()), Some(1));
    assert_eq!(first(&on_page(2)), Some(3));
    assert_eq!(first(&at_ordinal(4)), Some(4));
    assert_eq!(first(&at_ordinal(2)), None);
    assert_eq!(first(&on_page(3)), None);
    assert_eq!(first(&Filter { except: Some(record.id), ..all() }), None);
}

fn vectors_for(document: &NewDocument, dimensions: usize) -> HashMap<PassageHash, QuantisedVector> {
    let passages = document.chunks.iter().flat_map(|chunk| &chunk.passages);
    let made = |text: &str| {
        let mut vector = vector(&model("m"), text);
        vector.truncate(dimensions);
        QuantisedVector::new(&vector)
    };
    passages.map(|passage| (passage.hash, made(&passage.text))).collect()
}

/// A document and those of its vectors that are at hand are one generation; the rest is pending.
pub fn documents_can_come_with_their_vectors(place: &dyn StoreUnderTest) {
    let (store, model) = (place.open(), model("m"));
    let made = paged("a.pdf", "walrus", 4);
    let mut vectors = vectors_for(&made, model.dimensions);
    let missing = made.chunks[3].passages[0].hash;
    vectors.remove(&missing);
    vectors.insert(PassageHash::of("of nobody"), QuantisedVector::new(&vector(&model, "nobody")));
    let before = store.snapshot().unwrap().generation();
    let after = store.apply_embedded(&[change(made)], &model, &vectors).unwrap();
    assert_eq!(after.0, before.0 + 1);
    let snapshot = store.snapshot().unwrap();
    let counts = snapshot.counts(Some(&model), &all());
    assert_eq!((counts.passages, counts.embedded), (4, 3));
    assert_eq!(snapshot.nearest(&model, &vector(&model, "walrus on 2"), &all(), 9).unwrap().len(), 3);
    assert_eq!(store.pending(&model, 9).unwrap()[0].hash, missing);
    // A new version brings vectors for what is new in it; those that it has already are not written again.
    let made = paged("a.pdf", "walrus", 6);
    let vectors = vectors_for(&made, model.dimensions);
    store.apply_embedded(&[change(made)], &model, &vectors).unwrap();
    let counts = store.snapshot().unwrap().counts(Some(&model), &all());
    assert_eq!((counts.documents, counts.passages, counts.embedded), (1, 6, 6));
    assert!(store.pending(&model, 9).unwrap().is_empty());
    sound(&*store);
}

/// A document whose vectors are refused is not there either, and the one before it stays.
pub fn vectors_that_do_not_fit_spoil_the_whole_batch(place: &dyn StoreUnderTest) {
    let (store, model) = (place.open(), model("m"));
    store.apply(&[change(paged("a.pdf", "heron", 1))]).unwrap();
    let made = paged("a.pdf", "walrus", 2);
    let vectors = vectors_for(&made, 3);
    assert!(store.apply_embedded(&[change(made)], &model, &vectors).is_err());
    let snapshot = store.snapshot().unwrap();
    assert_eq!(found(&*snapshot, "heron walrus", &all(), 9), ["a.pdf"]);
    assert_eq!(at(&*snapshot, "a.pdf").chunk_count, 1);
    sound(&*store);
}
