//! Dev only: fixtures, a fake embedding and the Store conformance suite.
//!
//! What every backend must do is written once, in [`suite`], over `dyn Store`. A backend's tests implement
//! [`StoreUnderTest`] and call [`store_suite!`], which makes one `#[test]` of each rule.
#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stderr, reason = "this crate is test code")]

mod documents;
mod embedding;
pub mod health;
mod over;
mod postgres;
pub mod suite;

pub use documents::{delete, document, put, query, touch};
pub use embedding::{embed_all, model, vector};
pub use over::Over;
pub use postgres::{Database, Postgres, SERVERS};
pub use suite::StoreUnderTest;
