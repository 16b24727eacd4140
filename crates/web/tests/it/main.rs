//! A real server on a free port, asked by a client that writes its HTTP by hand.

mod auth;
mod cancelling;
mod endpoint;
mod health;
mod hosts;
mod limits;
mod malformed;
mod sessions;
mod sse;
mod stopping;
mod support;
