//! Which documents libraries have, and which of the texts that are kept belong to one.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use docent_index::{ContentHash, DocumentRecord, Filter, Snapshot};

use super::objects::Objects;
use crate::EngineError;
use crate::engine::Inner;

impl Inner {
    /// Documents of libraries.
    pub(super) fn handed_documents(&self, snapshot: &dyn Snapshot) -> Vec<Arc<DocumentRecord>> {
        let mut libraries = snapshot.collections();
        libraries.retain(|known| self.is_library(known));
        let names = libraries.into_iter().map(|known| known.name).collect();
        snapshot.documents(&Filter { collections: Some(names), ..Filter::default() })
    }

    /// Names of the texts that documents of libraries have, those included that the index has lost.
    pub(super) fn used_objects(&self, objects: &Objects) -> Result<BTreeSet<String>, EngineError> {
        let mut lost = objects.uuids()?;
        let indexed = self.handed_documents(&*self.store.snapshot()?);
        for record in &indexed {
            lost.remove(&record.uuid);
        }
        let hashes: HashSet<ContentHash> = indexed.iter().map(|record| record.content_hash).collect();
        let mut used: BTreeSet<String> = hashes.into_iter().map(ContentHash::to_hex).collect();
        used.extend(lost.iter().filter_map(|uuid| Some(objects.entry(uuid)?.object)));
        Ok(used)
    }

    /// Deletes those of these texts that no document has, in the index or lost from it.
    pub(super) fn drop_objects(
        &self,
        objects: &Objects,
        dropped: impl IntoIterator<Item = String>,
    ) -> Result<(), EngineError> {
        let used = self.used_objects(objects)?;
        let unused = dropped.into_iter().filter(|object| !used.contains(object));
        unused.into_iter().try_for_each(|object| objects.remove_object(&object))
    }
}
