//! Passages that have no vector yet, who embeds them, and models that are given up.
//!
//! Several processes embed at the same time. Each claims what it is going to embed in a transaction of some milliseconds,
//! for some minutes or until its session ends; vectors that are kept end the claim on their passage.

use std::collections::HashSet;
use std::sync::atomic::Ordering;

use docent_index::{Model, PassageHash, PassageId, Pending, PendingPassage};
use docent_store_common::{EmbeddedRows, keys};

use crate::batch::{Batch, Lock};
use crate::fault::Outcome;
use crate::rows::{self, GenericClient, ModelRow};
use crate::shared::Shared;
use crate::vectors;
use crate::view::View;

/// Nobody else is embedding it.
const CLAIMED: &str = "AND NOT EXISTS (
    SELECT FROM docent.embedding_claims c
    WHERE c.model = $4 AND c.collection_id = p.collection_id AND c.passage = p.id OFFSET 0)";
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
    list(&client, view, known.as_ref(), asked, limit, "").await
}

/// Whether this role may embed at all. Who only reads leaves that to others, and nothing is wrong with it.
async fn may_embed(client: &impl GenericClient) -> Outcome<bool> {
    let statement = client
        .prepare_cached(
            "SELECT has_table_privilege('docent.embedding_claims', 'INSERT') AND has_table_privilege('docent.vectors', 'INSERT')
                 AND NOT pg_is_in_recovery()",
        )
        .await?;
    Ok(client.query_one(&statement, &[]).await?.get(0))
}

/// Claims passages with no vector of `model` that nobody else is embedding: none for a role that may only read.
pub(crate) async fn claim(
    shared: &Shared,
    view: &View,
    model: &Model,
    asked: Pending<'_>,
    limit: usize,
) -> Outcome<Vec<PendingPassage>> {
    if !may_embed(&shared.link.client().await?).await? {
        return Ok(Vec::new());
    }
    let known = vectors::register(shared, model).await?;
    let mut client = shared.link.sound_client().await?;
    let tx = client.transaction().await?;
    let patience = shared.options.patience.as_millis();
    tx.batch_execute(&format!("SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = {patience}"))
        .await?;
    // One after the other, so that two never look at the same passages.
    tx.execute("SELECT FROM docent.models WHERE id = $1 FOR NO KEY UPDATE", &[&known.id]).await?;
    let statement = tx
        .prepare_cached(
            "DELETE FROM docent.embedding_claims WHERE model = $1 AND (until < clock_timestamp() OR NOT EXISTS (
                 SELECT FROM pg_stat_activity WHERE pid = coalesce(holder, pid)))",
        )
        .await?;
    tx.execute(&statement, &[&known.id]).await?;
    let found = list(&tx, view, Some(&known), asked, limit, CLAIMED).await?;
    let place = |passage: &PendingPassage| {
        Some((view.collection_of(passage.id.0 >> keys::DOCUMENT_SHIFT)?, passage.id.0 as i64))
    };
    let (collections, passages): (Vec<i32>, Vec<i64>) = found.iter().filter_map(place).unzip();
    let statement = tx
        .prepare_cached(
            "INSERT INTO docent.embedding_claims (model, collection_id, passage, holder, until)
             SELECT $1, n.*, nullif($4, 0), clock_timestamp() + $5 * interval '1 millisecond'
             FROM unnest($2::integer[], $3::bigint[]) AS n",
        )
        .await?;
    let holder = shared.embeds.load(Ordering::Acquire);
    let time = shared.options.claim.as_millis() as f64;
    tx.execute(&statement, &[&known.id, &collections, &passages, &holder, &time]).await?;
    tx.commit().await?;
    Ok(found)
}

/// Ends the claims on these passages.
pub(crate) async fn release(batch: &Batch<'_>, model: i32, passages: &[(i32, i64)]) -> Outcome<()> {
    let (collections, passages): (Vec<i32>, Vec<i64>) = passages.iter().copied().unzip();
    let statement = batch
        .tx
        .prepare_cached(
            "DELETE FROM docent.embedding_claims c USING unnest($2::integer[], $3::bigint[]) AS n(collection_id, passage)
             WHERE c.model = $1 AND c.collection_id = n.collection_id AND c.passage = n.passage",
        )
        .await?;
    batch.tx.execute(&statement, &[&model, &collections, &passages]).await?;
    Ok(())
}

async fn list(
    client: &impl GenericClient,
    view: &View,
    known: Option<&ModelRow>,
    asked: Pending<'_>,
    limit: usize,
    also: &str,
) -> Outcome<Vec<PendingPassage>> {
    let embedded = known.and_then(|known| view.embedded(known.id));
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
                     WHERE v.model = $4 AND v.collection_id = p.collection_id AND v.passage = p.id OFFSET 0) {also}
                 ORDER BY p.id LIMIT $5",
                shift = keys::DOCUMENT_SHIFT
            ))
            .await?;
        let model = known.map_or(0, |known| known.id);
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
    if !may_embed(&client).await? {
        return Ok(());
    }
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
