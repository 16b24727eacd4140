//! Looks after the server while something is waited for.
//!
//! A statement may take long, and a server, or the way to it, may fall silent without a word; from one connection the two
//! look alike. So after a second of silence another connection asks whether the server is still there and, for who writes,
//! whether it still works on the batch. An outage is told within seconds that way, and nothing that takes long is given up.

use std::cell::Cell;
use std::future::Future;
use std::pin::pin;
use std::time::Instant;

use tokio::time::{sleep, timeout};

use crate::fault::{Fault, Outcome};
use crate::link::Link;

tokio::task_local! {
    /// The server's process that writes for the task; 0 for none.
    static BACKEND: Cell<i32>;
}

/// What another connection found.
#[derive(PartialEq)]
enum Seen {
    /// The server answers.
    There,
    /// It does not.
    Silent,
    /// It has answered, and waits for us since that moment; or it does not know us any more.
    Waiting(Option<String>),
}

/// Says which process of the server works for this task from now on.
pub(crate) fn works_for_us(backend: i32) {
    let _ = BACKEND.try_with(|known| known.set(backend));
}

/// Waits for `work` until the server is found silent so many times in a row.
pub(crate) async fn attended<T>(
    link: &Link,
    patience: usize,
    work: impl Future<Output = Outcome<T>>,
) -> Outcome<T> {
    let pause = link.trifle() / 2;
    let attending = async {
        let mut work = pin!(work);
        let (mut last, mut silences) = (Seen::There, 0);
        loop {
            tokio::select! {
                biased;
                done = &mut work => return done,
                () = sleep(pause) => {}
            }
            let (begun, backend) = (Instant::now(), BACKEND.with(Cell::get));
            let seen = tokio::select! {
                biased;
                done = &mut work => return done,
                seen = timeout(pause, look(link, backend)) => seen.unwrap_or(Seen::Silent),
            };
            // Where this thread computed meanwhile, nobody was there to hear the answer.
            let is_late = begun.elapsed() > pause * 3 / 2;
            silences = match &seen {
                Seen::Silent if !is_late => silences + 1,
                Seen::Waiting(_) if seen == last && backend == BACKEND.with(Cell::get) => silences + 1,
                _ => 0,
            };
            if silences >= patience {
                return Err(Fault::Unreachable(format!("no answer within {:?}", link.trifle())));
            }
            last = seen;
        }
    };
    BACKEND.scope(Cell::new(0), attending).await
}

async fn look(link: &Link, backend: i32) -> Seen {
    let asked = async {
        let client = link.own_client().await?;
        let state = "SELECT CASE WHEN state = 'active' THEN NULL ELSE state_change::text END
                     FROM pg_stat_activity WHERE pid = $1";
        Ok(client.query_opt(state, &[&backend]).await?)
    };
    match asked.await {
        Ok(_) if backend == 0 => Seen::There,
        Ok(None) => Seen::Waiting(None),
        Ok(Some(row)) => match row.get::<_, Option<String>>(0) {
            Some(since) => Seen::Waiting(Some(since)),
            None => Seen::There,
        },
        // Who says that there are too many connections is there.
        Err(Fault::Postgres(error)) if error.code().is_some() && !Fault::from_is_cut_off(&error) => {
            Seen::There
        }
        Err(_) => Seen::Silent,
    }
}
