//! What is related to a document: by all of it, by a passage, and without vectors.

use std::sync::Arc;

use docent_embed::HashEmbedder;
use docent_engine::{Cancel, Source, SourceRules};
use docent_engine::{
    ChunkOptions, Engine, EngineParts, ErrorKind, Freshness, RelatedAnswer, RelatedRequest, Silent,
};
use docent_store_embedded::{EmbeddedStore, OpenOptions};

use crate::world::{World, sync};

const BACKOFF: &str = "## Backoff\n\nThe wait doubles after each failed call.\n";

fn world() -> World {
    World::new(&[
        ("retries.md", &format!("# Retries\n\nA failed call is tried again.\n\n{BACKOFF}")),
        (
            "timeouts.md",
            "# Timeouts\n\nA call that takes too long is a failed call.\n\n## Wait\n\nThe wait ends.\n",
        ),
        ("copy.md", &format!("# Copy\n\nOther things.\n\n{BACKOFF}")),
        ("cheese.md", "# Cheese\n\nGouda and Edam are Dutch.\n"),
    ])
}

fn request(path: &str, change: impl FnOnce(&mut RelatedRequest)) -> RelatedRequest {
    let mut request = RelatedRequest::new("docs", path);
    change(&mut request);
    request
}

fn ids(answer: &RelatedAnswer) -> Vec<&str> {
    answer.related.iter().map(|hit| hit.chunk_id.as_str()).collect()
}

#[test]
fn a_document_is_related_to_others_by_its_centre_and_not_to_itself() {
    let world = world();
    let answer = world.synced().related(&request("./retries.md", |_| ())).unwrap();
    assert_eq!((answer.collection.as_str(), answer.path.as_str()), ("docs", "retries.md"));
    assert_eq!(answer.title, "Retries");
    assert_eq!(answer.related.len(), 5);
    assert_eq!(answer.related[0].chunk_id, "copy.md#copy/backoff");
    assert!(answer.related.iter().all(|hit| hit.metadata.file_path != "retries.md"));
    assert!(answer.related.iter().all(|hit| hit.similarity == Some(hit.score) || hit.score == 0.0));
    assert!(answer.related.is_sorted_by(|a, b| a.score >= b.score));
    assert!(answer.searched.degraded.is_empty() && answer.searched.vector.used);
}

#[test]
fn a_passage_finds_the_same_text_elsewhere_first() {
    let world = world();
    let answer = world.synced().related(&request("retries.md", |asked| asked.chunk = Some(BACKOFF.into())));
    assert_eq!(ids(&answer.unwrap())[0], "copy.md#copy/backoff");
}

#[test]
fn the_same_document_may_be_searched_without_the_passage_itself() {
    let world = world();
    let engine = world.synced();
    let asked = request("retries.md", |asked| {
        asked.chunk = Some(format!("\n{BACKOFF}\n"));
        asked.same_document = true;
        asked.limit = 50;
    });
    let answer = engine.related(&asked).unwrap();
    let ids = ids(&answer);
    assert!(!ids.contains(&"retries.md#retries/backoff") && ids.contains(&"copy.md#copy/backoff"), "{ids:?}");
    assert!(ids.contains(&"retries.md#retries"), "{ids:?}");
    let whole = engine.related(&request("retries.md", |asked| asked.same_document = true)).unwrap();
    assert_eq!(whole.related[0].metadata.file_path, "retries.md");
}

#[test]
fn limit_hits_come_back_although_the_source_is_nearest_to_itself() {
    let sections: String =
        (0..300).map(|i| format!("## Pod {i}\n\nA pod is a pod, number {i}.\n\n")).collect();
    let world = World::new(&[
        ("big.md", &format!("# Pod\n\n{sections}")),
        ("a.md", "# A\n\nOne\n"),
        ("b.md", "# B\n\nTwo\n"),
    ]);
    let engine = world.synced();
    assert_eq!(engine.related(&request("big.md", |_| ())).unwrap().related.len(), 2);
    let chunk = request("big.md", |asked| asked.chunk = Some("a pod is a pod".into()));
    assert_eq!(engine.related(&chunk).unwrap().related.len(), 2);
    let one = request("big.md", |asked| asked.limit = 1);
    assert_eq!(engine.related(&one).unwrap().related.len(), 1);
}

#[test]
fn a_document_that_is_not_there_is_not_found() {
    let world = world();
    let engine = world.synced();
    let missing = engine.related(&request("retry.md", |_| ())).unwrap_err();
    assert_eq!(missing.kind, ErrorKind::NotFound);
    let mut elsewhere = RelatedRequest::new("other", "retries.md");
    assert_eq!(engine.related(&elsewhere).unwrap_err().kind, ErrorKind::NotFound);
    elsewhere = request("retries.md", |asked| asked.chunk = Some(" \n".into()));
    assert_eq!(engine.related(&elsewhere).unwrap_err().kind, ErrorKind::Usage);
}

#[test]
fn very_long_passages_are_fine() {
    let world = world();
    let engine = world.synced();
    let long = "The wait doubles after each failed call. ä".repeat(5_000);
    let answer = engine.related(&request("retries.md", |asked| asked.chunk = Some(long))).unwrap();
    assert_eq!(ids(&answer)[0], "copy.md#copy/backoff");
}

#[test]
fn a_changed_source_is_read_again_first() {
    let world = world();
    let engine = world.engine(Freshness::Synced);
    sync(&engine);
    world.write("retries.md", "# Gouda\n\nGouda and Edam are Dutch cheese.\n");
    world.write("new.md", "# New\n\nNothing else.\n");
    let answer = engine.related(&request("retries.md", |_| ())).unwrap();
    assert_eq!((answer.title.as_str(), answer.stale), ("Gouda", false));
    // Its new passages have no vectors yet, so words decide, and the answer says so.
    assert_eq!(answer.related[0].metadata.file_path, "cheese.md");
    assert!(answer.searched.degraded.iter().any(|reason| reason.starts_with("words only:")), "{answer:?}");
    assert!(engine.related(&request("new.md", |_| ())).is_ok());
}

#[test]
fn collections_to_look_in_are_kept_to() {
    let world = world();
    let engine = world.synced();
    engine.put_texts("notes", [("n.md", None, "# Notes\n\nA failed call waits.\n")]).unwrap();
    engine.embed(None, &Silent, &Cancel::default()).unwrap();
    let asked = request("retries.md", |asked| asked.within = vec!["notes".into()]);
    let answer = engine.related(&asked).unwrap();
    assert_eq!(ids(&answer), ["n.md#notes"]);
    let back = RelatedRequest::new("notes", "n.md");
    let answer = engine.related(&back).unwrap();
    assert!(answer.related.iter().all(|hit| hit.metadata.collection == "docs"));
    let alone = RelatedRequest { within: vec!["notes".into()], ..back };
    let answer = engine.related(&alone).unwrap();
    assert!(answer.related.is_empty() && !answer.searched.degraded.is_empty());
}

/// An engine over `world` whose index has no vectors.
fn without_vectors(world: &World, embedder: Option<HashEmbedder>) -> Engine {
    let parts = EngineParts {
        expected: Vec::new(),
        aliases: Default::default(),
        store: Arc::new(EmbeddedStore::open(&world.index, OpenOptions::default()).unwrap()),
        embedder: embedder.map(|embedder| Arc::new(embedder) as _),
        embedder_problem: None,
        cache: None,
        sources: vec![Source::new("docs", &world.docs, &SourceRules::default()).unwrap()],
        chunking: ChunkOptions::default(),
        cookies: world.index.join("cookies"),
        library: None,
    };
    let engine = Engine::new(parts, Freshness::EachCall).unwrap();
    engine.sync(None, &Silent, &Cancel::default()).unwrap();
    engine
}

#[test]
fn without_vectors_words_decide_and_the_answer_says_so() {
    for embedder in [None, Some(HashEmbedder::default())] {
        let world = world();
        let engine = without_vectors(&world, embedder);
        for chunk in [None, Some(BACKOFF.to_owned())] {
            let answer = engine.related(&request("retries.md", |asked| asked.chunk = chunk)).unwrap();
            assert_eq!(ids(&answer)[0], "copy.md#copy/backoff");
            assert!(answer.related.iter().all(|hit| hit.metadata.file_path != "retries.md"));
            assert!(answer.searched.degraded.iter().any(|reason| reason.starts_with("words only:")));
        }
    }
}
