//! Waiting for the first look at all files, and telling how far it is.

use std::sync::Arc;
use std::time::{Duration, Instant};

use docent_engine::FirstPass;
use rmcp::RoleServer;
use rmcp::model::ProgressNotificationParam;
use rmcp::service::RequestContext;

use crate::calling::caller;
use crate::server::DocsServer;

/// How long a call waits when nothing was indexed before…
pub(crate) const COLD_PATIENCE: Duration = Duration::from_secs(30);
/// … and when something was.
const WARM_PATIENCE: Duration = Duration::from_secs(2);
/// How often a waiting caller hears how far the work is.
const PROGRESS_EVERY: Duration = Duration::from_millis(250);

impl DocsServer {
    /// Gives the first look at all files a moment; tells callers that asked for it how far it is.
    pub(crate) async fn wait_for_first_pass(&self, context: &RequestContext<RoleServer>, limit: Duration) {
        let begun = Instant::now();
        let mut told = 0.0;
        while let Some(pass) = self.shared.whole.engine.first_pass() {
            let patience = if pass.cold { COLD_PATIENCE } else { WARM_PATIENCE };
            if begun.elapsed() >= patience.min(limit) || context.ct.is_cancelled() {
                return;
            }
            if begun.elapsed() >= PROGRESS_EVERY {
                told = self.tell_progress(context, pass, told).await;
            }
            let engine = Arc::clone(&self.shared.whole.engine);
            let waiting = tokio::task::spawn_blocking(move || engine.wait_for_first_pass(PROGRESS_EVERY));
            tokio::select! {
                _ = waiting => {}
                () = context.ct.cancelled() => return,
            }
        }
    }

    /// Progress must grow with every notice, so what was told last is handed back.
    async fn tell_progress(&self, context: &RequestContext<RoleServer>, pass: FirstPass, told: f64) -> f64 {
        // How many files there are is nothing for who may see some of them.
        if self.shared.view(&caller(context)).is_limited() {
            return told;
        }
        let Some(token) = context.meta.get_progress_token() else { return told };
        let progress = pass.files as f64;
        if progress <= told {
            return told;
        }
        let message = format!("indexing: {} of {} files", pass.files, pass.total);
        let notice = ProgressNotificationParam::new(token, progress)
            .with_total(pass.total as f64)
            .with_message(message);
        let _ = context.peer.notify_progress(notice).await;
        progress
    }
}
