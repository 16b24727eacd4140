//! The nearest chunks of a view.
//!
//! Few vectors are held in memory and compared exactly. Of many, those of a small selection are read and compared exactly
//! too; for everything else pgvector's index names candidates, goes on for as long as the filter rejects them, and what it
//! found is compared again exactly.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use docent_index::{Filter, QuantisedVector};
use docent_store_common::{Allowed, EmbeddedRows, keys};
use futures::{StreamExt, pin_mut};
use pgvector::HalfVector;

use crate::fault::Outcome;
use crate::rows::{self, GenericClient, ModelRow};
use crate::shared::Reading;
use crate::table::{VectorTable, read_documents};

/// Candidates that the index holds ready: the more, the surer it has the nearest.
const EFFORT: usize = 200;
/// Rows that the index looks at before it gives up on a filter that rejects nearly everything.
const MOST_LOOKED_AT: i64 = 50_000;

/// The vectors of a model in memory, where they are few enough.
pub(crate) async fn table(
    Reading { shared, link, view }: Reading<'_>,
    model: &ModelRow,
) -> Outcome<Option<Arc<VectorTable>>> {
    let total = view.embedded(model.id).map_or(0, EmbeddedRows::live);
    if total > shared.vectors_in_memory() {
        return Ok(None);
    }
    let held = view.tables().get(&model.id).cloned();
    if let Some(held) = held.as_ref().filter(|held| held.is_of(view)) {
        return Ok(Some(held.clone()));
    }
    let client = link.client().await?;
    let table = Arc::new(VectorTable::read(&client, view, model, held.as_deref()).await?);
    view.tables().insert(model.id, table.clone());
    Ok(Some(table))
}

/// The `depth` nearest chunks that pass, nearest first, without a table in memory.
pub(crate) async fn nearest(
    reading: Reading<'_>,
    model: &ModelRow,
    query: &[f32],
    filter: &Filter,
    depth: usize,
) -> Outcome<Vec<(u64, f32)>> {
    let Reading { shared, link, view } = reading;
    if depth == 0 || query.len() != model.dimensions {
        return Ok(Vec::new());
    }
    let allowed = view.allowed(filter);
    let passing = view.embedded(model.id).map_or(0, |embedded| allowed.embedded(embedded));
    if passing == 0 {
        return Ok(Vec::new());
    }
    let mut best = Cosines::new(query);
    if passing <= shared.options.vectors_read {
        let documents: Vec<u64> = view
            .catalog
            .matching(filter)
            .map(|record| record.id.0)
            .filter(|id| allowed.contains(*id))
            .collect();
        let client = link.client().await?;
        read_documents(&client, view, model, &documents, |passage, codes, scale| {
            let chunk = keys::chunk_of_passage(passage);
            if allowed.contains_chunk(chunk) {
                best.offer(chunk, codes, scale);
            }
        })
        .await?;
        return Ok(best.into_sorted(depth));
    }
    let Some(schema) = &shared.vector else {
        shared.notice("there are too many passages to compare in this process: search goes by words alone");
        return Ok(Vec::new());
    };
    through_index(reading, schema, model, filter, &allowed, depth, &mut best).await?;
    Ok(best.into_sorted(depth))
}

async fn through_index(
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
    let condition =
        if named.is_some() { "WHERE collection_id = ANY($2)" } else { "WHERE $2::integer[] IS NULL" };
    let statement = tx
        .prepare_cached(&format!(
            "SELECT passage, scale, codes FROM docent.vectors_m{} {condition}
             ORDER BY embedding::{schema}.halfvec({dimensions}) OPERATOR({schema}.<=>) $1::{schema}.halfvec({dimensions})
             LIMIT $3",
            model.id,
            dimensions = model.dimensions
        ))
        .await?;
    let query = HalfVector::from_f32_slice(best.query);
    // Some of a chunk's passages, some of documents that are gone, some beyond the filter.
    let limit: i64 =
        if allowed.is_everything() || filter.is_open() { depth as i64 * 2 + 50 } else { MOST_LOOKED_AT };
    let rows =
        tx.query_raw(&statement, vec![&query as &(dyn tokio_postgres::types::ToSql + Sync), &named, &limit]);
    let rows = rows.await?;
    pin_mut!(rows);
    let wanted = depth + depth / 4 + 10;
    while let Some(row) = rows.next().await {
        let row = row?;
        let chunk = keys::chunk_of_passage(rows::number(&row, 0));
        if allowed.contains_chunk(chunk) && view.catalog.contains(keys::document_of_chunk(chunk)) {
            best.offer(chunk, row.get(2), row.get(1));
            if best.len() >= wanted {
                break;
            }
        }
    }
    Ok(())
}

/// Cosine of the best passage of each of these chunks.
pub(crate) async fn similarities(
    Reading { link, view, .. }: Reading<'_>,
    model: &ModelRow,
    query: &[f32],
    chunks: &[u64],
) -> Outcome<Vec<Option<f32>>> {
    if query.len() != model.dimensions {
        return Ok(vec![None; chunks.len()]);
    }
    let known: HashSet<u64> = chunks.iter().copied().collect();
    let known = known
        .iter()
        .filter_map(|chunk| Some((view.collection_of(keys::document_of_chunk(*chunk))?, *chunk as i64)));
    let (collections, ids): (Vec<i32>, Vec<i64>) = known.unzip();
    let client = link.client().await?;
    let statement = client
        .prepare_cached(&format!(
            "SELECT v.passage, v.scale, v.codes FROM unnest($1::integer[], $2::bigint[]) AS c(collection_id, id)
             CROSS JOIN LATERAL (
                 SELECT passage, scale, codes FROM docent.vectors_m{id}
                 WHERE model = {id} AND collection_id = c.collection_id
                   AND passage BETWEEN c.id << {bits} AND ((c.id + 1) << {bits}) - 1 OFFSET 0) v",
            id = model.id,
            bits = keys::PASSAGE_BITS
        ))
        .await?;
    let mut best = Cosines::new(query);
    for row in client.query(&statement, &[&collections, &ids]).await? {
        best.offer(keys::chunk_of_passage(rows::number(&row, 0)), row.get(2), row.get(1));
    }
    Ok(chunks.iter().map(|chunk| best.chunks.get(chunk).copied()).collect())
}

/// The vectors of a document's passages that have one.
pub(crate) async fn vectors_of(
    Reading { link, view, .. }: Reading<'_>,
    model: &ModelRow,
    document: u64,
) -> Outcome<HashMap<u64, QuantisedVector>> {
    let client = link.client().await?;
    let mut found = HashMap::new();
    read_documents(&client, view, model, &[document], |passage, codes, scale| {
        let values = codes.iter().map(|code| *code as i8).collect();
        found.insert(passage, QuantisedVector { scale, values });
    })
    .await?;
    Ok(found)
}

/// The cosine of the best passage of each chunk.
struct Cosines<'q> {
    query: &'q [f32],
    chunks: HashMap<u64, f32>,
}

impl<'q> Cosines<'q> {
    fn new(query: &'q [f32]) -> Self {
        Self { query, chunks: HashMap::new() }
    }

    fn len(&self) -> usize {
        self.chunks.len()
    }

    fn offer(&mut self, chunk: u64, codes: &[u8], scale: f32) {
        if codes.len() != self.query.len() {
            return;
        }
        let values: Vec<i8> = codes.iter().map(|code| *code as i8).collect();
        let cosine = (docent_kernels::dot_f32_i8(self.query, &values) * scale).clamp(-1.0, 1.0);
        let best = self.chunks.entry(chunk).or_insert(cosine);
        if best.total_cmp(&cosine).is_lt() {
            *best = cosine;
        }
    }

    fn into_sorted(self, depth: usize) -> Vec<(u64, f32)> {
        let mut hits: Vec<(u64, f32)> = self.chunks.into_iter().collect();
        hits.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        hits.truncate(depth);
        hits
    }
}
