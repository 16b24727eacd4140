//! Libraries: collections of documents that somebody handed over, rather than files that are read where they are.
//!
//! The library crate reads, fetches and converts; what it hands over is kept here. A document is known by its library and
//! its source, keeps its uuid when it is replaced, and is replaced in one generation or not at all. Everything that was
//! handed over is kept in files of its own as well (`objects`), by the hash of its content, so that an index that was lost or
//! damaged is filled again without the sources.

mod bounds;
mod conditions;
mod documents;
mod objects;
mod recovery;
mod rename;
mod restore;
mod take_in;
mod take_out;
mod turn;
mod used;
mod vectors;

use std::sync::Arc;

use docent_index::{Collection, DocumentRecord, Snapshot};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::engine::Inner;
use crate::{Engine, EngineError};

pub use bounds::{MAX_HANDED_BYTES, MAX_HANDED_PAGES};
pub use conditions::Condition;
pub(crate) use documents::Sha256s;
pub(crate) use objects::Objects;
pub(crate) use recovery::Recovery;
pub use recovery::Unrestored;

/// Longest name of a library, in characters.
const MAX_NAME_CHARS: usize = 64;

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
    /// Whether it is kept although it was made from the same bytes as what is kept already.
    pub force: bool,
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
    /// What became of it.
    pub became: Became,
    /// Number of its chunks.
    pub chunk_count: usize,
    /// What a reader should know of how it was cut, besides the notes that it came with.
    pub notes: Vec<String>,
}

/// What became of a document that was handed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Became {
    /// There was none from this source.
    New,
    /// It took the place of an older version.
    Replaced,
    /// Somebody else had handed over the same meanwhile, and nothing was written.
    Unchanged,
}

/// Refuses what cannot be the name of a library.
pub fn check_library_name(name: &str) -> Result<(), EngineError> {
    let is_known = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_sound = (1..=MAX_NAME_CHARS).contains(&name.chars().count())
        && name.chars().all(is_known)
        && !name.starts_with(['.', '-']);
    if is_sound {
        return Ok(());
    }
    let shown: String = name.chars().take(MAX_NAME_CHARS).collect();
    Err(EngineError::usage(
        format!("not a name for a library: `{}`", docent_text::visible_line(&shown, MAX_NAME_CHARS)),
        "use 1 to 64 letters, digits, `-`, `_` or `.`, not beginning with `-` or `.`",
    ))
}

impl Engine {
    /// Names of the collections that are libraries.
    pub fn libraries(&self) -> Result<Vec<String>, EngineError> {
        let mut known = self.inner.store.snapshot()?.collections();
        known.retain(|known| self.inner.is_library(known));
        Ok(known.into_iter().map(|known| known.name).collect())
    }
}

impl Inner {
    /// Whether the documents of a collection were handed over.
    pub(crate) fn is_library(&self, collection: &Collection) -> bool {
        collection.root.is_empty() && self.about_of(collection).library
    }

    /// The library of this name, if there is one. A collection of this name that is none is an error.
    fn library(&self, snapshot: &dyn Snapshot, name: &str) -> Result<Option<Collection>, EngineError> {
        let known = snapshot.collections().into_iter().find(|known| known.name == name);
        let taken = |what: &str, hint: &str| {
            Err(EngineError::usage(format!("`{name}` is not a library but {what}"), hint.to_owned()))
        };
        const OTHER: &str =
            "name another library; `list_libraries` and `docent collections` list the names that are taken";
        match known {
            Some(known) if self.is_library(&known) => Ok(Some(known)),
            Some(known) if known.root.is_empty() && self.source(name).is_none() => {
                taken("a collection that was fetched", OTHER)
            }
            Some(_) => taken("a folder of documents that is read where it is", OTHER),
            None if self.source(name).is_some() => {
                taken("a folder of documents that is read where it is", OTHER)
            }
            None if self.names.contains_key(name) => taken("another name of a collection", OTHER),
            None => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::check_library_name;

    fn check(name: &str, expected: bool) {
        assert_eq!(check_library_name(name).is_ok(), expected, "{name:?}");
    }

    #[test]
    fn names_of_libraries() {
        for name in ["default", "a", "Papers_2024", "x.y-z", "日本", &"a".repeat(64)] {
            check(name, true);
        }
        let bad = ["", ".", ".git", "-x", "a b", "a/b", "a\\b", "..", "a@1", "a\n", "a\u{200b}", "a:b"];
        for name in bad {
            check(name, false);
        }
        check(&"a".repeat(65), false);
    }
}
