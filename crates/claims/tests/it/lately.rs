//! What held until lately is told, whatever else has its name, and is judged like anything else from the third week on.

use std::sync::Arc;

use docent_claims::{NoStore, Options, Verdict, Verification, Watch, verify};

use crate::support::Desk;
use crate::verification::{KEPT, desk, finding, told, verified};

/// What has drifted.
fn drifted(verification: &Verification) -> Vec<String> {
    told(verification).into_iter().filter(|line| line.contains(" drifted ")).collect()
}

fn nothing() -> Vec<String> {
    Vec::new()
}

/// As a server sees it: what is known is kept.
fn later(desk: &Desk, previous: &Verification) -> Verification {
    verify(&desk.open(), &Options::default(), Some(previous), Arc::new(NoStore), Watch::SILENT).unwrap()
}

/// A page that names a file by what is not its whole way, and another that is linked to but never committed now.
fn somebodys() -> Desk {
    let mut desk = desk();
    desk.write("code/measure/src/Panel.tsx", "export const a = 1\n");
    desk.write("docs/guide.md", &format!("{}\nSee `src/Panel.tsx`.\n", KEPT.replace("src", "../src")));
    desk.commit("first");
    desk.delete("code/measure/src/Panel.tsx");
    desk
}

const PANEL: &str = "docs/guide.md:3 drifted broke_at src/Panel.tsx";

#[test]
fn what_somebody_is_about_to_take_away_is_told_before_it_is_committed() {
    let desk = somebodys();
    assert_eq!(drifted(&verified(&desk)), [PANEL]);
}

#[test]
fn what_was_taken_away_lately_is_told_with_the_commit_that_did() {
    let mut desk = somebodys();
    desk.git(&["checkout", "-q", "."]);
    desk.weeks_pass();
    desk.delete("code/measure/src/Panel.tsx");
    let gone = desk.commit("take the panel away");
    for _ in 0..10 {
        let found = verified(&desk);
        assert_eq!(drifted(&found), [PANEL]);
        let breaking = finding(&found, "src/Panel.tsx").evidence.breaking.unwrap();
        assert_eq!(breaking.commit.as_ref(), Some(&gone));
        desk.commit("a day");
    }
}

#[test]
fn from_the_third_week_on_it_is_judged_like_anything_else() {
    let mut desk = somebodys();
    desk.commit("take the panel away");
    desk.weeks_pass();
    assert_eq!(drifted(&verified(&desk)), nothing());
}

#[test]
fn what_an_earlier_verification_told_grows_old_too() {
    let mut desk = somebodys();
    desk.commit("take the panel away");
    let first = verified(&desk);
    assert_eq!(drifted(&first), [PANEL]);
    desk.commit("a day");
    let second = later(&desk, &first);
    assert_eq!((second.fresh, drifted(&second)), (1, vec![PANEL.to_owned()]), "other states are asked");
    desk.weeks_pass();
    let third = later(&desk, &second);
    assert_eq!((third.fresh, drifted(&third)), (1, nothing()), "other states are asked");
}

#[test]
fn a_verification_that_is_built_upon_another_sees_what_has_just_gone() {
    let mut desk = somebodys();
    desk.write("code/measure/src/Panel.tsx", "export const a = 1\n");
    let first = verified(&desk);
    assert_eq!(drifted(&first), nothing());
    desk.delete("code/measure/src/Panel.tsx");
    desk.commit("take the panel away");
    assert_eq!(drifted(&later(&desk, &first)), [PANEL]);
}

#[test]
fn what_is_doubted_later_is_told_lately() {
    let mut desk = desk();
    desk.write("packages/ios/Manager.ts", "export class SurveyManager {}\n");
    desk.write(
        "docs/dev/a.md",
        &format!("{}\nIt has a `SurveyManager`.\n", KEPT.replace("src", "../../src")),
    );
    desk.commit("first");
    desk.delete("packages/ios/Manager.ts");
    desk.commit("the folder leaves");
    let first = verified(&desk);
    assert_eq!(finding(&first, "SurveyManager").verdict, Verdict::Drifted);
    desk.weeks_pass();
    for found in [verified(&desk), later(&desk, &first)] {
        let found = finding(&found, "SurveyManager");
        assert_eq!((found.verdict, found.class.name()), (Verdict::Uncertain, "left"));
    }
}

#[test]
fn a_name_that_code_or_settings_still_use_was_somebody_elses_all_along() {
    let code = "export const client = new VendorClient()\nregister('VENDOR_REGION')\n";
    let settings = "client: VendorClient\nregion: VENDOR_REGION\n";
    let comments = "// VendorClient\n# VENDOR_REGION\n";
    let left = |file: &str, text: &str| {
        let mut desk = desk();
        desk.write("src/d.ts", "export class VendorClient {}\nexport const at = process.env.VENDOR_REGION\n");
        desk.write(file, code);
        desk.write("README.md", &format!("{KEPT}\nIt is a `VendorClient`.\n\nSet `VENDOR_REGION`.\n"));
        desk.commit("first");
        desk.write("src/d.ts", "export {}\n");
        desk.write(file, text);
        desk.commit("second");
        drifted(&verified(&desk)).len()
    };
    assert_eq!(left("src/app.ts", code), 0);
    assert_eq!(left("config/app.yaml", settings), 1, "no setting is called like a type");
    assert_eq!(left("docs/app.yaml", settings), 2, "what a site is made from only tells");
    assert_eq!(left("src/app.ts", comments), 2, "a comment uses nothing");
}

#[test]
fn what_a_line_says_is_gone_is_not_missed_however_lately_it_went() {
    let mut desk = desk();
    desk.write("code/measure/src/Panel.tsx", "export const a = 1\n");
    let kept = KEPT.replace("src", "../src");
    desk.write("docs/guide.md", &format!("{kept}\nFormerly it was in `src/Panel.tsx`.\n"));
    desk.commit("first");
    desk.delete("code/measure/src/Panel.tsx");
    desk.commit("take the panel away");
    assert_eq!(drifted(&verified(&desk)), nothing());
}

#[test]
fn a_line_that_is_written_after_it_was_gone_is_judged_like_any_other() {
    let mut desk = somebodys();
    desk.commit("take the panel away");
    desk.write("docs/guide.md", &format!("{}\nSee `src/Panel.tsx` for it.\n", KEPT.replace("src", "../src")));
    desk.commit("write it again");
    assert_eq!(drifted(&verified(&desk)), nothing());
}

#[test]
fn a_member_is_used_where_its_type_is() {
    for (left, missed) in [("keep(Keeper, later);\n", 0), ("keep(Keeper);\n", 1)] {
        let mut desk = desk();
        desk.write("src/d.ts", "export class Keeper {\n  static later() {}\n}\n");
        desk.write("src/e.ts", left);
        desk.write("src/f.ts", "run(later);\n");
        desk.write("README.md", &format!("{KEPT}\nIt calls `Keeper.later()` then.\n"));
        desk.commit("first");
        desk.write("src/d.ts", "export {}\n");
        desk.commit("second");
        assert_eq!(drifted(&verified(&desk)).len(), missed, "{left}");
    }
}

#[test]
fn an_example_that_lay_beside_its_page_was_that_file() {
    let mut desk = desk();
    let kept = KEPT.replace("src", "../src");
    desk.write("docs/guide.md", &format!("{kept}\nA fragment (for example `rules-test.mk`) has it.\n"));
    desk.write("guides/guide.md", &format!("{kept}\nA fragment (for example `rules-test.mk`) has it.\n"));
    desk.write("docs/rules-test.mk", "all:\n");
    desk.commit("first");
    desk.delete("docs/rules-test.mk");
    desk.commit("second");
    assert_eq!(drifted(&verified(&desk)), ["docs/guide.md:3 drifted broke_at rules-test.mk"]);
}

#[test]
fn what_left_its_folder_before_and_is_gone_now_was_broken_by_who_took_it_away() {
    let mut desk = desk();
    let flag =
        "use clap::Parser;\n#[derive(Parser)]\nstruct Args {\n    #[arg(long)]\n    enable_mesh: bool,\n}\n";
    desk.write("Cargo.toml", "[package]\nname = \"tool\"\n\n[[bin]]\nname = \"tool\"\n");
    desk.write("core-new/src/main.rs", flag);
    desk.write("docs/cli.md", &format!("{}\nRun `tool --enable-mesh`.\n", KEPT.replace("src", "../src")));
    desk.commit("first");
    desk.rename("core-new/src/main.rs", "core/src/main.rs");
    desk.delete("core-new");
    desk.commit("move it");
    desk.write("core/src/main.rs", &flag.replace("    #[arg(long)]\n    enable_mesh: bool,\n", ""));
    let gone = desk.commit("take the flag away");
    let found = finding(&verified(&desk), "--enable-mesh");
    assert_eq!(found.verdict, Verdict::Drifted);
    assert_eq!(found.evidence.breaking.and_then(|it| it.commit), Some(gone));
}

#[test]
fn what_a_page_misses_on_one_line_it_misses_on_all_whatever_the_words_around_it() {
    let mut desk = desk();
    desk.write("src/form.rs", "pub struct Form { pub whole_form: u8 }\n");
    let other = "You might define one of your own: for example, a `whole_form` of it.\n";
    let kept = KEPT.replace("src", "../src");
    desk.write("docs/a.md", &format!("{kept}\nA field has `whole_form`.\n\n{other}"));
    desk.write("docs/b.md", &format!("{kept}\n{other}"));
    desk.write("notes.py", "# whole_form is what others have, too\n");
    desk.commit("first");
    desk.write("src/form.rs", "pub struct Form { pub field: u8 }\n");
    desk.commit("second");
    let both = ["docs/a.md:3 drifted broke_at whole_form", "docs/a.md:5 drifted broke_at whole_form"];
    assert_eq!(drifted(&verified(&desk)), both);
}

#[test]
fn who_adds_something_to_a_file_beside_the_page_makes_none() {
    let mut desk = desk();
    desk.write("providers/registry-list.json", "{}\n");
    desk.write("other/deep/table-list.json", "{}\n");
    let text = "Add an entry to `registry-list.json`. Create a `table-list.json` then.\n";
    desk.write("providers/README.md", &format!("{}\n{text}", KEPT.replace("src", "../src")));
    desk.commit("first");
    desk.delete("providers/registry-list.json");
    desk.delete("other/deep/table-list.json");
    desk.commit("second");
    assert_eq!(drifted(&verified(&desk)), ["providers/README.md:3 drifted broke_at registry-list.json"]);
}

#[test]
fn a_version_that_the_manifest_stated_until_lately_is_told_whenever_its_line_was_written() {
    let mut desk = desk();
    let manifest = |least: &str| format!("[project]\nname = \"it\"\nrequires-python = \">={least}\"\n");
    desk.write("pyproject.toml", &manifest("3.8"));
    desk.write("README.md", &format!("{KEPT}\nThis needs Python 3.9+.\n"));
    desk.commit("first");
    desk.weeks_pass();
    desk.commit_file("pyproject.toml", &manifest("3.9"));
    desk.weeks_pass();
    assert_eq!(drifted(&verified(&desk)), nothing());
    let broke = desk.commit_file("pyproject.toml", &manifest("3.10"));
    let found = verified(&desk);
    assert_eq!(drifted(&found), ["README.md:3 drifted value_changed Python 3.9+"]);
    let evidence = finding(&found, "Python 3.9+").evidence;
    assert_eq!(evidence.breaking.unwrap().commit, Some(broke));
    assert_eq!(evidence.suggestion.unwrap().replacement, "Python 3.10+");
}

#[test]
fn a_version_that_one_manifest_stated_is_not_refuted_by_another() {
    let mut desk = desk();
    let manifest = |least: &str| format!("{{\"name\": \"it\", \"engines\": {{\"node\": \"{least}\"}}}}\n");
    desk.write("tools/package.json", &manifest(">=24"));
    desk.write("template/.tool-versions", "nodejs 20.9.0\n");
    desk.write("README.md", &format!("{KEPT}\nThis needs Node.js version 20.9.0.\n"));
    desk.commit("first");
    desk.commit_file("template/.tool-versions", "nodejs 24.1.0\n");
    assert_eq!(drifted(&verified(&desk)), nothing());
}

const CONNECT: &str = "func mustConnect(ctx context.Context, target string) {
\tctx, cancel := context.WithTimeout(ctx, connectTimeout)
\tdefer cancel()
\tconnection, err := grpc.DialContext(ctx, target, dialOptions)
\tcheckConnection(connection, err)
}
";

#[test]
fn code_that_a_page_repeats_is_told_when_its_lines_change_and_all_names_stay() {
    let mut desk = desk();
    desk.write("src/main.go", &format!("package main\n\n{CONNECT}"));
    desk.write("README.md", &format!("{KEPT}\nIt connects to others:\n\n```go\n{CONNECT}```\n"));
    desk.commit("first");
    let other = CONNECT.replace("\tdefer cancel()\n", "\tdefer cancel()\n\tlog(target)\n");
    let broke = desk.commit_file("src/main.go", &format!("package main\n\n{other}"));
    let found = verified(&desk);
    assert_eq!(drifted(&found).len(), 1, "{:?}", told(&found));
    let finding = found.documents["README.md"].claims.iter().find(|it| it.claim.kind == "snippet").unwrap();
    let evidence = &finding.judgement.as_ref().unwrap().evidence;
    assert_eq!(evidence.breaking.as_ref().unwrap().commit, Some(broke));
    assert!(evidence.suggestion.as_ref().unwrap().replacement.contains("log(target)"));
}

#[test]
fn code_of_an_example_changes_while_a_page_that_is_like_it_stays_right() {
    for file in ["examples/main.go", "tests/main.go"] {
        let mut desk = desk();
        desk.write(file, &format!("package main\n\n{CONNECT}"));
        desk.write(
            "src/other.go",
            "package main\n\nvar connectTimeout, mustConnect, checkConnection = 1, 2, 3\n",
        );
        desk.write("README.md", &format!("{KEPT}\nIt connects to others:\n\n```go\n{CONNECT}```\n"));
        desk.commit("first");
        desk.commit_file(file, &CONNECT.replace("\tdefer cancel()\n", ""));
        assert_eq!(drifted(&verified(&desk)), nothing(), "{file}");
    }
}

#[test]
fn a_variable_of_ours_that_only_settings_still_set_is_gone() {
    let mut desk = desk();
    desk.write("package.json", "{\"name\": \"beacon\"}\n");
    let code = "export const base = process.env.BEACON_BASE_DIR\n";
    desk.write("src/config.ts", code);
    desk.write("charts/daemon.yaml", "env:\n  - name: BEACON_BASE_DIR\n    value: {{ .Values.base }}\n");
    desk.write("README.md", &format!("{KEPT}\nSet `BEACON_BASE_DIR` to where it may write.\n"));
    desk.commit("first");
    desk.commit_file("src/config.ts", "export const base = \"/tmp\"\n");
    assert_eq!(drifted(&verified(&desk)), ["README.md:3 drifted broke_at BEACON_BASE_DIR"]);
}

#[test]
fn a_variable_that_only_the_site_read_is_its_readers() {
    let mut desk = desk();
    desk.write("website/config.ts", "export const isLive = process.env.NODE_ENV === 'production'\n");
    desk.write("README.md", &format!("{KEPT}\nSet `NODE_ENV` for your tasks.\n"));
    desk.commit("first");
    desk.commit_file("website/config.ts", "export const isLive = true\n");
    assert_eq!(drifted(&verified(&desk)), nothing());
}

#[test]
fn what_an_earlier_verification_told_is_of_the_states_that_it_asked() {
    let mut desk = desk();
    desk.write("README.md", &format!("{KEPT}\nThe code is in `src/parser.rs`; set `HARBOR_HOME`.\n"));
    desk.commit("first");
    desk.commit_file("src/parser.rs", "pub fn p() { std::env::var(\"HARBOR_HOME\"); }\n");
    desk.delete("src/parser.rs");
    desk.commit("gone");
    let first = verified(&desk);
    desk.commit_file("src/n.rs", "fn n() {}\n");
    let second = later(&desk, &first);
    assert_eq!(told(&second), told(&verified(&desk)));
}

#[test]
fn what_was_called_like_a_variable_all_along_does_not_read_it() {
    let column = "class Group:\n    recipe_show_nutrition = Column(Boolean)\n";
    let field = "class Config:\n    recipe_show_nutrition = from_file()\n";
    for (other, later, expected) in [
        (column, column, vec!["README.md:3 drifted broke_at RECIPE_SHOW_NUTRITION"]),
        // Perhaps it is read from there now.
        ("class Config:\n    size = 1\n", field, Vec::new()),
    ] {
        let mut desk = desk();
        desk.write("src/config.py", "import os\nSHOWS = os.environ['RECIPE_SHOW_NUTRITION']\n");
        desk.write("src/other.py", other);
        desk.write("README.md", &format!("{KEPT}\nSet `RECIPE_SHOW_NUTRITION` to see more.\n"));
        desk.commit("first");
        desk.write("src/config.py", "SHOWS = True\n");
        desk.write("src/other.py", later);
        desk.commit("no variable");
        assert_eq!(drifted(&verified(&desk)), expected, "{later}");
    }
}

#[test]
fn a_value_that_a_chart_has_no_more_is_gone_whatever_else_is_called_so() {
    let (rest, page) = ("other:\n  timeout: 5s\n", "charts/shop/README.md");
    for (template, expected) in [
        ("{{ .Values.other.timeout }}", vec![format!("{page}:4 drifted broke_at \"30s\"")]),
        ("{{ .Values.gateway.probe.timeout }}", Vec::new()),
    ] {
        let mut desk = desk();
        desk.write("charts/shop/Chart.yaml", "name: shop\n");
        desk.write(
            "charts/shop/values.yaml",
            &format!("gateway:\n  probe:\n    timeout: 30s\n    port: 1\n{rest}"),
        );
        desk.write("charts/shop/templates/a.yaml", &format!("timeout: {template}\n"));
        let rows =
            "| other.timeout | string | `\"5s\"` | |\n| gateway.probe.timeout | string | `\"30s\"` | |\n";
        desk.write(page, &format!("| Key | Type | Default | Description |\n|---|---|---|---|\n{rows}"));
        desk.commit("first");
        desk.commit_file("charts/shop/values.yaml", &format!("gateway:\n  probe:\n    port: 1\n{rest}"));
        let mut told = drifted(&verified(&desk));
        told.retain(|told| told.contains("30s"));
        assert_eq!(told, expected, "{template}");
    }
}

#[test]
fn what_held_a_commit_ago_has_drifted_whatever_a_shallow_clone_leaves_out() {
    let mut desk = desk();
    desk.write("README.md", &format!("{KEPT}\n[plan](src/plan.rs)\n"));
    desk.commit("first");
    desk.commit_file("src/other.rs", "fn other() {}\n");
    desk.commit_file("src/plan.rs", "fn plan() {}\n");
    desk.delete("src/plan.rs");
    desk.commit("no plan");
    let origin = format!("file://{}", desk.root().display());
    desk.git(&["clone", "-q", "--depth=3", &origin, "../shallow"]);
    let shallow = docent_claims::Repository::open(&desk.path("shallow")).unwrap();
    let found = verify(&shallow, &Options::default(), None, Arc::new(NoStore), Watch::SILENT).unwrap();
    assert_eq!(drifted(&found), ["README.md:3 drifted broke_at src/plan.rs"]);
}

#[test]
fn what_a_page_named_before_it_was_merged_is_missed_before_it_is_committed() {
    let mut desk = Desk::new();
    desk.write("pkg/api/a.go", "package api\n");
    desk.commit("first");
    desk.git(&["checkout", "-q", "-b", "docs"]);
    desk.write("docs/dev/store.md", "It is in `pkg/store`, with `pkg/store/store.go`; see `pkg/api`.\n");
    desk.commit("docs");
    desk.git(&["checkout", "-q", "main"]);
    desk.write("pkg/store/store.go", "package store\n");
    desk.commit("code");
    desk.git(&["merge", "-q", "--no-ff", "-m", "docs", "docs"]);
    desk.rename("pkg/store", "pkg/storage");
    let missed = [
        "docs/dev/store.md:1 drifted broke_at pkg/store",
        "docs/dev/store.md:1 drifted broke_at pkg/store/store.go",
    ];
    assert_eq!(drifted(&verified(&desk)), missed);
    desk.commit("second");
    assert_eq!(drifted(&verified(&desk)), missed);
}
