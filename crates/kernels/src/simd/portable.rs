//! Sixteen floats as an array, in plain Rust: the definition that the others are tested against.

use super::{LANES, Simd};

/// No special instructions.
#[derive(Clone, Copy)]
pub(crate) struct Portable;

#[inline(always)]
fn map(a: [f32; LANES], f: impl Fn(f32) -> f32) -> [f32; LANES] {
    a.map(f)
}

#[inline(always)]
fn zip(a: [f32; LANES], b: [f32; LANES], f: impl Fn(f32, f32) -> f32) -> [f32; LANES] {
    let mut out = a;
    for (out, b) in out.iter_mut().zip(b) {
        *out = f(*out, b);
    }
    out
}

impl Simd for Portable {
    type F32 = [f32; LANES];
    type I32 = [i32; LANES];
    const LARGE_REGISTER_FILE: bool = false;

    #[inline(always)]
    fn splat(self, value: f32) -> Self::F32 {
        [value; LANES]
    }
    #[inline(always)]
    unsafe fn load_from(self, from: *const f32) -> Self::F32 {
        // SAFETY: the caller vouches for sixteen readable floats; arrays of floats need no more alignment than one.
        unsafe { from.cast::<[f32; LANES]>().read() }
    }
    #[inline(always)]
    unsafe fn store_to(self, value: Self::F32, to: *mut f32) {
        // SAFETY: the caller vouches for sixteen writable floats.
        unsafe { to.cast::<[f32; LANES]>().write(value) }
    }
    #[inline(always)]
    fn add(self, a: Self::F32, b: Self::F32) -> Self::F32 {
        zip(a, b, |a, b| a + b)
    }
    #[inline(always)]
    fn sub(self, a: Self::F32, b: Self::F32) -> Self::F32 {
        zip(a, b, |a, b| a - b)
    }
    #[inline(always)]
    fn mul(self, a: Self::F32, b: Self::F32) -> Self::F32 {
        zip(a, b, |a, b| a * b)
    }
    #[inline(always)]
    fn div(self, a: Self::F32, b: Self::F32) -> Self::F32 {
        zip(a, b, |a, b| a / b)
    }
    #[inline(always)]
    fn mul_add(self, a: Self::F32, b: Self::F32, c: Self::F32) -> Self::F32 {
        // Not `f32::mul_add`: without the instruction that is a slow library call. In f64 the product is exact, and
        // rounding the sum twice differs from rounding it once in about one of 2^29 cases.
        let mut out = c;
        for lane in 0..LANES {
            out[lane] = (f64::from(a[lane]) * f64::from(b[lane]) + f64::from(c[lane])) as f32;
        }
        out
    }
    #[inline(always)]
    fn min(self, a: Self::F32, b: Self::F32) -> Self::F32 {
        zip(a, b, |a, b| if a < b { a } else { b })
    }
    #[inline(always)]
    fn max(self, a: Self::F32, b: Self::F32) -> Self::F32 {
        zip(a, b, |a, b| if a > b { a } else { b })
    }
    #[inline(always)]
    fn abs(self, a: Self::F32) -> Self::F32 {
        map(a, f32::abs)
    }
    #[inline(always)]
    fn round(self, a: Self::F32) -> Self::F32 {
        // Adding 1.5 * 2^23 leaves no bits for a fraction, so the addition itself rounds to even. Larger magnitudes
        // are integers already; the kernels stay below them.
        const SHIFT: f32 = 12_582_912.0;
        map(a, |a| if a.abs() < 4_194_304.0 { (a + SHIFT) - SHIFT } else { a })
    }
    #[inline(always)]
    fn scale_by_power(self, a: Self::F32, power: Self::F32) -> Self::F32 {
        zip(a, power, |a, power| a * f32::from_bits(((power as i32 + 127) as u32) << 23))
    }
    #[inline(always)]
    fn by_sign(self, a: Self::F32, negative: Self::F32, positive: Self::F32) -> Self::F32 {
        let mut out = positive;
        for lane in 0..LANES {
            out[lane] = if a[lane] < 0.0 { negative[lane] } else { positive[lane] };
        }
        out
    }
    #[inline(always)]
    fn sum_lanes(self, a: Self::F32) -> f32 {
        let eight: [f32; 8] = std::array::from_fn(|lane| a[lane] + a[lane + 8]);
        let four: [f32; 4] = std::array::from_fn(|lane| eight[lane] + eight[lane + 4]);
        (four[0] + four[2]) + (four[1] + four[3])
    }
    #[inline(always)]
    fn min_lane(self, a: Self::F32) -> f32 {
        a.into_iter().fold(f32::INFINITY, f32::min)
    }
    #[inline(always)]
    fn max_lane(self, a: Self::F32) -> f32 {
        a.into_iter().fold(f32::NEG_INFINITY, f32::max)
    }
    #[inline(always)]
    fn store_bytes(self, value: Self::F32, to: &mut [u8]) {
        for (to, value) in to[..LANES].iter_mut().zip(value) {
            *to = value as u8;
        }
    }
    #[inline(always)]
    fn store_i16(self, value: Self::F32, to: &mut [i16]) {
        for (to, value) in to[..LANES].iter_mut().zip(value) {
            *to = value as i16;
        }
    }
    #[inline(always)]
    fn splat_i32(self, value: i32) -> Self::I32 {
        [value; LANES]
    }
    #[inline(always)]
    unsafe fn load_i32_from(self, from: *const i32) -> Self::I32 {
        // SAFETY: the caller vouches for sixteen readable integers.
        unsafe { from.cast::<[i32; LANES]>().read() }
    }
    #[inline(always)]
    fn add_pair_products(self, sum: Self::I32, a: Self::I32, b: Self::I32) -> Self::I32 {
        let low = |pair: i32| i32::from(pair as i16);
        let high = |pair: i32| pair >> 16;
        let mut out = sum;
        for lane in 0..LANES {
            out[lane] += low(a[lane]) * low(b[lane]) + high(a[lane]) * high(b[lane]);
        }
        out
    }
    #[inline(always)]
    fn float_of(self, a: Self::I32) -> Self::F32 {
        a.map(|value| value as f32)
    }
}
