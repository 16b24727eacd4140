//! Text without characters that are not seen.
//!
//! Titles, headings and facets stand where people and agents take them for the tool's own words: in breadcrumbs, lists
//! and schemas. Characters that reverse the reading order, hide text or carry it invisibly have no business there.
//! Joiners stay: some scripts need them. The text of documents itself is never changed.

/// Drops control, bidirectional, tag and other invisible characters.
pub fn visible(text: &str) -> String {
    text.chars().filter(|character| !is_invisible(*character)).collect()
}

/// One line of at most `limit` characters, for places where a text stands among words of ours: no line breaks, no
/// characters that are not seen.
pub fn visible_line(text: &str, limit: usize) -> String {
    let spaced = text.chars().map(|character| match character {
        '\t' | '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => ' ',
        character => character,
    });
    let seen = |character: &char| !is_invisible(*character) && *character != '\u{34f}';
    spaced.filter(seen).collect::<String>().trim().chars().take(limit).collect()
}

/// The same text on one line, with a mark (`\u{fffd}`) in the place of every character that is not seen, so that two names that
/// differ in these do not look the same.
pub fn marked(text: &str) -> String {
    let is_unseen = |character: char| {
        is_invisible(character) || matches!(character, '\t' | '\n' | '\r' | '\u{2028}' | '\u{2029}')
    };
    text.chars().map(|character| if is_unseen(character) { '\u{fffd}' } else { character }).collect()
}

/// Whether a character shows nothing, and is no space or joiner.
pub(crate) fn is_invisible(character: char) -> bool {
    character.is_control() && !matches!(character, '\t' | '\n' | '\r')
        || matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}'
            | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::{marked, visible, visible_line};

    fn check(text: &str, expected: &str) {
        assert_eq!(visible(text), expected);
    }

    #[test]
    fn bidirectional_and_tag_characters_go() {
        check("Bidi \u{202e}title \u{2066}x\u{2069}\u{e0041}\u{e007f}", "Bidi title x");
        check("\u{1b}[31mred\u{7}", "[31mred");
    }

    #[test]
    fn a_line_has_no_breaks_and_an_end() {
        assert_eq!(visible_line("go\nSYSTEM:\u{2028}do\tit \u{202e}", 100), "go SYSTEM: do it");
        assert_eq!(visible_line("abcdef", 3), "abc");
    }

    #[test]
    fn what_is_not_seen_leaves_a_mark() {
        assert_eq!(marked("a\u{202e}b\n\u{1b}c"), "a\u{fffd}b\u{fffd}\u{fffd}c");
        assert_eq!(marked("/häuser/a b.md"), "/häuser/a b.md");
    }

    #[test]
    fn joiners_and_marks_stay() {
        check("क्\u{200d}ष می\u{200c}خواهم", "क्\u{200d}ष می\u{200c}خواهم");
    }
}
