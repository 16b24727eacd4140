//! Collections as a whole: renamed, removed, and the manifests that belong to them.

use std::collections::BTreeMap;

use docent_authoring::MANIFEST_FILE;
use docent_index::Collection;

use crate::engine::{Engine, Inner};
use crate::scan::{Scan, scan};
use crate::{EngineError, Source};

impl Engine {
    /// Gives a collection another name that is not taken. Its documents keep their vectors.
    pub fn rename_collection(&self, from: &str, to: &str) -> Result<(), EngineError> {
        let known = self.inner.known(from)?;
        self.inner.writer(from)?;
        let inner = self.inner.writer(to)?;
        match inner.is_library(&known) {
            true => inner.rename_library(from, to),
            false => Ok(inner.store.rename_collection(from, to)?),
        }
    }

    /// Drops a collection and all that is in it.
    pub fn remove_collection(&self, name: &str) -> Result<(), EngineError> {
        let known = self.inner.known(name)?;
        match self.inner.is_library(&known) {
            true => self.take_out_library(name).map(drop),
            false => Ok(self.inner.store.remove_collection(name)?),
        }
    }

    /// The manifests of a collection by path, as files that say what holds for its documents. What the settings say of a
    /// folder without a manifest of its own is among them. A library has none, and cannot be made into a set of files.
    pub fn manifests_of(&self, collection: &str) -> Result<BTreeMap<String, String>, EngineError> {
        match self.inner.source(collection) {
            Some((_, source)) => Ok(manifest_texts(source, scan(source)?)),
            None => {
                let known = self.inner.known(collection)?;
                if self.inner.is_library(&known) {
                    return Err(EngineError::usage(
                        format!(
                            "`{collection}` is a library: its documents come from many places and are no set of files"
                        ),
                        "hand the documents over again where they are needed",
                    ));
                }
                Ok(self.inner.about_of(&known).manifests.clone().unwrap_or_default())
            }
        }
    }
}

impl Inner {
    fn known(&self, name: &str) -> Result<Collection, EngineError> {
        let known = self.store.snapshot()?.collections().into_iter().find(|known| known.name == name);
        known.ok_or_else(|| {
            EngineError::not_found(
                format!("there is no collection `{name}`"),
                "`docent collections` lists the names that there are",
            )
        })
    }
}

/// The manifests that a walk found. What the settings say counts where the folder itself has none.
pub(crate) fn manifest_texts(source: &Source, found: Scan) -> BTreeMap<String, String> {
    let mut texts = found.manifests;
    if let Some(base) = source.base_text() {
        texts.entry(MANIFEST_FILE.to_owned()).or_insert(base);
    }
    texts
}
