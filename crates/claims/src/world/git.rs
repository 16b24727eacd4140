//! States of a git repository: a commit, and the work tree.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock, PoisonError};

use super::sketch::Sketch;
use super::words::Found;
use super::{Entry, SharedFacts, Tree, WordBook, World};
use crate::facts::FactStore;
use crate::parallel;
use crate::repo::{Change, RepoError, Repository};

/// Files whose names end so are not text.
const NOT_TEXT: &[&str] = &[
    "png", "jpg", "jpeg", "gif", "webp", "ico", "svg", "pdf", "zip", "gz", "xz", "bz2", "zst", "tar", "woff",
    "woff2", "ttf", "otf", "eot", "mp3", "mp4", "webm", "mov", "wasm", "so", "dylib", "dll", "exe", "jar",
    "class", "bin", "map",
];

/// So many contents are searched by one thread before it takes the next ones.
const PART: usize = 256;

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
            texts: OnceLock::new(),
            kept: Some(Arc::clone(&store)),
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
        let (changes, texts) = (Arc::default(), OnceLock::new());
        let tree = GitTree { repository: repository.clone(), entries, changes, texts, kept: None };
        Ok(Self::new(Box::new(tree), store))
    }
}

struct GitTree {
    repository: Repository,
    entries: Arc<BTreeMap<String, (Entry, String)>>,
    changes: Arc<HashMap<String, Change>>,
    texts: OnceLock<Vec<Text>>,
    /// Where sketches of contents are kept: those of the present are wanted by the next run.
    kept: Option<Arc<dyn FactStore>>,
}

/// A file that words are looked for in.
struct Text {
    path: String,
    /// Its number in the book of words.
    content: u32,
}

impl Tree for GitTree {
    fn entries(&self) -> &BTreeMap<String, (Entry, String)> {
        &self.entries
    }

    fn read(&self, path: &str) -> Option<Arc<[u8]>> {
        if let Some(change) = self.changes.get(path) {
            let is_file = change.entry == Some(Entry::File);
            return change.bytes.clone().or_else(|| is_file.then(|| self.repository.file(path)).flatten());
        }
        match self.entries.get(path)? {
            (Entry::Submodule | Entry::Folder, _) => None,
            (_, id) => self.repository.blob(id),
        }
    }

    fn expect(&self, paths: &[&str]) {
        let id = |path: &&str| {
            let (_, id) = self.entries.get(*path).filter(|_| !self.changes.contains_key(*path))?;
            self.repository.remembered(id).is_none().then_some(id.as_str())
        };
        let unread: Vec<&str> = paths.iter().filter_map(id).collect();
        // What cannot be read is told when it is read alone.
        let _ = self.repository.blobs(&unread, |at, bytes| {
            if let Some(id) = unread.get(at) {
                self.repository.remember(id, bytes);
            }
        });
    }

    fn mentioning(&self, words: &[String]) -> HashMap<String, Vec<String>> {
        let book = self.repository.words();
        let write = || book.write().unwrap_or_else(PoisonError::into_inner);
        let (texts, unknown) = {
            let mut book = write();
            book.add(words);
            let texts = self.texts.get_or_init(|| self.number_texts(&mut book));
            let unknown: Vec<&Text> = texts.iter().filter(|text| book.needs(text.content)).collect();
            (texts, unknown)
        };
        if !unknown.is_empty() {
            let found = {
                let book = book.read().unwrap_or_else(PoisonError::into_inner);
                let parts: Vec<&[&Text]> = unknown.chunks(PART).collect();
                parallel::each(2, &parts, |part| self.search(&book, part))
            };
            let mut book = write();
            found.into_iter().flatten().for_each(|found| book.note(found));
        }
        let book = book.read().unwrap_or_else(PoisonError::into_inner);
        book.files(words, texts.iter().map(|text| (text.path.as_str(), text.content)))
    }

    fn is_incomplete(&self) -> bool {
        self.repository.is_absent(self.entries.values().map(|(_, id)| id.as_str()))
    }

    fn shared(&self) -> Arc<SharedFacts> {
        self.repository.facts()
    }
}

impl GitTree {
    /// Files that words are looked for in.
    fn number_texts(&self, book: &mut WordBook) -> Vec<Text> {
        let is_text = |path: &str| is_evidence(path) && !has_ending(path, NOT_TEXT);
        let files = self.entries.iter().filter(|(path, (entry, _))| *entry == Entry::File && is_text(path));
        let texts = files.map(|(path, (_, id))| {
            let content = book.number(id);
            if let Some(kept) = self.kept.as_ref().filter(|_| book.is_unread(content))
                && let Some(sketch) = kept.get(&sketch_key(id)).and_then(|bytes| Sketch::of_bytes(&bytes))
            {
                book.sketched(content, sketch);
            }
            Text { path: path.clone(), content }
        });
        texts.collect()
    }

    /// Searches files for all words of a book.
    fn search(&self, book: &WordBook, texts: &[&Text]) -> Vec<Found> {
        let mut all = Vec::new();
        let mut note = |id: &str, content: u32, bytes: Option<&Arc<[u8]>>| {
            let found = book.search(content, bytes.map(|bytes| &**bytes));
            if let (Some(kept), Some(sketch), Some(_)) = (&self.kept, found.sketch(), bytes) {
                kept.put(&sketch_key(id), &sketch.to_bytes());
            }
            // Whoever looks for words looks into the files that hold them.
            if let (true, Some(bytes)) = (found.is_any(), bytes) {
                self.repository.remember(id, Arc::clone(bytes));
            }
            all.push(found);
        };
        let (mut unread, mut contents) = (Vec::new(), Vec::new());
        for text in texts {
            let Some((_, id)) = self.entries.get(&text.path) else { continue };
            if let Some(change) = self.changes.get(&text.path) {
                let bytes = change.bytes.clone().or_else(|| self.read(&text.path));
                note(id, text.content, bytes.as_ref());
            } else if let Some(bytes) = self.repository.remembered(id) {
                note(id, text.content, Some(&bytes));
            } else {
                unread.push(id.as_str());
                contents.push(text.content);
            }
        }
        let mut is_read = vec![false; unread.len()];
        // What cannot be read holds no words; the check that asked says then that it found nothing.
        let _ = self.repository.blobs(&unread, |at, bytes| {
            if let (Some(id), Some(content), Some(is_read)) =
                (unread.get(at), contents.get(at), is_read.get_mut(at))
            {
                *is_read = true;
                note(id, *content, Some(&bytes));
            }
        });
        let not_read = contents.iter().zip(is_read).filter(|(_, is_read)| !is_read);
        not_read.for_each(|(content, _)| note("", *content, None));
        all
    }
}

fn sketch_key(id: &str) -> String {
    format!("words/3/{id}")
}

/// Folders of notes on releases.
const NOTES: &[&str] = &[
    ".changelog",
    ".changes",
    ".changeset",
    "changelog.d",
    "changelogs",
    "newsfragments",
    "release-notes",
    "release_notes",
    "releasenotes",
];

/// Whether words in a file say something about what there is. Those of documents do not, nor those of notes, logs, and what
/// docent itself has written down about documents.
pub(crate) fn is_evidence(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let (stem, ending) = name.rsplit_once('.').unwrap_or((&name, ""));
    let is_text = matches!(ending, "" | "adoc" | "json" | "rst" | "toml" | "txt" | "yaml" | "yml");
    let is_named = matches!(stem, "changes" | "history" | "news" | "notes" | "todo")
        && matches!(ending, "" | "rst" | "txt");
    let is_below = path.split('/').any(|folder| NOTES.contains(&folder));
    let is_note = is_text && (is_named || stem.starts_with("changelog") || is_below);
    let is_baseline = name.contains("baseline") && name.ends_with(".json");
    !(is_document(path)
        || is_note
        || is_baseline
        || name == "docent.toml"
        || has_ending(path, &["log", "sarif"]))
}

/// Whether a file is a document, by its name.
pub(crate) fn is_document(path: &str) -> bool {
    has_ending(path, &["md", "mdx", "markdown"])
}

fn has_ending(path: &str, endings: &[&str]) -> bool {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    endings.iter().any(|known| ending.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::is_evidence;

    #[test]
    fn notes_on_releases_say_nothing_about_what_there_is() {
        for note in [
            "CHANGELOG",
            "CHANGELOG.next.toml",
            "HISTORY.rst",
            "NEWS",
            ".changelog/12.txt",
            "a/newsfragments/1.rst",
        ] {
            assert!(!is_evidence(note), "{note}");
        }
        for code in [
            "src/changelog.rs",
            "history.py",
            "notes.json",
            "Makefile",
            "changelogs/run.sh",
            "docs/usage.rst",
        ] {
            assert!(is_evidence(code), "{code}");
        }
    }
}
