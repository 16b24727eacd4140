//! A frozen copy of our own documentation, asked with the built-in model: we know what we wrote, so it has to be found.

use std::sync::{Arc, Mutex, Weak};

use serde_json::{Value, json};

use crate::anvil_search_docs::ids;
use crate::world::{Setup, Vectors, World, fixture, fixture_folder};

/// One world for all tests that run at the same time: embedding is the slow part.
fn world() -> Arc<World> {
    static SHARED: Mutex<Weak<World>> = Mutex::new(Weak::new());
    let mut shared = SHARED.lock().unwrap();
    if let Some(world) = shared.upgrade() {
        return world;
    }
    let files = fixture_folder("dogfood");
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let world = Arc::new(Setup { vectors: Vectors::MiniLm, ..Setup::new(&files) }.start());
    *shared = Arc::downgrade(&world);
    world
}

fn check(query: &str, expected: &str) {
    let answer = world().client().call("search_docs", json!({"query": query}));
    assert_eq!(ids(&answer)[0], expected, "{query}");
    assert_eq!(answer["searched"]["degraded"], json!([]));
}

#[test]
fn how_the_score_comes_about_is_found() {
    check("how is the hybrid score computed", "docs/guide/search.md#how-search-works/together");
    check("BM25 and cosine fused", "docs/guide/search.md#how-search-works/together");
}

#[test]
fn the_anatomy_of_ids_is_found() {
    check("section ids", "docs/guide/search.md#how-search-works/section-ids");
    check("filter by facet", "docs/guide/search.md#how-search-works/filters");
}

#[test]
fn the_architecture_is_found() {
    check("how are sections cut into chunks and passages", "ARCHITECTURE.md#architecture/data-both-ways");
    check("what may each crate not know", "ARCHITECTURE.md#architecture/what-each-crate-must-not-know");
}

#[test]
fn settings_are_found() {
    check("use Ollama for embeddings", "docs/guide/settings.md#settings/other-embedding-models");
    check("environment variables", "docs/guide/settings.md#settings/environment");
}

#[test]
fn questions_in_other_words_are_found() {
    check("how does a search never return stale results", "docs/guide/freshness.md#how-answers-stay-fresh");
    check(
        "bad documents trying to instruct the agent",
        "docs/guide/agents.md#agents/what-documents-cannot-do",
    );
    check("recall and nDCG on judged queries", "docs/dev/evaluation.md#how-good-the-answers-are");
}

#[test]
fn names_of_tools_fields_and_clients_are_found() {
    check("get_section heading_path exact", "docs/reference/tools.md#tools/toolset-docs/getsection");
    check("fields of docent status --json", "docs/reference/json.md#json-output/docent-status");
    check("Zed settings", "docs/guide/install.md#install-docent-into-an-agent/by-hand/zed");
}

#[test]
fn a_page_comes_back_complete_and_in_order() {
    let page = world().client().call("get_page", json!({"file_path": "ARCHITECTURE.md"}));
    let chunks = page["chunks"].as_array().unwrap();
    let headings: Vec<&Value> = chunks.iter().map(|chunk| &chunk["heading_path"]).collect();
    assert_eq!(
        headings,
        [
            "Architecture",
            "Architecture > What each crate must not know",
            "Architecture > Data, both ways",
            "Architecture > Decisions",
        ]
    );
    let content: String = chunks.iter().map(|chunk| chunk["content"].as_str().unwrap()).collect();
    assert_eq!(content, fixture("dogfood/ARCHITECTURE.md"));
}

#[test]
fn an_exact_section_comes_back() {
    let arguments =
        json!({"file_path": "docs/guide/search.md", "heading_path": "How search works > Filters"});
    let section = world().client().call("get_section", arguments);
    let content = section["content"].as_str().unwrap();
    assert!(content.starts_with("## Filters\n") && content.contains("`--facet key=value`"), "{content}");
    assert!(!content.contains("## Section ids"), "{content}");
}

#[test]
fn every_page_is_listed_with_title_and_chunk_count() {
    let list = world().client().call("list_pages", json!({}));
    let pages: Vec<(&str, &str, u64)> = list["pages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|page| {
            let text = |name: &str| page[name].as_str().unwrap();
            (text("file_path"), text("title"), page["chunk_count"].as_u64().unwrap())
        })
        .collect();
    assert_eq!(pages.len(), 11);
    assert!(pages.contains(&("ARCHITECTURE.md", "Architecture", 4)), "{pages:?}");
    assert!(pages.contains(&("docs/guide/search.md", "How search works", 6)), "{pages:?}");
    assert!(pages.contains(&("docs/reference/tools.md", "Tools", 8)), "{pages:?}");
}

#[test]
fn the_status_counts_it_all() {
    let world = world();
    let mut client = world.client();
    let status = client.call("get_status", json!({}));
    let list = client.call("list_pages", json!({}));
    let chunks: u64 =
        list["pages"].as_array().unwrap().iter().map(|page| page["chunk_count"].as_u64().unwrap()).sum();
    assert_eq!(
        (&status["index"]["total_pages"], &status["index"]["total_chunks"]),
        (&json!(11), &json!(chunks))
    );
    assert_eq!(status["embedding"]["model"], "all-MiniLM-L6-v2");
    assert_eq!((&status["embedding"]["pending"], &status["degraded"]), (&json!(0), &json!([])));
}
