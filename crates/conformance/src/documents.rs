//! docent's engine over a folder, put together as the product does it, with the embedder that needs no model.

use std::path::Path;
use std::sync::Arc;

use docent_embed::HashEmbedder;
use docent_engine::{ChunkOptions, Engine, EngineParts, Freshness, Source, SourceRules};
use docent_store_embedded::{EmbeddedStore, OpenOptions};

/// The name of the one collection.
const COLLECTION: &str = "docs";

/// An engine over the documents in `docs` that keeps its index in `index`.
pub(crate) fn engine(docs: &Path, index: &Path) -> anyhow::Result<Engine> {
    let parts = EngineParts {
        aliases: Default::default(),
        expected: Vec::new(),
        store: Arc::new(EmbeddedStore::open(index, OpenOptions::default())?),
        embedder: Some(Arc::new(HashEmbedder::default())),
        embedder_problem: None,
        cache: None,
        sources: vec![Source::new(COLLECTION, docs, &SourceRules::default())?],
        chunking: ChunkOptions::default(),
        cookies: index.join("watch"),
        library: None,
    };
    Ok(Engine::new(parts, Freshness::EachCall)?)
}
