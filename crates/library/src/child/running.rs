//! A child process from start to end: spoken to, listened to, watched, and never left behind.

use std::io::{self, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use docent_engine::Cancel;

use super::CONVERT_ARGUMENT;
use super::frame::{Reply, Request};

/// How often the clock and the wish to stop are looked at while the child works.
const LOOK: Duration = Duration::from_millis(20);
/// The same while the child, which has said all it had to say, ends.
const LOOK_AT_END: Duration = Duration::from_millis(1);
/// How much of what it says on stderr is kept.
const KEPT: usize = 2 << 10;

/// A child that works. It is killed and waited for when this is dropped.
pub(super) struct Running {
    child: Child,
    /// How it ended, once it was waited for. Until then its number is its own.
    status: Option<ExitStatus>,
}

/// What became of a child.
pub(super) struct Outcome {
    /// Its answer, if it gave a whole one.
    pub(super) reply: Option<Reply>,
    /// Why it was killed, if it was.
    pub(super) stopped: Option<Stop>,
    /// How it ended.
    pub(super) status: Option<ExitStatus>,
    /// The end of what it said on stderr.
    pub(super) said: String,
}

/// Why a child was killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    Cancelled,
    TimedOut,
}

impl Running {
    pub(super) fn start(program: &Path) -> io::Result<Self> {
        let mut command = Command::new(program);
        command.arg(CONVERT_ARGUMENT).env_clear().current_dir(if cfg!(windows) { "C:\\" } else { "/" });
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(windows)]
        command.envs(std::env::var_os("SystemRoot").map(|root| ("SystemRoot", root)));
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.spawn().map(|child| Self { child, status: None })
    }

    /// Hands the request over and waits for the answer, until `deadline` or `cancel`.
    pub(super) fn talk(
        mut self,
        request: Request,
        bytes: Vec<u8>,
        most: usize,
        deadline: Instant,
        cancel: &Cancel,
    ) -> Outcome {
        let (Some(mut stdin), Some(stdout), Some(stderr)) =
            (self.child.stdin.take(), self.child.stdout.take(), self.child.stderr.take())
        else {
            return Outcome { reply: None, stopped: None, status: None, said: String::new() };
        };
        let is_over = || match () {
            () if cancel.is_cancelled() => Some(Stop::Cancelled),
            () if Instant::now() >= deadline => Some(Stop::TimedOut),
            () => None,
        };
        thread::scope(|scope| {
            // A child that ends early breaks the pipe; why it ended is what counts. The bytes are gone from here when it has them.
            scope.spawn(move || {
                let _ = request.write(&bytes, &mut stdin);
            });
            let listener = scope.spawn(move || end_of(stderr));
            let (done, answered) = mpsc::channel();
            let reader = scope.spawn(move || {
                let reply = Reply::read(&mut BufReader::new(stdout), most);
                let _ = done.send(());
                reply.ok()
            });
            let mut stopped = None;
            while stopped.is_none()
                && matches!(answered.recv_timeout(LOOK), Err(mpsc::RecvTimeoutError::Timeout))
            {
                stopped = is_over();
            }
            if stopped.is_some() {
                self.end();
            }
            let reply = reader.join().ok().flatten();
            // Who has answered has nothing left to do. Who has not says by how it ends why.
            while reply.is_none() && stopped.is_none() && !self.has_ended() {
                stopped = is_over();
                thread::sleep(LOOK_AT_END);
            }
            // Whatever it may have started ends with it, and only then is nobody left who could talk.
            self.end();
            Outcome { reply, stopped, status: self.status, said: listener.join().unwrap_or_default() }
        })
    }

    /// Whether the child is no more. It is not waited for, so that its number stays taken.
    #[cfg(unix)]
    fn has_ended(&mut self) -> bool {
        use rustix::process::{WaitId, WaitIdOptions, waitid};
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        match pid(&self.child) {
            Some(pid) if self.status.is_none() => !matches!(waitid(WaitId::Pid(pid), look), Ok(None)),
            _ => true,
        }
    }

    #[cfg(not(unix))]
    fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Kills the child and all that it might have started, and waits for it.
    fn end(&mut self) {
        if self.status.is_some() {
            return;
        }
        #[cfg(unix)]
        if let Some(pid) = pid(&self.child) {
            let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
        }
        let _ = self.child.kill();
        self.status = self.child.wait().ok();
    }
}

#[cfg(unix)]
fn pid(child: &Child) -> Option<rustix::process::Pid> {
    i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw)
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}

/// The last bytes that come, as text.
fn end_of(mut stream: impl Read) -> String {
    let mut kept = Vec::new();
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = stream.read(&mut buffer) {
        kept.extend_from_slice(buffer.get(..count).unwrap_or_default());
        let surplus = kept.len().saturating_sub(KEPT);
        kept.drain(..surplus);
    }
    String::from_utf8_lossy(&kept).into_owned()
}
