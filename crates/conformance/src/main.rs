//! Test only: docent's HTTP router with the fixture tools of the MCP conformance suite.
//!
//! The suite tests a server through tools, resources and prompts of fixed names, which a documentation server has no use
//! for. This binary adds them to docent's own handler and serves the whole through the very router of `docent serve`, so
//! that every scenario can run against the product's protocol stack.
//!
//! ```text
//! docent-conformance --port 0 DOCS    prints http://127.0.0.1:PORT/mcp and serves until it is told to stop
//! ```
#![forbid(unsafe_code)]

mod documents;
mod fixtures;

use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Parser;
use docent_mcp::{DocsServer, ServerOptions};
use docent_web::{Probes, WebConfig};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use fixtures::Fixtures;

/// Serves documents and the fixtures of the MCP conformance suite over HTTP.
#[derive(Parser)]
struct Args {
    /// Port on 127.0.0.1; 0 takes a free one
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Also serve the deprecated pair /sse and /messages
    #[arg(long)]
    sse: bool,
    /// Folder with documents
    docs: PathBuf,
}

#[tokio::main]
#[expect(clippy::print_stdout, reason = "the address is this program's output")]
async fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    let index = tempfile::tempdir()?;
    let engine = Arc::new(documents::engine(&args.docs, index.path())?);
    engine.start_background()?;
    let server = DocsServer::new(engine, ServerOptions::default()).map_err(anyhow::Error::msg)?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, args.port)).await?;
    println!("http://{}/mcp", listener.local_addr()?);
    let config = WebConfig { sse: args.sse, ..WebConfig::default() };
    docent_web::serve(listener, Fixtures::new(server), config, Probes::default(), stop_on_signal()?).await?;
    Ok(())
}

/// Fires when the process is asked to end.
fn stop_on_signal() -> anyhow::Result<CancellationToken> {
    let stop = CancellationToken::new();
    let told = stop.clone();
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    tokio::spawn(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        told.cancel();
    });
    Ok(stop)
}
