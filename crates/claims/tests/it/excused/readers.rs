//! What is not missed because the readers of a page have it.

use crate::pages::findings;
use crate::support::Desk;
use crate::verification::verified;

use super::nothing;

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
fn a_command_that_names_the_folder_of_an_example_is_ours() {
    let mut desk = Desk::new();
    desk.write("pom.xml", "<project><modules><module>example/client</module></modules></project>\n");
    desk.write("example/client/pom.xml", "<project/>\n");
    desk.write("CONTRIBUTING.md", "```sh\nmvn -pl example/client test\n```\n");
    desk.commit("first");
    desk.delete("example/client");
    desk.write("pom.xml", "<project/>\n");
    desk.commit("second");
    assert_eq!(findings(&verified(&desk)), ["CONTRIBUTING.md:2 broke_at mvn -pl example/client"]);
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
fn what_lies_in_the_clone_of_another_repository_is_theirs() {
    let mut desk = Desk::new();
    desk.write("README.md", "[us](https://github.com/acme/tool) [wiki](https://github.com/acme/tool/wiki)\n");
    let clone = |name: &str| {
        format!("```sh\ngit clone https://github.com/acme/{name}.git\ncd {name}\nbash quickstart.sh\n```\n")
    };
    desk.write("docs/a.md", &clone("agent"));
    desk.write("docs/b.md", &clone("tool"));
    let line = |name: &str| {
        format!("```sh\ngit clone https://github.com/acme/{name} && cd {name} && bash quickstart.sh\n```\n")
    };
    desk.write("docs/c.md", &line("agent"));
    desk.write("docs/d.md", &line("tool"));
    desk.write("quickstart.sh", "echo start something\n");
    desk.commit("first");
    desk.delete("quickstart.sh");
    desk.commit("second");
    assert_eq!(
        findings(&verified(&desk)),
        ["docs/b.md:4 broke_at quickstart.sh", "docs/d.md:2 broke_at quickstart.sh"]
    );
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
