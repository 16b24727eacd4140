//! Manifests that nobody should write: search goes on, and somebody is told.

use std::path::Path;

use serde_json::{Value, json};

use crate::anvil_search_docs::paths;
use crate::authored::{LEVELS, MANIFEST, cut_at, facet, level_ids, manifest, page_ids};
use crate::client::{Client, Era};
use crate::world::World;

/// Two pages; whatever is wrong with the manifest of `sub` concerns one of them.
fn world() -> World {
    World::quiet(&[("sub/a.md", LEVELS), ("b.md", LEVELS)])
}

const PLACE: &str = "sub/.docs-mcp.json";

/// Both pages are found and can be read.
fn check_search(client: &mut Client) {
    for mode in ["hybrid", "semantic", "lexical"] {
        let answer = client.call("search_docs", json!({"query": "token", "mode": mode, "limit": 50}));
        let found = paths(&answer);
        assert!(found.contains(&"sub/a.md") && found.contains(&"b.md"), "{mode}: {answer}");
    }
    let page = client.call("get_page", json!({"file_path": "sub/a.md"}));
    let text: String =
        page["chunks"].as_array().unwrap().iter().map(|chunk| chunk["content"].as_str().unwrap()).collect();
    assert_eq!(text, LEVELS);
}

/// What `get_status` says of a file.
fn told(client: &mut Client, path: &str) -> Vec<String> {
    let status = client.call("get_status", json!({}));
    let failed = status["failed_files"].as_array().unwrap().iter().map(Value::to_string);
    let degraded = status["degraded"].as_array().unwrap().iter().map(Value::to_string);
    failed.chain(degraded).filter(|line| line.contains(path)).collect()
}

/// The manifest breaks nothing, is named in the status with a reason, and no more once it is put right.
fn check_told(make: impl Fn(&Path), reason: &str) {
    let world = world();
    let mut client = world.client();
    make(&world.docs.join(PLACE));
    check_search(&mut client);
    let lines = told(&mut client, PLACE);
    assert!(lines.iter().any(|line| line.to_lowercase().contains(reason)), "{reason}: {lines:?}");
    std::fs::remove_file(world.docs.join(PLACE)).unwrap();
    world.write(PLACE, &cut_at("h1"));
    assert_eq!(told(&mut client, PLACE), Vec::<String>::new());
    assert_eq!(page_ids(&mut client, "sub/a.md"), level_ids("sub/a.md", "h1"));
}

fn check_bytes(bytes: &[u8], reason: &str) {
    check_told(|path| std::fs::write(path, bytes).unwrap(), reason);
}

#[test]
fn broken_json_is_told() {
    check_bytes(b"{\"version\": \"1\", \"strategy\": {", "json");
    check_bytes(b"not json at all", "json");
    check_bytes(b"[]", "object");
    check_bytes(b"", "empty");
}

#[test]
fn wrong_values_are_told() {
    check_bytes(br#"{"version": "1", "strategy": {"chunk_by": "h9"}}"#, "h9");
    check_bytes(br#"{"version": "1", "strategy": "h2"}"#, "strategy");
    check_bytes(br#"{"version": "1", "metadata": {"tier": ["gold"]}}"#, "tier");
    check_bytes(br#"{"version": "1", "overrides": [{"strategy": {"chunk_by": "h1"}}]}"#, "pattern");
    check_bytes(
        br#"{"version": "1", "strategy": {"chunk_by": "h2", "max_chunk_size": -5}}"#,
        "max_chunk_size",
    );
}

#[test]
fn two_megabytes_are_told() {
    let text = manifest(json!({"mcpServerInstructions": "x".repeat(2 * 1024 * 1024)}));
    check_bytes(text.as_bytes(), "limit");
}

#[test]
fn deep_nesting_is_told() {
    check_bytes("[".repeat(100_000).as_bytes(), "deep");
    let nested =
        format!("{{\"version\": \"1\", \"metadata\": {}1{}}}", "{\"a\":".repeat(20_000), "}".repeat(20_000));
    check_bytes(nested.as_bytes(), "deep");
}

#[test]
fn nul_bytes_are_told() {
    check_bytes(b"{\"version\": \"1\"\0, \"strategy\": {\"chunk_by\": \"h1\"}}", "json");
    check_bytes(&[0; 64], "");
}

#[test]
fn what_is_not_utf_8_is_told() {
    check_bytes(b"{\"version\": \"1\", \"metadata\": {\"tier\": \"\xff\xfe\"}}", "utf-8");
}

#[test]
fn a_broken_manifest_leaves_other_folders_alone() {
    let world = world();
    world.write(MANIFEST, &cut_at("h1"));
    world.write(PLACE, "{");
    assert_eq!(page_ids(&mut world.client(), "b.md"), level_ids("b.md", "h1"));
}

#[test]
fn a_mistake_in_one_field_leaves_the_others_in_force() {
    let world = world();
    world.write(PLACE, r#"{"version": "1", "strategy": {"chunk_by": "h9"}, "metadata": {"tier": "gold"}}"#);
    assert_eq!(facet(&mut world.client(), "sub/a.md", "tier"), "gold");
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_folder_is_not_followed_and_told() {
    let outside = tempfile::tempdir().unwrap();
    let secret = outside.path().join("secret.json");
    std::fs::write(&secret, manifest(json!({"metadata": {"tier": "stolen"}}))).unwrap();
    let world = world();
    let mut client = world.client();
    std::os::unix::fs::symlink(&secret, world.docs.join(PLACE)).unwrap();
    check_search(&mut client);
    assert_eq!(facet(&mut client, "sub/a.md", "tier"), Value::Null);
    assert!(!client.request("tools/list", json!({})).to_string().contains("stolen"));
    assert_ne!(told(&mut client, PLACE), Vec::<String>::new());
}

#[cfg(unix)]
#[test]
fn a_link_to_nothing_or_to_itself_breaks_nothing() {
    for target in ["nowhere.json", ".docs-mcp.json", "/dev/zero"] {
        let world = world();
        std::os::unix::fs::symlink(target, world.docs.join(PLACE)).unwrap();
        check_search(&mut world.client());
    }
}

#[test]
fn a_folder_of_that_name_breaks_nothing() {
    let world = world();
    let mut client = world.client();
    std::fs::create_dir(world.docs.join(PLACE)).unwrap();
    std::fs::write(world.docs.join(PLACE).join("inner.md"), "# Inner\n").unwrap();
    check_search(&mut client);
    assert_eq!(page_ids(&mut client, "b.md"), level_ids("b.md", "heading"));
}

#[test]
fn a_folder_of_that_name_is_told() {
    let world = world();
    let mut client = world.client();
    std::fs::create_dir(world.docs.join(PLACE)).unwrap();
    assert_ne!(told(&mut client, PLACE), Vec::<String>::new());
}

#[test]
fn an_answer_says_that_a_manifest_is_broken() {
    let world = world();
    world.write(PLACE, "{");
    let answer = world.client().call("search_docs", json!({"query": "token"}));
    assert!(
        answer["searched"].to_string().contains("docs-mcp.json")
            || answer["searched"]["degraded"] != json!([]),
        "{answer}"
    );
}

// Characters that nobody sees.

const UNSEEN: [char; 8] =
    ['\u{202e}', '\u{2066}', '\u{200b}', '\u{feff}', '\u{e0041}', '\u{1b}', '\u{200f}', '\u{ad}'];

/// Words with such characters in between.
fn spiked(words: &str) -> String {
    let unseen: String = UNSEEN.iter().collect();
    words.replace('~', &unseen)
}

fn assert_seen(what: &Value) {
    fn check(value: &Value) {
        match value {
            Value::String(text) => assert!(!text.contains(UNSEEN), "{}", text.escape_debug()),
            Value::Array(items) => items.iter().for_each(check),
            Value::Object(fields) => fields.iter().for_each(|(key, value)| {
                assert!(!key.contains(UNSEEN), "{}", key.escape_debug());
                check(value);
            }),
            _ => {}
        }
    }
    check(what);
}

#[test]
fn instructions_have_no_unseen_characters() {
    let text = manifest(json!({"mcpServerInstructions": spiked("Ask ~for the SDK.")}));
    let world = World::quiet(&[("a.md", LEVELS), (MANIFEST, &text)]);
    let hello = world.connect(Era::Legacy).initialize();
    assert!(hello["instructions"].as_str().unwrap().contains("for the SDK."), "{hello}");
    assert_seen(&hello);
}

#[test]
fn descriptions_have_no_unseen_characters() {
    let world = world();
    let field = json!({"description": spiked("Support ~tier")});
    world.write(PLACE, &manifest(json!({"metadata": {"tier": "gold"}, "taxonomy": {"tier": field}})));
    let mut client = world.client();
    let description = client.parameters("search_docs")["tier"]["description"].clone();
    assert!(description.as_str().unwrap().starts_with("Support"), "{description}");
    assert_seen(&client.request("tools/list", json!({})));
}

#[test]
fn labels_have_no_unseen_characters() {
    let world = world();
    world.write(PLACE, &manifest(json!({"metadata": {"tier": spiked("go~ld"), spiked("te~am"): "core"}})));
    let mut client = world.client();
    assert_seen(&client.request("tools/list", json!({})));
    let answer = client.call("search_docs", json!({"query": "token", "limit": 50}));
    assert!(paths(&answer).contains(&"sub/a.md"));
    assert_seen(&answer);
}

#[test]
fn reasons_have_no_unseen_characters() {
    let world = world();
    world.write(PLACE, &manifest(json!({"strategy": {"chunk_by": spiked("h~9")}, spiked("me~ta"): 1})));
    let mut client = world.client();
    assert_ne!(told(&mut client, PLACE), Vec::<String>::new());
    assert_seen(&client.call("get_status", json!({})));
}

#[test]
fn a_label_cannot_take_the_place_of_a_field() {
    let world = world();
    let labels = json!({"file_path": "elsewhere.md", "start_line": 1, "content_hash": "0", "title": "Other"});
    world.write(PLACE, &manifest(json!({"metadata": labels})));
    let answer = world.client().call("search_docs", json!({"query": "token", "file_filter": "sub/*"}));
    let metadata = &answer["results"][0]["metadata"];
    assert_eq!((&metadata["file_path"], &metadata["title"]), (&json!("sub/a.md"), &json!("Guide")));
    assert_eq!(metadata["content_hash"].as_str().unwrap().len(), 64);
}

#[test]
fn ten_thousand_labels_and_overrides_break_nothing() {
    let world = world();
    let labels: serde_json::Map<String, Value> =
        (0..3_000).map(|number| (format!("k{number}"), json!("v"))).collect();
    let overrides: Vec<Value> = (0..3_000).map(|number| json!({"pattern": format!("{number}/**")})).collect();
    world.write(PLACE, &manifest(json!({"metadata": labels, "overrides": overrides})));
    let mut client = world.client();
    check_search(&mut client);
    let tools = client.request("tools/list", json!({})).to_string();
    assert!(tools.len() < 100_000, "{}", tools.len());
}

#[test]
fn patterns_that_match_slowly_or_not_at_all_break_nothing() {
    for pattern in [
        "**/**/**/**/**/**/**/**/x",
        "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}",
        "[",
        "../../*",
        "/etc/*",
        &"*a".repeat(400),
    ] {
        let world = world();
        world.write(
            PLACE,
            &manifest(json!({"overrides": [{"pattern": pattern, "metadata": {"tier": "gold"}}]})),
        );
        check_search(&mut world.client());
    }
}
