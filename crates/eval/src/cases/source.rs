//! Case files as values: YAML, JSON or one JSON object per line, within bounds.

use std::io::Read;
use std::path::Path;

use docent_engine::EngineError;
use serde::Deserialize;
use serde_json::{Map, Value};
use serde_saphyr::Spanned;

/// Larger files are refused.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// Parser events allowed in one YAML file; alias bombs run into this long before memory suffers.
const MAX_EVENTS: usize = 4_000_000;

/// One case as it was written.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) value: Value,
    pub(super) line: Option<usize>,
}

/// The cases of a file and what stands beside them.
#[derive(Debug, Default)]
pub(super) struct Listing {
    pub(super) items: Vec<Item>,
    /// `defaults:` beside `cases:`.
    pub(super) defaults: Map<String, Value>,
    /// The key that the list stood under.
    pub(super) wrapper: Option<String>,
}

/// Reads a file; its ending does not matter.
pub(super) fn read(path: &Path) -> Result<Listing, EngineError> {
    let mut bytes = Vec::new();
    let (file, _) = crate::regular::open(path).map_err(|error| unreadable(path, &error))?;
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|error| unreadable(path, &error))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(super::refused(path, &format!("more than {} MiB", MAX_BYTES >> 20)));
    }
    let text = String::from_utf8(bytes).map_err(|_| fault(path, None, "is not UTF-8 text"))?;
    parse(path, text.strip_prefix('\u{feff}').unwrap_or(&text))
}

pub(super) fn unreadable(path: &Path, error: &std::io::Error) -> EngineError {
    let text = error.to_string();
    let reason = text.split(" (os error").next().unwrap_or(&text).to_lowercase();
    EngineError::usage(
        format!("cannot read {}: {reason}", path.display()),
        "name a file or a folder with cases; `docent eval suggest -o FILE` drafts one",
    )
}

fn parse(path: &Path, text: &str) -> Result<Listing, EngineError> {
    if text.trim_start().starts_with(['{', '[']) {
        // YAML in its flow form looks like JSON, so what fails to parse gets its second chance there.
        return match json(path, text) {
            Ok(listing) => Ok(listing),
            Err(error) if is_json(path) => Err(error),
            Err(error) => yaml(path, text).map_err(|_| error),
        };
    }
    yaml(path, text)
}

fn is_json(path: &Path) -> bool {
    path.extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("json") || ending.eq_ignore_ascii_case("jsonl"))
}

fn json(path: &Path, text: &str) -> Result<Listing, EngineError> {
    let fault_of = |error: &serde_json::Error, before: usize| {
        let reason = error.to_string();
        let reason = reason.split(" at line ").next().unwrap_or_default();
        fault(path, Some(before + error.line()), &format!("is not valid JSON: {reason}"))
    };
    let error = match serde_json::from_str::<Value>(text) {
        Ok(value) => return listing(path, value),
        Err(error) => error,
    };
    // One object per line: the first line is a whole value and there are more.
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).peekable();
    let is_lines =
        lines.peek().is_some_and(|(_, line)| serde_json::from_str::<Map<String, Value>>(line).is_ok());
    if !is_lines {
        return Err(fault_of(&error, 0));
    }
    let mut items = Vec::new();
    for (at, line) in lines {
        let value = serde_json::from_str(line).map_err(|error| fault_of(&error, at))?;
        items.push(Item { value, line: Some(at + 1) });
    }
    Ok(Listing { items, ..Listing::default() })
}

/// The shapes that a YAML file may have, with the line of each case.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wrapped {
    cases: Vec<Spanned<Value>>,
    #[serde(default)]
    defaults: Map<String, Value>,
}

fn yaml(path: &Path, text: &str) -> Result<Listing, EngineError> {
    let begins_with_dash =
        text.lines().find(|line| !is_aside(line)).is_some_and(|line| line.trim_start().starts_with('-'));
    let parsed = if text.lines().all(is_aside) {
        Ok((Vec::new(), Map::new()))
    } else if begins_with_dash {
        serde_saphyr::from_str_with_options::<Vec<Spanned<Value>>>(text, options())
            .map(|cases| (cases, Map::new()))
    } else {
        serde_saphyr::from_str_with_options::<Wrapped>(text, options()).map(|all| (all.cases, all.defaults))
    };
    match parsed {
        Ok((cases, defaults)) => {
            let line =
                |case: &Spanned<Value>| usize::try_from(case.referenced.line()).ok().filter(|&line| line > 0);
            let items = cases.into_iter().map(|case| Item { line: line(&case), value: case.value }).collect();
            Ok(Listing { items, defaults, wrapper: None })
        }
        Err(error) => {
            // Another format may be written in YAML just as well.
            if let Ok(value) = serde_saphyr::from_str_with_options::<Value>(text, options())
                && let Ok(listing) = listing(path, value)
            {
                return Ok(listing);
            }
            let line = error.location().and_then(|location| usize::try_from(location.line()).ok());
            let message = error.to_string();
            let message = message.lines().next().unwrap_or_default();
            let message = message.split(" at line ").next().unwrap_or_default();
            Err(fault(path, line, &format!("cannot be read: {message}")))
        }
    }
}

fn is_aside(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with('#') || line == "---" || line.starts_with("%YAML")
}

fn options() -> serde_saphyr::Options {
    let mut budget = serde_saphyr::Budget::default();
    budget.max_events = MAX_EVENTS;
    budget.max_nodes = MAX_EVENTS;
    budget.max_depth = 64;
    let mut options = serde_saphyr::Options::default();
    options.budget = Some(budget);
    options.alias_limits.max_total_replayed_events = 50_000;
    options.with_snippet = false;
    options
}

fn listing(path: &Path, value: Value) -> Result<Listing, EngineError> {
    let items = |values: Vec<Value>| values.into_iter().map(|value| Item { value, line: None }).collect();
    let mut object = match value {
        Value::Array(values) => return Ok(Listing { items: items(values), ..Listing::default() }),
        Value::Object(object) => object,
        _ => return Err(fault(path, None, "is neither a list of cases nor an object with `cases`")),
    };
    if object.get("format").and_then(Value::as_str) == Some(crate::outcome::RUN_FORMAT) {
        return Err(EngineError::usage(
            format!("{} holds the results of a run, not cases", path.display()),
            "name the file with the cases; `docent eval compare` takes results",
        ));
    }
    for key in ["cases", "queries"] {
        if let Some(Value::Array(values)) = object.remove(key) {
            let defaults = match object.remove("defaults") {
                Some(Value::Object(defaults)) => defaults,
                _ => Map::new(),
            };
            return Ok(Listing { items: items(values), defaults, wrapper: Some(key.to_owned()) });
        }
    }
    // A single object per line may be a single line.
    if object.contains_key("query") {
        return Ok(Listing { items: items(vec![Value::Object(object)]), ..Listing::default() });
    }
    Err(fault(path, None, "has no `cases`"))
}

fn fault(path: &Path, line: Option<usize>, reason: &str) -> EngineError {
    let place = line.map_or_else(|| path.display().to_string(), |line| format!("{}:{line}", path.display()));
    EngineError::usage(
        format!("{place} {reason}"),
        "cases are a list of {query, expected} in YAML or JSON; docs/guide/evaluation.md shows the formats",
    )
}
