//! Which chunks of an index stand in lines that claim something, so that a search can be narrowed to them before it ranks.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use docent_index::health::{HealthError, Status};
use docent_index::{Chosen, Snapshot};

use crate::facade::{Health, lock};
use crate::lines::LinesHealth;

/// Choices that are kept: one for each kind.
#[derive(Debug, Default)]
pub(crate) struct Choices(Vec<((bool, u64, u64), Arc<Chosen>)>);

impl Health {
    /// The chunks of `snapshot` of whose lines every claim holds, in this repository and in those beside.
    pub fn verified(
        &self,
        snapshot: &dyn Snapshot,
        folders: &[(String, PathBuf)],
    ) -> Result<Arc<Chosen>, HealthError> {
        let mut all = self.chosen(snapshot, folders, true)?;
        for other in self.others() {
            let chosen = other.chosen(snapshot, folders, true)?;
            let all = Arc::make_mut(&mut all);
            all.name = format!("{} {}", all.name, chosen.name);
            all.chunks.extend(chosen.chunks.iter().map(|(document, chunks)| (*document, chunks.clone())));
        }
        Ok(all)
    }

    /// The chunks of `snapshot` whose lines claim something; with `verified_only`, those of which every claim holds. `folders`
    /// are the collections that are read from folders, with these.
    pub fn chosen(
        &self,
        snapshot: &dyn Snapshot,
        folders: &[(String, PathBuf)],
        verified_only: bool,
    ) -> Result<Arc<Chosen>, HealthError> {
        let book = self.book()?;
        let key = (verified_only, book.generation, snapshot.content_generation().0);
        let known =
            lock(&self.choices).0.iter().find(|(known, _)| *known == key).map(|(_, kept)| Arc::clone(kept));
        if let Some(known) = known {
            return Ok(known);
        }
        let mut chunks: BTreeMap<_, BTreeSet<u32>> = BTreeMap::new();
        for (collection, folder) in folders {
            let root = &self.identity().root;
            for file in book.files() {
                let Ok(page) =
                    root.join(file).strip_prefix(folder).map(|path| path.to_string_lossy().into_owned())
                else {
                    continue;
                };
                let Some(document) = snapshot.document_at(collection, &page) else { continue };
                let hash = document.content_hash.to_hex();
                // A row that is gone by now belongs to a document that has changed.
                let all = snapshot.chunks_of(document.id).unwrap_or_default();
                let of = |start: u32, end: u32| LinesHealth::of(&book, file, &(start..=end), &hash);
                let passes = |lines: LinesHealth| {
                    !verified_only || (lines.status == Status::Verified && !lines.is_outdated)
                };
                let passing = all
                    .iter()
                    .filter(|chunk| of(chunk.start_line, chunk.end_line).is_some_and(passes))
                    .map(|chunk| chunk.ordinal);
                let passing: BTreeSet<u32> = passing.collect();
                if !passing.is_empty() {
                    chunks.insert(document.id, passing);
                }
            }
        }
        let name = format!("{} {}", if verified_only { "verified" } else { "claimed" }, book.generation);
        let chosen = Arc::new(Chosen { name, chunks });
        let mut choices = lock(&self.choices);
        choices.0.retain(|((kind, ..), _)| *kind != verified_only);
        choices.0.push((key, Arc::clone(&chosen)));
        Ok(chosen)
    }
}
