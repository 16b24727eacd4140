//! Times as people and JSON readers write them.

use jiff::Timestamp;

/// Nanoseconds since 1970 as ISO 8601 in UTC, to the millisecond.
pub(crate) fn iso(ns: i64) -> String {
    Timestamp::from_millisecond(ns / 1_000_000).map_or_else(|_| String::new(), |time| format!("{time:.3}"))
}

#[cfg(test)]
mod tests {
    use super::iso;

    #[test]
    fn times_are_written_in_utc() {
        assert_eq!(iso(1_500_000_000), "1970-01-01T00:00:01.500Z");
    }
}
