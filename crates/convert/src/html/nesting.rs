//! How deeply a page is nested, before it is parsed: an HTML parser looks through all open elements at each tag, so that its
//! time grows with the square of the depth.

use crate::ConvertError;

/// No page that a person reads is nested this deeply.
const DEEPEST: usize = 2_000;

/// Elements that need no end tag, which would be counted as open for ever.
const OPEN_ENDED: [&str; 30] = [
    "area", "base", "body", "br", "col", "colgroup", "dd", "dt", "embed", "head", "hr", "html", "img",
    "input", "li", "link", "meta", "optgroup", "option", "p", "param", "source", "tbody", "td", "tfoot",
    "th", "thead", "tr", "track", "wbr",
];

/// Refuses a page that is nested too deeply.
pub(super) fn check(page: &str) -> Result<(), ConvertError> {
    let mut depth = 0_usize;
    let bytes = page.as_bytes();
    for (at, _) in page.match_indices('<') {
        let rest = bytes.get(at + 1..).unwrap_or_default();
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
