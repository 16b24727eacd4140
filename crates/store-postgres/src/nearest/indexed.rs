//! The nearest by pgvector's index, which goes on for as long as the filter rejects what it meets.

use docent_index::Filter;
use docent_store_common::{Allowed, keys};
use pgvector::HalfVector;

use super::cosines::Cosines;
use super::wanted;
use crate::fault::Outcome;
use crate::rows::{self, GenericClient, ModelRow};
use crate::shared::Reading;

/// Candidates that the index holds ready: the more, the surer it has the nearest.
const EFFORT: usize = 200;
/// Rows that the index looks at before it gives up on a filter that rejects nearly everything.
const MOST_LOOKED_AT: i64 = 50_000;
/// Rows that are fetched at a time.
const MOST_AT_ONCE: usize = 2000;

/// Offers the nearest that pass until there are enough.
pub(super) async fn through_index(
    Reading { link, view, .. }: Reading<'_>,
    schema: &str,
    model: &ModelRow,
    filter: &Filter,
    allowed: &Allowed,
    depth: usize,
    best: &mut Cosines<'_>,
) -> Outcome<()> {
    let mut client = link.client().await?;
    let tx = client.transaction().await?;
    let effort = EFFORT.max(depth * 2).min(1000);
    tx.batch_execute(&format!(
        "SET LOCAL hnsw.iterative_scan = relaxed_order; SET LOCAL hnsw.ef_search = {effort};
         SET LOCAL hnsw.max_scan_tuples = {MOST_LOOKED_AT}; SET LOCAL enable_seqscan = off"
    ))
    .await?;
    let named: Option<Vec<i32>> = filter
        .collections
        .as_ref()
        .map(|names| names.iter().filter_map(|name| view.collections.get(name).copied()).collect());
    let of_collections = if named.is_some() { "collection_id = ANY($2)" } else { "$2::integer[] IS NULL" };
    // What does not pass is better turned away where it lies than sent over.
    let picked = allowed.picked();
    let document = format!("(passage >> {})", keys::DOCUMENT_SHIFT);
    let of_documents = match picked {
        Some(_) => format!(
            "CASE WHEN {document} BETWEEN $4 AND $5 THEN get_bit($6, {document} - $4) = 1 ELSE false END"
        ),
        None => "$4::bigint IS NULL AND $5::bigint IS NULL AND $6::bytea IS NULL".to_owned(),
    };
    let statement = tx
        .prepare_cached(&format!(
            "SELECT passage, scale, codes FROM docent.vectors_m{} WHERE {of_collections} AND {of_documents}
             ORDER BY embedding::{schema}.halfvec({dimensions}) OPERATOR({schema}.<=>) $1::{schema}.halfvec({dimensions})
             LIMIT $3",
            model.id,
            dimensions = model.dimensions
        ))
        .await?;
    let query = HalfVector::from_f32_slice(best.query);
    let first = picked.as_ref().map(|picked| picked.first as i64);
    let last = picked.as_ref().map(|picked| (picked.first + picked.bits.len() as u64 * 8 - 1) as i64);
    let bits = picked.as_ref().map(|picked| picked.bits.as_slice());
    // Rows are fetched as they are needed: some are of chunks that were met before, some of documents that are gone, some beyond
    // the filter, and each that is not fetched is one that the server does not look for.
    let portal = tx.bind(&statement, &[&query, &named, &MOST_LOOKED_AT, &first, &last, &bits]).await?;
    let (mut read, mut passed) = (0usize, 0);
    loop {
        let missing = wanted(depth).saturating_sub(best.len());
        if missing == 0 {
            return Ok(());
        }
        let share = read.checked_div(passed).unwrap_or(1);
        let count = (missing * share.max(1)).clamp(50, MOST_AT_ONCE);
        let rows = tx.query_portal(&portal, count as i32).await?;
        for row in &rows {
            let chunk = keys::chunk_of_passage(rows::number(row, 0));
            if allowed.contains_chunk(chunk) && view.catalog.contains(keys::document_of_chunk(chunk)) {
                best.offer(chunk, row.get(2), row.get(1));
                passed += 1;
            }
        }
        read += rows.len();
        if rows.len() < count {
            return Ok(());
        }
    }
}
