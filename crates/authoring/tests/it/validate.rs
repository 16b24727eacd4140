//! The check of a folder: one mistake a case, and the cases that must stay silent.

use std::collections::BTreeMap;

use docent_authoring::{Code, Finding, Folder, MANIFEST_FILE, RULES};
use proptest::prelude::*;

/// A folder of `(path, text)`; manifests are told by their name.
pub(crate) fn folder(files: &[(&str, &str)]) -> Folder {
    let mut folder = Folder { max_chars: 6000, ..Folder::default() };
    for (path, text) in files {
        match path.strip_suffix(MANIFEST_FILE) {
            Some(parent) => {
                folder.manifests.insert(parent.trim_end_matches('/').to_owned(), (*text).to_owned())
            }
            None => folder.documents.insert((*path).to_owned(), (*text).to_owned()),
        };
    }
    folder
}

pub(crate) fn findings(files: &[(&str, &str)]) -> Vec<(String, Finding)> {
    folder(files).check(&|path| path == "extra/here.md" || path == "a/../../outside.md").findings
}

/// `path:line CODE` of everything but missing strategies.
fn check(files: &[(&str, &str)], expected: &[&str]) {
    let found = findings(files);
    let shown: Vec<String> = found
        .iter()
        .filter(|(_, finding)| finding.code != Code::NoStrategy)
        .map(|(path, finding)| format!("{path}:{} {}", finding.line, finding.code.rule().name))
        .collect();
    assert_eq!(shown, expected, "{found:#?}");
}

fn check_page(text: &str, expected: &[&str]) {
    check(&[("a.md", text)], expected);
}

const CLOSED: &str = r#"{"version": "1", "strategy": {"chunk_by": "h2"},
  "taxonomy": {"language": ["go", "Rust"], "scope": {}}}"#;

#[test]
fn a_sound_page_has_nothing_to_say() {
    check_page(
        "---\ntitle: A\nmetadata: {language: go}\n---\n# A\n\n<!-- mcp_metadata: {\"a\": 1} -->\n\ntext\n",
        &[],
    );
}

#[test]
fn a_page_has_so_many_facets_and_no_more() {
    let pairs = |from: usize, to: usize| {
        (from..to).map(|number| format!("\"k{number}\": 1")).collect::<Vec<_>>().join(", ")
    };
    let items: Vec<String> = (0..20)
        .map(|n| format!("{{\"pattern\": \"**\", \"metadata\": {{{}}}}}", pairs(n * 50, n * 50 + 50)))
        .collect();
    let manifest = format!(
        "{{\"version\": \"1\", \"strategy\": {{\"chunk_by\": \"h2\"}}, \"overrides\": [{}]}}",
        items.join(", ")
    );
    let files = [(MANIFEST_FILE, manifest.as_str()), ("a.md", "text\n")];
    check(&files, &["a.md:1 manifest-type"]);
    assert_eq!(folder(&files).check(&|_| false).pages["a.md"].resolved.metadata.len(), 64);
    check_page(&format!("---\nmetadata: {{{}}}\n---\n", pairs(0, 65)), &["a.md:1 manifest-type"]);
    check_page(&format!("---\nmetadata: {{{}}}\n---\n", pairs(0, 64)), &[]);
}

#[test]
fn front_matter() {
    check_page("---\na: 1\nb: [\n---\ntext\n", &["a.md:3 front-matter"]);
    let large = format!("---\ntitle: x\n{}---\n", "# filler\n".repeat(8000));
    check_page(&large, &["a.md:1 oversize-front-matter"]);
}

#[test]
fn chunking_hints() {
    let hint = |value: &str| format!("# A\n\n<!-- mcp_chunking_hint: {value} -->\n\n## B\n");
    check_page(&hint("h2"), &[]);
    check_page(&hint("{\"chunk_by\": \"h2\"}"), &[]);
    check_page(&hint("{\"chunk_by\": "), &["a.md:3 dangling-hint"]);
    check_page(&hint("{}"), &["a.md:3 dangling-hint"]);
    check_page(&hint("level 2"), &["a.md:3 dangling-hint"]);
    check_page(&hint("{\"chunk_by\": \"h9\"}"), &["a.md:3 unknown-strategy"]);
    check_page(&hint("h3"), &["a.md:3 hint-without-level"]);
    check_page("text\n\n<!-- mcp_chunking_hint: h2 -->\n", &["a.md:3 dangling-hint"]);
    check_page("### Deep\n\n<!-- mcp_chunking_hint: h2 -->\n", &["a.md:3 dangling-hint"]);
    check_page("text\n\n<!-- mcp_chunking_hint: file -->\n", &[]);
    check_page(&(hint("h2") + "\n<!-- mcp_chunking_hint: h1 -->\n"), &["a.md:7 dangling-hint"]);
    check_page(
        &format!("---\nmcp_strategy: {{chunk_by: h1}}\n---\n{}", hint("h2")),
        &["a.md:6 dangling-hint"],
    );
    check_page("---\nx: 1\nmcp_chunking_hint: h7\n---\n# A\n", &["a.md:3 unknown-strategy"]);
    check_page("---\nmcp_chunking_hint: h3\n---\n# A\n", &["a.md:2 hint-without-level"]);
    check_page(
        "---\nmcp_chunking_hint: h1\nmcp_strategy: {chunk_by: h1}\n---\n# A\n",
        &["a.md:2 dangling-hint"],
    );
}

#[test]
fn metadata_comments() {
    check_page("# A\n\n## B\n\n<!-- mcp_metadata: {\"a\": 1} -->\n", &["a.md:5 orphaned-metadata"]);
    check_page("# A\n\n<!-- mcp_metadata: {\"a\" -->\n", &["a.md:3 orphaned-metadata"]);
    check_page("# A\n\n<!-- mcp_metadata: {\"a\": []} -->\n", &["a.md:3 orphaned-metadata"]);
    check_page("# A\n\n<!-- mcp_metdata: {} -->\n", &["a.md:3 unknown-comment"]);
    check_page("# A\n\n```\n<!-- mcp_metdata: {} -->\n```\n", &[]);
}

#[test]
fn facets_are_checked_where_they_stand() {
    let page = |text: &'static str| [(".docs-mcp.json", CLOSED), ("a.md", text)];
    check(&page("---\nmetadata:\n  language: go\n  scope: any\n---\n# A\n"), &[]);
    check(&page("---\nmetadata:\n  scope: x\n  language: java\n---\n"), &["a.md:4 facet-value"]);
    check(&page("---\nmetadata:\n  langauge: go\n---\n"), &["a.md:3 facet-key"]);
    check(&page("---\nmetadata:\n  language: [go, java]\n---\n"), &["a.md:3 facet-value"]);
    check(&page("---\nmcp_metadata: go\n---\n"), &["a.md:2 facet-type"]);
    check(&page("# A\n\n<!-- mcp_metadata: {\n\"language\": \"java\"} -->\n"), &["a.md:4 facet-value"]);
    let open = r#"{"version": "1", "strategy": {"chunk_by": "h2"}, "taxonomy": {"scope": {}}}"#;
    check(
        &[(".docs-mcp.json", open), ("a.md", "---\nmetadata: {other: x}\n---\n")],
        &["a.md:2 facet-key-open"],
    );
    check(
        &[
            (
                ".docs-mcp.json",
                "{\"version\": \"1\", \"taxonomy\": {\"k\": {\"values\": [\"a\"],\n\"properties\": {\"z\": {\"mcp_resource\": true}}}},\n\
                 \"metadata\": {\"k\": \"b\"},\n\"overrides\": [{\"pattern\": \"*.md\",\n\"metadata\": {\"q\": \"a\"}}]}",
            ),
            ("a.md", ""),
        ],
        &[".docs-mcp.json:2 facet-value", ".docs-mcp.json:3 facet-value", ".docs-mcp.json:5 facet-key"],
    );
}

#[test]
fn the_nearest_taxonomy_counts() {
    let below = r#"{"version": "1", "strategy": {"chunk_by": "h2"}}"#;
    let page = "---\nmetadata: {language: java}\n---\n";
    check(
        &[(".docs-mcp.json", CLOSED), ("b/.docs-mcp.json", below), ("a.md", page), ("b/a.md", page)],
        &["a.md:2 facet-value"],
    );
}

#[test]
fn duplicates() {
    check_page("# A {#x}\n## B {#x}\n", &["a.md:2 duplicate-anchor"]);
    check_page("# A\n## B\n## B\n# C\n## B\n", &["a.md:3 duplicate-heading"]);
    check_page("# A\n## B\n# A\n## B\n", &["a.md:3 duplicate-heading"]);
    check_page("# A\n## B {#one}\n## B {#two}\n", &[]);
    check(&[("a.md", ""), ("A.md", "")], &["a.md:1 case-conflict"]);
}

#[test]
fn oversize_blocks() {
    let code = format!("# A\n\n```\n{}\n```\n", "x\n".repeat(4000));
    check_page(&code, &["a.md:3 oversize-block"]);
    let manifest = r#"{"version": "1", "strategy": {"chunk_by": "h2", "max_chunk_size": 9000}}"#;
    check(&[(".docs-mcp.json", manifest), ("a.md", &code)], &[]);
    check_page(&"word ".repeat(1300), &["a.md:1 oversize-block"]);
    check_page(&"short paragraph\n\n".repeat(1300), &[]);
    check_page(&format!("{}\n", "日本".repeat(1500)), &[]);
}

#[test]
fn patterns_that_match_nothing() {
    let manifest = "{\"version\": \"1\", \"overrides\": [{\"pattern\": \"*.md\"},\n{\"pattern\": \"gone/**\"},\n{\"pattern\": \"b/*.md\"}]}";
    check(
        &[
            (".docs-mcp.json", manifest),
            ("a.md", ""),
            ("b/.docs-mcp.json", "{\"version\": \"1\"}"),
            ("b/x.md", ""),
        ],
        &[".docs-mcp.json:2 unmatched-pattern", ".docs-mcp.json:3 unmatched-pattern"],
    );
}

#[test]
fn links_that_lead_somewhere() {
    let page = "[a](b.md) [b](./b.md#one-thing) [c](../a/b) [d](b.html#two) [e](sub/) [f](sub/index.md) [g](#here) \
        [h](/a/b.md) [i](https://x.org/y.md) [j](c%20d.md) [k](b.md?raw=1#own) [l]({{< ref \"x\" >}}) [m](@site/x.md) \
        [n](pic.png) ![o](gone.md) [p][ref] [q](../extra/here.md) [r](../../outside.md) [s](mailto:a@b.c) [t](#top) \
        [u](#id-a) `[v](gone.md)` [w](sub) [x](b/../b.md) [y](.) [z](B)\n\n[ref]: b.md 'B'\n\n# Here\n\n<a id='id-a'></a>\n";
    check(
        &[
            ("a/a.md", page),
            ("a/b.md", "# One thing\n## Two\n## Own name {#own}\n"),
            ("a/sub/index.md", ""),
            ("a/c d.md", ""),
        ],
        &[],
    );
}

#[test]
fn links_that_lead_nowhere() {
    check_page(
        "[a](gone.md)\n\n[b](gone/)\n\n[c](x/y.html)\n",
        &["a.md:1 missing-page", "a.md:3 missing-page", "a.md:5 missing-page"],
    );
    check_page(
        "# A\n\n[a](#gone)\n\n[b][r]\n\n[r]: gone.md\n",
        &["a.md:3 missing-anchor", "a.md:5 missing-page"],
    );
    check(&[("a.md", "[a](b.md#gone)\n"), ("b.md", "# B\n")], &["a.md:1 missing-anchor"]);
    check(&[("a.md", "[a](B.md)\n"), ("b.md", "# B\n")], &["a.md:1 missing-page"]);
    check_page("[out](../gone.md) [site](../pricing/)\n", &["a.md:1 missing-page"]);
}

#[test]
fn addresses_of_a_published_site_are_understood() {
    check(
        &[
            ("g/a.md", "[sibling](../b/) [child](c) [alias](/old/b/)\n"),
            ("g/b.md", "---\naliases: [/old/b]\n---\n"),
            ("g/c.md", ""),
        ],
        &[],
    );
    check(&[("g/a.md", "[slug](named)\n"), ("g/b.md", "---\nslug: named\n---\n")], &[]);
}

#[test]
fn links_from_the_root_are_trusted_only_where_most_lead_somewhere() {
    check(&[("a.md", "[x](/docs/b) [y](/docs/c) [z](/b)\n"), ("b.md", "")], &[]);
    check(
        &[("a.md", "[v](/b) [w](/b) [x](/b.md) [y](/b/) \n\n[z](/gone)\n"), ("b.md", "")],
        &["a.md:3 missing-root-page"],
    );
}

#[test]
fn parts_of_pages_have_no_place_of_their_own() {
    check(&[("includes/a.md", "[x](gone.md) [y](#gone)\n"), ("_part.md", "[x](gone.md)\n")], &[]);
}

#[test]
fn files_without_a_strategy_are_told_one_by_one() {
    let codes = |files: &[(&str, &str)]| {
        findings(files).into_iter().filter(|(_, finding)| finding.code == Code::NoStrategy).count()
    };
    assert_eq!(codes(&[("a.md", ""), ("b.md", "<!-- mcp_chunking_hint: file -->\n")]), 1);
    let manifest = r#"{"version": "1", "overrides": [{"pattern": "a.md", "strategy": {"chunk_by": "h1"}}]}"#;
    assert_eq!(codes(&[(".docs-mcp.json", manifest), ("a.md", ""), ("b.md", "")]), 1);
}

#[test]
fn hostile_pages_are_checked_in_time() {
    let start = std::time::Instant::now();
    for piece in [
        "{#",
        "id=",
        "id='",
        "<!-- mcp_metadata: {",
        "[a](",
        "[a][b]",
        "[b]: c.md\n\n[b]\n\n",
        "# a\n",
        "](x.md)",
        "---\n",
    ] {
        findings(&[("a.md", &piece.repeat(1_000_000 / piece.len())), (".docs-mcp.json", CLOSED)]);
    }
    let links: String =
        (0..30_000).map(|number| format!("[x][{number}]\n\n[{number}]: {number}.md\n\n")).collect();
    findings(&[("a.md", &links)]);
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}

#[test]
fn the_reference_page_has_every_rule() {
    let page =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/validate.md"))
            .unwrap();
    for rule in RULES {
        let row = format!("| `{}` | {} | {} | {} |", rule.id, rule.name, rule.severity, rule.description);
        assert!(page.contains(&row), "docs/reference/validate.md lacks the row\n{row}");
    }
    assert_eq!(page.matches("| `DM").count(), RULES.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_text_panics_and_lines_exist(text in "(---\n|# |\\[a\\]\\(|b\\.md\\)|<!-- mcp_metadata: |\\{\"a\":|\\} -->|\n|[a-z#é ]|\\PC){0,60}") {
        let files = BTreeMap::from([("a.md", text.as_str()), (".docs-mcp.json", CLOSED)]);
        let files: Vec<(&str, &str)> = files.into_iter().collect();
        for (path, finding) in findings(&files) {
            let lines = if path == "a.md" { text.matches('\n').count() + 1 } else { 2 };
            prop_assert!((1..=lines).contains(&finding.line), "{path} {finding:?}");
            if let Some(fix) = finding.fix {
                prop_assert!(text.get(fix.bytes.clone()).is_some() || path != "a.md", "{fix:?}");
            }
        }
    }
}
