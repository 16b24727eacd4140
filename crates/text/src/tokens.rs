//! Lexical tokens: the one function through which every store and every query goes.
//!
//! Words are lower-cased, folded (`Café` → `cafe`) and stemmed. Identifiers are found both as a whole
//! and by their parts: `readOnlyRootFs` gives `readonlyrootf`, `read`, `onli`, `root`, `fs`. Flags,
//! versions, `C++` and `@scope/pkg` stay recognisable. Scripts written without spaces become bigrams.
//! A token never holds white space and is at most [`MAX_BYTES`] long.

mod fold;
#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::stem::Stems;
use fold::{Class, class, fold};

/// Longer words are cut here, longer identifiers only give their parts.
const MAX_BYTES: usize = 64;
/// Words joined into one identifier; what comes after them starts another one.
const MAX_PIECES: usize = 32;

/// Every token of `text`, in order.
pub fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    for_each_token(text, &mut |token| tokens.push(token.to_owned()));
    tokens
}

/// Calls `f` with every token of `text`, in order; an identifier comes before its parts.
pub fn for_each_token(text: &str, f: &mut dyn FnMut(&str)) {
    Stems::with(|stems| {
        let mut scanner = Scanner { text, bytes: text.as_bytes(), stems, f, compound: Compound::default() };
        let mut pos = 0;
        while pos < text.len() {
            pos = scanner.step(pos);
        }
    });
}

struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    stems: &'a mut Stems,
    f: &'a mut dyn FnMut(&str),
    /// Reused, so that a token costs no allocation.
    compound: Compound,
}

/// An identifier or a word: pieces joined by connectors, lower-cased and folded.
#[derive(Default)]
struct Compound {
    folded: String,
    pieces: Vec<Piece>,
    /// The camelCase parts of all pieces, one piece after the other.
    parts: Vec<Range<usize>>,
}

struct Piece {
    range: Range<usize>,
    /// Its parts among all parts; fewer than two when it is one word.
    parts: Range<usize>,
    /// What joins it to the next piece.
    connector: u8,
    /// An acronym with a plural s, as in `URLs`.
    plural: bool,
}

impl Scanner<'_> {
    /// Reads one character, or the identifier or run that starts at `pos`, and returns where to go on.
    fn step(&mut self, pos: usize) -> usize {
        let byte = self.bytes[pos];
        if byte < 0x80 {
            return if byte.is_ascii_alphanumeric() { self.identifier(pos) } else { pos + 1 };
        }
        let Some(c) = self.text[pos..].chars().next() else { return self.text.len() };
        match class(c) {
            Class::Word => self.identifier(pos),
            Class::Bigram => self.bigrams(pos),
            Class::Mark | Class::Other => pos + c.len_utf8(),
        }
    }

    fn identifier(&mut self, start: usize) -> usize {
        let mut compound = std::mem::take(&mut self.compound);
        compound.clear();
        let mut pos = start;
        let mut suffix = 0;
        while compound.pieces.len() < MAX_PIECES {
            pos = self.piece(pos, &mut compound);
            suffix = self.suffix(pos, &compound);
            if suffix > 0 {
                break;
            }
            let Some((connector, next)) = self.connector(pos) else { break };
            if compound.pieces.len() == MAX_PIECES {
                break;
            }
            compound.connect(connector, &self.text[pos..next]);
            pos = next;
        }
        let prefix = self.prefix(start);
        self.emit(&compound, prefix, &self.text[pos..pos + suffix]);
        self.compound = compound;
        pos + suffix
    }

    /// Reads one word into `compound` and returns its end.
    fn piece(&self, start: usize, compound: &mut Compound) -> usize {
        let from = compound.folded.len();
        let first_part = compound.parts.len();
        let mut part = from;
        let mut previous = Case::None;
        let mut uppers = 0;
        let mut plural = false;
        let mut pos = start;
        while pos < self.bytes.len() {
            let byte = self.bytes[pos];
            let (case, width) = if byte < 0x80 {
                let case = match byte {
                    b'a'..=b'z' => Case::Lower,
                    b'A'..=b'Z' => Case::Upper,
                    b'0'..=b'9' => Case::Digit,
                    b'\'' if self.apostrophe(pos, 1) => Case::None,
                    _ => break,
                };
                (case, 1)
            } else {
                let Some(c) = self.text[pos..].chars().next() else { break };
                let case = match class(c) {
                    Class::Word if c.is_uppercase() => Case::Upper,
                    Class::Word => Case::Lower,
                    Class::Mark => previous,
                    Class::Other if c == '’' && self.apostrophe(pos, c.len_utf8()) => Case::None,
                    Class::Bigram | Class::Other => break,
                };
                (case, c.len_utf8())
            };
            let at = compound.folded.len();
            let boundary = match (previous, case) {
                (Case::Lower | Case::Digit, Case::Upper) => Some(at),
                // `HTTPServer`: the last capital belongs to the word that follows.
                (Case::Upper, Case::Lower) if uppers > 2 && !self.is_plural(pos) => Some(at - 1),
                _ => None,
            };
            if let Some(boundary) =
                boundary.filter(|&boundary| boundary > part + 1 && compound.folded.is_char_boundary(boundary))
            {
                compound.parts.push(part..boundary);
                part = boundary;
            }
            plural |= case == Case::Lower && uppers > 1 && self.is_plural(pos);
            uppers = if case == Case::Upper { uppers + 1 } else { 0 };
            previous = case;
            if byte < 0x80 {
                compound.folded.push(byte.to_ascii_lowercase() as char);
            } else if let Some(c) = self.text[pos..].chars().next() {
                fold(c, &mut compound.folded);
            }
            pos += width;
        }
        let to = compound.folded.len();
        // A single letter says nothing: `CoW` is one word.
        match compound.parts.get_mut(first_part..).and_then(<[_]>::last_mut) {
            Some(last) if to - part == 1 => last.end = to,
            _ => compound.parts.push(part..to),
        }
        let count = compound.parts.len() - first_part;
        // Digests and base64 change case at random: their parts would only fill the index.
        if count > 4 && (to - from) / count < 4 || to - from > MAX_BYTES {
            compound.parts.truncate(first_part);
        }
        let parts = first_part..compound.parts.len();
        compound.pieces.push(Piece { range: from..to, parts, connector: 0, plural });
        pos
    }

    /// Whether the letter at `pos` is the s that ends `URLs`.
    fn is_plural(&self, pos: usize) -> bool {
        self.bytes[pos] == b's'
            && !self.bytes.get(pos + 1).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte >= 0x80)
    }

    /// Whether a letter follows the apostrophe, so that it is inside of a word.
    fn apostrophe(&self, pos: usize, width: usize) -> bool {
        let letter = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphabetic);
        letter(self.bytes.get(pos + width)) && letter(pos.checked_sub(1).and_then(|at| self.bytes.get(at)))
    }

    /// The connector at `pos` and where the next word starts behind it.
    fn connector(&self, pos: usize) -> Option<(u8, usize)> {
        let byte = *self.bytes.get(pos)?;
        let next = match byte {
            b'_' => pos + self.bytes[pos..].iter().take_while(|&&byte| byte == b'_').count(),
            b'-' | b'.' | b'/' | b'@' => pos + 1,
            b':' if self.bytes.get(pos + 1) == Some(&b':') => pos + 2,
            _ => return None,
        };
        let first = *self.bytes.get(next)?;
        let word = match first {
            0..0x80 => first.is_ascii_alphanumeric(),
            _ => self.text[next..].chars().next().is_some_and(|c| class(c) == Class::Word),
        };
        word.then_some((byte, next))
    }

    /// The length of `++` or `#` after the word that ends at `pos`, as in `C++` and `F#`.
    fn suffix(&self, pos: usize, compound: &Compound) -> usize {
        let rest = &self.bytes[pos..];
        let ends = |at: usize| {
            !rest.get(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'#'))
        };
        let letters = compound.pieces.last().map_or(0, |piece| piece.range.len());
        match rest {
            [b'+', b'+', ..] if ends(2) => 2,
            [b'#', ..] if ends(1) && letters <= 2 && self.bytes[pos - 1].is_ascii_alphabetic() => 1,
            _ => 0,
        }
    }

    /// The sign in front of the word at `start` that belongs to it: `--`, `-`, `$`, `@`, `.`.
    fn prefix(&self, start: usize) -> &'static str {
        let before = |back: usize| start.checked_sub(back).map_or(b' ', |at| self.bytes[at]);
        let free = |back: usize| !before(back).is_ascii_alphanumeric() && before(back) < 0x80;
        let letter = self.bytes[start].is_ascii_alphabetic();
        match before(1) {
            b'-' if before(2) == b'-' && free(3) && before(3) != b'-' && letter => "--",
            b'-' if free(2) && before(2) != b'-' && letter => "-",
            b'$' if free(2) => "$",
            b'@' if free(2) && letter => "@",
            b'.' if free(2) && before(2) != b'.' && letter => ".",
            _ => "",
        }
    }

    fn emit(&mut self, compound: &Compound, prefix: &str, suffix: &str) {
        let folded = compound.folded.as_str();
        let joined = compound.pieces.len() > 1;
        let mut buffer = [0; MAX_BYTES];
        if (!prefix.is_empty() || !suffix.is_empty())
            && let Some(whole) = concatenate(&mut buffer, [prefix, folded, suffix])
        {
            (self.f)(whole);
        }
        let version = joined && compound.version_end(0) == compound.pieces.len();
        if joined && !version && folded.len() <= MAX_BYTES {
            (self.f)(folded);
            self.emit_path_parts(compound);
        }
        let mut index = 0;
        while index < compound.pieces.len() {
            let end = compound.version_end(index);
            if end > index + 1 {
                self.emit_version(compound, index..end);
                index = end;
                continue;
            }
            let piece = &compound.pieces[index];
            self.emit_word(&folded[piece.range.clone()], piece.plural);
            if piece.parts.len() > 1 {
                for part in &compound.parts[piece.parts.clone()] {
                    self.emit_word(&folded[part.clone()], false);
                }
            }
            index += 1;
        }
    }

    /// The components of a path that are identifiers themselves: `b-c.md` of `a/b-c.md`.
    fn emit_path_parts(&mut self, compound: &Compound) {
        let pieces = &compound.pieces;
        if !pieces.iter().any(|piece| piece.connector == b'/') {
            return;
        }
        let mut first = 0;
        for (index, piece) in pieces.iter().enumerate() {
            if piece.connector == b'/' || index + 1 == pieces.len() {
                if index > first && compound.version_end(first) != index + 1 {
                    (self.f)(&compound.folded[pieces[first].range.start..piece.range.end]);
                }
                first = index + 1;
            }
        }
    }

    /// `v1.25.3` as it is, and as `1.25.3` and `1.25`.
    fn emit_version(&mut self, compound: &Compound, pieces: Range<usize>) {
        let start = compound.pieces[pieces.start].range.start;
        let end = compound.pieces[pieces.end - 1].range.end;
        let whole = &compound.folded[start..end];
        if whole.len() > MAX_BYTES {
            return;
        }
        (self.f)(whole);
        let number = whole.strip_prefix('v').unwrap_or(whole);
        if number.len() < whole.len() {
            (self.f)(number);
        }
        if pieces.len() > 2 {
            let minor = compound.pieces[pieces.start + 1].range.end;
            (self.f)(&compound.folded[start + whole.len() - number.len()..minor]);
        }
    }

    fn emit_word(&mut self, word: &str, plural: bool) {
        if word.is_empty() {
            return;
        }
        if word.len() > MAX_BYTES {
            let cut = (0..=MAX_BYTES).rev().find(|&at| word.is_char_boundary(at)).unwrap_or(0);
            (self.f)(&word[..cut]);
        } else if plural {
            (self.f)(&word[..word.len() - 1]);
        } else if word.len() > 2 && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'\'') {
            let stem = self.stems.stem(word);
            (self.f)(if stem.is_empty() { word } else { stem });
        } else {
            (self.f)(word);
        }
    }

    /// Pairs of neighbours in a run of a script without spaces.
    fn bigrams(&mut self, start: usize) -> usize {
        let mut previous: Option<char> = None;
        let mut emitted = false;
        let mut buffer = String::new();
        let mut current: Option<char> = None;
        let mut pos = start;
        for c in self.text[start..].chars() {
            if class(c) != Class::Bigram {
                break;
            }
            pos += c.len_utf8();
            // Decomposed kana and Hangul become what everyone else writes.
            if let Some(composed) = current.and_then(|last| unicode_normalization::char::compose(last, c)) {
                current = Some(composed);
                continue;
            }
            if let (Some(first), Some(second)) = (previous, current) {
                self.pair(first, second, &mut buffer);
                emitted = true;
            }
            previous = current;
            current = Some(c);
        }
        match (previous, current) {
            (Some(first), Some(second)) => self.pair(first, second, &mut buffer),
            (None, Some(single)) if !emitted => (self.f)(single.encode_utf8(&mut [0; 4])),
            _ => {}
        }
        pos
    }

    fn pair(&mut self, first: char, second: char, buffer: &mut String) {
        buffer.clear();
        buffer.push(first);
        buffer.push(second);
        (self.f)(buffer);
    }
}

impl Compound {
    fn clear(&mut self) {
        self.folded.clear();
        self.pieces.clear();
        self.parts.clear();
    }

    fn connect(&mut self, connector: u8, text: &str) {
        self.folded.push_str(text);
        if let Some(piece) = self.pieces.last_mut() {
            piece.connector = connector;
        }
    }

    /// Where the dotted number ends that starts with piece `index`; `index + 1` when it is none.
    fn version_end(&self, index: usize) -> usize {
        let is_number = |piece: &Piece, first: bool| {
            let text = &self.folded[piece.range.clone()];
            let digits = if first { text.strip_prefix('v').unwrap_or(text) } else { text };
            !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
        };
        let mut end = index;
        while let Some(piece) = self.pieces.get(end) {
            if !is_number(piece, end == index) {
                break;
            }
            end += 1;
            if piece.connector != b'.' {
                break;
            }
        }
        end.max(index + 1)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    None,
    Lower,
    Upper,
    Digit,
}

/// The strings one after the other, if they fit.
fn concatenate<'b>(buffer: &'b mut [u8; MAX_BYTES], strings: [&str; 3]) -> Option<&'b str> {
    let mut length = 0;
    for string in strings {
        buffer.get_mut(length..length + string.len())?.copy_from_slice(string.as_bytes());
        length += string.len();
    }
    std::str::from_utf8(&buffer[..length]).ok()
}
