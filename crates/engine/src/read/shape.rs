//! What reading by name gives back, in the field names that every surface uses.

use std::collections::BTreeMap;

use docent_index::{ChunkRecord, DocumentRecord};
use docent_text::strip_part;
use serde::Serialize;

use crate::answering::shown_facets;
use crate::engine::Inner;
use crate::search::HitMetadata;
use crate::times::iso;

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
    /// True when this is as it was indexed and the file could not be looked at again.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stale: bool,
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
    /// True when this is as it was indexed and the file could not be looked at again.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stale: bool,
}

/// The pages under a prefix.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PageList {
    /// By path.
    pub pages: Vec<PageSummary>,
    /// How many.
    pub total_pages: usize,
    /// True when this is as it was indexed and the file could not be looked at again.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stale: bool,
    /// What makes the list less than it could be.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub degraded: Vec<String>,
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

impl Inner {
    pub(super) fn shape_page(
        &self,
        document: &DocumentRecord,
        chunks: Vec<ChunkRecord>,
        text: String,
    ) -> Page {
        Page {
            file_path: document.path.clone(),
            title: document.title.clone(),
            last_modified: iso(document.stat.mtime_ns),
            total_chars: document.char_count,
            collection: document.collection.clone(),
            content_hash: document.content_hash.to_hex(),
            commit: self.commit(document),
            stale: false,
            facets: shown_facets(document),
            chunks: chunks.into_iter().map(page_chunk).collect(),
            text,
        }
    }

    pub(super) fn join(&self, document: &DocumentRecord, parts: &[&ChunkRecord]) -> Option<SectionText> {
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
                page: document.page(first.ordinal),
                title: document.title.clone(),
                collection: document.collection.clone(),
                content_hash: document.content_hash.to_hex(),
                commit: self.commit(document),
                facets: shown_facets(document),
                chunk_index: 0,
                total_chunks: document.chunk_count,
            },
            stale: false,
        })
    }
}

pub(super) fn page_chunk(chunk: ChunkRecord) -> PageChunk {
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
pub(super) fn whole(page: Page) -> SectionText {
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
            page: 0,
            title: page.title,
            collection: page.collection,
            content_hash: page.content_hash,
            commit: page.commit,
            facets: page.facets,
            chunk_index: 0,
            total_chunks: u32::try_from(page.chunks.len()).unwrap_or(u32::MAX),
        },
        content: page.text,
        stale: page.stale,
    }
}

/// What may have to say that it is as it was indexed.
pub(crate) trait Aged {
    fn set_stale(&mut self);
    /// The commit that the document was fetched from.
    fn set_commit(&mut self, commit: String);
}

impl Aged for Page {
    fn set_stale(&mut self) {
        self.stale = true;
    }

    fn set_commit(&mut self, commit: String) {
        self.commit = Some(commit);
    }
}

impl Aged for SectionText {
    fn set_stale(&mut self) {
        self.stale = true;
    }

    fn set_commit(&mut self, commit: String) {
        self.metadata.commit = Some(commit);
    }
}

impl Aged for Got {
    fn set_stale(&mut self) {
        match self {
            Self::Page(page) => page.set_stale(),
            Self::Section(section) => section.set_stale(),
        }
    }

    fn set_commit(&mut self, commit: String) {
        match self {
            Self::Page(page) => page.set_commit(commit),
            Self::Section(section) => section.set_commit(commit),
        }
    }
}

impl Aged for Around {
    fn set_stale(&mut self) {
        self.section.set_stale();
    }

    fn set_commit(&mut self, commit: String) {
        self.section.set_commit(commit);
    }
}
