//! The verdicts that histories lead to, with their evidence.

use std::sync::Arc;

use docent_claims::{
    Baseline, ClaimType, Judged, Known, NoStore, Options, RepoError, Repository, Verdict, Verification,
    Waiver, Watch, verify,
};

use crate::support::Desk;

pub(crate) fn run(
    repository: &Repository,
    options: &Options,
    previous: Option<&Verification>,
) -> Verification {
    verify(repository, options, previous, Arc::new(NoStore), Watch::SILENT).unwrap()
}

pub(crate) fn verified(desk: &Desk) -> Verification {
    run(&desk.open(), &Options::default(), None)
}

/// `file:line verdict class what`, for everything that has a verdict.
pub(crate) fn told(verification: &Verification) -> Vec<String> {
    let word = |verdict| match verdict {
        Verdict::Verified => "verified",
        Verdict::Uncertain => "uncertain",
        Verdict::Drifted => "drifted",
    };
    let one = |it: Judged| {
        let (claim, verdict) = (&it.claim, word(it.verdict));
        format!("{}:{} {verdict} {} {}", claim.file, claim.line, it.class.name(), claim.named)
    };
    verification.judged().map(one).collect()
}

pub(crate) fn finding(verification: &Verification, named: &str) -> Judged {
    verification.judged().find(|it| it.claim.named == named).unwrap()
}

/// A page that names enough that is there, so that the rest counts.
pub(crate) const KEPT: &str = "[a](src/a.rs) [b](src/b.rs) [c](src/c.rs)\n";

pub(crate) fn desk() -> Desk {
    let desk = Desk::new();
    for name in ["a", "b", "c"] {
        desk.write(&format!("src/{name}.rs"), &format!("fn {name}() {{ let unique_{name} = 1; }}\n"));
    }
    desk
}

#[test]
fn what_holds_is_verified() {
    let mut desk = desk();
    desk.write("README.md", KEPT);
    desk.commit("first");
    let expected = ["a", "b", "c"].map(|name| format!("README.md:1 verified holds src/{name}.rs"));
    assert_eq!(told(&verified(&desk)), expected);
}

#[test]
fn what_was_deleted_since_its_line_was_written_has_drifted() {
    let mut desk = desk();
    desk.write("README.md", &format!("{KEPT}\n[d](src/d.rs)\n"));
    desk.write("src/d.rs", "d");
    let first = desk.commit("first");
    desk.commit_file("other", "x");
    desk.delete("src/d.rs");
    let broke = desk.commit("remove d");
    desk.commit_file("other", "y");
    let result = verified(&desk);
    assert_eq!(told(&result).last().unwrap(), "README.md:3 drifted broke_at src/d.rs");
    let evidence = finding(&result, "src/d.rs").evidence;
    assert_eq!(evidence.blame.unwrap().commit, first);
    assert_eq!(evidence.found_then[0].path, "src/d.rs");
    let breaking = evidence.breaking.unwrap();
    assert_eq!(breaking.commit.as_deref(), Some(broke.as_str()));
    assert_eq!((breaking.kind.as_str(), breaking.subject.as_str()), ("deleted", "remove d"));
}

#[test]
fn a_change_that_is_not_committed_breaks_as_well() {
    let mut desk = desk();
    desk.write("README.md", KEPT);
    desk.commit("first");
    desk.delete("src/c.rs");
    let judged = finding(&verified(&desk), "src/c.rs");
    assert_eq!(judged.verdict, Verdict::Drifted);
    let breaking = judged.evidence.breaking.unwrap();
    assert_eq!((breaking.commit, breaking.kind.as_str()), (None, "deleted"));
}

#[test]
fn what_was_gone_when_its_line_was_written_is_stale_at_birth() {
    let mut desk = desk();
    desk.write("src/d.rs", "d");
    desk.commit("first");
    desk.delete("src/d.rs");
    let gone = desk.commit("remove d");
    desk.commit_file("README.md", &format!("{KEPT}\n[d](src/d.rs)\n"));
    let result = verified(&desk);
    assert_eq!(told(&result).last().unwrap(), "README.md:3 drifted stale_at_birth src/d.rs");
    assert_eq!(finding(&result, "src/d.rs").evidence.breaking.unwrap().commit, Some(gone));
}

#[test]
fn what_never_was_is_uncertain_where_it_could_be_and_otherwise_nothing() {
    let mut desk = desk();
    desk.write(".gitignore", "src/made.rs\n");
    desk.write("README.md", &format!("{KEPT}[d](src/d.rs)\n[e](nowhere/e.rs)\n[f](src/made.rs)\n"));
    desk.commit("first");
    let told = told(&verified(&desk));
    assert_eq!(told.last().unwrap(), "README.md:2 uncertain never_existed src/d.rs");
    assert_eq!(told.len(), 4);
}

#[test]
fn what_is_told_of_the_past_is_not_a_claim() {
    let mut desk = desk();
    desk.write("README.md", &format!("{KEPT}There is no longer a [d](src/d.rs).\n"));
    desk.write("src/d.rs", "d");
    desk.commit("first");
    desk.delete("src/d.rs");
    desk.commit("remove d");
    assert_eq!(told(&verified(&desk)).len(), 3);
}

#[test]
fn a_document_that_was_never_about_this_repository_is_left_alone() {
    let mut desk = desk();
    desk.write("README.md", "[a](src/a.rs) [x](src/x.rs) [y](src/y.rs) [z](src/z.rs)\n");
    desk.commit("first");
    assert!(told(&verified(&desk)).is_empty());
}

#[test]
fn a_document_that_was_moved_is_judged_by_where_it_stood() {
    let mut desk = desk();
    desk.write("docs/deep/page.md", "[a](img/one.rs) [b](img/two.rs)\n\nSome more text that stays.\n");
    desk.write("docs/deep/img/one.rs", "1");
    desk.write("docs/deep/img/two.rs", "2");
    desk.commit("first");
    desk.rename("docs/deep/page.md", "guide/page.md");
    let moved = desk.commit("move the page");
    let result = verified(&desk);
    assert_eq!(told(&result)[0], "guide/page.md:1 drifted broke_at img/one.rs");
    let evidence = finding(&result, "img/one.rs").evidence;
    assert_eq!(evidence.blame.unwrap().path, "docs/deep/page.md");
    assert_eq!(evidence.breaking.unwrap().commit, Some(moved));
}

#[test]
fn commands_of_a_manifest_that_is_gone_have_drifted() {
    let mut desk = desk();
    desk.write("README.md", &format!("{KEPT}\nRun `make build` first.\n\nRun `just other` then.\n"));
    desk.write("Makefile", "build:\n\techo\n");
    desk.commit("first");
    desk.delete("Makefile");
    let gone = desk.commit("no more make");
    let result = verified(&desk);
    assert_eq!(told(&result).last().unwrap(), "README.md:3 drifted broke_at make build");
    assert_eq!(finding(&result, "make build").evidence.breaking.unwrap().commit, Some(gone));
}

#[test]
fn where_history_ends_one_claim_of_a_document_is_uncertain() {
    let mut desk = desk();
    desk.write("README.md", &format!("{KEPT}[d](src/d.rs)\n[e](src/e.rs)\n"));
    desk.write("src/d.rs", "d");
    desk.write("src/e.rs", "e");
    desk.commit("first");
    desk.delete("src/d.rs");
    desk.delete("src/e.rs");
    desk.commit("remove d and e");
    let origin = format!("file://{}", desk.root().display());
    desk.git(&["clone", "-q", "--depth=1", &origin, "../shallow"]);
    let result = run(&Repository::open(&desk.path("shallow")).unwrap(), &Options::default(), None);
    let told = told(&result);
    assert_eq!(told.last().unwrap(), "README.md:2 uncertain history_unavailable src/d.rs");
    assert_eq!(told.len(), 4);
}

#[test]
fn waivers_hide_findings_and_keep_them_countable() {
    let mut desk = desk();
    desk.write("src/d.rs", "d");
    let page = |comment: &str| format!("{KEPT}\n[d](src/d.rs){comment}\n");
    desk.write("inline.md", &page(" <!-- docent:ignore path_reference reason=\"made by the build\" -->"));
    desk.write("config.md", &page(""));
    desk.write("known.md", &page(""));
    desk.write("expired.md", &page(""));
    desk.commit("first");
    desk.delete("src/d.rs");
    desk.commit("remove d");
    let waiver = |path: &str, expires: &str| Waiver {
        path: Some(path.to_owned()),
        claim_type: Some(ClaimType::PathReference),
        named: None,
        reason: "known".to_owned(),
        expires: Some(expires.to_owned()),
    };
    let known = Known {
        file: "known.md".to_owned(),
        claim_type: ClaimType::PathReference,
        named: "src/d.rs".to_owned(),
        of: None,
    };
    let options = Options {
        waivers: vec![waiver("conf*.md", "2026-11-16"), waiver("expired.md", "2026-11-15")],
        baseline: Baseline { findings: vec![known] },
        today: "2026-11-16".to_owned(),
        ..Options::default()
    };
    let result = run(&desk.open(), &options, None);
    let findings: Vec<String> = result.findings().into_iter().map(|it| it.claim.file).collect();
    assert_eq!(findings, ["expired.md"]);
    assert_eq!(result.suppressed(), 3);
    let reasons: Vec<Option<String>> = result.judged().map(|it| it.suppressed).collect();
    assert!(reasons.contains(&Some("made by the build".to_owned())), "{reasons:?}");
}

#[test]
fn only_the_documents_that_are_asked_for_are_read() {
    let mut desk = desk();
    desk.write("README.md", KEPT);
    desk.write("docs/a.md", "[a](../src/a.rs)\n");
    desk.write("docs2/a.md", "[a](../src/a.rs)\n");
    desk.commit("first");
    let options = Options { paths: vec!["docs".to_owned()], ..Options::default() };
    assert_eq!(told(&run(&desk.open(), &options, None)), ["docs/a.md:1 verified holds ../src/a.rs"]);
}

#[test]
fn nobody_waits_for_a_cancelled_verification() {
    let mut desk = desk();
    desk.commit_file("README.md", KEPT);
    let watch = Watch { progress: &|_| {}, is_cancelled: &|| true };
    let result = verify(&desk.open(), &Options::default(), None, Arc::new(NoStore), watch);
    assert!(matches!(result, Err(RepoError::Cancelled)));
}

/// A repository whose program is defined in one file, with enough commits that a past state is looked at.
fn with_program(name: &str) -> Desk {
    let desk = Desk::new();
    let manifest =
        format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\n[dependencies]\nclap = \"4\"\n");
    desk.write("Cargo.toml", &manifest);
    desk.write("src/main.rs", "#[derive(clap::Parser)]\nenum Command { Launch, Land }\nfn main() {}\n");
    desk
}

#[test]
fn a_command_of_a_program_that_was_renamed_has_drifted() {
    let mut desk = with_program("rocket");
    desk.write("README.md", "Run `rocket launch` first.\n\nThen run `rocket land`.\n");
    desk.commit("first");
    for number in 0..4 {
        desk.commit_file("notes.txt", &number.to_string());
    }
    let manifest = std::fs::read_to_string(desk.root().join("Cargo.toml")).unwrap();
    desk.write("Cargo.toml", &manifest.replace("rocket", "plane"));
    let renamed = desk.commit("rename the program");
    let found = finding(&verified(&desk), "rocket launch");
    assert_eq!((found.verdict, found.class.name()), (Verdict::Drifted, "broke_at"));
    assert_eq!(found.evidence.breaking.and_then(|it| it.commit), Some(renamed));
}

#[test]
fn a_line_that_was_written_before_the_code_can_drift() {
    let mut desk = Desk::new();
    desk.write("README.md", "Set `LAUNCH_PAD_COLOUR` to paint it.\n");
    desk.commit("document it");
    desk.commit_file("src/main.rs", "fn main() { std::env::var(\"LAUNCH_PAD_COLOUR\").ok(); }\n");
    for number in 0..4 {
        desk.commit_file("notes.txt", &number.to_string());
    }
    let gone = desk.commit_file("src/main.rs", "fn main() {}\n");
    let found = finding(&verified(&desk), "LAUNCH_PAD_COLOUR");
    assert_eq!((found.verdict, found.class.name()), (Verdict::Drifted, "broke_at"));
    assert_eq!(found.evidence.breaking.and_then(|it| it.commit), Some(gone));
}

#[test]
fn what_was_only_mentioned_before_and_after_it_was_defined_has_not_drifted() {
    let mut desk = desk();
    desk.write("api/schema.json", "{\"a\": \"the PodAffinityTerm of a pod\"}\n");
    desk.write("README.md", &format!("{KEPT}\nIt is a `PodAffinityTerm`.\n"));
    desk.commit("first");
    desk.write("src/d.rs", "pub struct PodAffinityTerm;\n");
    desk.commit("a client is generated");
    for number in 0..8 {
        desk.commit_file("other", &number.to_string());
    }
    desk.commit_file("docs/b.md", "It was generated as `PodAffinityTerm`, and is one.\n");
    desk.delete("src/d.rs");
    desk.commit("the client has a repository of its own");
    desk.weeks_pass();
    assert!(!told(&verified(&desk)).iter().any(|line| line.contains("drifted")));
}

#[test]
fn a_link_whose_whole_folder_is_gone_has_drifted() {
    let mut desk = desk();
    desk.write("README.md", &format!("{KEPT}\nCreate it as in ![d](/static/img/d.png).\n"));
    desk.write("site/static/img/d.png", "d");
    desk.commit("first");
    desk.delete("site/static/img/d.png");
    desk.commit("remove pictures");
    assert_eq!(told(&verified(&desk)).last().unwrap(), "README.md:3 drifted broke_at /static/img/d.png");
}

#[test]
fn who_deletes_and_writes_in_one_commit_knows_that_it_is_gone() {
    let mut desk = desk();
    desk.write("README.md", KEPT);
    desk.write("src/d.rs", "d");
    desk.commit("first");
    desk.delete("src/d.rs");
    desk.write("README.md", &format!("{KEPT}\nAll of `src/d.rs` is in one place.\n"));
    desk.commit("remove d");
    assert!(!told(&verified(&desk)).iter().any(|line| line.contains("src/d.rs")));
}

#[test]
fn an_entrance_speaks_of_the_files_beside_it() {
    let mut desk = desk();
    desk.write("README.md", &format!("{KEPT}\nAll versions are in `pyproject.toml`.\n"));
    desk.write("pyproject.toml", "x");
    desk.commit("first");
    desk.delete("pyproject.toml");
    desk.commit("remove it");
    assert_eq!(told(&verified(&desk)).last().unwrap(), "README.md:3 drifted broke_at pyproject.toml");
}

#[test]
fn a_variable_of_ci_alone_does_not_drift() {
    let mut desk = desk();
    desk.write("README.md", &format!("{KEPT}\nSet `TAP_TOKEN` and `APP_TOKEN`.\n"));
    desk.write(".github/workflows/a.yml", "env:\n  TAP_TOKEN: x\n");
    desk.write("a.py", "import os\nx = os.environ['APP_TOKEN']\n");
    desk.commit("first");
    desk.delete(".github/workflows/a.yml");
    desk.write("a.py", "x = 1\n");
    desk.commit("remove both");
    let told = told(&verified(&desk));
    assert!(told.iter().any(|line| line == "README.md:3 drifted broke_at APP_TOKEN"), "{told:?}");
    assert!(!told.iter().any(|line| line.contains("TAP_TOKEN")), "{told:?}");
}

#[test]
fn a_variable_of_ci_drifts_on_a_page_that_names_the_workflow() {
    let mut desk = desk();
    desk.write("README.md", &format!("{KEPT}\n`.github/workflows/a.yml` needs `TAP_TOKEN`.\n"));
    desk.write(".github/workflows/a.yml", "env:\n  TAP_TOKEN: x\n");
    desk.commit("first");
    desk.commit_file(".github/workflows/a.yml", "env:\n  OTHER: x\n");
    assert_eq!(told(&verified(&desk)).last().unwrap(), "README.md:3 drifted broke_at TAP_TOKEN");
}

#[test]
fn a_flag_alone_does_not_drift_with_the_programs() {
    let mut desk = desk();
    desk.write("README.md", &format!("{KEPT}\nPass `--deep-scan` to it.\n"));
    desk.write("Cargo.toml", "[package]\nname = \"tool\"\n");
    desk.write(
        "src/main.rs",
        "use clap::Parser;\n#[derive(Parser)] struct Cli { #[arg(long)] deep_scan: bool }\n",
    );
    desk.commit("first");
    let held = "README.md:3 verified holds --deep-scan".to_owned();
    assert!(told(&verified(&desk)).contains(&held));
    for number in 0..8 {
        desk.commit_file("other", &number.to_string());
    }
    desk.delete("Cargo.toml");
    desk.commit("the program has a repository of its own");
    assert!(!told(&verified(&desk)).iter().any(|line| line.contains("drifted")));
}

#[test]
fn pages_that_are_made_from_data_now_have_not_drifted() {
    let mut desk = desk();
    desk.write("content/cli/run.md", "# Run\n");
    desk.write("content/cli/_index.md", "# All\n");
    desk.write("README.md", &format!("{KEPT}\n[run](/cli/run) and [all](/cli)\n"));
    desk.commit("first");
    desk.delete("content/cli/run.md");
    desk.write("content/cli/_content.gotmpl", "{{ range .Data }}\n");
    desk.commit("second");
    let told = told(&verified(&desk));
    assert!(!told.iter().any(|line| line.contains("drifted")), "{told:?}");
}

#[test]
fn a_bare_name_of_data_drifts_only_where_it_was_near() {
    let mut desk = desk();
    desk.write(
        "docs/a.md",
        &format!("{}\nSee `metadata.json` and `near.json`.\n", KEPT.replace("src", "../src")),
    );
    desk.write("tools/deep/metadata.json", "{}\n");
    desk.write("docs/near.json", "{}\n");
    desk.commit("first");
    desk.delete("tools/deep/metadata.json");
    desk.delete("docs/near.json");
    desk.commit("second");
    desk.weeks_pass();
    let drifted: Vec<String> =
        told(&verified(&desk)).into_iter().filter(|line| line.contains("drifted")).collect();
    assert_eq!(drifted, ["docs/a.md:3 drifted broke_at near.json"]);
}

#[test]
fn notes_and_what_docent_wrote_are_no_evidence() {
    let mut desk = desk();
    desk.write("Makefile", "lint:\n\techo\ntest:\n\techo\n");
    desk.write("src/app.py", "import os\nos.environ['APP_TOKEN']\n");
    desk.write("README.md", &format!("{KEPT}\nSet `APP_TOKEN`.\n"));
    desk.commit("first");
    desk.write("src/app.py", "import os\n");
    desk.commit("second");
    for file in ["out.sarif", "docent.toml", "docs-baseline.json", "run.log", "CHANGES.txt"] {
        desk.write(file, "APP_TOKEN\n");
    }
    assert_eq!(finding(&verified(&desk), "APP_TOKEN").verdict, Verdict::Drifted);
}

#[test]
fn what_stood_in_a_file_that_was_never_committed_is_remembered() {
    let mut desk = desk();
    desk.write("src/app.py", "import os\nos.environ['APP_TOKEN']\n");
    desk.write("README.md", &format!("{KEPT}\nSet `APP_TOKEN`.\n"));
    desk.commit("first");
    desk.write("src/app.py", "import os\n");
    desk.commit("second");
    desk.write("src/more.py", "import os\nos.environ['APP_TOKEN']\n");
    let before = verified(&desk);
    assert_eq!(finding(&before, "APP_TOKEN").verdict, Verdict::Verified);
    desk.delete("src/more.py");
    let after = run(&desk.open(), &Options::default(), Some(&before));
    assert_eq!(finding(&after, "APP_TOKEN").verdict, Verdict::Drifted);
}

#[test]
fn a_manifest_that_is_too_large_to_be_read_refutes_nothing() {
    let mut desk = desk();
    desk.write("package.json", "{\"scripts\": {\"build\": \"x\"}}");
    desk.write("README.md", &format!("{KEPT}\nRun `npm run build`.\n"));
    desk.commit("first");
    desk.write(
        "package.json",
        &format!("{{\"scripts\": {{\"build\": \"x\"}}, \"z\": \"{}\"}}", "y".repeat(2_200_000)),
    );
    desk.commit("second");
    let told = told(&verified(&desk));
    assert!(!told.iter().any(|line| line.contains("npm run build")), "{told:?}");
}

#[test]
fn a_joined_name_has_drifted_when_it_stands_nowhere_any_more() {
    let mut desk = desk();
    desk.write("src/d.ts", "export function fetchCompletion() {}\nexport function sendMessage() {}\n");
    desk.write("README.md", &format!("{KEPT}\n`fetchCompletion`, `sendMessage` and `neverHeardOf`.\n"));
    desk.commit("first");
    desk.write("src/d.ts", "// sendMessage is somebody else's\n");
    desk.commit("second");
    let drifted = |desk: &Desk| -> Vec<String> {
        told(&verified(desk)).into_iter().filter(|line| !line.contains("verified")).collect()
    };
    let both = ["README.md:3 drifted broke_at fetchCompletion", "README.md:3 drifted broke_at sendMessage"];
    assert_eq!(drifted(&desk), both);
    desk.weeks_pass();
    assert_eq!(drifted(&desk), ["README.md:3 uncertain broke_at fetchCompletion"]);
}

#[test]
fn a_page_beside_a_chart_drifts_with_its_values() {
    let mut desk = Desk::new();
    desk.write("deploy/Chart.yaml", "name: shop\n");
    desk.write("deploy/values.yaml", "image:\n  tag: v1.0\nhook:\n  serviceName: x-hook\n");
    desk.write("deploy/templates/a.yaml", "{{ .Values.image.tag }}\n");
    let table = "| Parameter | Description | Default |\n|---|---|---|\n";
    let rows = "| `image.tag` | Tag | `v1.0` |\n| `hook.serviceName` | Name | `x-hook` |\n";
    desk.write("deploy/README.md", &format!("{table}{rows}"));
    desk.commit("first");
    desk.write("deploy/values.yaml", "image:\n  tag: v1.1\nhook: {}\n");
    desk.commit("release");
    let found = verified(&desk);
    let expected = [
        "deploy/README.md:3 verified holds image.tag",
        "deploy/README.md:3 drifted value_changed v1.0",
        "deploy/README.md:4 drifted broke_at hook.serviceName",
    ];
    assert_eq!(told(&found), expected);
    let hint = finding(&found, "v1.0").evidence.suggestion.map(|hint| hint.replacement);
    assert_eq!(hint.as_deref(), Some("v1.1"));
}
