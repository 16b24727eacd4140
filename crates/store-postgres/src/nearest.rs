//! The nearest chunks of a view.
//!
//! Few vectors are held in memory and compared exactly. Of many, those of a small selection are all compared too, by the
//! server; for everything else pgvector's index names candidates and goes on for as long as the filter rejects them. What
//! the server found is compared again, so that a cosine is the same whichever way it came.

mod compared;
mod cosines;
mod indexed;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use docent_index::{Filter, QuantisedVector};
use docent_store_common::{EmbeddedRows, keys};

use self::compared::nearest_of;
use self::cosines::Cosines;
use self::indexed::through_index;
use crate::fault::Outcome;
use crate::rows::{self, ModelRow};
use crate::shared::{Reading, Shared};
use crate::table::{VectorTable, read_documents};
use crate::view::View;

/// Vectors that are compared one after the other in the time that the index takes for one.
const LOOK: usize = 12;
/// The nearest that are asked for where each is costly.
const FEW: usize = 50;
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
    if is_read(shared, view, model, passing, depth) {
        // Whether a document passes was decided once for all searches of this view.
        let all = Filter::default();
        let ids = view.catalog.matching(&all).map(|record| record.id.0);
        let documents: Vec<u64> = ids.filter(|id| allowed.contains(*id)).collect();
        let client = link.client().await?;
        // Where only some chunks of a document pass, the server cannot tell the nearest.
        if let Some(schema) = shared.vector.as_ref().filter(|_| !filter.picks_chunks()) {
            nearest_of(&client, schema, view, model, &documents, depth, &mut best).await?;
            return Ok(best.into_sorted(depth));
        }
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

/// How many of the nearest are worth asking for, when words decide as well.
pub(crate) fn affordable(
    shared: &Shared,
    view: &View,
    model: &ModelRow,
    filter: &Filter,
    most: usize,
) -> usize {
    let Some(embedded) = view.embedded(model.id) else { return most };
    let (total, passing) = (embedded.live(), view.allowed(filter).embedded(embedded));
    let is_costly = total > shared.vectors_in_memory()
        && passing * 2 < total
        && !is_read(shared, view, model, passing, most.min(FEW));
    if is_costly { most.min(FEW) } else { most }
}

/// Whether all that pass are compared: when they are few, or when that is less work than the way through the index, which
/// meets `total / passing` others for each that passes. A vector that the index looks at costs about as much as
/// [`LOOK`] that are read in order.
fn is_read(shared: &Shared, view: &View, model: &ModelRow, passing: usize, depth: usize) -> bool {
    let total = view.embedded(model.id).map_or(0, EmbeddedRows::live);
    let looked_at = (wanted(depth) * total).checked_div(passing).unwrap_or(0);
    passing <= shared.options.vectors_read || (shared.vector.is_some() && looked_at * LOOK > passing)
}

/// Chunks that are taken from the index, whose order is nearly right.
fn wanted(depth: usize) -> usize {
    depth + depth / 8 + 10
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
