//! Times as the specification writes them: ISO 8601 in UTC, with `+00:00`.

use docent_engine::LibraryDocument;
use jiff::Timestamp;

/// When the source of a document last changed. What a filter is compared with is the same time.
pub(super) fn last_modified(document: &LibraryDocument) -> String {
    iso(document.record.stat.mtime_ns.div_euclid(1_000_000))
}

/// Milliseconds since 1970 as `2025-06-01T09:00:00+00:00`; nothing for what is no time.
pub(super) fn iso(ms: i64) -> String {
    let time = Timestamp::from_millisecond(ms).map(|time| time.to_string()).unwrap_or_default();
    match time.strip_suffix('Z') {
        Some(time) => format!("{time}+00:00"),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::iso;

    #[test]
    fn times_have_an_offset_and_no_needless_fraction() {
        assert_eq!(iso(1_748_768_400_000), "2025-06-01T09:00:00+00:00");
        assert_eq!(iso(1_748_768_400_120), "2025-06-01T09:00:00.12+00:00");
        assert_eq!(iso(-5), "1969-12-31T23:59:59.995+00:00");
        assert_eq!(iso(i64::MAX), "");
    }
}
