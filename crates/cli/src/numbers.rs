//! Numbers as people read them.

use std::time::Duration;

/// 12345 → `12,345`.
pub(crate) fn count(number: usize) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// `1 file`, `2 files`.
pub(crate) fn counted(number: usize, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {thing}{plural}", count(number))
}

/// 36909875 → `35.2 MB`.
pub(crate) fn bytes(bytes: u64) -> String {
    const UNITS: &[&str] = &["kB", "MB", "GB", "TB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let mut size = bytes as f64 / 1024.0;
    let mut unit = 0;
    while size >= 1024.0 && unit + 1 < UNITS.len() {
        size /= 1024.0;
        unit += 1;
    }
    format!("{size:.1} {}", UNITS[unit])
}

/// `12 ms`, `3.4 s`, `2 min 5 s`.
pub(crate) fn duration(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    if seconds < 1.0 {
        format!("{:.0} ms", seconds * 1000.0)
    } else if seconds < 60.0 {
        format!("{seconds:.1} s")
    } else {
        format!("{} min {} s", duration.as_secs() / 60, duration.as_secs() % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_grouped() {
        assert_eq!([0, 999, 1000, 1_234_567].map(count), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn one_is_singular() {
        assert_eq!(
            [counted(0, "file"), counted(1, "file"), counted(2, "file")],
            ["0 files", "1 file", "2 files"]
        );
    }

    #[test]
    fn sizes_and_times_have_units() {
        assert_eq!([bytes(12), bytes(36_909_875)], ["12 B", "35.2 MB"]);
        let times = [0.012, 3.44, 125.0].map(|s| duration(Duration::from_secs_f64(s)));
        assert_eq!(times, ["12 ms", "3.4 s", "2 min 5 s"]);
    }
}
