//! Brings files over, a few at once, and stops when whoever asked has changed their mind.
//!
//! The threads that wait for servers are left behind when somebody stops: they end by themselves within the client's
//! patience, and nobody waits for that.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::address::Address;
use super::client::{Client, Reply, Validators};
use super::trouble::Trouble;
use crate::{Context, SourceError};

/// Connections at once.
const CONNECTIONS: usize = 6;
/// For all files of a source together.
const WHOLE: Duration = Duration::from_secs(60 * 60);
const POLL: Duration = Duration::from_millis(50);
/// How often a file is asked for again after trouble that may pass, and the first wait.
const REPETITIONS: u32 = 2;
const FIRST_WAIT: Duration = Duration::from_millis(300);

/// A file to bring.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) address: Address,
    pub(super) known: Validators,
    pub(super) most: u64,
    /// Where it goes; in memory without one.
    pub(super) file: Option<File>,
}

/// What came of a job.
#[derive(Debug)]
pub(super) enum Brought {
    NotModified { answered: Address },
    Bytes { bytes: Vec<u8>, validators: Validators, answered: Address },
    File(File, Validators),
}

/// Does all jobs, and hands out what comes with the number of its job, in whatever order. The first trouble ends it.
pub(super) fn bring(
    client: Client,
    jobs: Vec<Job>,
    context: &Context<'_>,
    mut take: impl FnMut(usize, Brought) -> Result<(), SourceError>,
) -> Result<(), SourceError> {
    let threads = jobs.len().min(CONNECTIONS);
    let mut left = jobs.len();
    let client = Arc::new(client);
    let queue: VecDeque<(usize, Job)> = jobs.into_iter().enumerate().collect();
    let queue = Arc::new(Mutex::new(queue));
    let stop = Arc::new(AtomicBool::new(false));
    // When this returns early, the threads see it at their next step.
    let _stop = StopOnDrop(Arc::clone(&stop));
    let (done, results) = mpsc::sync_channel(CONNECTIONS);
    for _ in 0..threads {
        let (client, queue, stop, done) =
            (Arc::clone(&client), Arc::clone(&queue), Arc::clone(&stop), done.clone());
        thread::spawn(move || {
            loop {
                let next = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                let Some((number, job)) = next else { return };
                let brought = patiently(&client, job, &stop);
                if stop.load(Ordering::Relaxed) || done.send((number, brought)).is_err() {
                    return;
                }
            }
        });
    }
    drop(done);
    let deadline = Instant::now() + WHOLE;
    while left > 0 {
        context.go_on()?;
        if Instant::now() > deadline {
            let message = format!("{left} files did not come within {} minutes", WHOLE.as_secs() / 60);
            return Err(SourceError::failed(message, "try again: what came is kept"));
        }
        match results.recv_timeout(POLL) {
            Ok((number, brought)) => {
                take(number, brought.map_err(|trouble| trouble.error)?)?;
                left -= 1;
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(SourceError::failed("fetching ended too early", "try again"));
            }
        }
    }
    Ok(())
}

struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn patiently(client: &Client, mut job: Job, stop: &AtomicBool) -> Result<Brought, Trouble> {
    let mut wait = FIRST_WAIT;
    let mut repetitions = 0;
    loop {
        match one(client, &mut job, stop) {
            // A file that has begun to fill cannot be begun again.
            Err(trouble) if trouble.may_pass && repetitions < REPETITIONS && job.file.is_none() => {
                if stop.load(Ordering::Relaxed) {
                    return Err(trouble);
                }
                thread::sleep(wait);
                wait *= 4;
                repetitions += 1;
            }
            other => return other,
        }
    }
}

fn one(client: &Client, job: &mut Job, stop: &AtomicBool) -> Result<Brought, Trouble> {
    let reply = client.get(&job.address, &job.known, job.most, job.file.is_some())?;
    let (mut body, validators, answered) = match reply {
        Reply::NotModified { answered } => return Ok(Brought::NotModified { answered }),
        Reply::Content { body, validators, answered } => (body, validators, answered),
    };
    let address = &job.address;
    let mut bytes = Vec::new();
    let mut read = 0;
    let mut buffer = vec![0; 64 << 10];
    loop {
        if stop.load(Ordering::Relaxed) {
            return Err(Trouble { error: SourceError::cancelled(), may_pass: false });
        }
        let part = match body.read(&mut buffer) {
            Ok(0) => break,
            Ok(length) => buffer.get(..length).unwrap_or_default(),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(Trouble::broken_off(address, read, &error)),
        };
        read += part.len() as u64;
        if read > job.most {
            return Err(Trouble::too_large(address, job.most));
        }
        match &mut job.file {
            Some(file) => file.write_all(part).map_err(|error| {
                let message = format!("{address} cannot be kept: {error}");
                Trouble::lasting(message, "check that the disk has room")
            })?,
            None => bytes.extend_from_slice(part),
        }
    }
    Ok(match job.file.take() {
        Some(file) => Brought::File(file, validators),
        None => Brought::Bytes { bytes, validators, answered },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::web::client::Patience;

    fn context(is_cancelled: &dyn Fn() -> bool) -> Context<'_> {
        let cache = std::path::Path::new("");
        Context { cache, project: None, known_revision: None, expected_hash: None, is_cancelled }
    }

    /// Fetches from a server that takes connections and says only `words`.
    fn error(words: &'static [u8], is_cancelled: &dyn Fn() -> bool) -> String {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/x", listener.local_addr().unwrap());
        thread::spawn(move || {
            let mut held = Vec::new();
            for mut stream in listener.incoming().flatten() {
                let _ = stream.write_all(words);
                held.push(stream);
            }
        });
        let address = Address::parse(&address).unwrap();
        let brief = Duration::from_millis(200);
        let patience = Patience { connect: brief, read: brief, whole: Duration::from_secs(5) };
        let job = Job { address: address.clone(), known: Validators::default(), most: 100, file: None };
        bring(Client::new(&address, patience), vec![job], &context(is_cancelled), |_, _| Ok(()))
            .unwrap_err()
            .message
    }

    #[test]
    fn a_silent_server_is_given_up() {
        let said = error(b"", &|| false);
        assert!(said.contains("did not answer"), "{said}");
        let said = error(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nab", &|| false);
        assert!(said.contains("broke off after 2 bytes"), "{said}");
    }

    #[test]
    fn whoever_stops_does_not_wait_for_the_server() {
        let start = Instant::now();
        assert!(error(b"", &|| true).contains("cancelled"));
        assert!(start.elapsed() < Duration::from_millis(150));
    }
}
