//! Questions judged by URL: `{query, qrels: {url: grade}}` or `{query, qrels: [{url, grade}]}`.

use docent_engine::EngineError;
use serde_json::Value;

use super::fields::{Fields, plain};
use super::{Case, Expected, Target};

const KEYS: &[&str] = &["id", "_id", "query", "qrels", "category"];

pub(super) fn read(fields: &mut Fields) -> Result<Case, EngineError> {
    const HINT: &str = "write it like qrels: {\"https://example.com/docs/a\": 2}";
    let query = fields.query()?;
    let mut expected = Vec::new();
    match fields.take(&["qrels"]) {
        Some(Value::Object(map)) => {
            for (url, grade) in map {
                expected.extend(judged(fields, url, Some(&grade))?);
            }
        }
        Some(Value::Array(rows)) => {
            for row in rows {
                let grade = ["grade", "relevance", "score"].iter().find_map(|key| row.get(key));
                let url = row.get("url").and_then(plain).or_else(|| plain(&row));
                let Some(url) = url else {
                    return Err(fields.error("an entry of `qrels` has no `url`", HINT));
                };
                expected.extend(judged(fields, url, grade)?);
            }
        }
        _ => return Err(fields.error("`qrels` must be a map or a list", HINT)),
    }
    if expected.is_empty() {
        return Err(fields.error("`qrels` has no URL with a grade above 0", "remove the case"));
    }
    let case = Case {
        query,
        id: fields.text(&["id", "_id"])?.unwrap_or_default(),
        expected,
        filters: Vec::new(),
        mode: None,
        k: None,
        max_rounds: None,
        category: fields.text(&["category"])?,
        place: fields.place().to_owned(),
    };
    fields.finish_foreign(KEYS)?;
    Ok(case)
}

/// A grade of 0 or below says that the page does not answer the question.
fn judged(fields: &Fields, url: String, grade: Option<&Value>) -> Result<Option<Expected>, EngineError> {
    match grade.map_or(Some(1.0), Value::as_f64) {
        Some(gain) if gain.is_finite() => {
            Ok((gain > 0.0).then_some(Expected { target: Target::Url(url), gain }))
        }
        _ => Err(fields.error(&format!("the grade of {url} is not a number"), "grades are 0, 1, 2, …")),
    }
}
