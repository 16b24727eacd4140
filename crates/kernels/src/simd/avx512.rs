//! Sixteen floats at once with AVX-512.

use std::arch::x86_64::*;

use super::Simd;

/// Proof that the machine has AVX-512 (F, BW, VL, DQ, VNNI).
#[derive(Clone, Copy)]
pub(crate) struct Avx512(());

impl Avx512 {
    /// Callable without `unsafe` only where the compiler already knows that the instructions exist.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")]
    pub(crate) fn new() -> Self {
        Avx512(())
    }
}

/// Runs intrinsics under the proof that the token is.
macro_rules! with_proof {
    ($expression:expr) => {
        // SAFETY: `self` exists, so the machine has the instructions; none of these intrinsics touches memory.
        unsafe { $expression }
    };
}

/// `vpdpwssd`, not through its intrinsic: the compiler splits that into a product and a sum, to shorten a chain of sums
/// that is not what limits these loops; attention then takes 7 % longer.
#[inline]
#[target_feature(enable = "avx512f,avx512vnni")]
fn add_pair_products(mut sum: __m512i, a: __m512i, b: __m512i) -> __m512i {
    // SAFETY: the instruction is enabled above and touches nothing but its operands.
    unsafe {
        std::arch::asm!(
            "vpdpwssd {sum}, {a}, {b}",
            sum = inout(zmm_reg) sum,
            a = in(zmm_reg) a,
            b = in(zmm_reg) b,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    sum
}

impl Simd for Avx512 {
    type F32 = __m512;
    type I32 = __m512i;
    const LARGE_REGISTER_FILE: bool = true;

    #[inline(always)]
    fn splat(self, value: f32) -> __m512 {
        with_proof!(_mm512_set1_ps(value))
    }
    #[inline(always)]
    unsafe fn load_from(self, from: *const f32) -> __m512 {
        // SAFETY: the caller vouches for the memory, the token for the instruction.
        unsafe { _mm512_loadu_ps(from) }
    }
    #[inline(always)]
    unsafe fn store_to(self, value: __m512, to: *mut f32) {
        // SAFETY: the caller vouches for the memory, the token for the instruction.
        unsafe { _mm512_storeu_ps(to, value) }
    }
    #[inline(always)]
    fn add(self, a: __m512, b: __m512) -> __m512 {
        with_proof!(_mm512_add_ps(a, b))
    }
    #[inline(always)]
    fn sub(self, a: __m512, b: __m512) -> __m512 {
        with_proof!(_mm512_sub_ps(a, b))
    }
    #[inline(always)]
    fn mul(self, a: __m512, b: __m512) -> __m512 {
        with_proof!(_mm512_mul_ps(a, b))
    }
    #[inline(always)]
    fn div(self, a: __m512, b: __m512) -> __m512 {
        with_proof!(_mm512_div_ps(a, b))
    }
    #[inline(always)]
    fn mul_add(self, a: __m512, b: __m512, c: __m512) -> __m512 {
        with_proof!(_mm512_fmadd_ps(a, b, c))
    }
    #[inline(always)]
    fn min(self, a: __m512, b: __m512) -> __m512 {
        with_proof!(_mm512_min_ps(a, b))
    }
    #[inline(always)]
    fn max(self, a: __m512, b: __m512) -> __m512 {
        with_proof!(_mm512_max_ps(a, b))
    }
    #[inline(always)]
    fn abs(self, a: __m512) -> __m512 {
        with_proof!(_mm512_abs_ps(a))
    }
    #[inline(always)]
    fn round(self, a: __m512) -> __m512 {
        with_proof!(_mm512_roundscale_ps::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(a))
    }
    #[inline(always)]
    fn scale_by_power(self, a: __m512, power: __m512) -> __m512 {
        with_proof!(_mm512_scalef_ps(a, power))
    }
    #[inline(always)]
    fn by_sign(self, a: __m512, negative: __m512, positive: __m512) -> __m512 {
        with_proof!({
            let is_negative = _mm512_cmp_ps_mask::<_CMP_LT_OQ>(a, _mm512_setzero_ps());
            _mm512_mask_blend_ps(is_negative, positive, negative)
        })
    }
    #[inline(always)]
    fn sum_lanes(self, a: __m512) -> f32 {
        // Not the reduction intrinsic: its order is not specified.
        with_proof!({
            let eight = _mm256_add_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps::<1>(a));
            let four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps::<1>(eight));
            let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
            _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)))
        })
    }
    #[inline(always)]
    fn min_lane(self, a: __m512) -> f32 {
        with_proof!(_mm512_reduce_min_ps(a))
    }
    #[inline(always)]
    fn max_lane(self, a: __m512) -> f32 {
        with_proof!(_mm512_reduce_max_ps(a))
    }
    #[inline(always)]
    fn store_bytes(self, value: __m512, to: &mut [u8]) {
        let to = &mut to[..16];
        // SAFETY: the token vouches for the instructions, and the slice was just cut to 16 bytes.
        unsafe { _mm_storeu_si128(to.as_mut_ptr().cast(), _mm512_cvtepi32_epi8(_mm512_cvtps_epi32(value))) }
    }
    #[inline(always)]
    fn store_i16(self, value: __m512, to: &mut [i16]) {
        let to = &mut to[..16];
        // SAFETY: the token vouches for the instructions, and the slice was just cut to 16 integers.
        unsafe {
            _mm256_storeu_si256(to.as_mut_ptr().cast(), _mm512_cvtepi32_epi16(_mm512_cvtps_epi32(value)))
        }
    }
    #[inline(always)]
    fn splat_i32(self, value: i32) -> __m512i {
        with_proof!(_mm512_set1_epi32(value))
    }
    #[inline(always)]
    unsafe fn load_i32_from(self, from: *const i32) -> __m512i {
        // SAFETY: the caller vouches for the memory, the token for the instruction.
        unsafe { _mm512_loadu_si512(from.cast()) }
    }
    #[inline(always)]
    fn add_pair_products(self, sum: __m512i, a: __m512i, b: __m512i) -> __m512i {
        with_proof!(add_pair_products(sum, a, b))
    }
    #[inline(always)]
    fn float_of(self, a: __m512i) -> __m512 {
        with_proof!(_mm512_cvtepi32_ps(a))
    }
}
