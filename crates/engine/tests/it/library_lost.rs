//! What was handed over is not lost to a folder of the same name, nor silently when it cannot be restored.

use std::fs;

use docent_engine::{Cancel, Engine, Freshness, Handed, Silent};

use crate::library::{handed, take_in};
use crate::library_kept::{kept, remove_record};
use crate::world::{World, paths, search};

const OTTER: &[&str] = &["# Otters\n\nAn otter swims.\n"];

fn world() -> World {
    World::new(&[("guide.md", "# Guide\n\nThe harbour.\n")])
}

/// A document for a library that has the name of the world's folder.
fn for_docs(source: &str) -> Handed {
    Handed { library: "docs".to_owned(), ..handed(source, OTTER) }
}

fn sync(engine: &Engine) {
    engine.sync(None, &Silent, &Cancel::default()).unwrap();
}

#[test]
fn a_folder_that_has_the_name_of_a_library_is_left_out() {
    let world = world();
    let taken = take_in(&world.engine_alone(), for_docs("/a.pdf"));
    for lose in [false, true] {
        if lose {
            remove_record(&world.index);
        }
        let engine = world.engine(Freshness::Synced);
        sync(&engine);
        assert_eq!(engine.libraries().unwrap(), ["docs"]);
        assert_eq!(engine.handed("docs", "/a.pdf").unwrap().unwrap().record.uuid, taken.uuid);
        let answer = search(&engine, "otter harbour");
        assert_eq!(paths(&answer), ["/a.pdf"]);
        let degraded = engine.status().unwrap().degraded;
        assert!(degraded.iter().any(|reason| reason.contains("there is a library `docs` already")));
    }
}

#[test]
fn a_library_that_is_made_while_a_folder_of_its_name_is_served_stays_one() {
    let world = world();
    let serving = world.synced();
    remove_record(&world.index);
    take_in(&world.engine_alone(), for_docs("/a.pdf"));
    assert_eq!(paths(&search(&serving, "otter harbour")), ["/a.pdf"]);
    assert_eq!(world.engine_alone().libraries().unwrap(), ["docs"]);
}

/// A document of a library whose name was taken by a folder while what is kept of it was away.
fn with_name_taken(world: &World) -> String {
    let taken = take_in(&world.engine_alone(), for_docs("/a.pdf"));
    let (place, away) = (world.index.join("library"), world.index.join("away"));
    fs::rename(&place, &away).unwrap();
    remove_record(&world.index);
    sync(&world.engine(Freshness::Synced));
    let _ = fs::remove_dir_all(&place);
    fs::rename(away, place).unwrap();
    taken.uuid
}

#[test]
fn a_text_that_only_an_entry_names_is_kept() {
    let world = world();
    with_name_taken(&world);
    let engine = world.engine(Freshness::Synced);
    take_in(&engine, handed("/b.pdf", OTTER));
    let other = take_in(&engine, handed("/b.pdf", &["# Herons\n"]));
    engine.take_out(&other.uuid).unwrap();
    assert_eq!(kept(&world.index, "objects").len(), 1);
    assert_eq!(engine.unrestored()[0].library, "docs");
    engine.remove_collection("docs").unwrap();
    drop(engine);
    assert_eq!(world.engine_alone().libraries().unwrap(), ["docs"]);
}

/// Loses the text of a document and the record; the note must name it and go after `mend`.
fn check_note(mend: impl FnOnce(&Engine, &str)) {
    let world = world();
    let lost = {
        let engine = world.engine(Freshness::Synced);
        take_in(&engine, handed("/b.pdf", &["# Herons\n"]));
        take_in(&engine, Handed { library: "other".to_owned(), ..handed("/a.pdf", OTTER) }).uuid
    };
    for name in kept(&world.index, "objects") {
        let path = world.index.join("library/objects").join(name);
        // The longer one is the otter's.
        if fs::metadata(&path).unwrap().len() > 25 {
            fs::remove_file(path).unwrap();
        }
    }
    remove_record(&world.index);
    let engine = world.engine(Freshness::Synced);
    let note = engine.unrestored_note().unwrap();
    for part in ["1 document", "/a.pdf of `other`", "its text is lost", &format!("docent forget {lost}")] {
        assert!(note.contains(part), "{part}: {note}");
    }
    assert!(engine.status().unwrap().degraded.iter().any(|reason| reason.contains(&note)));
    assert!(engine.restored().unwrap().contains("1 of `papers`"));
    mend(&engine, &lost);
    for engine in [engine, world.engine(Freshness::Synced)] {
        assert_eq!(engine.unrestored_note(), None);
        assert!(engine.status().unwrap().degraded.iter().all(|reason| !reason.contains("restor")));
        assert!(engine.handed("papers", "/b.pdf").unwrap().is_some());
    }
}

#[test]
fn a_document_that_cannot_be_restored_is_named_until_it_is_forgotten() {
    check_note(|engine, lost| assert_eq!(engine.take_out(lost).unwrap(), Some(0)));
}

#[test]
fn or_until_its_library_is_removed() {
    check_note(|engine, _| assert_eq!(engine.take_out_library("other").unwrap(), Some(0)));
}

#[test]
fn or_until_it_is_handed_over_again() {
    check_note(|engine, _| {
        take_in(engine, Handed { library: "other".to_owned(), ..handed("/a.pdf", OTTER) });
    });
}

#[test]
fn a_text_of_nothing_is_a_document_without_chunks() {
    let world = world();
    let engine = world.engine(Freshness::Synced);
    for (source, text) in [("/a.md", ""), ("/b.md", " \n\t\n"), ("/c.md", "\u{feff}\n")] {
        let document = Handed { markdown: text.to_owned(), ..handed(source, &[]) };
        let taken = take_in(&engine, document);
        assert_eq!(taken.chunk_count, 0, "{text:?}");
        let (document, kept) = engine.library_document(&[], &taken.uuid).unwrap().unwrap();
        assert_eq!((document.record.chunk_count, kept.as_str()), (0, text));
    }
    assert!(engine.check().unwrap().problems.is_empty());
    remove_record(&world.index);
    let engine = world.engine(Freshness::Synced);
    assert_eq!(engine.handed("papers", "/a.md").unwrap().unwrap().record.chunk_count, 0);
}
