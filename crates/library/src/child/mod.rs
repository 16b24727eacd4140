//! Conversion in a process of its own.
//!
//! Whoever wrote a document may have meant harm, and a converter that runs out of memory or stack takes its process along. So
//! each file gets a process: our own program, which is told by its first argument ([`CONVERT_ARGUMENT`]) to do nothing but read
//! bytes from stdin and write Markdown to stdout. It limits itself before it reads them (`confine`), it is watched from here
//! (`running`), and what became of it is put into words (`ending`). The price is a few milliseconds a file.

mod confine;
mod ending;
mod frame;
mod running;
mod serve;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use docent_engine::Cancel;

use self::frame::{Reply, Request};
use self::running::Running;
use crate::slots::Slots;
use crate::{Conversion, Convert, LibraryError};

pub use self::serve::serve_conversion;

/// The first argument that makes our program a converter; nobody types it.
pub const CONVERT_ARGUMENT: &str = "__convert";

/// Conversions at once. More would only take more memory: they need a processor each.
const AT_ONCE: usize = 2;

/// What a conversion may take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConvertLimits {
    /// Time on the clock.
    pub time: Duration,
    /// Seconds of a processor.
    pub cpu_seconds: u64,
    /// Bytes of memory.
    pub memory_bytes: u64,
    /// Bytes of Markdown; what comes after is cut with a note.
    pub markdown_bytes: usize,
}

impl Default for ConvertLimits {
    fn default() -> Self {
        Self {
            // With the start of the process and its end, a file is done with within ten.
            time: Duration::from_secs(9),
            cpu_seconds: 8,
            memory_bytes: 192 << 20,
            markdown_bytes: 16 << 20,
        }
    }
}

/// Converts in child processes, two at a time.
#[derive(Debug)]
pub struct ChildProcess {
    program: PathBuf,
    limits: ConvertLimits,
    slots: Slots,
}

impl ChildProcess {
    /// Converts with `program`, whose `main` hands over to [`serve_conversion`].
    pub fn new(program: PathBuf, limits: ConvertLimits) -> Self {
        Self { program, limits, slots: Slots::new(AT_ONCE) }
    }

    /// Converts with the program that is running now.
    pub fn of_this_program(limits: ConvertLimits) -> std::io::Result<Self> {
        // This name works even after the file was replaced by a newer version.
        let running = PathBuf::from("/proc/self/exe");
        let program = if running.exists() { running } else { std::env::current_exe()? };
        Ok(Self::new(program, limits))
    }

    fn request(&self, name: &str, length: usize) -> Request {
        Request {
            name: name.to_owned(),
            length,
            memory_bytes: self.limits.memory_bytes,
            cpu_seconds: self.limits.cpu_seconds,
            markdown_bytes: self.limits.markdown_bytes,
        }
    }
}

impl Convert for ChildProcess {
    fn convert(&self, bytes: Vec<u8>, name: &str, cancel: &Cancel) -> Result<Conversion, LibraryError> {
        let _slot = self.slots.take(cancel).ok_or_else(ending::cancelled)?;
        let request = self.request(name, bytes.len());
        let deadline = Instant::now() + self.limits.time;
        let running = Running::start(&self.program).map_err(|error| ending::not_started(&error))?;
        let outcome = running.talk(request, bytes, self.limits.markdown_bytes, deadline, cancel);
        match outcome.reply {
            Some(Reply::Converted(converted)) => Ok(converted),
            Some(Reply::Failed { message, hint }) => Err(LibraryError { message, hint }),
            None => Err(ending::words(&outcome, &self.limits)),
        }
    }
}
