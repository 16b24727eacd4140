//! Never stale after a finished write.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use docent_engine::{Engine, Freshness, SearchRequest};
use docent_testkit::Over;

use crate::world::{World, paths, rename, search, sync};

/// Runs the same steps with each way of noticing changes.
fn with_each(check: impl Fn(&World, &Engine)) {
    for watching in [false, true] {
        let world = World::new(&[("a.md", "# A\n\nalpha needle\n"), ("b.md", "# B\n\nbeta\n")]);
        let engine = world.engine(Freshness::EachCall);
        sync(&engine);
        if watching {
            engine.start_background().unwrap();
        }
        check(&world, &engine);
    }
}

#[test]
fn an_edit_is_found_by_the_next_call() {
    with_each(|world, engine| {
        world.write("a.md", "# A\n\nomega thread\n");
        let answer = search(engine, "omega");
        assert_eq!(paths(&answer)[0], "a.md");
        assert!(answer.results[0].content.contains("omega thread"));
        assert!(!answer.results[0].stale);
    });
}

#[test]
fn two_edits_within_one_tick_of_the_clock_are_told_apart() {
    with_each(|world, engine| {
        for word in ["aaaa", "bbbb", "cccc", "dddd"] {
            world.write("a.md", &format!("# A\n\n{word}\n"));
            assert!(search(engine, word).results[0].content.contains(word));
        }
    });
}

#[test]
fn a_new_file_is_found_by_the_next_call() {
    with_each(|world, engine| {
        world.write("deep/er/c.md", "# C\n\nquokka\n");
        assert_eq!(paths(&search(engine, "quokka"))[0], "deep/er/c.md");
    });
}

#[test]
fn a_deleted_file_vanishes_at_once() {
    with_each(|world, engine| {
        world.remove("a.md");
        assert!(!paths(&search(engine, "alpha needle")).contains(&"a.md"));
        assert!(engine.page(&[], "a.md").is_err());
    });
}

#[test]
fn a_renamed_file_is_found_under_its_new_name_only() {
    with_each(|world, engine| {
        rename(&world.docs.join("a.md"), &world.docs.join("z.md"));
        let answer = search(engine, "alpha needle");
        assert_eq!(paths(&answer)[0], "z.md");
        assert!(!paths(&answer).contains(&"a.md"));
    });
}

#[test]
fn an_engine_that_was_synced_before_still_checks_its_hits() {
    let world = World::new(&[("a.md", "# A\n\nalpha needle\n")]);
    let engine = world.engine(Freshness::Synced);
    sync(&engine);
    world.write("a.md", "# A\n\nchanged needle\n");
    let answer = search(&engine, "needle");
    assert!(answer.results[0].content.contains("changed"), "{answer:?}");
    world.remove("a.md");
    assert!(search(&engine, "needle").results.is_empty());
}

#[test]
fn the_background_embeds_what_changed() {
    let world = World::new(&[("a.md", "# A\n\nalpha\n")]);
    let engine = world.engine(Freshness::EachCall);
    engine.start_background().unwrap();
    world.write("b.md", "# B\n\nbeta\n");
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        let status = engine.status().unwrap();
        let embedding = status.embedding.unwrap();
        if status.index.total_pages == 2 && embedding.pending == 0 && embedding.embedded > 0 {
            return;
        }
        assert!(Instant::now() < until, "still pending: {embedding:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A thousand random edits, renames and deletes while two threads search. Every file holds one line that names its
/// path and version; a hit that is not marked stale must show the version that was on disk when the search began or a
/// later one.
#[test]
fn no_stale_hit_in_a_thousand_changes() {
    const FILES: usize = 24;
    let world = World::new(&[]);
    let text = |version: usize| format!("# Page\n\nneedle version {version} end\n");
    for file in 0..FILES {
        world.write(&format!("f{file}.md"), &text(0));
    }
    let engine = world.engine(Freshness::EachCall);
    sync(&engine);
    engine.start_background().unwrap();
    // Versions only grow, over all files, so one number says how old the oldest honest answer may be per file.
    let current: Vec<std::sync::atomic::AtomicI64> = (0..FILES).map(|_| 0.into()).collect();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let over = Over(&done);
        for _ in 0..2 {
            scope.spawn(|| {
                let mut request = SearchRequest::new("needle version");
                request.top_k = 20;
                while !done.load(Ordering::SeqCst) {
                    let before: Vec<i64> =
                        current.iter().map(|version| version.load(Ordering::SeqCst)).collect();
                    let answer = engine.search(&request).unwrap();
                    for hit in answer.results.iter().filter(|hit| !hit.stale) {
                        let file: usize =
                            hit.metadata.file_path[1..].trim_end_matches(".md").parse().unwrap();
                        let shown: i64 =
                            hit.content.split_whitespace().rev().nth(1).unwrap().parse().unwrap();
                        let known = before[file];
                        // A negative number means: deleted at that version and not written again before the search.
                        let deleted = known < 0 && current[file].load(Ordering::SeqCst) == known;
                        assert!(!deleted, "{} was deleted and is shown", hit.metadata.file_path);
                        assert!(
                            shown >= known.abs(),
                            "{} shows {shown}, was {known}",
                            hit.metadata.file_path
                        );
                    }
                }
            });
        }
        let mut seed = 7u64;
        let mut random = move |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % below
        };
        for version in 1..=1000usize {
            let file = random(FILES);
            let path = world.docs.join(format!("f{file}.md"));
            let number = version as i64;
            match random(4) {
                0 if path.exists() => {
                    std::fs::remove_file(&path).unwrap();
                    current[file].store(-number, Ordering::SeqCst);
                }
                1 => {
                    // A rename over the file: what editors do when they save.
                    let draft = world.docs.join(format!("draft-{file}.tmp"));
                    std::fs::write(&draft, text(version)).unwrap();
                    std::fs::rename(&draft, &path).unwrap();
                    current[file].store(number, Ordering::SeqCst);
                }
                _ => {
                    let draft = world.docs.join(format!("draft-{file}.tmp"));
                    std::fs::write(&draft, text(version)).unwrap();
                    // In place, but in one write, so that a half-written file is not mistaken for a stale one.
                    std::fs::copy(&draft, &path).unwrap();
                    std::fs::remove_file(&draft).unwrap();
                    current[file].store(number, Ordering::SeqCst);
                }
            }
            if version % 10 == 0 {
                std::thread::sleep(Duration::from_millis(3));
            }
        }
        drop(over);
    });
}

/// `git clean` takes the index of a running server along.
#[test]
fn an_index_that_is_deleted_under_a_running_engine_is_built_anew() {
    with_each(|world, engine| {
        for round in 0..2 {
            // The background may be writing meanwhile.
            while world.index.exists() && std::fs::remove_dir_all(&world.index).is_err() {}
            world.write("a.md", &format!("# A\n\naardvark{round}\n"));
            let answer = search(engine, &format!("aardvark{round}"));
            assert_eq!(paths(&answer).first(), Some(&"a.md"), "{round}: {:?}", answer.searched);
            assert_eq!(engine.status().unwrap().index.total_pages, 2);
        }
    });
}

#[test]
fn what_is_read_while_the_folder_is_missing_says_so() {
    with_each(|world, engine| {
        let away = world.docs.with_file_name("away");
        std::fs::rename(&world.docs, &away).unwrap();
        assert!(engine.page(&[], "a.md").unwrap().stale);
        assert!(engine.section(&[], "a.md", "A").unwrap().stale);
        assert!(engine.list(&[], None).unwrap().stale);
        assert_eq!(engine.status().unwrap().watcher.state, "folder missing");
        std::fs::rename(&away, &world.docs).unwrap();
        assert!(!engine.page(&[], "a.md").unwrap().stale);
        assert!(!engine.list(&[], None).unwrap().stale);
    });
}

/// A checkout of a branch without documents and back.
#[test]
fn a_folder_that_took_the_place_of_another_is_looked_at_and_watched() {
    with_each(|world, engine| {
        std::fs::remove_dir_all(&world.docs).unwrap();
        let _ = search(engine, "needle");
        std::fs::create_dir_all(&world.docs).unwrap();
        world.write("new.md", "# New\n\nbanana\n");
        assert_eq!(paths(&search(engine, "banana")), ["new.md"]);
        assert_eq!(engine.list(&[], None).unwrap().total_pages, 1);
        let other = world.docs.with_file_name("other");
        std::fs::create_dir_all(&other).unwrap();
        std::fs::write(other.join("other.md"), "# Other\n\ncherry\n").unwrap();
        std::fs::rename(&world.docs, world.docs.with_file_name("old")).unwrap();
        std::fs::rename(&other, &world.docs).unwrap();
        assert_eq!(paths(&search(engine, "cherry")), ["other.md"]);
        world.write("late.md", "# Late\n\ndamson\n");
        assert_eq!(paths(&search(engine, "damson"))[0], "late.md");
        let degraded = engine.status().unwrap().degraded;
        assert!(degraded.iter().all(|reason| reason.contains("no vector yet")), "{degraded:?}");
    });
}

#[cfg(unix)]
#[test]
fn an_edit_under_another_name_is_found_by_the_next_call() {
    with_each(|world, engine| {
        std::os::unix::fs::symlink("a.md", world.docs.join("link.md")).unwrap();
        let outside = world.docs.with_file_name("outside.md");
        std::fs::write(&outside, "# Outside\n\nfirst\n").unwrap();
        std::fs::hard_link(&outside, world.docs.join("hard.md")).unwrap();
        assert_eq!(engine.list(&[], None).unwrap().total_pages, 4);
        for round in 0..3 {
            world.write("a.md", &format!("# A\n\nfig{round}\n"));
            let answer = search(engine, &format!("fig{round}"));
            let mut found = paths(&answer);
            found.sort_unstable();
            assert!(found.starts_with(&["a.md"]) && found.contains(&"link.md"), "{found:?}");
            std::fs::write(&outside, format!("# Outside\n\nplum{round}\n")).unwrap();
            assert_eq!(paths(&search(engine, &format!("plum{round}")))[0], "hard.md");
        }
    });
}
