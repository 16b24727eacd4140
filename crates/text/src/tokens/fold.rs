//! Characters: which belong to words, and their folded form.
//!
//! Folding lower-cases and drops accents where readers expect both spellings to match: Latin and Greek.
//! Elsewhere a mark can make another letter (Cyrillic й, Devanagari vowels), so it stays.

use unicode_normalization::char::{decompose_canonical, is_combining_mark};

/// How a character is tokenised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Part of a word.
    Word,
    /// Part of a run that becomes bigrams.
    Bigram,
    /// Continues a word, does not start one.
    Mark,
    Other,
}

/// The class of a character that is not ASCII.
pub(super) fn class(c: char) -> Class {
    if is_unspaced(c) {
        return if c.is_alphanumeric() || is_combining_mark(c) { Class::Bigram } else { Class::Other };
    }
    match c {
        // Soft hyphen, joiners and variation selectors are invisible inside of a word.
        '\u{ad}' | '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}' => Class::Mark,
        _ if c.is_alphanumeric() => Class::Word,
        _ if is_combining_mark(c) => Class::Mark,
        _ => Class::Other,
    }
}

/// Appends the folded form of a character that is not ASCII.
pub(super) fn fold(c: char, out: &mut String) {
    match c {
        '’' => out.push('\''),
        'ß' | 'ẞ' => out.push_str("ss"),
        'æ' | 'Æ' => out.push_str("ae"),
        'œ' | 'Œ' => out.push_str("oe"),
        'ø' | 'Ø' => out.push('o'),
        'ł' | 'Ł' => out.push('l'),
        'đ' | 'Đ' | 'ð' | 'Ð' => out.push('d'),
        'þ' | 'Þ' => out.push_str("th"),
        'ı' => out.push('i'),
        // Full-width letters and digits.
        '\u{ff10}'..='\u{ff5a}' => match char::from_u32(c as u32 - 0xfee0) {
            Some(ascii) => out.push(ascii.to_ascii_lowercase()),
            None => out.push(c),
        },
        _ if is_dropped(c) => {}
        '\u{c0}'..='\u{3ff}' | '\u{1e00}'..='\u{1fff}' => {
            for lower in c.to_lowercase() {
                decompose_canonical(lower, |part| {
                    if !is_dropped(part) {
                        out.push(if part == 'ς' { 'σ' } else { part });
                    }
                });
            }
        }
        _ => out.extend(c.to_lowercase()),
    }
}

/// Accents, vowel points and invisible characters that searches ignore.
fn is_dropped(c: char) -> bool {
    matches!(c,
        '\u{300}'..='\u{36f}'
        | '\u{ad}' | '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{591}'..='\u{5c7}'
        | '\u{610}'..='\u{61a}' | '\u{640}' | '\u{64b}'..='\u{65f}' | '\u{670}')
}

/// Scripts that are written without spaces between words.
fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{e00}'..='\u{eff}' // Thai, Lao
        | '\u{1000}'..='\u{109f}' // Myanmar
        | '\u{1100}'..='\u{11ff}' // Hangul Jamo
        | '\u{1780}'..='\u{17ff}' // Khmer
        | '\u{3005}'..='\u{3007}'
        | '\u{3041}'..='\u{30ff}' // Hiragana, Katakana
        | '\u{3130}'..='\u{318f}'
        | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' // Han
        | '\u{ac00}'..='\u{d7ff}' // Hangul
        | '\u{f900}'..='\u{faff}'
        | '\u{ff66}'..='\u{ff9f}'
        | '\u{20000}'..='\u{323af}')
}
