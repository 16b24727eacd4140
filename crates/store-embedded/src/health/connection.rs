//! A connection whose statements have a deadline, and its errors in the words of the seam.

use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use docent_index::health::HealthError;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::schema;

/// How long a connection waits for another process that writes.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Steps of SQLite's machine between two looks at the clock: some microseconds.
const STEPS: i32 = 1000;
/// There is no deadline.
const NEVER: u64 = u64::MAX;

/// A connection whose statements have a deadline.
pub(super) struct Timed {
    connection: Connection,
    opened: Instant,
    /// Milliseconds after `opened` at which statements end.
    deadline: Arc<AtomicU64>,
    /// Whether the tables are there.
    is_made: Cell<bool>,
}

impl Timed {
    /// A connection that cannot write.
    pub(super) fn open_reader(path: &Path) -> Result<Self, HealthError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let open = || {
            let conn = Connection::open_with_flags(path, flags)?;
            conn.busy_timeout(BUSY_TIMEOUT)?;
            conn.pragma_update(None, "query_only", true)?;
            conn.pragma_update(None, "mmap_size", 0)?;
            conn.pragma_update(None, "cache_size", -16_000)?;
            conn.set_prepared_statement_cache_capacity(32);
            Self::new(conn)
        };
        open().map_err(|error| cannot_open(path, &error))
    }

    /// A connection that writes; makes the file and its tables.
    pub(super) fn open_writer(path: &Path) -> Result<Self, HealthError> {
        let open = || {
            let conn = Connection::open(path)?;
            conn.busy_timeout(BUSY_TIMEOUT)?;
            conn.pragma_update(None, "journal_mode", "WAL")?;
            // A report is somebody's words: it is on the disk when it was acknowledged.
            conn.pragma_update(None, "synchronous", "FULL")?;
            conn.pragma_update(None, "foreign_keys", true)?;
            conn.pragma_update(None, "mmap_size", 0)?;
            conn.pragma_update(None, "journal_size_limit", 16 << 20)?;
            conn.set_prepared_statement_cache_capacity(64);
            Ok(conn)
        };
        let mut conn = open().map_err(|error| cannot_open(path, &error))?;
        schema::make(&mut conn, path)?;
        Self::new(conn).map_err(|error| cannot_open(path, &error))
    }

    fn new(mut connection: Connection) -> rusqlite::Result<Self> {
        let (opened, deadline) = (Instant::now(), Arc::new(AtomicU64::new(NEVER)));
        let watched = Arc::clone(&deadline);
        let is_late = move || {
            let deadline = watched.load(Ordering::Relaxed);
            deadline != NEVER && milliseconds(opened.elapsed()) >= deadline
        };
        connection.progress_handler(STEPS, Some(is_late))?;
        Ok(Self { connection, opened, deadline, is_made: Cell::new(false) })
    }

    /// Whether the file has its tables: looked for until they are there.
    pub(super) fn is_made(&self, path: &Path) -> Result<bool, HealthError> {
        if !self.is_made.get() {
            self.is_made.set(schema::is_made(&self.connection, path)?);
        }
        Ok(self.is_made.get())
    }

    /// Runs `work`, whose statements end when `limit` is over.
    pub(super) fn within<T>(
        &self,
        limit: Duration,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        let end = milliseconds(self.opened.elapsed()).saturating_add(milliseconds(limit));
        self.deadline.store(end, Ordering::Relaxed);
        let done = work(&self.connection);
        self.deadline.store(NEVER, Ordering::Relaxed);
        done
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(NEVER)
}

/// What went wrong with a statement.
pub(super) fn failure(path: &Path, error: &rusqlite::Error) -> HealthError {
    let (place, detail) = (path.display().to_string(), error.to_string());
    match error.sqlite_error_code() {
        Some(ErrorCode::OperationInterrupted | ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            HealthError::Timeout
        }
        Some(
            ErrorCode::CannotOpen
            | ErrorCode::NotADatabase
            | ErrorCode::PermissionDenied
            | ErrorCode::SystemIoFailure
            | ErrorCode::ReadOnly
            | ErrorCode::DiskFull,
        ) => HealthError::Connection { place, detail },
        _ => HealthError::Query { place, detail },
    }
}

/// Whatever goes wrong while a file is opened.
fn cannot_open(path: &Path, error: &rusqlite::Error) -> HealthError {
    HealthError::Connection { place: path.display().to_string(), detail: error.to_string() }
}
