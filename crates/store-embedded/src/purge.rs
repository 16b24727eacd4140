//! Takes what was removed off the disk, and not only out of every answer.
//!
//! Rows that are deleted leave their bytes in free pages of the record and in its log, words stay in the segments of the
//! lexical indexes until these are merged, vectors in dead rows of their file. Here all of that is written anew without
//! them. A note in the folder says that it is to be done, so that the next writer goes on when this one is killed, or when
//! a reader holds on to the old state of the record for too long.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Duration;

use docent_index::PassageHash;
use rusqlite::Connection;

use crate::damage::RECORD;
use crate::fault::Outcome;
use crate::lexical::Lexical;
use crate::{embeddings, rows};

/// Name of the note.
const NOTE: &str = "purge";
/// What the note says when only the record's log is left.
const LOG_LEFT: &str = "log";
/// A record of at most so many bytes is written anew as a whole. In a larger one deleted rows are overwritten where they
/// stand, which misses the copies that moving rows between pages may leave.
const MAX_REWRITTEN: u64 = 256 << 20;
/// How long readers are waited for.
const PATIENCE: Duration = Duration::from_secs(2);

/// Notes that there is something to take off the disk.
pub(crate) fn note(dir: &Path) -> Outcome<()> {
    Ok(fs::write(dir.join(NOTE), "")?)
}

/// What is still to be done: the whole, or only the log.
pub(crate) fn is_due(dir: &Path) -> bool {
    dir.join(NOTE).exists()
}

/// Does what is due and says whether nothing is left. The caller is the only writer, and has cleared away the rows of what
/// was removed; afterwards it has to make a view of what there is now. `is_first` waits a while for readers.
pub(crate) fn run(conn: &mut Connection, dir: &Path, lexical: &Lexical, is_first: bool) -> Outcome<bool> {
    let is_log_only = fs::read_to_string(dir.join(NOTE)).is_ok_and(|text| text == LOG_LEFT);
    if !is_log_only {
        embeddings::rewrite_all(conn, dir)?;
        lexical.purge(&rows::state(conn)?)?;
        remove_old_copies(dir);
        if fs::metadata(dir.join(RECORD))?.len() <= MAX_REWRITTEN {
            conn.execute_batch("VACUUM")?;
        }
        fs::write(dir.join(NOTE), LOG_LEFT)?;
    }
    let is_empty = empty_log(conn, if is_first { PATIENCE } else { Duration::ZERO })?;
    if is_empty {
        fs::remove_file(dir.join(NOTE))?;
    }
    Ok(is_empty)
}

/// Brings all of the log into the record and empties it; false when readers are in the way.
fn empty_log(conn: &Connection, patience: Duration) -> Outcome<bool> {
    let before: i64 = conn.query_row("PRAGMA busy_timeout", [], |row| row.get(0))?;
    conn.busy_timeout(patience)?;
    let is_busy = conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, bool>(0));
    conn.busy_timeout(Duration::from_millis(before.unsigned_abs()))?;
    Ok(!is_busy?)
}

/// Records that were set aside because they were damaged hold what was in them.
fn remove_old_copies(dir: &Path) {
    let Ok(entries) = fs::read_dir(dir) else { return };
    for entry in entries.flatten() {
        if entry.file_name().to_string_lossy().starts_with("damaged-") {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Those of these passages that no document has.
pub(crate) fn unused(conn: &Connection, passages: &[PassageHash]) -> Outcome<Vec<PassageHash>> {
    if passages.is_empty() {
        return Ok(Vec::new());
    }
    let mut left: BTreeSet<PassageHash> = passages.iter().copied().collect();
    let mut statement = conn.prepare("SELECT hash FROM passages")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        left.remove(&PassageHash(row.get(0)?));
    }
    Ok(left.into_iter().collect())
}
