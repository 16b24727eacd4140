//! The `filter` of a search: names of fields and the values that they must have, all of them.
//!
//! Nothing of it is ever made into a query text. A key is one of a fixed list, and a value is compared with what a document has.

use docent_engine::LibraryDocument;
use serde_json::{Map, Value};

use super::times;
use crate::call::Failure;

/// What can be filtered by.
const KEYS: &str = "doc_id, library, source, title, content_hash, created_at, last_modified, file_type, page, chunk_index, \
                    metadata.KEY";
/// Most conditions.
const MAX_CONDITIONS: usize = 32;
/// Longest value, in bytes.
const MAX_VALUE_BYTES: usize = 8 * 1024;

/// Interim.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ChunkFilter {
    pub(super) page: Option<u32>,
    pub(super) ordinal: Option<u32>,
}

/// A checked filter.
#[derive(Debug, Default, Clone, PartialEq)]
pub(super) struct Conditions {
    /// Libraries that are named; more than one lets nothing through.
    pub(super) libraries: Vec<String>,
    /// What the document must have.
    documents: Vec<Condition>,
    /// Which of its chunks.
    pub(super) chunks: ChunkFilter,
}

#[derive(Debug, Clone, PartialEq)]
enum Condition {
    DocId(String),
    Source(String),
    Title(String),
    ContentHash(String),
    FileType(String),
    CreatedAt(i64),
    LastModified(Option<i64>),
    Metadata(String, Value),
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
            conditions.add(key, value)?;
        }
        Ok(conditions)
    }

    /// Whether only some documents pass.
    pub(super) fn picks_documents(&self) -> bool {
        !self.documents.is_empty()
    }

    /// Whether a document passes.
    pub(super) fn pass(&self, document: &LibraryDocument) -> bool {
        let (record, details) = (&document.record, &document.details);
        self.documents.iter().all(|condition| match condition {
            Condition::DocId(id) => record.uuid == *id,
            Condition::Source(source) => record.path == *source,
            Condition::Title(title) => record.title == *title,
            Condition::ContentHash(hash) => details.sha256.eq_ignore_ascii_case(hash),
            Condition::FileType(kind) => details.file_type.eq_ignore_ascii_case(kind),
            Condition::CreatedAt(ms) => details.created_ms == *ms,
            Condition::LastModified(ms) => details.last_modified_ms == *ms,
            Condition::Metadata(key, wanted) => {
                same(details.metadata.get(key).unwrap_or(&Value::Null), wanted)
            }
        })
    }

    fn add(&mut self, key: &str, value: &Value) -> Result<(), Failure> {
        let condition = match key {
            "library" => {
                self.libraries.push(text(key, value)?);
                return Ok(());
            }
            "page" => {
                self.chunks.page = Some(count(key, value)?);
                return Ok(());
            }
            "chunk_index" => {
                self.chunks.ordinal = Some(count(key, value)?);
                return Ok(());
            }
            "doc_id" => Condition::DocId(text(key, value)?),
            "source" => Condition::Source(text(key, value)?),
            "title" => Condition::Title(text(key, value)?),
            "content_hash" => Condition::ContentHash(text(key, value)?),
            "file_type" => Condition::FileType(text(key, value)?.trim_start_matches('.').to_owned()),
            "created_at" => Condition::CreatedAt(time(key, value)?),
            // Where it is unknown, results say so with an empty text.
            "last_modified" if value == "" => Condition::LastModified(None),
            "last_modified" => Condition::LastModified(Some(time(key, value)?)),
            _ => match key.strip_prefix("metadata.").filter(|key| !key.is_empty()) {
                Some(inner) => Condition::Metadata(inner.to_owned(), plain(key, value)?),
                None => return Err(unknown(key)),
            },
        };
        self.documents.push(condition);
        Ok(())
    }
}

/// Whether two values are the same; `3.0` is `3`.
fn same(one: &Value, other: &Value) -> bool {
    match (one.as_f64(), other.as_f64()) {
        (Some(one), Some(other)) => one == other,
        _ => one == other,
    }
}

fn unknown(key: &str) -> Failure {
    let key = docent_text::visible_line(key, 64);
    Failure::told(format!("filter has an unknown key `{key}`. The keys are: {KEYS}."))
}

/// What is wrong with a value.
fn refused(key: &str, wanted: &str, given: &Value) -> Failure {
    let (key, given) = (docent_text::visible_line(key, 64), shown(given));
    Failure::told(format!("filter.{key} must be {wanted}, not {given}."))
}

fn shown(value: &Value) -> String {
    match value {
        // A long list is not written out to show the start of it.
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        value => docent_text::visible_line(&value.to_string(), 40),
    }
}

fn text(key: &str, value: &Value) -> Result<String, Failure> {
    match value {
        Value::String(text) if text.contains('\0') => {
            Err(refused(key, "a string without NUL characters", value))
        }
        Value::String(text) if text.len() > MAX_VALUE_BYTES => {
            Err(refused(key, &format!("a string of at most {MAX_VALUE_BYTES} bytes"), value))
        }
        Value::String(text) => Ok(text.clone()),
        _ => Err(refused(key, "a string", value)),
    }
}

fn time(key: &str, value: &Value) -> Result<i64, Failure> {
    let wanted = "a time like 2025-01-01T00:00:00+00:00";
    value.as_str().and_then(times::read).ok_or_else(|| refused(key, wanted, value))
}

/// A whole number from 0; digits count as one.
fn count(key: &str, value: &Value) -> Result<u32, Failure> {
    let digits =
        || value.as_str().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))?.parse().ok();
    let number = value.as_u64().or_else(digits).and_then(|number| u32::try_from(number).ok());
    number.ok_or_else(|| refused(key, "a whole number of 0 or more", value))
}

/// A value of metadata: a string, a whole number, true, false or null.
fn plain(key: &str, value: &Value) -> Result<Value, Failure> {
    match value {
        Value::String(_) => text(key, value).map(Value::String),
        Value::Number(number) if !number.is_f64() => Ok(value.clone()),
        Value::Bool(_) | Value::Null => Ok(value.clone()),
        _ => Err(refused(key, "a string, a whole number, true, false or null", value)),
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
        let error = parse(filter.clone()).unwrap_err();
        assert!(error.contains(expected) && error.chars().count() < 300, "{error}");
    }

    #[test]
    fn every_field_of_the_specification_is_a_key() {
        let filter = json!({
            "doc_id": "a", "library": "b", "source": "c", "title": "d", "content_hash": "e", "file_type": ".pdf",
            "created_at": "2025-01-01T00:00:00+00:00", "last_modified": "2025-01-01T01:00:00+01:00",
            "page": 3, "chunk_index": "4", "metadata.author": "Ada", "metadata.year": 1843, "metadata.draft": false,
            "metadata.gone": null,
        });
        let conditions = parse(filter).unwrap();
        assert_eq!(conditions.libraries, ["b"]);
        assert_eq!(conditions.chunks, ChunkFilter { page: Some(3), ordinal: Some(4) });
        assert_eq!(conditions.documents.len(), 11);
        assert!(conditions.documents.contains(&Condition::FileType("pdf".to_owned())));
        assert!(conditions.documents.contains(&Condition::LastModified(Some(1_735_689_600_000))));
    }

    #[test]
    fn an_unknown_key_is_told_with_the_known_ones() {
        refused(
            json!({"source' OR '1'='1": "x"}),
            "unknown key `source' OR '1'='1`. The keys are: doc_id, library,",
        );
        refused(json!({"metadata.": "x"}), "metadata.KEY");
        refused(json!({"": 1}), "unknown key ``");
        refused(json!({"x".repeat(100_000): 1}), "The keys are");
    }

    #[test]
    fn a_value_of_another_kind_is_told() {
        refused(json!({"source": {"$ne": null}}), "filter.source must be a string, not an object");
        refused(json!({"source": ["a", "b"]}), "filter.source must be a string, not a list");
        refused(json!({"source": "a\u{0}b"}), "without NUL characters");
        refused(json!({"page": -1}), "filter.page must be a whole number of 0 or more, not -1");
        refused(json!({"page": 1.5}), "not 1.5");
        refused(json!({"chunk_index": "x"}), "not \"x\"");
        refused(json!({"created_at": "yesterday"}), "a time like");
        refused(json!({"metadata.tags": ["a"]}), "filter.metadata.tags must be");
        refused(json!({"metadata.score": 0.5}), "not 0.5");
        refused(json!({"title": "x".repeat(9_000)}), "at most 8192 bytes");
        let many: Map<String, Value> =
            (0..33).map(|number| (format!("metadata.{number}"), json!(1))).collect();
        refused(Value::Object(many), "33 conditions and the limit is 32");
    }
}
