//! Sixteen floats as two AVX2 vectors, with FMA.

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

/// Two halves of sixteen floats.
type Pair = [__m256; 2];

/// Runs intrinsics under the proof that the token is.
macro_rules! with_proof {
    ($expression:expr) => {
        // SAFETY: `self` exists, so the machine has the instructions; none of these intrinsics touches memory.
        unsafe { $expression }
    };
}

/// Folds all lanes to one with an instruction of two operands, halves first.
macro_rules! fold_lanes {
    ($value:expr, $wide:ident, $packed:ident, $scalar:ident) => {
        with_proof!({
            let eight = $wide($value[0], $value[1]);
            let four = $packed(_mm256_castps256_ps128(eight), _mm256_extractf128_ps::<1>(eight));
            let two = $packed(four, _mm_movehl_ps(four, four));
            _mm_cvtss_f32($scalar(two, _mm_movehdup_ps(two)))
        })
    };
}

/// One half of [`Simd::scale_by_power`].
#[inline]
#[target_feature(enable = "avx2,fma")]
fn scale_half(a: __m256, power: __m256) -> __m256 {
    let exponent = _mm256_add_epi32(_mm256_cvtps_epi32(power), _mm256_set1_epi32(127));
    _mm256_mul_ps(a, _mm256_castsi256_ps(_mm256_slli_epi32::<23>(exponent)))
}

/// One half of [`Simd::by_sign`].
#[inline]
#[target_feature(enable = "avx2,fma")]
fn half_by_sign(a: __m256, negative: __m256, positive: __m256) -> __m256 {
    let is_negative = _mm256_cmp_ps::<_CMP_LT_OQ>(a, _mm256_setzero_ps());
    _mm256_blendv_ps(positive, negative, is_negative)
}

impl Simd for Avx2 {
    type F32 = Pair;
    type I32 = [__m256i; 2];
    const LARGE_REGISTER_FILE: bool = false;

    #[inline(always)]
    fn splat(self, value: f32) -> Pair {
        with_proof!([_mm256_set1_ps(value); 2])
    }
    #[inline(always)]
    unsafe fn load_from(self, from: *const f32) -> Pair {
        // SAFETY: the caller vouches for the memory, the token for the instruction.
        unsafe { [_mm256_loadu_ps(from), _mm256_loadu_ps(from.add(8))] }
    }
    #[inline(always)]
    unsafe fn store_to(self, value: Pair, to: *mut f32) {
        // SAFETY: the caller vouches for the memory, the token for the instruction.
        unsafe {
            _mm256_storeu_ps(to, value[0]);
            _mm256_storeu_ps(to.add(8), value[1]);
        }
    }
    #[inline(always)]
    fn add(self, a: Pair, b: Pair) -> Pair {
        with_proof!([_mm256_add_ps(a[0], b[0]), _mm256_add_ps(a[1], b[1])])
    }
    #[inline(always)]
    fn sub(self, a: Pair, b: Pair) -> Pair {
        with_proof!([_mm256_sub_ps(a[0], b[0]), _mm256_sub_ps(a[1], b[1])])
    }
    #[inline(always)]
    fn mul(self, a: Pair, b: Pair) -> Pair {
        with_proof!([_mm256_mul_ps(a[0], b[0]), _mm256_mul_ps(a[1], b[1])])
    }
    #[inline(always)]
    fn div(self, a: Pair, b: Pair) -> Pair {
        with_proof!([_mm256_div_ps(a[0], b[0]), _mm256_div_ps(a[1], b[1])])
    }
    #[inline(always)]
    fn mul_add(self, a: Pair, b: Pair, c: Pair) -> Pair {
        with_proof!([_mm256_fmadd_ps(a[0], b[0], c[0]), _mm256_fmadd_ps(a[1], b[1], c[1])])
    }
    #[inline(always)]
    fn min(self, a: Pair, b: Pair) -> Pair {
        with_proof!([_mm256_min_ps(a[0], b[0]), _mm256_min_ps(a[1], b[1])])
    }
    #[inline(always)]
    fn max(self, a: Pair, b: Pair) -> Pair {
        with_proof!([_mm256_max_ps(a[0], b[0]), _mm256_max_ps(a[1], b[1])])
    }
    #[inline(always)]
    fn abs(self, a: Pair) -> Pair {
        with_proof!(a.map(|half| _mm256_andnot_ps(_mm256_set1_ps(-0.0), half)))
    }
    #[inline(always)]
    fn round(self, a: Pair) -> Pair {
        const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
        with_proof!([_mm256_round_ps::<NEAREST>(a[0]), _mm256_round_ps::<NEAREST>(a[1])])
    }
    #[inline(always)]
    fn scale_by_power(self, a: Pair, power: Pair) -> Pair {
        with_proof!([scale_half(a[0], power[0]), scale_half(a[1], power[1])])
    }
    #[inline(always)]
    fn by_sign(self, a: Pair, negative: Pair, positive: Pair) -> Pair {
        with_proof!([
            half_by_sign(a[0], negative[0], positive[0]),
            half_by_sign(a[1], negative[1], positive[1])
        ])
    }
    #[inline(always)]
    fn sum_lanes(self, a: Pair) -> f32 {
        fold_lanes!(a, _mm256_add_ps, _mm_add_ps, _mm_add_ss)
    }
    #[inline(always)]
    fn min_lane(self, a: Pair) -> f32 {
        fold_lanes!(a, _mm256_min_ps, _mm_min_ps, _mm_min_ss)
    }
    #[inline(always)]
    fn max_lane(self, a: Pair) -> f32 {
        fold_lanes!(a, _mm256_max_ps, _mm_max_ps, _mm_max_ss)
    }
    #[inline(always)]
    fn store_bytes(self, value: Pair, to: &mut [u8]) {
        let to = &mut to[..16];
        // SAFETY: the token vouches for the instructions, and the slice was just cut to 16 bytes.
        unsafe {
            let [low, high] = [_mm256_cvtps_epi32(value[0]), _mm256_cvtps_epi32(value[1])];
            let low = _mm_packus_epi32(_mm256_castsi256_si128(low), _mm256_extracti128_si256::<1>(low));
            let high = _mm_packus_epi32(_mm256_castsi256_si128(high), _mm256_extracti128_si256::<1>(high));
            _mm_storeu_si128(to.as_mut_ptr().cast(), _mm_packus_epi16(low, high));
        }
    }
    #[inline(always)]
    fn store_i16(self, value: Pair, to: &mut [i16]) {
        let to = &mut to[..16];
        // SAFETY: the token vouches for the instructions, and the slice was just cut to 16 integers.
        unsafe {
            let mixed = _mm256_packs_epi32(_mm256_cvtps_epi32(value[0]), _mm256_cvtps_epi32(value[1]));
            _mm256_storeu_si256(to.as_mut_ptr().cast(), _mm256_permute4x64_epi64::<0b11_01_10_00>(mixed));
        }
    }
    #[inline(always)]
    fn splat_i32(self, value: i32) -> [__m256i; 2] {
        with_proof!([_mm256_set1_epi32(value); 2])
    }
    #[inline(always)]
    unsafe fn load_i32_from(self, from: *const i32) -> [__m256i; 2] {
        // SAFETY: the caller vouches for the memory, the token for the instruction.
        unsafe { [_mm256_loadu_si256(from.cast()), _mm256_loadu_si256(from.add(8).cast())] }
    }
    #[inline(always)]
    fn add_pair_products(self, sum: [__m256i; 2], a: [__m256i; 2], b: [__m256i; 2]) -> [__m256i; 2] {
        with_proof!([
            _mm256_add_epi32(sum[0], _mm256_madd_epi16(a[0], b[0])),
            _mm256_add_epi32(sum[1], _mm256_madd_epi16(a[1], b[1])),
        ])
    }
    #[inline(always)]
    fn float_of(self, a: [__m256i; 2]) -> Pair {
        with_proof!([_mm256_cvtepi32_ps(a[0]), _mm256_cvtepi32_ps(a[1])])
    }
}
