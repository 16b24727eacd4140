//! Rules on passages, vectors and models.

use docent_index::{ChunkId, Filter, NearestQuery, PassageId, PathGlob, Pending, QuantisedVector};

use super::{StoreUnderTest, all, at, sound};
use crate::{delete, embed_all, model, put, vector};

/// Ten documents on ten animals, in two folders.
const ANIMALS: [&str; 10] =
    ["walrus", "otter", "heron", "badger", "lynx", "beaver", "falcon", "salmon", "lizard", "hedgehog"];

fn animals() -> Vec<docent_index::Change> {
    let page = |(i, animal): (usize, &&str)| {
        let folder = if i % 2 == 0 { "even" } else { "odd" };
        put("docs", &format!("{folder}/{animal}.md"), &format!("# The {animal}\n\nA {animal} is no {i}.\n"))
    };
    ANIMALS.iter().enumerate().map(page).collect()
}

/// Counts and `pending` agree on how far the embedding is.
pub fn pending_shrinks_as_vectors_arrive(place: &dyn StoreUnderTest) {
    let (store, model) = (place.open(), model("m"));
    store.apply(&animals()).unwrap();
    let total = store.snapshot().unwrap().counts(Some(&model), &all()).passages;
    assert!(total >= 10);
    let pending = store.pending(&model, 1000).unwrap();
    assert_eq!(pending.len(), total);
    let some: Vec<_> =
        pending[..4].iter().map(|p| (p.id, QuantisedVector::new(&vector(&model, &p.text)))).collect();
    let before = store.snapshot().unwrap().generation();
    assert!(store.put_vectors(&model, &some).unwrap() > before);
    assert_eq!(store.pending(&model, 1000).unwrap(), pending[4..]);
    let counts = store.snapshot().unwrap().counts(Some(&model), &all());
    assert_eq!((counts.passages, counts.embedded), (total, 4));
    // Out of order, and some again.
    let rest: Vec<_> =
        pending[2..].iter().rev().map(|p| (p.id, QuantisedVector::new(&vector(&model, &p.text)))).collect();
    store.put_vectors(&model, &rest).unwrap();
    assert!(store.pending(&model, 1000).unwrap().is_empty());
    assert_eq!(store.snapshot().unwrap().counts(Some(&model), &all()).embedded, total);
    store.apply(&[put("docs", "new.md", "# New\n\nfresh words\n")]).unwrap();
    assert_eq!(store.pending(&model, 1000).unwrap().len(), 1);
    sound(&*store);
}

/// Passages are embedded in the order in which they came.
pub fn pending_is_oldest_first_and_limited(place: &dyn StoreUnderTest) {
    let (store, model) = (place.open(), model("m"));
    store.apply(&animals()).unwrap();
    store.apply(&[put("docs", "late.md", "# Late\n\nlast\n")]).unwrap();
    let pending = store.pending(&model, 1000).unwrap();
    assert!(pending.last().unwrap().text.contains("last"));
    assert_eq!(store.pending(&model, 3).unwrap(), pending[..3]);
    assert_eq!(store.pending(&model, 0).unwrap(), []);
    for passage in pending {
        assert_eq!(passage.hash, docent_index::PassageHash::of(&passage.text));
    }
}

/// Who asks for some collections gets the passages of no other, whatever else is pending before, between and after.
pub fn pending_of_some_collections_leaves_the_others(place: &dyn StoreUnderTest) {
    let (store, model) = (place.open(), model("m"));
    let page = |collection: &str, word: &str| {
        put(collection, &format!("{word}.md"), &format!("# {word}\n\n{}\n", format!("{word} ").repeat(900)))
    };
    for (collection, word) in [("a", "one"), ("b", "two"), ("a", "three"), ("c", "four"), ("b", "five")] {
        store.apply(&[page(collection, word)]).unwrap();
    }
    let ask = |names: &[&str], after: Option<PassageId>, limit: usize| {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        store.pending_in(&model, Pending { collections: Some(&names), after }, limit).unwrap()
    };
    let all = store.pending(&model, 1000).unwrap();
    let of = |words: &[&str]| -> Vec<_> {
        all.iter().filter(|passage| words.iter().any(|word| passage.text.contains(word))).cloned().collect()
    };
    let b = of(&["two", "five"]);
    assert!(b.len() > 3 && b.len() < all.len(), "{} of {}", b.len(), all.len());
    assert_eq!(ask(&["b"], None, 1000), b);
    assert_eq!(ask(&["b"], None, 2), b[..2]);
    for (at, passage) in b.iter().enumerate() {
        assert_eq!(ask(&["b"], Some(passage.id), 1000), b[at + 1..]);
    }
    assert_eq!(ask(&["c", "none", "a"], None, 1000), of(&["one", "three", "four"]));
    assert_eq!(ask(&["a", "b", "c"], None, 1000), all);
    assert_eq!((ask(&[], None, 9), ask(&["none"], None, 9)), (Vec::new(), Vec::new()));
    let after = Pending { collections: None, after: Some(all[2].id) };
    assert_eq!(store.pending_in(&model, after, 1000).unwrap(), all[3..]);

    let vectors: Vec<_> = b.iter().map(|p| (p.id, QuantisedVector::new(&vector(&model, &p.text)))).collect();
    store.put_vectors(&model, &vectors).unwrap();
    assert!(ask(&["b"], None, 1000).is_empty());
    assert_eq!(store.pending(&model, 1000).unwrap(), of(&["one", "three", "four"]));
    sound(&*store);
}

/// The passage itself as the query is found first, with a cosine near 1.
pub fn nearest_finds_the_same_words(place: &dyn StoreUnderTest) {
    let (store, model) = (place.open(), model("m"));
    store.apply(&animals()).unwrap();
    let pending = store.pending(&model, 1000).unwrap();
    embed_all(&*store, &model);
    let snapshot = store.snapshot().unwrap();
    for passage in pending {
        let hits = snapshot.nearest(&model, &vector(&model, &passage.text), &all(), 3).unwrap();
        assert_eq!(hits.len(), 3);
        assert!(hits[0].score > 0.98 && hits[0].score <= 1.0, "{}", hits[0].score);
        assert!(hits.windows(2).all(|w| w[0].score >= w[1].score));
        let title = &snapshot.document(hits[0].document).unwrap().title;
        assert!(passage.text.contains(title.as_str()), "{title}: {}", passage.text);
    }
    assert!(snapshot.nearest(&model, &vector(&model, "otter"), &all(), 0).unwrap().is_empty());
}

/// The nearest of those that pass are returned, however many nearer ones do not pass.
pub fn nearest_filters_before_cutting_to_k(place: &dyn StoreUnderTest) {
    let (store, model) = (place.open(), model("m"));
    store.apply(&animals()).unwrap();
    embed_all(&*store, &model);
    let snapshot = store.snapshot().unwrap();
    let filter = Filter { path: Some(PathGlob::new("odd").unwrap()), ..all() };
    let hits = snapshot.nearest(&model, &vector(&model, "The walrus"), &filter, 5).unwrap();
    assert_eq!(hits.len(), 5);
    for hit in hits {
        assert!(snapshot.document(hit.document).unwrap().path.starts_with("odd/"));
    }
    assert_eq!(snapshot.counts(Some(&model), &filter).embedded, 5);
}

/// The one document does not pass, and its place is taken by the next.
pub fn nearest_leaves_out_a_document(place: &dyn StoreUnderTest) {
    let (store, model) = (place.open(), model("m"));
    store.apply(&animals()).unwrap();
    embed_all(&*store, &model);
    let snapshot = store.snapshot().unwrap();
    let walrus = at(&*snapshot, "even/walrus.md").id;
    let collections = Some(vec!["docs".to_owned()]);
    let path = Some(PathGlob::new("even").unwrap());
    for filter in [all(), Filter { collections, ..all() }, Filter { path, ..all() }] {
        let query = vector(&model, "The walrus A walrus is no 0");
        let before = snapshot.nearest(&model, &query, &filter, 4).unwrap();
        assert_eq!(before[0].document, walrus);
        let without = Filter { except: Some(walrus), ..filter.clone() };
        let after = snapshot.nearest(&model, &query, &without, 3).unwrap();
        assert_eq!(after, before[1..]);
        let embedded = |filter: &Filter| snapshot.counts(Some(&model), filter).embedded;
        assert_eq!(embedded(&without), embedded(&filter) - 1);
    }
}

/// Whatever the filters and depths, and with queries of the wrong length among them.
pub fn several_nearest_queries_find_what_each_finds_alone(place: &dyn StoreUnderTest) {
    let (store, model) = (place.open(), model("m"));
    store.apply(&animals()).unwrap();
    let sections: String =
        (0..300).map(|i| format!("## Number {i}\n\nThe {} {i}\n\n", ANIMALS[i % 10])).collect();
    store.apply(&[put("docs", "long.md", &format!("# Long\n\n{sections}"))]).unwrap();
    embed_all(&*store, &model);
    let snapshot = store.snapshot().unwrap();
    let vectors: Vec<Vec<f32>> =
        ANIMALS.iter().map(|animal| vector(&model, &format!("A {animal}"))).collect();
    let odd = Filter { path: Some(PathGlob::new("odd").unwrap()), ..all() };
    let (filters, wrong) = ([all(), odd, all()], vec![1.0, 0.0]);
    for count in [0, 1, 2, 5, 10] {
        let mut queries: Vec<NearestQuery<'_>> = Vec::new();
        for (number, vector) in vectors.iter().take(count).enumerate() {
            let filter = &filters[number % 3];
            queries.push(NearestQuery { vector, filter, depth: 3 + number * 7 });
        }
        queries.push(NearestQuery { vector: &wrong, filter: &filters[0], depth: 5 });
        queries.push(NearestQuery { vector: &vectors[0], filter: &filters[0], depth: 0 });
        let together = snapshot.nearest_many(&model, &queries).unwrap();
        assert_eq!(together.len(), queries.len());
        for (query, found) in queries.iter().zip(together) {
            let alone = snapshot.nearest(&model, query.vector, query.filter, query.depth);
            assert_eq!(found, alone.unwrap_or_default());
        }
    }
    assert!(snapshot.nearest_many(&model, &[]).unwrap().is_empty());
}

/// Each passage of the document once, with the vector that was put for it.
pub fn vectors_of_a_document_come_in_order(place: &dyn StoreUnderTest) {
    let (store, model) = (place.open(), model("m"));
    let page = |last: &str| format!("# Page\n\n## One\n\notter\n\n## Two\n\nheron\n\n## Three\n\n{last}\n");
    store.apply(&animals()).unwrap();
    store.apply(&[put("docs", "a.md", &page("lynx"))]).unwrap();
    let mut pending = store.pending(&model, 1000).unwrap();
    let unknown = store.snapshot().unwrap();
    let passages = pending.split_off(pending.len() - 3);
    let of =
        |snapshot: &dyn docent_index::Snapshot| snapshot.vectors_of(&model, at(snapshot, "a.md").id).unwrap();
    let hashes: Vec<_> = passages.iter().map(|passage| (passage.hash, None)).collect();
    assert_eq!(of(&*unknown), hashes);
    let kept = |text: &str| QuantisedVector::new(&vector(&model, text));
    // Out of order, and the middle one not at all.
    let put_now = [2, 0].map(|at| (passages[at].id, kept(&passages[at].text)));
    store.put_vectors(&model, &put_now).unwrap();
    let expected = [Some(kept(&passages[0].text)), None, Some(kept(&passages[2].text))];
    let found = of(&*store.snapshot().unwrap());
    assert_eq!(found.into_iter().map(|(_, vector)| vector).collect::<Vec<_>>(), expected);
    // What is unchanged keeps its vector in the new version of the document.
    store.apply(&[put("docs", "a.md", &page("badger"))]).unwrap();
    let found = of(&*place.open().snapshot().unwrap());
    assert_eq!(found[0], (passages[0].hash, expected[0].clone()));
    assert!(found[2].0 != passages[2].hash && found[2].1.is_none());
    let other = crate::model("other");
    let snapshot = store.snapshot().unwrap();
    let without = snapshot.vectors_of(&other, at(&*snapshot, "a.md").id).unwrap();
    assert!(without.len() == 3 && without.iter().all(|(_, vector)| vector.is_none()));
}

/// A snapshot gives the vectors that it knows, however the rows have been moved since.
pub fn vectors_of_a_document_are_those_of_the_snapshot(place: &dyn StoreUnderTest) {
    let (store, model) = (place.open(), model("m"));
    let sections = |round: usize| -> String {
        (0..400).map(|i| format!("## Section {i}\n\nword{i} round{round}\n\n")).collect()
    };
    let page = |round: usize| put("docs", "a.md", &format!("# Page\n\n{}", sections(round)));
    store.apply(&animals()).unwrap();
    embed_all(&*store, &model);
    let early = store.snapshot().unwrap();
    let walrus = at(&*early, "even/walrus.md").id;
    let known = early.vectors_of(&model, walrus).unwrap();
    assert!(known.iter().all(|(_, vector)| vector.is_some()));
    // Enough dead rows that the file is written anew.
    for round in 0..6 {
        store.apply(&[page(round)]).unwrap();
        embed_all(&*store, &model);
    }
    assert_eq!(early.vectors_of(&model, walrus).unwrap(), known);
    assert_eq!(store.snapshot().unwrap().vectors_of(&model, walrus).unwrap(), known);
    store.apply(&[delete("docs", "even/walrus.md")]).unwrap();
    let late = early.vectors_of(&model, walrus).unwrap();
    assert!(late.is_empty() || late == known, "what it knows, or nothing when that is gone");
    assert!(store.snapshot().unwrap().vectors_of(&model, walrus).unwrap().is_empty());
}

/// Both say the same cosine of a chunk.
pub fn nearest_agrees_with_similarities(place: &dyn StoreUnderTest) {
    let (store, model) = (place.open(), model("m"));
    store.apply(&animals()).unwrap();
    let long: String = (0..30).map(|i| format!("Sentence {i} on the {}. ", ANIMALS[i % 10])).collect();
    store.apply(&[put("docs", "long.md", &format!("# Long\n\n{long}\n\n{long}\n"))]).unwrap();
    embed_all(&*store, &model);
    let snapshot = store.snapshot().unwrap();
    let query = vector(&model, "heron and lynx");
    let hits = snapshot.nearest(&model, &query, &all(), 20).unwrap();
    assert_eq!(hits.len(), 11);
    let chunks: Vec<ChunkId> = hits.iter().map(|hit| hit.chunk).collect();
    let again = snapshot.similarities(&model, &query, &chunks).unwrap();
    for (hit, cosine) in hits.iter().zip(again) {
        assert!((hit.score - cosine.unwrap()).abs() < 1e-5);
    }
}

/// "Not embedded yet" is not "unlike".
pub fn similarities_of_unembedded_chunks_are_none(place: &dyn StoreUnderTest) {
    let (store, model) = (place.open(), model("m"));
    store.apply(&[put("docs", "a.md", "# A\n\notter\n")]).unwrap();
    embed_all(&*store, &model);
    store.apply(&[put("docs", "b.md", "# B\n\notter\n")]).unwrap();
    let snapshot = store.snapshot().unwrap();
    let chunks =
        [snapshot.chunk_ids(at(&*snapshot, "a.md").id)[0], snapshot.chunk_ids(at(&*snapshot, "b.md").id)[0]];
    let cosines = snapshot.similarities(&model, &vector(&model, "otter"), &chunks).unwrap();
    assert!(cosines[0].is_some());
    assert_eq!(cosines[1], None);
    let unknown = crate::model("unknown");
    assert_eq!(snapshot.similarities(&unknown, &vector(&unknown, "otter"), &chunks).unwrap(), [None, None]);
    assert!(snapshot.nearest(&unknown, &vector(&unknown, "otter"), &all(), 5).unwrap().is_empty());
}

/// Only what changed is pending after an edit, and the rest is near what it was near.
pub fn an_edit_keeps_the_vectors_of_unchanged_passages(place: &dyn StoreUnderTest) {
    let (store, model) = (place.open(), model("m"));
    let page = |last: &str| format!("# Page\n\n## One\n\notter\n\n## Two\n\nheron\n\n## Three\n\n{last}\n");
    store.apply(&[put("docs", "a.md", &page("lynx"))]).unwrap();
    assert_eq!(embed_all(&*store, &model), 3);
    store.apply(&[put("docs", "a.md", &page("badger"))]).unwrap();
    let pending = store.pending(&model, 10).unwrap();
    assert_eq!(pending.len(), 1);
    assert!(pending[0].text.contains("badger"));
    let check = |handle: &dyn docent_index::Store| {
        let snapshot = handle.snapshot().unwrap();
        assert_eq!(snapshot.counts(Some(&model), &all()).embedded, 2);
        let hit = snapshot.nearest(&model, &vector(&model, "Page One otter"), &all(), 1).unwrap()[0];
        assert!(snapshot.chunks(&[hit.chunk]).unwrap()[0].content.contains("otter"));
    };
    check(&*store);
    check(&*place.open());
    sound(&*store);
}

/// A document may go while its passages are being embedded.
pub fn vectors_of_passages_that_are_gone_are_passed_over(place: &dyn StoreUnderTest) {
    let (store, model) = (place.open(), model("m"));
    store.apply(&[put("docs", "a.md", "# A\n\notter\n"), put("docs", "b.md", "# B\n\nheron\n")]).unwrap();
    let pending = store.pending(&model, 10).unwrap();
    store.apply(&[delete("docs", "a.md")]).unwrap();
    let mut vectors: Vec<_> =
        pending.iter().map(|p| (p.id, QuantisedVector::new(&vector(&model, &p.text)))).collect();
    vectors.push((PassageId(u64::MAX >> 1), vectors[0].1.clone()));
    store.put_vectors(&model, &vectors).unwrap();
    let counts = store.snapshot().unwrap().counts(Some(&model), &all());
    assert_eq!((counts.passages, counts.embedded), (1, 1));
    assert!(store.pending(&model, 10).unwrap().is_empty());
    sound(&*store);
}

/// A model that suddenly gives other vectors is an error, not a mixture.
pub fn vectors_of_the_wrong_length_are_refused(place: &dyn StoreUnderTest) {
    let (store, model) = (place.open(), model("m"));
    store.apply(&[put("docs", "a.md", "# A\n\notter\n")]).unwrap();
    let id = store.pending(&model, 1).unwrap()[0].id;
    assert!(store.put_vectors(&model, &[(id, QuantisedVector::new(&[1.0, 0.0]))]).is_err());
    assert_eq!(store.pending(&model, 1).unwrap().len(), 1);
    embed_all(&*store, &model);
    let snapshot = store.snapshot().unwrap();
    assert!(snapshot.nearest(&model, &[1.0, 0.0], &all(), 5).unwrap_or_default().is_empty());
}

/// Each model has its own vectors and its own progress.
pub fn models_are_kept_apart(place: &dyn StoreUnderTest) {
    let (store, one, two) = (place.open(), model("one"), model("two"));
    store.apply(&animals()).unwrap();
    let total = embed_all(&*store, &one);
    assert_eq!(store.pending(&two, 1000).unwrap().len(), total);
    let first: Vec<_> = store.pending(&two, 2).unwrap();
    let vectors: Vec<_> =
        first.iter().map(|p| (p.id, QuantisedVector::new(&vector(&two, &p.text)))).collect();
    store.put_vectors(&two, &vectors).unwrap();
    let snapshot = store.snapshot().unwrap();
    assert_eq!(snapshot.counts(Some(&one), &all()).embedded, total);
    assert_eq!(snapshot.counts(Some(&two), &all()).embedded, 2);
    assert_eq!(snapshot.nearest(&two, &vector(&two, "otter"), &all(), 10).unwrap().len(), 2);
    let models = store.stats().unwrap().models;
    assert_eq!(models, [("one".to_owned(), total), ("two".to_owned(), 2)]);
}

/// The other models' vectors go, the one's stay, and snapshots taken before still answer.
pub fn retiring_other_models_keeps_the_one(place: &dyn StoreUnderTest) {
    let (store, one, two) = (place.open(), model("one"), model("two"));
    store.apply(&animals()).unwrap();
    let total = embed_all(&*store, &one);
    embed_all(&*store, &two);
    let before = store.snapshot().unwrap();
    store.retire_other_models(&two).unwrap();
    let snapshot = store.snapshot().unwrap();
    assert_eq!(snapshot.counts(Some(&one), &all()).embedded, 0);
    assert_eq!(snapshot.counts(Some(&two), &all()).embedded, total);
    assert_eq!(before.nearest(&one, &vector(&one, "otter"), &all(), 3).unwrap().len(), 3);
    assert_eq!(store.pending(&one, 1000).unwrap().len(), total);
    sound(&*store);
}

/// Rows of dead passages are given up in time, and what is found stays right all along.
pub fn many_edits_keep_vectors_right(place: &dyn StoreUnderTest) {
    let (store, model) = (place.open(), model("m"));
    let other = place.open();
    let page = |round: usize| {
        let sections: String =
            (0..60).map(|i| format!("## Section {i}\n\nword{i} round{round}\n\n")).collect();
        put("docs", "a.md", &format!("# Page\n\n{sections}"))
    };
    store.apply(&animals()).unwrap();
    for round in 0..30 {
        store.apply(&[page(round)]).unwrap();
        embed_all(&*store, &model);
    }
    for handle in [&store, &other] {
        let snapshot = handle.snapshot().unwrap();
        let counts = snapshot.counts(Some(&model), &all());
        assert_eq!(counts.passages, counts.embedded);
        let query = vector(&model, "Page Section 7 a.md word7 round29");
        let hit = snapshot.nearest(&model, &query, &all(), 1).unwrap()[0];
        assert!(snapshot.chunks(&[hit.chunk]).unwrap()[0].content.contains("word7 round29"));
        let query = vector(&model, "The otter A otter is no 1");
        let hit = snapshot.nearest(&model, &query, &all(), 1).unwrap()[0];
        assert!(snapshot.chunks(&[hit.chunk]).unwrap()[0].content.contains("otter"));
    }
    sound(&*store);
}
