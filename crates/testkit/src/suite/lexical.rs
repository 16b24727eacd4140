//! Rules on what lexical search finds.

use docent_index::{Change, FacetExpr, Filter, LexicalQuery, PathGlob};

use super::{StoreUnderTest, all, at, found};
use crate::{document, put, query};

/// What was put is found when `apply` has returned.
pub fn put_then_found_lexically(place: &dyn StoreUnderTest) {
    let store = place.open();
    assert!(found(&*store.snapshot().unwrap(), "walrus", &all(), 10).is_empty());
    store.apply(&[put("docs", "a.md", "# Animals\n\nThe walrus sleeps.\n")]).unwrap();
    let snapshot = store.snapshot().unwrap();
    let hits = snapshot.lexical(&query("walrus"), &all(), 10).unwrap();
    assert_eq!(hits.chunks.len(), 1);
    assert!(hits.chunks[0].score > 0.0);
    let chunk = snapshot.chunks(&[hits.chunks[0].chunk]).unwrap().remove(0);
    assert_eq!(chunk.document, hits.chunks[0].document);
    assert!(chunk.content.contains("The walrus sleeps."), "{}", chunk.content);
}

/// A chunk is found by its own heading, the page by its title, also where the text does not repeat them.
pub fn headings_and_titles_are_found(place: &dyn StoreUnderTest) {
    let store = place.open();
    store
        .apply(&[put("docs", "a.md", "# Manual\n\n## Retries\n\nTry again.\n\n## Other\n\nNothing.\n")])
        .unwrap();
    let snapshot = store.snapshot().unwrap();
    let hits = snapshot.lexical(&query("retries"), &all(), 10).unwrap();
    let best = snapshot.chunks(&[hits.chunks[0].chunk]).unwrap().remove(0);
    assert!(best.content.contains("Try again."), "{}", best.content);
    assert!(found(&*snapshot, "manual", &all(), 10).is_empty());
    let pages = snapshot.lexical(&query("manual"), &all(), 10).unwrap().documents;
    assert_eq!(pages.iter().map(|(page, _)| *page).collect::<Vec<_>>(), [at(&*snapshot, "a.md").id]);
}

/// A chunk that is not searchable is listed with its document and never found.
pub fn chunks_that_are_not_searchable_are_not_found(place: &dyn StoreUnderTest) {
    let store = place.open();
    let mut hidden = document("docs", "a.md", "# One\n\nalpha words\n\n# Two\n\nbeta words\n");
    assert_eq!(hidden.chunks.len(), 2);
    hidden.chunks[0].searchable = false;
    store.apply(&[Change::Put(Box::new(hidden))]).unwrap();
    let snapshot = store.snapshot().unwrap();
    assert!(found(&*snapshot, "alpha", &all(), 10).is_empty());
    assert_eq!(found(&*snapshot, "beta", &all(), 10), ["a.md"]);
    let id = at(&*snapshot, "a.md").id;
    let chunks = snapshot.chunks_of(id).unwrap();
    assert_eq!(chunks.len(), 2);
    assert_eq!(snapshot.chunk_ids(id), [chunks[1].id]);
}

/// Pages are ranked by all their words, wherever they stand.
pub fn whole_documents_are_ranked_too(place: &dyn StoreUnderTest) {
    let store = place.open();
    store
        .apply(&[
            put("docs", "both.md", "# A\n\ncopper\n\n# B\n\nzinc\n"),
            put("docs", "one.md", "# A\n\ncopper copper\n\n# B\n\nlead\n"),
            put("docs", "none.md", "# A\n\ngold\n"),
        ])
        .unwrap();
    let snapshot = store.snapshot().unwrap();
    let hits = snapshot.lexical(&query("copper zinc"), &all(), 10).unwrap();
    let paths: Vec<_> =
        hits.documents.iter().map(|(id, _)| snapshot.document(*id).unwrap().path.clone()).collect();
    assert_eq!(paths, ["both.md", "one.md"]);
    assert!(hits.documents[0].1 >= hits.documents[1].1);
}

/// The best of those that pass are returned, however many better ones do not pass.
pub fn filters_are_applied_before_cutting_to_k(place: &dyn StoreUnderTest) {
    let store = place.open();
    let mut changes: Vec<_> = (0..60)
        .map(|i| put("docs", &format!("loud/{i:02}.md"), "# Otter\n\notter otter otter otter\n"))
        .collect();
    changes.push(put("docs", "quiet/a.md", &format!("# Quiet\n\n{} otter\n", "filler ".repeat(200))));
    store.apply(&changes).unwrap();
    let snapshot = store.snapshot().unwrap();
    let filter = Filter { path: Some(PathGlob::new("quiet").unwrap()), ..all() };
    let hits = snapshot.lexical(&query("otter"), &filter, 2).unwrap();
    assert_eq!(hits.chunks.len(), 1);
    assert_eq!(hits.documents.len(), 1);
    assert_eq!(snapshot.document(hits.chunks[0].document).unwrap().path, "quiet/a.md");
    assert_eq!(snapshot.lexical(&query("otter"), &all(), 7).unwrap().chunks.len(), 7);
    let nothing = Filter { collections: Some(vec!["other".to_owned()]), ..all() };
    assert!(snapshot.lexical(&query("otter"), &nothing, 7).unwrap().chunks.is_empty());
}

/// `All` and `Any` of facet values.
pub fn facet_expressions_filter(place: &dyn StoreUnderTest) {
    let store = place.open();
    let with = |path: &str, facets: &[(&str, &str)]| {
        let mut document = document("docs", path, "# Page\n\nheron\n");
        document.facets = facets.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        Change::Put(Box::new(document))
    };
    store
        .apply(&[
            with("a.md", &[("kind", "guide"), ("lang", "en")]),
            with("b.md", &[("kind", "guide"), ("lang", "de")]),
            with("c.md", &[("kind", "reference")]),
            with("d.md", &[]),
        ])
        .unwrap();
    let snapshot = store.snapshot().unwrap();
    let is = |key: &str, value: &str| FacetExpr::Is { key: key.to_owned(), value: value.to_owned() };
    let check = |expr: FacetExpr, expected: &[&str]| {
        let filter = Filter { facets: Some(expr), ..all() };
        let mut paths = found(&*snapshot, "heron", &filter, 10);
        paths.sort();
        assert_eq!(paths, expected);
        let listed: Vec<_> = snapshot.documents(&filter).iter().map(|d| d.path.clone()).collect();
        assert_eq!(listed, expected);
    };
    check(is("kind", "guide"), &["a.md", "b.md"]);
    check(FacetExpr::All(vec![is("kind", "guide"), is("lang", "de")]), &["b.md"]);
    check(FacetExpr::Any(vec![is("lang", "de"), is("kind", "reference")]), &["b.md", "c.md"]);
    check(is("kind", "none"), &[]);
}

/// The one document does not pass, whatever else the filter says.
pub fn a_document_can_be_left_out(place: &dyn StoreUnderTest) {
    let store = place.open();
    let page = |i: usize| put("docs", &format!("{i}.md"), &format!("# Page\n\n{}\n", "heron ".repeat(i + 1)));
    store.apply(&(0..5).map(page).collect::<Vec<_>>()).unwrap();
    let snapshot = store.snapshot().unwrap();
    let out = super::at(&*snapshot, "2.md").id;
    let collections = Some(vec!["docs".to_owned()]);
    let path = Some(PathGlob::new("*.md").unwrap());
    for filter in [all(), Filter { collections, ..all() }, Filter { path, ..all() }] {
        let filter = Filter { except: Some(out), ..filter };
        let hits = snapshot.lexical(&query("heron"), &filter, 4).unwrap();
        assert_eq!((hits.chunks.len(), hits.documents.len()), (4, 4));
        assert!(hits.chunks.iter().all(|hit| hit.document != out));
        assert!(hits.documents.iter().all(|(document, _)| *document != out));
        assert!(snapshot.documents(&filter).iter().all(|document| document.id != out));
        let counts = snapshot.counts(None, &filter);
        assert_eq!((counts.documents, counts.chunks), (4, 4));
    }
}

/// The same query gives the same order each time, and a smaller depth gives the beginning of it.
pub fn equal_scores_are_ordered_deterministically(place: &dyn StoreUnderTest) {
    let store = place.open();
    for part in 0..5 {
        let batch: Vec<_> = (0..8)
            .map(|i| put("docs", &format!("{}-{part}.md", 9 - i), "# Same\n\nequal words here\n"))
            .collect();
        store.apply(&batch).unwrap();
    }
    let snapshot = store.snapshot().unwrap();
    let full = snapshot.lexical(&query("equal words"), &all(), 40).unwrap();
    assert_eq!(full.chunks.len(), 40);
    assert!(full.chunks.windows(2).all(|w| w[0].score >= w[1].score));
    for depth in [1, 3, 17, 40] {
        let again = place.open().snapshot().unwrap().lexical(&query("equal words"), &all(), depth).unwrap();
        assert_eq!(again.chunks, full.chunks[..depth]);
        assert_eq!(again.documents, full.documents[..depth]);
    }
}

/// A word with a larger weight draws its documents up.
pub fn weights_of_words_count(place: &dyn StoreUnderTest) {
    let store = place.open();
    store.apply(&[put("docs", "a.md", "# A\n\nbasalt\n"), put("docs", "b.md", "# B\n\ngranite\n")]).unwrap();
    let snapshot = store.snapshot().unwrap();
    let check = |basalt: f32, granite: f32, expected: &str| {
        let mut query = query("basalt granite");
        query.terms[0].1 = basalt;
        query.terms[1].1 = granite;
        let hits = snapshot.lexical(&query, &all(), 10).unwrap();
        assert_eq!(snapshot.document(hits.chunks[0].document).unwrap().path, expected);
        assert_eq!(snapshot.document(hits.documents[0].0).unwrap().path, expected);
    };
    check(1.0, 0.2, "a.md");
    check(0.2, 1.0, "b.md");
}

/// Asking for the scores of given chunks and documents gives the scores that searching gives, and 0 without a match.
pub fn scores_of_given_chunks_are_those_of_a_search(place: &dyn StoreUnderTest) {
    let store = place.open();
    store.apply(&[put("docs", "a.md", "# A\n\notter otter heron\n\n## B\n\notter\n")]).unwrap();
    store.apply(&[put("docs", "c.md", "# C\n\nheron\n"), put("docs", "d.md", "# D\n\nlynx\n")]).unwrap();
    store.apply(&[put("docs", "a.md", "# A\n\notter heron\n\n## B\n\notter\n")]).unwrap();
    let snapshot = store.snapshot().unwrap();
    let words = query("otter heron");
    let found = snapshot.lexical(&words, &all(), 10).unwrap();
    let mut chunks: Vec<_> = found.chunks.iter().map(|hit| hit.chunk).collect();
    chunks.reverse();
    chunks.push(snapshot.chunk_ids(at(&*snapshot, "d.md").id)[0]);
    let documents: Vec<_> = found.documents.iter().map(|(id, _)| *id).collect();
    let (chunk_scores, document_scores) = snapshot.lexical_scores(&words, &chunks, &documents).unwrap();
    if let Some(scores) = &found.scores {
        // What is at hand is the same to the last bit: either may be asked.
        let at_hand = scores.of(&chunks, &documents).unwrap();
        assert_eq!(at_hand, (chunk_scores.clone(), document_scores.clone()));
        assert_eq!(scores.of(&[], &[]).unwrap(), (vec![], vec![]));
    }
    let mut expected: Vec<f32> = found.chunks.iter().rev().map(|hit| hit.score).collect();
    expected.push(0.0);
    let close = |a: &[f32], b: &[f32]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5);
    assert!(close(&chunk_scores, &expected), "{chunk_scores:?} {expected:?}");
    let expected: Vec<f32> = found.documents.iter().map(|(_, score)| *score).collect();
    assert!(close(&document_scores, &expected), "{document_scores:?} {expected:?}");
}

/// No terms, unknown terms and useless weights are not errors.
pub fn unknown_words_and_empty_queries_find_nothing(place: &dyn StoreUnderTest) {
    let store = place.open();
    store.apply(&[put("docs", "a.md", "# A\n\nbasalt\n")]).unwrap();
    let snapshot = store.snapshot().unwrap();
    let check = |terms: &[(&str, f32)]| {
        let terms = terms.iter().map(|(term, weight)| ((*term).to_owned(), *weight)).collect();
        let hits = snapshot.lexical(&LexicalQuery { terms }, &all(), 10).unwrap();
        assert!(hits.chunks.is_empty() && hits.documents.is_empty());
    };
    check(&[]);
    check(&[("unheard", 1.0)]);
    check(&[("", 1.0)]);
    check(&[("basalt", 0.0)]);
    check(&[("basalt", f32::NAN)]);
}

/// Asking for nothing gives nothing.
pub fn depth_zero_finds_nothing(place: &dyn StoreUnderTest) {
    let store = place.open();
    store.apply(&[put("docs", "a.md", "# A\n\nbasalt\n")]).unwrap();
    let hits = store.snapshot().unwrap().lexical(&query("basalt"), &all(), 0).unwrap();
    assert!(hits.chunks.is_empty() && hits.documents.is_empty());
}
