//! The format of qmd's benchmarks: `{queries: [{id, query, type, description, expected_files, expected_in_top_k}]}`.
//!
//! `type` becomes the category. `expected_in_top_k` is the size of the first page that the files should be on, so it
//! becomes `k`; qmd itself asks for ten at least, and recall@10 is there in every run.

use docent_engine::EngineError;
use serde_json::Value;

use super::fields::{Fields, plain};
use super::{Case, Expected, Target};

const KEYS: &[&str] = &["id", "query", "type", "description", "expected_files", "expected_in_top_k"];

pub(super) fn read(fields: &mut Fields) -> Result<Case, EngineError> {
    let query = fields.query()?;
    let files = match fields.take(&["expected_files"]) {
        Some(Value::Array(files)) => files.iter().map(plain).collect::<Option<Vec<_>>>(),
        _ => None,
    };
    let Some(files) = files.filter(|files| !files.is_empty()) else {
        return Err(fields.error("`expected_files` must be a list of paths", "name at least one file"));
    };
    // The description is for people.
    fields.take(&["description"]);
    let case = Case {
        query,
        id: fields.text(&["id"])?.unwrap_or_default(),
        expected: files.iter().map(|file| Expected { target: target(file), gain: 1.0 }).collect(),
        filters: Vec::new(),
        mode: None,
        k: fields.k(&["expected_in_top_k"])?,
        max_rounds: None,
        category: fields.text(&["type"])?,
        place: fields.place().to_owned(),
    };
    fields.finish_foreign(KEYS)?;
    Ok(case)
}

/// Files are compared by the end of their path and without regard to case, like the path of a URL.
fn target(file: &str) -> Target {
    let path = match file.strip_prefix("qmd://") {
        Some(rest) => rest.split_once('/').map_or(rest, |(_collection, path)| path),
        None => file,
    };
    Target::File(path.trim_matches('/').to_owned())
}
