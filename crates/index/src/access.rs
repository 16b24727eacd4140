//! Which collections somebody may know of.
//!
//! Decided once for each caller, and then held by [`LimitedStore`](crate::LimitedStore): whoever works on such a store cannot
//! forget to ask.

use std::collections::BTreeSet;

/// Longest pattern, in bytes.
const MAX_PATTERN_BYTES: usize = 256;

/// Which collections somebody may know of.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Access {
    /// All there are.
    All,
    /// Those whose name matches one of these; without any, none.
    Only(BTreeSet<CollectionPattern>),
}

impl Access {
    /// To nothing at all.
    pub fn none() -> Self {
        Self::Only(BTreeSet::new())
    }

    /// Whether they may know of the collection of this name, be there one or not.
    pub fn allows(&self, collection: &str) -> bool {
        match self {
            Self::All => true,
            Self::Only(patterns) => patterns.iter().any(|pattern| pattern.matches(collection)),
        }
    }
}

/// The name of a collection, or many of them: `*` stands for any characters, slashes included.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CollectionPattern(String);

impl CollectionPattern {
    /// Checks a pattern; the error says what is wrong with it.
    pub fn new(pattern: &str) -> Result<Self, String> {
        if pattern.is_empty() {
            return Err("it names no collection".to_owned());
        }
        if pattern.len() > MAX_PATTERN_BYTES {
            return Err(format!("it is longer than {MAX_PATTERN_BYTES} bytes"));
        }
        if pattern.chars().any(|c| c.is_control() || c.is_whitespace()) {
            return Err("it has spaces or control characters".to_owned());
        }
        Ok(Self(pattern.to_owned()))
    }

    /// The one collection of exactly this name.
    pub fn exactly(name: &str) -> Option<Self> {
        (!name.contains('*')).then(|| Self(name.to_owned()))
    }

    /// As it was given.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn matches(&self, name: &str) -> bool {
        let Some((first, rest)) = self.0.split_once('*') else { return self.0 == name };
        let Some(mut left) = name.strip_prefix(first) else { return false };
        let (middle, last) = rest.rsplit_once('*').unwrap_or(("", rest));
        // The earliest place for each part leaves the most for those that follow.
        for part in middle.split('*') {
            let Some((_, after)) = left.split_once(part) else { return false };
            left = after;
        }
        left.ends_with(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(patterns: &[&str], name: &str, expected: bool) {
        let patterns = patterns.iter().map(|pattern| CollectionPattern::new(pattern).unwrap()).collect();
        assert_eq!(Access::Only(patterns).allows(name), expected, "{name}");
    }

    #[test]
    fn a_name_means_itself_alone() {
        check(&["acme/shop"], "acme/shop", true);
        for other in ["acme/shop2", "acme/sho", "Acme/shop", "acme/shop/packages/web", "x/acme/shop", ""] {
            check(&["acme/shop"], other, false);
        }
        check(&["acme/shop", "react@19"], "react@19", true);
        check(&[], "acme/shop", false);
    }

    #[test]
    fn a_star_stands_for_any_characters() {
        check(&["acme/*"], "acme/shop", true);
        check(&["acme/*"], "acme/shop/packages/web", true);
        check(&["acme/*"], "acme/", true);
        for other in ["acme", "acme2/shop", "x/acme/shop"] {
            check(&["acme/*"], other, false);
        }
        check(&["*"], "anything", true);
        check(&["*-docs"], "shop-docs", true);
        check(&["*-docs"], "shop-docs-old", false);
        check(&["a*b*c"], "aXbYc", true);
        check(&["a*b*c"], "abbc", true);
        check(&["a*b*c"], "acb", false);
        // What one part has taken is not there for the next.
        check(&["ab*ba"], "aba", false);
        check(&["a**a"], "aa", true);
        check(&["a*b*b"], "ab", false);
    }

    #[test]
    fn what_can_be_no_pattern_is_refused() {
        for pattern in ["", " ", "a b", "a\n", &"x".repeat(257)] {
            assert!(CollectionPattern::new(pattern).is_err(), "{pattern:?}");
        }
        assert!(CollectionPattern::exactly("a*").is_none());
    }
}
