//! Anvil's "Edge Cases & Gotchas", and the rule that every query tool looks for changes first.

use serde_json::{Value, json};

use crate::anvil_search_docs::{ids, paths};
use crate::client::Client;
use crate::world::{MANY, Setup, World, wait_until};

#[test]
fn a_search_before_any_docs_are_indexed_is_empty_and_no_error() {
    let world = World::new(&[]);
    let mut client = world.client();
    let answer = client.call("search_docs", json!({"query": "anything"}));
    assert_eq!((&answer["results"], &answer["total_chunks"]), (&json!([]), &json!(0)));
    assert!(answer["hint"]["message"].as_str().unwrap().contains("Nothing is indexed"), "{answer}");
    assert!(answer["searched"]["degraded"].to_string().contains("no documents"), "{answer}");
    assert_eq!(client.call("list_pages", json!({}))["pages"], json!([]));
    assert!(client.refused("get_page", json!({"file_path": "a.md"})).starts_with("No page found"));
}

/// Pages of which a change is too much for a call to apply by itself.
fn many(word: &str) -> Vec<(String, String)> {
    let page = |number| (format!("pages/{number:03}.md"), format!("# Page {number}\n\n{word}\n"));
    (0..MANY + 15).map(page).collect()
}

/// A server that is in the middle of indexing many changed files.
fn re_indexing() -> World {
    let files = many("before");
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let world = World::new(&files);
    world.gate.close();
    // All at once, so that they are one batch.
    let aside = world.docs.with_file_name("aside");
    std::fs::create_dir(&aside).unwrap();
    for (path, text) in many("after") {
        std::fs::write(aside.join(path.strip_prefix("pages/").unwrap()), text).unwrap();
    }
    std::fs::rename(world.docs.join("pages"), world.docs.with_file_name("gone")).unwrap();
    std::fs::rename(aside, world.docs.join("pages")).unwrap();
    world.gate.wait_for_writer();
    world
}

#[test]
fn queries_during_a_re_index_are_answered_at_once() {
    let world = re_indexing();
    let mut client = world.client();
    let answer = client.call("search_docs", json!({"query": "page", "top_k": 1}));
    let content = answer["results"][0]["content"].as_str().unwrap();
    assert!(content.contains("before") || content.contains("after"), "{content}");
    assert!(answer["searched"]["degraded"].to_string().contains("still being indexed"), "{answer}");
    assert_eq!(client.call("list_pages", json!({}))["total_pages"], MANY + 15);
    let status = client.call("get_status", json!({}));
    assert_eq!(status["index"]["total_pages"], MANY + 15);
    assert!(status["degraded"].to_string().contains("still being indexed"), "{status}");
}

#[test]
fn a_very_long_query_is_searched_all_the_same() {
    let world = World::new(&[
        ("a.md", "# Lamps\n\nThe lantern keeper lights the marmalade lamp.\n"),
        ("b.md", "# Ropes\n\nRopes are rinsed.\n"),
    ]);
    let mut client = world.client();
    let start = "who lights the marmalade lamp and which lantern keeper does it ";
    for filler in [50, 1_000, 20_000, 400_000] {
        let query = start.to_owned() + &"and so on ".repeat(filler / 10);
        let answer = client.call("search_docs", json!({"query": query}));
        assert_eq!(paths(&answer)[0], "a.md", "{filler}");
    }
}

#[test]
fn a_long_query_may_be_cut_anywhere_between_letters() {
    let world = World::new(&[("a.md", "# 日本語\n\n日本語の文書\n")]);
    for shift in 0..4 {
        let query = "x".repeat(shift) + &"日本語".repeat(2_000);
        let answer = world.client().call("search_docs", json!({"query": query}));
        assert_eq!(paths(&answer), ["a.md"]);
    }
}

#[test]
fn malformed_globs_do_not_crash() {
    let world = World::new(&[("a.md", "# A\n\nwords\n")]);
    let mut client = world.client();
    let long = "a/".repeat(5_000);
    for pattern in [
        "[", "a[", "{", "{a", "}", "[z-a]", "\\", "***", "**a**", "..", "../*", "a/../b", "/", "(", "(?i)",
        "a|b", "\0", &long,
    ] {
        let arguments =
            json!({"name": "search_docs", "arguments": {"query": "words", "file_filter": pattern}});
        let result = client.request("tools/call", arguments);
        let text = result["content"][0]["text"].as_str().unwrap();
        if result["isError"] == true {
            assert!(text.contains("file_filter"), "{pattern}: {text}");
        } else {
            assert!(
                !result["structuredContent"]["results"].to_string().contains("secret"),
                "{pattern}: {text}"
            );
        }
    }
    let answer = client.call("search_docs", json!({"query": "words", "file_filter": "a.md"}));
    assert_eq!(paths(&answer), ["a.md"]);
}

#[test]
fn an_absolute_path_under_the_docs_root_is_stripped_to_a_relative_one() {
    let world = World::new(&[("guides/a.md", "# A\n")]);
    let absolute = world.docs.join("guides/a.md");
    let page = world.client().call("get_page", json!({"file_path": absolute.to_str().unwrap()}));
    assert_eq!(page["file_path"], "guides/a.md");
}

#[test]
fn an_absolute_path_elsewhere_is_an_error() {
    let world = World::new(&[("a.md", "# A\n")]);
    let beside = format!("{}-other/a.md", world.docs.display());
    for path in ["/elsewhere/a.md", &beside] {
        let told = world.client().refused("get_page", json!({"file_path": path}));
        assert!(told.starts_with(&format!("No page found at path: {path}.")), "{told}");
    }
}

#[test]
fn ties_are_ordered_by_path_and_then_by_place_in_the_file() {
    let same = "## Same\n\nequal words\n\n";
    let twice = format!("{same}{same}");
    let world = World::new(&[("c.md", same), ("a.md", &twice), ("b/x.md", same), ("B.md", same)]);
    for mode in ["hybrid", "semantic", "lexical"] {
        let answer = world.client().call("search_docs", json!({"query": "equal words", "mode": mode}));
        let results = answer["results"].as_array().unwrap();
        let mut expected: Vec<(f64, &str, u64)> = results
            .iter()
            .map(|hit| {
                let metadata = &hit["metadata"];
                let line = metadata["start_line"].as_u64().unwrap();
                (-hit["score"].as_f64().unwrap(), metadata["file_path"].as_str().unwrap(), line)
            })
            .collect();
        let shown = expected.clone();
        expected.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(b.1)).then(a.2.cmp(&b.2)));
        assert_eq!(shown, expected, "{mode}");
        assert!(shown.windows(2).any(|pair| pair[0].0 == pair[1].0), "{mode}: nothing is tied: {shown:?}");
    }
}

/// What a tool says before and after a page has changed on disk.
fn check_fresh(ask: impl Fn(&mut Client) -> String, before: &str, after: &str) {
    let world = World::quiet(&[("a.md", "# A\n\nold words\n"), ("b.md", "# B\n\nother\n")]);
    let mut client = world.client();
    let said = ask(&mut client);
    assert!(said.contains(before), "{said}");
    world.write("a.md", "# A\n\nnew words in more sections\n\n## Extra\n\nextra\n");
    let said = ask(&mut client);
    assert!(said.contains(after) && !said.contains(before), "{said}");
}

#[test]
fn search_docs_sees_a_change_that_was_just_written() {
    check_fresh(
        |client| {
            client.call("search_docs", json!({"query": "words", "file_filter": "a.md"}))["results"]
                .to_string()
        },
        "old words",
        "new words",
    );
}

#[test]
fn get_page_sees_a_change_that_was_just_written() {
    check_fresh(
        |client| client.call("get_page", json!({"file_path": "a.md"})).to_string(),
        "old words",
        "new words",
    );
}

#[test]
fn get_section_sees_a_change_that_was_just_written() {
    check_fresh(
        |client| {
            client.call("get_section", json!({"file_path": "a.md", "heading_path": "A"}))["content"]
                .to_string()
        },
        "old words",
        "new words",
    );
}

#[test]
fn get_doc_sees_a_change_that_was_just_written() {
    check_fresh(
        |client| client.call("get_doc", json!({"chunk_id": "a.md#a"}))["content"].to_string(),
        "old words",
        "new words",
    );
}

#[test]
fn list_pages_sees_a_change_that_was_just_written() {
    check_fresh(|client| client.call("list_pages", json!({})).to_string(), "\"headings\":[\"A\"]", "Extra");
}

#[test]
fn get_status_sees_a_change_that_was_just_written() {
    check_fresh(|client| client.call("get_status", json!({}))["index"]["total_chunks"].to_string(), "2", "3");
}

#[test]
fn resources_see_a_change_that_was_just_written() {
    check_fresh(
        |client| client.request("resources/read", json!({"uri": "docent://docs/a.md"})).to_string(),
        "old words",
        "new words",
    );
}

fn check_new_and_deleted(world: &World) {
    let mut client = world.client();
    for round in 0..5 {
        let path = format!("new/{round}.md");
        world.write(&path, &format!("# New {round}\n\nunheard{round}\n"));
        let mut answer = Value::Null;
        wait_until("an answer that is not behind", || {
            answer = client.call("search_docs", json!({"query": format!("unheard{round}")}));
            !answer["searched"]["degraded"].to_string().contains("still being indexed")
        });
        assert_eq!(paths(&answer)[0], path);
        assert_eq!(client.call("get_page", json!({"file_path": path}))["title"], format!("New {round}"));
        world.remove(&path);
        assert!(client.refused("get_page", json!({"file_path": path})).starts_with("No page found"));
        let answer = client.call("search_docs", json!({"query": format!("unheard{round}"), "top_k": 20}));
        assert_eq!(paths(&answer), ["a.md"]);
        assert_eq!(client.call("list_pages", json!({}))["total_pages"], 1);
    }
}

#[test]
fn a_new_file_is_there_in_the_next_call_and_a_deleted_one_is_gone() {
    check_new_and_deleted(&World::quiet(&[("a.md", "# A\n\nwords\n")]));
}

#[test]
fn the_same_holds_while_changes_are_applied_in_the_background() {
    check_new_and_deleted(&World::new(&[("a.md", "# A\n\nwords\n")]));
}

#[test]
fn a_section_that_was_just_written_is_found_while_many_files_are_re_indexed() {
    let world = re_indexing();
    world.write("pages/000.md", "# Page 0\n\n## New Section\n\ntext\n");
    let arguments = json!({"file_path": "pages/000.md", "heading_path": "Page 0 > New Section"});
    let section = world.client().call("get_section", arguments);
    assert_eq!(section["content"], "## New Section\n\ntext\n");
}

#[test]
fn several_clients_ask_at_once() {
    let world = World::new(&[("a.md", "# A\n\nwords\n"), ("b.md", "# B\n\nmore words\n")]);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut client = world.client();
                for _ in 0..10 {
                    let answer = client.call("search_docs", json!({"query": "words"}));
                    assert_eq!(ids(&answer).len(), 2);
                }
            });
        }
    });
}

#[test]
fn several_requests_of_one_client_are_in_flight_at_once() {
    let world = World::new(&[("a.md", "# A\n\nwords\n")]);
    let mut client = world.client();
    let call = json!({"name": "search_docs", "arguments": {"query": "words"}});
    let begun: Vec<i64> = (0..20).map(|_| client.begin("tools/call", call.clone())).collect();
    for id in begun.into_iter().rev() {
        let answer = client.answer(&json!(id));
        assert_eq!(answer["result"]["structuredContent"]["results"][0]["chunk_id"], "a.md#a");
    }
}

#[test]
fn a_documents_folder_that_goes_missing_is_a_state_and_not_a_mass_delete() {
    let world = World::new(&[("a.md", "# A\n\nwords\n")]);
    let mut client = world.client();
    let aside = world.docs.with_file_name("elsewhere");
    std::fs::rename(&world.docs, &aside).unwrap();
    let answer = client.call("search_docs", json!({"query": "words"}));
    assert_eq!(answer["results"][0]["stale"], true, "{answer}");
    let status = client.call("get_status", json!({}));
    assert!(status["degraded"].to_string().contains("missing"), "{status}");
    assert_eq!(status["index"]["total_pages"], 1);
    std::fs::rename(&aside, &world.docs).unwrap();
    let answer = client.call("search_docs", json!({"query": "words"}));
    assert_eq!(answer["results"][0].get("stale"), None, "{answer}");
}

#[test]
fn every_error_suggests_the_next_step() {
    let world = Setup::new(&[("a.md", "# A\n\n## B\n\nwords\n")]).start();
    let mut client = world.client();
    let cases: [(&str, Value, &str); 5] = [
        ("get_page", json!({"file_path": "x.md"}), "list_pages"),
        ("get_section", json!({"file_path": "x.md", "heading_path": "A"}), "list_pages"),
        ("get_section", json!({"file_path": "a.md", "heading_path": "Z"}), "get_page"),
        ("get_doc", json!({"chunk_id": "x.md#a"}), "list_pages"),
        ("get_doc", json!({"chunk_id": "a.md#zzz"}), "get_page"),
    ];
    for (tool, arguments, next) in cases {
        let told = client.refused(tool, arguments.clone());
        assert!(told.contains(next), "{tool} {arguments}: {told}");
    }
}
