//! Settings become an engine: store, embedder, cache and sources, put together in one place.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use docent_embed::{HashEmbedder, MiniLm, OpenAi, OpenAiConfig};
use docent_engine::{About, ChunkOptions, Engine, EngineParts, Freshness, Names, Source, list_files};
use docent_index::{Collection, Embedder, EmbeddingCache, Store};
use docent_store_embedded::{EmbeddedStore, OpenOptions, UserCache};

use crate::args::{Provider, ScopeArgs};
use crate::built;
use crate::collections::{self, Listed};
use crate::database;
use crate::errors::{CliError, Exit, plain_io};
use crate::printer::Printer;
use crate::project;
use crate::settings::{self, EmbeddingSettings, Origin, Settings};

/// Model to ask an OpenAI-compatible server for when none is named.
const DEFAULT_OPENAI_MODEL: &str = "text-embedding-3-large";
/// How long an embedding server may take while somebody waits for an answer.
const PATIENCE: Duration = Duration::from_secs(5);
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
            None if own => kept_for(settings, &known),
            None => Vec::new(),
        };
        let own = (collection_name(settings, &known), settings.docs.value.clone());
        let opened = open_engine(settings, store, Vec::new(), collections, vectors, freshness, printer)?;
        return Ok(Opened { engine: opened.engine.with_folders(vec![own]), ..opened });
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

/// Whether somebody names an index that holds something, in a folder that is no project and that the index does not know.
/// The folder is only where they happen to be: its files are none of the index's business.
fn is_asked_from_elsewhere(settings: &Settings, reach: Reach, known: &[Collection]) -> bool {
    let is_named = matches!(settings.index.origin, Origin::Flag(_) | Origin::Environment(_));
    let is_known = || known.iter().any(|known| Path::new(&known.root) == settings.docs.value);
    reach == Reach::Listed
        && is_named
        && settings.project.is_none()
        && settings.docs.origin == Origin::Default
        && !known.is_empty()
        && !is_known()
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
        cache: if embedder.is_some() { cache(settings, printer) } else { None },
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

/// What the database has for a project, which reads no folder itself: its own documents, the collections that it lists and
/// all libraries. Elsewhere, everything.
fn kept_for(settings: &Settings, known: &[Collection]) -> Vec<String> {
    let own = collection_name(settings, known);
    let is_kept = |name: &String| known.iter().any(|known| known.name == *name);
    if !is_kept(&own) {
        return Vec::new();
    }
    let listed = settings.collections.iter().map(|listed| listed.name.clone());
    let mut names: Vec<String> =
        std::iter::once(own).chain(listed).chain(libraries(known)).filter(is_kept).collect();
    names.sort_unstable();
    names.dedup();
    names
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

/// The embedder that the settings name; `None` for search by words only. The built-in model is loaded on first use.
pub(crate) fn embedder(
    settings: &EmbeddingSettings,
    vectors: Vectors,
) -> Result<Option<Arc<dyn Embedder>>, CliError> {
    Ok(match settings.provider.value {
        Provider::MiniLm => Some(Arc::new(MiniLm::new())),
        Provider::Hash => Some(Arc::new(HashEmbedder::default())),
        Provider::None => None,
        Provider::OpenAi => {
            let openai = OpenAi::new(openai_config(settings, vectors)?)
                .map_err(|error| CliError::failed(error.message, error.hint))?;
            Some(Arc::new(openai))
        }
    })
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

/// The vectors that the user's projects share. They only save time, so not having them is no error.
pub(crate) fn cache(settings: &Settings, printer: &Printer) -> Option<Arc<dyn EmbeddingCache>> {
    let cache = UserCache::open(&settings.cache.value.join("embeddings.sqlite"));
    if !cache.is_on() {
        printer.detail(format_args!("no shared cache of vectors in {}", settings.cache.value.display()));
        return None;
    }
    Some(Arc::new(cache))
}

/// How to ask the server. Documents go to one only when somebody said to which, or holds a key to the usual one.
pub(crate) fn openai_config(
    settings: &EmbeddingSettings,
    vectors: Vectors,
) -> Result<OpenAiConfig, CliError> {
    if settings.base_url.value.is_none() && settings.api_key.value.is_none() {
        return Err(CliError::usage(
            "the embedding provider openai has neither a server nor a key",
            "set embedding.base_url in docent.toml (e.g. http://127.0.0.1:11434/v1), or OPENAI_API_KEY",
        ));
    }
    let mut config = OpenAiConfig::new(settings.model.value.as_deref().unwrap_or(DEFAULT_OPENAI_MODEL));
    if let Some(base_url) = &settings.base_url.value {
        config.base_url.clone_from(base_url);
    }
    if vectors != Vectors::Needed {
        // Somebody waits for an answer that words can give as well.
        config.max_retries = 0;
        config.timeout = config.timeout.min(PATIENCE);
    }
    config.dimensions = settings.dimensions.value;
    config.api_key.clone_from(&settings.api_key.value);
    config.query_prefix.clone_from(&settings.query_prefix.value);
    config.document_prefix.clone_from(&settings.document_prefix.value);
    config.batch_size = settings.batch_size.value.unwrap_or(config.batch_size);
    config.concurrency = settings.concurrency.value.unwrap_or(config.concurrency);
    Ok(config)
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

/// The name under which the documents folder is known, or a new one.
pub(crate) fn collection_name(settings: &Settings, known: &[Collection]) -> String {
    let docs = &settings.docs.value;
    let root = docs.display().to_string();
    if settings.postgres().is_some() {
        return database::shared_name(docs);
    }
    if let Some(collection) = known.iter().find(|collection| collection.root == root) {
        return collection.name.clone();
    }
    let base = docs.file_name().map_or_else(|| "docs".to_owned(), |name| name.to_string_lossy().into_owned());
    let in_project =
        settings.project.as_deref().is_some_and(|project| settings.index.value.starts_with(project));
    let is_taken = |name: &str| {
        known.iter().any(|collection| {
            // A project that was moved takes its index along: the folder that is no more was this one.
            let moved = in_project && !collection.root.is_empty() && !Path::new(&collection.root).exists();
            collection.name == name && !moved
        })
    };
    let numbered = (2..).map(|number| format!("{base}-{number}"));
    std::iter::once(base.clone()).chain(numbered).find(|name| !is_taken(name)).unwrap_or(base)
}

/// The documents folder, and with [`Reach::Listed`] every collection that the settings list.
fn own_sources(
    settings: &Settings,
    reach: Reach,
    known: &[Collection],
    printer: &Printer,
) -> Result<(Vec<Source>, Vec<String>), CliError> {
    let name = collection_name(settings, known);
    let mut sources = vec![Source::new(&name, &settings.docs.value, &settings.rules())?];
    let mut names = vec![name];
    if reach == Reach::Own {
        return Ok((sources, names));
    }
    for listed in &settings.collections {
        if names.contains(&listed.name) {
            let name = &listed.name;
            printer.note(format_args!(
                "collection `{name}` is left out: the documents folder has that name; `docent rename` gives it another"
            ));
            continue;
        }
        sources.extend(live(settings, listed, known, printer));
        names.push(listed.name.clone());
    }
    names.extend(libraries(known).filter(|library| !names.contains(library)).collect::<Vec<_>>());
    Ok((sources, names))
}

/// Names of the collections whose documents were handed over. They are part of every answer without being listed.
fn libraries(known: &[Collection]) -> impl Iterator<Item = String> {
    known.iter().filter(|known| is_library(known)).map(|known| known.name.clone())
}

fn is_library(known: &Collection) -> bool {
    known.root.is_empty() && serde_json::from_str(&known.about).is_ok_and(|about: About| about.library)
}

/// The folder of a collection that is read where it is. One that is missing is left as it was indexed, and said; one that
/// nobody here has agreed to is not looked at.
fn live(settings: &Settings, listed: &Listed, known: &[Collection], printer: &Printer) -> Option<Source> {
    let known = known.iter().find(|known| known.name == listed.name);
    let is_known = known.is_some();
    if known.is_some_and(is_library) {
        let name = &listed.name;
        printer.note(format_args!(
            "collection `{name}` is left out: there is a library `{name}` already; `docent rename {name} OTHER` renames the library"
        ));
        return None;
    }
    match listed.live_source()? {
        Ok(source) => listed.is_agreed_to(&source, settings.project.as_deref(), known).then_some(source),
        Err(CliError::Told { message, .. }) if is_known => {
            printer.note(format_args!(
                "collection `{}`: {message}; answers show it as it was indexed",
                listed.name
            ));
            None
        }
        Err(CliError::Told { message, .. }) => {
            printer.note(format_args!("collection `{}`: {message}", listed.name));
            None
        }
        Err(CliError::OutputClosed) => None,
    }
}

/// Collections that are named must exist.
pub(crate) fn check_scope(
    settings: &Settings,
    scope: &ScopeArgs,
    known: &[Collection],
) -> Result<(), CliError> {
    resolved(settings, scope, known).map(|_| ())
}

/// The ids of the collections that are named, by whatever name.
fn resolved(settings: &Settings, scope: &ScopeArgs, known: &[Collection]) -> Result<Vec<String>, CliError> {
    let mut ids: Vec<String> = known.iter().map(|collection| collection.name.clone()).collect();
    // Folders need not have been indexed before.
    let is_read = |listed: &&Listed| match listed.live_source() {
        Some(Ok(source)) => listed.is_agreed_to(&source, settings.project.as_deref(), None),
        _ => false,
    };
    let live = settings.collections.iter().filter(is_read);
    let own = settings.docs.value.is_dir().then(|| collection_name(settings, known));
    for name in live.map(|listed| listed.name.clone()).chain(own) {
        if !ids.contains(&name) {
            ids.push(name);
        }
    }
    let names = Names::new(ids, collections::aliases(&settings.collections));
    let resolve =
        |name: &String| names.resolve(name).map(str::to_owned).ok_or_else(|| unknown(settings, &names, name));
    scope.collection.iter().map(resolve).collect()
}

fn unknown(settings: &Settings, names: &Names, name: &str) -> CliError {
    let hint = match names.ids().is_empty() {
        _ if collections::is_listed(&settings.collections, name) => {
            format!("it is listed and not here yet: `docent sync {name}` fetches it")
        }
        true => "nothing is indexed here yet; `docent index DIR` does it".to_owned(),
        false => format!("there are: {}", names.ids().join(", ")),
    };
    CliError::problems(format!("there is no collection `{name}` in {}", settings.index.value.display()), hint)
}

/// Sources of the named collections, or of all. A folder that is missing is left as it was indexed, and said.
fn scoped_sources(
    settings: &Settings,
    scope: &ScopeArgs,
    known: &[Collection],
    printer: &Printer,
) -> Result<(Vec<Source>, Vec<String>), CliError> {
    let ids = resolved(settings, scope, known)?;
    let mut sources = Vec::new();
    let asked = |name: &String| scope.all || ids.contains(name);
    let listed = |name: &String| settings.collections.iter().any(|listed| listed.name == *name);
    for listed in settings.collections.iter().filter(|listed| asked(&listed.name)) {
        sources.extend(live(settings, listed, known, printer));
    }
    let rest = known.iter().filter(|known| asked(&known.name) && !listed(&known.name));
    for collection in rest.filter(|collection| !collection.root.is_empty()) {
        let root = Path::new(&collection.root);
        if !root.is_dir() {
            printer.note(format_args!(
                "the folder {} of collection `{}` is missing; answers show it as it was indexed",
                collection.root, collection.name
            ));
            continue;
        }
        let rules = if root == settings.docs.value { settings.rules() } else { settings::rules_of(root)? };
        sources.push(Source::new(&collection.name, root, &rules)?);
    }
    // The documents folder takes part in "all" when somebody named it or when the index is its own, indexed before or not.
    let is_known = known.iter().any(|collection| Path::new(&collection.root) == settings.docs.value);
    let is_meant = settings.docs.origin != Origin::Default || settings.index.origin == Origin::Default;
    let own = collection_name(settings, known);
    let is_asked = (scope.all && is_meant) || ids.contains(&own);
    if is_asked && !is_known && settings.docs.value.is_dir() {
        sources.push(Source::new(&own, &settings.docs.value, &settings.rules())?);
    }
    Ok((sources, ids))
}
