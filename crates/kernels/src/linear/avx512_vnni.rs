//! The linear layer with 64-byte int8 dot products: up to eight rows by 48 outputs in registers.

use std::arch::x86_64::*;

use super::{Block, PANEL, STEP};

/// Computes up to eight rows of the block.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")]
pub(super) fn multiply(block: &mut Block<'_>) -> usize {
    match block.remaining() {
        0 => {}
        1 => rows::<1>(block),
        2 => rows::<2>(block),
        3 => rows::<3>(block),
        4 => rows::<4>(block),
        5 => rows::<5>(block),
        6 => rows::<6>(block),
        7 => rows::<7>(block),
        _ => rows::<8>(block),
    }
    block.remaining().min(8)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")]
fn rows<const ROWS: usize>(block: &mut Block<'_>) {
    let width = block.rows.width;
    let codes: [*const u8; ROWS] = std::array::from_fn(|row| block.codes(row).as_ptr());
    let weights = block.panel.weights;
    assert_eq!(weights.len(), PANEL * width);
    let mut sums = [[_mm512_setzero_si512(); 3]; ROWS];
    for step in 0..width / 4 {
        // SAFETY: a panel is `width / 4` steps of `STEP` bytes, asserted above.
        let weight: [__m512i; 3] = unsafe {
            let from = weights.as_ptr().add(step * STEP);
            [
                _mm512_loadu_si512(from.cast()),
                _mm512_loadu_si512(from.add(64).cast()),
                _mm512_loadu_si512(from.add(128).cast()),
            ]
        };
        for (codes, sums) in codes.iter().zip(&mut sums) {
            // SAFETY: each row has `width` codes, and `step * 4 + 4 <= width`.
            let four = _mm512_set1_epi32(unsafe { codes.add(step * 4).cast::<i32>().read_unaligned() });
            for (sum, weight) in sums.iter_mut().zip(weight) {
                *sum = _mm512_dpbusd_epi32(*sum, four, weight);
            }
        }
    }
    for (row, sums) in sums.iter().enumerate() {
        finish(block, row, sums);
    }
}

/// The vector form of [`Block::finish`], with the same roundings.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")]
fn finish(block: &mut Block<'_>, offset: usize, sums: &[__m512i; 3]) {
    let row = block.first + offset;
    let scale = _mm512_set1_ps(block.rows.scales[row]);
    let zero_point = _mm512_set1_epi32(block.rows.zero_points[row]);
    let panel = &block.panel;
    assert!(panel.scales.len() == PANEL && panel.sums.len() == PANEL && panel.bias.len() == PANEL);
    let out = &mut block.out[row * block.stride + block.column..][..PANEL];
    for (vector, &sum) in sums.iter().enumerate() {
        // SAFETY: three vectors of sixteen are the `PANEL` elements that each slice was checked to have.
        unsafe {
            let weight_scale = _mm512_loadu_ps(panel.scales.as_ptr().add(vector * 16));
            let weight_sum = _mm512_loadu_si512(panel.sums.as_ptr().add(vector * 16).cast());
            let bias = _mm512_loadu_ps(panel.bias.as_ptr().add(vector * 16));
            let exact = _mm512_sub_epi32(sum, _mm512_mullo_epi32(zero_point, weight_sum));
            let value = _mm512_mul_ps(_mm512_cvtepi32_ps(exact), _mm512_mul_ps(weight_scale, scale));
            _mm512_storeu_ps(out.as_mut_ptr().add(vector * 16), _mm512_add_ps(value, bias));
        }
    }
}
