//! `/livez`: the process answers. `/readyz`: calls can be answered too.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use http::StatusCode;
use tokio::sync::Semaphore;

/// How long the check may take.
const PATIENCE: Duration = Duration::from_secs(5);

type Check = Arc<dyn Fn() -> Result<(), String> + Send + Sync>;

/// The check behind `/readyz`, one at a time: the route is open to all and the check may be slow.
pub(crate) struct Readiness {
    check: Check,
    turn: Arc<Semaphore>,
}

impl Readiness {
    pub(crate) fn new(check: Check) -> Self {
        Self { check, turn: Arc::new(Semaphore::new(1)) }
    }

    async fn ask(&self) -> Result<(), String> {
        let turn = self.turn.clone().acquire_owned().await.map_err(|error| error.to_string())?;
        let check = self.check.clone();
        let checking = tokio::task::spawn_blocking(move || {
            // Kept to the end even when nobody waits any more.
            let _turn = turn;
            check()
        });
        checking.await.map_err(|_| "the check failed".to_owned())?
    }
}

/// Serves `/livez`.
pub(crate) async fn live() -> &'static str {
    "ok\n"
}

/// Serves `/readyz`.
pub(crate) async fn ready(State(readiness): State<Arc<Readiness>>) -> (StatusCode, String) {
    match tokio::time::timeout(PATIENCE, readiness.ask()).await {
        Ok(Ok(())) => (StatusCode::OK, "ok\n".to_owned()),
        Ok(Err(reason)) => (StatusCode::SERVICE_UNAVAILABLE, format!("not ready: {reason}\n")),
        Err(_) => (
            StatusCode::SERVICE_UNAVAILABLE,
            format!("not ready: no answer within {} seconds\n", PATIENCE.as_secs()),
        ),
    }
}
