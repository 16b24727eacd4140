//! JSON: one section for each key of the outermost object.

use serde_json::Value;

use super::MOST_SECTIONS;
use crate::document::Draft;
use crate::markdown::{code_span, escape};
use crate::{ConvertError, Converted, Format, Source, format, text};

/// Converts a file; what is no strict JSON, such as one with comments, is shown as it is.
pub(crate) fn convert(file: Source<'_>) -> Result<Converted, ConvertError> {
    let source = text::printable(&file.text());
    let mut draft = Draft::default();
    draft.set_title(format::file_name(file.name));
    if is_too_large(&source) {
        draft.note("shown as it is, because it is large");
        draft.code("json", &source);
        return draft.finish(Format::Json, file.limits);
    }
    match serde_json::from_str::<Value>(&source) {
        Ok(Value::Object(object)) if object.len() <= MOST_SECTIONS && object.values().any(is_container) => {
            for (key, value) in &object {
                if is_container(value) {
                    draft.origin(None, Some(key));
                    draft.heading(2, &escape(key));
                    draft.code("json", &pretty(value));
                } else {
                    draft.item(&format!("- {}: {}", code_span(key), code_span(&value.to_string())));
                }
            }
        }
        Ok(value) => draft.code("json", &pretty(&value)),
        Err(error) => {
            draft.note(format!("shown as it is, because it is not one JSON value: {error}"));
            draft.code("json", &source);
        }
    }
    draft.finish(Format::Json, file.limits)
}

/// Whether a text would become more values than fit into memory comfortably: an object takes half a kilobyte, a value 32 bytes.
pub(crate) fn is_too_large(source: &str) -> bool {
    const MOST: usize = 100 << 20;
    let cost = source.bytes().fold(0_usize, |cost, byte| match byte {
        b'{' => cost + 512,
        b',' | b'[' | b':' => cost + 32,
        _ => cost,
    });
    cost > MOST
}

fn is_container(value: &Value) -> bool {
    matches!(value, Value::Object(_) | Value::Array(_))
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}
