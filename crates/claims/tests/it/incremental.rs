//! A run that starts from an earlier one says what a fresh one says, and looks at less.

use std::sync::Arc;

use docent_claims::{FactStore, Options, Verdict, Verification, Watch, verify};

use crate::memory::Memory;
use crate::support::Desk;
use crate::verification::{KEPT, desk, run, told, verified};

/// An earlier result must never change what comes out, only how much is looked at.
#[test]
fn from_an_earlier_result_comes_what_comes_without_it() {
    let mut desk = desk();
    desk.write("README.md", &format!("{KEPT}\n[d](src/d.rs)\n"));
    desk.write("other.md", &format!("{KEPT}\nRun `make build` first.\n\nRun `make test` then.\n"));
    desk.write("third.md", KEPT);
    desk.write("work/spec.md", KEPT);
    desk.write("src/d.rs", "fn d() { let unique_d = 1; }\n");
    desk.write("Makefile", "build:\n\techo\ntest:\n\techo\n");
    desk.commit("first");
    let mut previous = verified(&desk);
    type Edit = fn(&mut Desk);
    let edits: [(&str, Edit, usize); 11] = [
        ("nothing", |_| {}, 0),
        ("a plan beside what it is for", |desk| desk.write("work/plan.md", "# Plan\n"), 2),
        ("a document", |desk| desk.write("third.md", "[a](src/a.rs) [x](src/x.rs)\n"), 1),
        ("a file that no document names", |desk| desk.write("src/z.rs", "z"), 0),
        ("a file that documents name is deleted", |desk| desk.delete("src/d.rs"), 1),
        ("that is committed, and the plan", |desk| drop(desk.commit("edits")), 4),
        ("a target is gone", |desk| desk.write("Makefile", "build:\n\techo\n"), 1),
        ("and comes back", |desk| desk.write("Makefile", "test:\n\techo\nbuild:\n\techo\n"), 1),
        (
            "a rename",
            |desk| {
                desk.rename("src/c.rs", "lib/c.rs");
                desk.commit("rename");
            },
            2,
        ),
        (
            "another rename",
            |desk| {
                desk.rename("lib/c.rs", "lib/e.rs");
                desk.commit("rename again");
            },
            2,
        ),
        ("a document is deleted", |desk| desk.delete("other.md"), 0),
    ];
    for (what, edit, fresh) in edits {
        edit(&mut desk);
        let text = serde_json::to_string(&previous).unwrap();
        let restored: Verification = serde_json::from_str(&text).unwrap();
        let from_earlier = run(&desk.open(), &Options::default(), Some(&restored));
        let alone = verified(&desk);
        let all = |result: &Verification| result.judged().collect::<Vec<_>>();
        assert_eq!(all(&from_earlier), all(&alone), "{what}");
        assert_eq!(from_earlier.fresh, fresh, "{what}");
        previous = from_earlier;
    }
}

#[test]
fn what_is_expected_in_a_folder_is_not_once_the_folder_is_gone() {
    let mut desk = desk();
    desk.write("core/main.rs", "fn main() {}\n");
    desk.write("README.md", &format!("{KEPT}\nThe code is in `core/parser.rs`.\n"));
    desk.commit("first");
    let first = verified(&desk);
    assert!(told(&first).contains(&"README.md:3 uncertain never_existed core/parser.rs".to_owned()));
    desk.rename("core", "lib");
    let second = run(&desk.open(), &Options::default(), Some(&first));
    assert_eq!(told(&second), told(&verified(&desk)));
    assert!(!told(&second).iter().any(|told| told.contains("core/parser.rs")));
}

#[test]
fn a_change_that_is_committed_is_told_by_its_commit() {
    let mut desk = desk();
    desk.write(
        "pyproject.toml",
        "[project]\nname = \"tool\"\n\n[project.scripts]\ntoolctl = \"tool:main\"\n",
    );
    desk.write("tool.py", "p = argparse.ArgumentParser()\np.add_argument(\"--level\")\n");
    desk.write("README.md", &format!("{KEPT}\nRun `toolctl --level 3`.\n"));
    desk.commit("first");
    desk.delete("pyproject.toml");
    let first = verified(&desk);
    desk.commit("no program");
    let second = run(&desk.open(), &Options::default(), Some(&first));
    let all = |result: &Verification| result.judged().collect::<Vec<_>>();
    assert_eq!(all(&second), all(&verified(&desk)));
}

#[test]
fn what_packages_there_are_concerns_every_claim() {
    let mut desk = desk();
    let code =
        "const { program } = require(\"commander\");\nprogram.command(\"sync\").option(\"--pretty\");\n";
    desk.write("cli.js", code);
    desk.write("package.json", "{\"name\": \"board\", \"bin\": {\"board\": \"cli.js\"}}\n");
    desk.write("README.md", &format!("{KEPT}\nRun `board sync --pretty`.\n"));
    desk.commit("first");
    let first = verified(&desk);
    desk.commit_file("package.json", "{\"name\": \"board\"}\n");
    let second = run(&desk.open(), &Options::default(), Some(&first));
    assert_eq!(told(&second), told(&verified(&desk)));
    assert_eq!(second.judged().filter(|it| it.verdict == Verdict::Drifted).count(), 2);
    desk.git(&["revert", "--no-edit", "HEAD"]);
    let third = run(&desk.open(), &Options::default(), Some(&second));
    assert_eq!(told(&third), told(&first));
}

/// What decides is the name of a file here, not what stands in it.
#[test]
fn a_module_of_python_that_goes_and_comes_is_seen() {
    let mut desk = desk();
    desk.write("pyproject.toml", "[project]\nname = \"acme\"\n");
    desk.write("acme/__init__.py", "");
    desk.write("acme/goods/__init__.py", "");
    desk.write("acme/goods/pears.py", "class Fruit: pass\n");
    desk.write("README.md", &format!("{KEPT}\n```python\nfrom acme.goods import pears\n```\n"));
    desk.commit("first");
    let first = verified(&desk);
    assert_eq!(told(&first), told(&run(&desk.open(), &Options::default(), Some(&first))));
    desk.delete("acme/goods/pears.py");
    desk.commit("second");
    let second = run(&desk.open(), &Options::default(), Some(&first));
    assert_eq!(told(&second), told(&verified(&desk)));
    assert_eq!(second.judged().filter(|it| it.verdict == Verdict::Drifted).count(), 1);
    desk.commit_file("acme/goods/pears.py", "class Fruit: pass\n");
    let third = run(&desk.open(), &Options::default(), Some(&second));
    assert_eq!(told(&third), told(&first));
}

#[test]
fn a_rewritten_history_is_looked_at_from_the_beginning() {
    let mut desk = desk();
    desk.write("README.md", KEPT);
    desk.commit("first");
    let second = desk.commit("second");
    let previous = verified(&desk);
    assert_eq!(previous.head.as_deref(), Some(second.as_str()));
    desk.git(&["commit", "-q", "--amend", "--allow-empty", "-m", "other"]);
    assert_eq!(run(&desk.open(), &Options::default(), Some(&previous)).fresh, 1);
}

#[test]
fn what_was_deleted_and_is_back_was_changed_whatever_is_kept() {
    let mut desk = desk();
    desk.write("package.json", "{\"scripts\": {\"build\": \"x\", \"test\": \"y\"}}\n");
    desk.write("README.md", &format!("{KEPT}\nRun `npm run build`.\n"));
    desk.commit("first");
    desk.delete("package.json");
    desk.commit("no package");
    let store: Arc<dyn FactStore> = Arc::new(Memory::default());
    let kind = |store: Arc<dyn FactStore>, desk: &Desk| {
        let found = verify(&desk.open(), &Options::default(), None, store, Watch::SILENT).unwrap();
        let judged = found.judged().find(|it| it.claim.named == "npm run build").unwrap();
        judged.evidence.breaking.unwrap().kind
    };
    assert_eq!(kind(Arc::clone(&store), &desk), "deleted");
    desk.write("package.json", "{\"scripts\": {\"test\": \"y\"}}\n");
    assert_eq!(kind(store, &desk), "changed");
}
