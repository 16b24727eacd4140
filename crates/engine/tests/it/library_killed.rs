//! A process that is killed while it keeps and deletes documents leaves each wholly old, wholly new or gone.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use docent_embed::HashEmbedder;
use docent_engine::{Cancel, ChunkOptions, Engine, EngineParts, Freshness, Handed, SearchRequest};
use docent_store_embedded::{EmbeddedStore, OpenOptions};

use crate::library::handed;
use crate::library_kept::kept;

/// Names the folder to the process that is going to be killed.
const PLACE: &str = "DOCENT_TEST_HANDING_IN";
const SOURCES: usize = 4;

/// Kills per run; `DOCENT_TEST_KILLS=50` is the long version.
fn kills() -> u64 {
    std::env::var("DOCENT_TEST_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(6)
}

#[test]
fn killed_writers_leave_each_document_whole() {
    let dir = tempfile::tempdir().unwrap();
    let running = engine(dir.path());
    for kill in 0..kills() {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "library_killed::hands_over_until_it_is_killed"])
            .env(PLACE, dir.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        thread::sleep(Duration::from_millis(150 + kill * 113 % 700));
        child.kill().unwrap();
        child.wait().unwrap();
        check_whole(&engine(dir.path()), dir.path());
        check_whole(&running, dir.path());
    }
    for source in 0..SOURCES {
        running.take_in(version(source, "alpha"), &Cancel::default()).unwrap();
    }
    assert_eq!(check_whole(&running, dir.path()), SOURCES);
    running.take_out_library("papers").unwrap();
    assert_eq!(check_whole(&running, dir.path()), 0);
}

#[test]
#[ignore = "run, and killed, by another test"]
fn hands_over_until_it_is_killed() {
    let Some(place) = std::env::var_os(PLACE) else { return };
    let engine = engine(Path::new(&place));
    for word in ["beta", "alpha"].into_iter().cycle() {
        for source in 0..SOURCES {
            let taken = engine.take_in(version(source, word), &Cancel::default()).unwrap();
            if source == 1 && word == "alpha" {
                engine.take_out(&taken.uuid).unwrap();
            }
        }
    }
}

fn version(source: usize, word: &str) -> Handed {
    let page = format!("# Page\n\n{}\n\n", format!("It says {word}. ").repeat(30));
    handed(&format!("/{source}.pdf"), &[&page, &page, &page])
}

/// How many documents there are, each whole and the same in the index and in the kept files.
fn check_whole(engine: &Engine, place: &Path) -> usize {
    assert_eq!(engine.check().unwrap().problems, Vec::<String>::new());
    let (documents, count) = engine.library_documents(&[], 100, 0).unwrap();
    let mut texts = BTreeSet::new();
    for document in &documents {
        let (_, text) = engine.library_document(&[], &document.record.uuid).unwrap().unwrap();
        let is = |word: &str| text.matches(word).count();
        assert!([(90, 0), (0, 90)].contains(&(is("alpha"), is("beta"))), "{}", document.record.path);
        assert_eq!(document.record.pages, [1, 2, 3]);
        texts.insert(document.record.content_hash.to_hex());
    }
    let index = place.join("index");
    let entries = documents.iter().map(|document| format!("{}.json", document.record.uuid)).collect();
    assert_eq!(kept(&index, "entries"), entries);
    assert_eq!(kept(&index, "objects"), texts);
    assert_eq!(kept(&index, "marks"), BTreeSet::new());
    let mut request = SearchRequest::new("alpha beta");
    request.top_k = 100;
    assert_eq!(engine.search(&request).unwrap().results.len(), 3 * count);
    count
}

fn engine(place: &Path) -> Engine {
    let parts = EngineParts {
        expected: Vec::new(),
        aliases: Default::default(),
        store: Arc::new(EmbeddedStore::open(&place.join("index"), OpenOptions::default()).unwrap()),
        embedder: Some(Arc::new(HashEmbedder::default())),
        embedder_problem: None,
        cache: None,
        sources: Vec::new(),
        chunking: ChunkOptions::default(),
        cookies: place.join("cookies"),
        library: Some(place.join("index/library")),
    };
    Engine::new(parts, Freshness::Synced).unwrap()
}
