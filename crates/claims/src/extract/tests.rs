//! What is found in a page, one short page per rule.

mod commands;
mod readers;
mod variables;
mod versions;

use super::*;
use crate::{ClaimType, Subject};

/// The claims of one kind: what they name.
fn check(text: &str, kind: &str, expected: &[&str]) {
    let claims = extract("docs/a.md", text);
    for claim in &claims {
        assert_eq!(text.get(claim.span.clone()), Some(claim.named.as_str()), "{claim:?}");
    }
    let found: Vec<&str> =
        claims.iter().filter(|claim| claim.kind == kind).map(|claim| claim.named.as_str()).collect();
    assert_eq!(found, expected, "{kind} in {text:?}: {claims:#?}");
}

/// The subjects of one kind.
fn check_subjects(text: &str, kind: &str, expected: &[Subject]) {
    let claims = extract("docs/a.md", text);
    let found: Vec<Subject> =
        claims.into_iter().filter(|claim| claim.kind == kind).map(|claim| claim.subject).collect();
    assert_eq!(found, expected, "{text:?}");
}

fn value(of: &str, name: &str, value: &str) -> Subject {
    Subject::Value { of: of.to_owned(), name: name.to_owned(), value: value.to_owned() }
}

fn defined(by: &str, name: &str, within: Option<&str>) -> Subject {
    Subject::Defined { by: by.to_owned(), name: name.to_owned(), within: within.map(str::to_owned) }
}

fn route(method: Option<&str>, path: &str) -> Subject {
    Subject::Route { method: method.map(str::to_owned), path: path.to_owned() }
}

fn symbol(path: &[&str], is_call: bool, language: Option<&str>) -> Subject {
    Subject::Symbol {
        path: path.iter().map(|part| (*part).to_owned()).collect(),
        is_call,
        language: language.map(str::to_owned),
    }
}

#[test]
fn paths_in_spans() {
    check(
        "See `src/main.rs`, `crates/a/` and `Makefile`.",
        "path",
        &["src/main.rs", "crates/a/", "Makefile"],
    );
    check("``  src/a b.rs `` `src/a.rs:` ` x.py `", "path", &["src/a.rs", "x.py"]);
    check(
        "`TCP/IP` `and/or` `n/a` `application/json` `github.com/a/b` `@scope/x` `1/2` `/usr/bin`",
        "path",
        &[],
    );
    check(
        "`path/to/a.rs` `src/*.rs` `~/x.toml` `<dir>/a.rs` `foo/bar.py` `your-app/x.ts` `a/.../b.md`",
        "path",
        &[],
    );
    check("`https://a.b/c.md` `.rs` `Node.js` `origin/main`", "path", &[]);
    check("`a/b::c`", "path", &[]);
    check("`tests/a.py::test_x`", "path", &["tests/a.py"]);
}

#[test]
fn lines_and_anchors_are_claims_of_their_own() {
    check("`src/a.rs:12-20`", "path", &["src/a.rs"]);
    check(
        "`src/a.rs:12-20` `src/b.rs:3:4` `src/c.rs#L5-L6`",
        "line",
        &["src/a.rs:12-20", "src/b.rs:3:4", "src/c.rs#L5-L6"],
    );
    check("[x](b.md#c-d) [y](#e) [z](../a.rs#L3)", "link", &["b.md", "../a.rs"]);
    check("[x](b.md#c-d) [y](#e) [z](../a.rs#L3) [t](#top) [f](#/route)", "anchor", &["b.md#c-d", "#e"]);
}

#[test]
fn links_images_and_html() {
    check(
        "[a](x.md) [b](<y z.md> \"t\") [c](d%20e.md) [f](http://x) [g](mailto:x)",
        "link",
        &["x.md", "y z.md", "d%20e.md"],
    );
    check("[a][r]\n\n[r]: ./x.md 'title'\n", "link", &["./x.md"]);
    check("![a](x.png) [![b](y.svg)](z.md)", "image", &["x.png", "y.svg"]);
    check(
        "<p><img src=\"logo.png\" width='1'></p>\n\n<a href='x.md'>x</a>\n<!-- <img src=\"no.png\"> -->",
        "image",
        &["logo.png"],
    );
    check("[a]({{ url }}/x.md) [b]({% link x %}) [c](path/to/x.md)", "link", &[]);
    // Words that stand for another elsewhere are names where a link has them.
    check("[a](acme.md) [b](the-basics.md) ![c](my-logo.png)", "link", &["acme.md", "the-basics.md"]);
}

#[test]
fn a_title_is_not_the_target() {
    let text = "![i](<é/a.md> \"é/a.md\")";
    let claims = extract("docs/a.md", text);
    let image = claims.iter().find(|claim| claim.kind == "image").map(|claim| claim.span.clone());
    assert_eq!(image, Some(6..13));
}

#[test]
fn front_matter_and_comments_hold_no_claims() {
    check("---\ntitle: \"`src/a.rs`\"\n---\n\n<!-- `src/b.rs` -->\n\n`src/c.rs`", "path", &["src/c.rs"]);
}

#[test]
fn trees() {
    let tree = "```\nrepo/\n├── src/          # code\n│   ├── main.rs\n│   └── deep/\n│       └── a.rs\n├── …\n└── README.md\n```\n";
    check(tree, "tree", &["src", "main.rs", "deep", "a.rs", "README.md"]);
    let targets: Vec<String> = extract("a.md", tree)
        .into_iter()
        .filter_map(|claim| match claim.subject {
            Subject::Path { target, .. } => Some(target),
            _ => None,
        })
        .collect();
    assert_eq!(
        targets,
        ["repo/src/", "repo/src/main.rs", "repo/src/deep/", "repo/src/deep/a.rs", "repo/README.md"]
    );
    check("```\n.\n|-- a.py\n`-- <name>\n    `-- b.py\n```\n", "tree", &["a.py"]);
    check("```\nmy-app/\n├── a.py\n```\n", "tree", &[]);
    check("```\n└────┘ a.py\n```\n    `--flag` is no branch\n", "tree", &[]);
}

#[test]
fn the_label_of_a_link_is_judged_by_where_it_leads() {
    check("[`src/old.rs`](src/new.rs) `src/a.rs`", "path", &["src/a.rs"]);
    check("[`src/old.rs`](https://example.org/x)", "path", &["src/old.rs"]);
    check("[`src/old.rs`](https://github.com/o/n/tree/main/x)", "path", &[]);
    check("![alt](a.png) `src/a.rs`", "path", &["src/a.rs"]);
}

#[test]
fn components_hold_markdown() {
    let page = "<Tabs>\n<Item>\n![x](img/a.png)\nSee `src/a.rs`.\n</Item>\n\n    Deep [y](b.md)\n</Tabs>\n";
    check(page, "image", &["img/a.png"]);
    check(page, "path", &["src/a.rs"]);
    check(page, "link", &["b.md"]);
    check("<div>\n![x](img/a.png)\n</div>\n", "image", &[]);
    let deep = "<Tabs>\n\n      ```sh\n      make all\n      ```\n\n      See [y](b.md).\n\n</Tabs>\n";
    check(deep, "make_target", &["make all"]);
    check(deep, "link", &["b.md"]);
    check("---\nhero: <img src=\"/a.svg\">\n---\n\ntext\n", "image", &["/a.svg"]);
    let table =
        "<Table>\n  <tr>\n    <td>`SOME_NAME`</td><td>see `src/a.rs` or [b](c.md)</td>\n  </tr>\n</Table>\n";
    check(table, "path", &["src/a.rs"]);
    check(table, "link", &["c.md"]);
}

#[test]
fn code_between_tags_is_a_span() {
    let table = "<table>\n<tr><td><b><code>APP_PORT</code></b></td>\n<td><code class=\"x\">src/a.rs</code></td></tr>\n</table>\n";
    check(table, "variable", &["APP_PORT"]);
    check(table, "path", &["src/a.rs"]);
    check("<p>x</p>\n<!-- <code>src/a.rs</code> -->\n<p><code>src/b.rs</code></p>\n", "path", &["src/b.rs"]);
    check("<p><code>a\nb</code> <codex>src/b.rs</codex> <code>src/c.rs</p>\n", "path", &[]);
}

#[test]
fn names_between_underscores() {
    check("`__get_json_schema__` and `__init_subclass__`", "name", &["__get_json_schema__"]);
    check("`unstable_createContext` and `some_camelCase`", "name", &["unstable_createContext"]);
}

#[test]
fn pages_that_components_bring_in() {
    let page = "import Note from \"../include/_note.mdx\";\nimport {a} from 'pkg/x.js'\n\n<Note />\n\n```js\nimport b from './b.js'\n```\n";
    check(page, "link", &["../include/_note.mdx"]);
    check(page, "plain_path", &[]);
    check("import Note from \"../include/_note.mdx\";\n", "link", &[]);
}

#[test]
fn files_that_nobody_marked_as_code() {
    check(
        "See docs/a.md, ../cmd/b/c.json (or src/x) and either/or [d/e.md](d/e.md) at https://x.y/z/a.md.",
        "plain_path",
        &["docs/a.md", "../cmd/b/c.json"],
    );
}

#[test]
fn routes() {
    check_subjects(
        "Call `GET /users/:id` or POST /a/{b}?c=1.",
        "route",
        &[route(Some("GET"), "/users/{}"), route(Some("POST"), "/a/{}")],
    );
    check_subjects("| Verb | Path |\n|-|-|\n| PUT | `/x/<y>` |\n", "route", &[route(Some("PUT"), "/x/{}")]);
    check_subjects(
        "```sh\ncurl -d '{}' http://localhost:80/a/1\ncurl https://other.org/b\n```",
        "route",
        &[route(Some("POST"), "/a/{}")],
    );
    check_subjects("```http\nDELETE /a HTTP/1.1\n```", "route", &[route(Some("DELETE"), "/a")]);
    check_subjects("`/api/v1/x`", "route", &[route(None, "/api/v1/x")]);
    check_subjects("`POST /stores/*`, **`GET /one`**", "route", &[route(Some("GET"), "/one")]);
}

#[test]
fn symbols_and_imports() {
    check_subjects(
        "`a::b` `f()` `Http.get(x)` `HttpClient` `word` `GitHub` `PascalCase`",
        "symbol",
        &[
            symbol(&["a", "b"], false, None),
            symbol(&["f"], true, None),
            symbol(&["Http", "get"], true, None),
            symbol(&["HttpClient"], false, None),
        ],
    );
    check_subjects(
        "```rust\nuse a::b::{C, d as e};\n```",
        "import",
        &[symbol(&["a", "b", "C"], false, Some("rust")), symbol(&["a", "b", "d"], false, Some("rust"))],
    );
    check("```py\nfrom a.b import c, d as e\nimport f.g as h\n```", "import", &["c", "d", "f.g"]);
    check_subjects(
        "```ts\nimport { a, type B } from 'p/q';\nimport x from './y';\n```",
        "import",
        &[symbol(&["p/q", "a"], false, Some("ts")), symbol(&["p/q", "B"], false, Some("ts"))],
    );
}

#[test]
fn settings() {
    check("`server.port` `os.path` `a.md` `example.com` `x.y.z`", "key", &["server.port", "x.y.z"]);
    let table = "| Option | Default | |\n|-|-|-|\n| `port` | `8080` | x |\n| `host` | - | y |\n";
    check(table, "option", &["port", "host"]);
    check_subjects(table, "default", &[value("default", "port", "8080")]);
    check_subjects(
        "`--jobs` sets it (default: `4`). `x` defaults to `\"y\"`.",
        "default",
        &[value("default", "--jobs", "4"), value("default", "x", "y")],
    );
    let plain = "| Key | Type | Default |\n|-|-|-|\n| image.tag | string | `\"1.4\"` |\n| replicaCount | int | `2` |\n\
                 | replicas | int | `3` |\n| 1.2 | x | `4` |\n";
    check(plain, "option", &["image.tag", "replicaCount"]);
    let stated = [value("default", "image.tag", "1.4"), value("default", "replicaCount", "2")];
    check_subjects(plain, "default", &stated);
    check("on port 8080, http://localhost:3000/x and port x", "port", &["8080", "3000"]);
}

#[test]
fn snippets() {
    check("```rust\na\nb\nc\n```", "snippet", &[]);
    check("```rust\na\nb\nc\nd\n```", "snippet", &["a\nb\nc\nd"]);
    check("```yaml\na\nb\nc\nd\n```", "snippet", &[]);
}

#[test]
fn claims_know_where_they_stand() {
    let claims = extract("a.md", "# One\n\n## Two `x`\n\nFirst. Then\nsee `src/a.rs` here. Last.\n");
    let claim = &claims[0];
    assert_eq!((claim.line, claim.end_line), (6, 6));
    assert_eq!(claim.section_heading.as_deref(), Some("Two x"));
    assert_eq!(claim.text, "Then see `src/a.rs` here.");
    assert_eq!(claim.claim_type, ClaimType::PathReference);
}

#[test]
fn words_around_a_claim_are_cues() {
    let cues = |text: &str| extract("a.md", text)[0].cues;
    assert!(cues("It no longer uses `src/a.rs`.").is_past);
    assert!(!cues("It uses `src/a.rs`. It was removed.").is_past);
    assert!(cues("# Migrating\n\n`src/a.rs`").is_past);
    assert!(cues("**Before:**\n\n```sh\nnpm run x\n```").is_past);
    assert!(cues("- `1.2.479` 2024-05-21 Remove: `src/a.rs`").is_past);
    assert!(cues("- v1.2 (2024-05-21): `src/a.rs`").is_past);
    assert!(cues("**Output:**\n\n```sh\n./src/a.sh\n```\n").is_past);
    assert!(cues("- **Files Fixed**: `src/a.rs`").is_past);
    assert!(cues("## Files modified\n\n- `src/a.rs`").is_past);
    let table = |head: &str| cues(&format!("| {head} |\n|---|---|\n| `src/a.rs` | No |\n")).is_past;
    assert!(table("v1 import path | v2 import path"));
    assert!(!table("v2 import path | v1 import path"));
    assert!(!table("v2 import path | Where"));
    assert!(table("Route | Supported?"));
    assert!(!table("Route | Needs a token"));
    assert!(cues("As `addListener()` works in other libraries.").is_past);
    let found = "## A\n\nVerified on 2026-07-24 from commit `9e94c090e`:\n\n- `src/a.rs`\n";
    assert!(cues(found).is_past);
    assert!(!cues(&found.replace("Verified on 2026-07-24", "Built")).is_past);
    assert!(!cues("- 1.2 says what `src/a.rs` does").is_past);
    assert!(!cues("- 2024-05-21 `src/a.rs`").is_past);
    assert!(cues("## A\n\n- Clone branch v1 at commit eebd918\n\n### B\n\nSee `src/a.rs`").is_past);
    assert!(!cues("## A\n\n- Clone branch v1 at commit eebd918\n\n## B\n\nSee `src/a.rs`").is_past);
    assert!(!cues("Use actions/checkout@11bd719, pinned.\n\nSee `src/a.rs`").is_past);
    assert!(!cues("Made in commit eebd918.\n\nSee `src/a.rs`").is_past);
    assert!(cues("For example, `src/a.rs`").is_example);
    assert!(cues("Create `src/a.rs` first").is_created);
    assert_eq!(cues("See `src/a.rs`"), crate::Cues::default());
}

#[test]
fn hostile_pages_take_no_longer_than_their_length() {
    let many = 20_000;
    let pages = [
        "[a](b.md) ".repeat(many),
        "`src/a.rs` ".repeat(many),
        "![".repeat(many),
        format!("```sh\n{}\n```", "a 'b' && ".repeat(many)),
        format!("```sh\n{}\n```", "<a ".repeat(many)),
        format!("```sh\n{}\n```", "it's ".repeat(many)),
        format!("```\n{}```", "├── a\n".repeat(many)),
        "> ".repeat(many),
        "# a\n".repeat(many),
        "<img src=".repeat(many),
        "<!--".repeat(many),
        "| `a` | `b` |\n|-|-|\n".repeat(many / 4),
        "Node ".repeat(many),
        "`a` defaults to ".repeat(many),
        "licensed under ".repeat(many),
        "{#a".repeat(many),
        format!("<p>\n{}</code>", "<code ".repeat(many)),
        format!("<p>\n{}</code>", "<codex ".repeat(many)),
        format!("<A>\n{}", "<td>`a".repeat(many)),
        "https://github.com/a/b/blob/main/c\n\n".repeat(many),
        format!("<p>\n{}", "https://github.com/a/b/blob/main/c ".repeat(many)),
        "https://github.com/".repeat(many),
        format!("```bash\n{}```", "cd a\n".repeat(many)),
        format!("```bash\n{}```", "x y\n".repeat(many)),
        format!("```bash\n{}```", "--foo\n".repeat(many)),
        format!("<p>\n{}", "<!-- <code>a</code> ".repeat(many)),
    ];
    let started = std::time::Instant::now();
    for page in &pages {
        extract("a.md", page);
    }
    // A square would take hours; the bound only has to be generous for slow machines.
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}
