//! All documents of one generation, in memory, without their texts.
//!
//! Filters, paths and facets are answered from here. A new generation is made from the one before by taking out what
//! went and putting in what came; documents that did not change are shared.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use docent_index::{ChunkId, Collection, Counts, DocumentRecord, Filter};

use crate::{DocumentRow, keys};

/// The documents of one generation.
#[derive(Default)]
pub struct Catalog {
    /// Known collections, by name.
    pub collections: Vec<Collection>,
    /// By collection and path.
    documents: Vec<Arc<DocumentRow>>,
    by_id: HashMap<u64, Arc<DocumentRow>>,
    totals: Counts,
}

impl Catalog {
    /// The catalog after `removed` went and `changed` came or were touched.
    pub fn patched(
        &self,
        collections: Vec<Collection>,
        removed: &HashSet<u64>,
        changed: Vec<DocumentRow>,
    ) -> Self {
        if removed.is_empty() && changed.is_empty() {
            let (documents, by_id) = (self.documents.clone(), self.by_id.clone());
            return Self { collections, documents, by_id, totals: self.totals };
        }
        let changed: Vec<Arc<DocumentRow>> = changed.into_iter().map(Arc::new).collect();
        let replaced: HashSet<u64> = changed.iter().map(|row| row.record.id.0).collect();
        let stays = |row: &&Arc<DocumentRow>| {
            let id = row.record.id.0;
            !removed.contains(&id) && !replaced.contains(&id)
        };
        let mut documents: Vec<_> = self.documents.iter().filter(stays).cloned().collect();
        documents.extend(changed.iter().cloned());
        documents.sort_by(|a, b| place(&a.record).cmp(&place(&b.record)));
        let mut by_id = self.by_id.clone();
        by_id.retain(|id, _| !removed.contains(id));
        by_id.extend(changed.into_iter().map(|row| (row.record.id.0, row)));
        let totals = totals(documents.iter(), &Filter::default());
        Self { collections, documents, by_id, totals }
    }

    /// The same documents with other times of their last change, by place.
    pub fn with_times(&self, changed_ns: impl Fn(&DocumentRecord) -> i64) -> Self {
        let timed = |row: &Arc<DocumentRow>| {
            let mut record = (*row.record).clone();
            record.stat.mtime_ns = changed_ns(&record);
            let hidden = row.hidden.clone();
            Arc::new(DocumentRow { record: Arc::new(record), passage_count: row.passage_count, hidden })
        };
        let documents: Vec<_> = self.documents.iter().map(timed).collect();
        let by_id = documents.iter().map(|row| (row.record.id.0, row.clone())).collect();
        Self { collections: self.collections.clone(), documents, by_id, totals: self.totals }
    }

    /// The document at a path.
    pub fn at(&self, collection: &str, path: &str) -> Option<&Arc<DocumentRecord>> {
        let found = self.documents.binary_search_by(|row| place(&row.record).cmp(&(collection, path)));
        found.ok().map(|index| &self.documents[index].record)
    }

    /// The document of a row.
    pub fn get(&self, id: u64) -> Option<&Arc<DocumentRecord>> {
        self.by_id.get(&id).map(|row| &row.record)
    }

    /// Ordinals of the document's chunks that search may return.
    pub fn searchable(&self, id: u64) -> impl Iterator<Item = u32> {
        let row = self.by_id.get(&id);
        let count = row.map_or(0, |row| row.record.chunk_count);
        (0..count).filter(move |ordinal| row.is_some_and(|row| row.hidden.binary_search(ordinal).is_err()))
    }

    /// The document's chunks that search may return.
    pub fn chunk_ids(&self, id: u64) -> Vec<ChunkId> {
        self.searchable(id).map(|ordinal| ChunkId(keys::chunk_key(id, ordinal as usize))).collect()
    }

    /// Whether there is a document with this row.
    pub fn contains(&self, id: u64) -> bool {
        self.by_id.contains_key(&id)
    }

    /// Documents that pass, by collection and path.
    pub fn matching<'a>(&'a self, filter: &'a Filter) -> impl Iterator<Item = &'a Arc<DocumentRecord>> {
        self.passing(filter).map(|row| &row.record)
    }

    /// The documents of the collections that the filter names. They lie together, so that nobody else's are looked at.
    fn named<'a>(&'a self, filter: &Filter) -> impl Iterator<Item = &'a Arc<DocumentRow>> + use<'a> {
        let of = |name: &str| {
            let start = self.documents.partition_point(|row| row.record.collection.as_str() < name);
            let rest = &self.documents[start..];
            &rest[..rest.partition_point(|row| row.record.collection == name)]
        };
        let parts = match &filter.collections {
            None => vec![self.documents.as_slice()],
            Some(names) => names.iter().collect::<BTreeSet<_>>().into_iter().map(|name| of(name)).collect(),
        };
        parts.into_iter().flatten()
    }

    fn passing<'a>(&'a self, filter: &'a Filter) -> impl Iterator<Item = &'a Arc<DocumentRow>> {
        // Comparing the beginning of a path is a hundred times cheaper than matching a pattern.
        let start = filter.path.as_ref().map_or("", |glob| literal_start(glob.as_str()));
        self.named(filter)
            .filter(move |row| row.record.path.trim_start_matches('/').starts_with(start))
            .filter(move |row| filter.matches(&row.record))
    }

    /// Documents, chunks and passages that pass.
    pub fn counts(&self, filter: &Filter) -> Counts {
        totals(self.passing(filter), filter)
    }

    /// Numbers of the chunks that pass, where the filter has a condition on chunks.
    pub fn chunks(&self, filter: &Filter) -> Option<HashSet<u64>> {
        let of = |row: &Arc<DocumentRow>| -> Vec<u64> {
            let id = row.record.id.0;
            filter.ordinals_of(&row.record).map(|ordinal| keys::chunk_key(id, ordinal as usize)).collect()
        };
        filter.picks_chunks().then(|| self.passing(filter).flat_map(of).collect())
    }

    /// The first chunk of a document that search may return and that passes.
    pub fn first_chunk(&self, id: u64, filter: &Filter) -> Option<u64> {
        let record = self.get(id).filter(|record| filter.matches(record))?;
        let mut ordinals = filter.ordinals_of(record);
        let is_hidden =
            |ordinal: &u32| self.by_id.get(&id).is_some_and(|row| row.hidden.binary_search(ordinal).is_ok());
        ordinals.find(|ordinal| !is_hidden(ordinal)).map(|ordinal| keys::chunk_key(id, ordinal as usize))
    }

    /// Documents, chunks and passages in all.
    pub fn totals(&self) -> Counts {
        self.totals
    }

    /// All documents, by collection and path.
    pub fn rows(&self) -> &[Arc<DocumentRow>] {
        &self.documents
    }

    /// What one document counts.
    pub fn counts_of(&self, id: u64, filter: &Filter) -> Counts {
        totals(self.by_id.get(&id).into_iter(), filter)
    }

    /// Whether the filter only names collections, and all there are.
    pub fn lets_all_through(&self, filter: &Filter) -> bool {
        let named = |names: &Vec<String>| self.collections.iter().all(|known| names.contains(&known.name));
        filter.is_open() && filter.collections.as_ref().is_none_or(named)
    }

    /// Facet keys, their values, and how many documents have each.
    pub fn facets(&self, filter: &Filter) -> BTreeMap<String, BTreeMap<String, usize>> {
        let mut facets: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
        for record in self.matching(filter) {
            for (key, value) in &record.facets {
                match facets.get_mut(key).and_then(|values| values.get_mut(value)) {
                    Some(count) => *count += 1,
                    None => {
                        facets.entry(key.clone()).or_default().insert(value.clone(), 1);
                    }
                }
            }
        }
        facets
    }
}

/// What these documents count; of the filter, only conditions on chunks are looked at.
fn totals<'a>(rows: impl Iterator<Item = &'a Arc<DocumentRow>>, filter: &Filter) -> Counts {
    let mut counts = Counts::default();
    for row in rows {
        counts.documents += 1;
        counts.chunks += match filter.picks_chunks() {
            false => row.record.chunk_count as usize,
            true => filter.ordinals_of(&row.record).count(),
        };
        counts.passages += row.passage_count as usize;
    }
    counts
}

/// What every path that matches the pattern begins with.
fn literal_start(pattern: &str) -> &str {
    let clean = pattern.trim_start_matches("./").trim_start_matches('/');
    let end = clean.find(['*', '?', '[', '{', '\\']).unwrap_or(clean.len());
    clean[..end].trim_end_matches('/')
}

fn place(record: &DocumentRecord) -> (&str, &str) {
    (&record.collection, &record.path)
}

#[cfg(test)]
mod tests {
    use docent_index::PathGlob;

    use super::literal_start;

    #[test]
    fn paths_that_match_begin_with_the_literal_start() {
        for (pattern, start, path) in [
            ("guides/**", "guides", "guides/x/a.md"),
            ("guides", "guides", "guides/a.md"),
            ("/guides/", "guides", "guides/a.md"),
            ("./a*.md", "a", "ab.md"),
            ("**/*.md", "", "x/a.md"),
            ("{a,b}/c.md", "", "a/c.md"),
            ("a/b.md", "a/b.md", "a/b.md"),
            ("/home/me", "home/me", "/home/me/a.md"),
        ] {
            assert_eq!(literal_start(pattern), start);
            assert!(PathGlob::new(pattern).unwrap().matches(path), "{pattern} on {path}");
            assert!(path.trim_start_matches('/').starts_with(start));
        }
    }
}
