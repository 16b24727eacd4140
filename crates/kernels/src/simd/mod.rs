//! Sixteen floats at once behind one trait, so that each float kernel is written once.
//!
//! Sixteen is the widest vector there is; narrower machines use several. As every operation is rounded alike (products
//! and sums are fused everywhere) and sums over lanes have one fixed order, a kernel gives the same bits on every
//! machine (the portable one nearly always, see there). That matters beyond neatness: activations are rounded to 8 bits between layers, and a difference in the
//! last place would grow to the size of that rounding before the end of the model.
//!
//! A kernel is a generic `#[inline(always)]` function over [`Simd`]; `for_each_isa!` instantiates it inside a
//! function that has the instructions enabled, and picks one at run time. Tokens are the proof: a value of
//! [`avx512::Avx512`] exists only where those instructions do, so the methods are safe to call.

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
#[cfg(target_arch = "aarch64")]
pub(crate) mod neon;
pub(crate) mod portable;

/// Floats in a vector. Rows that kernels work on are multiples of it.
pub(crate) const LANES: usize = 16;

/// Operations on vectors of sixteen floats.
pub(crate) trait Simd: Copy {
    /// A vector of `LANES` floats.
    type F32: Copy;
    /// A vector of `LANES` integers of 32 bits, or of as many pairs of 16 bits.
    type I32: Copy;
    /// Whether a vector is one register and there are 32 of them, which decides how many sums a loop keeps.
    const LARGE_REGISTER_FILE: bool;

    fn splat(self, value: f32) -> Self::F32;
    /// Reads the first `LANES` floats.
    ///
    /// # Safety
    /// `from` must be valid for reading `LANES` floats. It need not be aligned.
    unsafe fn load_from(self, from: *const f32) -> Self::F32;
    /// Writes `LANES` floats.
    ///
    /// # Safety
    /// `to` must be valid for writing `LANES` floats. It need not be aligned.
    unsafe fn store_to(self, value: Self::F32, to: *mut f32);

    fn add(self, a: Self::F32, b: Self::F32) -> Self::F32;
    fn sub(self, a: Self::F32, b: Self::F32) -> Self::F32;
    fn mul(self, a: Self::F32, b: Self::F32) -> Self::F32;
    fn div(self, a: Self::F32, b: Self::F32) -> Self::F32;
    /// `a * b + c`, rounded once.
    fn mul_add(self, a: Self::F32, b: Self::F32, c: Self::F32) -> Self::F32;
    fn min(self, a: Self::F32, b: Self::F32) -> Self::F32;
    fn max(self, a: Self::F32, b: Self::F32) -> Self::F32;
    fn abs(self, a: Self::F32) -> Self::F32;
    /// To the nearest integer, halves to the even one.
    fn round(self, a: Self::F32) -> Self::F32;
    /// `a * 2^power`, where `power` is an integer from -126 to 127.
    fn scale_by_power(self, a: Self::F32, power: Self::F32) -> Self::F32;
    /// `negative` where `a < 0`, else `positive`.
    fn by_sign(self, a: Self::F32, negative: Self::F32, positive: Self::F32) -> Self::F32;

    /// The sum of all lanes: halves added until one is left.
    fn sum_lanes(self, a: Self::F32) -> f32;
    fn min_lane(self, a: Self::F32) -> f32;
    fn max_lane(self, a: Self::F32) -> f32;
    /// Writes integers from 0 to 255, held as floats, as bytes.
    fn store_bytes(self, value: Self::F32, to: &mut [u8]);
    /// Writes integers of 16 bits that are held as floats.
    fn store_i16(self, value: Self::F32, to: &mut [i16]);

    /// The same integer, or pair, in each lane.
    fn splat_i32(self, value: i32) -> Self::I32;
    /// Reads `LANES` integers, or pairs.
    ///
    /// # Safety
    /// `from` must be valid for reading `LANES` integers. It need not be aligned further.
    unsafe fn load_i32_from(self, from: *const i32) -> Self::I32;
    /// `sum + a.low * b.low + a.high * b.high`, where low and high are the signed halves of each lane.
    fn add_pair_products(self, sum: Self::I32, a: Self::I32, b: Self::I32) -> Self::I32;
    /// To the nearest floats.
    fn float_of(self, a: Self::I32) -> Self::F32;

    #[inline(always)]
    fn load(self, from: &[f32]) -> Self::F32 {
        let from = &from[..LANES];
        // SAFETY: the slice was just cut to `LANES` floats.
        unsafe { self.load_from(from.as_ptr()) }
    }

    #[inline(always)]
    fn store(self, value: Self::F32, to: &mut [f32]) {
        let to = &mut to[..LANES];
        // SAFETY: the slice was just cut to `LANES` floats.
        unsafe { self.store_to(value, to.as_mut_ptr()) }
    }
}

/// `e^x` for `x <= 0`, within 3e-6 of the result for the arguments that matter: what comes of it is rounded to 12 bits
/// or fewer. Below -87 it gives `e^-87`, which is as good as zero here.
#[inline(always)]
pub(crate) fn exp_of_negative<S: Simd>(simd: S, x: S::F32) -> S::F32 {
    let x = simd.max(x, simd.splat(-87.0));
    let exponent = simd.mul(x, simd.splat(std::f32::consts::LOG2_E));
    let power = simd.round(exponent);
    let rest = simd.sub(exponent, power);
    // The series of 2^rest: powers of ln 2 over factorials.
    let mut series = simd.splat(1.333_355_8e-3);
    for coefficient in [9.618_129e-3, 5.550_411e-2, 0.240_226_5, std::f32::consts::LN_2, 1.0] {
        series = simd.mul_add(series, rest, simd.splat(coefficient));
    }
    simd.scale_by_power(series, power)
}

/// Defines a safe function that runs a generic kernel with the instructions of an [`crate::Isa`].
macro_rules! for_each_isa {
    ($(#[$attribute:meta])* fn $name:ident($($argument:ident: $type:ty),* $(,)?) = $kernel:ident) => {
        $(#[$attribute])*
        #[allow(clippy::too_many_arguments)]
        fn $name(isa: $crate::isa::Isa, $($argument: $type),*) {
            #[cfg(target_arch = "x86_64")]
            #[allow(clippy::too_many_arguments)]
            #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx2,fma")]
            fn with_avx512($($argument: $type),*) {
                $kernel($crate::simd::avx512::Avx512::new(), $($argument),*)
            }
            #[cfg(target_arch = "x86_64")]
            #[allow(clippy::too_many_arguments)]
            #[target_feature(enable = "avx2,fma")]
            fn with_avx2($($argument: $type),*) {
                $kernel($crate::simd::avx2::Avx2::new(), $($argument),*)
            }
            #[cfg(target_arch = "aarch64")]
            #[allow(clippy::too_many_arguments)]
            #[target_feature(enable = "neon")]
            fn with_neon($($argument: $type),*) {
                $kernel($crate::simd::neon::Neon::new(), $($argument),*)
            }
            match isa.0 {
                // SAFETY: an `Isa` exists only on machines that have its instructions.
                #[cfg(target_arch = "x86_64")]
                $crate::isa::Kind::Avx512Vnni => unsafe { with_avx512($($argument),*) },
                // SAFETY: as above; AVX-VNNI machines have AVX2, which detection checks.
                #[cfg(target_arch = "x86_64")]
                $crate::isa::Kind::Avx2 | $crate::isa::Kind::AvxVnni => unsafe { with_avx2($($argument),*) },
                // SAFETY: as above.
                #[cfg(target_arch = "aarch64")]
                $crate::isa::Kind::Neon | $crate::isa::Kind::NeonDot => unsafe { with_neon($($argument),*) },
                $crate::isa::Kind::Portable => $kernel($crate::simd::portable::Portable, $($argument),*),
            }
        }
    };
}
pub(crate) use for_each_isa;
