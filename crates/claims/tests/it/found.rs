//! What is found in pages in forms other than a span: in sentences, headings, HTML, help texts and lists of arguments.

use docent_claims::extract;

/// The claims of one kind: what they name.
#[track_caller]
fn check(text: &str, kind: &str, expected: &[&str]) {
    let claims = extract("docs/a.mdx", text);
    for claim in &claims {
        assert_eq!(text.get(claim.span.clone()), Some(claim.named.as_str()), "{claim:?}");
    }
    let found: Vec<&str> =
        claims.iter().filter(|claim| claim.kind == kind).map(|claim| claim.named.as_str()).collect();
    assert_eq!(found, expected, "{kind} in {text:?}: {claims:#?}");
}

#[test]
fn variables_are_found_without_being_marked_as_code() {
    check(
        "## APP_CACHE_SIZE\n\nSet APP_HOME_DIR, or (APP_TOKEN).\n",
        "plain_variable",
        &["APP_CACHE_SIZE", "APP_HOME_DIR", "APP_TOKEN"],
    );
    check("| name | |\n|---|---|\n| APP_PORT_ONE | the port |\n", "plain_variable", &["APP_PORT_ONE"]);
    check("the JSON and README, [x](APP_HOME_DIR.md), a_B, Not_One", "plain_variable", &[]);
}

#[test]
fn a_span_is_told_once() {
    check("Set `APP_HOME_DIR` and `tool --deep-scan`.", "variable", &["APP_HOME_DIR"]);
    check("Set `APP_HOME_DIR` and `tool --deep-scan`.", "flag", &["--deep-scan"]);
}

#[test]
fn what_html_marks_as_code_is_a_span() {
    check(
        "| <code class=\"x\">--web.max-age</code> | <code>APP_HOME_DIR</code> |\n|---|---|\n| a | b |\n",
        "flag",
        &["--web.max-age"],
    );
    check("In <code>src/main.rs</code> and <code>a<b>c</b></code>.", "path", &["src/main.rs"]);
}

#[test]
fn flags_may_have_dots_and_one_dash() {
    check("Use `--web.listen-address=:80`.", "flag", &["--web.listen-address"]);
    check(
        "Use `-config.file` or `-log-level`, not `-xvf`, `-D`, `-Xmx1.2` or `--a..b`.",
        "flag",
        &["-config.file", "-log-level"],
    );
    check("```sh\ntool -config.file=a.yaml -v\n```\n", "flag", &["-config.file", "-v"]);
}

#[test]
fn flags_are_found_in_sentences() {
    check(
        "Pass --dry-run, or (--deep-scan). A dash -- no flag --- none.",
        "flag",
        &["--dry-run", "--deep-scan"],
    );
}

#[test]
fn flags_are_found_in_help_texts_of_shell_fences() {
    check("```shell\n      --max-tokens <MAX_TOKENS>\n          How many\n```\n", "flag", &["--max-tokens"]);
}

#[test]
fn flags_are_found_in_lists_of_arguments() {
    check(
        "```yaml\ncommand:\n  - --entry.web=:80\n  - \"--log-level=info\"\n  - x --not-one\n```\n",
        "flag",
        &["--entry.web", "--log-level"],
    );
    check("```json\n[\n  \"run\",\n  \"--save-trace\",\n]\n```\n", "flag", &["--save-trace"]);
    check("```yaml\n# CLI flag: -store.max-age\nmax_age: 1 # -no-flag\n```\n", "flag", &["-store.max-age"]);
}

#[test]
fn a_heading_may_be_the_call_of_a_script() {
    check("#### npm run docs\n\ntext\n", "npm_script", &["npm run docs"]);
    check("#### How to npm run docs\n", "npm_script", &[]);
}

#[test]
fn images_that_a_component_requires_are_found() {
    check("<img src={require('./img/a.png').default} title='x' />\n", "image", &["./img/a.png"]);
    check("```js\nconst x = {a={require('./img/a.png')}}\n```\n", "image", &[]);
}

#[test]
fn joined_words_in_spans_are_names() {
    check(
        "Call `fetchCompletion` with `max_retry_count` and `APP_HOME`, `short_x`, `plain`, `tool-name`.",
        "name",
        &["fetchCompletion", "max_retry_count"],
    );
    check("| option | |\n|---|---|\n| `max_retry_count` | x |\n", "name", &[]);
}

#[test]
fn a_span_of_flags_is_read_beyond_their_values() {
    check(
        "### `--extension <ext>, --watch-extensions <ext>`",
        "flag",
        &["--extension", "--watch-extensions"],
    );
    check("`-p, --port=<number>` and `-- --not-one`", "flag", &["--port"]);
}

#[test]
fn notes_and_tabs_that_are_indented_are_read() {
    let links = |text: &str| -> Vec<String> {
        let claims = extract("docs/a.md", text).into_iter().filter(|claim| claim.kind == "link");
        claims.map(|claim| claim.named).collect()
    };
    let note = "!!! info \"More\"\n\n    See the [guide](../guide/grpc.md).\n\n=== \"Go\"\n\n    Run [this](run.md).\n";
    assert_eq!(links(note), ["../guide/grpc.md", "run.md"]);
    assert_eq!(links("Plain:\n\n    [no](link.md)\n"), Vec::<String>::new());
}

#[test]
fn the_help_of_a_program_in_go_is_read() {
    let help = "```\nUsage of proxy:\n  -auth-logging: Log attempts (default true)\n  -azure-tenant string: go there\n  -v: talk\n```\n";
    check(help, "flag", &["-auth-logging", "-azure-tenant"]);
}
