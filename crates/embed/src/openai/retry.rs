//! How long to wait before a request is repeated.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

/// Longer waits are cut: the caller has people waiting, and says later that it gave up.
const LONGEST: Duration = Duration::from_secs(60);

/// The wait before repetition number `repetition` (from 0). `asked` is what the server asked for; `random` is from 0 to 1
/// and spreads clients that failed together.
pub(super) fn delay(first: Duration, repetition: u32, asked: Option<Duration>, random: f64) -> Duration {
    let doubled = first.saturating_mul(2u32.saturating_pow(repetition));
    let spread = doubled.min(LONGEST).mul_f64(0.5 + random.clamp(0.0, 1.0) / 2.0);
    asked.map_or(spread, |asked| asked.max(spread)).min(LONGEST)
}

/// A `Retry-After` header in seconds. The form with a date is rare and treated as absent.
pub(super) fn asked_delay(header: Option<&str>) -> Option<Duration> {
    let seconds: f64 = header?.trim().parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// A number from 0 to 1. Seeded by the standard library's hash keys: good enough to spread waits.
pub(super) fn random() -> f64 {
    let number = RandomState::new().build_hasher().finish();
    (number >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: Duration = Duration::from_millis(100);

    #[test]
    fn waits_double_and_spread() {
        assert_eq!(delay(FIRST, 0, None, 1.0), FIRST);
        assert_eq!(delay(FIRST, 0, None, 0.0), FIRST / 2);
        assert_eq!(delay(FIRST, 3, None, 1.0), FIRST * 8);
        assert_eq!(delay(FIRST, 99, None, 1.0), LONGEST);
    }

    #[test]
    fn the_server_can_ask_for_more_but_not_for_ever() {
        let asked = asked_delay(Some("2"));
        assert_eq!(delay(FIRST, 0, asked, 1.0), Duration::from_secs(2));
        assert_eq!(delay(FIRST, 0, asked_delay(Some("100000")), 1.0), LONGEST);
        for odd in ["", "-1", "inf", "NaN", "1e300", "Wed, 21 Oct 2026 07:28:00 GMT"] {
            assert_eq!(asked_delay(Some(odd)), None, "{odd}");
        }
    }

    #[test]
    fn random_numbers_are_in_range_and_differ() {
        let numbers: Vec<f64> = (0..10).map(|_| random()).collect();
        assert!(numbers.iter().all(|number| (0.0..=1.0).contains(number)));
        assert!(numbers.iter().any(|&number| number != numbers[0]));
    }
}
