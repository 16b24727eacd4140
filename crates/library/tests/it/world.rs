//! A library over an index in a temporary folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use docent_embed::HashEmbedder;
use docent_engine::{Cancel, ChunkOptions, Engine, EngineParts, Freshness, SearchRequest};
use docent_library::{
    Convert, FolderRules, InProcess, Into, Library, LibraryError, Options, Receipt, Report, Status,
};
use docent_store_embedded::{EmbeddedStore, OpenOptions};

/// Largest file that is read.
pub(crate) const MAX_BYTES: u64 = 1 << 20;

pub(crate) struct World {
    dir: tempfile::TempDir,
    pub(crate) engine: Arc<Engine>,
    pub(crate) library: Library,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with(Arc::new(InProcess))
    }

    pub(crate) fn with(converter: Arc<dyn Convert>) -> Self {
        Self::reaching(converter, false)
    }

    /// One that may fetch pages of this machine.
    pub(crate) fn with_private_networks() -> Self {
        Self::reaching(Arc::new(InProcess), true)
    }

    fn reaching(converter: Arc<dyn Convert>, allow_private_networks: bool) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let base = fs::canonicalize(dir.path()).unwrap();
        let (files, index) = (base.join("files"), base.join("index"));
        fs::create_dir_all(&files).unwrap();
        fs::create_dir_all(&index).unwrap();
        let parts = EngineParts {
            store: Arc::new(EmbeddedStore::open(&index, OpenOptions::default()).unwrap()),
            embedder: Some(Arc::new(HashEmbedder::default())),
            embedder_problem: None,
            cache: None,
            sources: Vec::new(),
            aliases: Default::default(),
            expected: Vec::new(),
            chunking: ChunkOptions::default(),
            cookies: index.join("watch"),
            library: Some(index.join("library")),
        };
        let engine = Arc::new(Engine::new(parts, Freshness::Synced).unwrap());
        let options =
            Options { roots: vec![files.clone()], base: files, allow_private_networks, max_bytes: MAX_BYTES };
        let library = Library::new(Arc::clone(&engine), converter, options);
        Self { dir, engine, library }
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        fs::canonicalize(self.dir.path()).unwrap().join("files").join(path)
    }

    pub(crate) fn write(&self, path: impl AsRef<Path>, content: impl AsRef<[u8]>) {
        let full = self.path("").join(path);
        fs::create_dir_all(full.parent().unwrap()).unwrap();
        fs::write(full, content).unwrap();
    }

    pub(crate) fn file(&self, path: &str) -> Result<Receipt, LibraryError> {
        self.library.ingest_file(path, &Into::default(), &Cancel::default())
    }

    pub(crate) fn content(&self, content: &str, name: &str) -> Result<Receipt, LibraryError> {
        self.library.ingest_content(content, name, &Into::default(), &Cancel::default())
    }

    pub(crate) fn folder(&self, path: &str) -> Report {
        let rules = FolderRules { max_concurrency: 3, include: Vec::new(), max_files: 1000 };
        self.folder_by(path, &rules).unwrap()
    }

    pub(crate) fn folder_by(&self, path: &str, rules: &FolderRules) -> Result<Report, LibraryError> {
        self.library.ingest_folder(path, rules, &Into::default(), &|_| {}, &Cancel::default())
    }

    /// Sources of what a search finds, best first.
    pub(crate) fn found(&self, query: &str) -> Vec<String> {
        let answer = self.engine.search(&SearchRequest::new(query)).unwrap();
        answer.results.into_iter().map(|hit| hit.metadata.file_path).collect()
    }
}

/// Name and outcome of each file of a report.
pub(crate) fn outcomes(report: &Report) -> Vec<(String, Option<Status>)> {
    let name = |source: &str| source.rsplit('/').next().unwrap_or_default().to_owned();
    let status = |outcome: &Result<Receipt, LibraryError>| outcome.as_ref().ok().map(|done| done.status);
    report.files.iter().map(|file| (name(&file.source), status(&file.outcome))).collect()
}

/// A converter that fails when it is told to, and counts.
#[derive(Default)]
pub(crate) struct Moody {
    pub(crate) fails: Mutex<bool>,
    pub(crate) calls: Mutex<usize>,
}

impl Convert for Moody {
    fn convert(
        &self,
        bytes: Vec<u8>,
        name: &str,
        cancel: &Cancel,
    ) -> Result<docent_library::Conversion, LibraryError> {
        *self.calls.lock().unwrap() += 1;
        if *self.fails.lock().unwrap() {
            return Err(LibraryError {
                message: "the converter crashed".to_owned(),
                hint: "do something".to_owned(),
            });
        }
        InProcess.convert(bytes, name, cancel)
    }
}
