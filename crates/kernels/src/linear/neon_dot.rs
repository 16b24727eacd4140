//! The linear layer with the int8 dot product of NEON: four rows by 16 outputs in registers.
//!
//! The intrinsic for the instruction is not stable yet, so it is written as assembly. Both sides are signed here: the 128
//! comes off the codes first and is put back with the sums of the weights, as in the baseline NEON kernel.

use std::arch::aarch64::*;
use std::arch::asm;

use super::{Block, PANEL, STEP};

/// Outputs computed together: four vectors of four.
const PART: usize = 16;

/// Computes up to four rows of the block.
#[target_feature(enable = "neon,dotprod")]
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
#[target_feature(enable = "neon,dotprod")]
fn rows<const ROWS: usize>(block: &mut Block<'_>, part: usize) {
    let width = block.rows.width;
    let codes: [*const u8; ROWS] = std::array::from_fn(|row| block.codes(row).as_ptr());
    let weights = block.panel.weights;
    assert!(weights.len() == PANEL * width && part + PART <= PANEL);
    let mut sums = [[vdupq_n_s32(0); 4]; ROWS];
    for step in 0..width / 4 {
        // SAFETY: a panel is `width / 4` steps of `STEP` bytes, of which this part is 64; asserted above.
        let weight: [int8x16_t; 4] = unsafe {
            let from = weights.as_ptr().add(step * STEP + part * 4);
            [vld1q_s8(from), vld1q_s8(from.add(16)), vld1q_s8(from.add(32)), vld1q_s8(from.add(48))]
        };
        for (codes, sums) in codes.iter().zip(&mut sums) {
            // SAFETY: each row has `width` codes, and `step * 4 + 4 <= width`.
            let four = unsafe { codes.add(step * 4).cast::<u32>().read_unaligned() };
            let signed = vreinterpretq_s8_u32(vdupq_n_u32(four ^ 0x8080_8080));
            for (sum, weight) in sums.iter_mut().zip(weight) {
                *sum = add_dot_products(*sum, weight, signed);
            }
        }
    }
    for (row, sums) in sums.iter().enumerate() {
        let mut exact = [0i32; PART];
        for (exact, &sum) in exact.chunks_exact_mut(4).zip(sums) {
            // SAFETY: the chunk holds the four lanes.
            unsafe { vst1q_s32(exact.as_mut_ptr(), sum) };
        }
        for (exact, &weight_sum) in exact.iter_mut().zip(&block.panel.sums[part..]) {
            *exact += 128 * weight_sum;
        }
        block.finish(row, part, &exact);
    }
}

/// Adds to each lane the dot product of four neighbouring bytes.
#[inline]
#[target_feature(enable = "neon,dotprod")]
fn add_dot_products(mut sum: int32x4_t, a: int8x16_t, b: int8x16_t) -> int32x4_t {
    // SAFETY: the instruction is enabled above and touches nothing but its operands.
    unsafe {
        asm!(
            "sdot {sum:v}.4s, {a:v}.16b, {b:v}.16b",
            sum = inout(vreg) sum,
            a = in(vreg) a,
            b = in(vreg) b,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    sum
}
