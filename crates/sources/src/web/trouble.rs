//! What can go wrong between asking a server and having its answer, and whether asking again may help.

use std::fmt::Display;
use std::io;

use super::client::Patience;
use crate::SourceError;

/// What went wrong, and whether asking again may help.
#[derive(Debug)]
pub(crate) struct Trouble {
    pub(crate) error: SourceError,
    pub(crate) may_pass: bool,
}

impl Trouble {
    pub(crate) fn lasting(message: String, hint: &str) -> Self {
        Self { error: SourceError::failed(message, hint), may_pass: false }
    }

    pub(crate) fn passing(message: String, hint: &str) -> Self {
        Self { error: SourceError::failed(message, hint), may_pass: true }
    }

    /// A file that is too large.
    pub(crate) fn too_large(address: &dyn Display, most: u64) -> Self {
        let size = match most {
            0..1024 => format!("{most} bytes"),
            1024..0x10_0000 => format!("{} KiB", most >> 10),
            0x10_0000..0x4000_0000 => format!("{} MiB", most >> 20),
            _ => format!("{} GiB", most >> 30),
        };
        Self::lasting(format!("{address} is larger than {size}"), "leave it out, or split it")
    }

    /// A server that answers, but not with the file.
    pub(crate) fn refused(address: &dyn Display, status: u16) -> Self {
        let hint = match status {
            401 | 403 | 407 => {
                "the server wants to know who you are: download the file yourself and add it from disk"
            }
            404 | 410 => "check the address",
            429 => "the server limits requests: wait and try again",
            500..=599 => "the server has a problem: try again later",
            _ => "check the address in a browser",
        };
        let message = format!("{address} answered {status}");
        match status {
            408 | 429 | 500..=599 => Self::passing(message, hint),
            _ => Self::lasting(message, hint),
        }
    }

    /// A body that ended before it was over.
    pub(crate) fn broken_off(address: &dyn Display, read: u64, error: &io::Error) -> Self {
        let message = format!("{address} broke off after {read} bytes: {}", one_line(&error.to_string()));
        Self::passing(message, "try again")
    }

    /// A server that did not answer, or not in a way that can be understood and trusted.
    pub(crate) fn transport(address: &dyn Display, patience: &Patience, error: &ureq::Error) -> Self {
        let check = "check the address and the network, and try again";
        let distrusted = |why: &dyn Display| {
            let message = format!("{address} cannot be trusted: {}", one_line(&why.to_string()));
            Self::lasting(message, "its certificate must be valid and of a public authority")
        };
        match error {
            ureq::Error::Timeout(which) => {
                let patience =
                    if *which == ureq::Timeout::Connect { patience.connect } else { patience.read };
                let seconds = patience.as_secs();
                Self::passing(format!("{address} did not answer within {seconds} seconds"), check)
            }
            ureq::Error::HostNotFound => Self::lasting(format!("the host of {address} is not known"), check),
            ureq::Error::Rustls(_) | ureq::Error::Tls(_) | ureq::Error::Pem(_) => distrusted(error),
            ureq::Error::Io(inner) if inner.kind() == io::ErrorKind::InvalidData => distrusted(inner),
            ureq::Error::Io(inner) if is_look_up(inner) => {
                let message = format!("the host of {address} is not known, or there is no network");
                Self::passing(message, check)
            }
            other => Self::passing(format!("{address} cannot be reached: {}", in_plain_words(other)), check),
        }
    }
}

/// The system's look-up has no kind of its own for its errors.
fn is_look_up(error: &io::Error) -> bool {
    error.to_string().contains("lookup address information")
}

fn in_plain_words(error: &ureq::Error) -> String {
    use io::ErrorKind as Kind;
    let said = match error {
        ureq::Error::Io(error) => match error.kind() {
            Kind::ConnectionRefused => "nothing answers there",
            Kind::ConnectionReset | Kind::ConnectionAborted | Kind::BrokenPipe | Kind::UnexpectedEof => {
                "the server closed the connection"
            }
            Kind::HostUnreachable | Kind::NetworkUnreachable => "no way leads there",
            Kind::TimedOut => "it does not answer",
            _ => return one_line(&error.to_string()),
        },
        ureq::Error::Protocol(_) | ureq::Error::Http(_) => "what it answers is not HTTP",
        ureq::Error::ConnectionFailed => "it does not answer",
        other => return one_line(&other.to_string()),
    };
    said.to_owned()
}

/// Words of somebody else, short and without control characters.
pub(crate) fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(300).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_the_system_are_put_plainly() {
        let said = |error: io::Error| {
            Trouble::transport(&"x.org", &Patience::default(), &ureq::Error::Io(error)).error.message
        };
        let look_up = io::Error::other("failed to lookup address information: Name or service not known");
        assert_eq!(said(look_up), "the host of x.org is not known, or there is no network");
        let refused = io::Error::from(io::ErrorKind::ConnectionRefused);
        assert_eq!(said(refused), "x.org cannot be reached: nothing answers there");
        let other = io::Error::other("odd\nthing");
        assert_eq!(said(other), "x.org cannot be reached: odd thing");
    }
}
