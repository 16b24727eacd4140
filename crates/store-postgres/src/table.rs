//! Vectors of one model in memory, for as many as fit: exact, and the only way without pgvector.
//!
//! A table is made from the one of the view before: documents that went are marked, and only those that came, or have more
//! vectors than they had, are read.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use docent_store_common::{DEAD, Owners, Rows, keys};

use crate::fault::Outcome;
use crate::rows::{self, GenericClient, ModelRow};
use crate::view::View;

/// Scale, behind the values.
const TAIL: usize = 4;
/// Documents whose vectors are read at a time.
const AT_A_TIME: usize = 2000;

pub(crate) struct VectorTable {
    pub(crate) bytes: Arc<Values>,
    pub(crate) owners: Owners,
    /// How many vectors of each document it has.
    counts: HashMap<u64, u32>,
    generation: u64,
}

/// The rows.
pub(crate) struct Values {
    bytes: Vec<u8>,
    dimensions: usize,
}

impl Rows for Values {
    fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn stride(&self) -> usize {
        self.dimensions + TAIL
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }
}

impl VectorTable {
    /// Whether it is the table of this view.
    pub(crate) fn is_of(&self, view: &View) -> bool {
        self.generation == view.state.generation
    }

    /// The table of a view, from that of one before.
    pub(crate) async fn read(
        client: &impl GenericClient,
        view: &View,
        model: &ModelRow,
        before: Option<&VectorTable>,
    ) -> Outcome<Self> {
        let nothing = HashMap::new();
        let wanted = view.embedded(model.id).map_or(&nothing, |embedded| &embedded.passages);
        let held = before.map_or(&nothing, |before| &before.counts);
        let is_stale =
            |document: &u64| held.contains_key(document) && wanted.get(document) != held.get(document);
        let stale: HashSet<u64> = held.keys().filter(|document| is_stale(document)).copied().collect();
        let missing: Vec<u64> = wanted
            .iter()
            .filter(|(document, count)| held.get(document) != Some(count))
            .map(|(id, _)| *id)
            .collect();
        let (mut bytes, mut owners) = match before {
            Some(before) if missing.is_empty() => {
                let owners = marked(before.owners.as_slice(), &stale);
                let bytes = before.bytes.clone();
                let generation = view.state.generation;
                return Ok(Self { bytes, owners: Owners::new(owners), counts: wanted.clone(), generation });
            }
            Some(before) => kept(before, &stale),
            None => (Vec::new(), Vec::new()),
        };
        let mut missing = missing;
        missing.sort_unstable();
        for part in missing.chunks(AT_A_TIME) {
            read_documents(client, view, model, part, |passage, values, scale| {
                owners.push(keys::chunk_of_passage(passage));
                bytes.extend_from_slice(values);
                bytes.extend(scale.to_le_bytes());
            })
            .await?;
        }
        let bytes = Arc::new(Values { bytes, dimensions: model.dimensions });
        let generation = view.state.generation;
        Ok(Self { bytes, owners: Owners::new(owners), counts: wanted.clone(), generation })
    }
}

fn marked(owners: &[u64], stale: &HashSet<u64>) -> Vec<u64> {
    let mark = |owner: &u64| match *owner != DEAD && stale.contains(&keys::document_of_chunk(*owner)) {
        true => DEAD,
        false => *owner,
    };
    owners.iter().map(mark).collect()
}

/// Rows that stay, one after another.
fn kept(before: &VectorTable, stale: &HashSet<u64>) -> (Vec<u8>, Vec<u64>) {
    let stride = before.bytes.stride();
    let mut bytes = Vec::with_capacity(before.bytes.bytes.len() + stride * 64);
    let mut owners = Vec::with_capacity(before.owners.live() + 64);
    for (owner, row) in
        marked(before.owners.as_slice(), stale).iter().zip(before.bytes.bytes.chunks_exact(stride))
    {
        if *owner != DEAD {
            owners.push(*owner);
            bytes.extend_from_slice(row);
        }
    }
    (bytes, owners)
}

/// Hands every vector of these documents to `each`: passage, values and scale. (The server cannot guess how few rows a range
/// of numbers has; a subquery with an offset makes it look up each document instead of reading the table.)
pub(crate) async fn read_documents(
    client: &impl GenericClient,
    view: &View,
    model: &ModelRow,
    documents: &[u64],
    mut each: impl FnMut(u64, &[u8], f32),
) -> Outcome<()> {
    let known =
        documents.iter().filter_map(|document| Some((view.collection_of(*document)?, *document as i64)));
    let (collections, ids): (Vec<i32>, Vec<i64>) = known.unzip();
    let statement = client
        .prepare_cached(&format!(
            "SELECT v.passage, v.scale, v.codes FROM unnest($1::integer[], $2::bigint[]) AS d(collection_id, id)
             CROSS JOIN LATERAL (
                 SELECT passage, scale, codes FROM docent.vectors_m{id}
                 WHERE model = {id} AND collection_id = d.collection_id
                   AND passage BETWEEN d.id << {shift} AND ((d.id + 1) << {shift}) - 1 OFFSET 0) v
             ORDER BY v.passage",
            id = model.id,
            shift = keys::DOCUMENT_SHIFT
        ))
        .await?;
    for row in client.query(&statement, &[&collections, &ids]).await? {
        let codes: &[u8] = row.get(2);
        if codes.len() == model.dimensions {
            each(rows::number(&row, 0), codes, row.get(1));
        }
    }
    Ok(())
}
