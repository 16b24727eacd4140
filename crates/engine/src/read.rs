//! Reading by name: a page, a section, a chunk, the list of pages.
//!
//! Every read passes the same gates as a search. Not finding something names what is near, so that the next call hits.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use docent_index::{ChunkRecord, DocumentRecord, Filter, Snapshot};
use docent_text::strip_part;
use serde::Serialize;

use crate::ask::shown_facets;
use crate::engine::{Engine, Inner};
use crate::freshness::Verdict;
use crate::search::HitMetadata;
use crate::times::iso;
use crate::{EngineError, Source};

/// How often a read starts over because the file has changed.
const RETRIES: usize = 2;
/// How many near names an error lists.
const NEAR: usize = 5;

/// A whole page.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Page {
    /// Path inside the collection.
    pub file_path: String,
    /// First h1, front matter title or file name.
    pub title: String,
    /// Last change, ISO 8601.
    pub last_modified: String,
    /// Characters over all chunks.
    pub total_chars: u64,
    /// Name of the collection.
    pub collection: String,
    /// BLAKE3 of the document as indexed.
    pub content_hash: String,
    /// Commit that the working tree is at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Facets of the document.
    #[serde(skip)]
    pub facets: BTreeMap<String, String>,
    /// In document order.
    pub chunks: Vec<PageChunk>,
    /// The whole text, byte for byte as indexed.
    #[serde(skip)]
    pub text: String,
}

/// A chunk of a page.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PageChunk {
    /// `path#section/subsection`.
    pub chunk_id: String,
    /// Raw Markdown.
    pub content: String,
    /// `Guide > Retries`.
    pub heading_path: String,
    /// 0 to 6.
    pub heading_level: u8,
    /// Unicode characters.
    pub char_count: u32,
    /// First line, from 1.
    pub start_line: u32,
    /// Last line, inclusive.
    pub end_line: u32,
}

/// One section, its parts joined.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SectionText {
    /// `path#section/subsection`.
    pub chunk_id: String,
    /// Raw Markdown.
    pub content: String,
    /// Where it comes from.
    pub metadata: HitMetadata,
}

/// The pages under a prefix.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PageList {
    /// By path.
    pub pages: Vec<PageSummary>,
    /// How many.
    pub total_pages: usize,
}

/// One line of a page list.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PageSummary {
    /// Path inside the collection.
    pub file_path: String,
    /// Title.
    pub title: String,
    /// Headings of level 1 and 2.
    pub headings: Vec<String>,
    /// Number of chunks.
    pub chunk_count: u32,
    /// Characters over all chunks.
    pub total_chars: u64,
    /// Last change, ISO 8601.
    pub last_modified: String,
    /// Name of the collection.
    pub collection: String,
    /// BLAKE3 of the document as indexed.
    pub content_hash: String,
}

/// What `get` found: a page or a section of one.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Got {
    /// The path named a page.
    Page(Page),
    /// The path named a section.
    Section(SectionText),
}

/// What [`Engine::get`] found, with its neighbours in the page.
#[derive(Debug, Clone, PartialEq)]
pub struct Around {
    /// The chunk or the page.
    pub section: SectionText,
    /// Chunks before it, in document order.
    pub before: Vec<PageChunk>,
    /// Chunks after it, in document order.
    pub after: Vec<PageChunk>,
}

impl Engine {
    /// What `target` names, with up to `context` chunks of the same page on either side.
    pub fn around(
        &self,
        collections: &[String],
        target: &str,
        context: usize,
    ) -> Result<Around, EngineError> {
        self.current(|inner, snapshot| {
            let (named, document) = inner.named(snapshot, collections, target)?;
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
                        section,
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
        self.current(|inner, snapshot| {
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
        self.current(|inner, snapshot| {
            let document = inner.resolve(snapshot, collections, path)?;
            let chunks = snapshot.chunks_of(document.id)?;
            let wanted = strip_part(heading_path.trim());
            let parts: Vec<&ChunkRecord> =
                chunks.iter().filter(|chunk| strip_part(&chunk.heading_path) == wanted).collect();
            let section =
                inner.join(&document, &parts).ok_or_else(|| no_section(&document.path, wanted, &chunks))?;
            Ok((section, document))
        })
    }

    /// A page (`PATH`), or a section of one by chunk id, unambiguous tail of it, or heading path (`PATH#SECTION`).
    pub fn get(&self, collections: &[String], target: &str) -> Result<Got, EngineError> {
        self.current(|inner, snapshot| {
            let (named, document) = inner.named(snapshot, collections, target)?;
            let got = match named {
                Named::Page => {
                    let text = snapshot.text(document.id)?.unwrap_or_default();
                    Got::Page(inner.shape_page(&document, snapshot.chunks_of(document.id)?, text))
                }
                Named::Section(section, ..) => Got::Section(section),
            };
            Ok((got, document))
        })
    }

    /// The pages whose path starts with `prefix`; a folder may be given with or without its slash.
    pub fn list(&self, collections: &[String], prefix: Option<&str>) -> Result<PageList, EngineError> {
        self.inner.freshen();
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
        Ok(PageList { total_pages: pages.len(), pages })
    }

    /// Runs a read, looks at the file behind it, and starts over when it has changed.
    fn current<T>(
        &self,
        read: impl Fn(&Inner, &dyn Snapshot) -> Result<(T, Arc<DocumentRecord>), EngineError>,
    ) -> Result<T, EngineError> {
        let inner = &*self.inner;
        inner.freshen();
        let mut attempt = 0;
        loop {
            let snapshot = inner.store.snapshot()?;
            let (value, document) = read(inner, &*snapshot)?;
            let verdict = inner.verdict(&document);
            if matches!(verdict, Verdict::Current | Verdict::Unknown) || attempt >= RETRIES {
                return Ok(value);
            }
            attempt += 1;
            if let Some((index, _)) = inner.source(&document.collection) {
                inner.refresh(&[(index, document.path.clone())].into())?;
            }
        }
    }
}

/// What a target names.
enum Named {
    /// A whole page.
    Page,
    /// A section, which of the page's chunks it is, and all of them.
    Section(SectionText, Range<usize>, Vec<ChunkRecord>),
}

impl Inner {
    /// Finds what `PATH` or `PATH#SECTION` names.
    fn named(
        &self,
        snapshot: &dyn Snapshot,
        collections: &[String],
        target: &str,
    ) -> Result<(Named, Arc<DocumentRecord>), EngineError> {
        if let Some(document) = self.find(snapshot, collections, target) {
            return Ok((Named::Page, document));
        }
        // A path may itself contain `#`, so every split is tried, longest path first.
        for (at, _) in target.rmatch_indices('#') {
            if let Some(document) = self.find(snapshot, collections, &target[..at]) {
                let chunks = snapshot.chunks_of(document.id)?;
                let (section, parts) = self.by_fragment(&document, &target[at + 1..], &chunks)?;
                return Ok((Named::Section(section, parts, chunks), document));
            }
        }
        let path = target.split('#').next().unwrap_or(target);
        Err(self.no_page(snapshot, collections, path))
    }

    fn by_fragment(
        &self,
        document: &DocumentRecord,
        fragment: &str,
        chunks: &[ChunkRecord],
    ) -> Result<(SectionText, Range<usize>), EngineError> {
        let first = pick(&document.path, fragment, chunks)?;
        let breadcrumb = strip_part(&first.heading_path);
        let is_part = first.chunk_id.contains("/_part-") || first.chunk_id.contains("#_part-");
        let belongs = |chunk: &&ChunkRecord| match is_part {
            true => chunk.id == first.id,
            false => strip_part(&chunk.heading_path) == breadcrumb,
        };
        let parts: Vec<&ChunkRecord> = chunks.iter().filter(belongs).collect();
        let section =
            self.join(document, &parts).ok_or_else(|| no_section(&document.path, fragment, chunks))?;
        let start = chunks.iter().position(|chunk| belongs(&chunk)).unwrap_or(0);
        let end = chunks.iter().rposition(|chunk| belongs(&chunk)).map_or(start, |last| last + 1);
        Ok((section, start..end))
    }

    /// The document at a path, however the path is written.
    fn find(
        &self,
        snapshot: &dyn Snapshot,
        collections: &[String],
        given: &str,
    ) -> Option<Arc<DocumentRecord>> {
        let absolute = |source: &Source| {
            let inside = given.strip_prefix(source.root.to_str()?)?.strip_prefix('/')?;
            Some(inside.to_owned())
        };
        let inside = |source: &Source| inside_folder(source, given).map(str::to_owned);
        let wanted: Vec<String> = self
            .sources
            .iter()
            .filter_map(absolute)
            .chain([given.to_owned(), normalise(given).to_owned()])
            .chain(self.sources.iter().filter_map(inside))
            .collect();
        let known = snapshot.collections();
        let asked = known
            .iter()
            .map(|collection| &collection.name)
            .filter(|name| collections.is_empty() || collections.contains(name));
        asked.into_iter().find_map(|name| wanted.iter().find_map(|path| snapshot.document_at(name, path)))
    }

    fn resolve(
        &self,
        snapshot: &dyn Snapshot,
        collections: &[String],
        given: &str,
    ) -> Result<Arc<DocumentRecord>, EngineError> {
        self.find(snapshot, collections, given).ok_or_else(|| self.no_page(snapshot, collections, given))
    }

    fn no_page(&self, snapshot: &dyn Snapshot, collections: &[String], given: &str) -> EngineError {
        let filter = Filter { collections: some(collections), ..Filter::default() };
        let documents = snapshot.documents(&filter);
        let near = near(normalise(given), documents.iter().map(|document| document.path.as_str()));
        let hint = if near.is_empty() {
            // The message itself names the next step.
            String::new()
        } else {
            format!("did you mean {}?", near.join(", "))
        };
        EngineError::not_found(
            format!("No page found at path: {given}. Use list_pages to discover available pages."),
            hint,
        )
    }

    fn shape_page(&self, document: &DocumentRecord, chunks: Vec<ChunkRecord>, text: String) -> Page {
        Page {
            file_path: document.path.clone(),
            title: document.title.clone(),
            last_modified: iso(document.stat.mtime_ns),
            total_chars: document.char_count,
            collection: document.collection.clone(),
            content_hash: document.content_hash.to_hex(),
            commit: self.commit(document),
            facets: shown_facets(document),
            chunks: chunks.into_iter().map(page_chunk).collect(),
            text,
        }
    }

    fn join(&self, document: &DocumentRecord, parts: &[&ChunkRecord]) -> Option<SectionText> {
        let (first, last) = (parts.first()?, parts.last()?);
        Some(SectionText {
            chunk_id: first.chunk_id.clone(),
            content: parts.iter().map(|part| part.content.as_str()).collect(),
            metadata: HitMetadata {
                file_path: document.path.clone(),
                heading_path: strip_part(&first.heading_path).to_owned(),
                heading_level: first.heading_level,
                last_modified: iso(document.stat.mtime_ns),
                char_count: parts.iter().map(|part| u64::from(part.char_count)).sum(),
                start_line: first.start_line,
                end_line: last.end_line,
                title: document.title.clone(),
                collection: document.collection.clone(),
                content_hash: document.content_hash.to_hex(),
                commit: self.commit(document),
                facets: shown_facets(document),
            },
        })
    }
}

fn page_chunk(chunk: ChunkRecord) -> PageChunk {
    PageChunk {
        chunk_id: chunk.chunk_id,
        content: chunk.content,
        heading_path: chunk.heading_path,
        heading_level: chunk.heading_level,
        char_count: chunk.char_count,
        start_line: chunk.start_line,
        end_line: chunk.end_line,
    }
}

/// A page as one section.
fn whole(page: Page) -> SectionText {
    let last = page.chunks.last().map_or(1, |chunk| chunk.end_line);
    SectionText {
        chunk_id: page.file_path.clone(),
        metadata: HitMetadata {
            file_path: page.file_path,
            heading_path: page.title.clone(),
            heading_level: 0,
            last_modified: page.last_modified,
            char_count: page.text.chars().count() as u64,
            start_line: 1,
            end_line: last,
            title: page.title,
            collection: page.collection,
            content_hash: page.content_hash,
            commit: page.commit,
            facets: page.facets,
        },
        content: page.text,
    }
}

/// The chunk that a fragment names: its id, a tail of its id that only one chunk has, or its heading path.
fn pick<'a>(path: &str, fragment: &str, chunks: &'a [ChunkRecord]) -> Result<&'a ChunkRecord, EngineError> {
    let id = |chunk: &'a ChunkRecord| chunk.chunk_id.get(path.len() + 1..).unwrap_or("");
    if let Some(chunk) = chunks.iter().find(|chunk| id(chunk) == fragment) {
        return Ok(chunk);
    }
    let tail = format!("/{fragment}");
    let tails: Vec<&ChunkRecord> = chunks.iter().filter(|chunk| id(chunk).ends_with(&tail)).collect();
    match tails.as_slice() {
        [chunk] => return Ok(chunk),
        [] => {}
        several => {
            let candidates: Vec<&str> = several.iter().map(|chunk| chunk.chunk_id.as_str()).collect();
            return Err(EngineError::not_found(
                format!("#{fragment} names {} sections of {path}", several.len()),
                format!("use one of: {}", candidates.join(", ")),
            ));
        }
    }
    let by_heading = |chunk: &&ChunkRecord| strip_part(&chunk.heading_path) == fragment;
    if let Some(chunk) = chunks.iter().find(by_heading) {
        return Ok(chunk);
    }
    // What a person types after reading the heading: its words, not its slug.
    let slug = fragment.split('/').map(docent_text::slug).collect::<Vec<_>>().join("/");
    if slug != fragment {
        pick(path, &slug, chunks).map_err(|_| no_section(path, fragment, chunks))
    } else {
        Err(no_section(path, fragment, chunks))
    }
}

fn no_section(path: &str, wanted: &str, chunks: &[ChunkRecord]) -> EngineError {
    let headings = || chunks.iter().map(|chunk| strip_part(&chunk.heading_path));
    let mut near = near(wanted, headings());
    if near.is_empty() {
        near = headings().filter(|heading| *heading != "(root)").take(NEAR).collect();
    }
    let hint = if near.is_empty() {
        "the page has no headings; get the whole page".to_owned()
    } else {
        format!("closest headings: {}", near.join("; "))
    };
    EngineError::not_found(
        format!("No section found at heading: {wanted} in {path}. Use get_page to see available sections."),
        hint,
    )
}

/// The names that share most letter pairs with `wanted`.
fn near<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted = pairs(wanted);
    let mut scored: Vec<(f32, &str)> = names.map(|name| (overlap(&wanted, &pairs(name)), name)).collect();
    scored.retain(|(score, _)| *score > 0.2);
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    scored.dedup_by(|a, b| a.1 == b.1);
    scored.into_iter().take(NEAR).map(|(_, name)| name).collect()
}

fn pairs(name: &str) -> std::collections::HashSet<(char, char)> {
    let letters: Vec<char> = name.to_lowercase().chars().take(256).collect();
    letters.windows(2).map(|pair| (pair[0], pair[1])).collect()
}

fn overlap(a: &std::collections::HashSet<(char, char)>, b: &std::collections::HashSet<(char, char)>) -> f32 {
    let shared = a.intersection(b).count() as f32;
    2.0 * shared / (a.len() + b.len()).max(1) as f32
}

fn under(path: &str, prefix: &str) -> bool {
    let folder = prefix.trim_end_matches('/');
    folder.is_empty()
        || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        || (!prefix.ends_with('/') && path.starts_with(prefix) && prefix.contains('.'))
}

/// The path without the documents folder's own name, as a shell completes it from the project: `docs/guides/a.md`.
fn inside_folder<'a>(source: &Source, given: &'a str) -> Option<&'a str> {
    normalise(given).strip_prefix(source.root.file_name()?.to_str()?)?.strip_prefix('/')
}

fn normalise(path: &str) -> &str {
    path.trim_start_matches("./").trim_start_matches('/')
}

fn some(collections: &[String]) -> Option<Vec<String>> {
    (!collections.is_empty()).then(|| collections.to_vec())
}
