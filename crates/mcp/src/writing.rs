//! Calls that write: they wait for other processes and for the network, so they have places of their own, wait for one in a
//! line, can be stopped, and say how far they are. How many documents are converted and held in memory at once is not decided
//! here but where that is done.

mod places;
mod teller;

use std::sync::Arc;
use std::time::Duration;

use docent_engine::Cancel;
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use tokio::sync::watch;

pub(crate) use places::Places;
use teller::Teller;

use crate::call::Failure;
use crate::server::DocsServer;
use crate::shared::Shared;
use crate::table::Effect;

/// How often a caller hears at least that the work goes on.
const PROGRESS_EVERY: Duration = Duration::from_secs(1);

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
        let place = tokio::select! {
            place = self.shared.writing.of(effect).place() => place,
            () = context.ct.cancelled() => {
                Err(Failure::told("Stopped before its turn came; nothing was changed. Call again when you like."))
            }
            never = teller.wait() => match never {},
        };
        let place = match place {
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
}
