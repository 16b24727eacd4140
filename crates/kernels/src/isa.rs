//! Which vector instructions this machine has.
//!
//! An [`Isa`] can only be had from the detection below, so holding one proves that its instructions exist; that is
//! what makes the safe wrappers of the kernels sound. Overriding the choice (an environment variable, a test) is left
//! to the caller, who picks among [`Isa::available`].

use std::fmt;
use std::sync::OnceLock;

/// A set of vector instructions that the running machine has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Isa(pub(crate) Kind);

/// The instruction sets with kernels of their own.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// AVX-512 with the int8 dot product.
    #[cfg(target_arch = "x86_64")]
    Avx512Vnni,
    /// AVX2 with the int8 dot product in 256 bits, as on recent desktop processors without AVX-512.
    #[cfg(target_arch = "x86_64")]
    AvxVnni,
    /// AVX2 and FMA.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// NEON with the int8 dot product.
    #[cfg(target_arch = "aarch64")]
    NeonDot,
    /// NEON.
    #[cfg(target_arch = "aarch64")]
    Neon,
    /// Plain Rust.
    Portable,
}

impl Isa {
    /// The best instruction set of this machine; looked up once.
    pub fn detect() -> Isa {
        static BEST: OnceLock<Isa> = OnceLock::new();
        *BEST.get_or_init(|| Isa::available().first().copied().unwrap_or(Isa::portable()))
    }

    /// Every instruction set this machine can run, best first. The last one is always the portable one.
    pub fn available() -> Vec<Isa> {
        let mut found = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
            let avx512 = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vnni");
            if avx2 && avx512 {
                found.push(Isa(Kind::Avx512Vnni));
            }
            if avx2 && is_x86_feature_detected!("avxvnni") {
                found.push(Isa(Kind::AvxVnni));
            }
            if avx2 {
                found.push(Isa(Kind::Avx2));
            }
        }
        #[cfg(target_arch = "aarch64")]
        if std::arch::is_aarch64_feature_detected!("neon") {
            if std::arch::is_aarch64_feature_detected!("dotprod") {
                found.push(Isa(Kind::NeonDot));
            }
            found.push(Isa(Kind::Neon));
        }
        found.push(Isa::portable());
        found
    }

    /// Plain Rust, which every machine can run.
    pub const fn portable() -> Isa {
        Isa(Kind::Portable)
    }

    /// The instruction set of that name, if this machine has it. Names are those of [`Isa::name`].
    pub fn named(name: &str) -> Option<Isa> {
        Isa::available().into_iter().find(|isa| isa.name() == name)
    }

    /// The name people use in settings and reports.
    pub const fn name(self) -> &'static str {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512Vnni => "avx512-vnni",
            #[cfg(target_arch = "x86_64")]
            Kind::AvxVnni => "avx-vnni",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => "avx2",
            #[cfg(target_arch = "aarch64")]
            Kind::NeonDot => "neon-dot",
            #[cfg(target_arch = "aarch64")]
            Kind::Neon => "neon",
            Kind::Portable => "portable",
        }
    }
}

impl fmt::Debug for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn portable_is_always_there_and_last() {
        assert_eq!(Isa::available().last().copied(), Some(Isa::portable()));
    }

    #[test]
    fn names_lead_back_to_their_instruction_set() {
        for isa in Isa::available() {
            assert_eq!(Isa::named(isa.name()), Some(isa));
        }
        assert_eq!(Isa::named("mmx"), None);
    }
}
