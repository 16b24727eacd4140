//! Small helpers on single vectors: to int8 and back, unit length.
//!
//! Plain Rust: they run once per vector, not once per element pair, and the compiler vectorises them well enough. Where
//! it may use wider vectors for the same sums in the same order, it is told so.

use crate::isa::{Isa, Kind};

/// Quantises to int8, the largest magnitude becoming 127, and returns the scale: `vector ≈ scale * out`.
///
/// A vector of zeros gives zeros and a scale of 0. Not-a-number counts as zero.
///
/// # Panics
/// If the lengths differ.
pub fn quantise_i8(vector: &[f32], out: &mut [i8]) -> f32 {
    assert_eq!(vector.len(), out.len(), "one code for each element");
    // `f32::max` ignores not-a-number; infinities are cut so that the scale stays finite.
    let largest = vector.iter().fold(0.0f32, |largest, x| largest.max(x.abs())).min(f32::MAX);
    let scale = largest / 127.0;
    let inverse = if scale > f32::MIN_POSITIVE { 1.0 / scale } else { 0.0 };
    for (out, x) in out.iter_mut().zip(vector) {
        *out = (x * inverse).round_ties_even().clamp(-127.0, 127.0) as i8;
    }
    if inverse == 0.0 { 0.0 } else { scale }
}

/// The dot product of a float vector with an int8 one, without the latter's scale.
///
/// # Panics
/// If the lengths differ.
pub fn dot_f32_i8(query: &[f32], row: &[i8]) -> f32 {
    assert_eq!(query.len(), row.len(), "vectors of one model are of one size");
    match Isa::detect().0 {
        // SAFETY: an `Isa` exists only on machines that have its instructions, and each of these has AVX2.
        #[cfg(target_arch = "x86_64")]
        Kind::Avx512Vnni | Kind::AvxVnni | Kind::Avx2 => unsafe { dot_with_avx2(query, row) },
        _ => dot(query, row),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn dot_with_avx2(query: &[f32], row: &[i8]) -> f32 {
    dot(query, row)
}

#[inline(always)]
fn dot(query: &[f32], row: &[i8]) -> f32 {
    const LANES: usize = 8;
    let mut sums = [0.0f32; LANES];
    let (query_parts, query_rest) = query.as_chunks::<LANES>();
    let (row_parts, row_rest) = row.as_chunks::<LANES>();
    for (query, row) in query_parts.iter().zip(row_parts) {
        for lane in 0..LANES {
            sums[lane] += query[lane] * f32::from(row[lane]);
        }
    }
    let rest: f32 = query_rest.iter().zip(row_rest).map(|(&a, &b)| a * f32::from(b)).sum();
    sums.iter().sum::<f32>() + rest
}

/// Asks for memory that will be read soon. Does nothing where there is no way to.
pub fn prefetch<T>(soon: &[T]) {
    #[cfg(target_arch = "x86_64")]
    for at in (0..size_of_val(soon)).step_by(64) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: every machine of this kind has the instruction, and it is a hint: nothing is read through the address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(soon.as_ptr().cast::<i8>().wrapping_add(at)) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = soon;
}

/// `out += scale * row`.
///
/// # Panics
/// If the lengths differ.
pub fn add_scaled_i8(out: &mut [f32], row: &[i8], scale: f32) {
    assert_eq!(out.len(), row.len(), "both sides of a sum must be of one size");
    for (out, &x) in out.iter_mut().zip(row) {
        *out += scale * f32::from(x);
    }
}

/// Scales a vector to unit length. One without direction (all zeros, or not finite) becomes all zeros.
pub fn normalise(vector: &mut [f32]) {
    // In f64, so that neither overflow nor the order of the sum matters.
    let square: f64 = vector.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
    let length = square.sqrt();
    if length > 0.0 && length.is_finite() {
        vector.iter_mut().for_each(|x| *x = (f64::from(*x) / length) as f32);
    } else {
        vector.fill(0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wider_vectors_give_the_same_sum() {
        for length in [0, 1, 7, 8, 9, 384, 391] {
            let query: Vec<f32> = (0..length).map(|i| ((i * 37 % 101) as f32 - 50.0) / 700.0).collect();
            let row: Vec<i8> = (0..length).map(|i| (i * 53 % 255) as u8 as i8).collect();
            assert_eq!(dot_f32_i8(&query, &row).to_bits(), dot(&query, &row).to_bits());
            prefetch(&query);
        }
    }

    #[test]
    fn quantised_vectors_come_back() {
        let vector = [0.5, -1.0, 0.25, 0.0];
        let mut codes = [0i8; 4];
        let scale = quantise_i8(&vector, &mut codes);
        assert_eq!(codes, [64, -127, 32, 0]);
        let dot = dot_f32_i8(&vector, &codes) * scale;
        assert!((dot - 1.3125).abs() < 0.01);
    }

    #[test]
    fn vectors_without_direction_become_zero() {
        let mut codes = [1i8; 3];
        assert_eq!(quantise_i8(&[0.0; 3], &mut codes), 0.0);
        assert_eq!(codes, [0; 3]);
        assert_eq!(quantise_i8(&[1e-44, 0.0, 0.0], &mut codes), 0.0);
        quantise_i8(&[f32::NAN, 1.0, f32::INFINITY], &mut codes);
        assert_eq!(codes[0], 0);
        for mut vector in [[0.0, 0.0], [f32::NAN, 1.0], [f32::INFINITY, 1.0]] {
            normalise(&mut vector);
            assert_eq!(vector, [0.0, 0.0]);
        }
    }

    #[test]
    fn normalised_vectors_have_unit_length() {
        let mut vector = [3.0, 4.0];
        normalise(&mut vector);
        assert_eq!(vector, [0.6, 0.8]);
        let mut huge = [f32::MAX, f32::MAX];
        normalise(&mut huge);
        assert!((huge[0] - 0.5f32.sqrt()).abs() < 1e-6);
    }
}
