//! Wrong usage: two lines, exit code 2, nothing on stdout.

use crate::support::Project;

fn check(args: &[&str], error: &str, hint: &str) {
    Project::new().run(args).check_error(2, error, hint);
}

#[test]
fn mistyped_commands_and_flags() {
    check(&["serach", "x"], "unrecognized subcommand 'serach'", "search");
    check(&["search", "x", "--jsno"], "unexpected argument '--jsno'", "--json");
    check(&["search", "x", "--mode", "fuzzy"], "invalid value 'fuzzy'", "hybrid, semantic, lexical");
    check(&["search"], "QUERY", "docent search --help");
    check(&["eval"], "--beir", "docent eval --help");
}

#[test]
fn numbers_out_of_range() {
    check(&["search", "x", "--limit", "51"], "--limit is 51", "narrow");
    check(&["search", "x", "--limit", "0"], "--limit is 0", "");
    check(&["search", "x", "--limit", "3", "--top-k", "4"], "--top-k is 4 and --limit is 3", "one of them");
    check(&["search", "x", "--cursor", "abc"], "the cursor is not one of ours", "search again");
    check(&["search", "x", "--wait=-1"], "--wait is -1", "seconds");
}

#[test]
fn filters_that_cannot_be_read() {
    check(&["search", "x", "--facet", "rust"], "--facet rust is not KEY=VALUE", "language=rust");
    check(&["search", "x", "--path", "a["], "not a path pattern: a[", "guides/**/*.md");
}

#[test]
fn queries_that_cannot_be_searched_for() {
    check(&["search", "  "], "query", "few words");
    check(&["search", &"x".repeat(5000)], "5000 bytes", "fewer words");
}

#[test]
fn folders_that_are_not_there() {
    check(&["index", "nowhere"], "cannot read the documents folder", "argument DIR");
    check(&["search", "x", "--docs", "nowhere"], "no such file or directory", "--docs");
    check(&["index", "docent.toml"], "is not a folder", "--docs ./docs");
    check(&["index", "docs", "--docs", "docs/guides"], "two folders are given", "once");
}

#[test]
fn settings_that_cannot_be_read() {
    let check = |toml: &str, error: &str, hint: &str| {
        let project = Project::new();
        project.write("docent.toml", toml);
        project.run(&["search", "x"]).check_error(2, error, hint);
    };
    check("inclde = []", "docent.toml: unknown key `inclde`", "did you mean `include`?");
    check("docs = 1", "line 1", "docent config --help");
    check("docs = 'missing'", "cannot read the documents folder", "docent.toml");
    check("include = ['a[']", "`include` has a pattern", "guides/**/*.md");
}

#[test]
fn unknown_collections_name_the_known_ones() {
    let project = Project::new();
    project.ok(&["index"]);
    project.run(&["search", "x", "-c", "other"]).check_error(1, "no collection `other`", "docs");
}

#[test]
fn a_project_sends_documents_to_no_other_machine_and_writes_nowhere_else() {
    let project = Project::new();
    let file =
        "[embedding]\nprovider = 'openai'\nbase_url = 'http://user:secret@evil.example/v1'\nmodel = 'm'\n";
    project.write("docent.toml", file);
    let search = project.run(&["search", "backoff", "--embedder", "openai"]);
    search.check_error(2, "http://…@evil.example/v1, another machine", "DOCENT_OPENAI_BASE_URL");
    let away = project.path("away");
    project.write("docent.toml", format!("index = '{}'\n", away.display()));
    project.run(&["index"]).check_error(2, "outside of the project", "--index or DOCENT_INDEX");
    project.write("docent.toml", "index = '../away'\n");
    project.run(&["status"]).check_error(2, "outside of the project", "--index or DOCENT_INDEX");
    assert!(!away.exists());
}

#[test]
fn a_server_that_is_not_there_is_told() {
    let project = Project::new();
    project.write(
        "docent.toml",
        "[embedding]\nbase_url = 'http://127.0.0.1:9/v1'\nmodel = 'm'\ndimensions = 4\n",
    );
    let search = project.run(&["search", "backoff", "--embedder", "openai"]);
    assert_eq!(search.code, Some(0), "{search:?}");
    assert!(search.out.contains("guides/retries.md") && search.err.contains("note: "), "{search:?}");
}
