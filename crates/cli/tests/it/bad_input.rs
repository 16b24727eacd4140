//! Input that cannot be indexed is named, and the rest of the run goes on.

use std::fs::{self, File};

use crate::support::{Project, is_root, set_mode};

/// Expects that everything but one file is indexed.
fn check(project: &Project, path: &str, reason: &str) {
    for _ in 0..2 {
        let ran = project.run(&["index"]);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        let told = ran
            .err
            .lines()
            .any(|line| line.starts_with(&format!("skipped: {path}: ")) && line.contains(reason));
        assert!(told, "{ran:?}");
    }
    assert!(project.ok(&["search", "backoff"]).contains("guides/retries.md"));
    let status = project.json(&["status", "--json"]);
    assert_eq!(status["failed_files"][0]["path"], path);
}

#[test]
fn an_unreadable_file_is_skipped() {
    if is_root() {
        // The superuser may read everything, so there is no unreadable file to try.
        return;
    }
    let project = Project::new();
    project.write("docs/secret.md", "# Secret\n");
    set_mode(&project.root().join("docs/secret.md"), 0o000);
    check(&project, "secret.md", "permission denied");
}

#[test]
fn invalid_utf8_is_skipped() {
    let project = Project::new();
    project.write("docs/latin.md", b"# Caf\xe9\n\nText in another encoding.\n");
    check(&project, "latin.md", "UTF-8");
}

#[test]
fn a_binary_file_is_skipped() {
    let project = Project::new();
    project.write("docs/binary.md", b"\x7fELF\x00\x01\x02\x00\x00");
    check(&project, "binary.md", "binary");
}

#[test]
fn a_huge_file_is_skipped() {
    let project = Project::new();
    File::create(project.root().join("docs/huge.md")).unwrap().set_len(100 * 1024 * 1024).unwrap();
    check(&project, "huge.md", "bytes and the limit is");
}

#[test]
fn a_mended_file_is_indexed() {
    let project = Project::new();
    project.write("docs/latin.md", b"# Caf\xe9\n");
    check(&project, "latin.md", "UTF-8");
    project.write("docs/latin.md", "# Café\n\nMended zebras.\n");
    assert!(project.ok(&["search", "zebras"]).contains("latin.md"));
    project.ok(&["index"]);
}

#[test]
fn many_bad_files_are_counted() {
    let project = Project::new();
    for number in 0..25 {
        project.write(&format!("docs/bad{number}.md"), b"# Caf\xe9\n");
    }
    let ran = project.run(&["index"]);
    assert_eq!(ran.err.lines().filter(|line| line.starts_with("skipped: ")).count(), 11, "{ran:?}");
    assert!(ran.err.contains("and 15 more"), "{ran:?}");
}

#[test]
fn a_link_loop_does_no_harm() {
    let project = Project::new();
    std::os::unix::fs::symlink("..", project.root().join("docs/guides/loop")).unwrap();
    std::os::unix::fs::symlink("self.md", project.root().join("docs/self.md")).unwrap();
    let ran = project.run(&["index", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(report["added"], 3, "{ran:?}");
}

#[test]
fn an_empty_folder_is_told() {
    let project = Project::empty();
    assert_eq!(project.json(&["index", "--json"])["files"], 0);
    project.run(&["list"]).check_error(1, "no documents in", "--docs");
    let search = project.run(&["search", "anything"]);
    assert_eq!(search.code, Some(1));
    assert!(
        search.err.contains("nothing found") && search.err.contains("hint: Nothing is indexed yet"),
        "{search:?}"
    );
}

#[test]
fn a_folder_that_goes_missing_loses_nothing() {
    let project = Project::new();
    project.ok(&["index"]);
    fs::rename(project.root().join("docs"), project.root().join("away")).unwrap();
    project.run(&["search", "backoff", "--docs", "docs"]).check_error(
        2,
        "cannot read the documents folder",
        "is kept",
    );
    fs::rename(project.root().join("away"), project.root().join("docs")).unwrap();
    let report = project.json(&["index", "--json"]);
    assert_eq!(report["unchanged"], 3);
}

#[test]
fn an_index_of_a_newer_docent_is_refused_and_kept() {
    let project = Project::new();
    project.ok(&["index"]);
    let record = project.root().join(".docent/record.sqlite");
    let set = |version: u32| {
        rusqlite::Connection::open(&record).unwrap().pragma_update(None, "user_version", version).unwrap()
    };
    let version = |record: &rusqlite::Connection| {
        record.pragma_query_value(None, "user_version", |row| row.get::<_, u32>(0)).unwrap()
    };
    let ours = version(&rusqlite::Connection::open(&record).unwrap());
    set(99);
    for args in [&["search", "x"][..], &["index"], &["index", "--rebuild"], &["check"]] {
        project.run(args).check_error(3, "has format 99", "update docent");
    }
    set(ours);
    assert!(project.ok(&["search", "backoff"]).contains("retries.md"));
}

#[test]
fn a_damaged_index_is_built_anew() {
    let project = Project::new();
    project.ok(&["index"]);
    fs::write(project.root().join(".docent/record.sqlite"), "this is no database, whatever its name says")
        .unwrap();
    let ran = project.run(&["search", "backoff"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.out.contains("retries.md") && ran.err.contains("note: the index was damaged"), "{ran:?}");
    project.ok(&["check"]);
}

#[test]
fn an_index_folder_that_cannot_be_made_is_told() {
    let project = Project::new();
    project.write("file", "");
    project.run(&["index", "--index", "file/index"]).check_error(
        3,
        "cannot make the index folder",
        "--index DIR",
    );
}

/// Whatever part of the derived index is broken, the next commands answer or say in two lines what is wrong.
#[test]
fn damaged_parts_of_the_lexical_index_heal() {
    for ending in ["pos", "term", "fast", "idx", "fieldnorm"] {
        let project = Project::new();
        project.ok(&["index"]);
        let folder = project.root().join(".docent/lexical/chunks");
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        for file in files.filter(|path| path.extension().is_some_and(|found| found == ending)) {
            let length = std::fs::metadata(&file).unwrap().len() as usize;
            std::fs::write(&file, vec![0x5a; length]).unwrap();
        }
        for _ in 0..2 {
            let ran = project.run(&["search", "retries"]);
            assert!(!ran.err.contains("panicked") && !ran.err.contains("internal"), "{ending}: {ran:?}");
        }
        project.ok(&["search", "retries"]);
        project.ok(&["check"]);
    }
}

#[test]
fn a_default_folder_that_goes_missing_is_told() {
    let project = Project::new();
    project.ok(&["index"]);
    project.write("README.md", "# Readme\n");
    std::fs::rename(project.root().join("docs"), project.root().join("docs2")).unwrap();
    let ran = project.run(&["search", "retries"]);
    ran.check_error(2, "is missing", "what was indexed is kept");
}

#[test]
fn an_index_that_may_only_be_read_says_what_to_do() {
    let project = Project::new();
    project.ok(&["index"]);
    let index = project.root().join(".docent");
    set_mode(&index, 0o555);
    if !is_root() {
        let ran = project.run(&["search", "retries"]);
        ran.check_error(3, "may not be written to, and searching it needs that", "copy the folder");
    }
    set_mode(&index, 0o755);
}

#[cfg(unix)]
#[test]
fn an_index_folder_that_leads_out_of_the_project_is_refused() {
    let project = Project::new();
    let outside = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(outside.path(), project.root().join(".docent")).unwrap();
    let ran = project.run(&["search", "service"]);
    ran.check_error(2, "is a link that leads out of the project", "--index");
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
}
