//! All claims as they were known at one moment, to be asked many times.

use std::ops::RangeInclusive;
use std::sync::Arc;

use crate::book::Book;
use crate::lines::LinesHealth;
use crate::sections::{SectionHealth, Spot, section, sections};

/// All claims as they were known at one moment.
#[derive(Debug, Clone)]
pub struct View {
    book: Arc<Book>,
}

impl View {
    pub(crate) fn new(book: Arc<Book>) -> Self {
        Self { book }
    }

    /// The sections whose claims have words of `query`, best first and at most `max`, by the place of their first claim: file
    /// and line. With `verified_only`, only sections of which all claims hold.
    pub fn find(&self, query: &str, verified_only: bool, max: usize) -> Vec<Spot> {
        sections(&self.book, self.book.find(query), verified_only).take(max).collect()
    }

    /// The sections of the claims at these places, in this order, each once, by the place of their first claim.
    pub fn sections(&self, claims: impl IntoIterator<Item = Spot>) -> Vec<Spot> {
        let numbers = claims.into_iter().filter_map(|(file, line)| self.book.at(&file, line));
        sections(&self.book, numbers.collect::<Vec<_>>(), false).collect()
    }

    /// The section that a claim stands in; `None` where there is no claim.
    pub fn section(&self, claim: Spot) -> Option<SectionHealth> {
        section(&self.book, claim)
    }

    /// Lines of a file in which claims begin, among these.
    pub fn claimed_lines(&self, file: &str, lines: RangeInclusive<u32>) -> Vec<u32> {
        self.book.within(file, &lines).iter().map(|known| known.line).collect()
    }

    /// How some lines of a file stand; `None` where they claim nothing. An empty `content_hash` is not compared.
    pub fn lines(&self, file: &str, lines: RangeInclusive<u32>, content_hash: &str) -> Option<LinesHealth> {
        LinesHealth::of(&self.book, file, &lines, content_hash)
    }

    /// Documents that were verified.
    pub fn documents(&self) -> impl Iterator<Item = &str> {
        self.book.hashes.keys().map(String::as_str)
    }

    /// What the content of a document was when it was last verified.
    pub fn verified_content(&self, file: &str) -> Option<&str> {
        self.book.hashes.get(file).map(String::as_str)
    }
}
