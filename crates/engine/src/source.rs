//! A source: one folder of documents, under the name of its collection, and the rules for what is read from it.

use std::path::{Path, PathBuf};

use std::sync::{Arc, PoisonError, RwLock};

use docent_authoring::{Manifest, Manifests};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::{Card, EngineError, Problem};

/// File name endings that count as documents unless the settings say otherwise.
pub const DEFAULT_INCLUDE: &[&str] = &["**/*.md", "**/*.markdown", "**/*.mdx", "**/*.mdown", "**/*.mkd"];

/// Files larger than this are reported and passed over.
pub const DEFAULT_MAX_FILE_BYTES: u64 = 16 * 1024 * 1024;

/// A folder whose documents form one collection.
#[derive(Debug, Clone)]
pub struct Source {
    /// Name of the collection.
    pub collection: String,
    /// Absolute path of the folder, links resolved.
    pub root: PathBuf,
    /// Files larger than this are reported and passed over.
    pub max_file_bytes: u64,
    /// What the settings say of the collection.
    pub card: Card,
    include: GlobSet,
    exclude: GlobSet,
    /// What the settings say of pages that no manifest governs.
    base: Manifest,
    /// The manifests as of the last walk; all copies of a source share them.
    manifests: Arc<RwLock<Option<Walked>>>,
}

/// What a walk found of the manifests.
#[derive(Debug, Clone)]
struct Walked {
    manifests: Arc<Manifests>,
    problems: Arc<[Problem]>,
}

/// What to read from a folder.
#[derive(Debug, Clone)]
pub struct SourceRules {
    /// Patterns of files to read.
    pub include: Vec<String>,
    /// Patterns of files to leave out; they win.
    pub exclude: Vec<String>,
    /// Files larger than this are reported and passed over.
    pub max_file_bytes: u64,
    /// How pages that no manifest governs are cut and labelled.
    pub manifest: Manifest,
    /// What is said of the collection.
    pub card: Card,
}

impl Default for SourceRules {
    fn default() -> Self {
        Self {
            include: DEFAULT_INCLUDE.iter().map(|&pattern| pattern.to_owned()).collect(),
            exclude: Vec::new(),
            max_file_bytes: DEFAULT_MAX_FILE_BYTES,
            manifest: Manifest::default(),
            card: Card::default(),
        }
    }
}

impl Source {
    /// Checks that `root` is a folder and that the patterns are well formed.
    pub fn new(collection: &str, root: &Path, rules: &SourceRules) -> Result<Self, EngineError> {
        let root = std::fs::canonicalize(root).map_err(|error| missing_root(root, &error))?;
        if !root.is_dir() {
            return Err(EngineError::environment(
                format!("{} is not a folder", root.display()),
                "give the folder that holds the documents, e.g. --docs ./docs",
            ));
        }
        Ok(Self {
            collection: collection.to_owned(),
            root,
            max_file_bytes: rules.max_file_bytes,
            card: rules.card.clone(),
            include: glob_set("include", &rules.include)?,
            exclude: glob_set("exclude", &rules.exclude)?,
            base: rules.manifest.clone(),
            manifests: Arc::default(),
        })
    }

    /// The manifests of the folder as of the last walk. Walks when there was none.
    pub(crate) fn manifests(&self) -> Arc<Manifests> {
        if let Some(walked) = self.walked() {
            return walked.manifests;
        }
        // A folder that cannot be read has no documents to govern either.
        let _ = crate::scan::scan(self);
        self.walked().map_or_else(|| Arc::new(self.no_manifests()), |walked| walked.manifests)
    }

    /// What is wrong with the manifests, as of the last walk.
    pub(crate) fn manifest_problems(&self) -> Vec<Problem> {
        self.walked().map(|walked| walked.problems.to_vec()).unwrap_or_default()
    }

    fn walked(&self) -> Option<Walked> {
        self.manifests.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What holds before any manifest is read.
    pub(crate) fn no_manifests(&self) -> Manifests {
        Manifests::new(self.base.clone())
    }

    /// What the settings say, as the manifest of its folder; `None` when that is nothing.
    pub(crate) fn base_text(&self) -> Option<String> {
        (!self.base.is_empty()).then(|| self.base.to_text())
    }

    /// Remembers what a walk found.
    pub(crate) fn set_manifests(&self, manifests: Manifests, problems: Vec<Problem>) {
        let walked = Walked { manifests: Arc::new(manifests), problems: problems.into() };
        *self.manifests.write().unwrap_or_else(PoisonError::into_inner) = Some(walked);
    }

    /// Whether a file at this path, relative to the root, is a document.
    pub fn wants(&self, path: &str) -> bool {
        self.include.is_match(path) && !self.exclude.is_match(path)
    }

    /// Whether nothing below this folder can be wanted.
    pub fn prunes(&self, folder: &str) -> bool {
        self.exclude.is_match(folder) || self.exclude.is_match(format!("{folder}/"))
    }
}

/// The error for a root that is not there. Its documents stay in the index: a missing disk is not a mass delete.
pub(crate) fn missing_root(root: &Path, error: &std::io::Error) -> EngineError {
    EngineError::environment(
        format!("cannot read the documents folder {}: {}", root.display(), plain_io(error)),
        "check the path given with --docs; what was indexed before is kept",
    )
}

/// An I/O error without the "(os error 2)" tail.
pub(crate) fn plain_io(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_lowercase()
}

fn glob_set(key: &str, patterns: &[String]) -> Result<GlobSet, EngineError> {
    let mut builder = GlobSetBuilder::new();
    for pattern in patterns {
        let glob = GlobBuilder::new(pattern).literal_separator(true).case_insensitive(true).build().map_err(
            |error| {
                EngineError::usage(
                    format!("`{key}` has a pattern that cannot be read: {pattern} ({})", error.kind()),
                    "patterns look like guides/**/*.md",
                )
            },
        )?;
        builder.add(glob);
    }
    builder
        .build()
        .map_err(|error| EngineError::usage(format!("`{key}`: {error}"), "use fewer or simpler patterns"))
}
