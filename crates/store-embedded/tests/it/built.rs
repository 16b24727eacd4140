//! Exported indexes: the same bytes for the same content, read without a trace, replaced as a whole.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use docent_index::{Collection, Filter, Replacement, Snapshot, Store, StoreError};
use docent_store_embedded::{
    BuiltStore, Draft, EmbeddedStore, Export, MARKER, Marker, MarkerCounts, OpenOptions, Times,
};
use docent_testkit::{embed_all, model, put, query, vector};

const OTTER: &str = "# Otters\n\nThe otter swims.\n\n## Food\n\nAn otter eats fish.\n";
const HERON: &str = "# Herons\n\nThe heron waits for fish.\n";
const PAGE: &str = "# Page\n\nNothing but words.\n";
const SECRET: Option<[u8; 32]> = Some([5; 32]);

/// A store whose collection says something of itself and is read from a folder with a telling name.
fn staging(dir: &Path, root: &str) -> EmbeddedStore {
    let store = EmbeddedStore::open(dir, OpenOptions::default()).unwrap();
    let collection = Collection {
        name: "docs".to_owned(),
        root: root.to_owned(),
        cut: "1".to_owned(),
        about: "{\"instructions\":\"Ask.\"}".to_owned(),
    };
    store.put_collection(&collection).unwrap();
    store
}

/// Exports what `store` holds to `place`.
pub(crate) fn build(store: &EmbeddedStore, place: &Path) {
    let draft = Draft::begin(place).unwrap();
    let what = Export { collection: "docs", model: Some(&model("m")) };
    let exported = store.export(&what, draft.dir()).unwrap();
    let marker = Marker {
        format: 2,
        docent: "0".to_owned(),
        id: exported.id,
        collection: "docs".to_owned(),
        description: String::new(),
        embedding: None,
        counts: MarkerCounts {
            documents: exported.documents,
            chunks: exported.chunks,
            passages: exported.passages,
        },
        source_commit: Some("abc".to_owned()),
        dirty: Some(false),
        built_at: "2026-01-02T03:04:05Z".to_owned(),
    };
    let times = Times::from([("docs".to_owned(), BTreeMap::from([("otter.md".to_owned(), 1_500)]))]);
    draft.publish(&marker, &times).unwrap();
}

/// An index of two pages, built in `dir`.
fn built(dir: &Path) -> PathBuf {
    let store = staging(&dir.join("staging"), "/home/somebody/docs");
    store.apply(&[put("docs", "otter.md", OTTER), put("docs", "birds/heron.md", HERON)]).unwrap();
    embed_all(&store, &model("m"));
    let place = dir.join("out");
    build(&store, &place);
    place
}

/// Every file below `dir` with its bytes.
fn tree(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![dir.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let bytes = fs::read(&path).unwrap();
                files.insert(path.strip_prefix(dir).unwrap().to_owned(), bytes);
            }
        }
    }
    files
}

fn open(place: &Path) -> BuiltStore {
    BuiltStore::open(place, SECRET).unwrap()
}

fn paths(snapshot: &dyn Snapshot, words: &str) -> Vec<String> {
    let hits = snapshot.lexical(&query(words), &Filter::default(), 10).unwrap();
    hits.documents.iter().map(|(id, _)| snapshot.document(*id).unwrap().path.clone()).collect()
}

fn nearest(snapshot: &dyn Snapshot, text: &str) -> String {
    let model = model("m");
    let hits = snapshot.nearest(&model, &vector(&model, text), &Filter::default(), 1).unwrap();
    snapshot.document(hits[0].document).unwrap().path.clone()
}

#[test]
fn the_same_documents_give_the_same_bytes_however_they_came_in() {
    let dir = tempfile::tempdir().unwrap();
    let straight = built(dir.path());

    let store = staging(&dir.path().join("other"), "/srv/elsewhere");
    store.apply(&[put("docs", "birds/heron.md", PAGE), put("docs", "gone.md", PAGE)]).unwrap();
    embed_all(&store, &model("m"));
    embed_all(&store, &model("retired"));
    store.apply(&[put("docs", "birds/heron.md", HERON), put("more", "a.md", PAGE)]).unwrap();
    store.apply(&[put("docs", "otter.md", OTTER)]).unwrap();
    store
        .apply(&[docent_index::Change::Delete { collection: "docs".to_owned(), path: "gone.md".to_owned() }])
        .unwrap();
    embed_all(&store, &model("m"));
    let crooked = dir.path().join("crooked");
    build(&store, &crooked);

    let (straight, crooked) = (tree(&straight), tree(&crooked));
    assert_eq!(straight.keys().collect::<Vec<_>>(), crooked.keys().collect::<Vec<_>>());
    for (path, bytes) in &straight {
        assert_eq!(Some(bytes), crooked.get(path), "{}", path.display());
    }
    assert!(straight.len() > 10);
}

#[test]
fn another_document_gives_another_index() {
    let dir = tempfile::tempdir().unwrap();
    let place = built(dir.path());
    let before = Marker::read(&place).unwrap().id;
    let content = open(&place).snapshot().unwrap().content_generation();
    let store = staging(&dir.path().join("staging"), "/home/somebody/docs");
    store.apply(&[put("docs", "otter.md", PAGE)]).unwrap();
    embed_all(&store, &model("m"));
    build(&store, &place);
    assert_ne!(Marker::read(&place).unwrap().id, before);
    assert_ne!(open(&place).snapshot().unwrap().content_generation(), content);
}

#[test]
fn it_holds_nothing_of_the_place_it_was_built_in() {
    let dir = tempfile::tempdir().unwrap();
    let place = built(dir.path());
    for (path, bytes) in tree(&place) {
        for word in ["somebody", dir.path().file_name().unwrap().to_str().unwrap()] {
            let found = bytes.windows(word.len()).any(|window| window == word.as_bytes());
            assert!(!found, "{} holds {word}", path.display());
        }
    }
    let collections = open(&place).snapshot().unwrap().collections();
    assert_eq!(collections.len(), 1);
    assert_eq!((collections[0].root.as_str(), collections[0].about.len()), ("", 23));
}

#[test]
fn it_answers_like_the_index_it_came_from() {
    let dir = tempfile::tempdir().unwrap();
    let place = built(dir.path());
    let from = EmbeddedStore::open(&dir.path().join("staging"), OpenOptions::default()).unwrap();
    let (from, built) = (from.snapshot().unwrap(), open(&place).snapshot().unwrap());
    for words in ["otter", "heron", "fish", "eats fish", "nothing"] {
        assert_eq!(paths(&*from, words), paths(&*built, words));
        let scores = |snapshot: &dyn Snapshot| -> Vec<f32> {
            let hits = snapshot.lexical(&query(words), &Filter::default(), 10).unwrap();
            hits.chunks.iter().map(|hit| hit.score).collect()
        };
        assert_eq!(scores(&*from), scores(&*built));
        assert_eq!(nearest(&*from, words), nearest(&*built, words));
    }
    let heron = built.document_at("docs", "birds/heron.md").unwrap();
    assert_eq!(built.text(heron.id).unwrap().unwrap(), HERON);
    assert_eq!(built.chunks_of(heron.id).unwrap().len(), 1);
    assert_eq!(built.document_at("docs", "otter.md").unwrap().stat.mtime_ns, 1_500_000_000);
    let model = model("m");
    let (one, other) =
        (from.counts(Some(&model), &Filter::default()), built.counts(Some(&model), &Filter::default()));
    assert_eq!(one, other);
    assert_eq!(open(&place).check().unwrap().problems, Vec::<String>::new());
}

#[test]
fn reading_leaves_no_trace() {
    let dir = tempfile::tempdir().unwrap();
    let place = built(dir.path());
    let before = tree(&place);
    let store = open(&place);
    let snapshot = store.snapshot().unwrap();
    assert_eq!(paths(&*snapshot, "otter"), ["otter.md"]);
    nearest(&*snapshot, "otter");
    store.check().unwrap();
    store.stats().unwrap();
    assert!(store.pending(&model("m"), 10).unwrap().is_empty());
    drop(store);
    assert_eq!(tree(&place), before);
}

#[test]
fn writing_is_refused_and_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let place = built(dir.path());
    let before = tree(&place);
    let refused = |outcome: Result<(), StoreError>| {
        assert!(matches!(outcome, Err(StoreError::ReadOnly { .. })), "{outcome:?}");
    };
    let store = open(&place);
    refused(store.apply(&[put("docs", "otter.md", PAGE)]).map(drop));
    refused(store.remove_collection("docs"));
    refused(store.rename_collection("docs", "other"));
    let collection = store.snapshot().unwrap().collections().remove(0);
    let replacement = Replacement {
        collection: &collection,
        before: Some(&collection),
        is_said_anew: true,
        entries: &mut std::iter::empty(),
    };
    refused(store.replace_collection(replacement).map(drop));
    refused(store.put_vectors(&model("m"), &[]).map(drop));
    refused(store.try_lease(docent_index::Role::Embed, &[]).map(drop));
    refused(EmbeddedStore::open(&place, OpenOptions::default()).map(drop));
    assert_eq!(tree(&place), before);
}

#[test]
fn the_key_is_that_of_the_process() {
    let dir = tempfile::tempdir().unwrap();
    let place = built(dir.path());
    assert_eq!(Some(open(&place).secret().unwrap()), SECRET);
    let random = || BuiltStore::open(&place, None).unwrap().secret().unwrap();
    assert_ne!(random(), random());
    let at = open(&place).built().unwrap();
    assert_eq!((at.at.as_str(), at.commit.as_deref()), ("2026-01-02T03:04:05Z", Some("abc")));
    assert_eq!(open(&place).stats().unwrap().last_applied_ms, Some(1_767_323_045_000));
}

#[test]
fn a_newer_build_takes_over_while_the_old_one_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let place = built(dir.path());
    let store = open(&place);
    let old = store.snapshot().unwrap();
    let staging = staging(&dir.path().join("staging"), "/x");
    staging.apply(&[put("docs", "otter.md", PAGE)]).unwrap();
    embed_all(&staging, &model("m"));
    build(&staging, &place);
    let new = store.snapshot().unwrap();
    assert_eq!(paths(&*new, "otter"), Vec::<String>::new());
    assert_eq!(paths(&*old, "otter"), ["otter.md"]);
    let otter = old.document_at("docs", "otter.md").unwrap();
    assert_eq!(old.text(otter.id).unwrap().unwrap(), OTTER);
    assert_eq!(nearest(&*old, "An otter eats fish"), "otter.md");
    // While there is nothing usable in the place, the last one goes on answering.
    fs::write(place.join("record.sqlite.new"), "no record").unwrap();
    fs::rename(place.join("record.sqlite.new"), place.join("record.sqlite")).unwrap();
    assert_eq!(paths(&*store.snapshot().unwrap(), "words"), ["otter.md"]);
    fs::remove_dir_all(&place).unwrap();
    assert_eq!(paths(&*store.snapshot().unwrap(), "words"), ["otter.md"]);
}

/// A built index that `spoil` was done to is refused with these words, and stays as it is.
fn check_refused(spoil: impl FnOnce(&Path), words: &str) {
    let dir = tempfile::tempdir().unwrap();
    let place = built(dir.path());
    spoil(&place);
    let before = tree(&place);
    let error = BuiltStore::open(&place, SECRET).err().unwrap();
    assert!(error.to_string().contains(words), "{error}");
    assert!(!error.hint().contains("--rebuild"), "{}", error.hint());
    assert_eq!(tree(&place), before);
}

#[test]
fn what_is_not_whole_is_refused() {
    let remove = |name: &'static str| move |place: &Path| fs::remove_file(place.join(name)).unwrap();
    check_refused(remove("record.sqlite"), "record.sqlite is missing");
    check_refused(remove("docent-times.json"), "docent-times.json is missing");
    check_refused(remove("lexical/pages/meta.json"), "lexical index is missing");
    check_refused(remove("vectors-1.bin"), "cannot be used");
    check_refused(
        |place| fs::write(place.join("record.sqlite"), vec![42; 50_000]).unwrap(),
        "not a database",
    );
    check_refused(|place| fs::write(place.join("vectors-1.bin"), [0; 70]).unwrap(), "not what was written");
    check_refused(|place| fs::write(place.join(MARKER), "{").unwrap(), "does not parse");
    let renumbered = |place: &Path| {
        let marker = fs::read_to_string(place.join(MARKER)).unwrap();
        fs::write(place.join(MARKER), marker.replace("\"format\": 2", "\"format\": 99")).unwrap();
    };
    check_refused(renumbered, "has format 99");
    let mixed = |place: &Path| {
        let marker = fs::read_to_string(place.join(MARKER)).unwrap();
        fs::write(place.join(MARKER), marker.replace("\"id\": \"", "\"id\": \"0")).unwrap();
    };
    check_refused(mixed, "different builds");
}

#[test]
fn check_finds_a_changed_byte_in_the_lexical_index() {
    let dir = tempfile::tempdir().unwrap();
    let place = built(dir.path());
    let files = tree(&place);
    assert!(files.keys().all(|path| !path.file_name().unwrap().to_str().unwrap().starts_with('.')));
    let terms = files.keys().find(|path| path.extension().is_some_and(|ending| ending == "idx")).unwrap();
    let mut bytes = files[terms].clone();
    bytes[3] ^= 1;
    fs::write(place.join(terms), bytes).unwrap();
    let report = open(&place).check().unwrap();
    assert!(report.problems.iter().any(|problem| problem.contains("lexical")), "{report:?}");
}

#[test]
fn what_a_killed_build_left_is_cleared_away() {
    let dir = tempfile::tempdir().unwrap();
    let place = built(dir.path());
    let whole = tree(&place);
    let beside = |ending: &str| dir.path().join(format!("out{ending}"));
    // Killed while writing.
    fs::create_dir(beside(".docent-new")).unwrap();
    fs::write(beside(".docent-new").join("record.sqlite"), "half").unwrap();
    drop(Draft::begin(&place).unwrap());
    assert!(!beside(".docent-new").exists());
    assert_eq!(tree(&place), whole);
    // Killed between the two steps of a system that cannot exchange folders.
    fs::rename(&place, beside(".docent-old")).unwrap();
    fs::create_dir(beside(".docent-new")).unwrap();
    drop(Draft::begin(&place).unwrap());
    assert_eq!(tree(&place), whole);
    assert!(!beside(".docent-old").exists());
}

#[test]
fn a_passage_without_a_vector_stops_the_export() {
    let dir = tempfile::tempdir().unwrap();
    let store = staging(&dir.path().join("staging"), "/x");
    store.apply(&[put("docs", "otter.md", OTTER)]).unwrap();
    let draft = Draft::begin(&dir.path().join("out")).unwrap();
    let what = Export { collection: "docs", model: Some(&model("m")) };
    let error = store.export(&what, draft.dir()).unwrap_err();
    assert!(error.to_string().contains("no vector"), "{error}");
    let lexical = Export { collection: "docs", model: None };
    let draft = Draft::begin(&dir.path().join("other")).unwrap();
    assert_eq!(store.export(&lexical, draft.dir()).unwrap().documents, 1);
}

#[test]
fn one_draft_at_a_time() {
    let dir = tempfile::tempdir().unwrap();
    let place = dir.path().join("out");
    let first = Draft::begin(&place).unwrap();
    assert!(matches!(Draft::begin(&place), Err(StoreError::Busy { .. })));
    assert!(Draft::begin(&dir.path().join("other")).is_ok());
    drop(first);
    drop(Draft::begin(&place).unwrap());
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn damage_anywhere_does_not_make_a_check_panic() {
    let dir = tempfile::tempdir().unwrap();
    let place = built(dir.path());
    let files: Vec<PathBuf> =
        tree(&place).into_keys().filter(|path| path.to_string_lossy().contains("lexical")).collect();
    assert!(!files.is_empty());
    for file in files {
        let path = if file.is_absolute() { file } else { place.join(file) };
        let sound = fs::read(&path).unwrap();
        for at in (0..sound.len()).step_by(7) {
            let mut broken = sound.clone();
            broken[at] ^= 0x55;
            fs::write(&path, &broken).unwrap();
            if let Ok(store) = BuiltStore::open(&place, SECRET) {
                let _ = store.check();
            }
        }
        fs::write(&path, &sound).unwrap();
    }
    assert!(BuiltStore::open(&place, SECRET).unwrap().check().unwrap().problems.is_empty());
}
