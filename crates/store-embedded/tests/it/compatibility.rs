//! Every index that a release wrote opens with today's program. `fixtures/indexes/` keeps one of each format, and
//! `fixtures/built/` one of each that `docent build` wrote.
//!
//! When the format changes: cargo test -p docent-store-embedded --test it keep_an_index -- --ignored

use std::path::{Path, PathBuf};

use docent_index::{Change, Filter, Store};
use docent_store_embedded::{BuiltStore, EmbeddedStore, OpenOptions};
use docent_testkit::{document, embed_all, model, put, query, vector};

use crate::recovery::copy_folder;

const FORMAT: u32 = 3;

fn kept() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/indexes")
}

#[test]
fn indexes_of_all_formats_open_and_answer() {
    let mut seen = 0;
    for entry in std::fs::read_dir(kept()).unwrap() {
        let dir = tempfile::tempdir().unwrap();
        let entry = entry.unwrap();
        let has_pages = !["format-1", "format-2"].iter().any(|old| entry.file_name() == *old);
        copy_folder(&entry.path(), dir.path());
        let store = EmbeddedStore::open(dir.path(), OpenOptions::default()).unwrap();
        assert_eq!(store.notices(), Vec::<String>::new());
        assert_eq!(store.check().unwrap().problems, Vec::<String>::new());
        let snapshot = store.snapshot().unwrap();
        assert!(snapshot.collections().iter().all(|collection| collection.about.is_empty()));
        let document = snapshot.document_at("docs", "birds/heron.md").unwrap();
        assert_eq!(snapshot.text(document.id).unwrap().unwrap(), "# Herons\n\nThe heron waits for fish.\n");
        let found = snapshot.lexical(&query("heron"), &Filter::default(), 1).unwrap();
        assert_eq!(found.chunks[0].document, document.id);
        let near =
            snapshot.nearest(&model("m"), &vector(&model("m"), "heron"), &Filter::default(), 1).unwrap();
        assert_eq!(near.len(), 1);
        let paged = snapshot.document_at("docs", "paged.pdf");
        assert_eq!(paged.is_some(), has_pages);
        if let Some(paged) = paged {
            assert_eq!((paged.details.as_str(), paged.pages.as_slice()), ("{\"kind\":\"pdf\"}", &[4, 5][..]));
        }
        seen += 1;
    }
    assert!(seen >= FORMAT, "an index of the newest format is missing in fixtures/indexes");
}

#[test]
fn built_indexes_open_and_answer() {
    let mut seen = 0;
    for entry in std::fs::read_dir(kept().with_file_name("built")).unwrap() {
        let store = BuiltStore::open(&entry.unwrap().path(), None).unwrap();
        assert_eq!(store.check().unwrap().problems, Vec::<String>::new());
        let snapshot = store.snapshot().unwrap();
        let found = snapshot.lexical(&query("heron"), &Filter::default(), 1).unwrap();
        assert_eq!(snapshot.document(found.documents[0].0).unwrap().path, "birds/heron.md");
        seen += 1;
    }
    assert!(seen > 0);
}

#[test]
#[ignore = "writes the fixture of the newest format"]
fn keep_an_index() {
    let dir = kept().join(format!("format-{FORMAT}"));
    let store = EmbeddedStore::open(&dir, OpenOptions::default()).unwrap();
    let otter = put("docs", "otter.md", "# Otters\n\nThe otter swims.\n\n## Food\n\nAn otter eats fish.\n");
    let heron = put("docs", "birds/heron.md", "# Herons\n\nThe heron waits for fish.\n");
    let mut paged = document("docs", "paged.pdf", "# One\n\nA page.\n\n# Two\n\nAnother.\n");
    paged.details = "{\"kind\":\"pdf\"}".to_owned();
    paged.pages = vec![4, 5];
    store.apply(&[otter, heron, Change::Put(Box::new(paged))]).unwrap();
    embed_all(&store, &model("m"));
    crate::built::build(&store, &kept().with_file_name("built").join(format!("format-{FORMAT}")));
}
