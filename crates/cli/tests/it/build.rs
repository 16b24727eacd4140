//! `docent build`: the same bytes for the same documents, whatever happens on the way.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::embedding_server::EmbeddingServer;
use crate::support::{Project, Ran, is_root, ran, set_mode};

pub(crate) const OUT: &str = "../out";

/// Every file below `dir` with its bytes.
pub(crate) fn tree(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![dir.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.insert(path.strip_prefix(dir).unwrap().to_owned(), fs::read(&path).unwrap());
            }
        }
    }
    files
}

fn assert_same(one: &Path, other: &Path, apart_from: &[&str]) {
    let (one, other) = (tree(one), tree(other));
    assert_eq!(one.keys().collect::<Vec<_>>(), other.keys().collect::<Vec<_>>());
    for (path, bytes) in one {
        let is_left_out = apart_from.iter().any(|name| path == Path::new(name));
        assert!(is_left_out || other.get(&path) == Some(&bytes), "{} differs", path.display());
    }
}

/// Builds the project's documents into [`OUT`].
pub(crate) fn build(project: &Project) -> PathBuf {
    project.ok(&["build", "--out", OUT, "--quiet"]);
    project.path("out")
}

fn marker(out: &Path) -> Value {
    serde_json::from_slice(&fs::read(out.join("docent-index.json")).unwrap()).unwrap()
}

/// The pages of [`Project::large`], written in the other direction.
fn written_backwards(pages: usize) -> Project {
    let project = Project::empty();
    for number in (0..pages).rev() {
        project.write_page(number, "first");
    }
    project
}

#[test]
fn another_place_order_and_number_of_threads_give_the_same_bytes() {
    let (one, other) = (Project::large(120), written_backwards(120));
    for project in [&one, &other] {
        let manifest =
            "{\"version\": \"1\", \"strategy\": {\"chunk_by\": \"h1\"}, \"metadata\": {\"part\": \"three\"}}";
        project.write("docs/part3/.docs-mcp.json", manifest);
    }
    let at = |project: &Project, mut command: Command| {
        let ran = ran(command.env("SOURCE_DATE_EPOCH", "1700000000").output().unwrap());
        assert_eq!(ran.code, Some(0), "{ran:?}");
        project.path("out")
    };
    let first = at(&one, one.command(&["build", "--out", OUT]));
    // Where the system can keep a process to one core, the number of threads differs as well.
    let mut single = other.command(&["build", "--out", OUT]);
    if Command::new("taskset").arg("--version").output().is_ok() {
        single = Command::new("taskset");
        other.surround(&mut single);
        single.args(["-c", "0", env!("CARGO_BIN_EXE_docent"), "build", "--out", OUT]);
    }
    let second = at(&other, single);
    assert_same(&first, &second, &[]);
    assert_eq!(marker(&first)["built_at"], "2023-11-14T22:13:20.000Z");
    // Again, from what the first build left; and without the fixed time, which shows in two files only.
    let third = at(&one, one.command(&["build", "--out", "../again"]));
    assert_same(&third, &one.path("again"), &[]);
    build(&one);
    assert_same(&first, &second, &["docent-index.json", "docent-times.json"]);
}

#[test]
fn a_build_after_edits_is_the_same_as_one_from_nothing() {
    let edited = Project::large(20);
    edited.write("docs/gone.md", "# Gone\n\nSoon.\n");
    build(&edited);
    fs::remove_file(edited.root().join("docs/gone.md")).unwrap();
    edited.write_page(3, "second");
    let fresh = Project::large(20);
    fresh.write_page(3, "second");
    let summary = edited.json(&["build", "--out", OUT, "--json"]);
    assert_eq!(summary["reused"]["documents"], 19);
    assert!(summary["reused"]["vectors"].as_u64() > Some(30), "{summary}");
    assert_same(&edited.path("out"), &build(&fresh), &["docent-index.json", "docent-times.json"]);
    edited.ok(&["check", "--index", OUT]);
}

#[test]
fn nothing_tells_where_and_by_whom_it_was_built() {
    let project = Project::new();
    let mut command = project.command(&["build", "--out", OUT]);
    command.env("USER", "mallory").env("HOSTNAME", "buildhost");
    assert_eq!(ran(command.output().unwrap()).code, Some(0));
    let place = project.root().parent().unwrap().to_str().unwrap().to_owned();
    let name = place.rsplit('/').next().unwrap();
    for (path, bytes) in tree(&project.path("out")) {
        for word in [place.as_str(), name, "mallory", "buildhost", "/project"] {
            let found = bytes.windows(word.len()).any(|window| window == word.as_bytes());
            assert!(!found, "{} holds {word}", path.display());
        }
    }
}

#[test]
fn a_killed_build_goes_on_and_embeds_nothing_twice() {
    let server = EmbeddingServer::start();
    let build_with = |project: &Project| {
        let mut command = project.command(&["build", "--out", OUT, "--quiet"]);
        server.use_in(&mut command);
        command
    };
    let project = Project::large(150);
    // One request to learn the length of vectors, two for the first step; the second step hangs.
    server.answer(Some(3));
    let mut child = build_with(&project).stderr(Stdio::piped()).spawn().unwrap();
    server.wait_until_stuck();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!project.path("out").exists());
    let before: BTreeSet<String> =
        server.take_texts().into_iter().filter(|text| text != "dimensions").collect();
    assert_eq!(before.len(), 128);
    // What is kept between builds is the index it works in, not only the cache of vectors.
    fs::remove_file(project.path("home/.cache/docent/embeddings.sqlite")).unwrap();
    server.answer(None);
    let again = ran(build_with(&project).output().unwrap());
    assert_eq!(again.code, Some(0), "{again:?}");
    let after: BTreeSet<String> = server.take_texts().into_iter().collect();
    assert!(after.len() > 100);
    assert_eq!(before.intersection(&after).count(), 0);

    let straight = Project::large(150);
    assert_eq!(ran(build_with(&straight).output().unwrap()).code, Some(0));
    let times = ["docent-index.json", "docent-times.json"];
    assert_same(&project.path("out"), &straight.path("out"), &times);
    project.ok(&["check", "--index", OUT]);
}

#[test]
fn builds_killed_at_any_moment_leave_the_old_index_or_the_new_one() {
    let project = Project::large(150);
    let out = build(&project);
    for kill in 0..8 {
        project.write_page(kill, &format!("round{kill}"));
        let mut child = project.command(&["build", "--out", OUT, "--quiet"]).spawn().unwrap();
        thread::sleep(Duration::from_millis(20 + 60 * kill as u64));
        // It may have finished first.
        let _ = child.kill();
        child.wait().unwrap();
        project.ok(&["check", "--index", OUT]);
    }
    build(&project);
    let fresh = Project::large(150);
    for kill in 0..8 {
        fresh.write_page(kill, &format!("round{kill}"));
    }
    assert_same(&out, &build(&fresh), &["docent-index.json", "docent-times.json"]);
    let beside: Vec<String> = fs::read_dir(project.path("."))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with("out"))
        .collect();
    assert_eq!(beside, ["out"]);
}

#[test]
fn the_marker_says_what_is_inside() {
    let project = Project::new();
    project.ok(&["build", "--out", OUT, "--name", "handbook", "--description", "How we work."]);
    let marker = marker(&project.path("out"));
    assert_eq!(marker["collection"], "handbook");
    assert_eq!(marker["description"], "How we work.");
    assert_eq!(marker["embedding"]["provider"], "hash");
    assert_eq!(marker["counts"]["documents"], 3);
    assert_eq!(marker["source_commit"], Value::Null);
    assert_eq!(marker["docent"], env!("CARGO_PKG_VERSION"));
    let listed = project.json(&["list", "--json", "--index", OUT]);
    assert_eq!(listed["total_pages"], 3, "{listed}");
}

#[test]
fn in_a_repository_documents_carry_the_time_of_their_last_commit() {
    let project = Project::new();
    let git = |args: &[&str]| {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=t", "-c", "user.email=t@example.org"]).args(args);
        command.current_dir(project.root()).env("GIT_COMMITTER_DATE", "1600000000 +0000");
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "pages"]);
    let out = build(&project);
    let head = git(&["rev-parse", "HEAD"]);
    assert_eq!(marker(&out)["source_commit"], head.trim());
    assert_eq!(marker(&out)["dirty"], false);
    let found = project.json(&["search", "--json", "--index", OUT, "expose a pod"]);
    let hit = &found["results"][0]["metadata"];
    assert_eq!(hit["last_modified"], "2020-09-13T12:26:40.000Z");
    assert_eq!(hit["commit"], head.trim());
    project.write("docs/start.md", "# Start\n\nAnew.\n");
    build(&project);
    assert_eq!(marker(&out)["dirty"], true);
    let status = project.json(&["status", "--json", "--index", OUT]);
    assert_eq!(status["index"]["read_only"], true);
    assert_eq!(status["index"]["built"]["commit"], head.trim());
}

#[test]
fn the_summary_tells_what_was_made_and_what_was_there() {
    let project = Project::new();
    let first = project.run(&["build", "--out", OUT]);
    insta::assert_snapshot!("build_first", first.shown(&project));
    let again = project.run(&["build", "--out", OUT]);
    insta::assert_snapshot!("build_again", again.shown(&project));
}

/// A build that fails leaves what was built before as it was.
fn check_refused(project: &Project, args: &[&str], code: i32, error: &str) -> Ran {
    let out = project.path("out");
    let before = out.exists().then(|| tree(&out));
    let ran = project.run(&[&["build"], args].concat());
    assert_eq!(ran.code, Some(code), "{ran:?}");
    assert!(ran.err.contains(error) && ran.err.contains("hint: "), "{ran:?}");
    assert_eq!(out.exists().then(|| tree(&out)), before);
    ran
}

#[test]
fn whatever_validation_calls_an_error_ends_the_build_unless_it_is_allowed() {
    let project = Project::new();
    build(&project);
    project.write("docs/links.md", "# Links\n\n[nowhere](gone.md)\n");
    let ran = check_refused(&project, &["--out", OUT], 1, "links.md:3: error[DM060]");
    assert!(ran.err.contains("validate.allow"), "{ran:?}");
    check_refused(&project, &["--out", OUT, "--allow", "DM060:other/**"], 1, "error[DM060]");
    check_refused(&project, &["--out", OUT, "--allow", "DM999"], 2, "there is no rule `DM999`");
    assert_eq!(project.run(&["build", "--out", OUT, "--allow", "DM060:links.md"]).code, Some(0));
    project.write("docent.toml", "[validate]\nallow = [\"missing-page\"]\n");
    assert_eq!(project.run(&["build", "--out", OUT]).code, Some(0));
}

#[test]
fn pages_without_a_strategy_are_cut_at_h2() {
    let project = Project::new();
    project.write("docs/deep.md", "# Deep\n\n## A\n\na\n\n### B\n\nb\n");
    let ran = project.run(&["build", "--out", OUT]);
    assert!(ran.err.contains("without a strategy: cut at h2"), "{ran:?}");
    let page = project.json(&["get", "deep.md", "--json", "--index", OUT]);
    let ids: Vec<_> =
        page["chunks"].as_array().unwrap().iter().map(|chunk| chunk["chunk_id"].clone()).collect();
    assert_eq!(ids, ["deep.md#deep", "deep.md#deep/a"]);
}

#[test]
fn broken_documents_end_the_build() {
    let project = Project::new();
    build(&project);
    project.write("docs/broken.md", "---\ntitle: \"Broken\n---\n# Broken\n");
    let ran = check_refused(&project, &["--out", OUT], 1, "nothing was built because of 1 error");
    assert!(ran.err.contains("broken.md:3: error[DM002]"), "{ran:?}");
    project.write("docs/broken.md", b"# A\n\n\xff\xfa\n");
    check_refused(&project, &["--out", OUT], 1, "broken.md");
    fs::remove_file(project.root().join("docs/broken.md")).unwrap();
    // Text between two rules is no front matter, and no mistake.
    project.write("docs/rules.md", "---\njust a sentence\n---\n\n# Rules\n");
    build(&project);
    if !is_root() {
        project.write("docs/secret.md", "# Secret\n");
        set_mode(&project.root().join("docs/secret.md"), 0o000);
        check_refused(&project, &["--out", OUT], 1, "secret.md");
    }
}

#[test]
fn an_empty_folder_is_not_built() {
    check_refused(&Project::empty(), &["--out", OUT], 1, "there are no documents");
}

#[test]
fn only_a_built_index_is_replaced() {
    let project = Project::new();
    project.write("../out/own.txt", "mine");
    check_refused(&project, &["--out", OUT], 2, "holds files that `docent build` did not make");
    check_refused(&project, &["--out", "docs"], 2, "holds the documents");
    check_refused(&project, &["--out", "."], 2, "holds the documents");
    check_refused(&project, &["--out", "/"], 2, "cannot be replaced");
    check_refused(&project, &["--out", "docent.toml"], 2, "is a file");
    project.ok(&["index", "--quiet"]);
    check_refused(&project, &["--out", ".docent"], 2, "did not make");
    fs::create_dir(project.path("empty")).unwrap();
    project.ok(&["build", "--out", "../empty", "--quiet"]);
}

#[test]
fn wrong_arguments_are_told() {
    let project = Project::new();
    check_refused(&project, &["--out", OUT, "--index", "x"], 2, "--index has no meaning for a build");
    check_refused(&project, &["--out", OUT, "--docs-dir", "nowhere"], 2, "cannot read the documents folder");
    for name in ["", "a/b", "a b", &"x".repeat(65)] {
        check_refused(&project, &["--out", OUT, "--name", name], 2, "cannot be the name of a collection");
    }
    let mut command = project.command(&["build", "--out", OUT]);
    let timed = ran(command.env("SOURCE_DATE_EPOCH", "yesterday").output().unwrap());
    timed.check_error(2, "SOURCE_DATE_EPOCH is `yesterday`", "seconds since 1970");
    let mut command = project.command(&["build", "--out", OUT, "--embedder", "openai"]);
    ran(command.output().unwrap()).check_error(2, "neither a server nor a key", "OPENAI_API_KEY");
    assert!(!project.path("out").exists());
}

#[test]
fn two_builds_of_one_place_do_not_mix() {
    let server = EmbeddingServer::start();
    let project = Project::new();
    server.answer(Some(1));
    let mut command = project.command(&["build", "--out", OUT]);
    server.use_in(&mut command);
    let mut child = command.stderr(Stdio::null()).spawn().unwrap();
    server.wait_until_stuck();
    project.run(&["build", "--out", OUT]).check_error(3, "another process is building", "wait for it");
    child.kill().unwrap();
    child.wait().unwrap();
    build(&project);
}
