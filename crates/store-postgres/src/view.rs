//! One generation of what a query needs in memory: documents, segments, models, and how far each is embedded.
//!
//! A view is read inside one transaction, so its parts agree, and is never changed afterwards. The next one is made from
//! it in time that depends on what changed, not on what there is. Rows that it knows stay in the database for a while
//! after they are replaced, so no transaction has to be held open for it.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use docent_index::Filter;
use docent_store_common::{Allowed, Catalog, EmbeddedRows, Recent};

use crate::fault::Outcome;
use crate::lexical::Entries;
use crate::rows::{self, GenericClient, ModelRow, SegmentRow, State};
use crate::table::VectorTable;

pub(crate) struct View {
    pub(crate) state: State,
    pub(crate) catalog: Arc<Catalog>,
    /// Numbers of collections by name.
    pub(crate) collections: HashMap<String, i32>,
    /// Numbers of the only collections that are known of; `None` when all are.
    pub(crate) only: Option<Vec<i32>>,
    pub(crate) segments: Vec<Arc<Segment>>,
    pub(crate) models: Vec<ModelRow>,
    embedded: HashMap<i32, Arc<Embedded>>,
    /// Vectors in memory, by model: those of this view, or of one before.
    tables: Mutex<HashMap<i32, Arc<VectorTable>>>,
    recent: Recent,
}

/// A segment, with its entries once they were needed.
pub(crate) struct Segment {
    pub(crate) row: SegmentRow,
    pub(crate) entries: OnceLock<Arc<Entries>>,
}

impl View {
    /// Reads a view of the named collections, or of all; `client` is inside a transaction that sees one state.
    pub(crate) async fn read(
        client: &impl GenericClient,
        before: Option<&View>,
        named: Option<&[String]>,
    ) -> Outcome<Self> {
        let state = rows::state(client).await?;
        let mut known = rows::collections(client).await?;
        known.retain(|(_, collection)| named.is_none_or(|named| named.contains(&collection.name)));
        let only: Option<Vec<i32>> = named.map(|_| known.iter().map(|(id, _)| *id).collect());
        let usable = |before: &&View| {
            // A collection that has come under a name by being renamed has older documents.
            before.only == only
                && before.state.uuid == state.uuid
                && before.state.generation <= state.generation
                && before.state.generation >= state.floor
        };
        let before = before.filter(usable);
        let batches = match before {
            Some(before) => Some(rows::batches_since(client, before.state.generation).await?),
            None => None,
        };
        let (changed, removed): (_, HashSet<u64>) = match &batches {
            Some(batches) => {
                let mut changed = rows::documents_of(client, batches).await?;
                let is_named = |name: &String| named.is_none_or(|named| named.contains(name));
                changed.retain(|row| is_named(&row.record.collection));
                (changed, rows::removed_in(client, batches).await?.into_iter().collect())
            }
            None => (rows::documents(client, only.as_deref()).await?, HashSet::new()),
        };
        let (numbers, collections): (HashMap<_, _>, Vec<_>) =
            known.into_iter().map(|(id, collection)| ((collection.name.clone(), id), collection)).unzip();
        let models = rows::models(client).await?;
        let counts = rows::embedded(client, batches.as_deref()).await?;
        let segments = match before {
            Some(before) if before.state.documents_generation == state.documents_generation => {
                before.segments.clone()
            }
            _ => known_before(rows::segments(client, only.as_deref()).await?, before),
        };
        let nothing = Catalog::default();
        let catalog = match before {
            Some(before)
                if changed.is_empty() && removed.is_empty() && before.catalog.collections == collections =>
            {
                before.catalog.clone()
            }
            before => {
                let old = before.map_or(&nothing, |before| &before.catalog);
                Arc::new(old.patched(collections, &removed, changed))
            }
        };
        let embedded = embedded(&models, before, &catalog, &removed, &counts);
        let tables = Mutex::new(before.map(|before| before.tables().clone()).unwrap_or_default());
        let recent = Recent::default();
        Ok(Self { state, catalog, collections: numbers, only, segments, models, embedded, tables, recent })
    }

    /// The documents that pass a filter.
    pub(crate) fn allowed(&self, filter: &Filter) -> Allowed {
        self.recent.allowed(&self.catalog, filter)
    }

    pub(crate) fn model(&self, name: &str) -> Option<&ModelRow> {
        self.models.iter().find(|model| model.name == name)
    }

    /// How far a model is.
    pub(crate) fn embedded(&self, model: i32) -> Option<&Embedded> {
        self.embedded.get(&model).map(|embedded| &**embedded)
    }

    /// The number of a document's collection.
    pub(crate) fn collection_of(&self, document: u64) -> Option<i32> {
        self.collections.get(&self.catalog.get(document)?.collection).copied()
    }

    pub(crate) fn tables(&self) -> std::sync::MutexGuard<'_, HashMap<i32, Arc<VectorTable>>> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn embedded(
    models: &[ModelRow],
    before: Option<&View>,
    catalog: &Catalog,
    removed: &HashSet<u64>,
    counts: &[(i32, u64, u32)],
) -> HashMap<i32, Arc<Embedded>> {
    let of = |model: &ModelRow| {
        let held = before.and_then(|before| before.embedded.get(&model.id));
        // Documents that went have their counts for as long as their other rows.
        let is_own = |(of, document, _): &&(i32, u64, u32)| *of == model.id && catalog.contains(*document);
        let mut own = counts.iter().filter(is_own).peekable();
        if let Some(held) = held
            && own.peek().is_none()
            && !removed.iter().any(|document| held.passages.contains_key(document))
        {
            return (model.id, held.clone());
        }
        let mut passages = held.map(|held| held.passages.clone()).unwrap_or_default();
        passages.retain(|document, _| !removed.contains(document));
        passages.extend(own.map(|(_, document, count)| (*document, *count)));
        let live = passages.values().map(|count| *count as usize).sum();
        (model.id, Arc::new(Embedded { model: model.id, passages, live }))
    };
    models.iter().map(of).collect()
}

fn known_before(rows: Vec<SegmentRow>, before: Option<&View>) -> Vec<Arc<Segment>> {
    let held = before.map(|before| before.segments.as_slice()).unwrap_or_default();
    let held: HashMap<i64, &Arc<Segment>> = held.iter().map(|segment| (segment.row.id, segment)).collect();
    let segment = |row: SegmentRow| match held.get(&row.id) {
        Some(held) => (*held).clone(),
        None => Arc::new(Segment { row, entries: OnceLock::new() }),
    };
    rows.into_iter().map(segment).collect()
}

/// How many passages of each document have a vector of one model.
pub(crate) struct Embedded {
    model: i32,
    pub(crate) passages: HashMap<u64, u32>,
    live: usize,
}

impl EmbeddedRows for Embedded {
    fn model(&self) -> i64 {
        i64::from(self.model)
    }

    fn live(&self) -> usize {
        self.live
    }

    fn live_of(&self, document: u64) -> usize {
        self.passages.get(&document).map_or(0, |count| *count as usize)
    }

    fn live_where(&self, accept: &dyn Fn(u64) -> bool) -> usize {
        let passing = self.passages.iter().filter(|(document, _)| accept(**document));
        passing.map(|(_, count)| *count as usize).sum()
    }
}
