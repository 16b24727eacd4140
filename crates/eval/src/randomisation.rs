//! A paired randomisation test: if the two runs were equally good, each difference might as well have the other sign.

use crate::random::Random;

/// Up to this many differences every combination of signs is tried.
const EXACT: usize = 16;
/// Beyond that, this many random ones.
const SAMPLES: usize = 20_000;
const SEED: u64 = 0x05ee_d0f5;
/// Sums that differ by less are the same sum, added up in another order.
const ROUNDING: f64 = 1e-9;

/// How often the sum of the differences is at least as far from 0 when signs are chosen by chance (two-sided). 1 when
/// nothing differs.
pub(crate) fn p_value(differences: &[f64]) -> f64 {
    // What does not differ has no sign to flip.
    let moved: Vec<f64> = differences.iter().copied().filter(|value| value.abs() > ROUNDING).collect();
    let observed = moved.iter().sum::<f64>().abs() - ROUNDING;
    if moved.len() <= EXACT {
        let all = 1u32 << moved.len();
        let extreme = (0..all).filter(|&signs| flipped(&moved, u64::from(signs)).abs() >= observed).count();
        return extreme as f64 / f64::from(all);
    }
    let mut random = Random::new(SEED);
    let mut extreme = 1usize;
    for _ in 0..SAMPLES {
        let sum: f64 = moved.chunks(64).map(|part| flipped(part, random.next())).sum();
        extreme += usize::from(sum.abs() >= observed);
    }
    extreme as f64 / (SAMPLES + 1) as f64
}

fn flipped(values: &[f64], signs: u64) -> f64 {
    values.iter().enumerate().map(|(at, value)| if signs >> at & 1 == 1 { -value } else { *value }).sum()
}

#[cfg(test)]
mod tests {
    use super::p_value;

    fn check(differences: &[f64], expected: f64) {
        let found = p_value(differences);
        assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
    }

    #[test]
    fn small_samples_are_exact() {
        check(&[], 1.0);
        check(&[0.0, 0.0], 1.0);
        check(&[0.5], 1.0);
        check(&[0.1, 0.2, 0.3], 0.25);
        check(&[0.1, 0.2, 0.3, 0.0, 0.0], 0.25);
        check(&[-0.1; 8], 2.0 / 256.0);
        check(&[1.0, -1.0], 1.0);
    }

    #[test]
    fn large_samples_are_close_to_exact_and_repeatable() {
        let same = [0.1; 40];
        assert!(p_value(&same) < 0.001);
        let mixed: Vec<f64> = (0..200).map(|at| if at % 2 == 0 { 0.1 } else { -0.1 }).collect();
        assert!(p_value(&mixed) > 0.9);
        let some: Vec<f64> = (0..100).map(|at| if at % 5 < 3 { 0.1 } else { -0.1 }).collect();
        let p = p_value(&some);
        // The binomial test of 60 out of 100 has 0.057.
        assert!((0.045..0.07).contains(&p), "{p}");
        assert_eq!(p, p_value(&some));
    }
}
