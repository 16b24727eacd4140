//! Words for a conversion that came to nothing: what the way in which the child ended means, and what to do about it.

use std::io;
use std::process::ExitStatus;

use super::ConvertLimits;
use super::frame::one_line;
use super::running::{Outcome, Stop};
use crate::LibraryError;

const SPLIT: &str = "split the file or save it in another format";

/// What a program says on Unix that gets no more memory: for a value, or for a thread.
const OUT_OF_MEMORY: [&str; 3] = ["memory allocation of", "out of memory", "Cannot allocate memory"];

/// What became of a child that did not answer.
pub(super) fn words(outcome: &Outcome, limits: &ConvertLimits) -> LibraryError {
    match outcome.stopped {
        Some(Stop::Cancelled) => return cancelled(),
        Some(Stop::TimedOut) => {
            let message = format!("the conversion took longer than {} s", limits.time.as_secs());
            return error(message, format!("{SPLIT}, or raise library.convert_seconds when you trust it"));
        }
        None => {}
    }
    let said = &outcome.said;
    if OUT_OF_MEMORY.iter().any(|it| said.contains(it)) {
        let message = format!("the converter ran out of memory ({} MB)", limits.memory_bytes >> 20);
        return error(message, format!("{SPLIT}, or raise library.convert_memory_mb when you trust it"));
    }
    if said.contains("overflowed its stack") {
        return error("the file is nested too deeply for the converter", SPLIT);
    }
    let signal = outcome.status.and_then(signal);
    match signal {
        Some(signal) if is_cpu_limit(signal) => {
            let message = format!("the conversion used more than {} s of CPU time", limits.cpu_seconds);
            error(message, format!("{SPLIT}, or raise library.convert_seconds when you trust it"))
        }
        Some(9) => error("the system killed the converter, probably for lack of memory", SPLIT),
        Some(signal) => error(format!("the converter crashed (signal {signal})"), SPLIT),
        None => {
            let last = said.lines().rev().map(one_line).find(|line| !line.is_empty());
            let why = last.map(|line| format!(": {line}")).unwrap_or_default();
            error(
                format!("the converter ended without a result{why}"),
                "try again; if it stays, please report it",
            )
        }
    }
}

/// The work was stopped from outside.
pub(super) fn cancelled() -> LibraryError {
    error("the conversion was stopped", "start it again")
}

/// There is no child.
pub(super) fn not_started(cause: &io::Error) -> LibraryError {
    error(
        format!("cannot start the converter: {cause}"),
        "check that the docent program is still where it was, and that processes may be started; then start docent again",
    )
}

fn error(message: impl Into<String>, hint: impl Into<String>) -> LibraryError {
    LibraryError { message: message.into(), hint: hint.into() }
}

#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(unix)]
fn is_cpu_limit(signal: i32) -> bool {
    signal == rustix::process::Signal::XCPU.as_raw()
}

#[cfg(not(unix))]
fn signal(_: ExitStatus) -> Option<i32> {
    None
}

#[cfg(not(unix))]
fn is_cpu_limit(_: i32) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    fn check(status: i32, said: &str, expected: &str) {
        let status = Some(ExitStatus::from_raw(status));
        let outcome = Outcome { reply: None, stopped: None, status, said: said.to_owned() };
        let error = words(&outcome, &ConvertLimits::default());
        assert!(error.message.contains(expected), "{}", error.message);
        assert!(!error.hint.is_empty());
    }

    #[test]
    fn the_way_it_ended_is_put_into_words() {
        check(6, "memory allocation of 99 bytes failed", "ran out of memory (192 MB)");
        check(6, "\nthread 'x' has overflowed its stack\n", "nested too deeply");
        check(24, "", "more than 8 s of CPU time");
        check(9, "", "lack of memory");
        check(11, "", "crashed (signal 11)");
        check(1 << 8, "odd\x1b[2J\n\n", "without a result: odd [2J");
    }
}
