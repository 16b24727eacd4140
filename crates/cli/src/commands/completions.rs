//! `docent completions`: a script that teaches a shell our command line.

use clap::CommandFactory;
use serde_json::json;

use crate::args::{Cli, CompletionsArgs};
use crate::errors::{CliError, Exit};
use crate::printer::Printer;

pub(super) fn run(args: &CompletionsArgs, printer: &Printer) -> Result<Exit, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "docent", &mut script);
    let script = String::from_utf8_lossy(&script);
    if args.json {
        printer.json(&json!({ "shell": args.shell.to_string(), "script": script }))?;
    } else {
        printer.raw(&script)?;
    }
    Ok(Exit::Fine)
}
