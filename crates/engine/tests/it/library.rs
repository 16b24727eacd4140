//! Documents that were handed over: kept, replaced, found by what is known of them, and deleted.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use docent_embed::HashEmbedder;
use docent_engine::{
    Became, Cancel, Card, ChunkOptions, Condition, Details, Engine, ErrorKind, Freshness, Handed, SearchHit,
    SearchRequest, Silent, Source, SourceRules,
};
use docent_index::{ContentHash, EmbedError, Embedder, Model};
use serde_json::{Value, json};

use crate::world::{World, paths, search, sync};

/// A document of the library `papers`, each part of the text a page.
pub(crate) fn handed(source: &str, pages: &[&str]) -> Handed {
    let mut markdown = String::new();
    let mut starts = Vec::new();
    for (text, page) in pages.iter().zip(1..) {
        starts.push((markdown.matches('\n').count() as u32 + 1, page));
        markdown.push_str(text);
    }
    let details = Details {
        file_type: "pdf".to_owned(),
        sha256: ContentHash::of(markdown.as_bytes()).to_hex(),
        last_modified_ms: Some(1_735_732_800_000),
        ..Details::default()
    };
    Handed {
        library: "papers".to_owned(),
        source: source.to_owned(),
        title: Some(format!("Title of {source}")),
        markdown,
        pages: starts,
        details,
        force: false,
    }
}

pub(crate) fn take_in(engine: &Engine, handed: Handed) -> docent_engine::TakenIn {
    engine.take_in(handed, &Cancel::default()).unwrap()
}

fn world() -> World {
    World::new(&[("guide.md", "# Guide\n\nThe harbour has a crane.\n")])
}

const OTTERS: &[&str] =
    &["# Otters\n\nAn otter swims in the harbour.\n\n", "It eats fish.\n\n## Fur\n\nThick.\n"];

fn found(engine: &Engine, query: &str, conditions: &[(&str, Value)]) -> Vec<SearchHit> {
    let mut request = SearchRequest::new(query);
    let condition = |(name, value): &(&str, Value)| Condition::new(name, value.clone()).unwrap();
    request.conditions = conditions.iter().map(condition).collect();
    request.top_k = 50;
    engine.search(&request).unwrap().results
}

#[test]
fn what_was_handed_over_is_found_with_its_page() {
    let world = world();
    let engine = world.engine(Freshness::Synced);
    sync(&engine);
    let taken = take_in(&engine, handed("/home/me/otters.pdf", OTTERS));
    assert_eq!(taken.became, Became::New);
    assert_eq!(taken.chunk_count, 3);
    let answer = search(&engine, "fish eats");
    let hit = &answer.results[0];
    assert_eq!(hit.metadata.file_path, "/home/me/otters.pdf");
    assert_eq!((hit.metadata.page, hit.ordinal, hit.document.uuid.as_str()), (2, 1, taken.uuid.as_str()));
    assert_eq!(hit.metadata.heading_path, "Otters [part 2/2]");
    assert_eq!(serde_json::to_value(hit).unwrap()["metadata"]["page"], 2);
    assert!(hit.similarity.is_some(), "the vectors came with it");
    let file = search(&engine, "crane").results.remove(0);
    assert_eq!(file.metadata.file_path, "guide.md");
    assert!(serde_json::to_value(&file).unwrap()["metadata"].get("page").is_none());
    // Both are one index: a search for the harbour finds both.
    let both = search(&engine, "harbour");
    assert!(paths(&both).contains(&"guide.md") && paths(&both).contains(&"/home/me/otters.pdf"));
    // What a search returns can be read by its name.
    let section = engine.get(&[], &hit.chunk_id).unwrap();
    assert!(serde_json::to_value(section).unwrap()["content"].as_str().unwrap().contains("eats fish"));
}

#[test]
fn a_new_version_takes_the_place_of_the_old_one() {
    let world = world();
    let engine = world.engine(Freshness::Synced);
    let first = take_in(&engine, handed("a.pdf", OTTERS));
    let created = engine.handed("papers", "a.pdf").unwrap().unwrap().details.created_ms;
    assert!(created > 1_700_000_000_000);
    let mut newer = handed("a.pdf", &["# Herons\n\nA heron waits.\n"]);
    newer.details.metadata.insert("year".to_owned(), json!(2024));
    let second = take_in(&engine, newer);
    assert_eq!(
        (second.uuid.as_str(), second.became, second.chunk_count),
        (first.uuid.as_str(), Became::Replaced, 1)
    );
    let kept = engine.handed("papers", "a.pdf").unwrap().unwrap();
    assert_eq!(kept.details.created_ms, created);
    assert_eq!(kept.details.metadata["year"], 2024);
    assert!(found(&engine, "otter", &[]).iter().all(|hit| !hit.content.contains("otter")));
    assert_eq!(engine.library_documents(&[], 10, 0).unwrap().1, 1);
    let (_, text) = engine.library_document(&[], &first.uuid).unwrap().unwrap();
    assert_eq!(text, "# Herons\n\nA heron waits.\n");
    assert!(engine.check().unwrap().problems.is_empty());
}

/// An embedder that fails, or takes its time, while the switch is on.
struct Switched {
    inner: HashEmbedder,
    fails: AtomicBool,
    is_slow: AtomicBool,
}

impl Embedder for Switched {
    fn model(&self) -> &Model {
        self.inner.model()
    }

    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        if self.fails.load(Ordering::SeqCst) {
            let (message, hint) = ("the provider says no".to_owned(), "ask it why".to_owned());
            return Err(EmbedError { message, hint, retryable: true });
        }
        if self.is_slow.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_secs(20));
        }
        self.inner.embed_documents(texts)
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.inner.embed_query(text)
    }
}

fn switched(world: &World) -> (Arc<Switched>, Engine) {
    let embedder = Arc::new(Switched {
        inner: HashEmbedder::default(),
        fails: AtomicBool::new(false),
        is_slow: AtomicBool::new(false),
    });
    let engine = world.engine_embedding(Some(embedder.clone()), None);
    (embedder, engine)
}

#[test]
fn the_same_document_from_many_at_once_is_kept_once() {
    let world = world();
    let engine = world.engine(Freshness::Synced);
    let outcomes: Vec<docent_engine::TakenIn> = std::thread::scope(|scope| {
        let handing = || scope.spawn(|| take_in(&engine, handed("a.pdf", OTTERS)));
        let running: Vec<_> = (0..4).map(|_| handing()).collect();
        running.into_iter().map(|it| it.join().unwrap()).collect()
    });
    let count = |wanted: Became| outcomes.iter().filter(|it| it.became == wanted).count();
    assert_eq!((count(Became::New), count(Became::Unchanged)), (1, 3));
    assert!(outcomes.iter().all(|it| (&it.uuid, it.chunk_count) == (&outcomes[0].uuid, 3)), "{outcomes:?}");
    let again = take_in(&engine, Handed { force: true, ..handed("a.pdf", OTTERS) });
    assert_eq!((again.became, &again.uuid), (Became::Replaced, &outcomes[0].uuid));
}

#[test]
fn a_failing_embedder_is_told_and_leaves_the_old_version() {
    let world = world();
    let (embedder, engine) = switched(&world);
    take_in(&engine, handed("a.pdf", OTTERS));
    embedder.fails.store(true, Ordering::SeqCst);
    let error = engine.take_in(handed("a.pdf", &["# New\n"]), &Cancel::default()).unwrap_err();
    assert!(error.message.contains("says no") && error.hint.contains("before is kept"), "{error:?}");
    let error = engine.take_in(handed("b.pdf", &["# New\n"]), &Cancel::default()).unwrap_err();
    assert!(error.hint.contains("nothing was indexed"), "{error:?}");
    assert!(engine.handed("papers", "b.pdf").unwrap().is_none());
    let (_, text) = {
        let uuid = engine.handed("papers", "a.pdf").unwrap().unwrap().record.uuid.clone();
        engine.library_document(&[], &uuid).unwrap().unwrap()
    };
    assert_eq!(text, OTTERS.concat());
    // What is the same in both needs no provider.
    take_in(&engine, handed("a.pdf", OTTERS));
}

#[test]
fn a_slow_embedder_is_not_waited_for() {
    let world = world();
    let (embedder, engine) = switched(&world);
    embedder.is_slow.store(true, Ordering::SeqCst);
    let begun = Instant::now();
    take_in(&engine, handed("a.pdf", OTTERS));
    assert!(begun.elapsed() < Duration::from_secs(15), "{:?}", begun.elapsed());
    assert!(!search(&engine, "otter").results.is_empty());
    embedder.is_slow.store(false, Ordering::SeqCst);
    engine.embed(None, &Silent, &Cancel::default()).unwrap();
    assert!(search(&engine, "otter").results[0].similarity.is_some());
}

#[test]
fn what_is_stopped_is_not_kept() {
    let world = world();
    let engine = world.engine(Freshness::Synced);
    let cancel = Cancel::default();
    cancel.cancel();
    engine.take_in(handed("a.pdf", OTTERS), &cancel).unwrap_err();
    assert!(engine.libraries().unwrap().is_empty());
}

#[test]
fn names_that_are_taken_or_no_names_are_refused() {
    let world = world();
    let engine = world.engine(Freshness::Synced);
    sync(&engine);
    let other = World::new(&[("a.md", "# Fetched\n")]);
    let mut source = Source::new("fetched", &other.docs, &SourceRules::default()).unwrap();
    source.card = Card::default();
    engine.replace(&source, &Silent, &Cancel::default()).unwrap();
    for name in ["docs", "fetched", "", "../x", ".hidden", "a b"] {
        let document = Handed { library: name.to_owned(), ..handed("a.pdf", OTTERS) };
        let error = engine.take_in(document, &Cancel::default()).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Usage, "{name}");
        assert!(!error.hint.is_empty(), "{name}");
    }
    assert!(engine.libraries().unwrap().is_empty());
    // The other way round: what was handed over is not fetched over.
    take_in(&engine, handed("a.pdf", OTTERS));
    let mut source = Source::new("papers", &other.docs, &SourceRules::default()).unwrap();
    source.card = Card::default();
    assert!(engine.replace(&source, &Silent, &Cancel::default()).is_err());
    assert_eq!(engine.libraries().unwrap(), ["papers"]);
}

#[test]
fn fields_narrow_a_search_before_ranking() {
    let world = world();
    let engine = world.engine(Freshness::Synced);
    sync(&engine);
    let mut first = handed("/a.pdf", OTTERS);
    first.details.metadata = json!({"year": 2024, "draft": false}).as_object().cloned().unwrap();
    let first = take_in(&engine, first);
    let mut second = handed("/b.docx", &["# Otters\n\nAn otter in a harbour.\n"]);
    second.pages.clear();
    second.details.file_type = "docx".to_owned();
    second.details.last_modified_ms = Some(0);
    take_in(&engine, Handed { library: "other".to_owned(), ..second });
    let check = |conditions: &[(&str, Value)], expected: &[&str]| {
        let mut sources: Vec<_> =
            found(&engine, "harbour", conditions).into_iter().map(|hit| hit.metadata.file_path).collect();
        sources.sort();
        sources.dedup();
        assert_eq!(sources, expected, "{conditions:?}");
    };
    check(&[], &["/a.pdf", "/b.docx", "guide.md"]);
    check(&[("doc_id", json!(first.uuid))], &["/a.pdf"]);
    check(&[("library", json!("other"))], &["/b.docx"]);
    check(&[("library", json!("docs"))], &["guide.md"]);
    check(&[("source", json!("/b.docx"))], &["/b.docx"]);
    check(&[("title", json!("Guide"))], &["guide.md"]);
    check(&[("file_type", json!("pdf"))], &["/a.pdf"]);
    check(&[("file_type", json!("md"))], &["guide.md"]);
    check(&[("last_modified", json!("2025-01-01T12:00:00+00:00"))], &["/a.pdf"]);
    check(&[("last_modified", json!("1970-01-01T00:00:00Z"))], &["/b.docx"]);
    check(&[("metadata.year", json!(2024)), ("metadata.draft", json!(false))], &["/a.pdf"]);
    check(&[("metadata.year", json!(2023))], &[]);
    check(&[("page", json!(0))], &["/b.docx", "guide.md"]);
    check(&[("page", json!(2)), ("page", json!(1))], &[]);
    check(&[("file_type", json!("pdf")), ("library", json!("other"))], &[]);
    let listed = engine.library_documents(&["docs".to_owned()], 1, 0).unwrap().0.remove(0);
    check(&[("content_hash", json!(listed.details.sha256.to_uppercase()))], &["guide.md"]);
    assert_eq!(listed.details.sha256.len(), 64);
    let on_page = |page: u32| found(&engine, "harbour", &[("page", json!(page))]);
    assert_eq!(on_page(2).iter().map(|hit| hit.ordinal).collect::<Vec<_>>().len(), 2);
    assert!(on_page(2).iter().all(|hit| hit.metadata.page == 2));
    let third = found(&engine, "harbour", &[("chunk_index", json!(2))]);
    assert!(third.iter().all(|hit| hit.ordinal == 2) && !third.is_empty());
    assert!(found(&engine, "harbour", &[("page", json!(u64::MAX))]).is_empty());
}

#[test]
fn a_cursor_belongs_to_its_conditions() {
    let world = world();
    let engine = world.engine(Freshness::Synced);
    take_in(&engine, handed("/a.pdf", OTTERS));
    let mut request = SearchRequest::new("otter fish");
    request.top_k = 1;
    request.conditions = vec![Condition::new("file_type", json!("pdf")).unwrap()];
    let answer = engine.search(&request).unwrap();
    request.cursor = answer.next_cursor;
    assert!(request.cursor.is_some());
    let next = engine.search(&request).unwrap().results.remove(0);
    assert_ne!(next.chunk_id, answer.results[0].chunk_id);
    request.conditions = vec![Condition::new("file_type", json!("docx")).unwrap()];
    assert!(engine.search(&request).unwrap_err().message.contains("another search"));
}

#[test]
fn documents_are_listed_newest_first() {
    let world = world();
    let engine = world.engine(Freshness::Synced);
    sync(&engine);
    for source in ["1.pdf", "2.pdf", "3.pdf"] {
        take_in(&engine, handed(source, OTTERS));
        std::thread::sleep(Duration::from_millis(3));
    }
    let names = |collections: &[&str], limit: usize, offset: usize| {
        let collections: Vec<String> = collections.iter().map(|name| (*name).to_owned()).collect();
        let (documents, count) = engine.library_documents(&collections, limit, offset).unwrap();
        (documents.iter().map(|document| document.record.path.clone()).collect::<Vec<_>>(), count)
    };
    let all = ["3.pdf", "2.pdf", "1.pdf", "guide.md"].map(str::to_owned);
    assert_eq!(names(&[], 10, 0), (all.to_vec(), 4));
    assert_eq!(names(&[], 2, 1), (all[1..3].to_vec(), 4));
    assert_eq!(names(&[], 2, 9), (Vec::new(), 4));
    assert_eq!(names(&["papers"], 1, 0), (all[..1].to_vec(), 3));
}

#[test]
fn what_is_taken_out_is_gone_and_what_was_not_handed_over_stays() {
    let world = world();
    let engine = world.engine(Freshness::Synced);
    sync(&engine);
    let first = take_in(&engine, handed("1.pdf", OTTERS));
    let second = take_in(&engine, handed("2.pdf", OTTERS));
    assert_eq!(engine.take_out("no such uuid").unwrap(), None);
    assert_eq!(engine.take_out(&first.uuid).unwrap(), Some(3));
    assert_eq!(engine.take_out(&first.uuid).unwrap(), None);
    assert!(engine.handed("papers", "1.pdf").unwrap().is_none());
    assert_eq!(engine.libraries().unwrap(), ["papers"]);
    assert_eq!(engine.take_out(&second.uuid).unwrap(), Some(3));
    assert!(engine.libraries().unwrap().is_empty());
    let file = engine.library_documents(&[], 1, 0).unwrap().0.remove(0);
    let error = engine.take_out(&file.record.uuid).unwrap_err();
    assert!(error.hint.contains("delete the file"), "{error:?}");
    assert!(engine.check().unwrap().problems.is_empty());
}

#[test]
fn a_library_is_no_set_of_files() {
    let world = world();
    let engine = world.engine(Freshness::Synced);
    take_in(&engine, handed("/home/me/1.pdf", OTTERS));
    assert!(engine.manifests_of("papers").unwrap_err().message.contains("is a library"));
    assert!(engine.manifests_of("docs").is_ok());
}

#[test]
fn a_library_is_taken_out_as_a_whole() {
    let world = world();
    let engine = world.engine(Freshness::Synced);
    sync(&engine);
    take_in(&engine, handed("1.pdf", OTTERS));
    take_in(&engine, handed("2.pdf", OTTERS));
    assert_eq!(engine.take_out_library("nothing").unwrap(), None);
    assert!(engine.take_out_library("docs").is_err());
    assert_eq!(engine.take_out_library("papers").unwrap(), Some(2));
    assert!(paths(&search(&engine, "otter harbour")).iter().all(|path| *path == "guide.md"));
}

#[test]
fn other_rules_of_cutting_reach_libraries_and_keep_pages() {
    let world = world();
    let mut plain = handed("b.md", &["# Plain\n\nno pages\n"]);
    plain.pages.clear();
    let long: String = (0..40).map(|at| format!("Sentence {at} of the second page is here.\n\n")).collect();
    let before = {
        let engine = world.engine(Freshness::Synced);
        take_in(&engine, plain);
        take_in(&engine, handed("a.pdf", &[OTTERS[0], OTTERS[1], &long, "# Last\n\nwords\n"]))
    };
    let engine = world.engine_cutting(ChunkOptions { max_chars: 300, ..ChunkOptions::default() });
    sync(&engine);
    let after = engine.handed("papers", "a.pdf").unwrap().unwrap();
    assert_eq!(after.record.uuid, before.uuid);
    assert_eq!(after.details.file_type, "pdf");
    assert!(after.record.chunk_count as usize > before.chunk_count);
    assert_eq!(after.record.title, "Title of a.pdf");
    let pages: Vec<u32> = (0..after.record.chunk_count).map(|at| after.record.page(at)).collect();
    assert!(pages.is_sorted() && pages.first() == Some(&1) && pages.last() == Some(&4));
    for hit in found(&engine, "sentence second page", &[("page", json!(3))]) {
        assert!(hit.metadata.page == 3 && !hit.content.contains("Last"));
    }
    assert!(engine.handed("papers", "b.md").unwrap().unwrap().record.pages.is_empty());
}
