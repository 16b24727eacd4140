//! `docent-index.json`, by which a built index is recognised, and `docent-times.json` beside it.
//!
//! These two files hold every time there is in a built index, so that all others are the same bytes whenever, wherever
//! and however often the same documents are built. Fields that a later docent adds are passed over when read.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use docent_index::{Built, StoreError};
use serde::{Deserialize, Serialize};

use crate::fault::{Fault, Outcome};
use crate::schema::{self, FORMAT};

/// Name of the file by which a built index is recognised.
pub const MARKER: &str = "docent-index.json";
const TIMES: &str = "docent-times.json";

/// Milliseconds since 1970 of each document's last change, by collection and path.
pub type Times = BTreeMap<String, BTreeMap<String, i64>>;

/// What a built index says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marker {
    /// Format of the index.
    pub format: u32,
    /// Version of docent that built it.
    pub docent: String,
    /// Made from the content: indexes with the same id hold the same.
    pub id: String,
    /// Name of the collection.
    pub collection: String,
    /// What the collection is about, for people.
    #[serde(default)]
    pub description: String,
    /// What made the vectors; `None` when there are none.
    pub embedding: Option<MarkerEmbedding>,
    /// How much there is.
    pub counts: MarkerCounts,
    /// Commit of the repository around the documents.
    pub source_commit: Option<String>,
    /// Whether the documents had changes that are not in that commit.
    pub dirty: Option<bool>,
    /// When it was built, ISO 8601.
    pub built_at: String,
}

/// What made the vectors of a built index; queries must be embedded in the same way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MarkerEmbedding {
    /// `minilm`, `hash` or `openai`.
    pub provider: String,
    /// Name of the model.
    pub model: String,
    /// Length of the vectors.
    pub dimensions: usize,
    /// The model's id, under which the vectors are kept.
    pub id: String,
    /// Whether the server was asked for vectors of that length.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub asks_for_dimensions: bool,
    /// Put before each query.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub query_prefix: String,
    /// Put before each document.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub document_prefix: String,
}

/// How much is in a built index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MarkerCounts {
    /// Documents.
    pub documents: usize,
    /// Chunks.
    pub chunks: usize,
    /// Passages.
    pub passages: usize,
}

impl Marker {
    /// Whether the folder holds a built index, or what is left of one: without its marker it is still not to be written to.
    pub fn is_in(dir: &Path) -> bool {
        let is_there = |name: &&str| fs::symlink_metadata(dir.join(name)).is_ok();
        [MARKER, TIMES].iter().any(is_there) || schema::is_sealed(dir)
    }

    /// What the built index in `dir` says of itself.
    pub fn read(dir: &Path) -> Result<Self, StoreError> {
        Self::load(dir).map_err(|fault| fault.at_built(dir))
    }

    pub(crate) fn load(dir: &Path) -> Outcome<Self> {
        #[derive(Deserialize)]
        struct Format {
            format: u32,
        }
        let text = fs::read(dir.join(MARKER)).map_err(|error| missing(MARKER, error))?;
        let unread = |error: serde_json::Error| Fault::Damaged(format!("{MARKER} does not parse: {error}"));
        // The number comes first: what else a later docent writes is its own affair.
        let Format { format } = serde_json::from_slice(&text).map_err(unread)?;
        if format > FORMAT {
            return Err(Fault::Newer(format));
        }
        serde_json::from_slice(&text).map_err(unread)
    }

    /// Milliseconds since 1970 as a marker writes them.
    pub fn time(ms: i64) -> String {
        jiff::Timestamp::from_millisecond(ms).map_or_else(|_| String::new(), |time| format!("{time:.3}"))
    }

    pub(crate) fn built(&self) -> Built {
        Built { at: self.built_at.clone(), commit: self.source_commit.clone(), dirty: self.dirty }
    }

    pub(crate) fn built_ms(&self) -> Option<i64> {
        self.built_at.parse::<jiff::Timestamp>().ok().map(|time| time.as_millisecond())
    }

    pub(crate) fn write(&self, dir: &Path, times: &Times) -> Outcome<()> {
        write(dir, TIMES, times)?;
        write(dir, MARKER, self)
    }
}

pub(crate) fn times(dir: &Path) -> Outcome<Times> {
    let text = fs::read(dir.join(TIMES)).map_err(|error| missing(TIMES, error))?;
    serde_json::from_slice(&text).map_err(|error| Fault::Damaged(format!("{TIMES} does not parse: {error}")))
}

/// The error for a file that is not there, with its name.
pub(crate) fn missing(name: &str, error: std::io::Error) -> Fault {
    match error.kind() {
        std::io::ErrorKind::NotFound => Fault::Damaged(format!("{name} is missing")),
        _ => Fault::Io(error),
    }
}

fn write(dir: &Path, name: &str, value: &impl Serialize) -> Outcome<()> {
    let mut text = serde_json::to_string_pretty(value)?;
    text.push('\n');
    Ok(fs::write(dir.join(name), text)?)
}
