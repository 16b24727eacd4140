//! What a bundle says of itself, in its first entry.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::FORMAT;
use crate::tarball::Damage;

/// What a bundle says of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BundleCard {
    /// Version of the docent that made it.
    pub docent: String,
    /// What the set of documents is called.
    pub name: String,
    /// Which version it is.
    #[serde(default)]
    pub version: Option<String>,
    /// What it is about.
    #[serde(default)]
    pub description: Option<String>,
    /// What is said of it besides.
    #[serde(default)]
    pub metadata: BTreeMap<String, String>,
    /// Where the documents came from.
    #[serde(default)]
    pub source: Option<String>,
    /// What was packed: a commit, or a hash.
    #[serde(default)]
    pub revision: Option<String>,
    /// The model that made the vectors; without one there are none.
    #[serde(default)]
    pub model: Option<BundleModel>,
    /// How much is in it.
    pub counts: BundleCounts,
    /// When it was made, in whatever words the caller has for it.
    #[serde(default)]
    pub created: Option<String>,
}

/// The model that made the vectors of a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BundleModel {
    /// Id by which vectors of the same model are known.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// Length of the vectors.
    pub dimensions: u32,
}

/// How much is in a bundle.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BundleCounts {
    /// Documents.
    pub documents: u64,
    /// Files in which authors say something about documents.
    pub manifests: u64,
    /// Chunks of all documents.
    pub chunks: u64,
    /// Vectors of different passages.
    pub vectors: u64,
}

#[derive(Serialize)]
struct Written<'c> {
    format: u64,
    #[serde(flatten)]
    card: &'c BundleCard,
}

/// Why a card cannot be used.
pub(super) enum Unreadable {
    /// A newer docent made it, in this format.
    Newer(u64),
    Damaged(Damage),
}

impl BundleCard {
    pub(super) fn to_json(&self) -> Vec<u8> {
        let mut json = serde_json::to_vec_pretty(&Written { format: FORMAT, card: self }).unwrap_or_default();
        json.push(b'\n');
        json
    }

    pub(super) fn from_json(json: &[u8]) -> Result<Self, Unreadable> {
        #[derive(Deserialize)]
        struct Format {
            format: u64,
        }
        let damaged = |error| Unreadable::Damaged(Damage::new(format!("its card cannot be read: {error}")));
        match serde_json::from_slice::<Format>(json).map_err(damaged)?.format {
            FORMAT => serde_json::from_slice(json).map_err(damaged),
            format if format > FORMAT => Err(Unreadable::Newer(format)),
            format => Err(Unreadable::Damaged(Damage::new(format!("its card has the format {format}")))),
        }
    }
}
