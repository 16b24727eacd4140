//! Means with their 95 % interval, honest for few queries too.
//!
//! From ten queries on the interval is a percentile bootstrap (2,000 resamples, fixed seed). Fewer values, values that are
//! all the same, and shares of yes and no get the Wilson interval of a share instead: for anything between 0 and 1 it is
//! never narrower than the data allow, and it does not shrink to nothing when every query succeeds.

use serde::{Deserialize, Serialize};

use crate::random::Random;
use crate::score::total;

const RESAMPLES: usize = 2000;
const SEED: u64 = 0x00D0_CE47;
/// With fewer values than this a bootstrap is too narrow.
const ENOUGH: usize = 10;
const Z: f64 = 1.959_963_984_540_054;

/// A mean over queries.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end of the 95 % interval.
    pub high: f64,
}

impl Mean {
    /// Mean and interval of values from 0 to 1; `None` without values.
    pub fn of_shares(values: &[f64]) -> Option<Self> {
        let first = *values.first()?;
        let mean = average(values);
        let is_yes_or_no = values.iter().all(|value| *value == 0.0 || *value == 1.0);
        let is_flat = values.iter().all(|value| *value == first);
        let (low, high) = match is_yes_or_no || is_flat || values.len() < ENOUGH {
            true => wilson(mean, values.len()),
            false => bootstrap(values),
        };
        Some(Self { mean, low, high })
    }

    /// As [`Mean::of_shares`], for values from `least` to `most`.
    pub fn of_range(values: &[f64], least: f64, most: f64) -> Option<Self> {
        let width = (most - least).max(f64::MIN_POSITIVE);
        let shares: Vec<f64> = values.iter().map(|value| ((value - least) / width).clamp(0.0, 1.0)).collect();
        let shares = Self::of_shares(&shares)?;
        let back = |share: f64| least + share * (most - least);
        Some(Self { mean: average(values), low: back(shares.low), high: back(shares.high) })
    }

    /// Mean and interval of paired differences from -1 to 1: bootstrap, or Student's t for fewer than ten. One difference
    /// has no interval that means anything, so it gets the widest there is; several equal ones get Wilson's. Where nothing
    /// differs there is nothing to estimate.
    pub fn of_differences(values: &[f64]) -> Option<Self> {
        let (first, mean) = (*values.first()?, average(values));
        let is_flat = values.iter().all(|value| *value == first);
        let (low, high) = match values.len() {
            _ if is_flat && mean == 0.0 => (0.0, 0.0),
            1 => (-1.0, 1.0),
            count if is_flat => {
                let (low, high) = wilson((mean + 1.0) / 2.0, count);
                (2.0 * low - 1.0, 2.0 * high - 1.0)
            }
            count if count < ENOUGH => {
                let variance =
                    values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1) as f64;
                let half = T_975.get(count - 2).copied().unwrap_or(Z) * (variance / count as f64).sqrt();
                ((mean - half).max(-1.0), (mean + half).min(1.0))
            }
            _ => bootstrap(values),
        };
        Some(Self { mean, low, high })
    }
}

/// 97.5 % points of Student's t with 1 to 8 degrees of freedom.
const T_975: &[f64] = &[12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306];

pub(crate) fn average(values: &[f64]) -> f64 {
    total(values.iter().copied()) / values.len().max(1) as f64
}

fn wilson(share: f64, count: usize) -> (f64, f64) {
    let n = count.max(1) as f64;
    let (z2, share) = (Z * Z, share.clamp(0.0, 1.0));
    let middle = (share + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half = Z / (1.0 + z2 / n) * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt();
    // Rounding must not leave the mean outside.
    ((middle - half).clamp(0.0, share), (middle + half).clamp(share, 1.0))
}

fn bootstrap(values: &[f64]) -> (f64, f64) {
    let mut random = Random::new(SEED);
    let mut means: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            let sum: f64 = (0..values.len())
                .map(|_| values.get(random.below(values.len())).copied().unwrap_or(0.0))
                .sum();
            sum / values.len().max(1) as f64
        })
        .collect();
    means.sort_by(f64::total_cmp);
    (percentile(&means, 0.025), percentile(&means, 0.975))
}

/// The smallest value that at least this share of the values does not exceed; 0 without values.
pub(crate) fn percentile(sorted: &[f64], share: f64) -> f64 {
    let at = (sorted.len() as f64 * share).ceil() as usize;
    sorted.get(at.saturating_sub(1)).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn width(mean: Mean) -> f64 {
        mean.high - mean.low
    }

    fn shares(values: &[f64]) -> Mean {
        Mean::of_shares(values).unwrap()
    }

    #[test]
    fn perfect_scores_of_few_queries_do_not_claim_certainty() {
        let three = shares(&[1.0; 3]);
        assert!((three.mean, three.high) == (1.0, 1.0) && three.low < 0.5, "{three:?}");
        assert!(shares(&[0.0; 5]).high > 0.4);
        assert!(width(shares(&[0.63; 30])) > 0.2);
        assert!(width(shares(&[1.0, 0.9])) > 0.4);
    }

    #[test]
    fn a_mean_of_nothing_has_no_sign() {
        // Runs that were kept by earlier versions have such zeros.
        let nothing = shares(&[-0.0, -0.0]);
        assert_eq!(format!("{:.3} {:.3}", nothing.mean, nothing.low), "0.000 0.000");
    }

    #[test]
    fn a_known_wilson_interval() {
        let half = shares(&[0.0, 1.0].repeat(5));
        assert!((half.low - 0.2366).abs() < 1e-3 && (half.high - 0.7634).abs() < 1e-3, "{half:?}");
    }

    #[test]
    fn intervals_narrow_with_more_queries_and_hold_the_mean() {
        let few = shares(&[0.1, 0.5, 0.9].repeat(4));
        let many = shares(&[0.1, 0.5, 0.9].repeat(100));
        assert!(width(many) < width(few) / 3.0);
        assert!(few.low < few.mean && few.mean < few.high);
        assert_eq!(few, shares(&[0.1, 0.5, 0.9].repeat(4)), "the same every time");
    }

    #[test]
    fn ranges_are_scaled_back() {
        let rounds = Mean::of_range(&[1.0, 1.0, 3.0], 1.0, 5.0).unwrap();
        assert!((rounds.mean - 5.0 / 3.0).abs() < 1e-12);
        assert!(rounds.low >= 1.0 && rounds.high <= 5.0 && rounds.low < rounds.mean);
        assert_eq!(Mean::of_range(&[], 1.0, 5.0), None);
    }

    #[test]
    fn differences_of_few_queries_are_uncertain() {
        assert_eq!(Mean::of_differences(&[0.2]).unwrap().low, -1.0);
        let few = Mean::of_differences(&[0.2, 0.3, 0.1]).unwrap();
        assert!(few.low < 0.0 && few.high > 0.4, "{few:?}");
        assert!(Mean::of_differences(&[0.1; 20]).unwrap().low < 0.0, "equal differences are no certainty");
        assert_eq!(width(Mean::of_differences(&[0.0; 20]).unwrap()), 0.0);
        assert_eq!(Mean::of_differences(&[]), None);
    }

    #[test]
    fn percentiles_of_a_hundred_values() {
        let values: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!((percentile(&values, 0.5), percentile(&values, 0.95)), (50.0, 95.0));
        assert_eq!(percentile(&[], 0.5), 0.0);
    }
}
