//! Tells a caller that asked for it how far its call is.

use std::convert::Infallible;
use std::time::{Duration, Instant};

use rmcp::RoleServer;
use rmcp::model::ProgressNotificationParam;
use rmcp::service::RequestContext;

use super::{PROGRESS_EVERY, Steps};

/// How often a caller hears at most how far it is.
const PROGRESS_GAP: Duration = Duration::from_millis(100);
/// How long a client may take to read a notice.
const PATIENCE: Duration = Duration::from_secs(10);

/// Tells a caller that asked for it how far its call is.
pub(super) struct Teller<'a> {
    context: &'a RequestContext<RoleServer>,
    begun: Instant,
    /// What was told last: progress must grow with every notice.
    told: f64,
    told_at: Option<Instant>,
}

impl<'a> Teller<'a> {
    pub(super) fn new(context: &'a RequestContext<RoleServer>) -> Self {
        Self { context, begun: Instant::now(), told: 0.0, told_at: None }
    }

    pub(super) fn may_tell(&self) -> bool {
        self.told_at.is_none_or(|at| at.elapsed() >= PROGRESS_GAP)
    }

    /// Tells that the call waits for others, again and again.
    pub(super) async fn wait(&mut self) -> Infallible {
        loop {
            tokio::time::sleep(PROGRESS_EVERY).await;
            self.send(self.a_little(), None, "waiting for other calls".to_owned()).await;
        }
    }

    /// Tells how many steps are done, or that the work goes on where it has none.
    pub(super) async fn tell(&mut self, steps: &Steps) {
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
