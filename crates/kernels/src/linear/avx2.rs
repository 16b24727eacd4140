//! The linear layer with AVX2: four rows by 16 outputs in registers.
//!
//! AVX2 multiplies unsigned by signed bytes and adds pairs with saturation. Codes up to 255 would saturate, so the
//! 128 comes off first and the product is taken as |a| · (sign(a) · w): at most 127 · 127 · 2 = 32258, which fits. What
//! the 128 contributes is put back with the sums of the weights, so the result is the same as with VNNI.

use std::arch::x86_64::*;

use super::{Block, PANEL, STEP};

/// Outputs computed together: two vectors of eight.
const PART: usize = 16;

/// Computes up to four rows of the block.
#[target_feature(enable = "avx2,fma")]
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
#[target_feature(enable = "avx2,fma")]
fn rows<const ROWS: usize>(block: &mut Block<'_>, part: usize) {
    let width = block.rows.width;
    let codes: [*const u8; ROWS] = std::array::from_fn(|row| block.codes(row).as_ptr());
    let weights = block.panel.weights;
    assert!(weights.len() == PANEL * width && part + PART <= PANEL);
    let (ones, offset) = (_mm256_set1_epi16(1), _mm256_set1_epi8(i8::MIN));
    let mut sums = [[_mm256_setzero_si256(); 2]; ROWS];
    for step in 0..width / 4 {
        // SAFETY: a panel is `width / 4` steps of `STEP` bytes, of which this part is 64; asserted above.
        let weight: [__m256i; 2] = unsafe {
            let from = weights.as_ptr().add(step * STEP + part * 4);
            [_mm256_loadu_si256(from.cast()), _mm256_loadu_si256(from.add(32).cast())]
        };
        for (codes, sums) in codes.iter().zip(&mut sums) {
            // SAFETY: each row has `width` codes, and `step * 4 + 4 <= width`.
            let four = _mm256_set1_epi32(unsafe { codes.add(step * 4).cast::<i32>().read_unaligned() });
            let signed = _mm256_xor_si256(four, offset);
            let magnitude = _mm256_abs_epi8(signed);
            for (sum, weight) in sums.iter_mut().zip(weight) {
                let pairs = _mm256_maddubs_epi16(magnitude, _mm256_sign_epi8(weight, signed));
                *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(pairs, ones));
            }
        }
    }
    for (row, sums) in sums.iter().enumerate() {
        let mut exact = [0i32; PART];
        for (exact, &sum) in exact.chunks_exact_mut(8).zip(sums) {
            // SAFETY: the chunk holds the eight lanes.
            unsafe { _mm256_storeu_si256(exact.as_mut_ptr().cast(), sum) };
        }
        for (exact, &weight_sum) in exact.iter_mut().zip(&block.panel.sums[part..]) {
            *exact += 128 * weight_sum;
        }
        block.finish(row, part, &exact);
    }
}
