//! The store on PostgreSQL against the rules that hold for every store, on each server that the environment names.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod claims;
mod conformance;
mod docalign;
mod docalign_rules;
mod faults;
mod follow;
mod health;
mod load;
mod named;
mod outage;
mod parity;
mod proxy;
mod replica;
mod scarce;
mod tls;
