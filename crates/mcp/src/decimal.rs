//! Numbers in answers.

use serde_json::Value;

/// A number with the digits that it has; as an f64 it would get as many again that mean nothing.
pub(crate) fn decimal(number: f32) -> Value {
    number.to_string().parse::<f64>().map_or(Value::Null, Value::from)
}
