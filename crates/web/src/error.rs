//! Why the server cannot start or go on.

use std::net::SocketAddr;

/// Why the server cannot start or go on. [`WebError::hint`] says what to do about it.
#[derive(Debug, thiserror::Error)]
pub enum WebError {
    /// Anyone who reaches the address could read the documentation.
    #[error("{0} is not a loopback address and no token is asked for")]
    OpenToAll(SocketAddr),
    /// Nobody could ever get in.
    #[error("a token is asked for, but there is no token and no issuer")]
    NoCredentials,
    /// A token that cannot be sent, or is easily guessed.
    #[error("the token {name} cannot be used: {why}")]
    BadToken {
        /// Name of the token, never its secret.
        name: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A token with a scope that means nothing.
    #[error("the token {name} has the scope `{scope}`, which cannot be used: {why}")]
    BadScope {
        /// Name of the token.
        name: String,
        /// The scope.
        scope: String,
        /// What is wrong with it.
        why: String,
    },
    /// Not a host.
    #[error("{0} is not a host")]
    BadHost(String),
    /// Not a web origin.
    #[error("{0} is not an origin")]
    BadOrigin(String),
    /// Not an address that tokens can be checked with.
    #[error("{what} {url} is not a usable URL: {why}")]
    BadUrl {
        /// Which setting.
        what: &'static str,
        /// Its value.
        url: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The listening socket failed.
    #[error("the listening socket failed: {0}")]
    Listen(#[from] std::io::Error),
}

impl WebError {
    /// The next step.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::OpenToAll(_) => "configure a token or an OAuth issuer, or listen on 127.0.0.1",
            Self::NoCredentials => "configure at least one token or an OAuth issuer",
            Self::BadToken { .. } => "use at least 16 letters, digits or any of -._~+/= without spaces",
            Self::BadScope { .. } => "use docs:read, docs:write, collection:NAME and collection:PATTERN*",
            Self::BadHost(_) => {
                "write a name or an address, with :PORT or :* where the port differs: docs.example.com:8443"
            }
            Self::BadOrigin(_) => "write scheme, host and port without a path: https://app.example.com",
            Self::BadUrl { .. } => {
                "write an absolute https URL; plain http is accepted for this machine only"
            }
            Self::Listen(_) => "check the address and that no other process uses the port",
        }
    }
}
