//! The address of a page, read once: what is checked here is what the request is made from.
//!
//! It is read as browsers read it (WHATWG), so that numbers in octal or in full-width digits become the IP address that they
//! are, and are checked as such. What readers of addresses are known to disagree about (control characters, backslashes,
//! spaces, credentials, escapes in a host) is refused rather than repaired.

use std::fmt;
use std::net::IpAddr;

use ureq::http::Uri;
use url::{Host, Position, Url};

use super::FetchRules;
use crate::web::{credentials_in, is_host, is_public};
use crate::{SourceError, without_credentials};

/// Longer ones are refused.
const LONGEST: usize = 4096;
/// Those of web servers.
const PORTS: &[u16] = &[80, 443, 8080, 8443];
/// Names that are only used inside: of this machine, of a network, of what a provider tells its machines.
const INSIDE: &[&str] = &[
    "localhost",
    "localdomain",
    "local",
    "internal",
    "home.arpa",
    "metadata",
    "metadata.goog",
    "instance-data",
    "metadata.packet.net",
    "metadata.platformequinix.com",
];

/// An address that can be asked, with the rules still to be applied: [`PageAddress::check`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PageAddress {
    url: Url,
}

impl PageAddress {
    /// Whether this is the other address with a slash at the end of its path, or https in place of http, and the same in all
    /// else.
    pub(super) fn respells(&self, other: &Self) -> bool {
        let (here, there) = (&self.url, &other.url);
        let is_same_server = here.host() == there.host()
            && match (there.scheme(), here.scheme()) {
                ("http", "https") => here.port().is_none() && there.port().is_none(),
                (from, to) => from == to && here.port() == there.port(),
            };
        let is_same_path = here.path() == there.path() || here.path().strip_suffix('/') == Some(there.path());
        is_same_server && is_same_path && here.query() == there.query() && here != there
    }

    /// Reads an absolute address.
    pub(super) fn parse(text: &str) -> Result<Self, SourceError> {
        check_letters(text)?;
        let (scheme, rest) = text.split_once("://").unwrap_or_default();
        if !["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known)) {
            return Err(malformed("the address does not begin with http:// or https://", text));
        }
        let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
        if authority.contains('@') {
            return Err(credentials_in(text));
        }
        if authority.is_empty() || authority.contains('%') {
            return Err(malformed("the address has no host that can be looked up", text));
        }
        let url =
            Url::parse(text).map_err(|error| malformed(&format!("the address has an {error}"), text))?;
        Self::new(url)
    }

    /// Where a link or a redirect on this page leads.
    pub(super) fn join(&self, location: &str) -> Result<Self, SourceError> {
        let is_absolute = |scheme: &&str| {
            location.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
        };
        // One reading of what names a host, wherever it is written.
        if ["http:", "https:"].iter().any(is_absolute) {
            return Self::parse(location);
        }
        if location.starts_with("//") {
            return Self::parse(&format!("{}:{location}", self.url.scheme()));
        }
        check_letters(location)?;
        let url = self.url.join(location).map_err(|error| malformed(&error.to_string(), location))?;
        Self::new(url)
    }

    fn new(mut url: Url) -> Result<Self, SourceError> {
        let text = url.as_str();
        if !url.username().is_empty() || url.password().is_some() {
            return Err(credentials_in(text));
        }
        if !matches!(url.scheme(), "http" | "https") {
            return Err(malformed("the address is neither http nor https", text));
        }
        if text.len() > 4 * LONGEST {
            return Err(too_long(text.len()));
        }
        let is_usable = url.host_str().is_some_and(|host| is_host(host) && !host.ends_with('.'));
        if !is_usable || url.port() == Some(0) {
            return Err(malformed("the address has no host that can be looked up", text));
        }
        url.set_fragment(None);
        let address = Self { url };
        address.uri().map(|_| address)
    }

    /// Whether the rules let it be asked. The addresses that a name is found at are checked when it is looked up.
    pub(super) fn check(&self, rules: &FetchRules) -> Result<(), SourceError> {
        if rules.allow_private_networks {
            return Ok(());
        }
        let is_inside = match self.url.host() {
            Some(Host::Ipv4(address)) => !is_public(IpAddr::V4(address)),
            Some(Host::Ipv6(address)) => !is_public(IpAddr::V6(address)),
            Some(Host::Domain(name)) => INSIDE.iter().any(|inside| is_below(name, inside)),
            None => true,
        };
        if is_inside {
            return Err(not_public(self));
        }
        match self.url.port_or_known_default() {
            Some(port) if PORTS.contains(&port) => Ok(()),
            _ => Err(SourceError::usage(
                format!("{self} is not fetched: web servers are asked on the ports 80, 443, 8080 and 8443"),
                "for another port set library.allow_private_networks",
            )),
        }
    }

    /// What the request is made from.
    pub(super) fn uri(&self) -> Result<Uri, SourceError> {
        let text = self.url.as_str();
        let uri = text.parse::<Uri>().ok().filter(|uri| {
            uri.host() == self.url.host_str()
                && uri.port_u16() == self.url.port()
                && uri.scheme_str() == Some(self.url.scheme())
        });
        uri.ok_or_else(|| malformed("the address cannot be asked for", text))
    }

    /// Scheme, host and port.
    pub(super) fn origin(&self) -> &str {
        // There are no credentials that would belong to it.
        &self.url[..Position::BeforePath]
    }

    pub(super) fn is_https(&self) -> bool {
        self.url.scheme() == "https"
    }

    pub(super) fn as_str(&self) -> &str {
        self.url.as_str()
    }

    /// Path, without the query.
    pub(super) fn path(&self) -> &str {
        self.url.path()
    }

    /// Path and query.
    pub(super) fn target(&self) -> &str {
        &self.url[Position::BeforePath..]
    }
}

impl fmt::Display for PageAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.url.as_str())
    }
}

/// The one refusal of everything that is inside, in the same words whether there is anything or not.
pub(super) fn not_public(asked: &PageAddress) -> SourceError {
    SourceError::usage(
        format!("{asked} is not fetched: it leads to this machine or into a private network"),
        "only public addresses are fetched; if this one is meant, set library.allow_private_networks",
    )
}

fn is_below(name: &str, parent: &str) -> bool {
    name.strip_suffix(parent).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

fn check_letters(text: &str) -> Result<(), SourceError> {
    if text.len() > LONGEST {
        return Err(too_long(text.len()));
    }
    match text.chars().find(|c| c.is_control() || c.is_whitespace() || is_invisible(*c) || *c == '\\') {
        None => Ok(()),
        Some('\\') => {
            Err(SourceError::usage("the address has a backslash in it", "leave it out, or write it as %5C"))
        }
        Some(odd) => Err(SourceError::usage(
            format!("the address has a character that addresses do not have, U+{:04X}", u32::from(odd)),
            "leave it out, or write it as %XX",
        )),
    }
}

/// Marks that change how a text looks, or do not show at all.
fn is_invisible(letter: char) -> bool {
    matches!(letter, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

fn too_long(length: usize) -> SourceError {
    let message = format!("the address has {length} characters");
    SourceError::usage(message, format!("addresses may have {LONGEST}"))
}

/// What is wrong with a text that should be an address.
fn malformed(what: &str, text: &str) -> SourceError {
    let shown: String = without_credentials(text).chars().take(200).collect();
    SourceError::usage(format!("{what}: {shown}"), "addresses look like https://example.org/page")
}
