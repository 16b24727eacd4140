//! One generation of everything a query reads: catalog, lexical searchers and vector tables.
//!
//! A view is made inside one read transaction, so its parts agree, and is never changed afterwards. The next one is
//! made from it in time that depends on what changed, not on what there is.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use docent_index::{DocumentRecord, Filter};
use docent_store_common::{Allowed, Catalog, Recent};
use rusqlite::Connection;

use crate::fault::Outcome;
use crate::lexical::Searchers;
use crate::rows::{self, ModelRow, State};
use crate::table::VectorTable;

pub(crate) struct View {
    pub(crate) state: State,
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) searchers: Searchers,
    /// By the model's name.
    tables: HashMap<String, Arc<VectorTable>>,
    recent: Recent,
}

impl View {
    /// Reads a view; `conn` is inside a transaction that sees `state`, and `searchers` reflect the same documents.
    pub(crate) fn read(
        conn: &Connection,
        dir: &Path,
        state: State,
        searchers: Searchers,
        before: Option<&View>,
    ) -> Outcome<Self> {
        let usable = |before: &&View| {
            before.state.uuid == state.uuid
                && before.state.generation <= state.generation
                && before.state.generation >= state.tombstone_floor
        };
        let before = before.filter(usable);
        let since = before.map_or(0, |before| before.state.generation);
        let changed = rows::documents_since(conn, since)?;
        let removed: HashSet<u64> = match before {
            Some(_) => rows::removed_since(conn, since)?.into_iter().collect(),
            None => HashSet::new(),
        };
        // A touched document keeps its row, and with it its vectors.
        let added: Vec<u64> = changed
            .iter()
            .map(|row| row.record.id.0)
            .filter(|id| before.is_none_or(|before| !before.catalog.contains(*id)))
            .collect();
        let mut tables = HashMap::new();
        for model in rows::models(conn)? {
            let held = before.and_then(|before| before.table(&model.name));
            let table = table(conn, dir, &model, held, &removed, &added)?;
            tables.insert(model.name, table);
        }
        let collections = rows::collections(conn)?;
        let catalog = match before {
            Some(before)
                if changed.is_empty() && removed.is_empty() && before.catalog.collections == collections =>
            {
                before.catalog.clone()
            }
            Some(before) => Arc::new(before.catalog.patched(collections, &removed, changed)),
            None => Arc::new(Catalog::default().patched(collections, &removed, changed)),
        };
        Ok(Self { state, catalog, searchers, tables, recent: Recent::default() })
    }

    /// The same view with other times of the documents' last change.
    pub(crate) fn with_times(mut self, changed_ns: impl Fn(&DocumentRecord) -> i64) -> Self {
        self.catalog = Arc::new(self.catalog.with_times(changed_ns));
        self
    }

    /// How many vectors each model has.
    pub(crate) fn vector_counts(&self) -> Vec<(String, usize)> {
        self.tables.iter().map(|(name, table)| (name.clone(), table.live())).collect()
    }

    /// The documents that pass a filter.
    pub(crate) fn allowed(&self, filter: &Filter) -> Allowed {
        self.recent.allowed(&self.catalog, filter)
    }

    pub(crate) fn table(&self, model: &str) -> Option<&Arc<VectorTable>> {
        self.tables.get(model)
    }
}

fn table(
    conn: &Connection,
    dir: &Path,
    model: &ModelRow,
    held: Option<&Arc<VectorTable>>,
    removed: &HashSet<u64>,
    added: &[u64],
) -> Outcome<Arc<VectorTable>> {
    let held = held.filter(|held| {
        let before = held.model();
        before.id == model.id && before.file == model.file && before.row_count <= model.row_count
    });
    let Some(held) = held else { return Ok(Arc::new(VectorTable::load(conn, dir, model)?)) };
    if removed.is_empty() && added.is_empty() && held.model().row_count == model.row_count {
        return Ok(held.clone());
    }
    Ok(Arc::new(held.patched(conn, dir, model, removed, added)?))
}
