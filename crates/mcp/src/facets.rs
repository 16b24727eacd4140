//! What of the index shows in tool schemas: collections, facet keys and their values.
//!
//! Agents read the valid values off the schema instead of guessing. Facets come from documents, so only short plain
//! values get in, and a facet that would shadow a parameter of ours stays out. Libraries stay out as well: they come and go
//! with every call that takes something in, and the tools must not change under an agent's feet.

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
/// Collections that are named in the schema.
const MAX_NAMES: usize = 30;
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
    /// Those of these names that stand in the schema: all but libraries.
    pub(crate) listed: Vec<String>,
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
        let libraries = engine.libraries()?;
        let names = &facets.names;
        let is_listed = |name: &&str| {
            let is_library = |id: &str| libraries.iter().any(|library| library == id);
            names.resolve(name).is_some_and(|id| !is_library(id))
        };
        facets.listed = names.all().into_iter().filter(is_listed).map(str::to_owned).collect();
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
        Self { generation, names, listed: Vec::new(), values, shown, descriptions: BTreeMap::new() }
    }

    /// Whether the schemas built from both are the same.
    pub(crate) fn looks_like(&self, other: &Self) -> bool {
        self.listed == other.listed && self.values == other.values && self.descriptions == other.descriptions
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

    /// The schema of the `collection` parameter. It is no enum, because the name of a library is as good.
    pub(crate) fn collection_parameter(&self) -> Value {
        let shown = self.listed.iter().take(MAX_NAMES).map(|name| {
            let name = docent_text::visible_line(name, MAX_VALUE_CHARS);
            format!("`{name}`")
        });
        let shown: Vec<String> = shown.collect();
        let more = self.listed.len() - shown.len();
        let names = match (shown.is_empty(), more) {
            (true, _) => "by its name".to_owned(),
            (false, 0) => format!("{} or a library", shown.join(", ")),
            (false, more) => format!("{}, one of {more} more, or a library", shown.join(", ")),
        };
        json!({"type": "string", "description": format!("Only this collection: {names}. Default: all.")})
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

    fn check_collection(listed: &[&str], expected: &str) {
        let listed = listed.iter().map(|name| (*name).to_owned()).collect();
        let parameter = Facets { listed, ..Facets::default() }.collection_parameter();
        assert_eq!(parameter["description"], expected);
        assert!(parameter.get("enum").is_none());
    }

    #[test]
    fn collections_are_named_without_leaving_others_out() {
        check_collection(&[], "Only this collection: by its name. Default: all.");
        check_collection(&["docs"], "Only this collection: `docs` or a library. Default: all.");
        check_collection(
            &["docs", "a\n\u{202e}b"],
            "Only this collection: `docs`, `a b` or a library. Default: all.",
        );
        let many: Vec<String> = (0..40).map(|number| format!("c{number}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let listed = many[..30].iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let expected = format!("Only this collection: {listed}, one of 10 more, or a library. Default: all.");
        check_collection(&many, &expected);
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
