//! Hints in pages, and which word counts: default, manifest, overrides in order, comment, front matter.

use serde_json::{Value, json};

use crate::authored::{LEVELS, MANIFEST, cut_at, facet, level_ids, manifest, page_ids};
use crate::world::World;

/// Who speaks, from the weakest to the strongest.
const SPEAKERS: [&str; 4] = ["manifest", "override", "comment", "front matter"];

/// What everybody says about a page; nobody else does.
struct Said<'a>(&'a [(&'a str, &'a str)]);

impl Said<'_> {
    fn of(&self, speaker: &str) -> Option<&str> {
        self.0.iter().find(|(who, _)| *who == speaker).map(|(_, said)| *said)
    }

    /// A page and the manifest over it, with what is said wrapped by `value` under the given names.
    fn files(
        &self,
        field: &str,
        comment: &str,
        front: &str,
        value: impl Fn(&str) -> Value,
    ) -> (String, Option<String>) {
        let mut page = LEVELS.to_owned();
        if let Some(said) = self.of("comment") {
            page = page.replacen("top\n", &format!("top\n\n<!-- {comment}: {} -->\n", value(said)), 1);
        }
        if let Some(said) = self.of("front matter") {
            page = format!("---\n{front}: {}\n---\n{page}", value(said));
        }
        let mut fields = json!({});
        if let Some(said) = self.of("manifest") {
            fields[field] = value(said);
        }
        if let Some(said) = self.of("override") {
            fields["overrides"] = json!([{"pattern": "*.md", field: value(said)}]);
        }
        let is_governed = fields != json!({}) || self.of("default").is_some();
        (page, is_governed.then(|| manifest(fields)))
    }
}

fn start((page, manifest): &(String, Option<String>)) -> World {
    let mut files = vec![("a.md", page.as_str())];
    files.extend(manifest.as_deref().map(|text| (MANIFEST, text)));
    World::quiet(&files)
}

/// Cuts as the last of these says.
fn check_cut(said: &[(&str, &str)]) {
    let expected = said.last().unwrap().1;
    for front in ["mcp_strategy", "mcp_chunking_hint"] {
        let files =
            Said(said).files("strategy", "mcp_chunking_hint", front, |level| json!({"chunk_by": level}));
        let ids = page_ids(&mut start(&files).client(), "a.md");
        assert_eq!(ids, level_ids("a.md", expected), "{said:?} {files:?}");
    }
}

/// Has the value that the last of these gives it.
fn check_label(said: &[(&str, &str)]) {
    let expected = said.last().unwrap().1;
    for front in ["metadata", "mcp_metadata"] {
        let files = Said(said).files("metadata", "mcp_metadata", front, |value| json!({"tier": value}));
        assert_eq!(facet(&mut start(&files).client(), "a.md", "tier"), expected, "{said:?} {files:?}");
    }
}

fn check_pair(weaker: &str, stronger: &str) {
    for (one, other) in [("h1", "h3"), ("h3", "h1"), ("file", "h2"), ("h2", "file"), ("heading", "h2")] {
        check_cut(&[(weaker, one), (stronger, other)]);
    }
    check_label(&[(weaker, "gold"), (stronger, "tin")]);
    check_label(&[(weaker, "tin"), (stronger, "gold")]);
}

#[test]
fn everybody_is_heard_alone() {
    for speaker in SPEAKERS {
        for level in ["file", "h1", "h2", "h3", "heading"] {
            check_cut(&[(speaker, level)]);
        }
        check_label(&[(speaker, "gold")]);
    }
}

#[test]
fn everybody_overrules_the_default_of_a_manifest() {
    for speaker in SPEAKERS {
        for level in ["file", "h1", "h3"] {
            check_cut(&[("default", "h2"), (speaker, level)]);
        }
    }
    check_cut(&[("default", "h2")]);
}

#[test]
fn an_override_overrules_its_manifest() {
    check_pair("manifest", "override");
}

#[test]
fn a_comment_overrules_the_manifest() {
    check_pair("manifest", "comment");
}

#[test]
fn front_matter_overrules_the_manifest() {
    check_pair("manifest", "front matter");
}

#[test]
fn a_comment_overrules_an_override() {
    check_pair("override", "comment");
}

#[test]
fn front_matter_overrules_an_override() {
    check_pair("override", "front matter");
}

#[test]
fn front_matter_overrules_a_comment() {
    check_pair("comment", "front matter");
}

#[test]
fn the_strongest_of_all_counts() {
    let all = [("manifest", "h1"), ("override", "file"), ("comment", "h2"), ("front matter", "h3")];
    for count in 1..=all.len() {
        check_cut(&all[..count]);
        check_label(&all[..count]);
    }
}

#[test]
fn labels_of_all_speakers_are_merged() {
    let page = "---\nmetadata:\n  d: front\n---\n# A\n\n<!-- mcp_metadata: {\"c\": \"comment\", \"d\": \"comment\"} -->\n\ntext\n";
    let manifest = manifest(json!({
        "metadata": {"a": "manifest", "b": "manifest", "c": "manifest", "d": "manifest"},
        "overrides": [{"pattern": "**", "metadata": {"b": "override", "c": "override"}}],
    }));
    let world = World::quiet(&[("a.md", page), (MANIFEST, &manifest)]);
    let mut client = world.client();
    for (key, value) in [("a", "manifest"), ("b", "override"), ("c", "comment"), ("d", "front")] {
        assert_eq!(facet(&mut client, "a.md", key), value, "{key}");
    }
}

#[test]
fn a_hint_governs_a_page_that_no_manifest_governs() {
    let page = format!("---\nmcp_chunking_hint: {{chunk_by: h1}}\n---\n{LEVELS}");
    let world = World::quiet(&[("a.md", &page), ("b.md", LEVELS)]);
    let mut client = world.client();
    assert_eq!(page_ids(&mut client, "a.md"), level_ids("a.md", "h1"));
    assert_eq!(page_ids(&mut client, "b.md"), level_ids("b.md", "heading"));
}

#[test]
fn a_hint_speaks_for_its_page_only() {
    let page = LEVELS.replacen("top", "<!-- mcp_metadata: {\"tier\": \"gold\"} -->", 1);
    let world = World::quiet(&[("a.md", &page), ("b.md", LEVELS)]);
    let mut client = world.client();
    assert_eq!(facet(&mut client, "a.md", "tier"), "gold");
    assert_eq!(facet(&mut client, "b.md", "tier"), Value::Null);
}

fn check_tier(page: &str, expected: Value) {
    let world = World::quiet(&[("a.md", page)]);
    assert_eq!(facet(&mut world.client(), "a.md", "tier"), expected, "{page}");
}

const GOLD: &str = "<!-- mcp_metadata: {\"tier\": \"gold\"} -->";

#[test]
fn a_metadata_comment_counts_before_the_second_heading() {
    check_tier(&format!("{GOLD}\n\n# A\n\ntext\n\n## B\n"), json!("gold"));
    check_tier(&format!("# A\n\n{GOLD}\n\n## B\n"), json!("gold"));
    check_tier(&format!("# A\n\ntext {GOLD} text\n\n## B\n"), json!("gold"));
    check_tier(&format!("{GOLD}\n"), json!("gold"));
}

#[test]
fn a_metadata_comment_below_the_second_heading_is_an_orphan() {
    check_tier(&format!("# A\n\n## B\n\n{GOLD}\n"), Value::Null);
}

#[test]
fn a_comment_that_is_shown_as_code_is_no_hint() {
    check_tier(&format!("# A\n\n```html\n{GOLD}\n```\n\n`{GOLD}`\n"), Value::Null);
    let hint = "```html\n<!-- mcp_chunking_hint: {\"chunk_by\": \"file\"} -->\n```";
    let page = LEVELS.replacen("top", hint, 1);
    let world = World::quiet(&[("a.md", &page), (MANIFEST, &cut_at("h2"))]);
    assert_eq!(page_ids(&mut world.client(), "a.md"), level_ids("a.md", "h2"));
}

#[test]
fn a_broken_hint_changes_nothing() {
    for hint in ["{", "{\"chunk_by\": \"h9\"}", "{\"chunk_by\": 2}", "[]", "null", "", "h2 -- h3"] {
        for page in [
            LEVELS.replacen("top", &format!("<!-- mcp_chunking_hint: {hint} -->"), 1),
            format!("---\nmcp_chunking_hint: '{hint}'\n---\n{LEVELS}"),
        ] {
            let world = World::quiet(&[("a.md", &page), (MANIFEST, &cut_at("h3"))]);
            assert_eq!(page_ids(&mut world.client(), "a.md"), level_ids("a.md", "h3"), "{page}");
        }
    }
}

#[test]
fn hints_stay_in_the_text_of_the_page() {
    let page = format!("---\nmcp_metadata:\n  tier: gold\n---\n# A\n\n{GOLD}\n\ntext\n");
    let world = World::quiet(&[("a.md", &page)]);
    let doc = world.client().call("get_doc", json!({"chunk_id": "a.md"}));
    assert!(doc["content"].as_str().unwrap().contains(GOLD), "{doc}");
}

#[test]
fn a_title_in_the_front_matter_names_a_page_without_one() {
    let world = World::quiet(&[("a.md", "---\ntitle: Kestrel\n---\n## Auth\n\ntext\n")]);
    let answer = world.client().call("search_docs", json!({"query": "text"}));
    assert_eq!(answer["results"][0]["metadata"]["title"], "Kestrel");
}

#[test]
fn a_hint_that_was_just_written_is_heeded_by_the_next_call() {
    let world = World::quiet(&[("a.md", LEVELS)]);
    let mut client = world.client();
    for level in ["h1", "file", "h2", "heading"] {
        world.write("a.md", &format!("---\nmcp_strategy: {{chunk_by: {level}}}\n---\n{LEVELS}"));
        assert_eq!(page_ids(&mut client, "a.md"), level_ids("a.md", level));
    }
}
