//! The embedded store against the rules that hold for every store, and against its own promises.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod built;
mod compatibility;
mod conformance;
mod health;
mod limited;
mod purge;
mod recovery;
