//! What a page would cost, before it is parsed: an HTML parser looks through all open elements at each tag and through all
//! attributes of a tag at each attribute, so that its time grows with their square; and a tree takes far more memory than its text.

use crate::ConvertError;

/// No page that a person reads is nested this deeply.
const DEEPEST: usize = 512;

/// Tags of one page, those that close elements included; a tree takes 150 to 300 bytes for each.
const MOST_TAGS: usize = 500_000;

/// Attributes of one tag, as far as they can be counted without parsing. Nobody writes a quarter as many, and a megabyte of tags with a
/// thousand each takes a second.
pub(super) const MOST_ATTRIBUTES: usize = 128;

/// Elements that need no end tag, which would be counted as open for ever.
const OPEN_ENDED: [&str; 30] = [
    "area", "base", "body", "br", "col", "colgroup", "dd", "dt", "embed", "head", "hr", "html", "img",
    "input", "li", "link", "meta", "optgroup", "option", "p", "param", "source", "tbody", "td", "tfoot",
    "th", "thead", "tr", "track", "wbr",
];

/// Refuses a page that is nested too deeply, or that has too many tags or attributes.
pub(super) fn check(page: &str) -> Result<(), ConvertError> {
    let mut depth = 0_usize;
    let bytes = page.as_bytes();
    let mut counted_to = 0;
    for (count, (at, _)) in page.match_indices('<').enumerate() {
        if count >= MOST_TAGS {
            return Err(ConvertError::too_large(format_args!("HTML with more than {MOST_TAGS} tags")));
        }
        let rest = bytes.get(at + 1..).unwrap_or_default();
        if at >= counted_to {
            let tag = tag(rest);
            counted_to = at + tag.len();
            let words = tag.split(|byte| byte.is_ascii_whitespace() || *byte == b'/');
            if words.filter(|word| !word.is_empty()).count() > MOST_ATTRIBUTES
                && attributes(tag) > MOST_ATTRIBUTES
            {
                return Err(ConvertError::too_large(format_args!(
                    "an HTML tag with more than {MOST_ATTRIBUTES} attributes"
                )));
            }
        }
        let (is_end, rest) = match rest.split_first() {
            Some((b'/', rest)) => (true, rest),
            _ => (false, rest),
        };
        let length = rest.iter().take(12).take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let name = std::str::from_utf8(rest.get(..length).unwrap_or_default()).unwrap_or_default();
        if name.is_empty() || OPEN_ENDED.iter().any(|known| known.eq_ignore_ascii_case(name)) {
            continue;
        }
        depth = if is_end { depth.saturating_sub(1) } else { depth + 1 };
        if depth > DEEPEST {
            return Err(ConvertError::too_large(format_args!("HTML nested deeper than {DEEPEST}")));
        }
    }
    Ok(())
}

/// A tag up to the bracket that closes it, if it begins with a letter.
fn tag(rest: &[u8]) -> &[u8] {
    if !rest.first().is_some_and(u8::is_ascii_alphabetic) {
        return &[];
    }
    let end = rest.iter().position(|byte| *byte == b'>').unwrap_or(rest.len());
    rest.get(..end).unwrap_or_default()
}

/// How many attributes a tag has, counted outside of quotes.
fn attributes(tag: &[u8]) -> usize {
    let (mut quote, mut count, mut is_inside) = (None, 0, false);
    for byte in tag {
        match (quote, byte) {
            (Some(open), byte) if open == byte => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, byte) if byte.is_ascii_whitespace() || *byte == b'/' => is_inside = false,
            (None, _) => {
                count += usize::from(!is_inside);
                is_inside = true;
            }
        }
    }
    count
}
