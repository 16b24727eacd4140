//! Hearing of generations as they come, so that they are read before anybody asks for them.
//!
//! The server tells everybody who listens, on a connection of its own. Nothing depends on that: a snapshot asks how far the
//! store is, whatever was heard, and only finds less to read. So nobody is told when listening is not possible, and it
//! begins anew by itself after an outage. A standby lets nobody listen.

use std::sync::{Arc, Weak};
use std::time::Duration;

use futures::{StreamExt, stream};
use tokio::sync::watch;
use tokio_postgres::AsyncMessage;
use tokio_postgres::error::SqlState;

use crate::fault::{Fault, Outcome};
use crate::link::Way;
use crate::shared::Shared;

/// How long a connection is waited for.
const CONNECTING: Duration = Duration::from_secs(10);
/// How long after an outage, or after reading something, nothing is done.
const AFTER_OUTAGE: Duration = Duration::from_secs(1);
const AFTER_READING: Duration = Duration::from_millis(50);

/// How often what was heard of is looked for.
const MOST_TRIES: usize = 100;

/// Listens for as long as the store is open.
pub(crate) fn start(shared: &Arc<Shared>) {
    let way = shared.link.way();
    let weak = Arc::downgrade(shared);
    shared.link.spawn(async move {
        while weak.strong_count() > 0 {
            let ended = listen(&weak, &way).await;
            if let (Err(_), Some(shared)) = (&ended, weak.upgrade()) {
                shared.link.presence().note(&shared.link.place, &ended);
            }
            if let Err(Fault::Postgres(error)) = ended
                && matches!(
                    error.code(),
                    Some(&SqlState::READ_ONLY_SQL_TRANSACTION | &SqlState::FEATURE_NOT_SUPPORTED)
                )
            {
                return;
            }
            tokio::time::sleep(AFTER_OUTAGE).await;
        }
    });
}

/// Reads whatever comes until the connection ends.
async fn listen(shared: &Weak<Shared>, way: &Way) -> Outcome<()> {
    let connected = tokio::time::timeout(CONNECTING, way.connect()).await;
    let (client, mut connection) = connected.map_err(|_| Fault::Unreachable(String::new()))??;
    // Only the newest is of interest, however many were heard while something was read.
    let (tell, mut heard) = watch::channel(0);
    tokio::spawn(async move {
        let mut messages = stream::poll_fn(move |context| connection.poll_message(context));
        while let Some(Ok(message)) = messages.next().await {
            if let AsyncMessage::Notification(told) = message {
                tell.send_replace(told.payload().parse().unwrap_or(0));
            }
        }
    });
    client.batch_execute("LISTEN docent_generation").await?;
    loop {
        let told: u64 = *heard.borrow_and_update();
        for _ in 0..MOST_TRIES {
            let Some(shared) = shared.upgrade() else { return Ok(()) };
            // Waiting for the server, and patching a large catalogue, is nothing for a thread that drives connections.
            let read = tokio::task::spawn_blocking(move || shared.catch_up()).await;
            tokio::time::sleep(AFTER_READING).await;
            // A replica may hear of it later.
            if !matches!(read, Ok(Ok(generation)) if generation.0 < told) {
                break;
            }
        }
        if heard.changed().await.is_err() {
            return Ok(());
        }
    }
}
