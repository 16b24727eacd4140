//! Search on small folders with known answers.

use docent_engine::{EngineError, FacetExpr, Filter, Fusion, Mode, PathGlob, SearchRequest};

use crate::world::{World, paths, search};

fn world() -> World {
    World::new(&[
        (
            "pods.md",
            "---\nmetadata:\n  language: yaml\n---\n# Pods\n\nA pod is the smallest unit.\n\n## Expose\n\nUse a service to expose a pod.\n",
        ),
        (
            "guides/retries.md",
            "---\nmetadata:\n  language: rust\n---\n# Retries\n\n## Backoff\n\nThe zanzibar constant doubles the wait.\n",
        ),
        ("guides/timeouts.md", "# Timeouts\n\nA timeout ends a call.\n"),
    ])
}

fn ask(change: impl FnOnce(&mut SearchRequest)) -> Result<Vec<String>, EngineError> {
    let mut request = SearchRequest::new("the wait of a call to a pod");
    change(&mut request);
    let answer = world().synced().search(&request)?;
    Ok(answer.results.into_iter().map(|hit| hit.chunk_id).collect())
}

#[test]
fn a_unique_phrase_is_found_first() {
    let world = world();
    let answer = search(&world.synced(), "zanzibar constant");
    let hit = &answer.results[0];
    assert_eq!(hit.chunk_id, "guides/retries.md#retries/backoff");
    assert_eq!(hit.metadata.heading_path, "Retries > Backoff");
    assert_eq!((hit.metadata.start_line, hit.metadata.end_line), (7, 9));
    assert_eq!(hit.metadata.facets["language"], "rust");
    assert_eq!(hit.content, "## Backoff\n\nThe zanzibar constant doubles the wait.\n");
    assert_eq!(hit.metadata.content_hash.len(), 64);
}

#[test]
fn scores_fall_from_at_most_one() {
    let world = world();
    let answer = search(&world.synced(), "expose a pod");
    let scores: Vec<f32> = answer.results.iter().map(|hit| hit.score).collect();
    assert!(scores[0] <= 1.0 && scores.iter().all(|score| *score >= 0.0));
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
}

#[test]
fn in_semantic_mode_the_score_is_the_cosine() {
    let world = world();
    let mut request = SearchRequest::new("expose a pod");
    request.mode = Mode::Semantic;
    let answer = world.synced().search(&request).unwrap();
    for hit in answer.results {
        assert_eq!(Some(hit.score), hit.similarity.map(|cosine| cosine.clamp(0.0, 1.0)));
    }
}

#[test]
fn a_path_filter_is_applied_before_cutting_to_k() {
    let filtered = ask(|request| {
        request.top_k = 2;
        request.filter.path = Some(PathGlob::new("guides/**").unwrap());
    });
    let filtered = filtered.unwrap();
    assert_eq!(filtered.len(), 2);
    assert!(filtered.iter().all(|id| id.starts_with("guides/")));
}

#[test]
fn a_facet_filter_keeps_only_its_value() {
    let rust = FacetExpr::Is { key: "language".into(), value: "rust".into() };
    let found = ask(|request| request.filter.facets = Some(rust)).unwrap();
    assert!(!found.is_empty() && found.iter().all(|id| id.starts_with("guides/retries.md")));
}

#[test]
fn a_facet_value_without_hits_suggests_others() {
    let world = world();
    let mut request = SearchRequest::new("zanzibar constant");
    request.mode = Mode::Lexical;
    request.filter.facets = Some(FacetExpr::Is { key: "language".into(), value: "yaml".into() });
    let answer = world.synced().search(&request).unwrap();
    assert!(answer.results.is_empty());
    let hint = answer.hint.unwrap();
    assert_eq!(hint.suggested_filters[0].key, "language");
    assert_eq!(hint.suggested_filters[0].values, ["rust"]);
}

#[test]
fn a_filter_that_matches_no_file_gives_nothing_and_zero_chunks() {
    let world = world();
    let mut request = SearchRequest::new("pod");
    request.filter = Filter { path: Some(PathGlob::new("nowhere/**").unwrap()), ..Filter::default() };
    let answer = world.synced().search(&request).unwrap();
    assert!(answer.results.is_empty());
    assert_eq!(answer.total_chunks, 0);
    assert!(answer.hint.is_some());
}

#[test]
fn an_empty_query_is_refused_in_the_words_of_the_spec() {
    let error = ask(|request| request.query = "  ".into()).unwrap_err();
    assert_eq!(error.message, "query parameter is required");
}

#[test]
fn a_query_over_the_limit_is_refused() {
    let error = ask(|request| request.query = "x".repeat(5000)).unwrap_err();
    assert!(error.message.contains("4096"));
}

#[test]
fn pages_of_results_do_not_overlap() {
    let first = ask(|request| request.top_k = 2).unwrap();
    let second = ask(|request| (request.top_k, request.offset) = (2, 2)).unwrap();
    assert!(first.iter().all(|id| !second.contains(id)));
}

#[test]
fn rank_fusion_can_be_asked_for() {
    let found = ask(|request| request.fusion = Fusion::Rrf).unwrap();
    assert!(!found.is_empty());
}

#[test]
fn an_explanation_adds_up_to_the_score() {
    let world = world();
    let mut request = SearchRequest::new("expose a pod");
    request.explain = true;
    for hit in world.synced().search(&request).unwrap().results {
        let parts = hit.explanation.unwrap();
        assert!((parts.lexical + parts.vector - hit.score).abs() < 1e-5);
    }
}

#[test]
fn what_was_searched_is_said() {
    let world = world();
    let engine = world.engine(docent_engine::Freshness::EachCall);
    engine.sync(None, &docent_engine::Silent, &docent_engine::Cancel::default()).unwrap();
    let answer = search(&engine, "pod");
    assert!(answer.searched.degraded.iter().any(|reason| reason.contains("vectors are still being built")));
    assert_eq!(paths(&answer)[0], "pods.md");
    let complete = search(&world.synced(), "pod");
    assert!(complete.searched.degraded.is_empty(), "{:?}", complete.searched.degraded);
    assert_eq!(complete.searched.vector.embedded, complete.searched.vector.total);
}

#[test]
fn a_page_is_found_by_its_title_alone() {
    let world = World::new(&[
        ("a.md", "# Walrus\n\n## Food\n\nClams.\n\n## Sleep\n\nMuch.\n"),
        ("b.md", "---\ntitle: Narwhal\n---\n## Food\n\nFish.\n"),
        ("c.md", "# Other\n\nNothing.\n"),
    ]);
    let engine = world.synced();
    for (query, page) in [("walrus", "a.md"), ("narwhal", "b.md")] {
        let mut request = SearchRequest::new(query);
        request.mode = Mode::Lexical;
        let answer = engine.search(&request).unwrap();
        assert_eq!(paths(&answer), [page], "{query}");
        assert!(answer.results[0].score > 0.0);
    }
}

#[test]
fn headings_above_a_chunk_are_no_part_of_its_words() {
    let world = World::new(&[("a.md", "# Walrus\n\nAbout the walrus.\n\n## Food\n\nClams.\n")]);
    let engine = world.synced();
    let mut request = SearchRequest::new("walrus");
    (request.mode, request.explain) = (Mode::Lexical, true);
    let answer = engine.search(&request).unwrap();
    let hits: Vec<_> = answer.results.iter().map(|hit| hit.chunk_id.as_str()).collect();
    assert_eq!(hits, ["a.md#walrus"]);
}
