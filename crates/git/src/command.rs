//! Runs git and listens to it.
//!
//! Answers are read as they come, so that a walk through a long history needs no memory for what was read already and
//! ends when somebody has changed their mind.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::RepoError;

/// The most that is kept of one answer.
const MOST_OUTPUT: u64 = 1 << 30;
/// Of its complaints.
const MOST_COMPLAINTS: u64 = 16 << 10;

/// How long git may be silent. It waits for ever where a file of the repository is a pipe that nobody writes to.
const SILENCE: Duration = Duration::from_secs(300);
/// How long when it makes a table of all commits, of which it says nothing until it is done.
const LONG_SILENCE: Duration = Duration::from_secs(3600);

/// Runs a command to its end and gives what it printed. `None` when it ended with status 1, which for many commands means
/// "there is none".
pub fn run(mut command: Command, input: Option<Vec<u8>>) -> Result<Option<Vec<u8>>, RepoError> {
    let mut output = Vec::new();
    let finished =
        converse(&mut command, input, |stdout| stdout.take(MOST_OUTPUT).read_to_end(&mut output).map(drop))?;
    Ok(finished.then_some(output))
}

/// Runs a command and hands over what it prints in pieces that end with NUL; `each` says whether to go on.
pub fn pieces(
    mut command: Command,
    input: Option<Vec<u8>>,
    mut each: impl FnMut(&[u8]) -> bool,
) -> Result<(), RepoError> {
    let mut piece = Vec::new();
    let mut has_enough = false;
    let heard = converse(&mut command, input, |mut stdout| {
        loop {
            piece.clear();
            if stdout.read_until(0, &mut piece)? == 0 {
                return Ok(());
            }
            if piece.last() == Some(&0) {
                piece.pop();
            }
            if !each(&piece) {
                has_enough = true;
                return Ok(());
            }
        }
    });
    if has_enough { Ok(()) } else { heard.map(drop) }
}

/// Starts a command that is to be talked to.
pub fn start(mut command: Command) -> Result<Child, RepoError> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    command.spawn().map_err(not_started)
}

/// What git says; tells that it said something.
struct Heard {
    stdout: ChildStdout,
    alive: Sender<()>,
}

impl Read for Heard {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.stdout.read(buffer)?;
        let _ = self.alive.send(());
        Ok(read)
    }
}

fn patience(command: &Command) -> Duration {
    let is_table = command.get_args().any(|arg| arg == "commit-graph");
    if is_table { LONG_SILENCE } else { SILENCE }
}

fn converse(
    command: &mut Command,
    input: Option<Vec<u8>>,
    listen: impl FnOnce(BufReader<Heard>) -> std::io::Result<()>,
) -> Result<bool, RepoError> {
    let patience = patience(command);
    converse_within(patience, command, input, listen)
}

fn converse_within(
    patience: Duration,
    command: &mut Command,
    input: Option<Vec<u8>>,
    listen: impl FnOnce(BufReader<Heard>) -> std::io::Result<()>,
) -> Result<bool, RepoError> {
    command.stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() });
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(not_started)?;
    if let (Some(input), Some(mut stdin)) = (input, child.stdin.take()) {
        // In a thread of its own: git may talk before it has listened to everything.
        thread::spawn(move || stdin.write_all(&input));
    }
    let complaints = child.stderr.take().map(|stderr| {
        thread::spawn(move || {
            let mut text = Vec::new();
            let mut stderr = stderr;
            let _ = stderr.by_ref().take(MOST_COMPLAINTS).read_to_end(&mut text);
            // The rest is read so that git does not wait for a reader.
            let _ = std::io::copy(&mut stderr, &mut std::io::sink());
            text
        })
    });
    let stdout = child.stdout.take();
    let child = Mutex::new(child);
    let kill = &|| child.lock().unwrap_or_else(PoisonError::into_inner).kill();
    let (alive, signs) = channel();
    let (heard, is_silent) = thread::scope(|scope| {
        let watch = scope.spawn(move || {
            loop {
                match signs.recv_timeout(patience) {
                    Ok(()) => {}
                    Err(RecvTimeoutError::Disconnected) => return false,
                    Err(RecvTimeoutError::Timeout) => {
                        let _ = kill();
                        return true;
                    }
                }
            }
        });
        let heard = match stdout {
            Some(stdout) => listen(BufReader::with_capacity(1 << 16, Heard { stdout, alive })),
            None => {
                drop(alive);
                Ok(())
            }
        };
        (heard, watch.join().unwrap_or(false))
    });
    let mut child = child.into_inner().unwrap_or_else(PoisonError::into_inner);
    let status = if heard.is_ok() { child.wait() } else { child.kill().and_then(|()| child.wait()) };
    if is_silent {
        let message = format!("it said nothing for {} s and was ended", patience.as_secs_f32());
        return Err(failed(command, message));
    }
    let complaints = complaints.and_then(|thread| thread.join().ok()).unwrap_or_default();
    match (heard, status) {
        (Ok(()), Ok(status)) if status.success() => Ok(true),
        (Ok(()), Ok(status)) if status.code() == Some(1) && complaints.is_empty() => Ok(false),
        (Err(error), _) | (_, Err(error)) => Err(failed(command, error.to_string())),
        (Ok(()), Ok(_)) => {
            let text = String::from_utf8_lossy(&complaints);
            Err(failed(command, text.trim().trim_start_matches("fatal: ").to_owned()))
        }
    }
}

fn failed(command: &Command, message: String) -> RepoError {
    let command = command.get_args().nth(1).unwrap_or_default().to_string_lossy().into_owned();
    let message = if message.is_empty() { "it failed without a word".to_owned() } else { message };
    RepoError::Git { command, message }
}

fn not_started(error: std::io::Error) -> RepoError {
    match error.kind() {
        ErrorKind::NotFound => RepoError::NoGit,
        _ => RepoError::Git { command: String::new(), message: format!("it could not be started: {error}") },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn git_that_says_nothing_is_ended() {
        let mut command = Command::new("sleep");
        let begun = std::time::Instant::now();
        let ended = converse_within(Duration::from_millis(200), command.arg("60"), None, |mut stdout| {
            stdout.read_to_end(&mut Vec::new()).map(drop)
        });
        assert!(ended.unwrap_err().to_string().contains("said nothing"));
        assert!(begun.elapsed() < Duration::from_secs(30));
    }
}
