//! A process that is killed while it replaces a fetched collection leaves the old one or the new one.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use docent_engine::{
    Cancel, Card, ChunkOptions, Engine, EngineParts, Filter, Freshness, SearchRequest, Silent, Source,
    SourceRules,
};
use docent_store_embedded::{EmbeddedStore, OpenOptions};

const NAME: &str = "birds";
const PAGES: usize = 120;
/// Names the folder to the process that is going to be killed.
const PLACE: &str = "DOCENT_TEST_REPLACING_IN";

/// Kills per run; `DOCENT_TEST_KILLS=50` is the long version.
fn kills() -> u64 {
    std::env::var("DOCENT_TEST_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(6)
}

#[test]
fn killed_replacements_leave_the_old_or_the_new() {
    let dir = tempfile::tempdir().unwrap();
    for word in ["alpha", "beta"] {
        let folder = dir.path().join(word);
        std::fs::create_dir(&folder).unwrap();
        for number in 0..PAGES {
            let text = format!("# Page {number}\n\n{}\n", format!("It says {word}. ").repeat(40));
            std::fs::write(folder.join(format!("{number}.md")), text).unwrap();
        }
    }
    let engine = engine(dir.path());
    replace(&engine, dir.path(), "alpha");
    for kill in 0..kills() {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "killed::replaces_until_it_is_killed"])
            .env(PLACE, dir.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        thread::sleep(Duration::from_millis(150 + kill * 97 % 900));
        child.kill().unwrap();
        child.wait().unwrap();
        check_whole(&engine);
        check_whole(&self::engine(dir.path()));
    }
    // What the killed ones began is in nobody's way.
    for word in ["beta", "alpha"] {
        replace(&engine, dir.path(), word);
        assert_eq!(check_whole(&engine), word);
    }
}

#[test]
#[ignore = "run, and killed, by another test"]
fn replaces_until_it_is_killed() {
    let Some(place) = std::env::var_os(PLACE) else { return };
    let engine = engine(Path::new(&place));
    for word in ["beta", "alpha"].into_iter().cycle() {
        replace(&engine, Path::new(&place), word);
    }
}

/// The version that is there, wholly and in every part of the index.
fn check_whole(engine: &Engine) -> String {
    let report = engine.check().unwrap();
    assert_eq!(report.problems, Vec::<String>::new());
    let version = engine.catalogue(&[]).unwrap().remove(0).card.revision.unwrap();
    let snapshot = engine.snapshot().unwrap();
    let documents = snapshot.documents(&Filter::default());
    assert_eq!(documents.len(), PAGES);
    for document in documents {
        assert!(snapshot.text(document.id).unwrap().unwrap().contains(&version), "{}", document.path);
    }
    for word in ["alpha", "beta"] {
        let mut request = SearchRequest::new(word);
        request.top_k = 100;
        let expected = if word == version { 100 } else { 0 };
        assert_eq!(engine.search(&request).unwrap().results.len(), expected, "{word} of {version}");
    }
    version
}

fn replace(engine: &Engine, place: &Path, word: &str) {
    let card = Card { revision: Some(word.to_owned()), ..Card::default() };
    let rules = SourceRules { card, ..SourceRules::default() };
    let source = Source::new(NAME, &place.join(word), &rules).unwrap();
    engine.replace(&source, &Silent, &Cancel::default()).unwrap();
}

fn engine(place: &Path) -> Engine {
    let parts = EngineParts {
        expected: Vec::new(),
        aliases: Default::default(),
        store: Arc::new(EmbeddedStore::open(&place.join("index"), OpenOptions::default()).unwrap()),
        embedder: None,
        embedder_problem: None,
        cache: None,
        sources: Vec::new(),
        chunking: ChunkOptions::default(),
        cookies: place.join("cookies"),
        library: Some(place.join("index/library")),
    };
    Engine::new(parts, Freshness::Synced).unwrap()
}
