//! The store over a built index: everything is opened once, nothing is ever written.
//!
//! The folder may be on a disk that cannot be written to, and be shared by any number of processes. When it is replaced
//! by a newer build, as a whole, the next call opens the new one; a call that has begun goes on in the old one, whose
//! files stay open. What cannot be used is an error and stays as it is.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;
use docent_index::{
    Built, Change, CheckReport, Collection, DocumentRecord, Generation, Lease, Model, PassageHash, PassageId,
    Pending, PendingPassage, Purged, QuantisedVector, Replaced, Replacement, Role, Snapshot, Store,
    StoreError, StoreStats,
};

use crate::damage::RECORD;
use crate::fault::{Fault, Outcome};
use crate::files::{Files, identity, size_on_disk};
use crate::guard::guarded;
use crate::marker::{self, Marker, Times};
use crate::snapshot::EmbeddedSnapshot;

use crate::view::View;
use crate::{check, embeddings, rows, schema};

/// A built index, to read from.
pub struct BuiltStore {
    current: ArcSwap<Opened>,
    /// Held while the folder is opened again.
    reopening: Mutex<()>,
    /// Signs cursors. A built index has no key of its own: everybody may have a copy of it.
    secret: [u8; 32],
}

struct Opened {
    files: Arc<Files>,
    view: Arc<View>,
    marker: Marker,
    identity: Option<(u64, u64)>,
}

impl BuiltStore {
    /// Opens the built index in `dir`. `secret` signs what callers bring back, such as cursors; without one it is random.
    pub fn open(dir: &Path, secret: Option<[u8; 32]>) -> Result<Self, StoreError> {
        let secret = secret.unwrap_or_else(schema::new_secret);
        let opened = Opened::open(dir).map_err(|fault| fault.at_built(dir))?;
        Ok(Self { current: ArcSwap::from_pointee(opened), reopening: Mutex::new(()), secret })
    }

    /// The folder as it is now. While its replacement cannot be used, the one that is open goes on answering.
    fn opened(&self) -> Arc<Opened> {
        let opened = self.current.load_full();
        if opened.is_in_place() {
            return opened;
        }
        let _one = self.reopening.lock().unwrap_or_else(PoisonError::into_inner);
        let opened = self.current.load_full();
        if opened.is_in_place() {
            return opened;
        }
        match Opened::open(&opened.files.dir) {
            Ok(again) => {
                let again = Arc::new(again);
                self.current.store(Arc::clone(&again));
                again
            }
            Err(_) => opened,
        }
    }

    fn refusal<T>(&self) -> Result<T, StoreError> {
        Err(Fault::ReadOnly.at_built(&self.current.load().files.dir))
    }
}

impl Opened {
    fn open(dir: &Path) -> Outcome<Self> {
        check_kinds(dir)?;
        // Looked at first: if the folder is replaced meanwhile, the next call opens it again.
        let identity = identity(dir);
        let marker = Marker::load(dir)?;
        let times = marker::times(dir)?;
        if !dir.join(RECORD).is_file() {
            return Err(Fault::Damaged(format!("{RECORD} is missing")));
        }
        let files = Files::immutable(dir)?;
        let view = files.reading(|conn| {
            let format = schema::format(conn)?;
            if format < schema::OLDEST_BUILT {
                return Err(Fault::Damaged(format!("its format {format} is no longer read")));
            }
            let state = rows::state(conn)?;
            if state.uuid != marker.id {
                return Err(Fault::Damaged("its files belong to different builds".to_owned()));
            }
            let Some(searchers) = files.lexical.searchers(&state)? else {
                return Err(Fault::Damaged("the lexical index is missing or of another build".to_owned()));
            };
            View::read(conn, dir, state, searchers, None)
        })?;
        let view = Arc::new(view.with_times(|document| changed_ns(&times, document)));
        Ok(Self { files: Arc::new(files), view, marker, identity })
    }

    fn is_in_place(&self) -> bool {
        let now = identity(&self.files.dir);
        // While there is nothing to open, what is open is kept.
        cfg!(not(unix)) || now.is_none() || self.identity == now
    }
}

/// Opening a pipe would wait for somebody to write to it.
fn check_kinds(dir: &Path) -> Outcome<()> {
    for entry in std::fs::read_dir(dir)? {
        let entry = entry?;
        let kind = std::fs::metadata(entry.path()).map(|metadata| metadata.is_file() || metadata.is_dir());
        if !kind.unwrap_or(false) {
            let name = entry.file_name();
            return Err(Fault::Damaged(format!("{} is not a file", name.to_string_lossy())));
        }
    }
    Ok(())
}

fn changed_ns(times: &Times, document: &DocumentRecord) -> i64 {
    let changed = times.get(&document.collection).and_then(|paths| paths.get(&document.path));
    changed.copied().unwrap_or(0).saturating_mul(1_000_000)
}

impl Store for BuiltStore {
    fn snapshot(&self) -> Result<Arc<dyn Snapshot>, StoreError> {
        let opened = self.opened();
        Ok(Arc::new(EmbeddedSnapshot { files: opened.files.clone(), view: opened.view.clone() }))
    }

    fn apply(&self, _: &[Change]) -> Result<Generation, StoreError> {
        self.refusal()
    }

    fn apply_embedded(
        &self,
        _: &[Change],
        _: &Model,
        _: &HashMap<PassageHash, QuantisedVector>,
    ) -> Result<Generation, StoreError> {
        self.refusal()
    }

    fn put_collection(&self, _: &Collection) -> Result<(), StoreError> {
        self.refusal()
    }

    fn replace_collection(&self, _: Replacement<'_>) -> Result<Replaced, StoreError> {
        self.refusal()
    }

    fn rename_collection(&self, _: &str, _: &str) -> Result<(), StoreError> {
        self.refusal()
    }

    fn remove_collection(&self, _: &str) -> Result<(), StoreError> {
        self.refusal()
    }

    fn purge(&self, _: &[PassageHash]) -> Result<Purged, StoreError> {
        self.refusal()
    }

    fn pending_in(
        &self,
        model: &Model,
        asked: Pending<'_>,
        limit: usize,
    ) -> Result<Vec<PendingPassage>, StoreError> {
        let opened = self.opened();
        opened.files.told(opened.files.reading(|conn| embeddings::pending(conn, model, asked, limit)))
    }

    fn put_vectors(&self, _: &Model, _: &[(PassageId, QuantisedVector)]) -> Result<Generation, StoreError> {
        self.refusal()
    }

    fn retire_other_models(&self, _: &Model) -> Result<(), StoreError> {
        self.refusal()
    }

    fn try_lease(&self, _: Role, _: &[String]) -> Result<Option<Lease>, StoreError> {
        self.refusal()
    }

    fn secret(&self) -> Result<[u8; 32], StoreError> {
        Ok(self.secret)
    }

    fn stats(&self) -> Result<StoreStats, StoreError> {
        let opened = self.opened();
        let models = opened.view.vector_counts();
        Ok(StoreStats {
            place: opened.files.dir.display().to_string(),
            format: opened.marker.format,
            bytes: size_on_disk(&opened.files.dir),
            last_applied_ms: opened.marker.built_ms(),
            models,
        })
    }

    fn check(&self) -> Result<CheckReport, StoreError> {
        let opened = self.opened();
        let files = &opened.files;
        files.told(guarded(|| files.reading(|conn| check::check(conn, &files.lexical, &opened.view))))
    }

    fn built(&self) -> Option<Built> {
        Some(self.opened().marker.built())
    }
}
