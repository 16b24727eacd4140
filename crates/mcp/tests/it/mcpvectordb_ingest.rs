//! mcpvectordb: `ingest_file`, `ingest_content` and `ingest_folder`: what is taken in, skipped, replaced and refused.

use serde_json::{Value, json};

use crate::client::Client;
use crate::mcpvectordb_world::{NOTES, assert_uuid, ingest, keys, results, world};
use crate::world::{fixture_bytes, wait_until};

fn listed(client: &mut Client) -> Vec<Value> {
    let answer = client.call("list_documents", json!({"limit": 1000}));
    answer["documents"].as_array().unwrap().clone()
}

fn content(client: &mut Client, id: &Value) -> String {
    client.call("get_document", json!({"doc_id": id}))["content"].as_str().unwrap().to_owned()
}

// ingest_file.

#[test]
fn mcpvectordb_a_file_is_indexed_and_found_by_the_next_call() {
    let world = world();
    let path = world.file("notes.md", NOTES);
    let mut client = world.client();
    let receipt = client.call("ingest_file", json!({"path": path}));
    assert_eq!(keys(&receipt), ["chunk_count", "doc_id", "library", "source", "status"]);
    assert_uuid(&receipt["doc_id"]);
    assert_eq!(
        (&receipt["status"], &receipt["source"], &receipt["library"], &receipt["chunk_count"]),
        (&json!("indexed"), &json!(path), &json!("default"), &json!(2))
    );
    let found = results(&mut client, json!({"query": "quokka"}));
    assert_eq!(found[0]["doc_id"], receipt["doc_id"]);
}

#[test]
fn mcpvectordb_a_relative_path_gives_the_absolute_source() {
    let world = world();
    let path = world.file("papers/notes.md", NOTES);
    let mut client = world.client();
    let receipt = client.call("ingest_file", json!({"path": "papers/notes.md", "library": "papers"}));
    assert_eq!((&receipt["source"], &receipt["library"]), (&json!(path), &json!("papers")));
    let again = client.call("ingest_file", json!({"path": path, "library": "papers"}));
    assert_eq!((&again["status"], &again["doc_id"]), (&json!("skipped"), &receipt["doc_id"]));
}

#[test]
fn mcpvectordb_the_same_content_is_skipped_with_the_true_chunk_count() {
    let world = world();
    let path = world.file("notes.md", NOTES);
    let mut client = world.client();
    let first = client.call("ingest_file", json!({"path": path}));
    let before = listed(&mut client);
    let again = client.call("ingest_file", json!({"path": path, "metadata": {"note": "again"}}));
    assert_eq!(again["status"], "skipped");
    assert_eq!((&again["doc_id"], &again["chunk_count"]), (&first["doc_id"], &json!(2)));
    assert_eq!(listed(&mut client), before, "something was written");
}

#[test]
fn mcpvectordb_other_content_replaces_and_keeps_the_id() {
    let world = world();
    let path = world.file("notes.md", NOTES);
    let mut client = world.client();
    let first = client.call("ingest_file", json!({"path": path}));
    world.file("notes.md", "# Field notes\n\nThe wombat digs.\n");
    let second = client.call("ingest_file", json!({"path": path}));
    assert_eq!((&second["status"], &second["doc_id"]), (&json!("replaced"), &first["doc_id"]));
    assert_eq!(second["chunk_count"], 1);
    assert_eq!(content(&mut client, &first["doc_id"]), "# Field notes\n\nThe wombat digs.\n");
    let of_the_document = json!({"query": "quokka", "filter": {"doc_id": first["doc_id"]}});
    let found = results(&mut client, of_the_document);
    assert!(found.iter().all(|hit| !hit["content"].as_str().unwrap().contains("quokka")), "{found:?}");
    assert_eq!(client.call("list_documents", json!({"library": "default"}))["total"], 1);
}

#[test]
fn mcpvectordb_the_same_file_in_two_libraries_is_two_documents() {
    let world = world();
    let path = world.file("notes.md", NOTES);
    let mut client = world.client();
    let one = client.call("ingest_file", json!({"path": path, "library": "one"}));
    let other = client.call("ingest_file", json!({"path": path, "library": "other"}));
    assert_eq!((&one["status"], &other["status"]), (&json!("indexed"), &json!("indexed")));
    assert_ne!(one["doc_id"], other["doc_id"]);
}

#[test]
fn mcpvectordb_a_replacement_that_cannot_be_converted_leaves_the_old_version() {
    let world = world();
    let path = world.file("handbook.docx", fixture_bytes("convert/handbook.docx"));
    let mut client = world.client();
    let first = client.call("ingest_file", json!({"path": path}));
    assert_eq!(first["status"], "indexed", "{first}");
    let before = content(&mut client, &first["doc_id"]);
    world.file("handbook.docx", b"PK\x03\x04 this is no document any more");
    client.fails("ingest_file", json!({"path": path}));
    assert_eq!(content(&mut client, &first["doc_id"]), before);
    world.file("handbook.docx", fixture_bytes("convert/handbook.docx"));
    assert_eq!(client.call("ingest_file", json!({"path": path}))["status"], "skipped");
}

#[test]
fn mcpvectordb_results_of_a_pdf_name_the_page() {
    let world = world();
    let path = world.file("report.pdf", fixture_bytes("convert-pdf/report.pdf"));
    let mut client = world.client();
    let receipt = client.call("ingest_file", json!({"path": path, "library": "papers"}));
    assert_eq!(receipt["status"], "indexed", "{receipt}");
    let check = |client: &mut Client, query: &str, page: u64| {
        let found = results(client, json!({"query": query, "library": "papers"}));
        assert_eq!((&found[0]["page"], &found[0]["file_type"]), (&json!(page), &json!("pdf")), "{query}");
    };
    check(&mut client, "limits of size, count and depth", 1);
    check(&mut client, "nothing more is known about the details", 2);
    check(&mut client, "the third page ends with this sentence", 3);
    for page in 1..=3 {
        let arguments = json!({"query": "page", "top_k": 100, "filter": {"file_type": "pdf", "page": page}});
        let found = results(&mut client, arguments);
        assert!(!found.is_empty() && found.iter().all(|hit| hit["page"] == page), "{found:?}");
    }
    assert_eq!(
        results(&mut client, json!({"query": "page", "filter": {"file_type": "pdf", "page": 4}})).len(),
        0
    );
}

#[test]
fn mcpvectordb_metadata_comes_back_as_it_was_given() {
    let world = world();
    let metadata =
        json!({"author": "Ada", "year": 1843, "draft": false, "tags": ["a", {"b": null}], "日本": 1.5});
    let path = world.file("notes.md", NOTES);
    let mut client = world.client();
    let id = client.call("ingest_file", json!({"path": path, "metadata": metadata}))["doc_id"].clone();
    assert_eq!(client.call("get_document", json!({"doc_id": id}))["metadata"], metadata);
    assert_eq!(results(&mut client, json!({"query": "quokka"}))[0]["metadata"], metadata);
    let document = listed(&mut client).into_iter().find(|it| it["doc_id"] == id).unwrap();
    assert_eq!(document["metadata"], metadata);
    let none = ingest(&mut client, "default", "other.md", "# Other\n");
    assert_eq!(client.call("get_document", json!({"doc_id": none["doc_id"]}))["metadata"], json!({}));
    let null = json!({"path": world.file("third.md", "# Third\n"), "library": null, "metadata": null});
    assert_eq!(client.call("ingest_file", null)["library"], "default");
}

#[test]
fn mcpvectordb_a_name_that_a_folder_has_is_refused() {
    let world = world();
    let path = world.file("notes.md", NOTES);
    let error = world.client().fails("ingest_file", json!({"path": path, "library": "docs"}));
    assert!(error.contains("`docs`") && error.contains("library"), "{error}");
}

// ingest_content.

#[test]
fn mcpvectordb_a_text_is_a_document_under_its_name() {
    let world = world();
    let mut client = world.client();
    let receipt = ingest(&mut client, "default", "field-notes.md", NOTES);
    assert_eq!((&receipt["status"], &receipt["source"]), (&json!("indexed"), &json!("field-notes.md")));
    assert_eq!(content(&mut client, &receipt["doc_id"]), NOTES);
    assert_eq!(ingest(&mut client, "default", "field-notes.md", NOTES)["status"], "skipped");
    let other = ingest(&mut client, "default", "field-notes.md", "# Other\n");
    assert_eq!((&other["status"], &other["doc_id"]), (&json!("replaced"), &receipt["doc_id"]));
}

#[test]
fn mcpvectordb_texts_without_a_name_never_take_each_others_place() {
    let world = world();
    let mut client = world.client();
    let one = client.call("ingest_content", json!({"content": "# Notes\n\none\n"}));
    let other = client.call("ingest_content", json!({"content": "# Notes\n\nother\n"}));
    assert_eq!((&one["status"], &other["status"]), (&json!("indexed"), &json!("indexed")));
    assert!(one["source"].as_str().unwrap().starts_with("notes-"), "{one}");
    assert_eq!(client.call("ingest_content", json!({"content": "# Notes\n\none\n"}))["status"], "skipped");
}

#[test]
fn mcpvectordb_a_texts_name_says_what_it_is() {
    let world = world();
    let mut client = world.client();
    let html =
        "<html><head><title>Page</title></head><body><h1>Quokkas</h1><p>They <b>sleep</b>.</p></body></html>";
    let receipt = ingest(&mut client, "default", "page.html", html);
    let text = content(&mut client, &receipt["doc_id"]);
    assert!(text.contains("# Quokkas") && text.contains("**sleep**") && !text.contains("<p>"), "{text}");
    assert_eq!(results(&mut client, json!({"query": "quokkas"}))[0]["file_type"], "html");
}

// ingest_folder.

#[test]
fn mcpvectordb_the_files_of_a_folder_are_taken_in_each_for_itself() {
    let world = world();
    world.file("papers/a.md", "# A\n\naardvark\n");
    world.file("papers/deep/b.txt", "bandicoot\n");
    let broken = world.file("papers/c.docx", "this is no document");
    let mut client = world.client();
    let report = client.call("ingest_folder", json!({"path": "papers", "library": "papers"}));
    assert_eq!(report["status"], "done", "{report}");
    assert_eq!(
        report["counts"],
        json!({"indexed": 2, "replaced": 0, "skipped": 0, "failed": 1}),
        "{report:#}"
    );
    let files = report["results"].as_array().unwrap();
    assert_eq!((&files[0]["source"], &files[0]["status"]), (&json!(broken), &json!("error")));
    assert!(!files[0]["error"].as_str().unwrap().is_empty() && files[0].get("doc_id").is_none());
    assert_eq!(files.len(), 3);
    assert_eq!(keys(&files[1]), ["chunk_count", "doc_id", "source", "status"]);
    assert_eq!(
        results(&mut client, json!({"query": "bandicoot", "library": "papers"}))[0]["doc_id"],
        files[2]["doc_id"]
    );
    world.file("papers/a.md", "# A\n\nanteater\n");
    let again = client.call("ingest_folder", json!({"path": "papers", "library": "papers"}));
    assert_eq!(again["counts"], json!({"indexed": 0, "replaced": 1, "skipped": 1, "failed": 1}), "{again:#}");
}

#[test]
fn mcpvectordb_include_picks_the_files_of_a_folder() {
    let world = world();
    world.file("papers/a.md", "# A\n");
    world.file("papers/b.txt", "b\n");
    let mut client = world.client();
    let report = client
        .call("ingest_folder", json!({"path": "papers", "include": ["**/*.txt"], "max_concurrency": 8}));
    assert_eq!(report["counts"]["indexed"], 1, "{report}");
    assert!(report["results"][0]["source"].as_str().unwrap().ends_with("b.txt"));
}

#[test]
fn mcpvectordb_a_folder_tells_its_progress_to_who_asked() {
    let world = world();
    for number in 0..120 {
        world.file(&format!("papers/{number}.md"), format!("# Page {number}\n\n{}\n", "words ".repeat(400)));
    }
    let mut client = world.client();
    let params = json!({
        "name": "ingest_folder", "arguments": {"path": "papers"}, "_meta": {"progressToken": "mine"},
    });
    let id = client.begin("tools/call", params);
    let answer = client.answer(&json!(id));
    assert_eq!(answer["result"]["structuredContent"]["counts"]["indexed"], 120, "{answer}");
    let mut last = 0.0;
    for notice in client.notices("notifications/progress") {
        assert_eq!(notice["params"]["progressToken"], "mine");
        let progress = notice["params"]["progress"].as_f64().unwrap();
        assert!(progress > last, "{notice}");
        last = progress;
        assert_eq!(notice["params"]["total"], 120.0, "{notice}");
    }
    assert!(last > 0.0, "nothing was told");
}

#[test]
fn mcpvectordb_documents_are_still_there_after_a_restart() {
    let world = world();
    let id = ingest(&mut world.client(), "default", "notes.md", NOTES)["doc_id"].clone();
    let world = world.restart(crate::mcpvectordb_world::setup());
    let mut client = world.client();
    assert_eq!(content(&mut client, &id), NOTES);
    wait_until("the document to be found", || !results(&mut client, json!({"query": "quokka"})).is_empty());
}
