//! Calls that write: they wait for other processes and for the network, so they have places of their own, wait for one in a
//! line, can be stopped, and say how far they are. How many documents are converted and held in memory at once is not decided
//! here but where that is done.

use std::sync::Arc;
use std::time::{Duration, Instant};

use docent_engine::Cancel;
use rmcp::model::ProgressNotificationParam;
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use crate::call::Failure;
use crate::server::DocsServer;
use crate::shared::Shared;
use crate::table::Effect;

/// Calls of a kind that are worked on at once…
const AT_ONCE: usize = 4;
/// … of which those that wait for the web need little else…
const FETCHED_AT_ONCE: usize = 16;
/// … and are told when slow servers of others keep them waiting for so long…
const FETCH_PATIENCE: Duration = Duration::from_secs(20);
/// … and that wait for their turn; more are told to come back.
const MAX_WAITING: usize = 64;
/// How often a caller hears at least that the work goes on…
const PROGRESS_EVERY: Duration = Duration::from_secs(1);
/// … and at most how far it is.
const PROGRESS_GAP: Duration = Duration::from_millis(100);
/// How long a client may take to read a notice.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a call that writes is given besides its arguments: a way to be stopped, and somebody to tell how far it is.
pub(crate) struct Work {
    /// Asks the work to stop.
    pub(crate) cancel: Cancel,
    steps: watch::Sender<Steps>,
}

/// How far the work is.
#[derive(Debug, Clone, Default)]
struct Steps {
    done: u64,
    /// How many there will be, where that is known.
    total: Option<u64>,
    last: String,
}

impl Work {
    /// So many steps are to come.
    pub(crate) fn expect(&self, total: usize) {
        self.steps.send_modify(|steps| steps.total = u64::try_from(total).ok());
    }

    /// One more step is done.
    pub(crate) fn step(&self, what: String) {
        self.steps.send_modify(|steps| {
            steps.done += 1;
            steps.last = what;
        });
    }
}

impl Default for Work {
    fn default() -> Self {
        Self { cancel: Cancel::default(), steps: watch::Sender::new(Steps::default()) }
    }
}

/// Stops the work when nobody waits for it any longer.
struct StopWhenDropped(Cancel);

impl Drop for StopWhenDropped {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// The places of calls that write, by what they wait for: a slow server of the web keeps nobody else waiting, and neither does a
/// long folder keep somebody from deleting.
pub(crate) struct Places {
    adding: Line,
    fetching: Line,
    /// For what takes no time by itself: deleting, reporting.
    short: Line,
}

impl Default for Places {
    fn default() -> Self {
        let fetching = Line { patience: Some(FETCH_PATIENCE), ..Line::new(FETCHED_AT_ONCE) };
        Self { adding: Line::new(AT_ONCE), fetching, short: Line::new(AT_ONCE) }
    }
}

impl Places {
    fn of(&self, effect: Effect) -> &Line {
        match effect {
            Effect::Reads | Effect::Adds => &self.adding,
            Effect::Fetches => &self.fetching,
            Effect::Deletes | Effect::Reports => &self.short,
        }
    }
}

/// A few places, and a line of those that wait for one.
struct Line {
    places: Arc<Semaphore>,
    /// Those who have a place and those who wait.
    admitted: Arc<Semaphore>,
    /// How long anybody waits, where those before them may take any time.
    patience: Option<Duration>,
}

impl Line {
    fn new(at_once: usize) -> Self {
        Self {
            places: Arc::new(Semaphore::new(at_once)),
            admitted: Arc::new(Semaphore::new(at_once + MAX_WAITING)),
            patience: None,
        }
    }
}

impl DocsServer {
    /// Runs `work` off the async threads and beside the places for computing, when it is its turn; the inner error says that
    /// there is no room to wait for it, or that the caller has stopped waiting.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        effect: Effect,
        work: impl FnOnce(&Shared, &Work) -> T + Send + 'static,
    ) -> Result<Result<T, Failure>, ErrorData> {
        let mut teller = Teller::new(context);
        let place = match self.turn(effect, &mut teller).await {
            Ok(place) => place,
            Err(failure) => return Ok(Err(failure)),
        };
        let (shared, here) = (Arc::clone(&self.shared), Work::default());
        let _stop = StopWhenDropped(here.cancel.clone());
        let (cancel, mut steps) = (here.cancel.clone(), here.steps.subscribe());
        let mut working = tokio::task::spawn_blocking(move || {
            // The place is given back when the work has ended, not when the caller has gone.
            let _place = place;
            work(&shared, &here)
        });
        loop {
            tokio::select! {
                done = &mut working => return done.map(Ok).map_err(|_| crate::calling::broken()),
                () = context.ct.cancelled(), if !cancel.is_cancelled() => cancel.cancel(),
                Ok(()) = steps.changed(), if teller.may_tell() => {}
                () = tokio::time::sleep(PROGRESS_EVERY) => {}
            }
            let now = steps.borrow_and_update().clone();
            teller.tell(&now).await;
        }
    }

    /// Waits in line; both permits belong to the work from then on.
    async fn turn(
        &self,
        effect: Effect,
        teller: &mut Teller<'_>,
    ) -> Result<[OwnedSemaphorePermit; 2], Failure> {
        let line = self.shared.writing.of(effect);
        let Ok(admitted) = Arc::clone(&line.admitted).try_acquire_owned() else {
            return Err(Failure::told(format!(
                "The server is busy: {MAX_WAITING} calls like this one are waiting already. Wait for some of them to be \
                 answered, then try again."
            )));
        };
        let waiting = Arc::clone(&line.places).acquire_owned();
        tokio::pin!(waiting);
        loop {
            tokio::select! {
                place = &mut waiting => match place {
                    Ok(place) => return Ok([place, admitted]),
                    Err(_) => return Err(Failure::told("The server is ending.")),
                },
                () = teller.context.ct.cancelled() => {
                    return Err(Failure::told("Stopped before its turn came; nothing was changed. Call again when you like."));
                }
                () = tokio::time::sleep(PROGRESS_EVERY) => {}
            }
            if line.patience.is_some_and(|patience| teller.begun.elapsed() >= patience) {
                return Err(Failure::told(format!(
                    "The server is busy: {FETCHED_AT_ONCE} pages that were asked for before are slow to come. Nothing was \
                     changed. Try again in a minute."
                )));
            }
            teller.send(teller.a_little(), None, "waiting for other calls".to_owned()).await;
        }
    }
}

/// Tells a caller that asked for it how far its call is.
struct Teller<'a> {
    context: &'a RequestContext<RoleServer>,
    begun: Instant,
    /// What was told last: progress must grow with every notice.
    told: f64,
    told_at: Option<Instant>,
}

impl<'a> Teller<'a> {
    fn new(context: &'a RequestContext<RoleServer>) -> Self {
        Self { context, begun: Instant::now(), told: 0.0, told_at: None }
    }

    fn may_tell(&self) -> bool {
        self.told_at.is_none_or(|at| at.elapsed() >= PROGRESS_GAP)
    }

    /// Tells how many steps are done, or that the work goes on where it has none.
    async fn tell(&mut self, steps: &Steps) {
        // A file that came since they were counted is one more.
        let total = steps.total.map(|total| total.max(steps.done));
        match (steps.done, total) {
            (0, total) => self.send(self.a_little(), total, "working".to_owned()).await,
            (done, None) => self.send(done as f64, None, format!("{done} done, last: {}", steps.last)).await,
            (done, Some(total)) => {
                let message = format!("{done} of {total} done, last: {}", steps.last);
                self.send(done as f64, Some(total), message).await;
            }
        }
    }

    /// For how long the call has been going on, as a small part of the first step.
    fn a_little(&self) -> f64 {
        self.begun.elapsed().as_secs_f64().floor() / 1_000.0
    }

    async fn send(&mut self, progress: f64, total: Option<u64>, message: String) {
        self.told_at = Some(Instant::now());
        let Some(token) = self.context.meta.get_progress_token() else { return };
        if progress <= self.told {
            return;
        }
        let mut notice = ProgressNotificationParam::new(token, progress).with_message(message);
        notice.total = total.map(|total| total as f64);
        let _ = tokio::time::timeout(PATIENCE, self.context.peer.notify_progress(notice)).await;
        self.told = progress;
    }
}
