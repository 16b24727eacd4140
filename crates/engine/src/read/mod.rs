//! Reading by name: a page, a section, a chunk, the list of pages.
//!
//! Every read passes the same gates as a search. Not finding something names what is near, so that the next call hits.

mod documents;
mod find;
mod inner;
mod shape;

use std::sync::Arc;

use docent_index::{ChunkRecord, DocumentRecord, Filter, Snapshot};
use docent_text::strip_part;

use crate::engine::{Engine, Inner};
use crate::freshness::Verdict;
use crate::times::iso;
use crate::{EngineError, ErrorKind, Source};

pub use documents::{DocumentList, DocumentSummary};
use find::{Named, Parts, no_section};
pub(crate) use shape::Aged;
pub use shape::{Around, Got, Page, PageChunk, PageList, PageSummary, SectionText};
use shape::{page_chunk, whole};

/// How often a read starts over because the file has changed.
const RETRIES: usize = 2;

impl Engine {
    /// What `target` names, with up to `context` chunks of the same page on either side.
    pub fn around(
        &self,
        collections: &[String],
        target: &str,
        context: usize,
    ) -> Result<Around, EngineError> {
        self.current(target, |inner, snapshot| {
            let (named, document) = inner.named(snapshot, collections, target, Parts::Single)?;
            let around = match named {
                Named::Page => {
                    let text = snapshot.text(document.id)?.unwrap_or_default();
                    let page = inner.shape_page(&document, snapshot.chunks_of(document.id)?, text);
                    Around { section: whole(page), before: Vec::new(), after: Vec::new() }
                }
                Named::Section(section, parts, mut chunks) => {
                    let after = chunks.split_off(parts.end);
                    chunks.truncate(parts.start);
                    let before = chunks.split_off(parts.start.saturating_sub(context));
                    Around {
                        section: *section,
                        before: before.into_iter().map(page_chunk).collect(),
                        after: after.into_iter().take(context).map(page_chunk).collect(),
                    }
                }
            };
            Ok((around, document))
        })
    }

    /// A page by its path; a leading `./` or `/` does not matter, and an absolute path under a root is fine.
    pub fn page(&self, collections: &[String], path: &str) -> Result<Page, EngineError> {
        self.current(path, |inner, snapshot| {
            let document = inner.resolve(snapshot, collections, path)?;
            let chunks = snapshot.chunks_of(document.id)?;
            let text = snapshot.text(document.id)?.unwrap_or_default();
            Ok((inner.shape_page(&document, chunks, text), document))
        })
    }

    /// A section by its exact heading path, parts joined.
    pub fn section(
        &self,
        collections: &[String],
        path: &str,
        heading_path: &str,
    ) -> Result<SectionText, EngineError> {
        self.current(path, |inner, snapshot| {
            let document = inner.resolve(snapshot, collections, path)?;
            let chunks = snapshot.chunks_of(document.id)?;
            let wanted = strip_part(heading_path.trim());
            // A heading may itself end like a part of a long section; the ids tell them apart.
            let exact = chunks.iter().find(|chunk| chunk.heading_path == heading_path.trim());
            let belongs = |chunk: &&ChunkRecord| match exact {
                Some(exact) => section_id(&chunk.chunk_id) == section_id(&exact.chunk_id),
                None => strip_part(&chunk.heading_path) == wanted,
            };
            let parts: Vec<&ChunkRecord> = chunks.iter().filter(belongs).collect();
            if parts.is_empty() {
                let text = snapshot.text(document.id)?.unwrap_or_default();
                let record = inner::by_breadcrumb(&document, &text, wanted);
                let section = record.and_then(|record| inner.join(&document, &[&record]));
                let section = section.ok_or_else(|| {
                    let inside = inner::breadcrumbs(&document, &text);
                    no_section(&document.path, wanted, inside.iter().map(String::as_str))
                })?;
                return Ok((section, document));
            }
            let headings = chunks.iter().map(|chunk| strip_part(&chunk.heading_path));
            let mut section =
                inner.join(&document, &parts).ok_or_else(|| no_section(&document.path, wanted, headings))?;
            if let ([only], Some(_)) = (parts.as_slice(), exact) {
                section.metadata.heading_path.clone_from(&only.heading_path);
            }
            Ok((section, document))
        })
    }

    /// A page (`PATH`), or a section of one by chunk id, unambiguous tail of it, or heading path (`PATH#SECTION`).
    pub fn get(&self, collections: &[String], target: &str) -> Result<Got, EngineError> {
        self.current(target, |inner, snapshot| {
            let (named, document) = inner.named(snapshot, collections, target, Parts::Joined)?;
            let got = match named {
                Named::Page => {
                    let text = snapshot.text(document.id)?.unwrap_or_default();
                    Got::Page(inner.shape_page(&document, snapshot.chunks_of(document.id)?, text))
                }
                Named::Section(section, ..) => Got::Section(*section),
            };
            Ok((got, document))
        })
    }

    /// The pages whose path starts with `prefix`; a folder may be given with or without its slash.
    pub fn list(&self, collections: &[String], prefix: Option<&str>) -> Result<PageList, EngineError> {
        let degraded = self.inner.freshen();
        let snapshot = self.inner.store.snapshot()?;
        let filter = Filter { collections: some(collections), ..Filter::default() };
        let documents = snapshot.documents(&filter);
        let given = normalise(prefix.unwrap_or_default());
        let inside = self.inner.sources.iter().filter_map(|source| inside_folder(source, given));
        let mut prefixes = std::iter::once(given).chain(inside);
        let any = |prefix: &&str| documents.iter().any(|document| under(&document.path, prefix));
        let prefix = prefixes.find(any).unwrap_or(given);
        let pages: Vec<PageSummary> = documents
            .iter()
            .filter(|document| under(&document.path, prefix))
            .filter(|document| self.inner.verdict(document) != Verdict::Gone)
            .map(|document| PageSummary {
                file_path: document.path.clone(),
                title: document.title.clone(),
                headings: document.headings.clone(),
                chunk_count: document.chunk_count,
                total_chars: document.char_count,
                last_modified: iso(document.stat.mtime_ns),
                collection: document.collection.clone(),
                content_hash: document.content_hash.to_hex(),
            })
            .collect();
        let stale = self.inner.sources.iter().any(|source| !source.root.is_dir());
        Ok(PageList { total_pages: pages.len(), pages, stale, degraded: degraded.into_iter().collect() })
    }

    /// Runs a read, looks at the file behind it, and starts over when it has changed.
    fn current<T: Aged>(
        &self,
        target: &str,
        read: impl Fn(&Inner, &dyn Snapshot) -> Result<(T, Arc<DocumentRecord>), EngineError>,
    ) -> Result<T, EngineError> {
        let behind = self.inner.freshen();
        self.inner.current(behind.as_deref(), target, read)
    }
}

impl Inner {
    /// Runs a read after the gate, which said what is `behind`.
    pub(crate) fn current<T: Aged>(
        &self,
        behind: Option<&str>,
        target: &str,
        read: impl Fn(&Inner, &dyn Snapshot) -> Result<(T, Arc<DocumentRecord>), EngineError>,
    ) -> Result<T, EngineError> {
        let mut attempt = 0;
        loop {
            let snapshot = self.store.snapshot()?;
            let (mut value, document) = match read(self, &*snapshot) {
                Err(error)
                    if error.kind == ErrorKind::NotFound && attempt == 0 && self.catch_up(target)? =>
                {
                    attempt += 1;
                    continue;
                }
                Err(mut error) if error.kind == ErrorKind::NotFound => {
                    // It may be among what is not indexed yet.
                    if let Some(behind) = behind {
                        let space = if error.hint.is_empty() { "" } else { " " };
                        error.hint = format!("{}{space}({behind})", error.hint);
                    }
                    return Err(error);
                }
                outcome => outcome?,
            };
            if let Some(commit) = self.fetched_commit(&*snapshot, &document.collection) {
                value.set_commit(commit);
            }
            let verdict = self.verdict(&document);
            if verdict == Verdict::Current {
                return Ok(value);
            }
            if verdict == Verdict::Unknown || attempt >= RETRIES {
                value.set_stale();
                return Ok(value);
            }
            attempt += 1;
            if let Some((index, _)) = self.source(&document.collection) {
                self.refresh(&[(index, document.path.clone())].into())?;
            }
        }
    }
}

/// The id of the section that a chunk is a part of.
fn section_id(chunk_id: &str) -> &str {
    chunk_id.rsplit_once("/_part-").or_else(|| chunk_id.rsplit_once("#_part-")).map_or(chunk_id, |(id, _)| id)
}

fn under(path: &str, prefix: &str) -> bool {
    let folder = prefix.trim_end_matches('/');
    folder.is_empty()
        || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        || (!prefix.ends_with('/') && path.starts_with(prefix) && prefix.contains('.'))
}

/// The path without the documents folder's own name, as a shell completes it from the project: `docs/guides/a.md`.
pub(crate) fn inside_folder<'a>(source: &Source, given: &'a str) -> Option<&'a str> {
    normalise(given).strip_prefix(source.root.file_name()?.to_str()?)?.strip_prefix('/')
}

fn normalise(path: &str) -> &str {
    path.trim_start_matches("./").trim_start_matches('/')
}

pub(crate) fn some(collections: &[String]) -> Option<Vec<String>> {
    (!collections.is_empty()).then(|| collections.to_vec())
}
