//! Children that do what converters should not, played by shell scripts: they hang, crash, flood and linger.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use docent_engine::Cancel;
use docent_library::{ChildProcess, Convert, ConvertLimits, LibraryError};

struct Script {
    dir: tempfile::TempDir,
    converter: ChildProcess,
}

impl Script {
    /// A converter that runs these commands. `$here` is a folder of its own.
    fn new(commands: &str, time: Duration) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("converter");
        write_program(&path, &format!("#!/bin/sh\nhere='{}'\n{commands}\n", dir.path().display()));
        let limits = ConvertLimits { time, markdown_bytes: 1 << 20, ..ConvertLimits::default() };
        Self { converter: ChildProcess::new(path, limits), dir }
    }

    fn fail(&self) -> LibraryError {
        self.converter.convert(b"# A\n".to_vec(), "a.md", &Cancel::default()).unwrap_err()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Whether the process that wrote its number down is gone, as a zombie too.
    fn is_gone(&self) -> bool {
        let pid = std::fs::read_to_string(self.path("pid")).unwrap();
        !Path::new("/proc").join(pid.trim()).exists()
    }
}

/// Written by another process: one that is started meanwhile by another test would keep the file open for writing.
fn write_program(path: &Path, text: &str) {
    let mut command = Command::new("sh");
    command.arg("-c").arg("cat > \"$0\" && chmod +x \"$0\"").arg(path).stdin(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
}

fn check(commands: &str, expected: &str) {
    let error = Script::new(commands, Duration::from_secs(60)).fail();
    assert!(error.message.contains(expected), "{commands}: {}", error.message);
    assert!(!error.hint.is_empty());
}

#[test]
fn the_way_a_child_ends_is_told() {
    check("kill -SEGV $$", "the converter crashed (signal 11)");
    check("kill -KILL $$", "was killed from outside");
    check("kill -XCPU $$", "used more than 8 s of CPU time");
    check("echo 'memory allocation of 9 bytes failed' >&2; kill -ABRT $$", "ran out of memory (192 MB)");
    check("echo 'thread has overflowed its stack' >&2; kill -ABRT $$", "nested too deeply");
    check("echo oh no >&2; exit 3", "without a result: oh no");
    check("exit 0", "without a result");
}

#[test]
fn an_answer_that_is_none_is_an_error() {
    check("echo hello", "without a result");
    check("head -c 100000 /dev/zero", "without a result");
    check(
        "printf '{\"converted\":{\"length\":99999999999,\"format\":[\"pdf\",\"pdf\"],\"title\":null,\"origins\":[],\"notes\":[]}}\\nx'",
        "without a result",
    );
    check("printf '{\"failed\":{\"message\":\"it is\\\\nbroken\",\"hint\":\"h\"}}\\n'", "it is broken");
}

#[test]
fn a_child_that_floods_is_not_listened_to_for_ever() {
    let script = Script::new("echo $$ > $here/pid; yes >&2 & exec yes", Duration::from_secs(3));
    script.fail();
    assert!(script.is_gone());
}

#[test]
fn a_child_that_hangs_is_killed_when_its_time_is_up() {
    for commands in ["sleep 600", "exec >&-; sleep 600", "trap '' TERM; cat > /dev/null; sleep 600 & wait"] {
        let script = Script::new(&format!("echo $$ > $here/pid; {commands}"), Duration::from_millis(500));
        let begun = Instant::now();
        let error = script.fail();
        assert!(begun.elapsed() < Duration::from_secs(20), "{commands}");
        assert!(error.message.contains("took longer than 0.5 s"), "{commands}: {}", error.message);
        assert!(script.is_gone(), "{commands}");
    }
}

#[test]
fn a_child_is_killed_when_the_work_is_cancelled() {
    let script = Script::new("echo $$ > $here/pid; sleep 600", Duration::from_secs(600));
    let cancel = Cancel::default();
    std::thread::scope(|scope| {
        let work = scope.spawn(|| script.converter.convert(b"x".to_vec(), "a.md", &cancel));
        let has_begun = || std::fs::read_to_string(script.path("pid")).is_ok_and(|pid| pid.ends_with('\n'));
        while !has_begun() {
            std::thread::sleep(Duration::from_millis(5));
        }
        cancel.cancel();
        let error = work.join().unwrap().unwrap_err();
        assert!(error.message.contains("was stopped"), "{}", error.message);
    });
    assert!(script.is_gone());
}

#[test]
fn two_work_at_a_time() {
    let commands = "echo start >> $here/log; sleep 0.2; echo end >> $here/log; exit 1";
    let script = Script::new(commands, Duration::from_secs(60));
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| script.fail());
        }
    });
    let log = std::fs::read_to_string(script.path("log")).unwrap();
    let (mut now, mut most) = (0_i32, 0);
    for line in log.lines() {
        now += if line == "start" { 1 } else { -1 };
        most = most.max(now);
    }
    assert_eq!((log.lines().count(), most), (12, 2));
}

#[test]
fn a_child_knows_nothing_of_its_surroundings() {
    check("[ -z \"$HOME$PATH_INFO$USER\" ] && [ \"$(pwd)\" = / ] && echo clean >&2; exit 1", "clean");
}

#[test]
fn a_program_that_is_gone_is_told() {
    let converter = ChildProcess::new(PathBuf::from("/no/such/program"), ConvertLimits::default());
    let error = converter.convert(Vec::new(), "a.md", &Cancel::default()).unwrap_err();
    assert!(error.message.contains("cannot start the converter"), "{}", error.message);
}
