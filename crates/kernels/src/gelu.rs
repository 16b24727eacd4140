//! The Gaussian error linear unit, `x · Φ(x)`, in the exact form that BERT models were trained with.

use crate::simd::{Simd, exp_of_negative};

/// GELU of each lane. The error function is Abramowitz and Stegun 7.1.26, within 1.5e-7.
#[inline(always)]
pub(crate) fn gelu_of<S: Simd>(simd: S, x: S::F32) -> S::F32 {
    let z = simd.mul(simd.abs(x), simd.splat(std::f32::consts::FRAC_1_SQRT_2));
    let one = simd.splat(1.0);
    let t = simd.div(one, simd.mul_add(z, simd.splat(0.327_591_1), one));
    let mut series = simd.splat(1.061_405_4);
    for coefficient in [-1.453_152, 1.421_413_8, -0.284_496_74, 0.254_829_6] {
        series = simd.mul_add(series, t, simd.splat(coefficient));
    }
    let square = simd.mul(z, z);
    let decay = exp_of_negative(simd, simd.sub(simd.splat(0.0), square));
    // Half of erfc(|z|): the share of the normal distribution beyond |x|.
    let tail = simd.mul(simd.mul(simd.mul(series, t), decay), simd.splat(0.5));
    simd.mul(x, simd.by_sign(x, tail, simd.sub(one, tail)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::portable::Portable;

    fn check(x: f32, expected: f32) {
        let got = gelu_of(Portable, [x; 16])[0];
        assert!((got - expected).abs() < 2e-6, "gelu({x}) = {got}, not {expected}");
    }

    #[test]
    fn known_values() {
        check(0.0, 0.0);
        check(1.0, 0.841_344_7);
        check(-1.0, -0.158_655_3);
        check(3.0, 2.995_950_3);
        check(-6.0, 0.0);
        check(20.0, 20.0);
        check(-20.0, 0.0);
    }
}
