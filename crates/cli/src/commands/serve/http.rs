//! The HTTP side of `docent serve`: address, who is let in, and the line that says where it listens.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use docent_engine::{Engine, ErrorKind};
use docent_mcp::DocsServer;
use docent_web::{Auth, OAuthConfig, Probes, WebConfig, WebError};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::tokens::tokens;
use crate::args::ServeArgs;
use crate::env_vars;
use crate::errors::{CliError, Exit, plain_io};
use crate::printer::Printer;

/// Where to listen and whom to answer.
pub(super) struct Plan {
    address: SocketAddr,
    config: WebConfig,
}

impl Plan {
    /// Checks everything that can be checked before the index is opened.
    pub(super) fn new(address: &str, args: &ServeArgs, here: &Path) -> Result<Self, CliError> {
        let address = parse(address)?;
        let auth = auth(args, here)?;
        if matches!(auth, Auth::Open) && !address.ip().to_canonical().is_loopback() {
            return Err(told(&WebError::OpenToAll(address)));
        }
        let config = WebConfig {
            allowed_hosts: args.allow_host.clone(),
            allowed_origins: args.allow_origin.clone(),
            sse: args.sse,
            auth,
            ..WebConfig::default()
        };
        Ok(Self { address, config })
    }

    /// Serves until `stop`.
    pub(super) async fn serve(
        self,
        server: DocsServer,
        engine: Arc<Engine>,
        printer: &Printer,
        stop: CancellationToken,
    ) -> Result<Exit, CliError> {
        let listener = TcpListener::bind(self.address).await.map_err(|error| {
            CliError::failed(
                format!("cannot listen on {}: {}", self.address, plain_io(&error)),
                "another process may use the port; choose another with --http 127.0.0.1:PORT",
            )
        })?;
        let bound = listener.local_addr().unwrap_or(self.address);
        let mut probes = Probes { ready: Arc::new(move || ready(&engine)), ..Probes::default() };
        server.metrics().register(&mut probes.metrics);
        // The one line that scripts wait for: it is there even with --quiet.
        printer.always(format_args!("listening on http://{bound}/mcp"));
        if self.config.sse {
            printer.always(format_args!("listening on http://{bound}/sse"));
        }
        docent_web::serve(listener, server, self.config, probes, stop).await.map_err(|error| told(&error))?;
        Ok(Exit::Fine)
    }
}

/// Ready means that the first look at all files is over and the index can be read.
fn ready(engine: &Engine) -> Result<(), String> {
    if let Some(pass) = engine.first_pass() {
        return Err(format!("indexing: {} of {} files", pass.files, pass.total));
    }
    // Anybody may ask this: other messages of the database do not name it here.
    engine.content_generation().map(|_| ()).map_err(|error| match error.kind {
        ErrorKind::Unreachable => "the database does not answer".to_owned(),
        _ => error.message,
    })
}

/// `127.0.0.1:7331`, `localhost:7331`, `[::1]:7331`, `:7331` and `7331`; the last two mean this machine only.
fn parse(address: &str) -> Result<SocketAddr, CliError> {
    let local = |port: u16| SocketAddr::from(([127, 0, 0, 1], port));
    if let Ok(port) = address.strip_prefix(':').unwrap_or(address).parse() {
        return Ok(local(port));
    }
    if let Some(port) = address.strip_prefix("localhost:").and_then(|port| port.parse().ok()) {
        return Ok(local(port));
    }
    address.parse().map_err(|_| {
        CliError::usage(
            format!("`{address}` is no address to listen on"),
            "write an IP address and a port: --http 127.0.0.1:7331",
        )
    })
}

fn auth(args: &ServeArgs, here: &Path) -> Result<Auth, CliError> {
    let tokens = tokens(args, here)?;
    let oauth = args.oauth_issuer.clone().zip(args.oauth_resource.clone());
    let oauth = oauth.map(|(issuer, resource)| OAuthConfig { issuer, resource, jwks_url: None });
    Ok(match (tokens.is_empty(), &oauth) {
        (true, None) => Auth::Open,
        _ => Auth::Required { tokens, oauth },
    })
}

fn told(error: &WebError) -> CliError {
    match error {
        WebError::OpenToAll(address) => CliError::usage(
            format!("{address} can be reached from other machines, and nobody is asked for a token"),
            format!("set {}, or listen on 127.0.0.1", env_vars::TOKEN),
        ),
        error => CliError::usage(error.to_string(), error.hint()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_may_be_short() {
        for address in ["7331", ":7331", "localhost:7331", "127.0.0.1:7331"] {
            assert_eq!(parse(address).unwrap().to_string(), "127.0.0.1:7331");
        }
        assert_eq!(parse("[::1]:80").unwrap().to_string(), "[::1]:80");
        for address in ["", "host", "host:80", "127.0.0.1", "99999", "1.2.3.4:x"] {
            assert!(parse(address).is_err(), "{address}");
        }
    }
}
