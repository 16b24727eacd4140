//! What all handles of one store share: the connections, the newest view, and what was read before.

use std::collections::HashSet;
use std::sync::atomic::AtomicI32;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;
use docent_index::{Generation, StoreError};
use tokio_postgres::IsolationLevel;

use crate::fault::{Fault, Outcome};
use crate::lexical::PostingCache;
use crate::link::{CATALOGUE, Link};
use crate::options::PostgresOptions;
use crate::presence::Teller;
use crate::replica::{Replica, is_of_the_server};
use crate::view::View;
use crate::{discreet, find, nearest, rows, schema};

/// Vectors in memory where pgvector has an index for more.
const FEW_VECTORS: usize = 20_000;
/// Vectors in memory where there is no other way.
const MOST_VECTORS: usize = 200_000;

/// Which server is asked first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Server {
    Primary,
    Replica,
}

/// A view, and the server that knows its rows.
#[derive(Clone, Copy)]
pub(crate) struct Reading<'a> {
    pub(crate) shared: &'a Shared,
    pub(crate) link: &'a Link,
    pub(crate) view: &'a View,
}

pub(crate) struct Shared {
    /// To the primary.
    pub(crate) link: Link,
    pub(crate) replica: Option<Replica>,
    pub(crate) options: PostgresOptions,
    /// The schema of pgvector, quoted; `None` where there is none.
    pub(crate) vector: Option<String>,
    pub(crate) postings: PostingCache,
    current: ArcSwapOption<View>,
    /// Held while a newer view is read.
    refreshing: Mutex<()>,
    /// What the server does not have.
    pub(crate) lacks: Vec<String>,
    notices: Mutex<Vec<String>>,
    /// Who wants to hear of them.
    teller: OnceLock<Teller>,
    /// Models whose vectors have an index of pgvector.
    indexed: Mutex<HashSet<i32>>,
    /// The server's process for the last session that this process took to embed; 0 for none.
    pub(crate) embeds: AtomicI32,
    /// When rows of removed documents were last cleared away.
    pub(crate) swept: Mutex<Instant>,
}

impl Shared {
    pub(crate) fn open(
        url: &str,
        replica: Option<&str>,
        options: PostgresOptions,
    ) -> Result<Self, StoreError> {
        let link = |url: &str, name: &str| {
            Link::new(url, options.connections.max(2), options.outage)
                .map_err(|detail| StoreError::Refused { place: format!("the {name} given"), detail })
        };
        let replica = replica.map(|url| link(url, "address of a replica").map(Replica::new)).transpose()?;
        let link = link(url, "address")?;
        let tables = |link: &Link| link.attend(async { schema::migrate(&mut link.client().await?).await });
        let mut found = tables(&link);
        if let (Err(fault), Some(replica)) = (&found, &replica)
            && is_of_the_server(fault)
            && let Ok(there) = tables(&replica.link)
        {
            found = Ok(there);
        }
        let found = found.map_err(|fault: Fault| link.told(fault))?;
        Ok(Self {
            postings: PostingCache::new(options.posting_cache),
            link,
            replica,
            options,
            vector: found.vector,
            current: ArcSwapOption::empty(),
            refreshing: Mutex::new(()),
            lacks: found.notices,
            notices: Mutex::default(),
            teller: OnceLock::new(),
            indexed: Mutex::default(),
            embeds: AtomicI32::new(0),
            swept: Mutex::new(Instant::now()),
        })
    }

    /// Compares a replica with its primary, so that its trouble is known at once.
    pub(crate) fn meet_replica(&self) {
        let Some(replica) = &self.replica else { return };
        let state = || async { rows::state(&self.link.client().await?).await };
        if let Ok(state) = self.link.read(self.link.trifle(), state) {
            replica.saw(&rows::State { generation: 0, ..state });
        }
        let _ = self.readable();
    }

    /// The error for the caller.
    pub(crate) fn told<T>(&self, outcome: Outcome<T>) -> Result<T, StoreError> {
        outcome.map_err(|fault| {
            let was_told = fault.is_of_the_way();
            let error = self.link.told(fault);
            if !self.options.is_discreet {
                return error;
            }
            let (discreet, is_news) = discreet::discreet(&error);
            // That the server is away was said when it went.
            if is_news && !was_told {
                self.notice(&error.to_string());
            }
            discreet
        })
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
            if let Some(tell) = self.teller.get() {
                tell(text);
            }
        }
    }

    /// Tells of what is missing, and of what will turn out to be.
    pub(crate) fn on_notice(&self, tell: Teller) {
        let notices = self.notices.lock().unwrap_or_else(PoisonError::into_inner);
        let tell = self.teller.get_or_init(|| tell);
        notices.iter().for_each(|notice| tell(notice));
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

    /// Reads what is new, as far as this process has asked for such things before; says how far it got.
    pub(crate) fn catch_up(&self) -> Outcome<Generation> {
        let before = self.held_view();
        let (view, server) = self.readable()?;
        let generation = Generation(view.state.generation);
        let Some(before) = before else { return Ok(generation) };
        let (shared, view, before) = (self, &*view, &*before);
        self.read(server, CATALOGUE, |link| async move {
            let reading = Reading { shared, link, view };
            find::prepare(reading, before).await?;
            let used: Vec<i32> = view.tables().keys().copied().collect();
            for model in view.models.iter().filter(|model| used.contains(&model.id)) {
                nearest::table(reading, model).await?;
            }
            Ok(generation)
        })
    }

    /// Reads from a server. What a replica cannot say, the primary can; not the other way round, because the primary is
    /// asked first where the replica may know too little.
    pub(crate) fn read<'s, T, F: Future<Output = Outcome<T>>>(
        &'s self,
        server: Server,
        limit: Duration,
        work: impl Fn(&'s Link) -> F,
    ) -> Outcome<T> {
        if server == Server::Replica
            && let Some(replica) = self.replica.as_ref().filter(|replica| !replica.is_away())
        {
            match replica.link.read(limit, || work(&replica.link)) {
                Err(fault) if is_of_the_server(&fault) => self.note_lost(replica, &fault),
                done => return done,
            }
        }
        self.link.read(limit, || work(&self.link))
    }

    /// Leaves a replica alone that does not answer, and says so once.
    fn note_lost(&self, replica: &Replica, fault: &Fault) {
        if fault.is_of_the_way() && replica.lose() {
            self.notice(&format!(
                "the replica at {} is not used until it answers: {}",
                replica.link.place,
                fault.detail()
            ));
        }
    }

    /// Something was written, of which everybody here is to be told from now on.
    pub(crate) async fn wrote(&self, generation: Generation) {
        let Some(replica) = &self.replica else { return };
        // Without an answer there is still the generation to go by.
        if let Ok(client) = self.link.client().await {
            let _ = replica.remember(&client, generation.0).await;
        }
    }

    /// The newest view that this process may be shown, and the server that has its rows.
    pub(crate) fn readable(&self) -> Outcome<(Arc<View>, Server)> {
        let Some(replica) = self.replica.as_ref().filter(|replica| !replica.is_away()) else {
            return Ok((self.view()?, Server::Primary));
        };
        let behind = match replica.caught_up() {
            Ok(reached) if replica.is_enough(&reached) => {
                match self.view_at(&replica.link, &reached.state, false) {
                    // Where a writer of this process has read a newer one from the primary, that one knows the rows.
                    Ok(view) if view.state.generation > reached.state.generation => Some(reached),
                    Ok(view) => return Ok((view, Server::Replica)),
                    Err(fault) => {
                        self.note_lost(replica, &fault);
                        None
                    }
                }
            }
            Ok(reached) => {
                if !replica.is_copy(&reached) {
                    let (copy, place) = (&replica.link.place, &self.link.place);
                    self.notice(&format!("{copy} is not a replica of {place}, and is not used"));
                }
                Some(reached)
            }
            Err(fault) => {
                self.note_lost(replica, &fault);
                None
            }
        };
        match (self.view(), behind) {
            (Ok(view), _) => {
                replica.saw(&view.state);
                Ok((view, Server::Primary))
            }
            (Err(fault), Some(reached)) if is_of_the_server(&fault) && replica.is_copy(&reached) => {
                replica.settle_for(&reached);
                Ok((self.view_at(&replica.link, &reached.state, true)?, Server::Replica))
            }
            (Err(fault), _) => Err(fault),
        }
    }

    /// The newest view of the primary.
    pub(crate) fn view(&self) -> Outcome<Arc<View>> {
        let asked = self.link.read(self.link.trifle(), || async {
            let client = self.link.client().await?;
            rows::state(&client).await
        })?;
        self.view_at(&self.link, &asked, false)
    }

    /// A view that is as new as a server says it is, or newer unless it has to be that server's.
    fn view_at(&self, link: &Link, asked: &rows::State, is_only: bool) -> Outcome<Arc<View>> {
        let is_current =
            |view: &View| view.state.uuid == asked.uuid && view.state.generation == asked.generation;
        if let Some(view) = self.current.load_full().filter(|view| is_current(view)) {
            return Ok(view);
        }
        let _one = self.refreshing.lock().unwrap_or_else(PoisonError::into_inner);
        let before = self.current.load_full();
        // Somebody else may have read it, or a newer one, while this thread waited.
        if let Some(view) = &before
            && view.state.uuid == asked.uuid
            && (view.state.generation == asked.generation
                || (view.state.generation > asked.generation && !is_only))
        {
            return Ok(view.clone());
        }
        let view = link.read(CATALOGUE, || async {
            let mut client = link.client().await?;
            let tx = client
                .build_transaction()
                .isolation_level(IsolationLevel::RepeatableRead)
                .read_only(true)
                .start()
                .await?;
            tx.batch_execute("SET LOCAL statement_timeout = 0").await?;
            let view = View::read(&tx, before.as_deref(), self.options.collections.as_deref()).await?;
            tx.commit().await?;
            Ok(Arc::new(view))
        })?;
        self.current.store(Some(view.clone()));
        Ok(view)
    }
}
