//! Times as the specification writes them: ISO 8601 in UTC, with `+00:00`.

use jiff::Timestamp;

/// Milliseconds since 1970 as `2025-06-01T09:00:00+00:00`; nothing for what is unknown.
pub(super) fn iso(ms: Option<i64>) -> String {
    let time = ms.and_then(|ms| Timestamp::from_millisecond(ms).ok()).map(|time| time.to_string());
    time.map_or_else(String::new, |time| format!("{}+00:00", time.trim_end_matches('Z')))
}

/// Milliseconds since 1970 of a time in any offset.
pub(super) fn read(text: &str) -> Option<i64> {
    text.trim().parse::<Timestamp>().ok().map(Timestamp::as_millisecond)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_an_offset_and_no_needless_fraction() {
        assert_eq!(iso(Some(1_748_768_400_000)), "2025-06-01T09:00:00+00:00");
        assert_eq!(iso(Some(1_748_768_400_120)), "2025-06-01T09:00:00.12+00:00");
        assert_eq!(iso(None), "");
        assert_eq!(iso(Some(i64::MAX)), "");
    }

    #[test]
    fn what_is_written_is_read_in_any_offset() {
        for ms in [0, 1, 1_748_768_400_120, -5] {
            assert_eq!(read(&iso(Some(ms))), Some(ms));
        }
        assert_eq!(read("2025-06-01T11:00:00+02:00"), Some(1_748_768_400_000));
        assert_eq!(read("2025-06-01T09:00:00Z"), Some(1_748_768_400_000));
        assert_eq!(read("yesterday"), None);
        assert_eq!(read(""), None);
    }
}
