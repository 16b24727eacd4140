//! `docent validate`: formats, exit codes, and that nothing is changed or left behind.

use serde_json::Value;

use crate::support::Project;

/// One error, one warning that is named, and files without a strategy.
fn project() -> Project {
    let project = Project::new();
    project.write("docs/guides/links.md", "# Links\n\n[gone](gone.md) and [near](RETRIES.md)\n");
    project.write(
        "docs/.docs-mcp.json",
        "{\n  \"version\": \"1\",\n  \"overrides\": [\n    { \"pattern\": \"old/**\" }\n  ]\n}\n",
    );
    project
}

#[test]
fn human_output() {
    let project = project();
    let ran = project.run(&["validate"]);
    insta::assert_snapshot!(ran.shown(&project));
}

#[test]
fn sound_documents_are_fine() {
    let project = Project::new();
    project.write("docs/.docs-mcp.json", r#"{"version": "1", "strategy": {"chunk_by": "h2"}}"#);
    assert_eq!(project.ok(&["validate", "--deny-warnings"]), "fine: 3 files, nothing to say\n");
    assert!(!project.root().join(".docent").exists(), "it needs no index");
}

#[cfg(unix)]
#[test]
fn a_manifest_that_is_no_file_is_an_error_and_stays() {
    let make: [fn(&std::path::Path); 2] = [
        |path| std::fs::create_dir(path).unwrap(),
        |path| std::os::unix::fs::symlink("/dev/zero", path).unwrap(),
    ];
    for make in make {
        let project = Project::new();
        make(&project.root().join("docs/.docs-mcp.json"));
        let ran = project.run(&["validate"]);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        assert!(ran.out.contains("docs/.docs-mcp.json:1: error[DM001]: it is not a file"), "{ran:?}");
        assert!(project.run(&["fix", "--dry-run"]).out.starts_with("nothing to change\n"), "{ran:?}");
    }
    let project = Project::new();
    std::fs::create_dir(project.root().join("docs/guides/.docs-mcp.json")).unwrap();
    let ran = project.run(&["validate"]);
    assert!(ran.out.contains("docs/guides/.docs-mcp.json:1: error[DM001]"), "{ran:?}");
}

#[test]
fn exit_codes() {
    let project = project();
    let code = |args: &[&str]| project.run(args).code;
    assert_eq!(code(&["validate"]), Some(1));
    assert_eq!(code(&["validate", "docs/start.md"]), Some(0));
    assert_eq!(code(&["validate", "start.md", "--deny-warnings"]), Some(1));
    assert_eq!(code(&["validate", "start.md", "--max-warnings", "1"]), Some(0));
    assert_eq!(code(&["validate", "--format", "xml"]), Some(2));
    assert_eq!(code(&["validate", "--docs-dir", "nowhere"]), Some(3));
    project.run(&["validate", "nowhere.md"]).check_error(
        2,
        "nowhere.md is not a file or folder",
        "--docs-dir",
    );
}

#[test]
fn paths_choose_what_is_told_and_links_still_lead_everywhere() {
    let project = project();
    let report: Value =
        serde_json::from_str(&project.run(&["validate", "--json", "docs/guides"]).out).unwrap();
    assert_eq!(report["files"], 2);
    let paths: Vec<&str> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|finding| finding["path"].as_str())
        .collect();
    assert!(paths.iter().all(|path| path.starts_with("guides/")), "{paths:?}");
}

#[test]
fn json_has_every_file_without_a_strategy() {
    let project = project();
    let report: Value = serde_json::from_str(&project.run(&["validate", "--json"]).out).unwrap();
    let count = |code: &str| {
        report["findings"].as_array().unwrap().iter().filter(|finding| finding["code"] == code).count()
    };
    assert_eq!((count("DM070"), count("DM060"), count("DM015")), (4, 2, 1));
    assert_eq!(report["fixable"], 2);
}

#[test]
fn sarif_has_what_code_scanning_asks_for() {
    let project = project();
    project.write(".git/HEAD", "");
    let ran = project.run(&["validate", "--format", "sarif"]);
    let log: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((log["version"].as_str(), ran.code), (Some("2.1.0"), Some(1)));
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    for rule in rules {
        for field in [
            "/id",
            "/name",
            "/shortDescription/text",
            "/fullDescription/text",
            "/help/text",
            "/defaultConfiguration/level",
        ] {
            assert!(rule.pointer(field).is_some_and(Value::is_string), "{field}: {rule}");
        }
    }
    let results = run["results"].as_array().unwrap();
    assert!(!results.is_empty());
    for result in results {
        let index = result["ruleIndex"].as_u64().unwrap() as usize;
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert!(result["message"]["text"].is_string());
        let place = &result["locations"][0]["physicalLocation"];
        let uri = place["artifactLocation"]["uri"].as_str().unwrap();
        assert!(uri.starts_with("docs/"), "{uri}");
        assert!(place["region"]["startLine"].as_u64().unwrap() >= 1);
        assert!(["error", "warning"].contains(&result["level"].as_str().unwrap()));
    }
}

#[test]
fn github_commands_name_file_and_line() {
    let project = project();
    project.write(".git/HEAD", "");
    let ran = project.run(&["validate", "--format", "github"]);
    let first = ran.out.lines().find(|line| line.contains("DM060")).unwrap();
    assert_eq!(
        first,
        "::error file=docs/guides/links.md,line=3,title=DM060 missing-page::`RETRIES.md` leads to no page%0Adid you mean `retries.md`?"
    );
    assert!(ran.out.contains("::warning file=docs,title=DM070"), "{}", ran.out);
}

#[test]
fn unreadable_files_are_findings() {
    let project = Project::new();
    project.write("docs/latin.md", b"caf\xe9\n");
    project.write("docs/guides/.docs-mcp.json", b"{\"version\": \"\xff\"}");
    let report: Value = serde_json::from_str(&project.run(&["validate", "--json"]).out).unwrap();
    let found: Vec<(&str, &str)> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|finding| finding["code"] == "DM001")
        .map(|finding| (finding["path"].as_str().unwrap(), finding["name"].as_str().unwrap()))
        .collect();
    assert_eq!(found, [("guides/.docs-mcp.json", "unreadable-file"), ("latin.md", "unreadable-file")]);
}

#[test]
fn what_is_left_out_is_not_looked_at() {
    let project = Project::new();
    project.write("docent.toml", "exclude = ['drafts/**']\nstrategy = { chunk_by = 'h2' }\n");
    project.write("docs/drafts/a.md", "[x](gone.md)\n");
    project.write("docs/.gitignore", "out/\n");
    project.write("docs/out/a.md", "[x](gone.md)\n");
    assert_eq!(project.ok(&["validate"]), "fine: 3 files, nothing to say\n");
}

#[test]
fn our_own_documents_have_no_errors() {
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");
    let report = Project::empty().json(&["validate", "--json", "--docs-dir", docs]);
    assert_eq!(report["errors"], 0, "{report:#}");
}

#[test]
fn the_schema_is_printed() {
    let schema: Value = serde_json::from_str(&Project::empty().ok(&["validate", "--print-schema"])).unwrap();
    assert_eq!(schema["required"][0], "version");
}
