//! The scan with AVX2: |row| · (sign(row) · query), whose pairs fit into 16 bits as long as elements are within ±127.

use std::arch::x86_64::*;

use super::{Rows, dot_rest};

/// Bytes of a vector.
const BYTES: usize = 32;
/// How far ahead of the scan memory is asked for.
const AHEAD: usize = 4096;

#[target_feature(enable = "avx2,fma")]
pub(super) fn scan(rows: Rows<'_>, query: &[i8], out: &mut [i32]) {
    let (whole, rest) = query.as_chunks::<BYTES>();
    let ones = _mm256_set1_epi16(1);
    for (index, out) in out.iter_mut().enumerate() {
        let row = rows.get(index, query.len());
        let ahead = row.as_ptr().wrapping_add(AHEAD);
        let (row_whole, row_rest) = row.as_chunks::<BYTES>();
        let mut sums = [_mm256_setzero_si256(); 2];
        for (part, (row, query)) in row_whole.iter().zip(whole).enumerate() {
            if part.is_multiple_of(2) {
                // A hint only: the address is never read through, so it may lie past the end.
                _mm_prefetch::<_MM_HINT_T0>(ahead.wrapping_add(part * BYTES).cast());
            }
            // SAFETY: both chunks are 32 bytes.
            let (row, query) = unsafe {
                (_mm256_loadu_si256(row.as_ptr().cast()), _mm256_loadu_si256(query.as_ptr().cast()))
            };
            let pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(row), _mm256_sign_epi8(query, row));
            let sum = &mut sums[part % 2];
            *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(pairs, ones));
        }
        *out = sum_lanes(_mm256_add_epi32(sums[0], sums[1])) + dot_rest(row_rest, rest);
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn sum_lanes(sums: __m256i) -> i32 {
    let four = _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256::<1>(sums));
    let two = _mm_add_epi32(four, _mm_shuffle_epi32::<0b01_00_11_10>(four));
    _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32::<0b10_11_00_01>(two)))
}
