//! The engine on a real store and real folders.
#![allow(missing_docs)]

mod freshness;
mod ingest;
mod read;
mod search;
mod world;
