//! Files by their addresses at the repository's host.

use docent_claims::{Subject, World, checks};

use crate::outcomes::{claim, said};
use crate::support::Desk;
use crate::verification::verified;

#[track_caller]
fn check(files: &[(&str, &str)], repository: &str, path: &str, expected: &str) {
    let subject = Subject::Hosted {
        repository: repository.to_owned(),
        branch: "main".to_owned(),
        path: path.to_owned(),
    };
    assert_eq!(said(files, &claim("url", &format!("/{path}"), subject)), expected, "{repository} {path}");
}

#[test]
fn a_repository_knows_itself_by_its_manifests_and_its_readme() {
    let manifest = ("Cargo.toml", "[package]\nrepository = \"https://github.com/acme/tool\"\n");
    let readme =
        ("README.md", "[1](https://github.com/x/y) [2](https://github.com/x/y) [3](https://github.com/x/z)");
    let page = ("src/a.rs", "");
    check(&[manifest, readme, page], "acme/tool", "src/a.rs", "valid");
    check(&[manifest, readme, page], "acme/tool", "src/b.rs", "missing");
    // It has had another owner.
    check(&[manifest, readme, page], "Before/Tool", "src/b.rs", "missing");
    check(&[manifest, readme, page], "x/y", "src/b.rs", "not ours");
    check(&[readme, page], "x/y", "src", "valid");
    check(&[readme, page], "x/z", "src/a.rs", "not ours");
    check(&[page], "x/y", "src/a.rs", "not ours");
    check(&[("go.mod", "module github.com/o/n/v2\n"), page], "o/n", "src/a.rs", "valid");
    let takes = "[package]\nrepository = \"https://github.com/o/n\"\n[dependencies]\na = { git = \"https://github.com/x/y\" }\nb = { git = \"https://github.com/x/y\" }\n";
    check(&[("Cargo.toml", takes), page], "o/n", "src/a.rs", "valid");
    let module = "module github.com/o/n\n\nrequire github.com/x/a v1.0.0\nrequire github.com/x/b v1.0.0\n";
    check(&[("go.mod", module), page], "o/n", "src/a.rs", "valid");
    check(
        &[("package.json", "\"repository\": \"git+ssh://git@github.com:o/n.git\""), page],
        "o/n",
        "src/a.rs",
        "valid",
    );
}

#[test]
fn a_file_that_was_moved_is_told_in_the_manner_of_the_address() {
    let mut desk = Desk::new();
    desk.write("Cargo.toml", "[package]\nrepository = \"https://github.com/acme/tool\"\n");
    desk.write("install.sh", "echo a script that is long enough to be told from others\n");
    let page = "Run\n\n```sh\ncurl https://raw.githubusercontent.com/acme/tool/main/install.sh | sh\n```\n";
    desk.write("README.md", page);
    desk.commit("first");
    desk.rename("install.sh", "scripts/install.sh");
    let broke = desk.commit("scripts");
    let findings = verified(&desk).findings();
    let [finding] = findings.as_slice() else { panic!("{findings:?}") };
    assert_eq!((finding.claim.named.as_str(), finding.claim.line), ("/install.sh", 4));
    let breaking = finding.evidence.breaking.as_ref().unwrap();
    assert_eq!(breaking.commit.as_deref(), Some(broke.as_str()));
    assert_eq!(finding.evidence.suggestion.as_ref().unwrap().replacement, "/scripts/install.sh");
}

#[test]
fn nothing_is_suggested_where_several_files_have_the_content() {
    let subject =
        Subject::Hosted { repository: "o/n".to_owned(), branch: "main".to_owned(), path: "a.txt".to_owned() };
    let claim = claim("url", "/a.txt", subject);
    let readme = ("README.md", "https://github.com/o/n");
    let then = World::of_files(&[readme, ("a.txt", "same")]);
    let now = World::of_files(&[readme, ("b.txt", "same"), ("c.txt", "same")]);
    assert!(checks::suggest(&claim, "README.md", &now, &then).is_none());
}

#[test]
fn a_repository_that_has_another_name_now_has_broken_nothing() {
    let mut desk = Desk::new();
    desk.write("README.md", "https://github.com/o/before\n");
    desk.write("a.txt", "x\n");
    desk.write("docs/a.md", "See https://github.com/o/before/blob/main/a.txt\n");
    desk.commit("first");
    assert_eq!(verified(&desk).judged().count(), 1);
    desk.commit_file("README.md", "https://github.com/o/after\n");
    assert_eq!(verified(&desk).findings().len(), 0);
}
