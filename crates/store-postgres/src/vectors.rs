//! Vectors in the database.
//!
//! Each is kept as signed bytes and a scale, which is exact, and where pgvector is there once more as a `halfvec` of the
//! same whole numbers for its index; a cosine does not depend on the scale. Every model has a partition of its own, so that
//! its index knows how long its vectors are, and that giving a model up is dropping a table.

use std::collections::{HashMap, HashSet};

use deadpool_postgres::Transaction;
use docent_index::{Model, PassageHash, PassageId, QuantisedVector};
use docent_store_common::{EmbeddedRows, keys};
use pgvector::HalfVector;
use tokio_postgres::types::Type;

use crate::batch::Batch;
use crate::copy::Rows;
use crate::documents::Added;
use crate::fault::{Fault, Outcome};
use crate::rows::{self, GenericClient, ModelRow};
use crate::shared::Shared;

/// Gives vectors a column for pgvector's index.
pub(crate) async fn add_column(tx: &Transaction<'_>, schema: &str) -> Outcome<()> {
    // Bytes to signed numbers in plain SQL: slow, and done once, for vectors that came before pgvector did.
    tx.batch_execute(&format!(
        "ALTER TABLE docent.vectors ADD COLUMN embedding {schema}.halfvec;
         UPDATE docent.vectors SET embedding = ('[' || (
             SELECT string_agg((get_byte(codes, at) - 256 * (get_byte(codes, at) / 128))::text, ',' ORDER BY at)
             FROM generate_series(0, length(codes) - 1) AS at) || ']')::{schema}.halfvec"
    ))
    .await?;
    Ok(())
}

/// The model's row; an error when its vectors have another length here.
pub(crate) async fn find(client: &impl GenericClient, model: &Model) -> Outcome<Option<ModelRow>> {
    let found = rows::models(client).await?.into_iter().find(|row| row.name == model.id);
    if let Some(row) = &found
        && row.dimensions != model.dimensions
    {
        let detail = format!("{} has {} dimensions here, not {}", model.id, row.dimensions, model.dimensions);
        return Err(Fault::Internal(detail));
    }
    Ok(found)
}

/// Whether all vectors are as long as the model says.
pub(crate) fn check_lengths<'v>(
    model: &Model,
    mut vectors: impl Iterator<Item = &'v QuantisedVector>,
) -> Outcome<()> {
    match vectors.find(|vector| vector.values.len() != model.dimensions) {
        None => Ok(()),
        Some(odd) => {
            let detail = format!("{} gave {} numbers, not {}", model.id, odd.values.len(), model.dimensions);
            Err(Fault::Internal(detail))
        }
    }
}

/// The model's row and partition, made in a transaction of its own where there is none.
pub(crate) async fn register(shared: &Shared, model: &Model) -> Outcome<ModelRow> {
    let mut client = shared.link.sound_client().await?;
    if let Some(found) = find(&client, model).await? {
        return Ok(found);
    }
    let tx = client.transaction().await?;
    let made = tx
        .query_opt(
            "INSERT INTO docent.models (name, dimensions) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING id",
            &[&model.id, &(model.dimensions as i32)],
        )
        .await?;
    if let Some(made) = made {
        let id: i32 = made.get(0);
        // A table that is attached locks the parent less than one that is made as its part.
        tx.batch_execute(&format!(
            "CREATE TABLE docent.vectors_m{id} (LIKE docent.vectors INCLUDING DEFAULTS INCLUDING CONSTRAINTS)
                 PARTITION BY LIST (collection_id);
             CREATE TABLE docent.vectors_m{id}_rest PARTITION OF docent.vectors_m{id} DEFAULT;
             ALTER TABLE docent.vectors ATTACH PARTITION docent.vectors_m{id} FOR VALUES IN ({id})"
        ))
        .await?;
    }
    tx.commit().await?;
    find(&client, model).await?.ok_or(Fault::Busy)
}

/// Passages that live documents have and that have no vector of the model, of those asked for.
async fn wanted(batch: &Batch<'_>, model: i32, asked: &[(i32, i64)]) -> Outcome<HashSet<i64>> {
    let (collections, passages): (Vec<i32>, Vec<i64>) = asked.iter().copied().unzip();
    let statement = batch
        .tx
        .prepare_cached(&format!(
            "SELECT asked.id FROM unnest($1::integer[], $2::bigint[]) AS asked(collection_id, id)
             CROSS JOIN LATERAL (
                 SELECT FROM docent.passages WHERE collection_id = asked.collection_id AND id = asked.id OFFSET 0) p
             CROSS JOIN LATERAL (
                 SELECT FROM docent.documents
                 WHERE collection_id = asked.collection_id AND id = asked.id >> {} AND died IS NULL OFFSET 0) d
             WHERE NOT EXISTS (
                 SELECT FROM docent.vectors v
                 WHERE v.model = $3 AND v.collection_id = asked.collection_id AND v.passage = asked.id OFFSET 0)",
            keys::DOCUMENT_SHIFT
        ))
        .await?;
    let rows = batch.tx.query(&statement, &[&collections, &passages, &model]).await?;
    Ok(rows.iter().map(|row| row.get(0)).collect())
}

/// Keeps vectors of passages, each of which comes with its collection. Those that are not wanted are passed over.
pub(crate) async fn put(
    batch: &mut Batch<'_>,
    model: &ModelRow,
    vectors: &[(i32, PassageId, &QuantisedVector)],
) -> Outcome<()> {
    let asked: Vec<(i32, i64)> = vectors.iter().map(|(of, passage, _)| (*of, passage.0 as i64)).collect();
    let mut left = wanted(batch, model.id, &asked).await?;
    let new: Vec<_> = vectors.iter().filter(|(_, passage, _)| left.remove(&(passage.0 as i64))).collect();
    if new.is_empty() {
        return Ok(());
    }
    let types = [Type::INT4, Type::INT4, Type::INT8, Type::INT8, Type::FLOAT4, Type::BYTEA];
    let columns = "model, collection_id, passage, batch, scale, codes";
    let codes =
        |vector: &QuantisedVector| vector.values.iter().map(|value| *value as u8).collect::<Vec<u8>>();
    match &batch.shared.vector {
        None => {
            let mut rows = Rows::new("vectors", columns, types);
            for (of, passage, vector) in &new {
                rows.push([
                    Box::new(model.id),
                    Box::new(*of),
                    Box::new(passage.0 as i64),
                    Box::new(batch.number),
                    Box::new(vector.scale),
                    Box::new(codes(vector)),
                ]);
            }
            rows.send(&batch.tx).await?;
        }
        Some(schema) => {
            let statement = batch.tx.prepare_cached(&format!("SELECT NULL::{schema}.halfvec")).await?;
            let Some(halfvec) = statement.columns().first().map(|column| column.type_().clone()) else {
                return Err(Fault::Internal("the server does not name the type of a vector".to_owned()));
            };
            let [a, b, c, d, e, f] = types;
            let columns = format!("{columns}, embedding");
            let mut rows = Rows::new("vectors", &columns, [a, b, c, d, e, f, halfvec]);
            for (of, passage, vector) in &new {
                let numbers: Vec<f32> = vector.values.iter().map(|value| f32::from(*value)).collect();
                rows.push([
                    Box::new(model.id),
                    Box::new(*of),
                    Box::new(passage.0 as i64),
                    Box::new(batch.number),
                    Box::new(vector.scale),
                    Box::new(codes(vector)),
                    Box::new(HalfVector::from_f32_slice(&numbers)),
                ]);
            }
            rows.send(&batch.tx).await?;
        }
    }
    let mut counts: HashMap<(i32, i64), i32> = HashMap::new();
    for (of, passage, _) in &new {
        *counts.entry((*of, (passage.0 >> keys::DOCUMENT_SHIFT) as i64)).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_unstable();
    let collections: Vec<i32> = counts.iter().map(|((of, _), _)| *of).collect();
    let documents: Vec<i64> = counts.iter().map(|((_, document), _)| *document).collect();
    let numbers: Vec<i32> = counts.iter().map(|(_, count)| *count).collect();
    let statement = batch
        .tx
        .prepare_cached(
            "INSERT INTO docent.embedded AS e (collection_id, model, document, batch, passages)
             SELECT n.collection_id, $4, n.document, $5, n.passages
             FROM unnest($1::integer[], $2::bigint[], $3::integer[]) AS n(collection_id, document, passages)
             ON CONFLICT (collection_id, model, document)
             DO UPDATE SET passages = e.passages + excluded.passages, batch = excluded.batch",
        )
        .await?;
    batch.tx.execute(&statement, &[&collections, &documents, &numbers, &model.id, &batch.number]).await?;
    batch.changed = true;
    Ok(())
}

/// Gives passages of new rows the vectors that are at hand for their hashes.
pub(crate) async fn put_at_hand(
    batch: &mut Batch<'_>,
    model: &ModelRow,
    added: &[Added],
    vectors: &HashMap<PassageHash, QuantisedVector>,
) -> Outcome<()> {
    let mut found = Vec::new();
    for row in added {
        for (passage, hash) in &row.passages {
            if let Some(vector) = vectors.get(hash) {
                found.push((row.collection, *passage, vector));
            }
        }
    }
    put(batch, model, &found).await
}

/// Copies vectors of passages that did not change from replaced rows, as (collection, old, new), to the new ones.
pub(crate) async fn carry_over(batch: &mut Batch<'_>, replaced: &[(i32, i64, i64)]) -> Outcome<()> {
    if replaced.is_empty() {
        return Ok(());
    }
    let collections: Vec<i32> = replaced.iter().map(|(of, ..)| *of).collect();
    let old: Vec<i64> = replaced.iter().map(|(_, old, _)| *old).collect();
    let new: Vec<i64> = replaced.iter().map(|(.., new)| *new).collect();
    let embedding = if batch.shared.vector.is_some() { ", embedding" } else { "" };
    let statement = batch
        .tx
        .prepare_cached(&format!(
            "WITH copied AS (
                 INSERT INTO docent.vectors (model, collection_id, passage, batch, scale, codes{embedding})
                 SELECT DISTINCT ON (v.model, n.id) v.model, n.collection_id, n.id, $4, v.scale, v.codes{embedding}
                 FROM unnest($1::integer[], $2::bigint[], $3::bigint[]) AS r(collection_id, old, new)
                 CROSS JOIN LATERAL (
                     SELECT collection_id, id, hash FROM docent.passages
                     WHERE collection_id = r.collection_id
                       AND id BETWEEN r.new << {shift} AND ((r.new + 1) << {shift}) - 1 OFFSET 0) n
                 CROSS JOIN LATERAL (
                     SELECT collection_id, id FROM docent.passages
                     WHERE collection_id = r.collection_id AND hash = n.hash
                       AND id BETWEEN r.old << {shift} AND ((r.old + 1) << {shift}) - 1 OFFSET 0) o
                 CROSS JOIN docent.models m
                 CROSS JOIN LATERAL (
                     SELECT model, scale, codes{embedding} FROM docent.vectors
                     WHERE model = m.id AND collection_id = o.collection_id AND passage = o.id OFFSET 0) v
                 WHERE m.died IS NULL
                 ORDER BY v.model, n.id, o.id
                 RETURNING model, collection_id, passage)
             INSERT INTO docent.embedded (collection_id, model, document, batch, passages)
             SELECT collection_id, model, passage >> {shift}, $4, count(*)::integer FROM copied GROUP BY 1, 2, 3",
            shift = keys::DOCUMENT_SHIFT
        ))
        .await?;
    batch.tx.execute(&statement, &[&collections, &old, &new, &batch.number]).await?;
    Ok(())
}

/// Builds the index of a model once it has more vectors than are held in memory. Searching goes on meanwhile, and other
/// processes that write vectors wait.
pub(crate) async fn index_when_due(shared: &Shared, model: &ModelRow) -> Outcome<()> {
    let held = shared.held_view().and_then(|view| Some(view.embedded(model.id)?.live()));
    if held.unwrap_or(0) <= shared.vectors_in_memory() || shared.is_indexed(model.id) {
        return Ok(());
    }
    build_index(shared, model).await
}

/// Builds the index of a model's vectors where there is none.
pub(crate) async fn build_index(shared: &Shared, model: &ModelRow) -> Outcome<()> {
    let Some(schema) = &shared.vector else { return Ok(()) };
    let client = shared.link.sound_client().await?;
    let statement = format!(
        "CREATE INDEX IF NOT EXISTS vectors_m{id}_nearest ON docent.vectors_m{id}
             USING hnsw ((embedding::{schema}.halfvec({dimensions})) {schema}.halfvec_cosine_ops)",
        id = model.id,
        dimensions = model.dimensions
    );
    client.batch_execute(&shared.link.limit(false)).await?;
    let done = client.batch_execute(&statement).await;
    client.batch_execute(&shared.link.limit(true)).await?;
    done?;
    shared.note_indexed(model.id);
    Ok(())
}
