//! A process that is killed while it replaces a fetched collection leaves the old one or the new one.

use std::path::Path;

use docent_engine::{Cancel, Card, Engine, Filter, SearchRequest, Silent, Source, SourceRules};

use crate::victims::{self, kill_again_and_again, place};

const NAME: &str = "birds";
const PAGES: usize = 120;

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
    kill_again_and_again("killed::replaces_until_it_is_killed", dir.path(), || {
        check_whole(&engine);
        check_whole(&self::engine(dir.path()));
    });
    // What the killed ones began is in nobody's way.
    for word in ["beta", "alpha"] {
        replace(&engine, dir.path(), word);
        assert_eq!(check_whole(&engine), word);
    }
}

#[test]
#[ignore = "run, and killed, by another test"]
fn replaces_until_it_is_killed() {
    let Some(place) = place() else { return };
    let engine = engine(&place);
    for word in ["beta", "alpha"].into_iter().cycle() {
        replace(&engine, &place, word);
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
    victims::engine(place, None)
}
