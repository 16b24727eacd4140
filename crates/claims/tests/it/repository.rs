//! Repositories in every state that people leave them in.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use docent_claims::{Entry, NoStore, RepoError, Repository, WorkState, World};

use crate::support::Desk;

fn paths(repository: &Repository) -> Vec<String> {
    WorkState::read(repository).unwrap().entries.keys().cloned().collect()
}

#[test]
fn a_folder_without_a_repository_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let error = Repository::open(folder.path()).unwrap_err();
    assert!(matches!(error, RepoError::NotARepository(_)), "{error}");
    assert!(Repository::open(&folder.path().join("nowhere")).is_err());
}

#[test]
fn a_repository_is_found_from_a_folder_inside() {
    let mut desk = Desk::new();
    let head = desk.commit_file("docs/a.md", "a");
    let repository = Repository::open(&desk.root().join("docs")).unwrap();
    assert_eq!(repository.head(), Some(head.as_str()));
    assert_eq!(paths(&repository), ["docs/a.md"]);
}

#[test]
fn without_commits_there_is_only_the_work_tree() {
    let desk = Desk::new();
    let repository = desk.open();
    assert_eq!(repository.head(), None);
    // Without an index nothing counts as checked out.
    assert!(paths(&repository).is_empty());
    desk.write("a.md", "a");
    desk.git(&["add", "a.md"]);
    assert_eq!(paths(&desk.open()), ["a.md"]);
    assert!(desk.open().deletions().unwrap().files().next().is_none());
    assert!(desk.open().blame("a.md", None, &[1]).unwrap().is_empty());
}

#[test]
fn an_edit_in_the_second_of_the_commit_is_seen_later() {
    // Git compares whole seconds and sizes, and looks closer at files that are as young as its index: a copy must not
    // be younger. Whether all of it fits into a second is luck, so it is tried until it does.
    let now = || std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    for _ in 0..20 {
        let mut desk = Desk::new();
        let start = now();
        desk.commit_file("a.md", "make varnish");
        desk.write("a.md", "make lantern");
        let is_same_second = now().as_secs() == start.as_secs();
        std::thread::sleep(Duration::from_secs(1) - Duration::from_nanos(now().subsec_nanos().into()));
        let state = WorkState::read(&desk.open()).unwrap();
        assert!(state.changes.contains_key("a.md"), "the edit is not seen");
        if is_same_second {
            return;
        }
    }
    panic!("a commit never fitted into a second");
}

#[test]
fn a_detached_head_is_a_head() {
    let mut desk = Desk::new();
    let first = desk.commit_file("a", "1");
    desk.commit_file("b", "1");
    desk.git(&["checkout", "-q", &first]);
    assert_eq!(desk.open().head(), Some(first.as_str()));
    assert_eq!(paths(&desk.open()), ["a"]);
}

#[test]
fn packed_references_and_odd_names_are_found() {
    let mut desk = Desk::new();
    let head = desk.commit_file("a", "1");
    desk.git(&["checkout", "-q", "-b", "über/x'\"$(marker)"]);
    desk.git(&["pack-refs", "--all"]);
    assert_eq!(desk.open().head(), Some(head.as_str()));
    assert_eq!(desk.open().resolve("main").unwrap(), head);
    for wrong in ["--all", "", "nowhere", "a\nb", "main:a"] {
        assert!(matches!(desk.open().resolve(wrong), Err(RepoError::NoSuchCommit(_))), "{wrong}");
    }
}

#[test]
fn a_branch_that_cannot_be_read_is_damage_and_not_a_repository_without_commits() {
    let mut desk = Desk::new();
    desk.commit_file("a", "1");
    let branch = desk.root().join(".git/refs/heads/main");
    std::fs::remove_file(&branch).unwrap();
    std::os::unix::net::UnixListener::bind(&branch).unwrap();
    let error = Repository::open(&desk.root()).unwrap_err();
    assert!(matches!(error, RepoError::Damaged { .. }), "{error}");
}

#[test]
fn a_head_that_leads_out_of_the_repository_is_damage() {
    let mut desk = Desk::new();
    desk.commit_file("a", "1");
    for text in ["ref: refs/../../secret\n", "ref: /etc/passwd\n", "nonsense\n", ""] {
        std::fs::write(desk.root().join(".git/HEAD"), text).unwrap();
        let error = Repository::open(&desk.root()).unwrap_err();
        assert!(matches!(error, RepoError::Damaged { .. }), "{text}: {error}");
    }
}

#[test]
fn a_bare_repository_has_no_changes() {
    let mut desk = Desk::new();
    let head = desk.commit_file("docs/a.md", "one");
    desk.git(&["clone", "-q", "--bare", ".", "../bare.git"]);
    let repository = Repository::open(&desk.path("bare.git")).unwrap();
    assert_eq!(repository.head(), Some(head.as_str()));
    assert_eq!(repository.work_tree(), None);
    assert!(repository.changes().unwrap().is_empty());
    assert_eq!(paths(&repository), ["docs/a.md"]);
    let blame = repository.blame("docs/a.md", None, &[1]).unwrap();
    assert_eq!(blame[&1].commit.as_deref(), Some(head.as_str()));
}

#[test]
fn a_shallow_clone_knows_where_its_history_ends() {
    let mut desk = Desk::new();
    desk.commit_file("a.md", "one\n");
    desk.commit_file("b.md", "two\n");
    let origin = format!("file://{}", desk.root().display());
    desk.git(&["clone", "-q", "--depth=1", &origin, "../shallow"]);
    let repository = Repository::open(&desk.path("shallow")).unwrap();
    assert!(repository.is_shallow() && !desk.open().is_shallow());
    let blame = repository.blame("a.md", None, &[1]).unwrap();
    let commit = blame[&1].commit.clone().unwrap();
    assert!(repository.is_boundary(&commit));
    assert_eq!(repository.deletions().unwrap().files().count(), 0);
}

#[test]
fn a_linked_work_tree_has_its_own_head_and_changes() {
    let mut desk = Desk::new();
    let first = desk.commit_file("a", "1");
    desk.commit_file("b", "1");
    desk.git(&["worktree", "add", "-q", "--detach", "../linked", &first]);
    std::fs::write(desk.path("linked/new.md"), "x").unwrap();
    let repository = Repository::open(&desk.path("linked")).unwrap();
    assert_eq!(repository.head(), Some(first.as_str()));
    assert_eq!(paths(&repository), ["a", "new.md"]);
    assert_eq!(paths(&desk.open()), ["a", "b"]);
}

#[test]
fn a_submodule_is_never_entered() {
    let mut other = Desk::new();
    other.commit_file("inner.md", "x");
    let mut desk = Desk::new();
    desk.commit_file("a", "1");
    desk.git(&["submodule", "--quiet", "add", other.root().to_str().unwrap(), "lib"]);
    desk.commit("add lib");
    desk.write("lib/inner.md", "changed");
    desk.write("lib/new.md", "new");
    let state = WorkState::read(&desk.open()).unwrap();
    assert_eq!(state.entries["lib"].0, Entry::Submodule);
    assert!(!state.entries.keys().any(|path| path.starts_with("lib/")));
    assert!(state.changes.is_empty(), "{:?}", state.changes);
}

#[test]
fn the_middle_of_a_merge_is_a_state_like_any_other() {
    let mut desk = Desk::new();
    desk.commit_file("a.md", "base\n");
    desk.git(&["checkout", "-q", "-b", "side"]);
    desk.commit_file("a.md", "side\n");
    desk.git(&["checkout", "-q", "main"]);
    let head = desk.commit_file("a.md", "main\n");
    let merge =
        std::process::Command::new("git").args(["merge", "-q", "side"]).current_dir(desk.root()).output();
    assert!(!merge.unwrap().status.success(), "the merge should end in a conflict");
    let repository = desk.open();
    assert_eq!(repository.head(), Some(head.as_str()));
    let state = WorkState::read(&repository).unwrap();
    assert!(String::from_utf8_lossy(state.changes["a.md"].bytes.as_ref().unwrap()).contains("<<<<<<<"));
}

#[test]
fn repositories_with_sha256_names_work() {
    let mut desk = Desk::with(&["--object-format=sha256"]);
    let head = desk.commit_file("a.md", "one\n");
    desk.write("b.md", "two\n");
    assert_eq!(head.len(), 64);
    let repository = desk.open();
    assert_eq!(paths(&repository), ["a.md", "b.md"]);
    assert_eq!(repository.blame("a.md", None, &[1]).unwrap()[&1].commit.as_deref(), Some(head.as_str()));
    assert_eq!(repository.commit(&head).unwrap().subject, "write a.md");
}

#[test]
fn repositories_with_tables_of_references_work() {
    let Ok(output) = std::process::Command::new("git")
        .args(["init", "--ref-format=reftable", "-q", "."])
        .current_dir(tempfile::tempdir().unwrap().path())
        .output()
    else {
        return;
    };
    if !output.status.success() {
        return; // This git does not know them.
    }
    let mut desk = Desk::with(&["--ref-format=reftable"]);
    let head = desk.commit_file("a.md", "one\n");
    assert_eq!(desk.open().head(), Some(head.as_str()));
    assert_eq!(paths(&desk.open()), ["a.md"]);
}

#[test]
fn the_work_tree_is_the_commit_and_what_was_changed_since() {
    let mut desk = Desk::new();
    desk.write(".gitignore", "target/\n");
    for path in ["kept", "changed", "deleted", "staged", "was a file"] {
        desk.write(path, "1");
    }
    desk.commit("first");
    desk.write("changed", "2");
    desk.delete("deleted");
    desk.write("staged", "2");
    desk.git(&["add", "staged"]);
    desk.write("new/ä b.md", "1");
    desk.write("target/ignored", "1");
    desk.delete("was a file");
    desk.write("was a file/inner", "1");
    let repository = desk.open();
    let state = WorkState::read(&repository).unwrap();
    let world = World::of_work_tree(&repository, &state, Arc::new(NoStore));
    let files: Vec<&str> = world.files().collect();
    assert_eq!(files, [".gitignore", "changed", "kept", "new/ä b.md", "staged", "was a file/inner"]);
    let text = |path: &str| world.read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert_eq!(text("changed").as_deref(), Some("2"));
    assert_eq!(text("staged").as_deref(), Some("2"));
    assert_eq!(text("kept").as_deref(), Some("1"));
    assert_eq!(text("deleted"), None);
    assert_eq!(world.entry("was a file"), Some(Entry::Folder));
    assert_eq!(state.changes.len(), 6);
}

#[test]
fn a_clean_work_tree_with_other_line_ends_is_not_changed() {
    let mut desk = Desk::new();
    desk.commit_file("a.md", "one\ntwo\n");
    desk.git(&["clone", "-q", "-c", "core.autocrlf=true", ".", "../windows"]);
    assert_eq!(std::fs::read(desk.path("windows/a.md")).unwrap(), b"one\r\ntwo\r\n");
    let repository = Repository::open(&desk.path("windows")).unwrap();
    assert!(repository.changes().unwrap().is_empty());
}

#[test]
fn words_are_found_in_a_commit_and_in_the_work_tree() {
    let mut desk = Desk::new();
    desk.write("src/a.rs", "fn alpha() {}\n");
    desk.write("docs/a.md", "alpha\n");
    let first = desk.commit("first");
    desk.write("src/a.rs", "fn beta() {}\n");
    desk.commit("second");
    desk.write("src/b.rs", "fn alpha() {}\n");
    let repository = desk.open();
    let words = ["alpha", "beta"].map(str::to_owned);
    let state = WorkState::read(&repository).unwrap();
    let now = World::of_work_tree(&repository, &state, Arc::new(NoStore));
    let then = World::of_commit(&repository, &first, Arc::new(NoStore)).unwrap();
    now.look_for(&words);
    assert_eq!(*now.mentioning("alpha"), ["src/b.rs"]);
    assert_eq!(*now.mentioning("beta"), ["src/a.rs"]);
    assert_eq!(*then.mentioning("alpha"), ["src/a.rs"]);
    assert!(then.mentioning("beta").is_empty());
    assert!(now.mentioning("gamma").is_empty());
}

#[test]
fn blame_follows_renames_moves_and_white_space() {
    let mut desk = Desk::new();
    let first =
        desk.commit_file("old.md", "# Title\n\nSee `src/main.rs` for the place where it starts.\n\nMore.\n");
    desk.rename("old.md", "docs/\"new\" ä.md");
    desk.commit("rename");
    desk.write(
        "docs/\"new\" ä.md",
        "# Title\n\nIntro.\n\n  See `src/main.rs` for the place where it starts.\n\nMore.\n",
    );
    let third = desk.commit("indent and add");
    let path = "docs/\"new\" ä.md";
    let blame = desk.open().blame(path, None, &[3, 5, 99].map(|line: u32| line.min(7))).unwrap();
    assert_eq!(blame[&3].commit.as_deref(), Some(third.as_str()));
    assert_eq!(blame[&3].path, path);
    assert_eq!(blame[&5].commit.as_deref(), Some(first.as_str()));
    assert_eq!((blame[&5].path.as_str(), blame[&5].line), ("old.md", 3));
    let contents = "A new line.\n\n# Title\n\nIntro.\n";
    let blame = desk.open().blame(path, Some(contents.as_bytes()), &[1, 3]).unwrap();
    assert_eq!(blame[&1].commit, None);
    assert_eq!(blame[&3].commit.as_deref(), Some(first.as_str()));
}

#[test]
fn deletions_and_renames_are_found() {
    let mut desk = Desk::new();
    desk.write("src/deep/a.rs", "fn alpha() { let a = 1; let b = 2; let c = 3; }\n");
    desk.write("src/deep/b ä.rs", "x");
    let first = desk.commit("first");
    desk.delete("src/deep/b ä.rs");
    let second = desk.commit("delete b");
    desk.rename("src/deep/a.rs", "lib/z.rs");
    let third = desk.commit("move a");
    let repository = desk.open();
    let deletions = repository.deletions().unwrap();
    assert_eq!(deletions.of_file("src/deep/b ä.rs").collect::<Vec<_>>(), [&second]);
    assert_eq!(deletions.of_file("src/deep/a.rs").collect::<Vec<_>>(), [&third]);
    assert_eq!(deletions.below_folder("src"), Some((third.as_str(), "src/deep/a.rs")));
    assert_eq!(deletions.below_folder("lib"), None);
    let expected: HashMap<String, String> = [("src/deep/a.rs".to_owned(), "lib/z.rs".to_owned())].into();
    assert_eq!(repository.renames(&third).unwrap(), expected);
    assert_eq!(
        repository.commits_since(&first, &["src/deep/b ä.rs"]).unwrap(),
        std::slice::from_ref(&second)
    );
    assert_eq!(repository.commits_since(&first, &[]).unwrap(), [third.clone(), second]);
    assert_eq!(repository.last_change_of("alpha", &first, &["src"]).unwrap(), Some(third.clone()));
    let commit = repository.commit(&third).unwrap();
    assert_eq!((commit.subject.as_str(), commit.time), ("move a", 1_700_259_200));
    assert_eq!(repository.commit(&"1".repeat(40)), None);
    assert!(repository.is_in_history(&first) && !repository.is_in_history(&"1".repeat(40)));
}

#[test]
fn ignored_paths_need_not_exist() {
    let mut desk = Desk::new();
    desk.commit_file(".gitignore", "target/\n*.log\n");
    let rules = [
        (".gitignore".to_owned(), Arc::from(&b"target/\n*.log\n"[..])),
        ("web/.gitignore".to_owned(), Arc::from(&b"dist\n!keep.log\n"[..])),
        ("../outside/.gitignore".to_owned(), Arc::from(&b"*\n"[..])),
    ];
    let paths = [
        "target",
        "target/debug/x",
        "src/a.rs",
        "web/dist/a.js",
        "dist",
        "a.log",
        "web/keep.log",
        "../x",
        ":(top)a",
    ];
    let ignored = desk.open().ignored(&rules, &paths.map(str::to_owned)).unwrap();
    let mut ignored: Vec<&str> = ignored.iter().map(String::as_str).collect();
    ignored.sort_unstable();
    assert_eq!(ignored, ["a.log", "target", "target/debug/x", "web/dist/a.js"]);
}

#[cfg(unix)]
#[test]
fn paths_that_are_not_text_are_counted_and_links_are_followed_inside() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let mut desk = Desk::new();
    desk.write("docs/v2/a.md", "a");
    std::os::unix::fs::symlink("v2", desk.root().join("docs/current")).unwrap();
    std::os::unix::fs::symlink("/etc", desk.root().join("out")).unwrap();
    std::os::unix::fs::symlink("round", desk.root().join("round")).unwrap();
    std::fs::write(desk.root().join(OsStr::from_bytes(b"\xff.md")), "x").unwrap();
    std::fs::write(desk.root().join("new\nline.md"), "x").unwrap();
    desk.commit("first");
    let repository = desk.open();
    let state = WorkState::read(&repository).unwrap();
    assert_eq!(state.unreadable_paths, 1);
    let world = World::of_work_tree(&repository, &state, Arc::new(NoStore));
    assert_eq!(world.entry("docs/current"), Some(Entry::Link));
    assert_eq!(world.entry("docs/current/a.md"), Some(Entry::File));
    assert_eq!(world.entry("out/passwd"), None);
    assert_eq!(world.entry("round/x"), None);
    assert_eq!(world.entry("new\nline.md"), Some(Entry::File));
}

#[test]
fn large_files_are_not_read() {
    let mut desk = Desk::new();
    desk.write("large.txt", &"needle ".repeat(400_000));
    desk.commit_file("small.txt", "needle");
    let repository = desk.open();
    let state = WorkState::read(&repository).unwrap();
    let world = World::of_work_tree(&repository, &state, Arc::new(NoStore));
    assert_eq!(world.read("large.txt"), None);
    assert_eq!(*world.mentioning("needle"), ["small.txt"]);
}

#[test]
fn a_hundred_thousand_files_are_listed() {
    let desk = Desk::new();
    let mut input = "blob\nmark :1\ndata 1\nx\ncommit refs/heads/main\ncommitter T <t@example.org> 1700000000 +0000\ndata 1\nx\n".to_owned();
    for number in 0..100_000 {
        input.push_str(&format!("M 100644 :1 folder{}/file{number}.txt\n", number % 100));
    }
    std::fs::write(desk.path("input"), input).unwrap();
    let mut command = std::process::Command::new("git");
    command.args(["fast-import", "--quiet"]).current_dir(desk.root());
    command.stdin(std::fs::File::open(desk.path("input")).unwrap());
    assert!(command.status().unwrap().success());
    // Nothing is checked out: without an index this counts as a bare repository.
    let repository = desk.open();
    let listing = repository.tree(repository.head().unwrap()).unwrap();
    assert_eq!(listing.entries.len(), 100_000);
}

/// Everything in a repository that makes git start programs.
#[cfg(unix)]
#[test]
fn nothing_in_a_hostile_repository_is_started() {
    use std::os::unix::fs::PermissionsExt;
    let mut desk = Desk::new();
    desk.write("a.md", "one\n");
    desk.write("a.evil", "one\n");
    let first = desk.commit("first");
    let marker = desk.path("marker");
    let script = desk.path("script");
    std::fs::write(&script, format!("#!/bin/sh\ntouch {}\ncat\n", marker.display())).unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    let program = script.display().to_string();
    desk.write(".gitattributes", "* filter=evil diff=evil merge=evil ident\n");
    desk.write("b.evil", "two\n");
    desk.commit("attributes");
    desk.rename("b.evil", "c.evil");
    desk.commit("rename");
    let config = format!(
        "[core]\n\tfsmonitor = {program}\n\thooksPath = {}\n\tpager = {program}\n\teditor = {program}\n\
         \tsshCommand = {program}\n\talternateRefsCommand = {program}\n\tgitProxy = {program}\n\
         [filter \"evil\"]\n\tclean = {program}\n\tsmudge = {program}\n\tprocess = {program}\n\trequired = true\n\
         [diff]\n\texternal = {program}\n[diff \"evil\"]\n\ttextconv = {program}\n\tcommand = {program}\n\
         [log]\n\tshowSignature = true\n[gpg]\n\tprogram = {program}\n\
         [alias]\n\tstatus = !{program}\n\tblame = !{program}\n\tlog = !{program}\n\tls-tree = !{program}\n\
         [pager]\n\tlog = {program}\n\tblame = {program}\n\
         [credential]\n\thelper = {program}\n[uploadpack]\n\tpackObjectsHook = {program}\n\
         [extensions]\n\tpartialClone = origin\n[remote \"origin\"]\n\turl = ext::{program}\n\tpromisor = true\n",
        desk.path("hooks").display()
    );
    std::fs::create_dir(desk.path("hooks")).unwrap();
    for folder in [desk.path("hooks"), desk.root().join(".git/hooks")] {
        std::fs::create_dir_all(&folder).unwrap();
        for hook in [
            "post-index-change",
            "fsmonitor-watchman",
            "pre-auto-gc",
            "post-checkout",
            "reference-transaction",
        ] {
            std::fs::copy(&script, folder.join(hook)).unwrap();
        }
    }
    std::fs::write(desk.root().join(".git/config"), config).unwrap();
    std::fs::create_dir_all(desk.root().join(".git/info")).unwrap();
    std::fs::write(desk.root().join(".git/info/attributes"), "* filter=evil diff=evil\n").unwrap();
    desk.write("a.evil", "changed\n");
    desk.write("new.evil", "new\n");
    let before = listing(&desk.root().join(".git"));

    let repository = desk.open();
    let state = WorkState::read(&repository).unwrap();
    assert_eq!(state.changes.len(), 2);
    let world = World::of_work_tree(&repository, &state, Arc::new(NoStore));
    let words = ["one".to_owned(), "two".to_owned()];
    world.look_for(&words);
    World::of_commit(&repository, &first, Arc::new(NoStore)).unwrap().look_for(&words);
    repository.blame("a.md", None, &[1]).unwrap();
    repository.blame("a.evil", Some(b"changed\n"), &[1]).unwrap();
    let head = repository.head().unwrap().to_owned();
    assert_eq!(repository.renames(&head).unwrap().len(), 1);
    repository.deletions().unwrap();
    repository.commits_since(&first, &["b.evil"]).unwrap();
    repository.last_change_of("two", &first, &[]).unwrap();
    repository.resolve("main").unwrap();
    repository.ignored(&[(".gitattributes".to_owned(), Arc::from(&b"*"[..]))], &["x".to_owned()]).unwrap();
    assert!(repository.blob(&"1".repeat(40)).is_none());
    assert!(!marker.exists(), "something was started");
    assert_eq!(listing(&desk.root().join(".git")), before, "something was written");
    // The trap is one: git in the repository itself walks into it.
    let _ = std::process::Command::new("git").args(["diff"]).current_dir(desk.root()).output();
    assert!(marker.exists());
}

fn listing(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(listing(&path));
        }
        let metadata = path.metadata().unwrap();
        found.push(format!("{} {} {:?}", path.display(), metadata.len(), metadata.modified().unwrap()));
    }
    found.sort();
    found
}

#[test]
fn a_word_that_is_asked_for_twice_is_found() {
    let world = docent_claims::World::of_files(&[("a.rs", "fn open_door() {}")]);
    let word = || "open_door".to_owned();
    world.look_for(&[word(), word()]);
    assert_eq!(world.mentioning("open_door").as_ref(), ["a.rs"]);
}
