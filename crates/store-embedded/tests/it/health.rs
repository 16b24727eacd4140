//! The embedded docs health against the rules that hold for every place of it, and against its own promises.

use std::time::Duration;

use docent_index::health::{HealthError, HealthStore, Recorded};
use docent_store_embedded::EmbeddedHealth;
use docent_testkit::health::{claim, document};

docent_testkit::health_suite!({
    let folder = tempfile::tempdir().unwrap();
    Some((EmbeddedHealth::new(folder.path()), folder))
});

fn filled(store: &EmbeddedHealth, count: u32) -> String {
    let repo = store.put_repo("acme", "shop", 1).unwrap().id;
    let claims = (1..=count).map(|line| claim(line, &format!("make target{line}"))).collect();
    let recorded =
        Recorded { verified_at: 1, documents: vec![document("a.md", claims)], ..Recorded::default() };
    store.record(&repo, &recorded).unwrap();
    repo
}

#[test]
fn nothing_is_written_until_there_is_something_to_keep() {
    let folder = tempfile::tempdir().unwrap();
    let store = EmbeddedHealth::new(folder.path());
    assert_eq!(store.repo("acme", "shop").unwrap(), None);
    assert!(store.claims("x").unwrap().is_empty());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn another_process_sees_what_was_kept_and_who_only_reads_cannot_write() {
    let folder = tempfile::tempdir().unwrap();
    let (store, reader) = (EmbeddedHealth::new(folder.path()), EmbeddedHealth::reading(folder.path()));
    let repo = filled(&store, 3);
    assert_eq!(reader.claims(&repo).unwrap().len(), 3);
    assert!(matches!(reader.put_repo("acme", "other", 1), Err(HealthError::ReadOnly { .. })));
    let refused = reader.record(&repo, &Recorded::default());
    assert!(matches!(refused, Err(HealthError::ReadOnly { .. })));
}

#[test]
fn a_query_that_takes_too_long_is_ended() {
    let folder = tempfile::tempdir().unwrap();
    let repo = filled(&EmbeddedHealth::new(folder.path()), 2000);
    let store = EmbeddedHealth::new(folder.path()).with_limit(Duration::ZERO);
    assert!(matches!(store.claims(&repo), Err(HealthError::Timeout)));
    assert!(matches!(store.counts(&repo), Err(HealthError::Timeout)));
    // The connection is as good as before.
    let patient = EmbeddedHealth::new(folder.path());
    assert_eq!(patient.claims(&repo).unwrap().len(), 2000);
}

#[test]
fn a_file_that_is_no_database_is_told_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("health.sqlite");
    std::fs::write(&path, "these are the words of somebody".repeat(100)).unwrap();
    let store = EmbeddedHealth::new(folder.path());
    assert!(matches!(store.repo("a", "b"), Err(HealthError::Connection { .. })));
    assert!(store.put_repo("a", "b", 1).is_err());
    assert!(std::fs::read_to_string(&path).unwrap().starts_with("these are"));
}

#[test]
fn a_file_of_a_newer_docent_is_told() {
    let folder = tempfile::tempdir().unwrap();
    filled(&EmbeddedHealth::new(folder.path()), 1);
    let conn = rusqlite::Connection::open(folder.path().join("health.sqlite")).unwrap();
    conn.pragma_update(None, "user_version", 99).unwrap();
    drop(conn);
    let store = EmbeddedHealth::new(folder.path());
    assert!(matches!(store.repo("acme", "shop"), Err(HealthError::Newer { found: 99, .. })));
    assert!(matches!(store.put_repo("x", "y", 1), Err(HealthError::Newer { .. })));
}

#[test]
fn a_file_that_was_moved_away_is_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    let store = EmbeddedHealth::new(folder.path());
    let repo = filled(&store, 2);
    for name in ["health.sqlite", "health.sqlite-wal", "health.sqlite-shm"] {
        let _ = std::fs::remove_file(folder.path().join(name));
    }
    assert!(store.claims(&repo).unwrap().is_empty());
    let repo = filled(&store, 2);
    assert_eq!(store.claims(&repo).unwrap().len(), 2);
}
