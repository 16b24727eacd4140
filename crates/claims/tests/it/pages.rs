//! What kind of page a claim stands in, and what its words are taken for.

use docent_claims::Verification;

use crate::support::Desk;
use crate::verification::verified;

pub(crate) fn findings(verification: &Verification) -> Vec<String> {
    let told = verification.findings().into_iter();
    told.map(|it| format!("{}:{} {} {}", it.claim.file, it.claim.line, it.class.name(), it.claim.named))
        .collect()
}

#[test]
fn a_link_with_a_word_that_stands_for_another_has_drifted_when_it_led_somewhere() {
    let mut desk = Desk::new();
    desk.write("docs/acme.md", "# Certificates\n");
    desk.write("docs/a.md", "[x](acme.md)\n\n[y](foo.md)\n");
    desk.commit("first");
    assert_eq!(findings(&verified(&desk)), Vec::<String>::new());
    desk.delete("docs/acme.md");
    desk.commit("second");
    assert_eq!(findings(&verified(&desk)), ["docs/a.md:1 broke_at acme.md"]);
}

#[test]
fn a_whole_path_is_about_this_repository_whatever_its_page_is_about() {
    let mut desk = Desk::new();
    desk.write("python/ops/norm.py", "x = 1\n");
    desk.write("python/ops/other.py", "x = 2\n");
    let theirs: String = (1..9).map(|number| format!("- `theirs/kernels/file{number}.py`\n")).collect();
    desk.write("docs/catalog.md", &format!("- `python/ops/norm.py`\n- `ops/norm.py`\n{theirs}"));
    desk.commit("first");
    desk.delete("python/ops/norm.py");
    desk.commit("second");
    desk.weeks_pass();
    assert_eq!(findings(&verified(&desk)), ["docs/catalog.md:1 broke_at python/ops/norm.py"]);
}

#[test]
fn a_link_that_led_to_a_file_beside_its_page_is_about_this_repository() {
    let mut desk = Desk::new();
    desk.write("docs/overview.png", "x\n");
    let theirs: String = (1..9).map(|number| format!("- [x](parts/page{number}.md)\n")).collect();
    desk.write("docs/index.md", &format!("![x](overview.png)\n{theirs}"));
    desk.commit("first");
    desk.delete("docs/overview.png");
    desk.commit("second");
    assert_eq!(findings(&verified(&desk)), ["docs/index.md:1 broke_at overview.png"]);
}

#[test]
fn a_link_of_a_page_that_was_moved_counts_from_where_it_stood() {
    let mut desk = Desk::new();
    desk.write("docs/new/img/a.png", "a picture\n");
    let theirs: String = (1..9).map(|number| format!("- [x](parts/page{number}.md)\n")).collect();
    desk.write("docs/new/index.md", &format!("![x](./img/a.png)\n{theirs}"));
    desk.commit("first");
    desk.rename("docs/new", "docs/all");
    desk.commit("second");
    assert_eq!(findings(&verified(&desk)), Vec::<String>::new());
    desk.delete("docs/all/img");
    desk.commit("third");
    assert_eq!(findings(&verified(&desk)), ["docs/all/index.md:1 broke_at ./img/a.png"]);
}

#[test]
fn a_version_that_a_manifest_stated_counts_beside_what_others_need() {
    let mut desk = Desk::new();
    desk.write("go.mod", "module example.com/x\n\ngo 1.16\n");
    desk.write("main.go", "package main\n");
    let theirs = "Set `THEIR_ONE`, `THEIR_TWO` and `THEIR_THREE`.\n";
    desk.write("README.md", &format!("Go 1.16+ is needed.\n\n{theirs}"));
    desk.commit("first");
    desk.commit_file("go.mod", "module example.com/x\n\ngo 1.17\n");
    assert_eq!(findings(&verified(&desk)), ["README.md:1 value_changed Go 1.16+"]);
}

#[test]
fn a_target_that_is_only_declared_is_none() {
    let mut desk = Desk::new();
    desk.write("Makefile", ".PHONY: publish build\n\npublish:\n\techo\nbuild:\n\techo\n");
    desk.write("README.md", "Run `make publish` and `make build`.\n");
    desk.commit("first");
    desk.commit_file("Makefile", ".PHONY: publish build\n\nbuild:\n\techo\n");
    assert_eq!(findings(&verified(&desk)), ["README.md:1 broke_at make publish"]);
}

#[test]
fn a_folder_that_is_called_like_a_manifest_hides_no_command() {
    let mut desk = Desk::new();
    desk.write("tests/data/package.json/empty", "\n");
    desk.write("package.json", r#"{"scripts": {"build": "tsc -p .", "test": "vitest"}}"#);
    desk.write("README.md", "Run `npm run build` and `npm run test`.\n");
    desk.commit("first");
    desk.write("package.json", r#"{"scripts": {"test": "vitest"}}"#);
    desk.commit("second");
    assert_eq!(findings(&verified(&desk)), ["README.md:1 broke_at npm run build"]);
}

#[test]
fn a_page_that_is_made_from_code_is_read_like_others() {
    let mut desk = Desk::new();
    desk.write(
        "src/settings.py",
        "import os\nPORT = os.environ['APP_PORT']\nHOST = os.environ['APP_HOST']\n",
    );
    desk.write("docs/reference.md", "<!-- Generated, do not edit -->\n\n- `APP_PORT`\n- `APP_HOST`\n");
    desk.commit("first");
    desk.write("src/settings.py", "import os\nHOST = os.environ['APP_HOST']\n");
    desk.commit("second");
    assert_eq!(findings(&verified(&desk)), ["docs/reference.md:3 broke_at APP_PORT"]);
}

#[test]
fn a_setting_in_a_module_has_drifted_when_it_stands_nowhere_any_more() {
    let mut desk = Desk::new();
    desk.write("app/config.py", "CACHE_TIMEOUT = 60\nTHEME_NAME = 'x'\n");
    desk.write("docs/a.md", "```python\nCACHE_TIMEOUT = 10\nTHEME_NAME = 'y'\nMY_OWN = 1\n```\n");
    desk.commit("first");
    desk.write("app/config.py", "# THEME_NAME is read elsewhere\n");
    desk.commit("second");
    desk.weeks_pass();
    assert_eq!(findings(&verified(&desk)), ["docs/a.md:2 broke_at CACHE_TIMEOUT"]);
}

#[test]
fn a_version_as_of_which_something_is_needed_is_about_the_present() {
    let mut desk = Desk::new();
    desk.write("package.json", r#"{"engines": {"node": ">=12.0.0"}}"#);
    desk.write("README.md", "As of v9.0.0, it requires Node.js v12.0.0 or newer.\n");
    desk.commit("first");
    desk.write("package.json", r#"{"engines": {"node": ">=14.0.0"}}"#);
    desk.commit("second");
    assert_eq!(findings(&verified(&desk)), ["README.md:1 value_changed Node.js v12.0.0"]);
}

#[test]
fn a_drawing_of_somebodys_project_shares_some_names_with_this_one() {
    let mut desk = Desk::new();
    desk.write("flows/greeting.rs", "fn a() {}\n");
    desk.write("src/other.rs", "fn b() {}\n");
    let theirs = "```\n.\n├── project.yaml\n└── flows\n    ├── needs.txt\n    └── greet.py\n```\n";
    let ours = "```\n.\n├── src\n│   └── other.rs\n└── flows\n    └── greeting.rs\n```\n";
    desk.write("docs/a.md", &format!("{theirs}\nand\n\n{ours}"));
    desk.commit("first");
    desk.delete("flows");
    desk.commit("second");
    desk.weeks_pass();
    assert_eq!(findings(&verified(&desk)), ["docs/a.md:15 broke_at flows"]);
}

#[test]
fn a_variable_that_only_tests_had_has_not_drifted() {
    let mut desk = Desk::new();
    desk.write("Cargo.toml", "[package]\nname = \"tool\"\n");
    desk.write("tests/test_a.py", "import os\nos.environ['APP__ONE'] = '1'\nos.environ['TOOL_PORT'] = '1'\n");
    desk.write("app/main.py", "import os\nx = os.environ['APP__TWO']\n");
    desk.write("README.md", "Set `APP__ONE` and `APP__TWO`, or `TOOL_PORT`.\n");
    desk.commit("first");
    desk.delete("tests");
    desk.commit_file("app/main.py", "x = 1\n");
    // One that is called after the program is its own, however the program puts the name together.
    desk.weeks_pass();
    assert_eq!(
        findings(&verified(&desk)),
        ["README.md:1 broke_at APP__TWO", "README.md:1 broke_at TOOL_PORT"]
    );
}

/// What has drifted after these files are gone, or are as given.
fn after(before: &[(&str, &str)], after: &[(&str, Option<&str>)]) -> Vec<String> {
    let mut desk = Desk::new();
    before.iter().for_each(|(path, text)| desk.write(path, text));
    desk.commit("first");
    for (path, text) in after {
        match text {
            Some(text) => desk.write(path, text),
            None => desk.delete(path),
        }
    }
    desk.commit("second");
    findings(&verified(&desk))
}

#[test]
fn a_page_answers_to_the_name_that_it_gives_itself() {
    let page = ("docs/a.md", "[intro](./intro.md), [more](./more.md)\n");
    let pages = [page, ("docs/intro.md", "# Intro\n"), ("docs/more.md", "# More\n")];
    let now = [
        ("docs/intro.md", None),
        ("docs/intro-python.md", Some("---\nid: intro\n---\n\n# Hello\n")),
        ("docs/more.md", None),
        ("docs/others.md", Some("---\nid: more\n---\n\n# Hello\n")),
    ];
    assert_eq!(after(&pages, &now), ["docs/a.md:1 broke_at ./more.md"]);
}

#[test]
fn a_relative_link_follows_the_redirects_of_its_site() {
    let page = ("docs/guides/a.md", "[users](../manage/users), [roles](../manage/roles)\n");
    let pages = [page, ("docs/manage/users.md", "# U\n"), ("docs/manage/roles.md", "# R\n")];
    let redirects = "[{\"source\": \"/manage/users\", \"destination\": \"/manage/people\"}]\n";
    let now = [
        ("docs/manage/users.md", None),
        ("docs/manage/roles.md", None),
        ("docs/manage/people.md", Some("# P\n")),
        ("redirects.json", Some(redirects)),
    ];
    assert_eq!(after(&pages, &now), ["docs/guides/a.md:1 broke_at ../manage/roles"]);
}

#[test]
fn headings_of_a_page_that_includes_others_may_stand_there() {
    let pages = [("docs/a.md", "[x](b.md#part)\n"), ("docs/b.md", "# B\n\n## Part\n")];
    let now = [("docs/b.md", Some("# B\n\n<!-- include: src/reference.md -->\n"))];
    assert_eq!(after(&pages, &now), Vec::<String>::new());
    let now = [("docs/b.md", Some("# B\n\n<!-- nothing -->\n"))];
    assert_eq!(after(&pages, &now), ["docs/a.md:1 broke_at b.md#part"]);
}

#[test]
fn headings_may_stand_in_a_page_that_is_imported() {
    let pages = [("docs/a.md", "[x](#see-also)\n\n## See also\n"), ("docs/_also.mdx", "## See also\n")];
    let now = [("docs/a.md", Some("[x](#see-also)\n\nimport Also from './_also.mdx';\n\n<Also />\n"))];
    assert_eq!(after(&pages, &now), Vec::<String>::new());
    let now = [("docs/a.md", Some("[x](#see-also)\n\n```js\nimport Also from './_also.mdx';\n```\n"))];
    assert_eq!(after(&pages, &now), ["docs/a.md:1 broke_at #see-also"]);
}

#[test]
fn labels_and_relative_aliases_name_pages() {
    let page = ("docs/a.md", "[spawn](spawners), [other](others), [root](./nonroot/)\n");
    let pages =
        [page, ("docs/spawners.md", "# S\n"), ("docs/others.md", "# O\n"), ("docs/nonroot.md", "# N\n")];
    let now = [
        ("docs/spawners.md", None),
        ("docs/others.md", None),
        ("docs/nonroot.md", None),
        ("docs/deep/basics.md", Some("---\naliases:\n  - ../nonroot/\n---\n\n(spawners)=\n\n# Basics\n")),
    ];
    assert_eq!(after(&pages, &now), ["docs/a.md:1 broke_at others"]);
}

#[test]
fn a_requirement_of_cargo_takes_what_is_compatible() {
    let manifest = |version: &str| format!("[package]\nname = \"x\"\n[dependencies]\nrand = \"{version}\"\n");
    let page = ("README.md", "Add it:\n\n```toml\n[dependencies]\nrand = \"0.10.0\"\n```\n");
    let pages = [page, ("Cargo.toml", &manifest("0.10.0"))];
    assert_eq!(after(&pages, &[("Cargo.toml", Some(&manifest("0.10.1")))]), Vec::<String>::new());
    let found = after(&pages, &[("Cargo.toml", Some(&manifest("0.11.0")))]);
    assert_eq!(found, ["README.md:5 value_changed rand = \"0.10.0\""]);
}

#[test]
fn a_file_that_the_page_shows_under_its_name_is_the_readers() {
    let shown =
        "Make it:\n\n```json title=\"tsconfig.lint.json\"\n{}\n```\n\nThen use `tsconfig.lint.json`.\n";
    let now = [("tsconfig.lint.json", None)];
    let with = |page| [("tsconfig.lint.json", "{}\n"), (page, shown)];
    assert_eq!(after(&with("docs/guide.md"), &now), Vec::<String>::new());
    assert_eq!(
        after(&with("CONTRIBUTING.md"), &now),
        ["CONTRIBUTING.md:7 broke_at tsconfig.lint.json"],
        "in a page for developers it is ours"
    );
}

#[test]
fn a_path_may_start_from_a_folder_of_its_sentence() {
    let page = ("README.md", "- `packages/core`: the core, with `lib/plugins/aws` and `lib/plugins/gone`\n");
    let files = ["packages/core/lib/plugins/aws/a.js", "lib/plugins/aws/a.js", "lib/plugins/gone/a.js"];
    let pages = [page, (files[0], "x\n"), (files[1], "y\n"), (files[2], "z\n")];
    let now = [(files[1], None), (files[2], None)];
    assert_eq!(after(&pages, &now), ["README.md:1 broke_at lib/plugins/gone"]);
}

#[test]
fn a_sentence_of_code_states_no_requirement() {
    let manifest = ("Cargo.toml", "[package]\nname = \"x\"\nrust-version = \"1.88\"\n");
    let page = ("AGENTS.md", "- `[meta] minimum Rust 1.88 for all of it (#2)`\n\nIt needs Rust 1.88.\n");
    let now = [("Cargo.toml", Some("[package]\nname = \"x\"\nrust-version = \"1.91\"\n"))];
    assert_eq!(after(&[manifest, page], &now), ["AGENTS.md:3 value_changed Rust 1.88"]);
}

#[test]
fn what_nobody_should_use_may_be_gone() {
    let code = ("src/a.ts", "export class PageManager {}\nexport class OldManager {}\n");
    let page = ("README.md", "Never use `OldManager`.\n\nUse `PageManager`, not `path::to::it`.\n");
    let now = [("src/a.ts", Some("export class Other {}\n"))];
    assert_eq!(after(&[code, page], &now), ["README.md:3 broke_at PageManager"]);
}

#[test]
fn a_page_that_code_makes_need_not_be_there() {
    let page = ("docs/guide/a.md", "[serve](../cli/serve.md), [chat](../cli/chat.md)\n");
    let pages = [page, ("docs/cli/serve.md", "# S\n"), ("docs/cli/chat.md", "# C\n")];
    let now = [
        ("docs/cli/serve.md", None),
        ("docs/cli/chat.md", None),
        ("tools/make_pages.py", Some("PAGES = {'cli/serve.md': parser}\n")),
    ];
    assert_eq!(after(&pages, &now), ["docs/guide/a.md:1 broke_at ../cli/chat.md"]);
    // What named the pages when they were kept here has not made them.
    let list = ("tools/dates.py", "DATES = {'cli/serve.md': 1, 'cli/chat.md': 2}\n");
    let pages = [page, ("docs/cli/serve.md", "# S\n"), ("docs/cli/chat.md", "# C\n"), list];
    let both = ["docs/guide/a.md:1 broke_at ../cli/serve.md", "docs/guide/a.md:1 broke_at ../cli/chat.md"];
    assert_eq!(after(&pages, &[("docs/cli/serve.md", None), ("docs/cli/chat.md", None)]), both);
}

#[test]
fn a_part_of_a_site_that_left_is_made_elsewhere() {
    let page = ("docs/guide/a.md", "[post](/blog/first), [use](/guide/use)\n");
    let pages = [page, ("docs/blog/first.md", "# F\n"), ("docs/guide/use.md", "# U\n")];
    let now = [("docs/blog", None), ("docs/guide/use.md", None)];
    assert_eq!(after(&pages, &now), ["docs/guide/a.md:1 broke_at /guide/use"]);
    // A folder that has another name now has not left.
    let now = [("docs/blog", None), ("docs/posts/first.md", Some("# F\n"))];
    assert_eq!(after(&pages, &now), ["docs/guide/a.md:1 broke_at /blog/first"]);
}

#[test]
fn a_page_that_went_after_the_site_was_renamed_is_told() {
    let mut desk = Desk::new();
    desk.write("next/ref/a.md", "[more](/setup/advanced), [all](/setup/basic), [ours](/ref/b)\n");
    desk.write("next/ref/b.md", "# B\n");
    desk.write("next/setup/advanced.md", "# Advanced\n");
    desk.write("next/setup/basic.md", "# Basic\n");
    desk.commit("write");
    desk.rename("next", "docs");
    desk.commit("rename");
    desk.delete("docs/setup/advanced.md");
    desk.commit("one page less");
    assert_eq!(findings(&verified(&desk)), ["docs/ref/a.md:1 broke_at /setup/advanced"]);
}

#[test]
fn papers_of_one_piece_of_work_tell_of_the_past() {
    let text = "Change `src/old_cache.rs` first.\n";
    let pages = [
        ("projects/cache/spec.md", text),
        ("projects/cache/briefs/first.md", text),
        ("docs/cache.md", text),
        ("docs/spec.md", text),
        ("src/old_cache.rs", "fn a() {}\n"),
        ("src/lib.rs", "fn b() {}\n"),
    ];
    let plan = ("projects/cache/plan.md", Some("# Plan\n"));
    let told = ["docs/cache.md:1 broke_at src/old_cache.rs", "docs/spec.md:1 broke_at src/old_cache.rs"];
    assert_eq!(after(&pages, &[("src/old_cache.rs", None), plan]), told);
}

#[test]
fn what_stands_in_a_stack_trace_is_of_that_day() {
    let page = "**Stacktrace:**\n\n```\n./src/run/old_one.ts\n  line 4\n```\n\n\
                Run it:\n\n```sh\nnode ./src/run/old_one.ts\n```\n";
    let pages = [("docs/bugs.md", page), ("src/run/old_one.ts", "1\n"), ("src/run/new.ts", "1\n")];
    assert_eq!(
        after(&pages, &[("src/run/old_one.ts", None)]),
        ["docs/bugs.md:11 broke_at ./src/run/old_one.ts"]
    );
}

#[test]
fn a_link_that_never_led_anywhere_does_not_mean_a_folder_at_the_root() {
    let mut desk = Desk::new();
    desk.write("scripts/find.py", "x\n");
    desk.write("lib/a.c", "x\n");
    desk.commit("first");
    desk.delete("scripts/find.py");
    desk.write("misc/find.py", "x\n");
    desk.commit("move");
    desk.write("lib/copied/README.md", "# Copied\n\nSee [scripts/](scripts/) for more.\n");
    desk.commit("copy");
    assert!(findings(&verified(&desk)).is_empty());
}

#[test]
fn a_runtime_is_refuted_by_the_manifest_that_once_agreed() {
    let node = |version: &str| format!("{{\"engines\": {{\"node\": \">={version}\"}}}}\n");
    let (old, new) = (node("18"), node("24"));
    let page = ("docs/guide/a.md", "You need Node.js 18+.\n");
    let pages = [page, ("docs/package.json", old.as_str()), ("src/a.ts", "1\n")];
    let told = ["docs/guide/a.md:1 value_changed Node.js 18+"];
    assert_eq!(after(&pages, &[("docs/package.json", Some(&new))]), told);
    // That of another part, or one above it where the own one is silent now, is about something else.
    let now = [("docs/package.json", Some("{}\n")), ("package.json", Some(new.as_str()))];
    assert!(after(&pages, &now).is_empty());
    let now = [("docs/package.json", None), ("packages/stats/package.json", Some(new.as_str()))];
    assert!(after(&pages, &now).is_empty());
    assert_eq!(after(&pages, &[("docs/package.json", None), ("package.json", Some(&new))]), told);
}

#[test]
fn who_needs_less_than_a_workflow_used_does_not_contradict_it() {
    let manifest = |least: &str| format!("[project]\nname = \"tool\"\nrequires-python = \">={least}\"\n");
    let (low, high) = (manifest("3.8"), manifest("3.12"));
    let ci = |version: &str| {
        format!("jobs:\n  a:\n    steps:\n      - with:\n          python-version: '{version}'\n")
    };
    let (old, new) = (ci("3.10"), ci("3.14"));
    let page = ("docs/a.md", "You need Python 3.10.\n");
    let pages = [page, ("pyproject.toml", "[tool.x]\n"), (".github/workflows/a.yml", &old)];
    let now = [(".github/workflows/a.yml", Some(new.as_str())), ("pyproject.toml", Some(&low))];
    assert!(after(&pages, &now).is_empty());
    let now = [(".github/workflows/a.yml", Some(new.as_str())), ("pyproject.toml", Some(&high))];
    assert_eq!(after(&pages, &now), ["docs/a.md:1 value_changed Python 3.10"]);
}

#[test]
fn pages_of_an_older_version_are_left_once_there_is_a_newer_one() {
    let page = "See `src/deep/a.rs`.\n";
    let pages = [("docs/v2/a.md", page), ("src/deep/a.rs", "x\n"), ("src/b.rs", "y\n")];
    let gone = ("src/deep/a.rs", None);
    assert_eq!(after(&pages, &[gone]), ["docs/v2/a.md:1 broke_at src/deep/a.rs"]);
    assert!(after(&pages, &[gone, ("docs/v3/a.md", Some("New.\n"))]).is_empty());
}

#[test]
fn a_path_that_is_ignored_further_down_is_made_by_somebody() {
    let page = ("CONTRIBUTING.md", "It writes `src/shared/proto/` and reads `src/shared/texts/`.\n");
    let pages =
        [page, ("src/shared/proto/a.ts", "x\n"), ("src/shared/texts/a.ts", "y\n"), ("src/b.ts", "z\n")];
    let now = [("src/shared", None), (".gitignore", Some("apps/code/src/shared/proto/\n"))];
    assert_eq!(after(&pages, &now), ["CONTRIBUTING.md:1 broke_at src/shared/texts/"]);
}

#[test]
fn a_drawing_of_the_folder_of_its_page_is_ours_to_the_last_file() {
    let mut desk = Desk::new();
    let tree = "```\nbuild/\n├── cli.ts\n├── plugins/\n│   └── lc-secrets.ts\n├── keep.ts\n├── stay.ts\n└── last.ts\n```\n";
    desk.write("internal/build/README.md", tree);
    for file in ["cli.ts", "plugins/lc-secrets.ts", "keep.ts", "stay.ts", "last.ts"] {
        desk.write(&format!("internal/build/{file}"), &format!("export const a = '{file}'\n"));
    }
    desk.commit("first");
    desk.delete("internal/build/cli.ts");
    desk.delete("internal/build/plugins");
    desk.commit("second");
    let told: Vec<String> = verified(&desk).findings().iter().map(|it| it.claim.named.clone()).collect();
    assert_eq!(told, ["cli.ts", "plugins", "lc-secrets.ts"]);
}

#[test]
fn a_drawing_of_the_folder_of_its_page_moves_with_it() {
    let drawing = "```\nui/.stories/\n├── main.ts\n├── themes.ts\n└── README.md\n```\n";
    let mut desk = Desk::new();
    desk.write("ui/.stories/README.md", drawing);
    desk.write("ui/.stories/main.ts", "1\n");
    desk.write("ui/.stories/themes.ts", "2\n");
    desk.commit("first");
    desk.rename("ui", "apps/code/ui");
    desk.commit("second");
    assert_eq!(findings(&verified(&desk)), Vec::<String>::new());
}

#[test]
fn what_stands_before_an_arrow_was() {
    let page =
        ("AGENTS.md", "Code moves (`packages/shared`→`packages/core/shared`).\n\nSee `packages/shared`.\n");
    let pages = [page, ("packages/shared/a.ts", "x\n"), ("packages/core/b.ts", "y\n")];
    let now = [("packages/shared", None), ("packages/core/shared/a.ts", Some("x\n"))];
    assert_eq!(after(&pages, &now), ["AGENTS.md:3 broke_at packages/shared"]);
}

#[test]
fn a_layout_may_lie_below_the_folder_of_its_page() {
    let page = ("server/AGENTS.md", "- `src/app/ee/`: enterprise\n- `src/app/old/`: old\n");
    let pages = [page, ("server/src/app/ee/a.ts", "x\n"), ("server/src/app/old/a.ts", "y\n")];
    let now = [("server/src", None), ("server/api/src/app/ee/a.ts", Some("x\n"))];
    assert_eq!(after(&pages, &now), ["server/AGENTS.md:2 broke_at src/app/old/"]);
}

#[test]
fn another_package_does_not_refute_what_a_package_says() {
    let manifest =
        |version: &str| format!("{{\"name\": \"cli\", \"engines\": {{\"node\": \">={version}\"}}}}\n");
    let needs = "# Requirements\n\n- Node.js 18 or later\n";
    let plugin = ("packages/plugin/package.json", "{\"name\": \"plugin\"}\n");
    let (then, new) = (manifest("18"), manifest("22"));
    let pages = [
        ("packages/plugin/README.md", needs),
        plugin,
        ("packages/cli/package.json", &then),
        ("packages/cli/README.md", needs),
    ];
    let now = [("packages/cli/package.json", Some(new.as_str()))];
    assert_eq!(after(&pages, &now), ["packages/cli/README.md:3 value_changed Node.js 18"]);
}

#[test]
fn a_setting_may_be_named_in_capitals_without_its_prefix() {
    let code =
        |field: &str| format!("import os\n\nclass Security:\n    {field}: bool = False\n\nX = os.environ\n");
    let then = format!("{}Y = os.environ['REMOVE_API_TOKENS']\n", code("remove_api_tokens"));
    let page = ("README.md", "Set `REMOVE_API_TOKENS` to remove them.\n");
    let kept = code("remove_api_tokens");
    assert_eq!(after(&[page, ("app/a.py", &then)], &[("app/a.py", Some(&kept))]), Vec::<String>::new());
    let gone = code("other");
    let found = after(&[page, ("app/a.py", &then)], &[("app/a.py", Some(&gone))]);
    assert_eq!(found, ["README.md:1 broke_at REMOVE_API_TOKENS"]);
}

#[test]
fn a_label_that_was_forgotten_is_told_when_its_link_was_mended() {
    let mut desk = Desk::new();
    desk.write("scripts/release.sh", "echo\n");
    desk.write("scripts/other.sh", "echo other\n");
    let page = "[`scripts/release.sh`](../scripts/release.sh), [`scripts/other.sh`](../scripts/other.sh)\n";
    desk.commit_file("docs/a.md", page);
    desk.rename("scripts/release.sh", "tools/release.sh");
    desk.commit("move");
    assert_eq!(findings(&verified(&desk)), ["docs/a.md:1 broke_at ../scripts/release.sh"]);
    desk.commit_file("docs/a.md", &page.replace("../scripts/release.sh", "../tools/release.sh"));
    assert_eq!(findings(&verified(&desk)), ["docs/a.md:1 stale_at_birth scripts/release.sh"]);
}
