//! Clears away what removed and replaced documents left.
//!
//! Rows stay for a while after they are marked, so that those who read an older state find what it names. Then a sweep
//! deletes them: every writer looks once in a while, and a purge does it at once. Sweeps of several processes do not meet:
//! one of them holds a lock and the others leave it alone.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use deadpool_postgres::Transaction;
use docent_index::{PassageHash, Purged};
use docent_store_common::keys;

use crate::batch::{Batch, Lock};
use crate::fault::Outcome;
use crate::pending;
use crate::rows::GenericClient;
use crate::segments;
use crate::shared::Shared;

/// How often a process looks whether there is anything to clear away.
const EVERY: Duration = Duration::from_secs(60);
/// How long merged segments stay. Shorter: who reads an older state can search the newest segments instead, and a long
/// load would otherwise pile up every size that its words went through.
const SEGMENT_GRACE: Duration = Duration::from_secs(60);
/// Days after which a vector that nobody asked for is forgotten.
const UNUSED_DAYS: i32 = 90;
/// "swep": what sweeps lock.
const LOCK: i64 = 0x7377_6570;
/// Batches that are listed; who is further behind reads everything anew.
const LISTED: i64 = 100_000;

/// Sweeps when it is time. Nothing depends on it, so a failure is left to the next one.
pub(crate) async fn when_due(shared: &Shared) {
    {
        let mut swept = shared.swept.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if swept.elapsed() < EVERY {
            return;
        }
        *swept = Instant::now();
    }
    let _ = sweep(shared, shared.options.grace).await;
}

/// Takes every trace of what was removed out of the tables.
pub(crate) async fn purge(shared: &Shared, passages: &[PassageHash]) -> Outcome<Purged> {
    rewrite_hollow(shared).await?;
    sweep(shared, Duration::ZERO).await?;
    let client = shared.link.client().await?;
    // Dead rows are on disk until a vacuum comes by. It takes the owner, and what reads right now is in its way.
    // A vacuum cannot be part of a transaction, and several statements in one message are one.
    client.batch_execute(&shared.link.limit(false)).await?;
    let is_complete = client
        .batch_execute(
            "VACUUM docent.documents, docent.texts, docent.chunks, docent.passages, docent.vectors, docent.postings,
                 docent.segments, docent.failures",
        )
        .await
        .is_ok();
    client.batch_execute(&shared.link.limit(true)).await?;
    let unused = pending::unused(&client, passages).await?;
    Ok(Purged { is_complete, unused })
}

/// Segments still hold words of documents that went.
async fn rewrite_hollow(shared: &Shared) -> Outcome<()> {
    let mut client = shared.link.sound_client().await?;
    let rows = client.query("SELECT name FROM docent.collections WHERE known ORDER BY id", &[]).await?;
    let names: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
    let names: BTreeSet<&str> = names.iter().map(String::as_str).collect();
    let mut batch = Batch::begin(&mut client, shared, &names, &BTreeSet::new(), Lock::Alone).await?;
    let ids: Vec<i32> = batch.collections.values().map(|held| held.id).collect();
    for collection in ids {
        let hollow = segments::hollow(&batch.tx, collection, |dead, _| dead > 0).await?;
        if !hollow.is_empty() {
            segments::rewrite(&batch.tx, batch.number, collection, &hollow).await?;
            batch.changed = true;
            // Views look at segments again when documents changed.
            batch.documents_changed = true;
        }
    }
    batch.finish(false).await.map(drop)
}

async fn sweep(shared: &Shared, grace: Duration) -> Outcome<()> {
    let mut client = shared.link.sound_client().await?;
    let tx = client.transaction().await?;
    tx.batch_execute("SET LOCAL statement_timeout = 0").await?;
    let lock = if grace.is_zero() {
        "SELECT true FROM pg_advisory_xact_lock($1)"
    } else {
        "SELECT pg_try_advisory_xact_lock($1)"
    };
    if !tx.query_one(lock, &[&LOCK]).await?.get::<_, bool>(0) {
        return Ok(());
    }
    let documents = due(&tx, &["documents", "models"], grace).await?;
    delete_documents(&tx, &documents).await?;
    let segments = due(&tx, &["segments"], grace.min(SEGMENT_GRACE)).await?;
    delete_segments(&tx, &segments).await?;
    shorten(&tx).await?;
    tx.execute("DELETE FROM docent.embedding_claims WHERE until < clock_timestamp()", &[]).await?;
    tx.execute("DELETE FROM docent.embedding_cache WHERE used < current_date - $1::integer", &[&UNUSED_DAYS])
        .await?;
    tx.commit().await?;
    Ok(())
}

/// Batches that are old enough and in which rows of these tables died.
async fn due(tx: &Transaction<'_>, tables: &[&str], grace: Duration) -> Outcome<Vec<i64>> {
    let died: Vec<String> = tables
        .iter()
        .map(|table| format!("SELECT died FROM docent.{table} WHERE died IS NOT NULL"))
        .collect();
    let rows = tx
        .query(
            &format!(
                "SELECT DISTINCT died FROM ({}) AS d LEFT JOIN docent.batches b ON b.batch = d.died
                 WHERE b.at IS NULL OR b.at <= clock_timestamp() - $1 * interval '1 second'",
                died.join(" UNION ")
            ),
            &[&grace.as_secs_f64()],
        )
        .await?;
    Ok(rows.iter().map(|row| row.get(0)).collect())
}

async fn delete_documents(tx: &Transaction<'_>, batches: &[i64]) -> Outcome<()> {
    if batches.is_empty() {
        return Ok(());
    }
    let rows = tx
        .query("DELETE FROM docent.documents WHERE died = ANY($1) RETURNING collection_id, id", &[&batches])
        .await?;
    let (collections, ids): (Vec<i32>, Vec<i64>) =
        rows.iter().map(|row| (row.get::<_, i32>(0), row.get::<_, i64>(1))).unzip();
    if !ids.is_empty() {
        let models = tx.query("SELECT id FROM docent.models", &[]).await?;
        let tables = [
            ("texts".to_owned(), "id", keys::CHUNK_BITS, String::new()),
            ("chunks".to_owned(), "id", keys::CHUNK_BITS, String::new()),
            ("passages".to_owned(), "id", keys::DOCUMENT_SHIFT, String::new()),
        ];
        let of_model = models.iter().flat_map(|row| {
            let (id, model): (i32, _) = (row.get(0), format!("model = {} AND", row.get::<_, i32>(0)));
            [
                (format!("vectors_m{id}"), "passage", keys::DOCUMENT_SHIFT, model.clone()),
                ("embedded".to_owned(), "document", 0, model),
            ]
        });
        for (table, column, shift, model) in tables.into_iter().chain(of_model) {
            tx.execute(
                &format!(
                    "WITH gone AS (
                         SELECT g.* FROM unnest($1::integer[], $2::bigint[]) AS d(collection_id, id)
                         CROSS JOIN LATERAL (
                             SELECT collection_id, {column} FROM docent.{table}
                             WHERE {model} collection_id = d.collection_id
                               AND {column} BETWEEN d.id << {shift} AND ((d.id + 1) << {shift}) - 1 OFFSET 0) g)
                     DELETE FROM docent.{table} t USING gone
                     WHERE {of} t.collection_id = gone.collection_id AND t.{column} = gone.{column}",
                    of = model.replace("model", "t.model")
                ),
                &[&collections, &ids],
            )
            .await?;
        }
    }
    let models = tx.query("DELETE FROM docent.models WHERE died = ANY($1) RETURNING id", &[&batches]).await?;
    for row in models {
        let id: i32 = row.get(0);
        tx.execute("DELETE FROM docent.embedded WHERE model = $1", &[&id]).await?;
        tx.batch_execute(&format!("DROP TABLE IF EXISTS docent.vectors_m{id}")).await?;
    }
    Ok(())
}

async fn delete_segments(tx: &Transaction<'_>, batches: &[i64]) -> Outcome<()> {
    if batches.is_empty() {
        return Ok(());
    }
    tx.execute(
        "WITH gone AS (DELETE FROM docent.segments WHERE died = ANY($1) RETURNING collection_id, id)
         DELETE FROM docent.postings p USING gone WHERE p.collection_id = gone.collection_id AND p.segment = gone.id",
        &[&batches],
    )
    .await?;
    Ok(())
}

/// Forgets the oldest batches when there are very many.
async fn shorten(tx: &Transaction<'_>) -> Outcome<()> {
    let row = tx.query_one("SELECT generation FROM docent.state", &[]).await?;
    let floor = row.get::<_, i64>(0) - LISTED;
    let there = tx
        .query_one(
            "SELECT EXISTS (SELECT FROM docent.batches WHERE generation <= $1)",
            &[&(floor - LISTED / 10)],
        )
        .await?;
    if there.get::<_, bool>(0) {
        tx.execute("UPDATE docent.state SET floor = $1", &[&floor]).await?;
        tx.execute(
            "DELETE FROM docent.removed r USING docent.batches b WHERE b.batch = r.batch AND b.generation <= $1",
            &[&floor],
        )
        .await?;
        tx.execute("DELETE FROM docent.batches WHERE generation <= $1", &[&floor]).await?;
    }
    Ok(())
}
