//! One float vector type per instruction set behind one trait, so that each float kernel is written once.
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

/// The widest vector of all instruction sets. Rows that kernels work on are multiples of it.
pub(crate) const WIDEST: usize = 16;

/// Operations on vectors of `LANES` floats.
pub(crate) trait Simd: Copy {
    /// A vector of `LANES` floats.
    type F32: Copy;
    /// Floats in a vector; divides [`WIDEST`].
    const LANES: usize;

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
    /// `a * b + c`, rounded once where the machine can.
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

    fn sum_lanes(self, a: Self::F32) -> f32;
    fn min_lane(self, a: Self::F32) -> f32;
    fn max_lane(self, a: Self::F32) -> f32;
    /// Writes integers from 0 to 255, held as floats, as bytes.
    fn store_bytes(self, value: Self::F32, to: &mut [u8]);

    #[inline(always)]
    fn load(self, from: &[f32]) -> Self::F32 {
        let from = &from[..Self::LANES];
        // SAFETY: the slice was just cut to `LANES` floats.
        unsafe { self.load_from(from.as_ptr()) }
    }

    #[inline(always)]
    fn store(self, value: Self::F32, to: &mut [f32]) {
        let to = &mut to[..Self::LANES];
        // SAFETY: the slice was just cut to `LANES` floats.
        unsafe { self.store_to(value, to.as_mut_ptr()) }
    }
}

/// `e^x` for `x <= 0`, within 2e-7 relative; below -87 it gives `e^-87`, which is as good as zero here.
#[inline(always)]
pub(crate) fn exp_of_negative<S: Simd>(simd: S, x: S::F32) -> S::F32 {
    let x = simd.max(x, simd.splat(-87.0));
    let power = simd.round(simd.mul(x, simd.splat(std::f32::consts::LOG2_E)));
    // ln 2 in two parts, so that the reduced argument keeps its low bits.
    let rest = simd.mul_add(power, simd.splat(-0.693_145_75), x);
    let rest = simd.mul_add(power, simd.splat(-1.428_606_8e-6), rest);
    let mut series = simd.splat(1.0 / 720.0);
    for coefficient in [1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
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
            #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,fma")]
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
                $crate::isa::Kind::Neon => unsafe { with_neon($($argument),*) },
                $crate::isa::Kind::Portable => $kernel($crate::simd::portable::Portable, $($argument),*),
            }
        }
    };
}
pub(crate) use for_each_isa;
