//! `docent verify`: formats, exit codes, waivers, fixes, and that a second run starts from the first.

use std::process::Command;

use serde_json::Value;

use crate::support::Project;

/// Commits everything as it is, with the same names and dates every time.
fn commit(project: &Project, day: i64, subject: &str) {
    let date = format!("{} +0000", 1_700_000_000 + day * 86_400);
    for args in [vec!["add", "-A"], vec!["commit", "-q", "-m", subject]] {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=T", "-c", "user.email=t@example.org"]).args(args);
        command.current_dir(project.root()).env("GIT_CONFIG_GLOBAL", "/dev/null");
        command.env("GIT_COMMITTER_DATE", &date).env("GIT_AUTHOR_DATE", &date);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
}

/// A page that names a file that was moved, one that was deleted, and enough that is there.
fn project() -> Project {
    let project = Project::empty();
    let init = Command::new("git").args(["init", "-q", "-b", "main"]).current_dir(project.root()).status();
    assert!(init.unwrap().success());
    for name in ["one", "two", "three", "four", "five"] {
        project.write(&format!("src/{name}.rs"), format!("fn {name}() {{ let unique_{name} = 1; }}\n"));
    }
    let page = "# Guide\n\n[one](../src/one.rs), [two](../src/two.rs) and [three](../src/three.rs).\n\n\
                See [four](../src/four.rs).\n\nSee [five](../src/five.rs).\n";
    project.write("docs/guide.md", page);
    commit(&project, 0, "first");
    std::fs::rename(project.root().join("src/four.rs"), project.root().join("src/fourth.rs")).unwrap();
    commit(&project, 1, "rename four");
    std::fs::remove_file(project.root().join("src/five.rs")).unwrap();
    commit(&project, 2, "remove five");
    project
}

#[test]
fn human_output_is_by_the_commit_that_broke_it() {
    let project = project();
    insta::assert_snapshot!(project.run(&["verify"]).shown(&project));
}

#[test]
fn a_page_that_is_gone_has_nothing_to_verify_and_one_that_never_was_is_told() {
    let project = project();
    std::fs::remove_file(project.root().join("docs/guide.md")).unwrap();
    assert_eq!(project.run(&["verify", "docs/guide.md"]).code, Some(0));
    project.run(&["verify", "docs/none.md"]).check_error(2, "docs/none.md is not a file", "name documents");
}

#[test]
fn what_is_older_is_counted_in_every_format_that_counts() {
    let project = project();
    let report = project.json(&["verify", "--since", "HEAD", "--json"]);
    assert_eq!((&report["older"], &report["drifted"]), (&2.into(), &0.into()));
    let markdown = project.ok(&["verify", "--since", "HEAD", "--format", "markdown"]);
    assert!(markdown.contains("0 waived, 2 older not told"), "{markdown}");
    let upstream = project.run(&["verify", "--since", "@{u}"]);
    upstream.check_error(2, "there is no commit `@{u}` here", "`git rev-parse` tells the commit");
}

#[cfg(unix)]
#[test]
fn a_pipe_in_the_index_folder_is_refused_and_not_waited_for() {
    let project = project();
    project.write(".docent/x", "");
    let pipe = project.root().join(".docent/health.sqlite");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    project.run(&["verify"]).check_error(2, "neither a file nor a folder", "delete it");
}

#[test]
fn markdown_and_annotations() {
    let project = project();
    let shown = |format: &str| project.run(&["verify", "--format", format]).shown(&project);
    insta::assert_snapshot!([shown("markdown"), shown("github")].join("\n\n"));
}

#[test]
fn json_carries_the_evidence() {
    let project = project();
    let ran = project.run(&["verify", "--json"]);
    assert_eq!(ran.code, Some(1));
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(
        (&report["drifted"], &report["verified"], &report["failed"]),
        (&2.into(), &3.into(), &true.into())
    );
    let finding = &report["findings"][0];
    assert_eq!(finding["file"], "docs/guide.md");
    assert_eq!((&finding["line"], &finding["class"]), (&5.into(), &"broke_at".into()));
    assert_eq!(finding["evidence"]["suggestion"]["replacement"], "../src/fourth.rs");
    assert_eq!(finding["evidence"]["breaking"]["subject"], "rename four");
}

#[test]
fn sarif_names_rules_and_places() {
    let project = project();
    let ran = project.run(&["verify", "--format", "sarif"]);
    let log: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let result = &log["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "docent/path_reference");
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "docs/guide.md");
    assert_eq!(place["region"]["startLine"], 5);
    let index = result["ruleIndex"].as_u64().unwrap() as usize;
    assert_eq!(log["runs"][0]["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
}

#[test]
fn exit_codes_follow_what_is_asked_for() {
    let project = project();
    let code = |args: &[&str]| project.run(&[&["verify"], args].concat()).code;
    assert_eq!(code(&["--fail-on", "none"]), Some(0));
    assert_eq!(code(&["--since", "HEAD~1"]), Some(1));
    assert_eq!(code(&["--since", "HEAD"]), Some(0));
    assert_eq!(code(&["docs/guide.md"]), Some(1));
    assert_eq!(code(&["src"]), Some(0));
    project.run(&["verify", "--since", "nowhere"]).check_error(2, "no commit `nowhere`", "name a branch");
    project.run(&["verify", "missing.md"]).check_error(2, "missing.md is not a file", "name documents");
}

#[test]
fn without_a_repository_what_holds_is_told_and_what_fails_is_open() {
    let outside = Project::empty();
    outside.write("src/one.rs", "fn one() {}\n");
    outside.write("docs/guide.md", "# Guide\n\nSee `src/one.rs` and `src/two.rs`.\n");
    let ran = outside.run(&["verify"]);
    assert_eq!(ran.code, Some(0));
    assert!(ran.out.contains("0 drifted, 1 uncertain; 1 claim in 1 document holds"), "{}", ran.out);
    assert!(ran.out.contains("not in a git repository"), "{}", ran.out);
    assert_eq!(outside.run(&["verify", "--fail-on", "uncertain"]).code, Some(1));
    outside.run(&["verify", "--since", "main"]).check_error(2, "not in a git repository", "--repo");
    outside.run(&["verify", "--bench", "nowhere"]).check_error(2, "there is no folder", "--bench takes");
}

#[test]
fn a_document_that_is_too_large_to_read_is_named() {
    let project = project();
    project.write("docs/huge.md", "See `src/one.rs`.\n".repeat(200_000));
    commit(&project, 3, "a huge page");
    let ran = project.run(&["verify"]);
    assert!(ran.out.contains("larger than 2 MiB: docs/huge.md\n"), "{ran:?}");
    let report: Value = serde_json::from_str(&project.run(&["verify", "--json"]).out).unwrap();
    assert_eq!(report["unread_documents"], serde_json::json!(["docs/huge.md"]));
}

#[test]
fn only_what_broke_since_a_commit_is_told() {
    let project = project();
    let ran = project.run(&["verify", "--since", "HEAD~1", "--json"]);
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    let named: Vec<&Value> = report["findings"].as_array().unwrap().iter().map(|it| &it["named"]).collect();
    assert_eq!(named, ["../src/five.rs"]);
}

#[test]
fn a_baseline_hides_what_was_known() {
    let project = project();
    assert_eq!(project.ok(&["verify", "--write-baseline", "known.json"]), "wrote 2 findings to known.json\n");
    let told = project.ok(&["verify", "--baseline", "known.json"]);
    assert!(told.starts_with("fine: 3 claims in 1 document hold, 2 waived"), "{told}");
    let sarif = project.ok(&["verify", "--baseline", "known.json", "--format", "sarif"]);
    assert_eq!(sarif.matches("\"kind\": \"external\"").count(), 2, "{sarif}");
    project.write("broken.json", "{");
    project.run(&["verify", "--baseline", "broken.json"]).check_error(
        2,
        "is not a baseline",
        "--write-baseline",
    );
    project.run(&["verify", "--baseline", "gone.json"]).check_error(2, "cannot read", "--write-baseline");
    let page = "docs/guide.md";
    project.run(&["verify", "--write-baseline", page]).check_error(2, "is not a baseline", "another file");
    assert!(std::fs::read_to_string(project.root().join(page)).unwrap().starts_with("# Guide"));
    assert_eq!(project.ok(&["verify", "--write-baseline", "known.json"]), "wrote 2 findings to known.json\n");
}

#[test]
fn the_settings_waive_with_a_reason_until_a_day() {
    let project = project();
    let entry = |rest: &str| format!("[[verify.ignore]]\npath = \"docs/**\"\n{rest}\n");
    project.write("docent.toml", entry("reason = \"being rewritten\"\nexpires = 2999-01-01"));
    assert!(project.ok(&["verify"]).contains("2 waived"));
    project.write("docent.toml", entry("reason = \"being rewritten\"\nexpires = \"2020-01-01\""));
    let ran = project.run(&["verify"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("entry 1: it expired on 2020-01-01 and waives nothing any more"), "{ran:?}");
    project.write("docent.toml", entry("claim_type = \"paths\"\nreason = \"x\""));
    project.run(&["verify"]).check_error(2, "no claim type `paths`", "path_reference");
    project.write("docent.toml", entry("claim_type = \"command\""));
    project.run(&["verify"]).check_error(2, "it has no reason", "reason");
    project.write("docent.toml", entry("reason = \"x\"\nexpires = \"soon\""));
    project.run(&["verify"]).check_error(2, "`soon` is no date", "2027-01-31");
}

#[test]
fn a_fix_is_shown_and_written_only_when_agreed() {
    let project = project();
    let page = || std::fs::read_to_string(project.root().join("docs/guide.md")).unwrap();
    let before = page();
    let ran = project.run(&["verify", "--fix"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.out.contains("+See [four](../src/fourth.rs).\n"), "{ran:?}");
    assert_eq!(page(), before);
    project.ok(&["verify", "--fix", "--yes"]);
    assert_eq!(page(), before.replace("src/four.rs", "src/fourth.rs"));
    let ran = project.run(&["verify"]);
    assert!(ran.out.contains("1 drifted") && ran.out.contains("4 claims"), "{ran:?}");
}

#[test]
fn a_fix_mends_all_of_a_line() {
    let project = project();
    project.write("docs/twice.md", "# Twice\n\n[four](../src/four.rs) and again [four](../src/four.rs).\n");
    std::fs::write(project.root().join("src/four.rs"), "fn four() { let unique_four = 1; }\n").unwrap();
    std::fs::remove_file(project.root().join("src/fourth.rs")).unwrap();
    commit(&project, 3, "back");
    std::fs::rename(project.root().join("src/four.rs"), project.root().join("src/fourth.rs")).unwrap();
    commit(&project, 4, "rename four again");
    project.ok(&["verify", "--fix", "--yes", "docs/twice.md"]);
    let text = std::fs::read_to_string(project.root().join("docs/twice.md")).unwrap();
    assert_eq!(text.matches("../src/fourth.rs").count(), 2, "{text}");
}

#[test]
fn a_remedy_is_back_when_what_it_names_is_back() {
    let project = project();
    let told = |project: &Project| project.run(&["verify"]).out.contains("write `../src/fourth.rs`");
    assert!(told(&project));
    let (here, away) = (project.root().join("src/fourth.rs"), project.root().join("src/other.rs"));
    std::fs::rename(&here, &away).unwrap();
    assert!(!told(&project));
    std::fs::rename(&away, &here).unwrap();
    assert!(told(&project));
}

#[test]
fn a_comment_that_names_no_type_is_told() {
    let project = project();
    project.write(
        "docs/waived.md",
        "# W\n\nSee [one](../src/one.rs). <!-- docent:ignore paths reason=\"x\" -->\n",
    );
    let ran = project.run(&["verify"]);
    assert!(ran.err.contains("docs/waived.md:3: `paths` is no type of claim"), "{ran:?}");
}

#[test]
fn the_first_search_knows_what_was_verified_before_it() {
    let project = project();
    project.run(&["verify"]);
    assert!(!project.root().join(".docent").exists());
    let found = project.ok(&["search", "five"]);
    assert!(found.contains("⚠") && found.contains("five.rs"), "{found}");
    // What the first run found out moved into the index.
    let again = project.run(&["verify", "--verbose"]);
    assert!(again.err.contains("0 documents looked at anew"), "{again:?}");
}

#[test]
fn a_fix_goes_on_beside_a_page_that_cannot_be_put_right() {
    let project = project();
    project.write("docs/latin.md", b"# Caf\xe9\n\nSee [one](../src/one.rs).\n");
    commit(&project, 3, "a page that is not UTF-8");
    std::fs::rename(project.root().join("src/one.rs"), project.root().join("src/first.rs")).unwrap();
    commit(&project, 4, "rename one");
    let ran = project.run(&["verify", "--fix", "--yes"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.err.contains("docs/latin.md"), "{ran:?}");
    let page = std::fs::read_to_string(project.root().join("docs/guide.md")).unwrap();
    assert!(page.contains("src/fourth.rs") && page.contains("src/first.rs"), "{page}");
}

#[test]
fn a_fix_leaves_generated_pages_and_what_lies_elsewhere_alone() {
    let project = project();
    project.write("docs/made.md", "<!-- Generated, do not edit -->\n\nSee [one](../src/one.rs).\n");
    commit(&project, 3, "a page that is made");
    std::fs::rename(project.root().join("src/one.rs"), project.root().join("src/first.rs")).unwrap();
    commit(&project, 4, "rename one");
    let ran = project.run(&["verify", "--fix", "--yes", "docs/made.md"]);
    assert!(ran.err.contains("generated"), "{ran:?}");
    // Since the commit the folder became a link to somewhere else.
    let elsewhere = Project::empty();
    let (docs, outside) = (project.root().join("docs"), elsewhere.root().join("docs"));
    std::fs::rename(&docs, &outside).unwrap();
    std::os::unix::fs::symlink(&outside, &docs).unwrap();
    let before = std::fs::read_to_string(outside.join("guide.md")).unwrap();
    project.run(&["verify", "--fix", "--yes"]);
    assert_eq!(std::fs::read_to_string(outside.join("guide.md")).unwrap(), before);
}

#[test]
fn a_second_run_starts_from_the_first() {
    let project = project();
    let fresh = |ran: crate::support::Ran| ran.err.lines().find(|it| it.contains("anew")).unwrap().to_owned();
    let run = || project.run(&["verify", "--verbose"]);
    assert_eq!(fresh(run()), "1 document looked at anew");
    let second = run();
    assert!(second.out.contains("2 drifted"), "{second:?}");
    assert_eq!(fresh(second), "0 documents looked at anew");
    assert_eq!(fresh(project.run(&["verify", "--verbose", "--fresh"])), "1 document looked at anew");
    // What it keeps is outside of the repository, or ignored there.
    let status = Command::new("git").args(["status", "--porcelain"]).current_dir(project.root()).output();
    assert_eq!(String::from_utf8(status.unwrap().stdout).unwrap(), "");
}

#[test]
fn paths_of_a_bare_repository_are_named_from_its_root() {
    let project = project();
    let mut clone = Command::new("git");
    clone.args(["clone", "-q", "--bare", ".", "bare.git"]).current_dir(project.root());
    assert!(clone.status().unwrap().success());
    let ran = project.run(&["verify", "--repo", "bare.git", "docs"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.out.contains("\n  docs/guide.md:"), "{}", ran.out);
    project.run(&["verify", "--repo", "bare.git", "nowhere"]).check_error(2, "nowhere is not a file", "name");
}

#[test]
fn a_baseline_knows_how_often_and_of_which_option() {
    let project = project();
    let table = |rows: &str| format!("| Parameter | Default |\n|---|---|\n{rows}");
    let old = "| `service.port` | `80` |\n| `service.metricsPort` | `80` |\n";
    project.write("charts/Chart.yaml", "name: shop\n");
    project.write("charts/values.yaml", "service:\n  port: 80\n  metricsPort: 80\n");
    project.write("charts/README.md", table(old));
    commit(&project, 3, "a chart");
    project.write("charts/values.yaml", "service:\n  port: 8080\n  metricsPort: 80\n");
    commit(&project, 4, "another port");
    project.ok(&["verify", "charts", "--write-baseline", "known.json"]);
    assert!(project.ok(&["verify", "charts", "--baseline", "known.json"]).contains("1 waived"));
    project.write("charts/values.yaml", "service:\n  port: 8080\n  metricsPort: 9090\n");
    let ran = project.run(&["verify", "charts", "--baseline", "known.json"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.out.contains("`80` was right for `service.metricsPort` when"), "{}", ran.out);
    project
        .write("docs/guide.md", "[one](../src/one.rs) [two](../src/two.rs)\n\nSee [five](../src/five.rs).\n");
    project.ok(&["verify", "docs", "--write-baseline", "five.json"]);
    project.ok(&["verify", "docs", "--baseline", "five.json"]);
    project.write(
        "docs/guide.md",
        "[one](../src/one.rs) [two](../src/two.rs)\n\nSee [five](../src/five.rs).\n\nAnd [five](../src/five.rs).\n",
    );
    assert_eq!(project.run(&["verify", "docs", "--baseline", "five.json"]).code, Some(1), "one more");
}

#[test]
fn before_the_first_commit_nothing_is_older() {
    let project = Project::empty();
    let init = Command::new("git").args(["init", "-q", "-b", "main"]).current_dir(project.root()).status();
    assert!(init.unwrap().success());
    project.write("README.md", "[one](one.rs)\n");
    project.write("one.rs", "");
    assert!(project.ok(&["verify", "--since", "HEAD"]).starts_with("fine: 1 claim"));
}

#[test]
fn what_is_older_than_asked_for_is_counted() {
    let told = project().ok(&["verify", "--since", "HEAD"]);
    assert!(told.starts_with("fine: 3 claims in 1 document hold, 2 older not told"), "{told}");
}

#[test]
fn what_cannot_be_meant_is_told() {
    let project = project();
    project.run(&["verify", "--repo", "nowhere"]).check_error(2, "there is no folder", "--repo");
    project.run(&["verify", "--baseline", "docs"]).check_error(2, "is a folder", "--write-baseline");
    let ran = project.run(&["verify", "src"]);
    assert!(ran.err.contains("there are no documents to verify in src"), "{ran:?}");
    project.run(&["verify", "--bench", ".", "--out", "docs/guide.md"]).check_error(
        2,
        "is not the report of a benchmark",
        "another file",
    );
    assert!(
        project.run(&["verify", "--write-baseline", "b.json", "--fix"]).err.contains("cannot be used with")
    );
    project.write("docent.toml", "[[verify.ignore]]\nreason = \"x\"\n");
    project.run(&["verify"]).check_error(2, "it would waive everything", "path = \"**\"");
}

#[cfg(unix)]
#[test]
fn nothing_is_written_through_links_in_the_index_folder() {
    for link in ["verify", "verify/name", "health.sqlite"] {
        let project = project();
        let outside = tempfile::tempdir().unwrap();
        let place = project.root().join(".docent").join(link);
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(outside.path().join("x"), place).unwrap();
        project.run(&["verify"]).check_error(2, "is a link that leads out of it", "delete the link");
        assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0, "{link}");
    }
}

#[cfg(unix)]
#[test]
fn a_name_that_would_change_a_page_is_not_written_into_it() {
    for name in ["fo`ur.rs", "fo|ur.rs", "f)\n\n## Injected\n.rs", "f\u{1b}our.rs"] {
        let project = project();
        let from = project.root().join("src/fourth.rs");
        std::fs::rename(from, project.root().join("src").join(name)).unwrap();
        commit(&project, 3, "rename again");
        let before = std::fs::read_to_string(project.root().join("docs/guide.md")).unwrap();
        project.run(&["verify", "--fix", "--yes"]);
        assert_eq!(
            std::fs::read_to_string(project.root().join("docs/guide.md")).unwrap(),
            before,
            "{name:?}"
        );
        let report = project.run(&["verify", "--format", "markdown"]).out;
        assert!(!report.contains("four`"), "{report}");
    }
}

#[test]
fn what_a_repository_says_was_found_out_is_not_believed() {
    let project = project();
    std::fs::create_dir(project.root().join(".docent")).unwrap();
    project.run(&["verify"]);
    let kept =
        std::fs::read_dir(project.root().join(".docent/verify")).unwrap().next().unwrap().unwrap().path();
    let result = kept.join("verification.json");
    let forged = std::fs::read_to_string(&result).unwrap().replace("\"drifted\"", "\"verified\"");
    std::fs::write(&result, forged).unwrap();
    assert_eq!(project.run(&["verify"]).code, Some(0), "one's own is believed");
    for args in
        [vec!["add", "-f", "."], vec!["-c", "user.name=T", "-c", "user.email=t@e.org", "commit", "-qm", "x"]]
    {
        assert!(Command::new("git").args(args).current_dir(project.root()).status().unwrap().success());
    }
    assert_eq!(project.run(&["verify"]).code, Some(1));
}

#[test]
fn the_repository_of_a_path_is_taken_where_there_is_none_here() {
    let project = project();
    let outside = tempfile::tempdir().unwrap();
    let page = project.root().join("docs/guide.md");
    let mut command = project.command(&["verify", page.to_str().unwrap()]);
    let ran = crate::support::ran(command.current_dir(outside.path()).output().unwrap());
    assert!(ran.code == Some(1) && ran.out.contains("2 drifted"), "{ran:?}");
    let ran = project.run(&["verify", "src"]);
    assert!(
        ran.code == Some(0) && ran.out.contains("nothing to verify") && !ran.out.contains("fine"),
        "{ran:?}"
    );
}
