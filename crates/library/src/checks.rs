//! What callers may say: names of libraries, names of texts, and what they attach to a document.

use docent_engine::check_library_name;
use serde_json::{Map, Value};

use crate::LibraryError;

/// The library that is meant when none is named.
pub(crate) const DEFAULT_LIBRARY: &str = "default";

const MAX_NAME: usize = 500;
const MAX_KEYS: usize = 64;
const MAX_METADATA: usize = 16 << 10;
const MAX_DEPTH: usize = 8;

/// The library's name, or why it is none.
pub(crate) fn library(name: &str) -> Result<String, LibraryError> {
    let name = if name.is_empty() { DEFAULT_LIBRARY } else { name };
    check_library_name(name)?;
    Ok(name.to_owned())
}

/// Checks the name that a caller gives to a text.
pub(crate) fn text_name(name: &str) -> Result<(), LibraryError> {
    if !name.trim().is_empty() && name.chars().count() <= MAX_NAME && name.chars().all(is_visible) {
        return Ok(());
    }
    Err(LibraryError {
        message: format!("not a name for a document: {}", shown(name)),
        hint: "use 1 to 500 visible characters on one line, e.g. meeting-notes.md".to_owned(),
    })
}

/// Checks what a caller says of a document.
pub(crate) fn metadata(metadata: &Map<String, Value>) -> Result<(), LibraryError> {
    let size = serde_json::to_vec(metadata).map_or(usize::MAX, |bytes| bytes.len());
    let problem = if metadata.len() > MAX_KEYS {
        format!("it has {} keys, at most {MAX_KEYS} are kept", metadata.len())
    } else if size > MAX_METADATA {
        format!("it has {size} bytes, at most {MAX_METADATA} are kept")
    } else if metadata.values().any(|value| depth(value, MAX_DEPTH) >= MAX_DEPTH) {
        format!("it is nested deeper than {MAX_DEPTH} levels")
    } else {
        return Ok(());
    };
    Err(LibraryError {
        message: format!("the metadata is too large: {problem}"),
        hint: "keep a few short values, e.g. {\"project\": \"apollo\"}".to_owned(),
    })
}

/// How deep a value is, as far as `most`.
fn depth(value: &Value, most: usize) -> usize {
    let deepest = |values: &mut dyn Iterator<Item = &Value>| {
        1 + values.map(|value| depth(value, most.saturating_sub(1))).max().unwrap_or(0)
    };
    match value {
        _ if most == 0 => 0,
        Value::Array(items) => deepest(&mut items.iter()),
        Value::Object(map) => deepest(&mut map.values()),
        _ => 0,
    }
}

/// Whether a character can be seen: no control characters, and none that turn or hide text.
fn is_visible(c: char) -> bool {
    let hides = matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}');
    !c.is_control() && !hides
}

fn shown(name: &str) -> String {
    let visible: String = name.chars().map(|c| if is_visible(c) { c } else { '\u{fffd}' }).take(80).collect();
    if visible.is_empty() { "the empty name".to_owned() } else { visible }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn no_name_means_the_default_library() {
        assert_eq!(library("").as_deref(), Ok("default"));
        assert_eq!(library("papers-2025").as_deref(), Ok("papers-2025"));
        assert!(library("../x").is_err());
    }

    #[test]
    fn names_of_texts() {
        for name in ["notes.md", "Über alles, Teil 2", "https://example.org/a", &"x".repeat(500)] {
            assert!(text_name(name).is_ok(), "{name}");
        }
        for name in ["", " ", "a\nb", "a\u{202e}b", "\u{200b}", &"x".repeat(501)] {
            assert!(text_name(name).is_err(), "{name:?}");
        }
    }

    #[test]
    fn metadata_is_small() {
        let nested = |levels: usize| (0..levels).fold(json!(1), |inner, _| json!({ "a": inner }));
        let check = |value: Value| metadata(value.as_object().unwrap());
        assert!(check(json!({ "a": 1, "b": [true, null, { "c": "d" }] })).is_ok());
        assert!(check(nested(8)).is_ok());
        assert!(check(nested(9)).is_err());
        assert!(check(nested(100)).is_err());
        assert!(check(json!({ "a": "x".repeat(20_000) })).is_err());
        let many: Map<String, Value> = (0..65).map(|n| (n.to_string(), json!(n))).collect();
        assert!(metadata(&many).is_err());
    }
}
