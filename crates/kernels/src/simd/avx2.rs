//! Eight floats at once with AVX2 and FMA.

use std::arch::x86_64::*;

use super::Simd;

/// Proof that the machine has AVX2 and FMA.
#[derive(Clone, Copy)]
pub(crate) struct Avx2(());

impl Avx2 {
    /// Callable without `unsafe` only where the compiler already knows that the instructions exist.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    pub(crate) fn new() -> Self {
        Avx2(())
    }
}

/// Runs intrinsics under the proof that the token is.
macro_rules! with_proof {
    ($expression:expr) => {
        // SAFETY: `self` exists, so the machine has the instructions; none of these intrinsics touches memory.
        unsafe { $expression }
    };
}

/// Folds the eight lanes to one with a two-operand instruction.
macro_rules! fold_lanes {
    ($value:expr, $packed:ident, $scalar:ident) => {
        with_proof!({
            let four = $packed(_mm256_castps256_ps128($value), _mm256_extractf128_ps::<1>($value));
            let two = $packed(four, _mm_movehl_ps(four, four));
            _mm_cvtss_f32($scalar(two, _mm_movehdup_ps(two)))
        })
    };
}

impl Simd for Avx2 {
    type F32 = __m256;
    const LANES: usize = 8;

    #[inline(always)]
    fn splat(self, value: f32) -> __m256 {
        with_proof!(_mm256_set1_ps(value))
    }
    #[inline(always)]
    unsafe fn load_from(self, from: *const f32) -> __m256 {
        // SAFETY: the caller vouches for the memory, the token for the instruction.
        unsafe { _mm256_loadu_ps(from) }
    }
    #[inline(always)]
    unsafe fn store_to(self, value: __m256, to: *mut f32) {
        // SAFETY: the caller vouches for the memory, the token for the instruction.
        unsafe { _mm256_storeu_ps(to, value) }
    }
    #[inline(always)]
    fn add(self, a: __m256, b: __m256) -> __m256 {
        with_proof!(_mm256_add_ps(a, b))
    }
    #[inline(always)]
    fn sub(self, a: __m256, b: __m256) -> __m256 {
        with_proof!(_mm256_sub_ps(a, b))
    }
    #[inline(always)]
    fn mul(self, a: __m256, b: __m256) -> __m256 {
        with_proof!(_mm256_mul_ps(a, b))
    }
    #[inline(always)]
    fn div(self, a: __m256, b: __m256) -> __m256 {
        with_proof!(_mm256_div_ps(a, b))
    }
    #[inline(always)]
    fn mul_add(self, a: __m256, b: __m256, c: __m256) -> __m256 {
        with_proof!(_mm256_fmadd_ps(a, b, c))
    }
    #[inline(always)]
    fn min(self, a: __m256, b: __m256) -> __m256 {
        with_proof!(_mm256_min_ps(a, b))
    }
    #[inline(always)]
    fn max(self, a: __m256, b: __m256) -> __m256 {
        with_proof!(_mm256_max_ps(a, b))
    }
    #[inline(always)]
    fn abs(self, a: __m256) -> __m256 {
        with_proof!(_mm256_andnot_ps(_mm256_set1_ps(-0.0), a))
    }
    #[inline(always)]
    fn round(self, a: __m256) -> __m256 {
        with_proof!(_mm256_round_ps::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(a))
    }
    #[inline(always)]
    fn scale_by_power(self, a: __m256, power: __m256) -> __m256 {
        with_proof!({
            let exponent = _mm256_add_epi32(_mm256_cvtps_epi32(power), _mm256_set1_epi32(127));
            _mm256_mul_ps(a, _mm256_castsi256_ps(_mm256_slli_epi32::<23>(exponent)))
        })
    }
    #[inline(always)]
    fn by_sign(self, a: __m256, negative: __m256, positive: __m256) -> __m256 {
        with_proof!({
            let is_negative = _mm256_cmp_ps::<_CMP_LT_OQ>(a, _mm256_setzero_ps());
            _mm256_blendv_ps(positive, negative, is_negative)
        })
    }
    #[inline(always)]
    fn sum_lanes(self, a: __m256) -> f32 {
        fold_lanes!(a, _mm_add_ps, _mm_add_ss)
    }
    #[inline(always)]
    fn min_lane(self, a: __m256) -> f32 {
        fold_lanes!(a, _mm_min_ps, _mm_min_ss)
    }
    #[inline(always)]
    fn max_lane(self, a: __m256) -> f32 {
        fold_lanes!(a, _mm_max_ps, _mm_max_ss)
    }
    #[inline(always)]
    fn store_bytes(self, value: __m256, to: &mut [u8]) {
        let to = &mut to[..8];
        // SAFETY: the token vouches for the instructions, and the slice was just cut to 8 bytes.
        unsafe {
            let words = _mm256_cvtps_epi32(value);
            let halves = _mm_packus_epi32(_mm256_castsi256_si128(words), _mm256_extracti128_si256::<1>(words));
            _mm_storel_epi64(to.as_mut_ptr().cast(), _mm_packus_epi16(halves, halves));
        }
    }
}
