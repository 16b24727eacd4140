//! Turns documentation that is not Markdown into Markdown: pure functions over text.
//!
//! Each module reads one format with a small scanner of its own. They read what strangers wrote, so none of them panics,
//! recurses without a bound or takes more than linear time on any input; what is not understood is left out or kept as text.
#![forbid(unsafe_code)]

pub mod man;
mod markdown;
pub mod python_docs;
pub mod rst;
pub mod rust_docs;

/// A page of Markdown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Where it belongs, with `/` between folders: `api/serde/de.md`.
    pub path: String,
    /// Its text.
    pub text: String,
}
