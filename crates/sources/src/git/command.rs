//! Calls the `git` program: fixed arguments, an environment without surprises, and an end in bounded time.
//!
//! What the user set up for git in general stays (credential helpers, proxies, certificates, ssh keys); what could ask at the
//! terminal, start programs on behalf of a repository or use another transport than the one in the address does not.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Receiver;
use std::thread;
use std::time::{Duration, Instant};

use super::listening::{Listener, Tail, Whole, listen};
use crate::Context;

/// The most that git may say where all of it is kept; the names of half a million branches fit.
const MOST_OUTPUT: usize = 64 << 20;
/// Of its complaints.
const MOST_COMPLAINTS: usize = 64 << 10;
/// The most that a repository may take on disk.
const LARGEST_REPOSITORY: u64 = 8 << 30;
const POLL: Duration = Duration::from_millis(20);

/// How long git may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    /// Without a sign of life.
    pub(super) stall: Duration,
    /// In all.
    pub(super) whole: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { stall: Duration::from_secs(60), whole: Duration::from_secs(20 * 60) }
    }
}

/// Git over one bare repository of ours and one remote.
pub(super) struct Git<'a> {
    pub(super) repository: PathBuf,
    pub(super) url: &'a str,
    pub(super) patience: Patience,
    pub(super) context: &'a Context<'a>,
}

/// Why git did not do what it should.
#[derive(Debug)]
pub(super) enum Failure {
    NotInstalled,
    /// It could not be started or listened to.
    Io(io::Error),
    /// No sign of life for so long.
    Stalled(Duration),
    /// Not done after so long.
    Slow(Duration),
    TooLarge,
    /// What it says has no end in sight; this is what the repository does.
    Endless(String),
    Cancelled,
    /// It said this and failed.
    Failed(String),
}

impl Git<'_> {
    /// Makes the repository if it is not there.
    pub(super) fn init(&self) -> Result<(), Failure> {
        let mut command = base(self.url);
        command.args(["init", "--quiet", "--bare", "--template="]).arg(&self.repository);
        self.wait(command, None).map(drop)
    }

    /// Runs a command that may ask the remote, `source`; gives what it printed.
    pub(super) fn remote(&self, args: &[&str], input: Option<String>) -> Result<Vec<u8>, Failure> {
        let mut command = self.command();
        command.args(args);
        self.wait(command, input)
    }

    /// Runs a command that reads the repository alone.
    pub(super) fn local(&self, args: &[&str]) -> Result<Vec<u8>, Failure> {
        let mut command = self.command();
        command.args(args).env("GIT_NO_LAZY_FETCH", "1");
        self.wait(command, None)
    }

    /// The same for a command that listens.
    pub(super) fn local_with(&self, args: &[&str], input: String) -> Result<Vec<u8>, Failure> {
        let mut command = self.command();
        command.args(args).env("GIT_NO_LAZY_FETCH", "1");
        self.wait(command, Some(input))
    }

    /// The same for a command whose output is not kept but heard by `listener`, which may end it.
    pub(super) fn local_heard<L: Listener>(&self, args: &[&str], listener: L) -> Result<L, Failure> {
        let mut command = self.command();
        command.args(args).env("GIT_NO_LAZY_FETCH", "1");
        self.hear(command, None, listener)
    }

    /// A command that reads the repository alone, to be talked to.
    pub(super) fn conversation(&self, args: &[&str]) -> Result<Child, Failure> {
        let mut command = self.command();
        command.args(args).env("GIT_NO_LAZY_FETCH", "1");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        command.spawn().map_err(not_started)
    }

    fn command(&self) -> Command {
        let mut command = base(self.url);
        command.arg("--git-dir").arg(&self.repository);
        command
    }

    fn wait(&self, command: Command, input: Option<String>) -> Result<Vec<u8>, Failure> {
        self.hear(command, input, Whole::of_at_most(MOST_OUTPUT)).map(Whole::into_bytes)
    }

    fn hear<L: Listener>(
        &self,
        mut command: Command,
        input: Option<String>,
        listener: L,
    ) -> Result<L, Failure> {
        command.stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() });
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(not_started)?;
        let life = Arc::new(AtomicU64::new(0));
        if let (Some(input), Some(mut stdin)) = (input, child.stdin.take()) {
            // In a thread of its own: git may talk before it has listened to everything.
            thread::spawn(move || stdin.write_all(input.as_bytes()));
        }
        let (Some(output), Some(complaints)) = (child.stdout.take(), child.stderr.take()) else {
            end(&mut child);
            return Err(Failure::Failed("git has no pipes".to_owned()));
        };
        let said = listen(output, listener, &life);
        let complained = listen(complaints, Tail::of_at_most(MOST_COMPLAINTS), &life);
        let is_success = self.watch(&mut child, &life).inspect_err(|_| end(&mut child))?;
        // A listener that has heard enough ends git; its reason counts, not that git failed then.
        let said = heard(&said);
        if let Some(Err(failure)) = said {
            return Err(failure);
        }
        if !is_success {
            let complained = heard(&complained).and_then(Result::ok).map(Tail::into_text);
            return Err(Failure::Failed(complained.unwrap_or_default()));
        }
        said.and_then(Result::ok).ok_or_else(|| Failure::Failed("git did not finish its answer".to_owned()))
    }

    /// Waits for the end; whether it was a good one.
    fn watch(&self, child: &mut Child, life: &AtomicU64) -> Result<bool, Failure> {
        let start = Instant::now();
        let (mut heard, mut last_heard, mut looked) = (0, start, start);
        loop {
            if let Some(status) = child.try_wait().map_err(Failure::Io)? {
                return Ok(status.success());
            }
            let now = Instant::now();
            let alive = life.load(Ordering::Relaxed);
            if alive != heard {
                (heard, last_heard) = (alive, now);
            }
            if (self.context.is_cancelled)() {
                return Err(Failure::Cancelled);
            }
            if now.duration_since(last_heard) > self.patience.stall {
                return Err(Failure::Stalled(self.patience.stall));
            }
            if now.duration_since(start) > self.patience.whole {
                return Err(Failure::Slow(self.patience.whole));
            }
            if now.duration_since(looked) > Duration::from_secs(1) {
                looked = now;
                if size_of_packs(&self.repository) > LARGEST_REPOSITORY {
                    return Err(Failure::TooLarge);
                }
            }
            thread::sleep(POLL);
        }
    }
}

/// Git with nothing inherited that could lead it astray.
fn base(url: &str) -> Command {
    let protocol = url.split("://").next().unwrap_or("https");
    // Many users have their https addresses rewritten to ssh; that is their own configuration.
    let protocols = if protocol == "https" { "https:ssh" } else { protocol };
    let mut command = Command::new("git");
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().to_ascii_uppercase().starts_with("GIT_") {
            command.env_remove(&name);
        }
    }
    command
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_ASKPASS", "")
        .env("SSH_ASKPASS", "")
        .env("SSH_ASKPASS_REQUIRE", "never")
        .env("GIT_ALLOW_PROTOCOL", protocols)
        .env("GIT_PROTOCOL_FROM_USER", "0")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_LFS_SKIP_SMUDGE", "1")
        .env("LC_ALL", "C")
        .env("LANGUAGE", "C");
    let settings = [
        "core.hooksPath=/dev/null",
        "core.fsmonitor=false",
        "core.askPass=",
        "credential.interactive=false",
        "protocol.allow=never",
        "fetch.recurseSubmodules=false",
        "submodule.recurse=false",
        "fetch.writeCommitGraph=false",
        "fetch.fsckObjects=false",
        "gc.auto=0",
        "maintenance.auto=false",
        // The copy can be fetched again; waiting for the disk after every step is not worth it.
        "core.fsync=none",
        "http.lowSpeedLimit=100",
        "http.lowSpeedTime=60",
        "advice.detachedHead=false",
    ];
    for setting in settings {
        command.args(["-c", setting]);
    }
    for protocol in protocols.split(':') {
        command.args(["-c", &format!("protocol.{protocol}.allow=always")]);
    }
    if protocols.ends_with("ssh") && !has_own_ssh_command() {
        command.args(["-c", "core.sshCommand=ssh -oBatchMode=yes -oConnectTimeout=20"]);
    }
    command.args(["-c", &format!("remote.source.url={url}"), "--no-pager"]);
    own_group(&mut command);
    command
}

/// Whether the user has chosen how git calls ssh; then it is not for us to say.
fn has_own_ssh_command() -> bool {
    let mut command = Command::new("git");
    command.args(["config", "--global", "--get", "core.sshCommand"]);
    command.stdin(Stdio::null()).stderr(Stdio::null());
    command.output().is_ok_and(|output| output.status.success())
}

/// What a listener has heard. Something that git left running may keep the pipe open for ever.
fn heard<L>(channel: &Receiver<Result<L, Failure>>) -> Option<Result<L, Failure>> {
    channel.recv_timeout(Duration::from_secs(5)).ok()
}

fn size_of_packs(repository: &Path) -> u64 {
    let entries = std::fs::read_dir(repository.join("objects/pack")).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.metadata().ok()).map(|data| data.len()).sum()
}

/// How many packs a repository has.
pub(super) fn packs(repository: &Path) -> usize {
    let entries = std::fs::read_dir(repository.join("objects/pack")).into_iter().flatten().flatten();
    entries.filter(|entry| entry.path().extension() == Some(OsStr::new("pack"))).count()
}

fn not_started(error: io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::NotFound => Failure::NotInstalled,
        _ => Failure::Io(error),
    }
}

/// Git leaves the talking to the server to a child of its own, which has to end with it.
#[cfg(unix)]
fn own_group(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

#[cfg(not(unix))]
fn own_group(_command: &mut Command) {}

/// Ends the child and what it started.
pub(super) fn end(child: &mut Child) {
    #[cfg(unix)]
    let _ = rustix::process::kill_process_group(
        rustix::process::Pid::from_child(child),
        rustix::process::Signal::KILL,
    );
    let _ = child.kill();
    let _ = child.wait();
}
