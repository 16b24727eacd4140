//! The linear layer with NEON: four rows by 16 outputs in registers.
//!
//! Only baseline instructions, for machines without the dot product. The 128 comes off the codes first and is put back
//! with the sums of the weights, so the result is the same as on other machines.

use std::arch::aarch64::*;

use super::{Block, PANEL, STEP};

/// Outputs computed together: four vectors of four.
const PART: usize = 16;

/// Computes up to four rows of the block.
#[target_feature(enable = "neon")]
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
#[target_feature(enable = "neon")]
fn rows<const ROWS: usize>(block: &mut Block<'_>, part: usize) {
    let width = block.rows.width;
    let codes: [*const u8; ROWS] = std::array::from_fn(|row| block.codes(row).as_ptr());
    let weights = block.panel.weights;
    assert!(weights.len() == PANEL * width && part + PART <= PANEL);
    let mut sums = [[vdupq_n_s32(0); 4]; ROWS];
    for step in 0..width / 4 {
        for vector in 0..4 {
            // SAFETY: a panel is `width / 4` steps of `STEP` bytes, of which this part is 64; asserted above.
            let weight = unsafe { vld1q_s8(weights.as_ptr().add(step * STEP + part * 4 + vector * 16)) };
            for (codes, sums) in codes.iter().zip(&mut sums) {
                // SAFETY: each row has `width` codes, and `step * 4 + 4 <= width`.
                let four = unsafe { codes.add(step * 4).cast::<u32>().read_unaligned() };
                let signed = vreinterpret_s8_u32(vdup_n_u32(four ^ 0x8080_8080));
                // Lanes: two outputs of four products each; adding neighbours twice gives one sum an output.
                let low = vpaddlq_s16(vmull_s8(signed, vget_low_s8(weight)));
                let high = vpaddlq_s16(vmull_s8(signed, vget_high_s8(weight)));
                sums[vector] = vaddq_s32(sums[vector], vpaddq_s32(low, high));
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
