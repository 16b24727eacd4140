//! What is left by a killed process, a broken disk or another version, and what the store makes of it.

use std::fs::{self, OpenOptions as FileOptions};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use docent_index::{DocumentRecord, Filter, LexicalHits, Snapshot, Store, StoreError};
use docent_store_embedded::{EmbeddedStore, OpenOptions};
use docent_testkit::{delete, embed_all, model, put, query, vector};
use tempfile::TempDir;

fn open(dir: &Path) -> EmbeddedStore {
    EmbeddedStore::open(dir, OpenOptions::default()).unwrap()
}

/// An index of three embedded documents.
fn filled() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    store
        .apply(&[
            put("docs", "a.md", "# Otters\n\nThe otter swims.\n\n## Food\n\nAn otter eats fish.\n"),
            put("docs", "b.md", "# Herons\n\nThe heron waits for fish.\n"),
            put("docs", "c.md", "# Lynxes\n\nThe lynx sleeps.\n"),
        ])
        .unwrap();
    embed_all(&store, &model("m"));
    dir
}

fn hits(snapshot: &dyn Snapshot, words: &str) -> LexicalHits {
    snapshot.lexical(&query(words), &Filter::default(), 10).unwrap()
}

fn assert_sound(store: &EmbeddedStore) {
    let report = store.check().unwrap();
    assert_eq!(report.problems, Vec::<String>::new());
}

pub(crate) fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Puts the lexical index back to what `change` started from: as if the process had died before its commit.
fn killed_before_lexical_commit(dir: &Path, change: impl FnOnce(&EmbeddedStore)) {
    let saved = tempfile::tempdir().unwrap();
    copy_folder(&dir.join("lexical"), saved.path());
    change(&open(dir));
    fs::remove_dir_all(dir.join("lexical")).unwrap();
    copy_folder(saved.path(), &dir.join("lexical"));
}

#[test]
fn the_next_process_finishes_what_a_killed_one_began() {
    let dir = filled();
    killed_before_lexical_commit(dir.path(), |store| {
        store
            .apply(&[
                put("docs", "a.md", "# Otters\n\nThe walrus came.\n"),
                delete("docs", "b.md"),
                put("docs", "d.md", "# New\n\nA falcon.\n"),
            ])
            .unwrap();
    });
    let store = open(dir.path());
    let snapshot = store.snapshot().unwrap();
    assert_eq!(hits(&*snapshot, "walrus").chunks.len(), 1);
    assert_eq!(hits(&*snapshot, "falcon").documents.len(), 1);
    assert!(hits(&*snapshot, "heron").chunks.is_empty());
    assert_sound(&store);
}

#[test]
fn a_running_process_finishes_it_too() {
    let dir = filled();
    let running = open(dir.path());
    let before = running.snapshot().unwrap().generation();
    killed_before_lexical_commit(dir.path(), |store| {
        store.apply(&[put("docs", "d.md", "# New\n\nA falcon.\n")]).unwrap();
    });
    let snapshot = running.snapshot().unwrap();
    assert!(snapshot.generation() > before);
    assert_eq!(hits(&*snapshot, "falcon").chunks.len(), 1);
    assert_sound(&running);
}

#[test]
fn a_reader_keeps_the_old_state_while_another_process_is_half_way() {
    let dir = filled();
    let reader = open(dir.path());
    let before = reader.snapshot().unwrap();
    killed_before_lexical_commit(dir.path(), |store| {
        store.apply(&[put("docs", "d.md", "# New\n\nA falcon.\n")]).unwrap();
    });
    let lock = FileOptions::new().write(true).open(dir.path().join("write.lock")).unwrap();
    lock.lock().unwrap();
    let during = reader.snapshot().unwrap();
    assert_eq!(during.generation(), before.generation());
    assert_eq!(hits(&*during, "otter"), hits(&*before, "otter"));
    drop(lock);
    assert_eq!(hits(&*reader.snapshot().unwrap(), "falcon").chunks.len(), 1);
}

/// Everything that a reader gets from a snapshot about its documents.
fn content(snapshot: &dyn Snapshot) -> Vec<(String, String, usize, usize)> {
    let model = model("m");
    let of = |document: Arc<DocumentRecord>| {
        let text = snapshot.text(document.id).unwrap().unwrap_or_default();
        let chunks = snapshot.chunks(&snapshot.chunk_ids(document.id)).unwrap().len();
        assert_eq!(snapshot.chunks_of(document.id).unwrap().len(), chunks);
        let vectors = snapshot.vectors_of(&model, document.id).unwrap();
        (document.path.clone(), text, chunks, vectors.iter().filter(|(_, vector)| vector.is_some()).count())
    };
    snapshot.documents(&Filter::default()).into_iter().map(of).collect()
}

/// A write that leaves one document out, cuts another, and puts a third.
fn rewrite(store: &EmbeddedStore) {
    store
        .apply(&[
            put("docs", "a.md", "# Otters\n\nThe walrus came.\n\n## Food\n\nAn otter eats fish.\n"),
            delete("docs", "b.md"),
            put("docs", "d.md", "# New\n\nA falcon.\n"),
        ])
        .unwrap();
}

#[test]
fn a_reader_keeps_the_old_content_while_another_process_is_half_way() {
    let dir = filled();
    let reader = open(dir.path());
    let before = content(&*reader.snapshot().unwrap());
    assert_eq!(
        before.iter().map(|(.., chunks, vectors)| (*chunks, *vectors)).collect::<Vec<_>>(),
        [(2, 2), (1, 1), (1, 1)]
    );
    killed_before_lexical_commit(dir.path(), rewrite);
    let lock = FileOptions::new().write(true).open(dir.path().join("write.lock")).unwrap();
    lock.lock().unwrap();
    assert_eq!(content(&*reader.snapshot().unwrap()), before);
    let pending = reader.pending(&model("m"), 10).unwrap();
    assert_eq!(pending.len(), 2, "only what is new: {pending:?}");
    drop(lock);
    let after = content(&*reader.snapshot().unwrap());
    assert_eq!(after.iter().map(|(path, ..)| path.as_str()).collect::<Vec<_>>(), ["a.md", "c.md", "d.md"]);
    assert_sound(&reader);
}

#[test]
fn a_reader_that_missed_a_write_waits_for_the_one_under_way() {
    let dir = filled();
    let reader = open(dir.path());
    let before = reader.snapshot().unwrap().generation();
    rewrite(&open(dir.path()));
    killed_before_lexical_commit(dir.path(), |store| {
        store.apply(&[put("docs", "a.md", "# Otters\n\nThe otter is back.\n")]).unwrap();
    });
    let lock = FileOptions::new().write(true).open(dir.path().join("write.lock")).unwrap();
    lock.lock().unwrap();
    let snapshot = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| reader.snapshot().unwrap());
        std::thread::sleep(Duration::from_millis(50));
        drop(lock);
        waiting.join().unwrap()
    });
    assert!(snapshot.generation() > before);
    assert!(content(&*snapshot).iter().all(|(_, text, chunks, _)| !text.is_empty() && *chunks > 0));
}

#[test]
fn what_a_removed_document_leaves_is_nobodys_and_goes_with_the_next_write() {
    let dir = filled();
    let count = |table: &str| -> usize {
        let conn = rusqlite::Connection::open(dir.path().join("record.sqlite")).unwrap();
        conn.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
    };
    let rows = || ["texts", "chunks", "passages", "vectors"].map(count);
    assert_eq!(rows(), [3, 4, 4, 4]);
    open(dir.path()).apply(&[delete("docs", "a.md")]).unwrap();
    assert_eq!(rows(), [3, 4, 4, 4]);

    let (store, model) = (open(dir.path()), model("m"));
    assert_eq!(store.stats().unwrap().models, [(model.id.clone(), 2)]);
    let snapshot = store.snapshot().unwrap();
    let near = snapshot.nearest(&model, &vector(&model, "otter"), &Filter::default(), 9).unwrap();
    assert_eq!(near.len(), 2);
    assert!(store.pending(&model, 10).unwrap().is_empty());

    store.apply(&[put("docs", "d.md", "# New\n\nA falcon.\n")]).unwrap();
    assert_eq!(rows(), [3, 3, 3, 2]);
    store.apply(&[delete("docs", "b.md")]).unwrap();
    assert_sound(&store);
    assert_eq!(rows(), [2, 2, 2, 1]);
}

#[test]
fn a_writer_clears_up_after_one_that_was_killed() {
    let dir = filled();
    let reader = open(dir.path());
    killed_before_lexical_commit(dir.path(), rewrite);
    open(dir.path()).apply(&[delete("docs", "c.md")]).unwrap();
    let snapshot = reader.snapshot().unwrap();
    assert_eq!(hits(&*snapshot, "walrus").chunks.len(), 1);
    assert!(hits(&*snapshot, "heron lynx").chunks.is_empty());
    assert_sound(&reader);
}

#[test]
fn rows_of_no_document_are_found_by_the_check() {
    let dir = filled();
    let store = open(dir.path());
    let conn = rusqlite::Connection::open(dir.path().join("record.sqlite")).unwrap();
    conn.execute("INSERT INTO texts (id, bytes) VALUES (99 << 18, x'20')", []).unwrap();
    let problems = store.check().unwrap().problems;
    assert_eq!(problems, ["texts has 4 rows, and the documents have 3"]);
}

#[test]
fn writing_waits_for_the_lock_and_then_says_busy() {
    let dir = filled();
    let options = OpenOptions { patience: Duration::from_millis(50) };
    let store = EmbeddedStore::open(dir.path(), options).unwrap();
    let lock = FileOptions::new().write(true).open(dir.path().join("write.lock")).unwrap();
    lock.lock().unwrap();
    assert!(matches!(store.apply(&[delete("docs", "a.md")]), Err(StoreError::Busy { .. })));
    assert_eq!(hits(&*store.snapshot().unwrap(), "otter").chunks.len(), 2);
    drop(lock);
    store.apply(&[delete("docs", "a.md")]).unwrap();
}

/// Damages the folder with `damage`, opens it and expects the same answers as before.
fn check_derived_is_restored(damage: impl FnOnce(&Path)) {
    let dir = filled();
    let model = model("m");
    let expected = hits(&*open(dir.path()).snapshot().unwrap(), "otter fish");
    damage(dir.path());
    let store = open(dir.path());
    let found = hits(&*store.snapshot().unwrap(), "otter fish");
    assert_eq!(found.chunks.len(), expected.chunks.len());
    for (one, two) in found.chunks.iter().zip(&expected.chunks) {
        assert_eq!(one.chunk, two.chunk);
        assert!((one.score - two.score).abs() < 1e-5, "{} is not {}", one.score, two.score);
    }
    for (one, two) in found.documents.iter().zip(&expected.documents) {
        assert_eq!(one.0, two.0);
        assert!((one.1 - two.1).abs() < 1e-5, "{} is not {}", one.1, two.1);
    }
    embed_all(&store, &model);
    let near = store.snapshot().unwrap().nearest(&model, &vector(&model, "otter"), &Filter::default(), 9);
    assert_eq!(near.unwrap().len(), 4);
    assert_sound(&store);
}

#[test]
fn a_deleted_lexical_index_is_built_anew_with_the_same_scores() {
    check_derived_is_restored(|dir| fs::remove_dir_all(dir.join("lexical")).unwrap());
}

#[test]
fn half_a_lexical_index_is_built_anew() {
    check_derived_is_restored(|dir| fs::remove_dir_all(dir.join("lexical/pages")).unwrap());
}

#[test]
fn a_lexical_index_with_a_broken_list_of_segments_is_built_anew() {
    check_derived_is_restored(|dir| fs::write(dir.join("lexical/chunks/meta.json"), "{").unwrap());
}

#[test]
fn a_lexical_index_with_missing_segments_is_built_anew() {
    check_derived_is_restored(|dir| {
        for entry in fs::read_dir(dir.join("lexical/chunks")).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "idx") {
                fs::remove_file(path).unwrap();
            }
        }
    });
}

/// Changes a byte in each list of words.
fn spoil_lexical(dir: &Path) {
    for entry in fs::read_dir(dir.join("lexical/chunks")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "idx") {
            let mut bytes = fs::read(&path).unwrap();
            bytes[3] ^= 0xff;
            fs::write(path, bytes).unwrap();
        }
    }
}

#[test]
fn a_spoilt_lexical_index_is_built_anew_after_a_fault_was_seen() {
    check_derived_is_restored(|dir| {
        spoil_lexical(dir);
        fs::write(dir.join("suspect"), "").unwrap();
    });
}

#[test]
fn a_spoilt_lexical_index_is_built_anew_after_a_restart_of_the_machine() {
    check_derived_is_restored(|dir| {
        if dir.join("lexical/boot").exists() {
            spoil_lexical(dir);
            fs::write(dir.join("lexical/boot"), "another start").unwrap();
        }
    });
}

#[test]
fn many_may_open_a_new_index_at_once() {
    let dir = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for number in 0..6 {
            let path = dir.path().join("index");
            scope.spawn(move || {
                let store = open(&path);
                assert!(store.notices().is_empty(), "{:?}", store.notices());
                store.apply(&[put("docs", &format!("{number}.md"), "# Page\n\notter\n")]).unwrap();
            });
        }
    });
    let store = open(&dir.path().join("index"));
    assert_eq!(hits(&*store.snapshot().unwrap(), "otter").chunks.len(), 6);
    assert_sound(&store);
}

#[test]
fn the_lexical_index_of_another_record_is_built_anew() {
    let other = filled();
    open(other.path()).apply(&[put("docs", "z.md", "# Otter\n\notter\n")]).unwrap();
    check_derived_is_restored(|dir| {
        fs::remove_dir_all(dir.join("lexical")).unwrap();
        copy_folder(&other.path().join("lexical"), &dir.join("lexical"));
    });
}

#[test]
fn a_record_that_went_back_in_time_gets_a_lexical_index_to_match() {
    let dir = filled();
    let saved = tempfile::tempdir().unwrap();
    copy_folder(dir.path(), saved.path());
    open(dir.path()).apply(&[put("docs", "d.md", "# New\n\nA falcon.\n")]).unwrap();
    for suffix in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(dir.path().join(format!("record.sqlite{suffix}")));
    }
    fs::copy(saved.path().join("record.sqlite"), dir.path().join("record.sqlite")).unwrap();
    let store = open(dir.path());
    assert!(hits(&*store.snapshot().unwrap(), "falcon").chunks.is_empty());
    assert_eq!(hits(&*store.snapshot().unwrap(), "otter").chunks.len(), 2);
    assert_sound(&store);
}

#[test]
fn a_truncated_vector_file_makes_its_passages_pending_again() {
    check_derived_is_restored(|dir| {
        let file = FileOptions::new().write(true).open(dir.join("vectors-1.bin")).unwrap();
        file.set_len(100).unwrap();
    });
}

#[test]
fn a_missing_vector_file_makes_its_passages_pending_again() {
    check_derived_is_restored(|dir| fs::remove_file(dir.join("vectors-1.bin")).unwrap());
}

#[test]
fn a_vector_file_of_another_kind_is_not_used() {
    check_derived_is_restored(|dir| fs::write(dir.join("vectors-1.bin"), vec![3; 100_000]).unwrap());
}

#[test]
fn rows_beyond_the_known_ones_are_written_over() {
    let dir = filled();
    let path = dir.path().join("vectors-1.bin");
    let mut bytes = fs::read(&path).unwrap();
    bytes.extend([9; 500]);
    fs::write(&path, bytes).unwrap();
    let store = open(dir.path());
    store.apply(&[put("docs", "d.md", "# New\n\nA falcon.\n")]).unwrap();
    assert_eq!(embed_all(&store, &model("m")), 1);
    assert_sound(&store);
}

#[test]
fn check_finds_a_changed_byte_in_a_vector() {
    let dir = filled();
    let path = dir.path().join("vectors-1.bin");
    let mut bytes = fs::read(&path).unwrap();
    bytes[64 + 10] ^= 1;
    fs::write(&path, bytes).unwrap();
    let report = open(dir.path()).check().unwrap();
    assert!(report.problems[0].contains("checksum"), "{report:?}");
}

#[test]
fn check_finds_a_changed_text() {
    let dir = filled();
    let conn = rusqlite::Connection::open(dir.path().join("record.sqlite")).unwrap();
    conn.execute(
        "UPDATE texts SET bytes = CAST('# Other' AS BLOB) WHERE id = (SELECT min(id) FROM texts)",
        [],
    )
    .unwrap();
    let report = open(dir.path()).check().unwrap();
    assert!(report.problems.iter().any(|problem| problem.contains("docs/a.md")), "{report:?}");
}

/// Breaks the record with `damage`: an empty index takes its place, and the old files are kept.
fn check_record_is_set_aside(damage: impl FnOnce(&Path)) {
    let dir = filled();
    damage(&dir.path().join("record.sqlite"));
    let store = open(dir.path());
    let notices = store.notices();
    assert_eq!(notices.len(), 1, "{notices:?}");
    assert!(notices[0].contains("damaged-"), "{notices:?}");
    assert!(store.snapshot().unwrap().documents(&Filter::default()).is_empty());
    let aside = fs::read_dir(dir.path()).unwrap().find_map(|entry| {
        let path = entry.unwrap().path();
        path.file_name().unwrap().to_str().unwrap().starts_with("damaged-").then_some(path)
    });
    assert!(aside.unwrap().join("record.sqlite").exists());
    store.apply(&[put("docs", "a.md", "# Otters\n\nThe otter swims.\n")]).unwrap();
    assert_eq!(hits(&*store.snapshot().unwrap(), "otter").chunks.len(), 1);
    assert_sound(&store);
    drop(store);
    assert!(open(dir.path()).notices().is_empty());
}

#[test]
fn garbage_instead_of_a_record_is_set_aside() {
    check_record_is_set_aside(|path| fs::write(path, vec![42; 50_000]).unwrap());
}

#[test]
fn another_programs_database_is_set_aside() {
    check_record_is_set_aside(|path| {
        fs::remove_file(path).unwrap();
        rusqlite::Connection::open(path).unwrap().execute_batch("CREATE TABLE other (x)").unwrap();
    });
}

#[test]
fn a_record_that_was_seen_to_be_broken_is_looked_at_and_set_aside() {
    check_record_is_set_aside(|path| {
        let mut bytes = fs::read(path).unwrap();
        for byte in &mut bytes[8192..] {
            *byte = 0xa5;
        }
        fs::write(path, bytes).unwrap();
        fs::write(path.with_file_name("suspect"), "").unwrap();
    });
}

#[test]
fn a_mark_on_a_sound_record_is_taken_away() {
    let dir = filled();
    fs::write(dir.path().join("suspect"), "").unwrap();
    let store = open(dir.path());
    assert!(store.notices().is_empty());
    assert!(!dir.path().join("suspect").exists());
    assert_eq!(hits(&*store.snapshot().unwrap(), "otter").chunks.len(), 2);
}

#[test]
fn a_record_from_the_future_is_refused_and_not_touched() {
    let dir = filled();
    let path = dir.path().join("record.sqlite");
    rusqlite::Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let error = EmbeddedStore::open(dir.path(), OpenOptions::default()).err().unwrap();
    assert!(matches!(error, StoreError::Newer { found: 99, supported: 3, .. }), "{error}");
    assert!(
        fs::read_dir(dir.path())
            .unwrap()
            .all(|entry| { !entry.unwrap().file_name().to_str().unwrap().starts_with("damaged-") })
    );
    rusqlite::Connection::open(&path).unwrap().pragma_update(None, "user_version", 3).unwrap();
    assert_eq!(hits(&*open(dir.path()).snapshot().unwrap(), "otter").chunks.len(), 2);
}

#[test]
fn a_folder_that_cannot_be_made_is_an_io_error() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    let error = EmbeddedStore::open(&file.join("index"), OpenOptions::default()).err().unwrap();
    assert!(matches!(error, StoreError::Io { .. }), "{error}");
}

#[test]
fn vector_files_are_written_anew_when_mostly_dead() {
    let dir = tempfile::tempdir().unwrap();
    let (store, model) = (open(dir.path()), model("m"));
    let page = |round: usize| {
        let sections: String =
            (0..700).map(|i| format!("## Section {i}\n\nword{i} round{round}\n\n")).collect();
        put("docs", "a.md", &format!("# Page\n\n{sections}"))
    };
    store.apply(&[put("docs", "b.md", "# Herons\n\nThe heron waits.\n")]).unwrap();
    for round in 0..3 {
        store.apply(&[page(round)]).unwrap();
        embed_all(&store, &model);
    }
    let old = store.snapshot().unwrap();
    store.apply(&[page(3)]).unwrap();
    embed_all(&store, &model);
    assert!(!dir.path().join("vectors-1.bin").exists());
    let check = |snapshot: &dyn Snapshot| {
        let hits =
            snapshot.nearest(&model, &vector(&model, "Herons b.md The heron waits"), &Filter::default(), 1);
        let hit = hits.unwrap()[0];
        assert_eq!(snapshot.document(hit.document).unwrap().path, "b.md");
    };
    check(&*old);
    check(&*store.snapshot().unwrap());
    check(&*open(dir.path()).snapshot().unwrap());
    assert_sound(&store);
}

#[test]
fn many_small_batches_do_not_leave_many_segments() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    for round in 0..40 {
        store.apply(&[put("docs", &format!("{round}.md"), "# Page\n\nsame words\n")]).unwrap();
    }
    let meta = fs::read_to_string(dir.path().join("lexical/chunks/meta.json")).unwrap();
    let segments = meta.matches("segment_id").count();
    assert!(segments <= 9, "{segments} segments");
    assert_eq!(hits(&*store.snapshot().unwrap(), "same").chunks.len(), 10);
    assert_sound(&store);
}
