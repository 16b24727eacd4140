//! `get_doc_health`: how a file, a folder or the whole repository stands.

use docent_health::{FileHealth, Health, HealthScore};
use rmcp::model::JsonObject;
use serde_json::{Map, Value, json};

use super::{cut, optional};
use crate::call::{Answer, Call, Failure, NOT_FOUND};
use crate::facets::Facets;
use crate::schema::{arguments, cursor, integer, list, max_chars, nullable, number, object, text};
use crate::table::{Effect, ToolSpec, Toolset};

/// Longest path that an error repeats.
const MAX_SHOWN: usize = 200;

pub(crate) const TOOL: ToolSpec = ToolSpec {
    name: "get_doc_health",
    toolset: Toolset::Health,
    effect: Effect::Reads,
    title: "Health of a document",
    description: "Check the freshness/accuracy status of a specific documentation file or the entire repo. Use this before relying \
on documentation that might be outdated.\n\
Counts the claims of a file, of all files below a folder, or of the repository, by how they stand, by file and by type. `score` is \
the share of judged claims that hold; null when none was judged. To see what is wrong, use get_docs with a topic; for the worst \
files of the repository, list_stale_docs.",
    input,
    output,
    run,
};

fn input(_: &Facets) -> JsonObject {
    arguments(
        json!({
            "path": text("Path to a doc file (e.g., 'README.md') or directory (e.g., 'docs/'). Omit for repo-wide health."),
            "max_chars": max_chars(),
            "cursor": cursor(),
        }),
        &[],
    )
}

fn output() -> JsonObject {
    let health = object(
        json!({
            "total_claims": integer("Claims in all."),
            "verified": integer("Claims that hold."),
            "drifted": integer("Claims that do not hold any more."),
            "uncertain": integer("Claims that nobody can tell of."),
            "pending": integer("Claims that were not checked yet."),
            "suppressed": integer("Claims that do not hold and that somebody waived."),
            "score": nullable(number("verified / (verified + drifted), 0 to 1; null when both are 0.")),
            "by_file": {"type": "object", "description": "File → {total, verified, drifted, uncertain, pending, suppressed}."},
            "by_type": {"type": "object", "description": "Type of claim → how many there are."},
            "hotspots": list("At most 5 files with drifted claims, most drifted first.", text("Its path.")),
        }),
        &[
            "total_claims",
            "verified",
            "drifted",
            "uncertain",
            "pending",
            "score",
            "by_file",
            "by_type",
            "hotspots",
        ],
    );
    let mut properties = json!({"health": health});
    super::fields(&mut properties);
    object(properties, &["health"])
}

fn run(call: &Call<'_>) -> Result<Answer, Failure> {
    let health = call.health()?;
    let path = optional(call, "path")?;
    health.ask_for_verification();
    health.wait_for_first_check(super::FIRST_CHECK);
    // Nothing is kept of the answer: it is made faster than it could be copied.
    let mut answer = cut(call, find(call, health, path)?, "files")?;
    // What fits of the files goes where the specification has it.
    let entries = answer.as_object_mut().and_then(|answer| answer.shift_remove("files"));
    let Some(Value::Array(entries)) = entries else { return Ok(answer.into()) };
    let files: Map<String, Value> = entries.into_iter().filter_map(entry).collect();
    answer["health"]["by_file"] = files.into();
    Ok(answer.into())
}

fn entry(pair: Value) -> Option<(String, Value)> {
    let Value::Array(pair) = pair else { return None };
    match <[Value; 2]>::try_from(pair).ok()? {
        [Value::String(file), health] => Some((file, health)),
        _ => None,
    }
}

/// The answer with its files as a list of pairs under `files`.
fn find(call: &Call<'_>, health: &Health, path: Option<&str>) -> Result<Value, Failure> {
    let Some(mut score) = score(call, health, path)? else {
        let path = docent_text::visible_line(path.unwrap_or_default(), MAX_SHOWN);
        return Err(Failure::Coded {
            code: NOT_FOUND,
            message: format!("No documentation claims found for path '{path}'."),
            hint: "paths are from the top of the repository; list_stale_docs and get_doc_health without a path name files".to_owned(),
        });
    };
    let files: Vec<(String, FileHealth)> = std::mem::take(&mut score.by_file).into_iter().collect();
    Ok(json!({"health": score, "files": files}))
}

/// As the repository calls the path, else as a search of a collection does.
fn score(call: &Call<'_>, health: &Health, path: Option<&str>) -> Result<Option<HealthScore>, Failure> {
    if let Some(found) = health.score(path)? {
        return Ok(Some(found));
    }
    let Some(path) = path else { return Ok(None) };
    for (_, folder) in call.folders() {
        let file = health.file_of(&folder, path);
        if let Some(found) = file.map(|file| health.score(Some(&file))).transpose()?.flatten() {
            return Ok(Some(found));
        }
    }
    Ok(None)
}
