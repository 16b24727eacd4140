//! The scan with NEON, baseline instructions only: 8-bit products to 16 bits, neighbours added into 32.

use std::arch::aarch64::*;

use super::{Rows, dot_rest};

/// Bytes of a vector.
const BYTES: usize = 16;

#[target_feature(enable = "neon")]
pub(super) fn scan(rows: Rows<'_>, query: &[i8], out: &mut [i32]) {
    let (whole, rest) = query.as_chunks::<BYTES>();
    for (index, out) in out.iter_mut().enumerate() {
        let (row_whole, row_rest) = rows.get(index, query.len()).as_chunks::<BYTES>();
        let mut sums = vdupq_n_s32(0);
        for (row, query) in row_whole.iter().zip(whole) {
            // SAFETY: both chunks are 16 bytes.
            let (row, query) = unsafe { (vld1q_s8(row.as_ptr().cast()), vld1q_s8(query.as_ptr())) };
            let low = vmull_s8(vget_low_s8(row), vget_low_s8(query));
            // Two products of at most 127 · 127 fit into 16 bits.
            sums = vpadalq_s16(sums, vmlal_s8(low, vget_high_s8(row), vget_high_s8(query)));
        }
        *out = vaddvq_s32(sums) + dot_rest(row_rest, rest);
    }
}
