//! What is not missed because it lives on somewhere else.

use crate::pages::findings;
use crate::support::Desk;
use crate::verification::{told, verified};

use super::nothing;

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
fn pages_that_code_serves_are_there() {
    let mut desk = Desk::new();
    desk.write("website/docusaurus.config.js", "module.exports = {}\n");
    desk.write("docs/guide/a.md", "See [one](/guide/cli), [two](/guide/rest) and [this](/guide/a).\n");
    desk.write("docs/guide/cli.md", "# Commands\n");
    desk.write("docs/guide/rest.md", "# Rest\n");
    // What leads to the pages makes none of them.
    desk.write("website/menu.ts", "export const menu = ['/guide/cli', '/guide/rest', '/guide/a']\n");
    desk.commit("first");
    desk.write("plugins/cli.ts", "const ROUTE_PREFIX = `/guide/cli`\n");
    desk.delete("docs/guide/cli.md");
    desk.delete("docs/guide/rest.md");
    desk.commit("second");
    assert_eq!(findings(&verified(&desk)), ["docs/guide/a.md:1 broke_at /guide/rest"]);
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
fn an_address_that_left_with_its_site_is_uncertain() {
    let mut desk = Desk::new();
    // So that addresses of this kind are looked for at all.
    desk.write("chat/index.js", "export const chat = 1\n");
    desk.write("faq/index.js", "export const faq = 1\n");
    desk.commit("before the sites");
    desk.delete("chat/index.js");
    desk.delete("faq/index.js");
    desk.write("sites/main/src/routes/chat/+server.js", "export const GET = () => redirect()\n");
    desk.write("sites/other/src/routes/faq/+page.svelte", "<h1>Questions</h1>\n");
    desk.write("sites/other/src/routes/help/+page.svelte", "<h1>Help</h1>\n");
    desk.write("docs/dev/a.md", "[Chat](/chat), [questions](/faq) and [help](/help).\n");
    desk.commit("first");
    desk.delete("sites/main/src/routes/chat/+server.js");
    desk.delete("sites/other/src/routes/faq/+page.svelte");
    desk.commit("second");
    desk.weeks_pass();
    let told = told(&verified(&desk));
    assert!(told.contains(&"docs/dev/a.md:1 uncertain left /chat".to_owned()), "{told:?}");
    assert!(told.contains(&"docs/dev/a.md:1 drifted broke_at /faq".to_owned()), "{told:?}");
}

#[test]
fn an_address_of_what_is_made_on_release_is_not_missed() {
    for (ignored, expected) in
        [("docs/\n", nothing()), ("other/\n", vec!["about/a.md:1 broke_at /docs/".to_owned()])]
    {
        let mut desk = Desk::new();
        desk.write("site/content/docs/_index.md", "# Docs\n\nAll there is.\n");
        desk.write("site/content/news/_index.md", "# News\n");
        desk.write("about/a.md", "Read [the docs](/docs/) or [the news](/news/).\n");
        desk.commit("first");
        desk.delete("site/content/docs/_index.md");
        desk.write("site/content/.gitignore", ignored);
        desk.commit("second");
        assert_eq!(findings(&verified(&desk)), expected, "{ignored}");
    }
}
