//! Which `Host` and `Origin` headers are answered. Pure: values in, a verdict out.
//!
//! This is what keeps a web page from reaching a server on the reader's own machine by DNS rebinding. Both headers are
//! parsed to the end and compared as values; nothing here looks at prefixes.

use std::net::{IpAddr, SocketAddr};

use crate::error::WebError;

/// A host and maybe a port, with nothing around them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Authority {
    host: Host,
    port: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Host {
    Name(String),
    Address(IpAddr),
}

impl Authority {
    /// Reads `name`, `name:80`, `1.2.3.4:80` or `[::1]:80`. Anything else, user names included, is `None`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (host, port) = match text.strip_prefix('[') {
            Some(rest) => {
                let (address, port) = rest.split_once(']')?;
                (Host::Address(IpAddr::V6(address.parse().ok()?)), port)
            }
            None => {
                let (host, port) = text.split_at(text.find(':').unwrap_or(text.len()));
                (Host::parse(host)?, port)
            }
        };
        let port = match port.strip_prefix(':') {
            Some(digits) => Some(parse_port(digits)?),
            None if port.is_empty() => None,
            None => return None,
        };
        Some(Self { host, port })
    }

    /// Whether it names this machine.
    pub(crate) fn is_loopback(&self) -> bool {
        match &self.host {
            Host::Name(name) => name == "localhost",
            Host::Address(address) => address.is_loopback(),
        }
    }
}

impl Host {
    fn parse(text: &str) -> Option<Self> {
        if let Ok(address) = text.parse() {
            return Some(Self::Address(IpAddr::V4(address)));
        }
        let label = |label: &str| {
            !label.is_empty() && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
        };
        (text.len() <= 253 && text.split('.').all(label)).then(|| Self::Name(text.to_ascii_lowercase()))
    }
}

fn parse_port(digits: &str) -> Option<u16> {
    // `u16::from_str` takes a leading plus sign.
    (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())).then(|| digits.parse().ok())?
}

/// The ports that an allowed host or origin covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ports {
    Usual,
    Only(u16),
    Any,
}

#[derive(Debug)]
struct AllowedHost {
    host: Host,
    ports: Ports,
}

#[derive(Debug)]
struct AllowedOrigin {
    scheme: String,
    allowed: AllowedHost,
}

/// Under which names the server answers.
#[derive(Debug)]
pub(crate) struct HostRules {
    bound: SocketAddr,
    hosts: Vec<AllowedHost>,
    origins: Vec<AllowedOrigin>,
}

impl HostRules {
    pub(crate) fn new(bound: SocketAddr, hosts: &[String], origins: &[String]) -> Result<Self, WebError> {
        let hosts =
            hosts.iter().map(|text| parse_allowed(text).ok_or_else(|| WebError::BadHost(text.clone())));
        let origins = origins.iter().map(|text| {
            let bad = || WebError::BadOrigin(text.clone());
            let (scheme, rest) = text.trim_end_matches('/').split_once("://").ok_or_else(bad)?;
            let allowed = parse_allowed(rest).ok_or_else(bad)?;
            Ok(AllowedOrigin { scheme: scheme.to_ascii_lowercase(), allowed })
        });
        Ok(Self {
            bound,
            hosts: hosts.collect::<Result<_, _>>()?,
            origins: origins.collect::<Result<_, WebError>>()?,
        })
    }

    /// Whether a request for `authority` that arrived at the address `local` is for this server.
    pub(crate) fn answers_for(&self, authority: &Authority, local: Option<IpAddr>) -> bool {
        let usual_port = authority.port.is_none_or(|port| port == self.bound.port());
        if usual_port && (authority.is_loopback() || self.is_bound(&authority.host, local)) {
            return true;
        }
        self.hosts.iter().any(|allowed| {
            allowed.host == authority.host
                && match allowed.ports {
                    Ports::Usual => usual_port,
                    Ports::Only(port) => authority.port == Some(port),
                    Ports::Any => true,
                }
        })
    }

    /// Whether pages of this origin may call. Those served from this machine may, whatever their port: whoever can serve
    /// them here can call without a browser too.
    pub(crate) fn allows_origin(&self, origin: &str, local: Option<IpAddr>) -> bool {
        let Some((scheme, rest)) = origin.split_once("://") else { return false };
        let Some(authority) = Authority::parse(rest) else { return false };
        let scheme = scheme.to_ascii_lowercase();
        let default_port = match scheme.as_str() {
            "http" => Some(80),
            "https" => Some(443),
            _ => None,
        };
        if default_port.is_some() && (authority.is_loopback() || self.answers_for(&authority, local)) {
            return true;
        }
        self.origins.iter().any(|entry| {
            entry.scheme == scheme
                && entry.allowed.host == authority.host
                && match entry.allowed.ports {
                    Ports::Usual => authority.port.or(default_port) == default_port,
                    Ports::Only(port) => authority.port.or(default_port) == Some(port),
                    Ports::Any => true,
                }
        })
    }

    /// A server that listens on all addresses answers for the one the connection came in on. `0.0.0.0` itself is never
    /// a good name: browsers let pages of other sites reach it.
    fn is_bound(&self, host: &Host, local: Option<IpAddr>) -> bool {
        let Host::Address(address) = host else { return false };
        !address.is_unspecified()
            && (*address == self.bound.ip() || local.is_some_and(|local| local.to_canonical() == *address))
    }
}

fn parse_allowed(text: &str) -> Option<AllowedHost> {
    if let Ok(address) = text.parse::<IpAddr>() {
        return Some(AllowedHost { host: Host::Address(address), ports: Ports::Usual });
    }
    if let Some(host) = text.strip_suffix(":*") {
        let Authority { host, port: None } = Authority::parse(host)? else { return None };
        return Some(AllowedHost { host, ports: Ports::Any });
    }
    let Authority { host, port } = Authority::parse(text)?;
    Some(AllowedHost { host, ports: port.map_or(Ports::Usual, Ports::Only) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules() -> HostRules {
        let hosts =
            ["docs.example.com", "proxy.example.com:8443", "any.example.com:*", "10.0.0.7"].map(String::from);
        let origins = ["https://app.example.com", "http://dev.example.com:*", "vscode-webview://panel"]
            .map(String::from);
        HostRules::new("127.0.0.1:3912".parse().unwrap(), &hosts, &origins).unwrap()
    }

    fn host(text: &str) -> bool {
        Authority::parse(text).is_some_and(|authority| rules().answers_for(&authority, None))
    }

    #[test]
    fn hosts_that_are_answered() {
        for text in [
            "localhost",
            "localhost:3912",
            "LOCALHOST:3912",
            "127.0.0.1:3912",
            "127.8.9.1",
            "[::1]",
            "[::1]:3912",
            "[0:0:0:0:0:0:0:1]:3912",
            "docs.example.com",
            "Docs.Example.com:3912",
            "proxy.example.com:8443",
            "any.example.com",
            "any.example.com:1",
            "10.0.0.7",
        ] {
            assert!(host(text), "{text}");
        }
    }

    #[test]
    fn hosts_that_are_refused() {
        for text in [
            "",
            " ",
            ":3912",
            "evil.example.com",
            "localhost:3912@evil.com",
            "user@localhost",
            "user:pass@localhost:3912",
            "localhost.evil.com",
            "localhost.evil.com:3912",
            "evil-localhost",
            "localhost.",
            "localhost:",
            "localhost:+3912",
            "localhost:03912x",
            "localhost:99999",
            "localhost:80",
            "localhost:3912:3912",
            "localhost/",
            "localhost#",
            "localhost?x",
            "localhost\\evil",
            "local host",
            "localhost,evil.com",
            "127.1",
            "127.0.0.1.evil.com",
            "0x7f000001",
            "2130706433",
            "0.0.0.0",
            "0.0.0.0:3912",
            "[::]",
            "[::1",
            "::1",
            "[::1]x",
            "[::ffff:127.0.0.1]x",
            "[fe80::1%25eth0]",
            "proxy.example.com",
            "proxy.example.com:443",
            "docs.example.com:443",
            "a..b",
            "xn--lcalhost-vza.com",
            "lοcalhost",
        ] {
            assert!(!host(text), "{text}");
        }
    }

    #[test]
    fn a_server_on_all_addresses_answers_for_the_one_that_was_reached() {
        let rules = HostRules::new("0.0.0.0:80".parse().unwrap(), &[], &[]).unwrap();
        let ask = |text| {
            let authority = Authority::parse(text).unwrap();
            rules.answers_for(&authority, Some("192.168.1.5".parse().unwrap()))
        };
        assert!(ask("192.168.1.5"));
        assert!(ask("localhost"));
        assert!(!ask("192.168.1.6"));
        assert!(!ask("0.0.0.0"));
    }

    #[test]
    fn origins_that_may_call() {
        for text in [
            "http://localhost",
            "http://localhost:5173",
            "https://127.0.0.1:8080",
            "http://[::1]:1",
            "HTTP://LOCALHOST:1",
            "https://docs.example.com",
            "https://app.example.com",
            "https://app.example.com:443",
            "http://dev.example.com:1234",
            "vscode-webview://panel",
        ] {
            assert!(rules().allows_origin(text, None), "{text}");
        }
    }

    #[test]
    fn origins_that_may_not() {
        for text in [
            "",
            "null",
            "localhost",
            "file://",
            "file://localhost",
            "ftp://localhost",
            "http://",
            "http://localhost/",
            "http://localhost/path",
            "http://localhost@evil.com",
            "http://localhost:80@evil.com",
            "http://localhost.evil.com",
            "http://evil.example.com",
            "http://app.example.com",
            "https://app.example.com:8443",
            "https://app.example.com.evil.com",
            "https://docs.example.com:444",
            "http://localhost http://evil.com",
            "http://0.0.0.0:3912",
        ] {
            assert!(!rules().allows_origin(text, None), "{text}");
        }
    }

    #[test]
    fn settings_that_are_no_hosts_are_told_so() {
        let bound = "127.0.0.1:1".parse().unwrap();
        for text in ["", "http://x", "a b", "x:y", "x:*:*"] {
            assert!(HostRules::new(bound, &[text.into()], &[]).is_err(), "{text}");
        }
        for text in ["x", "https://", "https://a b", "https://x/path", "null"] {
            assert!(HostRules::new(bound, &[], &[text.into()]).is_err(), "{text}");
        }
    }
}
