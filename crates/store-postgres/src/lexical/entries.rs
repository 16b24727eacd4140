//! The entries of a segment: its documents and their chunks, each with the step of its length.

use docent_store_common::keys;

use super::postings::{put, take};

/// Documents and chunks, in the order of their numbers.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Entries {
    pub(crate) documents: Vec<u64>,
    pub(crate) page_steps: Vec<u8>,
    pub(crate) chunks: Vec<u64>,
    pub(crate) chunk_steps: Vec<u8>,
}

impl Entries {
    /// Adds a document behind all others and returns its place.
    pub(crate) fn push_document(&mut self, document: u64, step: u8) -> u32 {
        self.documents.push(document);
        self.page_steps.push(step);
        self.documents.len() as u32 - 1
    }

    /// Adds a chunk of the last document and returns its place.
    pub(crate) fn push_chunk(&mut self, chunk: u64, step: u8) -> u32 {
        self.chunks.push(chunk);
        self.chunk_steps.push(step);
        self.chunks.len() as u32 - 1
    }

    /// As bytes: for each document the distance to the one before, its step and how many chunks it has; for each chunk the
    /// distance and its step.
    pub(crate) fn pack(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.documents.len() * 4 + self.chunks.len() * 2);
        let (mut before, mut at) = (0, 0);
        for (document, step) in self.documents.iter().zip(&self.page_steps) {
            put(&mut bytes, document - before);
            before = *document;
            bytes.push(*step);
            let is_own = |chunk: &&u64| keys::document_of_chunk(**chunk) == *document;
            let own = self.chunks[at..].iter().take_while(is_own).count();
            put(&mut bytes, own as u64);
            let mut next = 0;
            for (chunk, step) in self.chunks[at..at + own].iter().zip(&self.chunk_steps[at..at + own]) {
                let ordinal = keys::ordinal_of_chunk(*chunk);
                put(&mut bytes, u64::from(ordinal - next));
                next = ordinal + 1;
                bytes.push(*step);
            }
            at += own;
        }
        bytes
    }

    /// The entries of these bytes; `None` when they are not what [`Entries::pack`] made.
    pub(crate) fn unpack(bytes: &[u8]) -> Option<Self> {
        let mut entries = Self::default();
        let (mut rest, mut document) = (bytes, 0u64);
        let byte = |rest: &mut &[u8]| {
            let (first, behind) = rest.split_first()?;
            *rest = behind;
            Some(*first)
        };
        while let Some(distance) = take(&mut rest) {
            document = document.checked_add(distance)?;
            let step = byte(&mut rest)?;
            entries.push_document(document, step);
            let mut next = 0u64;
            for _ in 0..take(&mut rest)? {
                let ordinal = next.checked_add(take(&mut rest)?)?;
                next = ordinal + 1;
                let step = byte(&mut rest)?;
                entries.push_chunk(keys::chunk_key(document, usize::try_from(ordinal).ok()?), step);
            }
        }
        Some(entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_back() {
        let mut entries = Entries::default();
        for (document, ordinals) in [(7, vec![0, 1, 5]), (9, vec![]), (1 << 30, vec![200_000])] {
            entries.push_document(document, 11);
            for ordinal in ordinals {
                entries.push_chunk(keys::chunk_key(document, ordinal), ordinal as u8);
            }
        }
        assert_eq!(Entries::unpack(&entries.pack()), Some(entries));
        assert_eq!(Entries::unpack(&[7, 1, 2, 3]), None);
    }
}
