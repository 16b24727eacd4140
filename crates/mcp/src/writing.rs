//! Calls that write: they wait for other processes and for the network, so they have places of their own, can be stopped, and
//! say how far they are.

use std::sync::Arc;
use std::time::{Duration, Instant};

use docent_engine::Cancel;
use rmcp::model::ProgressNotificationParam;
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use tokio::sync::watch;

use crate::call::Failure;
use crate::server::DocsServer;
use crate::shared::Shared;

/// Calls that write at once; more are told to come back.
pub(crate) const MAX_WRITING: usize = 4;
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
    last: String,
}

impl Work {
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

impl DocsServer {
    /// Runs `work` off the async threads and beside the places for computing; the inner error says that there is no room for it.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        work: impl FnOnce(&Shared, &Work) -> T + Send + 'static,
    ) -> Result<Result<T, Failure>, ErrorData> {
        let Ok(place) = Arc::clone(&self.shared.writing).try_acquire_owned() else {
            return Ok(Err(Failure::told(format!(
                "The server is busy taking in other documents ({MAX_WRITING} at once). Try again in a moment."
            ))));
        };
        let (shared, here) = (Arc::clone(&self.shared), Work::default());
        let _stop = StopWhenDropped(here.cancel.clone());
        let (cancel, mut steps) = (here.cancel.clone(), here.steps.subscribe());
        let mut working = tokio::task::spawn_blocking(move || {
            // The place is given back when the work has ended, not when the caller has gone.
            let _place = place;
            work(&shared, &here)
        });
        let begun = Instant::now();
        let (mut told, mut told_at) = (0.0, None::<Instant>);
        loop {
            tokio::select! {
                done = &mut working => return done.map(Ok).map_err(|_| crate::calling::broken()),
                () = context.ct.cancelled(), if !cancel.is_cancelled() => cancel.cancel(),
                Ok(()) = steps.changed(), if told_at.is_none_or(|at| at.elapsed() >= PROGRESS_GAP) => {}
                () = tokio::time::sleep(PROGRESS_EVERY) => {}
            }
            let now = steps.borrow_and_update().clone();
            told = tell(context, &now, begun.elapsed(), told).await;
            told_at = Some(Instant::now());
        }
    }
}

/// Tells how many steps are done, or for how long the work has been going on where it has none. Progress must grow with every
/// notice, so what was told last is handed back.
async fn tell(context: &RequestContext<RoleServer>, steps: &Steps, since: Duration, told: f64) -> f64 {
    let Some(token) = context.meta.get_progress_token() else { return told };
    let (progress, message) = match steps.done {
        0 => (since.as_secs_f64().floor() / 1_000.0, "working".to_owned()),
        done => (done as f64, format!("{done} done, last: {}", steps.last)),
    };
    if progress <= told {
        return told;
    }
    let notice = ProgressNotificationParam::new(token, progress).with_message(message);
    let _ = tokio::time::timeout(PATIENCE, context.peer.notify_progress(notice)).await;
    progress
}
