//! The vectors of one model at one generation: the mapped rows and whom each belongs to.

use std::collections::HashSet;
use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;
use std::thread;

use docent_index::QuantisedVector;
use rusqlite::Connection;

use crate::by_chunk::ByChunk;
use crate::fault::Outcome;
use crate::keys;
use crate::leftovers;
use crate::rows::{self, ModelRow};
use crate::scan::{DEAD, Scan, Sought};
use crate::vectors::RowMap;

/// How many more candidates of the scan are compared exactly than are wanted: one for every so many. Rounding the query
/// to bytes moves a chunk by a few places, not more.
const SPARE: usize = 4;

/// Rows that are asked for before they are compared.
const AHEAD: usize = 6;

pub(crate) struct VectorTable {
    model: ModelRow,
    rows: RowMap,
    /// The chunk of each row.
    owners: Vec<u64>,
    live: usize,
    /// Live rows by chunk; made when first needed.
    by_chunk: OnceLock<ByChunk>,
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
        owners.extend_from_slice(&self.owners);
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
        let live = owners.iter().filter(|owner| **owner != DEAD).count();
        Ok(Self { model: model.clone(), rows, owners, live, by_chunk: OnceLock::new() })
    }

    pub(crate) fn model(&self) -> &ModelRow {
        &self.model
    }

    /// Rows that belong to someone.
    pub(crate) fn live(&self) -> usize {
        self.live
    }

    /// Rows of one document.
    pub(crate) fn live_of(&self, document: u64) -> usize {
        self.by_chunk().count_of(document)
    }

    /// Rows of documents that pass.
    pub(crate) fn live_where(&self, accept: impl Fn(u64) -> bool) -> usize {
        let mut verdict = (DEAD, false);
        let counted = self.owners.iter().filter(|owner| {
            let document = keys::document_of_chunk(**owner);
            if verdict.0 != document {
                verdict = (document, **owner != DEAD && accept(document));
            }
            verdict.1
        });
        counted.count()
    }

    /// For each query, which comes with its depth, the nearest chunks of documents that pass, nearest first. Where not all
    /// chunks of these do, `chunks` are those that do.
    pub(crate) fn nearest(
        &self,
        queries: &[(&[f32], usize)],
        accept: impl Fn(u64) -> bool + Sync,
        chunks: Option<&HashSet<u64>>,
    ) -> Vec<Vec<(u64, f32)>> {
        let is_sound = |query: &[f32], depth: usize| depth > 0 && query.len() == self.model.dimensions;
        let sought = |(query, depth): &(&[f32], usize)| Sought {
            values: QuantisedVector::new(query).values,
            wanted: depth.saturating_add(depth / SPARE).saturating_add(SPARE),
        };
        let sound = queries.iter().filter(|(query, depth)| is_sound(query, *depth));
        let queries_of = sound.map(sought).collect();
        let scan = Scan { rows: &self.rows, owners: &self.owners, queries: queries_of, accept, chunks };
        let mut candidates = scan.candidates().into_iter();
        let of = |(query, depth): &(&[f32], usize)| match is_sound(query, *depth) {
            true => candidates.next().unwrap_or_default(),
            false => Vec::new(),
        };
        let candidates: Vec<Vec<u64>> = queries.iter().map(of).collect();
        let settle = |range: Range<usize>| -> Vec<Vec<(u64, f32)>> {
            let of = |at: usize| self.settle(queries[at].0, &candidates[at], queries[at].1);
            range.map(of).collect()
        };
        let half = queries.len() / 2;
        if half == 0 {
            return settle(0..queries.len());
        }
        thread::scope(|scope| {
            let second = scope.spawn(|| settle(half..queries.len()));
            let mut nearest = settle(0..half);
            nearest.extend(second.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            nearest
        })
    }

    /// The `depth` nearest of these chunks by the exact cosine, nearest first.
    fn settle(&self, query: &[f32], candidates: &[u64], depth: usize) -> Vec<(u64, f32)> {
        let cosines = candidates.iter().copied().zip(self.similarities(query, candidates));
        let mut hits: Vec<_> = cosines.filter_map(|(chunk, cosine)| Some((chunk, cosine?))).collect();
        hits.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        hits.truncate(depth);
        hits
    }

    /// Cosine of the best passage of each chunk.
    pub(crate) fn similarities(&self, query: &[f32], chunks: &[u64]) -> Vec<Option<f32>> {
        let mut cosines: Vec<Option<f32>> = vec![None; chunks.len()];
        if query.len() != self.model.dimensions {
            return cosines;
        }
        let rows_of = |(at, chunk): (usize, &u64)| {
            self.by_chunk().rows_of(*chunk).filter_map(move |row| Some((at, self.rows.row(row as usize)?)))
        };
        let rows: Vec<(usize, (&[i8], f32))> = chunks.iter().enumerate().flat_map(rows_of).collect();
        for (number, (at, (values, scale))) in rows.iter().enumerate() {
            // Rows lie all over the file: the next ones are on their way while this one is compared.
            if let Some((_, (soon, _))) = rows.get(number + AHEAD) {
                docent_kernels::prefetch(soon);
            }
            let cosine = (docent_kernels::dot_f32_i8(query, values) * scale).clamp(-1.0, 1.0);
            let best = &mut cosines[*at];
            if best.is_none_or(|best| best.total_cmp(&cosine).is_le()) {
                *best = Some(cosine);
            }
        }
        cosines
    }

    fn by_chunk(&self) -> &ByChunk {
        self.by_chunk.get_or_init(|| {
            let live = self.owners.iter().copied().zip(0u32..).filter(|(owner, _)| *owner != DEAD);
            ByChunk::new(live.collect())
        })
    }

    pub(crate) fn rows(&self) -> &RowMap {
        &self.rows
    }
}
