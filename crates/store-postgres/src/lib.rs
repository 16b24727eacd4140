//! Store on PostgreSQL, for any number of processes.
//!
//! The database holds everything; a process keeps in memory which documents there are, and reads the rest when asked. A
//! [snapshot](snapshot) is one generation of that catalogue. Rows are numbered once and stay for a while after they are
//! replaced, so no transaction is held between two calls, and pools, poolers and replicas may stand between the process and
//! the server. Words are found through [segments](lexical) of postings, meaning through pgvector or, for few vectors, in
//! the process.
#![forbid(unsafe_code)]

mod address;
mod attend;
mod batch;
mod cache;
mod check;
mod collections;
mod copy;
mod discreet;
mod documents;
mod fault;
mod find;
mod follow;
mod health;
mod lease;
mod lexical;
mod link;
mod nearest;
mod options;
mod password;
mod pending;
mod presence;
mod replica;
mod rows;
mod schema;
mod segments;
mod shared;
mod snapshot;
mod standing;
mod store;
mod sweep;
mod table;
mod tls;
mod vectors;
mod view;
mod wait;

pub use address::{check, shown};
pub use cache::PostgresCache;
pub use health::PostgresHealth;
pub use options::PostgresOptions;
pub use standing::Standing;
pub use store::PostgresStore;
