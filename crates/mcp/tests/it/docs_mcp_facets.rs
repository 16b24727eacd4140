//! docs-mcp §4 with labels that come from manifests: enums, filters before ranking, auto-include, guided discovery.

use serde_json::{Value, json};

use crate::anvil_search_docs::paths;
use crate::authored::{MANIFEST, manifest};
use crate::world::World;

const TOOLS: &str = "notifications/tools/list_changed";
const SDK: &str = "sdk-specific";
const GUIDE: &str = "global-guide";

/// Guides and one folder for each language, labelled by manifests alone.
fn files() -> Vec<(String, String)> {
    let labels = json!({
        "metadata": {"scope": SDK},
        "overrides": [
            {"pattern": "go/**", "metadata": {"language": "go"}},
            {"pattern": "typescript/**", "metadata": {"language": "typescript"}},
        ],
    });
    let mut files = vec![
        ("guides/.docs-mcp.json", manifest(json!({"metadata": {"scope": GUIDE}}))),
        ("sdks/.docs-mcp.json", manifest(labels)),
        ("guides/retries.md", "# Guide\n\nretry everywhere\n".to_owned()),
        ("sdks/go/retries.md", "# Go\n\nretry in go\n".to_owned()),
        ("sdks/typescript/retries.md", "# Typescript\n\nretry in typescript\n".to_owned()),
        ("sdks/typescript/hooks.md", "# Hooks\n\nfrobnicate the hook\n".to_owned()),
        ("notes.md", "# Notes\n\nretry notes\n".to_owned()),
    ];
    files.sort();
    files.into_iter().map(|(path, text)| (path.to_owned(), text)).collect()
}

fn world() -> World {
    start(&files(), World::quiet)
}

fn start(files: &[(String, String)], how: impl Fn(&[(&str, &str)]) -> World) -> World {
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    how(&files)
}

fn search(world: &World, mut arguments: Value) -> Value {
    arguments["limit"] = json!(50);
    if arguments.get("query").is_none() {
        arguments["query"] = json!("retry");
    }
    arguments["mode"] = json!("lexical");
    world.client().call("search_docs", arguments)
}

fn check(world: &World, arguments: Value, expected: &[&str]) {
    let answer = search(world, arguments.clone());
    let mut found = paths(&answer);
    found.sort_unstable();
    assert_eq!(found, expected, "{arguments}");
}

#[test]
fn values_from_manifests_are_enums_in_the_schema() {
    let parameters = world().client().parameters("search_docs");
    assert_eq!(parameters["language"]["enum"], json!(["go", "typescript"]));
    assert_eq!(parameters["scope"]["enum"], json!([GUIDE, SDK]));
}

#[test]
fn numbers_and_booleans_are_values_too() {
    let labels = manifest(json!({"metadata": {"major": 2, "beta": true}}));
    let world = World::quiet(&[("a.md", "# A\n\nretry\n"), (MANIFEST, &labels)]);
    let parameters = world.client().parameters("search_docs");
    assert_eq!(parameters["major"]["enum"], json!(["2"]));
    assert_eq!(parameters["beta"]["enum"], json!(["true"]));
    check(&world, json!({"major": "2", "beta": "true"}), &["a.md"]);
}

#[test]
fn values_that_no_page_has_are_not_offered() {
    let labels = manifest(json!({
        "metadata": {"tier": "gold"}, "taxonomy": {"tier": {"values": ["gold", "tin"]}, "team": {"values": ["core"]}},
    }));
    let world = World::quiet(&[("a.md", "# A\n"), (MANIFEST, &labels)]);
    let parameters = world.client().parameters("search_docs");
    assert_eq!(parameters["tier"]["enum"], json!(["gold"]));
    assert_eq!(parameters.get("team"), None);
}

#[test]
fn the_description_of_a_key_is_that_of_its_parameter() {
    let labels = manifest(json!({
        "metadata": {"tier": "gold", "language": "go"},
        "taxonomy": {
            "tier": {"description": "Support tier of the product"},
            "language": {"description": "Programming language of the SDK"},
        },
    }));
    let world = World::quiet(&[("a.md", "# A\n"), (MANIFEST, &labels)]);
    let parameters = world.client().parameters("search_docs");
    assert_eq!(parameters["tier"]["description"], "Support tier of the product");
    let language = parameters["language"]["description"].as_str().unwrap();
    assert!(language.starts_with("Programming language of the SDK"), "{language}");
}

#[test]
fn a_label_is_in_the_metadata_of_a_hit() {
    let answer = search(&world(), json!({"language": "go", "scope": SDK}));
    let metadata = &answer["results"][0]["metadata"];
    assert_eq!((&metadata["language"], &metadata["scope"]), (&json!("go"), &json!(SDK)));
}

#[test]
fn filters_are_pushed_down_before_ranking() {
    let labels = manifest(json!({"overrides": [
        {"pattern": "python/*", "metadata": {"language": "python"}},
        {"pattern": "go/*", "metadata": {"language": "go"}},
    ]}));
    let mut files = vec![(MANIFEST.to_owned(), labels)];
    for number in 0..150 {
        files.push((format!("python/{number}.md"), format!("# Retry {number}\n\nretry retry backoff\n")));
    }
    for number in 0..3 {
        let text = format!("# Other {number}\n\nsomething else, and at the end of many more words a retry\n");
        files.push((format!("go/{number}.md"), text));
    }
    let world = start(&files, World::quiet);
    for mode in ["hybrid", "semantic", "lexical"] {
        let arguments = json!({"query": "retry backoff", "mode": mode, "limit": 5, "language": "go"});
        let answer = world.client().call("search_docs", arguments);
        let mut found = paths(&answer);
        found.sort_unstable();
        assert_eq!(found, ["go/0.md", "go/1.md", "go/2.md"], "{mode}");
        assert_eq!(answer["total_chunks"], 3);
    }
}

#[test]
fn a_language_never_brings_another_language() {
    let world = world();
    for mode in ["hybrid", "semantic", "lexical"] {
        let arguments = json!({"query": "retry in typescript", "mode": mode, "language": "go", "limit": 50});
        let answer = world.client().call("search_docs", arguments);
        assert!(paths(&answer).iter().all(|path| !path.contains("typescript")), "{mode}: {answer}");
    }
}

#[test]
fn a_language_without_a_scope_includes_global_guides() {
    check(&world(), json!({"language": "go"}), &["guides/retries.md", "sdks/go/retries.md"]);
    check(&world(), json!({"language": "typescript"}), &["guides/retries.md", "sdks/typescript/retries.md"]);
}

#[test]
fn an_explicit_scope_is_respected_exactly() {
    check(&world(), json!({"language": "go", "scope": SDK}), &["sdks/go/retries.md"]);
    check(&world(), json!({"language": "go", "scope": GUIDE}), &[]);
    check(&world(), json!({"scope": GUIDE}), &["guides/retries.md"]);
}

#[test]
fn without_a_language_nothing_is_filtered() {
    let all = ["guides/retries.md", "notes.md", "sdks/go/retries.md", "sdks/typescript/retries.md"];
    check(&world(), json!({}), &all);
}

#[test]
fn auto_include_begins_when_a_manifest_names_the_guides() {
    let mut files = files();
    files.retain(|(path, _)| path != "guides/.docs-mcp.json");
    let world = start(&files, World::quiet);
    check(&world, json!({"language": "go"}), &["sdks/go/retries.md"]);
    world.write("guides/.docs-mcp.json", &manifest(json!({"metadata": {"scope": GUIDE}})));
    check(&world, json!({"language": "go"}), &["guides/retries.md", "sdks/go/retries.md"]);
}

#[test]
fn without_hits_the_values_that_have_some_are_suggested() {
    let answer = search(&world(), json!({"query": "frobnicate", "language": "go"}));
    assert_eq!(answer["results"], json!([]));
    assert!(!answer["hint"]["message"].as_str().unwrap().is_empty());
    let expected = json!([{"key": "language", "values": ["typescript"]}]);
    assert_eq!(answer["hint"]["suggested_filters"], expected);
}

#[test]
fn the_tools_have_changed_when_a_manifest_brings_a_facet() {
    let world = start(&files(), World::new);
    let mut client = world.client();
    assert_eq!(client.parameters("search_docs").get("tier"), None);
    world.write(MANIFEST, &manifest(json!({"metadata": {"tier": "gold"}})));
    client.notice(TOOLS);
    assert_eq!(client.parameters("search_docs")["tier"]["enum"], json!(["gold"]));
}

#[test]
fn the_tools_have_changed_when_a_manifest_gives_another_value() {
    let world = start(&files(), World::new);
    let mut client = world.client();
    client.tools();
    world.write("guides/.docs-mcp.json", &manifest(json!({"metadata": {"scope": "handbook"}})));
    client.notice(TOOLS);
    assert_eq!(client.parameters("search_docs")["scope"]["enum"], json!(["handbook", SDK]));
}

#[test]
fn the_tools_have_changed_when_the_manifest_is_gone() {
    let world = start(&files(), World::new);
    let mut client = world.client();
    client.tools();
    world.remove("sdks/.docs-mcp.json");
    client.notice(TOOLS);
    assert_eq!(client.parameters("search_docs").get("language"), None);
}

#[test]
fn the_tools_have_changed_when_only_a_description_has() {
    let labels = |text: &str| {
        manifest(json!({"metadata": {"tier": "gold"}, "taxonomy": {"tier": {"description": text}}}))
    };
    let world = World::new(&[("a.md", "# A\n"), (MANIFEST, &labels("Old words"))]);
    let mut client = world.client();
    assert_eq!(client.parameters("search_docs")["tier"]["description"], "Old words");
    world.write(MANIFEST, &labels("New words"));
    client.notice(TOOLS);
    assert_eq!(client.parameters("search_docs")["tier"]["description"], "New words");
}

#[test]
fn a_changed_manifest_is_in_the_schema_of_the_next_call() {
    let world = world();
    let mut client = world.client();
    client.tools();
    world.write(MANIFEST, &manifest(json!({"metadata": {"tier": "gold"}})));
    assert_eq!(client.parameters("search_docs")["tier"]["enum"], json!(["gold"]));
    world.remove(MANIFEST);
    assert_eq!(client.parameters("search_docs").get("tier"), None);
}
