//! What there is: collections, documents, facets, and whether any of it has changed. No files are looked at.

use std::collections::BTreeMap;

use docent_index::Filter;

use crate::seal::{self, Bound, Place};
use crate::{Engine, EngineError, Names};

/// Facet keys, their values, and how many documents have each.
pub type FacetCounts = BTreeMap<String, BTreeMap<String, usize>>;

/// A document as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Name of its collection.
    pub collection: String,
    /// Path inside the collection.
    pub path: String,
    /// Title.
    pub title: String,
    /// Size of the file in bytes.
    pub size: u64,
    /// Last change, ISO 8601.
    pub last_modified: String,
    /// BLAKE3 of the document as indexed.
    pub content_hash: String,
    /// Its facets.
    pub facets: BTreeMap<String, String>,
}

impl Engine {
    /// Applies pending changes, as every search and read does first.
    pub fn look_for_changes(&self) {
        self.inner.freshen();
    }

    /// Whether the index was built once and is never changed.
    pub fn is_built(&self) -> bool {
        self.inner.store.built().is_some()
    }

    /// Changes whenever a document does. Vectors and touched files do not count.
    pub fn content_generation(&self) -> Result<u64, EngineError> {
        Ok(self.inner.store.snapshot()?.content_generation().0)
    }

    /// Names of the collections.
    pub fn collections(&self) -> Result<Vec<String>, EngineError> {
        let collections = self.inner.store.snapshot()?.collections();
        Ok(collections.into_iter().map(|collection| collection.name).collect())
    }

    /// What these collections, or all when none is named, can be called.
    pub fn names(&self, scope: &[String]) -> Result<Names, EngineError> {
        let mut ids = self.collections()?;
        ids.retain(|id| scope.is_empty() || scope.contains(id));
        Ok(Names::new(ids, self.inner.names.clone()))
    }

    /// What the collections can be called that should be here and are not, e.g. because they were never fetched.
    pub fn absent(&self) -> Result<Names, EngineError> {
        let snapshot = self.inner.store.snapshot()?;
        Ok(Names::new(self.inner.absent_ids(&*snapshot), self.inner.names.clone()))
    }

    /// Facets over all documents of these collections; of all when none is named.
    pub fn facets(&self, collections: &[String]) -> Result<FacetCounts, EngineError> {
        Ok(self.inner.store.snapshot()?.facets(&within(collections)))
    }

    /// All documents of these collections, by collection and path; pending changes are applied first.
    pub fn entries(&self, collections: &[String]) -> Result<Vec<Entry>, EngineError> {
        self.inner.freshen();
        self.indexed_entries(collections)
    }

    /// All documents of these collections, by collection and path, as they stand in the index.
    pub fn indexed_entries(&self, collections: &[String]) -> Result<Vec<Entry>, EngineError> {
        let documents = self.inner.store.snapshot()?.documents(&within(collections));
        let entry = |document: &std::sync::Arc<docent_index::DocumentRecord>| Entry {
            collection: document.collection.clone(),
            path: document.path.clone(),
            title: document.title.clone(),
            size: document.stat.size,
            last_modified: crate::times::iso(document.stat.mtime_ns),
            content_hash: document.content_hash.to_hex(),
            facets: document.facets.clone(),
        };
        Ok(documents.iter().map(entry).collect())
    }

    /// Whether any document passes.
    pub fn has_documents(&self, filter: &Filter) -> Result<bool, EngineError> {
        Ok(self.inner.store.snapshot()?.counts(None, filter).documents > 0)
    }

    /// The path without the name of a documents folder that it starts with, as it is seen from the project.
    pub fn without_folder<'a>(&self, path: &'a str) -> Option<&'a str> {
        self.inner.sources.iter().find_map(|source| crate::read::inside_folder(source, path))
    }

    /// A token for a place in an answer to `asked`, good as long as `state` is the same.
    pub fn seal(&self, asked: &Bound, state: &Bound, place: Place) -> Result<String, EngineError> {
        Ok(seal::seal(&self.inner.store.secret()?, asked, state, place))
    }

    /// The place that a token stands for.
    pub fn unseal(&self, asked: &Bound, state: &Bound, token: &str) -> Result<Place, EngineError> {
        seal::unseal(&self.inner.store.secret()?, asked, state, token)
    }
}

fn within(collections: &[String]) -> Filter {
    let collections = (!collections.is_empty()).then(|| collections.to_vec());
    Filter { collections, ..Filter::default() }
}
