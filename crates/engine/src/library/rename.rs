//! Giving a library another name, in the index and in what is kept apart from it.

use super::objects::{Entry, Mark, Objects};
use crate::EngineError;
use crate::engine::Inner;

impl Inner {
    /// Gives a library another name, in the index and in what is kept apart from it.
    pub(crate) fn rename_library(&self, from: &str, to: &str) -> Result<(), EngineError> {
        super::check_library_name(to)?;
        let _turn = self.library_turn()?;
        let Some(objects) = &self.objects else { return Ok(self.store.rename_collection(from, to)?) };
        let mark = objects.mark(&Mark::Rename { from: from.to_owned(), to: to.to_owned() })?;
        let renamed = self.store.rename_collection(from, to);
        self.rename_entries(objects, from, to)?;
        objects.unmark(&mark)?;
        Ok(renamed?)
    }

    /// After a library was renamed in the index, its entries follow. When it was not, they stay.
    pub(super) fn rename_entries(&self, objects: &Objects, from: &str, to: &str) -> Result<(), EngineError> {
        let known = self.store.snapshot()?.collections();
        if known.iter().any(|known| known.name == from) {
            return Ok(());
        }
        for uuid in objects.uuids()? {
            if let Some(entry) = objects.entry(&uuid).filter(|entry| entry.library == from) {
                objects.put_entry(&Entry { library: to.to_owned(), ..entry })?;
            }
        }
        Ok(())
    }
}
