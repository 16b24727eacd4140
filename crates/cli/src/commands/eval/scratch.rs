//! A folder for an index that is thrown away.

use std::path::PathBuf;

/// Name of the collection that a set's own documents go into.
pub(super) const COLLECTION: &str = "eval";

/// A folder that is removed when the run ends, however it ends.
pub(super) struct Scratch(PathBuf);

impl Scratch {
    /// Lets `index` name a folder of its own.
    pub(super) fn at(index: &mut PathBuf) -> Self {
        *index = std::env::temp_dir().join(format!("docent-eval-{}", std::process::id()));
        Self(index.clone())
    }

    pub(super) fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
