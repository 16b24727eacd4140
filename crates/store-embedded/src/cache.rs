//! Vectors that were computed before, shared by all indexes of a user.
//!
//! A SQLite file of its own, keyed by model and passage hash. It is only ever a saving of time: whatever fails here is
//! answered with "not known", and a file that cannot be used at all turns the cache off.

use std::fs;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use docent_index::{EmbeddingCache, Model, PassageHash, QuantisedVector};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

/// Bytes that the cache may take unless told otherwise.
const DEFAULT_LIMIT: u64 = 1 << 30;
/// Share of the rows that goes, oldest first, when the limit is reached.
const DROPPED_SHARE: u64 = 10;
const BUSY_TIMEOUT: Duration = Duration::from_secs(2);
const VERSION: i64 = 1;

/// The user's embedding cache. Any number of processes may use the same file.
pub struct UserCache {
    conn: Option<Mutex<Connection>>,
    limit: u64,
}

impl UserCache {
    /// Opens the cache at `path`, or makes one. When neither is possible, the cache holds nothing.
    pub fn open(path: &Path) -> Self {
        Self::with_limit(path, DEFAULT_LIMIT)
    }

    /// The same with another size in bytes.
    pub fn with_limit(path: &Path, limit: u64) -> Self {
        let conn = connect(path).or_else(|_| {
            // A cache that is not one is replaced; if that fails too, there is none.
            for suffix in ["", "-wal", "-shm"] {
                let mut name = path.as_os_str().to_owned();
                name.push(suffix);
                let _ = fs::remove_file(name);
            }
            connect(path)
        });
        Self { conn: conn.ok().map(Mutex::new), limit }
    }

    /// Whether there is a file behind it.
    pub fn is_on(&self) -> bool {
        self.conn.is_some()
    }

    fn with<T>(&self, work: impl FnOnce(&mut Connection) -> rusqlite::Result<T>) -> Option<T> {
        let mut conn = self.conn.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner);
        work(&mut conn).ok()
    }
}

impl EmbeddingCache for UserCache {
    fn get(&self, model: &Model, hashes: &[PassageHash]) -> Vec<Option<QuantisedVector>> {
        let found = self.with(|conn| {
            let tx = conn.transaction()?;
            let mut statement = tx.prepare_cached(
                "SELECT scale, bytes FROM vectors WHERE model = (SELECT id FROM models WHERE name = ?1) AND hash = ?2",
            )?;
            let mut found = Vec::with_capacity(hashes.len());
            for hash in hashes {
                let row = statement
                    .query_row(params![model.id, hash.0], |row| {
                        Ok((row.get::<_, f32>(0)?, row.get::<_, Vec<u8>>(1)?))
                    })
                    .optional()?;
                let vector = row.map(|(scale, bytes)| QuantisedVector {
                    scale,
                    values: bytes.into_iter().map(|byte| byte as i8).collect(),
                });
                found.push(vector.filter(|vector| vector.values.len() == model.dimensions));
            }
            Ok(found)
        });
        found.unwrap_or_else(|| vec![None; hashes.len()])
    }

    fn put(&self, model: &Model, vectors: &[(PassageHash, QuantisedVector)]) {
        if vectors.is_empty() {
            return;
        }
        // By contract a vector that could not be kept is not an error.
        let _ = self.with(|conn| {
            let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
            tx.execute("INSERT OR IGNORE INTO models (name) VALUES (?1)", [&model.id])?;
            let id: i64 =
                tx.query_row("SELECT id FROM models WHERE name = ?1", [&model.id], |row| row.get(0))?;
            let mut insert = tx.prepare_cached(
                "INSERT INTO vectors (model, hash, scale, bytes) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (model, hash) DO UPDATE SET scale = excluded.scale, bytes = excluded.bytes
                 WHERE length(bytes) <> length(excluded.bytes)",
            )?;
            for (hash, vector) in vectors {
                let bytes: Vec<u8> = vector.values.iter().map(|value| *value as u8).collect();
                insert.execute(params![id, hash.0, vector.scale, bytes])?;
            }
            drop(insert);
            shrink(&tx, self.limit)?;
            tx.commit()
        });
    }

    fn forget(&self, passages: &[PassageHash]) -> Result<(), String> {
        let Some(conn) = self.conn.as_ref().filter(|_| !passages.is_empty()) else { return Ok(()) };
        let mut conn = conn.lock().unwrap_or_else(PoisonError::into_inner);
        let mut forget = || -> rusqlite::Result<()> {
            let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let mut delete = tx
                .prepare_cached("DELETE FROM vectors WHERE hash = ?1 AND model IN (SELECT id FROM models)")?;
            let mut count = 0;
            for PassageHash(hash) in passages {
                count += delete.execute([hash])?;
            }
            drop(delete);
            tx.commit()?;
            // Where another process is reading, its own next write empties the log.
            if count > 0 {
                conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
            }
            Ok(())
        };
        forget().map_err(|error| error.to_string())
    }
}

fn connect(path: &Path) -> rusqlite::Result<Connection> {
    if let Some(folder) = path.parent() {
        // If the folder cannot be made, opening the file says so.
        let _ = fs::create_dir_all(folder);
    }
    let mut conn = Connection::open(path)?;
    conn.busy_timeout(BUSY_TIMEOUT)?;
    conn.pragma_update(None, "journal_mode", "WAL")?;
    conn.pragma_update(None, "synchronous", "NORMAL")?;
    conn.pragma_update(None, "mmap_size", 0)?;
    conn.pragma_update(None, "journal_size_limit", 16 << 20)?;
    conn.pragma_update(None, "secure_delete", true)?;
    let version =
        |conn: &Connection| conn.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0));
    if version(&conn)? != VERSION {
        let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        if version(&tx)? != VERSION {
            tx.execute_batch(
                "DROP TABLE IF EXISTS vectors;
                 DROP TABLE IF EXISTS models;
                 CREATE TABLE models (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
                 CREATE TABLE vectors (
                     id INTEGER PRIMARY KEY AUTOINCREMENT,
                     model INTEGER NOT NULL,
                     hash BLOB NOT NULL,
                     scale REAL NOT NULL,
                     bytes BLOB NOT NULL,
                     UNIQUE (model, hash)
                 );",
            )?;
            tx.pragma_update(None, "user_version", VERSION)?;
        }
        tx.commit()?;
    }
    Ok(conn)
}

/// Drops the oldest rows when the pages in use exceed the limit. The file keeps its size and reuses the space.
fn shrink(conn: &Connection, limit: u64) -> rusqlite::Result<()> {
    let pragma = |name: &str| conn.pragma_query_value(None, name, |row| row.get::<_, u64>(0));
    let used = (pragma("page_count")? - pragma("freelist_count")?) * pragma("page_size")?;
    if used > limit {
        conn.execute(
            "DELETE FROM vectors WHERE id IN
                 (SELECT id FROM vectors ORDER BY id LIMIT (SELECT count(*) / ?1 + 1 FROM vectors))",
            [DROPPED_SHARE],
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model() -> Model {
        Model { id: "m".to_owned(), name: "m".to_owned(), provider: "hash".to_owned(), dimensions: 4 }
    }

    fn vector(seed: i8) -> QuantisedVector {
        QuantisedVector { scale: 0.5, values: vec![seed, -seed, 1, 127] }
    }

    fn hash(number: usize) -> PassageHash {
        PassageHash::of(&number.to_string())
    }

    #[test]
    fn what_was_put_is_found_by_another_handle() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("deep/cache.sqlite");
        let one = UserCache::open(&path);
        let two = UserCache::open(&path);
        one.put(&model(), &[(hash(1), vector(1))]);
        assert_eq!(two.get(&model(), &[hash(1), hash(2)]), [Some(vector(1)), None]);
        let other = Model { id: "other".to_owned(), ..model() };
        assert_eq!(two.get(&other, &[hash(1)]), [None]);
    }

    #[test]
    fn a_broken_file_is_replaced_and_an_impossible_one_turns_it_off() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("cache.sqlite");
        fs::write(&path, vec![7; 10_000]).unwrap();
        let cache = UserCache::open(&path);
        cache.put(&model(), &[(hash(1), vector(1))]);
        assert_eq!(cache.get(&model(), &[hash(1)]), [Some(vector(1))]);

        let off = UserCache::open(dir.path());
        assert!(!off.is_on());
        off.put(&model(), &[(hash(1), vector(1))]);
        assert_eq!(off.get(&model(), &[hash(1)]), [None]);
    }

    #[test]
    fn what_is_forgotten_leaves_no_trace() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("cache.sqlite");
        let cache = UserCache::open(&path);
        let other = Model { id: "other".to_owned(), ..model() };
        for model in [&model(), &other] {
            let all: Vec<_> = (0..300).map(|number| (hash(number), vector(3))).collect();
            cache.put(model, &all);
        }
        cache.forget(&[hash(7), hash(9), hash(1000)]).unwrap();
        assert_eq!(cache.get(&model(), &[hash(7), hash(8)]), [None, Some(vector(3))]);
        assert_eq!(cache.get(&other, &[hash(9)]), [None]);
        drop(cache);
        for entry in fs::read_dir(dir.path()).unwrap() {
            let bytes = fs::read(entry.unwrap().path()).unwrap();
            let has = |number: usize| bytes.windows(16).any(|window| window == hash(number).0);
            assert!(!has(7) && !has(9));
        }
    }

    #[test]
    fn the_oldest_go_when_it_is_full() {
        let dir = tempfile::tempdir().unwrap();
        let cache = UserCache::with_limit(&dir.path().join("cache.sqlite"), 100_000);
        for round in 0..50 {
            let batch: Vec<_> = (0..100).map(|i| (hash(round * 100 + i), vector(3))).collect();
            cache.put(&model(), &batch);
        }
        assert_eq!(cache.get(&model(), &[hash(0), hash(4999)]), [None, Some(vector(3))]);
        let size = fs::metadata(dir.path().join("cache.sqlite")).unwrap().len();
        assert!(size < 200_000, "{size}");
    }
}
