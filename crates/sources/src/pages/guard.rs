//! Looks names up, once, and refuses addresses that are not public: the ones that are checked are the ones that are dialled.
//!
//! It sits in the HTTP client as its resolver, so nothing can look a name up a second time and get another answer.

use std::net::SocketAddr;
use std::sync::Arc;

use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

use crate::web::is_public;

/// Where names are looked up.
#[derive(Debug, Clone)]
pub(super) struct Network {
    lookup: Arc<dyn Resolver>,
    /// Where a test really connects to after an address was found to be public, and the authority that it trusts.
    #[cfg(test)]
    pub(super) test: super::tests::Diversion,
}

impl Default for Network {
    fn default() -> Self {
        Self {
            lookup: Arc::new(DefaultResolver::default()),
            #[cfg(test)]
            test: super::tests::Diversion::default(),
        }
    }
}

impl Network {
    #[cfg(test)]
    pub(super) fn for_test(lookup: impl Resolver, test: super::tests::Diversion) -> Self {
        Self { lookup: Arc::new(lookup), test }
    }
}

/// The resolver of one request.
#[derive(Debug)]
pub(super) struct PageGuard {
    pub(super) network: Network,
    pub(super) allow_private_networks: bool,
}

/// Some address of the answer is not public.
#[derive(Debug, thiserror::Error)]
#[error("not a public address")]
pub(super) struct NotPublic;

impl Resolver for PageGuard {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let found = self.network.lookup.resolve(uri, config, timeout)?;
        // All of them, not only the first: which one is dialled depends on which one answers.
        let is_inside = |address: &SocketAddr| !is_public(address.ip());
        if !self.allow_private_networks && found.iter().any(is_inside) {
            return Err(ureq::Error::Other(Box::new(NotPublic)));
        }
        #[cfg(test)]
        let found = self.network.test.diverted(self, found);
        Ok(found)
    }
}
