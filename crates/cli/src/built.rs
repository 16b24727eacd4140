//! Indexes that `docent build` made: recognised by their marker, and opened to be read and nothing else.
//!
//! Such an index brings its documents and says which model made its vectors; what flags, environment and file say about
//! these is either the same or a mistake.

use std::sync::Arc;

use clap::ValueEnum;
use docent_embed::OpenAi;
use docent_engine::{ChunkOptions, Engine, EngineParts, Freshness};
use docent_index::{Embedder, Store};
use docent_store_embedded::{BuiltStore, MARKER, Marker, MarkerEmbedding};

use crate::args::{Provider, ScopeArgs};
use crate::env_vars;
use crate::errors::CliError;
use crate::settings::{Origin, Setting, Settings};
use crate::wiring::{self, Opened, Vectors};

/// A shorter key could be guessed.
const SHORTEST_KEY: usize = 16;

/// When the settings name a built index, makes them those that it was built with.
pub(crate) fn adopt(mut settings: Settings) -> Result<Settings, CliError> {
    let index = &settings.index.value;
    if !Marker::is_in(index) {
        return Ok(settings);
    }
    let marker = Marker::read(index)?;
    if let Origin::Flag(flag) = settings.docs.origin {
        return Err(CliError::usage(
            format!("{} is a built index and brings its documents; {flag} cannot add any", index.display()),
            "leave the folder out, or build the index anew with `docent build --docs-dir DIR --out DIR`",
        ));
    }
    let provider = match &marker.embedding {
        None => Provider::None,
        Some(made) => Provider::from_str(&made.provider, true).map_err(|_| {
            CliError::failed(
                format!(
                    "{} has vectors of `{}`, which this docent does not know",
                    index.display(),
                    made.provider
                ),
                "update docent",
            )
        })?,
    };
    let asked = &settings.embedding.provider;
    if matches!(asked.origin, Origin::Flag(_)) && asked.value != provider {
        return Err(CliError::usage(
            format!(
                "{} was built with the embedder {}, and {} asks for {}",
                index.display(),
                provider.as_str(),
                asked.origin,
                asked.value.as_str()
            ),
            "leave the embedder out: queries are embedded as the documents were",
        ));
    }
    let origin = Origin::File(index.join(MARKER));
    let embedding = &mut settings.embedding;
    embedding.provider = Setting { value: provider, origin: origin.clone() };
    if let Some(made) = &marker.embedding {
        embedding.model = Setting { value: Some(made.model.clone()), origin: origin.clone() };
        let dimensions = made.asks_for_dimensions.then_some(made.dimensions);
        embedding.dimensions = Setting { value: dimensions, origin: origin.clone() };
        embedding.query_prefix = Setting { value: made.query_prefix.clone(), origin: origin.clone() };
        embedding.document_prefix = Setting { value: made.document_prefix.clone(), origin };
    }
    settings.built = Some(marker);
    Ok(settings)
}

/// Opens the built index for the collections that `scope` names.
pub(crate) fn open(
    settings: &Settings,
    marker: &Marker,
    scope: &ScopeArgs,
    vectors: Vectors,
) -> Result<Opened, CliError> {
    let store = open_store(settings)?;
    wiring::check_scope(settings, scope, &store.snapshot()?.collections())?;
    let (embedder, embedder_problem) = match &marker.embedding {
        Some(made) => embedder(settings, made, vectors),
        None => (None, None),
    };
    let parts = EngineParts {
        aliases: Default::default(),
        expected: Vec::new(),
        store: Arc::clone(&store),
        cache: None,
        embedder,
        embedder_problem,
        sources: Vec::new(),
        chunking: ChunkOptions::default(),
        cookies: settings.index.value.join("watch"),
        library: None,
    };
    let collections = scope.collection.clone();
    Ok(Opened { engine: Engine::new(parts, Freshness::Synced)?, store, collections })
}

/// Opens the store of the built index alone.
pub(crate) fn open_store(settings: &Settings) -> Result<Arc<dyn Store>, CliError> {
    Ok(Arc::new(BuiltStore::open(&settings.index.value, cursor_key()?)?))
}

/// The embedder for queries, or why there is none: search by words goes on without.
fn embedder(
    settings: &Settings,
    made: &MarkerEmbedding,
    vectors: Vectors,
) -> (Option<Arc<dyn Embedder>>, Option<String>) {
    let is_remote = settings.embedding.provider.value == Provider::OpenAi;
    if is_remote && vectors == Vectors::Unused {
        return (None, None);
    }
    let embedder = match is_remote && !made.asks_for_dimensions {
        // The length is known, so the server need not be there yet.
        true => wiring::openai_config(&settings.embedding, vectors)
            .map(|config| Some(Arc::new(OpenAi::known(config, made.dimensions)) as Arc<dyn Embedder>)),
        false => wiring::embedder(&settings.embedding, vectors),
    };
    match embedder {
        Ok(Some(embedder)) if embedder.model().id != made.id => {
            let here = &embedder.model().id;
            (
                None,
                Some(format!("the index has vectors of {}, and this docent makes those of {here}", made.id)),
            )
        }
        Ok(embedder) => (embedder, None),
        Err(CliError::Told { message, hint, .. }) => (None, Some(format!("{message} ({hint})"))),
        Err(CliError::OutputClosed) => (None, None),
    }
}

/// The key that several processes share, so that each takes the cursors of the others. Without one each has its own.
fn cursor_key() -> Result<Option<[u8; 32]>, CliError> {
    let Some(text) = env_vars::process(env_vars::CURSOR_KEY) else { return Ok(None) };
    let text = text.to_string_lossy();
    if text.len() < SHORTEST_KEY {
        return Err(CliError::usage(
            format!("{} is shorter than {SHORTEST_KEY} characters", env_vars::CURSOR_KEY),
            "make one with `openssl rand -hex 32`, the same for every process",
        ));
    }
    Ok(Some(blake3::derive_key("docent cursor key", text.as_bytes())))
}
