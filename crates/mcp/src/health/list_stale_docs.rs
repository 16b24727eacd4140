//! `list_stale_docs`: the files that an agent should be careful with.

use docent_health::StaleFile;
use rmcp::model::JsonObject;
use serde_json::{Value, json};

use super::{cut, invalid, last_verified, time};
use crate::call::{Answer, Call, Failure};
use crate::facets::Facets;
use crate::schema::{arguments, cursor, integer, list, max_chars, object, text};
use crate::table::{Effect, ToolSpec, Toolset};

const DEFAULT_MAX_RESULTS: usize = 10;
const MAX_RESULTS: usize = 100;

pub(crate) const TOOL: ToolSpec = ToolSpec {
    name: "list_stale_docs",
    toolset: Toolset::Health,
    effect: Effect::Reads,
    title: "Documents to be careful with",
    description: "List documentation files that have known inaccuracies or haven't been verified recently. Useful before starting \
work to know which docs to be cautious about.\n\
The files with the most drifted claims come first, then those with uncertain ones, then those that were not checked for 30 days or \
never. An empty list means that all is well. For the figures of a file use get_doc_health; for what is wrong in it, get_docs with its topic.",
    input,
    output,
    run,
};

fn input(_: &Facets) -> JsonObject {
    arguments(
        json!({
            "max_results": {
                "type": "integer", "minimum": 1, "maximum": MAX_RESULTS, "default": DEFAULT_MAX_RESULTS,
                "description": "Maximum number of results to return. Default: 10.",
            },
            "max_chars": max_chars(),
            "cursor": cursor(),
        }),
        &[],
    )
}

fn output() -> JsonObject {
    let stale = object(
        json!({
            "file": text("The document, by its path in the repository."),
            "drifted_claims": integer("Claims that do not hold any more."),
            "uncertain_claims": integer("Claims that nobody can tell of."),
            "last_verified": last_verified(),
        }),
        &["file", "drifted_claims", "uncertain_claims", "last_verified"],
    );
    let mut properties = json!({"stale_docs": list("The worst first.", Value::Object(stale))});
    super::fields(&mut properties);
    object(properties, &["stale_docs"])
}

fn run(call: &Call<'_>) -> Result<Answer, Failure> {
    let health = call.health()?;
    let max = max_results(call)?;
    health.ask_for_verification();
    health.wait_for_first_check(super::FIRST_CHECK);
    let show = |row: StaleFile| {
        json!({
            "file": row.file,
            "drifted_claims": row.drifted_claims,
            "uncertain_claims": row.uncertain_claims,
            "last_verified": time(row.last_verified),
        })
    };
    let stale: Vec<Value> = health.stale(max)?.into_iter().map(show).collect();
    Ok(cut(call, json!({"stale_docs": stale}), "stale_docs")?.into())
}

fn max_results(call: &Call<'_>) -> Result<usize, Failure> {
    let refused = || invalid(format!("max_results must be between 1 and {MAX_RESULTS}"));
    let Some(asked) = call.args.whole("max_results").map_err(|_| refused())? else {
        return Ok(DEFAULT_MAX_RESULTS);
    };
    usize::try_from(asked).ok().filter(|asked| (1..=MAX_RESULTS).contains(asked)).ok_or_else(refused)
}
