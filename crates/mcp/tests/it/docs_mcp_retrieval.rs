//! The retrieval path of docs-mcp: facets in the schema, filters before ranking, the auto-include rule.

use serde_json::{Value, json};

use crate::anvil_search_docs::paths;
use crate::world::{Setup, World};

/// A page with facets.
fn page(facets: &[(&str, &str)], body: &str) -> String {
    let lines: String = facets.iter().map(|(key, value)| format!("  {key}: {value}\n")).collect();
    format!("---\nmetadata:\n{lines}---\n{body}")
}

/// Path, facets and body of a page.
type Page<'a> = (&'a str, &'a [(&'a str, &'a str)], &'a str);

fn world(pages: &[Page<'_>]) -> World {
    let texts: Vec<(&str, String)> =
        pages.iter().map(|(path, facets, body)| (*path, page(facets, body))).collect();
    let files: Vec<(&str, &str)> = texts.iter().map(|(path, text)| (*path, text.as_str())).collect();
    World::new(&files)
}

const SDK: &str = "sdk-specific";
const GUIDE: &str = "global-guide";

/// The same topic in two languages, with guides for both and a page of neither kind.
fn sdks() -> World {
    world(&[
        ("go/retries.md", &[("language", "go"), ("scope", SDK)], "# Retries\n\nretry in go\n"),
        (
            "ts/retries.md",
            &[("language", "typescript"), ("scope", SDK)],
            "# Retries\n\nretry in typescript\n",
        ),
        ("guide.md", &[("scope", GUIDE)], "# Guide\n\nretry everywhere\n"),
        ("ts-guide.md", &[("language", "typescript"), ("scope", GUIDE)], "# TS Guide\n\nretry guide\n"),
        ("ts-note.md", &[("language", "typescript"), ("scope", "internal")], "# Note\n\nretry note\n"),
        ("ts-plain.md", &[("language", "typescript")], "# Plain\n\nretry plain\n"),
        ("none.md", &[("audience", "all")], "# None\n\nretry none\n"),
    ])
}

fn found(world: &World, mut arguments: Value) -> Vec<String> {
    arguments["query"] = json!("retry");
    arguments["top_k"] = json!(20);
    let answer = world.client().call("search_docs", arguments);
    let mut found: Vec<String> = paths(&answer).into_iter().map(str::to_owned).collect();
    found.sort();
    found
}

fn check(world: &World, arguments: Value, expected: &[&str]) {
    assert_eq!(found(world, arguments.clone()), expected, "{arguments}");
}

#[test]
fn valid_values_of_every_facet_are_an_enum_in_the_schema() {
    let parameters = sdks().client().parameters("search_docs");
    assert_eq!(parameters["language"]["enum"], json!(["go", "typescript"]));
    assert_eq!(parameters["scope"]["enum"], json!([GUIDE, "internal", SDK]));
    assert_eq!(parameters["audience"]["enum"], json!(["all"]));
    assert_eq!(parameters["language"]["type"], "string");
}

#[test]
fn without_facets_there_are_no_facet_parameters() {
    let world = World::new(&[("a.md", "---\ntitle: T\nlanguage: go\n---\n# A\n")]);
    let parameters = world.client().parameters("search_docs");
    let names: Vec<&str> = parameters.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "query",
            "top_k",
            "limit",
            "file_filter",
            "cursor",
            "mode",
            "collection",
            "verified_only",
            "max_chars"
        ]
    );
}

#[test]
fn a_facet_cannot_shadow_a_parameter() {
    let world = world(&[("a.md", &[("query", "x"), ("top_k", "y"), ("language", "go")], "# A\n\nretry\n")]);
    let parameters = world.client().parameters("search_docs");
    assert_eq!(parameters["top_k"]["type"], "integer");
    assert_eq!(parameters["query"].get("enum"), None);
    assert_eq!(found(&world, json!({"language": "go"})), ["a.md"]);
}

#[test]
fn a_facet_lets_only_its_value_through() {
    let world = world(&[
        ("go.md", &[("language", "go")], "# Go\n\nretry\n"),
        ("py.md", &[("language", "python")], "# Py\n\nretry retry retry\n"),
        ("none.md", &[("other", "x")], "# None\n\nretry\n"),
    ]);
    assert_eq!(found(&world, json!({"language": "go"})), ["go.md"]);
    assert_eq!(found(&world, json!({"language": "python"})), ["py.md"]);
}

#[test]
fn several_facets_have_to_hold_together() {
    let world = world(&[
        ("a.md", &[("language", "go"), ("version", "1")], "# A\n\nretry\n"),
        ("b.md", &[("language", "go"), ("version", "2")], "# B\n\nretry\n"),
        ("c.md", &[("language", "rust"), ("version", "2")], "# C\n\nretry\n"),
    ]);
    assert_eq!(found(&world, json!({"language": "go", "version": "2"})), ["b.md"]);
    assert_eq!(found(&world, json!({"version": "2", "file_filter": "c*"})), ["c.md"]);
}

#[test]
fn facets_of_a_page_are_in_its_metadata() {
    let answer = sdks().client().call("search_docs", json!({"query": "retry in go", "language": "go"}));
    let hits = answer["results"].as_array().unwrap();
    let hit = hits.iter().find(|hit| hit["metadata"]["file_path"] == "go/retries.md").unwrap();
    assert_eq!((&hit["metadata"]["language"], &hit["metadata"]["scope"]), (&json!("go"), &json!(SDK)));
}

/// Three hundred pages that match better than the three that a filter asks for.
fn crowded(filter: Value) {
    let mut pages: Vec<(String, String)> = (0..300)
        .map(|number| {
            let body = format!("# Retry {number}\n\nretry retry retry backoff\n");
            (format!("python/{number}.md"), page(&[("language", "python")], &body))
        })
        .collect();
    for number in 0..3 {
        let body = format!("# Other {number}\n\nsomething else, and a retry at the end of many more words\n");
        pages.push((format!("go/{number}.md"), page(&[("language", "go")], &body)));
    }
    let pages: Vec<(&str, &str)> = pages.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let world = World::new(&pages);
    for mode in ["hybrid", "semantic", "lexical"] {
        let mut arguments = filter.clone();
        arguments["query"] = json!("retry backoff");
        arguments["mode"] = json!(mode);
        arguments["limit"] = json!(3);
        let answer = world.client().call("search_docs", arguments);
        let mut found = paths(&answer);
        found.sort_unstable();
        assert_eq!(found, ["go/0.md", "go/1.md", "go/2.md"], "{mode} {filter}");
        assert_eq!(answer["total_chunks"], 3);
        assert_eq!(answer["next_cursor"], Value::Null);
    }
}

#[test]
fn a_narrow_facet_returns_as_many_hits_as_exist() {
    crowded(json!({"language": "go"}));
}

#[test]
fn a_narrow_path_filter_returns_as_many_hits_as_exist() {
    crowded(json!({"file_filter": "go/*"}));
}

#[test]
fn a_language_without_a_scope_includes_the_global_guides() {
    let world = sdks();
    check(&world, json!({"language": "typescript"}), &["guide.md", "ts-guide.md", "ts/retries.md"]);
    check(&world, json!({"language": "go"}), &["go/retries.md", "guide.md", "ts-guide.md"]);
}

#[test]
fn an_explicit_scope_is_respected_exactly() {
    let world = sdks();
    check(&world, json!({"language": "typescript", "scope": SDK}), &["ts/retries.md"]);
    check(&world, json!({"language": "typescript", "scope": GUIDE}), &["ts-guide.md"]);
    check(&world, json!({"language": "typescript", "scope": "internal"}), &["ts-note.md"]);
    check(&world, json!({"scope": GUIDE}), &["guide.md", "ts-guide.md"]);
}

#[test]
fn without_any_facet_everything_is_searched() {
    assert_eq!(found(&sdks(), json!({})).len(), 7);
}

#[test]
fn without_a_scope_facet_in_the_index_nothing_is_included() {
    let world = world(&[
        ("go.md", &[("language", "go")], "# Go\n\nretry\n"),
        ("ts.md", &[("language", "typescript")], "# Ts\n\nretry\n"),
    ]);
    assert_eq!(found(&world, json!({"language": "go"})), ["go.md"]);
}

#[test]
fn a_facet_that_was_just_written_can_be_asked_for() {
    let world = World::quiet(&[("a.md", "# A\n\nretry\n")]);
    let mut client = world.client();
    client.call("search_docs", json!({"query": "retry"}));
    world.write("b.md", &page(&[("language", "zig")], "# B\n\nretry\n"));
    let answer = client.call("search_docs", json!({"query": "retry", "language": "zig"}));
    assert_eq!(paths(&answer), ["b.md"]);
}

#[test]
fn a_facet_that_was_just_written_is_in_the_schema() {
    let world = World::quiet(&[("a.md", "# A\n\nretry\n")]);
    let mut client = world.client();
    assert_eq!(client.parameters("search_docs").get("language"), None);
    world.write("b.md", &page(&[("language", "zig")], "# B\n\nretry\n"));
    assert_eq!(client.parameters("search_docs")["language"]["enum"], json!(["zig"]));
    world.remove("b.md");
    assert_eq!(client.parameters("search_docs").get("language"), None);
}

#[test]
fn collections_are_named_in_the_schema_and_a_filter() {
    let world =
        Setup::new(&[("a.md", "# A\n\nretry\n")]).folder("other", &[("b.md", "# B\n\nretry\n")]).start();
    let mut client = world.client();
    for tool in ["search_docs", "get_doc", "get_page", "get_section", "list_pages"] {
        let parameter = client.parameters(tool)["collection"].clone();
        assert!(parameter.to_string().contains("`docs`, `other` or a library"), "{tool}: {parameter}");
    }
    assert_eq!(found(&world, json!({"collection": "other"})), ["b.md"]);
    assert_eq!(found(&world, json!({})), ["a.md", "b.md"]);
}

#[test]
fn a_server_of_one_collection_never_shows_another() {
    let mut setup = Setup::new(&[("a.md", &page(&[("language", "go")], "# A\n\nretry\n"))])
        .folder("secret", &[("b.md", &page(&[("owner", "boss")], "# B\n\nretry\n"))]);
    setup.options.collections = vec!["docs".to_owned()];
    let world = setup.start();
    let mut client = world.client();
    assert_eq!(found(&world, json!({})), ["a.md"]);
    let parameters = client.parameters("search_docs");
    assert!(!parameters.to_string().contains("secret"), "{parameters}");
    assert_eq!(parameters.get("owner"), None);
    assert_eq!(client.call("list_pages", json!({}))["total_pages"], 1);
    assert!(client.refused("get_page", json!({"file_path": "b.md"})).starts_with("No page found"));
    assert!(
        client.refused("search_docs", json!({"query": "retry", "collection": "secret"})).contains("docs")
    );
    let hidden = client.call("search_docs", json!({"query": "retry", "language": "zig"}));
    assert!(!hidden.to_string().contains("boss") && !hidden.to_string().contains("owner"), "{hidden}");
    let listed = client.request("resources/list", json!({}));
    assert_eq!(listed["resources"].as_array().unwrap().len(), 1);
    assert_eq!(client.error("resources/read", json!({"uri": "docent://secret/b.md"}))["code"], -32002);
}

#[test]
fn a_hint_never_names_facets_of_a_collection_that_is_not_served() {
    let mut setup = Setup::new(&[("a.md", &page(&[("language", "go")], "# A\n\nretry\n"))])
        .folder("secret", &[("b.md", &page(&[("owner", "boss")], "# B\n\nretry\n"))]);
    setup.options.collections = vec!["docs".to_owned()];
    let world = setup.start();
    let arguments = json!({"query": "zzyzx", "language": "go", "mode": "lexical"});
    let hint = world.client().call("search_docs", arguments)["hint"].to_string();
    assert!(hint.contains("language") && !hint.contains("owner"), "{hint}");
}
