//! The patterns of overrides, compiled once.
//!
//! A set of a few hundred patterns is matched in one pass; sets are kept small because a set's automaton has a limit of
//! its own, which a manifest with thousands of overrides would exceed.

use globset::{Candidate, Glob, GlobBuilder, GlobSet, GlobSetBuilder};

/// Patterns in one set.
const SET: usize = 64;
/// Longer patterns are refused.
const MAX_BYTES: usize = 1000;

/// Patterns in order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Globs {
    /// Each with the number of its first pattern.
    sets: Vec<(usize, GlobSet)>,
}

impl Globs {
    /// Puts patterns together that were compiled one by one.
    pub(crate) fn new(globs: &[Glob]) -> Globs {
        let mut sets = Globs::default();
        for (number, globs) in globs.chunks(SET).enumerate() {
            sets.add(number * SET, globs);
        }
        sets
    }

    /// A set that is too large is made in two halves.
    fn add(&mut self, first: usize, globs: &[Glob]) {
        let mut builder = GlobSetBuilder::new();
        for glob in globs {
            builder.add(glob.clone());
        }
        match builder.build() {
            Ok(set) => self.sets.push((first, set)),
            Err(_) if globs.len() > 1 => {
                let (left, right) = globs.split_at(globs.len() / 2);
                self.add(first, left);
                self.add(first + left.len(), right);
            }
            Err(_) => {}
        }
    }

    /// The patterns that match, in order.
    pub(crate) fn matches(&self, path: &str) -> Vec<usize> {
        let path = Candidate::new(path);
        let of_set = |(first, set): &(usize, GlobSet)| {
            let first = *first;
            set.matches_candidate(&path).into_iter().map(move |index| first + index).collect::<Vec<_>>()
        };
        self.sets.iter().flat_map(of_set).collect()
    }
}

/// Compiles one pattern; the error is a sentence for its author.
pub(crate) fn compile(pattern: &str) -> Result<Glob, String> {
    if pattern.len() > MAX_BYTES {
        return Err(format!("the pattern is longer than {MAX_BYTES} bytes"));
    }
    if pattern.starts_with('!') || ["@(", "!(", "+(", "*(", "?("].iter().any(|group| pattern.contains(group))
    {
        return Err(format!("`{pattern}` uses `!` or `(…)`, which docent does not understand"));
    }
    let bare = pattern.strip_prefix("./").unwrap_or(pattern);
    let glob = GlobBuilder::new(bare).literal_separator(true).build();
    let glob = glob.map_err(|error| format!("`{pattern}` is not a pattern: {}", error.kind()))?;
    // One that is too large for an automaton of its own would silence the whole set.
    let mut alone = GlobSetBuilder::new();
    alone.add(glob.clone());
    alone.build().map_err(|_| format!("`{pattern}` is too large"))?;
    Ok(glob)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(patterns: &[&str], path: &str, expected: &[usize]) {
        let globs: Vec<Glob> = patterns.iter().map(|pattern| compile(pattern).unwrap()).collect();
        assert_eq!(Globs::new(&globs).matches(path), expected, "{path}");
    }

    #[test]
    fn a_star_stays_within_a_folder() {
        check(&["*.md", "**/*.md", "guides/*.md", "guides/**"], "guides/a.md", &[1, 2, 3]);
        check(&["*.md", "**/*.md", "./guides/**"], "guides/a/b.md", &[1, 2]);
        check(&["{a,b}/*.md", "A/*.md"], "a/x.md", &[0]);
        check(&["**/*.md"], ".hidden/x.md", &[0]);
    }

    #[test]
    fn many_patterns_keep_their_numbers() {
        let patterns: Vec<String> = (0..1000).map(|number| format!("f{number}/**/x*.md")).collect();
        let patterns: Vec<&str> = patterns.iter().map(String::as_str).collect();
        check(&patterns, "f777/a/b/xy.md", &[777]);
    }

    #[test]
    fn what_is_no_pattern_is_refused() {
        for pattern in ["a[", "{a", "!a", "@(a|b)", &"x".repeat(2000), &"{".repeat(900)] {
            assert!(compile(pattern).is_err(), "{pattern}");
        }
    }
}
