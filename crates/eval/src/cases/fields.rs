//! The fields of one case, taken one by one; what is left over at the end is an error that names the nearest known key.

use docent_engine::{EngineError, Mode};
use serde_json::{Map, Value};

use super::source::Item;
use super::{MAX_K, MAX_ROUNDS};

/// A case on its way to being understood.
pub(super) struct Fields {
    map: Map<String, Value>,
    place: String,
}

impl Fields {
    /// The fields of case number `number` of `file`.
    pub(super) fn new(file: &str, number: usize, item: &Item) -> Result<Self, EngineError> {
        let line = item.line.map_or_else(String::new, |line| format!(":{line}"));
        let place = format!("{file}{line}: case {number}");
        match &item.value {
            Value::Object(map) => Ok(Self { map: map.clone(), place }),
            _ => Err(EngineError::usage(
                format!("{place} is not a map of keys and values"),
                "a case looks like {query: how do I …, expected: guides/a.md}",
            )),
        }
    }

    pub(super) fn place(&self) -> &str {
        &self.place
    }

    pub(super) fn error(&self, reason: &str, hint: &str) -> EngineError {
        EngineError::usage(format!("{}: {reason}", self.place), hint)
    }

    /// Adds what is not there yet.
    pub(super) fn add_defaults(&mut self, defaults: &Map<String, Value>) {
        for (key, value) in defaults {
            self.map.entry(key.clone()).or_insert_with(|| value.clone());
        }
    }

    /// Takes a field under any of its names; null counts as absent.
    pub(super) fn take(&mut self, names: &[&str]) -> Option<Value> {
        let found: Vec<Value> = names.iter().filter_map(|name| self.map.remove(*name)).collect();
        found.into_iter().find(|value| !value.is_null())
    }

    /// A text, or a number that was meant as one.
    pub(super) fn text(&mut self, names: &[&str]) -> Result<Option<String>, EngineError> {
        match self.take(names) {
            None => Ok(None),
            Some(value) => plain(&value)
                .map(Some)
                .ok_or_else(|| self.error(&format!("`{}` must be a text", names[0]), "put it in quotes")),
        }
    }

    pub(super) fn query(&mut self) -> Result<String, EngineError> {
        let query = self.text(&["query"])?;
        query.map(|query| query.trim().to_owned()).ok_or_else(|| {
            self.error("there is no `query`", "write what a user would ask, e.g. query: how do I rotate keys")
        })
    }

    pub(super) fn k(&mut self, names: &[&str]) -> Result<Option<usize>, EngineError> {
        self.number(names, MAX_K)
    }

    pub(super) fn rounds(&mut self, names: &[&str]) -> Result<Option<usize>, EngineError> {
        self.number(names, MAX_ROUNDS)
    }

    fn number(&mut self, names: &[&str], most: usize) -> Result<Option<usize>, EngineError> {
        let Some(value) = self.take(names) else { return Ok(None) };
        let number = value.as_u64().and_then(|number| usize::try_from(number).ok());
        match number.filter(|number| (1..=most).contains(number)) {
            Some(number) => Ok(Some(number)),
            None => {
                let reason = format!("`{}` must be a whole number from 1 to {most}", names[0]);
                Err(self.error(&reason, "leave it out to take the value of the run"))
            }
        }
    }

    pub(super) fn mode(&mut self) -> Result<Option<Mode>, EngineError> {
        let Some(mode) = self.text(&["mode"])? else { return Ok(None) };
        match mode.as_str() {
            "hybrid" => Ok(Some(Mode::Hybrid)),
            "semantic" => Ok(Some(Mode::Semantic)),
            "lexical" => Ok(Some(Mode::Lexical)),
            _ => Err(self.error(&format!("there is no mode `{mode}`"), "use hybrid, semantic or lexical")),
        }
    }

    /// A map from keys to a value or several.
    pub(super) fn filters(&mut self) -> Result<Vec<(String, Vec<String>)>, EngineError> {
        let map = match self.take(&["filters"]) {
            None => return Ok(Vec::new()),
            Some(Value::Object(map)) => map,
            Some(_) => {
                return Err(self.error(
                    "`filters` must be a map from facets to values",
                    "write it like filters: {language: rust}",
                ));
            }
        };
        let mut filters = Vec::new();
        for (key, value) in map {
            let values = match &value {
                Value::Array(values) => values.iter().map(plain).collect::<Option<Vec<_>>>(),
                value => plain(value).map(|value| vec![value]),
            };
            match values.filter(|values| !values.is_empty()) {
                Some(values) => filters.push((key, values)),
                None => {
                    let reason = format!("the filter `{key}` must be a text or a list of texts");
                    return Err(self.error(&reason, "write it like filters: {language: [rust, go]}"));
                }
            }
        }
        Ok(filters)
    }

    /// Refuses what nobody took.
    pub(super) fn finish(&self, known: &[&str]) -> Result<(), EngineError> {
        let Some(key) = self.map.keys().next() else { return Ok(()) };
        let hint = match nearest(key, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the keys are: {}", known.join(", ")),
        };
        Err(self.error(&format!("there is no key `{key}`"), &hint))
    }

    /// Other programs' files may have keys that only those programs know; what looks like a slip is refused all the same.
    pub(super) fn finish_foreign(&self, known: &[&str]) -> Result<(), EngineError> {
        let slip = self.map.keys().find_map(|key| Some((key, nearest(key, known.iter().copied())?)));
        match slip {
            Some((key, near)) => {
                Err(self.error(&format!("there is no key `{key}`"), &format!("did you mean `{near}`?")))
            }
            None => Ok(()),
        }
    }
}

/// A scalar as text.
pub(super) fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

/// The name that is fewest edits away, when that is few.
pub(crate) fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let wanted: String = wanted.chars().take(64).collect();
    let scored = names.map(|name| (edits(&wanted.to_lowercase(), &name.to_lowercase()), name));
    let (distance, name) = scored.min_by_key(|(distance, _)| *distance)?;
    (distance <= 2.max(name.len() / 3)).then_some(name)
}

fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, to) in b.iter().enumerate() {
            let best = (row[j] + 1).min(row[j + 1] + 1).min(diagonal + usize::from(from != *to));
            diagonal = std::mem::replace(&mut row[j + 1], best);
        }
    }
    row[b.len()]
}
