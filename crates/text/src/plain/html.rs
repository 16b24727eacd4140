//! HTML and JSX inside Markdown: which `<…>` is a tag, and where it ends.
//!
//! A CommonMark parser drops anything that is shaped like a tag, and with it the `<namespace>` of
//! `kubectl -n <namespace>`. A reader of documentation wants that, so only known elements, components
//! and tags with attributes are markup here; the rest stays text.

use super::shortcodes::floor;

/// Tags are short; what is longer is not one.
const MAX_LENGTH: usize = 4096;

/// What a `<` starts.
pub(super) enum Markup<'t> {
    /// Markup of this many bytes that shows nothing.
    Hidden(usize),
    /// A tag that separates what is around it, with the text that it shows instead.
    Break(usize, Option<&'t str>),
    /// `<https://…>`: the length, the inner text.
    Link(usize, &'t str),
}

/// Remembers what has no closing end, so that hostile text is searched only once.
#[derive(Debug, Default)]
pub(super) struct Closers {
    no_comment_end: bool,
    no_script_end: bool,
    no_style_end: bool,
}

/// The markup at `start`, where `raw` has a `<`; `None` when it is plain text.
pub(super) fn read<'t>(raw: &'t str, start: usize, closers: &mut Closers) -> Option<Markup<'t>> {
    let rest = &raw[start..];
    let next = *rest.as_bytes().get(1)?;
    match next {
        b'!' if rest.starts_with("<!--") => {
            let length = find_closer(rest, "-->", &mut closers.no_comment_end).unwrap_or(4);
            Some(Markup::Hidden(length))
        }
        b'!' | b'?' => None,
        b'/' => {
            let name = name(&rest[2..]);
            let end = floor(rest, 256).find('>')?;
            (!name.is_empty()).then(|| breaking(name, end + 1, None))
        }
        b'>' => Some(Markup::Hidden(2)),
        next if next.is_ascii_alphabetic() => tag(raw, start, closers),
        _ => None,
    }
}

/// The value of `name="…"` in a tag.
pub(crate) fn attribute<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    let mut from = 0;
    while let Some(found) = tag[from..].find(name) {
        let at = from + found;
        from = at + name.len();
        let bounded = tag[..at].ends_with(|c: char| c.is_ascii_whitespace());
        let Some(value) = tag[from..].strip_prefix('=') else { continue };
        let quote = value.chars().next().filter(|&c| c == '"' || c == '\'');
        if let (true, Some(quote)) = (bounded, quote) {
            return value[1..].split(quote).next().filter(|value| !value.trim().is_empty());
        }
    }
    None
}

fn tag<'t>(raw: &'t str, start: usize, closers: &mut Closers) -> Option<Markup<'t>> {
    let rest = &raw[start..];
    let end = tag_end(rest)?;
    let tag = &rest[..end];
    let name = name(&tag[1..]);
    let inner = &tag[1..tag.len() - 1];
    if inner.contains([':', '@']) && !inner.contains([' ', '\n', '=']) {
        return Some(Markup::Link(end, inner));
    }
    let lower = name.to_ascii_lowercase();
    if lower == "script" || lower == "style" {
        let (closer, missing) = match lower.as_str() {
            "script" => ("</script>", &mut closers.no_script_end),
            _ => ("</style>", &mut closers.no_style_end),
        };
        return Some(Markup::Hidden(find_closer(rest, closer, missing).unwrap_or(end)));
    }
    let after_word = raw[..start].ends_with(|c: char| c.is_alphanumeric());
    let component = name.starts_with(|c: char| c.is_ascii_uppercase()) && !after_word;
    let attributes = inner.len() > name.len() && (inner.contains('=') || inner.ends_with('/'));
    if !(is_element(&lower) || component || attributes) {
        return None;
    }
    let shown = attribute(tag, "alt").or_else(|| attribute(tag, "title")).or_else(|| attribute(tag, "label"));
    Some(breaking(name, end, shown))
}

fn breaking<'t>(name: &str, length: usize, shown: Option<&'t str>) -> Markup<'t> {
    let inline = [
        "a", "b", "i", "em", "strong", "code", "span", "sub", "sup", "u", "s", "small", "kbd", "mark", "font",
    ];
    if shown.is_none() && inline.iter().any(|known| known.eq_ignore_ascii_case(name)) {
        return Markup::Hidden(length);
    }
    Markup::Break(length, shown)
}

fn name(text: &str) -> &str {
    let end = text
        .bytes()
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_'))
        .count();
    &text[..end]
}

/// The length of the tag at the start of `text`; quoted values may hold `<` and `>`.
fn tag_end(text: &str) -> Option<usize> {
    let mut quote = None;
    let mut previous = b' ';
    for (at, &byte) in text.as_bytes().iter().enumerate().take(MAX_LENGTH).skip(1) {
        match (quote, byte) {
            (Some(open), _) if open == byte => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') if previous == b'=' => quote = Some(byte),
            (None, b'>') if previous != b'=' => return Some(at + 1),
            (None, b'<') => return None,
            (None, b'\n') if previous == b'\n' => return None,
            _ => {}
        }
        previous = byte;
    }
    None
}

fn find_closer(rest: &str, closer: &str, missing: &mut bool) -> Option<usize> {
    if *missing {
        return None;
    }
    let found = rest.find(closer).map(|at| at + closer.len());
    *missing = found.is_none();
    found
}

fn is_element(lower: &str) -> bool {
    ELEMENTS.binary_search(&lower).is_ok()
}

/// Sorted, for the binary search above.
const ELEMENTS: &[&str] = &[
    "a",
    "abbr",
    "address",
    "area",
    "article",
    "aside",
    "audio",
    "b",
    "base",
    "bdi",
    "bdo",
    "blockquote",
    "body",
    "br",
    "button",
    "canvas",
    "caption",
    "center",
    "cite",
    "code",
    "col",
    "colgroup",
    "data",
    "datalist",
    "dd",
    "del",
    "details",
    "dfn",
    "dialog",
    "div",
    "dl",
    "dt",
    "em",
    "embed",
    "fieldset",
    "figcaption",
    "figure",
    "font",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hr",
    "html",
    "i",
    "iframe",
    "img",
    "input",
    "ins",
    "kbd",
    "label",
    "legend",
    "li",
    "link",
    "main",
    "map",
    "mark",
    "meta",
    "meter",
    "nav",
    "noscript",
    "object",
    "ol",
    "optgroup",
    "option",
    "output",
    "p",
    "param",
    "picture",
    "pre",
    "progress",
    "q",
    "rp",
    "rt",
    "ruby",
    "s",
    "samp",
    "section",
    "select",
    "small",
    "source",
    "span",
    "strike",
    "strong",
    "sub",
    "summary",
    "sup",
    "svg",
    "table",
    "tbody",
    "td",
    "template",
    "textarea",
    "tfoot",
    "th",
    "thead",
    "time",
    "tr",
    "track",
    "tt",
    "u",
    "ul",
    "var",
    "video",
    "wbr",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_sorted() {
        assert!(ELEMENTS.is_sorted());
    }
}
