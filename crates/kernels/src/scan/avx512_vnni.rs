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

/// Queries that a row is compared with at a time: their sums are added up together.
const QUERIES: usize = 4;

/// `out` has all results of the first query, then those of the second, and so on; it is not empty.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")]
pub(super) fn scan_many(rows: Rows<'_>, queries: &[&[i8]], out: &mut [i32]) {
    let count = out.len() / queries.len();
    let groups: Vec<_> = queries.chunks(QUERIES).map(group_of).collect();
    for index in 0..count {
        for ((queries, offsets), out) in groups.iter().zip(out.chunks_mut(QUERIES * count)) {
            let sums = dot_group(rows, index, queries);
            for (out, (sum, offset)) in out[index..].iter_mut().step_by(count).zip(sums.iter().zip(offsets)) {
                *out = sum - offset;
            }
        }
    }
}

/// Up to four queries, and what the 128s of a row add to each product. The last query takes the empty places, and is not
/// written there.
fn group_of<'q>(queries: &[&'q [i8]]) -> ([&'q [i8]; QUERIES], [i32; QUERIES]) {
    let queries: [&[i8]; QUERIES] = std::array::from_fn(|at| queries[at.min(queries.len() - 1)]);
    (queries, queries.map(|query| offset_of(query.as_chunks::<BYTES>().0)))
}

/// What a row with 128 added to each element gives too much.
fn offset_of(query: &[[i8; BYTES]]) -> i32 {
    query.iter().flatten().map(|&x| i32::from(x)).sum::<i32>() * 128
}

/// Products of one row with a group of queries, with the row's 128s still in them.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")]
fn dot_group(rows: Rows<'_>, index: usize, queries: &[&[i8]; QUERIES]) -> [i32; QUERIES] {
    let flip = _mm512_set1_epi8(i8::MIN);
    let row = rows.get(index, queries[0].len());
    let ahead = row.as_ptr().wrapping_add(AHEAD);
    let (row_whole, row_rest) = row.as_chunks::<BYTES>();
    let split = queries.map(|query| query.as_chunks::<BYTES>());
    let mut sums = [_mm512_setzero_si512(); QUERIES];
    for (part, row) in row_whole.iter().enumerate() {
        // A hint only: the address is never read through, so it may lie past the end.
        _mm_prefetch::<_MM_HINT_T0>(ahead.wrapping_add(part * BYTES).cast());
        // SAFETY: the chunk is 64 bytes.
        let row = unsafe { _mm512_xor_si512(_mm512_loadu_si512(row.as_ptr().cast()), flip) };
        for (sum, (whole, _)) in sums.iter_mut().zip(&split) {
            // SAFETY: the chunk is 64 bytes.
            let query = unsafe { _mm512_loadu_si512(whole[part].as_ptr().cast()) };
            *sum = _mm512_dpbusd_epi32(*sum, row, query);
        }
    }
    // Neighbours are added up until each quarter has one sum of each query, then the quarters.
    let [a, b, c, d] = sums;
    let ab = _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
    let cd = _mm512_add_epi32(_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
    let all = _mm512_add_epi32(_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
    let half = _mm256_add_epi32(_mm512_castsi512_si256(all), _mm512_extracti64x4_epi64::<1>(all));
    let quarter = _mm_add_epi32(_mm256_castsi256_si128(half), _mm256_extracti128_si256::<1>(half));
    let mut products = [0; QUERIES];
    // SAFETY: four results of four bytes are 16 bytes.
    unsafe { _mm_storeu_si128(products.as_mut_ptr().cast(), quarter) };
    for (product, (_, rest)) in products.iter_mut().zip(&split) {
        *product += dot_rest(row_rest, rest);
    }
    products
}
