//! Libraries: collections of documents that somebody handed over, rather than files that are read where they are.
//!
//! The library crate reads, fetches and converts; what it hands over is kept here. A document is known by its library and
//! its source, keeps its uuid when it is replaced, and is replaced in one generation or not at all. Everything that was
//! handed over is kept in files of its own as well (`objects`), by the hash of its content, so that an index that was lost or
//! damaged is filled again without the sources.

use std::sync::Arc;

use docent_index::DocumentRecord;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Cancel, Engine, EngineError};

/// A document to be kept.
#[derive(Debug, Clone, Default)]
pub struct Handed {
    /// Name of the library.
    pub library: String,
    /// Where it comes from: an absolute path, an address, or a name that the caller gave. It is the document's path.
    pub source: String,
    /// Its title, if the file states one.
    pub title: Option<String>,
    /// Its text.
    pub markdown: String,
    /// From which line (1-based) of the text on which page (1-based) begins, in order; empty for formats without pages.
    pub pages: Vec<(u32, u32)>,
    /// What else is known of it.
    pub details: Details,
}

/// What is known of a document that was handed over, besides its text.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Details {
    /// What kind of file it was: `pdf`.
    pub file_type: String,
    /// SHA-256 of the bytes of the source, in hexadecimal.
    pub sha256: String,
    /// When the source last changed, in milliseconds since 1970.
    pub last_modified_ms: Option<i64>,
    /// When it was first handed over, in milliseconds since 1970. Filled in by the engine, and kept when it is replaced.
    pub created_ms: i64,
    /// What the caller says of it.
    pub metadata: Map<String, Value>,
    /// What a server gave along with it, to ask later whether it is still the same.
    pub etag: Option<String>,
    /// The same, as a date.
    pub http_last_modified: Option<String>,
    /// What a reader should know of the conversion.
    pub notes: Vec<String>,
}

/// A document of any collection, as the tools of a library show it.
#[derive(Debug, Clone)]
pub struct LibraryDocument {
    /// The row: uuid, collection (the library), path (the source), title, number of chunks.
    pub record: Arc<DocumentRecord>,
    /// What is known of it. For a document that was not handed over it is made from its file: type by extension, SHA-256 of
    /// its text, times of the file, no metadata.
    pub details: Details,
    /// Whether it was handed over, and can be deleted and replaced by being handed over again.
    pub is_handed: bool,
}

/// What came of handing a document over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakenIn {
    /// The document's uuid.
    pub uuid: String,
    /// Whether it took the place of an older version.
    pub replaced: bool,
    /// Number of its chunks.
    pub chunk_count: usize,
}

impl Engine {
    /// The document of a library that came from this source.
    pub fn handed(&self, library: &str, source: &str) -> Result<Option<LibraryDocument>, EngineError> {
        let _ = (library, source);
        todo!()
    }

    /// Keeps a document, in one generation; an older version of it stays until the new one is cut, its first vectors are made
    /// and it is kept. A collection of this name that is no library is an error.
    pub fn take_in(&self, handed: Handed, cancel: &Cancel) -> Result<TakenIn, EngineError> {
        let _ = (handed, cancel);
        todo!()
    }

    /// Deletes a document that was handed over, and every trace of it; says how many chunks it had, and `None` when there is no such
    /// document. A document that was not handed over is an error that says what to do instead.
    pub fn take_out(&self, uuid: &str) -> Result<Option<usize>, EngineError> {
        let _ = uuid;
        todo!()
    }

    /// Deletes a library with all of its documents and every trace of them; says how many there were.
    pub fn take_out_library(&self, library: &str) -> Result<Option<usize>, EngineError> {
        let _ = library;
        todo!()
    }

    /// Names of the collections that are libraries.
    pub fn libraries(&self) -> Result<Vec<String>, EngineError> {
        todo!()
    }

    /// Documents of these collections (none means all), newest first where they were handed over, `limit` from `offset` on, and how many there are.
    pub fn library_documents(
        &self,
        collections: &[String],
        limit: usize,
        offset: usize,
    ) -> Result<(Vec<LibraryDocument>, usize), EngineError> {
        let _ = (collections, limit, offset);
        todo!()
    }

    /// The document with this uuid, in any of these collections (none means all), and its whole text as indexed.
    pub fn library_document(
        &self,
        collections: &[String],
        uuid: &str,
    ) -> Result<Option<(LibraryDocument, String)>, EngineError> {
        let _ = (collections, uuid);
        todo!()
    }
}
