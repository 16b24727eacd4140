//! The seam to embedding models.
//!
//! An embedder turns text into vectors of unit length. It says which model it is; vectors of two models are never
//! compared, and the model's id is part of every key under which a vector is kept. "No embedding at all" is not an
//! embedder: callers hold an `Option<Arc<dyn Embedder>>`.

use std::fmt;

/// Which model makes the vectors. Two embedders with the same `id` must give interchangeable vectors.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Model {
    /// Stable key that changes whenever the vectors do, e.g. `minilm-l6-v2-int8-1` or `openai:nomic-embed-text:768`.
    pub id: String,
    /// The name people know, e.g. `all-MiniLM-L6-v2`.
    pub name: String,
    /// Who computes it: `local`, `hash` or `openai`.
    pub provider: String,
    /// Length of each vector.
    pub dimensions: usize,
}

/// Turns text into unit-length vectors.
pub trait Embedder: Send + Sync {
    /// The model behind this embedder.
    fn model(&self) -> &Model;

    /// Embeds passages, in order. All or nothing: a failed batch is tried again as a whole by the caller.
    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError>;

    /// Embeds a query. Some models want another prefix here than on documents.
    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError>;

    /// Embeds several queries, in order, each to the same vector as alone. All or nothing.
    fn embed_queries(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        texts.iter().map(|text| self.embed_query(text)).collect()
    }
}

/// Why no vector came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbedError {
    /// What happened, to what.
    pub message: String,
    /// What the user can do about it.
    pub hint: String,
    /// Whether the same call may succeed later without anyone changing anything.
    pub retryable: bool,
}

impl fmt::Display for EmbedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for EmbedError {}
