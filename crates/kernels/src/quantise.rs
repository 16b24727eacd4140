//! Rows of floats to rows of bytes, for the integer linear layers.
//!
//! Each row has a scale and a zero point of its own (asymmetric): the output of GELU lies between -0.17 and some
//! large positive number, and a symmetric code would spend half of its 8 bits on values that never occur. The code
//! is signed, -127 to 127, stored with 128 added. That suits every instruction set: unsigned × signed products (VNNI)
//! and widened ones (AVX2) use the byte as it is; signed × signed products (NEON) take the 128 off by flipping one bit,
//! and never meet -128.
//!
//! Given the same floats, every instruction set gives the same bytes, scales and zero points.

use crate::Isa;
use crate::gelu::gelu_of;
use crate::simd::{LANES, Simd, for_each_isa};

/// Quantised rows: what [`crate::linear`] multiplies with. Reuse one to avoid allocation.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct QuantisedRows {
    pub(crate) width: usize,
    pub(crate) codes: Vec<u8>,
    pub(crate) scales: Vec<f32>,
    pub(crate) zero_points: Vec<i32>,
}

impl QuantisedRows {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.scales.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.scales.is_empty()
    }

    /// The value that stands for one element, for tests and reports.
    pub fn value(&self, row: usize, column: usize) -> f32 {
        let code = i32::from(self.codes[row * self.width + column]);
        (code - self.zero_points[row]) as f32 * self.scales[row]
    }
}

/// What happens to each float before it is quantised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activation {
    /// Nothing.
    Identity,
    /// The Gaussian error linear unit in its exact (erf) form.
    Gelu,
}

/// Quantises rows of `width` floats. With [`Activation::Gelu`] the floats themselves are overwritten.
///
/// # Panics
/// If `width` is not a positive multiple of 16 or does not divide the number of floats.
pub fn quantise_rows(
    isa: Isa,
    rows: &mut [f32],
    width: usize,
    activation: Activation,
    out: &mut QuantisedRows,
) {
    assert!(width > 0 && width.is_multiple_of(LANES), "rows must be multiples of {LANES} floats");
    assert!(rows.len().is_multiple_of(width), "rows must be whole");
    let count = rows.len() / width;
    out.width = width;
    out.codes.resize(rows.len(), 0);
    out.scales.resize(count, 0.0);
    out.zero_points.resize(count, 0);
    run(isa, rows, activation, out);
}

for_each_isa! {
    fn run(rows: &mut [f32], activation: Activation, out: &mut QuantisedRows) = quantise_all
}

#[inline(always)]
fn quantise_all<S: Simd>(simd: S, rows: &mut [f32], activation: Activation, out: &mut QuantisedRows) {
    let width = out.width;
    let sides = out.scales.iter_mut().zip(out.zero_points.iter_mut());
    let pairs = rows.chunks_exact_mut(width).zip(out.codes.chunks_exact_mut(width));
    for ((row, codes), (scale, zero_point)) in pairs.zip(sides) {
        let (lowest, highest) = match activation {
            Activation::Identity => range_of(simd, row),
            Activation::Gelu => gelu_and_range(simd, row),
        };
        (*scale, *zero_point) = quantise_row(simd, row, lowest, highest, codes);
    }
}

/// Smallest and largest value, zero included, so that zero always has an exact code.
#[inline(always)]
fn range_of<S: Simd>(simd: S, row: &[f32]) -> (f32, f32) {
    let (mut lowest, mut highest) = (simd.splat(0.0), simd.splat(0.0));
    for part in row.chunks_exact(LANES) {
        let value = simd.load(part);
        lowest = simd.min(lowest, value);
        highest = simd.max(highest, value);
    }
    (simd.min_lane(lowest), simd.max_lane(highest))
}

#[inline(always)]
fn gelu_and_range<S: Simd>(simd: S, row: &mut [f32]) -> (f32, f32) {
    let (mut lowest, mut highest) = (simd.splat(0.0), simd.splat(0.0));
    for part in row.chunks_exact_mut(LANES) {
        let value = gelu_of(simd, simd.load(part));
        simd.store(value, part);
        lowest = simd.min(lowest, value);
        highest = simd.max(highest, value);
    }
    (simd.min_lane(lowest), simd.max_lane(highest))
}

#[inline(always)]
fn quantise_row<S: Simd>(simd: S, row: &[f32], lowest: f32, highest: f32, codes: &mut [u8]) -> (f32, i32) {
    // The floor keeps the inverse finite for a row of zeros.
    let scale = ((highest - lowest) / 254.0).max(1e-20);
    let inverse = 1.0 / scale;
    let zero_point = (1.0 - lowest * inverse).round_ties_even();
    let (factor, shift) = (simd.splat(inverse), simd.splat(zero_point));
    let (first, last) = (simd.splat(1.0), simd.splat(255.0));
    for (part, codes) in row.chunks_exact(LANES).zip(codes.chunks_exact_mut(LANES)) {
        // A multiplication and an addition with a rounding between them: a fused one would differ by machine.
        let code = simd.add(simd.round(simd.mul(simd.load(part), factor)), shift);
        simd.store_bytes(simd.min(simd.max(code, first), last), codes);
    }
    (scale, zero_point as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back_within_half_a_step() {
        let mut rows: Vec<f32> = (0..64).map(|i| (i as f32 * 0.7).sin() * 3.0 + 1.0).collect();
        let mut out = QuantisedRows::default();
        quantise_rows(Isa::portable(), &mut rows, 32, Activation::Identity, &mut out);
        assert_eq!(out.len(), 2);
        for (index, &value) in rows.iter().enumerate() {
            let back = out.value(index / 32, index % 32);
            assert!((back - value).abs() <= out.scales[index / 32] * 1.001, "{back} for {value}");
        }
    }

    #[test]
    fn a_row_of_zeros_stays_zero() {
        let mut out = QuantisedRows::default();
        quantise_rows(Isa::detect(), &mut [0.0; 16], 16, Activation::Identity, &mut out);
        assert!((0..16).all(|column| out.value(0, column) == 0.0));
    }
}
