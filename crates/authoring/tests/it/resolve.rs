//! Which manifest governs a page, and what wins.

use docent_authoring::{Manifest, Manifests, Origin, Resolved};
use serde_json::{Value, json};

fn manifest(mut value: Value) -> Manifest {
    value["version"] = json!("1");
    let (manifest, findings) = Manifest::parse(&value.to_string());
    assert_eq!(findings, [], "{value}");
    manifest
}

fn resolve(manifests: &Manifests, path: &str, text: &str) -> Resolved {
    manifests.resolve(path, &docent_text::parse(path, text))
}

/// `h2/6000/200 from origin`; sizes that nobody set are left out.
fn check(manifests: &Manifests, path: &str, text: &str, expected: &str) {
    let resolved = resolve(manifests, path, text);
    let strategy = resolved.strategy.map_or("none".to_owned(), |strategy| {
        let sizes = [strategy.max_chunk_size, strategy.min_chunk_size];
        let sizes = sizes.into_iter().flatten().map(|size| format!("/{size}"));
        format!("{}{}", strategy.chunk_by, sizes.collect::<String>())
    });
    assert_eq!(format!("{strategy} from {}", resolved.origin), expected, "{path} {text:?}");
}

fn check_metadata(manifests: &Manifests, path: &str, text: &str, expected: &[(&str, &str)]) {
    let metadata = resolve(manifests, path, text).metadata;
    let pairs: Vec<_> = metadata.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    assert_eq!(pairs, expected, "{path} {text:?}");
}

fn nested() -> Manifests {
    let base = json!({"strategy": {"chunk_by": "file"}, "metadata": {"base": 1}});
    let mut manifests = Manifests::new(manifest(base));
    manifests.insert("a", manifest(json!({"strategy": {"chunk_by": "h1"}, "metadata": {"a": 1}})));
    manifests.insert("a/b", manifest(json!({"metadata": {"b": 1}})));
    manifests
}

#[test]
fn the_nearest_manifest_governs_alone() {
    let manifests = nested();
    check(&manifests, "x.md", "", "file from settings");
    check(&manifests, "ab/x.md", "", "file from settings");
    check(&manifests, "a/x.md", "", "h1 from a/.docs-mcp.json");
    check(&manifests, "a/c/x.md", "", "h1 from a/.docs-mcp.json");
    check(&manifests, "a/b/x.md", "", "none from default");
    check_metadata(&manifests, "a/b/x.md", "", &[("b", "1")]);
    check_metadata(&manifests, "a/x.md", "", &[("a", "1")]);
    assert_eq!(manifests.nearest("a/b/c/x.md").map(|(folder, _)| folder), Some("a/b"));
    assert!(manifests.nearest("x.md").is_none());
}

#[test]
fn a_manifest_of_the_root_takes_the_place_of_the_settings() {
    let mut manifests = nested();
    manifests.insert("", manifest(json!({"metadata": {"root": 1}})));
    check(&manifests, "x.md", "", "none from default");
    check_metadata(&manifests, "x.md", "", &[("root", "1")]);
}

#[test]
fn overrides_are_relative_and_read_from_top_to_bottom() {
    let mut manifests = Manifests::default();
    manifests.insert(
        "docs",
        manifest(json!({
            "strategy": {"chunk_by": "h2", "max_chunk_size": 9000},
            "metadata": {"k": "base", "z": "base"},
            "overrides": [
                {"pattern": "api/**", "strategy": {"chunk_by": "h3"}, "metadata": {"k": "api"}},
                {"pattern": "api/old/*.md", "metadata": {"k": "old"}},
                {"pattern": "**/index.md", "strategy": {"chunk_by": "file"}},
            ]
        })),
    );
    check(&manifests, "docs/a.md", "", "h2/9000 from docs/.docs-mcp.json");
    check(&manifests, "docs/api/a.md", "", "h3 from docs/.docs-mcp.json (api/**)");
    check(&manifests, "docs/api/old/a.md", "", "h3 from docs/.docs-mcp.json (api/**)");
    check(&manifests, "docs/api/index.md", "", "file from docs/.docs-mcp.json (**/index.md)");
    check_metadata(&manifests, "docs/api/old/a.md", "", &[("k", "old"), ("z", "base")]);
    check(&manifests, "api/a.md", "", "none from default");
}

#[test]
fn a_comment_replaces_the_fields_that_it_names() {
    let mut manifests = Manifests::default();
    manifests.insert("", manifest(json!({"strategy": {"chunk_by": "h2", "max_chunk_size": 9000}})));
    check(&manifests, "a.md", "# A\n\n<!-- mcp_chunking_hint: h3 -->\n", "h3/9000 from comment at line 3");
    check(&manifests, "a.md", "<!-- mcp_chunking_hint: \"h3\" -->\n", "h3/9000 from comment at line 1");
    let size = "<!-- mcp_chunking_hint: {\"max_chunk_size\": 100} -->\n";
    check(&manifests, "a.md", size, "h2/100 from comment at line 1");
    check(&Manifests::default(), "a.md", size, "h2/100 from comment at line 1");
}

#[test]
fn a_broken_comment_does_not_count() {
    let manifests = nested();
    for hint in ["{", "h7", "{}", "{\"chunk_by\": \"h7\"}", "[]", "3", ""] {
        check(&manifests, "a.md", &format!("<!-- mcp_chunking_hint: {hint} -->\n"), "file from settings");
    }
    let hint = |value: &str| format!("<!-- mcp_chunking_hint: {value} -->\n\n");
    let three = hint("{") + &hint("h1") + &hint("h2");
    check(&manifests, "a.md", &three, "h1 from comment at line 3");
}

#[test]
fn front_matter_replaces_everything() {
    let mut manifests = Manifests::default();
    manifests.insert("", manifest(json!({"strategy": {"chunk_by": "h2", "max_chunk_size": 9000}})));
    let front = |fields: &str| format!("---\n{fields}\n---\n<!-- mcp_chunking_hint: h3 -->\n");
    check(&manifests, "a.md", &front("mcp_chunking_hint: file"), "file from front matter");
    check(&manifests, "a.md", &front("mcp_chunking_hint: {chunk_by: h1}"), "h1 from front matter");
    let strategy =
        "mcp_strategy:\n  chunk_by: h1\n  max_chunk_size: 50\n  min_chunk_size: 5\nmcp_chunking_hint: h2";
    check(&manifests, "a.md", &front(strategy), "h1/50/5 from front matter");
    check(&manifests, "a.md", &front("mcp_strategy: {max_chunk_size: 5}"), "h3/9000 from comment at line 4");
}

#[test]
fn metadata_merges_in_the_same_order() {
    let manifests = nested();
    let text = "---\nmetadata: {c: front, d: front}\nmcp_metadata: {d: mcp}\n---\n# A\n\
        <!-- mcp_metadata: {\"a\": \"comment\", \"c\": \"comment\", \"n\": 3} -->\n\n## B\n\n\
        <!-- mcp_metadata: {\"orphan\": \"x\"} -->\n";
    let expected = [("a", "comment"), ("c", "front"), ("d", "mcp"), ("n", "3")];
    check_metadata(&manifests, "a/x.md", text, &expected);
}

#[test]
fn taxonomies_are_joined() {
    let mut manifests = Manifests::new(manifest(json!({"taxonomy": {"k": ["a"], "base": []}})));
    let other = json!({"values": ["b", "a"], "vector_collapse": true, "description": "d"});
    manifests.insert("x", manifest(json!({"taxonomy": {"k": other}})));
    let taxonomy = manifests.taxonomy();
    assert_eq!(taxonomy.0["k"].values.as_deref().unwrap(), ["a", "b"]);
    assert!(taxonomy.0["k"].vector_collapse);
    assert_eq!(taxonomy.0.len(), 2);
    manifests.insert("", manifest(json!({})));
    assert_eq!(manifests.taxonomy().0.len(), 1);
}

#[test]
fn instructions_are_joined_cleaned_and_cut() {
    let mut manifests = Manifests::new(manifest(json!({"mcpServerInstructions": "Base."})));
    assert_eq!(manifests.instructions().as_deref(), Some("Base."));
    manifests.insert("b", manifest(json!({"mcpServerInstructions": "B\u{202e}.\u{7}"})));
    manifests.insert("a", manifest(json!({"mcpServerInstructions": "A."})));
    assert_eq!(manifests.instructions().as_deref(), Some("Base.\n\nA.\n\nB."));
    manifests.insert("", manifest(json!({"mcpServerInstructions": "é".repeat(2000)})));
    assert_eq!(manifests.instructions().unwrap().chars().count(), 1500);
    assert_eq!(Manifests::default().instructions(), None);
}

#[test]
fn the_fingerprint_follows_what_changes_pages() {
    let print = |value: Value| {
        let mut manifests = Manifests::default();
        manifests.insert("", manifest(value));
        manifests.fingerprint()
    };
    assert_eq!(Manifests::default().fingerprint(), "");
    assert_eq!(print(json!({})), "");
    assert_eq!(print(json!({"mcpServerInstructions": "x", "taxonomy": {"a": ["b"]}})), "");
    let all = [
        print(json!({"strategy": {"chunk_by": "h1"}})),
        print(json!({"strategy": {"chunk_by": "h1", "max_chunk_size": 9}})),
        print(json!({"metadata": {"a": 1}})),
        print(json!({"overrides": [{"pattern": "a", "metadata": {"a": 1}}]})),
        print(json!({"overrides": [{"pattern": "b", "metadata": {"a": 1}}]})),
    ];
    let different: std::collections::BTreeSet<_> = all.iter().collect();
    assert_eq!(different.len(), all.len());
    let mut below = Manifests::default();
    below.insert("a", manifest(json!({})));
    assert_ne!(below.fingerprint(), "");
}

#[test]
fn a_comment_is_named_as_the_origin() {
    let resolved = resolve(&Manifests::default(), "a.md", "\n\n<!-- mcp_chunking_hint: h1 -->\n");
    assert_eq!(resolved.origin, Origin::Comment { line: 3 });
}
