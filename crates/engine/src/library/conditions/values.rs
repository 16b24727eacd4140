//! The values of conditions: which fit a field, and when one is the same as what is kept.

use jiff::Timestamp;
use serde_json::Value;

use super::Field;
use crate::EngineError;

/// A value in the form that it is compared in.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Wanted {
    Text(String),
    Number(u64),
    /// Milliseconds since 1970, and whether the caller gave parts of a second.
    Instant(i64, bool),
    Json(Value),
}

impl Wanted {
    /// Checks that a value fits its field; the error says what would.
    pub(super) fn new(field: &Field, name: &str, value: Value) -> Result<Self, EngineError> {
        let refuse = |what: &str, example: &str| {
            let hint = format!("give it like this: {{\"{name}\": {example}}}");
            Err(EngineError::usage(format!("the filter `{name}` takes {what}, not {}", kind(&value)), hint))
        };
        match (field, &value) {
            (Field::Metadata(_), Value::Array(_) | Value::Object(_)) => {
                refuse("a string, a number, true, false or null", "\"value\"")
            }
            (Field::Metadata(_), _) => Ok(Self::Json(value)),
            (Field::Page | Field::ChunkIndex, Value::Number(number)) if number.as_u64().is_some() => {
                Ok(Self::Number(number.as_u64().unwrap_or_default()))
            }
            (Field::Page | Field::ChunkIndex, _) => refuse("a whole number from 0 on", "3"),
            (Field::CreatedAt | Field::LastModified, Value::String(text)) => {
                match text.parse::<Timestamp>() {
                    Ok(time) => Ok(Self::Instant(time.as_millisecond(), text.contains('.'))),
                    Err(_) => refuse("a time with its offset", "\"2025-01-01T00:00:00+00:00\""),
                }
            }
            (Field::CreatedAt | Field::LastModified, _) => {
                refuse("a time with its offset", "\"2025-01-01T00:00:00+00:00\"")
            }
            (Field::ContentHash, Value::String(text)) => Ok(Self::Text(text.to_lowercase())),
            (_, Value::String(text)) => Ok(Self::Text(text.clone())),
            _ => refuse("a string", "\"value\""),
        }
    }

    /// Whether it is this time; where no parts of a second were given, they do not count.
    pub(super) fn is_at(&self, ms: i64) -> bool {
        match *self {
            Self::Instant(wanted, true) => ms == wanted,
            Self::Instant(wanted, false) => ms.div_euclid(1000) == wanted.div_euclid(1000),
            _ => false,
        }
    }
}

/// Whether a value is the wanted one: 3, 3.0 and "3" are the same, true and "true" are too, and of a list one element must be.
pub(super) fn is_same(kept: &Value, wanted: &Value) -> bool {
    match (kept, wanted) {
        (Value::Array(items), wanted) => items.iter().any(|item| !item.is_array() && is_same(item, wanted)),
        (Value::Number(one), Value::Number(other)) => one == other || one.as_f64() == other.as_f64(),
        (Value::String(text), plain @ (Value::Number(_) | Value::Bool(_)))
        | (plain @ (Value::Number(_) | Value::Bool(_)), Value::String(text)) => {
            let said = plain.to_string();
            *text == said
        }
        (one, other) => one == other,
    }
}

/// What kind of value it is, for a person.
fn kind(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) => "true or false".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => format!("\"{}\"", docent_text::visible_line(text, 40)),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Condition;
    use super::*;

    fn check(name: &str, value: Value, expected: bool) {
        assert_eq!(Condition::new(name, value.clone()).is_ok(), expected, "{name} {value}");
    }

    #[test]
    fn values_have_the_type_of_their_field() {
        check("page", json!(3), true);
        check("page", json!(0), true);
        check("page", json!(-1), false);
        check("page", json!(1.5), false);
        check("page", json!("3"), false);
        check("title", json!("x"), true);
        check("title", json!(3), false);
        check("last_modified", json!("2025-01-01T00:00:00+00:00"), true);
        check("last_modified", json!("yesterday"), false);
        check("metadata.k", json!(null), true);
        check("metadata.k", json!(true), true);
        check("metadata.k", json!([1]), false);
        check("source", json!("a\0b"), false);
        check("source", json!("x".repeat(9000)), false);
        check(&format!("metadata.{}", "k".repeat(9000)), json!(1), false);
        check("source", json!({"$ne": null}), false);
    }

    #[test]
    fn the_same_instant_is_the_same_in_any_offset() {
        let at = |text: &str, ms: i64| {
            Wanted::new(&Field::CreatedAt, "created_at", json!(text)).unwrap().is_at(ms)
        };
        let noon = 1_735_732_800_000;
        for text in ["2025-01-01T12:00:00Z", "2025-01-01T12:00:00+00:00", "2025-01-01T14:00:00+02:00"] {
            assert!(at(text, noon) && at(text, noon + 999) && !at(text, noon + 1000), "{text}");
        }
        assert!(at("2025-01-01T12:00:00.500Z", noon + 500) && !at("2025-01-01T12:00:00.500Z", noon));
    }
}
