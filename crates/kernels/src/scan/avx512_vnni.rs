//! The scan with 64-byte dot products.
//!
//! The instruction wants one unsigned side: the row, with 128 added by flipping its top bit. What the 128 adds to
//! every row is the same, 128 times the sum of the query, and is taken off at the end.

use std::arch::x86_64::*;

use super::{Rows, dot_rest};

/// Bytes of a vector.
const BYTES: usize = 64;
/// How far ahead of the scan memory is asked for. Rows are read once, in order, at most a few hundred bytes each.
const AHEAD: usize = 4096;

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")]
pub(super) fn scan(rows: Rows<'_>, query: &[i8], out: &mut [i32]) {
    let (whole, rest) = query.as_chunks::<BYTES>();
    let offset = offset_of(whole);
    let flip = _mm512_set1_epi8(i8::MIN);
    for (index, out) in out.iter_mut().enumerate() {
        let row = rows.get(index, query.len());
        let ahead = row.as_ptr().wrapping_add(AHEAD);
        let (row_whole, row_rest) = row.as_chunks::<BYTES>();
        let mut sums = [_mm512_setzero_si512(); 2];
        for (part, (row, query)) in row_whole.iter().zip(whole).enumerate() {
            // A hint only: the address is never read through, so it may lie past the end.
            _mm_prefetch::<_MM_HINT_T0>(ahead.wrapping_add(part * BYTES).cast());
            // SAFETY: both chunks are 64 bytes.
            let (row, query) = unsafe {
                (_mm512_loadu_si512(row.as_ptr().cast()), _mm512_loadu_si512(query.as_ptr().cast()))
            };
            let sum = &mut sums[part % 2];
            *sum = _mm512_dpbusd_epi32(*sum, _mm512_xor_si512(row, flip), query);
        }
        let total = _mm512_reduce_add_epi32(_mm512_add_epi32(sums[0], sums[1]));
        *out = total - offset + dot_rest(row_rest, rest);
    }
}

/// Rows that are compared at a time: their sums are added up together.
const ROWS: usize = 4;
/// Most queries that they are compared with at a time: all sums stay in registers.
const QUERIES: usize = 4;

/// `out` has all results of the first query, then those of the second, and so on; it is not empty.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")]
pub(super) fn scan_many(rows: Rows<'_>, queries: &[&[i8]], out: &mut [i32]) {
    let count = out.len() / queries.len();
    let offsets: Vec<i32> = queries.iter().map(|query| offset_of(query.as_chunks::<BYTES>().0)).collect();
    for first in (0..count).step_by(ROWS) {
        // What is missing of the last four rows is made up for by rows before them, which come out as they were.
        let first = first.min(count.saturating_sub(ROWS));
        let block = Block { rows, first, len: ROWS.min(count), count };
        block.prefetch();
        let groups = queries.chunks(QUERIES).zip(offsets.chunks(QUERIES));
        for ((queries, offsets), out) in groups.zip(out.chunks_mut(QUERIES * count)) {
            match *queries {
                [a] => block.compare([a], offsets, out),
                [a, b] => block.compare([a, b], offsets, out),
                [a, b, c] => block.compare([a, b, c], offsets, out),
                [a, b, c, d, ..] => block.compare([a, b, c, d], offsets, out),
                [] => {}
            }
        }
    }
}

/// What a row with 128 added to each element gives too much.
fn offset_of(query: &[[i8; BYTES]]) -> i32 {
    query.iter().flatten().map(|&x| i32::from(x)).sum::<i32>() * 128
}

/// Up to four rows from `first` on, of `count` in all.
struct Block<'a> {
    rows: Rows<'a>,
    first: usize,
    len: usize,
    count: usize,
}

impl<'a> Block<'a> {
    /// The rows; one that is not there is another one again.
    fn slices(&self, dimensions: usize) -> [&'a [u8]; ROWS] {
        std::array::from_fn(|at| self.rows.get(self.first + at.min(self.len - 1), dimensions))
    }

    /// Asks for the memory that comes after these rows.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")]
    fn prefetch(&self) {
        let start = self.rows.get(self.first, 0).as_ptr().wrapping_add(AHEAD);
        for at in (0..ROWS * self.rows.stride).step_by(BYTES) {
            // A hint only: the address is never read through, so it may lie past the end.
            _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(at).cast());
        }
    }

    /// Writes the products with some queries to their places in `out`, `count` for each query.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")]
    fn compare<const N: usize>(&self, queries: [&[i8]; N], offsets: &[i32], out: &mut [i32]) {
        let dimensions = queries[0].len();
        let rows = self.slices(dimensions);
        let flip = _mm512_set1_epi8(i8::MIN);
        let mut sums = [[_mm512_setzero_si512(); ROWS]; N];
        for at in (0..dimensions - dimensions % BYTES).step_by(BYTES) {
            let mut parts = [flip; ROWS];
            for (part, row) in parts.iter_mut().zip(&rows) {
                // SAFETY: 64 bytes from `at` on are within the dimensions, and each row has as many.
                *part = unsafe { _mm512_xor_si512(_mm512_loadu_si512(row.as_ptr().add(at).cast()), flip) };
            }
            for (query, sums) in queries.iter().zip(&mut sums) {
                // SAFETY: as above; queries are as long as rows.
                let query = unsafe { _mm512_loadu_si512(query.as_ptr().add(at).cast()) };
                for (sum, part) in sums.iter_mut().zip(parts) {
                    *sum = _mm512_dpbusd_epi32(*sum, part, query);
                }
            }
        }
        let rest = dimensions - dimensions % BYTES;
        for (number, (query, offset)) in queries.iter().zip(offsets).enumerate() {
            let mut products = sum_lanes(sums[number], *offset);
            if rest < dimensions {
                for (product, row) in products.iter_mut().zip(rows) {
                    *product += dot_rest(&row[rest..], &query[rest..]);
                }
            }
            let out = &mut out[number * self.count + self.first..][..self.len];
            match <&mut [i32; ROWS]>::try_from(&mut *out) {
                Ok(out) => *out = products,
                Err(_) => out.copy_from_slice(&products[..self.len]),
            }
        }
    }
}

/// The sum of each of four vectors, less an offset. Neighbours are added up until each quarter has one sum of each, then the quarters.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")]
fn sum_lanes([a, b, c, d]: [__m512i; ROWS], offset: i32) -> [i32; ROWS] {
    let ab = _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
    let cd = _mm512_add_epi32(_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
    let all = _mm512_add_epi32(_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
    let half = _mm256_add_epi32(_mm512_castsi512_si256(all), _mm512_extracti64x4_epi64::<1>(all));
    let quarter = _mm_add_epi32(_mm256_castsi256_si128(half), _mm256_extracti128_si256::<1>(half));
    let all = _mm_sub_epi32(quarter, _mm_set1_epi32(offset));
    let mut sums = [0; ROWS];
    // SAFETY: four results of four bytes are 16 bytes.
    unsafe { _mm_storeu_si128(sums.as_mut_ptr().cast(), all) };
    sums
}
