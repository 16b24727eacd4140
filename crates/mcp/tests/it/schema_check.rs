//! Whether a value is what a JSON Schema says, for the keywords that our schemas use. An unknown keyword is a failure, so that
//! nothing is taken for checked that was not.

use serde_json::Value;

/// The error says what is wrong, and where.
pub(crate) fn conforms(schema: &Value, value: &Value) -> Result<(), String> {
    check(schema, value, "$")
}

fn check(schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    let Value::Object(keywords) = schema else { return Err(format!("{at}: the schema is {schema}")) };
    for (keyword, wanted) in keywords {
        let fits = match keyword.as_str() {
            "title" | "description" | "default" | "$schema" => true,
            "type" => is_type(wanted, value),
            "enum" => wanted.as_array().is_some_and(|values| values.contains(value)),
            "minimum" => value.as_f64().is_none_or(|number| Some(number) >= wanted.as_f64()),
            "maximum" => value.as_f64().is_none_or(|number| Some(number) <= wanted.as_f64()),
            "minLength" => {
                value.as_str().is_none_or(|text| Some(text.chars().count() as u64) >= wanted.as_u64())
            }
            "anyOf" => wanted
                .as_array()
                .is_some_and(|schemas| schemas.iter().any(|one| check(one, value, at).is_ok())),
            "required" => value.as_object().is_none_or(|object| {
                wanted.as_array().is_some_and(|names| {
                    names.iter().all(|name| name.as_str().is_some_and(|name| object.contains_key(name)))
                })
            }),
            "properties" => {
                for (name, schema) in wanted.as_object().into_iter().flatten() {
                    if let Some(value) = value.get(name) {
                        check(schema, value, &format!("{at}.{name}"))?;
                    }
                }
                true
            }
            "additionalProperties" => {
                assert_eq!(wanted, false);
                let known = |name: &String| schema["properties"].get(name).is_some();
                value.as_object().is_none_or(|object| object.keys().all(known))
            }
            "items" => {
                for (place, item) in value.as_array().into_iter().flatten().enumerate() {
                    check(wanted, item, &format!("{at}[{place}]"))?;
                }
                true
            }
            unknown => return Err(format!("{at}: the keyword {unknown} is unknown to the tests")),
        };
        if !fits {
            let shown: String = value.to_string().chars().take(200).collect();
            return Err(format!("{at}: {shown} does not fit {keyword} {wanted}"));
        }
    }
    Ok(())
}

fn is_type(wanted: &Value, value: &Value) -> bool {
    if let Value::Array(kinds) = wanted {
        return kinds.iter().any(|kind| is_type(kind, value));
    }
    match wanted.as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("null") => value.is_null(),
        Some("number") => value.is_number(),
        Some("integer") => value.is_i64() || value.is_u64(),
        _ => false,
    }
}

mod tests {
    use serde_json::{Value, json};

    use super::conforms;

    fn check(schema: Value, good: Value, bad: Value) {
        assert_eq!(conforms(&schema, &good), Ok(()), "{schema} {good}");
        assert!(conforms(&schema, &bad).is_err(), "{schema} {bad}");
    }

    #[test]
    fn the_checker_tells_good_from_bad() {
        check(json!({"type": "string"}), json!("a"), json!(1));
        check(json!({"type": "integer", "minimum": 1, "maximum": 3}), json!(3), json!(4));
        check(json!({"type": "integer"}), json!(3), json!(3.5));
        check(json!({"type": ["object", "null"]}), json!(null), json!("a"));
        check(json!({"enum": ["a", "b"]}), json!("b"), json!("c"));
        check(json!({"minLength": 1}), json!("a"), json!(""));
        check(json!({"anyOf": [{"type": "string"}, {"type": "null"}]}), json!(null), json!(1));
        check(json!({"required": ["a"]}), json!({"a": 1}), json!({"b": 1}));
        let object = json!({"properties": {"a": {"type": "string"}}, "additionalProperties": false});
        check(object.clone(), json!({"a": "x"}), json!({"a": 1}));
        check(object, json!({}), json!({"b": 1}));
        check(json!({"items": {"type": "string"}}), json!(["a"]), json!(["a", 1]));
        assert!(conforms(&json!({"pattern": "x"}), &json!("x")).is_err(), "an unknown keyword passes");
    }
}
