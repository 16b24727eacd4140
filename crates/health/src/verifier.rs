//! Findings in the background: after changes, and when somebody asks and a while has passed.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::facade::{Health, lock};

/// How often the state of the repository is looked at, and how much longer it is left alone than a look takes: a large one is
/// looked at less often.
const LOOK_EVERY: Duration = Duration::from_secs(2);
const LEFT_ALONE: u32 = 50;
/// How long after a verification another one is worth it, when nothing that is looked at has changed and somebody asks.
const WORTH_AGAIN: Duration = Duration::from_secs(30);

/// A server that ends waits so long for what its verifier is at.
const PATIENCE: Duration = Duration::from_secs(3);

/// Verifies the repository and keeps what it finds, see [`Service`](crate::Service). The error is told, and the next change
/// tries again. The argument says whether nobody waits for it any more.
pub type Verify = Box<dyn FnMut(&(dyn Fn() -> bool + Sync)) -> Result<(), String> + Send>;

/// Whether the first verification of a process is still under way.
#[derive(Default)]
pub(crate) struct FirstCheck {
    is_running: Mutex<bool>,
    ended: Condvar,
}

impl FirstCheck {
    fn set(&self, is_running: bool) {
        *lock(&self.is_running) = is_running;
        self.ended.notify_all();
    }
}

/// Findings in the background. Ends when it is dropped, in the middle of what it is at.
pub struct Verifier {
    stop: std::sync::mpsc::Sender<()>,
    is_stopping: Arc<AtomicBool>,
    health: Arc<Health>,
    thread: Option<JoinHandle<()>>,
}

impl Health {
    /// Verifies in the background: now, whenever what `state` says changes, and when somebody asked. `tell` hears what went
    /// wrong.
    pub fn spawn_verifier(
        self: &Arc<Self>,
        mut verify: Verify,
        mut state: impl FnMut() -> String + Send + 'static,
        tell: impl Fn(&str) + Send + 'static,
    ) -> std::io::Result<Verifier> {
        let (stop, stopped) = channel();
        let (nudge, nudged) = channel();
        *lock(&self.asked) = Some(nudge);
        self.first.set(true);
        let health = Arc::clone(self);
        let is_stopping = Arc::new(AtomicBool::new(false));
        let stopping = Arc::clone(&is_stopping);
        let work = move || {
            let mut seen: Option<String> = None;
            let mut last = Instant::now();
            loop {
                let start = Instant::now();
                let now = state();
                let pause = LOOK_EVERY.max(start.elapsed().saturating_mul(LEFT_ALONE)).min(WORTH_AGAIN);
                let is_asked = nudged.try_iter().count() > 0 && last.elapsed() >= WORTH_AGAIN;
                if seen.as_ref() != Some(&now) || is_asked {
                    let done = verify(&|| stopping.load(Ordering::Relaxed));
                    let failed = match done {
                        Err(_) if stopping.load(Ordering::Relaxed) => return,
                        Err(reason) => {
                            tell(&reason);
                            Some(reason)
                        }
                        Ok(()) => None,
                    };
                    *lock(&health.failed) = failed;
                    health.first.set(false);
                    (seen, last) = (Some(now), Instant::now());
                }
                match stopped.recv_timeout(pause) {
                    Err(RecvTimeoutError::Timeout) => {}
                    _ => return,
                }
            }
        };
        let thread = std::thread::Builder::new().name("verify".to_owned()).spawn(work)?;
        Ok(Verifier { stop, is_stopping, health: Arc::clone(self), thread: Some(thread) })
    }

    /// Waits, but not for long, while nothing is known because the first verification is not done: "nothing is wrong" would
    /// be wrong.
    pub fn wait_for_first_check(&self, patience: Duration) {
        if self.view().is_ok_and(|view| view.documents().next().is_some()) {
            return;
        }
        let running = lock(&self.first.is_running);
        let _ = self.first.ended.wait_timeout_while(running, patience, |is_running| *is_running);
    }

    /// Says that somebody relies on what is known: it is verified again when that was long ago.
    pub fn ask_for_verification(&self) {
        if let Some(nudge) = &*lock(&self.asked) {
            // A verifier that has ended needs no nudge.
            let _ = nudge.send(());
        }
    }
}

impl Drop for Verifier {
    fn drop(&mut self) {
        *lock(&self.health.asked) = None;
        self.health.first.set(false);
        self.is_stopping.store(true, Ordering::Relaxed);
        let _ = self.stop.send(());
        let Some(thread) = self.thread.take() else { return };
        // One that waits for a program that does not end must not keep the server from ending.
        let end = Instant::now() + PATIENCE;
        while !thread.is_finished() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(5));
        }
        if thread.is_finished() {
            let _ = thread.join();
        }
    }
}
