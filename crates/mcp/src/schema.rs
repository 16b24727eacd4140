//! Small helpers to write JSON Schemas of tools by hand.

use rmcp::model::JsonObject;
use serde_json::{Map, Value, json};

/// An object schema with these properties.
pub(crate) fn object(properties: Value, required: &[&str]) -> JsonObject {
    let mut schema = Map::new();
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), properties);
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema
}

/// The schema of arguments: nothing but these properties.
pub(crate) fn arguments(properties: Value, required: &[&str]) -> JsonObject {
    let mut schema = object(properties, required);
    schema.insert("additionalProperties".to_owned(), false.into());
    schema
}

/// The properties of an object schema.
pub(crate) fn properties(schema: &JsonObject) -> &Map<String, Value> {
    static NONE: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
    schema.get("properties").and_then(Value::as_object).unwrap_or(&NONE)
}

pub(crate) fn text(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

pub(crate) fn number(description: &str) -> Value {
    json!({"type": "number", "description": description})
}

pub(crate) fn integer(description: &str) -> Value {
    json!({"type": "integer", "description": description})
}

pub(crate) fn flag(description: &str) -> Value {
    json!({"type": "boolean", "description": description})
}

pub(crate) fn list(description: &str, items: Value) -> Value {
    json!({"type": "array", "description": description, "items": items})
}

/// A value that may be null.
pub(crate) fn nullable(mut schema: Value) -> Value {
    let description = schema.as_object_mut().and_then(|schema| schema.remove("description"));
    let mut nullable = json!({"anyOf": [schema, {"type": "null"}]});
    if let Some(description) = description {
        nullable["description"] = description;
    }
    nullable
}

/// The `max_chars` parameter of every reading tool.
pub(crate) fn max_chars() -> Value {
    json!({
        "type": "integer",
        "minimum": 0,
        "default": crate::budget::DEFAULT_MAX_CHARS,
        "description": "Longest answer in characters; 0 lifts the limit. A cut answer has `truncated: true` and a `cursor`; it always has at least a little of the next item.",
    })
}

/// The `cursor` parameter of every reading tool.
pub(crate) fn cursor() -> Value {
    text("Goes on where an earlier answer to the same call was cut: the `cursor` of that answer.")
}

/// The field of an answer that may be out of date.
pub(crate) fn stale() -> Value {
    flag(
        "True when the documents folder is missing or could not be looked at, and this is as it was indexed.",
    )
}

/// The fields of an answer that was cut.
pub(crate) fn cut_fields(properties: &mut Value) {
    properties["truncated"] = flag("True when the answer was cut at max_chars.");
    properties["cursor"] = text("Hand this back as `cursor` to get the rest.");
}
