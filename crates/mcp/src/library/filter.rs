//! The `filter` of a search: names of fields and the values that they must have, all of them.
//!
//! The engine knows the fields and compares; nothing of a filter is ever made into a query text. Here it is only kept to a size
//! that an answer can be made of, and what agents are used to write is taken for what they mean.

use docent_engine::Condition;
use serde_json::{Map, Value};

use crate::call::Failure;

/// Most conditions.
const MAX_CONDITIONS: usize = 32;
/// Longest key, in bytes.
const MAX_KEY_BYTES: usize = 256;
/// Longest value, in bytes.
const MAX_VALUE_BYTES: usize = 8 * 1024;

/// A checked filter.
#[derive(Debug, Default, Clone, PartialEq)]
pub(super) struct Conditions {
    /// Libraries that are named; several names let nothing through unless they mean the same.
    pub(super) libraries: Vec<String>,
    /// Everything else.
    pub(super) others: Vec<Condition>,
}

impl Conditions {
    /// Checks a filter; the error says what can be filtered by.
    pub(super) fn new(filter: &Map<String, Value>) -> Result<Self, Failure> {
        if filter.len() > MAX_CONDITIONS {
            return Err(Failure::told(format!(
                "filter has {} conditions and the limit is {MAX_CONDITIONS}.",
                filter.len()
            )));
        }
        let mut conditions = Self::default();
        for (key, value) in filter {
            let condition = check(key, value)?;
            match (key.as_str(), value) {
                ("library", Value::String(name)) => conditions.libraries.push(name.clone()),
                _ => conditions.others.push(condition),
            }
        }
        Ok(conditions)
    }
}

fn check(key: &str, value: &Value) -> Result<Condition, Failure> {
    let shown = || docent_text::visible_line(key, 64);
    if key.len() > MAX_KEY_BYTES {
        return Err(Failure::told(format!(
            "there is no field `{}` to filter by. Use one of {}.",
            shown(),
            Condition::fields().join(", ")
        )));
    }
    let refused = |what: String| Err(Failure::told(format!("filter.{} must be a string {what}.", shown())));
    match value {
        Value::String(text) if text.contains('\0') => refused("without NUL characters".to_owned()),
        Value::String(text) if text.len() > MAX_VALUE_BYTES => {
            refused(format!("of at most {MAX_VALUE_BYTES} bytes"))
        }
        value => Ok(Condition::new(key, meant(key, value))?),
    }
}

/// A number in quotes is a number, and a type may be written as an extension or in full.
fn meant(key: &str, value: &Value) -> Value {
    let Some(text) = value.as_str() else { return value.clone() };
    match key {
        "page" | "chunk_index" if text.bytes().all(|byte| byte.is_ascii_digit()) => {
            text.parse::<u64>().map_or_else(|_| value.clone(), Value::from)
        }
        "file_type" => match text.trim_start_matches('.').to_lowercase().as_str() {
            "markdown" => "md".into(),
            "text" => "txt".into(),
            "htm" => "html".into(),
            kind => kind.into(),
        },
        _ => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parse(filter: Value) -> Result<Conditions, String> {
        let Value::Object(filter) = filter else { panic!("not an object") };
        Conditions::new(&filter).map_err(|failure| failure.text().to_owned())
    }

    fn refused(filter: Value, expected: &str) {
        let error = parse(filter).unwrap_err();
        assert!(error.contains(expected) && error.chars().count() < 300, "{error}");
    }

    #[test]
    fn every_field_of_the_specification_is_a_key() {
        let filter = json!({
            "doc_id": "a", "library": "b", "source": "c", "title": "d", "content_hash": "e", "file_type": "pdf",
            "created_at": "2025-01-01T00:00:00+00:00", "last_modified": "2025-01-01T01:00:00+01:00",
            "page": 3, "chunk_index": 4, "metadata.author": "Ada", "metadata.year": 1843, "metadata.draft": false,
            "metadata.gone": null,
        });
        let conditions = parse(filter).unwrap();
        assert_eq!((conditions.libraries.as_slice(), conditions.others.len()), (&["b".to_owned()][..], 13));
    }

    #[test]
    fn what_agents_write_is_taken_for_what_they_mean() {
        assert_eq!(meant("page", &json!("3")), json!(3));
        assert_eq!(meant("title", &json!("3")), json!("3"));
        assert_eq!(meant("file_type", &json!(".PDF")), json!("pdf"));
        assert_eq!(meant("file_type", &json!("Markdown")), json!("md"));
        refused(json!({"page": "three"}), "page");
        refused(json!({"page": ""}), "page");
    }

    #[test]
    fn an_unknown_key_is_told_with_the_known_ones() {
        for key in ["source' OR '1'='1", "metadata.", "", &"x".repeat(100_000)] {
            refused(json!({key: "x"}), "doc_id, library, source, title");
        }
    }

    #[test]
    fn what_cannot_be_compared_is_told() {
        refused(json!({"source": {"$ne": null}}), "source");
        refused(json!({"source": "a\u{0}b"}), "without NUL characters");
        refused(json!({"title": "x".repeat(9_000)}), "at most 8192 bytes");
        refused(json!({"library": 7}), "library");
        let many: Map<String, Value> =
            (0..33).map(|number| (format!("metadata.{number}"), json!(1))).collect();
        refused(Value::Object(many), "33 conditions and the limit is 32");
    }
}
