//! Store on SQLite (the record), tantivy (lexical) and a vector file.
//!
//! SQLite holds everything that cannot be computed again. The two tantivy indexes and the vector files are derived:
//! each says how far it reflects the record, catches up when it is behind and may be deleted at any time. Readers
//! work on a [`View`](view) that is published whole, so they never wait for a writer; writers of all processes take
//! turns through a lock file that ends with its process.
#![forbid(unsafe_code)]

mod cache;
mod catalog;
mod check;
mod damage;
mod directory;
mod embeddings;
mod fault;
mod guard;
mod keys;
mod lexical;
mod lock;
mod merge;
mod places;
mod query;
mod reader;
mod record;
mod rows;
mod scan;
mod schema;
mod snapshot;
mod store;
mod table;
mod tokens;
mod vectors;
mod view;

pub use cache::UserCache;
pub use store::{EmbeddedStore, OpenOptions};
