//! Conditions of `.if` and `.ie`: at a terminal, with groff, in numbers and strings.

use super::escapes::name_after;
use super::roff::Page;

impl Page {
    /// Whether a condition holds, and what stands behind it.
    pub(super) fn condition<'a>(&mut self, text: &'a str) -> (bool, &'a str) {
        let text = text.trim_start();
        let positive = text.trim_start_matches('!');
        let is_negated = (text.len() - positive.len()) % 2 == 1;
        let (holds, rest) = self.positive_condition(positive.trim_start());
        (holds != is_negated, rest)
    }

    fn positive_condition<'a>(&mut self, text: &'a str) -> (bool, &'a str) {
        let first = text.chars().next().unwrap_or(' ');
        let behind = text.get(first.len_utf8()..).unwrap_or_default();
        match first {
            'n' | 'o' if !behind.starts_with(|char: char| char.is_alphanumeric()) => (true, behind),
            't' | 'e' | 'v' if !behind.starts_with(|char: char| char.is_alphanumeric()) => (false, behind),
            'd' | 'r' | 'c' | 'm' | 'F' | 'S' => {
                let behind = behind.trim_start();
                let end = behind.find([' ', '\t']).unwrap_or(behind.len());
                let (name, rest) = behind.split_at(end);
                let holds = match first {
                    'd' => self.is_defined(name),
                    'r' => self.is_register(name),
                    _ => first == 'c',
                };
                (holds, rest)
            }
            '\'' | '"' => {
                let mut parts = behind.splitn(3, first);
                let (a, b) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
                let rest = parts.next().unwrap_or_default();
                (self.expand_plain(a) == self.expand_plain(b), rest)
            }
            _ => {
                let (expression, rest) = expression_end(text);
                let value = self.expand_plain(expression);
                (super::numbers::evaluate(&value) > 0, rest)
            }
        }
    }
}

/// Where an expression ends: at white space outside of parentheses, or where a block begins.
fn expression_end(text: &str) -> (&str, &str) {
    let mut depth = 0_usize;
    let mut rest = text;
    while let Some(char) = rest.chars().next() {
        match char {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ' ' | '\t' if depth == 0 => break,
            '\\' if rest.starts_with("\\{") => break,
            '\\' if rest.starts_with("\\n") => {
                rest = name_after(rest.get(2..).unwrap_or_default()).1;
                continue;
            }
            _ => {}
        }
        rest = rest.get(char.len_utf8()..).unwrap_or_default();
    }
    text.split_at(text.len() - rest.len())
}
