//! Verification in repositories that are broken, hostile, unfinished, or none at all: a clear answer, and nothing is started
//! or written.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use docent_claims::{NoStore, Options, RepoError, Repository, Verification, Watch, verify};

use crate::support::Desk;

/// A page with what is there and what is not.
const PAGE: &str = "[a](src/a.rs) [b](src/b.rs) [c](src/c.rs)\n\nSee `src/gone.rs` and `src/lost.rs`.\n";

fn sources(desk: &Desk) {
    for name in ["a", "b", "c"] {
        desk.write(&format!("src/{name}.rs"), &format!("fn {name}() {{}}\n"));
    }
}

/// A repository in which one file that the page names was deleted.
fn drifted() -> Desk {
    let mut desk = Desk::new();
    sources(&desk);
    desk.write("src/gone.rs", "fn gone() { let it = 1; }\n");
    desk.write("src/lost.rs", "fn lost() { let it = 2; }\n");
    desk.commit_file("README.md", PAGE);
    desk.delete("src/gone.rs");
    desk.delete("src/lost.rs");
    desk.commit("delete");
    desk
}

fn verified(repository: &Repository) -> Result<Verification, RepoError> {
    verify(repository, &Options::default(), None, Arc::new(NoStore), Watch::SILENT)
}

/// How many claims hold, and the classes of the others.
fn told(repository: &Repository) -> (usize, Vec<String>) {
    let found = verified(repository).unwrap();
    let classes = found.findings().into_iter().map(|it| format!("{} {}", it.claim.named, it.class.name()));
    (found.count(docent_claims::Verdict::Verified), classes.collect())
}

fn check(path: &Path, holds: usize, others: &[&str]) {
    let before = listing(path);
    assert_eq!(
        told(&Repository::open_or_plain(path).unwrap()),
        (holds, others.iter().map(|it| (*it).to_owned()).collect())
    );
    assert_eq!(listing(path), before, "something was written");
}

const BROKEN: [&str; 2] = ["src/gone.rs broke_at", "src/lost.rs broke_at"];

fn listing(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        let Ok(metadata) = std::fs::symlink_metadata(&path) else { continue };
        if metadata.is_dir() {
            found.extend(listing(&path));
        }
        found.push(format!("{} {} {:?}", path.display(), metadata.len(), metadata.modified().unwrap()));
    }
    found.sort();
    found
}

#[test]
fn a_folder_without_git_is_uncertain_once_for_each_document() {
    let desk = drifted();
    std::fs::remove_dir_all(desk.root().join(".git")).unwrap();
    check(&desk.root(), 3, &["src/gone.rs history_unavailable"]);
    let repository = Repository::open_or_plain(&desk.root()).unwrap();
    assert!(!repository.has_history() && !repository.is_shallow());
    assert!(matches!(repository.resolve("HEAD"), Err(RepoError::NoSuchCommit(_))));
    assert!(matches!(Repository::open(&desk.root()), Err(RepoError::NotARepository(_))));
}

#[test]
fn what_a_folder_without_git_ignores_is_not_read() {
    let desk = drifted();
    std::fs::remove_dir_all(desk.root().join(".git")).unwrap();
    desk.write(".gitignore", "out/\n");
    desk.write("out/README.md", "[x](nowhere/x.rs)\n");
    let found = verified(&Repository::open_or_plain(&desk.root()).unwrap()).unwrap();
    assert_eq!(found.documents.keys().collect::<Vec<_>>(), ["README.md"]);
}

#[test]
fn a_folder_that_becomes_a_repository_is_looked_at_anew() {
    let desk = drifted();
    let git = desk.root().join(".git");
    std::fs::rename(&git, desk.path("aside")).unwrap();
    let plain = verified(&Repository::open_or_plain(&desk.root()).unwrap()).unwrap();
    std::fs::rename(desk.path("aside"), &git).unwrap();
    let repository = desk.open();
    let again =
        verify(&repository, &Options::default(), Some(&plain), Arc::new(NoStore), Watch::SILENT).unwrap();
    assert_eq!(again.findings().len(), 2);
    assert!(again.findings().iter().all(|it| it.class.name() == "broke_at"));
}

#[test]
fn a_shallow_clone_is_uncertain_and_a_full_one_is_not() {
    let desk = drifted();
    let origin = format!("file://{}", desk.root().display());
    desk.git(&["clone", "-q", "--depth=1", &origin, "../shallow"]);
    check(&desk.path("shallow"), 3, &["src/gone.rs history_unavailable"]);
    desk.git(&["clone", "-q", &origin, "../full"]);
    check(&desk.path("full"), 3, &BROKEN);
}

#[test]
fn a_partial_clone_fetches_nothing() {
    let desk = drifted();
    desk.git(&["config", "uploadpack.allowFilter", "true"]);
    let origin = format!("file://{}", desk.root().display());
    desk.git(&["clone", "-q", "--filter=blob:none", &origin, "../partial"]);
    check(&desk.path("partial"), 3, &BROKEN);
    desk.git(&["clone", "-q", "--filter=tree:0", &origin, "../treeless"]);
    let before = listing(&desk.path("treeless"));
    assert_eq!(told(&Repository::open(&desk.path("treeless")).unwrap()).0, 3);
    assert_eq!(listing(&desk.path("treeless")), before);
}

#[test]
fn paths_into_a_submodule_are_not_refuted() {
    let mut other = Desk::new();
    other.commit_file("inner.rs", "x");
    let mut desk = Desk::new();
    sources(&desk);
    desk.commit_file("README.md", "[a](src/a.rs) [b](src/b.rs) [x](lib/inner.rs) [y](lib/absent.rs)\n");
    desk.git(&["submodule", "--quiet", "add", other.root().to_str().unwrap(), "lib"]);
    desk.commit("add lib");
    assert!(told(&desk.open()).1.is_empty());
}

#[test]
fn bare_linked_and_detached_repositories_give_the_same_verdicts() {
    let desk = drifted();
    desk.git(&["clone", "-q", "--bare", ".", "../bare.git"]);
    check(&desk.path("bare.git"), 3, &BROKEN);
    desk.git(&["worktree", "add", "-q", "--detach", "../linked"]);
    check(&desk.path("linked"), 3, &BROKEN);
    desk.git(&["checkout", "-q", "--detach"]);
    check(&desk.root(), 3, &BROKEN);
    desk.git(&["clone", "-q", "--shared", ".", "../shared"]);
    check(&desk.path("shared"), 3, &BROKEN);
    // Objects that come through two folders, the second of them relative to the first.
    desk.git(&["clone", "-q", "--shared", "../shared", "../twice"]);
    let alternates = desk.path("shared/.git/objects/info/alternates");
    std::fs::write(alternates, "../../../repo/.git/objects\n").unwrap();
    check(&desk.path("twice"), 3, &BROKEN);
}

#[test]
fn the_middle_of_a_merge_has_verdicts() {
    let mut desk = drifted();
    desk.git(&["checkout", "-q", "-b", "side"]);
    desk.commit_file("README.md", &PAGE.replace("See", "Do see"));
    desk.git(&["checkout", "-q", "main"]);
    desk.commit_file("README.md", &PAGE.replace("See", "Look at"));
    for args in [&["merge", "-q", "side"][..], &["rebase", "-q", "side"]] {
        let output = Command::new("git").args(args).current_dir(desk.root()).output().unwrap();
        assert!(!output.status.success(), "there should be a conflict");
        let found = verified(&desk.open()).unwrap();
        assert_eq!(found.count(docent_claims::Verdict::Verified), 3, "{args:?}");
        desk.git(&["reset", "-q", "--hard"]);
        let _ = Command::new("git").args(["rebase", "--abort"]).current_dir(desk.root()).output();
    }
}

#[test]
fn without_commits_the_work_tree_is_verified() {
    let desk = Desk::new();
    sources(&desk);
    desk.write("README.md", PAGE);
    assert_eq!(told(&desk.open()).0, 3);
    desk.git(&["add", "-A"]);
    assert_eq!(told(&desk.open()).0, 3);
}

#[test]
fn grafts_and_replaced_objects_change_nothing() {
    let desk = drifted();
    let (head, first) = (desk.git(&["rev-parse", "HEAD"]), desk.git(&["rev-parse", "HEAD~"]));
    let empty = desk.git(&["commit-tree", "-m", "other", &format!("{head}^{{tree}}")]);
    desk.git(&["replace", &first, &empty]);
    std::fs::create_dir_all(desk.root().join(".git/info")).unwrap();
    std::fs::write(desk.root().join(".git/info/grafts"), format!("{head}\n")).unwrap();
    check(&desk.root(), 3, &BROKEN);
}

#[test]
fn references_with_odd_names_do_nothing() {
    let desk = drifted();
    let head = desk.git(&["rev-parse", "HEAD"]);
    let output = desk.path("written");
    for name in ["-x", "--output=x", "a b", "ä", "x\ny", "--upload-pack=touch x"] {
        std::fs::write(desk.root().join(".git/refs/heads").join(name), format!("{head}\n")).unwrap();
    }
    std::fs::write(desk.root().join(".git/refs/heads/one"), "ref: refs/heads/two\n").unwrap();
    std::fs::write(desk.root().join(".git/refs/heads/two"), "ref: refs/heads/one\n").unwrap();
    check(&desk.root(), 3, &BROKEN);
    for name in ["-x", "--output=x", "x\ny", "one"] {
        assert!(matches!(desk.open().resolve(name), Err(RepoError::NoSuchCommit(_))), "{name}");
    }
    assert_eq!(desk.open().resolve("main").unwrap(), head);
    assert!(!output.exists());
    for (text, is_open) in [
        ("ref: refs/heads/one\n", false),
        ("ref: refs/heads/nowhere\n", true),
        ("ref: refs/heads/-x\n", true),
    ] {
        std::fs::write(desk.root().join(".git/HEAD"), text).unwrap();
        let opened = Repository::open(&desk.root());
        assert_eq!(opened.is_ok(), is_open, "{text}");
        if let Ok(repository) = opened {
            assert_eq!(told(&repository).0, 3, "{text}");
        }
    }
}

#[test]
fn damage_is_told_and_never_a_panic() {
    let desk = drifted();
    desk.git(&["gc", "-q"]);
    let is_told = |problem: &str| {
        let opened = Repository::open(&desk.root());
        if let Err(error) = opened.and_then(|repository| verified(&repository)) {
            assert!(!error.to_string().is_empty() && !error.hint().is_empty(), "{problem}");
        }
    };
    std::fs::write(desk.root().join(".git/index"), "nonsense").unwrap();
    is_told("index");
    std::fs::remove_file(desk.root().join(".git/index")).unwrap();
    for entry in std::fs::read_dir(desk.root().join(".git/objects/pack")).unwrap().flatten() {
        let path = entry.path();
        let bytes = std::fs::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, bytes.get(..bytes.len() / 2).unwrap()).unwrap();
    }
    is_told("pack");
    std::fs::write(desk.root().join(".git/objects/info/alternates"), "/dev\n/nowhere\n../..\n\"x\n").unwrap();
    is_told("alternates");
}

#[cfg(unix)]
#[test]
fn links_that_leave_the_repository_are_not_followed() {
    let desk = drifted();
    std::fs::write(desk.path("secret.md"), "[s](secret/place.rs)\n").unwrap();
    std::os::unix::fs::symlink("../secret.md", desk.root().join("link.md")).unwrap();
    std::os::unix::fs::symlink("..", desk.root().join("up")).unwrap();
    let found = verified(&desk.open()).unwrap();
    assert_eq!(found.documents.keys().collect::<Vec<_>>(), ["README.md"]);
    // A link to the folder of git is as good as that folder.
    std::fs::rename(desk.root().join(".git"), desk.path("elsewhere")).unwrap();
    std::os::unix::fs::symlink("../elsewhere", desk.root().join(".git")).unwrap();
    assert_eq!(told(&desk.open()).1, BROKEN);
    std::fs::remove_file(desk.root().join(".git")).unwrap();
    std::fs::write(desk.root().join(".git"), "gitdir: ../nowhere\n").unwrap();
    assert!(matches!(Repository::open(&desk.root()), Err(RepoError::Damaged { .. })));
}

/// What the other tests of traps do not set: settings that lead elsewhere.
#[cfg(unix)]
#[test]
fn settings_that_lead_elsewhere_are_not_followed() {
    let desk = drifted();
    let other = drifted();
    std::fs::write(desk.path("included"), format!("[core]\n\tworktree = {}\n", other.root().display()))
        .unwrap();
    let config = format!(
        "[core]\n\tworktree = {}\n\trepositoryformatversion = 0\n[include]\n\tpath = {included}\n\
         [includeIf \"gitdir:/\"]\n\tpath = {included}\n[safe]\n\tdirectory = /nowhere\n",
        other.root().display(),
        included = desk.path("included").display()
    );
    std::fs::write(desk.root().join(".git/config"), config).unwrap();
    std::fs::remove_file(other.root().join("src/a.rs")).unwrap();
    check(&desk.root(), 3, &BROKEN);
}

#[cfg(unix)]
#[test]
fn names_like_options_and_names_that_are_not_text_do_no_harm() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let mut desk = drifted();
    for name in ["--output=x.md", "-x.md", "new\nline.md", ":(glob)*.md", "a\tb.md", "\"q\".md"] {
        desk.write(name, PAGE);
    }
    std::fs::write(desk.root().join(OsStr::from_bytes(b"\xff\xfe.md")), PAGE).unwrap();
    desk.write("src/gone.rs", "fn gone() {}\n");
    desk.commit("odd names");
    desk.delete("src/gone.rs");
    desk.commit("delete again");
    let found = verified(&desk.open()).unwrap();
    assert_eq!((found.documents.len(), found.unreadable_paths), (7, 1));
    for (path, document) in &found.documents {
        let gone = document.judged().find(|it| it.claim.named == "src/gone.rs").unwrap();
        assert_eq!(gone.class.name(), "broke_at", "{path:?}");
    }
    assert!(!desk.root().join("x.md").exists());
}

/// Somebody else's repository is looked at as well: nothing in it can act.
#[cfg(unix)]
#[test]
fn a_repository_of_another_user_is_verified() {
    let desk = drifted();
    for path in [desk.root(), desk.root().join(".git")] {
        if std::os::unix::fs::chown(path, Some(65_534), Some(65_534)).is_err() {
            return; // Only the administrator may give files away.
        }
    }
    check(&desk.root(), 3, &BROKEN);
}

#[test]
fn a_kept_table_of_commits_changes_no_verdict() {
    let mut desk = drifted();
    for name in ["start", "usage", "layout", "parts", "inside", "outside", "more", "rest"] {
        desk.write(&format!("docs/{name}.md"), &PAGE.replace("src/", "../src/"));
    }
    desk.write("src/gone.rs", "fn gone() {}\n");
    desk.commit("more pages");
    desk.delete("src/gone.rs");
    desk.commit("delete again");
    let plain = told(&desk.open());
    let kept = desk.path("kept");
    std::fs::create_dir(&kept).unwrap();
    for _ in 0..2 {
        let repository = desk.open();
        repository.keep_in(&kept);
        assert_eq!(told(&repository), plain);
        assert!(kept.join("commits-sha1.graph").is_file());
    }
    desk.commit_file("new.md", "x\n");
    let repository = desk.open();
    repository.keep_in(&kept);
    assert_eq!(told(&repository), plain);
    std::fs::write(kept.join("commits-sha1.graph"), "nonsense").unwrap();
    let repository = desk.open();
    repository.keep_in(&kept);
    assert_eq!(told(&repository), plain);
}

#[cfg(unix)]
#[test]
fn a_folder_that_became_a_link_is_not_read_through() {
    let mut desk = Desk::new();
    desk.write("docs/d/page.md", "See `src/a.rs`.\n");
    desk.write("src/a.rs", "fn a() {}\n");
    desk.commit("first");
    let outside = desk.path("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("page.md"), "The secret is in `src/a.rs`.\n").unwrap();
    std::fs::remove_dir_all(desk.root().join("docs/d")).unwrap();
    std::os::unix::fs::symlink(&outside, desk.root().join("docs/d")).unwrap();
    let verification = crate::verification::verified(&desk);
    assert!(verification.judged().all(|judged| !judged.claim.text.contains("secret")));
}
