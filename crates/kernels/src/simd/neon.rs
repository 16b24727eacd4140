//! Sixteen floats as four NEON vectors.

use std::arch::aarch64::*;

use super::Simd;

/// Proof that the machine has NEON.
#[derive(Clone, Copy)]
pub(crate) struct Neon(());

impl Neon {
    /// Callable without `unsafe` only where the compiler already knows that the instructions exist.
    #[inline]
    #[target_feature(enable = "neon")]
    pub(crate) fn new() -> Self {
        Neon(())
    }
}

/// Four quarters of sixteen floats.
type Four = [float32x4_t; 4];

/// An expression for each quarter, under the proof that the token is.
macro_rules! each {
    ($quarter:ident => $expression:expr) => {{
        // SAFETY: `self` exists, so the machine has the instructions; none of these intrinsics touches memory. Where
        // NEON is the baseline the block is not needed.
        #[allow(unused_unsafe)]
        unsafe {
            [
                { const $quarter: usize = 0; $expression },
                { const $quarter: usize = 1; $expression },
                { const $quarter: usize = 2; $expression },
                { const $quarter: usize = 3; $expression },
            ]
        }
    }};
}

impl Simd for Neon {
    type F32 = Four;
    type I32 = [int32x4_t; 4];
    // There are 32 registers, but a vector takes four of them.
    const LARGE_REGISTER_FILE: bool = false;

    #[inline(always)]
    fn splat(self, value: f32) -> Four {
        each!(_I => vdupq_n_f32(value))
    }
    #[inline(always)]
    unsafe fn load_from(self, from: *const f32) -> Four {
        // The caller vouches for the memory, which `each` does not speak of.
        each!(I => vld1q_f32(from.add(I * 4)))
    }
    #[inline(always)]
    unsafe fn store_to(self, value: Four, to: *mut f32) {
        let _: [(); 4] = each!(I => vst1q_f32(to.add(I * 4), value[I]));
    }
    #[inline(always)]
    fn add(self, a: Four, b: Four) -> Four {
        each!(I => vaddq_f32(a[I], b[I]))
    }
    #[inline(always)]
    fn sub(self, a: Four, b: Four) -> Four {
        each!(I => vsubq_f32(a[I], b[I]))
    }
    #[inline(always)]
    fn mul(self, a: Four, b: Four) -> Four {
        each!(I => vmulq_f32(a[I], b[I]))
    }
    #[inline(always)]
    fn div(self, a: Four, b: Four) -> Four {
        each!(I => vdivq_f32(a[I], b[I]))
    }
    #[inline(always)]
    fn mul_add(self, a: Four, b: Four, c: Four) -> Four {
        each!(I => vfmaq_f32(c[I], a[I], b[I]))
    }
    #[inline(always)]
    fn min(self, a: Four, b: Four) -> Four {
        each!(I => vminq_f32(a[I], b[I]))
    }
    #[inline(always)]
    fn max(self, a: Four, b: Four) -> Four {
        each!(I => vmaxq_f32(a[I], b[I]))
    }
    #[inline(always)]
    fn abs(self, a: Four) -> Four {
        each!(I => vabsq_f32(a[I]))
    }
    #[inline(always)]
    fn round(self, a: Four) -> Four {
        each!(I => vrndnq_f32(a[I]))
    }
    #[inline(always)]
    fn scale_by_power(self, a: Four, power: Four) -> Four {
        each!(I => {
            let exponent = vaddq_s32(vcvtnq_s32_f32(power[I]), vdupq_n_s32(127));
            vmulq_f32(a[I], vreinterpretq_f32_s32(vshlq_n_s32::<23>(exponent)))
        })
    }
    #[inline(always)]
    fn by_sign(self, a: Four, negative: Four, positive: Four) -> Four {
        each!(I => vbslq_f32(vcltzq_f32(a[I]), negative[I], positive[I]))
    }
    #[inline(always)]
    fn sum_lanes(self, a: Four) -> f32 {
        // SAFETY: the token vouches for the instructions; nothing touches memory.
        #[allow(unused_unsafe)]
        unsafe {
            let four = vaddq_f32(vaddq_f32(a[0], a[2]), vaddq_f32(a[1], a[3]));
            let two = vadd_f32(vget_low_f32(four), vget_high_f32(four));
            vget_lane_f32::<0>(two) + vget_lane_f32::<1>(two)
        }
    }
    #[inline(always)]
    fn min_lane(self, a: Four) -> f32 {
        // SAFETY: the token vouches for the instructions; nothing touches memory.
        #[allow(unused_unsafe)]
        unsafe {
            vminvq_f32(vminq_f32(vminq_f32(a[0], a[1]), vminq_f32(a[2], a[3])))
        }
    }
    #[inline(always)]
    fn max_lane(self, a: Four) -> f32 {
        // SAFETY: the token vouches for the instructions; nothing touches memory.
        #[allow(unused_unsafe)]
        unsafe {
            vmaxvq_f32(vmaxq_f32(vmaxq_f32(a[0], a[1]), vmaxq_f32(a[2], a[3])))
        }
    }
    #[inline(always)]
    fn store_bytes(self, value: Four, to: &mut [u8]) {
        let to = &mut to[..16];
        let words: [uint32x4_t; 4] = each!(I => vcvtnq_u32_f32(value[I]));
        // SAFETY: the token vouches for the instructions, and the slice was just cut to 16 bytes.
        #[allow(unused_unsafe)]
        unsafe {
            let low = vcombine_u16(vmovn_u32(words[0]), vmovn_u32(words[1]));
            let high = vcombine_u16(vmovn_u32(words[2]), vmovn_u32(words[3]));
            vst1q_u8(to.as_mut_ptr(), vcombine_u8(vmovn_u16(low), vmovn_u16(high)));
        }
    }
    #[inline(always)]
    fn store_i16(self, value: Four, to: &mut [i16]) {
        let to = &mut to[..16];
        // The slice was just cut to 16 integers.
        let _: [(); 4] =
            each!(I => vst1_s16(to.as_mut_ptr().add(I * 4), vmovn_s32(vcvtnq_s32_f32(value[I]))));
    }
    #[inline(always)]
    fn splat_i32(self, value: i32) -> [int32x4_t; 4] {
        each!(_I => vdupq_n_s32(value))
    }
    #[inline(always)]
    unsafe fn load_i32_from(self, from: *const i32) -> [int32x4_t; 4] {
        // The caller vouches for the memory, which `each` does not speak of.
        each!(I => vld1q_s32(from.add(I * 4)))
    }
    #[inline(always)]
    fn add_pair_products(self, sum: [int32x4_t; 4], a: [int32x4_t; 4], b: [int32x4_t; 4]) -> [int32x4_t; 4] {
        each!(I => {
            let (a, b) = (vreinterpretq_s16_s32(a[I]), vreinterpretq_s16_s32(b[I]));
            let low = vmull_s16(vget_low_s16(a), vget_low_s16(b));
            vaddq_s32(sum[I], vpaddq_s32(low, vmull_high_s16(a, b)))
        })
    }
    #[inline(always)]
    fn float_of(self, a: [int32x4_t; 4]) -> Four {
        each!(I => vcvtq_f32_s32(a[I]))
    }
}
