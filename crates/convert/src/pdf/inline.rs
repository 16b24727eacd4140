//! Spans become Markdown text: code spans, links, and signs that must not become markup.

use super::lines::Span;

/// The Markdown of a sequence of spans. `links` are the addresses that spans refer to.
pub(super) fn markdown(spans: &[Span], links: &[String], marks_code: bool) -> String {
    let mut out = String::new();
    let mut at = 0;
    while let Some(span) = spans.get(at) {
        let link = span.link.and_then(|link| links.get(usize::from(link)));
        let length = spans.iter().skip(at).take_while(|other| other.link == span.link).count().max(1);
        let group = spans.get(at..at + length).unwrap_or_default();
        let mut text = String::new();
        styled(group, marks_code, &mut text);
        match link {
            Some(target) if !text.trim().is_empty() => push_link(&mut out, &text, target),
            _ => out.push_str(&text),
        }
        at += length;
    }
    collapse(&out)
}

fn push_link(out: &mut String, text: &str, target: &str) {
    let bare = text.trim();
    let lead = text.len() - text.trim_start().len();
    out.push_str(text.get(..lead).unwrap_or_default());
    if bare == target || format!("mailto:{bare}") == target {
        out.push_str(&format!("<{}>", bare.trim_start_matches("mailto:")));
    } else {
        let target =
            target.replace(' ', "%20").replace('(', "%28").replace(')', "%29").replace(['<', '>'], "");
        out.push_str(&format!("[{}]({target})", bare.replace('[', "\\[").replace(']', "\\]")));
    }
    if text.ends_with(' ') {
        out.push(' ');
    }
}

fn styled(spans: &[Span], marks_code: bool, out: &mut String) {
    let mut at = 0;
    while let Some(span) = spans.get(at) {
        let is_code = marks_code && span.style.mono;
        let length = spans
            .iter()
            .skip(at)
            .take_while(|other| (marks_code && other.style.mono) == is_code)
            .count()
            .max(1);
        let text: String = spans.iter().skip(at).take(length).map(|span| span.text.as_str()).collect();
        if is_code {
            push_code(out, &text);
        } else {
            push_escaped(out, &text);
        }
        at += length;
    }
}

fn push_code(out: &mut String, text: &str) {
    let bare = text.trim();
    if bare.is_empty() {
        out.push_str(text);
        return;
    }
    if text.starts_with(' ') {
        out.push(' ');
    }
    // Quotes and stops alone are set in the code's font by accident.
    if bare.chars().any(char::is_alphanumeric) || bare.chars().count() > 1 {
        out.push_str(&crate::markdown::code_span(bare));
    } else {
        push_escaped(out, bare);
    }
    if text.ends_with(' ') {
        out.push(' ');
    }
}

fn push_escaped(out: &mut String, text: &str) {
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        let next = chars.peek().copied().unwrap_or(' ');
        let is_markup = match char {
            '*' | '`' => true,
            '<' => next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?'),
            '\\' => next.is_ascii_punctuation(),
            _ => false,
        };
        if is_markup {
            out.push('\\');
        }
        out.push(char);
    }
}

fn collapse(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        if !(char == ' ' && out.ends_with(' ')) {
            out.push(char);
        }
    }
    out.trim().to_owned()
}

/// A paragraph whose first characters must not start another kind of block.
pub(super) fn as_paragraph(text: String) -> String {
    let rest = text.trim_start_matches(|char: char| char.is_ascii_digit());
    let is_numbered = rest.len() < text.len() && (rest.starts_with(". ") || rest.starts_with(") "));
    let starts_block = text.starts_with(['#', '>', '|', '~'])
        || ["- ", "+ ", "=", "---"].iter().any(|start| text.starts_with(start));
    if starts_block {
        format!("\\{text}")
    } else if is_numbered {
        let digits = text.len() - rest.len();
        let (number, rest) = text.split_at(digits);
        format!("{number}\\{rest}")
    } else {
        text
    }
}

/// Adds the next line of a paragraph: a space between, or a word that was broken made whole.
pub(super) fn join_line(spans: &mut Vec<Span>, next: Vec<Span>, words: &super::words::Words) {
    let (Some(last), Some(first)) = (spans.last_mut(), next.first()) else {
        spans.extend(next);
        return;
    };
    let end = last.text.trim_end().len();
    last.text.truncate(end);
    match words.between(last, first) {
        super::words::Break::DropHyphen => {
            last.text.pop();
        }
        super::words::Break::Nothing => {}
        super::words::Break::Space => last.text.push(' '),
    }
    for span in next {
        match spans.last_mut() {
            Some(last) if last.style == span.style && last.link == span.link => {
                last.text.push_str(&span.text)
            }
            _ => spans.push(span),
        }
    }
}
