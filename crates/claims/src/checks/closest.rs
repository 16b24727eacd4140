//! The name that another one most likely became.

use crate::facts::code::parts;

/// The candidate that is closest to a name, when one is close and no other is as close. Whole words count: `search_all`
/// is closer to `search_many` than to `parch_all`.
pub(super) fn name(name: &str, candidates: &[String]) -> Option<String> {
    let mut scored: Vec<(f64, &String)> = candidates
        .iter()
        .filter(|candidate| *candidate != name && !is_part(candidate, name))
        .map(|candidate| (likeness(name, candidate), candidate))
        .collect();
    scored.sort_by(|(left, a), (right, b)| right.total_cmp(left).then_with(|| a.cmp(b)));
    scored.dedup_by(|(_, left), (_, right)| left == right);
    match scored.as_slice() {
        [(best, _), (second, _), ..] if best - second < 0.05 => None,
        [(best, candidate), ..] if *best >= 0.4 => Some((*candidate).clone()),
        _ => None,
    }
}

/// Whether a name is another one with words left away, as a family's first name is: `Msg` for `MsgError`.
fn is_part(candidate: &str, name: &str) -> bool {
    let (fewer, all) = (parts(candidate), parts(name));
    fewer.len() < all.len() && fewer.iter().all(|part| all.contains(part))
}

/// From 0 to 1: half by the words that both have, half by the letters.
fn likeness(left: &str, right: &str) -> f64 {
    let (left_parts, right_parts) = (parts(left), parts(right));
    let shared = left_parts.iter().filter(|part| right_parts.contains(part)).count();
    let words = 2.0 * ratio(shared, left_parts.len() + right_parts.len());
    let (left, right) = (left_parts.concat(), right_parts.concat());
    let letters = 1.0 - ratio(distance(&left, &right), left.chars().count().max(right.chars().count()));
    f64::midpoint(words, letters)
}

#[expect(clippy::cast_precision_loss, reason = "lengths of names")]
fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// How many letters have to be changed, bounded by the length of names.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().take(120).collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (at, from) in left.chars().take(120).enumerate() {
        let mut diagonal = at;
        let mut previous = at + 1;
        for (cell, to) in row.iter_mut().skip(1).zip(&right) {
            let changed = diagonal + usize::from(from != *to);
            diagonal = *cell;
            *cell = changed.min(*cell + 1).min(previous + 1);
            previous = *cell;
        }
        if let Some(first) = row.first_mut() {
            *first = at + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::name;

    #[track_caller]
    fn check(old: &str, candidates: &[&str], expected: Option<&str>) {
        let candidates: Vec<String> = candidates.iter().map(|&name| name.to_owned()).collect();
        assert_eq!(name(old, &candidates).as_deref(), expected);
    }

    #[test]
    fn whole_words_count_more_than_letters() {
        check("search_all", &["search_many", "parch_all_x", "open"], Some("search_many"));
    }

    #[test]
    fn nothing_is_said_when_nothing_is_close_or_two_are() {
        check("search_all", &["open", "close"], None);
        check("get_a", &["get_b", "get_c"], None);
        check("MsgError", &["Msg", "Sprot"], None);
    }

    #[test]
    fn another_spelling_of_the_same_words_is_closest() {
        check("max_retries", &["maxRetries", "retries"], Some("maxRetries"));
    }
}
