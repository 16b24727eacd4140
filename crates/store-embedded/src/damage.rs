//! What happens when the record is not what was written: it is set aside, whole, and an empty one takes its place.
//!
//! Nothing is deleted. Documents come back from their files; what was only in the index can still be recovered from
//! the folder that the notice names. A fault seen while running leaves a mark, and the next start looks closer.

use std::fs;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use rusqlite::Connection;

use crate::fault::{Fault, Outcome};
use crate::{schema, vectors};

pub(crate) const RECORD: &str = "record.sqlite";
const MARK: &str = "suspect";

/// Leaves the mark that makes the next start look closer.
pub(crate) fn mark(dir: &Path) {
    // Without the mark the fault shows itself again, only later.
    let _ = fs::write(dir.join(MARK), "a fault was seen in this index; the next start checks it\n");
}

/// Whether a fault was seen since the last close look.
pub(crate) fn is_marked(dir: &Path) -> bool {
    dir.join(MARK).exists()
}

/// Takes the mark away, when everything was looked at.
pub(crate) fn unmark(dir: &Path) {
    // If it stays, the next start looks again.
    let _ = fs::remove_file(dir.join(MARK));
}

/// Looks at an opened record: its format, and all of it if there is a mark.
pub(crate) fn examine(dir: &Path, conn: &Connection) -> Outcome<u32> {
    let format = schema::format(conn)?;
    if is_marked(dir) {
        let verdict: String = conn.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
        if verdict != "ok" {
            return Err(Fault::Damaged(verdict));
        }
    }
    Ok(format)
}

/// Moves the record and everything derived from it away and says where to. The caller holds the write lock.
pub(crate) fn set_aside(dir: &Path, why: &str) -> Outcome<String> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let place = dir.join(format!("damaged-{}", now.as_millis()));
    fs::create_dir_all(&place)?;
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let name = entry.file_name();
        let is_ours = name.to_str().is_some_and(|name| {
            name.starts_with(RECORD) || name == "lexical" || name == MARK || vectors::number(name).is_some()
        });
        if is_ours {
            fs::rename(entry.path(), place.join(name))?;
        }
    }
    Ok(format!(
        "the index was damaged ({why}) and is being built anew; the old one is kept in {}",
        place.display()
    ))
}
