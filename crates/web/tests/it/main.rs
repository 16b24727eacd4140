//! A real server on a free port, asked by a client that writes its HTTP by hand.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod auth;
mod cancelling;
mod endpoint;
mod health;
mod hosts;
mod limits;
mod malformed;
mod oauth;
mod sessions;
mod sse;
mod stopping;
mod support;
