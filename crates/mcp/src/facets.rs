//! What of the index shows in tool schemas: collections, facet keys and their values.
//!
//! Agents read the valid values off the schema instead of guessing. Facets come from documents, so only short plain
//! values get in, and a facet that would shadow a parameter of ours stays out.

use std::collections::{BTreeMap, BTreeSet};

use docent_engine::{Engine, EngineError, FacetCounts, Names};
use serde_json::{Map, Value, json};

/// Names that a facet may not take.
const PARAMETERS: &[&str] =
    &["query", "top_k", "limit", "file_filter", "cursor", "mode", "collection", "max_chars", "verified_only"];
/// More keys than this would crowd out everything else in the schema.
const MAX_KEYS: usize = 16;
/// With more values than this a facet is a free text in the schema.
const MAX_VALUES: usize = 100;
/// Longer values stay out of the schema; they can still be given.
const MAX_VALUE_CHARS: usize = 64;

/// Longest description of a facet that leaves the index.
const MAX_DESCRIPTION_CHARS: usize = 200;

/// All values in the schema together; what does not fit is a free text.
const MAX_ENUM_CHARS: usize = 8_000;

const GUIDES: &str = "Only pages of this language, and pages for every language (scope `global-guide`). Give `scope` as well to \
say exactly which pages.";

/// Collections and facets at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Facets {
    /// The documents that these come from.
    pub(crate) generation: u64,
    /// The collections that are served, and what they can be called.
    pub(crate) names: Names,
    /// Keys and values.
    pub(crate) values: Vec<(String, Vec<String>)>,
    /// Keys that stand in the schema.
    pub(crate) shown: BTreeSet<String>,
    /// What the authors say of a key.
    pub(crate) descriptions: BTreeMap<String, String>,
}

impl Facets {
    /// As they stand in the index now; `scope` names the collections that are served, none means all.
    pub(crate) fn of(engine: &Engine, scope: &[String]) -> Result<Self, EngineError> {
        let generation = engine.content_generation()?;
        let mut facets = Self::new(generation, engine.names(scope)?, &engine.facets(scope)?);
        let said = engine.about(scope)?.facets.into_iter();
        let line = |text: String| docent_text::visible_line(&text, MAX_DESCRIPTION_CHARS);
        facets.descriptions = said.filter_map(|(key, said)| Some((key, line(said.description?)))).collect();
        Ok(facets)
    }

    pub(crate) fn new(generation: u64, names: Names, counts: &FacetCounts) -> Self {
        let usable = || counts.iter().filter(|(key, _)| is_usable(key));
        let mut keys: Vec<_> = usable().collect();
        // Those that rules of ours speak of come first, then the most used.
        let rank = |key: &str| !matches!(key, "language" | "scope");
        keys.sort_by_key(|(key, values)| {
            (rank(key), std::cmp::Reverse(values.values().sum::<usize>()), key.as_str())
        });
        let shown = keys.into_iter().take(MAX_KEYS).map(|(key, _)| key.clone()).collect();
        let values = usable().map(|(key, values)| (key.clone(), values.keys().cloned().collect())).collect();
        Self { generation, names, values, shown, descriptions: BTreeMap::new() }
    }

    /// Whether the schemas built from both are the same.
    pub(crate) fn looks_like(&self, other: &Self) -> bool {
        self.names == other.names && self.values == other.values && self.descriptions == other.descriptions
    }

    pub(crate) fn has(&self, key: &str, value: &str) -> bool {
        self.values.iter().any(|(known, values)| known == key && values.iter().any(|known| known == value))
    }

    /// Whether there is such a facet, in the schema or not.
    pub(crate) fn has_key(&self, key: &str) -> bool {
        self.values.iter().any(|(known, _)| known == key)
    }

    /// Adds one parameter for each facet.
    pub(crate) fn add_parameters(&self, properties: &mut Map<String, Value>) {
        let mut room = MAX_ENUM_CHARS;
        for (key, values) in self.values.iter().filter(|(key, _)| self.shown.contains(key)) {
            let mut schema = json!({
                "type": "string",
                "description": match (self.descriptions.get(key), key.as_str()) {
                    (Some(said), "language") if self.has_key("scope") => {
                        format!("{}. {GUIDES}", said.trim_end_matches('.'))
                    }
                    (Some(said), _) => said.clone(),
                    (None, "language") if self.has_key("scope") => GUIDES.to_owned(),
                    (None, key) => format!("Only pages whose `{key}` has this value."),
                },
            });
            let shown: Vec<&String> =
                values.iter().filter(|value| value.chars().count() <= MAX_VALUE_CHARS).collect();
            let chars: usize = shown.iter().map(|value| value.chars().count() + 3).sum();
            if shown.len() <= MAX_VALUES && shown.len() == values.len() && chars <= room {
                room -= chars;
                schema["enum"] = json!(shown);
            }
            properties.insert(key.clone(), schema);
        }
    }

    /// The schema of the `collection` parameter.
    pub(crate) fn collection_parameter(&self) -> Value {
        let mut schema = json!({"type": "string", "description": "Only this collection. Default: all."});
        let names = self.names.all();
        if !names.is_empty() && names.len() <= MAX_VALUES {
            schema["enum"] = json!(names);
        }
        schema
    }
}

/// A key that can be a parameter of a tool.
fn is_usable(key: &str) -> bool {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.');
    (1..=64).contains(&key.len()) && key.chars().all(plain) && !PARAMETERS.contains(&key)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(facets: &[(&str, &[&str])]) -> FacetCounts {
        let values = |values: &[&str]| values.iter().map(|value| ((*value).to_owned(), 1)).collect();
        facets.iter().map(|(key, of)| ((*key).to_owned(), values(of))).collect()
    }

    fn parameters(facets: &[(&str, &[&str])]) -> Map<String, Value> {
        let mut properties = Map::new();
        Facets::new(1, Names::default(), &counts(facets)).add_parameters(&mut properties);
        properties
    }

    #[test]
    fn values_become_an_enum() {
        let parameters = parameters(&[("language", &["go", "rust"])]);
        assert_eq!(parameters["language"]["enum"], json!(["go", "rust"]));
    }

    #[test]
    fn a_facet_cannot_take_the_name_of_a_parameter() {
        assert!(parameters(&[("query", &["x"]), ("a key", &["x"]), ("", &["x"])]).is_empty());
    }

    #[test]
    fn many_or_long_values_leave_the_facet_open() {
        let long = "x".repeat(65);
        assert!(parameters(&[("tag", &[&long])])["tag"].get("enum").is_none());
        let many: Vec<String> = (0..101).map(|number| number.to_string()).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert!(parameters(&[("tag", &many)])["tag"].get("enum").is_none());
    }
}
