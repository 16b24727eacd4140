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
pub(super) struct Running(Child);

/// What became of a child.
pub(super) struct Outcome {
    /// Its answer, if it gave a whole one.
    pub(super) reply: Option<Reply>,
    /// Why it was killed, if it was.
    pub(super) stopped: Option<Stop>,
    /// How it ended, if it did so by itself.
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
        command.spawn().map(Self)
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
            (self.0.stdin.take(), self.0.stdout.take(), self.0.stderr.take())
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
                self.kill();
            }
            let reply = reader.join().ok().flatten();
            // Who has answered has nothing left to do. Who has not says by how it ends why.
            let mut status = None;
            while reply.is_none() && stopped.is_none() && status.is_none() {
                status = self.0.try_wait().ok().flatten();
                if status.is_none() {
                    stopped = is_over();
                    thread::sleep(LOOK_AT_END);
                }
            }
            self.kill();
            Outcome { reply, stopped, status, said: listener.join().unwrap_or_default() }
        })
    }

    /// Ends the child and all that it might have started.
    fn kill(&mut self) {
        // Once it was waited for, its number may be somebody else's.
        if matches!(self.0.try_wait(), Ok(Some(_))) {
            return;
        }
        #[cfg(unix)]
        if let Some(pid) = i32::try_from(self.0.id()).ok().and_then(rustix::process::Pid::from_raw) {
            let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
        }
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
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
