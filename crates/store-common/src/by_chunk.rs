//! Finds the rows of a chunk in a vector table.
//!
//! A search asks for hundreds of chunks, and halving a long list again and again waits for memory at every step. So the
//! list has an index by document: numbers are given out in order, and one look leads to a handful of rows.

use crate::keys;

/// Rows by the chunk that they belong to.
#[derive(Debug)]
pub(crate) struct ByChunk {
    /// Chunks with their rows, in order.
    rows: Vec<(u64, u32)>,
    /// The smallest document.
    first: u64,
    /// By how many bits a document's number is cut to get its place in `starts`: more when there are gaps between them.
    shift: u32,
    /// Where in `rows` the documents of each place begin; one more at the end.
    starts: Vec<u32>,
}

impl ByChunk {
    /// Takes chunks with their rows, in any order.
    pub(crate) fn new(mut rows: Vec<(u64, u32)>) -> Self {
        rows.sort_unstable();
        let document = |(chunk, _): &(u64, u32)| keys::document_of_chunk(*chunk);
        let first = rows.first().map_or(0, document);
        let span = rows.last().map_or(0, document) - first;
        let mut shift = 0;
        while span >> shift > rows.len() as u64 {
            shift += 1;
        }
        let mut starts = vec![0u32; (span >> shift) as usize + 2];
        for row in &rows {
            starts[((document(row) - first) >> shift) as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        Self { rows, first, shift, starts }
    }

    /// Rows of a chunk.
    pub(crate) fn rows_of(&self, chunk: u64) -> impl Iterator<Item = u32> {
        let near = self.near(keys::document_of_chunk(chunk));
        let start = near.partition_point(|(owner, _)| *owner < chunk);
        near[start..].iter().take_while(move |(owner, _)| *owner == chunk).map(|(_, row)| *row)
    }

    /// How many rows the chunks of a document have.
    pub(crate) fn count_of(&self, document: u64) -> usize {
        let is_own = |(chunk, _): &&(u64, u32)| keys::document_of_chunk(*chunk) == document;
        self.near(document).iter().filter(is_own).count()
    }

    /// Rows of the document and perhaps a few others.
    fn near(&self, document: u64) -> &[(u64, u32)] {
        let Some(place) = document.checked_sub(self.first).map(|at| (at >> self.shift) as usize) else {
            return &[];
        };
        match (self.starts.get(place), self.starts.get(place + 1)) {
            (Some(start), Some(end)) => &self.rows[*start as usize..*end as usize],
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(documents: &[u64]) {
        let chunk = |document: u64, at: usize| keys::chunk_key(document, at);
        // Two rows for the first chunk of each document, one for the second, and not in order.
        let rows = documents.iter().flat_map(|id| [(chunk(*id, 1)), chunk(*id, 0), chunk(*id, 0)]);
        let table = ByChunk::new(rows.zip(0..).collect());
        for (number, document) in documents.iter().enumerate() {
            let row = number as u32 * 3;
            let rows = |at| table.rows_of(chunk(*document, at)).collect::<Vec<_>>();
            assert_eq!((rows(0), rows(1), rows(2)), (vec![row + 1, row + 2], vec![row], vec![]));
            assert_eq!(table.count_of(*document), 3);
        }
        for absent in [0, 3, 1 << 20, u64::MAX >> 20].into_iter().filter(|id| !documents.contains(id)) {
            assert_eq!(table.rows_of(chunk(absent, 0)).count() + table.count_of(absent), 0, "{absent}");
        }
        assert!(table.starts.len() <= documents.len() * 3 + 2);
    }

    #[test]
    fn every_chunk_has_its_rows() {
        check(&[]);
        check(&[1]);
        check(&[9, 2, 7, 4]);
        check(&(1..500).collect::<Vec<_>>());
        check(&[5, 1_000_000, 1_000_001, 1 << 40]);
    }
}
