//! Plain Rust in arrays of eight, which every compiler turns into what vector instructions the baseline has.

use super::Simd;

/// No special instructions.
#[derive(Clone, Copy)]
pub(crate) struct Portable;

const LANES: usize = 8;

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
    const LANES: usize = LANES;

    #[inline(always)]
    fn splat(self, value: f32) -> Self::F32 {
        [value; LANES]
    }
    #[inline(always)]
    unsafe fn load_from(self, from: *const f32) -> Self::F32 {
        // SAFETY: the caller vouches for eight readable floats; arrays of floats need no more alignment than one.
        unsafe { from.cast::<[f32; LANES]>().read() }
    }
    #[inline(always)]
    unsafe fn store_to(self, value: Self::F32, to: *mut f32) {
        // SAFETY: the caller vouches for eight writable floats.
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
        // Not `f32::mul_add`: without the instruction that is a slow library call.
        self.add(self.mul(a, b), c)
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
        ((a[0] + a[4]) + (a[1] + a[5])) + ((a[2] + a[6]) + (a[3] + a[7]))
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
}
