//! Reads objects through git programs that stay.
//!
//! Starting a program for each file would cost milliseconds each; one that stays answers in microseconds. Sizes are asked
//! for before contents, so that a huge file is never read.

use std::collections::{HashMap, HashSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command};
use std::sync::{Arc, Mutex, PoisonError};

use super::RepoError;
use docent_git::start;

/// Larger files are not looked into.
pub(crate) const LARGEST: u64 = 2 << 20;
/// So many requests are on their way at once; their names fit into the buffer of a pipe.
const BATCH: usize = 256;
/// So many bytes of contents are remembered in each half.
const MOST_REMEMBERED: usize = 32 << 20;

/// Programs that wait for the next question.
#[derive(Debug, Default)]
pub(super) struct Objects {
    idle: Mutex<Vec<Readers>>,
    /// Names of objects that are not here.
    absent: Mutex<HashSet<String>>,
    recent: Mutex<Recent>,
}

/// Contents that somebody will ask for again, in two halves: when the newer one is full, the older one goes.
#[derive(Debug, Default)]
struct Recent {
    newer: HashMap<String, Arc<[u8]>>,
    older: HashMap<String, Arc<[u8]>>,
    size: usize,
}

#[derive(Debug)]
struct Readers {
    sizes: Talk,
    contents: Talk,
}

impl Objects {
    /// Contents of objects in the order of their names, each handed to `each` with its position; those that are absent, too
    /// large or of another kind are left out.
    pub(super) fn read_all(
        &self,
        git: impl Fn() -> Command,
        kind: &str,
        ids: &[&str],
        mut each: impl FnMut(usize, Arc<[u8]>),
    ) -> Result<(), RepoError> {
        let mut readers = match self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop() {
            Some(readers) => readers,
            None => {
                Readers { sizes: Talk::new(git(), "--batch-check")?, contents: Talk::new(git(), "--batch")? }
            }
        };
        for (number, batch) in ids.chunks(BATCH).enumerate() {
            let (wanted, absent) = readers.sizes.wanted(kind, batch).map_err(broken)?;
            if !absent.is_empty() {
                let absent = absent.into_iter().filter_map(|at| batch.get(at)).map(|id| (*id).to_owned());
                self.absent.lock().unwrap_or_else(PoisonError::into_inner).extend(absent);
            }
            let wanted: Vec<usize> = wanted.into_iter().map(|at| number * BATCH + at).collect();
            readers.contents.contents(ids, &wanted, &mut each).map_err(broken)?;
        }
        // Only programs that answered everything are used again.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(readers);
        Ok(())
    }

    pub(super) fn remember(&self, id: &str, bytes: Arc<[u8]>) {
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        recent.size += bytes.len();
        if recent.size > MOST_REMEMBERED {
            recent.size = bytes.len();
            recent.older = std::mem::take(&mut recent.newer);
        }
        recent.newer.insert(id.to_owned(), bytes);
    }

    pub(super) fn remembered(&self, id: &str) -> Option<Arc<[u8]>> {
        let recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        recent.newer.get(id).or_else(|| recent.older.get(id)).map(Arc::clone)
    }

    /// Whether one of these was asked for and is not here.
    pub(super) fn is_absent<'a>(&self, mut ids: impl Iterator<Item = &'a str>) -> bool {
        let absent = self.absent.lock().unwrap_or_else(PoisonError::into_inner);
        !absent.is_empty() && ids.any(|id| absent.contains(id))
    }
}

fn broken(error: std::io::Error) -> RepoError {
    RepoError::Git { command: "cat-file".to_owned(), message: error.to_string() }
}

#[derive(Debug)]
struct Talk {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Talk {
    fn new(mut git: Command, mode: &str) -> Result<Self, RepoError> {
        git.args(["cat-file", mode]);
        let mut child = start(git)?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(stdin), Some(stdout)) => {
                Ok(Self { child, stdin, stdout: BufReader::with_capacity(1 << 16, stdout) })
            }
            _ => Err(broken(std::io::ErrorKind::BrokenPipe.into())),
        }
    }

    fn ask<'a>(&mut self, ids: impl Iterator<Item = &'a str>) -> std::io::Result<()> {
        let mut questions = String::new();
        for id in ids {
            questions.push_str(id);
            questions.push('\n');
        }
        self.stdin.write_all(questions.as_bytes())?;
        self.stdin.flush()
    }

    /// Kind and size of the next object; `None` when it is not there.
    fn header(&mut self) -> std::io::Result<Option<(String, u64)>> {
        let mut line = String::new();
        if self.stdout.read_line(&mut line)? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        let mut words = line.split_whitespace().skip(1);
        let kind = words.next().unwrap_or_default().to_owned();
        Ok(words.next().and_then(|size| size.parse().ok()).map(|size| (kind, size)))
    }

    /// Which of these are of that kind and small enough, and which are not here.
    fn wanted(&mut self, kind: &str, ids: &[&str]) -> std::io::Result<(Vec<usize>, Vec<usize>)> {
        self.ask(ids.iter().copied())?;
        let (mut wanted, mut absent) = (Vec::new(), Vec::new());
        for at in 0..ids.len() {
            match self.header()? {
                Some((found, size)) if found == kind && size <= LARGEST => wanted.push(at),
                Some(_) => {}
                None => absent.push(at),
            }
        }
        Ok((wanted, absent))
    }

    fn contents(
        &mut self,
        ids: &[&str],
        wanted: &[usize],
        each: &mut impl FnMut(usize, Arc<[u8]>),
    ) -> std::io::Result<()> {
        self.ask(wanted.iter().filter_map(|at| ids.get(*at).copied()))?;
        for at in wanted {
            let Some((_, size)) = self.header()? else { continue };
            let mut bytes = Vec::new();
            (&mut self.stdout).take(size).read_to_end(&mut bytes)?;
            let mut end = [0];
            self.stdout.read_exact(&mut end)?;
            each(*at, bytes.into());
        }
        Ok(())
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        // It only reads, and nobody waits for its answer any more.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
