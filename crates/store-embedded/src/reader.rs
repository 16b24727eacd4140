//! A few read connections, lent out and taken back.
//!
//! SQLite's connections are not shared between threads; opening one costs about as much as a query, so a handful is
//! kept. When all are out, another one is opened: readers wait for nobody.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;

use crate::fault::Outcome;
use crate::schema;

const KEPT: usize = 8;

pub(crate) struct ReaderPool {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
}

impl ReaderPool {
    pub(crate) fn new(record: &Path) -> Self {
        Self { path: record.to_owned(), idle: Mutex::new(Vec::new()) }
    }

    pub(crate) fn lend(&self) -> Outcome<Lent<'_>> {
        let kept = self.idle().pop();
        let conn = match kept {
            Some(conn) => conn,
            None => schema::open_reader(&self.path)?,
        };
        Ok(Lent { pool: self, conn: Some(conn) })
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
        // A connection inside a transaction is one whose user failed; it is not worth keeping.
        if idle.len() < KEPT && conn.is_autocommit() {
            idle.push(conn);
        }
    }
}
