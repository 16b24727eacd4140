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
    let offset: i32 = whole.iter().flatten().map(|&x| i32::from(x)).sum::<i32>() * 128;
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
