//! Where the documents of collections lie that other processes read in.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use docent_index::{Collection, Snapshot};

/// A collection and a folder.
pub type Folder = (String, PathBuf);
/// Says where the documents of some collections lie.
type Tell = dyn Fn(&[Collection]) -> Vec<Folder> + Send + Sync;
/// What a snapshot was told of: which collections, and their folders.
type Told = (Vec<Collection>, Arc<[Folder]>);

/// Says where documents lie, and works it out again when the collections are others.
pub(crate) struct Elsewhere {
    tell: Arc<Tell>,
    known: Mutex<Option<Told>>,
}

impl Elsewhere {
    pub(crate) fn new(tell: impl Fn(&[Collection]) -> Vec<Folder> + Send + Sync + 'static) -> Self {
        Self { tell: Arc::new(tell), known: Mutex::default() }
    }

    /// The same for somebody who sees other collections.
    pub(crate) fn again(&self) -> Self {
        Self { tell: Arc::clone(&self.tell), known: Mutex::default() }
    }

    pub(crate) fn folders(&self, snapshot: &dyn Snapshot) -> Vec<Folder> {
        let collections = snapshot.collections();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, folders)) = known.as_ref()
            && *of == collections
        {
            return folders.to_vec();
        }
        let folders = (self.tell)(&collections);
        *known = Some((collections, folders.as_slice().into()));
        folders
    }
}
