//! How long an answer may be, and cutting it to that length.
//!
//! The length of an answer is the number of characters of its JSON text: that is what lands in the agent's context. An answer
//! always moves forward, however small the budget: at least a little of the next piece is in it.

use std::io;
use std::ops::Range;

use docent_engine::Place;
use serde::Serialize;
use serde_json::Value;

/// Length of an answer when the caller does not say.
pub(crate) const DEFAULT_MAX_CHARS: usize = 60_000;
/// Room for the fields that say that an answer was cut.
const CUT_NOTICE: usize = 200;
/// A piece is cut only when this much of it fits; otherwise it comes whole with the next answer.
const WORTH_CUTTING: usize = 2_000;
/// Least content of an answer.
const LEAST: usize = 80;

/// Where a piece says its first and last line: the toolsets spell it in two ways.
const LINE_KEYS: [[&str; 2]; 2] = [["start_line", "end_line"], ["startLine", "endLine"]];

/// Characters that an answer may still have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Budget {
    left: usize,
}

/// One piece of an answer: an object, and the text that goes into its `content` (if it has one).
pub(crate) struct Piece {
    pub(crate) object: Value,
    pub(crate) content: Option<String>,
}

impl From<Value> for Piece {
    /// An object without content.
    fn from(object: Value) -> Self {
        Self { object, content: None }
    }
}

/// What fitted: pieces with their numbers, and where the answer goes on.
pub(crate) struct Fitted {
    pub(crate) pieces: Vec<(usize, Value)>,
    pub(crate) rest: Option<Place>,
}

impl Budget {
    /// `None` is the default, 0 is no limit.
    pub(crate) fn new(max_chars: Option<usize>) -> Self {
        let left = match max_chars {
            None => DEFAULT_MAX_CHARS,
            Some(0) => usize::MAX,
            Some(chars) => chars,
        };
        Self { left }
    }

    /// Characters that are left.
    pub(crate) fn left(&self) -> usize {
        self.left
    }

    /// Takes off what surrounds the pieces.
    pub(crate) fn spend(&mut self, envelope: &impl Serialize) {
        self.left = self.left.saturating_sub(length(envelope) + CUT_NOTICE);
    }

    /// Takes off `chars` if they fit.
    pub(crate) fn take(&mut self, chars: usize) -> bool {
        let fits = chars <= self.left;
        self.left -= if fits { chars } else { 0 };
        fits
    }

    /// Characters left for the content of `object` beside all else in it.
    pub(crate) fn room_beside(&self, object: &impl Serialize, content: &str) -> usize {
        let around = length(object).saturating_sub(escaped_length(content)) + 20;
        self.left.saturating_sub(around).max(LEAST)
    }

    /// As many pieces from `place` on as fit; the last one may be cut.
    pub(crate) fn fit(self, pieces: Vec<Piece>, place: Place) -> Fitted {
        let count = pieces.len() as u64;
        let mut fitted = self.fill(pieces, place);
        // What was too long and is the last of all leaves nothing to go on with.
        fitted.rest = fitted.rest.filter(|[piece, _]| *piece < count);
        fitted
    }

    fn fill(mut self, pieces: Vec<Piece>, place: Place) -> Fitted {
        let [first, mut offset] = place.map(|number| usize::try_from(number).unwrap_or(usize::MAX));
        let mut fitted = Vec::new();
        for (at, Piece { mut object, content }) in pieces.into_iter().enumerate().skip(first) {
            let text = content.as_deref().map(|text| text.get(offset..).unwrap_or(""));
            let (envelope, cost) = (length(&object) + 16, text.map_or(0, escaped_length));
            if self.take(envelope + cost) {
                if let Some(whole) = &content {
                    keep_part(&mut object, whole, offset..whole.len());
                }
                fitted.push((at, object));
                offset = 0;
                continue;
            }
            let room = self.left.saturating_sub(envelope + 20);
            let Some(text) = text.filter(|_| fitted.is_empty() || room >= WORTH_CUTTING) else {
                if fitted.is_empty() {
                    fitted.push((at, object));
                    return Fitted { pieces: fitted, rest: Some([at as u64 + 1, 0]) };
                }
                return Fitted { pieces: fitted, rest: Some([at as u64, offset as u64]) };
            };
            let kept = prefix(text, room.max(LEAST)).len();
            let rest = if kept == text.len() { [at + 1, 0] } else { [at, offset + kept] };
            keep_part(&mut object, content.as_deref().unwrap_or_default(), offset..offset + kept);
            fitted.push((at, object));
            return Fitted { pieces: fitted, rest: Some(rest.map(|number| number as u64)) };
        }
        Fitted { pieces: fitted, rest: None }
    }
}

/// Puts a part of `whole` into an object. A part says that it is one, and its lines are its own.
fn keep_part(object: &mut Value, whole: &str, part: Range<usize>) {
    object["content"] = whole.get(part.clone()).unwrap_or_default().into();
    if part.len() == whole.len() {
        return;
    }
    object["truncated"] = true.into();
    for [first_key, last_key] in LINE_KEYS {
        let start = object.get(first_key).and_then(Value::as_u64).and_then(|line| u32::try_from(line).ok());
        if let Some(start) = start {
            let (first, last) = lines(whole, part.start, part.end, start);
            object[first_key] = first.into();
            object[last_key] = last.into();
        }
    }
}

/// First and last line of `whole[start..end]` when `whole` begins on line `line`.
pub(crate) fn lines(whole: &str, start: usize, end: usize, line: u32) -> (u32, u32) {
    let range = docent_text::LineIndex::new(whole).range(&(start..end));
    let number =
        |at: usize| line.saturating_add(u32::try_from(at).map_or(u32::MAX, |at| at.saturating_sub(1)));
    (number(range.start), number(range.end))
}

/// Characters of a value's JSON text.
pub(crate) fn length(value: &impl Serialize) -> usize {
    /// Counts the bytes that begin a character.
    struct Count(usize);

    impl io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.iter().filter(|byte| (**byte & 0xC0) != 0x80).count();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    let mut count = Count(0);
    // What cannot be written as JSON has no length here; writing the answer itself tells the error.
    let _ = serde_json::to_writer(&mut count, value);
    count.0
}

/// Characters of a text inside JSON, without the quotes.
fn escaped_length(text: &str) -> usize {
    text.chars().map(escaped).sum()
}

fn escaped(letter: char) -> usize {
    match letter {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..='\u{1f}' => 6,
        _ => 1,
    }
}

/// The longest start of `text` that has at most `room` characters in JSON; it ends with a line where that costs little.
pub(crate) fn prefix(text: &str, room: usize) -> &str {
    let mut used = 0;
    let mut end = text.len();
    for (at, letter) in text.char_indices() {
        used += escaped(letter);
        if used > room {
            end = at;
            break;
        }
    }
    let kept = &text[..end];
    match kept.rfind('\n') {
        Some(line) if end < text.len() && line + 1 > end / 2 => &text[..=line],
        _ => kept,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn pieces(texts: &[&str]) -> Vec<Piece> {
        texts.iter().map(|text| Piece { object: json!({}), content: Some((*text).to_owned()) }).collect()
    }

    /// Reads everything through answers of `max_chars`, and gives the texts back joined.
    fn read_all(texts: &[&str], max_chars: usize) -> String {
        let mut place = [0, 0];
        let mut read = String::new();
        for _ in 0..10_000 {
            let fitted = Budget::new(Some(max_chars)).fit(pieces(texts), place);
            for (_, object) in &fitted.pieces {
                read.push_str(object["content"].as_str().unwrap());
            }
            let Some(rest) = fitted.rest else { return read };
            assert!(rest > place, "no step forward");
            place = rest;
        }
        panic!("never ends");
    }

    #[test]
    fn what_is_read_in_pieces_is_the_whole() {
        let long = "line one\nline \"two\"\n".repeat(500);
        let texts = ["", "a", &long, "é日本語🦀", &"x".repeat(5000), "\u{1}\u{2}"];
        for max_chars in [1, 50, 100, 999, 3000, 100_000] {
            assert_eq!(read_all(&texts, max_chars), texts.concat(), "{max_chars}");
        }
    }

    #[test]
    fn nothing_is_left_after_the_last_piece_however_little_room_there_is() {
        let list = || vec![Piece { object: json!({"id": "x".repeat(90)}), content: None }];
        for max_chars in [1, 50, 1_000] {
            assert_eq!(Budget::new(Some(max_chars)).fit(pieces(&["short"]), [0, 0]).rest, None);
            assert_eq!(Budget::new(Some(max_chars)).fit(list(), [0, 0]).rest, None);
        }
    }

    #[test]
    fn an_answer_stays_inside_its_budget() {
        let long = "words and \"quotes\"\n".repeat(2000);
        for max_chars in [500, 2_000, 20_000] {
            let mut budget = Budget::new(Some(max_chars));
            let envelope = json!({"file_path": "a.md", "chunks": []});
            budget.spend(&envelope);
            let fitted = budget.fit(pieces(&[&long, &long]), [0, 0]);
            let chunks: Vec<Value> = fitted.pieces.into_iter().map(|(_, object)| object).collect();
            let answer =
                json!({"file_path": "a.md", "chunks": chunks, "truncated": true, "cursor": "x".repeat(90)});
            assert!(length(&answer) <= max_chars, "{} > {max_chars}", length(&answer));
        }
    }

    #[test]
    fn a_part_has_lines_of_its_own() {
        let whole = "one\ntwo\nthree\nfour\n";
        assert_eq!(lines(whole, 0, 4, 10), (10, 10));
        assert_eq!(lines(whole, 4, 14, 10), (11, 12));
        assert_eq!(lines(whole, 5, 6, 10), (11, 11));
        assert_eq!(lines(whole, 14, 19, 10), (13, 13));
        assert_eq!(lines("one\rtwo\r\nthree", 4, 9, 1), (2, 2));
    }

    #[test]
    fn zero_lifts_the_limit() {
        let long = "x".repeat(200_000);
        assert!(Budget::new(Some(0)).fit(pieces(&[&long]), [0, 0]).rest.is_none());
        assert!(Budget::new(None).fit(pieces(&[&long]), [0, 0]).rest.is_some());
    }

    #[test]
    fn a_cut_ends_with_a_line_where_it_can() {
        assert_eq!(prefix("one\ntwo\nthree", 10), "one\ntwo\n");
        assert_eq!(prefix("one long line without an end", 8), "one long");
        assert_eq!(prefix("日本語", 2), "日本");
    }
}
