//! A process that is killed while it keeps and deletes documents leaves each wholly old, wholly new or gone.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use docent_embed::HashEmbedder;
use docent_engine::{Cancel, Engine, Handed, SearchRequest};

use crate::library::handed;
use crate::library_kept::kept;
use crate::victims::{self, kill_again_and_again, place};

const SOURCES: usize = 4;

#[test]
fn killed_writers_leave_each_document_whole() {
    let dir = tempfile::tempdir().unwrap();
    let running = engine(dir.path());
    kill_again_and_again("library_killed::hands_over_until_it_is_killed", dir.path(), || {
        check_whole(&engine(dir.path()), dir.path());
        check_whole(&running, dir.path());
    });
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
    let Some(place) = place() else { return };
    let engine = engine(&place);
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
    victims::engine(place, Some(Arc::new(HashEmbedder::default())))
}
