//! A copy of the database that answers questions, so that the primary is left to who writes.
//!
//! A copy is behind by some moments. Whoever wrote something here, or was shown something, must not be told an older story
//! afterwards: how far the primary's log was after each write is remembered, and the copy is read only once it has replayed
//! that much. Until then, and while the copy is away, the primary answers; and while the primary is away, the copy alone.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures::future::try_join;
use tokio_postgres::Client;
use tokio_postgres::types::PgLsn;

use crate::fault::{Fault, Outcome};
use crate::link::Link;
use crate::rows::{self, GenericClient, State};

/// How long a copy that is behind is waited for, and how often it is asked meanwhile.
const CATCHING_UP: Duration = Duration::from_millis(200);
const MEANWHILE: Duration = Duration::from_millis(10);
/// How long nobody else waits after that was in vain.
const NOT_AGAIN: Duration = Duration::from_secs(1);
/// How often a copy that is away is tried.
const AWAY: Duration = Duration::from_secs(2);

pub(crate) struct Replica {
    pub(crate) link: Link,
    is_away: Arc<AtomicBool>,
    seen: Mutex<Seen>,
    /// When it was last waited for in vain.
    waited: Mutex<Option<Instant>>,
}

/// What this process has seen of the primary.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Seen {
    /// Which index it is. Somebody may name a copy of another database.
    uuid: Option<String>,
    generation: u64,
    /// A place in the log.
    log: u64,
}

/// How far a copy is.
pub(crate) struct Reached {
    pub(crate) state: State,
    /// `None` where the server does not say.
    log: Option<u64>,
}

impl Replica {
    pub(crate) fn new(link: Link) -> Self {
        Self { link, is_away: Arc::default(), seen: Mutex::default(), waited: Mutex::default() }
    }

    pub(crate) fn is_away(&self) -> bool {
        self.is_away.load(Ordering::Acquire)
    }

    /// Leaves the copy alone until it answers again; says whether that is news.
    pub(crate) fn lose(&self) -> bool {
        if self.is_away.swap(true, Ordering::AcqRel) {
            return false;
        }
        let (pool, is_away) = (self.link.pool(), self.is_away.clone());
        self.link.spawn(async move {
            loop {
                tokio::time::sleep(AWAY).await;
                if let Ok(client) = pool.get().await
                    && client.batch_execute("SELECT FROM docent.state").await.is_ok()
                {
                    return is_away.store(false, Ordering::Release);
                }
            }
        });
        true
    }

    /// How far it is, once it is far enough or was waited for in vain.
    pub(crate) fn caught_up(&self) -> Outcome<Reached> {
        let start = Instant::now();
        let is_hopeless = self.waited().is_some_and(|waited| waited.elapsed() < NOT_AGAIN);
        loop {
            let reached = self.reached()?;
            if self.is_enough(&reached) || is_hopeless || !self.is_copy(&reached) {
                return Ok(reached);
            }
            if start.elapsed() >= CATCHING_UP {
                *self.waited() = Some(Instant::now());
                return Ok(reached);
            }
            std::thread::sleep(MEANWHILE);
        }
    }

    /// Asks how far it is.
    fn reached(&self) -> Outcome<Reached> {
        self.link.read(self.link.trifle(), || async {
            let client = self.link.client().await?;
            // A copy that became a primary replays nothing any more.
            let statement = client
                .prepare_cached(
                    "SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()
                                 ELSE pg_current_wal_insert_lsn() END",
                )
                .await?;
            // In this order: what was replayed after the first question is no part of the answer to the second.
            let log = async { Ok(client.query_one(&statement, &[]).await?) };
            let (row, state) = try_join(log, rows::state(&client)).await?;
            Ok(Reached { state, log: row.get::<_, Option<PgLsn>>(0).map(u64::from) })
        })
    }

    /// Whether a copy that is so far knows all that this process has seen.
    pub(crate) fn is_enough(&self, reached: &Reached) -> bool {
        let seen = self.seen();
        Self::is_of(&seen, reached)
            && reached.state.generation >= seen.generation
            && reached.log.is_none_or(|log| log >= seen.log)
    }

    /// Whether it is one of the primary that this process knows.
    pub(crate) fn is_copy(&self, reached: &Reached) -> bool {
        Self::is_of(&self.seen(), reached)
    }

    fn is_of(seen: &Seen, reached: &Reached) -> bool {
        seen.uuid.as_ref().is_none_or(|uuid| *uuid == reached.state.uuid)
    }

    /// Remembers that somebody was shown this state of the primary.
    pub(crate) fn saw(&self, state: &State) {
        let mut seen = self.seen();
        if seen.uuid.as_ref() != Some(&state.uuid) {
            *seen = Seen { uuid: Some(state.uuid.clone()), ..Seen::default() };
        }
        seen.generation = seen.generation.max(state.generation);
    }

    /// Remembers how far the primary's log is, for who has just written or is going to.
    pub(crate) async fn remember(&self, primary: &Client, generation: u64) -> Outcome<()> {
        {
            let mut seen = self.seen();
            seen.generation = seen.generation.max(generation);
        }
        let log: PgLsn = primary.query_one("SELECT pg_current_wal_insert_lsn()", &[]).await?.get(0);
        let mut seen = self.seen();
        seen.log = seen.log.max(log.into());
        Ok(())
    }

    /// The primary is gone: what the copy has is all there is.
    pub(crate) fn settle_for(&self, reached: &Reached) {
        *self.seen() =
            Seen { uuid: Some(reached.state.uuid.clone()), generation: reached.state.generation, log: 0 };
    }

    fn waited(&self) -> MutexGuard<'_, Option<Instant>> {
        self.waited.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether another server may do better.
pub(crate) fn is_of_the_server(fault: &Fault) -> bool {
    match fault {
        Fault::Unreachable(_) => true,
        Fault::Postgres(error) => {
            // A copy ends statements that stand in the way of its replaying (40001), and has its own roles' limits (53).
            let code = error.code().map_or("08", |code| code.code());
            Fault::from_is_cut_off(error) || code == "40001" || code.starts_with("53")
        }
        _ => false,
    }
}
