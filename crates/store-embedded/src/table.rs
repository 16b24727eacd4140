//! The vectors of one model at one generation: the mapped rows and whom each belongs to.

use std::collections::HashSet;
use std::path::Path;

use docent_store_common::{DEAD, EmbeddedRows, Owners, keys};
use rusqlite::Connection;

use crate::fault::Outcome;
use crate::leftovers;
use crate::rows::{self, ModelRow};
use crate::vectors::RowMap;

pub(crate) struct VectorTable {
    model: ModelRow,
    rows: RowMap,
    owners: Owners,
}

impl VectorTable {
    /// Reads a model's table from the record.
    pub(crate) fn load(conn: &Connection, dir: &Path, model: &ModelRow) -> Outcome<Self> {
        let rows = RowMap::open(dir, model)?;
        Self::with_owners(conn, model, rows, Vec::new())
    }

    /// The table after documents went and came and vectors were added.
    pub(crate) fn patched(
        &self,
        conn: &Connection,
        dir: &Path,
        model: &ModelRow,
        removed: &HashSet<u64>,
        added: &[u64],
    ) -> Outcome<Self> {
        let rows = RowMap::open(dir, model)?;
        let mut owners = Vec::with_capacity(model.row_count);
        owners.extend_from_slice(self.owners.as_slice());
        if !removed.is_empty() {
            let mut verdict = (DEAD, false);
            for owner in owners.iter_mut().filter(|owner| **owner != DEAD) {
                let document = keys::document_of_chunk(*owner);
                if verdict.0 != document {
                    verdict = (document, removed.contains(&document));
                }
                if verdict.1 {
                    *owner = DEAD;
                }
            }
        }
        for document in added {
            rows::vectors_of_document(conn, model.id, *document, |number, passage| {
                if let Some(owner) = owners.get_mut(number) {
                    *owner = keys::chunk_of_passage(passage);
                }
            })?;
        }
        Self::with_owners(conn, model, rows, owners)
    }

    fn with_owners(conn: &Connection, model: &ModelRow, rows: RowMap, mut owners: Vec<u64>) -> Outcome<Self> {
        let known = owners.len();
        owners.resize(model.row_count, DEAD);
        let left = if known < model.row_count { leftovers::documents(conn)? } else { HashSet::new() };
        rows::vectors_from(conn, model.id, known, |number, passage| {
            let chunk = keys::chunk_of_passage(passage);
            if let Some(owner) = owners.get_mut(number)
                && !left.contains(&keys::document_of_chunk(chunk))
            {
                *owner = chunk;
            }
        })?;
        Ok(Self { model: model.clone(), rows, owners: Owners::new(owners) })
    }

    pub(crate) fn model(&self) -> &ModelRow {
        &self.model
    }

    /// Rows that belong to someone.
    pub(crate) fn live(&self) -> usize {
        self.owners.live()
    }

    /// For each query, which comes with its depth, the nearest chunks of documents that pass, nearest first. Where not all
    /// chunks of these do, `chunks` are those that do.
    pub(crate) fn nearest(
        &self,
        queries: &[(&[f32], usize)],
        accept: impl Fn(u64) -> bool + Sync,
        chunks: Option<&HashSet<u64>>,
    ) -> Vec<Vec<(u64, f32)>> {
        self.owners.nearest(&self.rows, queries, accept, chunks)
    }

    /// Cosine of the best passage of each chunk.
    pub(crate) fn similarities(&self, query: &[f32], chunks: &[u64]) -> Vec<Option<f32>> {
        self.owners.similarities(&self.rows, query, chunks)
    }

    pub(crate) fn rows(&self) -> &RowMap {
        &self.rows
    }
}

impl EmbeddedRows for VectorTable {
    fn model(&self) -> i64 {
        self.model.id
    }

    fn live(&self) -> usize {
        self.owners.live()
    }

    fn live_of(&self, document: u64) -> usize {
        self.owners.live_of(document)
    }

    fn live_where(&self, accept: &dyn Fn(u64) -> bool) -> usize {
        self.owners.live_where(accept)
    }
}
