//! A few read connections, lent out and taken back.
//!
//! SQLite's connections are not shared between threads; opening one costs about as much as a query, so a handful is
//! kept. When all are out, another one is opened: readers wait for nobody. Only an index that never changes has a fixed
//! number, because its folder may have been replaced since, and the same path would lead to another record.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;

use crate::fault::Outcome;
use crate::schema;

const KEPT: usize = 8;

pub(crate) struct ReaderPool {
    /// Where more connections come from.
    path: Option<PathBuf>,
    idle: Mutex<Vec<Connection>>,
    returned: Condvar,
}

impl ReaderPool {
    pub(crate) fn new(record: &Path) -> Self {
        Self { path: Some(record.to_owned()), idle: Mutex::default(), returned: Condvar::new() }
    }

    /// Connections to a record that never changes.
    pub(crate) fn immutable(record: &Path) -> Outcome<Self> {
        let idle = (0..KEPT).map(|_| schema::open_immutable(record)).collect::<Outcome<Vec<_>>>()?;
        Ok(Self { path: None, idle: Mutex::new(idle), returned: Condvar::new() })
    }

    pub(crate) fn lend(&self) -> Outcome<Lent<'_>> {
        let mut idle = self.idle();
        loop {
            let conn = match (idle.pop(), &self.path) {
                (Some(conn), _) => conn,
                (None, Some(path)) => {
                    drop(idle);
                    schema::open_reader(path)?
                }
                (None, None) => {
                    idle = self.returned.wait(idle).unwrap_or_else(PoisonError::into_inner);
                    continue;
                }
            };
            return Ok(Lent { pool: self, conn: Some(conn) });
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Goes back to the pool when dropped.
pub(crate) struct Lent<'a> {
    pool: &'a ReaderPool,
    conn: Option<Connection>,
}

impl Deref for Lent<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        match &self.conn {
            Some(conn) => conn,
            None => unreachable!("the connection leaves only in drop"),
        }
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        let Some(conn) = self.conn.take() else { return };
        let mut idle = self.pool.idle();
        // A connection inside a transaction is one whose user failed; it is not worth keeping where another can be had.
        if self.pool.path.is_none() || (idle.len() < KEPT && conn.is_autocommit()) {
            idle.push(conn);
            self.pool.returned.notify_one();
        }
    }
}
