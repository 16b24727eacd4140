//! States of a git repository: a commit, and the work tree.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, PoisonError};

use super::{Entry, SharedFacts, Tree, World};
use crate::facts::FactStore;
use crate::repo::{Change, RepoError, Repository};

/// Files whose names end so are not text.
const NOT_TEXT: &[&str] = &[
    "png", "jpg", "jpeg", "gif", "webp", "ico", "svg", "pdf", "zip", "gz", "xz", "bz2", "zst", "tar", "woff",
    "woff2", "ttf", "otf", "eot", "mp3", "mp4", "webm", "mov", "wasm", "so", "dylib", "dll", "exe", "jar",
    "class", "bin", "map",
];

/// The state of the work tree: the commit that is checked out, and what was changed since.
#[derive(Debug, Clone)]
pub struct WorkState {
    /// Path → what it is and the name of its content.
    pub entries: Arc<BTreeMap<String, (Entry, String)>>,
    /// What is not as it was committed, by path.
    pub changes: Arc<HashMap<String, Change>>,
    /// How many paths are not UTF-8, and not here.
    pub unreadable_paths: usize,
}

impl WorkState {
    /// Reads it.
    pub fn read(repository: &Repository) -> Result<Self, RepoError> {
        let listing = match repository.head() {
            Some(head) => repository.tree(head)?,
            None => crate::repo::Listing::default(),
        };
        let changes = repository.changes()?;
        Ok(Self::with(listing, changes))
    }

    /// The state of the commit that is checked out, without what was changed since.
    pub(crate) fn read_commit(repository: &Repository) -> Result<Self, RepoError> {
        let listing = repository.head().map(|head| repository.tree(head)).transpose()?;
        Ok(Self::with(listing.unwrap_or_default(), Vec::new()))
    }

    fn with(mut listing: crate::repo::Listing, changes: Vec<Change>) -> Self {
        for change in &changes {
            match change.entry {
                Some(entry) => listing.entries.insert(change.path.clone(), (entry, change.id.clone())),
                None => listing.entries.remove(&change.path),
            };
        }
        Self {
            entries: Arc::new(listing.entries),
            changes: Arc::new(changes.into_iter().map(|change| (change.path.clone(), change)).collect()),
            unreadable_paths: listing.unreadable_paths,
        }
    }
}

impl World {
    /// The state of the work tree; for a bare repository that of its `HEAD`.
    pub fn of_work_tree(repository: &Repository, state: &WorkState, store: Arc<dyn FactStore>) -> Self {
        let tree = GitTree {
            repository: repository.clone(),
            entries: Arc::clone(&state.entries),
            changes: Arc::clone(&state.changes),
        };
        Self::new(Box::new(tree), store)
    }

    /// The state of a commit.
    pub fn of_commit(
        repository: &Repository,
        commit: &str,
        store: Arc<dyn FactStore>,
    ) -> Result<Self, RepoError> {
        let entries = Arc::new(repository.tree(commit)?.entries);
        let tree = GitTree { repository: repository.clone(), entries, changes: Arc::default() };
        Ok(Self::new(Box::new(tree), store))
    }
}

struct GitTree {
    repository: Repository,
    entries: Arc<BTreeMap<String, (Entry, String)>>,
    changes: Arc<HashMap<String, Change>>,
}

impl Tree for GitTree {
    fn entries(&self) -> &BTreeMap<String, (Entry, String)> {
        &self.entries
    }

    fn read(&self, path: &str) -> Option<Arc<[u8]>> {
        if let Some(change) = self.changes.get(path) {
            return change.bytes.clone();
        }
        match self.entries.get(path)? {
            (Entry::Submodule | Entry::Folder, _) => None,
            (_, id) => self.repository.blob(id),
        }
    }

    fn mentioning(&self, words: &[String]) -> HashMap<String, Vec<String>> {
        let is_text = |path: &str| !is_document(path) && !has_ending(path, NOT_TEXT);
        let files = || {
            let files =
                self.entries.iter().filter(|(path, (entry, _))| *entry == Entry::File && is_text(path));
            files.map(|(path, (_, id))| (path.as_str(), id.as_str()))
        };
        let book = self.repository.words();
        let found = {
            book.write().unwrap_or_else(PoisonError::into_inner).add(words);
            let book = book.read().unwrap_or_else(PoisonError::into_inner);
            let unknown: Vec<(&str, &str)> = files().filter(|(_, id)| book.needs(id)).collect();
            let mut found = Vec::new();
            let (changed, committed): (Vec<_>, Vec<_>) =
                unknown.into_iter().partition(|(path, _)| self.changes.contains_key(*path));
            for (path, id) in changed {
                let bytes = self.changes.get(path).and_then(|change| change.bytes.as_deref());
                found.push(book.search(id, bytes));
            }
            let ids: Vec<&str> = committed.iter().map(|(_, id)| *id).collect();
            let mut is_read = vec![false; ids.len()];
            // What cannot be read holds no words; the check that asked says then that it found nothing.
            let _ = self.repository.blobs(&ids, |at, bytes| {
                if let (Some(id), Some(is_read)) = (ids.get(at), is_read.get_mut(at)) {
                    *is_read = true;
                    found.push(book.search(id, Some(&bytes)));
                }
            });
            let unread = ids.iter().zip(is_read).filter(|(_, is_read)| !is_read);
            found.extend(unread.map(|(id, _)| book.search(id, None)));
            found
        };
        let mut book = book.write().unwrap_or_else(PoisonError::into_inner);
        for found in found {
            book.note(found);
        }
        book.files(words, files())
    }

    fn is_incomplete(&self) -> bool {
        self.repository.is_absent(self.entries.values().map(|(_, id)| id.as_str()))
    }

    fn shared(&self) -> Arc<SharedFacts> {
        self.repository.facts()
    }
}

/// Whether a file is a document, by its name.
pub(crate) fn is_document(path: &str) -> bool {
    has_ending(path, &["md", "mdx", "markdown"])
}

fn has_ending(path: &str, endings: &[&str]) -> bool {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    endings.iter().any(|known| ending.eq_ignore_ascii_case(known))
}
