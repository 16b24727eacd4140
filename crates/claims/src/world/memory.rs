//! Files in memory, for tests of checks.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::{Entry, Tree, is_evidence};

#[derive(Debug)]
pub(super) struct Memory {
    entries: BTreeMap<String, (Entry, String)>,
    contents: HashMap<String, Arc<[u8]>>,
}

impl Memory {
    pub(super) fn new(files: &[(&str, &str)]) -> Self {
        let entry = |(path, text): &(&str, &str)| {
            ((*path).to_owned(), (Entry::File, blake3::hash(text.as_bytes()).to_hex().to_string()))
        };
        let content = |(path, text): &(&str, &str)| ((*path).to_owned(), Arc::from(text.as_bytes()));
        Self { entries: files.iter().map(entry).collect(), contents: files.iter().map(content).collect() }
    }
}

impl Tree for Memory {
    fn entries(&self) -> &BTreeMap<String, (Entry, String)> {
        &self.entries
    }

    fn read(&self, path: &str) -> Option<Arc<[u8]>> {
        self.contents.get(path).cloned()
    }

    fn mentioning(&self, words: &[String]) -> HashMap<String, Vec<String>> {
        let holds = |path: &str, word: &str| {
            let text = String::from_utf8_lossy(&self.contents[path]).into_owned();
            let is_word = |character: char| character.is_alphanumeric() || character == '_';
            text.match_indices(word).any(|(at, _)| {
                !text[..at].chars().next_back().is_some_and(is_word)
                    && !text[at + word.len()..].chars().next().is_some_and(is_word)
            })
        };
        let files = |word: &String| {
            let paths = self.entries.keys().filter(|path| is_evidence(path) && holds(path, word));
            (word.clone(), paths.cloned().collect())
        };
        words.iter().map(files).collect()
    }
}
