//! What every store shares: row numbers, the catalogue in memory, shapes and words of documents, the vector scan.
//!
//! Stores differ in where they keep rows. What a filter lets through, which words count for a chunk and for a page, when
//! a document is the same as before and how near two vectors are must not differ, so it is here, once. Nothing in this
//! crate reads or writes anything.
#![forbid(unsafe_code)]

mod by_chunk;
mod catalog;
pub mod keys;
mod nearest;
mod passing;
mod problems;
mod row;
mod scan;
mod shape;
mod table;
mod words;

pub use catalog::Catalog;
pub use nearest::{hit, together};
pub use passing::{Allowed, EmbeddedRows, Picked, Recent};
pub use problems::Problems;
pub use row::DocumentRow;
pub use scan::DEAD;
pub use shape::{PIECE, check_shape, fingerprint};
pub use table::{Owners, Rows};
pub use words::{ChunkTokens, DocumentTokens};
