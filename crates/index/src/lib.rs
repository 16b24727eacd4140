//! Rows, filters and generations, and the seams: [`Store`], [`Embedder`] and [`health::HealthStore`].
//!
//! This crate has almost no dependencies and no behaviour beyond checking values. Backends implement the traits, the
//! engine calls them, and neither knows the other.
#![forbid(unsafe_code)]

mod access;
mod embedder;
mod error;
mod filter;
pub mod health;
mod ids;
mod limited;
mod quantised;
mod replacement;
mod rows;
mod store;

pub use access::{Access, CollectionPattern};
pub use embedder::{EmbedError, Embedder, Model};
pub use error::StoreError;
pub use filter::{Chosen, ChunkFilter, FacetExpr, Filter, PathGlob};
pub use ids::{ChunkId, ContentHash, DocumentId, Generation, PassageHash, PassageId};
pub use limited::LimitedStore;
pub use quantised::QuantisedVector;
pub use replacement::{Abandoned, Entry, Replaced, Replacement};
pub use rows::{
    Change, ChunkRecord, DocumentRecord, Facets, Failure, FileStat, NewChunk, NewDocument, NewPassage,
    PendingPassage,
};
pub use store::{
    Built, CheckReport, ChunkHit, Collection, Counts, EmbeddingCache, Lease, LexicalHits, LexicalQuery,
    LexicalScores, NearestQuery, Pending, Purged, Role, Snapshot, Store, StoreStats,
};
