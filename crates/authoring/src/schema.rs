//! The published JSON Schema of manifests, for editors. A test keeps it and the parser in agreement.

/// The schema as it is published.
pub const SCHEMA: &str = include_str!("../../../docs/schema/docs-mcp.schema.json");

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use docent_text::ChunkBy;
    use serde_json::{Value, json};

    use super::SCHEMA;
    use crate::Manifest;
    use crate::manifest::{FIELD_KEYS, KEYS, OVERRIDE_KEYS, PROPERTY_KEYS};
    use crate::reader::STRATEGY_KEYS;

    fn schema() -> Value {
        serde_json::from_str(SCHEMA).unwrap()
    }

    fn check_keys(pointer: &str, known: &[&str], required: &[&str]) {
        let schema = schema();
        let object = schema.pointer(pointer).unwrap_or_else(|| panic!("{pointer}"));
        let keys: BTreeSet<&str> =
            object["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys, known.iter().copied().collect(), "{pointer}");
        assert_eq!(object["additionalProperties"], json!(false), "{pointer}");
        let wanted = object.get("required").cloned().unwrap_or(json!([]));
        assert_eq!(wanted, json!(required), "{pointer}");
        for (key, property) in object["properties"].as_object().unwrap() {
            assert!(property["description"].is_string(), "{pointer}: {key} has no description");
            assert!(property["examples"][0] != Value::Null, "{pointer}: {key} has no example");
        }
    }

    #[test]
    fn schema_and_parser_know_the_same_keys_and_editors_can_explain_them() {
        check_keys("", KEYS, &["version"]);
        check_keys("/definitions/strategy", STRATEGY_KEYS, &["chunk_by"]);
        check_keys("/properties/overrides/items", OVERRIDE_KEYS, &["pattern"]);
        check_keys("/definitions/field", FIELD_KEYS, &[]);
        check_keys("/definitions/field/properties/properties/additionalProperties", PROPERTY_KEYS, &[]);
    }

    #[test]
    fn what_is_required_is_missed() {
        let missed = |text: &str| Manifest::parse(text).1.len();
        assert_eq!(missed("{}"), 1);
        assert_eq!(missed(r#"{"version": "1", "strategy": {}}"#), 1);
        assert_eq!(missed(r#"{"version": "1", "overrides": [{}]}"#), 1);
        assert_eq!(
            missed(r#"{"version": "1", "strategy": {"chunk_by": "h1"}, "overrides": [{"pattern": "a"}]}"#),
            0
        );
    }

    #[test]
    fn schema_and_parser_know_the_same_levels_and_version() {
        let schema = schema();
        let levels: Vec<&str> = ChunkBy::ALL.iter().map(|level| level.as_str()).collect();
        assert_eq!(schema["definitions"]["strategy"]["properties"]["chunk_by"]["enum"], json!(levels));
        let version = schema["properties"]["version"]["const"].as_str().unwrap();
        assert!(Manifest::parse(&json!({ "version": version }).to_string()).1.is_empty());
    }

    #[test]
    fn examples_are_right() {
        let schema = schema();
        let mut texts: Vec<Value> = schema["examples"].as_array().unwrap().clone();
        for (key, property) in schema["properties"].as_object().unwrap() {
            for example in property["examples"].as_array().unwrap() {
                let mut manifest = json!({ "version": "1" });
                manifest[key] = example.clone();
                texts.push(manifest);
            }
        }
        for text in texts {
            assert_eq!(Manifest::parse(&text.to_string()).1, [], "{text}");
        }
    }
}
