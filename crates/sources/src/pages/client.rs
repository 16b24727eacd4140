//! One request, on a connection of its own, within limits of time and bytes; whoever asked can change their mind at any time.
//!
//! The request runs in a thread of its own, because a look-up or a read cannot be interrupted. When nobody waits any more its
//! connection is closed under it, and the thread ends.

use std::io::Read;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use ureq::Agent;
use ureq::http::HeaderMap;
use ureq::unversioned::transport::{Connector, DefaultConnector};

use super::FetchRules;
use super::address::{PageAddress, not_public};
use super::guard::{Network, NotPublic, PageGuard};
use super::surplus::Surplus;
use crate::SourceError;
use crate::web::{Patience, Trouble, stated_length, unpacked};

const POLL: Duration = Duration::from_millis(20);

/// Asks servers under rules.
#[derive(Debug, Clone)]
pub(super) struct PageClient {
    pub(super) rules: FetchRules,
    pub(super) patience: Patience,
    pub(super) network: Network,
}

/// A request for one address; redirects are not followed.
#[derive(Debug)]
pub(super) struct Request<'a> {
    pub(super) address: &'a PageAddress,
    pub(super) headers: Vec<(&'static str, String)>,
    /// Most bytes, after unpacking.
    pub(super) most: u64,
    /// Whether of a larger file the beginning is enough.
    pub(super) may_cut: bool,
    pub(super) deadline: Instant,
}

/// What a server answered.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    /// The body, unpacked, where the status says that it is what was asked for.
    pub(super) bytes: Vec<u8>,
}

impl PageClient {
    /// A client for the real network.
    pub(super) fn new(rules: &FetchRules) -> Self {
        let seconds = Duration::from_secs;
        let patience = Patience { connect: seconds(20), read: seconds(30), whole: seconds(60) };
        Self { rules: rules.clone(), patience, network: Network::default() }
    }

    /// Asks, if the rules allow it.
    pub(super) fn ask(
        &self,
        request: &Request<'_>,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<Answer, Trouble> {
        let lasting = |error| Trouble { error, may_pass: false };
        let address = request.address;
        address.check(&self.rules).map_err(lasting)?;
        if is_cancelled() {
            return Err(lasting(SourceError::cancelled()));
        }
        let remaining = request.deadline.saturating_duration_since(Instant::now());
        let surplus = Surplus::default();
        let agent = self.agent(remaining, &surplus);
        let asking = agent.get(address.uri().map_err(lasting)?);
        let mut asking = asking.header("Accept-Encoding", "gzip").header("Connection", "close");
        for (name, value) in &request.headers {
            asking = asking.header(*name, value);
        }
        let (done, result) = mpsc::sync_channel(1);
        let reading = Reading {
            address: address.clone(),
            most: request.most,
            may_cut: request.may_cut,
            patience: self.patience,
            surplus,
        };
        let spawned = thread::Builder::new().name("page".to_owned()).spawn(move || {
            // Nobody may be waiting any more.
            let _ = done.send(reading.run(asking));
        });
        if let Err(error) = spawned {
            let message =
                format!("{address} cannot be asked for, because there is no thread for it: {error}");
            return Err(Trouble::passing(message, "try again when the machine has less to do"));
        }
        loop {
            match result.recv_timeout(POLL) {
                Ok(answer) => return answer,
                Err(RecvTimeoutError::Timeout) if is_cancelled() => {
                    agent.shutdown();
                    return Err(lasting(SourceError::cancelled()));
                }
                Err(RecvTimeoutError::Timeout) if Instant::now() < request.deadline => {}
                Err(RecvTimeoutError::Timeout) => {
                    agent.shutdown();
                    return Err(self.too_slow(address));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let message = format!("{address} could not be read");
                    return Err(Trouble::passing(message, "try again"));
                }
            }
        }
    }

    /// A page that takes too long, however busy its server keeps us.
    pub(super) fn too_slow(&self, address: &PageAddress) -> Trouble {
        let message = format!("{address} did not come within {} seconds", self.patience.whole.as_secs());
        Trouble::passing(message, "try again later, or download it yourself and ingest the file")
    }

    /// A fresh one for every request: no connection, cookie or look-up of an earlier one is used again.
    fn agent(&self, remaining: Duration, surplus: &Surplus) -> Agent {
        let config = Patience { whole: remaining, ..self.patience }
            .config()
            // A proxy would look names up by itself, where nobody checks the answer.
            .proxy(None)
            .max_idle_connections(0);
        #[cfg(test)]
        let config = self.network.test.trusting(config);
        let allow_private_networks = self.rules.allow_private_networks;
        let guard = PageGuard { network: self.network.clone(), allow_private_networks };
        Agent::with_parts(config.build(), DefaultConnector::default().chain(surplus.clone()), guard)
    }
}

/// The part that waits for the server.
struct Reading {
    address: PageAddress,
    most: u64,
    may_cut: bool,
    patience: Patience,
    surplus: Surplus,
}

impl Reading {
    fn run(&self, request: ureq::RequestBuilder<ureq::typestate::WithoutBody>) -> Result<Answer, Trouble> {
        let response = request.call().map_err(|error| match &error {
            ureq::Error::Other(inner) if inner.is::<NotPublic>() => {
                Trouble { error: not_public(&self.address), may_pass: false }
            }
            other => Trouble::transport(&self.address, &self.patience, other),
        })?;
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let mut bytes = Vec::new();
        if matches!(status, 200 | 203) {
            if !self.may_cut && stated_length(&headers).is_some_and(|length| length > self.most) {
                return Err(Trouble::too_large(&self.address, self.most));
            }
            let body = unpacked(response, &self.address, false)?;
            let read = body.take(self.most.saturating_add(1)).read_to_end(&mut bytes);
            read.map_err(|error| Trouble::broken_off(&self.address, bytes.len() as u64, &error))?;
            let is_announced =
                headers.contains_key("content-length") && !headers.contains_key("transfer-encoding");
            if bytes.len() as u64 > self.most {
                if !self.may_cut {
                    return Err(Trouble::too_large(&self.address, self.most));
                }
                bytes.truncate(usize::try_from(self.most).unwrap_or(usize::MAX));
            } else if is_announced && self.surplus.has_come() {
                let message = format!("{} sends more than it announces, so it is not a page", self.address);
                return Err(Trouble::lasting(message, "tell whoever runs the server"));
            }
        }
        Ok(Answer { status, headers, bytes })
    }
}
