//! Which commit broke a claim, and what to write instead.

use crate::support::Desk;
use crate::verification::{KEPT, desk, finding, told, verified};

#[test]
fn a_rename_says_what_to_write_instead() {
    let mut desk = desk();
    desk.write("docs/guide.md", "[a](../src/a.rs) [b](../src/b.rs) [c](../src/c.rs#L1)\n");
    desk.commit("first");
    desk.rename("src/c.rs", "src/d.rs");
    desk.commit("rename once");
    desk.rename("src/d.rs", "lib/e.rs");
    desk.commit("rename twice");
    let evidence = finding(&verified(&desk), "../src/c.rs").evidence;
    let breaking = evidence.breaking.unwrap();
    assert_eq!((breaking.kind.as_str(), breaking.subject.as_str()), ("renamed", "rename once"));
    assert_eq!(breaking.renamed_to.as_deref(), Some("lib/e.rs"));
    let suggestion = evidence.suggestion.unwrap();
    assert_eq!(suggestion.replacement, "../lib/e.rs");
    assert!(suggestion.is_certain);
}

#[test]
fn a_moved_folder_takes_its_files_along() {
    let mut desk = desk();
    desk.write("README.md", &format!("{KEPT}[d](old/)\n"));
    desk.write("old/one.rs", "fn one() { let something = 1; }\n");
    desk.write("old/two.rs", "fn two() { let something = 2; }\n");
    desk.commit("first");
    desk.rename("old", "new/place");
    desk.commit("move");
    let suggestion = finding(&verified(&desk), "old/").evidence.suggestion.unwrap();
    assert_eq!(suggestion.replacement, "new/place/");
}

#[test]
fn what_moved_with_its_page_was_not_taken_away_by_that() {
    let mut desk = desk();
    desk.write("docs/README.md", &format!("{KEPT}[a](tour/README.md)\n\n![b](tour/b.svg)\n"));
    desk.write("docs/tour/README.md", "# A tour\n\nThrough all that there is, with a map.\n");
    desk.write("docs/tour/b.svg", "<svg><path d=\"M0 0 L10 10\"/></svg>\n");
    desk.commit("first");
    desk.rename("docs", "site/docs");
    desk.commit("move all");
    desk.rename("site/docs/README.md", "site/docs/_index.md");
    desk.rename("site/docs/tour/README.md", "site/docs/tour/index.md");
    let renamed = desk.commit("for the site");
    desk.delete("site/docs/tour/b.svg");
    let deleted = desk.commit("no map");
    let result = verified(&desk);
    let evidence = finding(&result, "tour/README.md").evidence;
    let breaking = evidence.breaking.unwrap();
    assert_eq!((breaking.commit, breaking.kind.as_str()), (Some(renamed), "renamed"));
    assert_eq!(evidence.suggestion.unwrap().replacement, "tour/index.md");
    let breaking = finding(&result, "tour/b.svg").evidence.breaking.unwrap();
    assert_eq!((breaking.commit, breaking.kind.as_str()), (Some(deleted), "deleted"));
}

#[test]
fn a_page_that_moved_broke_its_links_whatever_was_done_to_their_targets_since() {
    let mut desk = desk();
    desk.write("docs/en/start/log.md", &format!("{KEPT}[a](../start/a/b.md)\n"));
    desk.write("docs/en/start/a/b.md", "# B\n\nAll there is to say.\n");
    desk.write("docs/de/start/a/b.md", "# B\n\nAlles, was zu sagen ist.\n");
    desk.commit("first");
    desk.rename("docs/en/start/log.md", "docs/en/start/watch/log.md");
    let moved = desk.commit("move the page");
    desk.commit_file("docs/en/start/a/b.md", "# B\n\nAll there is to say, and more.\n");
    let evidence = finding(&verified(&desk), "../start/a/b.md").evidence;
    assert_eq!(evidence.breaking.unwrap().commit, Some(moved));
    let suggestion = evidence.suggestion.unwrap();
    assert_eq!((suggestion.replacement.as_str(), suggestion.is_certain), ("../a/b.md", true));
}

#[test]
fn a_target_that_left_its_file_is_traced_by_bisection() {
    let mut desk = desk();
    desk.write("README.md", &format!("{KEPT}\nRun `make build` first.\n\nRun `make test` then.\n"));
    desk.write("Makefile", "build:\n\techo\ntest:\n\techo\n");
    desk.commit("first");
    for number in 0..5 {
        desk.commit_file("Makefile", &format!("build:\n\techo {number}\ntest:\n\techo\n"));
    }
    let broke = desk.commit_file("Makefile", "build:\n\techo\n");
    for number in 0..6 {
        desk.commit_file("Makefile", &format!("build:\n\techo {number}\n"));
    }
    let result = verified(&desk);
    assert_eq!(told(&result).last().unwrap(), "README.md:5 drifted broke_at make test");
    let breaking = finding(&result, "make test").evidence.breaking.unwrap();
    assert_eq!((breaking.commit, breaking.kind.as_str()), (Some(broke), "changed"));
}

#[test]
fn the_commit_inside_a_merge_is_named() {
    let mut desk = desk();
    desk.write("README.md", &format!("{KEPT}\nRun `make build` first.\n\nRun `make test` then.\n"));
    desk.write("Makefile", "build:\n\techo\ntest:\n\techo\n");
    desk.commit("first");
    desk.git(&["checkout", "-q", "-b", "side"]);
    desk.commit_file("Makefile", "build:\n\techo 1\ntest:\n\techo\n");
    let broke = desk.commit_file("Makefile", "build:\n\techo 1\n");
    desk.git(&["checkout", "-q", "main"]);
    desk.commit_file("other", "x");
    desk.git(&["merge", "-q", "--no-ff", "-m", "merge", "side"]);
    desk.commit_file("other", "y");
    assert_eq!(finding(&verified(&desk), "make test").evidence.breaking.unwrap().commit, Some(broke));
}

#[test]
fn on_branches_it_may_fail_before_it_does_on_the_main_line() {
    let mut desk = desk();
    let both = "build:\n\techo\ntest:\n\techo\n";
    desk.write("Makefile", both);
    desk.commit("first");
    // A branch that took the target away, and gave it back before it was merged.
    desk.git(&["checkout", "-q", "-b", "side"]);
    desk.commit_file("Makefile", "build:\n\techo\n");
    desk.commit_file("other", "a");
    desk.git(&["checkout", "-q", "main"]);
    desk.commit_file("README.md", &format!("{KEPT}\nRun `make test` then.\n"));
    desk.git(&["checkout", "-q", "side"]);
    desk.commit_file("Makefile", both);
    desk.git(&["checkout", "-q", "main"]);
    desk.git(&["merge", "-q", "--no-ff", "-m", "merge", "side"]);
    desk.commit_file("Makefile", "build:\n\techo 1\ntest:\n\techo\n");
    let broke = desk.commit_file("Makefile", "build:\n\techo 1\n");
    desk.commit_file("Makefile", "build:\n\techo 2\n");
    assert_eq!(finding(&verified(&desk), "make test").evidence.breaking.unwrap().commit, Some(broke));
}

#[test]
fn two_empty_files_are_no_move() {
    let mut desk = desk();
    desk.write("pkg/a/__init__.py", "");
    desk.write("README.md", &format!("{KEPT}\nSee `pkg/a/__init__.py`.\n"));
    desk.commit("first");
    desk.delete("pkg/a");
    desk.write("tests/__init__.py", "");
    desk.commit("second");
    let found = finding(&verified(&desk), "pkg/a/__init__.py");
    assert!(found.evidence.suggestion.is_none_or(|suggestion| !suggestion.is_certain));
}

#[test]
fn an_entry_of_a_drawing_is_replaced_by_a_name() {
    let mut desk = Desk::new();
    desk.write("src/app/helpers.py", "def helpers(): return 'long enough to be told from others'\n");
    desk.write("src/app/other.py", "def other(): return 'long enough to be told from all'\n");
    desk.write("README.md", "```\nsrc\n└── app\n    ├── helpers.py\n    └── other.py\n```\n");
    desk.commit("first");
    desk.rename("src/app/helpers.py", "src/app/util.py");
    desk.rename("src/app/other.py", "lib/other.py");
    desk.commit("second");
    let verification = verified(&desk);
    let suggested = |name: &str| finding(&verification, name).evidence.suggestion.map(|it| it.replacement);
    assert_eq!(suggested("helpers.py").as_deref(), Some("util.py"));
    assert_eq!(suggested("other.py"), None);
}

#[test]
fn a_name_went_before_its_file_was_moved() {
    let mut desk = desk();
    let (both, one) = ("pub struct RegisterPeer;\npub struct Other;\n", "pub struct Other;\n");
    desk.write("README.md", &format!("{KEPT}\nIt sends `RegisterPeer` and `Other`.\n"));
    desk.write("src/messages.rs", both);
    desk.commit("first");
    let broke = desk.commit_file("src/messages.rs", one);
    desk.rename("src/messages.rs", "src/private.rs");
    desk.commit("move");
    let breaking = finding(&verified(&desk), "RegisterPeer").evidence.breaking.unwrap();
    assert_eq!((breaking.commit, breaking.renamed_to), (Some(broke), None));
}

#[test]
fn what_stood_beside_it_is_not_what_it_became() {
    let suggested = |is_new: bool| {
        let mut desk = desk();
        let text = format!("{KEPT}\n# Two wide words\n\n[p](core/forms/form.rs), [q](#one-wide-words)\n");
        desk.write("README.md", &format!("{text}\n# One wide words\n"));
        desk.write("core/forms/form.rs", "fn form() {}\n");
        desk.write("core/lib.rs", "fn lib() {}\n");
        if !is_new {
            desk.write("old/kept/form.rs", "struct Entirely { different: u8 }\n");
        }
        desk.commit("first");
        desk.delete("core/forms/form.rs");
        let heading = if is_new { "# Those wide words\n" } else { "" };
        desk.write("README.md", &format!("{text}\n{heading}"));
        desk.write("old/kept/form.rs", "struct Entirely { different: u8 }\n");
        desk.commit("second");
        let verification = verified(&desk);
        ["core/forms/form.rs", "#one-wide-words"]
            .map(|name| finding(&verification, name).evidence.suggestion.map(|it| it.replacement))
    };
    assert_eq!(suggested(true), [Some("old/kept/form.rs".to_owned()), Some("#those-wide-words".to_owned())]);
    assert_eq!(suggested(false), [None, None]);
}

#[test]
fn a_tiny_file_is_not_moved_to_any_other_of_the_same_content() {
    let mut desk = desk();
    desk.write("README.md", &format!("{KEPT}\n[o](pkg/core/old.py), [n](pkg/core/same.py)\n"));
    desk.write("pkg/core/old.py", "# pkg\n");
    desk.write("pkg/core/same.py", "x = 1\n");
    desk.commit("first");
    desk.delete("pkg/core/old.py");
    desk.write("other/unrelated.py", "# pkg\n");
    desk.rename("pkg/core/same.py", "other/same.py");
    desk.commit("second");
    let verification = verified(&desk);
    let suggested = |name: &str| finding(&verification, name).evidence.suggestion.map(|it| it.replacement);
    assert_eq!(suggested("pkg/core/old.py"), None);
    assert_eq!(suggested("pkg/core/same.py").as_deref(), Some("other/same.py"));
}

#[test]
fn files_of_one_content_are_not_taken_for_one_another() {
    let mut desk = desk();
    let same = "export default class extends Component { tagName = ''; }\n";
    for name in ["one", "two"] {
        desk.write(&format!("ui/{name}/index.js"), same);
        desk.write(&format!("ui/{name}/index.hbs"), &format!("<div class='{name}'>{name} of them</div>\n"));
    }
    desk.write("ui/three/index.js", "export default 3;\n");
    desk.write("docs/guide.md", &format!("{KEPT}[a](../ui/one/index.js) [b](../ui/one/index.hbs)\n"));
    desk.commit("first");
    desk.rename("ui/one/index.hbs", "ui/parts/one/index.hbs");
    desk.delete("ui/one/index.js");
    desk.rename("ui/two/index.hbs", "ui/parts/two/index.hbs");
    desk.rename("ui/two/index.js", "ui/parts/two/index.js");
    desk.commit("second");
    let result = verified(&desk);
    assert_eq!(finding(&result, "../ui/one/index.js").evidence.suggestion, None);
    let suggestion = finding(&result, "../ui/one/index.hbs").evidence.suggestion.unwrap();
    assert_eq!(suggestion.replacement, "../ui/parts/one/index.hbs");
}

#[test]
fn commits_of_a_branch_from_before_the_line_broke_nothing() {
    let mut desk = desk();
    let manifest = |version: &str| format!("module example.com/x\n\ngo {version}\n");
    desk.commit_file("go.mod", &manifest("1.24"));
    desk.git(&["checkout", "-q", "-b", "side"]);
    for old in ["1.18", "1.19", "1.20", "1.21"] {
        desk.commit_file("go.mod", &manifest(old));
    }
    desk.git(&["checkout", "-q", "main"]);
    desk.commit_file("README.md", &format!("{KEPT}\nVerify that Go 1.24+ is installed.\n"));
    desk.git(&["checkout", "-q", "side"]);
    desk.commit_file("go.mod", &manifest("1.24"));
    let broke = desk.commit_file("go.mod", &manifest("1.25"));
    desk.git(&["checkout", "-q", "main"]);
    desk.git(&["merge", "-q", "--no-ff", "-m", "merge", "side"]);
    assert_eq!(finding(&verified(&desk), "Go 1.24+").evidence.breaking.unwrap().commit, Some(broke));
}

#[test]
fn a_page_that_came_back_in_another_format_is_hinted_at() {
    let mut desk = desk();
    desk.write("docs/guide.md", &format!("{KEPT}[a](sub/events.md) [b](sub/other.md)\n"));
    desk.write("docs/sub/events.md", "# Events\n\nOne after the other.\n");
    desk.write("docs/sub/other.md", "# Other\n");
    desk.write("docs/sub/other.mdx", "# Beside it all along\n");
    desk.commit("first");
    desk.delete("docs/sub/events.md");
    desk.delete("docs/sub/other.md");
    desk.commit("away");
    desk.commit_file("docs/sub/events.mdx", "# What happens\n\nAll of it is new.\n");
    let result = verified(&desk);
    let suggestion = finding(&result, "sub/events.md").evidence.suggestion.unwrap();
    assert_eq!((suggestion.replacement.as_str(), suggestion.is_certain), ("sub/events.mdx", false));
    assert_eq!(finding(&result, "sub/other.md").evidence.suggestion, None);
}

#[test]
fn what_is_left_of_a_file_that_was_taken_apart_is_not_what_it_became() {
    let mut desk = desk();
    let lines = |from: usize, to: usize| {
        (from..to).map(|line| format!("pub fn number_{line}() {{}}\n")).collect::<String>()
    };
    desk.write("docs/guide.md", &format!("{KEPT}[a](../src/explorer.rs) [b](../src/kept.rs)\n"));
    desk.write("src/explorer.rs", &lines(0, 40));
    desk.write("src/kept.rs", &lines(100, 140));
    desk.commit("first");
    desk.delete("src/explorer.rs");
    desk.write("src/shell.rs", &lines(0, 18));
    desk.write("src/provider.rs", &lines(18, 40));
    desk.rename("src/kept.rs", "src/new.rs");
    desk.commit("apart");
    let result = verified(&desk);
    assert_eq!(finding(&result, "../src/explorer.rs").evidence.suggestion, None);
    let suggestion = finding(&result, "../src/kept.rs").evidence.suggestion.unwrap();
    assert_eq!(suggestion.replacement, "../src/new.rs");
}

#[test]
fn a_page_held_until_it_went_and_not_until_a_folder_of_its_name_did() {
    let mut desk = desk();
    desk.write("docs/mint.json", "{}\n");
    desk.write("docs/core/a.md", "# A\n");
    desk.write("docs/core/b.md", "# B\n");
    desk.write("docs/core/sync.md", "# Sync\n");
    desk.write("docs/core/sync/leader.md", "# Leader\n");
    desk.commit("first");
    desk.delete("docs/core/sync/leader.md");
    desk.commit("the folder");
    desk.delete("docs/core/sync.md");
    let page = desk.commit("the page");
    desk.write("docs/guide.md", "[x](core/a.md) [y](core/b.md) [z](/docs/core/sync)\n");
    desk.commit("a link to what is gone");
    assert_eq!(finding(&verified(&desk), "/docs/core/sync").evidence.breaking.unwrap().commit, Some(page));
}

#[test]
fn a_flag_that_a_table_of_options_renamed_is_hinted_at() {
    let mut desk = Desk::new();
    let options = |long: &str| {
        format!(
            "import 'commander';\nexport const all = [{{ long: '{long} <name>' }}, {{ long: '--config <path>' }}];\n"
        )
    };
    desk.write("package.json", r#"{"name": "tool", "bin": {"tool": "cli.ts"}}"#);
    desk.write("README.md", "Run `tool --config a` or `tool --queryName b`.\n");
    desk.write("cli.ts", &options("--queryName"));
    desk.commit("first");
    desk.write("cli.ts", &options("--query-name"));
    desk.commit("one style");
    let suggestion = finding(&verified(&desk), "--queryName").evidence.suggestion.unwrap();
    assert_eq!(suggestion.replacement, "--query-name");
}

#[test]
fn a_folder_whose_files_are_gone_by_now_is_not_what_another_one_became() {
    let mut desk = desk();
    desk.write("docs/guide.md", &format!("{KEPT}[a](../ios/) [b](../web/)\n"));
    for name in ["ios", "web"] {
        desk.write(&format!("{name}/app.x"), &format!("the app for {name}, of some length\n"));
    }
    desk.commit("first");
    desk.rename("ios", "mega/ios");
    desk.rename("web", "mega/web");
    desk.commit("move");
    desk.delete("mega/ios/app.x");
    desk.write("mega/ios/header.h", "int other;\n");
    desk.commit("the app left");
    let result = verified(&desk);
    assert_eq!(finding(&result, "../ios/").evidence.suggestion, None);
    assert_eq!(finding(&result, "../web/").evidence.suggestion.unwrap().replacement, "../mega/web/");
}

#[test]
fn a_move_that_is_not_committed_says_what_to_write_instead() {
    let mut desk = desk();
    desk.write(
        "docs/guide.md",
        "[a](../src/a.rs) [b](../src/b.rs) [c](../src/c.rs) `old/one.rs` [old](../old/)\n",
    );
    desk.write("old/one.rs", "fn one() { let something = 1; }\n");
    desk.write("old/two.rs", "fn two() { let something = 2; }\n");
    desk.commit("first");
    // What the page names is not what it was when that was written.
    desk.commit_file("src/c.rs", "fn c() {}\nfn more() {}\nfn and_more() {}\nfn last() {}\n");
    desk.rename("src/c.rs", "lib/d.rs");
    desk.write("lib/d.rs", "fn c() {}\nfn more() {}\nfn and_more() {}\nfn other() {}\n");
    desk.rename("old", "new/place");
    let result = verified(&desk);
    for (named, replacement) in
        [("../src/c.rs", "../lib/d.rs"), ("old/one.rs", "new/place/one.rs"), ("../old/", "../new/place/")]
    {
        let evidence = finding(&result, named).evidence;
        let breaking = evidence.breaking.unwrap();
        assert_eq!((breaking.commit, breaking.kind.as_str()), (None, "renamed"), "{named}");
        let suggestion = evidence.suggestion.unwrap();
        assert_eq!(suggestion.replacement, replacement);
        assert!(suggestion.is_certain && suggestion.reason.ends_with("which is not committed"));
    }
}

#[test]
fn a_move_of_a_commit_is_followed_to_where_it_went_since() {
    let mut desk = desk();
    desk.write("README.md", KEPT);
    desk.commit("first");
    desk.rename("src/c.rs", "src/d.rs");
    desk.commit("move");
    desk.rename("src/d.rs", "lib/e.rs");
    let evidence = finding(&verified(&desk), "src/c.rs").evidence;
    assert_eq!(evidence.breaking.unwrap().subject, "move");
    assert_eq!(evidence.suggestion.unwrap().replacement, "lib/e.rs");
}
