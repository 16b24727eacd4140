//! The tool surface of docs-mcp: chunk ids, `get_doc`, stateless cursors, guided discovery.

use docent_mcp::Scope;
use serde_json::{Value, json};

use crate::anvil_search_docs::ids;
use crate::callers::as_caller;
use crate::client::Client;
use crate::world::{Setup, World, fixture};

// Chunk ids.

fn chunk_ids(path: &str, text: &str) -> Vec<String> {
    let world = World::new(&[(path, text)]);
    let page = world.client().call("get_page", json!({"file_path": path}));
    let chunks = page["chunks"].as_array().unwrap();
    chunks.iter().map(|chunk| chunk["chunk_id"].as_str().unwrap().to_owned()).collect()
}

fn check_ids(path: &str, text: &str, expected: &[&str]) {
    assert_eq!(chunk_ids(path, text), expected, "{text}");
}

#[test]
fn a_file_without_headings_has_its_path_as_id() {
    check_ids("models/user.md", "Only text.\n", &["models/user.md"]);
}

#[test]
fn the_text_before_the_first_heading_is_the_preamble() {
    check_ids("a.md", "text\n\n# A\n\nx\n", &["a.md#_preamble", "a.md#a"]);
}

#[test]
fn headings_and_nested_headings_are_slugs() {
    check_ids(
        "sdks/auth.md",
        "## Authentication\n\nx\n\n### Get Token\n\nx\n\n## Backoff Strategy\n\nx\n",
        &[
            "sdks/auth.md#authentication",
            "sdks/auth.md#authentication/get-token",
            "sdks/auth.md#backoff-strategy",
        ],
    );
}

#[test]
fn duplicate_headings_are_numbered_inside_their_parent() {
    check_ids(
        "a.md",
        "# A\n\n## Examples\n\n1\n\n## Examples\n\n2\n\n## Examples\n\n3\n\n# B\n\n## Examples\n\n4\n",
        &["a.md#a", "a.md#a/examples", "a.md#a/examples-2", "a.md#a/examples-3", "a.md#b", "a.md#b/examples"],
    );
}

#[test]
fn slugs_follow_the_algorithm() {
    let cases = [
        ("Lower CASE", "lower-case"),
        ("What's new in v1.2?", "whats-new-in-v12"),
        ("a  --  b", "a-b"),
        ("_preamble", "preamble"),
        ("snake_case & more", "snakecase-more"),
        ("日本語", "日本語"),
        ("Привет", "привет"),
    ];
    let text: String = cases.iter().map(|(heading, _)| format!("# {heading}\n\nx\n\n")).collect();
    let expected: Vec<String> = cases.iter().map(|(_, slug)| format!("a.md#{slug}")).collect();
    assert_eq!(chunk_ids("a.md", &text), expected);
}

#[test]
fn ids_are_the_same_in_every_index() {
    let text = fixture("docs-tools/nested-headings.md");
    let first = chunk_ids("nested.md", &text);
    assert_eq!(first, chunk_ids("nested.md", &text));
    assert_eq!(first[5], "nested.md#observatory/dome/drive/gearbox/bearings");
}

// get_doc.

fn nested() -> World {
    World::new(&[("nested.md", &fixture("docs-tools/nested-headings.md")), ("other.md", "# Other\n\nx\n")])
}

fn check_around(world: &World, id: &str, context: u64, before: &[&str], after: &[&str]) {
    let doc = world.client().call("get_doc", json!({"chunk_id": id, "context": context}));
    let headings = |side: &str| -> Vec<String> {
        let chunks = doc[side].as_array().unwrap();
        chunks.iter().map(|chunk| chunk["heading_path"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(doc["chunk_id"], id);
    assert_eq!((headings("before"), headings("after")), (owned(before), owned(after)), "{id} {context}");
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn get_doc_returns_the_exact_chunk() {
    let world = nested();
    let doc = world.client().call("get_doc", json!({"chunk_id": "nested.md#observatory/dome"}));
    assert_eq!(doc["content"], "## Dome\n\nThe dome turns on forty wheels.\n\n");
    assert_eq!((&doc["before"], &doc["after"]), (&json!([]), &json!([])));
    let metadata = &doc["metadata"];
    assert_eq!(metadata["file_path"], "nested.md");
    assert_eq!(metadata["heading_path"], "Observatory > Dome");
    assert_eq!((&metadata["start_line"], &metadata["end_line"]), (&json!(7), &json!(10)));
    assert!(metadata["content_hash"].is_string() && metadata["last_modified"].is_string());
}

#[test]
fn context_adds_the_adjacent_chunks_of_the_same_file() {
    let world = nested();
    check_around(
        &world,
        "nested.md#observatory/dome/drive",
        1,
        &["Observatory > Dome"],
        &["Observatory > Dome > Drive > Gearbox"],
    );
    check_around(
        &world,
        "nested.md#observatory/dome/drive",
        2,
        &["Observatory", "Observatory > Dome"],
        &["Observatory > Dome > Drive > Gearbox", "Observatory > Dome > Drive > Gearbox > Bearings"],
    );
}

#[test]
fn context_ends_where_the_file_ends() {
    let world = nested();
    check_around(&world, "nested.md#_preamble", 2, &[], &["Observatory", "Observatory > Dome"]);
    check_around(&world, "nested.md#observatory/staff-visitors-2026", 1, &["Observatory > 観測記録"], &[]);
    check_around(&world, "other.md#other", 10, &[], &[]);
}

#[test]
fn the_neighbours_of_a_split_section_are_the_sections_around_it() {
    let world = World::new(&[("clock.md", &fixture("docs-tools/multi-part-section.md"))]);
    let mut client = world.client();
    let part = "clock.md#tower-clock/yearly-inspection/_part-2";
    let doc = client.call("get_doc", json!({"chunk_id": part, "context": 1}));
    assert_eq!(doc["before"][0]["heading_path"], "Tower Clock > Yearly Inspection [part 1/3]");
    assert_eq!(doc["after"][0]["heading_path"], "Tower Clock > Yearly Inspection [part 3/3]");
    let last = "clock.md#tower-clock/yearly-inspection/_part-3";
    let doc = client.call("get_doc", json!({"chunk_id": last, "context": 1}));
    assert_eq!(doc["after"][0]["heading_path"], "Tower Clock > After The Inspection");
}

#[test]
fn a_context_that_makes_no_sense_is_refused() {
    let world = nested();
    let mut client = world.client();
    for context in [json!(-1), json!("one"), json!(1.5)] {
        let told = client.refused("get_doc", json!({"chunk_id": "other.md#other", "context": context}));
        assert!(told.contains("context must be"), "{told}");
    }
}

/// Every id that is handed out leads back to the text that it was handed out with.
fn check_round_trip(files: &[(&str, &str)]) {
    let world = World::new(files);
    let mut client = world.client();
    for (path, _) in files {
        let page = client.call("get_page", json!({"file_path": path}));
        for chunk in page["chunks"].as_array().unwrap() {
            let doc = client.call("get_doc", json!({"chunk_id": chunk["chunk_id"]}));
            assert_eq!(doc["chunk_id"], chunk["chunk_id"]);
            assert_eq!(doc["content"], chunk["content"], "{}", chunk["chunk_id"]);
            for field in ["heading_path", "heading_level", "char_count", "start_line", "end_line"] {
                assert_eq!(doc["metadata"][field], chunk[field], "{}", chunk["chunk_id"]);
            }
        }
    }
    let answer = client.call("search_docs", json!({"query": "text", "limit": 50}));
    for hit in answer["results"].as_array().unwrap() {
        let doc = client.call("get_doc", json!({"chunk_id": hit["chunk_id"]}));
        assert_eq!(doc["content"], hit["content"], "{}", hit["chunk_id"]);
        assert_eq!(doc["metadata"], hit["metadata"]);
    }
}

#[test]
fn every_chunk_id_round_trips_through_get_doc() {
    check_round_trip(&[
        ("nested.md", &fixture("docs-tools/nested-headings.md")),
        ("a.md", "# A\n\n## Examples\n\ntext 1\n\n## Examples\n\ntext 2\n"),
    ]);
}

#[test]
fn ids_of_paths_with_spaces_signs_and_other_scripts_round_trip() {
    let paths = ["a b.md", "c#.md", "a#b/c d.md", "100%.md", "日本/語.md", "x > y.md"];
    check_round_trip(&paths.map(|path| (path, "text\n\n# A\n\ntext\n\n## 日本語\n\ntext\n")));
}

#[test]
fn the_id_of_a_file_without_headings_round_trips() {
    check_round_trip(&[
        ("models/user.md", "Only text.\n"),
        ("models/long.md", &"A paragraph of text.\n\n".repeat(400)),
        ("models/facets.md", "---\nmetadata:\n  kind: model\n---\nOnly text.\n"),
    ]);
}

#[test]
fn the_ids_of_the_parts_of_a_split_section_round_trip() {
    check_round_trip(&[("clock.md", &fixture("docs-tools/multi-part-section.md"))]);
}

#[test]
fn an_unambiguous_tail_of_an_id_is_accepted() {
    let world = World::new(&[("guides/retries.md", "# Retries\n\nx\n\n## Backoff Strategy\n\ny\n")]);
    let doc = world.client().call("get_doc", json!({"chunk_id": "guides/retries.md#backoff-strategy"}));
    assert_eq!(doc["chunk_id"], "guides/retries.md#retries/backoff-strategy");
}

#[test]
fn an_ambiguous_tail_is_answered_with_the_candidates() {
    let world = nested();
    let told = world.client().refused("get_doc", json!({"chunk_id": "nested.md#drive"}));
    assert!(told.contains("nested.md#observatory/dome/drive"), "{told}");
    assert!(told.contains("nested.md#observatory/telescopes/drive"), "{told}");
}

#[test]
fn an_unknown_chunk_is_refused() {
    let world = nested();
    let mut client = world.client();
    assert!(
        client
            .refused("get_doc", json!({"chunk_id": "nope.md#a"}))
            .contains("No page found at path: nope.md")
    );
    assert!(client.refused("get_doc", json!({"chunk_id": "nested.md#nope"})).contains("No section found"));
    assert!(client.refused("get_doc", json!({})).contains("chunk_id parameter is required"));
    assert!(client.refused("get_doc", json!({"chunk_id": 7})).contains("chunk_id must be a string"));
}

#[test]
fn a_path_alone_reads_the_whole_page() {
    let world = nested();
    let doc = world.client().call("get_doc", json!({"chunk_id": "nested.md"}));
    assert_eq!(doc["content"], world.text("nested.md"));
}

// Stateless cursors.

fn pages(count: usize) -> World {
    let pages: Vec<(String, String)> = (0..count)
        .map(|number| {
            let language = if number % 2 == 0 { "go" } else { "rust" };
            let facets = format!("---\nmetadata:\n  language: {language}\n---\n");
            (
                format!("{number:02}.md"),
                format!("{facets}# Page {number}\n\n{}\n", "retry ".repeat(number + 1)),
            )
        })
        .collect();
    let pages: Vec<(&str, &str)> = pages.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    World::quiet(&pages)
}

fn first_page(client: &mut Client) -> String {
    let answer = client.call("search_docs", json!({"query": "retry", "limit": 3}));
    answer["next_cursor"].as_str().unwrap().to_owned()
}

#[test]
fn pages_of_an_answer_are_disjoint_and_together_the_whole() {
    let world = pages(12);
    let mut client = world.client();
    for mode in ["hybrid", "semantic", "lexical"] {
        let whole = client.call("search_docs", json!({"query": "retry", "limit": 50, "mode": mode}));
        let whole: Vec<String> = ids(&whole).into_iter().map(str::to_owned).collect();
        assert_eq!(whole.len(), 12);
        let mut paged = Vec::new();
        let mut cursor = Value::Null;
        loop {
            let arguments = json!({"query": "retry", "limit": 5, "mode": mode, "cursor": cursor});
            let answer = client.call("search_docs", arguments);
            paged.extend(ids(&answer).into_iter().map(str::to_owned));
            cursor = answer["next_cursor"].clone();
            if cursor.is_null() {
                break;
            }
            assert!(paged.len() < 12, "it never ends: {paged:?}");
        }
        assert_eq!(paged, whole, "{mode}");
    }
}

#[test]
fn the_page_size_may_change_between_pages() {
    let world = pages(12);
    let mut client = world.client();
    let cursor = first_page(&mut client);
    let answer = client.call("search_docs", json!({"query": "retry", "limit": 9, "cursor": cursor}));
    assert_eq!(ids(&answer).len(), 9);
    assert_eq!(answer["next_cursor"], Value::Null);
}

#[test]
fn a_cursor_needs_no_state_on_the_server() {
    let world = pages(8);
    let cursor = first_page(&mut world.client());
    let arguments = json!({"query": "retry", "limit": 3, "cursor": cursor});
    let first = world.client().call("search_docs", arguments.clone());
    let again = world.client().call("search_docs", arguments.clone());
    assert_eq!(ids(&first), ids(&again));
    let world = world.restart(Setup { background: false, ..Setup::new(&[]) });
    let after_restart = world.client().call("search_docs", arguments);
    assert_eq!(ids(&first), ids(&after_restart));
}

fn check_cursor(client: &mut Client, cursor: &str, change: Value) {
    let mut arguments = json!({"query": "retry", "limit": 3, "cursor": cursor});
    for (key, value) in change.as_object().unwrap() {
        arguments[key] = value.clone();
    }
    let told = client.refused("search_docs", arguments);
    assert!(told.contains("cursor") && told.to_lowercase().contains("search again"), "{change}: {told}");
}

#[test]
fn a_tampered_cursor_is_refused() {
    let world = pages(8);
    let mut client = world.client();
    let cursor = first_page(&mut client);
    for at in 0..cursor.len() - 1 {
        let mut letters = cursor.clone().into_bytes();
        letters[at] = if letters[at] == b'A' { b'B' } else { b'A' };
        check_cursor(&mut client, &String::from_utf8(letters).unwrap(), json!({}));
    }
}

#[test]
fn what_is_no_cursor_is_refused() {
    let world = pages(8);
    let mut client = world.client();
    let cursor = first_page(&mut client);
    let twice = cursor.repeat(2);
    let long = "A".repeat(100_000);
    for junk in ["", "x", "null", "eyJvZmZzZXQiOjEwLCJsaW1pdCI6MTB9", "日本語", &cursor[1..], &twice, &long]
    {
        check_cursor(&mut client, junk, json!({}));
    }
}

#[test]
fn a_cursor_of_another_index_is_refused() {
    let cursor = first_page(&mut pages(8).client());
    check_cursor(&mut pages(8).client(), &cursor, json!({}));
}

#[test]
fn a_cursor_of_another_query_is_refused() {
    let world = pages(8);
    let mut client = world.client();
    let cursor = first_page(&mut client);
    check_cursor(&mut client, &cursor, json!({"query": "retries"}));
}

#[test]
fn a_cursor_of_other_filters_is_refused() {
    let world = pages(8);
    let mut client = world.client();
    let cursor = first_page(&mut client);
    check_cursor(&mut client, &cursor, json!({"file_filter": "*.md"}));
    check_cursor(&mut client, &cursor, json!({"language": "go"}));
    check_cursor(&mut client, &cursor, json!({"mode": "lexical"}));
}

#[test]
fn a_cursor_is_outdated_after_an_edit() {
    let world = pages(8);
    let mut client = world.client();
    let cursor = first_page(&mut client);
    world.write("00.md", "# Page 0\n\nretry retry retry retry\n");
    let told = client.refused("search_docs", json!({"query": "retry", "limit": 3, "cursor": cursor}));
    assert!(told.contains("outdated") && told.to_lowercase().contains("search again"), "{told}");
}

#[test]
fn a_cursor_survives_a_file_that_is_only_touched() {
    let world = pages(8);
    let mut client = world.client();
    let cursor = first_page(&mut client);
    world.write("00.md", &world.text("00.md"));
    client.call("search_docs", json!({"query": "retry", "limit": 3, "cursor": cursor}));
}

#[test]
fn a_cursor_of_another_caller_is_refused() {
    let world = pages(8);
    let cursor = first_page(&mut as_caller(&world, "ada", &Scope::ALL));
    as_caller(&world, "ada", &Scope::ALL)
        .call("search_docs", json!({"query": "retry", "limit": 3, "cursor": cursor}));
    check_cursor(&mut as_caller(&world, "bob", &Scope::ALL), &cursor, json!({}));
    check_cursor(&mut world.client(), &cursor, json!({}));
}

#[test]
fn a_cut_page_of_another_caller_is_refused() {
    let world = World::new(&[("a.md", &format!("# A\n\n{}\n", "words ".repeat(2_000)))]);
    let arguments = json!({"file_path": "a.md", "max_chars": 2_000});
    let answer = as_caller(&world, "ada", &Scope::ALL).call("get_page", arguments);
    let arguments = json!({"file_path": "a.md", "max_chars": 2_000, "cursor": answer["cursor"]});
    let told = as_caller(&world, "bob", &Scope::ALL).refused("get_page", arguments.clone());
    assert!(told.contains("another") && told.contains("without a cursor"), "{told}");
    as_caller(&world, "ada", &Scope::ALL).call("get_page", arguments);
}

#[test]
fn a_caller_without_the_scope_to_read_sees_and_calls_nothing_that_reads() {
    let world = pages(2);
    let mut client = as_caller(&world, "eve", &[Scope::Write]);
    assert!(client.tools().iter().all(|tool| tool["name"] == "report_drift"));
    let result = client.request("tools/call", json!({"name": "list_pages", "arguments": {}}));
    assert_eq!(result["isError"], true);
    assert!(result["content"][0]["text"].as_str().unwrap().contains("docs:read"), "{result}");
}

// Guided discovery.

fn languages() -> World {
    World::new(&[
        ("py.md", "---\nmetadata:\n  language: python\n---\n# Py\n\nfrobnicate the widget\n"),
        ("ts.md", "---\nmetadata:\n  language: typescript\n---\n# Ts\n\nfrobnicate it too\n"),
        ("go.md", "---\nmetadata:\n  language: go\n---\n# Go\n\nnothing of the kind\n"),
    ])
}

#[test]
fn a_search_without_hits_suggests_the_values_that_have_some() {
    let world = languages();
    let arguments = json!({"query": "frobnicate", "language": "go", "mode": "lexical"});
    let answer = world.client().call("search_docs", arguments);
    assert_eq!(answer["results"], json!([]));
    assert!(!answer["hint"]["message"].as_str().unwrap().is_empty());
    let expected = json!([{"key": "language", "values": ["python", "typescript"]}]);
    assert_eq!(answer["hint"]["suggested_filters"], expected);
}

#[test]
fn a_suggested_value_leads_to_hits() {
    let world = languages();
    let mut client = world.client();
    let answer =
        client.call("search_docs", json!({"query": "frobnicate", "language": "go", "mode": "lexical"}));
    let suggestion = &answer["hint"]["suggested_filters"][0];
    for value in suggestion["values"].as_array().unwrap() {
        let mut arguments = json!({"query": "frobnicate", "mode": "lexical"});
        arguments[suggestion["key"].as_str().unwrap()] = value.clone();
        assert_eq!(ids(&client.call("search_docs", arguments)).len(), 1, "{value}");
    }
}

#[test]
fn a_value_that_does_not_exist_suggests_those_that_do() {
    let world = languages();
    let answer = world.client().call("search_docs", json!({"query": "frobnicate", "language": "cobol"}));
    assert_eq!(answer["results"], json!([]));
    let values = answer["hint"]["suggested_filters"][0]["values"].to_string();
    assert!(values.contains("python") && values.contains("typescript"), "{answer}");
}

#[test]
fn two_values_that_exclude_each_other_suggest_both_keys() {
    let world = World::new(&[
        ("a.md", "---\nmetadata:\n  language: go\n  version: one\n---\n# A\n\nfrobnicate\n"),
        ("b.md", "---\nmetadata:\n  language: rust\n  version: two\n---\n# B\n\nfrobnicate\n"),
    ]);
    let arguments = json!({"query": "frobnicate", "language": "go", "version": "two"});
    let answer = world.client().call("search_docs", arguments);
    let expected = json!([
        {"key": "language", "values": ["go", "rust"]},
        {"key": "version", "values": ["one", "two"]},
    ]);
    assert_eq!(answer["hint"]["suggested_filters"], expected);
}

#[test]
fn a_search_with_hits_has_no_hint() {
    let world = languages();
    let answer = world.client().call("search_docs", json!({"query": "frobnicate"}));
    assert_eq!(answer["hint"], Value::Null);
}

#[test]
fn words_that_no_page_has_get_a_hint_in_lexical_mode() {
    let world = languages();
    let answer = world.client().call("search_docs", json!({"query": "zzyzx", "mode": "lexical"}));
    assert_eq!(answer["results"], json!([]));
    assert!(answer["hint"]["message"].as_str().unwrap().contains("other words"), "{answer}");
}
