//! What is gone and nobody has to be told of: it was never meant to stay, or never was what the page means.

use crate::pages::findings;
use crate::support::Desk;
use crate::verification::{told, verified};

fn nothing() -> Vec<String> {
    Vec::new()
}

#[test]
fn a_path_that_only_a_template_had_is_the_readers() {
    let mut desk = Desk::new();
    desk.write("cli/templates/go/cmd/worker/main.go", "package main\n");
    desk.write("docs/start.md", "Run `go run ./cmd/worker`.\n");
    desk.commit("first");
    desk.delete("cli/templates/go/cmd/worker/main.go");
    desk.commit("second");
    assert_eq!(findings(&verified(&desk)), nothing());
}

#[test]
fn a_short_path_that_lay_far_away_is_the_readers() {
    let mut desk = Desk::new();
    desk.write("code/measure/src/Panel.tsx", "export const a = 1\n");
    desk.write("docs/guide.md", "The panel is in `src/Panel.tsx`.\n");
    desk.write("code/measure/README.md", "The panel is in `src/Panel.tsx`.\n");
    desk.commit("first");
    desk.delete("code/measure/src/Panel.tsx");
    desk.commit("second");
    desk.weeks_pass();
    assert_eq!(findings(&verified(&desk)), ["code/measure/README.md:1 broke_at src/Panel.tsx"]);
}

#[test]
fn a_file_that_comes_and_goes_is_not_missed() {
    let mut desk = Desk::new();
    desk.write("docs/release.md", "The first step makes `work/pre.json`, the last one takes it away.\n");
    for _ in 0..3 {
        desk.write("work/pre.json", "{}\n");
        desk.commit("enter");
        desk.delete("work/pre.json");
        desk.commit("leave");
    }
    assert_eq!(findings(&verified(&desk)), nothing());
}

#[test]
fn a_variable_of_code_that_a_page_shows_is_the_readers() {
    let mut desk = Desk::new();
    desk.write("app/main.ts", "export const id = process.env.VENDOR_CLIENT_ID\n");
    desk.write("docs/a.md", "```ts\nconst id = process.env.VENDOR_CLIENT_ID\n```\n");
    desk.write("docs/b.md", "Set `VENDOR_CLIENT_ID`.\n");
    desk.commit("first");
    desk.write("app/main.ts", "export const id = 1\n");
    desk.commit("second");
    desk.weeks_pass();
    assert_eq!(findings(&verified(&desk)), ["docs/b.md:1 broke_at VENDOR_CLIENT_ID"]);
}

#[test]
fn what_left_with_its_whole_folder_is_uncertain() {
    let mut desk = Desk::new();
    desk.write("packages/ios/Manager.ts", "export class SurveyManager {}\n");
    desk.write("packages/web/main.ts", "export class PageManager {}\n");
    desk.write("docs/dev/a.md", "It has a `SurveyManager` and a `PageManager`.\n");
    desk.commit("first");
    desk.delete("packages/ios/Manager.ts");
    desk.write("packages/web/main.ts", "export class Other {}\n");
    desk.commit("second");
    desk.weeks_pass();
    let told = told(&verified(&desk));
    assert!(told.contains(&"docs/dev/a.md:1 uncertain left SurveyManager".to_owned()), "{told:?}");
    assert!(told.contains(&"docs/dev/a.md:1 drifted broke_at PageManager".to_owned()), "{told:?}");
}

#[test]
fn an_address_of_another_branch_cannot_be_judged() {
    let mut desk = Desk::new();
    desk.write("package.json", r#"{"repository": "https://github.com/o/n"}"#);
    desk.write("src/a.ts", "export const a = 1\n");
    let address = |branch: &str| format!("https://github.com/o/n/blob/{branch}/src/a.ts");
    desk.write("docs/a.md", &format!("<{}>\n\n<{}>\n", address("main"), address("next")));
    desk.commit("first");
    desk.delete("src/a.ts");
    desk.commit("second");
    desk.git(&["branch", "-M", "main"]);
    assert_eq!(findings(&verified(&desk)), ["docs/a.md:1 broke_at /src/a.ts"]);
}

#[test]
fn what_a_page_gives_its_readers_and_only_tests_or_compose_files_had_is_theirs() {
    let mut desk = Desk::new();
    desk.write("tests/test_api.py", "class UploadView:\n    pass\n");
    desk.write("compose.yml", "services:\n  db:\n    environment:\n      NAME: ${ACME_DB_NAME}\n");
    let view =
        "```python\nclass UploadView(APIView):\n    ...\n```\n\nRequests to `UploadView` are limited.\n";
    desk.write("docs/a.md", view);
    desk.write("docs/b.md", "Requests to `UploadView` are limited.\n");
    let settings = "```yaml\nname: ${ACME_DB_NAME}\n```\n";
    desk.write("docs/c.md", &format!("{settings}\n```\nACME_DB_NAME=acme\n```\n"));
    desk.write("docs/d.md", settings);
    desk.commit("first");
    desk.write("tests/test_api.py", "class Other:\n    pass\n");
    desk.delete("compose.yml");
    desk.commit("second");
    desk.weeks_pass();
    assert_eq!(
        findings(&verified(&desk)),
        ["docs/b.md:1 broke_at UploadView", "docs/d.md:2 broke_at ACME_DB_NAME"]
    );
}

#[test]
fn a_command_that_only_an_example_had_is_the_readers() {
    let mut desk = Desk::new();
    desk.write("examples/demo/.cargo/config.toml", "[alias]\nacme = \"run --\"\n");
    desk.write("docs/a.md", "Run `cargo acme start`.\n");
    desk.commit("first");
    desk.delete("examples/demo/.cargo/config.toml");
    desk.commit("second");
    assert_eq!(findings(&verified(&desk)), nothing());
}

#[test]
fn a_name_is_told_once_on_a_line() {
    let mut desk = Desk::new();
    desk.write("src/a.rs", "");
    desk.write("docs/a.md", "Read `src/a.rs`, and again `src/a.rs`.\n");
    desk.commit("first");
    desk.delete("src/a.rs");
    desk.commit("second");
    assert_eq!(findings(&verified(&desk)), ["docs/a.md:1 broke_at src/a.rs"]);
}

#[test]
fn a_program_that_scripts_still_call_has_moved_elsewhere() {
    let mut desk = Desk::new();
    desk.write("Cargo.toml", "[package]\nname = \"rocket\"\n[dependencies]\nclap = \"4\"\n");
    desk.write("src/main.rs", "#[derive(clap::Parser)]\nenum Command { Launch, Land }\nfn main() {}\n");
    desk.write("README.md", "Run `rocket launch` first.\n");
    desk.commit("first");
    for number in 0..4 {
        desk.commit_file("notes.txt", &number.to_string());
    }
    desk.write("Cargo.toml", "[package]\nname = \"plane\"\n[dependencies]\nclap = \"4\"\n");
    desk.commit("second");
    assert_eq!(findings(&verified(&desk)), ["README.md:1 broke_at rocket launch"]);
    desk.commit_file("package.json", r#"{"scripts": {"build": "rocket launch"}}"#);
    desk.weeks_pass();
    assert_eq!(findings(&verified(&desk)), nothing());
}

#[test]
fn an_address_of_a_site_whose_files_left_is_served_elsewhere() {
    let mut desk = Desk::new();
    desk.write("docs/public/img/a.svg", "<svg/>");
    desk.write("docs/a.md", "![a](/img/a.svg)\n");
    desk.write("site/static/img/b.svg", "<svg/>");
    desk.write("site/static/img/c.svg", "<svg/>");
    desk.write("docs/b.md", "![b](/img/b.svg)\n");
    desk.commit("first");
    desk.delete("docs/public");
    desk.delete("site/static/img/b.svg");
    desk.commit("second");
    assert_eq!(findings(&verified(&desk)), ["docs/b.md:1 broke_at /img/b.svg"]);
}

#[test]
fn a_word_that_may_be_anything_does_not_wait_for_code_for_long() {
    let mut desk = Desk::new();
    desk.write("docs/a.md", "Set `bomProperties` in the file.\n\nCall `writeProperties()` then.\n");
    desk.commit("document it");
    for _ in 0..190 {
        desk.commit("a day");
    }
    desk.commit_file(
        "src/a.ts",
        "export function bomProperties() {}\nexport function writeProperties() {}\n",
    );
    for number in 0..4 {
        desk.commit_file("notes.txt", &number.to_string());
    }
    desk.commit_file("src/a.ts", "export function other() {}\n");
    assert_eq!(findings(&verified(&desk)), ["docs/a.md:3 broke_at writeProperties"]);
}

#[test]
fn a_path_that_made_projects_have_is_the_readers() {
    let mut desk = Desk::new();
    desk.write("cmd/main.go", "package main\n");
    desk.write("cmd/tool.go", "package main\n");
    desk.write("testdata/project/cmd/main.go", "package main\n");
    desk.write("vendor/x/y.go", "package y\n");
    desk.write("docs/a.md", "Edit `cmd/main.go`, or `cmd/tool.go`, not `vendor/x/y.go`.\n");
    desk.commit("first");
    desk.delete("cmd");
    desk.delete("vendor");
    desk.commit("second");
    assert_eq!(findings(&verified(&desk)), ["docs/a.md:1 broke_at cmd/tool.go"]);
}

#[test]
fn a_variable_that_scripts_only_set_is_of_what_they_start() {
    let mut desk = Desk::new();
    desk.write("Cargo.toml", "[package]\nname = \"acme\"\n");
    desk.write("build/test.sh", "export TEST_ASSET_ETCD=x ACME_ETCD=y\n");
    desk.write("docs/a.md", "Set `TEST_ASSET_ETCD` and `ACME_ETCD`.\n");
    desk.commit("first");
    desk.write("build/test.sh", "\n");
    desk.commit("second");
    desk.weeks_pass();
    assert_eq!(findings(&verified(&desk)), ["docs/a.md:1 broke_at ACME_ETCD"]);
}

#[test]
fn code_that_a_page_only_supposes_is_not_ours() {
    let mut desk = Desk::new();
    let code =
        "function getScanners(name) {\n  const url = make(name)\n  const all = read(url)\n  return all\n}\n";
    desk.write("src/a.js", code);
    desk.write("docs/a.md", &format!("Suppose you have this code:\n\n```js\n{code}```\n"));
    desk.write("docs/b.md", &format!("The code is:\n\n```js\n{code}```\n"));
    desk.commit("first");
    desk.write("src/a.js", "function other() {}\n");
    desk.commit("second");
    let found = findings(&verified(&desk));
    assert!(found.len() == 1 && found[0].starts_with("docs/b.md:4"), "{found:?}");
}

#[test]
fn a_port_that_went_with_its_file_is_not_missed() {
    let mut desk = Desk::new();
    desk.write("tools/mail.js", "const MAIL_PORT = 10801\n");
    desk.write("src/a.js", "const DEFAULT_PORT = 30001\n");
    desk.write(
        "docs/a.md",
        "Mails are at `http://localhost:10801`.\n\nThe page is at `http://localhost:30001`.\n",
    );
    desk.commit("first");
    desk.delete("tools/mail.js");
    desk.write("src/a.js", "const DEFAULT_PORT = 51731\n");
    desk.commit("second");
    desk.weeks_pass();
    assert_eq!(findings(&verified(&desk)), ["docs/a.md:3 broke_at 30001"]);
}

#[test]
fn what_users_may_add_is_theirs() {
    let mut desk = Desk::new();
    desk.write("docs/public/_redirects", "/a /b\n");
    desk.write("docs/guide.md", "You can add a `docs/public/_redirects` file.\n");
    desk.write("docs/dev/site.md", "You can add a line to `docs/public/_redirects`.\n");
    desk.commit("first");
    desk.delete("docs/public/_redirects");
    desk.commit("second");
    assert_eq!(findings(&verified(&desk)), ["docs/dev/site.md:1 broke_at docs/public/_redirects"]);
}

#[test]
fn commands_that_take_any_flag_have_lost_none() {
    let mut desk = Desk::new();
    let cli = |flag: &str, settings: &str| {
        format!("import click\n@click.command({settings})\n@click.option(\"{flag}\")\ndef run(): pass\n")
    };
    desk.write(
        "pyproject.toml",
        "[project]\nname = \"rocket\"\n[project.scripts]\nrocket = \"rocket:run\"\n",
    );
    desk.write("rocket/__init__.py", &cli("--base-url", ""));
    desk.write("docs/a.md", "Run `rocket run --base-url x`.\n");
    desk.commit("first");
    desk.write("rocket/__init__.py", &cli("--other", ""));
    desk.commit("second");
    assert_eq!(findings(&verified(&desk)), ["docs/a.md:1 broke_at --base-url"]);
    let open = "context_settings={\"ignore_unknown_options\": True}";
    desk.commit_file("rocket/__init__.py", &cli("--other", open));
    desk.weeks_pass();
    assert_eq!(findings(&verified(&desk)), nothing());
}

#[test]
fn a_name_that_was_gone_before_it_was_written_is_uncertain() {
    let mut desk = Desk::new();
    desk.write("Cargo.toml", "[package]\nname = \"rocket\"\n");
    let code = "fn f() { std::env::var(\"ROCKET_PAD\"); std::env::var(\"VENDOR_PAD\"); }\n";
    desk.write("src/a.rs", code);
    desk.write("tools/deep/b.rs", "");
    desk.commit("first");
    desk.write("src/a.rs", "");
    desk.delete("tools/deep/b.rs");
    desk.commit("second");
    desk.write("docs/a.md", "See `ROCKET_PAD`, `VENDOR_PAD` and `tools/deep/b.rs`.\n");
    desk.commit("third");
    let told = told(&verified(&desk));
    assert!(told.iter().any(|it| it.ends_with("drifted stale_at_birth tools/deep/b.rs")), "{told:?}");
    assert!(!told.iter().any(|it| it.contains("drifted") && it.ends_with("VENDOR_PAD")), "{told:?}");
}

#[test]
fn what_became_a_dependency_may_live_on() {
    let mut desk = Desk::new();
    let manifest = |more: &str| {
        format!(
            "[project]\nname = \"rocket\"\ndependencies = [\"click==1.0\"{more}]\n[project.scripts]\nrocket = \"rocket:run\"\n"
        )
    };
    let cli = "import click\n@click.command()\n@click.option(\"--verbose-timing\")\ndef run(): pass\n";
    desk.write("pyproject.toml", &manifest(""));
    desk.write("tools/main.py", "import click\n");
    desk.write("tools/rocketlint.py", cli);
    desk.write(
        "docs/a.md",
        "There is a `--verbose-timing` option.\n\nAgain: `--verbose-timing`, once more.\n",
    );
    desk.commit("first");
    desk.delete("tools/rocketlint.py");
    desk.write("pyproject.toml", &manifest(", \"rocketlint==1.0\""));
    desk.commit("second");
    desk.weeks_pass();
    assert_eq!(told(&verified(&desk)), ["docs/a.md:1 uncertain left --verbose-timing"]);
}

#[test]
fn a_package_that_others_make_now_may_live_on() {
    let mut desk = Desk::new();
    let manifest = |version: &str| {
        format!(
            r#"{{"name": "sanity", "bin": {{"rocket": "a.js"}}, "dependencies": {{"@rocket/cli": "{version}"}}}}"#
        )
    };
    let login = "import yargs from 'yargs';\nyargs.command('login', 'Log in');\n";
    let other = "import yargs from 'yargs';\nyargs.command('other', 'Else');\nyargs.command('third', 'x');\n";
    desk.write("packages/rocket/package.json", &manifest("workspace:*"));
    desk.write("packages/rocket/src/a.js", other);
    desk.write("packages/cli/package.json", r#"{"name": "@rocket/cli"}"#);
    desk.write("packages/cli/src/login.js", login);
    desk.write("AGENTS.md", "Run `rocket login`, then `rocket other`.\n");
    desk.commit("first");
    desk.delete("packages/cli");
    desk.write("packages/rocket/package.json", &manifest("^8.0.0"));
    desk.write("packages/rocket/src/a.js", &other.replace("other", "new"));
    desk.commit("second");
    desk.weeks_pass();
    assert_eq!(
        told(&verified(&desk)),
        ["AGENTS.md:1 uncertain left rocket login", "AGENTS.md:1 drifted broke_at rocket other"]
    );
}

#[test]
fn a_member_that_our_code_still_uses_is_somebodys() {
    let mut desk = Desk::new();
    let code = "export class PageManager { haltAll() {} }\nexport class SpanMaker { current_one() {} }\n";
    desk.write("src/a.ts", code);
    desk.write("src/b.ts", "SpanMaker.current_one().end()\n");
    desk.write("docs/dev.md", "It calls `PageManager.haltAll` and `SpanMaker.current_one`.\n");
    desk.commit("first");
    desk.write("src/a.ts", "export class PageManager {}\n");
    desk.commit("second");
    assert_eq!(findings(&verified(&desk)), ["docs/dev.md:1 broke_at PageManager.haltAll"]);
}

#[test]
fn pages_that_code_serves_are_there() {
    let mut desk = Desk::new();
    desk.write("website/docusaurus.config.js", "module.exports = {}\n");
    desk.write("docs/guide/a.md", "See [one](/guide/cli), [two](/guide/rest) and [this](/guide/a).\n");
    desk.write("docs/guide/cli.md", "# Commands\n");
    desk.write("docs/guide/rest.md", "# Rest\n");
    desk.write("plugins/cli.ts", "const ROUTE_PREFIX = `/guide/cli`\n");
    desk.commit("first");
    desk.delete("docs/guide/cli.md");
    desk.delete("docs/guide/rest.md");
    desk.commit("second");
    assert_eq!(findings(&verified(&desk)), ["docs/guide/a.md:1 broke_at /guide/rest"]);
}

#[test]
fn settings_that_programs_look_for_are_the_readers() {
    let mut desk = Desk::new();
    desk.write("README.md", "It takes the name from a `rocket.toml` file, and `lint.toml` is ours.\n");
    desk.write("src/config.go", "package config\nconst Default = \"rocket.toml\"\n");
    desk.write("rocket.toml", "a = 1\n");
    desk.write("lint.toml", "b = 1\n");
    desk.commit("first");
    desk.delete("rocket.toml");
    desk.delete("lint.toml");
    desk.commit("second");
    assert_eq!(findings(&verified(&desk)), ["README.md:1 broke_at lint.toml"]);
}

#[test]
fn a_site_keeps_its_prefix_when_a_folder_of_that_name_appears() {
    let mut desk = Desk::new();
    desk.write("site/pages/a.md", "![a](/docs/img/a/one.png) [b](../lib/b.ts)\n");
    desk.write("site/public/img/a/one.png", "one\n");
    desk.write("site/lib/b.ts", "export const b = 1\n");
    desk.commit("first");
    desk.write("docs/img/a/other.png", "# Parity\n");
    desk.delete("site/lib/b.ts");
    desk.commit("second");
    assert_eq!(findings(&verified(&desk)), ["site/pages/a.md:1 broke_at ../lib/b.ts"]);
}

#[test]
fn a_variable_that_the_page_fills_in_is_not_missed() {
    let mut desk = Desk::new();
    desk.write(
        "AGENTS.md",
        "Note `HEAD_SHA`, then run it with {HEAD_SHA}.\n\nSet `TOOL_LEVEL` to ${TOOL_LEVEL}.\n",
    );
    desk.write("a.ts", "console.log(process.env.HEAD_SHA, process.env.TOOL_LEVEL)\n");
    desk.commit("first");
    desk.write("a.ts", "\n");
    desk.commit("second");
    assert_eq!(findings(&verified(&desk)), ["AGENTS.md:3 broke_at TOOL_LEVEL"]);
}

#[test]
fn a_package_may_be_named_from_the_root_of_the_source_in_which_the_page_lies() {
    let mut desk = Desk::new();
    desk.write("flow/__init__.py", "");
    desk.write("flow/waiters/a.json", "{}\n");
    desk.write("flow/sensors/b.json", "{}\n");
    desk.write("flow/triggers/README.md", "See `flow/waiters` and `flow/sensors`.\n");
    desk.commit("first");
    desk.rename("flow", "providers/src/flow");
    desk.delete("providers/src/flow/sensors");
    desk.commit("second");
    let place = "providers/src/flow/triggers/README.md";
    assert_eq!(findings(&verified(&desk)), [format!("{place}:1 broke_at flow/sensors")]);
}

#[test]
fn behind_a_folder_that_is_gone_only_the_folder_is_missed() {
    let mut desk = Desk::new();
    desk.write(
        "README.md",
        "```sh\ncd libs/convert\npython convert_all.py\n```\n\n```sh\ncd tools\npython make_all.py\n```\n\n```sh\ncd .tools/all\npython run_all.py\n```\n",
    );
    desk.write("libs/convert/convert_all.py", "print(1)\n");
    desk.write("libs/keep.py", "print(4)\n");
    desk.write("tools/make_all.py", "print(2)\n");
    desk.write("tools/other.py", "print(3)\n");
    desk.write(".tools/all/run_all.py", "print(5)\n");
    desk.write(".tools/all/other.py", "print(6)\n");
    desk.commit("first");
    desk.rename("libs/convert", "shared/convert");
    desk.delete("tools/make_all.py");
    desk.delete(".tools/all/run_all.py");
    desk.commit("second");
    assert_eq!(
        findings(&verified(&desk)),
        [
            "README.md:2 broke_at libs/convert",
            "README.md:8 broke_at make_all.py",
            "README.md:13 broke_at run_all.py"
        ]
    );
}

#[test]
fn names_that_a_page_gives_as_a_pattern_are_not_missed() {
    let mut desk = Desk::new();
    desk.write("AGENTS.md", "Prefer names like `syncBody()`.\n\nCall `syncAll()` first, then `keepOn()`.\n");
    desk.write(
        "src/a.ts",
        "export function syncBody() {}\nexport function syncAll() {}\nexport function keepOn() {}\n",
    );
    desk.commit("first");
    desk.write("src/a.ts", "export function keepOn() {}\n");
    desk.commit("second");
    assert_eq!(findings(&verified(&desk)), ["AGENTS.md:3 broke_at syncAll"]);
}

#[test]
fn hidden_files_that_programs_write_are_the_readers() {
    let mut desk = Desk::new();
    desk.write("docs/api.md", "It writes `.github/copilot.md` and `.github/other.md`.\n");
    desk.write("src/write.ts", "export const PATH = '.github/copilot.md'\n");
    desk.write(".github/copilot.md", "Be kind.\n");
    desk.write(".github/other.md", "Be quick.\n");
    desk.commit("first");
    desk.delete(".github/copilot.md");
    desk.delete(".github/other.md");
    desk.commit("second");
    assert_eq!(findings(&verified(&desk)), ["docs/api.md:1 broke_at .github/other.md"]);
}

#[test]
fn pictures_of_a_site_that_left_are_served_elsewhere() {
    let mut desk = Desk::new();
    let page = "![a](/assets/docs/a.svg) ![b](/assets/docs/b.svg)\n";
    desk.write("docs/1.start/views.md", page);
    desk.write("docs/public/assets/docs/a.svg", "<svg>a</svg>\n");
    desk.write("docs/public/assets/docs/b.svg", "<svg>b</svg>\n");
    desk.write("packages/app/public/icon.svg", "<svg/>\n");
    desk.commit("first");
    desk.delete("docs/public/assets/docs/b.svg");
    desk.commit("one is gone");
    assert_eq!(findings(&verified(&desk)), ["docs/1.start/views.md:1 broke_at /assets/docs/b.svg"]);
    desk.delete("docs/public");
    desk.commit("the site is gone");
    assert_eq!(findings(&verified(&desk)), nothing());
}

#[test]
fn what_a_line_names_twice_is_told_once() {
    let mut desk = Desk::new();
    desk.write("docs/dev/a.md", "See `src/part/a.rs` and `src/part/a.rs` again, or `src/part/b.rs`.\n");
    desk.write("src/part/a.rs", "fn a() {}\n");
    desk.write("src/part/b.rs", "fn b() {}\n");
    desk.write("src/part/c.rs", "fn c() {}\n");
    desk.commit("first");
    desk.delete("src/part/a.rs");
    desk.commit("second");
    assert_eq!(findings(&verified(&desk)), ["docs/dev/a.md:1 broke_at src/part/a.rs"]);
}

#[test]
fn skills_that_were_taken_from_elsewhere_are_not_read() {
    let mut desk = Desk::new();
    let page = "See `src/part/a.rs`.\n";
    desk.write("src/part/a.rs", "fn a() {}\n");
    desk.write(".agents/skills/review/rules/a.md", page);
    desk.write(".agents/skills/own/SKILL.md", page);
    desk.commit("first");
    desk.delete("src/part/a.rs");
    desk.write("src/part/b.rs", "fn b() {}\n");
    desk.commit("second");
    let own = ".agents/skills/own/SKILL.md:1 broke_at src/part/a.rs";
    assert_eq!(
        findings(&verified(&desk)),
        [own, ".agents/skills/review/rules/a.md:1 broke_at src/part/a.rs"]
    );
    desk.write(
        "skills-lock.json",
        r#"{"skills": {"review": {"source": "acme/skills", "sourceType": "github"}}}"#,
    );
    desk.commit("third");
    assert_eq!(findings(&verified(&desk)), [own]);
}

#[test]
fn what_programs_keep_in_a_hidden_folder_is_the_readers() {
    let mut desk = Desk::new();
    desk.write("src/a.ts", "export const file = join(root, '.rocket', 'state.json')\n");
    desk.write(".rocket/state.json", "{}\n");
    desk.write(".rocket/other.json", "{}\n");
    desk.write("src/b.ts", "export const folder = './.rocket/versions'\n");
    desk.write(".rocket/versions/a.yml", "a: 1\n");
    desk.write(
        "docs/a.md",
        "It keeps `.rocket/state.json`, and `.rocket/other.json`.\n\nIt has `.rocket/versions`.\n",
    );
    desk.commit("first");
    desk.delete(".rocket");
    desk.commit("second");
    assert_eq!(findings(&verified(&desk)), ["docs/a.md:1 broke_at .rocket/other.json"]);
}

#[test]
fn a_folder_that_now_lies_in_another_is_still_called_so() {
    let mut desk = Desk::new();
    desk.write("evm/a.rs", "");
    desk.write("cli/a.rs", "");
    desk.write("docs/dev.md", "The machine is in `evm/`, the commands are in `cli/`.\n");
    desk.commit("first");
    desk.rename("evm/a.rs", "crates/evm/a.rs");
    desk.delete("cli");
    desk.commit("second");
    desk.weeks_pass();
    assert_eq!(findings(&verified(&desk)), ["docs/dev.md:1 broke_at cli/"]);
}

#[test]
fn a_page_that_a_program_serves_now_is_still_there() {
    let mut desk = Desk::new();
    desk.write("docs/guides/field-demo.mdx", "# Demo\n");
    desk.write("docs/guides/other-demo.mdx", "# Demo\n");
    desk.write("docs/guides/fields.md", "See the [demo](./field-demo) and [other](./other-demo).\n");
    desk.commit("first");
    desk.delete("docs/guides/other-demo.mdx");
    desk.delete("docs/guides/field-demo.mdx");
    desk.write("site/app/(site)/guides/field-demo/page.tsx", "export default function Page() {}\n");
    desk.commit("second");
    assert_eq!(findings(&verified(&desk)), ["docs/guides/fields.md:1 broke_at ./other-demo"]);
}

#[test]
fn a_file_that_programs_make_for_readers_is_theirs_when_ours_was_gone_before() {
    let mut desk = Desk::new();
    desk.write("src/a.py", "path = root / \"transform_project.yml\"\n");
    desk.write("pads/deep/transform_project.yml", "");
    desk.write("pads/deep/other_project.yml", "");
    desk.commit("first");
    desk.delete("pads");
    desk.commit("second");
    let page = "It is in `pads/deep/transform_project.yml`, not far from `pads/deep/other_project.yml`.\n";
    desk.write("docs/guide.md", page);
    desk.commit("third");
    assert_eq!(findings(&verified(&desk)), ["docs/guide.md:1 stale_at_birth pads/deep/other_project.yml"]);
}

#[test]
fn settings_that_readers_have_are_theirs_where_ours_lay_far_away() {
    let mut desk = Desk::new();
    desk.write(
        "docs/guide.md",
        "Set it in `app.properties`, `META-INF/app.properties`; see `core/Start.java`.\n",
    );
    desk.write("core/README.md", "It reads `app.properties`.\n");
    desk.write("core/app.properties", "a=1\n");
    desk.write("server/src/META-INF/app.properties", "a=1\n");
    desk.write("core/Start.java", "class Start {}\n");
    desk.write("core/Other.java", "class Other {}\n");
    desk.commit("first");
    for path in ["core/app.properties", "server/src/META-INF/app.properties", "core/Start.java"] {
        desk.delete(path);
    }
    desk.commit("second");
    let told = ["core/README.md:1 broke_at app.properties", "docs/guide.md:1 broke_at core/Start.java"];
    desk.weeks_pass();
    assert_eq!(findings(&verified(&desk)), told);
}

#[test]
fn what_an_example_calls_wrong_is_not_missed() {
    let mut desk = Desk::new();
    let page =
        "```python\n# WRONG: gone\nfrom tool import OldModel\n\n# CORRECT\nfrom tool import NewModel\n```\n";
    desk.write("AGENTS.md", page);
    desk.write("tool/__init__.py", "class OldModel: pass\nclass NewModel: pass\n");
    desk.write("tool/other.py", "x = 1\n");
    desk.commit("first");
    desk.write("tool/__init__.py", "class Third: pass\n");
    desk.commit("second");
    assert_eq!(findings(&verified(&desk)), ["AGENTS.md:6 broke_at NewModel"]);
}

#[test]
fn a_variable_may_be_written_without_its_first_words() {
    let mut desk = Desk::new();
    let page = "Set `TOOL_LDAP_ATTR_EMAIL`. Without `ATTR_EMAIL` or `ATTR_NAME` it fails.\n";
    desk.write("README.md", page);
    let code = |rest: &str| format!("import os\na = os.environ['TOOL_LDAP_ATTR_EMAIL']\n{rest}");
    desk.write("tool.py", &code("b = os.environ['ATTR_EMAIL']\nc = os.environ['ATTR_NAME']\n"));
    desk.commit("first");
    desk.write("tool.py", &code(""));
    desk.commit("second");
    desk.weeks_pass();
    assert_eq!(findings(&verified(&desk)), ["README.md:1 broke_at ATTR_NAME"]);
}

#[test]
fn a_name_of_many_files_is_not_the_one_that_lay_far_away() {
    let mut desk = Desk::new();
    desk.write("CONTRIBUTING.md", "There is an `index.js` file.\n");
    desk.write("near/README.md", "There is a `setup.js` file.\n");
    desk.write("near/setup.js", "1\n");
    desk.write("packages/one/src/index.js", "1\n");
    desk.commit("first");
    desk.delete("packages/one/src/index.js");
    desk.delete("near/setup.js");
    for path in
        ["packages/two/test/index.js", "packages/three/test/index.js", "a/test/setup.js", "b/test/setup.js"]
    {
        desk.write(path, "2\n");
    }
    desk.commit("second");
    desk.weeks_pass();
    assert_eq!(findings(&verified(&desk)), ["near/README.md:1 broke_at setup.js"]);
}

#[test]
fn a_variable_of_programs_that_left_may_be_theirs_also_for_a_page_at_the_root() {
    let mut desk = Desk::new();
    desk.write("TESTING.md", "Set `RUNNER_INSTANCE_TYPE`. See `tools/runner/run.py`.\n");
    desk.write("tools/runner/run.py", "import os\n\nkind = os.environ['RUNNER_INSTANCE_TYPE']\n");
    desk.write("src/main.py", "print(1)\n");
    desk.commit("first");
    desk.delete("tools/runner/run.py");
    desk.commit("the runner has a repository of its own");
    desk.weeks_pass();
    assert_eq!(
        told(&verified(&desk)),
        [
            "TESTING.md:1 uncertain left RUNNER_INSTANCE_TYPE",
            "TESTING.md:1 drifted broke_at tools/runner/run.py"
        ]
    );
}

#[test]
fn what_is_made_from_a_template_is_there_once_it_is_built() {
    let mut desk = Desk::new();
    desk.write("docs/dev/alarms.md", "Run `plugins.d/notify.sh` or `plugins.d/other.sh`.\n");
    desk.write("plugins.d/notify.sh", "echo notify somebody of something\n");
    desk.write("plugins.d/other.sh", "echo something else altogether\n");
    desk.commit("first");
    desk.rename("plugins.d/notify.sh", "src/health/notify.sh.in");
    desk.delete("plugins.d/other.sh");
    desk.write("plugins.d/third.sh", "echo third\n");
    desk.commit("second");
    assert_eq!(findings(&verified(&desk)), ["docs/dev/alarms.md:1 broke_at plugins.d/other.sh"]);
}

#[test]
fn what_lies_in_the_clone_of_another_repository_is_theirs() {
    let mut desk = Desk::new();
    desk.write("README.md", "[us](https://github.com/acme/tool) [wiki](https://github.com/acme/tool/wiki)\n");
    let clone = |name: &str| {
        format!("```sh\ngit clone https://github.com/acme/{name}.git\ncd {name}\nbash quickstart.sh\n```\n")
    };
    desk.write("docs/a.md", &clone("agent"));
    desk.write("docs/b.md", &clone("tool"));
    desk.write("quickstart.sh", "echo start something\n");
    desk.commit("first");
    desk.delete("quickstart.sh");
    desk.commit("second");
    assert_eq!(findings(&verified(&desk)), ["docs/b.md:4 broke_at quickstart.sh"]);
}

#[test]
fn a_link_to_what_is_made_beside_its_page_holds() {
    let mut desk = Desk::new();
    desk.write("cli/flow/files/README.md", "See [flow.yaml](flow.yaml) and [other.yaml](other.yaml).\n");
    desk.write("cli/flow/files/flow.yaml", "inputs:\n  question: what is there to say\n");
    desk.write("cli/flow/files/other.yaml", "outputs:\n  answer: nothing at all\n");
    desk.commit("first");
    desk.rename("cli/flow/files/flow.yaml", "cli/flow/template/flow.yaml.jinja2");
    desk.rename("cli/flow/files/other.yaml", "lib/other.yaml.jinja2");
    desk.commit("second");
    assert_eq!(findings(&verified(&desk)), ["cli/flow/files/README.md:1 broke_at other.yaml"]);
}

#[test]
fn a_variable_that_a_page_sets_and_uses_is_its_own() {
    let mut desk = Desk::new();
    desk.write("Cargo.toml", "[package]\nname = \"tool\"\n");
    let page = |name: &str| format!("```sh\nexport {name}=/test\naws create --name ${{{name}}}\n```\n");
    desk.write("docs/a.md", &page("LOG_GROUP"));
    desk.write("docs/b.md", &page("TOOL_GROUP"));
    desk.write("docs/c.md", "```sh\nexport LOG_GROUP=/test\nstart it\n```\n");
    desk.write("app/main.py", "import os\na = os.environ['LOG_GROUP']\nb = os.environ['TOOL_GROUP']\n");
    desk.commit("first");
    desk.write("app/main.py", "a = 1\n");
    desk.commit("second");
    assert_eq!(
        findings(&verified(&desk)),
        ["docs/b.md:2 broke_at TOOL_GROUP", "docs/c.md:2 broke_at LOG_GROUP"]
    );
}
