//! What all handles of one store share: the connections, the newest view, and what was read before.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;
use docent_index::StoreError;
use tokio_postgres::IsolationLevel;

use crate::fault::{Fault, Outcome};
use crate::lexical::PostingCache;
use crate::link::{CATALOGUE, Link};
use crate::view::View;
use crate::{find, nearest, rows, schema};

/// How a store behaves.
#[derive(Debug, Clone, PartialEq)]
pub struct PostgresOptions {
    /// How long to wait for another process that writes to the same collection.
    pub patience: Duration,
    /// How long a server that does not answer is waited for. A statement of a search may take three seconds more.
    pub outage: Duration,
    /// Most connections that are open at a time, leases aside.
    pub connections: usize,
    /// Up to so many vectors of a model are held in memory and compared exactly. Without pgvector more are not compared at
    /// all.
    pub vectors_in_memory: Option<usize>,
    /// Vectors of a selection up to which they are read and compared one by one, instead of through pgvector's index.
    pub vectors_read: usize,
    /// How long rows stay that were removed or replaced, for those who read an older state.
    pub grace: Duration,
    /// Bytes of postings that are kept in memory.
    pub posting_cache: usize,
    /// Whether what others write is read as it comes, for a process that stays and is asked again and again.
    pub follows: bool,
}

impl Default for PostgresOptions {
    fn default() -> Self {
        Self {
            patience: Duration::from_secs(10),
            outage: Duration::from_secs(2),
            connections: 8,
            vectors_in_memory: None,
            vectors_read: 4000,
            grace: Duration::from_secs(600),
            posting_cache: 64 << 20,
            follows: false,
        }
    }
}

/// Vectors in memory where pgvector has an index for more.
const FEW_VECTORS: usize = 20_000;
/// Vectors in memory where there is no other way.
const MOST_VECTORS: usize = 200_000;

pub(crate) struct Shared {
    pub(crate) link: Link,
    pub(crate) options: PostgresOptions,
    /// The schema of pgvector, quoted; `None` where there is none.
    pub(crate) vector: Option<String>,
    pub(crate) postings: PostingCache,
    current: ArcSwapOption<View>,
    /// Held while a newer view is read.
    refreshing: Mutex<()>,
    notices: Mutex<Vec<String>>,
    /// Models whose vectors have an index of pgvector.
    indexed: Mutex<HashSet<i32>>,
    /// When rows of removed documents were last cleared away.
    pub(crate) swept: Mutex<Instant>,
}

impl Shared {
    pub(crate) fn open(url: &str, options: PostgresOptions) -> Result<Self, StoreError> {
        let link = Link::new(url, options.connections.max(2), options.outage)
            .map_err(|detail| StoreError::Refused { place: "the address given".to_owned(), detail })?;
        let found = link.wait(async {
            let mut client = link.client().await?;
            schema::migrate(&mut client).await
        });
        let found = found.map_err(|fault: Fault| fault.at(&link.place))?;
        Ok(Self {
            postings: PostingCache::new(options.posting_cache),
            link,
            options,
            vector: found.vector,
            current: ArcSwapOption::empty(),
            refreshing: Mutex::new(()),
            notices: Mutex::new(found.notices),
            indexed: Mutex::default(),
            swept: Mutex::new(Instant::now()),
        })
    }

    /// The error for the caller.
    pub(crate) fn told<T>(&self, outcome: Outcome<T>) -> Result<T, StoreError> {
        outcome.map_err(|fault| fault.at(&self.link.place))
    }

    /// What is missing or was given up, for people.
    pub(crate) fn notices(&self) -> Vec<String> {
        self.notices.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Adds a word about what is missing, once.
    pub(crate) fn notice(&self, text: &str) {
        let mut notices = self.notices.lock().unwrap_or_else(PoisonError::into_inner);
        if !notices.iter().any(|known| known == text) {
            notices.push(text.to_owned());
        }
    }

    /// The latest view that was read, which may be behind.
    pub(crate) fn held_view(&self) -> Option<Arc<View>> {
        self.current.load_full()
    }

    /// Whether this process knows that a model has its index.
    pub(crate) fn is_indexed(&self, model: i32) -> bool {
        self.indexed.lock().unwrap_or_else(PoisonError::into_inner).contains(&model)
    }

    pub(crate) fn note_indexed(&self, model: i32) {
        self.indexed.lock().unwrap_or_else(PoisonError::into_inner).insert(model);
    }

    /// How many vectors of a model are held in memory.
    pub(crate) fn vectors_in_memory(&self) -> usize {
        let usual = if self.vector.is_some() { FEW_VECTORS } else { MOST_VECTORS };
        self.options.vectors_in_memory.unwrap_or(usual)
    }

    /// Reads what is new, as far as this process has asked for such things before.
    pub(crate) fn catch_up(&self) -> Outcome<()> {
        let before = self.held_view();
        let view = self.view()?;
        let Some(before) = before else { return Ok(()) };
        self.link.wait_for(CATALOGUE, async {
            find::prepare(self, &view, &before).await?;
            let used: Vec<i32> = view.tables().keys().copied().collect();
            for model in view.models.iter().filter(|model| used.contains(&model.id)) {
                nearest::table(self, &view, model).await?;
            }
            Ok(())
        })
    }

    /// The newest view.
    pub(crate) fn view(&self) -> Outcome<Arc<View>> {
        let is_current = |view: &View, state: &rows::State| {
            view.state.uuid == state.uuid && view.state.generation == state.generation
        };
        let asked = self.link.read(self.link.trifle(), || async {
            let client = self.link.client().await?;
            rows::state(&client).await
        })?;
        if let Some(view) = self.current.load_full().filter(|view| is_current(view, &asked)) {
            return Ok(view);
        }
        let _one = self.refreshing.lock().unwrap_or_else(PoisonError::into_inner);
        let before = self.current.load_full();
        // Somebody else may have read it, or a newer one, while this thread waited.
        if let Some(view) = &before
            && view.state.uuid == asked.uuid
            && view.state.generation >= asked.generation
        {
            return Ok(view.clone());
        }
        let view = self.link.read(CATALOGUE, || async {
            let mut client = self.link.client().await?;
            let tx = client
                .build_transaction()
                .isolation_level(IsolationLevel::RepeatableRead)
                .read_only(true)
                .start()
                .await?;
            tx.batch_execute("SET LOCAL statement_timeout = 0").await?;
            let view = View::read(&tx, before.as_deref()).await?;
            tx.commit().await?;
            Ok(Arc::new(view))
        })?;
        self.current.store(Some(view.clone()));
        Ok(view)
    }
}
