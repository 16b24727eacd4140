//! Slugs: how a heading is written inside a chunk id.
//!
//! Lower case, everything but `[a-z0-9 -]` stripped, spaces to hyphens, hyphens collapsed, and no more:
//! a hyphen at either end stays, because ids that clients have stored must not change. Headings that
//! this would leave without a letter or digit keep their Unicode ones, so `日本語` is a usable id.

use std::collections::HashMap;

use unicode_normalization::char::is_combining_mark;

/// The slug of a heading's plain text. Never empty.
pub fn slug(heading: &str) -> String {
    let lower = heading.to_lowercase();
    let ascii = hyphenate(&lower, |c| c.is_ascii_alphanumeric());
    if has_word(&ascii) {
        return ascii;
    }
    let unicode = hyphenate(&lower, |c| c.is_alphanumeric() || is_combining_mark(c));
    if has_word(&unicode) { unicode } else { "section".to_owned() }
}

/// Hands out slugs that are unique below one parent: `examples`, `examples-2`, `examples-3`.
#[derive(Debug, Default)]
pub(crate) struct SlugScopes {
    /// For each taken slug below a parent, the next number to try for a duplicate.
    next: HashMap<(Option<usize>, String), u32>,
}

impl SlugScopes {
    /// The id of `heading` below `parent`, taken from now on.
    pub(crate) fn take(&mut self, parent: Option<usize>, heading: &str) -> String {
        let base = slug(heading);
        let key = (parent, base);
        let Some(&first) = self.next.get(&key) else {
            self.next.insert(key.clone(), 2);
            return key.1;
        };
        let mut number = first;
        loop {
            let candidate = (parent, format!("{}-{number}", key.1));
            number += 1;
            if !self.next.contains_key(&candidate) {
                self.next.insert(key, number);
                self.next.insert(candidate.clone(), 2);
                return candidate.1;
            }
        }
    }
}

fn hyphenate(lower: &str, keep: impl Fn(char) -> bool) -> String {
    let mut slug = String::with_capacity(lower.len());
    for c in lower.chars() {
        if keep(c) {
            slug.push(c);
        } else if (c == ' ' || c == '-') && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug
}

fn has_word(slug: &str) -> bool {
    slug.chars().any(|c| c != '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(heading: &str, expected: &str) {
        assert_eq!(slug(heading), expected, "{heading:?}");
    }

    fn check_scope(headings: &[&str], expected: &[&str]) {
        let mut scopes = SlugScopes::default();
        let ids: Vec<_> = headings.iter().map(|heading| scopes.take(None, heading)).collect();
        assert_eq!(ids, expected);
    }

    #[test]
    fn lower_case() {
        check("Backoff Strategy", "backoff-strategy");
    }

    #[test]
    fn strips_all_but_letters_digits_spaces_and_hyphens() {
        check("What's new in v1.2?", "whats-new-in-v12");
        check("PUT /users/{id}", "put-usersid");
        check("snake_case", "snakecase");
        check("Café", "caf");
    }

    #[test]
    fn collapses_hyphens() {
        check("a - b", "a-b");
        check("a  --  b", "a-b");
        check("Q & A", "q-a");
    }

    #[test]
    fn does_not_trim() {
        check("- a -", "-a-");
        check("日本語 API", "-api");
    }

    #[test]
    fn keeps_unicode_when_nothing_else_remains() {
        check("日本語", "日本語");
        check("Привет, Мир!", "привет-мир");
    }

    #[test]
    fn emoji_only_is_section() {
        check("🚀", "section");
        check("", "section");
        check("---", "section");
        check("__", "section");
    }

    #[test]
    fn duplicates_are_numbered_in_document_order() {
        check_scope(&["Examples", "Examples", "Examples"], &["examples", "examples-2", "examples-3"]);
    }

    #[test]
    fn a_number_that_is_taken_is_skipped() {
        check_scope(&["Examples", "Examples", "Examples 2"], &["examples", "examples-2", "examples-2-2"]);
        check_scope(&["Examples 2", "Examples", "Examples"], &["examples-2", "examples", "examples-3"]);
    }

    #[test]
    fn scopes_are_separate() {
        let mut scopes = SlugScopes::default();
        assert_eq!(scopes.take(Some(1), "A"), "a");
        assert_eq!(scopes.take(Some(2), "A"), "a");
        assert_eq!(scopes.take(Some(1), "A"), "a-2");
    }
}
