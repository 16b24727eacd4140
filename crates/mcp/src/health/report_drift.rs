//! `report_drift`: an agent says that a document is wrong about the code.
//!
//! What it says is kept word for word until a person decides; by itself it changes no verdict.

use std::path::Path;

use docent_health::{HealthError, NewReport, normal};
use rmcp::model::JsonObject;
use serde_json::{Value, json};

use super::{invalid, required};
use crate::call::{Answer, Call, Failure, INTERNAL};
use crate::facets::Facets;
use crate::schema::{arguments, flag, nullable, object, text};
use crate::table::{Effect, ToolSpec, Toolset};

/// Longest texts, in characters.
const MAX_TEXT: usize = 2000;
const MAX_PATH: usize = 512;
const MAX_FILES: usize = 20;
/// Longest name of a program that is kept.
const MAX_AGENT: usize = 100;

pub(crate) const TOOL: ToolSpec = ToolSpec {
    name: "report_drift",
    toolset: Toolset::Health,
    effect: Effect::Reports,
    title: "Report a wrong document",
    description: "Report a suspected documentation inaccuracy you discovered while working with the code. This helps keep \
documentation fresh.\n\
Quote what the document says and tell what the code does instead, with the files that show it. A person decides; until then no \
verdict changes. What is known already is told by get_docs (`problems`) and need not be reported. A report that a finding is wrong \
is welcome, too.",
    input,
    output,
    run,
};

fn input(_: &Facets) -> JsonObject {
    let long = |description: &str| json!({"type": "string", "minLength": 1, "maxLength": MAX_TEXT, "description": description});
    arguments(
        json!({
            "doc_file": {
                "type": "string", "minLength": 1,
                "description": "The documentation file containing the inaccurate claim",
            },
            "line_number": {
                "type": "integer", "minimum": 1, "description": "Approximate line number of the claim",
            },
            "claim_text": long("The text of the inaccurate claim"),
            "actual_behavior": long("What the code actually does (your evidence)"),
            "evidence_files": {
                "type": "array",
                "items": {"type": "string", "maxLength": MAX_PATH},
                "maxItems": MAX_FILES,
                "description": "Code files that show the actual behavior",
            },
        }),
        &["doc_file", "claim_text", "actual_behavior"],
    )
}

fn output() -> JsonObject {
    object(
        json!({
            "acknowledged": flag("True: it was kept."),
            "claim_id": text("Id of the report."),
            "report_id": text("The same."),
            "matched_claim_id": nullable(text("Id of the claim that it is about; null when none was recognised.")),
            "truncated": flag("True when claim_text was cut to 2000 characters."),
            "warning": text("What was odd about it, although it was kept."),
        }),
        &["acknowledged", "claim_id", "report_id", "matched_claim_id"],
    )
}

fn run(call: &Call<'_>) -> Result<Answer, Failure> {
    let health = call.health()?;
    for (name, value) in call.args.all() {
        if holds_nul(value) {
            return Err(invalid(format!("{name} must be free of NUL characters")));
        }
    }
    let (doc_file, is_known) = doc_file(call)?;
    if !health.may_see(&doc_file) {
        return Err(invalid("doc_file is not among the documents that may be used with this token"));
    }
    let claim_text = required(call, "claim_text")?;
    let is_cut = claim_text.chars().count() > MAX_TEXT;
    let actual_behavior = required(call, "actual_behavior")?;
    if actual_behavior.chars().count() > MAX_TEXT {
        return Err(invalid(format!("actual_behavior must be at most {MAX_TEXT} characters")));
    }
    let evidence_files = evidence_files(call)?;
    let root = &health.identity().root;
    let is_outside = |file: &String| match Path::new(file).is_absolute() {
        true => !Path::new(file).starts_with(root),
        false => normal(file).is_none(),
    };
    let outside = evidence_files.iter().any(is_outside);
    let agent = docent_text::visible_line(call.agent, MAX_AGENT);
    let mut warnings = Vec::new();
    if !is_known {
        warnings.push("doc_file names no document of this repository; list_pages tells which there are");
    }
    if outside {
        warnings.push("evidence_files names a path outside of the repository");
    }
    let report = NewReport {
        claim_id: None,
        doc_file,
        line_number: line_number(call)?,
        claim_text: claim_text.chars().take(MAX_TEXT).collect(),
        actual_behavior: actual_behavior.to_owned(),
        evidence_files,
        agent_type: if agent.is_empty() { "unknown".to_owned() } else { agent },
        created_at: health.now(),
    };
    let filed = health.report(report).map_err(failed)?;
    let mut answer = json!({
        "acknowledged": true,
        "claim_id": filed.report_id,
        "report_id": filed.report_id,
        "matched_claim_id": filed.matched_claim_id,
    });
    if is_cut {
        answer["truncated"] = true.into();
    }
    if !warnings.is_empty() {
        answer["warning"] = warnings.join("; ").into();
    }
    Ok(answer.into())
}

/// Whether a value has what no database keeps.
fn holds_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(holds_nul),
        _ => false,
    }
}

/// The document as the repository calls it, and whether it is known. One that nobody has looked at yet may be real all the
/// same.
fn doc_file(call: &Call<'_>) -> Result<(String, bool), Failure> {
    let given = required(call, "doc_file")?;
    if given.chars().count() > MAX_PATH {
        return Err(invalid(format!("doc_file must be at most {MAX_PATH} characters")));
    }
    let health = call.health()?;
    if health.score(Some(given))?.is_some() {
        return Ok((given.to_owned(), true));
    }
    // A search calls it by its path in the collection.
    for (collection, folder) in call.folders() {
        let is_page = call.engine.snapshot()?.document_at(&collection, given).is_some();
        if let Some(file) = health.file_of(&folder, given).filter(|_| is_page) {
            return Ok((file, true));
        }
    }
    let is_file = |path: String| health.identity().root.join(path).is_file();
    Ok((given.to_owned(), health.path_of(given).is_some_and(is_file)))
}

fn line_number(call: &Call<'_>) -> Result<Option<u32>, Failure> {
    let refused = || invalid("line_number must be a positive integer");
    let Some(line) = call.args.whole("line_number").map_err(|_| refused())? else { return Ok(None) };
    u32::try_from(line).ok().filter(|line| *line > 0).map(Some).ok_or_else(refused)
}

fn evidence_files(call: &Call<'_>) -> Result<Vec<String>, Failure> {
    let files = call
        .args
        .texts("evidence_files")
        .map_err(|_| invalid("evidence_files must be an array of strings"))?;
    let files: Vec<String> = files.unwrap_or_default().into_iter().map(str::to_owned).collect();
    if files.len() > MAX_FILES {
        return Err(invalid(format!("evidence_files must be at most {MAX_FILES} items")));
    }
    if files.iter().any(|file| file.chars().count() > MAX_PATH) {
        return Err(invalid(format!("evidence_files must be items of at most {MAX_PATH} characters")));
    }
    Ok(files)
}

/// A report that could not be kept.
fn failed(error: HealthError) -> Failure {
    match error {
        HealthError::ReadOnly { .. } => error.into(),
        other => Failure::Coded {
            code: INTERNAL,
            message: "Failed to record drift report. Please try again.".to_owned(),
            hint: other.hint().to_owned(),
        },
    }
}
