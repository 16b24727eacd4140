//! `docent serve`: answer agents over MCP.
//!
//! On stdin and stdout the protocol owns stdout, so everything that is said goes to stderr. The index is brought up to
//! date in the background: the first call waits for it, not the handshake. A built index is served as it is.

mod http;
mod tokens;

use std::path::Path;
use std::sync::Arc;

use docent_engine::{Access, Cancel, CollectionPattern, Engine};
use docent_library::Library;
use docent_mcp::{Choice, DocsServer, ServerOptions, Template, serve_stdio};
use tokio_util::sync::CancellationToken;

use crate::args::ServeArgs;
use crate::errors::{CliError, Exit};
use crate::library::{self, Reach};
use crate::printer::Printer;
use crate::settings::Settings;
use crate::{database, health, wiring};

/// How often Ctrl-C is looked for.
const ASK_FOR_STOP: std::time::Duration = std::time::Duration::from_millis(50);

pub(super) fn run(
    args: &ServeArgs,
    settings: &Settings,
    here: &Path,
    printer: &Printer,
    cancel: &Cancel,
) -> Result<Exit, CliError> {
    // What is wrong with the arguments is told before anything is opened.
    let web = args.http.as_deref().map(|address| http::Plan::new(address, args, here)).transpose()?;
    let mut options = ServerOptions {
        choice: Choice {
            toolsets: args.toolsets.clone(),
            tools: args.tools.clone(),
            read_only: args.read_only,
        },
        collections: Vec::new(),
        only: None,
        prompts: prompts(settings)?,
        library: None,
        health: None,
    };
    options.choice.check().map_err(|message| {
        CliError::usage(message, "`docent serve --help` says how tools are chosen".to_owned())
    })?;
    let opened =
        wiring::open_to_serve(settings, &args.scope, printer).map_err(|error| match settings.postgres() {
            Some(_) => database::at_startup(error),
            None => error,
        })?;
    options.collections.clone_from(&opened.collections);
    if !args.scope.collection.is_empty() {
        let exactly = |name: &String| CollectionPattern::exactly(name);
        options.only = Some(Access::Only(opened.collections.iter().filter_map(exactly).collect()));
    }
    let engine = Arc::new(opened.engine);
    // A built index takes nothing in.
    if settings.built.is_none() {
        options.library = Some(Arc::new(library(args, settings, here, Arc::clone(&engine), printer)?));
    }
    let health = health::open_beside(settings, &opened.store.snapshot()?.collections())?;
    database::check_repository(settings, &health)?;
    printer.detail(format_args!("serving the documents of {}", health.identity()));
    let health = Arc::new(health);
    options.health = Some(Arc::clone(&health));
    // A built index has no files to watch, and nothing to do in the background.
    if settings.built.is_none()
        && let Err(error) = engine.start_background()
    {
        printer.note(format_args!("{} ({})", error.message, error.hint));
    }
    let verifier = match settings.built {
        Some(_) => None,
        None => health::verify_in_background(&health, &engine, opened.store, settings, printer)?,
    };
    if web.is_none() && std::io::IsTerminal::is_terminal(&std::io::stdin()) {
        printer.note(
            "this speaks MCP on stdin and stdout; agents start it by themselves after `docent install`",
        );
        printer.note("`docent serve --http` serves over HTTP instead; Ctrl-C stops");
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|error| {
        CliError::failed(
            format!("cannot start threads: {error}"),
            "the system is out of resources; try again",
        )
    })?;
    let outcome = runtime.block_on(serve(web, options, Arc::clone(&engine), printer, cancel));
    // Work in the background would keep the process alive, and the index is whole at any moment.
    runtime.shutdown_background();
    std::mem::forget(engine);
    std::mem::forget(verifier);
    outcome
}

/// What agents may take in: files of the project and below the roots that somebody named.
fn library(
    args: &ServeArgs,
    settings: &Settings,
    here: &Path,
    engine: Arc<Engine>,
    printer: &Printer,
) -> Result<Library, CliError> {
    let project = settings.project.clone().unwrap_or_else(|| settings.docs.value.clone());
    for root in settings.library.roots.value.iter().filter(|root| !root.starts_with(&project)) {
        let (root, file) = (root.display(), &settings.library.roots.origin);
        printer.always(format_args!(
            "warning: {file} lets agents take in files below {root}, outside of the project"
        ));
    }
    let named = args.root.iter().map(|root| here.join(root));
    let mut roots = vec![project.clone()];
    roots.extend(named.chain(settings.library.roots.value.iter().cloned()));
    for root in roots.iter().filter(|root| !root.exists()) {
        printer.note(format_args!("{} is missing; agents cannot take in files from there", root.display()));
    }
    let is_named =
        |names: &[String], wanted: &[&str]| names.iter().any(|name| wanted.contains(&name.as_str()));
    let fetches = is_named(&args.toolsets, &["library", "all"]) || is_named(&args.tools, &["ingest_url"]);
    let allows_private = args.allow_private_networks || settings.library.allow_private_networks.value;
    if allows_private && fetches && !args.read_only {
        printer.always(
            "warning: addresses inside private networks may be fetched; whoever can call the tools can read what this machine can reach",
        );
    }
    let reach = Reach { roots, base: project, allow_private_networks: args.allow_private_networks };
    library::open(engine, &settings.library, reach, |_| {})
}

async fn serve(
    web: Option<http::Plan>,
    options: ServerOptions,
    engine: Arc<Engine>,
    printer: &Printer,
    cancel: &Cancel,
) -> Result<Exit, CliError> {
    let server = DocsServer::new(Arc::clone(&engine), options)
        .map_err(|message| CliError::usage(message, "`docent serve --help` says how tools are chosen"))?;
    let stop = CancellationToken::new();
    let (asked, told) = (cancel.clone(), stop.clone());
    tokio::spawn(async move {
        while !asked.is_cancelled() {
            tokio::time::sleep(ASK_FOR_STOP).await;
        }
        told.cancel();
    });
    match web {
        Some(web) => web.serve(server, engine, printer, stop).await,
        None => tokio::select! {
            served = serve_stdio(server) => served.map(|()| Exit::Fine).map_err(|error| {
                CliError::failed(
                    format!("the connection to the client failed: {error}"),
                    "docent serve speaks MCP on stdin and stdout and is started by an agent; see `docent install --help`",
                )
            }),
            () = stop.cancelled() => Ok(Exit::Interrupted),
        },
    }
}

/// The project's prompts, checked.
fn prompts(settings: &Settings) -> Result<Vec<Template>, CliError> {
    let prompts = settings.prompts.value.iter();
    let template = |(name, prompt): (&String, &crate::config_file::PromptSection)| {
        Template::new(name, &prompt.description, &prompt.text).map_err(|error| {
            let place = format!("{}: [prompts.{name}]: {error}", settings.prompts.origin);
            CliError::usage(place, "write arguments as {{name}}, and {{name?}} when they may be left out")
        })
    };
    prompts.map(template).collect()
}
