//! Our own format: `{query, expected, id?, filters?, mode?, k?, max_rounds?, category?}`.

use docent_engine::EngineError;
use serde_json::{Map, Value};

use super::fields::{Fields, plain};
use super::{Case, Expected, Target};

const KEYS: &[&str] = &["id", "query", "expected", "filters", "mode", "k", "max_rounds", "category"];
/// What may stand under `defaults`.
const DEFAULTS: &[&str] = &["filters", "mode", "k", "max_rounds", "category"];

pub(super) fn read(fields: &mut Fields, defaults: &Map<String, Value>) -> Result<Case, EngineError> {
    if let Some(key) = defaults.keys().find(|key| !DEFAULTS.contains(&key.as_str())) {
        let reason = format!("`defaults` cannot have `{key}`");
        return Err(fields.error(&reason, &format!("it takes: {}", DEFAULTS.join(", "))));
    }
    fields.add_defaults(defaults);
    let case = Case {
        query: fields.query()?,
        id: fields.text(&["id"])?.unwrap_or_default(),
        expected: expected(fields)?,
        filters: fields.filters()?,
        mode: fields.mode()?,
        k: fields.k(&["k"])?,
        max_rounds: fields.rounds(&["max_rounds"])?,
        category: fields.text(&["category"])?,
        place: fields.place().to_owned(),
    };
    fields.finish(KEYS)?;
    Ok(case)
}

/// One target or many, each with or without a gain.
fn expected(fields: &mut Fields) -> Result<Vec<Expected>, EngineError> {
    const HINT: &str = "name a page or a section, e.g. expected: guides/retries.md#backoff";
    let value = match fields.take(&["expected"]) {
        Some(value) => value,
        None => return Err(fields.error("there is no `expected`", HINT)),
    };
    let mut all = Vec::new();
    match value {
        Value::Object(map) => {
            for (target, gain) in map {
                all.push(one(fields, target, Some(&gain))?);
            }
        }
        Value::Array(values) => {
            for value in values {
                match (&value, plain(&value)) {
                    (Value::Object(map), _) => {
                        let known = ["target", "gain"];
                        let target = map.get("target").and_then(plain);
                        let strange = map.keys().find(|key| !known.contains(&key.as_str()));
                        let Some(target) = target.filter(|_| strange.is_none()) else {
                            return Err(fields.error(
                                "an entry of `expected` must have `target` and perhaps `gain`",
                                HINT,
                            ));
                        };
                        all.push(one(fields, target, map.get("gain"))?);
                    }
                    (_, Some(target)) => all.push(one(fields, target, None)?),
                    _ => return Err(fields.error("`expected` has an entry that is no target", HINT)),
                }
            }
        }
        value => match plain(&value) {
            Some(target) => all.push(one(fields, target, None)?),
            None => return Err(fields.error("`expected` is no target", HINT)),
        },
    }
    if all.is_empty() {
        return Err(fields.error("`expected` is empty", HINT));
    }
    Ok(all)
}

fn one(fields: &Fields, target: String, gain: Option<&Value>) -> Result<Expected, EngineError> {
    let gain = gain.map_or(Some(1.0), Value::as_f64).filter(|gain| gain.is_finite() && *gain > 0.0);
    let Some(gain) = gain else {
        return Err(fields
            .error(&format!("the gain of `{target}` must be a number above 0"), "1 is fine, 2 is better"));
    };
    if target.trim().is_empty() {
        return Err(fields.error("`expected` has an empty target", "name a page or a section"));
    }
    Ok(Expected { target: Target::Name(target.trim().to_owned()), gain })
}
