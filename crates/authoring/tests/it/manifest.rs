//! What becomes of a manifest's text, and at which line a mistake is reported.

use docent_authoring::{Code, Manifest};
use docent_text::{ChunkBy, Strategy};
use proptest::prelude::*;
use serde_json::json;

fn read(text: &str) -> Manifest {
    let (manifest, findings) = Manifest::parse(text);
    assert_eq!(findings, [], "{text}");
    manifest
}

/// One mistake, and what is left when its fix is applied.
fn check(text: &str, code: Code, line: usize, message: &str, fixed: Option<&str>) {
    let (_, findings) = Manifest::parse(text);
    let [finding] = findings.as_slice() else { panic!("{text}: {findings:?}") };
    assert_eq!((finding.code, finding.line), (code, line), "{text}: {finding:?}");
    assert!(finding.message.contains(message), "{text}: {finding:?}");
    assert!(!finding.hint.is_empty());
    let got = finding.fix.as_ref().map(|fix| {
        let mut text = text.to_owned();
        text.replace_range(fix.bytes.clone(), &fix.replacement);
        text
    });
    assert_eq!(got.as_deref(), fixed, "{text}");
    if let Some(fixed) = got {
        assert_eq!(Manifest::parse(&fixed).1, [], "{fixed}");
    }
}

#[test]
fn every_key_is_read() {
    let manifest = read(
        r#"{
          "$schema": "x", "version": "1",
          "strategy": {"chunk_by": "h2", "max_chunk_size": 8000, "min_chunk_size": 200},
          "metadata": {"language": "go", "beta": true, "major": 2},
          "taxonomy": {
            "language": {"vector_collapse": true, "description": "SDK", "values": ["go", "rust"],
                         "properties": {"go": {"mcp_resource": true}, "rust": {"mcp_resource": false}}},
            "scope": ["guide", "sdk"]
          },
          "overrides": [{"pattern": "a/**", "strategy": {"chunk_by": "heading"}, "metadata": {"scope": "guide"}}],
          "mcpServerInstructions": " Search here first. "
        }"#,
    );
    let sizes = Strategy { chunk_by: ChunkBy::H2, max_chunk_size: Some(8000), min_chunk_size: Some(200) };
    assert_eq!(manifest.strategy, Some(sizes));
    assert_eq!(manifest.metadata["beta"], "true");
    assert_eq!(manifest.metadata["major"], "2");
    let language = &manifest.taxonomy.0["language"];
    assert_eq!(language.values.as_deref().unwrap(), ["go", "rust"]);
    assert!(
        language.vector_collapse && language.resources.contains("go") && !language.resources.contains("rust")
    );
    assert_eq!(manifest.taxonomy.0["scope"].values.as_deref().unwrap(), ["guide", "sdk"]);
    assert_eq!(manifest.overrides[0].strategy, Some(Strategy::by(ChunkBy::Heading)));
    assert_eq!(manifest.instructions.as_deref(), Some("Search here first."));
    assert_eq!(read(&manifest.to_text()), manifest);
    assert_eq!(read(&Manifest::default().to_text()), Manifest::default());
}

#[test]
fn settings_need_no_version() {
    let (manifest, findings) = Manifest::from_value(&json!({"strategy": {"chunk_by": "h1"}}));
    assert_eq!((manifest.strategy, findings.len()), (Some(Strategy::by(ChunkBy::H1)), 0));
    let (_, findings) = Manifest::from_value(&json!({"strategy": {"chunk_by": "h9"}}));
    assert_eq!(findings.len(), 1);
}

#[test]
fn what_is_no_object_is_one_finding() {
    check("", Code::ManifestJson, 1, "empty", None);
    check("[]", Code::ManifestJson, 1, "a list, not an object", None);
    check("{\n\"version\": \"1\"\n\"strategy\": {}}", Code::ManifestJson, 3, "not valid JSON", None);
    check(&"[".repeat(100_000), Code::ManifestJson, 1, "nested too deeply", None);
    check(&" ".repeat(1_000_001), Code::ManifestJson, 1, "limit", None);
}

#[test]
fn comments_and_trailing_commas_are_reported_and_the_rest_counts() {
    let text = "{\"version\": \"1\",\n \"strategy\": {\"chunk_by\": \"h1\"}, // why\n}";
    check(text, Code::ManifestJson, 2, "not JSON", None);
    assert!(Manifest::parse(text).0.strategy.is_some());
}

#[test]
fn the_version() {
    check("{}", Code::ManifestVersion, 1, "no `version`", Some(r#"{ "version": "1" }"#));
    check(
        "{\n  \"metadata\": {}\n}",
        Code::ManifestVersion,
        1,
        "no `version`",
        Some("{\n  \"version\": \"1\",\n  \"metadata\": {}\n}"),
    );
    check(r#"{"version": 1}"#, Code::ManifestVersion, 1, "`1` is not known", Some(r#"{"version": "1"}"#));
    check(r#"{"version": "2"}"#, Code::ManifestVersion, 1, "`2` is not known", None);
}

#[test]
fn unknown_keys_come_with_the_nearest() {
    check(
        "{\"version\": \"1\",\n\"startegy\": {\"chunk_by\": \"h2\"}}",
        Code::ManifestKey,
        2,
        "unknown key `startegy`",
        Some("{\"version\": \"1\",\n\"strategy\": {\"chunk_by\": \"h2\"}}"),
    );
    check(r#"{"version": "1", "colour": 1}"#, Code::ManifestKey, 1, "`colour`", None);
    check(
        r#"{"version": "1", "overrides": [{"pattern": "a", "patern": "b"}]}"#,
        Code::ManifestKey,
        1,
        "`patern` in `overrides[0]`",
        None,
    );
    check(
        r#"{"version": "1", "taxonomy": {"k": {"value": ["a"]}}}"#,
        Code::ManifestKey,
        1,
        "`value` in `taxonomy.k`",
        Some(r#"{"version": "1", "taxonomy": {"k": {"values": ["a"]}}}"#),
    );
}

#[test]
fn wrong_types() {
    for (text, message) in [
        (r#"{"version": "1", "metadata": []}"#, "`metadata` is a list"),
        (r#"{"version": "1", "metadata": {"a": [1]}}"#, "`metadata.a` is a list"),
        (r#"{"version": "1", "metadata": {"a": null}}"#, "`metadata.a` is null"),
        (r#"{"version": "1", "metadata": {"a": " "}}"#, "`metadata.a` is empty"),
        (r#"{"version": "1", "overrides": {}}"#, "`overrides` is an object"),
        (r#"{"version": "1", "overrides": [1]}"#, "`overrides[0]` is a number"),
        (r#"{"version": "1", "taxonomy": {"a": 1}}"#, "`taxonomy.a` is a number"),
        (r#"{"version": "1", "taxonomy": {"a": [{}]}}"#, "`taxonomy.a` lists an object"),
        (r#"{"version": "1", "taxonomy": {"a": {"vector_collapse": "yes"}}}"#, "not true or false"),
        (r#"{"version": "1", "mcpServerInstructions": 1}"#, "not text"),
        (r#"{"version": "1", "mcpServerInstructions": ""}"#, "empty"),
    ] {
        check(text, Code::ManifestType, 1, message, None);
    }
}

#[test]
fn strategies() {
    let strategy = |inner: &str| format!("{{\"version\": \"1\",\n\"strategy\": {inner}}}");
    for (inner, message, fixed) in [
        ("1", "`strategy` is a number", None),
        ("{}", "no `chunk_by`", None),
        (r#"{"chunk_by": "H3"}"#, "`H3`", Some(r#"{"chunk_by": "h3"}"#)),
        (r#"{"chunk_by": "files"}"#, "`files`", Some(r#"{"chunk_by": "file"}"#)),
        (r#"{"chunk_by": "h4"}"#, "`h4`", None),
        (r#"{"chunk_by": 2}"#, "a number", None),
        (r#"{"chunk_by": "h1", "max_chunk_size": 0}"#, "not a positive whole number", None),
        (r#"{"chunk_by": "h1", "max_chunk_size": -5}"#, "not a positive whole number", None),
        (r#"{"chunk_by": "h1", "max_chunk_size": "9"}"#, "not a positive whole number", None),
        (r#"{"chunk_by": "h1", "max_chunk_size": 10, "min_chunk_size": 20}"#, "larger than", None),
        (r#"{"chunkby": "h1"}"#, "unknown key `chunkby`", Some(r#"{"chunk_by": "h1"}"#)),
    ] {
        check(&strategy(inner), Code::UnknownStrategy, 2, message, fixed.map(strategy).as_deref());
    }
}

#[test]
fn a_broken_size_leaves_the_level() {
    let text = r#"{"version": "1", "strategy": {"chunk_by": "h1", "max_chunk_size": -1}}"#;
    assert_eq!(Manifest::parse(text).0.strategy, Some(Strategy::by(ChunkBy::H1)));
}

#[test]
fn patterns() {
    for (pattern, message) in [
        (r#""a[""#, "is not a pattern"),
        (r#"" ""#, "is empty"),
        ("1", "not text"),
        (r#""!a/**""#, "does not understand"),
        (r#""@(a|b)/*.md""#, "does not understand"),
    ] {
        let list = format!("[\n{{\"pattern\": \"ok\"}},\n{{\"pattern\": {pattern}}}]");
        let text = format!("{{\"version\": \"1\", \"overrides\": {list}}}");
        check(&text, Code::ManifestPattern, 3, message, None);
        assert_eq!(Manifest::parse(&text).0.overrides.len(), 1);
    }
    check(r#"{"version": "1", "overrides": [{}]}"#, Code::ManifestPattern, 1, "no `pattern`", None);
}

#[test]
fn overrides_have_a_limit() {
    let items = vec![r#"{"pattern":"a"}"#; 10_001].join(",");
    let (manifest, findings) = Manifest::parse(&format!("{{\"version\": \"1\", \"overrides\": [{items}]}}"));
    assert_eq!((manifest.overrides.len(), findings.len()), (10_000, 1));
}

/// `"k0": 1, "k1": 1, …`
fn pairs(count: usize, value: &str) -> String {
    (0..count).map(|number| format!("\"k{number}\": {value}")).collect::<Vec<_>>().join(", ")
}

#[test]
fn facets_and_values_have_limits() {
    let check = |inner: String, message: &str| {
        let text = format!("{{\"version\": \"1\", {inner}}}");
        check(&text, Code::ManifestType, 1, message, None);
        Manifest::parse(&text).0
    };
    let values: Vec<String> = (0..110_000).map(|number| format!("\"v{number}\"")).collect();
    let manifest =
        check(format!("\"taxonomy\": {{\"a\": [{}]}}", values[..1001].join(",")), "has 1001 values");
    assert_eq!(manifest.taxonomy.0["a"].values.as_ref().unwrap().len(), 1000);
    check(format!("\"taxonomy\": {{\"a\": [{}]}}", values[..100_000].join(",")), "has 100000 values");
    let manifest = check(format!("\"taxonomy\": {{{}}}", pairs(65, "[1]")), "has 65 facets");
    assert_eq!(manifest.taxonomy.0.len(), 64);
    let manifest = check(format!("\"metadata\": {{{}}}", pairs(50_000, "1")), "has 50000 facets");
    assert_eq!(manifest.metadata.len(), 64);
    let list = format!("[{{\"pattern\": \"a\", \"metadata\": {{{}}}}}]", pairs(65, "1"));
    assert_eq!(check(format!("\"overrides\": {list}"), "has 65 facets").overrides[0].metadata.len(), 64);
}

proptest! {
    #[test]
    fn no_text_panics(text in "\\PC{0,200}") {
        Manifest::parse(&text);
    }

    #[test]
    fn no_cut_of_a_manifest_panics(at in 0usize..400) {
        let text = json!({
            "version": "1", "strategy": {"chunk_by": "h2"}, "metadata": {"é": "日本"},
            "taxonomy": {"k": ["a", 1]}, "overrides": [{"pattern": "a/{b,c}/**", "metadata": {"x": 1}}],
        }).to_string();
        if let Some(start) = text.get(..at) {
            Manifest::parse(start);
            Manifest::parse(&format!("{start}}}"));
        }
    }
}
