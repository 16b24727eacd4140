//! mcpvectordb: the tools of `library` answer whatever they are given: with a result, or with an error that says what is wrong.

use serde_json::{Value, json};

use crate::client::Client;
use crate::mcpvectordb_world::{NOTES, ingest, world};
use crate::odd_arguments::{Odd, odd_calls};
use crate::world::World;

fn filled() -> World {
    let world = world();
    ingest(&mut world.client(), "zoo", "notes.md", NOTES);
    world
}

fn total(client: &mut Client) -> Value {
    client.call("list_documents", json!({}))["total"].clone()
}

/// The call is refused with an error that says this, and nothing has changed.
fn refused(client: &mut Client, tool: &str, arguments: Value, expected: &str) {
    let before = total(client);
    let error = client.fails(tool, arguments);
    assert!(error.contains(expected) && error.chars().count() < 400, "{error}");
    assert_eq!(total(client), before);
}

/// The call is answered, and nothing has changed.
fn answered(client: &mut Client, arguments: Value) -> Value {
    let before = total(client);
    let answer = client.call("search", arguments.clone());
    assert!(answer["results"].is_array(), "{arguments}: {answer}");
    assert_eq!(total(client), before);
    answer
}

// Numbers.

#[test]
fn mcpvectordb_top_k_outside_its_bounds_is_refused_with_the_bounds() {
    let world = filled();
    let mut client = world.client();
    for odd in [
        json!(-1),
        json!(0),
        json!(101),
        json!(1.5),
        json!("abc"),
        json!("-1"),
        json!("1.5"),
        json!(""),
        json!(true),
        json!([]),
        json!({}),
        json!(1_000_000_000.0),
        json!(9_007_199_254_740_992_u64),
        json!(9_223_372_036_854_775_808_u64),
        json!("99999999999999999999"),
        json!(1e300),
    ] {
        let arguments = json!({"query": "quokka", "top_k": odd});
        refused(&mut client, "search", arguments, "top_k must be a whole number from 1 to 100");
    }
}

#[test]
fn mcpvectordb_digits_in_quotes_are_a_number() {
    let world = filled();
    let mut client = world.client();
    let answer = answered(&mut client, json!({"query": "quokka", "top_k": "1"}));
    assert_eq!(answer["results"].as_array().unwrap().len(), 1);
    answered(&mut client, json!({"query": "quokka", "top_k": "10", "filter": {"page": "0"}}));
    assert_eq!(client.call("list_documents", json!({"limit": "1", "offset": "1"}))["count"], 1);
}

#[test]
fn mcpvectordb_limit_and_offset_outside_their_bounds_are_refused_with_the_bounds() {
    let world = filled();
    let mut client = world.client();
    for odd in [json!(0), json!(-1), json!(1001), json!(0.5), json!("x"), json!([]), json!(u64::MAX)] {
        refused(
            &mut client,
            "list_documents",
            json!({"limit": odd}),
            "limit must be a whole number from 1 to 1000",
        );
    }
    for odd in [json!(-1), json!(0.5), json!("x"), json!({})] {
        refused(
            &mut client,
            "list_documents",
            json!({"offset": odd}),
            "offset must be a whole number of 0 or more",
        );
    }
    let far = client.call("list_documents", json!({"offset": u64::MAX}));
    assert_eq!(far["count"], 0, "{far}");
    let odd = json!({"path": ".", "max_concurrency": 9});
    refused(&mut client, "ingest_folder", odd, "max_concurrency must be a whole number from 1 to 8");
}

// Filters.

#[test]
fn mcpvectordb_an_unknown_key_of_a_filter_is_refused_with_the_known_ones() {
    let world = filled();
    let mut client = world.client();
    let long = json!({"x".repeat(100_000): "x"});
    for filter in [
        json!({"source' OR '1'='1": "x"}),
        json!({"a\"b": 1}),
        json!({"$.a') OR 1=1 --": "x"}),
        json!({"__proto__": {"x": 1}}),
        json!({"": 1}),
        json!({"tags": [[[[[]]]]]}),
        json!({"metadata": {"author": "Ada"}}),
        json!({"metadata.": "x"}),
        json!({"content": "x"}),
        json!({"Page": 1}),
        long,
    ] {
        let arguments = json!({"query": "quokka", "filter": filter});
        refused(
            &mut client,
            "search",
            arguments.clone(),
            "doc_id, library, source, title, content_hash, created_at",
        );
        refused(&mut client, "search", arguments, "metadata.KEY");
    }
}

#[test]
fn mcpvectordb_a_value_that_cannot_be_compared_is_refused() {
    let world = filled();
    let mut client = world.client();
    let many: Vec<Value> = (0..100_000).map(|number| json!(number.to_string())).collect();
    for (filter, key) in [
        (json!({"source": {"$ne": null}}), "source"),
        (json!({"source": many}), "source"),
        (json!({"source": "a\u{0}b"}), "source"),
        (json!({"source": null}), "source"),
        (json!({"title": 7}), "title"),
        (json!({"library": 7}), "library"),
        (json!({"page": -1}), "page"),
        (json!({"page": 1.5}), "page"),
        (json!({"page": "x"}), "page"),
        (json!({"chunk_index": []}), "chunk_index"),
        (json!({"last_modified": "yesterday"}), "last_modified"),
        (json!({"created_at": 7}), "created_at"),
        (json!({"metadata.tags": ["a"]}), "metadata.tags"),
        (json!({"metadata.tags": {"a": 1}}), "metadata.tags"),
        (json!({"metadata.x": "a\u{0}b"}), "metadata.x"),
    ] {
        refused(&mut client, "search", json!({"query": "quokka", "filter": filter}), key);
    }
    let crowd: Value = (0..1000)
        .map(|number| (format!("metadata.{number}"), json!(1)))
        .collect::<serde_json::Map<_, _>>()
        .into();
    refused(&mut client, "search", json!({"query": "quokka", "filter": crowd}), "limit is 32");
}

#[test]
fn mcpvectordb_a_filter_that_is_no_object_is_refused() {
    let world = filled();
    let mut client = world.client();
    for odd in [json!("x"), json!(7), json!([]), json!(true), json!([{"source": "x"}])] {
        refused(&mut client, "search", json!({"query": "quokka", "filter": odd}), "filter must be an object");
    }
}

#[test]
fn mcpvectordb_values_of_a_filter_are_compared_and_never_understood() {
    let world = filled();
    let mut client = world.client();
    for text in ["x'; DELETE FROM chunks; --", "%", "_", "*", "notes.%", "NOTES.MD", "notes.md "] {
        let answer = answered(&mut client, json!({"query": "quokka", "filter": {"source": text}}));
        assert_eq!(answer["results"], json!([]), "{text}");
    }
    let answer = answered(&mut client, json!({"query": "quokka", "filter": {"source": "notes.md"}}));
    assert!(!answer["results"].as_array().unwrap().is_empty());
}

// Queries.

#[test]
fn mcpvectordb_a_query_is_words_and_never_a_language() {
    let world = filled();
    let mut client = world.client();
    for query in [
        "AND",
        "OR OR",
        "NOT x",
        "NEAR(a b, 999999999)",
        "title:x",
        "{a b}: c",
        "^x",
        "*",
        "**",
        "a*b*",
        "(((((",
        "a\" OR \"1",
        "' OR 1=1 --",
        "\") UNION SELECT name FROM sqlite_master --",
        "%",
        "_",
        "\\",
        "x\u{0}y",
        "\u{1F469}\u{200d}\u{1F469}\u{200d}\u{1F467}\u{200d}\u{1F466}",
        "\u{fdfa}",
        "\u{17f} K \u{130} \u{131}",
        "a:b:c",
        "a & b | !c <-> d",
        "<<<->>>",
        "{{7*7}}",
        "${jndi:ldap://127.0.0.1/a}",
        "null",
        "true",
        "NaN",
        "[object Object]",
    ] {
        answered(&mut client, json!({"query": query}));
    }
    let plain = answered(&mut client, json!({"query": "quokka sleeps"}));
    let quoted = answered(&mut client, json!({"query": "\"quokka\" AND (sleeps)*"}));
    assert_eq!(plain["results"][0]["chunk_id"], quoted["results"][0]["chunk_id"]);
}

#[test]
fn mcpvectordb_an_empty_or_endless_query_is_refused() {
    let world = filled();
    let mut client = world.client();
    refused(&mut client, "search", json!({"query": "   "}), "query is empty");
    refused(&mut client, "search", json!({"query": ""}), "query is empty");
    refused(&mut client, "search", json!({"query": null}), "query is required");
    refused(&mut client, "search", json!({}), "query is required");
    refused(&mut client, "search", json!({"query": 7}), "query must be a string");
    refused(&mut client, "search", json!({"query": "term ".repeat(200_000)}), "the limit is 4096");
}

// Deleting.

#[test]
fn mcpvectordb_an_id_is_compared_and_never_understood() {
    let world = filled();
    let mut client = world.client();
    let id = client.call("list_documents", json!({"library": "zoo"}))["documents"][0]["doc_id"].clone();
    let id = id.as_str().unwrap();
    refused(&mut client, "delete_document", json!({"doc_id": ""}), "doc_id is empty");
    refused(&mut client, "delete_document", json!({}), "doc_id is required");
    refused(&mut client, "delete_document", json!({"doc_id": {"filter": {}}}), "doc_id must be a string");
    refused(&mut client, "delete_document", json!({"doc_id": [id]}), "doc_id must be a string");
    refused(&mut client, "delete_document", json!({"filter": {}}), "no parameter `filter`");
    let long = "x".repeat(100_000);
    for odd in ["../x", "%", "_", "1 OR 1=1", "*", "\u{0}", &id[..8], &format!("{id}x"), &long] {
        refused(&mut client, "delete_document", json!({"doc_id": odd}), "No document with id");
        refused(&mut client, "get_document", json!({"doc_id": odd}), "No document with id");
    }
}

// Ingesting.

#[test]
fn mcpvectordb_names_of_libraries_are_plain() {
    let world = filled();
    let path = world.file("a.md", "# A\n");
    let mut client = world.client();
    let long = "x".repeat(65);
    for name in
        [".", "..", ".hidden", "-x", "a b", "a/b", "../x", "a@1", "a\u{0}b", "a\nb", "a\u{202e}b", &long]
    {
        refused(&mut client, "ingest_file", json!({"path": path, "library": name}), "library");
        refused(&mut client, "ingest_content", json!({"content": "x", "library": name}), "library");
        refused(&mut client, "ingest_folder", json!({"path": ".", "library": name}), "library");
    }
    refused(&mut client, "ingest_file", json!({"path": path, "library": ""}), "library is empty");
    refused(&mut client, "ingest_file", json!({"path": path, "library": "  "}), "library is empty");
}

#[test]
fn mcpvectordb_a_text_takes_the_place_of_no_file_and_no_page() {
    let world = filled();
    let path = world.file("a.md", "# A\n\nThe real file.\n");
    let mut client = world.client();
    client.call("ingest_file", json!({"path": path}));
    for name in [path.as_str(), &format!("  {path} "), "/nowhere.md", "C:\\a.md", "https://example.org/a"] {
        let arguments = json!({"content": "# Fake\n", "name": name});
        refused(&mut client, "ingest_content", arguments, "ingest_file or ingest_url");
    }
    let arguments = json!({"query": "real file", "library": "default"});
    assert_eq!(client.call("search", arguments)["results"][0]["content"], "# A\n\nThe real file.\n");
}

#[test]
fn mcpvectordb_files_outside_the_folder_are_refused_in_the_same_words_whether_they_exist() {
    let world = filled();
    let mut client = world.client();
    let outside = world.docs.join("guides/retries.md");
    let mut said = Vec::new();
    for path in [
        outside.to_str().unwrap(),
        "/nowhere/at/all.md",
        "/etc/passwd",
        "../docs/guides/retries.md",
        "../x.md",
    ] {
        let error = client.fails("ingest_file", json!({"path": path}));
        said.push(error.replace(path, "PATH"));
    }
    said.sort();
    said.dedup();
    assert_eq!(said.len(), 1, "{said:#?}");
}

#[test]
fn mcpvectordb_metadata_is_an_object_of_a_sensible_size() {
    let world = filled();
    let path = world.file("a.md", "# A\n");
    let mut client = world.client();
    for odd in [json!("x"), json!(7), json!([]), json!(true)] {
        refused(
            &mut client,
            "ingest_file",
            json!({"path": path, "metadata": odd}),
            "metadata must be an object",
        );
    }
    let long = json!({"path": path, "metadata": {"text": "x".repeat(20_000)}});
    refused(&mut client, "ingest_file", long, "metadata has 20");
}

#[test]
fn mcpvectordb_characters_that_are_not_seen_are_shown_as_marks_and_kept_in_texts() {
    let world = filled();
    let name = "a\u{202e}fdp.md";
    let text = format!("# Odd \u{202e}heading\n\n## {}\n\nThe numbat\u{2066} text.\n", "long ".repeat(80));
    let path = world.file(name, &text);
    let mut client = world.client();
    let receipt = client.call("ingest_file", json!({"path": path}));
    let shown = path.replace('\u{202e}', "\u{fffd}");
    assert_eq!((&receipt["status"], &receipt["source"]), (&json!("indexed"), &json!(shown)));
    let hit =
        answered(&mut client, json!({"query": "numbat", "filter": {"source": shown}}))["results"][0].clone();
    assert!(hit["content"].as_str().unwrap().contains("numbat\u{2066} text"), "{hit}");
    assert!(hit["heading_path"].as_str().unwrap().chars().count() <= 200, "{hit}");
    let mut rest = hit;
    rest["content"] = Value::Null;
    let listed = client.call("list_documents", json!({"library": "default"}));
    let error = client.fails("ingest_file", json!({"path": "no\u{202e}pe\u{1b}.md"}));
    for said in [rest.to_string(), listed.to_string(), receipt.to_string(), error] {
        assert!(!said.contains(['\u{202e}', '\u{2066}', '\u{1b}']), "{said}");
    }
    let read = client.call("get_document", json!({"doc_id": receipt["doc_id"]}));
    assert_eq!(read["content"], text);
}

#[test]
fn mcpvectordb_tools_answer_every_odd_argument() {
    let world = filled();
    let path = world.file("sound.md", "# Sound\n");
    let mut client = world.client();
    let id = client.call("list_documents", json!({"library": "zoo"}))["documents"][0]["doc_id"].clone();
    let sound = json!({
        "path": path, "url": "http://127.0.0.1:1/", "content": "# Sound\n", "query": "quokka", "doc_id": id,
    });
    for Odd { tool, shown, arguments, .. } in odd_calls(client.tools(), &sound) {
        // The answer fits the schema of the tool; `call` looks.
        let answer = client.call(&tool, arguments);
        if let Some(error) = answer.get("error") {
            let error = error.as_str().unwrap();
            assert!(!error.is_empty() && error.chars().count() < 600, "{shown}: {error}");
        }
    }
}
