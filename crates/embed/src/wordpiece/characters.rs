//! Text to clean, lower-case, accent-free characters, each marked as part of a word, alone, or a space.
//!
//! The order of the steps is that of the reference tokeniser: drop control characters, set ideographs apart, decompose
//! and drop accents, lower-case, and only then look for punctuation.

use std::ops::ControlFlow;

use unicode_normalization::UnicodeNormalization;

use super::tables::{NONSPACING_MARK, PUNCTUATION, REMOVED};

/// A character of the cleaned text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Character {
    /// A letter, digit or symbol that belongs to the word around it.
    OfWord(char),
    /// Punctuation or an ideograph: a word of its own.
    Alone(char),
    /// What separates words.
    Space,
}

/// Hands the characters of a text to `each`, until it breaks.
pub(super) fn characters(text: &str, mut each: impl FnMut(Character) -> ControlFlow<()>) -> ControlFlow<()> {
    let plain = text.bytes().position(|byte| !byte.is_ascii()).unwrap_or(text.len());
    // The last plain character may combine with what follows, so it goes the long way too.
    let plain = if plain == text.len() { plain } else { plain.saturating_sub(1) };
    let (plain, rest) = text.split_at(plain);
    for byte in plain.bytes() {
        if let Some(character) = of_ascii(byte) {
            each(character)?;
        }
    }
    of_unicode(rest, each)
}

fn of_ascii(byte: u8) -> Option<Character> {
    Some(match byte {
        b'a'..=b'z' | b'0'..=b'9' => Character::OfWord(char::from(byte)),
        b'A'..=b'Z' => Character::OfWord(char::from(byte.to_ascii_lowercase())),
        b' ' | b'\t' | b'\n' | b'\r' => Character::Space,
        0x00..=0x1f | 0x7f => return None,
        _ => Character::Alone(char::from(byte)),
    })
}

fn of_unicode(text: &str, mut each: impl FnMut(Character) -> ControlFlow<()>) -> ControlFlow<()> {
    // Ideographs are set apart by spaces before anything is decomposed: some decompose into other ideographs, which
    // are then no longer set apart from each other.
    let spaced = text.chars().filter(|&c| !is_removed(c)).flat_map(|c| {
        let space = is_ideograph(c).then_some(' ');
        space.into_iter().chain(Some(c)).chain(space)
    });
    for c in spaced.nfd() {
        if in_table(NONSPACING_MARK, c) {
            continue;
        }
        for c in c.to_lowercase() {
            each(class_of(c))?;
        }
    }
    ControlFlow::Continue(())
}

fn class_of(c: char) -> Character {
    if c.is_whitespace() {
        Character::Space
    } else if c.is_ascii_punctuation() || in_table(PUNCTUATION, c) {
        Character::Alone(c)
    } else {
        Character::OfWord(c)
    }
}

fn is_removed(c: char) -> bool {
    in_table(REMOVED, c)
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{2a6df}' | '\u{2a700}'..='\u{2b81f}' | '\u{2b920}'..='\u{2ceaf}'
        | '\u{2f800}'..='\u{2fa1f}')
}

fn in_table(table: &[(u32, u32)], c: char) -> bool {
    let code = u32::from(c);
    table
        .binary_search_by(|&(first, last)| {
            if last < code {
                std::cmp::Ordering::Less
            } else if first > code {
                std::cmp::Ordering::Greater
            } else {
                std::cmp::Ordering::Equal
            }
        })
        .is_ok()
}
