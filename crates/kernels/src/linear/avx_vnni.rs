//! The linear layer with 32-byte int8 dot products: four rows by 24 outputs in registers.

use std::arch::x86_64::*;

use super::{Block, PANEL, STEP};

/// Outputs computed together: three vectors of eight.
const PART: usize = 24;

/// Computes up to four rows of the block.
#[target_feature(enable = "avx2,fma,avxvnni")]
pub(super) fn multiply(block: &mut Block<'_>) -> usize {
    for part in (0..PANEL).step_by(PART) {
        match block.remaining() {
            0 => {}
            1 => rows::<1>(block, part),
            2 => rows::<2>(block, part),
            3 => rows::<3>(block, part),
            _ => rows::<4>(block, part),
        }
    }
    block.remaining().min(4)
}

#[inline]
#[target_feature(enable = "avx2,fma,avxvnni")]
fn rows<const ROWS: usize>(block: &mut Block<'_>, part: usize) {
    let width = block.rows.width;
    let codes: [*const u8; ROWS] = std::array::from_fn(|row| block.codes(row).as_ptr());
    let weights = block.panel.weights;
    assert!(weights.len() == PANEL * width && part + PART <= PANEL);
    let mut sums = [[_mm256_setzero_si256(); 3]; ROWS];
    for step in 0..width / 4 {
        // SAFETY: a panel is `width / 4` steps of `STEP` bytes, of which this part is 96; asserted above.
        let weight: [__m256i; 3] = unsafe {
            let from = weights.as_ptr().add(step * STEP + part * 4);
            [
                _mm256_loadu_si256(from.cast()),
                _mm256_loadu_si256(from.add(32).cast()),
                _mm256_loadu_si256(from.add(64).cast()),
            ]
        };
        for (codes, sums) in codes.iter().zip(&mut sums) {
            // SAFETY: each row has `width` codes, and `step * 4 + 4 <= width`.
            let four = _mm256_set1_epi32(unsafe { codes.add(step * 4).cast::<i32>().read_unaligned() });
            for (sum, weight) in sums.iter_mut().zip(weight) {
                *sum = _mm256_dpbusd_avx_epi32(*sum, four, weight);
            }
        }
    }
    for (row, sums) in sums.iter().enumerate() {
        let mut exact = [0i32; PART];
        for (exact, &sum) in exact.chunks_exact_mut(8).zip(sums) {
            // SAFETY: the chunk holds the eight lanes.
            unsafe { _mm256_storeu_si256(exact.as_mut_ptr().cast(), sum) };
        }
        block.finish(row, part, &exact);
    }
}
