//! The nearest of a selection, all of which the server compares.

use docent_store_common::keys;
use pgvector::HalfVector;

use super::cosines::Cosines;
use crate::fault::Outcome;
use crate::rows::{self, GenericClient, ModelRow};
use crate::view::View;

/// Compares all vectors of these documents on the server, which says which of them are the nearest.
pub(super) async fn nearest_of(
    client: &impl GenericClient,
    schema: &str,
    view: &View,
    model: &ModelRow,
    documents: &[u64],
    depth: usize,
    best: &mut Cosines<'_>,
) -> Outcome<()> {
    let known = documents.iter().filter_map(|id| Some((view.collection_of(*id)?, *id as i64)));
    let (collections, ids): (Vec<i32>, Vec<i64>) = known.unzip();
    let statement = client
        .prepare_cached(&format!(
            "SELECT c.passage, c.scale, c.codes FROM (
                 SELECT v.collection_id, v.passage FROM unnest($1::integer[], $2::bigint[]) AS d(collection_id, id)
                 CROSS JOIN LATERAL (
                     SELECT collection_id, passage, embedding OPERATOR({schema}.<=>) $3::{schema}.halfvec AS distance
                     FROM docent.vectors_m{id}
                     WHERE model = {id} AND collection_id = d.collection_id
                       AND passage BETWEEN d.id << {shift} AND ((d.id + 1) << {shift}) - 1 OFFSET 0) v
                 ORDER BY v.distance LIMIT $4) n
             CROSS JOIN LATERAL (
                 SELECT passage, scale, codes FROM docent.vectors_m{id}
                 WHERE model = {id} AND collection_id = n.collection_id AND passage = n.passage OFFSET 0) c",
            id = model.id,
            shift = keys::DOCUMENT_SHIFT
        ))
        .await?;
    let query = HalfVector::from_f32_slice(best.query);
    let mut limit = depth as i64 * 2;
    loop {
        let rows = client.query(&statement, &[&collections, &ids, &query, &limit]).await?;
        for row in &rows {
            best.offer(keys::chunk_of_passage(rows::number(row, 0)), row.get(2), row.get(1));
        }
        // Of chunks with many passages there may be fewer than asked for.
        if best.len() >= depth || (rows.len() as i64) < limit {
            return Ok(());
        }
        limit *= 4;
    }
}
