//! What a store and its snapshots share: connections, locks, the published view and notices. Opening is here; `views` is the readers' way, `writing`
//! the writers'.

mod views;
mod writing;

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use arc_swap::ArcSwapOption;
use docent_index::StoreError;
use rusqlite::Connection;

use crate::damage::{self, RECORD};
use crate::fault::{Fault, Outcome};
use crate::files::{Files, identity};
use crate::lock::LockFile;
use crate::marker::Marker;
use crate::schema;
use crate::store::OpenOptions;
use crate::view::View;

const MAX_NOTICES: usize = 20;

/// What the store and its snapshots share.
pub(crate) struct Shared {
    pub(crate) files: Arc<Files>,
    pub(crate) options: OpenOptions,
    writer: Mutex<Connection>,
    pub(crate) current: ArcSwapOption<View>,
    /// Held while a view is made, so that views are published in order.
    publishing: Mutex<()>,
    not_before: Mutex<Option<Instant>>,
    notices: Mutex<Vec<String>>,
    /// The last removal whose leftovers are known to be gone.
    cleared: AtomicU64,
    /// The record's place on the disk when it was opened.
    identity: Option<(u64, u64)>,
}

impl Shared {
    pub(crate) fn open_sound(dir: &Path, options: OpenOptions) -> Result<Self, StoreError> {
        let opened = match Self::open(dir, options.clone()) {
            // Damage deep in the record shows only when it is read. With the mark, all of it is looked at and set aside.
            Err(fault) if fault.is_damage() => {
                damage::mark(dir);
                Self::open(dir, options)
            }
            outcome => outcome,
        };
        opened.map_err(|fault| fault.at(dir))
    }

    /// Whether the record that is open is the one in the folder.
    pub(crate) fn is_in_place(&self) -> bool {
        // A record that had vanished again when it was looked at is not in place.
        cfg!(not(unix)) || (self.identity.is_some() && self.identity == identity(&self.files.dir))
    }

    pub(crate) fn told<T>(&self, outcome: Outcome<T>) -> Result<T, StoreError> {
        self.files.told(outcome)
    }

    fn open(dir: &Path, options: OpenOptions) -> Outcome<Self> {
        if Marker::is_in(dir) {
            return Err(Fault::ReadOnly);
        }
        fs::create_dir_all(dir)?;
        let mut notices = Vec::new();
        let writer = open_record(dir, &options, &mut notices)?;
        let shared = Self {
            files: Arc::new(Files::living(dir)),
            options,
            writer: Mutex::new(writer),
            current: ArcSwapOption::empty(),
            publishing: Mutex::new(()),
            not_before: Mutex::new(None),
            notices: Mutex::new(notices),
            cleared: AtomicU64::new(0),
            identity: identity(dir),
        };
        if damage::is_marked(dir) || shared.files.lexical.is_doubtful() {
            shared.look_closer()?;
        }
        shared.first_view()?;
        Ok(shared)
    }

    /// After a fault or a restart of the machine: the record was found sound by now; a lexical index that is not is
    /// deleted and filled anew.
    fn look_closer(&self) -> Outcome<()> {
        self.writing(|_| {
            let sound = self.files.lexical.broken_files().is_ok_and(|broken| broken.is_empty());
            if !sound {
                self.notice("the lexical index was damaged and was built anew".to_owned());
                self.files.lexical.discard()?;
            }
            damage::unmark(&self.files.dir);
            Ok(())
        })
    }

    pub(crate) fn notices(&self) -> MutexGuard<'_, Vec<String>> {
        self.notices.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a notice, once.
    pub(crate) fn notice(&self, notice: String) {
        let mut notices = self.notices();
        if !notices.contains(&notice) && notices.len() < MAX_NOTICES {
            notices.push(notice);
        }
    }
}

/// Opens the record; makes, migrates or sets it aside under the write lock where that is needed.
fn open_record(dir: &Path, options: &OpenOptions, notices: &mut Vec<String>) -> Outcome<Connection> {
    let path = dir.join(RECORD);
    if path.metadata().is_ok_and(|metadata| metadata.len() > 0)
        && let Ok(conn) = schema::open_writer(&path)
        && damage::examine(dir, &conn).is_ok_and(|format| format == schema::FORMAT)
    {
        return Ok(conn);
    }
    let _lock = LockFile::take(&dir.join("write.lock"), options.patience)?;
    let opened = schema::open_writer(&path).and_then(|mut conn| {
        damage::examine(dir, &conn)?;
        schema::migrate(&mut conn)?;
        Ok(conn)
    });
    let why = match opened {
        Err(fault) if fault.is_damage() => fault.at(dir).to_string(),
        other => return other,
    };
    notices.push(damage::set_aside(dir, &why)?);
    let mut conn = schema::open_writer(&path)?;
    schema::migrate(&mut conn)?;
    Ok(conn)
}
