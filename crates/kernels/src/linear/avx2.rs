//! The linear layer with AVX2: two rows by 24 outputs in registers.
//!
//! AVX2 can multiply bytes only with saturating sums. Widening both sides to 16 bits first is exact, and no slower: the
//! widened weights serve both rows, the widened codes serve all outputs.

use std::arch::x86_64::*;

use super::{Block, PANEL, STEP};

/// Outputs computed together: six vectors of four outputs, each in two partial sums.
const PART: usize = 24;
const VECTORS: usize = PART / 4;
/// Codes that are widened at once; they stay in the first-level cache.
const WIDENED: usize = 512;

/// Computes up to two rows of the block.
#[target_feature(enable = "avx2,fma")]
pub(super) fn multiply(block: &mut Block<'_>) -> usize {
    match block.remaining() {
        0 => {}
        1 => rows::<1>(block),
        _ => rows::<2>(block),
    }
    block.remaining().min(2)
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn rows<const ROWS: usize>(block: &mut Block<'_>) {
    let width = block.rows.width;
    assert!(block.panel.weights.len() == PANEL * width && width.is_multiple_of(4));
    let mut exact = [[0i32; PANEL]; ROWS];
    let mut widened = [[0i16; WIDENED]; ROWS];
    for first in (0..width).step_by(WIDENED) {
        let count = WIDENED.min(width - first);
        for (row, widened) in widened.iter_mut().enumerate() {
            for (to, &code) in widened.iter_mut().zip(&block.codes(row)[first..first + count]) {
                *to = i16::from(code);
            }
        }
        let weights = &block.panel.weights[first * PANEL..][..count * PANEL];
        for part in (0..PANEL).step_by(PART) {
            add_products(&widened, &weights[part * 4..], count / 4, &mut exact, part);
        }
    }
    for (row, exact) in exact.iter().enumerate() {
        block.finish(row, 0, exact);
    }
}

/// Adds the products of `steps` times four codes with the weights of one part to its sums.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn add_products<const ROWS: usize>(
    codes: &[[i16; WIDENED]; ROWS],
    weights: &[i8],
    steps: usize,
    exact: &mut [[i32; PANEL]; ROWS],
    part: usize,
) {
    assert!(steps > 0 && steps * 4 <= WIDENED && weights.len() >= (steps - 1) * STEP + PART * 4);
    let mut sums = [[_mm256_setzero_si256(); VECTORS]; ROWS];
    for step in 0..steps {
        let mut four = [_mm256_setzero_si256(); ROWS];
        for (four, codes) in four.iter_mut().zip(codes) {
            // SAFETY: there are `WIDENED` codes, of which these four are below `steps * 4`.
            *four =
                _mm256_set1_epi64x(unsafe { codes.as_ptr().add(step * 4).cast::<i64>().read_unaligned() });
        }
        for vector in 0..VECTORS {
            // SAFETY: the weights of a part are `PART * 4` bytes in each step; asserted above.
            let weight = unsafe { _mm_loadu_si128(weights.as_ptr().add(step * STEP + vector * 16).cast()) };
            let weight = _mm256_cvtepi8_epi16(weight);
            for (sums, four) in sums.iter_mut().zip(four) {
                sums[vector] = _mm256_add_epi32(sums[vector], _mm256_madd_epi16(weight, four));
            }
        }
    }
    for (sums, exact) in sums.iter().zip(exact) {
        for (&sum, exact) in sums.iter().zip(exact[part..part + PART].chunks_exact_mut(4)) {
            let mut halves = [0i32; 8];
            // SAFETY: `halves` holds the eight lanes.
            unsafe { _mm256_storeu_si256(halves.as_mut_ptr().cast(), sum) };
            for (exact, halves) in exact.iter_mut().zip(halves.as_chunks::<2>().0) {
                *exact += halves[0] + halves[1];
            }
        }
    }
}
