//! Where a field of the front matter stands.
//!
//! The front matter's values come without places, so its lines are read again: a field at the left margin, and a key
//! below it or on its line. What is written in an unusual way is found at the field's line, or at the first one.

use std::ops::Range;

/// A line of the front matter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    /// From 1.
    pub(crate) line: usize,
    /// Its bytes without the line end, after the key.
    pub(crate) bytes: Range<usize>,
}

/// Where `field` stands, or `key` of `field`.
pub(crate) fn find(text: &str, body_start: usize, field: &str, key: Option<&str>) -> Option<Place> {
    let mut at = 0;
    let mut field_place: Option<Place> = None;
    for (index, line) in text.get(..body_start)?.split_inclusive('\n').enumerate() {
        let start = at;
        at += line.len();
        let content = line.trim_end_matches(['\n', '\r']);
        let line = index + 1;
        let place = |after: usize| Place { line, bytes: start + after..start + content.len() };
        let indent = content.len() - content.trim_start().len();
        if let Some(found) = &field_place {
            let Some(key) = key else { return field_place };
            let ends = indent == 0 && !content.trim().is_empty() && !is_item(content) && is_toml_end(content);
            if ends {
                return Some(found.clone());
            }
            if let Some(after) = after_key(content, key) {
                return Some(place(after));
            }
            continue;
        }
        if indent > 0 {
            continue;
        }
        if let Some(after) = after_key(content, field).or_else(|| table(content, field)) {
            let inline = key
                .is_some_and(|_| content.get(after..).is_some_and(|rest| rest.trim_start().starts_with('{')));
            if inline {
                return Some(place(after));
            }
            field_place = Some(place(after));
        } else if let Some(rest) = content.strip_prefix(field).and_then(|rest| rest.strip_prefix('.'))
            && let Some(key) = key
            && let Some(after) = after_key(rest, key)
        {
            return Some(place(content.len() - rest.len() + after));
        }
    }
    field_place
}

/// A key of a TOML table stands at the margin too: only another table or field of YAML ends the one before.
fn is_toml_end(content: &str) -> bool {
    content.starts_with('[')
        || content.contains(':')
        || content.starts_with("---")
        || content.starts_with("+++")
}

fn is_item(content: &str) -> bool {
    content.starts_with("- ") || content.starts_with('#')
}

/// Where the value starts on a line `key: value` or `key = value`, however the key is quoted.
fn after_key(content: &str, key: &str) -> Option<usize> {
    let trimmed = content.trim_start();
    let unquoted = trimmed.strip_prefix(['"', '\'']).unwrap_or(trimmed);
    let rest = unquoted.strip_prefix(key)?;
    let rest = rest.strip_prefix(['"', '\'']).unwrap_or(rest).trim_start();
    let value = rest.strip_prefix([':', '='])?;
    Some(content.len() - value.len())
}

fn table(content: &str, field: &str) -> Option<usize> {
    let inner = content.trim().strip_prefix('[')?.strip_suffix(']')?;
    (inner.trim() == field).then_some(content.len())
}

#[cfg(test)]
mod tests {
    use super::find;

    fn check(front: &str, field: &str, key: Option<&str>, expected: Option<(usize, &str)>) {
        let text = format!("{front}\nbody");
        let found = find(&text, front.len() + 1, field, key);
        let found = found.as_ref().map(|place| (place.line, text[place.bytes.clone()].trim()));
        assert_eq!(found, expected, "{front}");
    }

    #[test]
    fn yaml() {
        let front = "---\ntitle: x\nmetadata:\n  # why\n  language: Go\n  \"scope\": 'a b'\nmcp_chunking_hint: h9\n---";
        check(front, "title", None, Some((2, "x")));
        check(front, "metadata", Some("language"), Some((5, "Go")));
        check(front, "metadata", Some("scope"), Some((6, "'a b'")));
        check(front, "mcp_chunking_hint", None, Some((7, "h9")));
        check(front, "metadata", Some("other"), Some((3, "")));
        check(front, "other", None, None);
        check(
            "---\nmetadata: {language: Go}\n---",
            "metadata",
            Some("language"),
            Some((2, "{language: Go}")),
        );
        check("---\r\nmetadata:\r\n  a: 1\r\n---", "metadata", Some("a"), Some((3, "1")));
    }

    #[test]
    fn toml() {
        check(
            "+++\ntitle = 'x'\n[metadata]\nlanguage = 'Go'\n+++",
            "metadata",
            Some("language"),
            Some((4, "'Go'")),
        );
        check("+++\nmetadata.language = 'Go'\n+++", "metadata", Some("language"), Some((2, "'Go'")));
        check("+++\nmetadata = { a = 1 }\n+++", "metadata", Some("a"), Some((2, "{ a = 1 }")));
    }
}
