//! What a collection is, as a catalogue shows it: what it is about, which version, where it came from and when.

use std::collections::BTreeMap;

use docent_index::{Collection, Filter, Snapshot};
use serde::{Deserialize, Serialize};

use crate::EngineError;
use crate::engine::{Engine, Inner};

/// What is known of a collection besides its documents.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Card {
    /// What it is about, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Which version of what it documents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Where its documents were fetched from; `None` for a folder that is read where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// What was fetched: a commit, or a hash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// Where in the repository its documents lie, when it was indexed from a clone for others to read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// By which settings it was fetched; when they change, the same revision is fetched again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rules: Option<String>,
    /// When it was fetched, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub synced_ms: Option<i64>,
    /// What its manifest says besides.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub metadata: BTreeMap<String, String>,
}

impl Card {
    /// Whether nothing is known.
    pub(crate) fn is_blank(&self) -> bool {
        *self == Self::default()
    }
}

/// A collection in the catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogueEntry {
    /// Its id.
    pub name: String,
    /// The folder that is read, where there is one.
    pub root: Option<String>,
    /// What is known of it.
    pub card: Card,
    /// Documents.
    pub documents: usize,
    /// Chunks.
    pub chunks: usize,
}

impl Inner {
    /// What is known of a collection.
    pub(crate) fn card_of(&self, collection: &Collection) -> Card {
        match self.source(&collection.name) {
            // The settings may say something else by now.
            Some((_, source)) => source.card.clone(),
            None => self.about_of(collection).card.clone(),
        }
    }

    /// The commit that a fetched collection was taken from, where it came from a repository.
    pub(crate) fn fetched_commit(&self, snapshot: &dyn Snapshot, collection: &str) -> Option<String> {
        if self.source(collection).is_some() {
            return None;
        }
        let known = snapshot.collections().into_iter().find(|known| known.name == collection)?;
        let about = self.about_of(&known);
        let is_git = about.card.source.as_ref().is_some_and(|source| source.starts_with("git+"));
        about.card.revision.clone().filter(|_| is_git)
    }
}

impl Engine {
    /// These collections, or all when none is named, by id.
    pub fn catalogue(&self, collections: &[String]) -> Result<Vec<CatalogueEntry>, EngineError> {
        let snapshot = self.inner.store.snapshot()?;
        let mut known = snapshot.collections();
        known.retain(|known| collections.is_empty() || collections.contains(&known.name));
        let entry = |known: Collection| {
            let only = Filter { collections: Some(vec![known.name.clone()]), ..Filter::default() };
            let counts = snapshot.counts(None, &only);
            let card = self.inner.card_of(&known);
            let root = Some(known.root).filter(|root| !root.is_empty());
            CatalogueEntry {
                name: known.name,
                root,
                card,
                documents: counts.documents,
                chunks: counts.chunks,
            }
        };
        Ok(known.into_iter().map(entry).collect())
    }
}
