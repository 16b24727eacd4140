//! What happens between two lines of a paragraph: a space, nothing, or a hyphen that goes.

use std::collections::HashSet;

/// Most words that are remembered; a document repeats its words.
const MOST: usize = 200_000;

/// How two lines are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Break {
    /// With a space.
    Space,
    /// Without one; a hyphen stays.
    Nothing,
    /// Without one, and without the hyphen.
    DropHyphen,
}

/// The words of a document, to tell a broken word from a compound.
#[derive(Debug, Default)]
pub(super) struct Words(HashSet<String>);

impl Words {
    /// Learns the words of a line. The last one may be broken, so it is left out.
    pub(super) fn learn(&mut self, line: &str) {
        let line = line.trim_end();
        let whole = if line.ends_with(['-', '\u{ad}', '‐']) {
            line.rsplit_once(' ').map_or("", |(head, _)| head)
        } else {
            line
        };
        for word in whole.split(|char: char| !(char.is_alphanumeric() || char == '-')) {
            if self.0.len() < MOST && word.len() > 3 {
                self.0.insert(word.trim_matches('-').to_lowercase());
            }
        }
    }

    /// How the end of one line and the start of the next are joined.
    pub(super) fn at_break(&self, end: &str, start: &str) -> Break {
        let is_wide = |char: char| matches!(char, '\u{3000}'..='\u{9fff}' | '\u{ff00}'..='\u{ffef}');
        if end.ends_with('\u{ad}') {
            return Break::DropHyphen;
        }
        if end.ends_with(is_wide) && start.starts_with(is_wide) {
            return Break::Nothing;
        }
        let Some(stem) = end.strip_suffix(['-', '‐']) else {
            return if end.ends_with(['—', '–', '/'])
                && !end.ends_with(" /")
                && !end.ends_with(" –")
                && start.starts_with(char::is_alphanumeric)
            {
                Break::Nothing
            } else {
                Break::Space
            };
        };
        let head =
            stem.rsplit(|char: char| !(char.is_alphanumeric() || char == '-')).next().unwrap_or_default();
        let tail =
            start.split(|char: char| !(char.is_alphanumeric() || char == '-')).next().unwrap_or_default();
        // Two hyphens begin a name such as `--flag`; a row of them is a line that was drawn with them.
        let is_drawn = head.len() > 1 && head.bytes().all(|byte| byte == b'-');
        if head.is_empty() || is_drawn || !tail.starts_with(char::is_alphanumeric) {
            return Break::Space;
        }
        let is_letters = head.ends_with(char::is_alphabetic) && tail.starts_with(char::is_lowercase);
        let knows_compound = self.0.contains(&format!("{head}-{tail}").to_lowercase());
        let knows_whole = self.0.contains(&format!("{head}{tail}").to_lowercase());
        if is_letters && (knows_whole || !(knows_compound || head.contains('-'))) {
            Break::DropHyphen
        } else {
            Break::Nothing
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Break, Words};

    fn check(known: &str, end: &str, start: &str, expected: Break) {
        let mut words = Words::default();
        words.learn(known);
        assert_eq!(words.at_break(end, start), expected, "{end} + {start}");
    }

    #[test]
    fn a_broken_word_is_made_whole_and_a_compound_keeps_its_hyphen() {
        check("", "the config-", "uration of", Break::DropHyphen);
        check("a well-known one", "a well-", "known fact", Break::Nothing);
        check("", "state-of-", "the-art", Break::Nothing);
        check("", "in 2019-", "2020", Break::Nothing);
        check("", "one -", "two", Break::Space);
        check("", "-----", "two", Break::Space);
        check("", "pages 737–", "9 and", Break::Nothing);
        check("", "so –", "then", Break::Space);
        check("", "--", "deny-warnings", Break::Nothing);
        check("", "one", "two", Break::Space);
        check("", "soft\u{ad}", "ware", Break::DropHyphen);
        check("", "漢字", "仮名", Break::Nothing);
    }
}
