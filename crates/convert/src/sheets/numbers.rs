//! Numbers of a spreadsheet as they are shown: dates are days since 1900, shares are percent.

/// How a number is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown {
    /// As it is.
    Plain,
    /// As a date, a time of day, or both.
    Moment,
    /// As a share of a hundred.
    Percent,
}

/// What a format code such as `yyyy-mm-dd` means.
pub(super) fn shown_by(code: &str) -> Shown {
    let mut quoted = false;
    let mut bracketed = false;
    let mut skip = false;
    for char in code.chars() {
        if skip {
            skip = false;
            continue;
        }
        match char {
            '\\' | '_' | '*' => skip = true,
            '"' => quoted = !quoted,
            '[' if !quoted => bracketed = true,
            ']' if !quoted => bracketed = false,
            '%' if !quoted => return Shown::Percent,
            // The colours in brackets have such letters, and [h] is a duration, which stays a number.
            'y' | 'Y' | 'd' | 'D' | 'h' | 'H' | 's' | 'S' | 'm' | 'M' if !quoted && !bracketed => {
                return Shown::Moment;
            }
            ';' if !quoted => break,
            _ => {}
        }
    }
    Shown::Plain
}

/// What the numbers of built-in formats mean.
pub(super) fn built_in(id: u32) -> Shown {
    match id {
        9 | 10 => Shown::Percent,
        14..=22 | 27..=36 | 45 | 47 | 50..=58 => Shown::Moment,
        _ => Shown::Plain,
    }
}

/// A stored number as text.
pub(super) fn show(stored: &str, shown: Shown, is_1904: bool) -> String {
    let Ok(number) = stored.trim().parse::<f64>() else { return stored.to_owned() };
    match shown {
        Shown::Plain => plain(number),
        Shown::Percent => format!("{}%", plain(number * 100.0)),
        Shown::Moment => moment(number, is_1904).unwrap_or_else(|| plain(number)),
    }
}

/// Fifteen digits, as spreadsheets count: 0.1 + 0.2 is 0.3.
fn plain(number: f64) -> String {
    if !number.is_finite() || number == 0.0 {
        return "0".to_owned();
    }
    if number.fract() == 0.0 && number.abs() < 1e15 {
        return format!("{number:.0}");
    }
    let rounded = format!("{number:.14e}").parse::<f64>().unwrap_or(number);
    if rounded.abs() >= 1e15 || rounded.abs() < 1e-5 { format!("{rounded:e}") } else { rounded.to_string() }
}

/// A day count as `2026-11-15` or `2026-11-15 21:30`, or only the time of day.
fn moment(number: f64, is_1904: bool) -> Option<String> {
    if !(0.0..2_958_466.0).contains(&number) {
        return None;
    }
    let seconds = ((number - number.floor()) * 86_400.0).round();
    #[expect(clippy::cast_possible_truncation, reason = "checked to be in the range of days above")]
    let (mut days, mut seconds) = (number.floor() as i64, seconds as i64);
    if seconds == 86_400 {
        (days, seconds) = (days + 1, 0);
    }
    let time = match seconds % 60 {
        0 => format!("{:02}:{:02}", seconds / 3600, seconds / 60 % 60),
        second => format!("{:02}:{:02}:{second:02}", seconds / 3600, seconds / 60 % 60),
    };
    if days == 0 && !is_1904 {
        return Some(time);
    }
    // Day 60 is the 29th of February 1900, which never was: later days are one too high.
    let since_1970 = match (is_1904, days) {
        (true, days) => days - 24_107,
        (false, days) if days < 60 => days - 25_568,
        (false, days) => days - 25_569,
    };
    let (year, month, day) = civil(since_1970);
    let date = format!("{year:04}-{month:02}-{day:02}");
    Some(if seconds == 0 { date } else { format!("{date} {time}") })
}

/// Year, month and day of a count of days since 1970, in the proleptic Gregorian calendar.
fn civil(days: i64) -> (i64, i64, i64) {
    // Years begin in March here, so that the leap day is the last of its year; eras have 400 years.
    let shifted = days + 719_468;
    let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let day_of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::{Shown, built_in, show, shown_by};

    #[test]
    fn numbers_are_shown_as_spreadsheets_show_them() {
        for (stored, expected) in [
            ("1", "1"),
            ("0.30000000000000004", "0.3"),
            ("1e20", "1e20"),
            ("-2.5", "-2.5"),
            ("x", "x"),
            ("NaN", "0"),
        ] {
            assert_eq!(show(stored, Shown::Plain, false), expected);
        }
        assert_eq!(show("0.125", Shown::Percent, false), "12.5%");
    }

    #[test]
    fn days_are_dates() {
        for (stored, expected) in [
            ("1", "1900-01-01"),
            ("59", "1900-02-28"),
            ("61", "1900-03-01"),
            ("45000", "2023-03-15"),
            ("45000.75", "2023-03-15 18:00"),
            ("0.5", "12:00"),
            ("1e300", "1e300"),
            ("-1", "-1"),
        ] {
            assert_eq!(show(stored, Shown::Moment, false), expected);
        }
        assert_eq!(show("43538", Shown::Moment, true), "2023-03-15");
    }

    #[test]
    fn format_codes_say_what_is_a_date() {
        for code in ["yyyy-mm-dd", "[$-409]d/m/yy", "h:mm", "\"on \"dd"] {
            assert_eq!(shown_by(code), Shown::Moment, "{code}");
        }
        for code in ["0.00", "[Red]0", "\"days\" 0", "General", "\\d0", "[h]"] {
            assert_eq!(shown_by(code), Shown::Plain, "{code}");
        }
        assert_eq!(shown_by("0.0%"), Shown::Percent);
        assert_eq!(built_in(14), Shown::Moment);
    }
}
