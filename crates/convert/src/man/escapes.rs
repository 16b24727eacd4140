//! Escapes inside of a line: fonts, characters, strings, and much that is only about layout.

use super::glyphs::glyph;
use super::roff::Page;
use super::spans::{Span, Style};

/// Strings inside of strings that are followed.
const MAX_DEPTH: usize = 8;

/// A line with its escapes resolved.
#[derive(Debug, Default)]
pub(super) struct Line {
    pub(super) spans: Vec<Span>,
    /// It ended in `\c`: the next one is joined to it.
    pub(super) is_continued: bool,
}

impl Line {
    fn push(&mut self, style: Style, text: &str) {
        match self.spans.last_mut().filter(|span| span.style == style) {
            Some(span) => span.text.push_str(text),
            None => self.spans.push(Span::new(style, text)),
        }
    }
}

impl Page {
    /// Resolves the escapes of a text, beginning and going on in the current font.
    pub(super) fn expand(&mut self, text: &str) -> Line {
        let mut line = Line::default();
        self.expand_into(text, &mut line, 0);
        line
    }

    /// Only the text, as for names and arguments of requests.
    pub(super) fn expand_plain(&mut self, text: &str) -> String {
        let font = self.font;
        let line = self.expand(text);
        self.font = font;
        super::spans::plain(&line.spans)
    }

    fn expand_into(&mut self, text: &str, line: &mut Line, depth: usize) {
        let mut rest = text;
        while let Some(at) = rest.find('\\') {
            let (before, escape) = rest.split_at(at);
            line.push(self.font, before);
            rest = self.escape(escape.get(1..).unwrap_or_default(), line, depth);
        }
        line.push(self.font, rest);
    }

    /// Resolves one escape; returns what stands behind it.
    fn escape<'a>(&mut self, text: &'a str, line: &mut Line, depth: usize) -> &'a str {
        let mut chars = text.chars();
        let Some(kind) = chars.next() else { return "" };
        let rest = chars.as_str();
        let font = self.font;
        match kind {
            '-' | '.' | '\'' => line.push(font, &kind.to_string()),
            'e' | '\\' => line.push(font, "\\"),
            '`' => line.push(font, "`"),
            ' ' | '~' | '0' => line.push(font, " "),
            't' => line.push(font, "\t"),
            '"' | '#' => return "",
            'c' => line.is_continued = true,
            '(' | '[' | 'C' => {
                let (name, rest) = match kind {
                    'C' => delimited(rest),
                    _ => name_after(text),
                };
                line.push(font, &glyph(name));
                return rest;
            }
            'N' => {
                let (code, rest) = delimited(rest);
                if let Some(char) =
                    code.parse().ok().and_then(char::from_u32).filter(|char| !char.is_control())
                {
                    line.push(font, &char.to_string());
                }
                return rest;
            }
            'f' => {
                let (name, rest) = name_after(rest);
                self.set_font(name);
                return rest;
            }
            '*' => {
                let (name, rest) = name_after(rest);
                if let Some(value) = self.string(name)
                    && depth < MAX_DEPTH
                    && self.spend(value.len())
                {
                    self.expand_into(&value, line, depth + 1);
                }
                return rest;
            }
            'n' => {
                let (name, rest) = name_after(rest.trim_start_matches(['+', '-']));
                let value = self.register(name).to_string();
                line.push(font, &value);
                return rest;
            }
            's' => return after_size(rest),
            'm' | 'M' | 'F' | 'g' | 'k' | 'V' | 'Y' | 'O' | '$' => return name_after(rest).1,
            'h' => {
                let (distance, rest) = delimited(rest);
                if distance.starts_with('+') {
                    line.push(font, " ");
                }
                return rest;
            }
            'v' | 'l' | 'L' | 'b' | 'D' | 'X' | 'x' | 'S' | 'H' | 'R' | 'A' | 'B' => {
                return delimited(rest).1;
            }
            'w' => {
                line.push(font, "0");
                return delimited(rest).1;
            }
            'o' | 'Z' => {
                let (inside, rest) = delimited(rest);
                let shown = if kind == 'o' { inside.chars().take(1).collect() } else { inside.to_owned() };
                if depth < MAX_DEPTH {
                    self.expand_into(&shown, line, depth + 1);
                }
                return rest;
            }
            // What is left only moves the pen, or marks where something may break.
            _ => {}
        }
        rest
    }

    /// `\fB`, `.ft B`.
    pub(super) fn set_font(&mut self, name: &str) {
        let next = match name {
            "B" | "3" | "CB" | "HB" => Style::Bold,
            "I" | "2" | "CI" | "HI" => Style::Italic,
            "BI" | "4" | "CBI" => Style::Bold,
            "P" | "" => self.previous_font,
            // Text in a fixed width is mostly code, but pages set whole paragraphs in it.
            _ => Style::Roman,
        };
        self.previous_font = self.font;
        self.font = next;
    }
}

/// A name behind an escape: `x`, `(xx` or `[xxx]`.
pub(super) fn name_after(text: &str) -> (&str, &str) {
    if let Some(inside) = text.strip_prefix('[') {
        return inside.split_once(']').unwrap_or((inside, ""));
    }
    let (skip, count) = if text.starts_with('(') { (1, 2) } else { (0, 1) };
    let inside = text.get(skip..).unwrap_or_default();
    let length: usize = inside.chars().take(count).map(char::len_utf8).sum();
    inside.split_at(length)
}

/// What stands between two of the same character: `'3n'`.
fn delimited(text: &str) -> (&str, &str) {
    let Some(delimiter) = text.chars().next() else { return ("", "") };
    let inside = text.get(delimiter.len_utf8()..).unwrap_or_default();
    inside.split_once(delimiter).unwrap_or((inside, ""))
}

/// Behind a size: `\s-1`, `\s+2`, `\s10`, `\s(12`, `\s[12]`, `\s'12'`.
fn after_size(text: &str) -> &str {
    let unsigned = text.trim_start_matches(['+', '-']);
    match unsigned.chars().next() {
        Some('(' | '[') => name_after(unsigned).1,
        Some('\'') => delimited(unsigned).1,
        // Two digits only when the first says so, because `\s10` is ten points but `\s-10` is one less and a zero.
        Some('1'..='3')
            if unsigned.len() == text.len() && unsigned.as_bytes().get(1).is_some_and(u8::is_ascii_digit) =>
        {
            unsigned.get(2..).unwrap_or_default()
        }
        Some(first) if first.is_ascii_digit() => unsigned.get(1..).unwrap_or_default(),
        _ => unsigned,
    }
}
