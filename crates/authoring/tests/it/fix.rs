//! What `repair` makes of a folder, and what it never touches.

use docent_authoring::{Folder, MANIFEST_FILE, Repair, Severity, repair};
use proptest::prelude::*;

use crate::validate::folder;

const MANIFEST: &str = "{ \"version\": \"1\", \"strategy\": { \"chunk_by\": \"h2\" } }\n";

fn repaired(files: &[(&str, &str)]) -> Repair {
    let before = folder(files);
    let repair = repair(&before, &|_| false);
    // A second run has nothing to do.
    let again = docent_authoring::repair(&repair.folder, &|_| false);
    assert_eq!(again.changes.keys().collect::<Vec<_>>(), Vec::<&String>::new(), "{:#?}", again.changes);
    repair
}

/// One page under a manifest, before and after.
fn check(before: &str, after: &str) {
    let repair = repaired(&[(MANIFEST_FILE, MANIFEST), ("a.md", before)]);
    assert_eq!(repair.folder.documents["a.md"], after);
}

fn check_manifest(before: &str, after: &str) {
    let repair = repaired(&[(MANIFEST_FILE, before), ("a.md", "")]);
    assert_eq!(repair.folder.manifests[""], after);
}

#[test]
fn hints_that_do_not_count_are_taken_out() {
    check(
        "# A\n\n<!-- mcp_chunking_hint: h1 -->\n\n<!-- mcp_chunking_hint: h2 -->\n\ntext\n",
        "# A\n\n<!-- mcp_chunking_hint: h1 -->\n\n\ntext\n",
    );
    check(
        "---\nmcp_strategy: {chunk_by: h1}\n---\n<!-- mcp_chunking_hint: h1 -->\n# A\n",
        "---\nmcp_strategy: {chunk_by: h1}\n---\n\n# A\n",
    );
}

#[test]
fn a_hint_stays_where_the_page_would_change_without_it() {
    for page in [
        "<!-- mcp_chunking_hint: {} -->\n---\ntitle: x\n---\n\n# A\n",
        "# A\n\n<div>\n<!-- mcp_chunking_hint: {} -->\n  <p>raw</p>\n# not a heading\n</div>\n",
        "# A\n\n<div>\n<!-- mcp_chunking_hint: {} -->\n*raw*\n</div>\n",
        "# A\n\n- a\n<!-- mcp_chunking_hint: {} -->\n- b\n",
        "# A\n\n- a\n\n<!-- mcp_chunking_hint: {} -->\n\n      b\n",
        "# A\n\nwords **<!-- mcp_chunking_hint: {} -->**\n",
        "# A\n\na  <!-- mcp_chunking_hint: {} -->\nb\n",
    ] {
        check(page, page);
    }
    check(
        "# A\n\n<div>\n\n<!-- mcp_chunking_hint: {} -->\n\n*b* a <!-- mcp_chunking_hint: {} --> b\n</div>\n",
        "# A\n\n<div>\n\n\n*b* a  b\n</div>\n",
    );
}

#[test]
fn hints_that_are_no_hints_stay() {
    for page in [
        "# A\n\n<script>\nvar x=\"<!-- mcp_chunking_hint: {} -->\"\n</script>\n",
        "# A\n\n<a title=\"<!-- mcp_chunking_hint: H2 -->\">x</a>\n",
    ] {
        check(page, page);
    }
}

#[test]
fn hints_are_spelt_right() {
    check("<!-- mcp_chunking_hint: H1 -->\n# A\n", "<!-- mcp_chunking_hint: h1 -->\n# A\n");
    check(
        "<!-- mcp_chunking_hint: {\"chunkby\": \"H1\"} -->\n# A\n",
        "<!-- mcp_chunking_hint: {\"chunk_by\":\"h1\"} -->\n# A\n",
    );
    check("<!-- mcp_chunkng_hint: h1 -->\n# A\n", "<!-- mcp_chunking_hint: h1 -->\n# A\n");
}

#[test]
fn words_without_a_colon_stay() {
    for page in ["<!-- mcp_chunking_hnt h3 -->\n# A\n", "<!-- mcp_chunking_hint h3 -->\n# A\n"] {
        check(page, page);
    }
}

#[test]
fn facets_differ_only_in_case() {
    let manifest = "{ \"version\": \"1\", \"strategy\": { \"chunk_by\": \"h2\" }, \"metadata\": { \"language\": \"GO\" },\n  \"taxonomy\": { \"language\": [\"go\", \"Rust\"] } }\n";
    let page = "---\r\nmetadata:\r\n  language: rust # mine\r\n---\r\n<!-- mcp_metadata: { \"language\": \"Go\" } -->\r\n# A\r\n";
    let repair = repaired(&[(MANIFEST_FILE, manifest), ("a.md", page)]);
    let new = page.replace("rust #", "Rust #").replace("\"Go\"", "\"go\"");
    assert_eq!(repair.folder.documents["a.md"], new);
    assert_eq!(repair.folder.manifests[""], manifest.replace("\"GO\"", "\"go\""));
    assert!(repair.checked.findings.is_empty(), "{:?}", repair.checked.findings);
}

#[test]
fn links_follow_the_one_file_of_that_name() {
    let pages = [(MANIFEST_FILE, MANIFEST), ("new/b.md", "# B\n"), ("c/x.md", ""), ("d/x.md", "")];
    let page = "[a](b.md#b) [b][r] [c](x.md) [d](B.md#gone)\n\n[r]: <old/b.md> 'T'\n";
    let repair = repaired(&[pages.as_slice(), &[("a.md", page)]].concat());
    assert_eq!(
        repair.folder.documents["a.md"],
        "[a](new/b.md#b) [b][r] [c](x.md) [d](B.md#gone)\n\n[r]: <new/b.md> 'T'\n"
    );
}

#[test]
fn manifests_are_put_right_and_keep_their_look() {
    check_manifest(
        "{\r\n\t\"startegy\": { \"chunk_by\": \"H2\" },\r\n\t\"mine\": 1\r\n}\r\n",
        "{\r\n\t\"version\": \"1\",\r\n\t\"strategy\": { \"chunk_by\": \"h2\" },\r\n\t\"mine\": 1\r\n}\r\n",
    );
    check_manifest(
        "{\n  \"version\": \"1\",\n  \"strategy\": { \"chunk_by\": \"file\" },\n  \"overrides\": [\n    { \"pattern\": \"x\" },\n    { \"pattern\": \"*.md\" },\n    { \"pattern\": \"y\" },\n    { \"pattern\": \"z\" }\n  ]\n}\n",
        "{\n  \"version\": \"1\",\n  \"strategy\": { \"chunk_by\": \"file\" },\n  \"overrides\": [\n    { \"pattern\": \"*.md\" }\n  ]\n}\n",
    );
}

#[test]
fn an_override_that_was_put_right_is_not_taken_out_at_once() {
    let manifest = "{ \"version\": \"1\", \"strategy\": { \"chunk_by\": \"file\" }, \"overrides\": [{ \"patern\": \"x\", \"metadata\": { \"a\": 1 } }] }";
    let repair = repair(&folder(&[(MANIFEST_FILE, manifest), ("a.md", "")]), &|_| false);
    assert_eq!(repair.folder.manifests[""], manifest.replace("patern", "pattern"));
}

fn page(sections: usize, level: &str, words: usize) -> String {
    let section = |number| format!("{level} Part {number}\n\n{}\n\n", "word ".repeat(words));
    format!("# Page\n\n{}", (0..sections).map(section).collect::<String>())
}

#[test]
fn a_new_manifest_is_short() {
    let (by_h2, by_h3) = (page(4, "##", 300), format!("# P\n\n## Q\n\n{}", page(4, "###", 500)));
    let short = "# A\n\ntext\n";
    let repair = repaired(&[
        ("a.md", &by_h2),
        ("b.md", &by_h2),
        ("s.md", short),
        ("long.md", &by_h3),
        ("api/one.md", &by_h3),
        ("api/two.md", &by_h3),
        ("api/v1/three.md", &by_h3),
        ("guides/x.md", &by_h2),
        ("guides/y.md", &by_h2),
        ("guides/z.md", &by_h2),
    ]);
    assert_eq!(
        repair.folder.manifests[""],
        "{\n  \"version\": \"1\",\n  \"strategy\": { \"chunk_by\": \"h2\" },\n  \"overrides\": [\n    { \"pattern\": \"api/**\", \"strategy\": { \"chunk_by\": \"h3\" } },\n    { \"pattern\": \"long.md\", \"strategy\": { \"chunk_by\": \"h3\" } }\n  ]\n}\n"
    );
    assert!(repair.checked.findings.is_empty(), "{:?}", repair.checked.findings);
}

#[test]
fn names_with_blanks_and_backslashes_get_rules_that_match() {
    let (by_h2, by_h3) = (page(4, "##", 300), format!("# P\n\n## Q\n\n{}", page(4, "###", 500)));
    for name in [" lead.md", "trail.md ", "back\\slash.md", "a\\[1].md", " in/ x.md", "!not.md", "a@(b).md"] {
        let repair = repaired(&[("a.md", &by_h2), ("b.md", &by_h2), ("c.md", &by_h2), (name, &by_h3)]);
        let level = repair.checked.pages[name].resolved.strategy.map(|it| it.chunk_by.as_str());
        assert_eq!(level, Some("h3"), "{name:?}: {}", repair.folder.manifests[""]);
        let unused = |code| code == docent_authoring::Code::UnmatchedPattern;
        assert!(!repair.checked.findings.iter().any(|(_, it)| unused(it.code)), "{name:?}");
    }
}

#[test]
fn crumbs_get_a_minimum_size() {
    let crumbs = page(30, "##", 20);
    let repair = repaired(&[("a.md", &crumbs), ("b.md", &crumbs)]);
    assert_eq!(
        repair.folder.manifests[""],
        "{\n  \"version\": \"1\",\n  \"strategy\": { \"chunk_by\": \"h2\", \"min_chunk_size\": 200 }\n}\n"
    );
}

#[test]
fn outgrown_rules_change() {
    let long = format!("# P\n\n## Q\n\n{}", page(6, "###", 500).replace("# Page\n", ""));
    let short = page(2, "##", 200);
    let files = |manifest| [(MANIFEST_FILE, manifest), ("a.md", long.as_str()), ("b.md", short.as_str())];
    let repair =
        repaired(&files("{\n  \"version\": \"1\",\n  \"strategy\": { \"chunk_by\": \"file\" }\n}\n"));
    assert_eq!(
        repair.folder.manifests[""],
        "{\n  \"version\": \"1\",\n  \"strategy\": { \"chunk_by\": \"file\" },\n  \"overrides\": [\n    { \"pattern\": \"a.md\", \"strategy\": { \"chunk_by\": \"h3\" } }\n  ]\n}\n"
    );
    let repair = repaired(&files(
        "{ \"version\": \"1\", \"strategy\": { \"chunk_by\": \"h2\" }, \"overrides\": [{ \"pattern\": \"a*\", \"strategy\": { \"chunk_by\": \"file\", \"max_chunk_size\": 5000 } }] }",
    ));
    assert!(repair.folder.manifests[""].contains("{ \"chunk_by\": \"h3\", \"max_chunk_size\": 5000 }"));
    let repair = repaired(&files(
        "{ \"version\": \"1\", \"strategy\": { \"chunk_by\": \"h3\" }, \"overrides\": [{ \"pattern\": \"b.md\", \"strategy\": { \"chunk_by\": \"h3\" } }] }",
    ));
    assert!(repair.folder.manifests[""].contains("\"b.md\", \"strategy\": { \"chunk_by\": \"h2\" }"));
}

#[test]
fn settings_are_left_to_their_author() {
    let mut before = folder(&[("a.md", "text")]);
    before.base = docent_authoring::Manifest::from_value(&serde_json::json!({"metadata": {"a": 1}})).0;
    assert!(repair(&before, &|_| false).changes.is_empty());
}

/// Every byte of a page outside of hints, facet lines and targets of links.
fn prose(text: &str) -> String {
    let mut kept = String::new();
    let mut in_front = text.starts_with("---");
    for (number, line) in text.lines().enumerate() {
        if in_front {
            in_front = number == 0 || line != "---";
            continue;
        }
        let mut line = line.to_owned();
        while let (Some(open), Some(close)) = (line.find("<!-- mcp_"), line.find("-->")) {
            if close < open {
                break;
            }
            line.replace_range(open..close + 3, "");
        }
        while let (Some(open), Some(close)) = (line.find("]("), line.find(".md")) {
            if close < open {
                break;
            }
            line.replace_range(open..close + 3, "");
        }
        kept.push_str(line.trim());
    }
    kept
}

/// Where the body starts, and every heading with its level and id.
fn headings(text: &str) -> (usize, Vec<(u8, String, String)>) {
    let document = docent_text::parse("a.md", text);
    let headed = document.sections.into_iter().filter(|section| section.level > 0);
    let front = text[..document.body_start].lines().count();
    (front, headed.map(|section| (section.level, section.id, section.heading)).collect())
}

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("# A\n\n".to_owned()),
        Just("## B\n\n".to_owned()),
        Just("Some prose that stays, mcp_chunking_hint and all.\n\n".to_owned()),
        Just("one line\n".to_owned()),
        Just("<!-- mcp_chunking_hint: h2 -->\n".to_owned()),
        Just("<!-- mcp_chunking_hint: H1 -->\n\n".to_owned()),
        Just("text <!-- mcp_chunking_hint: {\"chunkby\": \"h2\"} --> text\n\n".to_owned()),
        Just("<!-- mcp_metadata: {\"language\": \"GO\"} -->\n\n".to_owned()),
        Just("[moved](target.md) and [gone](gone.md)\n\n".to_owned()),
        Just("- item\n\n  <!-- mcp_chunking_hint: h3 -->\n\n".to_owned()),
        Just("```\n<!-- mcp_chunking_hint: h9 -->\n[x](target.md)\n```\n\n".to_owned()),
        Just("<div>\n<!-- mcp_chunking_hint: {} -->\n# no heading\n</div>\n".to_owned()),
        Just("<script>\nx = \"<!-- mcp_chunking_hint: {} -->\"\n</script>\n".to_owned()),
        Just("<a title=\"<!-- mcp_chunking_hint: h2 -->\">x</a>\n".to_owned()),
        Just("- a\n<!-- mcp_chunking_hint: {} -->\n- b\n".to_owned()),
        Just("---\ntitle: x\n---\n".to_owned()),
        "[a-z é]{0,20}\n".prop_map(|line| line),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn prose_is_never_touched_and_a_second_run_has_nothing_to_do(
        pieces in prop::collection::vec(piece(), 0..12),
        front in prop::bool::ANY,
    ) {
        let front = if front { "---\nmetadata:\n  language: Go\nmcp_chunking_hint: H2\n---\n" } else { "" };
        let text = format!("{front}{}", pieces.concat());
        let manifest = "{ \"version\": \"1\", \"strategy\": { \"chunk_by\": \"h2\" }, \"taxonomy\": { \"language\": [\"go\"] } }";
        let before: Folder = folder(&[(MANIFEST_FILE, manifest), ("a.md", &text), ("deep/target.md", "# T\n")]);
        let after = repair(&before, &|_| false);
        let new = &after.folder.documents["a.md"];
        prop_assert_eq!(prose(&text), prose(new), "{} -> {}", text, new);
        prop_assert_eq!(headings(&text), headings(new), "{} -> {}", text, new);
        let again = repair(&after.folder, &|_| false);
        prop_assert!(again.changes.is_empty(), "{:?}", again.changes);
        // What could be put right is.
        let left = after.checked.findings.iter().filter(|(_, it)| it.fix.is_some() && it.severity() == Severity::Error);
        prop_assert_eq!(left.count(), 0);
    }
}
