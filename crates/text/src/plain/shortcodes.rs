//! Template tags of static site generators: Hugo's `{{< … >}}` and `{{% … %}}`, Liquid's `{% … %}`.
//!
//! The tag itself is not text, but what it would show often stands in its arguments:
//! `{{< glossary_tooltip text="Pod" term_id="pod" >}}` reads "Pod" on the page. Arguments that hold
//! display text are kept, everything else goes.

use std::borrow::Cow;
use std::ops::Range;

/// Arguments that end up on the page.
const SHOWN: &[&str] = &[
    "text",
    "title",
    "caption",
    "alt",
    "summary",
    "name",
    "label",
    "header",
    "heading",
    "content",
    "file",
    "feature_gate_name",
    "for_k8s_version",
    "state",
];
/// Shortcodes whose first positional argument ends up on the page.
const POSITIONAL: &[&str] =
    &["heading", "tab", "details", "expand", "button", "code", "example", "include", "api-reference"];
/// Tags are short; what is longer is not one.
const MAX_LENGTH: usize = 2048;

/// The tag at the start of `text`: its length, and what it shows.
pub(super) fn read(text: &str) -> Option<(usize, Shown<'_>)> {
    let (open, close) = match text.as_bytes() {
        [b'{', b'{', b'<', ..] => (3, ">}}"),
        [b'{', b'{', b'%', ..] => (3, "%}}"),
        [b'{', b'%', ..] => (2, "%}"),
        _ => return None,
    };
    let end = closer(text, open, close)?;
    let inner = &text[open..end];
    // Liquid tags are control flow; nothing of them is shown.
    let arguments = if open == 2 { "" } else { inner.trim() };
    Some((end + close.len(), Shown { arguments }))
}

/// Where `close` stands behind `from`. Another tag that opens in between means that this one never closes.
pub(super) fn closer(text: &str, from: usize, close: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    for at in from..bytes.len().min(from + MAX_LENGTH) {
        match bytes[at] {
            b'{' if matches!(bytes.get(at + 1), Some(b'{' | b'%' | b'/')) => return None,
            _ if bytes[at..].starts_with(close.as_bytes()) => return Some(at),
            _ => {}
        }
    }
    None
}

/// `text` with its tags replaced by what they show. What begins inside of `code`, which is in order, is not a tag.
pub(crate) fn without_shortcodes<'t>(text: &'t str, code: &[Range<usize>]) -> Cow<'t, str> {
    if !text.contains("{{") && !text.contains("{%") {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    let mut code = code.iter().peekable();
    let mut at = 0;
    while let Some(found) = text[at..].find('{') {
        let brace = at + found;
        clean.push_str(&text[at..brace]);
        while code.next_if(|span| span.end <= brace).is_some() {}
        let in_code = code.peek().filter(|span| span.contains(&brace));
        at = match (in_code, read(&text[brace..])) {
            (Some(span), _) => {
                let end = span.end.min(text.len());
                clean.push_str(&text[brace..end]);
                end
            }
            (None, Some((length, shown))) => {
                shown.for_each(&mut |value| {
                    if !clean.is_empty() && !clean.ends_with(' ') {
                        clean.push(' ');
                    }
                    clean.push_str(value);
                });
                brace + length
            }
            (None, None) => {
                clean.push('{');
                brace + 1
            }
        };
    }
    clean.push_str(&text[at..]);
    Cow::Owned(clean)
}

/// What a tag shows.
pub(super) struct Shown<'t> {
    arguments: &'t str,
}

impl<'t> Shown<'t> {
    /// Calls `f` with each piece of display text.
    pub(super) fn for_each(&self, f: &mut dyn FnMut(&'t str)) {
        let (name, rest) = self.arguments.split_once(char::is_whitespace).unwrap_or((self.arguments, ""));
        if name.starts_with('/') {
            return;
        }
        let mut arguments = Arguments { rest };
        let mut shown = false;
        let mut term = None;
        let mut positions = 0;
        while let Some((key, value)) = arguments.next() {
            match key {
                None => {
                    positions += 1;
                    if positions == 1 && POSITIONAL.contains(&name) && !value.is_empty() {
                        f(value);
                        shown = true;
                    }
                }
                Some("term_id") => term = Some(value),
                // The id of a group of tabs; the tabs have their own names.
                Some("name") if name == "tabs" => {}
                Some(key) if SHOWN.contains(&key) && !value.is_empty() => {
                    f(value);
                    shown = true;
                }
                Some(_) => {}
            }
        }
        if let (false, Some(term)) = (shown, term) {
            f(term);
        }
    }
}

/// `key="value"`, `key=value`, `"value"` and `value`, one after the other.
struct Arguments<'t> {
    rest: &'t str,
}

impl<'t> Arguments<'t> {
    fn next(&mut self) -> Option<(Option<&'t str>, &'t str)> {
        self.rest = self.rest.trim_start();
        if self.rest.is_empty() {
            return None;
        }
        let word = self.rest.find(|c: char| c == '=' || c == '"' || c == '`' || c.is_whitespace());
        let word = word.unwrap_or(self.rest.len());
        let (head, tail) = self.rest.split_at(word);
        if let Some(value) = tail.strip_prefix('=') {
            let (value, rest) = quoted(value);
            self.rest = rest;
            return Some((Some(head), value));
        }
        if head.is_empty() {
            let (value, rest) = quoted(tail);
            self.rest = rest;
            return Some((None, value));
        }
        self.rest = tail;
        Some((None, head))
    }
}

/// A quoted or bare value at the start of `text`, and what follows it.
fn quoted(text: &str) -> (&str, &str) {
    let Some(quote) = text.chars().next().filter(|&c| c == '"' || c == '`' || c == '\'') else {
        let end = text.find(char::is_whitespace).unwrap_or(text.len());
        return text.split_at(end);
    };
    let inner = &text[1..];
    match inner.find(quote) {
        Some(end) => (&inner[..end], &inner[end + 1..]),
        None => (inner, ""),
    }
}

/// At most `bytes` bytes of `text`, on a character boundary.
pub(super) fn floor(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
