//! Which segments become one, and how.
//!
//! Segments of about the same size are merged when there are several, so that each posting is written a handful of times
//! in its life and an edit of a few pages never pays for a merge of many. Above a size they stay: a merge must fit into
//! memory, and reading a few large ones costs no more than reading one.

use std::collections::{BTreeMap, HashSet};

use docent_store_common::keys;

use super::entries::Entries;
use super::postings::{Kind, PackedTerm, Packer, decode};
use super::words::SegmentDraft;

/// Segments of one size that are merged into one of the next.
const SAME: usize = 8;
/// Chunks up to which a segment is of the smallest size.
const SMALLEST: usize = 64;
/// Chunks from which a segment is merged no more.
const LARGEST: usize = 200_000;

/// A segment that may be merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) id: i64,
    pub(crate) chunks: usize,
}

/// The segments that are merged now; empty for none.
pub(crate) fn plan(segments: &[Candidate]) -> Vec<i64> {
    let mut sizes: BTreeMap<u32, Vec<Candidate>> = BTreeMap::new();
    for segment in segments.iter().filter(|segment| segment.chunks < LARGEST) {
        let size = (segment.chunks / SMALLEST).checked_ilog(SAME).map_or(0, |size| size + 1);
        sizes.entry(size).or_default().push(*segment);
    }
    let mut chosen = Vec::new();
    // What a merge makes may complete the next size: then all of it goes at once.
    for (_, same) in sizes {
        match (same.len() + usize::from(!chosen.is_empty()) < SAME, chosen.is_empty()) {
            (true, true) => continue,
            (true, false) => break,
            (false, _) => {}
        }
        chosen.extend(same.iter().map(|segment| segment.id));
    }
    chosen
}

/// Segments that became one.
pub(crate) struct Merged {
    pub(crate) entries: Entries,
    pub(crate) chunk_words: u64,
    pub(crate) page_words: u64,
    pub(crate) terms: Vec<(i64, PackedTerm)>,
}

/// Merges segments, which come with the rows of their words in the order of the words, as (word, number of the segment in
/// the list, row). Documents that are not `alive` are left out.
pub(crate) fn merge(
    segments: &[Entries],
    alive: &HashSet<u64>,
    rows: impl Iterator<Item = (i64, usize, PackedTerm)>,
) -> Merged {
    let (entries, places) = joined(segments, alive);
    let (mut chunk_words, mut page_words) = (0, 0);
    let mut terms = Vec::new();
    let mut current: Option<Gathered> = None;
    let mut settle = |current: Option<Gathered>| {
        let Some((term, mut chunks, mut pages)) = current else { return };
        if chunks.is_empty() && pages.is_empty() {
            return;
        }
        chunks.sort_unstable();
        pages.sort_unstable();
        let mut packer = Packer::default();
        for (entry, often) in chunks {
            packer.chunks.push(entry, often);
            chunk_words += u64::from(often);
        }
        for (entry, often) in pages {
            packer.pages.push(entry, often);
            page_words += u64::from(often);
        }
        terms.push((term, packer.finish()));
    };
    for (term, number, row) in rows {
        if current.as_ref().is_none_or(|(held, ..)| *held != term) {
            settle(current.replace((term, Vec::new(), Vec::new())));
        }
        let Some((_, chunks, pages)) = &mut current else { continue };
        let Some(places) = places.get(number) else { continue };
        for (kind, places, out) in [(Kind::Chunks, &places.0, chunks), (Kind::Pages, &places.1, pages)] {
            decode(&row.list, kind, |entry, often| {
                if let Some(Some(place)) = places.get(entry as usize) {
                    out.push((*place, often));
                }
            });
        }
    }
    settle(current);
    Merged { entries, chunk_words, page_words, terms }
}

/// A word with the postings of chunks and of pages that were found so far.
type Gathered = (i64, Vec<(u32, u32)>, Vec<(u32, u32)>);

/// New places of a segment's chunks and pages; `None` for what is left out.
type Places = (Vec<Option<u32>>, Vec<Option<u32>>);

/// All entries that stay, and where each of them stands now.
fn joined(segments: &[Entries], alive: &HashSet<u64>) -> (Entries, Vec<Places>) {
    let mut places: Vec<Places> = segments
        .iter()
        .map(|entries| (vec![None; entries.chunks.len()], vec![None; entries.documents.len()]))
        .collect();
    let mut order: Vec<(u64, usize, usize)> = Vec::new();
    for (number, entries) in segments.iter().enumerate() {
        let documents = entries.documents.iter().enumerate().filter(|(_, id)| alive.contains(id));
        order.extend(documents.map(|(at, id)| (*id, number, at)));
    }
    order.sort_unstable();
    let mut joined = Entries::default();
    for (id, number, at) in order {
        let (Some(from), Some((chunks, pages))) = (segments.get(number), places.get_mut(number)) else {
            continue;
        };
        pages[at] = Some(joined.push_document(id, from.page_steps[at]));
        let first = from.chunks.partition_point(|chunk| keys::document_of_chunk(*chunk) < id);
        let own = |chunk: &&u64| keys::document_of_chunk(**chunk) == id;
        for (offset, chunk) in from.chunks[first..].iter().take_while(own).enumerate() {
            chunks[first + offset] = Some(joined.push_chunk(*chunk, from.chunk_steps[first + offset]));
        }
    }
    (joined, places)
}

impl From<SegmentDraft> for Merged {
    fn from(draft: SegmentDraft) -> Self {
        let SegmentDraft { entries, chunk_words, page_words, terms } = draft;
        let terms = terms.into_iter().map(|(term, packer)| (term, packer.finish())).collect();
        Self { entries, chunk_words, page_words, terms }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(chunks: &[usize]) -> usize {
        let segments: Vec<_> =
            chunks.iter().zip(0..).map(|(chunks, id)| Candidate { id, chunks: *chunks }).collect();
        plan(&segments).len()
    }

    #[test]
    fn segments_of_one_size_are_merged_when_there_are_eight() {
        assert_eq!(sizes(&[1; 7]), 0);
        assert_eq!(sizes(&[1; 8]), 8);
        assert_eq!(sizes(&[[1; 7], [100; 7]].concat()), 0);
        assert_eq!(sizes(&[&[1; 8][..], &[100; 7]].concat()), 15);
        assert_eq!(sizes(&[&[1; 3][..], &[100; 8]].concat()), 8);
        assert_eq!(sizes(&[300_000; 20]), 0);
    }
}
