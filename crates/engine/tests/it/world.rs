//! A folder of documents and an engine over it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use docent_embed::HashEmbedder;
use docent_engine::{
    Cancel, ChunkOptions, Engine, EngineParts, Freshness, IngestReport, SearchAnswer, SearchRequest, Silent,
    Source, SourceRules,
};
use docent_index::{Embedder, EmbeddingCache};
use docent_store_embedded::{EmbeddedStore, OpenOptions};

pub(crate) struct World {
    pub(crate) docs: PathBuf,
    pub(crate) index: PathBuf,
    _dir: tempfile::TempDir,
}

impl World {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        // The system's temporary folder may be reached through a link; sources resolve theirs.
        let base = std::fs::canonicalize(dir.path()).unwrap();
        let world = Self { docs: base.join("docs"), index: base.join("index"), _dir: dir };
        std::fs::create_dir_all(&world.docs).unwrap();
        for (path, text) in files {
            world.write(path, text);
        }
        world
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let full = self.docs.join(path);
        std::fs::create_dir_all(full.parent().unwrap()).unwrap();
        std::fs::write(full, text).unwrap();
    }

    pub(crate) fn remove(&self, path: &str) {
        std::fs::remove_file(self.docs.join(path)).unwrap();
    }

    pub(crate) fn engine(&self, freshness: Freshness) -> Engine {
        self.engine_with(freshness, &SourceRules::default())
    }

    pub(crate) fn engine_with(&self, freshness: Freshness, rules: &SourceRules) -> Engine {
        self.build(freshness, rules, ChunkOptions::default())
    }

    pub(crate) fn engine_cutting(&self, chunking: ChunkOptions) -> Engine {
        self.build(Freshness::Synced, &SourceRules::default(), chunking)
    }

    /// An engine that makes vectors in this way and keeps them there.
    pub(crate) fn engine_embedding(
        &self,
        embedder: Option<Arc<dyn Embedder>>,
        cache: Option<Arc<dyn EmbeddingCache>>,
    ) -> Engine {
        let mut parts = self.parts(&SourceRules::default(), ChunkOptions::default());
        (parts.embedder, parts.cache) = (embedder, cache);
        Engine::new(parts, Freshness::Synced).unwrap()
    }

    /// An engine over the index alone, without a folder.
    pub(crate) fn engine_alone(&self) -> Engine {
        let mut parts = self.parts(&SourceRules::default(), ChunkOptions::default());
        parts.sources.clear();
        Engine::new(parts, Freshness::Synced).unwrap()
    }

    fn build(&self, freshness: Freshness, rules: &SourceRules, chunking: ChunkOptions) -> Engine {
        Engine::new(self.parts(rules, chunking), freshness).unwrap()
    }

    fn parts(&self, rules: &SourceRules, chunking: ChunkOptions) -> EngineParts {
        let store = EmbeddedStore::open(&self.index, OpenOptions::default()).unwrap();
        EngineParts {
            aliases: Default::default(),
            expected: Vec::new(),
            store: Arc::new(store),
            embedder: Some(Arc::new(HashEmbedder::default())),
            embedder_problem: None,
            cache: None,
            sources: vec![Source::new("docs", &self.docs, rules).unwrap()],
            chunking,
            cookies: self.index.join("cookies"),
            library: Some(self.index.join("library")),
        }
    }

    /// An engine whose index is up to date, vectors included.
    pub(crate) fn synced(&self) -> Engine {
        let engine = self.engine(Freshness::EachCall);
        sync(&engine);
        engine
    }
}

pub(crate) fn sync(engine: &Engine) -> IngestReport {
    let report = engine.sync(None, &Silent, &Cancel::default()).unwrap().remove(0);
    engine.embed(None, &Silent, &Cancel::default()).unwrap();
    report
}

pub(crate) fn search(engine: &Engine, query: &str) -> SearchAnswer {
    engine.search(&SearchRequest::new(query)).unwrap()
}

pub(crate) fn paths(answer: &SearchAnswer) -> Vec<&str> {
    answer.results.iter().map(|hit| hit.metadata.file_path.as_str()).collect()
}

pub(crate) fn rename(from: &Path, to: &Path) {
    std::fs::rename(from, to).unwrap();
}
