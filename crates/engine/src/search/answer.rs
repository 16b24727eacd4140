//! The answer to a search, in the field names that every surface uses.

use std::collections::BTreeMap;
use std::sync::Arc;

use docent_index::DocumentRecord;
use serde::Serialize;

use super::cursor::IndexState;

/// What a search gives back.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SearchAnswer {
    /// Best first.
    pub results: Vec<SearchHit>,
    /// Chunks that the filter lets through.
    pub total_chunks: usize,
    /// Time from the call to the answer.
    pub query_ms: f64,
    /// Hand this back to get the next page; absent when there is none.
    pub next_cursor: Option<String>,
    /// What to try when nothing was found.
    pub hint: Option<Hint>,
    /// What was searched, and what was not.
    pub searched: Searched,
    /// How much of the first hit's content an earlier answer had, in bytes.
    #[serde(skip)]
    pub inside: usize,
    /// What a cursor of this answer is bound to.
    #[serde(skip)]
    pub(crate) state: IndexState,
}

/// One chunk.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SearchHit {
    /// `path#section/subsection`.
    pub chunk_id: String,
    /// Raw Markdown of the chunk.
    pub content: String,
    /// Relevance from 0 to 1; in semantic mode the cosine.
    pub score: f32,
    /// Cosine of the best passage; absent while it has no vector.
    pub similarity: Option<f32>,
    /// Where it comes from.
    pub metadata: HitMetadata,
    /// The same passage in sibling pages, which was folded into this one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub variants: Vec<String>,
    /// How what it claims agrees with the code; put here by whoever knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verification: Option<serde_json::Value>,
    /// True when the file has changed since and could not be read again in time.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stale: bool,
    /// True when the content was cut to fit an answer.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// How the score came about, when asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Explanation>,
    /// Place among all hits of the search.
    #[serde(skip)]
    pub(crate) place: usize,
    /// Position of the chunk in its document, from 0.
    #[serde(skip)]
    pub ordinal: u32,
    /// The document that it is a chunk of.
    #[serde(skip)]
    pub document: Arc<DocumentRecord>,
}

/// Where a chunk or a section comes from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HitMetadata {
    /// Path inside the collection.
    pub file_path: String,
    /// `Guide > Retries`.
    pub heading_path: String,
    /// 0 to 6.
    pub heading_level: u8,
    /// Last change of the file, ISO 8601.
    pub last_modified: String,
    /// Unicode characters of the content.
    pub char_count: u64,
    /// First line, from 1.
    pub start_line: u32,
    /// Last line, inclusive.
    pub end_line: u32,
    /// Page of the source that it stands on, or begins on; 0 where there are no pages.
    #[serde(skip_serializing_if = "is_zero")]
    pub page: u32,
    /// Title of the document.
    pub title: String,
    /// Name of the collection.
    pub collection: String,
    /// BLAKE3 of the document as indexed.
    pub content_hash: String,
    /// Commit that the working tree is at; absent outside a repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Facets of the document.
    #[serde(flatten)]
    pub facets: BTreeMap<String, String>,
    /// Position of a hit among the document's chunks, from 1; 0 for what was read by name.
    #[serde(skip)]
    pub chunk_index: u32,
    /// Chunks of the document.
    #[serde(skip)]
    pub total_chunks: u32,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// How a score came about.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// BM25 of the chunk.
    pub chunk_bm25: f32,
    /// BM25 of its page.
    pub page_bm25: f32,
    /// What words gave to the score.
    pub lexical: f32,
    /// What meaning gave to the score.
    pub vector: f32,
}

/// What to try when nothing was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Hint {
    /// In words.
    pub message: String,
    /// Facet values under which there are hits.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub suggested_filters: Vec<FacetHint>,
}

/// A facet and the values under which there are hits.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FacetHint {
    /// Facet key.
    pub key: String,
    /// Its values.
    pub values: Vec<String>,
}

/// What was searched.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Searched {
    /// Which generation of the index.
    pub generation: u64,
    /// Collections with their sizes.
    pub collections: Vec<SearchedCollection>,
    /// Mode that was asked for.
    pub mode: super::Mode,
    /// Whether words were used.
    pub lexical: bool,
    /// The vector side.
    pub vector: VectorState,
    /// Everything that makes this answer less than it could be.
    pub degraded: Vec<String>,
}

/// A collection that was searched.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SearchedCollection {
    /// Its name.
    pub name: String,
    /// Documents that the filter lets through.
    pub documents: usize,
    /// Chunks that the filter lets through.
    pub chunks: usize,
}

/// How far the vector side is.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VectorState {
    /// Whether vectors were used.
    pub used: bool,
    /// Passages with a vector.
    pub embedded: usize,
    /// Passages in all.
    pub total: usize,
    /// Name of the model.
    pub model: Option<String>,
}
