//! mcpvectordb: `list_documents`, `list_libraries`, `get_document` and `delete_document`.

use docent_engine::Card;
use serde_json::{Value, json};

use crate::client::Client;
use crate::mcpvectordb_world::{NOTES, assert_time, assert_uuid, ingest, keys, results, world};
use crate::world::fixture_bytes;

/// Of [`NOTES`].
const SHA256: &str = "4036c5d5fc1ae2e6e2e5597fc6c17e30992409f064eba1eca1448c7ea2067286";

fn names(answer: &Value) -> Vec<&str> {
    answer["documents"].as_array().unwrap().iter().map(|it| it["source"].as_str().unwrap()).collect()
}

fn libraries(client: &mut Client) -> Vec<Value> {
    client.call("list_libraries", json!({}))["libraries"].as_array().unwrap().clone()
}

// list_documents.

#[test]
fn mcpvectordb_documents_are_listed_with_the_fields_of_the_specification() {
    let world = world();
    let path = world.file("notes.md", NOTES);
    let mut client = world.client();
    let receipt = client.call("ingest_file", json!({"path": path, "metadata": {"author": "Ada"}}));
    let answer = client.call("list_documents", json!({"library": "default"}));
    assert_eq!((&answer["count"], &answer["total"]), (&json!(1), &json!(1)));
    let document = &answer["documents"][0];
    let wanted = [
        "chunk_count",
        "content_hash",
        "created_at",
        "doc_id",
        "file_type",
        "last_modified",
        "library",
        "metadata",
        "source",
        "title",
        "writable",
    ];
    assert_eq!(keys(document), wanted);
    assert_uuid(&document["doc_id"]);
    assert_time(&document["created_at"]);
    assert_time(&document["last_modified"]);
    assert_eq!(document["doc_id"], receipt["doc_id"]);
    assert_eq!((&document["source"], &document["title"]), (&json!(path), &json!("Field notes")));
    assert_eq!((&document["library"], &document["chunk_count"]), (&json!("default"), &json!(2)));
    assert_eq!(document["metadata"], json!({"author": "Ada"}));
    assert_eq!(document["content_hash"], SHA256);
}

#[test]
fn mcpvectordb_documents_of_all_libraries_come_in_pages() {
    let world = world();
    let mut client = world.client();
    for number in 0..25 {
        ingest(&mut client, if number % 2 == 0 { "even" } else { "odd" }, &format!("{number}.md"), "# A\n");
    }
    let first = client.call("list_documents", json!({}));
    assert_eq!((&first["count"], &first["total"]), (&json!(20), &json!(26)));
    let rest = client.call("list_documents", json!({"library": null, "offset": 20}));
    assert_eq!(rest["count"], 6);
    let mut all = [names(&first), names(&rest)].concat();
    assert!(all.contains(&"guides/retries.md"), "{all:?}");
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 26);
    assert_eq!(client.call("list_documents", json!({"library": "odd", "limit": 1000}))["count"], 12);
    let beyond = client.call("list_documents", json!({"offset": 1_000_000}));
    assert_eq!((&beyond["count"], &beyond["total"]), (&json!(0), &json!(26)));
}

#[test]
fn mcpvectordb_documents_of_an_unknown_library_are_none_and_the_known_ones_are_named() {
    let answer = world().client().call("list_documents", json!({"library": "zoo"}));
    assert_eq!((&answer["documents"], &answer["count"]), (&json!([]), &json!(0)));
    assert!(answer["hint"].as_str().unwrap().contains("docs"), "{answer}");
}

// list_libraries.

#[test]
fn mcpvectordb_libraries_are_listed_with_their_counts() {
    let world = world();
    world.fetch("vue@3", Card::default(), &[("a.md", "# A\n")]);
    let mut client = world.client();
    ingest(&mut client, "zoo", "notes.md", NOTES);
    ingest(&mut client, "zoo", "other.md", "# Other\n");
    let expected = json!([
        {"library": "docs", "document_count": 1, "chunk_count": 2, "writable": false},
        {"library": "vue@3", "document_count": 1, "chunk_count": 1, "writable": false},
        {"library": "zoo", "document_count": 2, "chunk_count": 3, "writable": true},
    ]);
    assert_eq!(json!(libraries(&mut client)), expected);
}

// get_document.

#[test]
fn mcpvectordb_a_document_comes_back_byte_for_byte() {
    let world = world();
    let mut client = world.client();
    let long = format!("{NOTES}\n{}", "A long line of many words.\n".repeat(10_000));
    for text in [
        NOTES,
        "one line\n",
        "tabs\tand  spaces  \n\n\n\nand lines\n",
        "e\u{301} \u{200b}日本 \\ \" ' &amp;\n",
        &long,
    ] {
        let id = ingest(&mut client, "default", "notes.md", text)["doc_id"].clone();
        let document = client.call("get_document", json!({"doc_id": id}));
        assert_eq!(document["content"].as_str().unwrap(), text);
        assert_eq!(document.get("truncated"), None);
    }
}

#[test]
fn mcpvectordb_the_lines_of_a_result_are_those_of_the_document() {
    let world = world();
    let path = world.file("report.pdf", fixture_bytes("convert-pdf/report.pdf"));
    let mut client = world.client();
    let id = client.call("ingest_file", json!({"path": path}))["doc_id"].clone();
    let document = client.call("get_document", json!({"doc_id": id}))["content"].as_str().unwrap().to_owned();
    let lines: Vec<&str> = document.lines().collect();
    let found = results(&mut client, json!({"query": "page", "top_k": 100, "filter": {"doc_id": id}}));
    assert!(found.len() > 3, "{found:?}");
    for hit in &found {
        let line = |name: &str| usize::try_from(hit[name].as_u64().unwrap()).unwrap();
        let cited = lines[line("start_line") - 1..line("end_line")].join("\n");
        assert_eq!(cited.trim_end(), hit["content"].as_str().unwrap().trim_end(), "{hit}");
    }
    let mut order = found.clone();
    order.sort_by_key(|hit| hit["chunk_index"].as_u64());
    assert!(order.iter().map(|hit| hit["page"].as_u64()).is_sorted(), "{order:?}");
    let count = client.call("get_document", json!({"doc_id": id}))["chunk_count"].clone();
    assert_eq!(json!(found.len()), count);
}

#[test]
fn mcpvectordb_a_document_has_the_fields_of_the_specification() {
    let world = world();
    let mut client = world.client();
    let receipt = ingest(&mut client, "default", "notes.md", NOTES);
    let document = client.call("get_document", json!({"doc_id": receipt["doc_id"]}));
    for (field, value) in [
        ("doc_id", receipt["doc_id"].clone()),
        ("source", json!("notes.md")),
        ("title", json!("Field notes")),
        ("library", json!("default")),
        ("content", json!(NOTES)),
        ("chunk_count", json!(2)),
        ("metadata", json!({})),
        ("start_line", json!(1)),
        ("end_line", json!(8)),
    ] {
        assert_eq!(document[field], value, "{field}");
    }
}

#[test]
fn mcpvectordb_a_document_is_cut_where_max_chars_is_given_and_goes_on() {
    let world = world();
    let mut client = world.client();
    let text = "A line of words to be read in parts.\n".repeat(500);
    let id = ingest(&mut client, "default", "long.md", &text)["doc_id"].clone();
    let mut arguments = json!({"doc_id": id, "max_chars": 3_000});
    let mut read = String::new();
    for _ in 0..20 {
        let part = client.call("get_document", arguments.clone());
        read.push_str(part["content"].as_str().unwrap());
        let Some(cursor) = part.get("cursor") else { break };
        assert_eq!(part["truncated"], true);
        arguments["cursor"] = cursor.clone();
    }
    assert!(read == text, "{} of {} bytes", read.len(), text.len());
}

#[test]
fn mcpvectordb_a_page_of_the_folder_is_a_document_too() {
    let world = world();
    let mut client = world.client();
    let id = results(&mut client, json!({"query": "backoff"}))[0]["doc_id"].clone();
    let document = client.call("get_document", json!({"doc_id": id}));
    assert_eq!(document["content"].as_str().unwrap(), world.text("guides/retries.md"));
    assert_eq!((&document["library"], &document["metadata"]), (&json!("docs"), &json!({})));
}

// delete_document.

#[test]
fn mcpvectordb_a_deleted_document_is_gone() {
    let world = world();
    let mut client = world.client();
    let id = ingest(&mut client, "default", "notes.md", NOTES)["doc_id"].clone();
    ingest(&mut client, "default", "other.md", "# Other\n\nwombat\n");
    let answer = client.call("delete_document", json!({"doc_id": id}));
    assert_eq!(answer, json!({"status": "deleted", "doc_id": id, "deleted_chunks": 2}));
    let found = results(&mut client, json!({"query": "quokka", "top_k": 100}));
    assert!(found.iter().all(|hit| hit["doc_id"] != id), "{found:?}");
    assert_eq!(names(&client.call("list_documents", json!({"library": "default"}))), ["other.md"]);
    let error = client.fails("get_document", json!({"doc_id": id}));
    assert!(error.starts_with(&format!("No document with id {}", id.as_str().unwrap())), "{error}");
    assert_eq!(ingest(&mut client, "default", "notes.md", NOTES)["status"], "indexed");
}

#[test]
fn mcpvectordb_deleting_twice_says_that_there_is_no_such_document() {
    let world = world();
    let mut client = world.client();
    let id = ingest(&mut client, "default", "notes.md", NOTES)["doc_id"].clone();
    client.call("delete_document", json!({"doc_id": id}));
    let error = client.fails("delete_document", json!({"doc_id": id}));
    assert!(error.starts_with("No document with id"), "{error}");
}

#[test]
fn mcpvectordb_what_was_not_taken_in_is_not_deleted() {
    let world = world();
    world.fetch("vue@3", Card::default(), &[("a.md", "# A\n")]);
    let mut client = world.client();
    let documents = client.call("list_documents", json!({}))["documents"].clone();
    assert_eq!(documents.as_array().unwrap().len(), 2);
    for document in documents.as_array().unwrap() {
        let error = client.fails("delete_document", json!({"doc_id": document["doc_id"]}));
        assert!(!error.starts_with("No document"), "{error}");
        assert!(error.contains(". "), "it does not say what to do instead: {error}");
    }
    assert_eq!(client.call("list_documents", json!({}))["total"], 2);
}

#[test]
fn mcpvectordb_a_library_without_documents_is_empty_and_can_be_filled_again() {
    let world = world();
    let mut client = world.client();
    let id = ingest(&mut client, "zoo", "notes.md", NOTES)["doc_id"].clone();
    client.call("delete_document", json!({"doc_id": id}));
    let zoo = libraries(&mut client).into_iter().find(|it| it["library"] == "zoo");
    assert!(zoo.is_none_or(|zoo| zoo["document_count"] == 0 && zoo["chunk_count"] == 0));
    assert_eq!(ingest(&mut client, "zoo", "notes.md", NOTES)["status"], "indexed");
}
