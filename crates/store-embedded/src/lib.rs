//! Store on SQLite (the record), tantivy (lexical) and a vector file.
//!
//! SQLite holds everything that cannot be computed again. The two tantivy indexes and the vector files are derived:
//! each says how far it reflects the record, catches up when it is behind and may be deleted at any time. Readers
//! work on a [`View`](view) that is published whole, so they never wait for a writer; writers of all processes take
//! turns through a lock file that ends with its process.
//!
//! An index can also be [exported](EmbeddedStore::export) into a form that depends on the content alone, and be read from
//! there by a [`BuiltStore`], which never writes.
#![forbid(unsafe_code)]

mod built;
mod cache;
mod canonical;
mod check;
mod collections;
mod damage;
mod directory;
mod embeddings;
mod export;
mod fault;
mod files;
mod filling;
mod guard;
mod health;
mod leftovers;
mod lexical;
mod lock;
mod marker;
mod merge;
mod places;
mod publish;
mod purge;
mod query;
mod reader;
mod record;
mod rows;
mod schema;
mod shared;
mod snapshot;
mod store;
mod table;
mod tokens;
mod vectors;
mod view;

pub use built::BuiltStore;
pub use cache::UserCache;
pub use export::{Export, Exported};
pub use health::EmbeddedHealth;
pub use marker::{MARKER, Marker, MarkerCounts, MarkerEmbedding, Times};
pub use publish::Draft;
pub use store::{EmbeddedStore, OpenOptions};
