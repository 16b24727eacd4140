//! The store: opening, publishing views, and the writers' way through the lock.
//!
//! A write goes: in-process mutex, lock file, SQLite transaction, lexical catch-up, new view; what it leaves behind for
//! readers of older views goes when the next one begins. A reader takes the
//! published view after one look at the record's generation. When another process is half-way through a write, readers
//! keep the view before it; when that process died half-way, whoever comes next and gets the lock finishes for it.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use arc_swap::{ArcSwap, ArcSwapOption};
use docent_index::{
    Change, CheckReport, Collection, Generation, Lease, Model, NewDocument, PassageHash, PassageId, Pending,
    PendingPassage, Purged, QuantisedVector, Replaced, Replacement, Role, Snapshot, Store, StoreError,
    StoreStats,
};
use rusqlite::{Connection, Transaction};

use crate::collections::Ended;
use crate::damage::{self, RECORD};
use crate::fault::{Fault, Outcome};
use crate::files::Files;
use crate::filling::Alongside;
use crate::guard::guarded;
use crate::lock::LockFile;
use crate::marker::Marker;
use crate::record::Applied;
use crate::rows::State;
use crate::snapshot::EmbeddedSnapshot;
use crate::view::View;
use crate::{check, collections, embeddings, leftovers, purge, record, rows, schema};

/// How long a failed catch-up is not tried again: a full disk is not fuller for being asked every millisecond.
const PAUSE: Duration = Duration::from_secs(1);
const POLL: Duration = Duration::from_millis(5);
const MAX_NOTICES: usize = 20;

/// How a store behaves.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenOptions {
    /// How long to wait for another process that is writing.
    pub patience: Duration,
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self { patience: Duration::from_secs(10) }
    }
}

/// A store in a folder.
pub struct EmbeddedStore {
    current: ArcSwap<Shared>,
    /// Held while the folder is opened again.
    reopening: Mutex<()>,
}

impl EmbeddedStore {
    /// Opens the index in `dir`, or makes one.
    pub fn open(dir: &Path, options: OpenOptions) -> Result<Self, StoreError> {
        docent_kernels::keep_little_memory();
        let shared = Shared::open_sound(dir, options)?;
        Ok(Self { current: ArcSwap::from_pointee(shared), reopening: Mutex::new(()) })
    }

    /// The folder as it is now. Somebody may have deleted it, or put another index in its place; what is open would then go
    /// on answering from files that nobody sees any more, so the folder is opened again.
    fn shared(&self) -> Result<Arc<Shared>, StoreError> {
        let shared = self.current.load_full();
        if shared.is_in_place() {
            return Ok(shared);
        }
        let _one = self.reopening.lock().unwrap_or_else(PoisonError::into_inner);
        let shared = self.current.load_full();
        if shared.is_in_place() {
            return Ok(shared);
        }
        let again = Arc::new(Shared::open_sound(&shared.files.dir, shared.options.clone())?);
        again
            .notice("the index was deleted or replaced while it was in use, and was opened again".to_owned());
        self.current.store(Arc::clone(&again));
        Ok(again)
    }

    /// What was repaired on the way, for people.
    pub fn notices(&self) -> Vec<String> {
        self.current.load().notices().clone()
    }

    pub(crate) fn files(&self) -> Result<Arc<Files>, StoreError> {
        Ok(self.shared()?.files.clone())
    }

    /// Deletes the lexical index and fills it anew from the record.
    pub fn rebuild_lexical(&self) -> Result<(), StoreError> {
        let shared = self.shared()?;
        shared.told(shared.writing(|conn| {
            shared.files.lexical.discard()?;
            shared.follow(conn, &HashMap::new())
        }))
    }
}

/// What the store and its snapshots share.
struct Shared {
    files: Arc<Files>,
    options: OpenOptions,
    writer: Mutex<Connection>,
    current: ArcSwapOption<View>,
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
    fn open_sound(dir: &Path, options: OpenOptions) -> Result<Self, StoreError> {
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
    fn is_in_place(&self) -> bool {
        // A record that had vanished again when it was looked at is not in place.
        cfg!(not(unix)) || (self.identity.is_some() && self.identity == identity(&self.files.dir))
    }

    fn told<T>(&self, outcome: Outcome<T>) -> Result<T, StoreError> {
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

    /// Makes the first view, waiting for another writer if there must be one.
    fn first_view(&self) -> Outcome<()> {
        let deadline = Instant::now() + self.options.patience;
        loop {
            match self.publish(|| self.files.readers.lend()) {
                Ok(true) => return Ok(()),
                Ok(false) => {}
                Err(fault) if repairable(&fault) => {}
                Err(fault) => return Err(fault),
            }
            if self.finish_for_others()? {
                return Ok(());
            }
            if Instant::now() >= deadline {
                return Err(Fault::Busy);
            }
            thread::sleep(POLL);
        }
    }

    /// The newest view that is whole.
    fn view(&self) -> Outcome<Arc<View>> {
        let held = self.current.load_full();
        if let Some(held) = &held {
            let newest = self.files.readers.lend().and_then(|conn| rows::generation(&conn));
            if newest? == held.state.generation {
                return Ok(held.clone());
            }
        }
        let deadline = Instant::now() + self.options.patience;
        loop {
            match self.publish(|| self.files.readers.lend()) {
                Ok(true) => {}
                Err(fault) if !repairable(&fault) => return Err(fault),
                // Behind, or broken: finished here if nobody is writing. Until then the view before will do.
                _ if self.is_time_to_try() => {
                    if let Err(fault) = self.finish_for_others() {
                        self.notice(format!(
                            "the index could not be brought up to date: {}",
                            self.files.tell(fault)
                        ));
                        self.pause();
                    }
                }
                _ => {}
            }
            let held = self.current.load_full().ok_or(Fault::Busy)?;
            // A view that missed more than the write that is under way may name rows that are gone: nobody asked between
            // that write and the one before.
            let is_whole = self.files.reading(|conn| leftovers::serve(conn, held.state.generation))?;
            if is_whole || !self.is_time_to_try() || Instant::now() >= deadline {
                return Ok(held);
            }
            thread::sleep(POLL);
        }
    }

    /// Makes a view of what the record holds now and publishes it. False when the lexical indexes do not reflect it.
    fn publish<'a, C: std::ops::Deref<Target = Connection> + 'a>(
        &'a self,
        connection: impl FnOnce() -> Outcome<C>,
    ) -> Outcome<bool> {
        self.publish_with(Searching::AsBefore, connection)
    }

    fn publish_with<'a, C: std::ops::Deref<Target = Connection> + 'a>(
        &'a self,
        searching: Searching,
        connection: impl FnOnce() -> Outcome<C>,
    ) -> Outcome<bool> {
        let _order = self.publishing.lock().unwrap_or_else(PoisonError::into_inner);
        let conn = connection()?;
        let before = self.current.load_full();
        // The record may move on between looking at it and at the lexical indexes; then the next look succeeds.
        for _ in 0..3 {
            let transaction = conn.unchecked_transaction()?;
            let state = rows::state(&transaction)?;
            let is_anew = searching == Searching::Anew;
            if !is_anew && before.as_ref().is_some_and(|before| before.state == state) {
                return Ok(true);
            }
            let held = before.as_ref().filter(|before| !is_anew && same_documents(&before.state, &state));
            let searchers = match held {
                Some(before) => Some(before.searchers.clone()),
                None => self.files.lexical.searchers(&state)?,
            };
            if let Some(searchers) = searchers {
                let view = View::read(&transaction, &self.files.dir, state, searchers, before.as_deref())?;
                self.current.store(Some(Arc::new(view)));
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Brings the derived parts up to the record, if nobody is writing. False when somebody is.
    fn finish_for_others(&self) -> Outcome<bool> {
        let mut conn = match self.writer.try_lock() {
            Ok(conn) => conn,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return Ok(false),
        };
        let Some(_lock) = LockFile::try_take(&self.files.dir.join("write.lock"))? else { return Ok(false) };
        self.forget_damaged_vectors(&mut conn)?;
        self.follow(&mut conn, &HashMap::new())?;
        Ok(true)
    }

    /// After a write: the lexical indexes and the view follow the record.
    fn follow(&self, conn: &mut Connection, fresh: &HashMap<u64, &NewDocument>) -> Outcome<()> {
        let state = rows::state(conn)?;
        if let Err(fault) = self.files.lexical.catch_up(conn, &state, fresh) {
            if !repairable(&fault) {
                return Err(fault);
            }
            self.rebuild_lexical(conn, &state, fresh)?;
        }
        let published = self.publish(|| Ok(&*conn));
        let published = match published {
            Err(Fault::Tantivy(_)) => {
                self.rebuild_lexical(conn, &state, fresh)?;
                self.publish(|| Ok(&*conn))?
            }
            Err(fault) if repairable(&fault) => {
                self.forget_damaged_vectors(conn)?;
                self.publish(|| Ok(&*conn))?
            }
            other => other?,
        };
        match published {
            true => Ok(()),
            false => Err(Fault::Internal("the lexical index does not follow the record".to_owned())),
        }
    }

    fn rebuild_lexical(
        &self,
        conn: &Connection,
        state: &State,
        fresh: &HashMap<u64, &NewDocument>,
    ) -> Outcome<()> {
        self.notice("the lexical index was damaged and was built anew".to_owned());
        self.files.lexical.discard()?;
        self.files.lexical.catch_up(conn, state, fresh)
    }

    fn forget_damaged_vectors(&self, conn: &mut Connection) -> Outcome<()> {
        for model in embeddings::forget_damaged(conn, &self.files.dir)? {
            self.notice(format!("the vectors of {model} were damaged and are computed again"));
        }
        Ok(())
    }

    /// Runs `write` as the only writer of all processes.
    fn writing<T>(&self, write: impl FnOnce(&mut Connection) -> Outcome<T>) -> Outcome<T> {
        let mut conn = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let _lock = LockFile::take(&self.files.dir.join("write.lock"), self.options.patience)?;
        write(&mut conn)
    }

    /// The same for what changes the record, or looks at all of it. What the change before has left is cleared away first.
    fn changing<T>(&self, change: impl FnOnce(&mut Connection) -> Outcome<T>) -> Outcome<T> {
        self.writing(|conn| {
            self.clear_leftovers(conn)?;
            let changed = change(conn)?;
            self.purge_if_due(conn);
            Ok(changed)
        })
    }

    /// Goes on with what somebody else could not finish, without waiting. What still cannot be done is tried again.
    fn purge_if_due(&self, conn: &mut Connection) {
        if purge::is_due(&self.files.dir) {
            let outcome = self.clear_leftovers(conn).and_then(|()| self.purge(conn, false));
            if let Err(fault) = outcome {
                self.notice(format!("what was deleted is not off the disk yet: {}", self.files.tell(fault)));
            }
        }
    }

    /// Applies changes, and what `along` writes in the same transaction.
    fn apply(
        &self,
        changes: &[Change],
        along: impl FnOnce(&Transaction<'_>, &Applied) -> Outcome<()>,
    ) -> Outcome<Generation> {
        self.changing(|conn| {
            let applied = record::apply(conn, changes, along)?;
            let mut fresh = HashMap::new();
            for (id, index) in applied.added {
                if let Some(Change::Put(document)) = changes.get(index) {
                    fresh.insert(id, &**document);
                }
            }
            self.follow(conn, &fresh)?;
            Ok(Generation(rows::generation(conn)?))
        })
    }

    /// Takes what was removed off the disk; says whether nothing is left.
    fn purge(&self, conn: &mut Connection, is_first: bool) -> Outcome<bool> {
        let is_complete = purge::run(conn, &self.files.dir, &self.files.lexical, is_first)?;
        // Searchers that are in use know segments that are gone now; whoever holds one keeps its files open.
        self.publish_with(Searching::Anew, || Ok(&*conn))?;
        Ok(is_complete)
    }

    fn clear_leftovers(&self, conn: &mut Connection) -> Outcome<()> {
        let removal = leftovers::last_removal(conn)?;
        if self.cleared.load(Ordering::Relaxed) == removal {
            return Ok(());
        }
        // Whoever left them may have been killed before the lexical indexes could follow.
        let state = rows::state(conn)?;
        if !self.current.load().as_ref().is_some_and(|view| same_documents(&view.state, &state)) {
            self.follow(conn, &HashMap::new())?;
        }
        leftovers::clear(conn)?;
        self.cleared.store(removal, Ordering::Relaxed);
        Ok(())
    }

    fn notices(&self) -> MutexGuard<'_, Vec<String>> {
        self.notices.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a notice, once.
    fn notice(&self, notice: String) {
        let mut notices = self.notices();
        if !notices.contains(&notice) && notices.len() < MAX_NOTICES {
            notices.push(notice);
        }
    }

    fn is_time_to_try(&self) -> bool {
        let not_before = self.not_before.lock().unwrap_or_else(PoisonError::into_inner);
        not_before.is_none_or(|not_before| Instant::now() >= not_before)
    }

    fn pause(&self) {
        *self.not_before.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now() + PAUSE);
    }
}

/// Where the searchers of a view come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Searching {
    /// From the view before, where the documents are the same.
    AsBefore,
    /// From the files.
    Anew,
}

fn same_documents(before: &State, now: &State) -> bool {
    before.uuid == now.uuid && before.documents_generation == now.documents_generation
}

/// Whether building derived parts anew may help.
fn repairable(fault: &Fault) -> bool {
    match fault {
        Fault::Tantivy(_) | Fault::Damaged(_) => true,
        Fault::Io(error) => error.kind() == std::io::ErrorKind::NotFound,
        _ => false,
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

impl Store for EmbeddedStore {
    fn snapshot(&self) -> Result<Arc<dyn Snapshot>, StoreError> {
        let shared = self.shared()?;
        let view = shared.told(shared.view())?;
        Ok(Arc::new(EmbeddedSnapshot { files: shared.files.clone(), view }))
    }

    fn apply(&self, changes: &[Change]) -> Result<Generation, StoreError> {
        let shared = self.shared()?;
        shared.told(shared.apply(changes, |_, _| Ok(())))
    }

    fn apply_embedded(
        &self,
        changes: &[Change],
        model: &Model,
        vectors: &HashMap<PassageHash, QuantisedVector>,
    ) -> Result<Generation, StoreError> {
        let shared = self.shared()?;
        shared.told(shared.apply(changes, |tx, applied| {
            let new = embeddings::at_hand(tx, applied.added.iter().map(|(id, _)| *id), vectors)?;
            embeddings::put_along(tx, &shared.files.dir, model, &new).map(drop)
        }))
    }

    fn put_collection(&self, collection: &Collection) -> Result<(), StoreError> {
        let shared = self.shared()?;
        shared.told(shared.changing(|conn| {
            collections::put(conn, collection)?;
            shared.follow(conn, &HashMap::new())
        }))
    }

    fn replace_collection(&self, replacement: Replacement<'_>) -> Result<Replaced, StoreError> {
        let shared = self.shared()?;
        shared.told(shared.changing(|conn| {
            // The lexical indexes may be behind, or broken; only from where the record is can they go on alongside.
            shared.follow(conn, &HashMap::new())?;
            let mut alongside = Alongside::new(&shared.files.lexical, rows::state(conn)?);
            match collections::replace(conn, replacement, &mut alongside)? {
                Ended::Abandoned => return Ok(Replaced::Abandoned),
                Ended::Outdated => return Ok(Replaced::Outdated),
                Ended::Committed => {}
            }
            // Should this fail, the indexes catch up from the record.
            let lexical = alongside.commit(&rows::state(conn)?);
            shared.follow(conn, &HashMap::new()).or(lexical)?;
            Ok(Replaced::Done(Generation(rows::generation(conn)?)))
        }))
    }

    fn rename_collection(&self, from: &str, to: &str) -> Result<(), StoreError> {
        let shared = self.shared()?;
        shared.told(shared.changing(|conn| {
            collections::rename(conn, from, to)?;
            shared.follow(conn, &HashMap::new())
        }))
    }

    fn remove_collection(&self, name: &str) -> Result<(), StoreError> {
        let shared = self.shared()?;
        shared.told(shared.changing(|conn| {
            collections::remove(conn, name)?;
            shared.follow(conn, &HashMap::new())
        }))
    }

    fn purge(&self, passages: &[PassageHash]) -> Result<Purged, StoreError> {
        let shared = self.shared()?;
        shared.told(shared.writing(|conn| {
            purge::note(&shared.files.dir)?;
            shared.clear_leftovers(conn)?;
            shared.follow(conn, &HashMap::new())?;
            let is_complete = shared.purge(conn, true)?;
            Ok(Purged { is_complete, unused: purge::unused(conn, passages)? })
        }))
    }

    fn pending_in(
        &self,
        model: &Model,
        asked: Pending<'_>,
        limit: usize,
    ) -> Result<Vec<PendingPassage>, StoreError> {
        let shared = self.shared()?;
        shared.told(shared.files.reading(|conn| embeddings::pending(conn, model, asked, limit)))
    }

    fn put_vectors(
        &self,
        model: &Model,
        new: &[(PassageId, QuantisedVector)],
    ) -> Result<Generation, StoreError> {
        let shared = self.shared()?;
        shared.told(shared.changing(|conn| {
            embeddings::put(conn, &shared.files.dir, model, new)?;
            embeddings::compact(conn, &shared.files.dir)?;
            shared.follow(conn, &HashMap::new())?;
            Ok(Generation(rows::generation(conn)?))
        }))
    }

    fn retire_other_models(&self, model: &Model) -> Result<(), StoreError> {
        let shared = self.shared()?;
        shared.told(shared.changing(|conn| {
            embeddings::retire_others(conn, &shared.files.dir, model)?;
            shared.follow(conn, &HashMap::new())
        }))
    }

    fn try_lease(&self, role: Role) -> Result<Option<Lease>, StoreError> {
        let shared = self.shared()?;
        let name = match role {
            Role::Ingest => "ingest.lock",
            Role::Embed => "embed.lock",
            Role::Library => "library.lock",
        };
        Ok(shared.told(LockFile::try_take(&shared.files.dir.join(name)))?.map(Lease::new))
    }

    fn secret(&self) -> Result<[u8; 32], StoreError> {
        let shared = self.shared()?;
        shared.told(shared.files.reading(rows::secret))
    }

    fn stats(&self) -> Result<StoreStats, StoreError> {
        let shared = self.shared()?;
        shared.told(shared.files.reading(|conn| {
            let state = rows::state(conn)?;
            let mut models = Vec::new();
            for model in rows::models(conn)? {
                let count = leftovers::live_vectors(conn, model.id)?;
                models.push((model.name, count));
            }
            Ok(StoreStats {
                place: shared.files.dir.display().to_string(),
                format: schema::FORMAT,
                bytes: size_on_disk(&shared.files.dir),
                last_applied_ms: state.last_applied_ms,
                models,
            })
        }))
    }

    fn give_back_memory(&self) {
        docent_kernels::give_back_memory();
    }

    fn check(&self) -> Result<CheckReport, StoreError> {
        let shared = self.shared()?;
        shared.told(shared.changing(|conn| {
            shared.follow(conn, &HashMap::new())?;
            let Some(view) = shared.current.load_full() else { return Err(Fault::Busy) };
            guarded(|| check::check(conn, &shared.files.lexical, &view))
        }))
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
