//! The linear layer in plain Rust: the definition that the others are tested against.

use super::{Block, PANEL, STEP};

/// Computes one row of the block.
pub(super) fn multiply(block: &mut Block<'_>) -> usize {
    let mut sums = [0i32; PANEL];
    for (codes, weights) in block.codes(0).chunks_exact(4).zip(block.panel.weights.chunks_exact(STEP)) {
        for (sum, weights) in sums.iter_mut().zip(weights.chunks_exact(4)) {
            for (&code, &weight) in codes.iter().zip(weights) {
                *sum += i32::from(code) * i32::from(weight);
            }
        }
    }
    block.finish(0, 0, &sums);
    1
}
