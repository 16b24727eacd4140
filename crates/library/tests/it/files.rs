//! Single files: new, the same, changed, broken.

use std::sync::Arc;

use docent_engine::Cancel;
use docent_library::{Into, Status};
use serde_json::json;

use crate::world::{MAX_BYTES, Moody, World};

#[test]
fn a_file_is_indexed_once_and_replaced_when_it_changes() {
    let converter = Arc::new(Moody::default());
    let world = World::with(converter.clone());
    world.write("a.md", "# Whales\n\nNarwhals have a tusk.\n");
    let first = world.file("a.md").unwrap();
    assert_eq!((first.status, first.chunk_count), (Status::Indexed, 1));
    assert_eq!(first.source, world.path("a.md").display().to_string());
    assert_eq!(first.library, "default");
    assert_eq!(world.found("narwhals tusk"), std::slice::from_ref(&first.source));

    let again = world.file("a.md").unwrap();
    assert_eq!((again.status, again.chunk_count, &again.doc_id), (Status::Skipped, 1, &first.doc_id));
    assert_eq!(*converter.calls.lock().unwrap(), 1);

    world.write("a.md", "# Whales\n\nBelugas are white.\n\n## More\n\nText.\n");
    let changed = world.file(&first.source).unwrap();
    assert_eq!((changed.status, changed.chunk_count, &changed.doc_id), (Status::Replaced, 2, &first.doc_id));
    assert_eq!(world.found("belugas white").first(), Some(&first.source));
}

#[test]
fn metadata_that_is_not_taken_is_said_in_a_note() {
    let world = World::new();
    world.write("a.md", "# A\n\ntext\n");
    let ingest = |metadata: serde_json::Value| {
        let into = Into { metadata: metadata.as_object().cloned().unwrap(), ..Into::default() };
        world.library.ingest_file("a.md", &into, &Cancel::default()).unwrap()
    };
    assert_eq!(ingest(json!({"year": 2024})).notes, [""; 0]);
    for same in [json!({}), json!({"year": 2024})] {
        assert_eq!((ingest(same.clone()).status, ingest(same).notes.len()), (Status::Skipped, 0));
    }
    let other = ingest(json!({"year": 2025}));
    assert_eq!(other.status, Status::Skipped);
    assert!(other.notes.concat().contains("the metadata was not changed"), "{:?}", other.notes);
}

#[test]
fn force_converts_again_what_has_not_changed() {
    let world = World::new();
    world.write("a.md", "# A\n\ntext\n");
    let first = world.file("a.md").unwrap();
    let into = Into { force: true, ..Into::default() };
    let forced = world.library.ingest_file("a.md", &into, &Cancel::default()).unwrap();
    assert_eq!((forced.status, forced.doc_id), (Status::Replaced, first.doc_id));
}

#[test]
fn when_a_new_version_fails_the_earlier_one_stays_and_is_found() {
    let converter = Arc::new(Moody::default());
    let world = World::with(converter.clone());
    world.write("a.md", "# Whales\n\nNarwhals have a tusk.\n");
    world.file("a.md").unwrap();
    *converter.fails.lock().unwrap() = true;
    world.write("a.md", "# Other\n\ntext\n");
    let error = world.file("a.md").unwrap_err();
    let path = world.path("a.md").display().to_string();
    assert_eq!(error.message, format!("{path}: the converter crashed; the earlier version stays"));
    assert_eq!(error.hint, "do something");
    assert_eq!(world.found("narwhals tusk"), [path]);
    world.write("b.md", "# New\n\ntext\n");
    assert!(!world.file("b.md").unwrap_err().message.contains("earlier"));
}

#[test]
fn one_file_may_be_in_several_libraries() {
    let world = World::new();
    world.write("a.md", "# A\n\ntext\n");
    let take = |library: &str| {
        let into = Into { library: library.to_owned(), ..Into::default() };
        world.library.ingest_file("a.md", &into, &Cancel::default())
    };
    let (one, two) = (take("one").unwrap(), take("two").unwrap());
    assert_eq!((one.status, two.status), (Status::Indexed, Status::Indexed));
    assert_ne!(one.doc_id, two.doc_id);
    assert_eq!(world.engine.libraries().unwrap(), ["one", "two"]);
    assert!(take("../three").unwrap_err().message.contains("not a name for a library"));
}

#[test]
fn what_is_known_of_a_file_is_kept() {
    let world = World::new();
    world.write("table.csv", "name,price\nbolt,3\n");
    let metadata = json!({ "project": "apollo" }).as_object().unwrap().clone();
    let into = Into { metadata: metadata.clone(), ..Into::default() };
    let taken = world.library.ingest_file("table.csv", &into, &Cancel::default()).unwrap();
    let known = world.engine.handed("default", &taken.source).unwrap().unwrap();
    assert_eq!(known.details.file_type, "csv");
    assert_eq!(known.details.metadata, metadata);
    assert_eq!(known.details.sha256.len(), 64);
    assert!(known.details.last_modified_ms.is_some() && known.details.created_ms > 0);
    assert!(known.is_handed);
}

#[test]
fn what_cannot_be_read_is_refused_with_the_reason() {
    let world = World::new();
    world.write("large.md", vec![b'a'; MAX_BYTES as usize + 1]);
    world.write("binary.md", [0x7f, b'E', b'L', b'F', 0, 1, 2, 3, 0, 0]);
    world.write("fake.pdf", "<html>not a pdf</html>");
    for (path, reason) in [
        ("/etc/passwd", "is not inside a folder that may be read"),
        ("large.md", "at most 1048576 are read"),
        ("binary.md", "cannot be converted"),
        ("missing.md", "there is no file"),
    ] {
        let error = world.file(path).unwrap_err();
        assert!(error.message.contains(reason), "{path}: {}", error.message);
        assert!(!error.hint.is_empty());
    }
    assert_eq!(world.engine.libraries().unwrap(), [""; 0]);
}

#[test]
fn an_empty_file_is_a_document_too() {
    let world = World::new();
    for (name, content) in [("empty.md", ""), ("spaces.txt", " \n\t\r\n\u{a0}\u{2003}")] {
        world.write(name, content);
        let taken = world.file(name).unwrap();
        assert_eq!((taken.status, taken.notes.concat()), (Status::Indexed, "the file is empty".to_owned()));
        assert_eq!(taken.chunk_count, 0, "{name}");
        assert_eq!(world.file(name).unwrap().status, Status::Skipped);
    }
    world.write("empty.pdf", "");
    assert!(world.file("empty.pdf").is_err());
}

#[test]
fn work_that_was_stopped_takes_nothing_in() {
    let world = World::new();
    world.write("a.md", "# A\n\ntext\n");
    let cancel = Cancel::default();
    cancel.cancel();
    assert!(world.library.ingest_file("a.md", &Into::default(), &cancel).is_err());
    assert_eq!(world.engine.libraries().unwrap(), [""; 0]);
}
