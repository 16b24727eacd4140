//! The store as callers see it: the trait over what is open now. How views are published and how writers take turns is in `shared`.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use arc_swap::ArcSwap;
use docent_index::{
    Change, CheckReport, Collection, Generation, Lease, Model, PassageHash, PassageId, Pending,
    PendingPassage, Purged, QuantisedVector, Replaced, Replacement, Role, Snapshot, Store, StoreError,
    StoreStats,
};

use crate::collections::Ended;
use crate::fault::Fault;
use crate::files::{Files, size_on_disk};
use crate::filling::Alongside;
use crate::guard::guarded;
use crate::lock::LockFile;
use crate::shared::Shared;
use crate::snapshot::EmbeddedSnapshot;
use crate::{check, collections, embeddings, leftovers, purge, rows, schema};

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

    fn try_lease(&self, role: Role, _: &[String]) -> Result<Option<Lease>, StoreError> {
        let shared = self.shared()?;
        let name = match role {
            Role::Ingest => "ingest.lock",
            Role::Embed => "embed.lock",
            Role::Library => "library.lock",
            Role::Verify => "verify.lock",
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
