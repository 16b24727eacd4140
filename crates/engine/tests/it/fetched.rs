//! Collections that were fetched: replaced whole, kept when something goes wrong, cut anew without their source.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, SystemTime};

use docent_engine::{
    Cancel, Card, ChunkOptions, Engine, EngineError, ErrorKind, Event, Filter, Freshness, IngestReport, Mode,
    Observer, Outcome, SearchAnswer, SearchRequest, Silent, Source, SourceRules,
};
use docent_index::Store;
use docent_store_embedded::{EmbeddedStore, OpenOptions};
use docent_testkit::Over;

use crate::world::{World, sync};

const NAME: &str = "birds@2";

/// A project with a folder of its own and one into which something was fetched.
struct Fetched {
    world: World,
    folder: PathBuf,
}

impl Fetched {
    fn new(files: &[(&str, &str)]) -> Self {
        let world = World::new(&[("own.md", "# Own\n\nourselves\n")]);
        let fetched = Self { folder: world.docs.with_file_name("fetched"), world };
        fetched.fill(files);
        fetched
    }

    /// Puts these files, and only these, into the folder.
    fn fill(&self, files: &[(&str, &str)]) {
        let _ = fs::remove_dir_all(&self.folder);
        fs::create_dir_all(&self.folder).unwrap();
        for (path, text) in files {
            let full = self.folder.join(path);
            fs::create_dir_all(full.parent().unwrap()).unwrap();
            fs::write(full, text).unwrap();
        }
    }

    /// A folder of `count` pages that all say `word`.
    fn fill_with(&self, count: usize, word: &str) {
        let pages: Vec<(String, String)> = (0..count)
            .map(|number| (format!("{number}.md"), format!("# Page {number}\n\nIt says {word}.\n")))
            .collect();
        self.fill(&pages.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect::<Vec<_>>());
    }

    fn engine(&self) -> Engine {
        self.world.engine(Freshness::Synced)
    }

    fn source(&self, card: Card) -> Source {
        let rules = SourceRules { card, ..SourceRules::default() };
        Source::new(NAME, &self.folder, &rules).unwrap()
    }

    fn replace(&self, engine: &Engine, revision: &str) -> Result<IngestReport, EngineError> {
        engine.replace(&self.source(card(revision)), &Silent, &Cancel::default())
    }
}

fn card(revision: &str) -> Card {
    Card {
        description: Some("All about birds".to_owned()),
        source: Some("git+https://example.org/birds".to_owned()),
        revision: Some(revision.to_owned()),
        synced_ms: Some(1_000),
        ..Card::default()
    }
}

fn only() -> Filter {
    Filter { collections: Some(vec![NAME.to_owned()]), ..Filter::default() }
}

/// Path and text of every document.
fn content(engine: &Engine) -> BTreeMap<String, String> {
    let snapshot = engine.snapshot().unwrap();
    let text = |id| snapshot.text(id).unwrap().unwrap();
    snapshot.documents(&only()).iter().map(|document| (document.path.clone(), text(document.id))).collect()
}

fn found(engine: &Engine, words: &str) -> usize {
    search(engine, words).results.len()
}

fn search(engine: &Engine, words: &str) -> SearchAnswer {
    let mut request = SearchRequest::new(words);
    request.filter = only();
    request.top_k = 100;
    request.mode = Mode::Lexical;
    engine.search(&request).unwrap()
}

fn revision(engine: &Engine) -> Option<String> {
    engine.catalogue(&[NAME.to_owned()]).unwrap().remove(0).card.revision
}

fn embed(engine: &Engine) {
    engine.embed(None, &Silent, &Cancel::default()).unwrap();
}

fn pending(engine: &Engine) -> usize {
    engine.status().unwrap().embedding.unwrap().pending
}

/// Does something when a number of files has been read.
struct When<F: Fn() + Sync>(usize, F);

impl<F: Fn() + Sync> Observer for When<F> {
    fn event(&self, event: Event) {
        if matches!(event, Event::Read { files, .. } if files == self.0) {
            (self.1)();
        }
    }
}

#[test]
fn it_is_served_when_its_folder_is_gone() {
    let fetched = Fetched::new(&[("a/heron.md", "# Heron\n\nThe heron waits.\n"), ("b.md", "# B\n")]);
    let changed = SystemTime::UNIX_EPOCH + Duration::from_secs(86_400);
    let file = fs::File::options().write(true).open(fetched.folder.join("a/heron.md")).unwrap();
    file.set_modified(changed).unwrap();
    let engine = fetched.world.synced();
    let report = fetched.replace(&engine, "abc").unwrap();
    assert_eq!((report.files, report.added, report.problems.len()), (2, 2, 0));
    fs::remove_dir_all(&fetched.folder).unwrap();

    let answer = search(&engine, "heron");
    let hit = &answer.results[0];
    assert_eq!((hit.metadata.file_path.as_str(), hit.stale), ("a/heron.md", false));
    assert_eq!(hit.metadata.last_modified, "1970-01-02T00:00:00.000Z");
    assert_eq!(hit.metadata.commit.as_deref(), Some("abc"));
    let page = engine.page(&[NAME.to_owned()], "a/heron.md").unwrap();
    assert_eq!((page.commit.as_deref(), page.stale), (Some("abc"), false));
    assert_eq!(engine.page(&[], "own.md").unwrap().commit, None);

    let status = engine.status().unwrap();
    let [birds, own] = status.index.collections.as_slice() else { panic!("{status:?}") };
    assert_eq!((birds.name.as_str(), birds.root.as_str(), birds.documents), (NAME, "", 2));
    assert_eq!(birds.description.as_deref(), Some("All about birds"));
    assert_eq!(birds.source.as_deref(), Some("git+https://example.org/birds"));
    assert_eq!(birds.synced_at.as_deref(), Some("1970-01-01T00:00:01.000Z"));
    assert_eq!((own.source.as_deref(), own.synced_at.as_deref()), (None, None));
    assert!(status.degraded.iter().all(|reason| !reason.contains("missing")), "{:?}", status.degraded);
}

#[test]
fn only_a_repository_has_commits() {
    let fetched = Fetched::new(&[("a.md", "# A\n\nheron\n")]);
    let engine = fetched.engine();
    let web = Card { source: Some("https://example.org".to_owned()), ..card("abc") };
    engine.replace(&fetched.source(web), &Silent, &Cancel::default()).unwrap();
    assert_eq!(engine.page(&[NAME.to_owned()], "a.md").unwrap().commit, None);
}

#[test]
fn fetching_the_same_again_writes_nothing_new() {
    let fetched = Fetched::new(&[("a.md", "# A\n\nheron\n"), ("b.md", "# B\n"), ("broken.md", "\0")]);
    let engine = fetched.engine();
    fetched.replace(&engine, "abc").unwrap();
    embed(&engine);
    let before = engine.snapshot().unwrap();
    // Another download has other times.
    fetched.fill(&[("a.md", "# A\n\nheron\n"), ("b.md", "# B\n"), ("broken.md", "\0")]);
    let report = fetched.replace(&engine, "abc").unwrap();
    assert_eq!((report.unchanged, report.added, report.changed, report.deleted), (2, 0, 0, 0));
    assert_eq!(report.problems.len(), 1);
    assert_eq!(engine.snapshot().unwrap().generation(), before.generation());

    let later = Card { synced_ms: Some(2_000), ..card("abc") };
    engine.replace(&fetched.source(later), &Silent, &Cancel::default()).unwrap();
    let dated = engine.snapshot().unwrap();
    assert!(dated.generation() > before.generation());
    assert_eq!(dated.content_generation(), before.content_generation());
    assert_eq!(dated.documents(&only()), before.documents(&only()));
    assert_eq!(engine.catalogue(&[]).unwrap()[0].card.synced_ms, Some(2_000));
    assert_eq!(pending(&engine), 0);

    fetched.replace(&engine, "def").unwrap();
    assert!(engine.snapshot().unwrap().content_generation() > before.content_generation());
}

#[test]
fn a_changed_file_costs_its_own_vectors_only() {
    let fetched = Fetched::new(&[]);
    fetched.fill_with(30, "alpha");
    let engine = fetched.engine();
    fetched.replace(&engine, "one").unwrap();
    embed(&engine);
    fs::write(fetched.folder.join("7.md"), "# Page 7\n\nIt says beta.\n").unwrap();
    fs::remove_file(fetched.folder.join("8.md")).unwrap();
    fs::write(fetched.folder.join("new.md"), "# New\n\nIt says beta.\n").unwrap();
    let report = fetched.replace(&engine, "two").unwrap();
    assert_eq!((report.changed, report.deleted, report.added, report.unchanged), (1, 1, 1, 28));
    assert_eq!(pending(&engine), 2);
    assert_eq!((found(&engine, "alpha"), found(&engine, "beta")), (28, 2));
    assert_eq!(engine.check().unwrap().problems, Vec::<String>::new());
}

/// However this ends early, the collection is what it was.
fn check_kept(
    outcome: impl FnOnce(&Fetched, &Engine) -> Result<IngestReport, EngineError>,
) -> Result<IngestReport, EngineError> {
    let fetched = Fetched::new(&[]);
    fetched.fill_with(40, "alpha");
    let engine = fetched.engine();
    fetched.replace(&engine, "one").unwrap();
    let (generation, before) = (engine.snapshot().unwrap().generation(), content(&engine));
    fetched.fill_with(50, "beta");
    let outcome = outcome(&fetched, &engine);
    assert_eq!(engine.snapshot().unwrap().generation(), generation);
    assert_eq!(content(&engine), before);
    assert_eq!((found(&engine, "alpha"), found(&engine, "beta")), (40, 0));
    assert_eq!(revision(&engine).as_deref(), Some("one"));
    assert_eq!(engine.check().unwrap().problems, Vec::<String>::new());

    fetched.fill_with(50, "gamma");
    fetched.replace(&engine, "three").unwrap();
    assert_eq!((found(&engine, "alpha"), found(&engine, "gamma")), (0, 50));
    outcome
}

#[test]
fn cancelling_keeps_the_old() {
    for files in [1, 25, 50] {
        let report = check_kept(|fetched, engine| {
            let cancel = Cancel::default();
            engine.replace(&fetched.source(card("two")), &When(files, || cancel.cancel()), &cancel)
        });
        assert!(report.unwrap().cancelled);
    }
}

#[test]
fn a_folder_that_goes_away_keeps_the_old() {
    let error = check_kept(|fetched, engine| {
        let remove = || drop(fs::remove_dir_all(&fetched.folder));
        // Some threads may have read the rest before it went.
        fetched.fill_with(2_000, "beta");
        engine.replace(&fetched.source(card("two")), &When(3, remove), &Cancel::default())
    });
    let error = error.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Environment);
    assert!(error.message.contains("vanished"), "{error}");
}

#[test]
fn a_folder_without_documents_keeps_the_old() {
    for files in [&[][..], &[("a.txt", "beta")], &[("a.md", "beta\0"), ("b.md", "\0")]] {
        let error = check_kept(|fetched, engine| {
            fetched.fill(files);
            fetched.replace(engine, "two")
        });
        let error = error.unwrap_err();
        assert!(error.message.contains("no documents found in "), "{error}");
        assert!(error.hint.contains("include"), "{}", error.hint);
    }
}

#[test]
fn manifests_that_are_too_long_keep_the_old() {
    let error = check_kept(|fetched, engine| {
        let long = format!(r#"{{"version": "1", "mcpServerInstructions": "{}"}}"#, "x".repeat(600_000));
        fetched.fill(&[("a.md", "beta"), (".docs-mcp.json", &long), ("b/.docs-mcp.json", &long)]);
        fetched.replace(engine, "two")
    });
    assert!(error.unwrap_err().message.contains("the limit is 1000000"));
}

#[test]
fn a_folder_that_is_read_where_it_is_is_not_replaced() {
    let fetched = Fetched::new(&[("a.md", "# A\n")]);
    let engine = fetched.world.synced();
    let source = Source::new("docs", &fetched.folder, &SourceRules::default()).unwrap();
    let error = engine.replace(&source, &Silent, &Cancel::default()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Usage);
    assert!(error.message.contains("is read from the folder"), "{error}");
    assert!(engine.page(&[], "own.md").is_ok());
}

#[test]
fn what_cannot_be_indexed_is_reported_until_it_can() {
    let fetched = Fetched::new(&[("a.md", "# A\n"), ("b.md", "\0")]);
    let engine = fetched.engine();
    let report = fetched.replace(&engine, "one").unwrap();
    assert_eq!(report.problems[0].path, "b.md");
    assert_eq!(engine.status().unwrap().failed_files[0].path, "b.md");
    fetched.fill(&[("a.md", "# A\n"), ("b.md", "# B\n")]);
    assert!(fetched.replace(&engine, "two").unwrap().problems.is_empty());
    assert!(engine.status().unwrap().failed_files.is_empty());
}

#[test]
fn ignore_files_say_nothing_of_what_was_fetched() {
    let fetched = Fetched::new(&[
        ("a.md", "# A\n"),
        (".gitignore", "a.md\n"),
        ("b/.ignore", "*\n"),
        ("b/c.md", "# C\n"),
    ]);
    fs::write(fetched.folder.with_file_name(".gitignore"), "*\n").unwrap();
    let engine = fetched.engine();
    assert_eq!(fetched.replace(&engine, "one").unwrap().added, 2);
}

#[test]
fn searches_see_one_version_at_any_time() {
    const PAGES: usize = 50;
    let fetched = Fetched::new(&[]);
    fetched.fill_with(PAGES, "alpha");
    let engine = fetched.engine();
    fetched.replace(&engine, "alpha").unwrap();
    let other = fetched.engine();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let over = Over(&done);
        let searching: Vec<_> = [&engine, &other]
            .into_iter()
            .map(|engine| {
                scope.spawn(|| {
                    let mut searches = 0;
                    while !done.load(Ordering::Relaxed) {
                        check_one_version(engine, PAGES);
                        searches += 1;
                    }
                    searches
                })
            })
            .collect();
        for round in 1..=20 {
            let word = ["alpha", "beta"][round % 2];
            fetched.fill_with(PAGES, word);
            assert_eq!(fetched.replace(&engine, word).unwrap().changed, PAGES);
        }
        drop(over);
        for thread in searching {
            assert!(thread.join().unwrap() > 0);
        }
    });
    assert_eq!(engine.check().unwrap().problems, Vec::<String>::new());
}

fn check_one_version(engine: &Engine, pages: usize) {
    let answer = search(engine, "alpha beta");
    let with = |word: &str| answer.results.iter().filter(|hit| hit.content.contains(word)).count();
    let (alpha, beta) = (with("alpha"), with("beta"));
    assert!(alpha == 0 || beta == 0, "{alpha} pages say alpha and {beta} say beta");
    assert_eq!(alpha + beta, pages);
    for hit in &answer.results {
        assert!(hit.content.contains(hit.metadata.commit.as_deref().unwrap()), "{hit:?}");
    }
    let snapshot = engine.snapshot().unwrap();
    assert_eq!(snapshot.documents(&only()).len(), pages);
}

#[test]
fn two_that_fetch_the_same_do_not_mix() {
    let (one, two) = (Fetched::new(&[]), Fetched::new(&[]));
    one.fill_with(200, "alpha");
    two.fill_with(230, "beta");
    let engines = [one.engine(), one.engine()];
    for _ in 0..3 {
        thread::scope(|scope| {
            for (engine, (fetched, word)) in engines.iter().zip([(&one, "alpha"), (&two, "beta")]) {
                scope.spawn(move || fetched.replace(engine, word).unwrap());
            }
        });
        let counts = (found(&engines[0], "alpha"), found(&engines[0], "beta"));
        assert!([(100, 0), (0, 100)].contains(&counts), "{counts:?}");
        let pages = content(&engines[1]).len();
        assert_eq!(
            (pages, revision(&engines[1]).as_deref()),
            if counts.0 > 0 { (200, Some("alpha")) } else { (230, Some("beta")) }
        );
    }
}

#[test]
fn a_collection_that_is_renamed_meanwhile_is_made_anew_as_a_whole() {
    let fetched = Fetched::new(&[]);
    fetched.fill_with(30, "alpha");
    let engine = fetched.engine();
    fetched.replace(&engine, "one").unwrap();
    let renamed = AtomicBool::new(false);
    let rename = || {
        if !renamed.swap(true, Ordering::Relaxed) {
            engine.rename_collection(NAME, "birds@1").unwrap();
        }
    };
    let report = engine.replace(&fetched.source(card("two")), &When(30, rename), &Cancel::default()).unwrap();
    assert_eq!(report.added, 30);
    let entries = engine.catalogue(&[]).unwrap();
    let counts: Vec<_> = entries.iter().map(|entry| (entry.name.as_str(), entry.documents)).collect();
    assert_eq!(counts, [("birds@1", 30), (NAME, 30), ("docs", 0)]);
}

#[test]
fn collections_are_renamed_and_removed_by_name() {
    let fetched = Fetched::new(&[("a.md", "# A\n\nheron\n")]);
    let engine = fetched.engine();
    fetched.replace(&engine, "one").unwrap();
    embed(&engine);
    engine.rename_collection(NAME, "birds@3").unwrap();
    assert_eq!(pending(&engine), 0);
    assert_eq!(engine.page(&["birds@3".to_owned()], "a.md").unwrap().commit.as_deref(), Some("one"));
    assert_eq!(engine.rename_collection("birds@3", "docs").unwrap_err().kind, ErrorKind::Usage);
    for outcome in [
        engine.rename_collection(NAME, "x"),
        engine.remove_collection(NAME),
        engine.manifests_of(NAME).map(drop),
    ] {
        let error = outcome.unwrap_err();
        assert_eq!(error.kind, ErrorKind::NotFound);
        assert!(error.message.contains(NAME) && !error.hint.is_empty(), "{error}");
    }
    engine.remove_collection("birds@3").unwrap();
    assert_eq!(engine.catalogue(&[]).unwrap().len(), 1);
}

const PAGE: &str = "# Guide\n\ntop\n\n## Auth\n\nauth\n\n### Token\n\ntoken\n";

#[test]
fn manifests_are_kept_and_govern_when_everything_is_cut_anew() {
    let by_file = r#"{"version": "1", "strategy": {"chunk_by": "file"}, "metadata": {"kind": "whole"}}"#;
    let files = [
        ("a.md", PAGE),
        ("x/b.md", PAGE),
        ("x/.docs-mcp.json", by_file),
        ("y/.docs-mcp.json", "{"),
        ("y/c.md", PAGE),
        ("broken.md", "\0"),
    ];
    let fetched = Fetched::new(&files);
    let engine = fetched.engine();
    fetched.replace(&engine, "one").unwrap();
    embed(&engine);
    fs::remove_dir_all(&fetched.folder).unwrap();
    let kept = engine.manifests_of(NAME).unwrap();
    assert_eq!(
        kept,
        BTreeMap::from([
            ("x/.docs-mcp.json".to_owned(), by_file.to_owned()),
            ("y/.docs-mcp.json".to_owned(), "{".to_owned())
        ])
    );

    let chunks = |engine: &Engine, path: &str| engine.page(&[NAME.to_owned()], path).unwrap().chunks.len();
    assert_eq!(["a.md", "x/b.md", "y/c.md"].map(|path| chunks(&engine, path)), [3, 1, 2]);
    let other = fetched
        .world
        .engine_cutting(ChunkOptions { chunk_by: docent_text::ChunkBy::H1, ..ChunkOptions::default() });
    let before = other.snapshot().unwrap();
    other.recut_fetched(&["unknown".to_owned()], &Silent, &Cancel::default()).unwrap();
    assert_eq!(other.snapshot().unwrap().generation(), before.generation());
    // A cancelled one leaves everything as it was cut.
    let cancel = Cancel::default();
    other.recut_fetched(&[], &When(1, || cancel.cancel()), &cancel).unwrap();
    assert_eq!(other.snapshot().unwrap().generation(), before.generation());

    sync(&other);
    assert_eq!(["a.md", "x/b.md", "y/c.md"].map(|path| chunks(&other, path)), [1, 1, 2]);
    let page = other.page(&[NAME.to_owned()], "x/b.md").unwrap();
    assert_eq!((page.facets["kind"].as_str(), page.commit.as_deref()), ("whole", Some("one")));
    assert_eq!(other.manifests_of(NAME).unwrap(), kept);
    let now = other.snapshot().unwrap();
    let id = |snapshot: &dyn docent_index::Snapshot, path: &str| snapshot.document_at(NAME, path).unwrap().id;
    assert_eq!(id(&*now, "x/b.md"), id(&*before, "x/b.md"));
    assert_ne!(id(&*now, "a.md"), id(&*before, "a.md"));
    assert_eq!(now.failures().unwrap().len(), 1);
    assert_eq!(other.check().unwrap().problems, Vec::<String>::new());
    let again = other.snapshot().unwrap().generation();
    other.recut_fetched(&[], &Silent, &Cancel::default()).unwrap();
    assert_eq!(other.snapshot().unwrap().generation(), again);
    // What is fetched now is cut in the same way, so nothing of it is new.
    fetched.fill(&files);
    assert_eq!(fetched.replace(&other, "one").unwrap().unchanged, 3);
}

#[test]
fn a_running_server_cuts_anew_in_the_background() {
    let fetched = Fetched::new(&[("a.md", PAGE)]);
    fetched.replace(&fetched.engine(), "one").unwrap();
    let engine = fetched
        .world
        .engine_cutting(ChunkOptions { chunk_by: docent_text::ChunkBy::H1, ..ChunkOptions::default() });
    engine.start_background().unwrap();
    engine.wait_for_first_pass(Duration::from_secs(30));
    assert_eq!(engine.page(&[NAME.to_owned()], "a.md").unwrap().chunks.len(), 1);
}

#[test]
fn what_the_settings_say_is_kept_as_a_manifest() {
    let fetched = Fetched::new(&[("a.md", PAGE)]);
    let base = r#"{"strategy": {"chunk_by": "file"}, "metadata": {"kind": "whole"}}"#;
    let (manifest, _) = docent_authoring::Manifest::from_value(&serde_json::from_str(base).unwrap());
    let rules = SourceRules { manifest: manifest.clone(), ..SourceRules::default() };
    let source = Source::new(NAME, &fetched.folder, &rules).unwrap();
    let engine = fetched.world.engine_with(Freshness::Synced, &rules);
    engine.replace(&source, &Silent, &Cancel::default()).unwrap();
    for collection in [NAME, "docs"] {
        let kept = engine.manifests_of(collection).unwrap();
        assert_eq!(docent_authoring::Manifest::parse(&kept[".docs-mcp.json"]).0, manifest);
    }
    let generation = engine.snapshot().unwrap().generation();
    engine.recut_fetched(&[], &Silent, &Cancel::default()).unwrap();
    assert_eq!(engine.snapshot().unwrap().generation(), generation);
}

#[test]
fn embedding_a_collection_leaves_the_others() {
    let fetched = Fetched::new(&[("heron.md", "# Heron\n\nThe heron waits.\n"), ("b.md", "# B\n\nbee\n")]);
    let engine = fetched.engine();
    sync_only(&engine);
    fetched.replace(&engine, "abc").unwrap();
    assert_eq!(pending(&engine), 3);
    let told = Told::default();
    let outcome = engine.embed_in(&[NAME.to_owned()], None, &told, &Cancel::default()).unwrap();
    assert_eq!((outcome, pending(&engine)), (Outcome::Complete, 1));
    assert_eq!(*told.0.lock().unwrap(), [Event::Embedded { done: 2, total: 2 }]);
    embed(&engine);
    assert_eq!(pending(&engine), 0);
}

#[test]
fn vectors_of_another_model_stay_until_every_collection_has_new_ones() {
    let fetched = Fetched::new(&[("heron.md", "# Heron\n\nThe heron waits.\n")]);
    let engine = fetched.world.synced();
    fetched.replace(&engine, "abc").unwrap();
    let store = EmbeddedStore::open(&fetched.world.index, OpenOptions::default()).unwrap();
    let models = || store.stats().unwrap().models.len();
    docent_testkit::embed_all(&store, &docent_testkit::model("old"));
    assert_eq!(models(), 2);
    fetched.world.write("own.md", "# Own\n\nchanged\n");
    sync_only(&engine);
    let names = [NAME.to_owned()];
    engine.embed_in(&names, None, &Silent, &Cancel::default()).unwrap();
    assert_eq!((models(), pending(&engine)), (2, 1));
    embed(&engine);
    assert_eq!((models(), pending(&engine)), (1, 0));
}

/// What was told.
#[derive(Default)]
struct Told(Mutex<Vec<Event>>);

impl Observer for Told {
    fn event(&self, event: Event) {
        self.0.lock().unwrap().push(event);
    }
}

fn sync_only(engine: &Engine) {
    engine.sync(None, &Silent, &Cancel::default()).unwrap();
}

#[test]
fn an_empty_folder_is_told_only_when_nothing_else_is_searched() {
    let fetched = Fetched::new(&[("heron.md", "# Heron\n\nThe heron waits.\n")]);
    fetched.world.remove("own.md");
    let engine = fetched.world.synced();
    let told = |collections: Option<&str>| {
        let mut request = SearchRequest::new("heron");
        request.filter.collections = collections.map(|name| vec![name.to_owned()]);
        engine.search(&request).unwrap().searched.degraded
    };
    assert_eq!(told(None), ["collection `docs` has no documents"]);
    fetched.replace(&engine, "abc").unwrap();
    embed(&engine);
    assert_eq!(told(None), Vec::<String>::new());
    assert_eq!(told(Some("docs")), ["collection `docs` has no documents"]);
}
