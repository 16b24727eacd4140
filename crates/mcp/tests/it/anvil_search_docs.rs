//! `search_docs` as Anvil specifies it: parameters, results, flow and edge cases; `limit` and `mode` as the contracts add them.

use serde_json::{Value, json};

use crate::world::{Setup, Vectors, World, fixture, fixture_folder};

const UNIQUE: &str = "marmalade astrolabe seventeen";

/// Ten pages in two folders and at the top; twenty-seven chunks with text.
fn library() -> World {
    let known = fixture("docs-tools/known-result.md");
    let nested = fixture("docs-tools/nested-headings.md");
    let mut files = vec![("known-result.md", known.as_str()), ("nested-headings.md", nested.as_str())];
    files.extend([
        ("architecture.md", "# Architecture\n\nThe crane has a hook and a cabin.\n"),
        ("epics/loading.md", "# Loading\n\nThe crane lifts boxes.\n\n## Hooks\n\nEvery hook has a number.\n"),
        ("epics/storage.md", "# Storage\n\nBoxes stand in rows.\n"),
        ("epics/archive/old.md", "# Old\n\nThe first crane was made of wood.\n"),
        ("epics-draft.md", "# Draft\n\nA crane on rails.\n"),
        ("notes/[a] crane.md", "# Brackets\n\nA crane in brackets.\n"),
        ("notes/daily.md", "# Daily\n\nThe crane was oiled.\n"),
        ("notes/weekly.markdown", "# Weekly\n\nThe crane was washed.\n"),
    ]);
    World::new(&files)
}

pub(crate) fn paths(answer: &Value) -> Vec<&str> {
    let results = answer["results"].as_array().unwrap();
    results.iter().map(|hit| hit["metadata"]["file_path"].as_str().unwrap()).collect()
}

pub(crate) fn ids(answer: &Value) -> Vec<&str> {
    let results = answer["results"].as_array().unwrap();
    results.iter().map(|hit| hit["chunk_id"].as_str().unwrap()).collect()
}

#[test]
fn a_query_that_matches_a_single_unique_chunk_has_it_as_result_one() {
    let world = library();
    for mode in ["hybrid", "semantic", "lexical"] {
        let answer = world.client().call("search_docs", json!({"query": UNIQUE, "mode": mode}));
        assert_eq!(ids(&answer)[0], "known-result.md#harbour-notes/lantern-keeper", "{mode}");
    }
}

#[test]
fn a_result_carries_the_raw_markdown_the_score_and_all_metadata() {
    let world = library();
    let answer = world.client().call("search_docs", json!({"query": UNIQUE}));
    let hit = &answer["results"][0];
    let section = "## Lantern Keeper\n\nThe password for the old lamp room is **marmalade astrolabe seventeen**. \
                   Nobody remembers who chose it.\n\n";
    assert_eq!(hit["content"], section);
    let metadata = &hit["metadata"];
    assert_eq!(metadata["file_path"], "known-result.md");
    assert_eq!(metadata["heading_path"], "Harbour Notes > Lantern Keeper");
    assert_eq!(metadata["heading_level"], 2);
    assert_eq!(metadata["char_count"], section.chars().count());
    assert_eq!(metadata["title"], "Harbour Notes");
    assert_eq!((&metadata["start_line"], &metadata["end_line"]), (&json!(13), &json!(16)));
    assert_eq!(metadata["content_hash"].as_str().unwrap().len(), 64);
}

#[test]
fn last_modified_is_the_time_of_the_file_as_an_iso_timestamp() {
    let world = World::quiet(&[]);
    world.write("a.md", "# A\n\nwords\n");
    let file = std::fs::File::options().write(true).open(world.docs.join("a.md")).unwrap();
    let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    file.set_modified(time).unwrap();
    let answer = world.client().call("search_docs", json!({"query": "words"}));
    let shown = answer["results"][0]["metadata"]["last_modified"].as_str().unwrap();
    assert!(shown.starts_with("2023-11-14T22:13:20") && shown.ends_with('Z'), "{shown}");
}

#[test]
fn every_result_has_every_field_of_the_specification() {
    let world = library();
    let answer = world.client().call("search_docs", json!({"query": "crane", "top_k": 20}));
    assert!(answer["total_chunks"].is_u64() && answer["query_ms"].is_number());
    assert!(answer["query_ms"].as_f64().unwrap() >= 0.0);
    for hit in answer["results"].as_array().unwrap() {
        assert!(hit["content"].is_string() && hit["score"].is_number() && hit["chunk_id"].is_string());
        for text in ["file_path", "heading_path", "last_modified", "title", "content_hash"] {
            assert!(hit["metadata"][text].is_string(), "{text}: {hit}");
        }
        for number in ["heading_level", "char_count", "start_line", "end_line"] {
            assert!(hit["metadata"][number].is_u64(), "{number}: {hit}");
        }
    }
}

#[test]
fn the_content_is_exactly_the_lines_that_it_names() {
    let world = library();
    let answer = world.client().call("search_docs", json!({"query": "crane boxes telescope", "top_k": 20}));
    for hit in answer["results"].as_array().unwrap() {
        let metadata = &hit["metadata"];
        let text = world.text(metadata["file_path"].as_str().unwrap());
        let line = |name: &str| usize::try_from(metadata[name].as_u64().unwrap()).unwrap();
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        assert_eq!(hit["content"], lines[line("start_line") - 1..line("end_line")].concat(), "{hit}");
    }
}

#[test]
fn results_are_sorted_by_descending_score_between_zero_and_one() {
    let world = library();
    for mode in ["hybrid", "semantic", "lexical"] {
        let arguments = json!({"query": "the crane lifts boxes", "top_k": 20, "mode": mode});
        let answer = world.client().call("search_docs", arguments);
        let scores: Vec<f64> =
            answer["results"].as_array().unwrap().iter().map(|hit| hit["score"].as_f64().unwrap()).collect();
        assert!(scores.len() > 3 && scores.is_sorted_by(|a, b| a >= b), "{mode}: {scores:?}");
        assert!(scores.iter().all(|score| (0.0..=1.0).contains(score)), "{mode}: {scores:?}");
    }
}

#[test]
fn in_semantic_mode_the_score_is_exactly_the_cosine() {
    let world = library();
    let arguments = json!({"query": "the crane lifts boxes", "mode": "semantic", "top_k": 20});
    for hit in world.client().call("search_docs", arguments)["results"].as_array().unwrap() {
        let similarity = hit["similarity"].as_f64().unwrap();
        assert_eq!(hit["score"].as_f64().unwrap(), similarity.max(0.0), "{hit}");
    }
}

#[test]
fn the_cosine_is_there_in_every_mode() {
    let world = library();
    let arguments = |mode: &str| json!({"query": UNIQUE, "mode": mode});
    let cosine = |mode: &str| {
        world.client().call("search_docs", arguments(mode))["results"][0]["similarity"].as_f64().unwrap()
    };
    assert!(cosine("semantic") > 0.1);
    assert_eq!(cosine("hybrid"), cosine("semantic"));
    assert_eq!(cosine("lexical"), cosine("semantic"));
}

#[test]
fn five_results_come_when_top_k_is_not_given() {
    let world = library();
    let answer = world.client().call("search_docs", json!({"query": "crane"}));
    assert_eq!(answer["results"].as_array().unwrap().len(), 5);
}

fn check_top_k(cases: &[(Value, usize)]) {
    let pages: Vec<(String, String)> =
        (0..25).map(|number| (format!("{number}.md"), format!("# Page {number}\n\ncrane\n"))).collect();
    let pages: Vec<(&str, &str)> = pages.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let world = World::new(&pages);
    for (top_k, expected) in cases {
        let answer = world.client().call("search_docs", json!({"query": "crane", "top_k": top_k}));
        assert_eq!(answer["results"].as_array().unwrap().len(), *expected, "top_k {top_k}");
    }
}

#[test]
fn top_k_below_the_range_is_clamped_to_one() {
    check_top_k(&[(json!(0), 1), (json!(-7), 1)]);
}

#[test]
fn top_k_inside_the_range_is_taken_as_it_is() {
    check_top_k(&[(json!(1), 1), (json!(20), 20), (json!(3.0), 3)]);
}

#[test]
fn top_k_above_the_range_is_clamped_to_twenty() {
    check_top_k(&[(json!(21), 20), (json!(1e18), 20), (json!(u64::MAX), 20)]);
}

#[test]
fn limit_is_the_number_of_results_up_to_fifty() {
    let world = library();
    for (limit, expected) in [(7, 7), (50, 27)] {
        let answer = world.client().call("search_docs", json!({"query": "crane", "limit": limit}));
        assert_eq!(answer["results"].as_array().unwrap().len(), expected, "limit {limit}");
    }
}

#[test]
fn a_limit_outside_its_range_is_an_error() {
    let world = library();
    for (limit, expected) in [
        (json!(0), "between 1 and 50"),
        (json!(51), "between 1 and 50"),
        (json!(-1), "between 1 and 50"),
        (json!("ten"), "limit must be"),
    ] {
        let told = world.client().refused("search_docs", json!({"query": "crane", "limit": limit}));
        assert!(told.contains(expected), "limit {limit}: {told}");
    }
}

#[test]
fn top_k_and_limit_with_different_values_are_an_error() {
    let world = library();
    let mut client = world.client();
    let told = client.refused("search_docs", json!({"query": "crane", "top_k": 3, "limit": 4}));
    assert!(told.contains("top_k") && told.contains("limit"), "{told}");
    let answer = client.call("search_docs", json!({"query": "crane", "top_k": 3, "limit": 3}));
    assert_eq!(answer["results"].as_array().unwrap().len(), 3);
}

#[test]
fn an_empty_query_is_refused_with_the_message_of_the_specification() {
    let world = library();
    let mut client = world.client();
    for arguments in [json!({}), json!({"query": ""}), json!({"query": " \n\t "}), json!({"query": null})] {
        let told = client.refused("search_docs", arguments.clone());
        assert!(told.starts_with("query parameter is required"), "{arguments}: {told}");
    }
}

#[test]
fn search_docs_with_file_filter_returns_results_only_from_matching_paths() {
    let world = library();
    let arguments = json!({"query": UNIQUE, "file_filter": "epics/*", "top_k": 20});
    let answer = world.client().call("search_docs", arguments);
    let found = paths(&answer);
    assert!(!found.is_empty());
    assert!(found.iter().all(|path| path.starts_with("epics/")), "{found:?}");
}

fn check_filter(cases: &[(&str, &[&str])]) {
    let world = library();
    for (pattern, expected) in cases {
        let arguments = json!({"query": "crane boxes", "file_filter": pattern, "top_k": 20});
        let answer = world.client().call("search_docs", arguments);
        let mut found = paths(&answer);
        found.sort_unstable();
        found.dedup();
        assert_eq!(found, *expected, "{pattern}");
    }
}

#[test]
fn file_filter_names_a_single_file() {
    check_filter(&[("architecture.md", &["architecture.md"]), ("./architecture.md", &["architecture.md"])]);
}

#[test]
fn file_filter_star_stays_inside_a_folder() {
    check_filter(&[("epics/*", &["epics/loading.md", "epics/storage.md"]), ("epics*", &["epics-draft.md"])]);
}

#[test]
fn file_filter_double_star_crosses_folders() {
    check_filter(&[
        ("epics/**", &["epics/archive/old.md", "epics/loading.md", "epics/storage.md"]),
        ("**/*.markdown", &["notes/weekly.markdown"]),
    ]);
}

#[test]
fn file_filter_takes_alternatives_classes_and_single_characters() {
    check_filter(&[
        ("{architecture,epics-draft}.md", &["architecture.md", "epics-draft.md"]),
        ("notes/[dw]*", &["notes/daily.md", "notes/weekly.markdown"]),
        ("epics/storag?.md", &["epics/storage.md"]),
    ]);
}

#[test]
fn file_filter_that_matches_no_files_returns_nothing_out_of_nothing() {
    let world = library();
    let answer = world.client().call("search_docs", json!({"query": "crane", "file_filter": "none/*"}));
    assert_eq!(answer["results"], json!([]));
    assert_eq!(answer["total_chunks"], 0);
    assert!(answer["hint"]["message"].as_str().unwrap().contains("none/*"), "{answer}");
}

#[test]
fn total_chunks_counts_the_index_or_what_the_filter_leaves() {
    let world = library();
    let mut client = world.client();
    let status = client.call("get_status", json!({}));
    let all = client.call("search_docs", json!({"query": "crane"}));
    assert_eq!(all["total_chunks"], status["index"]["total_chunks"]);
    let some = client.call("search_docs", json!({"query": "crane", "file_filter": "epics/loading.md"}));
    assert_eq!(some["total_chunks"], 2);
}

#[test]
fn there_is_no_threshold_so_a_query_about_nothing_still_returns_top_k() {
    let world = library();
    let answer = world.client().call("search_docs", json!({"query": "zzyzx qwrtp", "top_k": 4}));
    assert_eq!(answer["results"].as_array().unwrap().len(), 4);
}

#[test]
fn the_same_search_gives_the_same_answer() {
    let world = library();
    let arguments = json!({"query": "the crane lifts boxes", "top_k": 20});
    let mut one = world.client().call("search_docs", arguments.clone());
    let mut other = world.client().call("search_docs", arguments);
    one["query_ms"].take();
    other["query_ms"].take();
    assert_eq!(one, other);
}

#[test]
fn wrong_types_are_refused_with_what_to_send_instead() {
    let world = library();
    let mut client = world.client();
    let cases = [
        (json!({"query": 7}), "query must be a string"),
        (json!({"query": ["crane"]}), "query must be a string"),
        (json!({"query": "crane", "top_k": "five"}), "top_k must be a whole number"),
        (json!({"query": "crane", "top_k": true}), "top_k must be a whole number"),
        (json!({"query": "crane", "file_filter": 7}), "file_filter must be a string"),
        (json!({"query": "crane", "mode": "fuzzy"}), "mode must be one of: hybrid, semantic, lexical"),
        (json!({"query": "crane", "cursor": {}}), "cursor must be a string"),
        (json!({"query": "crane", "max_chars": "many"}), "max_chars must be a whole number"),
        (json!({"query": "crane", "collection": "nope"}), "The collections are: docs"),
        (json!({"query": "crane", "file_fliter": "x"}), "There is no parameter `file_fliter`"),
    ];
    for (arguments, expected) in cases {
        let told = client.refused("search_docs", arguments.clone());
        assert!(told.contains(expected), "{arguments}: {told}");
    }
}

#[test]
fn what_was_searched_is_told() {
    let world = library();
    let searched = &world.client().call("search_docs", json!({"query": "crane"}))["searched"];
    assert_eq!(searched["collections"][0]["name"], "docs");
    assert_eq!(searched["collections"][0]["documents"], 10);
    assert_eq!((&searched["mode"], &searched["lexical"]), (&json!("hybrid"), &json!(true)));
    assert_eq!(searched["vector"]["used"], true);
    assert_eq!(searched["degraded"], json!([]));
}

#[test]
fn a_search_without_a_model_says_so_and_answers_by_words() {
    let files = [("a.md", "# A\n\nThe crane lifts boxes.\n"), ("b.md", "# B\n\nNothing.\n")];
    let world = Setup { vectors: Vectors::None, ..Setup::new(&files) }.start();
    let answer = world.client().call("search_docs", json!({"query": "crane"}));
    assert_eq!(ids(&answer), ["a.md#a"]);
    assert_eq!(answer["results"][0]["similarity"], Value::Null);
    assert_eq!(answer["searched"]["vector"]["used"], false);
}

#[test]
fn a_file_that_failed_to_convert_is_told_and_the_rest_is_searched() {
    let world = World::quiet(&[("known-result.md", &fixture("docs-tools/known-result.md"))]);
    std::fs::write(world.docs.join("broken.md"), b"\xff\xff crane \xff").unwrap();
    let answer = world.client().call("search_docs", json!({"query": UNIQUE}));
    assert_eq!(paths(&answer)[0], "known-result.md");
    let degraded = answer["searched"]["degraded"].to_string();
    assert!(degraded.contains("could not be indexed"), "{degraded}");
}

/// With the built-in model: the words of the question are mostly not those of the answer.
#[test]
fn among_documents_with_overlapping_topics_the_right_section_is_first() {
    let files = fixture_folder("docs-tools/search-relevance");
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let world = Setup { vectors: Vectors::MiniLm, ..Setup::new(&files) }.start();
    let check = |query: &str, expected: &str| {
        let answer = world.client().call("search_docs", json!({"query": query}));
        assert_eq!(ids(&answer)[0], expected, "{query}");
    };
    check("exponential backoff with jitter", "retries.md#retries/waiting-between-attempts");
    check("how long is the pause before the next attempt", "retries.md#retries/waiting-between-attempts");
    check("how many requests may I still make", "rate-limits.md#rate-limits/reading-the-headers");
    check("replace an API key without downtime", "authentication.md#authentication/rotating-keys");
    check("my secret leaked", "authentication.md#authentication/lost-credentials");
    check("abort a running request", "timeouts.md#timeouts/cancelling-by-hand");
    check("TLS handshake takes too long", "timeouts.md#timeouts/connecting");
    check("poll the state of a long running task", "jobs.md#background-jobs/watching-progress");
    check("which calls are slow", "logging.md#logging/finding-a-slow-request");
    let check = |query: &str, expected: &str| {
        let answer = world.client().call("search_docs", json!({"query": query}));
        assert_eq!(paths(&answer)[0], expected, "{query}");
    };
    check("which status codes are sent again", "retries.md");
    check("token bucket", "rate-limits.md");
    check("raise our quota", "rate-limits.md");
    check("clear stored answers from disk", "caching.md");
}
