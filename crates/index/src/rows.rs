//! What a store keeps, as plain values: documents, chunks, passages, and the batch that changes them.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::{ChunkId, ContentHash, DocumentId, PassageHash, PassageId};

/// Facet keys and values of a document, e.g. `language` → `rust`.
pub type Facets = BTreeMap<String, String>;

/// What the file system said about a file when it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FileStat {
    /// Length in bytes.
    pub size: u64,
    /// Last change of the content, in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// Last change of content or attributes, in nanoseconds since 1970; 0 where the system has none.
    pub ctime_ns: i64,
    /// Inode number; 0 where the system has none.
    pub inode: u64,
    /// False when the file was read so soon after its last change that another change could carry the same times.
    pub settled: bool,
}

impl FileStat {
    /// Whether a file that looks like `now` certainly has the content it had when `self` was taken.
    pub fn proves_unchanged(&self, now: &FileStat) -> bool {
        self.settled
            && self.size == now.size
            && self.mtime_ns == now.mtime_ns
            && self.ctime_ns == now.ctime_ns
            && self.inode == now.inode
    }
}

/// A document as it stands in the index, without its text.
#[derive(Debug, Clone, PartialEq)]
pub struct DocumentRecord {
    /// Row of this version.
    pub id: DocumentId,
    /// Stays the same when the document is replaced.
    pub uuid: String,
    /// Name of the collection it belongs to.
    pub collection: String,
    /// Path inside the collection, with forward slashes.
    pub path: String,
    /// First h1, else the front matter's title, else the file name.
    pub title: String,
    /// Hash of the bytes that were indexed.
    pub content_hash: ContentHash,
    /// The file's state at that time.
    pub stat: FileStat,
    /// Headings of level 1 and 2, in order.
    pub headings: Vec<String>,
    /// Facets of the whole document.
    pub facets: Facets,
    /// Number of chunks.
    pub chunk_count: u32,
    /// Unicode characters over all chunks.
    pub char_count: u64,
    /// What else is known of it, as JSON; kept and not looked into. Empty for nothing.
    pub details: String,
    /// The page that each chunk stands on, by ordinal, from 1; empty for a document without pages.
    pub pages: Vec<u32>,
}

impl DocumentRecord {
    /// The page that a chunk stands on; 0 when the document has none.
    pub fn page(&self, ordinal: u32) -> u32 {
        self.pages.get(ordinal as usize).copied().unwrap_or(0)
    }
}

/// A chunk with its text.
#[derive(Debug, Clone, PartialEq)]
pub struct ChunkRecord {
    /// Row of the chunk.
    pub id: ChunkId,
    /// The document version it belongs to.
    pub document: DocumentId,
    /// Position in the document, from 0.
    pub ordinal: u32,
    /// `path#section/subsection`.
    pub chunk_id: String,
    /// `Guide > Retries [part 1/2]`.
    pub heading_path: String,
    /// 1 to 6; 0 for text before the first heading.
    pub heading_level: u8,
    /// First line, from 1.
    pub start_line: u32,
    /// Last line, inclusive.
    pub end_line: u32,
    /// Unicode characters in `content`.
    pub char_count: u32,
    /// Raw Markdown.
    pub content: String,
}

/// A document to be written.
#[derive(Debug, Clone)]
pub struct NewDocument {
    /// Name of the collection.
    pub collection: String,
    /// Path inside the collection.
    pub path: String,
    /// Title.
    pub title: String,
    /// The whole text.
    pub text: String,
    /// Hash of the bytes behind `text`.
    pub content_hash: ContentHash,
    /// The file's state when it was read.
    pub stat: FileStat,
    /// Headings of level 1 and 2.
    pub headings: Vec<String>,
    /// Facets of the document.
    pub facets: Facets,
    /// Chunks in document order.
    pub chunks: Vec<NewChunk>,
    /// The uuid that it gets when there is no document at its place yet; `None` for a random one.
    pub uuid: Option<String>,
    /// What else is known of it, as JSON; kept and not looked into. Empty for nothing.
    pub details: String,
    /// The page that each chunk stands on, by ordinal, from 1; empty for a document without pages.
    pub pages: Vec<u32>,
}

/// A chunk to be written; its text is a range of the document's.
#[derive(Debug, Clone)]
pub struct NewChunk {
    /// `path#section/subsection`.
    pub chunk_id: String,
    /// Breadcrumb with the part, if any.
    pub heading_path: String,
    /// 0 to 6.
    pub heading_level: u8,
    /// First line, from 1.
    pub start_line: u32,
    /// Last line, inclusive.
    pub end_line: u32,
    /// Unicode characters.
    pub char_count: u32,
    /// Bytes of the document's text.
    pub bytes: Range<usize>,
    /// Whether search may return it.
    pub searchable: bool,
    /// Lexical tokens of the body, joined by spaces, as `docent_text` makes them.
    pub body_tokens: String,
    /// Lexical tokens of the breadcrumb, joined by spaces.
    pub heading_tokens: String,
    /// What is embedded for this chunk.
    pub passages: Vec<NewPassage>,
}

/// A passage to be written.
#[derive(Debug, Clone)]
pub struct NewPassage {
    /// Hash of the text that is embedded.
    pub hash: PassageHash,
    /// That text: context line and plain body.
    pub text: String,
}

/// A passage that has no vector yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingPassage {
    /// Row of the passage.
    pub id: PassageId,
    /// Hash of `text`.
    pub hash: PassageHash,
    /// What to embed.
    pub text: String,
}

/// A file that could not be indexed, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Name of the collection.
    pub collection: String,
    /// Path inside the collection.
    pub path: String,
    /// What went wrong, for a person.
    pub reason: String,
    /// The file's state at that time, so that it is tried again only when it changes.
    pub stat: FileStat,
}

/// One step of a batch.
#[derive(Debug, Clone)]
pub enum Change {
    /// Add the document, or replace the one at the same path.
    Put(Box<NewDocument>),
    /// The content is the same, only the file's state differs.
    Touch {
        /// Name of the collection.
        collection: String,
        /// Path inside the collection.
        path: String,
        /// The new state.
        stat: FileStat,
    },
    /// The document is gone.
    Delete {
        /// Name of the collection.
        collection: String,
        /// Path inside the collection.
        path: String,
    },
    /// The file is there and cannot be indexed; what was indexed of it before is no longer current and goes.
    Fail(Failure),
}

impl Change {
    /// Name of the collection that it changes.
    pub fn collection(&self) -> &str {
        match self {
            Self::Put(document) => &document.collection,
            Self::Touch { collection, .. } | Self::Delete { collection, .. } => collection,
            Self::Fail(failure) => &failure.collection,
        }
    }
}
