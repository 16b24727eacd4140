//! Which machines an address may lead to, decided on the very IP addresses that are then connected to.
//!
//! The host that a user wrote may be anywhere, also in their own network. Where a server redirects to must be public:
//! otherwise a server outside could make this machine ask for things inside. The check sits in the resolver of the HTTP
//! client, so that no second look-up can give another answer.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

/// How far a request may reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// Any machine, because a user named it.
    Any,
    /// Public addresses.
    Public,
}

/// Resolves names and refuses what is out of reach.
#[derive(Debug)]
pub(super) struct Guard {
    pub(super) reach: Reach,
    inner: DefaultResolver,
}

impl Guard {
    pub(super) fn new(reach: Reach) -> Self {
        Self { reach, inner: DefaultResolver::default() }
    }
}

/// The refusal of the resolver.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct OutOfReach(String);

impl Resolver for Guard {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let found = self.inner.resolve(uri, config, timeout)?;
        let host = uri.host().unwrap_or_default();
        // A proxy is the user's own choice, and decides itself where it connects to.
        if config.proxy().is_some_and(|proxy| {
            proxy.host() == host && uri.port_u16().is_none_or(|port| port == proxy.port())
        }) {
            return Ok(found);
        }
        let is_http = uri.scheme_str() == Some("http");
        for address in found.iter().map(std::net::SocketAddr::ip) {
            let refused = if is_http && !address.is_loopback() {
                format!("{host} is not this machine but {address}, and http is used for this machine only")
            } else if self.reach == Reach::Public && !is_public(address) {
                format!("the server redirects to {host}, whose address {address} is not public")
            } else {
                continue;
            };
            return Err(ureq::Error::Other(Box::new(OutOfReach(refused))));
        }
        Ok(found)
    }
}

/// Whether an address belongs to the public internet, whatever form it is written in.
pub(crate) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => match embedded(address) {
            Some(inner) => is_public_v4(inner),
            None => is_public_v6(address),
        },
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_special = address.is_unspecified()
        || address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_broadcast()
        || address.is_documentation()
        || a == 0
        || a >= 240
        // Shared by providers with their customers.
        || (a == 100 && (64..128).contains(&b))
        // Protocol assignments, relays of 6to4, benchmarks.
        || (a == 192 && b == 0 && c == 0)
        || (a == 192 && b == 88 && c == 99)
        || (a == 198 && (b == 18 || b == 19))
        // Public, and yet inside: what a large provider of machines tells those machines.
        || address == Ipv4Addr::new(168, 63, 129, 16);
    !is_special
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let [first, second, ..] = address.segments();
    // Global unicast is 2000::/3; documentation, tunnels and assignments are inside it.
    let is_special = (first == 0x2001 && (second < 0x0200 || second == 0x0db8)) || first == 0x3fff;
    first & 0xe000 == 0x2000 && !is_special
}

/// The IPv4 address inside an IPv6 one: mapped, compatible, translated (NAT64) or 6to4.
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let join = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        Some(Ipv4Addr::new(a, b, c, d))
    };
    match address.segments() {
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low] => join(high, low),
        [0, 0, 0, 0, 0xffff, 0, high, low] => join(high, low),
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => join(high, low),
        [0x2002, high, low, ..] => join(high, low),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the resolver says of a host, as the client uses it.
    fn refusal(reach: Reach, address: &str) -> String {
        let connector = ureq::unversioned::transport::DefaultConnector::default();
        let config = ureq::Agent::config_builder().proxy(None).build();
        let agent = ureq::Agent::with_parts(config, connector, Guard::new(reach));
        agent.get(address).call().map(drop).unwrap_err().to_string()
    }

    #[test]
    fn the_address_that_is_connected_to_is_the_one_that_is_checked() {
        for host in [
            "127.0.0.1",
            "localhost",
            "[::1]",
            "[::ffff:127.0.0.1]",
            "0.0.0.0",
            "2130706433",
            "0x7f000001",
            "127.1",
        ] {
            let said = refusal(Reach::Public, &format!("https://{host}:1/"));
            assert!(said.contains("is not public"), "{host}: {said}");
        }
        let said = refusal(Reach::Any, "https://127.0.0.1:1/");
        assert!(!said.contains("is not public"), "{said}");
        let said = refusal(Reach::Any, "http://0.0.0.0:1/");
        assert!(said.contains("is not this machine"), "{said}");
    }

    #[test]
    fn public_addresses() {
        for text in
            ["1.1.1.1", "93.184.216.34", "172.32.0.1", "2606:4700::1111", "::ffff:1.1.1.1", "2002:101:101::"]
        {
            assert!(is_public(text.parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn addresses_that_are_not_public() {
        for text in [
            "0.0.0.0",
            "0.1.2.3",
            "127.0.0.1",
            "127.255.255.254",
            "10.0.0.1",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "169.254.170.2",
            "100.64.0.1",
            "100.100.100.200",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "198.18.0.1",
            "168.63.129.16",
            "::",
            "::1",
            "fe80::1",
            "fc00::1",
            "fd00:ec2::254",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::ffff:a9fe:a9fe",
            "::127.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b:1::a9fe:a9fe",
            "2002:7f00:1::",
            "2002:a9fe:a9fe::",
            "2001:db8::1",
            "2001::1",
            "100::1",
            "3fff::1",
            "::ffff:0:127.0.0.1",
        ] {
            assert!(!is_public(text.parse().unwrap()), "{text}");
        }
    }
}
