//! Vectors of one model and whom each belongs to, to find the nearest chunks.
//!
//! Where the vectors lie is the store's affair: it hands in [`Rows`], which are rows of equal length in memory or in a
//! mapped file. A scan in whole numbers names candidates, and these are compared again exactly.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::OnceLock;
use std::thread;

use docent_index::QuantisedVector;

use crate::by_chunk::ByChunk;
use crate::keys;
use crate::scan::{DEAD, Scan, Sought};

/// How many more candidates of the scan are compared exactly than are wanted: one for every so many. Rounding the query
/// to bytes moves a chunk by a few places, not more.
const SPARE: usize = 4;

/// Rows that are asked for before they are compared.
const AHEAD: usize = 6;

/// Rows of equal length: a vector's values as signed bytes, its scale as a little-endian float, and what else the store
/// needs.
pub trait Rows: Sync {
    /// All rows, one after another.
    fn bytes(&self) -> &[u8];
    /// Bytes of a row.
    fn stride(&self) -> usize;
    /// Values of a vector.
    fn dimensions(&self) -> usize;

    /// A row's values and scale.
    fn row(&self, number: usize) -> Option<(&[i8], f32)> {
        let stride = self.stride();
        let row = self.bytes().get(number.checked_mul(stride)?..)?.get(..stride)?;
        let (values, tail) = row.split_at_checked(self.dimensions())?;
        let scale = f32::from_le_bytes(*tail.first_chunk()?);
        Some((bytemuck::cast_slice(values), scale))
    }
}

/// The chunk that each row belongs to.
pub struct Owners {
    owners: Vec<u64>,
    live: usize,
    /// Live rows by chunk; made when first needed.
    by_chunk: OnceLock<ByChunk>,
}

impl Owners {
    /// Takes the chunk of each row; [`DEAD`] for rows that belong to nobody.
    pub fn new(owners: Vec<u64>) -> Self {
        let live = owners.iter().filter(|owner| **owner != DEAD).count();
        Self { owners, live, by_chunk: OnceLock::new() }
    }

    /// The chunk of each row.
    pub fn as_slice(&self) -> &[u64] {
        &self.owners
    }

    /// Rows that belong to someone.
    pub fn live(&self) -> usize {
        self.live
    }

    /// Rows of one document.
    pub fn live_of(&self, document: u64) -> usize {
        self.by_chunk().count_of(document)
    }

    /// Rows of documents that pass.
    pub fn live_where(&self, accept: &dyn Fn(u64) -> bool) -> usize {
        let mut verdict = (DEAD, false);
        let counted = self.owners.iter().filter(|owner| {
            let document = keys::document_of_chunk(**owner);
            if verdict.0 != document {
                verdict = (document, **owner != DEAD && accept(document));
            }
            verdict.1
        });
        counted.count()
    }

    /// For each query, which comes with its depth, the nearest chunks of documents that pass, nearest first. Where not all
    /// chunks of these do, `chunks` are those that do.
    pub fn nearest(
        &self,
        rows: &dyn Rows,
        queries: &[(&[f32], usize)],
        accept: impl Fn(u64) -> bool + Sync,
        chunks: Option<&HashSet<u64>>,
    ) -> Vec<Vec<(u64, f32)>> {
        let is_sound = |query: &[f32], depth: usize| depth > 0 && query.len() == rows.dimensions();
        let sought = |(query, depth): &(&[f32], usize)| Sought {
            values: QuantisedVector::new(query).values,
            wanted: depth.saturating_add(depth / SPARE).saturating_add(SPARE),
        };
        let sound = queries.iter().filter(|(query, depth)| is_sound(query, *depth));
        let queries_of = sound.map(sought).collect();
        let scan = Scan { rows, owners: &self.owners, queries: queries_of, accept, chunks };
        let mut candidates = scan.candidates().into_iter();
        let of = |(query, depth): &(&[f32], usize)| match is_sound(query, *depth) {
            true => candidates.next().unwrap_or_default(),
            false => Vec::new(),
        };
        let candidates: Vec<Vec<u64>> = queries.iter().map(of).collect();
        let settle = |range: Range<usize>| -> Vec<Vec<(u64, f32)>> {
            let of = |at: usize| self.settle(rows, queries[at].0, &candidates[at], queries[at].1);
            range.map(of).collect()
        };
        let half = queries.len() / 2;
        if half == 0 {
            return settle(0..queries.len());
        }
        thread::scope(|scope| {
            let second = scope.spawn(|| settle(half..queries.len()));
            let mut nearest = settle(0..half);
            nearest.extend(second.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            nearest
        })
    }

    /// The `depth` nearest of these chunks by the exact cosine, nearest first.
    fn settle(&self, rows: &dyn Rows, query: &[f32], candidates: &[u64], depth: usize) -> Vec<(u64, f32)> {
        let cosines = candidates.iter().copied().zip(self.similarities(rows, query, candidates));
        let mut hits: Vec<_> = cosines.filter_map(|(chunk, cosine)| Some((chunk, cosine?))).collect();
        hits.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        hits.truncate(depth);
        hits
    }

    /// Cosine of the best passage of each chunk.
    pub fn similarities(&self, rows: &dyn Rows, query: &[f32], chunks: &[u64]) -> Vec<Option<f32>> {
        let mut cosines: Vec<Option<f32>> = vec![None; chunks.len()];
        if query.len() != rows.dimensions() {
            return cosines;
        }
        let rows_of = |(at, chunk): (usize, &u64)| {
            self.by_chunk().rows_of(*chunk).filter_map(move |row| Some((at, rows.row(row as usize)?)))
        };
        let found: Vec<(usize, (&[i8], f32))> = chunks.iter().enumerate().flat_map(rows_of).collect();
        for (number, (at, (values, scale))) in found.iter().enumerate() {
            // Rows lie all over the file: the next ones are on their way while this one is compared.
            if let Some((_, (soon, _))) = found.get(number + AHEAD) {
                docent_kernels::prefetch(soon);
            }
            let cosine = (docent_kernels::dot_f32_i8(query, values) * scale).clamp(-1.0, 1.0);
            let best = &mut cosines[*at];
            if best.is_none_or(|best| best.total_cmp(&cosine).is_le()) {
                *best = Some(cosine);
            }
        }
        cosines
    }

    fn by_chunk(&self) -> &ByChunk {
        self.by_chunk.get_or_init(|| {
            let live = self.owners.iter().copied().zip(0u32..).filter(|(owner, _)| *owner != DEAD);
            ByChunk::new(live.collect())
        })
    }
}
