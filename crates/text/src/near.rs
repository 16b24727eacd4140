//! Names that look like another one, for those who asked for something that is not there.

use std::collections::HashSet;

/// How many names are proposed.
const NEAR: usize = 5;
/// Longer names are compared by their beginning.
const MAX_CHARS: usize = 256;

/// The names that share most letter pairs with `wanted`, at most five, closest first. `backoff` is near `Retries > Backoff` and
/// near `guides/backoff`: what a name ends with counts as much as all of it.
pub fn near<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let last = |name: &'a str| name.rsplit(['/', '>']).next().unwrap_or(name).trim();
    let wanted = pairs(wanted);
    let score = |name: &'a str| overlap(&wanted, &pairs(name)).max(overlap(&wanted, &pairs(last(name))));
    let mut scored: Vec<(f32, &str)> = names.map(|name| (score(name), name)).collect();
    scored.retain(|(score, _)| *score > 0.4);
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    scored.dedup_by(|a, b| a.1 == b.1);
    scored.into_iter().take(NEAR).map(|(_, name)| name).collect()
}

fn pairs(name: &str) -> HashSet<(char, char)> {
    let letters: Vec<char> = name.to_lowercase().chars().take(MAX_CHARS).collect();
    letters.windows(2).map(|pair| (pair[0], pair[1])).collect()
}

fn overlap(a: &HashSet<(char, char)>, b: &HashSet<(char, char)>) -> f32 {
    let shared = a.intersection(b).count() as f32;
    2.0 * shared / (a.len() + b.len()).max(1) as f32
}

#[cfg(test)]
mod tests {
    use super::near;

    fn check(wanted: &str, expected: &[&str]) {
        let names = ["guides/retries.md", "guides/install.md", "Retries > Backoff", "Zeta"];
        assert_eq!(near(wanted, names.into_iter()), expected, "{wanted}");
    }

    #[test]
    fn a_misspelt_name_and_the_end_of_a_name_are_near() {
        check("guides/retry.md", &["guides/retries.md", "guides/install.md"]);
        check("backof", &["Retries > Backoff"]);
        check("instal.md", &["guides/install.md"]);
        check("quite another thing", &[]);
    }
}
