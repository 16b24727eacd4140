//! Pages from servers inside the test, under names and addresses that look public.
//!
//! The check sees what the test's look-up answers; only the connection itself is led to a local server, after the check. A
//! test that nothing was asked also looks at the server: nobody may have come.

mod crawled;
mod fetched;
mod hostile;
mod rules;
#[path = "../../../tests/it/server.rs"]
#[allow(dead_code, reason = "shared with the tests of the crate")]
mod server;
mod tls;
mod transfer;

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ureq::config::{Config, ConfigBuilder};
use ureq::http::Uri;
use ureq::tls::{RootCerts, TlsConfig};
use ureq::typestate::AgentScope;
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

use super::client::PageClient;
use super::guard::Network;
use super::{FetchRules, FetchedPage, PageReply, PageValidators, fetch_with};
use crate::SourceError;
use crate::web::Patience;

/// Where connections go in a test.
#[derive(Debug, Clone, Default)]
pub(in crate::pages) struct Diversion {
    /// Instead of to an address of the real network. Without any, connections go where they say.
    to: HashMap<IpAddr, SocketAddr>,
    /// Addresses that passed the check.
    dialled: Arc<Mutex<Vec<SocketAddr>>>,
    roots: Option<RootCerts>,
}

impl Diversion {
    pub(in crate::pages) fn diverted(
        &self,
        resolver: &dyn Resolver,
        found: ResolvedSocketAddrs,
    ) -> ResolvedSocketAddrs {
        self.dialled.lock().unwrap().extend(found.iter());
        let mut diverted = resolver.empty();
        for address in found.iter() {
            diverted.push(self.to.get(&address.ip()).copied().unwrap_or(*address));
        }
        diverted
    }

    pub(in crate::pages) fn trusting(&self, config: ConfigBuilder<AgentScope>) -> ConfigBuilder<AgentScope> {
        match &self.roots {
            Some(roots) => config.tls_config(TlsConfig::builder().root_certs(roots.clone()).build()),
            None => config,
        }
    }
}

/// Answers of the look-up, one after the other; the last one stays. Addresses are found at themselves.
#[derive(Debug, Clone, Default)]
struct Names {
    answers: Arc<Mutex<HashMap<String, Vec<Vec<IpAddr>>>>>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Resolver for Names {
    fn resolve(&self, uri: &Uri, _: &Config, _: NextTimeout) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
        self.asked.lock().unwrap().push(host.to_owned());
        let port = uri.port_u16().unwrap_or(if uri.scheme_str() == Some("https") { 443 } else { 80 });
        let mut answers = self.answers.lock().unwrap();
        let found = match (host.parse(), answers.get_mut(host)) {
            (Ok(address), _) => vec![address],
            (_, Some(answers)) if answers.len() > 1 => answers.remove(0),
            (_, Some(answers)) => answers.first().cloned().unwrap_or_default(),
            _ => return Err(ureq::Error::HostNotFound),
        };
        let mut out = self.empty();
        found.into_iter().for_each(|address| out.push(SocketAddr::new(address, port)));
        Ok(out)
    }
}

/// A network in which names have the addresses that a test gives them.
#[derive(Debug, Clone)]
struct World {
    names: Names,
    diversion: Diversion,
    rules: FetchRules,
    patience: Patience,
}

impl World {
    /// Only public addresses may be asked.
    fn new() -> Self {
        let seconds = Duration::from_secs;
        Self {
            names: Names::default(),
            diversion: Diversion::default(),
            rules: FetchRules { allow_private_networks: false, max_bytes: 1 << 20 },
            patience: Patience { connect: seconds(5), read: seconds(5), whole: seconds(10) },
        }
    }

    /// Everything may be asked.
    fn open() -> Self {
        let mut world = Self::new();
        world.rules.allow_private_networks = true;
        world
    }

    /// A name with one address, or several answers of a look-up.
    fn name(self, name: &str, answers: &[&[&str]]) -> Self {
        let parsed = |answer: &&[&str]| answer.iter().map(|address| address.parse().unwrap()).collect();
        self.names.answers.lock().unwrap().insert(name.to_owned(), answers.iter().map(parsed).collect());
        self
    }

    /// Connections to this address go to a local server.
    fn at(mut self, address: &str, port: u16) -> Self {
        self.diversion.to.insert(address.parse().unwrap(), SocketAddr::from(([127, 0, 0, 1], port)));
        self
    }

    /// `public.test`, a public address that is the server's.
    fn public(server: &server::Server) -> Self {
        Self::new().name("public.test", &[&[PUBLIC]]).at(PUBLIC, port(server))
    }

    fn client(&self) -> PageClient {
        let network = Network::for_test(self.names.clone(), self.diversion.clone());
        PageClient { rules: self.rules.clone(), patience: self.patience, network }
    }

    fn ask(&self, url: &str, known: &PageValidators) -> Result<PageReply, SourceError> {
        fetch_with(&self.client(), url, known, &|| false)
    }

    fn page(&self, url: &str) -> FetchedPage {
        match self.ask(url, &PageValidators::default()) {
            Ok(PageReply::Page(page)) => *page,
            other => panic!("{url}: {other:?}"),
        }
    }

    fn refusal(&self, url: &str) -> SourceError {
        match self.ask(url, &PageValidators::default()) {
            Err(error) => error,
            Ok(reply) => panic!("{url}: {reply:?}"),
        }
    }

    /// Hosts that were looked up since the last call.
    fn lookups(&self) -> Vec<String> {
        std::mem::take(&mut self.names.asked.lock().unwrap())
    }

    /// Addresses that passed the check since the last call.
    fn dialled(&self) -> Vec<String> {
        let dialled = std::mem::take(&mut *self.diversion.dialled.lock().unwrap());
        dialled.iter().map(SocketAddr::to_string).collect()
    }
}

const PUBLIC: &str = "93.184.216.34";

fn port(server: &server::Server) -> u16 {
    server.url("").rsplit(':').next().unwrap().parse().unwrap()
}
