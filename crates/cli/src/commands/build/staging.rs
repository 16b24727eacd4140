//! The index that a build works in before it writes its own: an ordinary one, in the user's cache.
//!
//! It is brought in line with the folder like any other index, so a build that was killed loses nothing, and the next one
//! costs only what changed. Nothing of it but its content gets into what is built.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::Path;
use std::sync::Arc;

use docent_authoring::FALLBACK;
use docent_engine::{ChunkOptions, Engine, EngineParts, Freshness, Source};
use docent_index::{Store, StoreError};
use docent_store_embedded::{EmbeddedStore, OpenOptions as StoreOptions};

use crate::errors::{CliError, plain_io};
use crate::printer::Printer;
use crate::project;
use crate::settings::Settings;
use crate::wiring::{self, Vectors};

/// The engine over the staging index.
pub(super) struct Staging {
    pub(super) engine: Engine,
    pub(super) store: Arc<EmbeddedStore>,
    /// Keeps other builds of the same place away.
    _lock: File,
}

impl Staging {
    /// Opens the staging index of `place`, or makes one, for the one collection `name`.
    pub(super) fn open(
        settings: &Settings,
        place: &Path,
        name: &str,
        printer: &Printer,
    ) -> Result<Self, CliError> {
        let dir = settings.cache.value.join("builds").join(project::cache_name(place));
        project::create_index_folder(&dir).map_err(|error| cannot_make(&dir, &error))?;
        let lock = lock(&dir, place)?;
        printer.detail(format_args!("working in {}", dir.display()));
        let store = Arc::new(open_store(&dir, printer)?);
        for known in store.snapshot()?.collections().iter().filter(|known| known.name != name) {
            store.remove_collection(&known.name)?;
        }
        let embedder = wiring::embedder(&settings.embedding, Vectors::Needed)?;
        let parts = EngineParts {
            aliases: Default::default(),
            expected: Vec::new(),
            store: store.clone(),
            cache: if embedder.is_some() { wiring::cache(settings, printer) } else { None },
            embedder,
            embedder_problem: None,
            sources: vec![Source::new(name, &settings.docs.value, &settings.rules())?],
            chunking: ChunkOptions { chunk_by: FALLBACK, ..wiring::chunking(settings)? },
            cookies: dir.join("watch"),
            library: None,
        };
        Ok(Self { engine: Engine::new(parts, Freshness::Synced)?, store, _lock: lock })
    }
}

fn open_store(dir: &Path, printer: &Printer) -> Result<EmbeddedStore, CliError> {
    let store = match EmbeddedStore::open(dir, StoreOptions::default()) {
        // Everything in it can be made again, and nobody else uses it.
        Err(StoreError::Newer { .. }) => {
            printer.note("a newer docent has built here before; everything is read again");
            fs::remove_dir_all(dir.join("lexical")).map_err(|error| cannot_make(dir, &error))?;
            for name in ["record.sqlite", "record.sqlite-wal", "record.sqlite-shm"] {
                let _ = fs::remove_file(dir.join(name));
            }
            EmbeddedStore::open(dir, StoreOptions::default())?
        }
        opened => opened?,
    };
    for notice in store.notices() {
        printer.note(notice);
    }
    Ok(store)
}

fn lock(dir: &Path, place: &Path) -> Result<File, CliError> {
    let path = dir.join("build.lock");
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(path);
    let file = file.map_err(|error| cannot_make(dir, &error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(CliError::failed(
            format!("another process is building {}", place.display()),
            "wait for it to finish, or stop it",
        )),
        Err(TryLockError::Error(error)) => Err(cannot_make(dir, &error)),
    }
}

fn cannot_make(dir: &Path, error: &std::io::Error) -> CliError {
    CliError::failed(
        format!("cannot work in {}: {}", dir.display(), plain_io(error)),
        "name a folder that you may write to with DOCENT_CACHE_DIR",
    )
}
