//! Findings that are too many to be true.

use docent_claims::Verdict;

use crate::support::Desk;
use crate::verification::verified;

/// How many findings have drifted, and how many are doubted.
fn counts(desk: &Desk) -> (usize, usize) {
    let found = verified(desk).findings();
    let doubted = found.iter().filter(|it| it.evidence.doubt.is_some());
    assert!(doubted.clone().all(|it| it.verdict == Verdict::Uncertain && it.confidence < 0.5));
    (found.iter().filter(|it| it.verdict == Verdict::Drifted).count(), doubted.count())
}

#[test]
fn a_page_that_broke_time_and_again_is_a_record() {
    let mut desk = Desk::new();
    let files: Vec<String> = (0..20).map(|number| format!("src/part/module_{number}.rs")).collect();
    files.iter().for_each(|file| desk.write(file, ""));
    let lines: String = files.iter().map(|file| format!("Read `{file}`.\n\n")).collect();
    desk.write("docs/a.md", &lines);
    desk.write("docs/b.md", "Read `src/part/module_3.rs`.\n");
    desk.commit("first");
    for (number, some) in files.chunks(5).enumerate() {
        assert_eq!(counts(&desk).1, 0, "{number}");
        some.iter().for_each(|file| desk.delete(file));
        desk.commit("next");
    }
    // The page says it once.
    assert_eq!(counts(&desk), (1, 1));
    assert_eq!(counts(&desk), (1, 1));
    // One mended line is enough to believe the others again.
    desk.write("docs/a.md", &lines.replace("Read `src/part/module_7.rs`.\n", "\n"));
    desk.commit("mend");
    assert_eq!(counts(&desk), (20, 0));
}

#[test]
fn what_many_pages_name_long_after_it_was_gone_may_live_on() {
    let mut desk = Desk::new();
    desk.write("Makefile", "start:\n\techo\nother:\n\techo\n");
    for page in 0..5 {
        desk.write(&format!("docs/{page}.md"), "Run `make start`.\n\nRun `make start` again.\n");
    }
    desk.commit("first");
    desk.write("Makefile", "other:\n\techo\n");
    desk.commit("second");
    assert_eq!(counts(&desk), (10, 0), "it has just broken");
    for _ in 0..190 {
        desk.commit("a day");
    }
    assert_eq!(counts(&desk), (0, 5), "once in each document");
}

#[test]
fn a_translation_is_believed_no_more_than_its_page() {
    let mut desk = Desk::new();
    desk.write("src/part/module.rs", "");
    desk.write("src/part/other.rs", "");
    desk.write(
        "docs/en/a.md",
        "Formerly `src/part/module.rs` did it, with `src/part/other.rs`.\n\nSee below.\n",
    );
    desk.write("docs/fr/a.md", "`src/part/module.rs` le faisait.\n");
    desk.write("docs/de/b.md", "`src/part/module.rs` macht es.\n");
    desk.write("README.md", "It does.\n");
    desk.write("README.ko.md", "`src/part/module.rs`\n");
    desk.commit("first");
    desk.delete("src/part/module.rs");
    desk.commit("second");
    assert_eq!(counts(&desk), (2, 1));
}

#[test]
fn a_name_that_is_long_gone_may_be_somebody_elses_in_a_page_for_users() {
    let mut desk = Desk::new();
    desk.write("src/a.ts", "export class PageManager {}\nexport function read_all_rows() {}\n");
    for page in ["docs/guide.md", "docs/dev/a.md", "README.md"] {
        desk.write(page, "It has a `PageManager`.\n\nIt calls `read_all_rows` then.\n");
    }
    desk.commit("first");
    desk.write("src/a.ts", "export class Other {}\n");
    desk.commit("second");
    assert_eq!(counts(&desk), (6, 0));
    for _ in 0..15 {
        desk.commit("a day");
    }
    assert_eq!(counts(&desk), (2, 4), "the type in pages for developers is still told");
}

#[test]
fn links_that_one_commit_broke_by_the_half_dozen_may_be_resolved_by_the_site() {
    let mut desk = Desk::new();
    desk.write("docs/target.md", "# Target\n\n## Part\n");
    for page in ["a", "b", "c", "d", "e", "README"] {
        desk.write(&format!("docs/{page}.md"), "See [it](target.md).\n\nAnd [more](other.md).\n");
    }
    desk.write("docs/other.md", "# Other\n");
    desk.write("docs/dev/README.md", "See [it](../target.md).\n");
    desk.commit("first");
    desk.delete("docs/target.md");
    desk.commit("second");
    assert_eq!(counts(&desk), (7, 0), "it has just broken");
    for _ in 0..15 {
        desk.commit("a day");
    }
    assert_eq!(counts(&desk), (1, 6), "a page for developers is read where it lies");
}

#[test]
fn a_design_tells_what_was_meant_when_it_was_made() {
    let mut desk = Desk::new();
    desk.write("src/part/module.rs", "");
    desk.write("docs/design/a.md", "`src/part/module.rs` does it, see [it](../../src/part/module.rs).\n");
    desk.write("docs/dev/a.md", "`src/part/module.rs` does it.\n");
    desk.commit("first");
    desk.delete("src/part/module.rs");
    desk.commit("second");
    assert_eq!(counts(&desk), (3, 0));
    for _ in 0..15 {
        desk.commit("a day");
    }
    assert_eq!(counts(&desk), (2, 1));
}

#[test]
fn a_variable_that_only_settings_had_may_be_read_by_something_else() {
    let mut desk = Desk::new();
    let sample = "```python\nimport os\nurl = os.environ['TOOL_SAMPLE_URL']\n```\n";
    desk.write("CONTRIBUTING.md", &format!("Set `GRANT_TO_USERS` and `RUNNER_HOME_DIR`.\n\n{sample}"));
    desk.write("pyproject.toml", "[project]\nname = \"tool\"\n");
    desk.write("sample.py", "import os\n\nurl = os.environ['TOOL_SAMPLE_URL']\n");
    let runner = |name: &str| format!("import os\n\nhome = os.environ['{name}']\n");
    desk.write("Makefile.toml", "[tasks.grant]\nscript = 'grant ${GRANT_TO_USERS}'\n");
    desk.write("runner.py", &runner("RUNNER_HOME_DIR"));
    desk.commit("first");
    desk.write("Makefile.toml", "[tasks.grant]\nscript = 'tool grant'\n");
    desk.write("runner.py", &runner("OTHER_HOME_DIR"));
    desk.write("sample.py", "url = 1\n");
    desk.commit("second");
    assert_eq!(counts(&desk), (3, 0), "it has just broken");
    for _ in 0..20 {
        desk.commit("a day");
    }
    assert_eq!(counts(&desk), (1, 2));
}

#[test]
fn who_names_what_is_long_gone_may_mean_something_else() {
    let mut desk = Desk::new();
    desk.write("src/part/old_module.rs", "");
    desk.write("src/part/other.rs", "");
    desk.commit("first");
    desk.delete("src/part/old_module.rs");
    desk.commit("second");
    desk.write("CONTRIBUTING.md", "Read `src/part/old_module.rs`, or [it](src/part/old_module.rs).\n");
    desk.commit("written after it was gone");
    assert_eq!(counts(&desk), (2, 0), "it has just broken");
    for _ in 0..20 {
        desk.commit("a day");
    }
    assert_eq!(counts(&desk), (1, 1), "the link is dead all the same");
}
