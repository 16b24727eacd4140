//! Fonts as Markdown emphasis.
//!
//! Emphasis in Markdown may not begin or end in the middle of every word, so a word of several fonts, such as
//! `--file=NAME`, is written as code; so is an option. Everything else that means something to Markdown is escaped.

use crate::markdown::code_span;

/// How a piece of text is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Style {
    #[default]
    Roman,
    Bold,
    Italic,
    Code,
    /// Markdown already.
    Raw,
}

/// A piece of text in one font.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) style: Style,
    pub(super) text: String,
}

impl Span {
    pub(super) fn new(style: Style, text: impl Into<String>) -> Span {
        Span { style, text: text.into() }
    }
}

/// The text alone.
pub(super) fn plain(spans: &[Span]) -> String {
    spans.iter().map(|span| span.text.as_str()).collect()
}

/// Markdown of the term of an item: there, whatever begins with a dash is an option.
pub(super) fn term_markdown(spans: &[Span]) -> String {
    render_all(spans, true)
}

/// Markdown of one line; the caller sees to what has a meaning at its beginning.
pub(super) fn markdown(spans: &[Span]) -> String {
    render_all(spans, false)
}

fn render_all(spans: &[Span], is_term: bool) -> String {
    let mut out = String::new();
    // Words of one font side by side share their marks.
    let mut open: Option<Style> = None;
    for word in words(spans) {
        let (style, text, tail) = match word.as_slice() {
            [span] if span.style == Style::Roman && is_plain_option(&span.text, is_term) => {
                (None, option(&span.text), String::new())
            }
            [span, after]
                if is_emphasis(span) && after.style == Style::Roman && is_punctuation(&after.text) =>
            {
                (Some(span.style), escape(&span.text), escape(&after.text))
            }
            word => {
                let (style, text) = render(word);
                (style, text, String::new())
            }
        };
        if open.is_some() && open != style {
            close(&mut out, open.take());
        }
        let joins = open.is_some();
        if !out.is_empty() {
            out.push(' ');
        }
        if let (Some(style), false) = (style, joins) {
            out.push_str(mark(style));
            open = Some(style);
        }
        out.push_str(&text);
        if !tail.is_empty() {
            close(&mut out, open.take());
            out.push_str(&tail);
        }
    }
    close(&mut out, open);
    out
}

fn close(out: &mut String, style: Option<Style>) {
    if let Some(style) = style {
        out.push_str(mark(style));
    }
}

fn mark(style: Style) -> &'static str {
    match style {
        Style::Bold => "**",
        Style::Italic => "*",
        _ => "",
    }
}

/// Splits at white space; a word has one piece for each font.
fn words(spans: &[Span]) -> Vec<Vec<Span>> {
    let mut words: Vec<Vec<Span>> = Vec::new();
    let mut is_inside = false;
    for span in spans {
        if span.style == Style::Raw {
            push(&mut words, is_inside, span.clone());
            is_inside = true;
            continue;
        }
        for (number, part) in span.text.split(char::is_whitespace).enumerate() {
            is_inside = is_inside && number == 0;
            if !part.is_empty() {
                push(&mut words, is_inside, Span::new(span.style, part));
                is_inside = true;
            }
        }
    }
    words
}

fn push(words: &mut Vec<Vec<Span>>, is_inside: bool, span: Span) {
    match words.last_mut().filter(|_| is_inside) {
        Some(word) => match word.last_mut().filter(|last| last.style == span.style) {
            Some(last) => last.text.push_str(&span.text),
            None => word.push(span),
        },
        None => words.push(vec![span]),
    }
}

/// A word, with the style of its marks when they may be shared with its neighbours.
fn render(word: &[Span]) -> (Option<Style>, String) {
    if let [span] = word {
        return match span.style {
            Style::Roman => (None, escape(&span.text)),
            Style::Raw => (None, span.text.clone()),
            Style::Code => (None, code_span(&span.text)),
            _ if is_option(&span.text) => (None, option(&span.text)),
            style if span.text.chars().any(char::is_alphanumeric) => (Some(style), escape(&span.text)),
            _ => (None, escape(&span.text)),
        };
    }
    if word.iter().any(|span| span.style == Style::Raw) {
        return (None, word.iter().map(|span| render(std::slice::from_ref(span)).1).collect());
    }
    let first = word.iter().position(|span| span.style != Style::Roman).unwrap_or(0);
    let last = word.iter().rposition(|span| span.style != Style::Roman).unwrap_or(0);
    let (before, rest) = word.split_at(first.min(word.len()));
    let (core, after) = rest.split_at((last + 1 - first).min(rest.len()));
    let (before, after) = (plain(before), plain(after));
    if let [span] = core {
        let is_reference = after.starts_with('(') && is_punctuation(&before);
        if is_reference || (is_punctuation(&before) && is_punctuation(&after)) {
            return (None, format!("{}{}{}", escape(&before), marked(span), escape(&after)));
        }
    }
    // Brackets and commas around it stay outside of the code.
    let whole = plain(word);
    let start = whole.len() - whole.trim_start_matches(['(', '"', '\'', '“', '‘']).len();
    let core = without_closing(whole.get(start..).unwrap_or_default());
    let end = start + core.len();
    let (head, tail) = (whole.get(..start).unwrap_or_default(), whole.get(end..).unwrap_or_default());
    (None, format!("{}{}{}", escape(head), code_span(core), escape(tail)))
}

/// Whether marks around a piece would be seen as such, whatever stands beside it.
fn is_emphasis(span: &Span) -> bool {
    let is_word = |char: Option<char>| char.is_some_and(char::is_alphanumeric);
    matches!(span.style, Style::Bold | Style::Italic)
        && is_word(span.text.chars().next())
        && is_word(span.text.chars().next_back())
}

fn is_punctuation(text: &str) -> bool {
    text.chars().all(|char| !char.is_alphanumeric() && char != '_')
}

/// A single piece with its own marks, if Markdown would see them as such.
fn marked(span: &Span) -> String {
    if is_option(&span.text) {
        return option(&span.text);
    }
    if !is_emphasis(span) {
        return code_span(&span.text);
    }
    let mark = mark(span.style);
    format!("{mark}{}{mark}", escape(&span.text))
}

fn is_option(text: &str) -> bool {
    text.starts_with('-') && text.chars().any(char::is_alphanumeric)
}

/// An option that the page did not set apart: `--all`, and in a term `-a` too.
fn is_plain_option(text: &str, is_term: bool) -> bool {
    let name = text.strip_prefix("--").or_else(|| text.strip_prefix('-').filter(|_| is_term));
    name.is_some_and(|name| name.starts_with(|char: char| char.is_ascii_alphanumeric()))
}

/// An option as code, without the comma behind it.
fn option(text: &str) -> String {
    let core = without_closing(text);
    format!("{}{}", code_span(core), text.get(core.len()..).unwrap_or_default())
}

/// A word without the punctuation behind it; a bracket that it opens itself is closed.
fn without_closing(text: &str) -> &str {
    let mut core = text;
    // A few brackets at most: each look takes the whole word.
    for _ in 0..4 {
        let shorter = core.trim_end_matches([',', '.', ';', ':', '"', '\'', '”', '’']);
        let count = |mark: char| shorter.matches(mark).count();
        let next = match shorter.chars().next_back() {
            Some(')') if count(')') > count('(') => shorter.get(..shorter.len() - 1).unwrap_or_default(),
            Some(']') if count(']') > count('[') => shorter.get(..shorter.len() - 1).unwrap_or_default(),
            _ => shorter,
        };
        if next.len() == core.len() || next.is_empty() {
            return core;
        }
        core = next;
    }
    core
}

/// Escapes what Markdown would take for marks.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut previous = ' ';
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        let next = chars.peek().copied().unwrap_or(' ');
        let is_special = match char {
            '*' | '`' => true,
            '_' => !(previous.is_alphanumeric() && next.is_alphanumeric()),
            '<' => next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?'),
            '&' => next.is_ascii_alphabetic() || next == '#',
            '\\' => next.is_ascii_punctuation(),
            ']' => matches!(next, '(' | '['),
            _ => false,
        };
        if is_special {
            out.push('\\');
        }
        out.push(char);
        previous = char;
    }
    out
}

/// Escapes what has a meaning at the beginning of a line only.
pub(super) fn escape_start(line: &str) -> String {
    let mut chars = line.chars();
    let (first, second) = (chars.next().unwrap_or(' '), chars.next().unwrap_or(' '));
    let is_rule = |mark: char| line.trim_end().chars().all(|char| char == mark);
    let is_special = match first {
        '#' => {
            line.trim_start_matches('#').starts_with([' ', '\t']) || line.trim_start_matches('#').is_empty()
        }
        '>' => true,
        '-' => second == ' ' || is_rule('-'),
        '+' => second == ' ',
        '=' => is_rule('='),
        '~' => line.starts_with("~~~"),
        '|' => true,
        _ => false,
    };
    if is_special { format!("\\{line}") } else { line.to_owned() }
}
