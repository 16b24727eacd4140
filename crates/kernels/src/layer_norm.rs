//! Layer normalisation, alone and after a residual sum.

use crate::Isa;
use crate::simd::{LANES, Simd, for_each_isa};

/// Added to the variance, as the model was trained.
const EPSILON: f32 = 1e-12;

/// Normalises each row in place to mean 0 and variance 1, then applies `weight` and `bias`.
///
/// # Panics
/// If `weight` and `bias` differ in length, are not a positive multiple of 16, or do not divide the rows.
pub fn layer_norm(isa: Isa, rows: &mut [f32], weight: &[f32], bias: &[f32]) {
    check(rows, weight, bias);
    run_plain(isa, rows, weight, bias);
}

/// Adds `other` to the rows, then normalises them as [`layer_norm`] does.
///
/// # Panics
/// As [`layer_norm`], and if `other` has another length than `rows`.
pub fn add_layer_norm(isa: Isa, rows: &mut [f32], other: &[f32], weight: &[f32], bias: &[f32]) {
    check(rows, weight, bias);
    assert_eq!(rows.len(), other.len(), "both sides of a sum must be of one size");
    run_sum(isa, rows, other, weight, bias);
}

fn check(rows: &[f32], weight: &[f32], bias: &[f32]) {
    let width = weight.len();
    assert!(width > 0 && width.is_multiple_of(LANES), "rows must be multiples of {LANES} floats");
    assert_eq!(bias.len(), width, "weight and bias must be of one size");
    assert!(rows.len().is_multiple_of(width), "rows must be whole");
}

for_each_isa! {
    fn run_plain(rows: &mut [f32], weight: &[f32], bias: &[f32]) = normalise_rows
}
for_each_isa! {
    fn run_sum(rows: &mut [f32], other: &[f32], weight: &[f32], bias: &[f32]) = add_and_normalise_rows
}

#[inline(always)]
fn normalise_rows<S: Simd>(simd: S, rows: &mut [f32], weight: &[f32], bias: &[f32]) {
    for row in rows.chunks_exact_mut(weight.len()) {
        let mut sum = simd.splat(0.0);
        for part in row.chunks_exact(LANES) {
            sum = simd.add(sum, simd.load(part));
        }
        finish_row(simd, row, simd.sum_lanes(sum), weight, bias);
    }
}

#[inline(always)]
fn add_and_normalise_rows<S: Simd>(simd: S, rows: &mut [f32], other: &[f32], weight: &[f32], bias: &[f32]) {
    let width = weight.len();
    for (row, other) in rows.chunks_exact_mut(width).zip(other.chunks_exact(width)) {
        let mut sum = simd.splat(0.0);
        for (part, other) in row.chunks_exact_mut(LANES).zip(other.chunks_exact(LANES)) {
            let value = simd.add(simd.load(part), simd.load(other));
            simd.store(value, part);
            sum = simd.add(sum, value);
        }
        finish_row(simd, row, simd.sum_lanes(sum), weight, bias);
    }
}

#[inline(always)]
fn finish_row<S: Simd>(simd: S, row: &mut [f32], sum: f32, weight: &[f32], bias: &[f32]) {
    let width = row.len() as f32;
    let mean = simd.splat(sum / width);
    let mut squares = simd.splat(0.0);
    for part in row.chunks_exact(LANES) {
        let centred = simd.sub(simd.load(part), mean);
        squares = simd.mul_add(centred, centred, squares);
    }
    let deviation = (simd.sum_lanes(squares) / width + EPSILON).sqrt();
    let inverse = simd.splat(1.0 / deviation);
    let parts = row.chunks_exact_mut(LANES);
    let sides = weight.chunks_exact(LANES).zip(bias.chunks_exact(LANES));
    for (part, (weight, bias)) in parts.zip(sides) {
        let centred = simd.mul(simd.sub(simd.load(part), mean), inverse);
        simd.store(simd.mul_add(centred, simd.load(weight), simd.load(bias)), part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_get_mean_zero_and_variance_one() {
        for isa in Isa::available() {
            let mut rows: Vec<f32> = (0..96).map(|i| i as f32).collect();
            add_layer_norm(isa, &mut rows, &[1.0; 96], &[1.0; 48], &[0.0; 48]);
            for row in rows.chunks(48) {
                let mean: f32 = row.iter().sum::<f32>() / 48.0;
                let variance: f32 = row.iter().map(|x| x * x).sum::<f32>() / 48.0;
                assert!(mean.abs() < 1e-5 && (variance - 1.0).abs() < 1e-5, "{isa}: {mean} {variance}");
            }
        }
    }
}
