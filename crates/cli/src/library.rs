//! Settings become a library: what may be read and fetched, and the child processes that convert.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use docent_engine::{Cancel, Engine};
use docent_library::{ChildProcess, Conversion, Convert, ConvertLimits, Library, LibraryError, Options};

use crate::errors::{CliError, plain_io};
use crate::settings::{LibrarySettings, Origin};

/// What a library may read and fetch, besides what the settings say.
pub(crate) struct Reach {
    /// Folders below which files may be read.
    pub(crate) roots: Vec<PathBuf>,
    /// Where relative paths begin.
    pub(crate) base: PathBuf,
    /// Whether pages may come from private networks.
    pub(crate) allow_private_networks: bool,
}

/// A library over an engine; `told` hears of each file that a conversion begins with.
pub(crate) fn open(
    engine: Arc<Engine>,
    settings: &LibrarySettings,
    reach: Reach,
    told: impl Fn(&str) + Send + Sync + 'static,
) -> Result<Library, CliError> {
    let Reach { roots, base, allow_private_networks } = reach;
    let allow_private_networks = allow_private_networks || settings.allow_private_networks.value;
    let max_bytes = settings.max_bytes.value;
    let converter = Arc::new(Watched { inner: converter(settings)?, told });
    Ok(Library::new(engine, converter, Options { roots, base, allow_private_networks, max_bytes }))
}

/// A converter that tells what it begins with.
struct Watched<F> {
    inner: ChildProcess,
    told: F,
}

impl<F: Fn(&str) + Send + Sync> Convert for Watched<F> {
    fn convert(&self, bytes: Vec<u8>, name: &str, cancel: &Cancel) -> Result<Conversion, LibraryError> {
        (self.told)(name);
        self.inner.convert(bytes, name, cancel)
    }
}

/// Converts in children of this program.
pub(crate) fn converter(settings: &LibrarySettings) -> Result<ChildProcess, CliError> {
    let usual = ConvertLimits::default();
    let time = Duration::from_secs(settings.convert_seconds.value);
    // Who sets the time means all of it.
    let is_set = settings.convert_seconds.origin != Origin::Default;
    let cpu_seconds = if is_set { time.as_secs() } else { usual.cpu_seconds };
    let memory_bytes = settings.convert_memory_mb.value << 20;
    let limits = ConvertLimits { time, cpu_seconds, memory_bytes, ..usual };
    ChildProcess::of_this_program(limits).map_err(|error| {
        CliError::failed(
            format!("cannot tell where this program is: {}", plain_io(&error)),
            "start docent by its full path",
        )
    })
}
