//! Sessions of clients that speak 2025-11-25 or older: how many there are, whose they are and when they are over.
//!
//! Knows nothing of MCP. A transport reserves a seat, opens a session with it, and is told through the session's token
//! when the session is over. A session belongs to the caller that opened it: for anyone else it does not exist.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use docent_mcp::Caller;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::config::Limits;
use crate::reply::Refused;

/// Which transport a session came in on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `/mcp`
    Streamable,
    /// `/sse`
    Sse,
}

/// All sessions.
#[derive(Debug)]
pub(crate) struct Sessions {
    seats: Arc<Semaphore>,
    open: Mutex<HashMap<String, Entry>>,
    limit: usize,
    idle: Duration,
    start: Duration,
}

#[derive(Debug)]
struct Entry {
    kind: Kind,
    owner: String,
    over: CancellationToken,
    /// Whether anything came after the request that opened it.
    started: bool,
    visits: usize,
    last_visit: Instant,
    /// Ids of the requests being worked on.
    working_on: HashSet<String>,
    _seat: OwnedSemaphorePermit,
}

/// Room for one more session, for one caller.
#[derive(Debug)]
pub(crate) struct Seat {
    owner: String,
    kind: Kind,
    permit: OwnedSemaphorePermit,
}

/// Somebody using a session, which does not grow old meanwhile.
#[derive(Debug)]
pub(crate) struct Visit {
    sessions: Arc<Sessions>,
    id: String,
    request: Option<String>,
}

impl Sessions {
    pub(crate) fn new(limits: &Limits) -> Arc<Self> {
        Arc::new(Self {
            seats: Arc::new(Semaphore::new(limits.sessions)),
            open: Mutex::default(),
            limit: limits.sessions,
            idle: limits.session_idle,
            start: limits.session_start,
        })
    }

    /// Room for a session of this caller.
    pub(crate) fn reserve(&self, caller: &Caller, kind: Kind) -> Result<Seat, Refused> {
        self.sweep();
        let permit = self.seats.clone().try_acquire_owned().map_err(|_| {
            Refused::busy(
                format!("the server is busy: {} sessions are open, which is the limit", self.limit),
                30,
            )
        })?;
        Ok(Seat { owner: caller.name.clone(), kind, permit })
    }

    /// Opens a session. The token tells when it is over.
    pub(crate) fn open(&self, id: &str, seat: Seat) -> CancellationToken {
        let over = CancellationToken::new();
        let entry = Entry {
            kind: seat.kind,
            owner: seat.owner,
            over: over.clone(),
            started: false,
            visits: 0,
            last_visit: Instant::now(),
            working_on: HashSet::new(),
            _seat: seat.permit,
        };
        self.entries().insert(id.to_owned(), entry);
        over
    }

    /// Uses a session, if it is there and belongs to the caller.
    pub(crate) fn visit(self: &Arc<Self>, id: &str, caller: &Caller) -> Option<Visit> {
        let mut entries = self.entries();
        let entry = entries.get_mut(id).filter(|entry| entry.owner == caller.name)?;
        if self.is_over(entry) {
            entries.remove(id);
            return None;
        }
        entry.started = true;
        entry.visits += 1;
        Some(Visit { sessions: self.clone(), id: id.to_owned(), request: None })
    }

    /// Whether a session is there and belongs to the caller.
    pub(crate) fn has(&self, id: &str, caller: &Caller) -> bool {
        self.entries().get(id).is_some_and(|entry| entry.owner == caller.name && !self.is_over(entry))
    }

    /// Ends a session.
    pub(crate) fn close(&self, id: &str) {
        self.entries().remove(id);
    }

    /// Ends all sessions.
    pub(crate) fn close_all(&self) {
        self.entries().clear();
    }

    /// Ends the sessions that nobody has used for long.
    pub(crate) fn sweep(&self) {
        self.entries().retain(|_, entry| !self.is_over(entry));
    }

    /// How often [`Sessions::sweep`] is worth calling.
    pub(crate) fn sweep_interval(&self) -> Duration {
        (self.idle.min(self.start) / 2).clamp(Duration::from_millis(20), Duration::from_secs(30))
    }

    /// How many there are.
    pub(crate) fn count(&self, kind: Kind) -> usize {
        self.entries().values().filter(|entry| entry.kind == kind).count()
    }

    fn is_over(&self, entry: &Entry) -> bool {
        let allowed = if entry.started { self.idle } else { self.start };
        entry.visits == 0 && entry.last_visit.elapsed() >= allowed
    }

    fn entries(&self) -> MutexGuard<'_, HashMap<String, Entry>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.over.cancel();
    }
}

impl Visit {
    /// Takes the id of a request for as long as the visit lasts. `None`: a request of that id is being worked on, and
    /// their answers could not be told apart.
    pub(crate) fn work_on(mut self, request: String) -> Option<Self> {
        let free = match self.sessions.entries().get_mut(&self.id) {
            Some(entry) => entry.working_on.insert(request.clone()),
            None => true,
        };
        self.request = free.then_some(request);
        free.then_some(self)
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        if let Some(entry) = self.sessions.entries().get_mut(&self.id) {
            if let Some(request) = &self.request {
                entry.working_on.remove(request);
            }
            entry.visits = entry.visits.saturating_sub(1);
            entry.last_visit = Instant::now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sessions(limit: usize) -> Arc<Sessions> {
        Sessions::new(&Limits { sessions: limit, ..Limits::default() })
    }

    fn caller(name: &str) -> Caller {
        Caller { name: name.into(), ..Caller::local() }
    }

    fn open(sessions: &Sessions, id: &str, owner: &str) -> CancellationToken {
        sessions.open(id, sessions.reserve(&caller(owner), Kind::Streamable).unwrap())
    }

    #[tokio::test]
    async fn a_session_exists_for_its_owner_only() {
        let sessions = sessions(2);
        open(&sessions, "a", "ann");
        assert!(sessions.visit("a", &caller("ann")).is_some());
        assert!(sessions.visit("a", &caller("bob")).is_none());
        assert!(sessions.visit("b", &caller("ann")).is_none());
    }

    #[tokio::test]
    async fn an_id_is_taken_while_its_request_is_worked_on() {
        let sessions = sessions(1);
        open(&sessions, "a", "");
        let visit = || sessions.visit("a", &caller("")).unwrap();
        let first = visit().work_on("1".into()).unwrap();
        assert!(visit().work_on("1".into()).is_none());
        assert!(visit().work_on("1".into()).is_none());
        assert!(visit().work_on("2".into()).is_some());
        drop(first);
        assert!(visit().work_on("1".into()).is_some());
    }

    #[tokio::test]
    async fn seats_run_out_and_come_back() {
        let sessions = sessions(1);
        let seat = sessions.reserve(&caller(""), Kind::Sse).unwrap();
        assert!(sessions.reserve(&caller(""), Kind::Sse).is_err());
        drop(seat);
        let over = open(&sessions, "a", "");
        assert!(sessions.reserve(&caller(""), Kind::Sse).is_err());
        sessions.close("a");
        assert!(over.is_cancelled());
        assert!(sessions.reserve(&caller(""), Kind::Sse).is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn idle_sessions_end_and_used_ones_do_not() {
        let sessions = sessions(3);
        let never_started = open(&sessions, "never", "");
        let idle = open(&sessions, "idle", "");
        let busy = open(&sessions, "busy", "");
        drop(sessions.visit("idle", &caller("")));
        let visit = sessions.visit("busy", &caller(""));
        tokio::time::advance(Duration::from_secs(61)).await;
        sessions.sweep();
        assert!(never_started.is_cancelled() && !idle.is_cancelled());
        tokio::time::advance(Duration::from_secs(30 * 60)).await;
        assert!(sessions.visit("idle", &caller("")).is_none());
        sessions.sweep();
        assert!(idle.is_cancelled() && !busy.is_cancelled());
        drop(visit);
        assert!(sessions.visit("busy", &caller("")).is_some());
    }
}
