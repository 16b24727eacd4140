//! The store as callers see it: the trait over a database.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use docent_index::{
    Change, CheckReport, Collection, EmbeddingCache, Generation, Lease, Model, PassageHash, PassageId,
    Pending, PendingPassage, Purged, QuantisedVector, Replaced, Replacement, Role, Snapshot, Store,
    StoreError, StoreStats,
};
use docent_store_common::{EmbeddedRows, keys};

use crate::batch::{Batch, Lock};
use crate::cache::PostgresCache;
use crate::fault::Outcome;
use crate::options::PostgresOptions;
use crate::rows::{self, GenericClient};
use crate::shared::{Server, Shared};
use crate::snapshot::PostgresSnapshot;
use crate::{check, collections, documents, follow, lease, pending, schema, sweep, vectors};

/// A store in a database that other processes use at the same time.
pub struct PostgresStore {
    shared: Arc<Shared>,
}

impl PostgresStore {
    /// Connects to the database and brings its tables to the newest format.
    pub fn open(url: &str, options: PostgresOptions) -> Result<Self, StoreError> {
        Self::open_with(url, None, options)
    }

    /// As [`PostgresStore::open`], and reads from a copy of that database wherever the copy knows enough.
    pub fn open_with_replica(url: &str, replica: &str, options: PostgresOptions) -> Result<Self, StoreError> {
        Self::open_with(url, Some(replica), options)
    }

    fn open_with(url: &str, replica: Option<&str>, options: PostgresOptions) -> Result<Self, StoreError> {
        let shared = Arc::new(Shared::open(url, replica, options)?);
        shared.meet_replica();
        if shared.options.follows {
            follow::start(&shared);
        }
        Ok(Self { shared })
    }

    /// The newest generation that this process has read, which is not always the newest there is.
    pub fn read_generation(&self) -> Option<Generation> {
        self.shared.held_view().map(|view| Generation(view.state.generation))
    }

    /// All collections that the database at `url` has, without reading what is in them.
    pub fn collections(
        url: &str,
        replica: Option<&str>,
        options: PostgresOptions,
    ) -> Result<Vec<Collection>, StoreError> {
        let shared = Shared::open(url, replica, options)?;
        let known = shared.read(Server::Replica, shared.link.search(), |link| async move {
            rows::collections(&link.client().await?).await
        });
        Ok(shared.told(known)?.into_iter().map(|(_, collection)| collection).collect())
    }

    /// What the server does not have, and what that costs, for people.
    pub fn lacks(&self) -> &[String] {
        &self.shared.lacks
    }

    /// What turned out to be missing since, for people.
    pub fn notices(&self) -> Vec<String> {
        self.shared.notices()
    }

    /// Tells of what turned out to be missing, and of what will.
    pub fn on_notice(&self, tell: impl Fn(&str) + Send + Sync + 'static) {
        self.shared.on_notice(Box::new(tell));
    }

    /// Tells once when the server is lost and once when it is back, each time.
    pub fn on_outage(&self, tell: impl Fn(&str) + Send + Sync + 'static) {
        self.shared.link.presence().on_change(Box::new(tell));
    }

    /// Builds pgvector's index for a model that has many vectors and none yet. Searching goes on meanwhile, writing vectors
    /// waits.
    pub fn build_vector_index(&self, model: &Model) -> Result<(), StoreError> {
        let shared = &self.shared;
        shared.told(shared.link.attend(async {
            let known = vectors::find(&shared.link.client().await?, model).await?;
            match known {
                Some(row) => vectors::build_index(shared, &row).await,
                None => Ok(()),
            }
        }))
    }

    /// Writes, and clears away what is due.
    fn writing<T>(&self, work: impl Future<Output = Outcome<T>>) -> Result<T, StoreError> {
        let shared = &self.shared;
        shared.told(shared.link.attend(async {
            let done = work.await?;
            sweep::when_due(shared).await;
            Ok(done)
        }))
    }

    async fn apply_with(
        &self,
        changes: &[Change],
        along: Option<(&Model, &HashMap<PassageHash, QuantisedVector>)>,
    ) -> Outcome<Generation> {
        let shared = &self.shared;
        let known = match along {
            Some((model, vectors)) => {
                vectors::check_lengths(model, vectors.values())?;
                Some((vectors::register(shared, model).await?, vectors))
            }
            None => None,
        };
        let (names, made) = documents::names(changes);
        let mut client = shared.link.sound_client().await?;
        let mut batch = Batch::begin(&mut client, shared, &names, &made, Lock::Alone).await?;
        let changes: Vec<&Change> = changes.iter().collect();
        let added = documents::apply(&mut batch, &changes).await?;
        if let Some((model, vectors)) = &known {
            vectors::put_at_hand(&mut batch, model, &added, vectors).await?;
        }
        let generation = batch.finish(true).await?;
        drop(client);
        if let Some((model, _)) = &known {
            vectors::index_when_due(shared, model).await?;
        }
        Ok(generation)
    }
}

impl Store for PostgresStore {
    fn snapshot(&self) -> Result<Arc<dyn Snapshot>, StoreError> {
        let (view, server) = self.shared.told(self.shared.readable())?;
        Ok(Arc::new(PostgresSnapshot { shared: self.shared.clone(), view, server }))
    }

    fn cache(&self) -> Option<Arc<dyn EmbeddingCache>> {
        Some(Arc::new(PostgresCache::new(self.shared.clone())))
    }

    fn apply(&self, changes: &[Change]) -> Result<Generation, StoreError> {
        self.writing(self.apply_with(changes, None))
    }

    fn distrust(&self, collection: &str) -> Result<(), StoreError> {
        self.writing(collections::distrust(&self.shared, collection))
    }

    fn apply_embedded(
        &self,
        changes: &[Change],
        model: &Model,
        vectors: &HashMap<PassageHash, QuantisedVector>,
    ) -> Result<Generation, StoreError> {
        self.writing(self.apply_with(changes, Some((model, vectors))))
    }

    fn put_collection(&self, collection: &Collection) -> Result<(), StoreError> {
        self.writing(collections::put(&self.shared, collection)).map(drop)
    }

    fn replace_collection(&self, replacement: Replacement<'_>) -> Result<Replaced, StoreError> {
        self.writing(collections::replace(&self.shared, replacement))
    }

    fn rename_collection(&self, from: &str, to: &str) -> Result<(), StoreError> {
        self.writing(collections::rename(&self.shared, from, to)).map(drop)
    }

    fn remove_collection(&self, name: &str) -> Result<(), StoreError> {
        self.writing(collections::remove(&self.shared, name)).map(drop)
    }

    fn purge(&self, passages: &[PassageHash]) -> Result<Purged, StoreError> {
        self.shared.told(self.shared.link.attend(sweep::purge(&self.shared, passages)))
    }

    fn pending_in(
        &self,
        model: &Model,
        asked: Pending<'_>,
        limit: usize,
    ) -> Result<Vec<PendingPassage>, StoreError> {
        let view = self.shared.told(self.shared.view())?;
        let work = pending::pending(&self.shared, &view, model, asked, limit);
        self.shared.told(self.shared.link.wait_for(self.shared.link.search(), work))
    }

    fn claim(
        &self,
        model: &Model,
        asked: Pending<'_>,
        limit: usize,
    ) -> Result<Vec<PendingPassage>, StoreError> {
        let view = self.shared.told(self.shared.view())?;
        let work = pending::claim(&self.shared, &view, model, asked, limit);
        self.shared.told(self.shared.link.attend(work))
    }

    fn put_vectors(
        &self,
        model: &Model,
        new: &[(PassageId, QuantisedVector)],
    ) -> Result<Generation, StoreError> {
        let shared = &self.shared;
        shared.told(vectors::check_lengths(model, new.iter().map(|(_, vector)| vector)))?;
        let view = shared.told(shared.view())?;
        let place = |(passage, vector)| {
            let PassageId(number) = passage;
            Some((view.collection_of(number >> keys::DOCUMENT_SHIFT)?, passage, vector))
        };
        let known: Vec<_> =
            new.iter().map(|(passage, vector)| (*passage, vector)).filter_map(place).collect();
        if known.is_empty() {
            return Ok(Generation(view.state.generation));
        }
        let numbers: BTreeSet<i32> = known.iter().map(|(of, ..)| *of).collect();
        let named = view.collections.iter().filter(|(_, id)| numbers.contains(id));
        let names: BTreeSet<&str> = named.map(|(name, _)| name.as_str()).collect();
        self.writing(async {
            let row = vectors::register(shared, model).await?;
            let mut client = shared.link.sound_client().await?;
            let mut batch = Batch::begin(&mut client, shared, &names, &BTreeSet::new(), Lock::Shared).await?;
            vectors::put(&mut batch, &row, &known).await?;
            let done: Vec<(i32, i64)> =
                known.iter().map(|(of, passage, _)| (*of, passage.0 as i64)).collect();
            pending::release(&batch, row.id, &done).await?;
            let generation = batch.finish(false).await?;
            drop(client);
            vectors::index_when_due(shared, &row).await?;
            Ok(generation)
        })
    }

    fn retire_other_models(&self, model: &Model) -> Result<(), StoreError> {
        // Who knows only some collections cannot tell whether the model has caught up in all.
        if self.shared.options.collections.is_some() {
            return Ok(());
        }
        self.writing(pending::retire_others(&self.shared, model))
    }

    fn try_lease(&self, role: Role, of: &[String]) -> Result<Option<Lease>, StoreError> {
        lease::take(&self.shared, role, of)
    }

    fn secret(&self) -> Result<[u8; 32], StoreError> {
        // It is the index's for as long as there is one, and every view has it.
        match self.shared.held_view() {
            Some(view) => Ok(view.state.secret),
            None => self.shared.told(self.shared.readable()).map(|(view, _)| view.state.secret),
        }
    }

    fn stats(&self) -> Result<StoreStats, StoreError> {
        let shared = &self.shared;
        let (view, server) = shared.told(shared.readable())?;
        let bytes: i64 = shared.told(shared.read(server, shared.link.search(), |link| async move {
            let client = link.client().await?;
            let row = client
                .query_one(
                    "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c
                     JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'docent' AND c.relkind = 'r'",
                    &[],
                )
                .await?;
            Ok(row.get(0))
        }))?;
        let live = |id: i32| view.embedded(id).map_or(0, EmbeddedRows::live);
        let models = view.models.iter().map(|model| (model.name.clone(), live(model.id)));
        Ok(StoreStats {
            place: shared.link.place.clone(),
            format: schema::FORMAT,
            bytes: bytes as u64,
            last_applied_ms: view.state.last_applied_ms,
            models: models.filter(|(_, count)| *count > 0).collect(),
        })
    }

    fn check(&self) -> Result<CheckReport, StoreError> {
        self.shared.told(self.shared.link.attend(check::check(&self.shared)))
    }
}
