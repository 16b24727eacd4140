//! The façade: what can be taken in, and how.

use std::path::PathBuf;
use std::sync::Arc;

use docent_engine::{Cancel, Engine};
use serde_json::{Map, Value};

use crate::{Convert, FileReport, LibraryError, Receipt, Report};

/// How far a library reaches.
#[derive(Debug, Clone)]
pub struct Options {
    /// Folders (and single files) that files may be read from.
    pub roots: Vec<PathBuf>,
    /// What relative paths are relative to.
    pub base: PathBuf,
    /// Whether pages may come from private addresses.
    pub allow_private_networks: bool,
    /// Larger files and pages are refused.
    pub max_bytes: u64,
}

/// Where something goes, and what is said of it.
#[derive(Debug, Clone, Default)]
pub struct Into {
    /// Name of the library; empty means `default`.
    pub library: String,
    /// Anything; can be filtered by.
    pub metadata: Map<String, Value>,
    /// Convert and keep it even if its content is the same.
    pub force: bool,
}

/// Which files of a folder.
#[derive(Debug, Clone)]
pub struct FolderRules {
    /// Conversions at once, 1 to 8.
    pub max_concurrency: usize,
    /// Patterns of files to take; none means everything that can be converted.
    pub include: Vec<String>,
    /// Most files.
    pub max_files: usize,
}

/// Which pages of a site.
#[derive(Debug, Clone)]
pub struct CrawlRules {
    /// Most pages.
    pub max_pages: usize,
    /// Most steps from the first page.
    pub max_depth: usize,
    /// Pages in a second, at most.
    pub per_second: f64,
}

/// Takes documents in.
pub struct Library {
    engine: Arc<Engine>,
    converter: Arc<dyn Convert>,
    options: Options,
}

impl std::fmt::Debug for Library {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Library").field("options", &self.options).finish_non_exhaustive()
    }
}

impl Library {
    /// A library over an engine.
    pub fn new(engine: Arc<Engine>, converter: Arc<dyn Convert>, options: Options) -> Self {
        Self { engine, converter, options }
    }

    /// Takes in a file below one of the roots.
    pub fn ingest_file(&self, path: &str, into: &Into, cancel: &Cancel) -> Result<Receipt, LibraryError> {
        let _ = (path, into, cancel, &self.engine, &self.converter, &self.options);
        todo!()
    }

    /// Fetches a page or file over http or https and takes it in.
    pub fn ingest_url(&self, url: &str, into: &Into, cancel: &Cancel) -> Result<Receipt, LibraryError> {
        let _ = (url, into, cancel);
        todo!()
    }

    /// Takes in a text under a name of the caller's choice; the name's extension says what it is, Markdown otherwise.
    pub fn ingest_content(
        &self,
        content: &str,
        name: &str,
        into: &Into,
        cancel: &Cancel,
    ) -> Result<Receipt, LibraryError> {
        let _ = (content, name, into, cancel);
        todo!()
    }

    /// Takes in the files of a folder; `told` hears of each as it is done.
    pub fn ingest_folder(
        &self,
        path: &str,
        rules: &FolderRules,
        into: &Into,
        told: &(dyn Fn(&FileReport) + Sync),
        cancel: &Cancel,
    ) -> Result<Report, LibraryError> {
        let _ = (path, rules, into, told, cancel);
        todo!()
    }

    /// Takes in the pages of a site below an address; `told` hears of each as it is done.
    pub fn crawl(
        &self,
        url: &str,
        rules: &CrawlRules,
        into: &Into,
        told: &(dyn Fn(&FileReport) + Sync),
        cancel: &Cancel,
    ) -> Result<Report, LibraryError> {
        let _ = (url, rules, into, told, cancel);
        todo!()
    }
}
