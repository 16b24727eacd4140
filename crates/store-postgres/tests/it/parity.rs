//! The store on PostgreSQL finds what the embedded store finds, with the same scores.

use docent_index::{Change, Filter, PathGlob, Snapshot, Store};
use docent_store_embedded::{EmbeddedStore, OpenOptions};
use docent_store_postgres::{PostgresOptions, PostgresStore};
use docent_testkit::{Postgres, delete, embed_all, model, put, query, vector};

/// Words of which the first occur often and the last rarely.
fn word(at: usize) -> String {
    format!("word{}", (at * at * 7919 % 100_003) % (at % 97 + 1))
}

fn page(number: usize) -> Change {
    let text = |from: usize, count: usize| (from..from + count).map(word).collect::<Vec<_>>().join(" ");
    let sections: String = (0..number % 5 + 1)
        .map(|at| {
            let start = number * 31 + at * 7;
            format!("## {}\n\n{}\n\n", text(start, 2), text(start + 3, number * at % 150 + 5))
        })
        .collect();
    let folder = if number.is_multiple_of(3) { "third" } else { "other" };
    put(
        &format!("c{}", number % 4),
        &format!("{folder}/{number}.md"),
        &format!("# {}\n\n{sections}", text(number, 3)),
    )
}

/// The same batches on both: pages, edits, and pages that go.
fn fill(store: &dyn Store) {
    let pages: Vec<Change> = (0..400).map(page).collect();
    for part in pages.chunks(30) {
        store.apply(part).unwrap();
    }
    embed_all(store, &model("m"));
}

fn check(one: &dyn Snapshot, two: &dyn Snapshot, filter: &Filter, words: &str) {
    let path = |snapshot: &dyn Snapshot, id| {
        let document = snapshot.document(id).unwrap();
        format!("{}/{}", document.collection, document.path)
    };
    let lexical = |snapshot: &dyn Snapshot| {
        let hits = snapshot.lexical(&query(words), filter, 20).unwrap();
        let chunks: Vec<_> =
            hits.chunks.iter().map(|hit| (path(snapshot, hit.document), hit.score)).collect();
        let pages: Vec<_> = hits.documents.iter().map(|(id, score)| (path(snapshot, *id), *score)).collect();
        ([chunks, pages], [hits.chunk_bound, hits.document_bound])
    };
    let ((hits, bounds), (expected, expected_bounds)) = (lexical(two), lexical(one));
    for (hits, expected) in hits.iter().zip(&expected) {
        assert_eq!(hits.len(), expected.len(), "{words}");
        for ((path, score), (_, expected)) in hits.iter().zip(expected) {
            assert!((score - expected).abs() < 1e-3, "{words}: {path} has {score}, not {expected}");
        }
    }
    for (bound, expected) in bounds.iter().zip(expected_bounds) {
        assert!((bound - expected).abs() < 1e-3, "{words}: no more than {bound}, not {expected}");
    }
    let near = |snapshot: &dyn Snapshot| {
        let hits = snapshot.nearest(&model("m"), &vector(&model("m"), words), filter, 20).unwrap();
        hits.into_iter().map(|hit| (path(snapshot, hit.document), hit.score)).collect::<Vec<_>>()
    };
    let (hits, expected) = (near(two), near(one));
    assert_eq!(hits.len(), expected.len());
    for ((path, score), (_, expected)) in hits.iter().zip(&expected) {
        assert!((score - expected).abs() < 1e-5, "{words}: {path} is {score} near, not {expected}");
    }
}

#[test]
fn both_stores_give_the_same_scores() {
    let Some(server) = Postgres::server(0) else { return };
    let (dir, database) = (tempfile::tempdir().unwrap(), server.database());
    let embedded = EmbeddedStore::open(dir.path(), OpenOptions::default()).unwrap();
    fill(&embedded);
    let expected = embedded.snapshot().unwrap();
    let options = PostgresOptions::default();
    let in_memory = PostgresStore::open(&database.url(), options.clone()).unwrap();
    fill(&in_memory);
    let read = PostgresOptions { vectors_in_memory: Some(0), ..options.clone() };
    let read = PostgresStore::open(&database.url(), read).unwrap();
    let filters = [
        Filter::default(),
        Filter { collections: Some(vec!["c1".to_owned(), "c3".to_owned()]), ..Filter::default() },
        Filter { path: Some(PathGlob::new("third").unwrap()), ..Filter::default() },
    ];
    for store in [&in_memory, &read] {
        let found = store.snapshot().unwrap();
        for filter in &filters {
            for at in 0..40 {
                let words: Vec<String> = (at..at + at % 6 + 1).map(word).collect();
                check(&*expected, &*found, filter, &words.join(" "));
            }
        }
    }
}

#[test]
fn scores_stay_the_same_when_segments_are_merged_and_rows_are_gone() {
    let Some(server) = Postgres::server(0) else { return };
    let database = server.database();
    let store = PostgresStore::open(&database.url(), PostgresOptions::default()).unwrap();
    // One at a time, so that segments are merged again and again, with edits and deletions between them.
    for number in 0..150 {
        store.apply(&[page(number)]).unwrap();
        if number % 4 == 0 {
            store.apply(&[put("c0", &format!("gone/{number}.md"), "# Gone\n\nword1 word2 word3\n")]).unwrap();
        }
        if number % 8 == 0 {
            store.apply(&[delete("c0", &format!("gone/{number}.md"))]).unwrap();
        }
    }
    for number in (0..150).step_by(8).map(|number| number + 4).filter(|number| *number < 150) {
        store.apply(&[delete("c0", &format!("gone/{number}.md"))]).unwrap();
    }
    let segments: usize =
        database.sql("SELECT count(*) FROM docent.segments WHERE died IS NULL").parse().unwrap();
    assert!(segments < 80, "{segments} segments");
    store.purge(&[]).unwrap();
    assert_eq!(store.check().unwrap().problems, Vec::<String>::new());
    let other = server.database();
    let fresh = PostgresStore::open(&other.url(), PostgresOptions::default()).unwrap();
    fresh.apply(&(0..150).map(page).collect::<Vec<_>>()).unwrap();
    let [one, two] = [&fresh, &store].map(|store| {
        embed_all(store, &model("m"));
        store.snapshot().unwrap()
    });
    for at in 0..40 {
        let words: Vec<String> = (at..at + at % 6 + 1).map(word).collect();
        check(&*one, &*two, &Filter::default(), &words.join(" "));
    }
}

#[test]
fn the_index_of_the_server_finds_what_is_nearest() {
    let Some(server) = Postgres::server(0) else { return };
    let database = server.database();
    let exact = PostgresStore::open(&database.url(), PostgresOptions::default()).unwrap();
    exact.apply(&(0..300).map(page).collect::<Vec<_>>()).unwrap();
    let options =
        PostgresOptions { vectors_in_memory: Some(100), vectors_read: 50, ..PostgresOptions::default() };
    let indexed = PostgresStore::open(&database.url(), options).unwrap();
    embed_all(&indexed, &model("m"));
    let index = "SELECT count(*) FROM pg_indexes WHERE tablename = 'vectors_m1' AND indexdef LIKE '%hnsw%'";
    assert_eq!(database.sql(index), "1");
    let [one, two] = [&exact, &indexed].map(|store| store.snapshot().unwrap());
    let filters = [
        Filter::default(),
        Filter { collections: Some(vec!["c1".to_owned()]), ..Filter::default() },
        Filter { path: Some(PathGlob::new("third").unwrap()), ..Filter::default() },
    ];
    // Where a filter makes candidates costly, fewer are worth asking for.
    let affordable: Vec<usize> =
        filters.iter().map(|filter| two.affordable(&model("m"), filter, 1000)).collect();
    assert!(
        affordable[0] == 1000 && one.affordable(&model("m"), &filters[1], 1000) == 1000,
        "{affordable:?}"
    );
    let (mut found, mut wanted) = (0, 0);
    for filter in &filters {
        for at in 0..30 {
            let sought = vector(&model("m"), &(at..at + 5).map(word).collect::<Vec<_>>().join(" "));
            let [expected, near] =
                [&one, &two].map(|of| of.nearest(&model("m"), &sought, filter, 10).unwrap());
            let bar = expected.last().unwrap().score - 1e-6;
            found += near.iter().filter(|hit| hit.score >= bar).count();
            wanted += expected.len();
        }
    }
    assert!(found * 100 >= wanted * 97, "{found} of {wanted}");
}
