//! Listens to what git says, in threads of their own, without ever keeping more than is allowed.
//!
//! What git says is data of a stranger: a few kilobytes of nested folders are a listing of gigabytes. A listener that has
//! heard enough stops reading, which closes the pipe and ends git.

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::thread;

use super::command::Failure;

/// Takes what is said, part by part.
pub(super) trait Listener: Send + 'static {
    /// The next part; an error ends the listening, and git.
    fn hear(&mut self, part: &[u8]) -> Result<(), Failure>;
}

/// Hears `output` to its end, or until the listener has heard enough, and hands the listener back.
pub(super) fn listen<L: Listener>(
    mut output: impl Read + Send + 'static,
    mut listener: L,
    life: &Arc<AtomicU64>,
) -> Receiver<Result<L, Failure>> {
    let (done, heard) = mpsc::sync_channel(1);
    let life = Arc::clone(life);
    thread::spawn(move || {
        let mut buffer = vec![0; 16 << 10];
        let mut end = Ok(());
        while let Ok(read @ 1..) = output.read(&mut buffer) {
            life.fetch_add(read as u64, Ordering::Relaxed);
            end = listener.hear(buffer.get(..read).unwrap_or_default());
            if end.is_err() {
                break;
            }
        }
        drop(output);
        let _ = done.send(end.map(|()| listener));
    });
    heard
}

/// Keeps everything, which has to have an end.
#[derive(Debug)]
pub(super) struct Whole {
    kept: Vec<u8>,
    most: usize,
}

impl Whole {
    pub(super) fn of_at_most(most: usize) -> Self {
        Self { kept: Vec::new(), most }
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.kept
    }
}

impl Listener for Whole {
    fn hear(&mut self, part: &[u8]) -> Result<(), Failure> {
        if self.kept.len() + part.len() > self.most {
            return Err(Failure::Endless(format!("says more than {} MiB about itself", self.most >> 20)));
        }
        self.kept.extend_from_slice(part);
        Ok(())
    }
}

/// Keeps the end of complaints, where the reason stands.
#[derive(Debug)]
pub(super) struct Tail {
    kept: Vec<u8>,
    most: usize,
}

impl Tail {
    pub(super) fn of_at_most(most: usize) -> Self {
        Self { kept: Vec::new(), most }
    }

    pub(super) fn into_text(self) -> String {
        String::from_utf8_lossy(&self.kept).into_owned()
    }
}

impl Listener for Tail {
    fn hear(&mut self, part: &[u8]) -> Result<(), Failure> {
        self.kept.extend_from_slice(part);
        if self.kept.len() > self.most.saturating_mul(2) {
            self.kept.drain(..self.kept.len() - self.most);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hear<L: Listener>(output: &'static [u8], listener: L) -> Result<L, Failure> {
        listen(output, listener, &Arc::default()).recv().unwrap()
    }

    #[test]
    fn data_beyond_the_limit_is_an_error_and_never_its_end_alone() {
        let whole = hear(b"0123456789", Whole::of_at_most(10)).unwrap();
        assert_eq!(whole.into_bytes(), b"0123456789");
        assert!(matches!(hear(b"0123456789", Whole::of_at_most(9)), Err(Failure::Endless(_))));
    }

    #[test]
    fn of_complaints_the_end_stays() {
        static LONG: [u8; 100_000] = [b'x'; 100_000];
        let tail = hear(&LONG, Tail::of_at_most(10)).unwrap().into_text();
        assert!((10..=20).contains(&tail.len()), "{}", tail.len());
    }
}
