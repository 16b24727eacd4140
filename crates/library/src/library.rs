//! The façade: what can be taken in, and how. Files are in `roots`, folders in `folder`, pages in `web`; all of them end in
//! `intake`, which has something converted and hands it to the engine.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::SyncSender;

use docent_engine::{Cancel, Engine};
use serde_json::{Map, Value};

use crate::folder::Named;
use crate::intake::Found;
use crate::roots::{Place, Roots};
use crate::slots::Slots;
use crate::{Convert, FileReport, LibraryError, Receipt, Report, checks, file_types};

/// Larger files are refused unless the settings say otherwise.
pub const DEFAULT_MAX_BYTES: u64 = 64 << 20;

/// Files that are held in memory at once, however many are asked for.
const IN_MEMORY: usize = 2;

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
    pub(crate) engine: Arc<Engine>,
    pub(crate) converter: Arc<dyn Convert>,
    pub(crate) options: Options,
    roots: Roots,
    /// Places for files in memory.
    pub(crate) memory: Arc<Slots>,
}

impl std::fmt::Debug for Library {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Library").field("options", &self.options).finish_non_exhaustive()
    }
}

impl Library {
    /// A library over an engine.
    pub fn new(engine: Arc<Engine>, converter: Arc<dyn Convert>, options: Options) -> Self {
        let roots = Roots::new(&options.roots, &options.base);
        Self { engine, converter, options, roots, memory: Arc::new(Slots::new(IN_MEMORY)) }
    }

    /// The same over another engine, such as one that is limited to some collections.
    #[must_use]
    pub fn over(&self, engine: Arc<Engine>) -> Self {
        Self {
            engine,
            converter: Arc::clone(&self.converter),
            options: self.options.clone(),
            roots: self.roots.clone(),
            memory: Arc::clone(&self.memory),
        }
    }

    /// The same for who may not take in files of this machine.
    #[must_use]
    pub fn without_files(&self) -> Self {
        let options = Options { roots: Vec::new(), base: PathBuf::from("/"), ..self.options.clone() };
        let roots = Roots::new(&options.roots, &options.base);
        Self { options, roots, ..self.over(Arc::clone(&self.engine)) }
    }

    /// Takes in a file below one of the roots.
    pub fn ingest_file(&self, path: &str, into: &Into, cancel: &Cancel) -> Result<Receipt, LibraryError> {
        let into = into.checked()?;
        self.take_file(&self.roots.place(path)?, &into, cancel)
    }

    /// Takes in several files, at most `at_once` (1 to 8) at a time; `told` hears of each as it is done.
    pub fn ingest_files(
        &self,
        paths: &[String],
        at_once: usize,
        into: &Into,
        told: &(dyn Fn(&FileReport) + Sync),
        cancel: &Cancel,
    ) -> Result<Report, LibraryError> {
        let into = into.checked()?;
        let named = |path: &String| {
            let place = self.roots.place(path);
            place.map_err(|error| Box::new(FileReport { source: path.clone(), outcome: Err(error) }))
        };
        let send = |sender: SyncSender<Named>| {
            for file in paths.iter().map(named) {
                let _ = sender.send(file);
            }
            Vec::new()
        };
        Ok(self.take_many(at_once, send, &into, told, cancel))
    }

    /// Fetches a page or file over http or https and takes it in.
    pub fn ingest_url(&self, url: &str, into: &Into, cancel: &Cancel) -> Result<Receipt, LibraryError> {
        self.take_page(url, &into.checked()?, cancel)
    }

    /// Takes in a text under a name of the caller's choice; the name's extension says what it is, Markdown otherwise.
    pub fn ingest_content(
        &self,
        content: &str,
        name: &str,
        into: &Into,
        cancel: &Cancel,
    ) -> Result<Receipt, LibraryError> {
        let into = into.checked()?;
        checks::text_name(name)?;
        let size = content.len() as u64;
        if size > self.options.max_bytes {
            return Err(crate::roots::too_large(name, size, self.options.max_bytes));
        }
        let _memory = self.memory.take(cancel).ok_or_else(LibraryError::cancelled)?;
        let named = if file_types::is_document(name) { name.to_owned() } else { format!("{name}.md") };
        let found = Found {
            modified_ms: Some(crate::intake::now_ms()),
            ..Found::new(name, content.as_bytes().to_vec())
        };
        self.take(Found { name: named, ..found }, &into, cancel)
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
        let into = into.checked()?;
        self.take_folder(&self.roots.place(path)?, rules, &into, told, cancel)
    }

    /// How many files [`Library::ingest_folder`] would take in; for showing how far it is.
    pub fn count_folder(
        &self,
        path: &str,
        rules: &FolderRules,
        cancel: &Cancel,
    ) -> Result<usize, LibraryError> {
        self.count_folder_at(&self.roots.place(path)?, rules, cancel)
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
        self.take_site(url, rules, &into.checked()?, told, cancel)
    }

    /// Reads the file at this place and takes it in.
    pub(crate) fn take_file(
        &self,
        place: &Place,
        into: &Into,
        cancel: &Cancel,
    ) -> Result<Receipt, LibraryError> {
        let _memory = self.memory.take(cancel).ok_or_else(LibraryError::cancelled)?;
        let full = place.full();
        let source = full.to_str().ok_or_else(|| LibraryError {
            message: format!("the name of {} is not valid Unicode", full.display()),
            hint: "rename it".to_owned(),
        })?;
        let contents = place.read(self.options.max_bytes)?;
        let found = Found { modified_ms: contents.modified_ms, ..Found::new(source, contents.bytes) };
        self.take(found, into, cancel)
    }
}

impl Into {
    /// The same with the name of the library filled in; an error says what is wrong.
    fn checked(&self) -> Result<Self, LibraryError> {
        checks::metadata(&self.metadata)?;
        Ok(Self { library: checks::library(&self.library)?, ..self.clone() })
    }
}
