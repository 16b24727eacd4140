//! From a folder to an index.

use docent_engine::{Cancel, ChunkOptions, Freshness, Silent, SourceRules};

use crate::world::{World, paths, search, sync};

#[test]
fn a_second_run_has_nothing_to_do() {
    let world = World::new(&[("a.md", "# A\n\nalpha\n"), ("b/c.md", "# C\n\ngamma\n")]);
    let engine = world.engine(Freshness::Synced);
    let first = sync(&engine);
    assert_eq!((first.files, first.added, first.unchanged), (2, 2, 0));
    std::thread::sleep(std::time::Duration::from_millis(60));
    sync(&engine); // settles files that were read right after they were written
    let again = sync(&engine);
    assert_eq!((again.added, again.changed, again.deleted, again.unchanged), (0, 0, 0, 2));
}

#[test]
fn ignore_files_and_globs_are_respected() {
    let world = World::new(&[
        ("a.md", "# Kept\n"),
        ("node_modules/x.md", "# Ignored\n"),
        (".hidden/y.md", "# Hidden\n"),
        ("drafts/z.md", "# Draft\n"),
        ("notes.txt", "text"),
        (".gitignore", "node_modules\n"),
    ]);
    let rules = SourceRules { exclude: vec!["drafts".into()], ..SourceRules::default() };
    let engine = world.engine_with(Freshness::Synced, &rules);
    sync(&engine);
    let pages = engine.list(&[], None).unwrap().pages;
    assert_eq!(pages.iter().map(|page| page.file_path.as_str()).collect::<Vec<_>>(), ["a.md"]);
}

#[test]
fn bad_files_are_reported_and_the_rest_goes_on() {
    let world = World::new(&[("good.md", "# Good\n\nneedle\n")]);
    std::fs::write(world.docs.join("latin.md"), b"# caf\xe9\n").unwrap();
    std::fs::write(world.docs.join("binary.md"), b"\x7fELF\0\0\0").unwrap();
    let large = std::fs::File::create(world.docs.join("large.md")).unwrap();
    large.set_len(100 * 1024 * 1024).unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("loop.md", world.docs.join("loop.md")).unwrap();
        std::os::unix::fs::symlink("..", world.docs.join("up")).unwrap();
        std::os::unix::fs::symlink("/etc/hostname", world.docs.join("outside.md")).unwrap();
    }
    let engine = world.engine(Freshness::Synced);
    let report = sync(&engine);
    assert_eq!(report.added, 1);
    let reasons: Vec<String> = report.problems.iter().map(|p| format!("{}: {}", p.path, p.reason)).collect();
    let expected = [
        "binary.md: the content is binary, not text",
        "large.md: the file has 104857600 bytes and the limit is 16777216 (setting `max_file_bytes`)",
        "latin.md: not valid UTF-8 at line 1 (byte 5); save the file as UTF-8",
        "loop.md: the link cannot be followed: too many levels of symbolic links",
        "outside.md: the link points outside the documents folder",
    ];
    assert_eq!(reasons, expected);
    assert_eq!(paths(&search(&engine, "needle")), ["good.md"]);
    assert_eq!(engine.status().unwrap().failed_files.len(), 5);
}

#[test]
fn a_failed_file_that_is_mended_is_indexed() {
    let world = World::new(&[]);
    std::fs::write(world.docs.join("a.md"), b"# caf\xe9\n").unwrap();
    let engine = world.engine(Freshness::EachCall);
    sync(&engine);
    assert_eq!(engine.status().unwrap().failed_files.len(), 1);
    world.write("a.md", "# Mended needle\n");
    assert_eq!(paths(&search(&engine, "needle")), ["a.md"]);
    assert!(engine.status().unwrap().failed_files.is_empty());
}

#[test]
fn other_cutting_rules_reach_unchanged_files() {
    let long: String = (0..200).map(|i| format!("Sentence number {i} of a long section.\n\n")).collect();
    let world = World::new(&[("a.md", &format!("# Long\n\n{long}"))]);
    let before = world.synced().status().unwrap().index.total_chunks;
    let engine = world.engine_cutting(ChunkOptions { max_chars: 1000, ..ChunkOptions::default() });
    let report = sync(&engine);
    assert_eq!((report.added, report.changed), (0, 1));
    assert!(engine.status().unwrap().index.total_chunks > before);
    std::thread::sleep(std::time::Duration::from_millis(60));
    sync(&engine);
    assert_eq!(sync(&engine).unchanged, 1);
}

#[test]
fn an_empty_folder_is_no_error() {
    let world = World::new(&[]);
    let engine = world.synced();
    let answer = search(&engine, "anything");
    assert!(answer.results.is_empty());
    assert!(answer.hint.unwrap().message.contains("Nothing is indexed"));
}

#[test]
fn a_removed_root_is_an_error_state_and_not_a_mass_delete() {
    let world = World::new(&[("a.md", "# Needle\n\nneedle\n")]);
    let engine = world.synced();
    crate::world::rename(&world.docs, &world.docs.with_extension("gone"));
    let error = engine.sync(None, &Silent, &Cancel::default()).unwrap_err();
    assert!(error.hint.contains("kept"), "{error:?}");
    let answer = search(&engine, "needle");
    assert!(answer.results[0].stale);
    assert!(!answer.searched.degraded.is_empty());
    crate::world::rename(&world.docs.with_extension("gone"), &world.docs);
    assert!(!search(&engine, "needle").results[0].stale);
}

#[test]
fn a_cancelled_run_keeps_what_it_has_and_the_next_goes_on() {
    let files: Vec<(String, String)> =
        (0..50).map(|i| (format!("{i}.md"), format!("# Page {i}\n\nneedle\n"))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let world = World::new(&files);
    let engine = world.engine(Freshness::Synced);
    let cancel = Cancel::default();
    cancel.cancel();
    let report = engine.sync(None, &Silent, &cancel).unwrap().remove(0);
    assert!(report.cancelled);
    assert!(report.added < 50);
    sync(&engine);
    assert_eq!(engine.status().unwrap().index.total_pages, 50);
}
