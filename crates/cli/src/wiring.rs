//! Settings become an engine: store, embedder, cache and sources, put together in one place.

mod embedding;
mod scope;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use docent_engine::{ChunkOptions, Engine, EngineParts, Freshness, Source, list_files};
use docent_index::{Collection, Store};
use docent_store_embedded::{EmbeddedStore, OpenOptions};

pub(crate) use self::embedding::{cache, embedder, openai_config};
pub(crate) use self::scope::{check_scope, collection_name};
use self::scope::{is_asked_from_elsewhere, kept_for, own_sources, resolved, scoped_sources};
use crate::args::{Provider, ScopeArgs};
use crate::built;
use crate::collections;
use crate::database;
use crate::errors::{CliError, Exit, plain_io};
use crate::origin;
use crate::printer::Printer;
use crate::project;
use crate::settings::{Origin, Settings};
use crate::vector_cache;

/// Chunks may not be made shorter than this.
const SMALLEST_CHUNK: usize = 200;

/// How much a command depends on vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Vectors {
    /// Without an embedder the command fails.
    Needed,
    /// Without an embedder the command says so and goes on.
    Wanted,
    /// The command never looks at vectors.
    Unused,
    /// The command makes no vectors, although it writes.
    Refused,
}

/// How far a command looks when nobody names a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// The documents folder.
    Own,
    /// The documents folder and every collection that the settings list.
    Listed,
}

/// An engine and the collections that a command is about.
pub(crate) struct Opened {
    pub(crate) engine: Engine,
    pub(crate) store: Arc<dyn Store>,
    /// Names; none means all.
    pub(crate) collections: Vec<String>,
}

/// Opens the index, makes it if need be, for the collections that `scope` names, or all that the settings list. The caller
/// brings it up to date.
pub(crate) fn open(
    settings: &Settings,
    scope: &ScopeArgs,
    vectors: Vectors,
    printer: &Printer,
) -> Result<Opened, CliError> {
    open_as(settings, scope, Reach::Listed, vectors, Freshness::Synced, printer)
}

/// As [`open`], for the documents folder alone.
pub(crate) fn open_own(settings: &Settings, vectors: Vectors, printer: &Printer) -> Result<Opened, CliError> {
    open_as(settings, &ScopeArgs::default(), Reach::Own, vectors, Freshness::Synced, printer)
}

/// The index with what is in it and nothing to read beside: for commands that change what was handed over.
pub(crate) fn open_alone(
    settings: &Settings,
    vectors: Vectors,
    printer: &Printer,
) -> Result<Opened, CliError> {
    let store = open_store(settings, printer)?;
    open_engine(settings, store, Vec::new(), Vec::new(), vectors, Freshness::Synced, printer)
}

/// As [`open`], for a process that stays and whose every answer looks for changes first.
pub(crate) fn open_to_serve(
    settings: &Settings,
    scope: &ScopeArgs,
    printer: &Printer,
) -> Result<Opened, CliError> {
    open_as(settings, scope, Reach::Listed, Vectors::Wanted, Freshness::EachCall, printer)
}

fn open_as(
    settings: &Settings,
    scope: &ScopeArgs,
    reach: Reach,
    vectors: Vectors,
    freshness: Freshness,
    printer: &Printer,
) -> Result<Opened, CliError> {
    if let Some(marker) = &settings.built {
        return built::open(settings, marker, scope, vectors);
    }
    let own = scope.collection.is_empty() && !scope.all;
    if let Some(url) = settings.postgres().filter(|_| reach == Reach::Listed) {
        // Who names collections needs nothing else in memory, however much there is.
        let named = match scope.collection.is_empty() {
            true => None,
            false => Some(resolved(settings, scope, &database::collections(url, settings)?)?),
        };
        let stays = freshness == Freshness::EachCall;
        let store = database::open_to_ask(url, settings, named.clone(), stays, printer)?;
        let known = store.snapshot()?.collections();
        let collections = match named {
            Some(named) => named,
            None if own => kept_for(settings, &known, printer),
            None => Vec::new(),
        };
        let (name, docs) = (collection_name(settings, &known), settings.docs.value.clone());
        let folders = move |known: &[Collection]| {
            let mut folders = origin::folders(&docs, known);
            if folders.iter().all(|(known, _)| *known != name) {
                folders.push((name.clone(), docs.clone()));
            }
            folders
        };
        let opened = open_engine(settings, store, Vec::new(), collections, vectors, freshness, printer)?;
        return Ok(Opened { engine: opened.engine.with_folders(folders), ..opened });
    }
    if own {
        check_docs(settings)?;
        check_named_index(settings)?;
    }
    let store = open_store(settings, printer)?;
    let known = store.snapshot()?.collections();
    if own {
        check_default_docs(settings, &known)?;
    }
    let (sources, collections) = match own {
        true if is_asked_from_elsewhere(settings, reach, &known) => {
            let all = ScopeArgs { all: true, ..ScopeArgs::default() };
            scoped_sources(settings, &all, &known, printer)?
        }
        true => own_sources(settings, reach, &known, printer)?,
        false => scoped_sources(settings, scope, &known, printer)?,
    };
    open_engine(settings, store, sources, collections, vectors, freshness, printer)
}

/// Puts an engine together from a store and what it is to read.
pub(crate) fn open_engine(
    settings: &Settings,
    store: Arc<dyn Store>,
    sources: Vec<Source>,
    collections: Vec<String>,
    vectors: Vectors,
    freshness: Freshness,
    printer: &Printer,
) -> Result<Opened, CliError> {
    let remote = settings.embedding.provider.value == Provider::OpenAi;
    let embedder = match vectors {
        // Even a search by words tells the cosine, unless a server would have to be asked for it.
        Vectors::Unused if remote => Ok(None),
        Vectors::Refused => Ok(None),
        _ => embedder(&settings.embedding, vectors),
    };
    let (embedder, embedder_problem) = match (vectors, embedder) {
        (Vectors::Wanted, Err(CliError::Told { exit: Exit::Failed, message, hint })) => {
            (None, Some(format!("{message} ({hint})")))
        }
        (_, embedder) => (embedder?, None),
    };
    let parts = EngineParts {
        aliases: collections::aliases(&settings.collections),
        expected: collections.clone(),
        store: Arc::clone(&store),
        cache: match embedder {
            Some(_) => vector_cache::layered(cache(settings, printer), store.cache()),
            None => None,
        },
        embedder,
        embedder_problem,
        sources,
        chunking: chunking(settings)?,
        cookies: settings.index.value.join("watch"),
        library: library_folder(settings),
    };
    Ok(Opened { engine: Engine::new(parts, freshness)?, store, collections })
}

/// Somebody who names an index that is not there, and no documents to make it from, has mistyped its name: an empty index
/// in that place would only hide it.
fn check_named_index(settings: &Settings) -> Result<(), CliError> {
    let (index, docs) = (&settings.index, &settings.docs);
    let is_named = matches!(index.origin, Origin::Flag(_) | Origin::Environment(_));
    if !is_named || index.value.exists() || docs.origin != Origin::Default {
        return Ok(());
    }
    let source = Source::new("docs", &docs.value, &settings.rules())?;
    if !list_files(&source)?.documents.is_empty() {
        return Ok(());
    }
    Err(CliError::usage(
        format!(
            "there is no index at {}, and no document in {}",
            index.value.display(),
            docs.value.display()
        ),
        format!("check the path, which comes from {}, or name the documents with --docs DIR", index.origin),
    ))
}

/// Where everything is kept that was handed over, apart from the index. A database needs no second copy.
fn library_folder(settings: &Settings) -> Option<PathBuf> {
    settings.postgres().is_none().then(|| settings.index.value.join("library"))
}

/// Opens the store alone; says what it had to mend.
pub(crate) fn open_store(settings: &Settings, printer: &Printer) -> Result<Arc<dyn Store>, CliError> {
    if settings.built.is_some() {
        return built::open_store(settings);
    }
    let index = &settings.index.value;
    if let Some(url) = settings.postgres() {
        return database::open(url, settings, printer);
    }
    project::create_index_folder(index).map_err(|error| {
        CliError::failed(
            format!("cannot make the index folder {}: {}", index.display(), plain_io(&error)),
            "choose a folder that you may write to with --index DIR",
        )
    })?;
    let store = EmbeddedStore::open(index, OpenOptions::default())?;
    for notice in store.notices() {
        printer.note(notice);
    }
    let store: Arc<dyn Store> = Arc::new(store);
    restore_libraries(settings, &store, printer)?;
    Ok(store)
}

/// Puts back what the index has lost of its libraries, before anybody asks which collections there are.
fn restore_libraries(settings: &Settings, store: &Arc<dyn Store>, printer: &Printer) -> Result<(), CliError> {
    let index = &settings.index.value;
    let parts = EngineParts {
        aliases: Default::default(),
        expected: Vec::new(),
        store: Arc::clone(store),
        cache: None,
        embedder: None,
        embedder_problem: None,
        sources: Vec::new(),
        chunking: chunking(settings)?,
        cookies: index.join("watch"),
        library: Some(index.join("library")),
    };
    if let Some(restored) = Engine::new(parts, Freshness::Synced)?.restored() {
        printer.note(restored);
    }
    Ok(())
}

/// How documents are cut.
pub(crate) fn chunking(settings: &Settings) -> Result<ChunkOptions, CliError> {
    let max_chars = settings.max_chars.value;
    if max_chars < SMALLEST_CHUNK {
        return Err(CliError::usage(
            format!("chunking.max_chars is {max_chars} and must be at least {SMALLEST_CHUNK}"),
            "smaller chunks would tear sentences apart; 6000 is the default",
        ));
    }
    Ok(ChunkOptions { max_chars, ..ChunkOptions::default() })
}

/// Without a setting the project's `docs/` is used, else the project. A `docs/` that was indexed and is gone now must not
/// silently turn into a search of the whole project.
fn check_default_docs(settings: &Settings, known: &[Collection]) -> Result<(), CliError> {
    let expected = settings.docs.value.join(project::DOCS_FOLDER);
    let was_indexed = known.iter().any(|collection| Path::new(&collection.root) == expected);
    if settings.docs.origin == Origin::Default && was_indexed && !expected.is_dir() {
        return Err(CliError::usage(
            format!("the documents folder {} is missing", expected.display()),
            "bring it back, or name another with --docs; what was indexed is kept",
        ));
    }
    Ok(())
}

/// A folder that the user named and that is not there is a wrong command, not a broken machine.
pub(crate) fn check_docs(settings: &Settings) -> Result<(), CliError> {
    let docs = &settings.docs;
    match std::fs::metadata(&docs.value) {
        Ok(metadata) if metadata.is_dir() => Ok(()),
        Ok(_) => Err(CliError::usage(
            format!("{} is not a folder", docs.value.display()),
            "give the folder that holds the documents, e.g. --docs ./docs",
        )),
        Err(error) => Err(CliError::usage(
            format!("cannot read the documents folder {}: {}", docs.value.display(), plain_io(&error)),
            match &docs.origin {
                Origin::Default => "name the folder with --docs DIR".to_owned(),
                origin => {
                    format!("check the path, which comes from {origin}; what was indexed before is kept")
                }
            },
        )),
    }
}
