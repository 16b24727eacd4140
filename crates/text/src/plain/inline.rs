//! The inside of a paragraph: emphasis, code spans, links, tags.
//!
//! Code spans and brackets are paired in a first pass with a stack; the second pass then writes the
//! text and never searches for an end. That is what keeps `[[[[[` and a row of backticks linear.

use std::ops::Range;

use super::html::{self, Closers, Markup};
use super::line::{self, Line};
use super::{Output, entities, line_end, shortcodes};

/// Parentheses inside a link target; more is not a link.
const MAX_PARENTHESES: usize = 32;
/// A link target with its title; more is not a link.
const MAX_TARGET: usize = 4096;

/// Writes `raw[paragraph]` and returns where it stopped, which a comment may put far behind its end.
pub(super) fn write(
    raw: &str,
    paragraph: Range<usize>,
    table: bool,
    closers: &mut Closers,
    out: &mut Output,
) -> usize {
    let mut writer = Writer {
        raw,
        bytes: raw.as_bytes(),
        end: paragraph.end,
        table,
        pairs: Pairs::read(raw, &paragraph),
        links: Vec::new(),
        open_underscores: 0,
        last_underscore: None,
    };
    let mut pos = paragraph.start;
    let mut at_line_start = true;
    while pos < paragraph.end {
        let end = line_end(raw, pos).min(paragraph.end);
        let (from, to) = match at_line_start {
            false => (pos, end),
            true => match line::strip(&raw[pos..end]) {
                Line::Text(from, to) => (pos + from, pos + to),
                Line::Dropped => (end, end),
            },
        };
        writer.table = table || raw[from..to].starts_with('|');
        writer.last_underscore = None;
        let stopped = writer.segment(from, to, closers, out).max(to);
        // A construct that went on past the end of the line continues in the middle of another one.
        at_line_start = stopped <= end;
        if at_line_start {
            out.newline();
            pos = end + 1;
        } else {
            pos = stopped;
        }
    }
    pos
}

struct Writer<'t> {
    raw: &'t str,
    bytes: &'t [u8],
    end: usize,
    table: bool,
    pairs: Pairs,
    /// Links whose text is being written: the position of their `]`, and where to go on behind it.
    links: Vec<(usize, usize)>,
    open_underscores: usize,
    /// The last `_` of the line that could close emphasis, once it was looked for.
    last_underscore: Option<usize>,
}

impl Writer<'_> {
    /// Writes `from..to` and returns where it stopped.
    fn segment(&mut self, from: usize, to: usize, closers: &mut Closers, out: &mut Output) -> usize {
        let mut pos = from;
        let mut written = from;
        while pos < to {
            if !SPECIAL[self.bytes[pos] as usize] {
                pos += 1;
                continue;
            }
            out.push_str(&self.raw[written..pos]);
            let next = self.special(pos, to, closers, out);
            written = next;
            pos = next;
        }
        if written < to {
            out.push_str(&self.raw[written..to]);
        }
        pos
    }

    /// Writes what the special character at `pos` stands for and returns where to go on.
    fn special(&mut self, pos: usize, line_end: usize, closers: &mut Closers, out: &mut Output) -> usize {
        let byte = self.bytes[pos];
        match byte {
            b'\\' => match self.bytes.get(pos + 1) {
                Some(next) if next.is_ascii_punctuation() => {
                    out.push(*next as char);
                    return pos + 2;
                }
                Some(b'\n') | None => return pos + 1,
                Some(_) => {}
            },
            b'`' => return self.backticks(pos, out),
            b'*' | b'~' => return self.stars(pos, out),
            b'_' => return self.underscore(pos, line_end, out),
            b'!' if self.link_target(pos + 1).is_some() => return pos + 1,
            b'[' => return self.bracket(pos, out),
            b']' => {
                while let Some(&(close, after)) = self.links.last() {
                    if close > pos {
                        break;
                    }
                    self.links.pop();
                    if close == pos {
                        return after;
                    }
                }
            }
            b'<' => {
                if let Some(next) = self.markup(pos, closers, out) {
                    return next;
                }
            }
            b'&' => {
                if let Some((c, length)) = entities::decode(&self.raw[pos..self.end]) {
                    out.push(c);
                    return pos + length;
                }
            }
            b'{' => {
                if let Some(next) = self.braces(pos, out) {
                    return next;
                }
            }
            b'|' if self.table => {
                out.space();
                return pos
                    + 1
                    + self.bytes[pos + 1..line_end].iter().take_while(|&&byte| byte == b' ').count();
            }
            _ => {}
        }
        out.push(byte as char);
        pos + 1
    }

    fn backticks(&self, pos: usize, out: &mut Output) -> usize {
        let run = run_length(self.bytes, pos, self.end);
        let Some(end) = self.pairs.code_end(pos) else {
            out.push_str(&self.raw[pos..pos + run]);
            return pos + run;
        };
        let code = &self.raw[pos + run..end - run];
        out.push_str(&shortcodes::without_shortcodes(code.trim_matches(' '), &[]));
        end
    }

    /// Drops emphasis and strikethrough marks; an operator with space around it stays.
    fn stars(&self, pos: usize, out: &mut Output) -> usize {
        let run = run_length(self.bytes, pos, self.end);
        let (before, after) = self.around(pos, run);
        let loose = before.is_ascii_whitespace() && after.is_ascii_whitespace();
        let between = before.is_ascii_alphanumeric() && after.is_ascii_alphanumeric();
        let single_tilde = self.bytes[pos] == b'~' && run == 1;
        if loose || single_tilde || (run == 1 && between) {
            out.push_str(&self.raw[pos..pos + run]);
        }
        pos + run
    }

    /// Drops `_` around words, never inside of them.
    fn underscore(&mut self, pos: usize, line_end: usize, out: &mut Output) -> usize {
        let run = run_length(self.bytes, pos, self.end);
        let (before, after) = self.around(pos, run);
        let opens = !is_word(before) && !after.is_ascii_whitespace();
        let closes = !is_word(after) && !before.is_ascii_whitespace();
        if closes && self.open_underscores > 0 {
            self.open_underscores -= 1;
        } else if opens && pos < self.last_underscore(pos, line_end) {
            self.open_underscores += 1;
        } else {
            out.push_str(&self.raw[pos..pos + run]);
        }
        pos + run
    }

    fn last_underscore(&mut self, pos: usize, line_end: usize) -> usize {
        if let Some(last) = self.last_underscore {
            return last;
        }
        let closes = |&at: &usize| {
            let (before, after) = self.around(at, 1);
            self.bytes[at] == b'_' && !before.is_ascii_whitespace() && before != b'_' && !is_word(after)
        };
        let last = (pos + 1..line_end).rev().find(closes).unwrap_or(0);
        self.last_underscore = Some(last);
        last
    }

    fn bracket(&mut self, pos: usize, out: &mut Output) -> usize {
        let rest = &self.raw[pos..self.end];
        if let Some(close) = self.pairs.bracket_end(pos) {
            if rest.starts_with("[^") || (rest.starts_with("[!") && !rest.starts_with("[![")) {
                return close + 1;
            }
            if let Some(after) = self.link_target(pos) {
                self.links.push((close, after));
                return pos + 1;
            }
        }
        out.push('[');
        pos + 1
    }

    /// For the `[` at `pos` of a link or an image: where its target ends.
    fn link_target(&self, pos: usize) -> Option<usize> {
        let close = self.pairs.bracket_end(pos)?;
        match self.bytes.get(close + 1)? {
            b'(' => target_end(&self.bytes[..self.end], close + 1),
            b'[' => Some(self.pairs.bracket_end(close + 1)? + 1),
            _ => None,
        }
    }

    fn markup(&self, pos: usize, closers: &mut Closers, out: &mut Output) -> Option<usize> {
        match html::read(self.raw, pos, closers)? {
            Markup::Hidden(length) => {
                // `a <!-- b --> c` has one space left, not two.
                let doubled = out.is_at_break() && self.bytes.get(pos + length) == Some(&b' ');
                Some(pos + length + usize::from(doubled))
            }
            Markup::Break(length, shown) => {
                out.space();
                if let Some(shown) = shown {
                    out.push_str(shown);
                    out.space();
                }
                Some(pos + length)
            }
            Markup::Link(length, inner) => {
                out.push_str(inner);
                Some(pos + length)
            }
        }
    }

    fn braces(&self, pos: usize, out: &mut Output) -> Option<usize> {
        let rest = &self.raw[pos..self.end];
        if rest.starts_with("{/*") {
            return Some(pos + shortcodes::closer(rest, 3, "*/}")? + 3);
        }
        let (length, shown) = shortcodes::read(rest)?;
        let mut first = true;
        shown.for_each(&mut |value| {
            if !first {
                out.space();
            }
            first = false;
            out.push_str(value);
        });
        Some(pos + length)
    }

    fn around(&self, pos: usize, run: usize) -> (u8, u8) {
        let before = pos.checked_sub(1).map_or(b' ', |at| self.bytes[at]);
        (before, self.bytes.get(pos + run).copied().unwrap_or(b' '))
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80
}

fn run_length(bytes: &[u8], pos: usize, end: usize) -> usize {
    bytes[pos..end].iter().take_while(|&&byte| byte == bytes[pos]).count()
}

/// The end of `(target "title")` that opens at `open`.
fn target_end(bytes: &[u8], open: usize) -> Option<usize> {
    let mut depth = 0;
    let mut pos = open;
    let limit = bytes.len().min(open + MAX_TARGET);
    while pos < limit {
        match bytes[pos] {
            b'\\' => pos += 1,
            b'(' if depth == MAX_PARENTHESES => return None,
            b'(' => depth += 1,
            b')' if depth == 1 => return Some(pos + 1),
            b')' => depth -= 1,
            // A title may hold parentheses of its own; a target has no spaces.
            quote @ (b'"' | b'\'') if matches!(bytes[pos - 1], b' ' | b'\n') => {
                pos += 1 + bytes[pos + 1..limit].iter().position(|&byte| byte == quote)?;
            }
            _ => {}
        }
        pos += 1;
    }
    None
}

/// Code spans and brackets of a paragraph, paired.
#[derive(Default)]
struct Pairs {
    /// Start and end of each code span with its backticks, in order.
    code: Vec<(usize, usize)>,
    /// Each `[` that is closed, in order, with its `]`; 0 while it is open.
    brackets: Vec<(usize, usize)>,
}

impl Pairs {
    fn read(raw: &str, paragraph: &Range<usize>) -> Pairs {
        let text = &raw[paragraph.clone()];
        let mut pairs = Pairs::default();
        if text.contains('`') {
            pairs.pair_backticks(text, paragraph.start);
        }
        if text.contains('[') {
            pairs.pair_brackets(text.as_bytes(), paragraph.start);
        }
        pairs
    }

    fn code_end(&self, start: usize) -> Option<usize> {
        let index = self.code.binary_search_by_key(&start, |pair| pair.0).ok()?;
        Some(self.code[index].1)
    }

    fn bracket_end(&self, open: usize) -> Option<usize> {
        let index = self.brackets.binary_search_by_key(&open, |pair| pair.0).ok()?;
        Some(self.brackets[index].1).filter(|&close| close > 0)
    }

    fn pair_backticks(&mut self, text: &str, base: usize) {
        let bytes = text.as_bytes();
        let mut runs = Vec::new();
        let mut pos = 0;
        while let Some(found) = text[pos..].find('`') {
            let start = pos + found;
            let run = run_length(bytes, start, bytes.len());
            let escaped = start > 0 && bytes[start - 1] == b'\\';
            runs.push((start, run, escaped));
            pos = start + run;
        }
        // From the back, so that each run learns the next one of its own length.
        let mut seen = [usize::MAX; 64];
        let mut next = vec![usize::MAX; runs.len()];
        for (index, &(_, run, _)) in runs.iter().enumerate().rev() {
            if let Some(seen) = seen.get_mut(run) {
                next[index] = std::mem::replace(seen, index);
            }
        }
        let mut index = 0;
        while let Some(&(start, _, escaped)) = runs.get(index) {
            match runs.get(next[index]) {
                Some(&(close, run, _)) if !escaped => {
                    self.code.push((base + start, base + close + run));
                    index = next[index] + 1;
                }
                _ => index += 1,
            }
        }
    }

    fn pair_brackets(&mut self, bytes: &[u8], base: usize) {
        let mut open: Vec<usize> = Vec::new();
        let mut code = self.code.iter().peekable();
        let mut pos = 0;
        while pos < bytes.len() {
            match bytes[pos] {
                b'\\' => pos += 1,
                b'`' => {
                    while code.peek().is_some_and(|span| span.0 < base + pos) {
                        code.next();
                    }
                    if let Some(span) = code.peek()
                        && span.0 == base + pos
                    {
                        pos = span.1 - base - 1;
                    }
                }
                b'[' => {
                    open.push(self.brackets.len());
                    self.brackets.push((base + pos, 0));
                }
                b']' => {
                    if let Some(index) = open.pop() {
                        self.brackets[index].1 = base + pos;
                    }
                }
                _ => {}
            }
            pos += 1;
        }
    }
}

const SPECIAL: [bool; 256] = {
    let mut table = [false; 256];
    let bytes = b"\\`*~_![]<&{|";
    let mut at = 0;
    while at < bytes.len() {
        table[bytes[at] as usize] = true;
        at += 1;
    }
    table
};
