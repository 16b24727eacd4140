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
    const TRUSTED: &str = "when you trust it";
    let time = format!("{SPLIT}, or raise library.convert_seconds {TRUSTED}");
    match outcome.stopped {
        Some(Stop::Cancelled) => return cancelled(),
        Some(Stop::TimedOut) => {
            let seconds = limits.time.as_secs_f32();
            return error(format!("the conversion took longer than {seconds} s, the time for a file"), time);
        }
        None => {}
    }
    let said = &outcome.said;
    // What is said counts only for a process that ended by itself: whatever a file made it say, others kill without a word.
    let is_out_of_memory = OUT_OF_MEMORY.iter().any(|it| said.contains(it));
    let memory = || {
        let message = format!("the converter ran out of memory ({} MB)", limits.memory_bytes >> 20);
        error(message, format!("{SPLIT}, or raise library.convert_memory_mb {TRUSTED}"))
    };
    match outcome.status.and_then(signal) {
        Some(signal) if is_cpu_limit(signal) => {
            let message = format!("the conversion used more than {} s of CPU time", limits.cpu_seconds);
            error(message, time)
        }
        Some(9) => error(
            "the converter was killed from outside (signal 9)",
            "try again; the system kills programs when memory runs short, so make room if it stays",
        ),
        Some(6) | None if is_out_of_memory => memory(),
        Some(6) if said.contains("overflowed its stack") => {
            error("the file is nested too deeply for the converter", SPLIT)
        }
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
    use std::time::Duration;

    use super::*;

    fn told(stopped: Option<Stop>, status: i32, said: &str, limits: &ConvertLimits) -> String {
        let status = Some(ExitStatus::from_raw(status));
        let error = words(&Outcome { reply: None, stopped, status, said: said.to_owned() }, limits);
        assert!(!error.hint.is_empty());
        error.message
    }

    fn check(status: i32, said: &str, expected: &str) {
        let message = told(None, status, said, &ConvertLimits::default());
        assert!(message.contains(expected), "{message}");
    }

    #[test]
    fn the_way_it_ended_is_put_into_words() {
        check(6, "memory allocation of 99 bytes failed", "ran out of memory (192 MB)");
        check(101 << 8, "Cannot allocate memory", "ran out of memory (192 MB)");
        check(6, "\nthread 'x' has overflowed its stack\n", "nested too deeply");
        check(24, "", "more than 8 s of CPU time");
        check(9, "", "killed from outside");
        check(11, "", "crashed (signal 11)");
        check(6, "", "crashed (signal 6)");
        check(1 << 8, "odd\x1b[2J\n\n", "without a result: odd [2J");
    }

    #[test]
    fn what_a_file_made_it_say_is_no_reason() {
        for said in ["out of memory", "overflowed its stack"] {
            check(24, said, "CPU time");
            check(9, said, "killed from outside");
            check(11, said, "crashed (signal 11)");
        }
    }

    #[test]
    fn the_time_is_the_one_that_was_given() {
        for (milliseconds, expected) in [(500, "0.5 s,"), (9_000, "9 s,"), (1_500, "1.5 s,")] {
            let time = Duration::from_millis(milliseconds);
            let limits = ConvertLimits { time, ..ConvertLimits::default() };
            let message = told(Some(Stop::TimedOut), 9, "", &limits);
            assert!(message.contains(&format!("longer than {expected}")), "{message}");
        }
    }
}
