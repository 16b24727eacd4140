//! Documents of any collection in the words of a library: who asks need not know whether one was handed over.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError};

use docent_index::{ContentHash, DocumentRecord, Filter, Snapshot};
use sha2::{Digest, Sha256};

use super::{Details, LibraryDocument};
use crate::engine::{Engine, Inner};
use crate::read::some;
use crate::{EngineError, SearchHit};

/// Hashes that are kept; when there are more, all are made again.
const MAX_HASHES: usize = 100_000;

/// SHA-256 of texts that were asked for, by the hash that the index knows them by.
pub(crate) type Sha256s = HashMap<ContentHash, String>;

impl LibraryDocument {
    /// A document as it stands in the index. One that was not handed over has no [`Details::sha256`] yet: that takes its
    /// whole text.
    pub fn of(record: Arc<DocumentRecord>) -> Self {
        let handed: Option<Details> = match record.details.is_empty() {
            true => None,
            false => serde_json::from_str(&record.details).ok(),
        };
        let is_handed = handed.is_some();
        let details = handed.unwrap_or_else(|| {
            let changed_ms = modified_ms(&record);
            Details {
                file_type: file_type(&record.path),
                last_modified_ms: Some(changed_ms),
                created_ms: changed_ms,
                ..Details::default()
            }
        });
        Self { record, details, is_handed }
    }
}

impl SearchHit {
    /// The document behind a hit, in the words of a library. One that was not handed over has no [`Details::sha256`].
    pub fn library_document(&self) -> LibraryDocument {
        LibraryDocument::of(Arc::clone(&self.document))
    }
}

impl Engine {
    /// The document behind a hit, in the words of a library, whole.
    pub fn document_of(&self, hit: &SearchHit) -> Result<LibraryDocument, EngineError> {
        let mut document = hit.library_document();
        self.inner.add_hash(&*self.inner.store.snapshot()?, &mut document)?;
        Ok(document)
    }

    /// The document of a library that came from this source.
    pub fn handed(&self, library: &str, source: &str) -> Result<Option<LibraryDocument>, EngineError> {
        super::check_library_name(library)?;
        self.inner.writer(library)?;
        let snapshot = self.inner.store.snapshot()?;
        if self.inner.library(&*snapshot, library)?.is_none() {
            return Ok(None);
        }
        Ok(snapshot.document_at(library, source).map(LibraryDocument::of))
    }

    /// Documents of these collections (none means all), newest first where they were handed over, `limit` from `offset` on, and how many there are.
    pub fn library_documents(
        &self,
        collections: &[String],
        limit: usize,
        offset: usize,
    ) -> Result<(Vec<LibraryDocument>, usize), EngineError> {
        self.inner.freshen();
        let snapshot = self.inner.store.snapshot()?;
        let filter = Filter { collections: some(collections), ..Filter::default() };
        let mut documents: Vec<_> =
            snapshot.documents(&filter).into_iter().map(LibraryDocument::of).collect();
        // Those of folders and fetched collections follow in the order of their paths, which the sort keeps.
        documents.sort_by_key(|document| match document.is_handed {
            true => (0, -document.details.created_ms),
            false => (1, 0),
        });
        let count = documents.len();
        let mut page: Vec<_> = documents.into_iter().skip(offset).take(limit).collect();
        for document in &mut page {
            self.inner.add_hash(&*snapshot, document)?;
        }
        Ok((page, count))
    }

    /// The document with this uuid, in any of these collections (none means all), and its whole text as indexed.
    pub fn library_document(
        &self,
        collections: &[String],
        uuid: &str,
    ) -> Result<Option<(LibraryDocument, String)>, EngineError> {
        self.inner.freshen();
        let snapshot = self.inner.store.snapshot()?;
        let filter = Filter { collections: some(collections), ..Filter::default() };
        let Some(record) = by_uuid(&*snapshot, &filter, uuid) else { return Ok(None) };
        let Some(text) = snapshot.text(record.id)? else { return Ok(None) };
        let mut document = LibraryDocument::of(record);
        self.inner.add_hash(&*snapshot, &mut document)?;
        Ok(Some((document, text)))
    }
}

impl Inner {
    /// Fills in the SHA-256 of a document that was not handed over.
    pub(super) fn add_hash(
        &self,
        snapshot: &dyn Snapshot,
        document: &mut LibraryDocument,
    ) -> Result<(), EngineError> {
        if document.is_handed {
            return Ok(());
        }
        let key = document.record.content_hash;
        let held = || self.sha256s.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(hash) = held().get(&key) {
            document.details.sha256.clone_from(hash);
            return Ok(());
        }
        // A document that has just been replaced has no text any more.
        let Some(text) = snapshot.text(document.record.id)? else { return Ok(()) };
        document.details.sha256 = hex(&Sha256::digest(text.as_bytes()));
        let mut held = held();
        if held.len() >= MAX_HASHES {
            held.clear();
        }
        held.insert(key, document.details.sha256.clone());
        Ok(())
    }
}

/// The document with this uuid.
pub(super) fn by_uuid(snapshot: &dyn Snapshot, filter: &Filter, uuid: &str) -> Option<Arc<DocumentRecord>> {
    snapshot.documents(filter).into_iter().find(|document| document.uuid == uuid)
}

/// When the document's source last changed, in milliseconds since 1970.
pub(super) fn modified_ms(record: &DocumentRecord) -> i64 {
    record.stat.mtime_ns.div_euclid(1_000_000)
}

/// What kind of file a name tells of, as what is handed over says it: the extension that such files usually have.
fn file_type(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension = name.rsplit_once('.').map(|(_, extension)| extension.to_lowercase()).unwrap_or_default();
    match extension.as_str() {
        "markdown" | "mdown" | "mkd" | "mdx" => "md".to_owned(),
        "" | "text" => "txt".to_owned(),
        "htm" | "xhtml" => "html".to_owned(),
        "asciidoc" | "asc" => "adoc".to_owned(),
        "yml" => "yaml".to_owned(),
        _ => extension,
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::file_type;

    #[test]
    fn names_tell_the_type() {
        for (path, expected) in
            [("a/b.md", "md"), ("a.mdx", "md"), ("B.PDF", "pdf"), ("x.y/README", "txt"), ("a.txt", "txt")]
        {
            assert_eq!(file_type(path), expected, "{path}");
        }
    }
}
