//! What authors say in manifests and pages reaches the index, at once.

use docent_engine::{Engine, FacetExpr, Filter, Freshness, SearchRequest};

use crate::world::{World, search, sync};

const PAGE: &str = "# Guide\n\ntop\n\n## Auth\n\nauth\n\n### Token\n\ntoken\n";

fn ids(engine: &Engine, path: &str) -> Vec<String> {
    engine.page(&[], path).unwrap().chunks.into_iter().map(|chunk| chunk.chunk_id).collect()
}

fn check(files: &[(&str, &str)], path: &str, expected: &[&str]) {
    let world = World::new(files);
    assert_eq!(ids(&world.synced(), path), expected, "{files:?}");
}

fn manifest(strategy: &str) -> String {
    format!(r#"{{"version": "1", "strategy": {{"chunk_by": "{strategy}"}}}}"#)
}

#[test]
fn without_any_word_from_the_authors_every_heading_starts_a_chunk() {
    check(&[("a.md", PAGE)], "a.md", &["a.md#guide", "a.md#guide/auth", "a.md#guide/auth/token"]);
}

#[test]
fn a_manifest_without_a_strategy_means_h2() {
    check(
        &[("a.md", PAGE), (".docs-mcp.json", r#"{"version": "1"}"#)],
        "a.md",
        &["a.md#guide", "a.md#guide/auth"],
    );
}

#[test]
fn a_manifest_governs_the_folders_below_it() {
    check(&[("x/y/a.md", PAGE), (".docs-mcp.json", &manifest("h1"))], "x/y/a.md", &["x/y/a.md#guide"]);
}

#[test]
fn the_nearest_manifest_wins() {
    let files =
        [("x/a.md", PAGE), (".docs-mcp.json", &manifest("h1")), ("x/.docs-mcp.json", &manifest("h2"))];
    check(&files, "x/a.md", &["x/a.md#guide", "x/a.md#guide/auth"]);
}

#[test]
fn overrides_count_in_order() {
    let overrides = r#"{"version": "1", "strategy": {"chunk_by": "h1"}, "overrides": [
        {"pattern": "**/*.md", "strategy": {"chunk_by": "file"}},
        {"pattern": "a.md", "strategy": {"chunk_by": "h3"}}]}"#;
    let files = [("a.md", PAGE), ("b.md", PAGE), (".docs-mcp.json", overrides)];
    check(&files, "a.md", &["a.md#guide", "a.md#guide/auth", "a.md#guide/auth/token"]);
    check(&files, "b.md", &["b.md"]);
}

#[test]
fn a_comment_wins_over_the_manifest_and_front_matter_over_the_comment() {
    let comment = format!("<!-- mcp_chunking_hint: {{\"chunk_by\": \"h1\"}} -->\n\n{PAGE}");
    let both = format!("---\nmcp_chunking_hint: file\n---\n{comment}");
    let files = [("a.md", comment.as_str()), ("b.md", &both), (".docs-mcp.json", &manifest("h3"))];
    check(&files, "a.md", &["a.md#_preamble", "a.md#guide"]);
    check(&files, "b.md", &["b.md"]);
}

#[test]
fn facets_merge_in_the_same_order() {
    let manifest = r#"{"version": "1", "metadata": {"language": "go", "scope": "sdk-specific", "tier": "1"},
        "overrides": [{"pattern": "a.md", "metadata": {"scope": "global-guide"}}]}"#;
    let page = "---\nmetadata:\n  language: rust\n---\n# A\n";
    let world = World::new(&[("a.md", page), (".docs-mcp.json", manifest)]);
    let facets = world.synced().page(&[], "a.md").unwrap().facets;
    let facets: Vec<_> = facets.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    assert_eq!(facets, [("language", "rust"), ("scope", "global-guide"), ("tier", "1")]);
}

#[test]
fn a_changed_manifest_is_seen_by_the_next_call() {
    for watching in [false, true] {
        let world = World::new(&[("a.md", PAGE), ("x/b.md", PAGE)]);
        let engine = world.engine(Freshness::EachCall);
        sync(&engine);
        if watching {
            engine.start_background().unwrap();
        }
        assert_eq!(ids(&engine, "a.md").len(), 3);
        world.write(".docs-mcp.json", &manifest("h1"));
        assert_eq!(ids(&engine, "a.md"), ["a.md#guide"], "watching: {watching}");
        world.write("x/.docs-mcp.json", &manifest("file"));
        assert_eq!(ids(&engine, "x/b.md"), ["x/b.md"]);
        world.write("x/.docs-mcp.json", &manifest("h2"));
        assert_eq!(ids(&engine, "x/b.md"), ["x/b.md#guide", "x/b.md#guide/auth"]);
        world.remove("x/.docs-mcp.json");
        assert_eq!(ids(&engine, "x/b.md"), ["x/b.md#guide"]);
        world.remove(".docs-mcp.json");
        assert_eq!(ids(&engine, "a.md").len(), 3);
    }
}

#[test]
fn an_unchanged_manifest_costs_nothing() {
    let world = World::new(&[("a.md", PAGE), (".docs-mcp.json", &manifest("h2"))]);
    let engine = world.synced();
    std::thread::sleep(std::time::Duration::from_millis(60));
    sync(&engine);
    let generation = engine.content_generation().unwrap();
    assert_eq!(sync(&engine).unchanged, 1);
    search(&engine, "auth");
    assert_eq!(engine.content_generation().unwrap(), generation);
}

#[test]
fn a_broken_manifest_is_reported_and_the_rest_of_it_holds() {
    let world = World::new(&[
        ("a.md", PAGE),
        (
            ".docs-mcp.json",
            "{\"version\": \"1\",\n\"strategy\": {\"chunk_by\": \"h9\"},\n\"metadata\": {\"k\": \"v\"}}",
        ),
    ]);
    let engine = world.engine(Freshness::EachCall);
    let report = sync(&engine);
    assert_eq!(report.problems[0].path, ".docs-mcp.json");
    assert!(report.problems[0].reason.starts_with("line 2"), "{:?}", report.problems);
    assert_eq!(engine.page(&[], "a.md").unwrap().facets["k"], "v");
    assert_eq!(engine.status().unwrap().failed_files, report.problems);
    assert!(search(&engine, "auth").searched.degraded.iter().any(|reason| reason.contains("manifest")));
    world.write(".docs-mcp.json", &manifest("h2"));
    assert!(search(&engine, "auth").searched.degraded.is_empty());
    assert!(engine.status().unwrap().failed_files.is_empty());
}

#[test]
fn deeper_sections_of_a_chunk_can_be_read() {
    let world = World::new(&[("a.md", PAGE), (".docs-mcp.json", &manifest("h1"))]);
    let engine = world.synced();
    let section = engine.section(&[], "a.md", "Guide > Auth").unwrap();
    assert_eq!(section.content, "## Auth\n\nauth\n\n### Token\n\ntoken\n");
    assert_eq!((section.metadata.start_line, section.metadata.end_line), (5, 11));
    let around = engine.around(&[], "a.md#token", 0).unwrap();
    assert_eq!(around.section.chunk_id, "a.md#guide/auth/token");
    let error = engine.section(&[], "a.md", "Guide > Tokens").unwrap_err();
    assert!(error.hint.contains("Guide > Auth > Token"), "{}", error.hint);
}

const SDK: &str = r#"{"version": "1", "taxonomy": {"language": {"vector_collapse": true}},
    "overrides": [{"pattern": "sdk/go/**", "metadata": {"language": "go"}},
                  {"pattern": "sdk/rust/**", "metadata": {"language": "rust"}}]}"#;

fn sdk() -> World {
    let page =
        |language: &str, more: &str| format!("# {language} SDK\n\n## Retries\n\nRetry with backoff{more}.\n");
    World::new(&[
        (".docs-mcp.json", SDK),
        ("sdk/go/retry.md", &page("Go", "")),
        ("sdk/rust/retry.md", &page("Rust", " backoff backoff retry")),
        ("guide.md", "# Guide\n\n## Retries\n\nAbout retry and backoff.\n"),
    ])
}

fn hits(engine: &Engine, language: Option<&str>) -> Vec<(String, Vec<String>)> {
    let mut request = SearchRequest::new("retry backoff");
    request.filter = Filter {
        facets: language.map(|value| FacetExpr::Is { key: "language".to_owned(), value: value.to_owned() }),
        ..Filter::default()
    };
    let answer = engine.search(&request).unwrap();
    answer.results.into_iter().map(|hit| (hit.chunk_id, hit.variants)).collect()
}

#[test]
fn pages_that_differ_only_in_a_collapsing_facet_are_one_hit() {
    let world = sdk();
    let engine = world.synced();
    let hits = hits(&engine, None);
    let of_sdk: Vec<_> =
        hits.iter().filter(|(id, _)| id.starts_with("sdk/") && id.ends_with("/retries")).collect();
    assert_eq!(of_sdk.len(), 1, "{hits:?}");
    let (kept, folded) = of_sdk[0];
    let mut both = vec![kept.as_str(), folded[0].as_str()];
    both.sort_unstable();
    assert_eq!(both, ["sdk/go/retry.md#go-sdk/retries", "sdk/rust/retry.md#rust-sdk/retries"]);
    assert!(hits.iter().any(|(id, _)| id.starts_with("guide.md")), "{hits:?}");
}

#[test]
fn who_filters_by_the_facet_sees_its_page() {
    let world = sdk();
    let engine = world.synced();
    for language in ["go", "rust"] {
        let hits = hits(&engine, Some(language));
        assert!(
            hits.iter().all(|(id, folded)| id.starts_with(&format!("sdk/{language}/")) && folded.is_empty())
        );
        assert!(!hits.is_empty());
    }
}

#[test]
fn without_the_authors_word_nothing_is_folded() {
    let world = sdk();
    world.write(".docs-mcp.json", &SDK.replace("true", "false"));
    let engine = world.synced();
    assert_eq!(
        hits(&engine, None)
            .iter()
            .filter(|(id, _)| id.ends_with("/retries") && id.starts_with("sdk"))
            .count(),
        2
    );
}

#[test]
fn what_the_authors_say_travels_with_the_collection() {
    let world = World::new(&[
        ("a.md", PAGE),
        (
            ".docs-mcp.json",
            r#"{"version": "1", "mcpServerInstructions": "Ask for the SDK.",
                "taxonomy": {"tier": {"description": "Support tier", "properties": {"gold": {"mcp_resource": true}}}}}"#,
        ),
    ]);
    let engine = world.synced();
    let about = engine.about(&[]).unwrap();
    assert_eq!(about.instructions.as_deref(), Some("Ask for the SDK."));
    assert_eq!(about.facets["tier"].description.as_deref(), Some("Support tier"));
    assert!(about.is_resource(&[("tier".to_owned(), "gold".to_owned())].into()));
    assert!(!about.is_resource(&[("tier".to_owned(), "tin".to_owned())].into()));
}
