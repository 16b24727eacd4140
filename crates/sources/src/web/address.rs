//! An address on the web that may be asked: https, or http on this machine; no credentials, nothing hidden in it.
//!
//! Every address passes here, whether a user wrote it or a server redirects to it, and is then given to the HTTP client in
//! exactly this form: there is one reading of an address and no second one to disagree with it.

use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};

use ureq::http::Uri;

use crate::SourceError;

/// Longer ones are refused.
const LONGEST: usize = 4096;

/// A checked address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Address {
    uri: Uri,
}

impl Address {
    /// Reads an absolute address.
    pub(crate) fn parse(text: &str) -> Result<Self, SourceError> {
        check_letters(text)?;
        let refused = |what: &str, hint: &str| Err(SourceError::usage(format!("{what}: {text}"), hint));
        let Some((scheme, rest)) = text.split_once("://") else {
            return refused("not a web address", "addresses begin with https://");
        };
        let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
        if authority.contains('@') {
            return Err(credentials_in(text));
        }
        if text.contains('#') {
            return refused("the address has a #", "leave out what follows the #");
        }
        let Some(uri) = text.parse::<Uri>().ok().filter(|uri| uri.host().is_some_and(is_host)) else {
            return refused("not a web address", "addresses look like https://host/path");
        };
        let port = uri.host().and_then(|host| authority.strip_prefix(host)).unwrap_or_default();
        let is_port =
            |port: &str| port.strip_prefix(':').is_some_and(|port| port.parse::<u16>().is_ok_and(|n| n > 0));
        if !port.is_empty() && !is_port(port) {
            return refused(
                "the address has no such port",
                "leave the port out, or give one from 1 to 65535",
            );
        }
        let address = Self { uri };
        match scheme.to_ascii_lowercase().as_str() {
            "https" => Ok(address),
            "http" if address.is_loopback() => Ok(address),
            "http" => refused(
                "http is used for this machine only, because anyone on the way could change the documents",
                "use https",
            ),
            _ => refused("the address is neither https nor http", "use https"),
        }
    }

    /// Where a redirect from here to `location` leads.
    pub(crate) fn join(&self, location: &str) -> Result<Self, SourceError> {
        let location = location.split('#').next().unwrap_or(location);
        let origin = self.origin();
        let path = self.uri.path();
        if location.contains("://") && !location.starts_with(['/', '?']) {
            Self::parse(location)
        } else if let Some(rest) = location.strip_prefix("//") {
            Self::parse(&format!("{}://{rest}", self.scheme()))
        } else if location.starts_with('/') {
            Self::parse(&format!("{origin}{location}"))
        } else if location.starts_with('?') || location.is_empty() {
            Self::parse(&format!("{origin}{path}{location}"))
        } else {
            Self::parse(&format!("{origin}{}{location}", folder_of(path)))
        }
    }

    /// The file at `path`, already checked as a path, below the folder that this address is in.
    pub(crate) fn beside(&self, path: &str) -> Result<Self, SourceError> {
        let path = path.split('/').map(encoded).collect::<Vec<_>>().join("/");
        Self::parse(&format!("{}{}{path}", self.origin(), folder_of(self.uri.path())))
    }

    /// Scheme, host and port.
    pub(crate) fn origin(&self) -> String {
        let port = self.uri.port_u16().map(|port| format!(":{port}")).unwrap_or_default();
        format!("{}://{}{port}", self.scheme(), self.host())
    }

    /// Host in lower case, in brackets if it is an IPv6 address.
    pub(crate) fn host(&self) -> String {
        self.uri.host().unwrap_or_default().to_ascii_lowercase()
    }

    /// Path, without the query.
    pub(crate) fn path(&self) -> &str {
        self.uri.path()
    }

    /// Whether it is encrypted.
    pub(crate) fn is_https(&self) -> bool {
        self.scheme() == "https"
    }

    /// Whether it says by itself that it is this machine.
    pub(crate) fn is_loopback(&self) -> bool {
        let host = self.host();
        let ipv6 = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        host == "localhost"
            || host.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback())
            || ipv6.is_some_and(|host| host.parse::<Ipv6Addr>().is_ok_and(|address| address.is_loopback()))
    }

    fn scheme(&self) -> &str {
        self.uri.scheme_str().unwrap_or("https")
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.uri)
    }
}

/// The error for an address with a user name or password, which are not repeated.
pub(crate) fn credentials_in(text: &str) -> SourceError {
    SourceError::usage(
        format!("the address {text} has credentials in it"),
        "leave them out, they would end up in settings and logs; for git use a credential helper",
    )
}

/// No control characters, spaces or backslashes, ASCII throughout, and not endless.
pub(crate) fn check_letters(text: &str) -> Result<(), SourceError> {
    if text.len() > LONGEST {
        let message = format!("the address has {} characters", text.len());
        return Err(SourceError::usage(message, format!("addresses may have {LONGEST}")));
    }
    let Some(odd) = text.chars().find(|c| !c.is_ascii_graphic() || matches!(c, '\\' | '"' | '<' | '>' | '`'))
    else {
        return Ok(());
    };
    let message = format!("the address has a character that addresses do not have, {}", shown(odd));
    let hint = match odd {
        _ if odd.is_ascii() => "leave it out, or write it as %XX",
        _ => "write hosts in their xn-- form and other characters as %XX",
    };
    Err(SourceError::usage(message, hint))
}

fn shown(letter: char) -> String {
    if letter.is_control() || letter.is_whitespace() || !letter.is_ascii() {
        format!("U+{:04X}", u32::from(letter))
    } else {
        format!("\"{letter}\"")
    }
}

/// Names and addresses as hosts have them; what else a parser may let through could be read differently further down.
pub(crate) fn is_host(host: &str) -> bool {
    if let Some(address) = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        return address.parse::<Ipv6Addr>().is_ok();
    }
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    !host.is_empty() && !host.starts_with(['-', '.']) && host.bytes().all(is_letter)
}

fn folder_of(path: &str) -> &str {
    path.rfind('/').and_then(|end| path.get(..=end)).unwrap_or("/")
}

/// One part of a path, with everything but letters, digits and `-._~` as `%XX`.
fn encoded(part: &str) -> String {
    use std::fmt::Write;
    let mut out = String::with_capacity(part.len());
    for byte in part.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn join(base: &str, location: &str, expected: Option<&str>) {
        let joined = Address::parse(base).unwrap().join(location).ok().map(|address| address.to_string());
        assert_eq!(joined.as_deref(), expected, "{base} + {location}");
    }

    #[test]
    fn usable_addresses() {
        for text in [
            "https://example.org/x.json",
            "https://example.org:8443/x?y=1",
            "https://10.0.0.1/x",
            "https://[2001:db8::1]/x",
            "http://localhost:8080/x",
            "http://127.1.2.3/x",
            "http://[::1]:80/x",
            "https://example.org/%0d%0aX:%201",
        ] {
            assert_eq!(Address::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn refused_addresses() {
        for text in [
            "http://example.org/",
            "http://foo.localhost/",
            "http://localhost./",
            "http://2130706433/",
            "http://0x7f000001/",
            "http://0177.0.0.1/",
            "http://[::ffff:7f00:1]/",
            "http://１２７.0.0.1/",
            "http://127。0。0。1/",
            "https://user:pass@example.org/",
            "http://example.com@127.0.0.1/",
            "http://127.0.0.1#@example.com/",
            "https://exa\tmple.com/",
            "https://exa mple.com/",
            "https://a.b\r\nX-Injected: 1/",
            "\0https://example.org/",
            "//127.0.0.1/",
            "https://",
            "https:///x",
            "https://example.org:0/",
            "https://example.org:/",
            "https://example.org:99999/",
            "https://example.org\\@evil.org/",
            "https://-x.org/",
            "https://[::1/",
            "https://exa%6dple.org/",
            "file:///etc/passwd",
            "gopher://127.0.0.1:6379/_FLUSHALL",
            "ftp://127.0.0.1/",
            "data:text/html,x",
            "unix:/var/run/docker.sock",
        ] {
            assert!(Address::parse(text).is_err_and(|error| error.is_usage), "{text:?}");
        }
        assert!(Address::parse(&format!("https://example.org/{}", "a".repeat(70_000))).is_err());
    }

    #[test]
    fn credentials_are_not_repeated() {
        let error = Address::parse("https://user:s3cret@example.org/x.json").unwrap_err();
        assert!(!error.message.contains("s3cret") && !error.message.contains("user"), "{error}");
    }

    #[test]
    fn redirects_are_resolved() {
        let base = "https://a.org/d/x.json?q";
        join(base, "https://b.org/y", Some("https://b.org/y"));
        join(base, "//b.org/y", Some("https://b.org/y"));
        join(base, "/y?z=https://c.org", Some("https://a.org/y?z=https://c.org"));
        join(base, "y#part", Some("https://a.org/d/y"));
        join(base, "?r", Some("https://a.org/d/x.json?r"));
        join(base, "http://b.org/y", None);
        join(base, "file:///etc/passwd", None);
        join(base, "https://u:p@b.org/", None);
        join(base, "//b.org\r\nX: 1/", None);
    }

    #[test]
    fn files_beside_stay_below() {
        let manifest = Address::parse("https://a.org/d/manifest.json?q").unwrap();
        let beside = |path| manifest.beside(path).unwrap().to_string();
        assert_eq!(beside("a/b c?d#e%2f.md"), "https://a.org/d/a/b%20c%3Fd%23e%252f.md");
        assert_eq!(beside("ü.md"), "https://a.org/d/%C3%BC.md");
    }
}
