//! Texts that somebody made to be slow or strange, too much of everything, and many writers at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use docent_embed::HashEmbedder;
use docent_engine::{
    Cancel, Engine, ErrorKind, Freshness, Handed, MAX_HANDED_BYTES, MAX_HANDED_PAGES, SearchRequest,
};
use docent_index::{EmbedError, Embedder, Model};
use serde_json::json;

use crate::library::{handed, take_in};
use crate::library_kept::kept;
use crate::world::World;

fn world() -> World {
    World::new(&[("guide.md", "# Guide\n\nThe harbour.\n")])
}

fn refused(engine: &Engine, handed: Handed) -> String {
    let error = engine.take_in(handed, &Cancel::default()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Usage, "{error:?}");
    assert!(!error.hint.is_empty());
    error.message
}

#[test]
fn what_is_too_much_is_refused_with_the_limit() {
    let world = world();
    let engine = world.engine(Freshness::Synced);
    take_in(&engine, handed("/a.pdf", &["# Kept\n"]));
    let too_long = "x".repeat(MAX_HANDED_BYTES + 1);
    assert!(refused(&engine, handed("/a.pdf", &[&too_long])).contains(&MAX_HANDED_BYTES.to_string()));
    let mut paged = handed("/a.pdf", &["# New\n"]);
    paged.pages = (1..=MAX_HANDED_PAGES as u32 + 1).map(|page| (page, page)).collect();
    assert!(refused(&engine, paged).contains("pages"));
    let mut talkative = handed("/a.pdf", &["# New\n"]);
    talkative.details.metadata.insert("k".to_owned(), json!("v".repeat(100_000)));
    assert!(refused(&engine, talkative).contains("metadata"));
    for source in ["", "  ", "a\0b", &"d/".repeat(10_000)] {
        refused(&engine, handed(source, &["# New\n"]));
    }
    let uuid = engine.handed("papers", "/a.pdf").unwrap().unwrap().record.uuid.clone();
    assert_eq!(engine.library_document(&[], &uuid).unwrap().unwrap().1, "# Kept\n");
}

#[test]
fn headings_beyond_the_limit_are_text_and_a_note_says_so() {
    let world = world();
    let engine = world.engine(Freshness::Synced);
    let taken = take_in(&engine, handed("/a.md", &[&"# h\n".repeat(30_000)]));
    assert!(taken.chunk_count > 20_000 && taken.chunk_count < 20_100, "{}", taken.chunk_count);
    assert!(taken.notes[0].contains("headings"), "{:?}", taken.notes);
    let (document, text) = engine.library_document(&[], &taken.uuid).unwrap().unwrap();
    assert_eq!(document.details.notes, taken.notes);
    assert_eq!(text.len(), 4 * 30_000);
    engine.take_out(&taken.uuid).unwrap();
}

/// A strange text is kept byte for byte, can be searched, and goes again.
fn check(name: &str, text: &str) {
    let world = world();
    let engine = world.engine(Freshness::Synced);
    let taken = take_in(&engine, handed("/strange.md", &[text]));
    let (document, held) = engine.library_document(&[], &taken.uuid).unwrap().unwrap();
    assert_eq!(held, text, "{name}");
    assert_eq!(document.record.chunk_count as usize, taken.chunk_count, "{name}");
    assert!(document.record.title.chars().count() <= 200);
    assert!(document.record.facets.is_empty(), "{name}");
    engine.search(&SearchRequest::new("strange text")).unwrap();
    assert_eq!(engine.check().unwrap().problems, Vec::<String>::new(), "{name}");
    assert_eq!(engine.take_out(&taken.uuid).unwrap(), Some(taken.chunk_count), "{name}");
}

#[test]
fn strange_texts_are_data() {
    check("nothing", "");
    check("blanks", " \n\t\r\n\u{a0}\u{2003}");
    check("one token", &"x".repeat(1 << 20));
    check("one line", &"word ".repeat(200_000));
    check("marks", &format!("a{}", "\u{301}".repeat(200_000)));
    check("deep front matter", &format!("---\na: {}\n---\n", "[".repeat(100_000)));
    check("front matter", "---\ntitle: \"Ignore\\nall\"\nlanguage: x\nmcp_chunking_hint: 1\n---\n# a\n");
    check("code spans", &(1..800).map(|count| "`".repeat(count) + "a ").collect::<String>());
    check("emphasis", &"*a **a ".repeat(50_000));
    check("quotes", &"> ".repeat(100_000));
    check("an open fence", "```rust\nfn main(){}\n");
    check("line ends", "# a\r\nb\rc\nd\u{2028}e\u{85}f");
    check("signs that are not seen", "if (admin\u{202e} \u{2066}// check\u{2069} {\n\u{1b}]0;x\u{7}");
    check("a long heading", &format!("# {}\n", "A".repeat(100_000)));
}

#[test]
fn what_a_text_says_of_itself_decides_nothing() {
    let world = world();
    let engine = world.engine(Freshness::Synced);
    let text = "---\nlanguage: rust\nscope: sdk-specific\n---\n<!-- mcp_chunking_hint: {\"chunk_by\": \"file\"} -->\n# A\n\none\n\n# B\n\ntwo\n";
    let taken = take_in(&engine, handed("/a.md", &[text]));
    assert!(taken.chunk_count >= 2);
    assert!(engine.facets(&[]).unwrap().is_empty());
    assert_eq!(engine.about(&[]).unwrap().instructions, None);
}

#[test]
fn many_writers_leave_every_document_whole() {
    let world = world();
    let engines: Vec<Arc<Engine>> = (0..3).map(|_| Arc::new(world.engine(Freshness::Synced))).collect();
    let writers: Vec<_> = (0..6)
        .map(|writer| {
            let engine = Arc::clone(&engines[writer % engines.len()]);
            thread::spawn(move || {
                for round in 0..5 {
                    let text = format!("# W{writer}\n\nround {round} of writer{writer}.\n");
                    // One that all write to, and one of its own.
                    for source in ["/shared.md".to_owned(), format!("/{writer}.md")] {
                        take_in(&engine, handed(&source, &[&text]));
                    }
                    let own = engine.handed("papers", &format!("/{writer}.md")).unwrap().unwrap();
                    if round == 2 {
                        assert_eq!(engine.take_out(&own.record.uuid).unwrap(), Some(1));
                    }
                }
            })
        })
        .collect();
    for writer in writers {
        writer.join().unwrap();
    }
    let engine = &engines[0];
    let (documents, count) = engine.library_documents(&["papers".to_owned()], 100, 0).unwrap();
    assert_eq!(count, 7);
    for document in &documents {
        let (_, text) = engine.library_document(&[], &document.record.uuid).unwrap().unwrap();
        assert!(text.contains("round 4"), "{text}");
    }
    let entries = documents.iter().map(|document| format!("{}.json", document.record.uuid)).collect();
    assert_eq!(kept(&world.index, "entries"), entries);
    assert_eq!(kept(&world.index, "marks").len(), 0);
    let model = HashEmbedder::default();
    let counts = engine.snapshot().unwrap().counts(Some(model.model()), &docent_engine::Filter::default());
    assert_eq!(counts.passages, counts.embedded);
    assert_eq!(engine.check().unwrap().problems, Vec::<String>::new());
}

/// Takes its time, and counts how many ask at once.
#[derive(Default)]
struct Counting {
    inner: HashEmbedder,
    asking: AtomicUsize,
    most: AtomicUsize,
}

impl Embedder for Counting {
    fn model(&self) -> &Model {
        self.inner.model()
    }

    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let asking = self.asking.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(asking, Ordering::SeqCst);
        thread::sleep(Duration::from_millis(300));
        self.asking.fetch_sub(1, Ordering::SeqCst);
        self.inner.embed_documents(texts)
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.inner.embed_query(text)
    }
}

#[test]
fn large_documents_are_worked_on_one_at_a_time_and_waiting_can_be_cancelled() {
    let world = world();
    let embedder = Arc::new(Counting::default());
    let engine = world.engine_embedding(Some(Arc::clone(&embedder) as _), None);
    // All passages are the same, so that each document takes one call.
    let text = "harbour ".repeat(150_000);
    let document = |number: usize| handed(&format!("/{number}.txt"), &[&text]);
    thread::scope(|scope| {
        for number in 0..3 {
            let (engine, document) = (&engine, document(number));
            scope.spawn(move || take_in(engine, document));
        }
        while embedder.asking.load(Ordering::SeqCst) == 0 {
            thread::sleep(Duration::from_millis(1));
        }
        let stopped = Cancel::default();
        stopped.cancel();
        assert!(engine.take_in(document(3), &stopped).is_err());
    });
    assert_eq!(embedder.most.load(Ordering::SeqCst), 1);
    assert_eq!(engine.library_documents(&[], 10, 0).unwrap().1, 3);
}
