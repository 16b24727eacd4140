//! The format of docs-mcp-eval: `{query, expectedChunkId, filters?, limit?, maxRounds?, name?, category?}`.

use docent_engine::EngineError;

use super::fields::Fields;
use super::{Case, Expected, Target};

const KEYS: &[&str] = &[
    "query",
    "expectedChunkId",
    "expected_chunk_id",
    "filters",
    "limit",
    "maxRounds",
    "max_rounds_allowed",
    "name",
    "category",
];

pub(super) fn read(fields: &mut Fields) -> Result<Case, EngineError> {
    let query = fields.query()?;
    let target = fields.text(&["expectedChunkId", "expected_chunk_id"])?;
    let Some(target) = target.filter(|target| !target.trim().is_empty()) else {
        return Err(fields.error("there is no `expectedChunkId`", "name a chunk, e.g. guides/a.md#a/b"));
    };
    let case = Case {
        query,
        id: fields.text(&["name"])?.unwrap_or_default(),
        expected: vec![Expected { target: Target::Name(target.trim().to_owned()), gain: 1.0 }],
        filters: fields.filters()?,
        mode: None,
        k: fields.k(&["limit"])?,
        max_rounds: fields.rounds(&["maxRounds", "max_rounds_allowed"])?,
        category: fields.text(&["category"])?,
        place: fields.place().to_owned(),
    };
    fields.finish_foreign(KEYS)?;
    Ok(case)
}
