//! mcpvectordb: `search`: its results, its limits and its filters.

use docent_engine::Card;
use serde_json::{Value, json};

use crate::client::Client;
use crate::mcpvectordb_world::{NOTES, assert_time, assert_uuid, ingest, keys, results, world};
use crate::world::World;

/// Two libraries beside the folder; `wallaby` is in every one of their documents.
fn filled() -> World {
    let world = world();
    let mut client = world.client();
    let say = |name: &str, library: &str, metadata: Value| {
        let content = format!("# Page {name}\n\nThe wallaby of {name}.\n\n## More\n\nMore of the wallaby.\n");
        json!({"content": content, "name": name, "library": library, "metadata": metadata})
    };
    for arguments in [
        say("a.md", "zoo", json!({"author": "Ada", "year": 1843, "draft": false, "none": null})),
        say("b.md", "zoo", json!({"author": "Bob", "year": 2025, "draft": true, "tags": ["loud", "shy"]})),
        say("c.txt", "park", json!({"author": "Ada"})),
    ] {
        assert_eq!(client.call("ingest_content", arguments)["status"], "indexed");
    }
    world
}

fn sources(client: &mut Client, arguments: Value) -> Vec<String> {
    let mut sources: Vec<String> =
        results(client, arguments).iter().map(|hit| hit["source"].as_str().unwrap().to_owned()).collect();
    sources.sort_unstable();
    sources.dedup();
    sources
}

/// What a filter lets through of a search for a word that every document has.
fn check(client: &mut Client, filter: Value, expected: &[&str]) {
    let arguments = json!({"query": "wallaby", "top_k": 100, "filter": filter});
    let found: Vec<String> =
        sources(client, arguments).into_iter().filter(|it| it != "guides/retries.md").collect();
    assert_eq!(found, expected, "{filter}");
}

#[test]
fn mcpvectordb_a_result_has_the_fields_of_the_specification_and_where_to_cite() {
    let world = world();
    let mut client = world.client();
    let receipt = ingest(&mut client, "zoo", "notes.md", NOTES);
    let hit = &results(&mut client, json!({"query": "quokka sleeps by day"}))[0];
    let wanted = [
        "chunk_id",
        "chunk_index",
        "content",
        "content_hash",
        "doc_id",
        "end_line",
        "file_type",
        "heading_path",
        "last_modified",
        "library",
        "metadata",
        "page",
        "score",
        "source",
        "start_line",
        "title",
    ];
    assert_eq!(keys(hit), wanted);
    assert_uuid(&hit["doc_id"]);
    assert_time(&hit["last_modified"]);
    assert_eq!(hit["doc_id"], receipt["doc_id"]);
    assert_eq!((&hit["source"], &hit["library"]), (&json!("notes.md"), &json!("zoo")));
    assert_eq!((&hit["title"], &hit["file_type"]), (&json!("Field notes"), &json!("md")));
    assert_eq!((&hit["page"], &hit["chunk_index"], &hit["metadata"]), (&json!(0), &json!(0), &json!({})));
    assert_eq!((&hit["start_line"], &hit["end_line"]), (&json!(1), &json!(5)));
    let content = hit["content"].as_str().unwrap();
    assert!(NOTES.contains(content) && content.contains("quokka"), "{content}");
    assert_eq!(hit["content_hash"].as_str().unwrap().len(), 64);
}

#[test]
fn mcpvectordb_results_are_sorted_by_relevance() {
    let world = filled();
    let found = results(&mut world.client(), json!({"query": "wallaby of b.md", "top_k": 100}));
    let scores: Vec<f64> = found.iter().map(|hit| hit["score"].as_f64().unwrap()).collect();
    assert!(scores.is_sorted_by(|one, other| one >= other) && scores.len() > 4, "{scores:?}");
    assert!(scores.iter().all(|score| (0.0..=1.0).contains(score)), "{scores:?}");
    assert_eq!(found[0]["source"], "b.md");
}

#[test]
fn mcpvectordb_five_results_by_default_and_as_many_as_top_k_says() {
    let world = world();
    let mut client = world.client();
    let text: String = (0..120).map(|number| format!("## Part {number}\n\nA wallaby again.\n\n")).collect();
    ingest(&mut client, "zoo", "long.md", &text);
    let mut count = |arguments: Value| results(&mut client, arguments).len();
    assert_eq!(count(json!({"query": "wallaby"})), 5);
    assert_eq!(count(json!({"query": "wallaby", "top_k": null})), 5);
    assert_eq!(count(json!({"query": "wallaby", "top_k": 1})), 1);
    assert_eq!(count(json!({"query": "wallaby", "top_k": 100})), 100);
}

#[test]
fn mcpvectordb_a_search_covers_all_libraries_or_the_one_that_is_named() {
    let world = filled();
    let mut client = world.client();
    let all = json!({"query": "wallaby backoff", "top_k": 100, "library": null, "filter": null});
    assert_eq!(sources(&mut client, all), ["a.md", "b.md", "c.txt", "guides/retries.md"]);
    let zoo = json!({"query": "wallaby", "top_k": 100, "library": "zoo"});
    assert_eq!(sources(&mut client, zoo), ["a.md", "b.md"]);
    let docs = json!({"query": "wallaby backoff", "library": "docs"});
    assert_eq!(sources(&mut client, docs), ["guides/retries.md"]);
}

#[test]
fn mcpvectordb_an_unknown_library_finds_nothing_and_names_the_known_ones() {
    let world = filled();
    let mut client = world.client();
    for arguments in [
        json!({"query": "wallaby", "library": "zoos"}),
        json!({"query": "wallaby", "filter": {"library": "zoos"}}),
    ] {
        let answer = client.call("search", arguments);
        assert_eq!(answer["results"], json!([]));
        let hint = answer["hint"].as_str().unwrap();
        assert!(hint.contains("`zoos`") && hint.contains("docs, park, zoo"), "{hint}");
    }
}

#[test]
fn mcpvectordb_library_and_filter_library_must_both_hold() {
    let world = filled();
    let mut client = world.client();
    let both =
        |one: &str, other: &str| json!({"query": "wallaby", "library": one, "filter": {"library": other}});
    assert_eq!(sources(&mut client, both("zoo", "zoo")), ["a.md", "b.md"]);
    let answer = client.call("search", both("zoo", "park"));
    assert_eq!(answer["results"], json!([]));
    assert!(answer["hint"].as_str().unwrap().contains("different libraries"), "{answer}");
}

#[test]
fn mcpvectordb_every_field_can_be_filtered_by() {
    let world = filled();
    let mut client = world.client();
    let hit = results(&mut client, json!({"query": "wallaby of b.md"}))[0].clone();
    let listed = client.call("list_documents", json!({"library": "zoo"}))["documents"].clone();
    let b = listed.as_array().unwrap().iter().find(|it| it["source"] == "b.md").unwrap().clone();
    check(&mut client, json!({"doc_id": hit["doc_id"]}), &["b.md"]);
    check(&mut client, json!({"library": "park"}), &["c.txt"]);
    check(&mut client, json!({"source": "a.md"}), &["a.md"]);
    check(&mut client, json!({"title": "Page b.md"}), &["b.md"]);
    check(&mut client, json!({"content_hash": b["content_hash"]}), &["b.md"]);
    check(&mut client, json!({"created_at": b["created_at"], "source": "b.md"}), &["b.md"]);
    check(&mut client, json!({"last_modified": hit["last_modified"], "source": "b.md"}), &["b.md"]);
    check(&mut client, json!({"last_modified": "2001-01-01T00:00:00+00:00"}), &[]);
    check(&mut client, json!({"file_type": "txt"}), &["c.txt"]);
    check(&mut client, json!({"file_type": "Markdown"}), &["a.md", "b.md"]);
    check(&mut client, json!({"page": 0}), &["a.md", "b.md", "c.txt"]);
    check(&mut client, json!({"page": 1}), &[]);
    let second =
        results(&mut client, json!({"query": "wallaby", "top_k": 100, "filter": {"chunk_index": 1}}));
    assert!(second.len() >= 2 && second.iter().all(|hit| hit["chunk_index"] == 1), "{second:?}");
}

#[test]
fn mcpvectordb_metadata_can_be_filtered_by() {
    let world = filled();
    let mut client = world.client();
    check(&mut client, json!({"metadata.author": "Ada"}), &["a.md", "c.txt"]);
    check(&mut client, json!({"metadata.year": 1843}), &["a.md"]);
    check(&mut client, json!({"metadata.year": "1843"}), &["a.md"]);
    check(&mut client, json!({"metadata.year": "184"}), &[]);
    check(&mut client, json!({"metadata.tags": "shy"}), &["b.md"]);
    check(&mut client, json!({"metadata.draft": true}), &["b.md"]);
    check(&mut client, json!({"metadata.none": null}), &["a.md"]);
    check(&mut client, json!({"metadata.nowhere": "x"}), &[]);
}

#[test]
fn mcpvectordb_all_conditions_of_a_filter_must_hold() {
    let world = filled();
    let mut client = world.client();
    check(&mut client, json!({"metadata.author": "Ada", "library": "zoo"}), &["a.md"]);
    check(&mut client, json!({"metadata.author": "Bob", "source": "a.md"}), &[]);
    check(&mut client, json!({}), &["a.md", "b.md", "c.txt"]);
}

#[test]
fn mcpvectordb_a_narrow_filter_returns_every_hit_there_is() {
    let world = world();
    let mut client = world.client();
    for number in 0..150 {
        let text = format!("# Page\n\nwallaby wallaby wallaby {number}\n");
        ingest(&mut client, "zoo", &format!("{number}.md"), &text);
    }
    ingest(
        &mut client,
        "zoo",
        "last.md",
        "# Far off\n\nOnce, a wallaby was mentioned among many other words.\n",
    );
    let found =
        results(&mut client, json!({"query": "wallaby", "top_k": 3, "filter": {"source": "last.md"}}));
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn mcpvectordb_nothing_found_says_what_to_try_and_what_was_searched() {
    let world = filled();
    let answer =
        world.client().call("search", json!({"query": "wallaby", "filter": {"source": "nowhere.md"}}));
    assert_eq!(answer["results"], json!([]));
    assert!(!answer["hint"].as_str().unwrap().is_empty());
    assert!(answer["searched"]["collections"].is_array(), "{answer}");
}

#[test]
fn mcpvectordb_a_fetched_collection_and_a_folder_are_searched_too() {
    let world = world();
    world.fetch("vue@3", Card::default(), &[("signals.md", "# Signals\n\nA signal holds a numbat.\n")]);
    let hit = results(&mut world.client(), json!({"query": "numbat"}))[0].clone();
    assert_eq!((&hit["library"], &hit["source"]), (&json!("vue@3"), &json!("signals.md")));
    assert_eq!(hit["content_hash"].as_str().unwrap().len(), 64, "{hit}");
    assert_uuid(&hit["doc_id"]);
    let filter = json!({"content_hash": hit["content_hash"]});
    let again = results(&mut world.client(), json!({"query": "numbat", "filter": filter}));
    assert_eq!(again[0]["doc_id"], hit["doc_id"]);
}

#[test]
fn mcpvectordb_a_long_answer_is_cut_and_goes_on() {
    let world = world();
    let mut client = world.client();
    for number in 0..8 {
        let text = format!("# Page {number}\n\n{}\n", "The wallaby jumps far. ".repeat(60));
        ingest(&mut client, "zoo", &format!("{number}.md"), &text);
    }
    let mut arguments = json!({"query": "wallaby", "library": "zoo", "top_k": 8, "max_chars": 4_000});
    let mut found = Vec::new();
    loop {
        let text = client.call_for_text("search", arguments.clone());
        assert!(text.chars().count() <= 4_000, "{}", text.len());
        let answer: Value = serde_json::from_str(&text).unwrap();
        found.extend(answer["results"].as_array().unwrap().iter().map(|hit| hit["source"].clone()));
        let Some(cursor) = answer.get("cursor") else { break };
        assert_eq!(answer["truncated"], true);
        arguments["cursor"] = cursor.clone();
    }
    found.dedup();
    assert_eq!(found.len(), 8, "{found:?}");
}

#[test]
fn mcpvectordb_the_other_search_tools_find_library_documents_and_name_the_page() {
    let mut setup = crate::mcpvectordb_world::setup();
    setup.options.choice.toolsets = vec!["all".to_owned()];
    let world = setup.start();
    let path = world.file("report.pdf", crate::world::fixture_bytes("convert-pdf/report.pdf"));
    let mut client = world.client();
    client.call("ingest_file", json!({"path": path, "library": "papers"}));
    let query = "nothing more is known about the details";
    let hit = client.call("search_docs", json!({"query": query}))["results"][0].clone();
    assert_eq!((&hit["metadata"]["file_path"], &hit["metadata"]["page"]), (&json!(path), &json!(2)));
    let chunk =
        client.call("get_doc", json!({"chunk_id": hit["chunk_id"], "collection": "papers", "context": 1}));
    assert_eq!(chunk["metadata"]["page"], 2, "{chunk:#}");
    let hit = client.call("documents_search", json!({"query": query}))["results"][0].clone();
    assert_eq!((&hit["documentId"], &hit["page"]), (&json!(path), &json!(2)));
    let page = client.call("search_docs", json!({"query": "backoff"}))["results"][0].clone();
    assert_eq!(page["metadata"].get("page"), None, "{page}");
}
