//! What a walk would not take does not come in by another way: a reader that names it, or a write that is noticed.

use docent_engine::{Engine, Freshness, SourceRules};
use docent_index::Store;
use docent_store_embedded::{EmbeddedStore, OpenOptions};
use docent_testkit::put;

use crate::world::{World, paths, search, sync};

fn world() -> World {
    World::new(&[
        ("a.md", "# A\n\nneedle\n"),
        ("sub/b.md", "# B\n\nneedle\n"),
        (".gitignore", "secret.md\nign/\n"),
        (".ignore", "private.md\n"),
        ("sub/.gitignore", "own.md\n"),
        ("secret.md", "# Secret\n\nneedle\n"),
        ("private.md", "# Private\n\nneedle\n"),
        ("sub/own.md", "# Own\n\nneedle\n"),
        ("ign/i.md", "# Ignored\n\nneedle\n"),
        (".hid/h.md", "# Hidden\n\nneedle\n"),
        (".h.md", "# Hidden\n\nneedle\n"),
        ("drafts/d.md", "# Draft\n\nneedle\n"),
    ])
}

fn engine(world: &World, freshness: Freshness) -> Engine {
    let rules = SourceRules { exclude: vec!["drafts".into()], ..SourceRules::default() };
    let engine = world.engine_with(freshness, &rules);
    sync(&engine);
    engine
}

fn listed(engine: &Engine) -> Vec<String> {
    engine.list(&[], None).unwrap().pages.into_iter().map(|page| page.file_path).collect()
}

/// Reads `target` with each way of noticing changes, and expects that nothing is there and nothing has come.
fn check_refused(target: impl Fn(&World) -> String) {
    for freshness in [Freshness::Synced, Freshness::EachCall] {
        let world = world();
        let engine = engine(&world, freshness);
        let target = target(&world);
        for target in [target.clone(), format!("{target}#_part-1")] {
            let error = engine.get(&[], &target).map(drop).unwrap_err();
            assert!(error.message.starts_with("No page found"), "{target}: {}", error.message);
        }
        assert_eq!(listed(&engine), ["a.md", "sub/b.md"], "after {target}");
        assert!(paths(&search(&engine, "needle")).iter().all(|path| ["a.md", "sub/b.md"].contains(path)));
    }
}

#[test]
fn reading_what_is_ignored_hidden_or_left_out_finds_nothing() {
    for path in [
        "secret.md",
        "private.md",
        "sub/own.md",
        "ign/i.md",
        ".hid/h.md",
        ".h.md",
        "drafts/d.md",
        "./secret.md",
    ] {
        check_refused(|_| path.to_owned());
    }
    check_refused(|world| world.docs.join("secret.md").to_str().unwrap().to_owned());
    check_refused(|_| "docs/ign/i.md".to_owned());
}

#[test]
fn other_spellings_make_no_second_document() {
    for path in
        ["sub/../a.md", "sub//b.md", "sub/./b.md", "../docs/a.md", "sub/../sub/b.md", "a.md/", "sub\\b.md"]
    {
        check_refused(|_| path.to_owned());
    }
    check_refused(|world| format!("{}/../docs/a.md", world.docs.display()));
    check_refused(|world| format!("{}//a.md", world.docs.display()));
}

#[test]
fn what_is_outside_the_folder_is_not_told() {
    let world = world();
    let engine = engine(&world, Freshness::Synced);
    std::fs::create_dir(world.docs.parent().unwrap().join("evil")).unwrap();
    let told = |folder: &str| {
        let error = engine.get(&[], &format!("../{folder}/../docs/a.md")).map(drop).unwrap_err();
        (error.message.replace(folder, ""), error.hint)
    };
    assert_eq!(told("evil"), told("live"));
}

#[cfg(unix)]
#[test]
fn links_to_folders_are_not_followed() {
    let world = world();
    std::os::unix::fs::symlink(world.docs.join("sub"), world.docs.join("link")).unwrap();
    let engine = engine(&world, Freshness::Synced);
    engine.get(&[], "link/b.md").map(drop).unwrap_err();
    assert_eq!(listed(&engine), ["a.md", "sub/b.md"]);
}

#[test]
fn spellings_that_are_meant_name_the_one_document() {
    let world = world();
    let engine = engine(&world, Freshness::Synced);
    let absolute = world.docs.join("sub/b.md");
    for path in ["sub/b.md", "./sub/b.md", "/sub/b.md", "docs/sub/b.md", absolute.to_str().unwrap()] {
        assert_eq!(engine.page(&[], path).unwrap().file_path, "sub/b.md", "{path}");
    }
    assert_eq!(listed(&engine), ["a.md", "sub/b.md"]);
}

#[test]
fn a_file_that_was_just_written_is_there_for_the_next_read() {
    let world = world();
    let engine = engine(&world, Freshness::Synced);
    let absolute = world.docs.join("three.md");
    for (path, spelling) in [
        ("one.md", "one.md"),
        ("new/folder/two.md", "./new/folder/two.md"),
        ("three.md", absolute.to_str().unwrap()),
        ("sub/four.md", "docs/sub/four.md"),
    ] {
        world.write(path, "# New\n\nquokka\n");
        assert_eq!(engine.page(&[], spelling).unwrap().file_path, path);
    }
}

#[test]
fn editing_what_is_ignored_does_not_bring_it_in() {
    let world = world();
    let engine = engine(&world, Freshness::EachCall);
    engine.start_background().unwrap();
    for path in ["secret.md", "ign/i.md", "sub/own.md", "drafts/d.md", ".hid/h.md"] {
        world.write(path, "# Edited\n\nneedle thread\n");
        assert_eq!(listed(&engine), ["a.md", "sub/b.md"], "after an edit of {path}");
    }
}

#[test]
fn what_came_in_before_goes_with_the_next_walk() {
    let world = world();
    let engine = engine(&world, Freshness::Synced);
    let store = EmbeddedStore::open(&world.index, OpenOptions::default()).unwrap();
    let unwanted = ["secret.md", ".hid/h.md", "ign/i.md", "sub/../a.md", "sub//b.md", "../docs/a.md"];
    store.apply(&unwanted.map(|path| put("docs", path, "# Unwanted\n\nneedle\n"))).unwrap();
    assert_eq!(sync(&engine).deleted, unwanted.len());
    assert_eq!(listed(&engine), ["a.md", "sub/b.md"]);
}
