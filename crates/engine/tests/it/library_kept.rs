//! What was handed over outlives the index: it is kept in files of its own, and either of the two can be lost.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use docent_embed::HashEmbedder;
use docent_engine::{Cancel, Engine, Freshness, Handed, TakenIn};
use docent_index::{EmbedError, Embedder, Model};
use serde_json::json;

use crate::library::{handed, take_in};
use crate::world::{World, paths, search};

const PAGES: &[&str] = &["# Otters\n\nAn otter swims.\n\n", "It eats fish.\n"];

fn world() -> World {
    World::new(&[("guide.md", "# Guide\n\nThe harbour.\n")])
}

fn with_metadata(source: &str) -> Handed {
    let mut document = handed(source, PAGES);
    document.details.metadata = json!({"year": 2024, "tags": ["a"]}).as_object().cloned().unwrap();
    document.details.notes = vec!["a picture was left out".to_owned()];
    document
}

/// What is known of a document, and its text.
fn state(engine: &Engine, uuid: &str) -> (String, String, Vec<u32>, String, String) {
    let (document, text) = engine.library_document(&[], uuid).unwrap().unwrap();
    let record = &document.record;
    (record.path.clone(), record.details.clone(), record.pages.clone(), record.title.clone(), text)
}

/// Names of the files in a folder of what is kept.
pub(crate) fn kept(index: &Path, folder: &str) -> BTreeSet<String> {
    let Ok(found) = fs::read_dir(index.join("library").join(folder)) else { return BTreeSet::new() };
    found.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

pub(crate) fn remove_record(index: &Path) {
    for name in ["record.sqlite", "record.sqlite-wal", "record.sqlite-shm"] {
        let _ = fs::remove_file(index.join(name));
    }
}

/// Hands two documents over, spoils the index, and expects them back.
fn check_restored(spoil: impl Fn(&Path)) {
    let world = world();
    let (one, two, before);
    {
        let engine = world.engine(Freshness::Synced);
        one = take_in(&engine, with_metadata("/a.pdf"));
        two = take_in(&engine, Handed { library: "other".to_owned(), ..handed("b.md", &["# B\n"]) });
        before = (state(&engine, &one.uuid), state(&engine, &two.uuid));
    }
    spoil(&world.index);
    let engine = world.engine(Freshness::Synced);
    assert_eq!((state(&engine, &one.uuid), state(&engine, &two.uuid)), before);
    assert_eq!(engine.libraries().unwrap(), ["other", "papers"]);
    assert_eq!(search(&engine, "fish").results[0].metadata.page, 2);
    assert!(engine.status().unwrap().degraded.iter().all(|reason| !reason.contains("restoring")));
    assert!(engine.check().unwrap().problems.is_empty());
    assert_eq!(kept(&world.index, "marks"), BTreeSet::new());
}

#[test]
fn a_deleted_record_is_filled_again_with_the_same_documents() {
    check_restored(remove_record);
}

#[test]
fn a_damaged_record_is_filled_again_with_the_same_documents() {
    check_restored(|index| {
        let path = index.join("record.sqlite");
        let mut bytes = fs::read(&path).unwrap();
        for byte in bytes.iter_mut().take(4096) {
            *byte = 0x5a;
        }
        fs::write(path, bytes).unwrap();
        let _ = fs::remove_file(index.join("record.sqlite-wal"));
    });
}

#[test]
fn an_index_of_which_only_the_kept_files_are_left_comes_back() {
    check_restored(|index| {
        for entry in fs::read_dir(index).unwrap() {
            let path = entry.unwrap().path();
            match path.file_name().unwrap().to_str() {
                Some("library") => {}
                _ if path.is_dir() => fs::remove_dir_all(path).unwrap(),
                _ => fs::remove_file(path).unwrap(),
            }
        }
    });
}

#[test]
fn kept_files_that_were_deleted_are_written_again() {
    check_restored(|index| fs::remove_dir_all(index.join("library")).unwrap());
    let world = world();
    let taken = take_in(&world.engine(Freshness::Synced), with_metadata("/a.pdf"));
    fs::remove_dir_all(world.index.join("library")).unwrap();
    let before = state(&world.engine(Freshness::Synced), &taken.uuid);
    remove_record(&world.index);
    assert_eq!(state(&world.engine(Freshness::Synced), &taken.uuid), before);
}

#[test]
fn half_a_file_of_a_killed_writer_goes_when_the_index_is_opened() {
    let world = world();
    let taken = take_in(&world.engine(Freshness::Synced), with_metadata("/a.pdf"));
    for folder in ["objects", "entries", "marks"] {
        fs::create_dir_all(world.index.join("library").join(folder)).unwrap();
        fs::write(world.index.join("library").join(folder).join(".new-x"), "half").unwrap();
    }
    assert_eq!(state(&world.engine(Freshness::Synced), &taken.uuid).0, "/a.pdf");
    for folder in ["objects", "entries", "marks"] {
        assert!(!kept(&world.index, folder).contains(".new-x"), "{folder}");
    }
}

#[test]
fn an_engine_that_runs_notices_that_the_record_was_deleted() {
    let world = world();
    let engine = world.synced();
    take_in(&engine, with_metadata("/a.pdf"));
    remove_record(&world.index);
    let answer = search(&engine, "otter harbour");
    assert!(paths(&answer).contains(&"/a.pdf") && paths(&answer).contains(&"guide.md"), "{answer:?}");
}

#[test]
fn a_text_that_is_lost_is_told_and_the_others_come_back() {
    let world = world();
    let (lost, other);
    {
        let engine = world.engine(Freshness::Synced);
        lost = take_in(&engine, with_metadata("/a.pdf"));
        other = take_in(&engine, handed("/b.pdf", &["# Herons\n"]));
        let name = engine.handed("papers", "/a.pdf").unwrap().unwrap().record.content_hash.to_hex();
        fs::write(world.index.join("library/objects").join(name), "nonsense").unwrap();
    }
    remove_record(&world.index);
    let engine = world.engine(Freshness::Synced);
    assert!(engine.library_document(&[], &lost.uuid).unwrap().is_none());
    assert!(engine.library_document(&[], &other.uuid).unwrap().is_some());
    let degraded = engine.status().unwrap().degraded;
    assert!(degraded.iter().any(|reason| reason.contains("could not be restored")), "{degraded:?}");
}

/// The index as it was before `change`, with the kept files as they are after it and the mark of one who was killed.
fn killed_before_the_index(world: &World, mark: &str, change: impl FnOnce(&Engine)) {
    let saved = tempfile::tempdir().unwrap();
    let files = ["record.sqlite", "record.sqlite-wal"];
    let copy = |from: &Path, to: &Path| {
        for name in files {
            let _ = fs::remove_file(to.join(name));
            if from.join(name).exists() {
                fs::copy(from.join(name), to.join(name)).unwrap();
            }
        }
    };
    copy(&world.index, saved.path());
    {
        let engine = world.engine(Freshness::Synced);
        change(&engine);
    }
    remove_record(&world.index);
    copy(saved.path(), &world.index);
    fs::create_dir_all(world.index.join("library/marks")).unwrap();
    fs::write(world.index.join("library/marks/0.json"), mark).unwrap();
}

#[test]
fn a_version_that_was_on_its_way_is_put_in_by_the_next_process() {
    let world = world();
    let taken = take_in(&world.engine(Freshness::Synced), handed("/a.pdf", PAGES));
    let mark = json!({"put": taken.uuid}).to_string();
    killed_before_the_index(&world, &mark, |engine| {
        take_in(engine, handed("/a.pdf", &["# Herons\n\nA heron.\n"]));
    });
    let engine = world.engine(Freshness::Synced);
    assert_eq!(state(&engine, &taken.uuid).4, "# Herons\n\nA heron.\n");
    assert_eq!(kept(&world.index, "marks"), BTreeSet::new());
    assert_eq!(kept(&world.index, "objects").len(), 1);
    assert!(engine.check().unwrap().problems.is_empty());
}

#[test]
fn what_was_about_to_be_deleted_is_deleted_by_the_next_process() {
    let world = world();
    let engine = world.engine(Freshness::Synced);
    let taken = take_in(&engine, handed("/a.pdf", PAGES));
    let other = take_in(&engine, handed("/b.pdf", &["# Herons\n"]));
    drop(engine);
    fs::write(world.index.join("library/marks/0.json"), json!({"remove": [taken.uuid]}).to_string()).unwrap();
    let engine = world.engine(Freshness::Synced);
    assert!(engine.library_document(&[], &taken.uuid).unwrap().is_none());
    assert!(engine.library_document(&[], &other.uuid).unwrap().is_some());
    assert_eq!((kept(&world.index, "objects").len(), kept(&world.index, "marks").len()), (1, 0));
    // Marks that cannot be read are in nobody's way.
    fs::write(world.index.join("library/marks/1.json"), "{").unwrap();
    take_in(&engine, handed("/c.pdf", &["# C\n"]));
    assert_eq!(kept(&world.index, "marks").len(), 0);
}

#[test]
fn renamed_and_removed_libraries_stay_so_when_the_record_is_lost() {
    let world = world();
    let (renamed, removed): (TakenIn, TakenIn);
    {
        let engine = world.engine(Freshness::Synced);
        renamed = take_in(&engine, handed("/a.pdf", PAGES));
        removed = take_in(&engine, Handed { library: "other".to_owned(), ..handed("b.md", &["# B\n"]) });
        engine.rename_collection("papers", "articles").unwrap();
        assert!(engine.rename_collection("articles", "no good name").is_err());
        engine.remove_collection("other").unwrap();
        assert_eq!((kept(&world.index, "entries").len(), kept(&world.index, "objects").len()), (1, 1));
    }
    remove_record(&world.index);
    let engine = world.engine(Freshness::Synced);
    assert_eq!(engine.libraries().unwrap(), ["articles"]);
    assert_eq!(engine.handed("articles", "/a.pdf").unwrap().unwrap().record.uuid, renamed.uuid);
    assert!(engine.library_document(&[], &removed.uuid).unwrap().is_none());
}

#[test]
fn equal_texts_are_kept_once_and_until_the_last_one_goes() {
    let world = world();
    let engine = world.engine(Freshness::Synced);
    let one = take_in(&engine, handed("/a.pdf", PAGES));
    let two = take_in(&engine, handed("/b.pdf", PAGES));
    assert_eq!((kept(&world.index, "entries").len(), kept(&world.index, "objects").len()), (2, 1));
    engine.take_out(&one.uuid).unwrap();
    assert_eq!((kept(&world.index, "entries").len(), kept(&world.index, "objects").len()), (1, 1));
    engine.take_out(&two.uuid).unwrap();
    assert_eq!((kept(&world.index, "entries").len(), kept(&world.index, "objects").len()), (0, 0));
}

/// Says that its vectors are longer than they are, which the store refuses.
struct Short(HashEmbedder, Model);

impl Embedder for Short {
    fn model(&self) -> &Model {
        &self.1
    }

    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.0.embed_documents(texts)
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.0.embed_query(text)
    }
}

#[test]
fn what_the_store_refuses_is_not_kept_either() {
    let world = world();
    let taken = take_in(&world.engine_embedding(None, None), handed("/a.pdf", PAGES));
    let embedder = HashEmbedder::default();
    let model = Model { dimensions: 7, id: "short".to_owned(), ..embedder.model().clone() };
    let engine = world.engine_embedding(Some(Arc::new(Short(embedder, model))), None);
    let before = state(&engine, &taken.uuid);
    let (entries, objects) = (kept(&world.index, "entries"), kept(&world.index, "objects"));
    for source in ["/a.pdf", "/b.pdf"] {
        let error = engine.take_in(handed(source, &["# New\n"]), &Cancel::default()).unwrap_err();
        assert!(!error.hint.is_empty(), "{error:?}");
    }
    assert_eq!(state(&engine, &taken.uuid), before);
    assert_eq!((kept(&world.index, "entries"), kept(&world.index, "objects")), (entries, objects));
    drop(engine);
    remove_record(&world.index);
    assert_eq!(state(&world.engine(Freshness::Synced), &taken.uuid), before);
}
