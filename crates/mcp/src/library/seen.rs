//! Answers without characters that are not seen.
//!
//! Names of files, addresses and headings are written by others and stand where they are taken for words of ours, so what turns or
//! hides text has no business in them. What documents say is handed on byte for byte, and so is what callers said of them.

use serde_json::Value;

/// Longest line of headings, in characters.
const MAX_HEADING_PATH: usize = 200;

/// An answer as it leaves.
pub(crate) fn seen(mut answer: Value) -> Value {
    clean(&mut answer);
    answer
}

fn clean(value: &mut Value) {
    match value {
        Value::String(text) => *text = docent_text::marked(text),
        Value::Array(items) => items.iter_mut().for_each(clean),
        Value::Object(fields) => {
            let fields =
                fields.iter_mut().filter(|(name, _)| !matches!(name.as_str(), "content" | "metadata"));
            for (name, value) in fields {
                clean(value);
                if let ("heading_path", Value::String(path)) = (name.as_str(), value) {
                    shorten(path, MAX_HEADING_PATH);
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Cuts a text to so many characters, the last of which says so.
fn shorten(text: &mut String, limit: usize) {
    if text.char_indices().nth(limit).is_some() {
        let end = text.char_indices().nth(limit - 1).map_or(0, |(at, _)| at);
        text.truncate(end);
        text.push('…');
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_are_cleaned_and_texts_are_not() {
        let text = "a\u{202e}b\n\u{1b}";
        let hit = json!({
            "source": text, "title": text, "content": text, "metadata": {"author": text}, "page": 3, "notes": [text],
        });
        let marked = "a\u{fffd}b\u{fffd}\u{fffd}";
        let expected = json!({
            "source": marked, "title": marked, "content": text, "metadata": {"author": text}, "page": 3, "notes": [marked],
        });
        assert_eq!(seen(json!({"results": [hit]})), json!({"results": [expected]}));
    }

    #[test]
    fn a_long_line_of_headings_ends_with_an_ellipsis() {
        let check = |length: usize, expected: usize, is_cut: bool| {
            let answer = seen(json!({"heading_path": "ü".repeat(length)}));
            let path = answer["heading_path"].as_str().unwrap();
            assert_eq!((path.chars().count(), path.ends_with('…')), (expected, is_cut));
        };
        check(199, 199, false);
        check(200, 200, false);
        check(201, 200, true);
        check(5000, 200, true);
    }
}
