//! From a document's tokens to the rows of a segment.

use std::collections::{BTreeMap, HashMap};

use docent_store_common::DocumentTokens;

use super::entries::Entries;
use super::lengths;
use super::postings::Packer;

/// The number of a word: the beginning of its hash. Two words of one index meet by chance once in millions of indexes.
pub(crate) fn term_of(word: &str) -> i64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&blake3::hash(word.as_bytes()).as_bytes()[..8]);
    i64::from_le_bytes(bytes)
}

/// How often each word occurs in an entry, and how many words that are.
struct Counted {
    words: Vec<(i64, u32)>,
    length: u32,
}

/// What is indexed of a document, counted.
pub(crate) struct DocumentWords {
    pub(crate) document: u64,
    page: Counted,
    chunks: Vec<(u64, Counted)>,
}

impl DocumentWords {
    pub(crate) fn new(document: u64, tokens: &DocumentTokens<'_>) -> Self {
        let mut terms = HashMap::new();
        let mut page: HashMap<i64, u32> = HashMap::new();
        let mut page_length = 0;
        let mut term = |word: &str| match terms.get(word) {
            Some(term) => *term,
            None => {
                let term = term_of(word);
                terms.insert(word.to_owned(), term);
                term
            }
        };
        for word in tokens.page_headings().into_iter().filter(|word| !word.is_empty()) {
            *page.entry(term(word)).or_default() += 1;
            page_length += 1;
        }
        let mut chunks = Vec::with_capacity(tokens.chunks.len());
        for chunk in &tokens.chunks {
            let mut counts: HashMap<i64, u32> = HashMap::new();
            let mut length = 0;
            for word in chunk.heading.split_whitespace() {
                *counts.entry(term(word)).or_default() += 1;
                length += 1;
            }
            for word in chunk.body.split_whitespace() {
                let term = term(word);
                *counts.entry(term).or_default() += 1;
                *page.entry(term).or_default() += 1;
                length += 1;
                page_length += 1;
            }
            chunks.push((chunk.key, Counted { words: counts.into_iter().collect(), length }));
        }
        Self { document, page: Counted { words: page.into_iter().collect(), length: page_length }, chunks }
    }

    pub(crate) fn chunk_count(&self) -> usize {
        self.chunks.len()
    }
}

/// A segment that is about to be written.
#[derive(Default)]
pub(crate) struct SegmentDraft {
    pub(crate) entries: Entries,
    pub(crate) chunk_words: u64,
    pub(crate) page_words: u64,
    /// By term.
    pub(crate) terms: BTreeMap<i64, Packer>,
}

impl SegmentDraft {
    /// Makes a segment of documents, which are put in the order of their numbers.
    pub(crate) fn of(mut documents: Vec<DocumentWords>) -> Self {
        documents.sort_by_key(|words| words.document);
        let mut draft = Self::default();
        for words in &documents {
            let page = draft.entries.push_document(words.document, lengths::step(words.page.length));
            draft.page_words += u64::from(words.page.length);
            for (term, count) in &words.page.words {
                draft.terms.entry(*term).or_default().pages.push(page, *count);
            }
            for (key, counted) in &words.chunks {
                let chunk = draft.entries.push_chunk(*key, lengths::step(counted.length));
                draft.chunk_words += u64::from(counted.length);
                for (term, count) in &counted.words {
                    draft.terms.entry(*term).or_default().chunks.push(chunk, *count);
                }
            }
        }
        draft
    }
}
