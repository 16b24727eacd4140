//! BM25 over our own words, in tables.
//!
//! An ordinary index of PostgreSQL says which rows have a word, and a ranking needs how often each of them has it: for a
//! common word that would be a row read for every third chunk. So the lexical index is built as search engines build
//! theirs: a batch of documents becomes a segment, which never changes. A segment names its entries with their lengths,
//! and has one row for every word, with the list of entries that have it, packed into little more than a byte each. A
//! search reads the lists of its words and nothing else. Segments are merged as they become many. Documents that went are
//! left out when a search meets them, and at the next merge.
//!
//! Chunks and whole pages have postings of their own, because BM25 weighs a word by how many entries contain it.

mod bm25;
mod cache;
mod entries;
mod lengths;
mod merge;
mod postings;
mod search;
mod words;

pub(crate) use bm25::Totals;
pub(crate) use cache::{Kept, PostingCache};
pub(crate) use entries::Entries;
pub(crate) use merge::{Candidate, Merged, merge, plan};
pub(crate) use postings::{Kind, PackedTerm, decode};
pub(crate) use search::{Scores, Segment, search};
pub(crate) use words::{DocumentWords, SegmentDraft, term_of};
