//! A document that was deleted has left no trace: no file of the index or of the user's cache has a word of it.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use docent_embed::HashEmbedder;
use docent_engine::{Cancel, Engine, Freshness, Handed, Silent};
use docent_index::{Embedder, EmbeddingCache};
use docent_store_embedded::UserCache;
use serde_json::json;

use crate::library::{handed, take_in};
use crate::world::{World, search, sync};

/// Words that no stemmer changes.
const RARE: &str = "zyxquorl";
const OLDER: &str = "wumpfnag";

fn world() -> World {
    World::new(&[("guide.md", "# Guide\n\nThe harbour.\n")])
}

fn secret(source: &str, word: &str) -> Handed {
    let pages: Vec<String> =
        (0..20).map(|at| format!("# {word} {at}\n\nThe {word} of page {at} swims.\n\n")).collect();
    let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
    let mut document = handed(&format!("/home/{word}/{source}"), &pages);
    document.details.metadata = json!({"about": word}).as_object().cloned().unwrap();
    document.details.notes = vec![format!("a picture of {word} was left out")];
    document
}

/// Files below `dir` in whose name or content a word stands.
fn files_with(dir: &Path, word: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_with(&path, word));
            continue;
        }
        let bytes = fs::read(&path).unwrap();
        let is_in = bytes.windows(word.len()).any(|window| window.eq_ignore_ascii_case(word.as_bytes()));
        if is_in || path.file_name().unwrap().to_string_lossy().contains(word) {
            found.push(path.display().to_string());
        }
    }
    found
}

fn engine(world: &World, cache: &Path) -> (Arc<UserCache>, Engine) {
    let cache = Arc::new(UserCache::open(&cache.join("vectors.sqlite")));
    let embedder: Arc<dyn Embedder> = Arc::new(HashEmbedder::default());
    let engine = world.engine_embedding(Some(embedder), Some(cache.clone()));
    sync(&engine);
    (cache, engine)
}

/// Hands a document over in two versions, has `delete` delete it, and looks into every file.
fn check_no_trace(delete: impl Fn(&Engine, &str)) {
    let (world, dir) = (world(), tempfile::tempdir().unwrap());
    let (cache, engine) = engine(&world, dir.path());
    let other = take_in(&engine, handed("/other.pdf", &["# Otters\n\nAn otter swims.\n"]));
    let mut older = secret("a.pdf", OLDER);
    older.source = secret("a.pdf", RARE).source;
    take_in(&engine, older);
    let taken = take_in(&engine, secret("a.pdf", RARE));
    engine.embed(None, &Silent, &Cancel::default()).unwrap();
    let model = HashEmbedder::default();
    let hashes: Vec<_> = {
        let snapshot = engine.snapshot().unwrap();
        let record = engine.handed("papers", &secret("a.pdf", RARE).source).unwrap().unwrap().record;
        snapshot.vectors_of(model.model(), record.id).unwrap().into_iter().map(|(hash, _)| hash).collect()
    };
    assert!(cache.get(model.model(), &hashes).iter().all(Option::is_some) && !hashes.is_empty());
    // Somebody else has the index open meanwhile, with a view from before.
    let reading = world.engine(Freshness::Synced);
    let held = reading.snapshot().unwrap();
    search(&reading, RARE);
    assert!(!files_with(&world.index, RARE).is_empty());
    delete(&engine, &taken.uuid);
    for place in [world.index.as_path(), dir.path()] {
        for word in [RARE, OLDER] {
            assert_eq!(files_with(place, word), Vec::<String>::new(), "{word}");
        }
    }
    assert!(cache.get(model.model(), &hashes).iter().all(Option::is_none));
    drop(held);
    for engine in [&engine, &reading] {
        assert!(engine.library_document(&[], &taken.uuid).unwrap().is_none());
        assert!(search(engine, RARE).results.iter().all(|hit| !hit.content.contains(RARE)));
        assert!(search(engine, "guide harbour").results[0].similarity.is_some());
        assert!(engine.check().unwrap().problems.is_empty());
    }
    assert_eq!(
        engine.library_document(&[], &other.uuid).unwrap().is_some(),
        engine.libraries().unwrap().len() == 1
    );
}

#[test]
fn a_deleted_document_leaves_no_trace() {
    check_no_trace(|engine, uuid| assert_eq!(engine.take_out(uuid).unwrap(), Some(20)));
}

#[test]
fn a_deleted_library_leaves_no_trace() {
    check_no_trace(|engine, _| assert_eq!(engine.take_out_library("papers").unwrap(), Some(2)));
}

#[test]
fn a_removed_collection_that_is_a_library_leaves_no_trace() {
    check_no_trace(|engine, _| engine.remove_collection("papers").unwrap());
}

#[test]
fn vectors_that_another_document_uses_stay_in_the_cache() {
    let (world, dir) = (world(), tempfile::tempdir().unwrap());
    let (cache, engine) = engine(&world, dir.path());
    let mut second = secret("a.pdf", RARE);
    second.library = "other".to_owned();
    let taken = take_in(&engine, secret("a.pdf", RARE));
    take_in(&engine, second);
    let model = HashEmbedder::default();
    let snapshot = engine.snapshot().unwrap();
    let record = engine.handed("other", &secret("a.pdf", RARE).source).unwrap().unwrap().record;
    let passages = snapshot.vectors_of(model.model(), record.id).unwrap();
    let hashes: Vec<_> = passages.into_iter().map(|(hash, _)| hash).collect();
    drop(snapshot);
    engine.take_out(&taken.uuid).unwrap();
    assert!(cache.get(model.model(), &hashes).iter().all(Option::is_some));
    assert!(search(&engine, RARE).results[0].content.contains(RARE));
}
