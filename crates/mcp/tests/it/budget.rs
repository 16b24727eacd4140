//! `max_chars` on every reading tool: 60,000 unless said otherwise, 0 lifts it, and a cut answer goes on by cursor until all has
//! been read.

use serde_json::{Value, json};

use crate::client::Client;
use crate::world::{World, fixture};

const DEFAULT: usize = 60_000;

/// A page of sections short and long, with everything that JSON has to escape.
fn long_page() -> String {
    let mut text = String::from("preamble \"quoted\"\n\n# Long\n\n");
    for number in 0..40 {
        text += &format!("## Section {number}\n\n");
        text +=
            &format!("Line with \\ and \"quotes\", tabs\tand é日本語🦀 {number}.\n").repeat(number * 2 + 1);
        text.push('\n');
    }
    text += "## Last\n\n";
    text += &"one line without an end ".repeat(800);
    text
}

fn world() -> World {
    let clock = fixture("docs-tools/multi-part-section.md");
    let mut files = vec![("long.md".to_owned(), long_page()), ("clock.md".to_owned(), clock)];
    for number in 0..30 {
        let heading = "A heading that takes some room ".repeat(5);
        files.push((format!("small/{number:02}.md"), format!("# Page {number}\n\n## {heading}\n\nretry\n")));
    }
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    World::quiet(&files)
}

/// Calls a tool again and again until nothing is left; every answer is inside its budget.
fn read_all(client: &mut Client, tool: &str, arguments: &Value, max_chars: usize) -> Vec<Value> {
    let mut answers = Vec::new();
    let mut arguments = arguments.clone();
    arguments["max_chars"] = json!(max_chars);
    loop {
        let answer = client.call(tool, arguments.clone());
        let length = answer.to_string().chars().count();
        assert!(length <= max_chars, "{tool} {arguments}: {length} characters");
        let cut = answer.get("truncated").is_some();
        assert_eq!(cut, answer.get("cursor").is_some(), "{tool} {arguments}");
        arguments["cursor"] = answer["cursor"].clone();
        answers.push(answer);
        if !cut {
            return answers;
        }
        assert!(answers.len() < 5_000, "{tool} never ends");
    }
}

const BUDGETS: [usize; 5] = [1_000, 1_777, 5_000, 20_000, DEFAULT];

/// The content of the chunks in these answers, in the order of the page.
fn joined(answers: &[Value], field: &str) -> String {
    let chunks = answers.iter().flat_map(|answer| answer[field].as_array().unwrap());
    chunks.map(|chunk| chunk["content"].as_str().unwrap()).collect()
}

#[test]
fn get_page_is_read_byte_for_byte_by_cursor() {
    let world = world();
    let mut client = world.client();
    for max_chars in BUDGETS {
        let answers = read_all(&mut client, "get_page", &json!({"file_path": "long.md"}), max_chars);
        assert_eq!(joined(&answers, "chunks"), long_page(), "{max_chars}");
        assert!(answers.len() > 1);
    }
}

#[test]
fn get_section_is_read_byte_for_byte_by_cursor() {
    let world = world();
    let mut client = world.client();
    let arguments = json!({"file_path": "clock.md", "heading_path": "Tower Clock > Yearly Inspection"});
    let whole = client.call("get_section", arguments.clone())["content"].as_str().unwrap().to_owned();
    assert!(whole.len() > 15_000);
    for max_chars in &BUDGETS[..3] {
        let answers = read_all(&mut client, "get_section", &arguments, *max_chars);
        let read: String = answers.iter().map(|answer| answer["content"].as_str().unwrap()).collect();
        assert_eq!(read, whole, "{max_chars}");
        assert!(answers.len() > 1);
        for answer in &answers {
            assert_eq!(answer["metadata"]["char_count"], whole.chars().count());
        }
    }
}

#[test]
fn get_doc_with_its_neighbours_is_read_byte_for_byte_by_cursor() {
    let world = world();
    let mut client = world.client();
    let arguments = json!({"chunk_id": "long.md#long/section-37", "context": 3});
    let mut unlimited = arguments.clone();
    unlimited["max_chars"] = json!(0);
    let whole = client.call("get_doc", unlimited);
    let whole = [whole];
    for max_chars in &BUDGETS[..4] {
        let answers = read_all(&mut client, "get_doc", &arguments, *max_chars);
        let content: String = answers.iter().map(|answer| answer["content"].as_str().unwrap()).collect();
        assert_eq!(content, whole[0]["content"], "{max_chars}");
        assert_eq!(joined(&answers, "before"), joined(&whole, "before"), "{max_chars}");
        assert_eq!(joined(&answers, "after"), joined(&whole, "after"), "{max_chars}");
        assert!(answers.len() > 1);
    }
}

#[test]
fn a_whole_page_by_get_doc_is_read_byte_for_byte_by_cursor() {
    let world = world();
    let answers = read_all(&mut world.client(), "get_doc", &json!({"chunk_id": "long.md"}), 20_000);
    let read: String = answers.iter().map(|answer| answer["content"].as_str().unwrap()).collect();
    assert_eq!(read, long_page());
}

#[test]
fn list_pages_is_read_to_the_end_by_cursor() {
    let world = world();
    let mut client = world.client();
    let whole = client.call("list_pages", json!({"max_chars": 0}))["pages"].clone();
    for max_chars in &BUDGETS[..3] {
        let answers = read_all(&mut client, "list_pages", &json!({}), *max_chars);
        let pages: Vec<&Value> =
            answers.iter().flat_map(|answer| answer["pages"].as_array().unwrap()).collect();
        let whole = whole.as_array().unwrap();
        assert_eq!(pages.len(), whole.len(), "{max_chars}");
        for (page, whole) in pages.into_iter().zip(whole) {
            // A page that fills an answer by itself keeps its first headings and says how many there are.
            match page["headings_total"].as_u64() {
                Some(total) => {
                    let (kept, all) =
                        (page["headings"].as_array().unwrap(), whole["headings"].as_array().unwrap());
                    assert_eq!((total as usize, &all[..kept.len()]), (all.len(), kept.as_slice()));
                }
                None => assert_eq!(page, whole, "{max_chars}"),
            }
        }
        assert!(answers.len() > 1);
        assert!(answers.iter().all(|answer| answer["total_pages"] == 32));
    }
}

#[test]
fn search_docs_is_read_to_the_end_by_cursor() {
    let world = world();
    let mut client = world.client();
    let arguments = json!({"query": "retry", "limit": 30, "file_filter": "small/*"});
    let whole = client.call("search_docs", arguments.clone());
    assert_eq!(whole["results"].as_array().unwrap().len(), 30);
    for max_chars in [3_000, 10_000] {
        let mut hits = Vec::new();
        let mut asked = arguments.clone();
        asked["max_chars"] = json!(max_chars);
        let mut cuts = 0;
        loop {
            let answer = client.call("search_docs", asked.clone());
            assert!(answer.to_string().chars().count() <= max_chars);
            hits.extend(answer["results"].as_array().unwrap().clone());
            if answer["next_cursor"].is_null() {
                break;
            }
            assert_eq!((&answer["truncated"], &answer["cursor"]), (&json!(true), &answer["next_cursor"]));
            asked["cursor"] = answer["cursor"].clone();
            cuts += 1;
        }
        assert!(cuts > 1);
        assert_eq!(Value::Array(hits), whole["results"], "{max_chars}");
    }
}

#[test]
fn a_hit_longer_than_the_budget_is_cut_and_says_so() {
    let world = world();
    let arguments = json!({"query": "pendulum bob, hammer arm and weather vane", "file_filter": "clock.md", "max_chars": 2_000});
    let answer = world.client().call("search_docs", arguments);
    assert!(answer.to_string().chars().count() <= 2_000);
    assert_eq!(answer["truncated"], true);
    assert_eq!(answer["results"][0]["truncated"], true);
    assert!(answer["results"][0]["content"].as_str().unwrap().len() > 500);
}

#[test]
fn the_last_hit_too_may_be_longer_than_the_budget() {
    let world = World::new(&[("clock.md", &format!("# Clock\n\n{}", "words and more words\n".repeat(250)))]);
    let answer = world.client().call("search_docs", json!({"query": "words", "max_chars": 2_000}));
    assert_eq!(answer["truncated"], true);
    assert_eq!(answer["results"][0]["truncated"], true);
}

#[test]
fn a_hit_longer_than_the_budget_goes_on_with_the_cursor() {
    let world = World::new(&[("clock.md", &format!("# Clock\n\n{}", "words and more words\n".repeat(250)))]);
    let answers = read_all(&mut world.client(), "search_docs", &json!({"query": "words"}), 2_000);
    let read: String =
        answers.iter().map(|answer| answer["results"][0]["content"].as_str().unwrap()).collect();
    assert_eq!(read, world.text("clock.md"));
}

/// A tool, and arguments whose whole answer is longer than the default allows.
fn long_answers() -> Vec<(&'static str, Value)> {
    vec![
        ("get_page", json!({"file_path": "long.md"})),
        ("get_doc", json!({"chunk_id": "long.md"})),
        ("get_section", json!({"file_path": "long.md", "heading_path": "Long > Endless"})),
        ("list_pages", json!({})),
        ("search_docs", json!({"query": "quotes", "limit": 50})),
    ]
}

fn huge() -> World {
    let mut files = vec![(
        "long.md".to_owned(),
        format!("{}\n\n## Endless\n\n{}", long_page(), "words\n".repeat(12_000)),
    )];
    for number in 0..400 {
        let text = format!("# Page {number}\n\n## {}\n", "A heading that takes some room ".repeat(5));
        files.push((format!("small/{number:03}.md"), text));
    }
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    World::new(&files)
}

#[test]
fn every_reading_tool_stays_under_sixty_thousand_characters_and_zero_lifts_the_limit() {
    let world = huge();
    let mut client = world.client();
    for (tool, arguments) in long_answers() {
        let text = client.call_for_text(tool, arguments.clone());
        let length = text.chars().count();
        assert!(length <= DEFAULT && length > DEFAULT / 2, "{tool}: {length}");
        let answer: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(answer["truncated"], true, "{tool}");
        assert!(answer["cursor"].is_string(), "{tool}");
        let mut unlimited = arguments.clone();
        unlimited["max_chars"] = json!(0);
        let text = client.call_for_text(tool, unlimited);
        assert!(text.chars().count() > DEFAULT, "{tool}");
        let answer: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((answer.get("truncated"), answer.get("cursor")), (None, None), "{tool}");
    }
}

#[test]
fn every_reading_tool_offers_max_chars_with_its_default() {
    let world = World::new(&[("a.md", "# A\n")]);
    let mut client = world.client();
    for tool in ["search_docs", "get_doc", "get_page", "get_section", "list_pages"] {
        let parameters = client.parameters(tool);
        assert_eq!(parameters["max_chars"]["default"], DEFAULT, "{tool}");
        assert_eq!(parameters["max_chars"]["minimum"], 0, "{tool}");
        assert!(parameters["cursor"].is_object(), "{tool}");
    }
}

#[test]
fn a_budget_too_small_for_anything_still_moves_forward() {
    let world =
        World::new(&[("a.md", "# A\n\nsome words that take a little room, and then a few more of them\n")]);
    let mut client = world.client();
    let mut arguments = json!({"file_path": "a.md", "max_chars": 1});
    let mut read = String::new();
    for _ in 0..100 {
        let answer = client.call("get_page", arguments.clone());
        read += &joined(std::slice::from_ref(&answer), "chunks");
        arguments["cursor"] = answer["cursor"].clone();
        if answer["cursor"].is_null() {
            break;
        }
    }
    assert_eq!(read, world.text("a.md"));
}

#[test]
fn the_budget_may_change_between_calls() {
    let world = world();
    let mut client = world.client();
    let first = client.call("get_page", json!({"file_path": "long.md", "max_chars": 3_000}));
    let arguments = json!({"file_path": "long.md", "max_chars": 0, "cursor": first["cursor"]});
    let rest = client.call("get_page", arguments);
    assert_eq!(joined(&[first, rest], "chunks"), long_page());
}

#[test]
fn a_negative_or_strange_budget_is_refused() {
    let world = World::new(&[("a.md", "# A\n")]);
    let mut client = world.client();
    for max_chars in [json!(-1), json!("1000"), json!(1.5), json!([])] {
        let told = client.refused("get_page", json!({"file_path": "a.md", "max_chars": max_chars}));
        assert!(told.contains("max_chars must be"), "{told}");
    }
}

fn check_cursor(client: &mut Client, tool: &str, mut arguments: Value, cursor: &Value, expected: &str) {
    arguments["cursor"] = cursor.clone();
    let told = client.refused(tool, arguments);
    assert!(told.contains(expected) && told.contains("without a cursor"), "{tool}: {told}");
}

#[test]
fn the_cursor_of_a_cut_answer_works_only_for_the_same_call() {
    let world = world();
    let mut client = world.client();
    let cut = client.call("get_page", json!({"file_path": "long.md", "max_chars": 3_000}));
    let cursor = &cut["cursor"];
    check_cursor(&mut client, "get_page", json!({"file_path": "clock.md"}), cursor, "another");
    check_cursor(&mut client, "get_doc", json!({"chunk_id": "long.md"}), cursor, "another");
    check_cursor(&mut client, "list_pages", json!({}), cursor, "another");
    check_cursor(&mut client, "search_docs", json!({"query": "long"}), cursor, "another");
    check_cursor(
        &mut client,
        "get_page",
        json!({"file_path": "long.md"}),
        &json!("nonsense"),
        "not one of ours",
    );
}

#[test]
fn the_cursor_of_a_cut_page_is_outdated_after_an_edit() {
    let world = world();
    let mut client = world.client();
    let page = json!({"file_path": "long.md", "max_chars": 3_000});
    let cut = client.call("get_page", page.clone());
    let list = client.call("list_pages", json!({"max_chars": 3_000}));
    world.write("long.md", "# Long\n\nshort now\n");
    check_cursor(&mut client, "get_page", json!({"file_path": "long.md"}), &cut["cursor"], "outdated");
    check_cursor(&mut client, "list_pages", json!({}), &list["cursor"], "outdated");
}

#[test]
fn the_cursor_of_a_cut_page_survives_edits_of_other_pages() {
    let world = world();
    let mut client = world.client();
    let cut = client.call("get_page", json!({"file_path": "long.md", "max_chars": 3_000}));
    world.write("small/00.md", "# Page 0\n\nchanged\n");
    client.call("get_page", json!({"file_path": "long.md", "max_chars": 3_000, "cursor": cut["cursor"]}));
}
