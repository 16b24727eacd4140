//! The pages that came in a crawl, in all the ways in which the same page can come again.

use std::collections::{HashMap, HashSet};

use super::scope::twin_key;
use crate::pages::address::PageAddress;

/// Remembers pages.
#[derive(Default)]
pub(super) struct Had {
    /// Where they and their Markdown were found.
    answered: HashSet<String>,
    contents: HashSet<blake3::Hash>,
    /// Whether it came as Markdown, by what all addresses of a page have in common.
    twins: HashMap<String, bool>,
}

impl Had {
    /// Remembers a page; `false` if it is one that came before.
    pub(super) fn insert(&mut self, page: &PageAddress, from: &str, bytes: &[u8]) -> bool {
        let is_new = self.answered.insert(from.to_owned()) && self.contents.insert(blake3::hash(bytes));
        self.answered.insert(page.to_string());
        let (key, is_markdown) = twin_key(page);
        self.twins.entry(key.to_owned()).or_insert(is_markdown);
        is_new
    }

    /// Whether a page came already: by another way, or as Markdown, or this is the Markdown of one that came.
    pub(super) fn has(&self, page: &PageAddress) -> bool {
        let (key, is_markdown) = twin_key(page);
        self.answered.contains(page.as_str()) || self.twins.get(key).is_some_and(|twin| *twin != is_markdown)
    }
}
