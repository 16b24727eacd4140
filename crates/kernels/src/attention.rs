//! Attention of one sequence over itself, all heads.
//!
//! The input is the output of the joint query-key-value layer, one row a token, with the scaling of the scores
//! already inside the queries. There is no mask: ragged batches are handed in one sequence at a time.
//!
//! Both products run on 16-bit integers, two at a time into 32-bit sums: exact, and with half the instructions of floats
//! (for 248 tokens, attention as a whole takes 30 % less time with AVX-512 and 20 % less with AVX2). Queries and keys get 12 bits and a scale a token, values 11 bits and a scale a dimension, weights
//! 12 bits relative to the highest; sums then fit for up to [`MAX_SEQUENCE`] tokens. That loses nothing that
//! shows in the final vectors (mean cosine 0.9991 before and after); 8 bits for the weights would cost 0.0005.

use crate::Isa;
use crate::simd::{LANES, Simd, exp_of_negative, for_each_isa};

/// Floats in a head. Fixed, because the inner loops keep a whole head of values in registers.
pub const HEAD_SIZE: usize = 32;

/// Tokens in the longest sequence for which no sum can overflow: 512 · 4095 · 1023 < 2^31.
pub const MAX_SEQUENCE: usize = 512;

/// Queries that go through the inner loops together.
const BLOCK: usize = 8;
/// Pairs of floats in a head.
const PAIRS: usize = HEAD_SIZE / 2;

const LARGEST_KEY: f32 = 2047.0;
const LARGEST_VALUE: f32 = 1023.0;
const LARGEST_WEIGHT: f32 = 4095.0;

/// Scratch memory of the attention kernel. Reuse one to avoid allocation.
#[derive(Debug, Default)]
pub struct Attention {
    head: Head,
    /// Scores of one block of queries: `[BLOCK][padded tokens]`.
    scores: Vec<f32>,
    /// The same after softmax, as integers.
    weights: Vec<i16>,
}

/// Keys and values of one head.
#[derive(Debug, Default)]
struct Head {
    /// Tokens, rounded up to whole vectors.
    padded: usize,
    /// Keys as pairs of dimensions, transposed: `[PAIRS][padded]`.
    keys: Vec<i32>,
    key_scales: Vec<f32>,
    /// Values as pairs of tokens: `[padded / 2][HEAD_SIZE]`.
    values: Vec<i32>,
    value_scales: [f32; HEAD_SIZE],
}

impl Attention {
    /// Writes the attended values of one sequence, `heads * HEAD_SIZE` floats a token, to `out`.
    ///
    /// # Panics
    /// If `qkv` is not whole rows of queries, keys and values for `heads` heads, `out` not a third of it, or the
    /// sequence longer than [`MAX_SEQUENCE`].
    pub fn run(&mut self, isa: Isa, heads: usize, qkv: &[f32], out: &mut [f32]) {
        let width = heads * HEAD_SIZE;
        assert!(heads > 0 && qkv.len().is_multiple_of(3 * width), "rows must be whole");
        assert_eq!(out.len(), qkv.len() / 3, "the output is a third of the input");
        let tokens = qkv.len() / (3 * width);
        assert!(tokens <= MAX_SEQUENCE, "sequences are limited to {MAX_SEQUENCE} tokens");
        let padded = tokens.next_multiple_of(LANES);
        self.head.padded = padded;
        // Zeros matter only in the padding, which is not written to below.
        self.head.keys.clear();
        self.head.keys.resize(PAIRS * padded, 0);
        self.head.key_scales.resize(padded, 0.0);
        self.head.values.resize(padded / 2 * HEAD_SIZE, 0);
        self.scores.resize(BLOCK * padded, 0.0);
        self.weights.resize(BLOCK * padded, 0);
        run(isa, self, width, qkv, out);
    }
}

for_each_isa! {
    fn run(scratch: &mut Attention, width: usize, qkv: &[f32], out: &mut [f32]) = attend
}

#[inline(always)]
fn attend<S: Simd>(simd: S, scratch: &mut Attention, width: usize, qkv: &[f32], out: &mut [f32]) {
    let tokens = out.len() / width;
    let Attention { head, scores, weights } = scratch;
    for column in (0..width).step_by(HEAD_SIZE) {
        pack_keys(simd, qkv, width, column, head);
        pack_values(simd, qkv, width, column, head);
        for first in (0..tokens).step_by(BLOCK) {
            let rows = BLOCK.min(tokens - first);
            // Rows past the end stay zero; their results are not used.
            let mut queries = [[0i32; PAIRS]; BLOCK];
            let mut query_scales = [0.0; BLOCK];
            for row in 0..rows {
                let query = &qkv[(first + row) * 3 * width + column..][..HEAD_SIZE];
                query_scales[row] = quantise_head(simd, query, &mut queries[row]);
            }
            score_block(simd, &queries, &query_scales, head, scores);
            let mut inverse_sums = [0.0; BLOCK];
            let pairs = scores.chunks_exact_mut(head.padded).zip(weights.chunks_exact_mut(head.padded));
            for ((scores, weights), inverse) in pairs.zip(&mut inverse_sums).take(rows) {
                *inverse = softmax(simd, scores, tokens, weights);
            }
            let mut attended = [[0.0; HEAD_SIZE]; BLOCK];
            weigh_block(simd, weights, head, &inverse_sums, &mut attended);
            for (row, attended) in attended.iter().enumerate().take(rows) {
                out[(first + row) * width + column..][..HEAD_SIZE].copy_from_slice(attended);
            }
        }
    }
}

#[inline(always)]
fn pack_keys<S: Simd>(simd: S, qkv: &[f32], width: usize, column: usize, head: &mut Head) {
    for (token, row) in qkv.chunks_exact(3 * width).enumerate() {
        let mut pairs = [0; PAIRS];
        head.key_scales[token] = quantise_head(simd, &row[width + column..][..HEAD_SIZE], &mut pairs);
        for (keys, pair) in head.keys.chunks_exact_mut(head.padded).zip(pairs) {
            keys[token] = pair;
        }
    }
}

/// Rounds one head of a token to pairs of integers and returns their scale.
#[inline(always)]
fn quantise_head<S: Simd>(simd: S, from: &[f32], to: &mut [i32; PAIRS]) -> f32 {
    let (low, high) = from.split_at(LANES);
    let (low, high) = (simd.load(low), simd.load(high));
    let largest = simd.max_lane(simd.max(simd.abs(low), simd.abs(high))).max(1e-20);
    let factor = simd.splat(LARGEST_KEY / largest);
    let mut codes = [0i16; HEAD_SIZE];
    simd.store_i16(simd.round(simd.mul(low, factor)), &mut codes);
    simd.store_i16(simd.round(simd.mul(high, factor)), &mut codes[LANES..]);
    for (index, to) in to.iter_mut().enumerate() {
        // SAFETY: there are `PAIRS` pairs of codes.
        *to = unsafe { codes.as_ptr().cast::<i32>().add(index).read_unaligned() };
    }
    largest / LARGEST_KEY
}

#[inline(always)]
fn pack_values<S: Simd>(simd: S, qkv: &[f32], width: usize, column: usize, head: &mut Head) {
    let values = |row: &'_ [f32]| -> [S::F32; 2] {
        let value = &row[2 * width + column..][..HEAD_SIZE];
        [simd.load(value), simd.load(&value[LANES..])]
    };
    let mut largest = [simd.splat(1e-20); 2];
    for row in qkv.chunks_exact(3 * width) {
        let [low, high] = values(row);
        largest = [simd.max(largest[0], simd.abs(low)), simd.max(largest[1], simd.abs(high))];
    }
    let factors = largest.map(|largest| simd.div(simd.splat(LARGEST_VALUE), largest));
    for (scales, largest) in head.value_scales.chunks_exact_mut(LANES).zip(largest) {
        simd.store(simd.div(largest, simd.splat(LARGEST_VALUE)), scales);
    }
    for (rows, pairs) in qkv.chunks(2 * 3 * width).zip(head.values.chunks_exact_mut(HEAD_SIZE)) {
        // Without a second token its half stays zero.
        let mut codes = [[0i16; HEAD_SIZE]; 2];
        for (row, codes) in rows.chunks_exact(3 * width).zip(&mut codes) {
            let [low, high] = values(row);
            simd.store_i16(simd.round(simd.mul(low, factors[0])), codes);
            simd.store_i16(simd.round(simd.mul(high, factors[1])), &mut codes[LANES..]);
        }
        for (pair, (&first, &second)) in pairs.iter_mut().zip(codes[0].iter().zip(&codes[1])) {
            *pair = pair_of(first, second);
        }
    }
}

/// Two integers as they would lie in memory.
#[inline(always)]
fn pair_of(low: i16, high: i16) -> i32 {
    i32::from(low as u16) | (i32::from(high) << 16)
}

/// Scores of the queries against all keys, padding included.
#[inline(always)]
fn score_block<S: Simd>(
    simd: S,
    queries: &[[i32; PAIRS]; BLOCK],
    query_scales: &[f32; BLOCK],
    head: &Head,
    scores: &mut [f32],
) {
    let padded = head.padded;
    assert!(head.keys.len() == PAIRS * padded && scores.len() == BLOCK * padded);
    assert!(head.key_scales.len() >= padded && padded.is_multiple_of(LANES));
    let vectors = padded / LANES;
    let mut vector = 0;
    while vector < vectors {
        let column = vector * LANES;
        // SAFETY: lengths are asserted above; rows stay below `BLOCK` and vectors below `vectors`.
        unsafe {
            if S::LARGE_REGISTER_FILE && vector + 3 <= vectors {
                score_columns::<S, BLOCK, 3>(simd, queries, query_scales, 0, head, column, scores);
                vector += 3;
            } else if S::LARGE_REGISTER_FILE {
                score_columns::<S, BLOCK, 1>(simd, queries, query_scales, 0, head, column, scores);
                vector += 1;
            } else {
                // Half a block at a time keeps the sums within the registers.
                for row in [0, BLOCK / 2] {
                    score_columns::<S, { BLOCK / 2 }, 1>(
                        simd,
                        queries,
                        query_scales,
                        row,
                        head,
                        column,
                        scores,
                    );
                }
                vector += 1;
            }
        }
    }
}

/// Scores of `ROWS` queries from `first_row` on against the keys of `VECTORS` vectors from `column` on.
///
/// # Safety
/// There must be `PAIRS * padded` keys, `padded` key scales and `BLOCK * padded` scores; the rows must end at or before
/// `BLOCK`, the vectors at or before `padded`.
#[inline(always)]
unsafe fn score_columns<S: Simd, const ROWS: usize, const VECTORS: usize>(
    simd: S,
    queries: &[[i32; PAIRS]; BLOCK],
    query_scales: &[f32; BLOCK],
    first_row: usize,
    head: &Head,
    column: usize,
    scores: &mut [f32],
) {
    let mut sums = [[simd.splat_i32(0); VECTORS]; ROWS];
    for pair in 0..PAIRS {
        let mut key = [simd.splat_i32(0); VECTORS];
        for (vector, key) in key.iter_mut().enumerate() {
            let offset = pair * head.padded + column + vector * LANES;
            // SAFETY: `pair < PAIRS` and the vector ends within the `padded` columns.
            *key = unsafe { simd.load_i32_from(head.keys.as_ptr().add(offset)) };
        }
        for (row, sums) in sums.iter_mut().enumerate() {
            // SAFETY: `first_row + row < BLOCK`.
            let query = simd.splat_i32(unsafe { queries.get_unchecked(first_row + row)[pair] });
            for (sum, key) in sums.iter_mut().zip(key) {
                *sum = simd.add_pair_products(*sum, query, key);
            }
        }
    }
    for (row, sums) in sums.iter().enumerate() {
        let query_scale = simd.splat(query_scales[first_row + row]);
        for (vector, &sum) in sums.iter().enumerate() {
            let column = column + vector * LANES;
            let offset = (first_row + row) * head.padded + column;
            // SAFETY: there are `padded` key scales and `BLOCK * padded` scores, and the vector ends within its row.
            unsafe {
                let scale = simd.mul(simd.load_from(head.key_scales.as_ptr().add(column)), query_scale);
                simd.store_to(simd.mul(simd.float_of(sum), scale), scores.as_mut_ptr().add(offset));
            }
        }
    }
}

/// Turns scores into `e^(score - highest)`, as integers, and returns the inverse of their sum. Padding becomes zero.
#[inline(always)]
fn softmax<S: Simd>(simd: S, scores: &mut [f32], tokens: usize, weights: &mut [i16]) -> f32 {
    scores[tokens..].fill(f32::MIN);
    let mut highest = simd.splat(f32::MIN);
    for part in scores.chunks_exact(LANES) {
        highest = simd.max(highest, simd.load(part));
    }
    let highest = simd.splat(simd.max_lane(highest));
    let largest = simd.splat(LARGEST_WEIGHT);
    let mut sum = simd.splat(0.0);
    for (part, weights) in scores.chunks_exact(LANES).zip(weights.chunks_exact_mut(LANES)) {
        let exponential = exp_of_negative(simd, simd.sub(simd.load(part), highest));
        let weight = simd.round(simd.mul(exponential, largest));
        simd.store_i16(weight, weights);
        sum = simd.add(sum, weight);
    }
    1.0 / simd.sum_lanes(sum)
}

/// The values weighed by the scores of each query, times the inverse sum of its weights.
#[inline(always)]
fn weigh_block<S: Simd>(
    simd: S,
    weights: &[i16],
    head: &Head,
    inverse_sums: &[f32; BLOCK],
    out: &mut [[f32; HEAD_SIZE]; BLOCK],
) {
    assert!(weights.len() == BLOCK * head.padded && head.values.len() == head.padded / 2 * HEAD_SIZE);
    // SAFETY: lengths are asserted above; every call covers rows below `BLOCK` and columns below `HEAD_SIZE`.
    unsafe {
        if S::LARGE_REGISTER_FILE {
            weigh_rows::<S, BLOCK, 2>(simd, weights, head, inverse_sums, 0, 0, out);
        } else {
            for row in [0, BLOCK / 2] {
                for column in [0, LANES] {
                    weigh_rows::<S, { BLOCK / 2 }, 1>(simd, weights, head, inverse_sums, row, column, out);
                }
            }
        }
    }
}

/// `ROWS` rows from `first_row` on, `VECTORS` vectors of the head from `column` on.
///
/// # Safety
/// There must be `BLOCK * padded` weights and `padded / 2 * HEAD_SIZE` pairs of values; the rows must end at or before
/// `BLOCK`, the vectors at or before `HEAD_SIZE`.
#[inline(always)]
unsafe fn weigh_rows<S: Simd, const ROWS: usize, const VECTORS: usize>(
    simd: S,
    weights: &[i16],
    head: &Head,
    inverse_sums: &[f32; BLOCK],
    first_row: usize,
    column: usize,
    out: &mut [[f32; HEAD_SIZE]; BLOCK],
) {
    let mut sums = [[simd.splat_i32(0); VECTORS]; ROWS];
    let mut rows = [std::ptr::null::<i32>(); ROWS];
    for (row, pointer) in rows.iter_mut().enumerate() {
        *pointer = weights[(first_row + row) * head.padded..].as_ptr().cast();
    }
    for pair in 0..head.padded / 2 {
        let mut value = [simd.splat_i32(0); VECTORS];
        for (vector, value) in value.iter_mut().enumerate() {
            let offset = pair * HEAD_SIZE + column + vector * LANES;
            // SAFETY: the pair exists and the vector ends within its head.
            *value = unsafe { simd.load_i32_from(head.values.as_ptr().add(offset)) };
        }
        for (row, sums) in rows.iter().zip(&mut sums) {
            // SAFETY: the row has `padded` weights, which is an even number, and so `padded / 2` pairs.
            let weight = simd.splat_i32(unsafe { row.add(pair).read_unaligned() });
            for (sum, value) in sums.iter_mut().zip(value) {
                *sum = simd.add_pair_products(*sum, weight, value);
            }
        }
    }
    for (row, sums) in sums.iter().enumerate() {
        let inverse = simd.splat(inverse_sums[first_row + row]);
        for (vector, &sum) in sums.iter().enumerate() {
            let column = column + vector * LANES;
            let scale = simd.mul(simd.load(&head.value_scales[column..]), inverse);
            simd.store(simd.mul(simd.float_of(sum), scale), &mut out[first_row + row][column..]);
        }
    }
}
