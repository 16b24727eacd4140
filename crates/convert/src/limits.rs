//! How much a file may become, so that a small hostile file cannot fill memory.
//!
//! Sizes are those of what comes out of a container, never those that its directory claims.

/// Limits of one conversion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Bytes that all parts of a container may decode to together, and that a plain file may have.
    pub decoded_bytes: u64,
    /// Bytes that one part of a container may decode to.
    pub entry_bytes: u64,
    /// Parts in a container.
    pub entries: usize,
    /// How many times its packed size a part may decode to; small parts are exempt.
    pub ratio: u64,
    /// Elements inside of elements in XML, and nested blocks elsewhere.
    pub depth: usize,
    /// Rows that are shown of one sheet or table.
    pub rows: usize,
    /// Columns that are shown of one sheet or table.
    pub columns: usize,
    /// Bytes of Markdown; what comes after is cut with a note.
    pub markdown_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            decoded_bytes: 256 << 20,
            entry_bytes: 64 << 20,
            entries: 10_000,
            ratio: 200,
            depth: 256,
            rows: 2_000,
            columns: 64,
            markdown_bytes: 32 << 20,
        }
    }
}
