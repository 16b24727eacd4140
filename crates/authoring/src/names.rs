//! What was probably meant by a name that is not known.

/// Of more names than this the first ones are compared.
const MOST_COMPARED: usize = 1000;

/// The known name with the fewest changed letters, if that is a plausible typing mistake.
pub fn nearest<'k>(wanted: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let folded = wanted.trim().to_lowercase();
    // Names longer than any of ours are no typing mistakes, and comparing them takes time.
    if folded.len() > 64 {
        return None;
    }
    let cost = |name: &&str| distance(&folded, &name.to_lowercase());
    let best = known.into_iter().take(MOST_COMPARED).min_by_key(cost)?;
    (cost(&best) <= (best.chars().count() / 3).max(1)).then_some(best)
}

/// How many letters are added, left out or exchanged between two names.
pub fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, a) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, b) in b.iter().enumerate() {
            let changed = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    fn check(wanted: &str, expected: Option<&str>) {
        assert_eq!(nearest(wanted, ["strategy", "metadata", "h2", "file"]), expected, "{wanted}");
    }

    #[test]
    fn typing_mistakes_have_a_nearest_name() {
        check("startegy", Some("strategy"));
        check("Metadata", Some("metadata"));
        check("fil", Some("file"));
        check("H2", Some("h2"));
    }

    #[test]
    fn other_words_have_none() {
        check("colour", None);
        check("paragraph", None);
        check(&"x".repeat(1000), None);
    }
}
