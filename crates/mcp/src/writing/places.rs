//! Where calls that write wait for their turn.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::call::Failure;
use crate::table::Effect;

/// Calls of a kind that are worked on at once.
const AT_ONCE: usize = 4;
/// Calls that wait for the web and need little else.
const FETCHED_AT_ONCE: usize = 16;
/// How long slow servers that others asked keep somebody waiting.
const FETCH_PATIENCE: Duration = Duration::from_secs(20);
/// Calls of a kind that wait for their turn; more are told to come back.
const MAX_WAITING: usize = 64;

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
    pub(super) fn of(&self, effect: Effect) -> &Line {
        match effect {
            Effect::Reads | Effect::Adds => &self.adding,
            Effect::Fetches => &self.fetching,
            Effect::Deletes | Effect::Reports => &self.short,
        }
    }
}

/// A few places, and a line of those that wait for one.
pub(super) struct Line {
    places: Arc<Semaphore>,
    /// Those who have a place and those who wait.
    admitted: Arc<Semaphore>,
    /// How long anybody waits, where those before them may take any time.
    patience: Option<Duration>,
}

/// Held by a call that is worked on.
pub(super) struct Taken {
    _place: OwnedSemaphorePermit,
    _admitted: OwnedSemaphorePermit,
}

impl Line {
    fn new(at_once: usize) -> Self {
        Self {
            places: Arc::new(Semaphore::new(at_once)),
            admitted: Arc::new(Semaphore::new(at_once + MAX_WAITING)),
            patience: None,
        }
    }

    /// Waits for a place, in turn.
    pub(super) async fn place(&self) -> Result<Taken, Failure> {
        let Ok(admitted) = Arc::clone(&self.admitted).try_acquire_owned() else {
            return Err(Failure::told(format!(
                "The server is busy: {MAX_WAITING} calls like this one are waiting already. Wait for some of them to be \
                 answered, then try again."
            )));
        };
        let waiting = Arc::clone(&self.places).acquire_owned();
        let place = match self.patience {
            None => waiting.await,
            Some(patience) => match tokio::time::timeout(patience, waiting).await {
                Ok(place) => place,
                Err(_) => {
                    return Err(Failure::told(
                        "The server is busy: pages that were asked for before are slow to come. Nothing was changed. Try \
                         again in a minute.",
                    ));
                }
            },
        };
        match place {
            Ok(place) => Ok(Taken { _place: place, _admitted: admitted }),
            Err(_) => Err(Failure::told("The server is ending. Call again when it has started anew.")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn who_waits_too_long_for_slow_pages_is_told_and_leaves_the_line() {
        let line = Line { patience: Some(Duration::from_millis(20)), ..Line::new(1) };
        let held = line.place().await.unwrap();
        let refused = line.place().await.err().unwrap();
        assert!(refused.text().contains("Try again in a minute"), "{}", refused.text());
        assert_eq!(line.admitted.available_permits(), MAX_WAITING);
        drop(held);
        assert!(line.place().await.is_ok());
    }

    #[tokio::test]
    async fn those_who_wait_come_in_turn_and_one_too_many_is_told() {
        let line = Arc::new(Line::new(1));
        let held = line.place().await.unwrap();
        let come_in = |line: Arc<Line>| async move { line.place().await.is_ok() };
        let waiting: Vec<_> = (0..MAX_WAITING).map(|_| tokio::spawn(come_in(Arc::clone(&line)))).collect();
        while line.admitted.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        assert!(line.place().await.err().unwrap().text().contains("64 calls"));
        drop(held);
        for task in waiting {
            assert!(task.await.unwrap());
        }
    }
}
