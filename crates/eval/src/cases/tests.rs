//! Every format by an example, and what is said of files that are wrong.

use docent_engine::Mode;

use super::*;

fn load(name: &str, text: &str) -> Result<CaseSet, EngineError> {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join(name);
    std::fs::write(&file, text).unwrap();
    CaseSet::load(&file, None, None)
}

fn one(name: &str, text: &str, format: CaseFormat) -> Case {
    let mut set = load(name, text).unwrap();
    assert_eq!(set.format, format);
    assert_eq!(set.cases.len(), 1, "{:?}", set.cases);
    set.cases.remove(0)
}

/// Expected targets as `name=gain`.
fn expected(case: &Case) -> Vec<String> {
    case.expected.iter().map(|one| format!("{}={}", one.target.as_str(), one.gain)).collect()
}

fn check_error(name: &str, text: &str, place: &str, message: &str, hint: &str) {
    let error = load(name, text).unwrap_err();
    assert!(error.message.contains(&format!("{name}{place}")), "{}", error.message);
    assert!(error.message.contains(message), "{}", error.message);
    assert!(error.hint.contains(hint), "{}", error.hint);
}

#[test]
fn our_format_has_one_target_or_many_with_or_without_gains() {
    let check = |written: &str, targets: &[&str]| {
        let case = one("a.yaml", &format!("- query: q\n  expected: {written}\n"), CaseFormat::Docent);
        assert_eq!(expected(&case), targets);
    };
    check("a.md", &["a.md=1"]);
    check("[a.md, b.md#c]", &["a.md=1", "b.md#c=1"]);
    check("[{target: a.md, gain: 2}, {target: b.md}]", &["a.md=2", "b.md=1"]);
    check("{a.md: 3, b.md: 0.5}", &["a.md=3", "b.md=0.5"]);
}

#[test]
fn our_format_takes_defaults_and_every_key() {
    let text = "\
# A comment
defaults: {k: 3, category: all, mode: lexical}
cases:
  - id: one
    query: how do retries work
    expected: a.md
    filters: {language: [rust, go], scope: sdk}
    mode: semantic
    max_rounds: 2
  - {query: second, expected: b.md, category: other}
";
    let set = load("a.yaml", text).unwrap();
    let first = &set.cases[0];
    assert_eq!((first.id.as_str(), first.k, first.mode), ("one", Some(3), Some(Mode::Semantic)));
    assert_eq!((first.category.as_deref(), first.max_rounds), (Some("all"), Some(2)));
    let filters = [("language", vec!["rust", "go"]), ("scope", vec!["sdk"])];
    let filters =
        filters.map(|(key, values)| (key.to_owned(), values.into_iter().map(str::to_owned).collect()));
    assert_eq!(first.filters, filters);
    let second = &set.cases[1];
    assert_eq!((second.id.as_str(), second.category.as_deref()), ("second", Some("other")));
    assert!(second.place.contains("a.yaml:10"), "{}", second.place);
}

#[test]
fn our_format_may_be_json_too() {
    let listed = r#"[{"query": "q", "expected": "a.md"}]"#;
    let wrapped = r#"{"cases": [{"query": "q", "expected": {"a.md": 2}}], "defaults": {"k": 7}}"#;
    let lines = "{\"query\": \"q\", \"expected\": \"a.md\"}\n\n{\"query\": \"r\", \"expected\": \"b.md\"}\n";
    assert_eq!(expected(&one("a.json", listed, CaseFormat::Docent)), ["a.md=1"]);
    assert_eq!(one("a.json", wrapped, CaseFormat::Docent).k, Some(7));
    assert_eq!(load("a.jsonl", lines).unwrap().cases.len(), 2);
    assert_eq!(one("flow.yaml", "[{query: q, expected: a.md}]", CaseFormat::Docent).query, "q");
}

#[test]
fn docs_mcp_eval_is_recognised_in_both_spellings() {
    let camel = r#"[{"name": "n", "query": "q", "expectedChunkId": "a.md#a/b", "filters": {"language": "go"}, "limit": 3, "maxRounds": 2, "category": "c", "notes": "x"}]"#;
    let case = one("a.json", camel, CaseFormat::DocsMcp);
    assert_eq!(expected(&case), ["a.md#a/b=1"]);
    assert_eq!((case.id.as_str(), case.k, case.max_rounds), ("n", Some(3), Some(2)));
    assert_eq!((case.category.as_deref(), case.filters.len()), (Some("c"), 1));
    let snake = r#"[{"query": "q", "expected_chunk_id": "a.md#a", "max_rounds_allowed": 4}]"#;
    assert_eq!(one("a.json", snake, CaseFormat::DocsMcp).max_rounds, Some(4));
    check_error("a.json", &camel.replace("\"limit\"", "\"limits\""), ": case 1", "`limits`", "`limit`");
}

#[test]
fn qmd_benchmarks_are_recognised() {
    let text = r#"{"description": "d", "version": 1, "collection": "c", "queries": [
        {"id": "x", "query": "q", "type": "exact", "description": "d", "expected_files": ["qmd://c/docs/A.md", "b.md"], "expected_in_top_k": 3}]}"#;
    let case = one("bench.json", text, CaseFormat::Qmd);
    assert_eq!(expected(&case), ["docs/A.md=1", "b.md=1"]);
    assert_eq!((case.id.as_str(), case.category.as_deref(), case.k), ("x", Some("exact"), Some(3)));
    assert!(matches!(case.expected[0].target, Target::File(_)));
    check_error("bench.json", r#"{"queries": [{"query": "q"}]}"#, ": case 1", "`expected_files`", "");
}

#[test]
fn judgements_by_url_are_recognised() {
    let map = r#"{"query": "q", "qrels": {"https://e.org/a": 2, "https://e.org/b": 0}}"#;
    assert_eq!(expected(&one("a.jsonl", map, CaseFormat::Urls)), ["https://e.org/a=2"]);
    let list = r#"[{"query": "q", "qrels": [{"url": "https://e.org/a", "relevance": 1}, {"url": "/b", "grade": 3}]}]"#;
    assert_eq!(expected(&one("a.json", list, CaseFormat::Urls)), ["https://e.org/a=1", "/b=3"]);
    check_error("a.json", r#"[{"query": "q", "qrels": {"/a": 0}}]"#, ": case 1", "above 0", "");
}

#[test]
fn a_beir_folder_brings_its_documents() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    write("corpus.jsonl", "{\"_id\":\"d\",\"text\":\"x\"}\n");
    write("queries.jsonl", "{\"_id\":\"q1\",\"text\":\"a\"}\n");
    write("qrels.tsv", "query-id\tcorpus-id\tscore\nq1\td\t2\n");
    let set = CaseSet::load(dir.path(), None, None).unwrap();
    assert_eq!((set.format, set.corpus.map(|documents| documents.len())), (CaseFormat::Beir, Some(1)));
    assert_eq!(expected(&set.cases[0]), ["d=2"]);
}

#[test]
fn a_folder_may_hold_files_of_several_formats() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    write("a.yaml", "- {query: q, expected: a.md, category: x}\n- {query: q, expected: b.md}\n");
    write("b.json", r#"[{"query": "r", "expectedChunkId": "a.md"}]"#);
    write("notes.txt", "not cases");
    let mut set = CaseSet::load(dir.path(), None, None).unwrap();
    assert_eq!(set.format, CaseFormat::Mixed);
    let ids: Vec<&str> = set.cases.iter().map(|case| case.id.as_str()).collect();
    assert_eq!(ids, ["q", "q (2)", "r"]);
    let error = set.keep_categories(&["y".to_owned()]).unwrap_err();
    assert!(error.hint.contains("there are: x"), "{}", error.hint);
    set.keep_categories(&["x".to_owned()]).unwrap();
    assert_eq!(set.cases.len(), 1);
}

#[test]
fn mistakes_are_told_with_their_place() {
    check_error("a.yaml", "- query: q\n  expcted: a.md\n", ":1: case 1", "`expected`", "name a page");
    check_error(
        "a.yaml",
        "- {query: q, expected: a.md}\n- query: q\n  expected: a.md\n  categroy: x\n",
        ":2: case 2",
        "`categroy`",
        "`category`",
    );
    check_error("a.yaml", "- expected: a.md\n", ":1: case 1", "`query`", "");
    check_error("a.yaml", "- {query: q, expected: a.md, k: 0}\n", ":1: case 1", "`k`", "");
    check_error("a.yaml", "- {query: q, expected: a.md, mode: fuzzy}\n", ":1: case 1", "`fuzzy`", "hybrid");
    check_error("a.yaml", "- {query: q, expected: {a.md: -1}}\n", ":1: case 1", "gain", "");
    check_error("a.yaml", "- {query: q, expected: []}\n", ":1: case 1", "empty", "");
    check_error("a.yaml", "- just text\n", ":1: case 1", "not a map", "");
    check_error("a.yaml", "cases:\n  - {query: q, expected: a.md\n", "", "cannot be read", "");
    check_error("a.yaml", "defaults: {expected: a.md}\ncases: [{query: q}]\n", "", "`defaults`", "");
    check_error("a.json", "[{\"query\": \"q\",\n \"expected\": }]", ":2", "not valid JSON", "");
    check_error("a.json", "{\"format\": \"docent-eval-run\"}", "", "results of a run", "");
    check_error(
        "a.yaml",
        "- {id: x, query: q, expected: a.md}\n- {id: x, query: r, expected: a.md}\n",
        ":2: case 2",
        "`x`",
        "",
    );
    check_error("a.json", "42", "", "cannot be read", "");
    assert!(load("a.yaml", "# nothing\n").unwrap_err().message.contains("no cases"));
    let long = format!("- {{query: {}, expected: a.md}}\n", "x".repeat(5000));
    check_error("a.yaml", &long, ":1: case 1", "4096", "");
}

#[test]
fn hostile_files_are_refused_in_good_time() {
    let bomb = "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\ncases: [*e,*e,*e,*e,*e,*e,*e,*e,*e]\n";
    assert!(load("bomb.yaml", bomb).is_err());
    assert!(load("deep.json", &"[".repeat(100_000)).is_err());
    assert!(load("deep.yaml", &"- ".repeat(100_000)).is_err());
    assert!(load("bytes.yaml", "\u{0}\u{1}\u{feff}").is_err());
}

#[test]
fn the_nearest_key_is_near() {
    let check = |wanted: &str, expected: Option<&str>| {
        assert_eq!(nearest(wanted, ["query", "expected", "category"].into_iter()), expected, "{wanted}");
    };
    check("qurey", Some("query"));
    check("Expected", Some("expected"));
    check("something else", None);
}
