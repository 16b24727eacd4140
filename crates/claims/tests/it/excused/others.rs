//! What is not missed because it was never meant to stay, or never was what the page means.

use crate::pages::findings;
use crate::support::Desk;
use crate::verification::{told, verified};

use super::nothing;

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
fn a_flag_of_git_in_a_sentence_about_git_is_not_ours() {
    let mut desk = Desk::new();
    let code = |rest: &str| format!("p = argparse.ArgumentParser()\np.add_argument(\"--level\")\n{rest}");
    desk.write("tool.py", &code("p.add_argument(\"--force\")\n"));
    desk.write("docs/a.md", "Push it with `--force`.\n\nSet `--level`, and overwrite with `--force`.\n");
    desk.commit("first");
    desk.write("tool.py", &code(""));
    desk.commit("second");
    desk.weeks_pass();
    assert_eq!(findings(&verified(&desk)), ["docs/a.md:3 broke_at --force"]);
}
