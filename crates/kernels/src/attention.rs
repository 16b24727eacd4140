//! Attention of one sequence over itself, all heads.
//!
//! The input is the output of the joint query-key-value layer, one row a token, with the scaling of the scores
//! already inside the queries. Per head the keys are transposed once, then blocks of queries go through scores,
//! softmax and the weighted sum of values while everything stays in the first-level cache. There is no mask: ragged
//! batches are handed in one sequence at a time.

use crate::Isa;
use crate::simd::{Simd, WIDEST, exp_of_negative, for_each_isa};

/// Floats in a head. Fixed, because the inner loops keep a whole head of values in registers.
pub const HEAD_SIZE: usize = 32;

/// Queries that go through the inner loops together.
const BLOCK: usize = 8;

/// Scratch memory of the attention kernel. Reuse one to avoid allocation.
#[derive(Debug, Default)]
pub struct Attention {
    /// Keys of one head, transposed: `[HEAD_SIZE][padded tokens]`.
    keys: Vec<f32>,
    /// Values of one head: `[tokens][HEAD_SIZE]`.
    values: Vec<f32>,
    /// Scores of one block of queries: `[BLOCK][padded tokens]`.
    scores: Vec<f32>,
}

impl Attention {
    /// Writes the attended values of one sequence, `heads * HEAD_SIZE` floats a token, to `out`.
    ///
    /// # Panics
    /// If `qkv` is not whole rows of queries, keys and values for `heads` heads, or `out` not a third of it.
    pub fn run(&mut self, isa: Isa, heads: usize, qkv: &[f32], out: &mut [f32]) {
        let width = heads * HEAD_SIZE;
        assert!(heads > 0 && qkv.len().is_multiple_of(3 * width), "rows must be whole");
        assert_eq!(out.len(), qkv.len() / 3, "the output is a third of the input");
        let tokens = qkv.len() / (3 * width);
        if tokens == 0 {
            return;
        }
        let padded = tokens.next_multiple_of(WIDEST);
        self.keys.clear();
        self.keys.resize(HEAD_SIZE * padded, 0.0);
        self.values.resize(HEAD_SIZE * tokens, 0.0);
        self.scores.resize(BLOCK * padded, 0.0);
        run(isa, self, width, qkv, out);
    }
}

for_each_isa! {
    fn run(scratch: &mut Attention, width: usize, qkv: &[f32], out: &mut [f32]) = attend
}

#[inline(always)]
fn attend<S: Simd>(simd: S, scratch: &mut Attention, width: usize, qkv: &[f32], out: &mut [f32]) {
    let tokens = out.len() / width;
    let padded = tokens.next_multiple_of(WIDEST);
    let Attention { keys, values, scores } = scratch;
    for head in (0..width).step_by(HEAD_SIZE) {
        for (token, row) in qkv.chunks_exact(3 * width).enumerate() {
            let key = &row[width + head..][..HEAD_SIZE];
            for (keys, &key) in keys.chunks_exact_mut(padded).zip(key) {
                keys[token] = key;
            }
            let value = &row[2 * width + head..][..HEAD_SIZE];
            values[token * HEAD_SIZE..][..HEAD_SIZE].copy_from_slice(value);
        }
        for first in (0..tokens).step_by(BLOCK) {
            // A block past the end computes its last query again; only real rows are written.
            let mut queries: [&[f32]; BLOCK] = [&[]; BLOCK];
            for (offset, query) in queries.iter_mut().enumerate() {
                let token = (first + offset).min(tokens - 1);
                *query = &qkv[token * 3 * width + head..][..HEAD_SIZE];
            }
            score_block(simd, &queries, keys, padded, scores);
            let rows = BLOCK.min(tokens - first);
            let mut inverse_sums = [0.0; BLOCK];
            for (row, inverse) in scores.chunks_exact_mut(padded).zip(&mut inverse_sums).take(rows) {
                *inverse = softmax(simd, row, tokens);
            }
            let mut attended = [[0.0; HEAD_SIZE]; BLOCK];
            weigh_block(simd, scores, padded, values, &inverse_sums, &mut attended);
            for (offset, attended) in attended.iter().enumerate().take(rows) {
                out[(first + offset) * width + head..][..HEAD_SIZE].copy_from_slice(attended);
            }
        }
    }
}

/// Scores of the queries against all keys, padding included.
#[inline(always)]
fn score_block<S: Simd>(simd: S, queries: &[&[f32]; BLOCK], keys: &[f32], padded: usize, scores: &mut [f32]) {
    assert!(queries.iter().all(|query| query.len() == HEAD_SIZE));
    assert!(keys.len() == HEAD_SIZE * padded && scores.len() == BLOCK * padded);
    let vectors = padded / S::LANES;
    let mut vector = 0;
    while vector < vectors {
        let column = vector * S::LANES;
        // SAFETY: lengths are asserted above, and each call stays below `vectors`. `padded` is a multiple of the
        // widest vector, so narrower ones come in pairs.
        unsafe {
            if S::LANES == WIDEST && vector + 3 <= vectors {
                score_columns::<S, BLOCK, 3>(simd, queries, keys, padded, column, scores);
                vector += 3;
            } else if S::LANES == WIDEST {
                score_columns::<S, BLOCK, 1>(simd, queries, keys, padded, column, scores);
                vector += 1;
            } else {
                // Half a block at a time keeps the sums within sixteen registers.
                let (upper, lower) = queries.split_at(BLOCK / 2);
                let (upper_scores, lower_scores) = scores.split_at_mut(BLOCK / 2 * padded);
                score_columns::<S, { BLOCK / 2 }, 2>(simd, upper, keys, padded, column, upper_scores);
                score_columns::<S, { BLOCK / 2 }, 2>(simd, lower, keys, padded, column, lower_scores);
                vector += 2;
            }
        }
    }
}

/// Scores of `ROWS` queries against the keys of `VECTORS` vectors from `column` on.
///
/// # Safety
/// There must be `ROWS` queries of `HEAD_SIZE`, `HEAD_SIZE * padded` keys and `ROWS * padded` scores, and the
/// vectors must end at or before `padded`.
#[inline(always)]
unsafe fn score_columns<S: Simd, const ROWS: usize, const VECTORS: usize>(
    simd: S,
    queries: &[&[f32]],
    keys: &[f32],
    padded: usize,
    column: usize,
    scores: &mut [f32],
) {
    let mut sums = [[simd.splat(0.0); VECTORS]; ROWS];
    for dimension in 0..HEAD_SIZE {
        let mut key = [simd.splat(0.0); VECTORS];
        for (vector, key) in key.iter_mut().enumerate() {
            let offset = dimension * padded + column + vector * S::LANES;
            // SAFETY: `dimension < HEAD_SIZE` and the vector ends within the `padded` columns.
            *key = unsafe { simd.load_from(keys.as_ptr().add(offset)) };
        }
        for (row, sums) in sums.iter_mut().enumerate() {
            // SAFETY: there are `ROWS` queries of `HEAD_SIZE` floats.
            let query = simd.splat(unsafe { *queries.get_unchecked(row).get_unchecked(dimension) });
            for (sum, key) in sums.iter_mut().zip(key) {
                *sum = simd.mul_add(query, key, *sum);
            }
        }
    }
    for (row, sums) in sums.iter().enumerate() {
        for (vector, &sum) in sums.iter().enumerate() {
            let offset = row * padded + column + vector * S::LANES;
            // SAFETY: there are `ROWS * padded` scores, and the vector ends within its row.
            unsafe { simd.store_to(sum, scores.as_mut_ptr().add(offset)) };
        }
    }
}

/// Replaces scores by `e^(score - highest)` and returns the inverse of their sum; padding becomes as good as zero.
#[inline(always)]
fn softmax<S: Simd>(simd: S, row: &mut [f32], tokens: usize) -> f32 {
    row[tokens..].fill(f32::MIN);
    let mut highest = simd.splat(f32::MIN);
    for part in row.chunks_exact(S::LANES) {
        highest = simd.max(highest, simd.load(part));
    }
    let highest = simd.splat(simd.max_lane(highest));
    let mut sum = simd.splat(0.0);
    for part in row.chunks_exact_mut(S::LANES) {
        let weight = exp_of_negative(simd, simd.sub(simd.load(part), highest));
        simd.store(weight, part);
        sum = simd.add(sum, weight);
    }
    1.0 / simd.sum_lanes(sum)
}

/// The values weighed by the scores of each query, times the inverse sum of its scores.
#[inline(always)]
fn weigh_block<S: Simd>(
    simd: S,
    scores: &[f32],
    padded: usize,
    values: &[f32],
    inverse_sums: &[f32; BLOCK],
    out: &mut [[f32; HEAD_SIZE]; BLOCK],
) {
    let tokens = values.len() / HEAD_SIZE;
    assert!(scores.len() == BLOCK * padded && tokens <= padded && values.len() == tokens * HEAD_SIZE);
    // SAFETY: lengths are asserted above; every call covers rows below `BLOCK` and columns below `HEAD_SIZE`.
    unsafe {
        if S::LANES == WIDEST {
            weigh_rows::<S, BLOCK, 2>(simd, scores, padded, values, inverse_sums, 0, 0, out);
        } else {
            for row in (0..BLOCK).step_by(BLOCK / 2) {
                for column in (0..HEAD_SIZE).step_by(2 * S::LANES) {
                    weigh_rows::<S, { BLOCK / 2 }, 2>(
                        simd, scores, padded, values, inverse_sums, row, column, out,
                    );
                }
            }
        }
    }
}

/// `ROWS` rows from `first_row` on, `VECTORS` vectors of the head from `column` on.
///
/// # Safety
/// There must be `BLOCK * padded` scores and whole rows of values for at most `padded` tokens; `first_row + ROWS`
/// must not exceed `BLOCK`, nor `column + VECTORS * LANES` the `HEAD_SIZE`.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
unsafe fn weigh_rows<S: Simd, const ROWS: usize, const VECTORS: usize>(
    simd: S,
    scores: &[f32],
    padded: usize,
    values: &[f32],
    inverse_sums: &[f32; BLOCK],
    first_row: usize,
    column: usize,
    out: &mut [[f32; HEAD_SIZE]; BLOCK],
) {
    let mut sums = [[simd.splat(0.0); VECTORS]; ROWS];
    for token in 0..values.len() / HEAD_SIZE {
        let mut value = [simd.splat(0.0); VECTORS];
        for (vector, value) in value.iter_mut().enumerate() {
            let offset = token * HEAD_SIZE + column + vector * S::LANES;
            // SAFETY: the token exists and the vector ends within its head.
            *value = unsafe { simd.load_from(values.as_ptr().add(offset)) };
        }
        for (row, sums) in sums.iter_mut().enumerate() {
            // SAFETY: the row is below `BLOCK` and the token below `padded`.
            let weight = simd.splat(unsafe { *scores.get_unchecked((first_row + row) * padded + token) });
            for (sum, value) in sums.iter_mut().zip(value) {
                *sum = simd.mul_add(weight, value, *sum);
            }
        }
    }
    for (row, sums) in sums.iter().enumerate() {
        let inverse = simd.splat(inverse_sums[first_row + row]);
        for (vector, &sum) in sums.iter().enumerate() {
            simd.store(simd.mul(sum, inverse), &mut out[first_row + row][column + vector * S::LANES..]);
        }
    }
}
