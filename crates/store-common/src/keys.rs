//! Row numbers that carry their parents.
//!
//! A passage's number contains its chunk's, and a chunk's its document's, so that going up is a shift, all rows of a
//! document are one range, and no table from chunk to document has to be kept in memory. Only document numbers are
//! given out by the database, which never gives one out twice; the others inherit that. The price is a ceiling per
//! document, far above what a readable text reaches.

use std::ops::RangeInclusive;

/// By how much a chunk's number is shifted to give its document's.
pub const CHUNK_BITS: u32 = 18;
/// By how much a passage's number is shifted to give its chunk's.
pub const PASSAGE_BITS: u32 = 14;
/// By how much a passage's number is shifted to give its document's.
pub const DOCUMENT_SHIFT: u32 = CHUNK_BITS + PASSAGE_BITS;

/// Most chunks that one document may have.
pub const MAX_CHUNKS: usize = 1 << CHUNK_BITS;
/// Most passages that one chunk may have.
pub const MAX_PASSAGES: usize = 1 << PASSAGE_BITS;

/// The number of a document's chunk.
pub fn chunk_key(document: u64, ordinal: usize) -> u64 {
    document << CHUNK_BITS | ordinal as u64
}

/// The number of a chunk's passage.
pub fn passage_key(chunk: u64, number: usize) -> u64 {
    chunk << PASSAGE_BITS | number as u64
}

/// The document of a chunk.
pub fn document_of_chunk(chunk: u64) -> u64 {
    chunk >> CHUNK_BITS
}

/// A chunk's position in its document.
pub fn ordinal_of_chunk(chunk: u64) -> u32 {
    (chunk & (MAX_CHUNKS as u64 - 1)) as u32
}

/// The chunk of a passage.
pub fn chunk_of_passage(passage: u64) -> u64 {
    passage >> PASSAGE_BITS
}

/// The number that a passage has when its document gets another one.
pub fn moved_passage(passage: u64, document: u64) -> u64 {
    document << DOCUMENT_SHIFT | passage & ((1 << DOCUMENT_SHIFT) - 1)
}

/// Numbers that a document's chunks can have.
pub fn chunks_of(document: u64) -> RangeInclusive<i64> {
    let first = document << CHUNK_BITS;
    first as i64..=(first + MAX_CHUNKS as u64 - 1) as i64
}

/// Numbers that a document's passages can have.
pub fn passages_of(document: u64) -> RangeInclusive<i64> {
    let first = document << DOCUMENT_SHIFT;
    first as i64..=(first + (1 << DOCUMENT_SHIFT) - 1) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_are_read_from_the_number() {
        let chunk = chunk_key(77, 123);
        let passage = passage_key(chunk, 5);
        assert_eq!(chunk_of_passage(passage), chunk);
        assert_eq!((document_of_chunk(chunk), ordinal_of_chunk(chunk)), (77, 123));
        assert!(chunks_of(77).contains(&(chunk as i64)));
        assert!(passages_of(77).contains(&(passage as i64)));
        assert!(!passages_of(78).contains(&(passage as i64)));
        assert_eq!(moved_passage(passage, 9), passage_key(chunk_key(9, 123), 5));
    }
}
