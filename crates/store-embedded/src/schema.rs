//! The record's tables, its format number, and how older formats become the newest.
//!
//! Texts are kept in pieces so that a chunk of a very long document is read without reading the whole. Chunks point
//! into them and hold no text. Passages keep theirs: another model needs it again, and the code that made it may have
//! changed since.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, params};

use crate::damage::RECORD;
use crate::fault::{Fault, Outcome};

/// The format that this program writes.
pub(crate) const FORMAT: u32 = 3;
/// The oldest format of a built index that is read as it is; others are migrated.
pub(crate) const OLDEST_BUILT: u32 = 2;
/// "dcnt", so that a stray database is recognised.
const APPLICATION_ID: i64 = 0x6463_6e74;
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// One step for each format, in order; step 0 makes an empty record.
const MIGRATIONS: &[&str] = &[
    "
CREATE TABLE state (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    uuid TEXT NOT NULL,
    secret BLOB NOT NULL,
    generation INTEGER NOT NULL,            -- any change
    documents_generation INTEGER NOT NULL,  -- last change of documents' content
    tombstone_floor INTEGER NOT NULL,       -- tombstones up to this generation may be missing
    next_file INTEGER NOT NULL,
    last_applied_ms INTEGER
);
CREATE TABLE collections (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    root TEXT NOT NULL,
    cut TEXT NOT NULL
);
CREATE TABLE documents (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid TEXT NOT NULL,
    collection_id INTEGER NOT NULL REFERENCES collections (id),
    path TEXT NOT NULL,
    title TEXT NOT NULL,
    content_hash BLOB NOT NULL,             -- of the file
    text_hash BLOB NOT NULL,                -- of the text that was made from it
    fingerprint BLOB NOT NULL,              -- of all that is derived from it
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    ctime_ns INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    settled INTEGER NOT NULL,
    headings TEXT NOT NULL,
    facets TEXT NOT NULL,
    chunk_count INTEGER NOT NULL,
    passage_count INTEGER NOT NULL,
    char_count INTEGER NOT NULL,
    hidden TEXT NOT NULL,                   -- ordinals of chunks that search does not return
    generation INTEGER NOT NULL,
    touched INTEGER NOT NULL,
    UNIQUE (collection_id, path)
);
CREATE INDEX documents_by_generation ON documents (generation);
CREATE INDEX documents_by_touched ON documents (touched);
CREATE TABLE texts (
    id INTEGER PRIMARY KEY,                 -- numbered like chunks
    bytes BLOB NOT NULL
);
CREATE TABLE chunks (
    id INTEGER PRIMARY KEY,
    chunk_id TEXT NOT NULL,
    heading_path TEXT NOT NULL,
    heading_level INTEGER NOT NULL,
    start_line INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    char_count INTEGER NOT NULL,
    start_byte INTEGER NOT NULL,
    end_byte INTEGER NOT NULL,
    searchable INTEGER NOT NULL
);
CREATE TABLE passages (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL,
    text TEXT NOT NULL
);
CREATE TABLE models (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    dimensions INTEGER NOT NULL,
    file INTEGER NOT NULL,
    row_count INTEGER NOT NULL,             -- rows given out, dead ones included
    pending_from INTEGER NOT NULL           -- every passage below has a vector
);
CREATE TABLE vectors (
    model INTEGER NOT NULL REFERENCES models (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    passage INTEGER NOT NULL,
    PRIMARY KEY (model, number)
) WITHOUT ROWID;
CREATE UNIQUE INDEX vectors_by_passage ON vectors (passage, model);
CREATE TABLE tombstones (
    document_id INTEGER PRIMARY KEY,
    generation INTEGER NOT NULL
);
CREATE INDEX tombstones_by_generation ON tombstones (generation);
CREATE TABLE failures (
    collection_id INTEGER NOT NULL REFERENCES collections (id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    reason TEXT NOT NULL,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    ctime_ns INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    settled INTEGER NOT NULL,
    PRIMARY KEY (collection_id, path)
) WITHOUT ROWID;
",
    "
ALTER TABLE collections ADD COLUMN about TEXT NOT NULL DEFAULT '';  -- JSON
",
    "
ALTER TABLE documents ADD COLUMN details TEXT NOT NULL DEFAULT '';  -- JSON
ALTER TABLE documents ADD COLUMN pages TEXT NOT NULL DEFAULT '[]';  -- page of each chunk
",
];

/// Opens the record for writing, without looking at its format yet.
pub(crate) fn open_writer(path: &Path) -> Outcome<Connection> {
    let conn = Connection::open(path)?;
    conn.busy_timeout(BUSY_TIMEOUT)?;
    conn.pragma_update(None, "journal_mode", "WAL")?;
    conn.pragma_update(None, "synchronous", "NORMAL")?;
    conn.pragma_update(None, "foreign_keys", true)?;
    conn.pragma_update(None, "mmap_size", 0)?;
    conn.pragma_update(None, "cache_size", -16_000)?;
    conn.pragma_update(None, "journal_size_limit", 64 << 20)?;
    // What is deleted is overwritten: free pages must not go on telling it.
    conn.pragma_update(None, "secure_delete", true)?;
    conn.set_prepared_statement_cache_capacity(64);
    Ok(conn)
}

/// Opens the record for reading.
pub(crate) fn open_reader(path: &Path) -> Outcome<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(path, flags)?;
    conn.busy_timeout(BUSY_TIMEOUT)?;
    conn.pragma_update(None, "query_only", true)?;
    conn.pragma_update(None, "mmap_size", 0)?;
    conn.pragma_update(None, "cache_size", -8_000)?;
    conn.set_prepared_statement_cache_capacity(32);
    Ok(conn)
}

/// Opens a record that nobody changes: no lock is taken and no file is made beside it.
pub(crate) fn open_immutable(path: &Path) -> Outcome<Connection> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let conn = Connection::open_with_flags(immutable_uri(path)?, flags)?;
    conn.pragma_update(None, "mmap_size", 0)?;
    conn.pragma_update(None, "cache_size", -8_000)?;
    conn.set_prepared_statement_cache_capacity(32);
    Ok(conn)
}

/// Whether the record in `dir` is that of a built index, which has no key of its own. Indexes that are written to have a
/// lock file, so that theirs need not be opened.
pub(crate) fn is_sealed(dir: &Path) -> bool {
    let record = dir.join(RECORD);
    if dir.join("write.lock").exists() || !record.is_file() {
        return false;
    }
    let sealed = open_immutable(&record).and_then(|conn| {
        Ok(conn.query_row("SELECT length(secret) = 0 FROM state", [], |row| row.get::<_, bool>(0))?)
    });
    sealed.unwrap_or(false)
}

/// The path as SQLite wants it in a URI, where some characters mean something.
fn immutable_uri(path: &Path) -> Outcome<String> {
    let full = std::path::absolute(path)?;
    let text = full.to_str().ok_or_else(|| {
        Fault::Internal("the path of a built index must be Unicode; move the folder".to_owned())
    })?;
    let mut uri = String::from("file:");
    let text = if cfg!(windows) { format!("/{}", text.replace('\\', "/")) } else { text.to_owned() };
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' | b':' => {
                uri.push(char::from(byte));
            }
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    Ok(uri + "?immutable=1")
}

/// The format of the record: 0 when it is empty.
pub(crate) fn format(conn: &Connection) -> Outcome<u32> {
    let id: i64 = conn.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let found: u32 = conn.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let tables: i64 = conn.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    match (id, found, tables) {
        (0, 0, 0) => Ok(0),
        (APPLICATION_ID, 0, _) => Err(Fault::Damaged("the record has no format number".to_owned())),
        (APPLICATION_ID, found, _) if found > FORMAT => Err(Fault::Newer(found)),
        (APPLICATION_ID, found, _) => Ok(found),
        _ => Err(Fault::Damaged("record.sqlite is a database of another program".to_owned())),
    }
}

/// Brings the record to the newest format. The caller holds the write lock.
pub(crate) fn migrate(conn: &mut Connection) -> Outcome<()> {
    let found = format(conn)?;
    if found == FORMAT {
        return Ok(());
    }
    let batch = conn.transaction()?;
    make_tables(&batch, found)?;
    if found == 0 {
        batch.execute(
            "INSERT INTO state VALUES (1, ?1, ?2, 0, 0, 0, 1, NULL)",
            params![uuid::Uuid::new_v4().to_string(), new_secret()],
        )?;
    }
    batch.commit()?;
    Ok(())
}

/// Makes the tables of the newest format from those of format `found`; 0 for none.
pub(crate) fn make_tables(conn: &Connection, found: u32) -> Outcome<()> {
    for step in &MIGRATIONS[found as usize..] {
        conn.execute_batch(step)?;
    }
    conn.pragma_update(None, "application_id", APPLICATION_ID)?;
    conn.pragma_update(None, "user_version", FORMAT)?;
    Ok(())
}

/// 32 random bytes: those of several random uuids, whose fixed bits the hash spreads out.
pub(crate) fn new_secret() -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    for _ in 0..4 {
        hasher.update(uuid::Uuid::new_v4().as_bytes());
    }
    *hasher.finalize().as_bytes()
}
