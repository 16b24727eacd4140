//! What was removed and purged is in no file of the index any more.

use std::fs;
use std::path::Path;

use docent_index::{Change, Store};
use docent_store_embedded::{EmbeddedStore, OpenOptions};
use docent_testkit::{delete, document, embed_all, model, put};

/// A word that no stemmer changes.
const RARE: &str = "zyxquorl";

/// Files below `dir` in which the word stands.
fn files_with(dir: &Path, word: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_with(&path, word));
            continue;
        }
        let bytes = fs::read(&path).unwrap();
        if bytes.windows(word.len()).any(|window| window.eq_ignore_ascii_case(word.as_bytes())) {
            found.push(path.display().to_string());
        }
    }
    found
}

fn rare(path: &str, words: usize) -> Change {
    let text: String = (0..words)
        .map(|at| format!("# {RARE} {at}\n\nThe {RARE} number {at} is {}.\n\n", at * 7919))
        .collect();
    let mut made = document("docs", path, &text);
    made.details = format!("{{\"note\":\"{RARE}\"}}");
    Change::Put(Box::new(made))
}

fn plain(at: usize) -> Change {
    let text: String =
        (0..at % 9 + 1).map(|part| format!("# Part {part}\n\nHerons and {at} otters.\n\n")).collect();
    put("docs", &format!("{at}.md"), &text)
}

fn open(dir: &Path) -> EmbeddedStore {
    EmbeddedStore::open(dir, OpenOptions::default()).unwrap()
}

fn assert_gone(dir: &Path, store: &EmbeddedStore) {
    assert_eq!(files_with(dir, RARE), Vec::<String>::new());
    assert_eq!(store.check().unwrap().problems, Vec::<String>::new());
}

#[test]
fn no_file_tells_what_was_removed() {
    let dir = tempfile::tempdir().unwrap();
    let (store, model) = (open(dir.path()), model("m"));
    // Among others, in several versions, so that rows move between pages and segments are merged.
    for round in 0..6 {
        let others: Vec<_> = (round * 20..round * 20 + 20).map(plain).collect();
        store.apply(&others).unwrap();
        store.apply(&[rare(&format!("{RARE}.md"), 3 + round * 40), rare("b.md", 200 - round * 30)]).unwrap();
        embed_all(&store, &model);
    }
    assert!(!files_with(dir.path(), RARE).is_empty());
    store.apply(&[delete("docs", &format!("{RARE}.md")), delete("docs", "b.md")]).unwrap();
    assert!(store.purge(&[]).unwrap().is_complete);
    assert_gone(dir.path(), &store);
    assert_eq!(fs::metadata(dir.path().join("record.sqlite-wal")).map_or(0, |found| found.len()), 0);
    drop(store);
    assert_gone(dir.path(), &open(dir.path()));
}

#[test]
fn copies_that_were_set_aside_go_too() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    store.apply(&[rare("a.md", 3)]).unwrap();
    fs::create_dir(dir.path().join("damaged-1")).unwrap();
    fs::copy(dir.path().join("record.sqlite"), dir.path().join("damaged-1/record.sqlite")).unwrap();
    fs::write(dir.path().join("lexical/chunks/0123456789abcdef0123456789abcdef.term"), RARE).unwrap();
    fs::create_dir(dir.path().join("discarded-1-1")).unwrap();
    fs::write(dir.path().join("discarded-1-1/x"), RARE).unwrap();
    store.remove_collection("docs").unwrap();
    assert!(store.purge(&[]).unwrap().is_complete);
    assert_gone(dir.path(), &store);
}

#[test]
fn a_reader_that_holds_on_is_not_disturbed_and_the_next_write_finishes() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    store.apply(&[rare("a.md", 30), plain(1)]).unwrap();
    let reader = rusqlite::Connection::open(dir.path().join("record.sqlite")).unwrap();
    reader.execute_batch("BEGIN").unwrap();
    let count = || reader.query_row("SELECT count(*) FROM texts", [], |row| row.get::<_, usize>(0)).unwrap();
    let before = count();
    store.apply(&[delete("docs", "a.md")]).unwrap();
    assert!(!store.purge(&[]).unwrap().is_complete);
    assert_eq!(count(), before);
    // Also somebody else, who comes when the reader has gone.
    reader.execute_batch("COMMIT").unwrap();
    let other = open(dir.path());
    other.apply(&[plain(2)]).unwrap();
    assert_gone(dir.path(), &other);
    assert!(!dir.path().join("purge").exists());
}

#[test]
fn what_one_that_was_killed_had_noted_is_done_by_the_next_writer() {
    let dir = tempfile::tempdir().unwrap();
    {
        let store = open(dir.path());
        store.apply(&[rare("a.md", 30), plain(1)]).unwrap();
        store.apply(&[delete("docs", "a.md")]).unwrap();
    }
    fs::write(dir.path().join("purge"), "").unwrap();
    let store = open(dir.path());
    store.apply(&[plain(2)]).unwrap();
    assert_gone(dir.path(), &store);
    assert!(!dir.path().join("purge").exists());
}
