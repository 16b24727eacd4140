//! Which words count for a chunk and for a whole page: the definition of what BM25 ranks.
//!
//! A chunk's words are those of its own heading and its text. A page's are those of its title and of all headings, each
//! once, and all texts. A field of their own for titles and headings helped some kinds of documents and hurt others.

use std::borrow::Cow;
use std::collections::HashSet;

use docent_index::NewDocument;
use docent_text::tokens;

use crate::keys;

/// What is indexed of a document.
pub struct DocumentTokens<'a> {
    /// Tokens of the title, joined by spaces.
    pub title: String,
    /// Its searchable chunks.
    pub chunks: Vec<ChunkTokens<'a>>,
}

/// What is indexed of a searchable chunk.
pub struct ChunkTokens<'a> {
    /// The chunk's number.
    pub key: u64,
    /// Tokens of the body, joined by spaces.
    pub body: Cow<'a, str>,
    /// Tokens of the breadcrumb, joined by spaces.
    pub heading: Cow<'a, str>,
}

impl<'a> DocumentTokens<'a> {
    /// The tokens that came with a document, which gets the row `id`.
    pub fn given(id: u64, document: &'a NewDocument) -> Self {
        let chunks = document.chunks.iter().enumerate().filter(|(_, chunk)| chunk.searchable);
        let chunks = chunks.map(|(ordinal, chunk)| ChunkTokens {
            key: keys::chunk_key(id, ordinal),
            body: Cow::Borrowed(&chunk.body_tokens),
            heading: Cow::Borrowed(&chunk.heading_tokens),
        });
        DocumentTokens { title: tokens(&document.title).join(" "), chunks: chunks.collect() }
    }

    /// The words of title and headings that count for the page. Every chunk repeats the headings above it; in a page each
    /// of their words counts once more than in the text.
    pub fn page_headings(&self) -> Vec<&str> {
        let mut seen = HashSet::new();
        let headings =
            std::iter::once(self.title.as_str()).chain(self.chunks.iter().map(|chunk| &*chunk.heading));
        headings.flat_map(|heading| heading.split(' ')).filter(|word| seen.insert(*word)).collect()
    }
}
