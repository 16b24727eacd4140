//! The list of entries that have a word, packed.
//!
//! Entries are numbered within their segment. Each posting is the distance to the one before, shifted by one bit that says
//! whether the word occurs once; if not, how often it does follows. Numbers take seven bits a byte. A row holds the
//! postings of chunks, behind how many bytes they take, and then those of pages.

use bytes::Bytes;

/// A word's row.
#[derive(Debug, Clone)]
pub(crate) struct PackedTerm {
    /// How many chunks have it.
    pub(crate) chunks: u32,
    /// How many pages have it.
    pub(crate) pages: u32,
    pub(crate) list: Bytes,
}

/// Packs both lists of a word.
#[derive(Default)]
pub(crate) struct Packer {
    pub(crate) chunks: List,
    pub(crate) pages: List,
}

/// A list that grows, in the order of its entries.
#[derive(Default)]
pub(crate) struct List {
    count: u32,
    next: u32,
    bytes: Vec<u8>,
}

impl List {
    /// Adds an entry behind all others.
    pub(crate) fn push(&mut self, entry: u32, often: u32) {
        let distance = u64::from(entry - self.next);
        self.next = entry + 1;
        self.count += 1;
        put(&mut self.bytes, distance << 1 | u64::from(often == 1));
        if often != 1 {
            put(&mut self.bytes, u64::from(often));
        }
    }
}

impl Packer {
    pub(crate) fn finish(self) -> PackedTerm {
        let mut list = Vec::with_capacity(self.chunks.bytes.len() + self.pages.bytes.len() + 3);
        put(&mut list, self.chunks.bytes.len() as u64);
        list.extend(self.chunks.bytes);
        list.extend(self.pages.bytes);
        PackedTerm { chunks: self.chunks.count, pages: self.pages.count, list: list.into() }
    }
}

/// Which of the two lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Chunks,
    Pages,
}

/// Hands every posting of a list to `each`, as entry and how often. What does not decode ends it: a check finds that.
pub(crate) fn decode(list: &[u8], kind: Kind, mut each: impl FnMut(u32, u32)) {
    let mut rest = list;
    let Some(middle) = take(&mut rest).and_then(|length| usize::try_from(length).ok()) else { return };
    let Some((chunks, pages)) = rest.split_at_checked(middle) else { return };
    let mut rest = if kind == Kind::Chunks { chunks } else { pages };
    let mut next = 0u32;
    while let Some(head) = take(&mut rest) {
        let often = if head & 1 == 1 { 1 } else { take(&mut rest).unwrap_or(1) as u32 };
        let entry = next.wrapping_add((head >> 1) as u32);
        next = entry.wrapping_add(1);
        each(entry, often);
    }
}

/// Writes a number.
pub(crate) fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Reads a number; `None` at the end.
#[inline]
pub(crate) fn take(bytes: &mut &[u8]) -> Option<u64> {
    let (&first, mut rest) = bytes.split_first()?;
    let mut number = u64::from(first & 0x7f);
    let (mut last, mut shift) = (first, 7);
    while last & 0x80 != 0 {
        let (&next, behind) = rest.split_first()?;
        number |= u64::from(next & 0x7f).checked_shl(shift)?;
        (last, rest, shift) = (next, behind, shift + 7);
    }
    *bytes = rest;
    Some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn postings_come_back() {
        let chunks = [(0, 1), (1, 7), (2, 1), (300, 200), (70_000, 1), (u32::MAX - 1, 3)];
        let pages = [(5, 2), (6, 1)];
        let mut packer = Packer::default();
        chunks.iter().for_each(|(entry, often)| packer.chunks.push(*entry, *often));
        pages.iter().for_each(|(entry, often)| packer.pages.push(*entry, *often));
        let packed = packer.finish();
        assert_eq!((packed.chunks, packed.pages), (6, 2));
        for (kind, expected) in [(Kind::Chunks, &chunks[..]), (Kind::Pages, &pages[..])] {
            let mut found = Vec::new();
            decode(&packed.list, kind, |entry, often| found.push((entry, often)));
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn a_list_that_is_cut_off_ends_early() {
        decode(&[9, 1], Kind::Chunks, |_, _| panic!("there is no posting"));
        decode(&[], Kind::Pages, |_, _| panic!("there is no posting"));
    }
}
