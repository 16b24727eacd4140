//! The `health` toolset: one file a tool.
//!
//! Documents are called what the repository calls them. What is wrong with a call is an error of JSON-RPC in the words of
//! the specification. Answers of `get_docs` are kept for a minute, or until the next verification; the others are sums of what is
//! in memory.

pub(crate) mod get_doc_health;
pub(crate) mod get_docs;
pub(crate) mod list_stale_docs;
pub(crate) mod report_drift;

use docent_engine::Bound;
use docent_health::iso;
use serde_json::{Value, json};

use crate::budget::{Piece, length};
use crate::call::{Call, Failure, INVALID_PARAMS};
use crate::schema::{cut_fields, integer, list, nullable, object, text};

/// How long a call waits for the first verification of the repository.
const FIRST_CHECK: std::time::Duration = std::time::Duration::from_secs(10);

fn invalid(message: impl Into<String>) -> Failure {
    Failure::coded(INVALID_PARAMS, message)
}

/// A text that has to be there.
fn required<'a>(call: &'a Call<'_>, name: &str) -> Result<&'a str, Failure> {
    let given = optional(call, name)?.ok_or_else(|| invalid(format!("{name} is required")))?;
    match given.trim().is_empty() {
        true => Err(invalid(format!("{name} must be a non-empty string"))),
        false => Ok(given),
    }
}

fn optional<'a>(call: &'a Call<'_>, name: &str) -> Result<Option<&'a str>, Failure> {
    call.args.text(name).map_err(|failure| failure.with_code(INVALID_PARAMS))
}

/// A time, or null for never.
fn time(seconds: Option<i64>) -> Value {
    seconds.map_or(Value::Null, |seconds| iso(seconds).into())
}

/// An answer whose list under `key` has as much as fits. What it is cut from is the same until the next verification, so that
/// the rest can be asked for.
fn cut(call: &Call<'_>, mut answer: Value, key: &str) -> Result<Value, Failure> {
    let coded = |failure: Failure| failure.with_code(INVALID_PARAMS);
    let mut budget = call.budget().map_err(coded)?;
    let Value::Array(entries) = answer[key].take() else { return Ok(answer) };
    if let Some(reason) = call.health()?.degraded() {
        answer["degraded"] = json!([reason]);
    }
    // What a cursor is bound to costs more than the rest of the answer, and most answers fit.
    let is_rest = optional(call, "cursor")?.is_some();
    let mut state = is_rest.then(|| bound(&entries));
    answer[key] = json!([]);
    budget.spend(&answer);
    let place = state.as_ref().map_or(Ok([0, 0]), |state| call.place(state)).map_err(coded)?;
    if state.is_none() && budget.left() < length(&entries) + 16 * entries.len() {
        state = Some(bound(&entries));
    }
    let pieces = entries.into_iter().map(|object| Piece { object, content: None }).collect();
    let fitted = budget.fit(pieces, place);
    answer[key] = fitted.pieces.into_iter().map(|(_, entry)| entry).collect();
    if let Some(state) = state {
        call.go_on_at(&mut answer, &state, fitted.rest)?;
    }
    Ok(answer)
}

/// What every answer of these tools may have beside what was asked for.
fn fields(properties: &mut Value) {
    cut_fields(properties);
    let reasons = "Why what is told may be of an earlier state, or nothing: the last check failed.";
    properties["degraded"] = list(reasons, json!({"type": "string"}));
}

/// What tells two lists apart.
fn bound(entries: &[Value]) -> Bound {
    let mut bound = Bound::default();
    entries.iter().for_each(|entry| bound.add("entry", &entry.to_string()));
    bound
}

/// The schema of a claim that does not hold.
fn problem_schema() -> Value {
    Value::Object(object(
        json!({
            "claim_id": text("Id of the claim."),
            "line": integer("Its line in the file."),
            "status": text("drifted or uncertain."),
            "claim_type": text("What it is about, e.g. `path_reference`, `command`."),
            "named": text("What the page writes, exactly."),
            "class": text("Why, e.g. `broke_at`, `value_changed`, `reported`."),
            "severity": text("low, medium or high."),
            "reason": text("Why, as a sentence: when it held, which commit broke it, what is closest now."),
            "broke_commit": text("The commit that broke it."),
            "suggested_fix": text("What to write instead of `named`."),
        }),
        &["claim_id", "line", "status", "claim_type", "named", "class", "severity", "reason"],
    ))
}

fn last_verified() -> Value {
    nullable(text("When a claim of it was last checked, ISO 8601; null for never."))
}
