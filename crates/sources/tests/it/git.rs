//! Documents out of repositories on this machine.

use std::time::{Duration, SystemTime};

use docent_sources::{Context, Outcome, Spec, fetch};

use crate::support::{Desk, Repository, files, names, write};

fn repository(desk: &Desk, files: &[(&str, &str)]) -> Repository {
    Repository::new(desk.path("repository"), files)
}

#[test]
fn documents_are_written_and_nothing_else() {
    let desk = Desk::new();
    let all = [
        ("README.md", "# R"),
        ("docs/a.mdx", "a"),
        ("docs/x.png", "p"),
        ("docs/.docs-mcp.json", "{}"),
        ("src/a.rs", ""),
    ];
    let repository = repository(&desk, &all);
    let fetched = desk.fetch(&repository.url());
    assert_eq!(names(&fetched.root), ["README.md", "docs/.docs-mcp.json", "docs/a.mdx"]);
    assert_eq!(fetched.revision, Some(repository.git(&["rev-parse", "HEAD"])));
    assert!(fetched.include.is_empty() && fetched.notes.is_empty(), "{:?}", fetched.notes);
    let modified = fetched.root.join("README.md").metadata().unwrap().modified().unwrap();
    assert_eq!(modified, SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000));
}

#[test]
fn the_same_commit_is_not_fetched_again() {
    let desk = Desk::new();
    let repository = repository(&desk, &[("a.md", "1")]);
    let first = desk.fetch(&repository.url()).revision.unwrap();
    assert!(matches!(desk.try_fetch(&repository.url(), Some(&first)).unwrap(), Outcome::Unchanged));
    let second = repository.commit(&[("a.md", "2")]);
    let Outcome::Fetched(fetched) = desk.try_fetch(&repository.url(), Some(&first)).unwrap() else {
        panic!("unchanged");
    };
    assert_eq!(fetched.revision.as_deref(), Some(second.as_str()));
    assert_eq!(files(&fetched.root)["a.md"], "2");
}

#[test]
fn branches_tags_and_commits_are_found() {
    let desk = Desk::new();
    let repository = repository(&desk, &[("a.md", "first")]);
    let first = repository.git(&["rev-parse", "HEAD"]);
    repository.commit(&[("a.md", "second")]);
    repository.git(&["tag", "-a", "v2.0", "-m", "x"]);
    let tagged = repository.git(&["rev-parse", "HEAD"]);
    repository.git(&["checkout", "-q", "-b", "topic/x"]);
    repository.commit(&[("a.md", "third")]);
    repository.git(&["checkout", "-q", "main"]);
    let check = |reference: &str, text: &str| {
        let fetched = desk.fetch(&format!("{}#{reference}", repository.url()));
        assert_eq!(files(&fetched.root)["a.md"], text, "{reference}");
        fetched
    };
    check("main", "second");
    check("topic/x", "third");
    let fetched = check("v2.0", "second");
    assert_eq!(fetched.revision, Some(tagged));
    assert_eq!(fetched.version.as_deref(), Some("2.0"));
    check(&first, "first");
    let short = check(&first[..8], "first");
    assert_eq!(short.revision.as_deref(), Some(first.as_str()));
    assert!(short.notes[0].contains("whole history"), "{:?}", short.notes);
    let url = format!("{}#{}", repository.url(), &first[..8]);
    assert!(matches!(desk.try_fetch(&url, Some(&first)).unwrap(), Outcome::Unchanged));
}

#[test]
fn unknown_names_come_with_what_there_is() {
    let desk = Desk::new();
    let repository = repository(&desk, &[("docs/a.md", "1")]);
    repository.git(&["tag", "v1.4"]);
    let check = |rest: &str, parts: &[&str]| {
        let said = desk.refusal(&format!("{}#{rest}", repository.url()));
        parts.iter().for_each(|part| assert!(said.contains(part), "{said}"));
    };
    check("1.4", &["no branch, tag or commit 1.4", "v1.4"]);
    check("nosuchref", &["its default branch is main"]);
    check("refs/heads/$(id)", &["no branch"]);
    check("0123456789abcdef0123456789abcdef01234567", &["no branch, tag or commit 0123"]);
    check(":dcos", &["no folder dcos", "it has docs"]);
    check("main:docs/a.md", &["no folder"]);
}

#[test]
fn repositories_that_are_not_there_or_empty_are_named() {
    let desk = Desk::new();
    let said = desk.refusal(&format!("git+file://{}", desk.path("nowhere").display()));
    assert!(said.contains("is not a repository"), "{said}");
    std::fs::create_dir(desk.path("empty")).unwrap();
    let output =
        std::process::Command::new("git").args(["init", "-q"]).current_dir(desk.path("empty")).output();
    assert!(output.unwrap().status.success());
    let said = desk.refusal(&format!("git+file://{}", desk.path("empty").display()));
    assert!(said.contains("is empty"), "{said}");
    let repository = repository(&desk, &[("a.txt", "x")]);
    assert!(desk.refusal(&repository.url()).contains("has no documents"));
    let said = desk.refusal("git+http://127.0.0.1:1/repository");
    assert!(said.contains("cannot be reached"), "{said}");
}

#[test]
fn a_folder_is_the_root_of_what_is_fetched() {
    let desk = Desk::new();
    let repository =
        repository(&desk, &[("README.md", ""), ("docs/guide/a.md", "a"), ("docs/guide/b/c.md", "c")]);
    let fetched = desk.fetch(&format!("{}#main:docs/guide", repository.url()));
    assert_eq!(names(&fetched.root), ["a.md", "b/c.md"]);
}

#[test]
fn a_manifest_says_what_belongs_to_the_set() {
    let desk = Desk::new();
    let manifest = r#"{"name":"guide","version":"3","description":"d","metadata":{"team":"web"},
        "sources":{"glob":["docs/*.txt"],"files":["README.md","gone.md"]}}"#;
    let all = [("manifest.json", manifest), ("README.md", "r"), ("docs/a.txt", "a"), ("docs/b.md", "b")];
    let repository = repository(&desk, &all);
    let fetched = desk.fetch(&repository.url());
    assert_eq!(names(&fetched.root), ["README.md", "docs/a.txt"]);
    assert_eq!(fetched.include, ["docs/*.txt", "README.md", "gone.md"]);
    assert_eq!((fetched.name.as_deref(), fetched.version.as_deref()), (Some("guide"), Some("3")));
    assert_eq!(fetched.metadata["team"], "web");
    assert!(fetched.notes[0].contains("gone.md"), "{:?}", fetched.notes);
    repository.commit(&[("manifest.json", r#"{"manifest_version":3}"#)]);
    assert_eq!(names(&desk.fetch(&repository.url()).root), ["README.md", "docs/b.md"]);
    let hash = "00".repeat(32);
    let manifest = format!(r#"{{"sources":{{"files":[{{"path":"README.md","hash":"sha256:{hash}"}}]}}}}"#);
    repository.commit(&[("manifest.json", &manifest)]);
    assert!(desk.refusal(&repository.url()).contains(&hash));
}

#[test]
fn only_what_is_wanted_comes_where_the_server_can_choose() {
    let desk = Desk::new();
    let large = "x".repeat(10_000);
    let repository = repository(&desk, &[("a.md", "1"), ("large.bin", &large)]);
    repository.git(&["config", "uploadpack.allowFilter", "true"]);
    let object = repository.git(&["rev-parse", "HEAD:large.bin"]);
    let first = desk.fetch(&repository.url());
    assert_eq!(names(&first.root), ["a.md"]);
    repository.commit(&[("a.md", "2"), ("b.md", "b")]);
    let second = desk.fetch(&repository.url());
    assert_eq!(files(&second.root)["a.md"], "2");
    let copies = std::fs::read_dir(desk.cache().join("git")).unwrap().map(|entry| entry.unwrap().path());
    let copy = copies.into_iter().find(|path| path.is_dir()).unwrap();
    let mut command = std::process::Command::new("git");
    command.arg("--git-dir").arg(copy).args(["cat-file", "-e", &object]).env("GIT_NO_LAZY_FETCH", "1");
    assert!(!command.output().unwrap().status.success(), "the large file was fetched");
}

#[cfg(unix)]
#[test]
fn links_and_odd_names_are_passed_over() {
    let desk = Desk::new();
    let repository = repository(&desk, &[("a.md", "a"), ("docs/b.md", "b")]);
    std::os::unix::fs::symlink("/etc/passwd", repository.folder.join("passwd.md")).unwrap();
    std::os::unix::fs::symlink("/etc", repository.folder.join("etc")).unwrap();
    repository.git(&["add", "-A"]);
    let blob = repository.git(&["rev-parse", "HEAD:a.md"]);
    let commit = repository.git(&["rev-parse", "HEAD"]);
    let add = |mode: &str, object: &str, path: &str| {
        repository.git(&[
            "-c",
            "core.protectNTFS=false",
            "update-index",
            "--add",
            "--cacheinfo",
            mode,
            object,
            path,
        ]);
    };
    add("100644", &blob, "A.md");
    add("100644", &blob, "docs/c\n.md");
    add("100644", &blob, "docs\\..\\..\\up.md");
    add("160000", &commit, "module.md");
    repository.git(&["commit", "-q", "-m", "x"]);
    let fetched = desk.fetch(&repository.url());
    let notes = fetched.notes.join("\n");
    // In the order of the tree, A.md comes before a.md.
    assert_eq!(names(&fetched.root), ["A.md", "docs/b.md"], "{notes}");
    for part in [
        "links are not followed): passwd.md",
        "submodules are not fetched): module.md",
        "only in case): a.md",
        "control characters",
        "backslash",
    ] {
        assert!(notes.contains(part), "{notes}");
    }
}

/// A tree that is written by hand, because git itself does not make such.
fn raw_tree(repository: &Repository, entries: &[(&str, &str, &str)]) -> String {
    let mut bytes = Vec::new();
    for (mode, name, object) in entries {
        bytes.extend_from_slice(format!("{mode} {name}\0").as_bytes());
        let digits = (0..20).map(|i| u8::from_str_radix(&object[2 * i..2 * i + 2], 16).unwrap());
        bytes.extend(digits);
    }
    std::fs::write(repository.folder.join("raw"), bytes).unwrap();
    repository.git(&["hash-object", "-t", "tree", "-w", "--literally", "raw"])
}

#[test]
fn folders_that_multiply_are_refused_while_they_are_listed() {
    let desk = Desk::new();
    let repository = repository(&desk, &[("ok.md", "ok")]);
    let blob = repository.git(&["rev-parse", "HEAD:ok.md"]);
    // Ten folders in ten folders, ten times over: ten objects, ten thousand million paths.
    let check = |innermost: &[(&str, &str, &str)], said: &str| {
        let mut tree = raw_tree(&repository, innermost);
        for _ in 0..10 {
            let names: Vec<String> = (0..10).map(|name| name.to_string()).collect();
            let entries: Vec<_> = names.iter().map(|name| ("40000", name.as_str(), tree.as_str())).collect();
            tree = raw_tree(&repository, &entries);
        }
        let commit = repository.git(&["commit-tree", "-m", "x", &tree]);
        repository.git(&["update-ref", "refs/heads/main", &commit]);
        let refusal = desk.refusal(&repository.url());
        assert!(refusal.contains(said) && refusal.contains("#main:docs"), "{refusal}");
    };
    check(&[("100644", "a.md", &blob)], "has more than 100000 documents");
    check(&[("100644", "a.txt", &blob)], "has more than 1000000 files and folders");
    check(&[], "has more than 1000000 files and folders");
}

#[cfg(unix)]
#[test]
fn trees_that_climb_out_are_passed_over() {
    let desk = Desk::new();
    let repository = repository(&desk, &[("ok.md", "ok")]);
    let blob = repository.git(&["rev-parse", "HEAD:ok.md"]);
    let tree = |entries: &[(&str, &str, &str)]| raw_tree(&repository, entries);
    let inner = tree(&[("100644", "evil.md", &blob)]);
    let root = tree(&[("40000", "..", &inner), ("40000", ".GIT", &inner), ("100644", "ok.md", &blob)]);
    let commit = repository.git(&["commit-tree", "-m", "x", &root]);
    repository.git(&["update-ref", "refs/heads/main", &commit]);
    let fetched = desk.fetch(&repository.url());
    assert_eq!(names(&fetched.root), ["ok.md"]);
    let notes = fetched.notes.join("\n");
    assert!(notes.contains("../evil.md") && notes.contains(".GIT/evil.md"), "{notes}");
    assert!(!desk.path("evil.md").exists());
}

#[cfg(unix)]
#[test]
fn nothing_of_a_repository_is_executed() {
    use std::os::unix::fs::PermissionsExt;
    let desk = Desk::new();
    let repository =
        repository(&desk, &[("a.md", "a"), (".gitattributes", "*.md filter=evil diff=evil text eol=crlf")]);
    let canary = desk.path("canary");
    let script = desk.path("evil.sh");
    std::fs::write(&script, format!("#!/bin/sh\ntouch {}\ncat\n", canary.display())).unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    let script = script.display().to_string();
    for key in [
        "core.fsmonitor",
        "core.sshCommand",
        "core.pager",
        "core.editor",
        "core.askPass",
        "core.alternateRefsCommand",
        "filter.evil.smudge",
        "filter.evil.clean",
        "filter.evil.process",
        "diff.evil.textconv",
        "diff.external",
        "credential.helper",
        "uploadpack.packObjectsHook",
        "core.gitProxy",
    ] {
        repository.git(&["config", key, &script]);
    }
    let hooks = repository.folder.join(".git/hooks");
    std::fs::create_dir_all(&hooks).unwrap();
    for hook in [
        "post-checkout",
        "pre-receive",
        "update",
        "post-update",
        "post-index-change",
        "reference-transaction",
        "fsmonitor-watchman",
        "post-upload-pack",
        "pre-auto-gc",
    ] {
        std::fs::copy(&script, hooks.join(hook)).unwrap();
    }
    write(&repository.folder, &[(".git/objects/info/alternates", "/etc\n")]);
    let fetched = desk.fetch(&repository.url());
    assert_eq!(files(&fetched.root)["a.md"], "a");
    assert!(!canary.exists(), "something of the repository was executed");
}

#[test]
fn a_damaged_copy_is_made_again() {
    let desk = Desk::new();
    let repository = repository(&desk, &[("a.md", "a")]);
    desk.fetch(&repository.url());
    for entry in std::fs::read_dir(desk.cache().join("git")).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            std::fs::write(path.join("HEAD"), "nonsense").unwrap();
            std::fs::write(path.join("index.lock"), "").unwrap();
        }
    }
    assert_eq!(files(&desk.fetch(&repository.url()).root)["a.md"], "a");
    let copies = std::fs::read_dir(desk.cache().join("git")).unwrap().map(|entry| entry.unwrap().path());
    let copy = copies.into_iter().find(|path| path.is_dir()).unwrap();
    std::fs::remove_dir_all(copy.join("objects")).unwrap();
    std::fs::create_dir_all(copy.join("objects/pack")).unwrap();
    assert_eq!(files(&desk.fetch(&repository.url()).root)["a.md"], "a");
    repository.commit(&[("a.md", "b")]);
    assert_eq!(files(&desk.fetch(&repository.url()).root)["a.md"], "b");
}

#[test]
fn a_server_that_keeps_contents_back_is_named() {
    let desk = Desk::new();
    let repository = repository(&desk, &[("a.md", "a"), ("b.md", "b")]);
    repository.git(&["config", "uploadpack.allowFilter", "true"]);
    let object = repository.git(&["rev-parse", "HEAD:a.md"]);
    let file = repository.folder.join(".git/objects").join(&object[..2]).join(&object[2..]);
    std::fs::remove_file(file).unwrap();
    let said = desk.refusal(&repository.url());
    assert!(said.contains("is damaged") && said.contains("git fsck"), "{said}");
}

#[test]
fn what_is_cancelled_ends() {
    let desk = Desk::new();
    let repository = repository(&desk, &[("a.md", "a")]);
    let asked = std::cell::Cell::new(0);
    let is_cancelled = || {
        asked.set(asked.get() + 1);
        asked.get() > 2
    };
    let context = Context {
        cache: &desk.cache(),
        project: None,
        known_revision: None,
        expected_hash: None,
        is_cancelled: &is_cancelled,
    };
    let spec = Spec::parse(&repository.url(), desk.folder.path()).unwrap();
    let into = desk.empty_folder();
    let error = fetch(&spec, &context, &into).unwrap_err();
    assert!(error.message.contains("cancelled"), "{error}");
    assert!(names(&into).is_empty());
}

#[test]
fn several_processes_take_turns() {
    let desk = Desk::new();
    let repository = repository(&desk, &[("a.md", "a")]);
    let spec = Spec::parse(&repository.url(), desk.folder.path()).unwrap();
    std::thread::scope(|scope| {
        for number in 0..4 {
            let (desk, spec) = (&desk, &spec);
            scope.spawn(move || {
                let context = Context {
                    cache: &desk.cache(),
                    project: None,
                    known_revision: None,
                    expected_hash: None,
                    is_cancelled: &|| false,
                };
                let into = desk.path(&format!("into{number}"));
                fetch(spec, &context, &into).unwrap();
                assert_eq!(names(&into), ["a.md"]);
            });
        }
    });
}

#[test]
fn a_hash_is_refused_rather_than_ignored() {
    let desk = Desk::new();
    let repository = repository(&desk, &[("a.md", "a")]);
    let hash = format!("blake3:{}", "00".repeat(32));
    assert!(desk.fetch_with(&repository.url(), None, Some(&hash)).unwrap_err().is_usage);
}
