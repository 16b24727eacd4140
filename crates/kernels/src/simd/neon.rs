//! Four floats at once with NEON.

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

/// Runs intrinsics under the proof that the token is. On targets where NEON is the baseline the block is not needed.
macro_rules! with_proof {
    ($expression:expr) => {
        // SAFETY: `self` exists, so the machine has the instructions; none of these intrinsics touches memory.
        #[allow(unused_unsafe)]
        unsafe {
            $expression
        }
    };
}

impl Simd for Neon {
    type F32 = float32x4_t;
    const LANES: usize = 4;

    #[inline(always)]
    fn splat(self, value: f32) -> float32x4_t {
        with_proof!(vdupq_n_f32(value))
    }
    #[inline(always)]
    unsafe fn load_from(self, from: *const f32) -> float32x4_t {
        // SAFETY: the caller vouches for the memory, the token for the instruction.
        unsafe { vld1q_f32(from) }
    }
    #[inline(always)]
    unsafe fn store_to(self, value: float32x4_t, to: *mut f32) {
        // SAFETY: the caller vouches for the memory, the token for the instruction.
        unsafe { vst1q_f32(to, value) }
    }
    #[inline(always)]
    fn add(self, a: float32x4_t, b: float32x4_t) -> float32x4_t {
        with_proof!(vaddq_f32(a, b))
    }
    #[inline(always)]
    fn sub(self, a: float32x4_t, b: float32x4_t) -> float32x4_t {
        with_proof!(vsubq_f32(a, b))
    }
    #[inline(always)]
    fn mul(self, a: float32x4_t, b: float32x4_t) -> float32x4_t {
        with_proof!(vmulq_f32(a, b))
    }
    #[inline(always)]
    fn div(self, a: float32x4_t, b: float32x4_t) -> float32x4_t {
        with_proof!(vdivq_f32(a, b))
    }
    #[inline(always)]
    fn mul_add(self, a: float32x4_t, b: float32x4_t, c: float32x4_t) -> float32x4_t {
        with_proof!(vfmaq_f32(c, a, b))
    }
    #[inline(always)]
    fn min(self, a: float32x4_t, b: float32x4_t) -> float32x4_t {
        with_proof!(vminq_f32(a, b))
    }
    #[inline(always)]
    fn max(self, a: float32x4_t, b: float32x4_t) -> float32x4_t {
        with_proof!(vmaxq_f32(a, b))
    }
    #[inline(always)]
    fn abs(self, a: float32x4_t) -> float32x4_t {
        with_proof!(vabsq_f32(a))
    }
    #[inline(always)]
    fn round(self, a: float32x4_t) -> float32x4_t {
        with_proof!(vrndnq_f32(a))
    }
    #[inline(always)]
    fn scale_by_power(self, a: float32x4_t, power: float32x4_t) -> float32x4_t {
        with_proof!({
            let exponent = vaddq_s32(vcvtnq_s32_f32(power), vdupq_n_s32(127));
            vmulq_f32(a, vreinterpretq_f32_s32(vshlq_n_s32::<23>(exponent)))
        })
    }
    #[inline(always)]
    fn by_sign(self, a: float32x4_t, negative: float32x4_t, positive: float32x4_t) -> float32x4_t {
        with_proof!(vbslq_f32(vcltzq_f32(a), negative, positive))
    }
    #[inline(always)]
    fn sum_lanes(self, a: float32x4_t) -> f32 {
        with_proof!(vaddvq_f32(a))
    }
    #[inline(always)]
    fn min_lane(self, a: float32x4_t) -> f32 {
        with_proof!(vminvq_f32(a))
    }
    #[inline(always)]
    fn max_lane(self, a: float32x4_t) -> f32 {
        with_proof!(vmaxvq_f32(a))
    }
    #[inline(always)]
    fn store_bytes(self, value: float32x4_t, to: &mut [u8]) {
        let mut words = [0u32; 4];
        // SAFETY: the token vouches for the instructions, and `words` holds exactly the four lanes.
        unsafe { vst1q_u32(words.as_mut_ptr(), vcvtnq_u32_f32(value)) };
        for (to, word) in to[..4].iter_mut().zip(words) {
            *to = word as u8;
        }
    }
}
