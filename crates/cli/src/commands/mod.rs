//! One file for each command. A command reads settings, calls the engine, and hands its view to the printer.

mod build;
mod check;
pub(crate) mod collections;
mod completions;
mod config;
mod eval;
pub(crate) mod fix;
mod get;
mod index;
mod install;
pub(crate) mod library;
mod list;
pub(crate) mod reports;
mod search;
mod serve;
mod status;
pub(crate) mod validate;
pub(crate) mod verify;
mod watch;

use crate::args::{Cli, Command, ServeArgs};
use crate::built;
use crate::database;
use crate::env_vars;
use crate::errors::{CliError, Exit, plain_io};
use crate::interrupt;
use crate::printer::Printer;
use crate::settings::Settings;

pub(crate) use self::build::{BuildArgs, EXAMPLES as BUILD_EXAMPLES};
pub(crate) use self::eval::{EVAL_EXAMPLES, EvalArgs};
pub(crate) use self::install::client_names;

/// Runs the command that was typed.
pub(crate) fn run(cli: &Cli, printer: &Printer) -> Result<Exit, CliError> {
    if let Command::Completions(args) = &cli.command {
        return completions::run(args, printer);
    }
    let argument = match &cli.command {
        Command::Index(args) => args.dir.as_deref(),
        _ => None,
    };
    let here = std::env::current_dir().map_err(|error| {
        CliError::failed(
            format!("cannot tell the current folder: {}", plain_io(&error)),
            "change to a folder that exists",
        )
    })?;
    let here = match &cli.command {
        Command::Serve(ServeArgs { repo: Some(repo), .. }) => crate::health::repository(&here.join(repo))?,
        _ => here,
    };
    // It has no use for the settings of a project except where it writes them down.
    if let Command::Install(args) = &cli.command {
        return install::run(args, &cli.global, &here, printer);
    }
    let settings = Settings::resolve(&cli.global, argument, &here, &env_vars::process)?;
    // Whoever only reads takes a built index for what it is; all others are refused by it.
    let settings = match &cli.command {
        Command::Search(_)
        | Command::Get(_)
        | Command::List(_)
        | Command::Status(_)
        | Command::Serve(_)
        | Command::Reports(_)
        | Command::Eval(_)
        | Command::Check(_) => built::adopt(settings)?,
        _ => settings,
    };
    let settings = match &cli.command {
        // These do not look at the index.
        Command::Config(_)
        | Command::Validate(_)
        | Command::Build(_)
        | Command::Convert(_)
        | Command::Fix(_) => settings,
        Command::Serve(_) => database::settle(settings, printer).map_err(database::at_startup)?,
        _ => database::settle(settings, printer)?,
    };
    let tells_of_server =
        matches!(cli.command, Command::Index(_) | Command::Status(_) | Command::Serve(_) | Command::Check(_));
    let is_discreet = matches!(&cli.command, Command::Serve(args) if args.http.is_some());
    let settings = Settings { tells_of_server, is_discreet, ..settings };
    let cancel = interrupt::listen(&cli.command);
    match &cli.command {
        Command::Index(args) => index::run(args, &settings, printer, &cancel),
        Command::Build(args) => build::run(args, &settings, printer, &cancel),
        Command::Search(args) => search::run(args, &settings, &here, printer, &cancel),
        Command::Get(args) => get::run(args, &settings, &here, printer, &cancel),
        Command::List(args) => list::run(args, &settings, &here, printer, &cancel),
        Command::Status(args) => status::run(args, &settings, printer, &cancel),
        Command::Watch(args) => watch::run(args, &settings, printer, &cancel),
        Command::Add(args) => collections::add::run(args, &settings, &here, printer, &cancel),
        Command::Sync(args) => collections::sync(args, &settings, printer, &cancel),
        Command::Collections(args) => collections::list(args, &settings, printer),
        Command::Rename(args) => collections::rename(args, &settings, printer, &cancel),
        Command::Remove(args) => collections::remove(args, &settings, printer, &cancel),
        Command::Pack(args) => collections::pack::run(args, &settings, &here, printer, &cancel),
        Command::Ingest(args) => library::ingest(args, &settings, &here, printer, &cancel),
        Command::Forget(args) => library::forget(args, &settings, &here, printer),
        Command::Convert(args) => library::convert(args, &settings, &here, printer, &cancel),
        Command::Serve(args) => serve::run(args, &settings, &here, printer, &cancel),
        Command::Eval(args) => eval::run(args, &settings, printer, &cancel),
        Command::Install(args) => install::run(args, &cli.global, &here, printer),
        Command::Reports(args) => reports::run(args, &settings, printer),
        Command::Check(args) => check::run(args, &settings, printer),
        Command::Fix(args) => fix::run(args, &settings, &here, printer),
        Command::Validate(args) => validate::run(args, &settings, &here, printer),
        Command::Verify(args) => verify::run(args, &settings, &here, printer, &cancel),
        Command::Config(args) => config::run(args, &settings, printer),
        Command::Completions(args) => completions::run(args, printer),
    }
}
