//! `docent eval` on a project's own documents: run, compare, suggest, report.

use serde_json::{Value, json};

use crate::support::{Project, Ran};

const CASES: &str = "\
- {query: exponential backoff, expected: guides/retries.md#backoff-strategy, category: section}
- {query: how many attempts, expected: guides/retries.md#retries/limits, category: section, filters: {language: rust}}
- {query: expose a pod, expected: services.md, category: page}
- {query: install the program, expected: {start.md: 2, services.md: 1}, category: page}
";

fn project() -> Project {
    let project = Project::new();
    project.write("cases.yaml", CASES);
    project
}

fn case<'a>(run: &'a Value, id: &str) -> &'a Value {
    run["cases"].as_array().unwrap().iter().find(|case| case["id"] == id).unwrap()
}

fn write_run(project: &Project, file: &str, change: impl Fn(&mut Value)) {
    project.ok(&["eval", "run", "cases.yaml", "--out", file]);
    let path = project.root().join(file);
    let mut run: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    change(&mut run);
    std::fs::write(path, run.to_string()).unwrap();
}

#[test]
fn a_run_has_every_figure() {
    let project = project();
    let run = project.json(&["eval", "run", "cases.yaml", "--json"]);
    let all = &run["overall"];
    for figure in
        ["ndcg_at_5", "ndcg_at_10", "mrr", "recall_at_1", "recall_at_5", "recall_at_10", "hit_at_k", "rounds"]
    {
        let [mean, low, high] = ["mean", "low", "high"].map(|part| all[figure][part].as_f64().unwrap());
        assert!(low <= mean && mean <= high && low < high, "{figure}: {}", all[figure]);
    }
    assert_eq!(all["queries"], 4);
    assert_eq!(all["facet_precision"]["mean"], 1.0);
    assert_eq!(run["facts"]["build_seconds"], Value::Null);
    assert_eq!(run["facts"]["documents"], 3);
    assert!(run["facts"]["index_bytes"].as_u64().unwrap() > 0);
    let names: Vec<&Value> = run["categories"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["page", "section"]);
    let section = case(&run, "exponential backoff");
    assert_eq!((&section["scored_on"], &section["rank"]), (&json!("chunks"), &json!(1)));
    assert_eq!(section["returned"][0]["expected"], true);
    assert_eq!(case(&run, "expose a pod")["scored_on"], "pages");
}

#[test]
fn the_view_says_the_same() {
    let project = project();
    let shown = project.ok(&["eval", "run", "cases.yaml", "-k", "3"]);
    for part in ["4 queries on 3 documents", "nDCG@10", "hit@3", "facet precision", "latency", "section"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let one = project.ok(&["eval", "run", "cases.yaml", "--filter-category", "page"]);
    assert!(one.contains("2 queries") && !one.contains("section"), "{one}");
    project.run(&["eval", "run", "cases.yaml", "--filter-category", "x"]).check_error(
        2,
        "`x`",
        "page, section",
    );
}

#[test]
fn what_is_not_in_the_index_is_told_and_not_counted() {
    let project = project();
    project.write(
        "more.yaml",
        format!("{CASES}- {{query: lost page, expected: [gone.md, services.md#prts]}}\n"),
    );
    let ran = project.run(&["eval", "run", "more.yaml", "--json"]);
    assert_eq!(ran.code, Some(1));
    let run: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(run["overall"]["queries"], 4);
    let targets: Vec<&Value> = run["problems"].as_array().unwrap().iter().map(|one| &one["target"]).collect();
    assert_eq!(targets, ["gone.md", "services.md#prts"]);
    assert!(ran.err.contains("more.yaml:5: case 5: gone.md: No page found"), "{}", ran.err);
    assert!(ran.err.contains("Services > Ports"), "{}", ran.err);
}

#[test]
fn a_fresh_run_leaves_nothing_behind() {
    let project = project();
    let run = project.json(&["eval", "run", "cases.yaml", "--fresh", "--json"]);
    assert!(run["facts"]["build_seconds"].as_f64().unwrap() > 0.0);
    assert!(!project.root().join(".docent").exists());
}

#[test]
fn a_judged_set_has_the_figures_of_the_older_spelling() {
    let project = Project::new();
    let documents: String = (0..30)
        .map(|n| {
            format!(
                "{{\"_id\":\"d{n}\",\"title\":\"Page {n}\",\"text\":\"word{n} common word{} text\"}}\n",
                n % 7
            )
        })
        .collect();
    let queries: String =
        (0..20).map(|n| format!("{{\"_id\":\"q{n}\",\"text\":\"common word{n}\"}}\n")).collect();
    let qrels: String =
        (0..20).map(|n| format!("q{n}\td{n}\t2\nq{n}\td{}\t1\nq{n}\tmissing\t1\n", n % 7)).collect();
    project.write("set/corpus.jsonl", documents);
    project.write("set/queries.jsonl", queries);
    project.write("set/qrels.tsv", format!("query-id\tcorpus-id\tscore\n{qrels}"));
    let old = project.json(&["eval", "--beir", "set", "--json"]);
    let new = project.json(&["eval", "run", "set", "--json"]);
    for (before, after) in
        [("ndcg_at_10", "ndcg_at_10"), ("recall_at_10", "recall_at_10"), ("mrr_at_10", "mrr")]
    {
        assert_eq!(old[before]["mean"], new["overall"][after]["mean"], "{before}");
    }
    assert!(old["ndcg_at_10"]["mean"].as_f64().unwrap() < 1.0);
    assert!(!project.root().join(".docent").exists());
}

#[test]
fn other_formats_are_asked_of_the_project_too() {
    let project = Project::new();
    let check = |file: &str, text: &str| {
        project.write(file, text);
        let run = project.json(&["eval", "run", file, "--json"]);
        assert_eq!(run["cases"][0]["rank"], 1, "{file}: {run:#}");
        run
    };
    check(
        "mcp.json",
        r#"[{"query": "exponential backoff", "expectedChunkId": "guides/retries.md#retries/backoff-strategy"}]"#,
    );
    check(
        "qmd.json",
        r#"{"queries": [{"id": "x", "query": "expose a pod", "type": "exact", "expected_files": ["docs/Services.md"], "expected_in_top_k": 1}]}"#,
    );
    let urls = check(
        "urls.jsonl",
        "{\"query\": \"exponential backoff\", \"qrels\": {\"https://e.org/guides/retries/#backoff-strategy\": 2, \"https://e.org/gone\": 1}}\n",
    );
    assert_eq!(urls["unmapped"][0]["target"], "https://e.org/gone");
}

#[test]
fn a_section_inside_a_larger_chunk_is_found_in_it() {
    let project = project();
    let fine = project.json(&["eval", "run", "cases.yaml", "--out", "fine.json", "--json"]);
    project.write("docs/.docs-mcp.json", r#"{"version": "1", "strategy": {"chunk_by": "file"}}"#);
    let coarse =
        project.json(&["eval", "run", "cases.yaml", "--baseline", "fine.json", "--threshold", "1", "--json"]);
    assert!(coarse["facts"]["chunks"].as_u64() < fine["facts"]["chunks"].as_u64());
    for id in ["exponential backoff", "how many attempts"] {
        assert_eq!(
            (&case(&coarse, id)["rank"], &case(&coarse, id)["scored_on"]),
            (&json!(1), &json!("chunks"))
        );
    }
    assert_eq!((&coarse["problems"], &coarse["comparison"]["joined"]), (&json!([]), &json!(4)));
}

#[test]
fn rounds_follow_the_cursors() {
    let project = Project::empty();
    for (number, name) in ["a", "b", "c", "d"].into_iter().enumerate() {
        // The longer a page, the less a word on it counts.
        project.write(
            &format!("docs/{name}.md"),
            format!("zebra {}\n", "stripes grass ".repeat(1 + 20 * number)),
        );
    }
    let cases =
        "- {query: zebra, expected: c.md, k: 1}\n- {query: zebra, expected: d.md, k: 1, max_rounds: 2}\n";
    project.write("cases.yaml", cases);
    let run = project.json(&["eval", "run", "cases.yaml", "--mode", "lexical", "--json"]);
    let (found, never) = (&run["cases"][0], &run["cases"][1]);
    assert_eq!((&found["rank"], &found["rounds"]), (&json!(3), &json!(3)));
    assert_eq!((&never["rank"], &never["rounds"]), (&json!(4), &Value::Null));
    assert_eq!(run["overall"]["never_found"], 1);
    assert_eq!(run["overall"]["rounds"]["mean"], 3.0);
    let wider = project.json(&["eval", "run", "cases.yaml", "--mode", "lexical", "-k", "2", "--json"]);
    assert_eq!(wider["cases"][0]["rounds"], 2);
}

#[test]
fn a_comparison_joins_by_id_and_lists_what_changed() {
    let project = project();
    write_run(&project, "old.json", |run| {
        let cases = run["cases"].as_array_mut().unwrap();
        cases[0]["scores"]["ndcg_at_10"] = json!(0.5);
        cases[0]["rank"] = json!(3);
        cases[2]["scores"]["ndcg_at_10"] = json!(0.95);
        cases[3]["id"] = json!("renamed");
    });
    write_run(&project, "new.json", |_| {});
    let compared = project.json(&["eval", "compare", "old.json", "new.json", "--json"]);
    assert_eq!((&compared["joined"], &compared["failed"]), (&json!(3), &json!(false)));
    assert_eq!(
        (&compared["only_old"], &compared["only_new"]),
        (&json!(["renamed"]), &json!(["install the program"]))
    );
    assert_eq!(compared["improvements"][0]["old_rank"], 3);
    assert_eq!(compared["differences"][0]["wins"], 2);
    let worse = project.run(&["eval", "compare", "new.json", "old.json"]);
    assert_eq!(worse.code, Some(1));
    assert!(
        worse.out.contains("FAILED: nDCG@10 fell by 0.183") && worse.out.contains("1 → 3"),
        "{}",
        worse.out
    );
    assert!(
        worse.out.contains("nDCG@10 -0.050  expose a pod") && !worse.out.contains("1 → 1"),
        "{}",
        worse.out
    );
    let passing = |args: &[&str]| {
        let ran = project.run(&[&["eval", "compare", "new.json", "old.json"], args].concat());
        assert_eq!(ran.code, Some(0), "{args:?}: {ran:?}");
    };
    passing(&["--threshold", "0.2"]);
    passing(&["--require-significance"]);
    passing(&["--metric", "recall@10"]);
    let markdown = project.run(&["eval", "compare", "new.json", "old.json", "--markdown"]);
    assert_eq!(markdown.code, Some(1));
    assert!(
        markdown.out.starts_with("### Retrieval: FAILED") && markdown.out.contains("| nDCG@10 |"),
        "{}",
        markdown.out
    );
}

#[test]
fn a_baseline_is_a_gate() {
    let project = project();
    project.ok(&["eval", "run", "cases.yaml", "--out", "base.json"]);
    let same = project.json(&["eval", "run", "cases.yaml", "--baseline", "base.json", "--json"]);
    assert_eq!(same["comparison"]["failed"], false);
    assert_eq!(same["comparison"]["differences"][0]["p_value"], 1.0);
    write_run(&project, "better.json", |run| {
        for case in run["cases"].as_array_mut().unwrap() {
            case["scores"]["mrr"] = json!(1.5);
        }
    });
    let gate = ["eval", "run", "cases.yaml", "--baseline", "better.json", "--metric", "mrr"];
    assert_eq!(project.run(&gate).code, Some(1));
    assert!(
        project
            .ok(&["eval", "run", "cases.yaml", "--baseline", "base.json", "--markdown"])
            .starts_with("### Retrieval: passed")
    );
}

#[test]
fn drafts_run_as_they_are() {
    let project = Project::new();
    project.write("docs/guides/faq.md", "# Common questions\n\n## How do I raise the limit?\n\nSee [how limits work](retries.md#limits), or [here](../start.md).\n");
    let drafted = project.ok(&["eval", "suggest"]);
    assert!(drafted.starts_with("# Questions for `docent eval run`"), "{drafted}");
    for part in
        ["\"How do I raise the limit?\"", "\"how limits work\"", "\"Backoff strategy\"", "category: link"]
    {
        assert!(drafted.contains(part), "{part}: {drafted}");
    }
    assert!(!drafted.contains("\"here\"") && !drafted.contains("\"Ports\""), "{drafted}");
    assert_eq!(drafted, project.ok(&["eval", "suggest"]), "the same every time");
    let told = project.run(&["eval", "suggest", "-o", "draft.yaml"]);
    assert_eq!((told.code, told.out.as_str()), (Some(0), ""));
    project.ok(&["eval", "run", "draft.yaml"]);
    project.run(&["eval", "suggest", "-o", "draft.yaml"]).check_error(
        2,
        "draft.yaml is there already",
        "--force",
    );
    project.ok(&["eval", "suggest", "-o", "draft.yaml", "--force", "--count", "1"]);
    let cases = project.json(&["eval", "suggest", "--json", "--count", "2"]);
    assert_eq!(cases["cases"].as_array().unwrap().len(), 2);
    project.write("draft.json", cases.to_string());
    project.ok(&["eval", "run", "draft.json"]);
}

#[test]
fn the_report_is_one_page_without_foreign_markup() {
    let project = Project::new();
    project.write("docs/<b>.md", "# <script>alert(1)</script> & \"title\"\n\nHostile words.\n");
    let hostile = "- {query: '<img src=x onerror=alert(1)> hostile words', expected: start.md, category: '<i>\"cat'}\n- {query: backoff, expected: 'guides/retries.md#limits'}\n";
    project.write("cases.yaml", hostile);
    project.ok(&["eval", "run", "cases.yaml", "--out", "base.json"]);
    project.ok(&[
        "eval",
        "run",
        "cases.yaml",
        "--mode",
        "lexical",
        "--baseline",
        "base.json",
        "--threshold",
        "1",
        "--report",
        "r.html",
    ]);
    let page = std::fs::read_to_string(project.root().join("r.html")).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"));
    assert!(page.contains("&lt;img src=x onerror=alert(1)&gt;") && page.contains("&lt;i&gt;&quot;cat"));
    assert!(
        page.contains("<svg") && page.contains("Worst questions") && page.contains("Against the baseline")
    );
    for foreign in ["<img", "<script", "<i>\"", "http://", "https://", "url(", "@import", "<link", "<b>.md"] {
        assert!(!page.contains(foreign), "{foreign}");
    }
}

#[test]
fn mistakes_are_told_in_two_lines() {
    let project = project();
    let check = |args: &[&str], code: i32, error: &str, hint: &str| {
        let ran: Ran = project.run(&[&["eval"], args].concat());
        ran.check_error(code, error, hint);
    };
    check(&[], 2, "nothing says what to measure", "suggest");
    check(&["run", "nowhere.yaml"], 2, "nowhere.yaml", "suggest");
    check(&["run", "cases.yaml", "-k", "0"], 2, "0", "");
    check(&["run", "cases.yaml", "--baseline", "cases.yaml"], 2, "cases.yaml", "--out");
    check(&["run", "cases.yaml", "--threshold", "2"], 2, "threshold", "");
    check(&["run", "cases.yaml", "--queries", "x"], 2, "BEIR", "");
    check(&["--json", "run", "cases.yaml"], 2, "before its name", "after it");
    check(&["compare", "a.json", "b.json"], 2, "a.json", "--out");
    check(&["run", "cases.yaml", "--out", "no/such/folder.json"], 3, "no/such/folder.json", "");
    project.write("bad.yaml", "- {query: q, expected: a.md, catgory: x}\n");
    check(&["run", "bad.yaml"], 2, "bad.yaml:1: case 1: there is no key `catgory`", "`category`");
}

#[test]
#[cfg(unix)]
fn a_pipe_is_refused_and_not_waited_for() {
    let project = project();
    let made = std::process::Command::new("mkfifo").arg(project.root().join("pipe")).status().unwrap();
    assert!(made.success());
    let check = |args: &[&str]| {
        project.run(&[&["eval"], args].concat()).check_error(2, "not a regular file", "");
    };
    check(&["run", "pipe"]);
    check(&["run", "cases.yaml", "--baseline", "pipe"]);
    check(&["compare", "pipe", "x.json"]);
    project.write("set/corpus.jsonl", "{\"_id\":\"d\",\"text\":\"x\"}\n");
    let set = project.run(&["eval", "run", "set", "--queries", "pipe"]);
    assert!(set.code == Some(3) && set.err.contains("not a regular file"), "{set:?}");
}

#[test]
fn only_earlier_outcomes_are_replaced() {
    let project = project();
    project.write("mine.txt", "by hand\n");
    project.write("empty", "");
    let run = |args: &[&str]| project.run(&[&["eval", "run", "cases.yaml"], args].concat());
    for again in 0..2 {
        let ran = run(&["--out", "base.json", "--report", "r.html"]);
        assert_eq!(ran.code, Some(0), "{again}: {ran:?}");
    }
    assert_eq!(run(&["--out", "empty"]).code, Some(0));
    let refused = |args: &[&str], error: &str| {
        let file = project.root().join(args[1]);
        let before = std::fs::read(&file).unwrap();
        run(args).check_error(2, error, "choose another name");
        assert_eq!(std::fs::read(&file).unwrap(), before, "{args:?}");
    };
    for flag in ["--out", "--report"] {
        refused(&[flag, "./cases.yaml"], "would replace the cases");
        refused(&[flag, "docs/start.md"], "is there already and is not an earlier");
        refused(&[flag, "mine.txt"], "is there already and is not an earlier");
        refused(&[flag, "base.json", "--baseline", "base.json"], "would replace the baseline");
    }
    refused(&["--out", "r.html"], "not an earlier run");
    refused(&["--report", "base.json"], "not an earlier report");
    run(&["--out", "new", "--report", "new"]).check_error(2, "both name new", "choose another name");
}

#[test]
fn a_case_with_a_filter_that_cannot_be_used_is_not_asked() {
    let project = project();
    let bad = "- {query: bad pattern, expected: start.md, filters: {file_filter: 'a['}}\n- {query: no such facet, expected: start.md, filters: {langauge: rust}}\n";
    project.write("more.yaml", format!("{CASES}{bad}"));
    let ran = project.run(&["eval", "run", "more.yaml", "--json"]);
    assert_eq!(ran.code, Some(1));
    let run: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&run["overall"]["queries"], run["cases"].as_array().unwrap().len()), (&json!(4), 4));
    let cases: Vec<&Value> = run["problems"].as_array().unwrap().iter().map(|one| &one["case"]).collect();
    assert_eq!(cases, ["bad pattern", "no such facet"]);
    assert!(
        ran.err.contains("filters: file_filter: ") && ran.err.contains("did you mean `language`"),
        "{}",
        ran.err
    );
}

#[test]
fn the_same_guide_in_two_languages_is_drafted_with_a_filter() {
    let project = Project::empty();
    let guide = |front: &str| {
        format!("{front}# Sending requests\n\nText.\n\n## Retry after failures\n\nMore text.\n")
    };
    for language in ["go", "rust"] {
        let front = format!("---\nmetadata:\n  language: {language}\n---\n");
        project.write(&format!("docs/{language}/requests.md"), guide(&front));
    }
    let drafted = project.ok(&["eval", "suggest", "-o", "draft.yaml"]);
    assert_eq!(drafted, "");
    let cases = project.json(&["eval", "suggest", "--json"])["cases"].clone();
    let cases = cases.as_array().unwrap();
    assert_eq!(cases.len(), 2, "{cases:#?}");
    for case in cases {
        let language = case["filters"]["language"].as_str().unwrap();
        assert!(case["expected"].as_str().unwrap().starts_with(&format!("{language}/")), "{case:#}");
    }
    let run = project.json(&["eval", "run", "draft.yaml", "--json"]);
    assert_eq!((&run["problems"], &run["overall"]["facet_precision"]["mean"]), (&json!([]), &json!(1.0)));
    assert_eq!(run["overall"]["never_found"], 0);
    for language in ["go", "rust"] {
        project.write(&format!("docs/{language}/requests.md"), guide(""));
    }
    project.run(&["eval", "suggest"]).check_error(1, "makes a question", "facet");
}
