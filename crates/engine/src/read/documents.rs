//! The documents of one collection, a page of the list at a time.

use docent_index::Filter;

use crate::freshness::Verdict;
use crate::{Engine, EngineError};

/// Some documents of a collection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentList {
    /// By path.
    pub documents: Vec<DocumentSummary>,
    /// How many the collection has.
    pub total: usize,
    /// True when this is as it was indexed and the folder could not be looked at.
    pub stale: bool,
    /// What makes the list less than it could be.
    pub degraded: Vec<String>,
}

/// One line of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentSummary {
    /// Path inside the collection.
    pub path: String,
    /// Title.
    pub title: String,
    /// Unicode characters of its whole text.
    pub size: usize,
    /// BLAKE3 of the document as indexed.
    pub content_hash: String,
}

impl Engine {
    /// At most `limit` documents of a collection from number `offset` on; pending changes are applied first.
    pub fn documents(
        &self,
        collection: &str,
        offset: usize,
        limit: usize,
    ) -> Result<DocumentList, EngineError> {
        let degraded = self.inner.freshen();
        let snapshot = self.inner.store.snapshot()?;
        let filter = Filter { collections: Some(vec![collection.to_owned()]), ..Filter::default() };
        let mut all = snapshot.documents(&filter);
        all.retain(|document| self.inner.verdict(document) != Verdict::Gone);
        let mut documents = Vec::new();
        for document in all.iter().skip(offset).take(limit) {
            let text = snapshot.text(document.id)?.unwrap_or_default();
            documents.push(DocumentSummary {
                path: document.path.clone(),
                title: document.title.clone(),
                size: text.chars().count(),
                content_hash: document.content_hash.to_hex(),
            });
        }
        let stale = self.inner.source(collection).is_some_and(|(_, source)| !source.root.is_dir());
        Ok(DocumentList { documents, total: all.len(), stale, degraded: degraded.into_iter().collect() })
    }
}
