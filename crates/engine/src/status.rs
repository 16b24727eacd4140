//! What state the index is in, for people and agents.

use docent_index::Filter;
use serde::Serialize;

use crate::engine::Engine;
use crate::ingest::Problem;
use crate::times::iso;
use crate::{EngineError, git};

/// The whole picture.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Status {
    /// This process.
    pub server: ServerStatus,
    /// What is indexed.
    pub index: IndexStatus,
    /// The vector side; absent when none is configured.
    pub embedding: Option<EmbeddingStatus>,
    /// The repository around the documents; absent outside one.
    pub git: Option<git::GitState>,
    /// Noticing changes.
    pub watcher: WatcherStatus,
    /// Files that could not be indexed.
    pub failed_files: Vec<Problem>,
    /// Everything that is less than it could be.
    pub degraded: Vec<String>,
}

/// This process.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ServerStatus {
    /// Version of docent.
    pub version: String,
    /// Seconds since it started.
    pub uptime_seconds: u64,
    /// The documents folder (the first, when there are several).
    pub docs_root: Option<String>,
}

/// What is indexed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IndexStatus {
    /// Documents.
    pub total_pages: usize,
    /// Chunks.
    pub total_chunks: usize,
    /// Passages.
    pub total_passages: usize,
    /// When something was last applied, ISO 8601.
    pub last_indexed: Option<String>,
    /// Where the index lives.
    pub db_path: String,
    /// Its size.
    pub db_size_bytes: u64,
    /// Number of the newest batch.
    pub generation: u64,
    /// Format of the index.
    pub format: u32,
    /// Whether it was built once and is never changed.
    pub read_only: bool,
    /// Where such an index comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub built: Option<BuiltStatus>,
    /// Each collection.
    pub collections: Vec<CollectionStatus>,
}

/// Where a built index comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BuiltStatus {
    /// When it was built, ISO 8601.
    pub at: String,
    /// Commit of the documents' repository.
    pub commit: Option<String>,
    /// Whether the documents had changes that are not in that commit.
    pub dirty: Option<bool>,
}

/// One collection.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CollectionStatus {
    /// Its name.
    pub name: String,
    /// Its folder; empty for one that was fetched.
    pub root: String,
    /// Documents.
    pub documents: usize,
    /// Chunks.
    pub chunks: usize,
    /// What it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Which version of what it documents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Where it was fetched from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// What was fetched: a commit, or a hash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// When it was fetched, ISO 8601.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub synced_at: Option<String>,
}

/// The vector side.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EmbeddingStatus {
    /// Name of the model.
    pub model: String,
    /// Length of the vectors.
    pub dimensions: usize,
    /// `local`, `hash` or `openai`.
    pub provider: String,
    /// Passages with a vector.
    pub embedded: usize,
    /// Passages without one.
    pub pending: usize,
}

/// Noticing changes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WatcherStatus {
    /// `watching`, `off` or `folder missing`.
    pub state: String,
    /// Places that are still to be looked at.
    pub backlog: usize,
}

impl Engine {
    /// The state now. Never fails over git or a missing folder.
    pub fn status(&self) -> Result<Status, EngineError> {
        let inner = &*self.inner;
        let behind = inner.freshen();
        let snapshot = inner.store.snapshot()?;
        let stats = inner.store.stats()?;
        let model = inner.embedder.as_deref().map(|embedder| embedder.model());
        let counts = snapshot.counts(model, &Filter::default());
        let root = inner.sources.first().map(|source| source.root.clone());
        let watch = inner.whole().watch.get();
        let is_whole = inner.part.is_none();
        let built = inner.store.built();
        let failures = snapshot.failures()?;
        let mut degraded: Vec<String> = behind.into_iter().chain(inner.trouble()).collect();
        let is_missing = inner.sources.iter().any(|source| !source.root.is_dir());
        for source in inner.sources.iter().filter(|source| !source.root.is_dir()) {
            degraded.push(format!("the documents folder {} is missing", source.root.display()));
        }
        let manifests = inner.manifest_problems();
        if !manifests.is_empty() {
            degraded.push(format!("{} manifests have faults", manifests.len()));
        }
        degraded.extend(inner.absent(&*snapshot, &Filter::default()));
        degraded.extend(inner.embedder_problem.iter().map(|problem| format!("words only: {problem}")));
        if !failures.is_empty() {
            degraded.push(format!("{} files could not be indexed", failures.len()));
        }
        if model.is_some() && counts.embedded < counts.passages {
            degraded.push(format!(
                "{} of {} passages have no vector yet",
                counts.passages - counts.embedded,
                counts.passages
            ));
        }
        Ok(Status {
            server: ServerStatus {
                version: env!("CARGO_PKG_VERSION").to_owned(),
                uptime_seconds: inner.started.elapsed().as_secs(),
                docs_root: root.as_ref().map(|root| root.display().to_string()),
            },
            index: IndexStatus {
                total_pages: counts.documents,
                total_chunks: counts.chunks,
                total_passages: counts.passages,
                last_indexed: stats.last_applied_ms.map(|ms| iso(ms.saturating_mul(1_000_000))),
                db_path: stats.place,
                db_size_bytes: stats.bytes,
                generation: snapshot.generation().0,
                format: stats.format,
                read_only: built.is_some(),
                built: built.map(|built| BuiltStatus {
                    at: built.at,
                    commit: built.commit,
                    dirty: built.dirty,
                }),
                collections: snapshot
                    .collections()
                    .into_iter()
                    .map(|collection| {
                        let only =
                            Filter { collections: Some(vec![collection.name.clone()]), ..Filter::default() };
                        let counts = snapshot.counts(None, &only);
                        let card = inner.card_of(&collection);
                        CollectionStatus {
                            name: collection.name,
                            root: collection.root,
                            documents: counts.documents,
                            chunks: counts.chunks,
                            description: card.description,
                            version: card.version,
                            source: card.source,
                            revision: card.revision,
                            synced_at: card.synced_ms.map(|ms| iso(ms.saturating_mul(1_000_000))),
                        }
                    })
                    .collect(),
            },
            embedding: model.map(|model| EmbeddingStatus {
                model: model.name.clone(),
                dimensions: model.dimensions,
                provider: model.provider.clone(),
                embedded: counts.embedded,
                pending: counts.passages - counts.embedded.min(counts.passages),
            }),
            git: root.and_then(|root| git::state(&root)),
            watcher: WatcherStatus {
                state: match (is_missing, watch) {
                    (true, _) => "folder missing",
                    (false, Some(_)) => "watching",
                    (false, None) => "off",
                }
                .to_owned(),
                backlog: watch.filter(|_| is_whole).map_or(0, crate::watch::Watch::backlog),
            },
            failed_files: failures
                .into_iter()
                .map(|failure| Problem { path: failure.path, reason: failure.reason })
                .chain(manifests)
                .collect(),
            degraded,
        })
    }
}
