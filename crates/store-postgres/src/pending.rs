//! Passages that have no vector yet, and models that are given up.

use std::collections::HashSet;

use docent_index::{Model, PassageHash, PassageId, Pending, PendingPassage};
use docent_store_common::{EmbeddedRows, keys};

use crate::batch::{Batch, Lock};
use crate::fault::Outcome;
use crate::rows::{self, GenericClient};
use crate::shared::Shared;
use crate::vectors;
use crate::view::View;

/// Documents that are looked at together.
const AT_A_TIME: usize = 500;

/// Passages with no vector of `model` that are asked for, oldest first. The view knows which documents have any.
pub(crate) async fn pending(
    shared: &Shared,
    view: &View,
    model: &Model,
    asked: Pending<'_>,
    limit: usize,
) -> Outcome<Vec<PendingPassage>> {
    let client = shared.link.client().await?;
    let known = vectors::find(&client, model).await?;
    let embedded = known.as_ref().and_then(|known| view.embedded(known.id));
    let done = |document: u64| embedded.map_or(0, |embedded| embedded.live_of(document));
    let after = asked.after.map_or(-1, |after| i64::try_from(after.0).unwrap_or(i64::MAX));
    let first = u64::try_from(after >> keys::DOCUMENT_SHIFT).unwrap_or(0);
    let named: Option<HashSet<&String>> = asked.collections.map(|names| names.iter().collect());
    let mut documents: Vec<u64> = view
        .catalog
        .rows()
        .iter()
        .filter(|row| named.as_ref().is_none_or(|named| named.contains(&row.record.collection)))
        .filter(|row| row.record.id.0 >= first && row.passage_count as usize > done(row.record.id.0))
        .map(|row| row.record.id.0)
        .collect();
    documents.sort_unstable();
    let mut found = Vec::new();
    for part in documents.chunks(AT_A_TIME) {
        if found.len() >= limit {
            break;
        }
        let places = part.iter().filter_map(|id| Some((view.collection_of(*id)?, *id as i64)));
        let (collections, ids): (Vec<i32>, Vec<i64>) = places.unzip();
        let statement = client
            .prepare_cached(&format!(
                "SELECT p.id, p.hash, p.text FROM unnest($1::integer[], $2::bigint[]) AS d(collection_id, id)
                 CROSS JOIN LATERAL (
                     SELECT collection_id, id, hash, text FROM docent.passages
                     WHERE collection_id = d.collection_id
                       AND id BETWEEN d.id << {shift} AND ((d.id + 1) << {shift}) - 1 OFFSET 0) p
                 WHERE p.id > $3 AND NOT EXISTS (
                     SELECT FROM docent.vectors v
                     WHERE v.model = $4 AND v.collection_id = p.collection_id AND v.passage = p.id OFFSET 0)
                 ORDER BY p.id LIMIT $5",
                shift = keys::DOCUMENT_SHIFT
            ))
            .await?;
        let model = known.as_ref().map_or(0, |known| known.id);
        let left = i64::try_from(limit - found.len()).unwrap_or(i64::MAX);
        for row in client.query(&statement, &[&collections, &ids, &after, &model, &left]).await? {
            found.push(PendingPassage {
                id: PassageId(rows::number(&row, 0)),
                hash: PassageHash(rows::fixed(row.get(1))?),
                text: row.get(2),
            });
        }
    }
    Ok(found)
}

/// Gives up every other model. Vectors go with the next sweep, so that older snapshots go on answering.
pub(crate) async fn retire_others(shared: &Shared, model: &Model) -> Outcome<()> {
    let mut client = shared.link.sound_client().await?;
    let nothing = Default::default();
    let mut batch = Batch::begin(&mut client, shared, &nothing, &nothing, Lock::Shared).await?;
    let retired = batch
        .tx
        .execute(
            "UPDATE docent.models SET died = $2 WHERE name <> $1 AND died IS NULL",
            &[&model.id, &batch.number],
        )
        .await?;
    batch.changed = retired > 0;
    batch.finish(false).await.map(drop)
}

/// Those of these passages that no document has.
pub(crate) async fn unused(
    client: &impl GenericClient,
    passages: &[PassageHash],
) -> Outcome<Vec<PassageHash>> {
    if passages.is_empty() {
        return Ok(Vec::new());
    }
    let hashes: Vec<&[u8]> = passages.iter().map(|hash| hash.0.as_slice()).collect();
    let rows = client
        .query(
            &format!(
                "SELECT DISTINCT p.hash FROM docent.passages p
                 JOIN docent.documents d ON d.collection_id = p.collection_id AND d.id = p.id >> {}
                 WHERE p.hash = ANY($1) AND d.died IS NULL",
                keys::DOCUMENT_SHIFT
            ),
            &[&hashes],
        )
        .await?;
    let used: HashSet<Vec<u8>> = rows.iter().map(|row| row.get(0)).collect();
    let mut unused: Vec<PassageHash> =
        passages.iter().filter(|hash| !used.contains(hash.0.as_slice())).copied().collect();
    unused.sort_unstable();
    unused.dedup();
    Ok(unused)
}
