//! Comments of MDX, `{/* … */}`, as comments of HTML: what they hold is not said to anybody.

use std::borrow::Cow;

/// The text with such comments written as `<!-- … -->`, every byte where it was; as it is where there are none.
pub(crate) fn as_html(text: &str) -> Cow<'_, str> {
    let mut changed: Option<Vec<u8>> = None;
    let mut from = 0;
    // With a space behind the mark both marks are equally long; without one it is left as it is.
    while let Some(start) = text.get(from..).and_then(|rest| rest.find("{/*")).map(|at| from + at) {
        let Some(length) = text.get(start..).and_then(|rest| rest.find("*/}")) else { break };
        let end = start + length;
        from = end + 3;
        let is_apart = text.as_bytes().get(start + 3).is_some_and(|byte| byte.is_ascii_whitespace());
        if is_apart && end > start + 3 {
            let bytes = changed.get_or_insert_with(|| text.as_bytes().to_vec());
            bytes[start..start + 4].copy_from_slice(b"<!--");
            bytes[end..end + 3].copy_from_slice(b"-->");
        }
    }
    // Only ASCII was written over ASCII.
    match changed.and_then(|bytes| String::from_utf8(bytes).ok()) {
        Some(text) => Cow::Owned(text),
        None => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::as_html;

    #[test]
    fn comments_keep_their_bytes() {
        assert_eq!(as_html("a {/* b */} c"), "a <!--b --> c");
        assert_eq!(as_html("{/*\n[b](c.md)\n*/}"), "<!--[b](c.md)\n-->");
        assert_eq!(as_html("{/*é*/} {/* open"), "{/*é*/} {/* open");
        assert_eq!(as_html("{/* */}"), "<!---->");
    }
}
