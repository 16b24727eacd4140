//! One state of a repository: what a check looks at.
//!
//! The state is a [`Tree`] (a commit, the work tree, or files in memory for tests) behind caches of this run. Checks see
//! paths, bytes, facts and words, and never ask which state it is.

mod git;
mod memory;
mod shared;
mod sketch;
mod words;

use std::any::{Any, TypeId};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::facts::{FactStore, Facts};

pub use git::WorkState;
pub(crate) use git::{is_document, is_evidence};
pub(crate) use shared::SharedFacts;
pub(crate) use words::WordBook;

/// So many links are followed one after another.
const MOST_LINKS: usize = 5;

/// What a path names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    /// A file.
    File,
    /// A folder.
    Folder,
    /// Another repository, whose files are not here.
    Submodule,
    /// A symbolic link.
    Link,
}

/// Where the files of a state come from.
pub trait Tree: Send + Sync {
    /// Everything but folders: path → what it is and the name of its content.
    fn entries(&self) -> &BTreeMap<String, (Entry, String)>;

    /// The bytes of a file; `None` when it is not there or too large to be looked at.
    fn read(&self, path: &str) -> Option<Arc<[u8]>>;

    /// Says that these files are about to be read, for those who can read many at once in less time.
    fn expect(&self, _paths: &[&str]) {}

    /// For each word the files that hold it, on word boundaries (a word's neighbours are not letters, digits or `_`),
    /// documents left out.
    fn mentioning(&self, words: &[String]) -> HashMap<String, Vec<String>>;

    /// Whether contents that somebody asked for are not here, so that "it is not there" is not known.
    fn is_incomplete(&self) -> bool {
        false
    }

    /// Facts that other states of the same files have read.
    fn shared(&self) -> Arc<SharedFacts> {
        Arc::default()
    }
}

/// One state of a repository.
pub struct World {
    tree: Box<dyn Tree>,
    store: Arc<dyn FactStore>,
    shared: Arc<SharedFacts>,
    paths: OnceLock<Paths>,
    words: Mutex<HashMap<String, Arc<[String]>>>,
    notes: Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>,
}

#[derive(Default)]
struct Paths {
    /// Folders, and what has which last component.
    folders: std::collections::BTreeSet<String>,
    by_name: HashMap<String, Vec<String>>,
}

impl World {
    /// A state whose files come from `tree`, with facts kept in `store`.
    pub fn new(tree: Box<dyn Tree>, store: Arc<dyn FactStore>) -> Self {
        Self {
            shared: tree.shared(),
            tree,
            store,
            paths: OnceLock::new(),
            words: Mutex::default(),
            notes: Mutex::default(),
        }
    }

    /// A state that consists of these files, for tests.
    pub fn of_files(files: &[(&str, &str)]) -> Self {
        Self::new(Box::new(memory::Memory::new(files)), Arc::new(crate::NoStore))
    }

    /// What a path names: `/` between components, no `./` and no `/` at the end.
    pub fn entry(&self, path: &str) -> Option<Entry> {
        self.own_entry(path).or_else(|| self.own_entry(&self.behind_links(path)?))
    }

    fn own_entry(&self, path: &str) -> Option<Entry> {
        let file = self.tree.entries().get(path).map(|(entry, _)| *entry);
        file.or_else(|| self.paths().folders.contains(path).then_some(Entry::Folder))
    }

    /// Where a path leads that goes through linked folders, as long as it stays in the repository.
    fn behind_links(&self, path: &str) -> Option<String> {
        let mut path = path.to_owned();
        for _ in 0..MOST_LINKS {
            let is_link = |at: &usize| {
                let entry = path.get(..*at).and_then(|before| self.tree.entries().get(before));
                entry.is_some_and(|(entry, _)| *entry == Entry::Link)
            };
            let Some(at) = path.match_indices('/').map(|(at, _)| at).find(is_link) else {
                return Some(path);
            };
            let (link, rest) = path.split_at(at);
            let target = String::from_utf8(self.tree.read(link)?.to_vec()).ok()?;
            let folder = link.rsplit_once('/').map_or("", |(folder, _)| folder);
            path = joined(folder, &format!("{target}{rest}"))?;
        }
        None
    }

    /// Paths of all files, sorted.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.tree.entries().keys().map(String::as_str)
    }

    /// The name of a file's content.
    pub fn content(&self, path: &str) -> Option<&str> {
        self.tree.entries().get(path).map(|(_, id)| id.as_str())
    }

    /// Files and folders whose last component is `name`.
    pub fn named(&self, name: &str) -> &[String] {
        self.paths().by_name.get(name).map_or(&[], Vec::as_slice)
    }

    /// Files and folders whose last components are those of `tail`.
    pub fn ending(&self, tail: &str) -> Vec<&str> {
        let name = tail.rsplit('/').next().unwrap_or(tail);
        let is_end = |path: &str| {
            path.strip_suffix(tail).is_some_and(|before| before.is_empty() || before.ends_with('/'))
        };
        self.named(name).iter().map(String::as_str).filter(|path| is_end(path)).collect()
    }

    /// The bytes of a file; of a link the path that it leads to.
    pub fn read(&self, path: &str) -> Option<Arc<[u8]>> {
        self.tree.read(path)
    }

    /// The facts of a file; `None` for files that have none of that kind.
    pub fn facts<F: Facts>(&self, path: &str) -> Option<Arc<F>> {
        if !F::applies(path) {
            return None;
        }
        let key = self.facts_key::<F>(path)?;
        self.kept_facts(&key).or_else(|| {
            let facts = F::read(path, &self.tree.read(path)?);
            let bytes = serde_json::to_vec(&facts).ok()?;
            self.store.put(&key, &bytes);
            let facts = Arc::new(facts);
            self.shared.put(key, Arc::clone(&facts), bytes.len());
            Some(facts)
        })
    }

    /// Says that the facts of these files are about to be asked for: what has to be read for that is read together.
    pub(crate) fn expect<'a, F: Facts>(&self, paths: impl Iterator<Item = &'a String>) {
        let is_unread = |path: &&str| {
            let key = F::applies(path).then(|| self.facts_key::<F>(path)).flatten();
            key.is_some_and(|key| self.kept_facts::<F>(&key).is_none())
        };
        let unread: Vec<&str> = paths.map(String::as_str).filter(is_unread).collect();
        if unread.len() > 1 {
            self.tree.expect(&unread);
        }
    }

    fn facts_key<F: Facts>(&self, path: &str) -> Option<String> {
        let (_, id) = self.tree.entries().get(path).filter(|(entry, _)| *entry == Entry::File)?;
        // The same bytes can mean something else under another name.
        let name = path.rsplit('/').next().unwrap_or(path);
        Some(format!("{}/{}/{id}/{name}", F::NAME, F::VERSION))
    }

    /// Facts that this run or an earlier one has read.
    fn kept_facts<F: Facts>(&self, key: &str) -> Option<Arc<F>> {
        self.shared.get::<F>(key).or_else(|| {
            let bytes = self.store.get(key)?;
            let facts: Arc<F> = Arc::new(serde_json::from_slice(&bytes).ok()?);
            self.shared.put(key.to_owned(), Arc::clone(&facts), bytes.len());
            Some(facts)
        })
    }

    /// Whether "it is not there" is not known, because contents are absent.
    pub(crate) fn is_incomplete(&self) -> bool {
        self.tree.is_incomplete()
    }

    /// Looks for many words at once, so that [`World::mentioning`] has its answers.
    pub fn look_for(&self, words: &[String]) {
        let mut unknown: Vec<String> = {
            let known = self.words.lock().unwrap_or_else(PoisonError::into_inner);
            words.iter().filter(|word| !known.contains_key(*word)).cloned().collect()
        };
        // Several claims ask for the same word, and each answer is taken once.
        unknown.sort_unstable();
        unknown.dedup();
        if unknown.is_empty() {
            return;
        }
        let mut found = self.tree.mentioning(&unknown);
        let mut known = self.words.lock().unwrap_or_else(PoisonError::into_inner);
        for word in unknown {
            let files = found.remove(&word).unwrap_or_default();
            known.insert(word, files.into());
        }
    }

    /// Files, other than documents, that hold a word.
    pub fn mentioning(&self, word: &str) -> Arc<[String]> {
        self.look_for(&[word.to_owned()]);
        let known = self.words.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(word).map(Arc::clone).unwrap_or_default()
    }

    /// Something that is computed once for a state, such as all definitions of all manifests; told apart by its type.
    pub fn once<T: Any + Send + Sync>(&self, make: impl FnOnce(&Self) -> T) -> Arc<T> {
        let find = || {
            let notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
            notes.get(&TypeId::of::<T>()).and_then(|note| Arc::clone(note).downcast::<T>().ok())
        };
        if let Some(known) = find() {
            return known;
        }
        let made = Arc::new(make(self));
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        notes.insert(TypeId::of::<T>(), made.clone());
        made
    }

    fn paths(&self) -> &Paths {
        self.paths.get_or_init(|| {
            let mut paths = Paths::default();
            for path in self.tree.entries().keys() {
                let mut rest = path.as_str();
                while let Some((folder, _)) = rest.rsplit_once('/') {
                    if !paths.folders.insert(folder.to_owned()) {
                        break;
                    }
                    rest = folder;
                }
            }
            for path in self.tree.entries().keys().chain(&paths.folders) {
                let name = path.rsplit('/').next().unwrap_or(path);
                paths.by_name.entry(name.to_owned()).or_default().push(path.clone());
            }
            paths
        })
    }
}

/// A path as an address has it: what would end it, or mean something else there, is written with percent signs.
pub(crate) fn encoded(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for c in path.chars() {
        match c {
            ' ' | '#' | '%' | '?' | '(' | ')' | '<' | '>' | '"' | '\\' => {
                text.push_str(&format!("%{:02X}", u32::from(c)))
            }
            c => text.push(c),
        }
    }
    text
}

/// A path relative to a folder, without `.` and `..`; `None` when it leads out of the repository.
pub(crate) fn joined(folder: &str, path: &str) -> Option<String> {
    if path.starts_with('/') {
        return None;
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

impl std::fmt::Debug for World {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("World").field("files", &self.tree.entries().len()).finish()
    }
}
