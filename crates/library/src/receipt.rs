//! What comes of taking something in.

use docent_engine::EngineError;
use docent_sources::SourceError;

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// It is new.
    Indexed,
    /// It took the place of an older version.
    Replaced,
    /// It is here already, with the same content.
    Skipped,
}

impl Status {
    /// The word for JSON: `indexed`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Indexed => "indexed",
            Self::Replaced => "replaced",
            Self::Skipped => "skipped",
        }
    }
}

/// What was taken in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    /// What was done.
    pub status: Status,
    /// The document's uuid.
    pub doc_id: String,
    /// The absolute path, the address, or the given name.
    pub source: String,
    /// Name of the library.
    pub library: String,
    /// Number of chunks that it has now.
    pub chunk_count: usize,
    /// What a reader should know: what the conversion left out or cut.
    pub notes: Vec<String>,
}

/// Why something was not taken in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LibraryError {
    /// What happened, to what.
    pub message: String,
    /// What to do next.
    pub hint: String,
}

impl LibraryError {
    /// The same, saying of what.
    pub(crate) fn of(self, name: &str) -> Self {
        Self { message: format!("{name}: {}", self.message), ..self }
    }

    /// The work was stopped.
    pub(crate) fn cancelled() -> Self {
        Self { message: "it was stopped".to_owned(), hint: "start it again".to_owned() }
    }
}

impl std::fmt::Display for LibraryError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for LibraryError {}

impl From<EngineError> for LibraryError {
    fn from(error: EngineError) -> Self {
        Self { message: error.message, hint: error.hint }
    }
}

impl From<SourceError> for LibraryError {
    fn from(error: SourceError) -> Self {
        Self { message: error.message, hint: error.hint }
    }
}

/// What came of one file or page among many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileReport {
    /// The absolute path or address.
    pub source: String,
    /// What was done, or why not.
    pub outcome: Result<Receipt, LibraryError>,
}

/// What came of a folder or a site.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// Each file or page, by its name.
    pub files: Vec<FileReport>,
    /// What a reader should know: that a limit was reached, what was passed over.
    pub notes: Vec<String>,
    /// Whether it was stopped.
    pub cancelled: bool,
}
