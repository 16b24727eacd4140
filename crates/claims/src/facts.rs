//! Facts that are read out of one file, once for each content that it ever had.

pub(crate) mod chart;
pub(crate) mod code;
pub(crate) mod openapi;
pub(crate) mod outline;
pub(crate) mod package;
pub(crate) mod parameters;
pub(crate) mod pins;
pub(crate) mod settings;

use std::any::Any;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// What a reader finds in one file: definitions, scripts, headings … Depends on the path and the bytes alone, so that it
/// can be kept under the name of the content (`git`'s blob id), and the state of any other commit is mostly reuse.
pub trait Facts: Any + Send + Sync + Serialize + DeserializeOwned {
    /// A short name for the kind.
    const NAME: &'static str;
    /// Raised when the reader finds other things in the same bytes.
    const VERSION: u32;

    /// Whether files with this path have such facts.
    fn applies(path: &str) -> bool;

    /// Reads them. Never fails: what cannot be read has no facts.
    fn read(path: &str, bytes: &[u8]) -> Self;
}

/// Where facts outlive the process.
pub trait FactStore: Send + Sync {
    /// What was kept under this key.
    fn get(&self, key: &str) -> Option<Vec<u8>>;
    /// Keeps something; may fail silently, it is only a cache.
    fn put(&self, key: &str, bytes: &[u8]);
}

/// Keeps nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoStore;

impl FactStore for NoStore {
    fn get(&self, _key: &str) -> Option<Vec<u8>> {
        None
    }

    fn put(&self, _key: &str, _bytes: &[u8]) {}
}
