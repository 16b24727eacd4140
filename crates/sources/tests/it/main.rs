//! What users of the crate see: sources as they are written, fetched into a folder.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod archive;
mod bundle;
mod git;
mod pages;
mod server;
mod spec;
mod support;
mod web;
