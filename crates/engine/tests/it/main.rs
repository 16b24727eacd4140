//! The engine on a real store and real folders.
#![allow(missing_docs, clippy::unwrap_used)]

mod authoring;
mod fetched;
mod freshness;
mod ingest;
mod killed;
mod library;
mod library_kept;
mod library_killed;
mod library_limits;
mod library_lost;
mod library_traces;
mod many;
mod read;
mod related;
mod search;
mod taken;
mod victims;
mod world;
