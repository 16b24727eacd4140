//! An index's files as readers use them: connections to the record, the lexical indexes, and what becomes of faults.
//!
//! Whoever hands out snapshots has one of these: the store that writes as well as the one that only reads.

use std::fs;
use std::path::{Path, PathBuf};

use docent_index::StoreError;
use rusqlite::Connection;

use crate::damage::{self, RECORD};
use crate::fault::{Fault, Outcome};
use crate::lexical::Lexical;
use crate::reader::ReaderPool;

pub(crate) struct Files {
    pub(crate) dir: PathBuf,
    pub(crate) readers: ReaderPool,
    pub(crate) lexical: Lexical,
    /// Whether damage is noted in the folder for the next start. A built index is never written to.
    leaves_marks: bool,
}

impl Files {
    /// Files of an index that is written to as well.
    pub(crate) fn living(dir: &Path) -> Self {
        Self {
            dir: dir.to_owned(),
            readers: ReaderPool::new(&dir.join(RECORD)),
            lexical: Lexical::new(dir),
            leaves_marks: true,
        }
    }

    /// Files that nobody changes, and that are not changed by looking at them.
    pub(crate) fn immutable(dir: &Path) -> Outcome<Self> {
        Ok(Self {
            dir: dir.to_owned(),
            readers: ReaderPool::immutable(&dir.join(RECORD))?,
            lexical: Lexical::immutable(dir),
            leaves_marks: false,
        })
    }

    /// Runs `read` on a connection that sees one state throughout.
    pub(crate) fn reading<T>(&self, read: impl FnOnce(&Connection) -> Outcome<T>) -> Outcome<T> {
        let conn = self.readers.lend()?;
        let transaction = conn.unchecked_transaction()?;
        read(&transaction)
    }

    pub(crate) fn told<T>(&self, outcome: Outcome<T>) -> Result<T, StoreError> {
        outcome.map_err(|fault| self.tell(fault))
    }

    /// The error for the caller; damage is also noted for the next start.
    pub(crate) fn tell(&self, fault: Fault) -> StoreError {
        match self.leaves_marks {
            true if fault.is_damage() => {
                damage::mark(&self.dir);
                fault.at(&self.dir)
            }
            true => fault.at(&self.dir),
            false => fault.at_built(&self.dir),
        }
    }
}

/// Which file the record is, where the system can tell files apart.
pub(crate) fn identity(dir: &Path) -> Option<(u64, u64)> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        fs::metadata(dir.join(RECORD)).ok().map(|metadata| (metadata.dev(), metadata.ino()))
    }
    #[cfg(not(unix))]
    {
        let _ = dir;
        None
    }
}

/// Bytes of all files below `dir` that are part of the index. What vanishes meanwhile counts nothing.
pub(crate) fn size_on_disk(dir: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(dir) else { return 0 };
    let size = |entry: fs::DirEntry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => {
            let is_aside = entry.file_name().to_string_lossy().starts_with("damaged-");
            if is_aside { 0 } else { size_on_disk(&entry.path()) }
        }
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    };
    entries.flatten().map(size).sum()
}
