//! Settings become a library: what may be read and fetched, and the child processes that convert.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use docent_engine::Engine;
use docent_library::{ChildProcess, ConvertLimits, Library, Options};

use crate::errors::{CliError, plain_io};
use crate::printer::Printer;
use crate::settings::{LibrarySettings, Settings};

/// Seconds of a processor that a conversion may use; time on the clock is what people set.
const MOST_CPU_SECONDS: u64 = 8;

/// A library over an engine that reads below these roots.
pub(crate) fn open(
    engine: Arc<Engine>,
    settings: &Settings,
    roots: Vec<PathBuf>,
    base: &Path,
    allow_private_networks: bool,
    printer: &Printer,
) -> Result<Library, CliError> {
    let own = &settings.library;
    let allow_private_networks = allow_private_networks || own.allow_private_networks.value;
    if allow_private_networks {
        printer.always(
            "warning: addresses inside private networks may be fetched; whoever can call the tools can read what this machine can reach",
        );
    }
    let options =
        Options { roots, base: base.to_owned(), allow_private_networks, max_bytes: own.max_bytes.value };
    Ok(Library::new(engine, Arc::new(converter(own)?), options))
}

/// Converts in children of this program.
pub(crate) fn converter(settings: &LibrarySettings) -> Result<ChildProcess, CliError> {
    let seconds = settings.convert_seconds.value;
    let limits = ConvertLimits {
        time: Duration::from_secs(seconds),
        cpu_seconds: seconds.min(MOST_CPU_SECONDS),
        memory_bytes: settings.convert_memory_mb.value << 20,
        ..ConvertLimits::default()
    };
    ChildProcess::of_this_program(limits).map_err(|error| {
        CliError::failed(
            format!("cannot tell where this program is: {}", plain_io(&error)),
            "start docent by its full path",
        )
    })
}
