//! The built binary, as a user runs it: output, exit codes, bad input, crashes, several processes.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod access;
mod bad_input;
mod build;
mod build_serve;
mod collections;
mod commands;
mod convert;
mod crashes;
mod deploy;
mod docalign;
mod embedding_server;
mod errors;
mod eval;
mod fix;
mod health;
mod help;
mod http;
mod ingest;
mod install;
mod library_names;
mod library_use;
mod outage;
mod output;
mod postgres;
mod processes;
mod reference;
mod replica;
mod serve;
mod settings;
mod support;
mod team_cache;
mod team_secrets;
mod team_setup;
mod validate;
mod verify;
