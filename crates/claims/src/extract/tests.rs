//! What is found in a page, one short page per rule.

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
fn scripts_of_manifests() {
    check_subjects(
        "```sh\n$ npm run build -- --x\n```",
        "npm_script",
        &[defined("npm_script", "build", None)],
    );
    check("Run `npm run build:all`.", "npm_script", &["npm run build:all"]);
    check("`npm test` `npm install` `yarn add x`", "npm_script", &["npm test"]);
    check("```bash\ncd ui && pnpm dev\n```", "npm_script_or_program", &["pnpm dev"]);
    check_subjects(
        "```bash\ncd ui && pnpm run dev\n```",
        "npm_script",
        &[defined("npm_script", "dev", Some("ui"))],
    );
    check_subjects(
        "`pnpm --filter @a/b run dev`",
        "npm_script",
        &[defined("npm_script", "dev", Some("@a/b"))],
    );
    check("```\nnpm create vite\ncd x\nnpm run dev\n```", "npm_script", &[]);
    check(
        "```sh\nmake -C lib -j8 all test CC=gcc\n```",
        "make_target",
        &["make -C lib -j8 all", "make -C lib -j8 all test"],
    );
    check("You can `make it work`; `make build`", "make_target", &["make build"]);
    check("`just test --x` `task build:all V=1`", "just_recipe", &["just test"]);
    check("`just test --x` `task build:all V=1`", "task", &["task build:all"]);
    check("`make $TARGET` `npm run <script>` `just foo`", "make_target", &[]);
}

#[test]
fn cargo_and_other_tools() {
    let text = "```sh\ncargo +nightly run -p a --bin b --features x,y -- --flag\n```";
    check_subjects(
        text,
        "cargo_feature",
        &[defined("cargo_feature", "x", Some("a")), defined("cargo_feature", "y", Some("a"))],
    );
    check(text, "cargo_bin", &["cargo +nightly run -p a --bin b"]);
    check(text, "flag", &["--flag"]);
    check(
        "`cargo xtask docs` `cargo nextest run` `cargo build` `cargo install -p x`",
        "cargo_alias",
        &["cargo xtask"],
    );
    check("`go run ./cmd/x` `go test ./...` `go run main.go`", "go_package", &["go run ./cmd/x"]);
    check("`python -m pkg.mod --x`", "python_module", &["python -m pkg.mod"]);
    check(
        "`docker compose up -d web db` `docker run x`",
        "compose_service",
        &["docker compose up -d web", "docker compose up -d web db"],
    );
    check(
        "```sh\n./scripts/a.sh x\nbash b.sh\npython tools/c.py\ncp .env.example .env\ncd a/b\n```",
        "argument",
        &["./scripts/a.sh", "b.sh", "tools/c.py", ".env.example", "a/b"],
    );
    check("`./gradlew :core:test`", "gradle_project", &["./gradlew :core:test"]);
}

#[test]
fn calls_of_programs() {
    check("`tool sub deep --flag=1 -v`", "subcommand", &["tool sub", "tool sub deep"]);
    check("`tool sub deep --flag=1 -v` and `--alone`", "flag", &["--flag", "-v", "--alone"]);
    check("`git commit --amend` `ls -l`", "flag", &[]);
    check("```console\n$ tool a\nother b\n```", "subcommand", &["tool a"]);
    check("```\nsome prose here\n```", "subcommand", &[]);
    check("```sh\nA_B=1 sudo tool go # rest\n```", "subcommand", &["tool go"]);
}

#[test]
fn variables() {
    check(
        "`API_KEY` `$HOME_DIR` `${A_BC}` `A_BC=1` `JSON` `a_b` `YOUR_KEY`",
        "variable",
        &["API_KEY", "HOME_DIR", "A_BC", "A_BC"],
    );
    check(
        "```sh\nexport X_YY=1\nZ_WW=2 run\n```\n```env\n# C_DD=1\nE_FF=2\n```",
        "variable",
        &["X_YY", "Z_WW", "C_DD", "E_FF"],
    );
}

#[test]
fn variables_in_settings_and_code_of_fences() {
    check("```\n# The key:\n#API_KEY=\nAPI_PORT=1\n```", "variable", &["API_KEY", "API_PORT"]);
    check("```\nsome text\nAPI_PORT=1\n```", "variable", &[]);
    check("```sh\n# API_KEY=1 and more\nAPI_PORT=2 run\n```", "variable", &["API_KEY", "API_PORT"]);
    check(
        "```yaml\nenv:\n  - name: API_KEY\n    value: x\n  - API_PORT=1\n  API_HOST: y\n```",
        "variable",
        &["API_KEY", "API_PORT", "API_HOST"],
    );
    check("```json\n{ \"env\": {\n  \"API_KEY\": \"x\" } }\n```", "variable", &["API_KEY"]);
    check(
        "```ts\nconst a = process.env.API_KEY\n```\n```python\nos.environ[\"API_PORT\"]\n```",
        "sample_variable",
        &["API_KEY", "API_PORT"],
    );
    check("```sh\ndocker run -e API_KEY=x image\n```", "variable", &["API_KEY"]);
}

#[test]
fn files_that_any_command_names() {
    check(
        "`uvx --with-requirements docs/req.txt -- mkdocs serve` `uv run --isolated scripts/make.py`",
        "argument",
        &["docs/req.txt", "scripts/make.py"],
    );
    check("```sh\ncat conf/rules.json | jq .\n```", "argument", &["conf/rules.json"]);
    check("`tool --config conf/a.toml -o out/b.json`", "argument", &["conf/a.toml"]);
    check("```sh\ntouch conf/a.toml\n```", "argument", &[]);
    check(
        "```sh\npython tools/run.py -c Agent data/a.json\n```",
        "argument",
        &["tools/run.py", "data/a.json"],
    );
    check("```nu\ncargo run -- crates/std/a.nu\n```", "argument", &["crates/std/a.nu"]);
    let subject = |target: &str| Subject::Path {
        target: target.to_owned(),
        anchor: None,
        lines: None,
        link: crate::Link::Argument,
    };
    check_subjects(
        "```sh\ncd web/app\nnode tools/x.js\n```",
        "argument",
        &[subject("web/app"), subject("web/app/tools/x.js")],
    );
}

#[test]
fn flags_of_scripts_and_in_lists() {
    let flag = |program: &str, flag: &str| Subject::OwnCli {
        program: program.to_owned(),
        subcommands: Vec::new(),
        flag: Some(flag.to_owned()),
    };
    check_subjects("```sh\npython -m a.b --deep\n```", "flag", &[flag("a/b", "--deep")]);
    check_subjects("```sh\n./tools/x.sh --deep\n```", "flag", &[flag("tools/x.sh", "--deep")]);
    check_subjects("`--deep DIR --wide`", "flag", &[flag("", "--deep"), flag("", "--wide")]);
    check("```\n  -p, --port int   the port\n      --wide       more\n```", "flag", &["--port", "--wide"]);
}

#[test]
fn features_of_packages_that_are_installed() {
    check_subjects(
        "`cargo install tool --features=a,b`",
        "cargo_feature",
        &[defined("cargo_feature", "a", Some("tool")), defined("cargo_feature", "b", Some("tool"))],
    );
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
fn settings_that_a_module_holds() {
    let page = "```python\nCACHE_TIMEOUT = 60\nSITE_NAME: str = 'x'\nif A_B == 1:\n    INNER_NAME = 2\nlower_case = 3\n```\n";
    check(page, "setting", &["CACHE_TIMEOUT", "SITE_NAME"]);
    check("```go\nMAX_SIZE = 60\n```\n", "setting", &[]);
}

#[test]
fn arguments_that_shall_be_added_to_a_call() {
    check(
        "```bash\n--moe-backend deep \\\n--mode auto \\\n--verbose\n```\n",
        "flag",
        &["--moe-backend", "--mode", "--verbose"],
    );
    check("`ExecStart=/usr/bin/x --app y --level z`", "flag", &["--app"]);
    check(
        "```bash\nScan\n\nUsage:\n  tool scan\n\nFlags\n      --exit-code int   code\n  -gc, --expose-gc      more\n```\n",
        "flag",
        &["--exit-code", "--expose-gc"],
    );
    check(
        "```yaml\n# Same as '--exit-code'\n# CLI flag: -a.b\n# - see --\nx: 1\n```\n",
        "flag",
        &["--exit-code", "-a.b"],
    );
    check("```\nAPP_URL=x \\\nAPP_KEY=y \\\n./tool run\n```\n", "variable", &["APP_URL", "APP_KEY"]);
}

#[test]
fn examples_of_a_program_without_a_language() {
    let page = "```\n  # Check\n  flux check --pre\n\n  # Remove\n  flux uninstall --crds\n```\n";
    check(page, "flag", &["--pre", "--crds"]);
    check(page, "subcommand", &["flux check", "flux uninstall"]);
    check("```\n# a list\nsome words here\nother words\n```\n", "subcommand", &[]);
}

#[test]
fn names_between_underscores() {
    check("`__get_json_schema__` and `__init_subclass__`", "name", &["__get_json_schema__"]);
    check("`unstable_createContext` and `some_camelCase`", "name", &["unstable_createContext"]);
}

#[test]
fn a_minimum_may_be_told_from_afar() {
    let page = "The minimum supported version of Rust for this tool is **1.85.0**, although older versions may work.";
    check_subjects(page, "runtime", &[value("runtime", "rust", "1.85.0")]);
    let claims = extract("a.md", page);
    assert!(claims.iter().all(|claim| !claim.cues.is_past));
    check("Rust for this is 1.85.0", "runtime", &[]);
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
fn what_stands_below_requirements_is_required() {
    check("## Requirements\n\n* [Go 1.17](https://golang.org/dl/)\n", "runtime", &["Go 1.17"]);
    check("## Stories\n\n* [Go 1.17](https://golang.org/dl/)\n", "runtime", &[]);
}

#[test]
fn variables_that_are_inserted_into_settings() {
    let page =
        "```yaml\nurl: ${APP_URL:jdbc:h2}\nuser: ${APP_USER:-sa}\nx: ${APP_X}/${lower} ${APP_BAD!}\n```\n";
    check(page, "variable", &["APP_URL", "APP_USER", "APP_X"]);
}

#[test]
fn flags_of_a_synopsis() {
    let page =
        "```\nusage: tool run [-h] [--hot-reload] [--dir DIR]\n                [--quiet|--loud]\n```\n";
    check(page, "flag", &["--hot-reload", "--dir", "--quiet"]);
}

#[test]
fn variables_of_make() {
    check("`make start PROFILE_NAME=minimal UI=false`", "variable", &["PROFILE_NAME"]);
}

#[test]
fn runtimes() {
    check_subjects(
        "Needs Node 18+ and **Python >= 3.9**.",
        "runtime",
        &[value("minimum", "node", "18"), value("minimum", "python", "3.9")],
    );
    check("requires Go 1.22", "runtime", &["Go 1.22"]);
    check("The MSRV is 1.70.", "runtime", &["MSRV is 1.70"]);
    check("Node.js version 20 or later, Java 17 is nice", "runtime", &["Node.js version 20"]);
    check(
        "![n](https://img.shields.io/badge/node-%3E%3D18-green)",
        "runtime",
        &["https://img.shields.io/badge/node-%3E%3D18-green"],
    );
}

#[test]
fn dependencies() {
    check_subjects("`npm i @a/b@1.2.3 c`", "install", &[value("dependency", "npm:@a/b", "1.2.3")]);
    check("`npm i @a/b@1.2.3 -D c`", "package_name", &["@a/b", "c"]);
    check_subjects("`pip install x==1.0`", "install", &[value("dependency", "pypi:x", "1.0")]);
    check_subjects(
        "```toml\n[dependencies]\nserde = \"1.0\"\nx = { version = \"0.3\" }\n```",
        "manifest",
        &[value("dependency", "cargo:serde", "1.0"), value("dependency", "cargo:x", "0.3")],
    );
    check_subjects(
        "```json\n{\"dependencies\": {\n \"a\": \"^1.2\"\n}}\n```",
        "manifest",
        &[value("dependency", "npm:a", "1.2")],
    );
    check_subjects(
        "```xml\n<groupId>g</groupId>\n<artifactId>a</artifactId>\n<version>1.2</version>\n```",
        "manifest",
        &[value("dependency", "maven:g:a", "1.2")],
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
    check("on port 8080, http://localhost:3000/x and port x", "port", &["8080", "3000"]);
}

#[test]
fn conventions() {
    check("Licensed under the MIT license or Apache-2.0.", "licence", &["MIT", "Apache-2.0"]);
    check("MIT is a university.", "licence", &[]);
    check("It uses edition 2021.", "edition", &["2021"]);
    check("```toml\nedition = \"2024\"\n```", "edition", &["2024"]);
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

#[test]
fn a_version_in_a_case_or_a_table_of_others_is_no_requirement() {
    check("If you are using Node 22+ it is faster.", "runtime", &[]);
    check("If you want to build it, you need Rust 1.85.", "runtime", &["Rust 1.85"]);
    check("- `1.47.x` - until September. (MSRV 1.70)\n", "runtime", &[]);
    check("| Range | Meaning |\n|---|---|\n| `>=3.7` | Python 3.7 and above |\n", "runtime", &[]);
    check("| Tool | Version |\n|---|---|\n| Python | Python 3.7+ |\n", "runtime", &["Python 3.7+"]);
}

#[test]
fn what_a_page_tells_its_reader_to_have_is_theirs() {
    let page = "```json\n{ \"scripts\": {\n  \"gen:all\": \"x\"\n} }\n```\n\nRun `npm run gen:all` and `npm run other`.\n";
    check(page, "npm_script", &["npm run other"]);
    let page = "```python\nfrom .crews import PoemCrew\n```\n\nThe `PoemCrew` and the `OtherCrew`.\n";
    check(page, "symbol", &["OtherCrew"]);
    let page = "```ts\nasync deleteProduct(id) {\n}\n```\n\n`deleteProduct` and `createProduct`\n";
    check(page, "name", &["createProduct"]);
    let page = "```\nmy-project/\n├── config/\n│   └── a.toml\n```\n\n`config/a.toml` and `src/a.rs`\n";
    check(page, "path", &["src/a.rs"]);
}

#[test]
fn comments_of_mdx_hold_no_claims() {
    check("{/* See [x](a.md). */}\n\n[y](b.md)\n", "link", &["b.md"]);
}

#[test]
fn an_edition_of_another_manifest_is_not_ours() {
    check("```toml\n[package]\nname = \"my-tool\"\nedition = \"2021\"\n```", "edition", &[]);
    check("```toml\n[rust]\nedition = \"2021\"\n```", "edition", &[]);
    check("```toml\n[package]\nedition = \"2021\"\n```", "edition", &["2021"]);
}

#[test]
fn another_recipe_begins_where_the_first_one_did() {
    let page = "```sh\n# UI\ncd ui\nmake first\n\n# All\nmake second\n```";
    check_subjects(
        page,
        "make_target",
        &[defined("make_target", "first", Some("ui")), defined("make_target", "second", None)],
    );
}

#[test]
fn old_names_and_what_is_denied_are_of_the_past() {
    let is_past =
        |page: &str| extract("docs/a.md", page).iter().map(|claim| claim.cues.is_past).collect::<Vec<_>>();
    assert_eq!(is_past("| Old name | New name |\n|---|---|\n| `src/a.rs` | `src/b.rs` |\n"), [true, false]);
    assert_eq!(is_past("There is no `src/a.rs`, see `src/b.rs`.\n"), [true, false]);
    assert_eq!(is_past("Use `src/a.rs` and not `src/b.rs`.\n"), [false, true]);
}
