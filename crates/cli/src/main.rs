//! The `docent` binary: arguments → settings → command → exit code.
//!
//! `args` is what was typed, `settings` what it means together with environment and `docent.toml`, `wiring` turns that
//! into an engine, `commands` has one file for each command, and `printer` is the only one that writes to the terminal.
#![forbid(unsafe_code)]

mod args;
mod built;
mod collections;
mod commands;
mod config_file;
mod database;
mod diff;
mod edited_file;
mod env_vars;
mod errors;
mod handed;
mod health;
mod interrupt;
mod library;
mod numbers;
mod origin;
mod panics;
mod printer;
mod progress;
mod project;
mod rebuild;
mod settings;
mod snippet;
mod survey;
mod sync;
mod usage;
mod vector_cache;
mod wiring;

use std::process::ExitCode;

use clap::Parser;

use crate::args::Cli;
use crate::errors::{CliError, Exit};
use crate::printer::Printer;

fn main() -> ExitCode {
    // A child that converts one file must not touch anything else, settings and terminal included.
    if std::env::args_os().nth(1).is_some_and(|first| first == docent_library::CONVERT_ARGUMENT) {
        return docent_library::serve_conversion();
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return ExitCode::from(usage::tell(&error).code()),
    };
    let outcome = panics::guard(Printer::new(&cli.global), |printer| match commands::run(&cli, printer) {
        Ok(exit) => exit,
        Err(CliError::OutputClosed) => Exit::Fine,
        Err(CliError::Told { exit, message, hint }) => {
            printer.error(&message, &hint);
            exit
        }
    });
    ExitCode::from(outcome.unwrap_or(Exit::Failed).code())
}
