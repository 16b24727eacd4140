//! Asks servers: https, redirects followed by hand, and a limit on time and bytes for everything.
//!
//! Credentials are never sent, cookies never kept. Certificates are those of public authorities. A proxy of the environment
//! is used, except for this machine.

use std::io::Read;
use std::time::Duration;

use ureq::config::ConfigBuilder;
use ureq::http::{HeaderMap, Response};
use ureq::typestate::AgentScope;
use ureq::unversioned::transport::DefaultConnector;
use ureq::{Agent, Body};

use super::address::Address;
use super::body::{header, stated_length, unpacked};
use super::reach::{Guard, OutOfReach, Reach, is_public};
use super::trouble::Trouble;

/// Most redirects.
pub(crate) const MOST_HOPS: usize = 5;

/// How long a server may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patience {
    pub(crate) connect: Duration,
    /// Until the next byte.
    pub(crate) read: Duration,
    /// For one file.
    pub(crate) whole: Duration,
}

impl Patience {
    /// Settings for a client that has this patience, tells what it is, limits what it reads, and follows nothing by itself.
    pub(crate) fn config(&self) -> ConfigBuilder<AgentScope> {
        Agent::config_builder()
            .timeout_resolve(Some(self.connect))
            .timeout_connect(Some(self.connect))
            .timeout_per_read(Some(self.read))
            .timeout_per_write(Some(self.read))
            .timeout_recv_response(Some(self.read.saturating_mul(2)))
            .timeout_global(Some(self.whole))
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .max_response_header_size(64 << 10)
            .user_agent(concat!("docent/", env!("CARGO_PKG_VERSION")))
    }
}

impl Default for Patience {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self { connect: seconds(20), read: seconds(30), whole: seconds(15 * 60) }
    }
}

/// What a server gave along with a file, to ask later whether it is still the same.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Validators {
    pub(super) etag: Option<String>,
    pub(super) last_modified: Option<String>,
}

/// An answer.
pub(super) enum Reply {
    /// The file is as it was.
    NotModified { answered: Address },
    /// The file, to be read, and the address at the end of all redirects.
    Content { body: Box<dyn Read + Send>, validators: Validators, answered: Address },
}

/// Asks one server, and those that it redirects to.
#[derive(Debug)]
pub(super) struct Client {
    first_host: String,
    own: Agent,
    others: Agent,
    patience: Patience,
}

impl Client {
    /// A client for the server of an address that a user wrote.
    pub(super) fn new(first: &Address, patience: Patience) -> Self {
        let agent = |reach| {
            let mut config = patience.config();
            if first.is_loopback() {
                config = config.proxy(None);
            }
            Agent::with_parts(config.build(), DefaultConnector::default(), Guard::new(reach))
        };
        Self { first_host: first.host(), own: agent(Reach::Any), others: agent(Reach::Public), patience }
    }

    /// Asks for a file of at most `most` bytes after unpacking. `is_packed` says that it is an archive, which is taken as it
    /// is; text may come compressed on the way.
    pub(super) fn get(
        &self,
        address: &Address,
        known: &Validators,
        most: u64,
        is_packed: bool,
    ) -> Result<Reply, Trouble> {
        let mut current = address.clone();
        for _ in 0..=MOST_HOPS {
            let response = self.ask(&current, known, is_packed)?;
            let status = response.status().as_u16();
            match status {
                200 if is_page_instead(address, response.headers()) => {
                    let message = format!("{address} answered with a web page instead of the document");
                    return Err(Trouble::lasting(message, PAGE_HINT));
                }
                200 => return content(response, current, most, is_packed),
                304 if *known != Validators::default() => {
                    return Ok(Reply::NotModified { answered: current });
                }
                301 | 302 | 303 | 307 | 308 => current = self.follow(&current, response.headers())?,
                _ => return Err(Trouble::refused(&current, status)),
            }
        }
        let message = format!("{address} redirects more than {MOST_HOPS} times");
        Err(Trouble::lasting(message, "check the address in a browser, and use the one where it ends"))
    }

    fn ask(&self, address: &Address, known: &Validators, is_packed: bool) -> Result<Response<Body>, Trouble> {
        let is_own = address.host() == self.first_host;
        if !is_own && is_literal_inside(&address.host()) {
            let message = format!("the server redirects to {}, which is not public", address.host());
            return Err(Trouble::lasting(message, REDIRECT_HINT));
        }
        let agent = if is_own { &self.own } else { &self.others };
        let mut request = agent.get(address.to_string());
        request = request.header("Accept-Encoding", if is_packed { "identity" } else { "gzip" });
        // What one host gave says nothing to another.
        if is_own {
            if let Some(etag) = &known.etag {
                request = request.header("If-None-Match", etag);
            }
            if let Some(date) = &known.last_modified {
                request = request.header("If-Modified-Since", date);
            }
        }
        request.call().map_err(|error| self.transport(address, &error))
    }

    fn follow(&self, from: &Address, headers: &HeaderMap) -> Result<Address, Trouble> {
        let location = headers.get("location").and_then(|value| value.to_str().ok());
        let Some(location) = location else {
            return Err(Trouble::lasting(format!("{from} redirects to nowhere"), "try again later"));
        };
        let to = from.join(location).map_err(|error| {
            let message = format!("{from} redirects to an address that is not used: {}", error.message);
            Trouble::lasting(message, REDIRECT_HINT)
        })?;
        if from.is_https() && !to.is_https() {
            let message = format!("{from} redirects from https to http");
            return Err(Trouble::lasting(message, REDIRECT_HINT));
        }
        Ok(to)
    }

    fn transport(&self, address: &Address, error: &ureq::Error) -> Trouble {
        match error {
            ureq::Error::Other(inner) if inner.is::<OutOfReach>() => {
                Trouble::lasting(inner.to_string(), REDIRECT_HINT)
            }
            other => Trouble::transport(address, &self.patience, other),
        }
    }
}

/// Files that are never HTML.
const TEXT_ENDINGS: &[&str] =
    &["md", "markdown", "mdx", "mdown", "mkd", "txt", "text", "rst", "adoc", "asciidoc", "org"];
const PAGE_HINT: &str = "look at it in a browser: the server may want a login; then download the files yourself and add the folder";
const REDIRECT_HINT: &str = "use the address where the file really is, if you trust it";

fn content(response: Response<Body>, address: Address, most: u64, is_packed: bool) -> Result<Reply, Trouble> {
    let headers = response.headers();
    let validators =
        Validators { etag: header(headers, "etag"), last_modified: header(headers, "last-modified") };
    if stated_length(headers).is_some_and(|length| length > most) {
        return Err(Trouble::too_large(&address, most));
    }
    let body = unpacked(response, &address, is_packed)?;
    Ok(Reply::Content { body, validators, answered: address })
}

/// Whether HTML came where text was asked for: the page of a login, or one that says in words that there is no such file.
fn is_page_instead(asked: &Address, headers: &HeaderMap) -> bool {
    let kind = headers.get("content-type").and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let path = asked.path().to_ascii_lowercase();
    let ending = path.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map_or("", |(_, end)| end);
    matches!(kind.as_str(), "text/html" | "application/xhtml+xml") && TEXT_ENDINGS.contains(&ending)
}

/// Whether a host is written as an address that is not public; names are looked up later.
fn is_literal_inside(host: &str) -> bool {
    let plain = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    let is_local_name = host == "localhost" || host.ends_with(".localhost");
    is_local_name || plain.parse().is_ok_and(|address| !is_public(address))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn follow(from: &str, location: &str, expected: Result<&str, &str>) {
        let from = Address::parse(from).unwrap();
        let mut headers = HeaderMap::new();
        headers.insert("location", location.parse().unwrap());
        let followed = Client::new(&from, Patience::default()).follow(&from, &headers);
        match (followed, expected) {
            (Ok(to), Ok(expected)) => assert_eq!(to.to_string(), expected),
            (Err(trouble), Err(part)) => assert!(trouble.error.message.contains(part), "{}", trouble.error),
            (followed, _) => panic!("{location}: {followed:?}"),
        }
    }

    #[test]
    fn redirects_stay_encrypted() {
        follow("https://a.org/x", "https://b.org/y", Ok("https://b.org/y"));
        follow("https://a.org/x", "y", Ok("https://a.org/y"));
        follow("https://a.org/x", "http://localhost/y", Err("from https to http"));
        follow("https://a.org/x", "http://a.org/y", Err("not used"));
        follow("https://a.org/x", "file:///etc/passwd", Err("not used"));
        follow("https://a.org/x", "https://u:p@b.org/", Err("not used"));
    }

    #[test]
    fn hosts_written_as_addresses_inside_are_known() {
        for host in ["localhost", "x.localhost", "10.0.0.1", "[::1]", "[fd00::1]", "169.254.169.254"] {
            assert!(is_literal_inside(host), "{host}");
        }
        for host in ["example.org", "1.1.1.1", "[2606:4700::1111]"] {
            assert!(!is_literal_inside(host), "{host}");
        }
    }
}
