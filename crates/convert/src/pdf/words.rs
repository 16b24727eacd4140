//! What happens between two lines of a paragraph: a space, nothing, or a hyphen that goes.

use std::collections::HashSet;

use super::lines::Span;

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
pub(super) struct Words {
    known: HashSet<String>,
    /// Whether a monospaced font means code, whose hyphens all stay.
    mono_is_code: bool,
}

impl Words {
    /// No words yet.
    pub(super) fn new(mono_is_code: bool) -> Self {
        Self { known: HashSet::new(), mono_is_code }
    }

    /// Learns the words of a line. The last one may be broken, so it is left out.
    pub(super) fn learn(&mut self, line: &str) {
        let line = line.trim_end();
        let whole = if line.ends_with(['-', '\u{ad}', '‐']) {
            line.rsplit_once(' ').map_or("", |(head, _)| head)
        } else {
            line
        };
        for word in whole.split(|char: char| !(char.is_alphanumeric() || char == '-')) {
            if self.known.len() < MOST && word.len() > 3 {
                self.known.insert(word.trim_matches('-').to_lowercase());
            }
        }
    }

    /// How the end of one line and the start of the next are joined.
    pub(super) fn between(&self, end: &Span, start: &Span) -> Break {
        let is_code = self.mono_is_code && end.style.mono && start.style.mono;
        match self.at_break(end.text.trim_end(), &start.text) {
            Break::DropHyphen if is_code && !end.text.trim_end().ends_with('\u{ad}') => Break::Nothing,
            other => other,
        }
    }

    fn at_break(&self, end: &str, start: &str) -> Break {
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
        let knows_compound = self.known.contains(&format!("{head}-{tail}").to_lowercase());
        let knows_whole = self.known.contains(&format!("{head}{tail}").to_lowercase());
        let is_compound = knows_compound || head.contains('-') || names_path(stem, start);
        if is_letters && !is_name(stem, start) && (knows_whole || !is_compound) {
            Break::DropHyphen
        } else {
            Break::Nothing
        }
    }
}

/// Whether a broken word is a name that is no word of a language: a hyphen in `.docs-mcp.json` belongs to it.
fn is_name(stem: &str, start: &str) -> bool {
    let first = stem.rsplit(char::is_whitespace).next().unwrap_or_default();
    let is_sign = |char: char| matches!(char, '.' | '_') || char.is_ascii_digit();
    first.contains(is_sign) || first.contains("//") || goes_on_after(start, &['.', '_'])
}

fn names_path(stem: &str, start: &str) -> bool {
    let first = stem.rsplit(char::is_whitespace).next().unwrap_or_default();
    first.contains('/') || goes_on_after(start, &['/'])
}

/// Whether the first word has one of the signs with a letter after it: a full stop or the number of a note is none.
fn goes_on_after(start: &str, signs: &[char]) -> bool {
    let word = start.split_whitespace().next().unwrap_or_default();
    word.split(signs).skip(1).any(|rest| rest.starts_with(char::is_alphabetic))
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

    #[test]
    fn names_of_files_and_settings_keep_their_hyphens() {
        check("", "in .docs-", "mcp.json of", Break::Nothing);
        check("", "the docs-", "mcp.json file", Break::Nothing);
        check("", "https://x.org/some-", "thing", Break::Nothing);
        check("", "src/some-", "thing", Break::Nothing);
        check("", "my_own-", "name", Break::Nothing);
        check("", "k8s-", "sigs", Break::Nothing);
        check("its output", "input/out-", "put", Break::DropHyphen);
        check("", "the config-", "uration. Then", Break::DropHyphen);
        check("", "the config-", "uration.[3]", Break::DropHyphen);
    }
}
