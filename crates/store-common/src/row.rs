//! A document as the catalogue holds it.

use std::sync::Arc;

use docent_index::DocumentRecord;

/// A document with what the trait's record does not show.
#[derive(Debug)]
pub struct DocumentRow {
    /// What callers see.
    pub record: Arc<DocumentRecord>,
    /// How many passages its searchable chunks have.
    pub passage_count: u32,
    /// Ordinals of the chunks that search does not return, in order.
    pub hidden: Vec<u32>,
}
