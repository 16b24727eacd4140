//! What each command prints, for people and as JSON.

use insta::assert_snapshot;

use crate::support::Project;

#[test]
fn index_tells_what_it_did() {
    let project = Project::new();
    let first = project.run(&["index"]);
    assert_snapshot!("index_first", first.shown(&project));
    let second = project.run(&["index"]);
    assert_snapshot!("index_again", second.shown(&project));
    project.write("docs/services.md", "# Services\n\nAll new.\n");
    std::fs::remove_file(project.root().join("docs/start.md")).unwrap();
    let report = project.json(&["index", "--json"]);
    assert_eq!(report["changed"], 1);
    assert_eq!(report["deleted"], 1);
    assert_eq!(report["unchanged"], 1);
    assert_eq!(report["embedded"], report["passages"]);
}

#[test]
fn index_json() {
    let project = Project::new();
    assert_snapshot!(project.redact(&project.ok(&["index", "docs", "--json"])));
}

#[test]
fn rebuild_reads_everything_again() {
    let project = Project::new();
    project.ok(&["index"]);
    let report = project.json(&["index", "--rebuild", "--json"]);
    assert_eq!((report["changed"].as_u64(), report["unchanged"].as_u64()), (Some(3), Some(0)));
    project.ok(&["check"]);
}

#[test]
fn without_embedding_the_words_are_searchable() {
    let project = Project::new();
    let report = project.json(&["index", "--no-embed", "--json"]);
    assert_eq!(report["embedded"], 0);
    let answer = project.json(&["search", "backoff", "--json", "--wait", "0"]);
    assert_eq!(answer["results"][0]["chunk_id"], "guides/retries.md#retries/backoff-strategy");
    assert!(answer["searched"]["degraded"][0].as_str().unwrap().contains("vectors are still being built"));
}

#[test]
fn search_shows_ranked_hits() {
    let project = Project::new();
    assert_snapshot!(project.run(&["search", "how", "do", "I", "expose", "a", "pod"]).shown(&project));
}

#[test]
fn search_explains_its_scores() {
    let project = Project::new();
    assert_snapshot!(project.run(&["search", "--explain", "-k1", "exponential backoff"]).shown(&project));
}

#[test]
fn search_json() {
    let project = Project::new();
    assert_snapshot!(project.redact(&project.ok(&[
        "search",
        "--json",
        "--explain",
        "-k",
        "1",
        "exponential backoff"
    ])));
}

#[test]
fn search_filters_before_it_ranks() {
    let project = Project::new();
    let ids = |args: &[&str]| -> Vec<String> {
        let answer = project.json(&[&["search", "--json", "retries"], args].concat());
        let hits = answer["results"].as_array().unwrap();
        hits.iter().map(|hit| hit["metadata"]["file_path"].as_str().unwrap().to_owned()).collect()
    };
    assert!(ids(&["--path", "services.md"]).iter().all(|path| path == "services.md"));
    assert!(ids(&["--facet", "language=rust"]).iter().all(|path| path == "guides/retries.md"));
    assert_eq!(ids(&["-k", "0"]).len(), 1);
    assert_eq!(ids(&["--limit", "2"]).len(), 2);
}

#[test]
fn without_an_embedder_search_is_by_words() {
    let project = Project::new();
    let answer = project.json(&["search", "--json", "--embedder", "none", "backoff"]);
    assert_eq!(answer["searched"]["mode"], "lexical");
    assert_eq!(answer["searched"]["degraded"], serde_json::json!([]));
}

#[test]
fn nothing_found_is_told() {
    let project = Project::new();
    let human = project.run(&["search", "--mode", "lexical", "zebra"]);
    human.check_error(1, "nothing found for \"zebra\"", "other words");
    let json = project.run(&["search", "--mode", "lexical", "--json", "zebra"]);
    assert_eq!(json.code, Some(1));
    assert!(serde_json::from_str::<serde_json::Value>(&json.out).unwrap()["hint"]["message"].is_string());
    let facet = project.run(&["search", "--mode", "lexical", "--facet", "language=go", "backoff"]);
    facet.check_error(1, "nothing found", "language=rust");
}

#[test]
fn changes_are_seen_by_the_next_command() {
    let project = Project::new();
    project.ok(&["index"]);
    project.write("docs/new.md", "# Zebras\n\nStriped.\n");
    assert!(project.ok(&["search", "--mode", "lexical", "zebras"]).contains("new.md:1"));
    std::fs::remove_file(project.root().join("docs/new.md")).unwrap();
    assert_eq!(project.run(&["search", "--mode", "lexical", "zebras"]).code, Some(1));
    assert_eq!(project.run(&["get", "new.md"]).code, Some(1));
}

#[test]
fn get_prints_pages_and_sections_as_written() {
    let project = Project::new();
    let written = std::fs::read_to_string(project.root().join("docs/guides/retries.md")).unwrap();
    assert_eq!(project.ok(&["get", "guides/retries.md"]), written);
    let limits = "## Limits\n\nNo more than ten attempts are made.\n";
    assert_eq!(project.ok(&["get", "guides/retries.md#retries/limits"]), limits);
    assert_eq!(project.ok(&["get", "guides/retries.md#limits"]), limits);
    let absolute = project.root().join("docs/services.md").display().to_string();
    assert!(project.ok(&["get", &absolute]).starts_with("# Services"));
    assert_snapshot!("get_page", project.redact(&project.ok(&["get", "--json", "start.md"])));
    assert_snapshot!("get_section", project.redact(&project.ok(&["get", "--json", "services.md#ports"])));
}

#[test]
fn get_names_what_is_near() {
    let project = Project::new();
    project.run(&["get", "guides/retry.md"]).check_error(
        1,
        "No page found at path: guides/retry.md",
        "guides/retries.md",
    );
    project.run(&["get", "guides/retries.md#limit"]).check_error(1, "No section found", "Retries > Limits");
}

#[test]
fn list_shows_pages() {
    let project = Project::new();
    assert_snapshot!("list", project.run(&["list"]).shown(&project));
    assert_snapshot!("list_json", project.redact(&project.ok(&["list", "guides", "--json"])));
    project.run(&["list", "nowhere/"]).check_error(1, "no pages under nowhere/", "docent list");
}

#[test]
fn status_shows_the_whole_picture() {
    let project = Project::new();
    project.ok(&["index"]);
    assert_snapshot!("status", project.run(&["status"]).shown(&project));
    assert_snapshot!("status_json", project.redact(&project.ok(&["status", "--json"])));
}

#[test]
fn check_finds_the_index_sound() {
    let project = Project::new();
    project.run(&["check"]).check_error(1, "there is no index at", "docent index");
    assert!(!project.root().join(".docent").exists());
    project.ok(&["index"]);
    assert_snapshot!("check", project.run(&["check"]).shown(&project));
    assert_eq!(project.json(&["check", "--json"])["sound"], true);
}

#[test]
fn completions_are_for_the_shell() {
    let project = Project::new();
    for (shell, start) in [("bash", "_docent()"), ("zsh", "#compdef docent"), ("fish", "# Print an optspec")]
    {
        assert!(project.ok(&["completions", shell]).starts_with(start), "{shell}");
    }
    assert_eq!(project.json(&["completions", "bash", "--json"])["shell"], "bash");
}

#[test]
fn eval_measures_a_judged_set() {
    let project = Project::new();
    project.write("set/corpus.jsonl", "{\"_id\":\"a\",\"title\":\"Pods\",\"text\":\"A pod runs containers.\"}\n{\"_id\":\"b\",\"title\":\"Nodes\",\"text\":\"A node runs pods.\"}\n");
    project.write("set/queries.jsonl", "{\"_id\":\"1\",\"text\":\"containers\"}\n");
    project.write("set/qrels.tsv", "query-id\tcorpus-id\tscore\n1\ta\t1\n");
    let report = project.json(&["eval", "--beir", "set", "--json"]);
    assert_eq!(report["ndcg_at_10"]["mean"], 1.0);
    for field in ["recall_at_10", "mrr_at_10", "latency_ms", "index_bytes", "build_seconds"] {
        assert!(!report[field].is_null(), "{field}");
    }
    assert!(project.ok(&["eval", "--beir", "set"]).contains("nDCG@10    1.000"));
    assert!(!project.root().join(".docent").exists());
    project.run(&["eval", "--beir", "nowhere"]).check_error(2, "nowhere", "");
}

#[test]
fn a_cursor_leads_to_the_next_hits_in_another_process() {
    let project = Project::new();
    let first = project.json(&["search", "--json", "-k", "2", "retries"]);
    let cursor = first["next_cursor"].as_str().unwrap().to_owned();
    let second = project.json(&["search", "--json", "-k", "2", "--cursor", &cursor, "retries"]);
    let ids = |answer: &serde_json::Value| -> Vec<String> {
        answer["results"].as_array().unwrap().iter().map(|hit| hit["chunk_id"].to_string()).collect()
    };
    assert!(!ids(&second).is_empty());
    assert!(ids(&second).iter().all(|id| !ids(&first).contains(id)));
    let other = project.run(&["search", "--json", "--cursor", &cursor, "services"]);
    assert_eq!(other.code, Some(2));
    assert_eq!(
        other.err,
        "error: the cursor belongs to another search\nhint: search again without a cursor\n"
    );
}
