//! The child takes away from itself what a converter does not need, before it looks at the file.
//!
//! No new files or connections (three are open and there may be no fourth), no bytes into files, no core dump, no rights that a
//! program could gain, little memory, little time, and no life without its parent. Limits of processes exist on Unix; elsewhere
//! the time on the clock is what holds.

use std::io;

use super::frame::Request;

/// Gives up rights, and a life without its parent. The first thread must do it, for all others to have it from there.
#[cfg(target_os = "linux")]
pub(super) fn give_up() -> io::Result<()> {
    use rustix::process::{DumpableBehavior, Signal};
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    rustix::thread::set_no_new_privs(true)?;
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    Ok(())
}

#[cfg(not(target_os = "linux"))]
pub(super) fn give_up() -> io::Result<()> {
    Ok(())
}

/// Sets the limits of a request.
#[cfg(unix)]
pub(super) fn confine(request: &Request) -> io::Result<()> {
    use rustix::process::Resource;

    /// What is mapped and not used costs nothing but addresses: the program itself, and what the allocator keeps in reserve.
    const UNUSED: u64 = 768 << 20;

    let memory = request.memory_bytes;
    let cpu = request.cpu_seconds;
    for (resource, soft, hard) in [
        (Resource::Core, 0, 0),
        (Resource::Fsize, 0, 0),
        (Resource::Nofile, 3, 3),
        (Resource::Data, memory, memory),
        (Resource::As, memory.saturating_add(UNUSED), memory.saturating_add(UNUSED)),
        (Resource::Cpu, cpu, cpu.saturating_add(1)),
    ] {
        let is_set = limit(resource, soft, hard);
        // Other systems know fewer limits; on Linux a converter without them does not run.
        if cfg!(target_os = "linux") {
            is_set?;
        }
    }
    Ok(())
}

/// Lowers a limit; one that is lower already stays.
#[cfg(unix)]
fn limit(resource: rustix::process::Resource, soft: u64, hard: u64) -> io::Result<()> {
    use rustix::process::{Rlimit, getrlimit, setrlimit};
    let now = getrlimit(resource);
    let lower = |now: Option<u64>, wanted: u64| Some(now.map_or(wanted, |now| now.min(wanted)));
    let limit = Rlimit { current: lower(now.current, soft), maximum: lower(now.maximum, hard) };
    setrlimit(resource, limit).map_err(io::Error::from)
}

#[cfg(not(unix))]
pub(super) fn confine(_: &Request) -> io::Result<()> {
    Ok(())
}
