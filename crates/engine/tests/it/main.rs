//! The engine on a real store and real folders.
#![allow(missing_docs, clippy::unwrap_used)]

mod authoring;
mod freshness;
mod ingest;
mod many;
mod read;
mod related;
mod search;
mod world;
